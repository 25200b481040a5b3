//! Zed.

use insta::assert_json_snapshot;
use toolgate_config::clients::KnownClient;

use super::{import_sample, shown};

#[test]
fn a_file_of_zed() {
    assert_json_snapshot!(shown(&import_sample(KnownClient::Zed, "zed/settings.json")));
}
