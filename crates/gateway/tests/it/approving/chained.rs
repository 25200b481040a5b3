//! A gate behind a gate: each has its own rules and its own person, and neither takes the other's
//! questions, answers or notes for its own.

use serde_json::{Value, json};

use super::{
    Person, Speaker, Way, accept, answer_to, assert_done, assert_refused, forms, gate, runs,
};
use toolgate_types::config::Naming;

use crate::gate::{Gate, Running};

/// A gate whose only server is another gate, under the names that the other one has.
fn before(inner: &Running) -> Gate {
    let gate = Gate::empty().configured(|config| config.gateway.naming = Naming::Bare);
    gate.remote("one", &format!("http://{}/mcp", inner.address))
}

/// What a person says to each question in turn, and what comes of the call.
async fn call(client: &mut Speaker, way: Way, said: &[&str]) -> Value {
    client.call(1, json!({"n": 1})).await;
    for (decision, id) in said.iter().zip(2..) {
        let asked = client.next().await;
        match way {
            Way::LegacyHttp | Way::LegacyLines => {
                assert_eq!(asked["method"], "elicitation/create", "{asked}");
                client.say(answer_to(&asked, &accept(decision))).await;
            }
            Way::ModernHttp | Way::ModernLines => {
                assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
                client.retry(id, json!({"n": 1}), &asked, accept(decision)).await;
            }
        }
    }
    client.next().await
}

/// Shows: S4-20.
#[tokio::test]
async fn a_gate_that_asks_nothing_passes_on_what_the_one_behind_it_asks() {
    for way in Way::ALL {
        let inner = gate().await;
        let outer = before(&inner).run().await;
        let mut client = Speaker::open(&outer, way, forms()).await;
        assert_done(&call(&mut client, way, &["once"]).await);
        assert_eq!(runs(&inner), 1, "{way:?}");
        assert_refused(&call(&mut client, way, &["deny"]).await, "denied");
        assert_eq!(runs(&inner), 1, "{way:?}");
    }
}

/// Shows: S4-20.
#[tokio::test]
async fn each_of_two_gates_that_ask_has_its_answer() {
    for way in Way::ALL {
        let inner = gate().await;
        let outer = before(&inner).guarded().run().await;
        let mut there = Person::who_only_watches(&inner);
        let mut client = Speaker::open(&outer, way, forms()).await;
        assert_refused(&call(&mut client, way, &["deny"]).await, "denied");
        assert!(there.unheard().is_empty(), "what is refused here is not asked there");
        assert_refused(&call(&mut client, way, &["once", "deny"]).await, "denied");
        assert_eq!(runs(&inner), 0, "{way:?}");
        assert_done(&call(&mut client, way, &["once", "once"]).await);
        assert_eq!(runs(&inner), 1, "{way:?}");
    }
}
