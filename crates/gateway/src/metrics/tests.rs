//! How many labels there can be.

use toolgate_guard::AnsweredCount;
use toolgate_types::{Code, CorrelationId, LABELLED_SERVERS, ServerId};

use super::*;

fn call(server: &str) -> CallRef {
    CallRef {
        correlation: CorrelationId::next(),
        server: Some(ServerId::parse(server).unwrap()),
        word: "call",
        target: "t".into(),
        trace: None,
    }
}

fn end(metrics: &GatewayMetrics, server: &str, ending: CallEnding) {
    metrics.ended(&call(server), Duration::from_millis(3), ending);
}

fn text(metrics: &GatewayMetrics) -> String {
    metrics.written(&GatewayReadings::default())
}

#[test]
fn however_many_servers_there_are_their_labels_have_an_end() {
    let metrics = GatewayMetrics::default();
    let restarts = (0..500).map(|n| (ServerId::parse(&format!("r{n}")).ok(), 1)).collect();
    for n in 0..500 {
        end(&metrics, &format!("s{n}"), CallEnding::Failed(Code::Internal));
    }
    let text = metrics.written(&GatewayReadings { restarts, ..GatewayReadings::default() });
    let of = |family: &str| text.lines().filter(|line| line.starts_with(family)).count();
    assert_eq!(of("toolgate_calls_total{"), LABELLED_SERVERS + 1);
    assert_eq!(of("toolgate_call_errors_total{"), LABELLED_SERVERS + 1);
    assert_eq!(of("toolgate_call_seconds_count{"), LABELLED_SERVERS + 1);
    // Nothing is lost: the rest is counted together.
    let rest = "toolgate_calls_total{server=\"other\",kind=\"call\",outcome=\"failed\"} 436\n";
    assert!(text.contains(rest), "{text}");
    assert!(text.contains("toolgate_server_restarts_total{server=\"other\"} 500\n"), "{text}");
}

#[test]
fn a_server_that_does_not_exist_takes_nobodys_room() {
    let metrics = GatewayMetrics::default();
    for n in 0..500 {
        end(&metrics, &format!("invented{n}"), CallEnding::Failed(Code::NotFound));
    }
    end(&metrics, "real", CallEnding::Done);
    end(&metrics, "real", CallEnding::Failed(Code::NotFound));
    let text = text(&metrics);
    assert!(!text.contains("invented"), "{text}");
    assert!(text.contains("toolgate_call_errors_total{server=\"other\",code=\"not_found\"} 500\n"));
    assert!(text.contains("toolgate_call_errors_total{server=\"real\",code=\"not_found\"} 1\n"));
    let done = "toolgate_calls_total{server=\"real\",kind=\"call\",outcome=\"done\"} 1\n";
    assert!(text.contains(done), "{text}");
}

#[test]
fn what_others_count_is_as_they_say_each_time_it_is_asked_for() {
    let metrics = GatewayMetrics::default();
    let readings = |count| GatewayReadings {
        answered: vec![AnsweredCount { channel: "queue", choice: "once", count }],
        approvals_waiting: 7,
        ..GatewayReadings::default()
    };
    metrics.written(&readings(2));
    let text = metrics.written(&readings(3));
    let answered = "toolgate_approvals_answered_total{channel=\"queue\",choice=\"once\"} 3\n";
    assert!(text.contains(answered) && text.contains("toolgate_approvals_waiting 7\n"), "{text}");
}
