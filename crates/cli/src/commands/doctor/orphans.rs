//! Whether processes of ours outlived whoever started them.

use toolgate_daemon::orphaned_reapers;

use super::DoctorFinding;

const ABOUT: &str = "processes";

pub(super) fn look() -> Vec<DoctorFinding> {
    let orphans = orphaned_reapers();
    if orphans.is_empty() {
        return vec![DoctorFinding::fine(ABOUT, "none was left behind")];
    }
    let wrong = |pid: u32| {
        let message = format!("{pid} keeps servers whose owner is gone");
        DoctorFinding::wrong(ABOUT, message, format!("end it: kill -CONT {pid}; kill {pid}"))
    };
    orphans.into_iter().map(wrong).collect()
}
