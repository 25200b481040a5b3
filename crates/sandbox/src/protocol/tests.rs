//! What one side writes, the other reads.

use std::ffi::CString;

use toolgate_types::config::{NamedHost, NetworkAccess, ResourceLimits};

use super::*;
use crate::walls::{CreationRules, OuterStage, RootStep};

#[test]
fn every_report_comes_back() {
    let exits = [
        ProgramExit::Code(0),
        ProgramExit::Code(255),
        ProgramExit::Signal(9),
        ProgramExit::Signal(64),
        ProgramExit::Lost,
    ];
    use SeenRefusal::{NetworkOff, Protected, WriteHidden, WriteOutside};
    let refusals = [Protected(255), WriteOutside, NetworkOff, WriteHidden];
    let stages = [StartStage::Prepare, StartStage::Folder, StartStage::Execute, StartStage::Walls];
    let reports = [ReaperReport::Hello, ReaperReport::First(7), ReaperReport::Started(4_194_303)]
        .into_iter()
        .chain([PassedLimit::Processes, PassedLimit::Memory].map(ReaperReport::Passed))
        .chain(refusals.map(ReaperReport::Refused))
        .chain(exits.map(ReaperReport::Ended))
        .chain(stages.map(|stage| ReaperReport::Failed(stage, 2)));
    for report in reports {
        assert_eq!(ReaperReport::from_bytes(report.to_bytes()), Some(report));
    }
    assert_eq!(ReaperReport::from_bytes(*b"garbage!"), None);
    assert_eq!(ReaperReport::from_bytes([b'r', 4, 0, 0, 0, 0, 0, 0]), None);
    assert_eq!(ReaperReport::from_bytes([b'f', 9, 0, 0, 0, 0, 0, 0]), None);
}

#[test]
fn every_order_comes_back() {
    for order in Signal::iterator().map(ReaperOrder::Signal).chain([ReaperOrder::Kill]) {
        assert_eq!(ReaperOrder::from_byte(order.to_byte()), Some(order));
    }
    assert_eq!(ReaperOrder::from_byte(255), None);
}

fn plan(args: &[&str], env: &[&str]) -> SpawnPlan {
    let text = |text: &&str| CString::new(*text).unwrap();
    SpawnPlan {
        program: text(&"/bin/tool"),
        folder: text(&"/tmp/a b"),
        args: args.iter().map(text).collect(),
        env: env.iter().map(text).collect(),
        learned: None,
        core_bytes: None,
        walls: None,
    }
}

#[test]
fn a_plan_comes_back_with_empty_and_odd_texts() {
    for (args, env) in [
        (&["tool", "", "ä\n", ""][..], &["A=", "B=c=d"][..]),
        (&["tool"], &[]),
        (&[""], &["ONLY=1"]),
    ] {
        let core_bytes = (!env.is_empty()).then_some(u64::MAX);
        let sent = SpawnPlan { core_bytes, ..plan(args, env) };
        let frame = encode(&sent);
        let (length, body) = frame.split_first_chunk().unwrap();
        assert_eq!(u32::from_le_bytes(*length) as usize, body.len());
        let SpawnPlan { program, folder, args, env, walls, core_bytes, .. } = decode(body).unwrap();
        assert_eq!((program, folder), (sent.program, sent.folder));
        assert_eq!((args, env, walls), (sent.args, sent.env, None));
        assert_eq!(core_bytes, sent.core_bytes);
    }
}

#[test]
fn a_broken_plan_is_none() {
    let frame = encode(&plan(&["tool", "x"], &[]));
    for end in 4..frame.len() {
        assert!(decode(&frame[4..end]).is_none(), "{end}");
    }
}

#[test]
fn walls_come_back() {
    let at = c"/room".to_owned();
    let walls = Walls {
        bubblewrap: Some(c"/usr/bin/bwrap".to_owned()),
        outer: OuterStage::Container,
        user: 1000,
        group: 100,
        steps: vec![
            RootStep::Show {
                source: c"/real".to_owned(),
                at: at.clone(),
                is_writable: true,
                is_folder: false,
            },
            RootStep::Scratch { at: at.clone(), bytes: 7 },
            RootStep::Empty { at: at.clone() },
            RootStep::Blank { at: at.clone() },
            RootStep::Text { at: at.clone(), text: c"words\n".to_owned() },
            RootStep::Link { at: at.clone(), to: c"there".to_owned() },
        ],
        creations: Some(CreationRules {
            root: at.clone(),
            around: vec![c"/".to_owned()],
            free: vec![c"/room/src".to_owned()],
            protected: vec![(at.clone(), c".git".to_owned())],
            only_made: vec![(at.clone(), c".cargo".to_owned())],
        }),
        writable: vec![at],
        network: NetworkAccess::Named(
            ["*.example.com:8443", "10.0.0.5:5432", "[fd00::1]:443"]
                .map(|host| NamedHost::parse(host).unwrap())
                .to_vec(),
        ),
        learns: true,
        limits: ResourceLimits { processes: 9, ..ResourceLimits::default() },
    };
    let sent = SpawnPlan { walls: Some(walls), ..plan(&["tool"], &["A=1"]) };
    let frame = encode(&sent);
    assert_eq!(decode(&frame[4..]).unwrap().walls, sent.walls);
}

#[test]
fn only_exactly_our_arguments_make_a_reaper() {
    let is = |args: &[&str]| is_reaper(args.iter().map(OsString::from));
    assert!(is(&["toolgate", ARGS[0], ARGS[1]]));
    assert!(!is(&["toolgate"]));
    assert!(!is(&["toolgate", "__reap"]));
    assert!(!is(&["toolgate", "__reap", "toolgate-reap/1"]));
    assert!(!is(&["toolgate", ARGS[0], ARGS[1], "more"]));
}
