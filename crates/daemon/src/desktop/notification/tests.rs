//! What a notification says of an approval request, and when it offers to allow it.

use std::sync::Arc;
use std::time::Duration;

use toolgate_guard::{ApprovalOutcome, ApprovalReference, ApprovalRendering, SettledNote};
use toolgate_types::Digest;

use super::*;

struct Nobody;

impl SettledNote for Nobody {
    fn settled(&self, _: &ApprovalReference, _: &ApprovalOutcome) {}
}

fn request(title: &str, text: &str) -> ApprovalRequest {
    ApprovalRequest {
        subject: Digest([0; 32]),
        caller: None,
        server: "s".to_owned(),
        tool: "t".to_owned(),
        title: title.to_owned(),
        shown: ApprovalRendering::plain(text),
        shown_in_full: None,
        notice: text.to_owned(),
        call: Arc::default(),
        grant: None,
        channels: Vec::new(),
        lifetime: Duration::from_secs(1),
        fastest_answer: Duration::ZERO,
        note: Arc::new(Nobody),
    }
}

#[test]
fn title_and_text_are_no_options_and_no_markup() {
    let notification = DesktopNotification::of(&request("--wait <b>", "--help & <b>bold</b>"));
    let asking = notification.asking();
    assert_eq!(
        asking,
        [
            "--app-name=Toolgate",
            "--urgency=critical",
            "--wait",
            "--action=once=Allow once",
            "--action=deny=Deny",
            "--",
            "--wait <b>",
            "--help &amp; &lt;b&gt;bold&lt;/b&gt;",
        ]
    );
}

#[test]
fn what_cannot_be_shown_whole_can_only_be_denied() {
    let whole = DesktopNotification::of(&request("t", &"ä".repeat(1200)));
    assert!(whole.offers(ApprovalChoice::Once) && whole.body.ends_with('ä'));
    let longer = DesktopNotification::of(&request("t", &"ä".repeat(1201)));
    assert!(!longer.offers(ApprovalChoice::Once) && !longer.offers(ApprovalChoice::Session));
    assert!(longer.offers(ApprovalChoice::Deny));
    let asking = longer.asking().join("\n");
    assert!(!asking.contains("Allow once") && asking.contains("--action=deny=Deny"), "{asking}");
    assert!(asking.contains("toolgate approvals"), "{asking}");
    let masked = DesktopNotification::of(&ApprovalRequest {
        notice: "password ***".to_owned(),
        ..request("t", "password hunter2")
    });
    assert!(!masked.offers(ApprovalChoice::Once) && masked.offers(ApprovalChoice::Deny));
    assert!(!masked.asking().concat().contains("hunter2"));
    assert_eq!((whole.seen().is_some(), longer.seen(), masked.seen()), (true, None, None));
}
