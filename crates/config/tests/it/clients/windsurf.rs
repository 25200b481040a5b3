//! Windsurf.

use insta::assert_json_snapshot;
use toolgate_config::clients::KnownClient;

use super::{import_sample, shown};

#[test]
fn a_file_of_windsurf() {
    assert_json_snapshot!(shown(&import_sample(KnownClient::Windsurf, "windsurf/mcp_config.json")));
}
