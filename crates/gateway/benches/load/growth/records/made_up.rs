//! Records as calls leave them, made up: most of them alike, a few that somebody looks for.

use std::fmt::Write as _;

use toolgate_store::{AuditEntry, AuditKind};

/// In the bodies of some of each hundred, and of five of all.
pub(super) const COMMON_TEXT: &str = "no such branch";
pub(super) const RARE_TEXT: &str = "hydrangea";

/// The milliseconds since 1970 of the first.
const BEGAN: u64 = 1_790_000_000_000;

/// In which those that are rare come, after the first few thousand.
const RARE: [usize; 5] = [123, 1_234, 12_345, 123_456, 654_321];

/// Made one after the other, a call each millisecond; of every second the beginning was written down too.
#[derive(Default)]
pub(super) struct MadeUpRecords {
    made: usize,
    random: u64,
}

impl MadeUpRecords {
    pub(super) fn made(&self) -> usize {
        self.made
    }

    pub(super) fn now(&self) -> u64 {
        BEGAN + self.made as u64
    }

    /// What the next calls leave.
    pub(super) fn next_some(&mut self, calls: usize) -> Vec<AuditEntry> {
        let mut entries = Vec::with_capacity(calls * 2);
        for _ in 0..calls {
            let end = self.end();
            if self.made.is_multiple_of(2) {
                let open = AuditKind::Open;
                entries.push(AuditEntry {
                    kind: open,
                    outcome: None,
                    duration_us: None,
                    ..end.clone()
                });
            }
            entries.push(end);
            self.made += 1;
        }
        entries
    }

    fn end(&mut self) -> AuditEntry {
        let (number, random) = (self.made, self.random());
        let is_rare = RARE.contains(&number);
        let fails = random.is_multiple_of(20);
        let server = if is_rare { "rare".to_owned() } else { format!("server-{}", random % 23) };
        // The outcome that is rare is never of the server that is.
        let outcome = match (fails, number % 250_000 == 77) {
            (_, true) => "task",
            (true, false) => "failed",
            (false, false) => "done",
        };
        AuditEntry {
            at: self.now(),
            kind: AuditKind::End,
            correlation: format!("0123456789ab-{number:x}"),
            round: 0,
            principal: "local".into(),
            client: Some("load".into()),
            role: None,
            session: Some(format!("{:016x}", number / 200)),
            workspace: Some("/home/somebody/project".into()),
            server: Some(server),
            tool: Some(format!("tool_{}", random % 97)),
            outcome: Some(outcome.into()),
            code: fails.then(|| "upstream_failed".into()),
            duration_us: Some(random % 90_000),
            body: self.body(random, fails, is_rare),
        }
    }

    /// As the log has them: what is the same for all, what is the tool's, and what is the call's alone.
    fn body(&mut self, random: u64, fails: bool, is_rare: bool) -> String {
        let mut body = String::with_capacity(512);
        let hash: Vec<u64> = (0..4).map(|_| self.random()).collect();
        let tool = random % 97;
        // Writing to a text cannot fail.
        let _ = write!(
            body,
            r#"{{"word":"call","era":"legacy","decision":"allow","rule":"server approval = \"approve\"","policy":"5d2f0c9a11be77aa","arguments_hash":"{:016x}{:016x}{:016x}{:016x}","definition":"{tool:064x}","bytes_in":{},"bytes_out":{},"steps_us":{{"resolve":{},"decide":{},"call":{},"screen":{}}}"#,
            hash[0],
            hash[1],
            hash[2],
            hash[3],
            random % 800,
            hash[0] % 9_000,
            hash[1] % 30,
            hash[2] % 20,
            random % 90_000,
            hash[3] % 40,
        );
        if fails || is_rare {
            let what = if is_rare { RARE_TEXT } else { "main" };
            let _ = write!(body, r#","error":"{COMMON_TEXT}: {what} (attempt {})""#, random % 9);
        }
        body.push('}');
        body
    }

    /// The same ones in every run.
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
