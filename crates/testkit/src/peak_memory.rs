//! How much memory a process had at most.

/// The most that a process ever had at once, in KiB. The kernel counts in bundles for each thread, so it may be
/// told as a little less than before.
pub fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
