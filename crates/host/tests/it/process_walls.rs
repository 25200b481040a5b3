//! A program that has walls of its own keeps them around what it starts.

use std::sync::{Arc, Mutex};

use toolgate_host::{Confinement, Description, EmbeddersWalls, Enclosed};
use toolgate_types::config::SandboxProfile;
use toolgate_types::{ConfigText, ServerState};

use crate::gate::{Gate, peer_path};
use crate::processes::{call, pid, worker};

type Answer = fn(&Description) -> Result<Enclosed, String>;

/// What they were asked, and what they answer.
#[derive(Debug)]
struct Walls {
    asked: Mutex<Vec<(String, SandboxProfile)>>,
    answer: Answer,
}

impl EmbeddersWalls for Walls {
    fn enclose(&self, asked: &Description, wall: &Confinement) -> Result<Enclosed, String> {
        self.asked.lock().unwrap().push((asked.program.expose().to_owned(), wall.profile));
        (self.answer)(asked)
    }
}

/// By a program that leaves a mark in the environment of what it runs.
fn by_env(asked: &Description) -> Result<Enclosed, String> {
    let mut enclosed = asked.clone();
    let mark = ConfigText::Plain("ENCLOSED=by the embedder".to_owned());
    enclosed.args = [mark, asked.program.clone()].into_iter().chain(asked.args.clone()).collect();
    enclosed.program = ConfigText::Plain("/usr/bin/env".to_owned());
    Ok(Enclosed::By(Box::new(enclosed)))
}

fn gate(answer: Answer) -> (Gate, Arc<Walls>) {
    let walls = Arc::new(Walls { asked: Mutex::default(), answer });
    let own = Arc::clone(&walls) as Arc<dyn EmbeddersWalls>;
    let gate = Gate::open().process("one", &worker());
    (gate.building(|builder| builder.process_walls(own)), walls)
}

/// The rules and the sessions of an embedding program are its guard, its principal and the sessions that its
/// calls name; these are its walls.
///
/// Shows: S1-3.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_embedding_program_keeps_the_walls_that_it_has() {
    for (answer, is_enclosed) in [(by_env as Answer, true), (|_| Ok(Enclosed::AsAsked), false)] {
        let (gate, walls) = gate(answer);
        let gate = gate.run();
        let process = pid(&gate.host, "one").await;
        let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap();
        let mark = b"ENCLOSED=by the embedder";
        let is_marked = environment.split(|byte| *byte == 0).any(|one| one == mark);
        assert_eq!(is_marked, is_enclosed);
        let program = peer_path().display().to_string();
        assert_eq!(*walls.asked.lock().unwrap(), [(program, SandboxProfile::None)]);
        gate.host.close_all().await;
        // What they enclosed ends as everything does.
        assert!(!std::path::Path::new(&format!("/proc/{process}")).exists());
    }
}

#[tokio::test]
async fn what_they_do_not_let_start_is_not_started() {
    let (gate, walls) = gate(|_| Err("not on a Sunday".to_owned()));
    let gate = gate.run();
    let error = call(&gate.host, "one", "pid").await.unwrap_err();
    assert!(!error.message.contains("Sunday"), "its reason is the person's: {error}");
    assert_eq!(gate.state("one"), ServerState::Error);
    let told = gate.status("one").last_error.unwrap();
    assert!(told.contains("not on a Sunday"), "{told}");
    assert_eq!(walls.asked.lock().unwrap().len(), 1);
}
