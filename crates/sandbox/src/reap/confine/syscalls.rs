//! System calls that nothing behind the walls has a use for, refused.
//!
//! A list of what is refused and not of what is allowed: programs of every language run here, and the
//! walls do not depend on it alone. What reaches past them is named: other processes' memory, mounts,
//! namespaces, kernel state, and the parts of the kernel where holes are found year by year.

use std::collections::BTreeMap;

use nix::errno::Errno;
use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use crate::walls::Walls;

/// Refused whatever their arguments.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_nfsservctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// Flags that make namespaces.
const NAMESPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u64;

/// The numbers of an older calling convention begin here; a filter by number would not know them.
#[cfg(target_arch = "x86_64")]
const OTHER_CONVENTION: u32 = 0x4000_0000;

/// Everything that is refused, ready to be handed to the kernel.
pub(in super::super) struct SyscallFilter {
    programs: Vec<BpfProgram>,
}

impl SyscallFilter {
    /// Made before the program's process exists: there is no time to fail there.
    pub(in super::super) fn new(walls: &Walls) -> Result<Self, Errno> {
        let refused = refused(walls).map_err(|_| Errno::EINVAL)?;
        // Its flags lie in memory where no filter sees them; without it, programs use `clone`.
        let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
        let mut programs = Vec::new();
        for (rules, errno) in [(refused, libc::EPERM), (unknown, libc::ENOSYS)] {
            programs.push(compiled(rules, errno as u32).map_err(|_| Errno::EINVAL)?);
        }
        Ok(Self { programs })
    }

    pub(super) fn apply(&self) -> Result<(), Errno> {
        let apply = |program: &BpfProgram| apply_filter(program).map_err(|_| Errno::EPERM);
        self.programs.iter().try_for_each(apply)
    }
}

/// From here on, and in whatever this thread starts: sockets of this machine alone.
pub(crate) fn refuse_network_sockets() -> Result<(), Errno> {
    let rules = network_sockets().map_err(|_| Errno::EINVAL)?;
    let program = compiled(rules, libc::EPERM as u32).map_err(|_| Errno::EINVAL)?;
    apply_filter(&program).map_err(|_| Errno::EPERM)
}

/// The calls that make them; a ring makes sockets where no filter sees it.
fn network_sockets() -> seccompiler::Result<RefusedCalls> {
    let strange = || {
        let family = SeccompCmpArgLen::Dword;
        let is_other = SeccompCondition::new(0, family, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?;
        Ok::<_, seccompiler::BackendError>(vec![SeccompRule::new(vec![is_other])?])
    };
    Ok(BTreeMap::from([
        (libc::SYS_socket, strange()?),
        (libc::SYS_socketpair, strange()?),
        (libc::SYS_io_uring_setup, Vec::new()),
    ]))
}

type RefusedCalls = BTreeMap<i64, Vec<SeccompRule>>;

fn compiled(rules: RefusedCalls, errno: u32) -> seccompiler::Result<BpfProgram> {
    let (allow, refuse) = (SeccompAction::Allow, SeccompAction::Errno(errno));
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let program: BpfProgram = SeccompFilter::new(rules, allow, refuse, arch)?.try_into()?;
    Ok(with_one_convention(program))
}

/// Before anything else: no number of the other convention.
fn with_one_convention(program: BpfProgram) -> BpfProgram {
    #[cfg(target_arch = "x86_64")]
    {
        let [load, jump, refuse] = [
            // The number is the first word that a filter sees.
            sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 },
            sock_filter { code: 0x35, jt: 0, jf: 1, k: OTHER_CONVENTION },
            sock_filter { code: 0x06, jt: 0, jf: 0, k: 0x0005_0000 | libc::ENOSYS as u32 },
        ];
        [load, jump, refuse].into_iter().chain(program).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    program
}

fn refused(walls: &Walls) -> seccompiler::Result<RefusedCalls> {
    let mut calls: RefusedCalls = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let dword = SeccompCmpArgLen::Dword;
    let condition = |argument, op, value| SeccompCondition::new(argument, dword.clone(), op, value);
    let mut namespaces = Vec::new();
    for bit in (0..32).map(|bit| 1_u64 << bit).filter(|bit| NAMESPACES & bit != 0) {
        let is_set = condition(0, SeccompCmpOp::MaskedEq(bit), bit)?;
        namespaces.push(SeccompRule::new(vec![is_set])?);
    }
    calls.insert(libc::SYS_clone, namespaces);
    // What would be typed at a terminal by whoever holds it.
    let mut typed = Vec::new();
    for request in [libc::TIOCSTI, libc::TIOCLINUX] {
        typed.push(SeccompRule::new(vec![condition(1, SeccompCmpOp::Eq, request)?])?);
    }
    calls.insert(libc::SYS_ioctl, typed);
    // 32-bit layouts of memory and the like; asking what is set is allowed.
    let asks = 0xffff_ffff;
    let odd = SeccompRule::new(vec![
        condition(0, SeccompCmpOp::Ne, 0)?,
        condition(0, SeccompCmpOp::Ne, asks)?,
    ])?;
    calls.insert(libc::SYS_personality, vec![odd]);
    let families = families(walls);
    let strange = families.iter().map(|family| condition(0, SeccompCmpOp::Ne, *family as u64));
    let strange = SeccompRule::new(strange.collect::<Result<_, _>>()?)?;
    calls.insert(libc::SYS_socket, vec![strange]);
    let strange_pair = condition(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?;
    calls.insert(libc::SYS_socketpair, vec![SeccompRule::new(vec![strange_pair])?]);
    Ok(calls)
}

/// Kinds of sockets that may be made. Behind a network of its own a process reaches itself alone.
fn families(walls: &Walls) -> Vec<libc::c_int> {
    let mut families = vec![libc::AF_UNIX];
    if walls.is_on_network() || walls.has_own_tree() {
        families.extend([libc::AF_INET, libc::AF_INET6]);
    }
    families
}
