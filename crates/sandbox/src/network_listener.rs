//! Who hears what was decided about connections of a sandbox.

use std::fmt;
use std::mem::discriminant;

use parking_lot::Mutex;
use toolgate_types::NetworkDecision;

/// Hears of every decision, on the tasks that make the connections: it must not block.
pub trait NetworkListener: fmt::Debug + Send + Sync {
    fn decided(&self, decision: NetworkDecision);
}

/// What was decided, each once and in order. A program that tries a thousand times is told of once.
#[derive(Debug, Default)]
pub struct NetworkLog(Mutex<Vec<NetworkDecision>>);

impl NetworkLog {
    /// Different ones that are kept; what comes after them is nobody's news any more.
    const MOST: usize = 256;

    /// Keeps it; whether it is news.
    pub fn note(&self, decision: &NetworkDecision) -> bool {
        let mut known = self.0.lock();
        let is_known = |one: &NetworkDecision| {
            let is_alike = discriminant(&one.verdict) == discriminant(&decision.verdict);
            is_alike && (&one.host, one.port) == (&decision.host, decision.port)
        };
        let is_news = known.len() < Self::MOST && !known.iter().any(is_known);
        if is_news {
            known.push(decision.clone());
        }
        is_news
    }

    pub fn decisions(&self) -> Vec<NetworkDecision> {
        self.0.lock().clone()
    }
}

impl NetworkListener for NetworkLog {
    fn decided(&self, decision: NetworkDecision) {
        self.note(&decision);
    }
}

#[cfg(test)]
mod tests {
    use toolgate_types::{NetworkRefusal, NetworkVerdict};

    use super::*;

    #[test]
    fn what_is_tried_again_and_again_is_kept_once_and_everything_is_bounded() {
        let log = NetworkLog::default();
        let decision = |host: String, verdict| NetworkDecision { host, port: Some(443), verdict };
        let refused = || NetworkVerdict::Refused(NetworkRefusal::NotListed);
        let reached = NetworkVerdict::Connected("192.0.2.1:443".parse().unwrap());
        assert!(log.note(&decision("a".into(), refused())));
        assert!(!log.note(&decision("a".into(), refused())));
        assert!(log.note(&decision("a".into(), reached)), "another outcome is news");
        for number in 0..1000 {
            log.note(&decision(number.to_string(), refused()));
        }
        assert_eq!(log.decisions().len(), NetworkLog::MOST);
    }
}
