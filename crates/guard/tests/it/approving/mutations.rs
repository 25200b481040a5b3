//! A consent is to exactly one thing: a byte of anything changed, and it is to nothing; another
//! spelling of the same arguments, and it is still to that.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;
use toolgate_guard::{
    ApprovalSubject, Decision, DecisionReason, Guard, LadderRuling, PermissionWithheld, Permitted,
    Refusal,
};
use toolgate_types::{Caller, Digest, Era, Operation, Principal, SessionId};

use super::spelling::{Dice, respelled};
use super::{consent_to, json};

/// Everything that a consent holds for.
#[derive(Debug, Clone)]
struct Whole {
    server: String,
    tool: String,
    definition: Digest,
    arguments: Option<String>,
    caller: Option<Caller>,
    address: String,
    policy: Option<Digest>,
    command: Option<Digest>,
}

impl Whole {
    fn by_chance(dice: &mut Dice) -> Self {
        let number = dice.next();
        let mut folder = format!("/code/{number}").into_bytes();
        folder.push(0xff);
        let caller = Caller {
            session: Some(SessionId(format!("session-{number}"))),
            client: Some(format!("client-{number}")),
            era: Some(Era::Modern),
            ..Caller::new(Principal::named(format!("ada-{number}")), OsString::from_vec(folder))
        };
        Self {
            server: format!("git-{number}"),
            tool: format!("push-{number}"),
            definition: digest(dice),
            arguments: Some(respelled(&dice.object(3), dice)),
            caller: Some(caller),
            address: format!("role-{number}"),
            policy: Some(digest(dice)),
            command: Some(digest(dice)),
        }
    }

    fn operation(&self) -> Operation {
        let arguments = self.arguments.as_deref().map(|text| json(text).into());
        Operation::CallTool { name: self.tool.as_str().into(), arguments }
    }

    fn subject(&self) -> ApprovalSubject<'_> {
        ApprovalSubject {
            server: &self.server,
            definition: self.definition,
            caller: self.caller.as_ref(),
            address: vec!["role", &self.address],
            policy: self.policy,
            command: self.command,
        }
    }

    fn digest(&self) -> Digest {
        self.subject().digest(&self.operation()).unwrap()
    }

    /// What comes of a consent to `approved`, for what is here.
    async fn done_with_consent_to(
        &self,
        approved: Digest,
        shown: Option<&str>,
    ) -> Result<Permitted<Operation>, PermissionWithheld> {
        let decision = Decision::Ruled(LadderRuling::Ask(DecisionReason::Default));
        let consent = Some(consent_to(approved, shown.map(json)).await);
        Guard::default().permit(decision, self.operation(), || self.subject(), consent)
    }
}

fn digest(dice: &mut Dice) -> Digest {
    let mut bytes = [0; 32];
    for part in bytes.chunks_mut(8) {
        part.copy_from_slice(&dice.next().to_le_bytes());
    }
    Digest(bytes)
}

/// One byte of something that is text.
fn other_text(text: &str, dice: &mut Dice) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = dice.below(bytes.len());
    bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
    String::from_utf8(bytes).unwrap()
}

fn other_digest(digest: Digest, dice: &mut Dice) -> Digest {
    let Digest(mut bytes) = digest;
    bytes[dice.below(32)] ^= 1 << dice.below(8);
    Digest(bytes)
}

/// One byte of the arguments, so that they are still JSON and mean something else. Not all bytes can
/// be changed like that, but some can.
fn other_arguments(arguments: &str, dice: &mut Dice) -> String {
    let meaning: Value = serde_json::from_str(arguments).unwrap();
    loop {
        let mut bytes = arguments.as_bytes().to_vec();
        let at = dice.below(bytes.len());
        bytes[at] = b' ' + u8::try_from(dice.below(95)).unwrap();
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        match serde_json::from_str::<Value>(&changed) {
            Ok(other) if other != meaning => return changed,
            _ => {}
        }
    }
}

fn other_caller(caller: &mut Caller, which: usize, dice: &mut Dice) -> &'static str {
    match which {
        0 => {
            caller.principal = Principal::named(other_text(caller.principal.as_str(), dice));
            "the principal"
        }
        1 => {
            let SessionId(session) = caller.session.as_ref().unwrap();
            caller.session = Some(SessionId(other_text(session, dice)));
            "the session"
        }
        2 => {
            caller.session = None;
            "no session"
        }
        3 => {
            // A folder's name need not be text, and those are told apart too.
            let mut bytes = caller.workspace.as_os_str().as_bytes().to_vec();
            let last = bytes.len() - 1;
            let at = [last, dice.below(last)][dice.below(2)];
            bytes[at] = 0xf0 + u8::try_from(dice.below(8)).unwrap();
            caller.workspace = Path::new(OsStr::from_bytes(&bytes)).into();
            "the workspace"
        }
        4 => {
            caller.client = Some(other_text(caller.client.as_ref().unwrap(), dice));
            "the client"
        }
        5 => {
            caller.client = None;
            "no client"
        }
        6 => {
            caller.era = Some(Era::Legacy);
            "the era"
        }
        _ => {
            caller.era = None;
            "no era"
        }
    }
}

/// Changes one thing, and says which.
fn changed(whole: &mut Whole, dice: &mut Dice) -> &'static str {
    match dice.below(20) {
        0 => {
            whole.server = other_text(&whole.server, dice);
            "the server"
        }
        1 => {
            whole.tool = other_text(&whole.tool, dice);
            "the tool"
        }
        2 | 3 => {
            whole.definition = other_digest(whole.definition, dice);
            "the definition"
        }
        4 => {
            whole.address = other_text(&whole.address, dice);
            "the address"
        }
        5 => {
            whole.policy = whole.policy.map(|policy| other_digest(policy, dice));
            "the policy"
        }
        6 => {
            whole.policy = None;
            "no policy"
        }
        7 => {
            whole.caller = None;
            "no caller"
        }
        8 => {
            whole.arguments = None;
            "no arguments"
        }
        9..=15 => {
            whole.arguments = whole.arguments.as_deref().map(|old| other_arguments(old, dice));
            "the arguments"
        }
        _ => {
            let which = dice.below(8);
            other_caller(whole.caller.as_mut().unwrap(), which, dice)
        }
    }
}

fn arguments(operation: &Operation) -> &RawValue {
    let Operation::CallTool { arguments: Some(arguments), .. } = operation else {
        panic!("a call with arguments")
    };
    arguments
}

/// A thousand times, each with its own seed.
#[tokio::test(start_paused = true)]
async fn approval_replay_a_consent_is_worth_nothing_once_a_byte_of_anything_is_changed() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..1000 {
        let mut dice = Dice::of(seed);
        let whole = Whole::by_chance(&mut dice);
        let mut other = whole.clone();
        let what = changed(&mut other, &mut dice);
        *seen.entry(what).or_insert(0) += 1;
        let done = other.done_with_consent_to(whole.digest(), None).await;
        let refused = Err(PermissionWithheld::Refused(Refusal::Changed));
        let done = done.map(|_| ());
        assert_eq!(done, refused, "seed {seed}, {what}:\n{whole:#?}\n{other:#?}");
    }
    assert_eq!(seen.values().sum::<i32>(), 1000);
    assert_eq!(seen.len(), 17, "each of them came about: {seen:?}");
}

/// Shows: C18.
#[tokio::test(start_paused = true)]
async fn a_consent_holds_for_the_same_arguments_in_another_spelling_and_the_shown_bytes_are_sent() {
    for seed in 0..1000 {
        let mut dice = Dice::of(seed);
        let whole = Whole::by_chance(&mut dice);
        let meaning: Value = serde_json::from_str(whole.arguments.as_ref().unwrap()).unwrap();
        let anew = respelled(&meaning, &mut dice);
        let other = Whole { arguments: Some(anew), ..whole.clone() };
        let shown = whole.arguments.as_deref();
        let done = other.done_with_consent_to(whole.digest(), shown).await;
        let permitted =
            done.unwrap_or_else(|why| panic!("seed {seed}: {why:?}\n{whole:#?}\n{other:#?}"));
        // Exactly as they were shown, blanks around them aside, and not as they came again.
        let sent = arguments(permitted.get()).get();
        assert_eq!(sent, whole.arguments.unwrap().trim_ascii(), "seed {seed}");
    }
}

/// Shows: S1-82.
#[tokio::test(start_paused = true)]
async fn approval_replay_arguments_that_can_be_read_in_two_ways_are_never_consented_to() {
    let whole = Whole::by_chance(&mut Dice::of(0));
    let approved = whole.digest();
    for twice in [r#"{"a":1,"a":2}"#, r#"{"a":{"b":1,"\u0062":1}}"#] {
        let other = Whole { arguments: Some(twice.to_owned()), ..whole.clone() };
        assert!(other.subject().digest(&other.operation()).is_err());
        let done = other.done_with_consent_to(approved, None).await.map(|_| ());
        assert_eq!(done, Err(PermissionWithheld::Refused(Refusal::Changed)), "{twice}");
    }
}

/// What it is worth must not change with a version of the compiler or of a type's name: the bytes are
/// laid down here, under the version that stands in them.
#[test]
fn a_subject_is_named_by_bytes_that_are_laid_down() {
    let subject = |address: Vec<&'static str>| ApprovalSubject {
        server: "git",
        definition: Digest([1; 32]),
        caller: None,
        address,
        policy: Some(Digest([2; 32])),
        command: None,
    };
    let operation = Operation::CallTool { name: "push".into(), arguments: Some(json("{}").into()) };
    let digest = |address| subject(address).digest(&operation).unwrap();
    let expected = "b9afba6849ef83f820d7b81a336cac8a6f259d0a7a20c823f1a0f7da9726de26";
    assert_eq!(digest(vec!["role", "a"]).to_hex(), expected);
    // Where one part ends and the next begins counts too.
    assert_ne!(digest(vec!["role", "a"]), digest(vec!["rolea"]));
    assert_ne!(digest(vec!["role", "a"]), digest(vec!["role", "a", ""]));
}
