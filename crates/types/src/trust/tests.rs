//! Standing: a person's word stands, a project's must have been accepted as it is.

use super::*;

fn fingerprint(entry: u8, files: &[(&str, u8)]) -> Fingerprint {
    Fingerprint {
        entry: Digest([entry; 32]),
        files: files.iter().map(|(path, byte)| ((*path).into(), Digest([*byte; 32]))).collect(),
    }
}

fn accepted(trust: Trust) -> Acceptances {
    Acceptances::new(vec![AcceptedEntry {
        kind: EntryKind::Server,
        id: "files".into(),
        fingerprint: fingerprint(1, &[("server.js", 7)]),
        trust,
        accepted_at: 0,
    }])
}

fn standing(
    of: &Acceptances,
    grade: LayerGrade,
    now: &Fingerprint,
    declared: Option<Trust>,
) -> EntryStanding {
    of.standing(grade, EntryKind::Server, "files", now, declared)
}

#[test]
fn a_persons_entry_is_accepted_and_trusted_unless_it_says_otherwise() {
    let none = Acceptances::default();
    let now = fingerprint(1, &[]);
    assert_eq!(
        standing(&none, LayerGrade::Person, &now, None),
        EntryStanding::Accepted(Trust::Trusted)
    );
    assert_eq!(
        standing(&none, LayerGrade::Person, &now, Some(Trust::Untrusted)),
        EntryStanding::Accepted(Trust::Untrusted)
    );
}

/// Shows: S2-12.
#[test]
fn a_project_cannot_declare_its_own_trust() {
    let now = fingerprint(1, &[("server.js", 7)]);
    assert_eq!(
        standing(&Acceptances::default(), LayerGrade::Project, &now, Some(Trust::Trusted)),
        EntryStanding::Pending(PendingReason::New)
    );
    assert_eq!(
        standing(&accepted(Trust::Untrusted), LayerGrade::Project, &now, Some(Trust::Trusted)),
        EntryStanding::Accepted(Trust::Untrusted)
    );
}

#[test]
fn any_change_makes_an_accepted_entry_pending_again() {
    let accepted = accepted(Trust::Trusted);
    let of = |now: Fingerprint| standing(&accepted, LayerGrade::Project, &now, None);
    let file = |path: &str| EntryStanding::Pending(PendingReason::FileChanged(path.into()));
    assert_eq!(of(fingerprint(1, &[("server.js", 7)])), EntryStanding::Accepted(Trust::Trusted));
    assert_eq!(
        of(fingerprint(2, &[("server.js", 7)])),
        EntryStanding::Pending(PendingReason::EntryChanged)
    );
    assert_eq!(of(fingerprint(1, &[("server.js", 8)])), file("server.js"));
    assert_eq!(of(fingerprint(1, &[])), file("server.js"));
    assert_eq!(of(fingerprint(1, &[("server.js", 7), ("new.js", 1)])), file("new.js"));
}

#[test]
fn digests_survive_hex() {
    let digest = Digest([0xab; 32]);
    assert_eq!(Digest::from_hex(&digest.to_hex()), Some(digest));
    assert_eq!(Digest::from_hex("zz"), None);
    assert_eq!(Digest::from_hex(&"é".repeat(32)), None);
}
