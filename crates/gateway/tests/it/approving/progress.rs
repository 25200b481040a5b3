//! A caller that wants to hear how things are going hears that a person is being asked.

use serde_json::json;
use toolgate_host::ApprovalChoice;
use toolgate_testkit::Act;

use super::{
    Person, Speaker, Way, accept, answer_to, assert_asked, assert_done, forms, performing,
};
use crate::gate::{Gate, Running};

fn report(progress: &str) -> Act {
    let params = format!(r#"{{"progressToken":${{token}},"progress":{progress},"total":1}}"#);
    Act::notify("notifications/progress", &params)
}

/// A server that begins at nothing.
async fn reporting() -> Running {
    let acts = [report("0"), report("0.5"), report("1"), Act::say("done")];
    Gate::with("one", performing(acts)).guarded().run().await
}

/// Shows: G4.
#[tokio::test]
async fn a_held_call_shows_a_sign_of_life_at_once_and_reports_never_go_back() {
    for way in Way::ALL {
        let gate = reporting().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, json!({})).await;
        client.call_and_listen(1, json!({})).await;
        let waiting = person.asked().await;
        let sign = client.next().await;
        assert_eq!(sign["method"], "notifications/progress", "{sign}");
        assert_eq!(sign["params"]["progressToken"], "p");
        let words = format!("waiting for the user (ref {})", waiting.reference);
        assert_eq!(sign["params"]["message"], words, "and no command");
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
        let mut heard = client.up_to_answer(1).await;
        assert_done(&heard.pop().unwrap());
        let progress = |message: &serde_json::Value| message["params"]["progress"].as_f64();
        let values: Vec<_> = [sign].iter().chain(&heard).map(progress).collect();
        assert!(values[0] > Some(0.0), "{values:?}");
        assert_eq!(values[1..], [Some(0.5), Some(1.0)], "{heard:?}");
    }
}

/// Beside the question, where the client can be asked; and only where it wants to hear.
///
/// Shows: G4, S4-20.
#[tokio::test]
async fn a_client_that_is_asked_hears_signs_of_life_too_where_it_wants_to() {
    for way in Way::LEGACY {
        let gate = reporting().await;
        let mut client = Speaker::open(&gate, way, forms()).await;
        client.call_and_listen(1, json!({})).await;
        let asked = client.next().await;
        assert_asked(&asked);
        let sign = client.next().await;
        let words = sign["params"]["message"].as_str().unwrap();
        assert!(words.starts_with("waiting for the user (ref "), "{sign}");
        client.say(answer_to(&asked, &accept("session"))).await;
        assert_eq!(client.up_to_answer(1).await.len(), 3, "two reports and the answer");
        // Not held, nothing goes before what the server says.
        client.call_and_listen(2, json!({})).await;
        let heard = client.up_to_answer(2).await;
        assert_eq!(heard[0]["params"]["progress"], 0, "{heard:?}");
        assert_eq!(heard.len(), 4, "{heard:?}");
        let mut quiet = Speaker::open(&gate, way, forms()).await;
        quiet.call(3, json!({})).await;
        let asked = quiet.next().await;
        assert_asked(&asked);
        quiet.say(answer_to(&asked, &accept("once"))).await;
        assert_done(&quiet.answer(3).await);
    }
}
