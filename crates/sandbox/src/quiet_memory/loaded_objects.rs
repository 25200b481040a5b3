//! The pages of the program and of each library that nothing ever wrote to.
//!
//! Only what the loader mapped and keeps for as long as the process lives is looked at, under the loader's own
//! lock: what a list of all mappings tells may be another's memory by the time it is acted upon.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr::null_mut;
use std::slice;

use nix::libc::{
    _SC_PAGESIZE, Elf64_Addr, Elf64_Phdr, MADV_DONTNEED, PF_W, PT_DYNAMIC, PT_LOAD,
    dl_iterate_phdr, dl_phdr_info, madvise, size_t, sysconf,
};

const DT_NULL: u64 = 0;
const DT_TEXTREL: u64 = 22;
const DT_FLAGS: u64 = 30;
const DF_TEXTREL: u64 = 4;

/// One word that an object has for the loader: which, and its value.
type DynamicEntry = [u64; 2];

#[allow(unsafe_code, reason = "nobody else tells what the loader mapped")]
pub(super) fn give_back_clean_pages() {
    // SAFETY: the callback gets a description that is valid while it runs, keeps nothing of it and cannot
    // panic.
    unsafe { dl_iterate_phdr(Some(give_back_object), null_mut()) };
}

#[allow(unsafe_code, reason = "called by the loader, with pointers into what it mapped")]
unsafe extern "C" fn give_back_object(
    object: *mut dl_phdr_info,
    _: size_t,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the loader passes a valid description, whose headers are as many as it says.
    let (base, headers) = unsafe {
        let object = &*object;
        (object.dlpi_addr, slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)))
    };
    // SAFETY: these headers are those of the object that is mapped there.
    if unsafe { writes_into_text(base, headers) } {
        return 0;
    }
    for pages in headers.iter().filter_map(|header| clean_pages(base, header)) {
        // SAFETY: these are pages of a private mapping of a file that nobody may write to, and to which the
        // loader wrote nothing, so what comes back in their place is the same. The loader's lock, which is
        // held here, keeps the object where it is. Where it is no such mapping (the kernel's own object), the
        // call fails and nothing is lost.
        unsafe { madvise(pages.start as *mut c_void, pages.len(), MADV_DONTNEED) };
    }
    0
}

/// The whole pages of a segment that is mapped without the right to write.
fn clean_pages(base: Elf64_Addr, header: &Elf64_Phdr) -> Option<Range<usize>> {
    if header.p_type != PT_LOAD || header.p_flags & PF_W != 0 {
        return None;
    }
    let page = page_size()?;
    let start = usize::try_from(base.wrapping_add(header.p_vaddr)).ok()?;
    let end = start.checked_add(usize::try_from(header.p_filesz).ok()?)?;
    // What stands at both ends may share its page with a neighbour.
    let pages = start.checked_next_multiple_of(page)?..end / page * page;
    (!pages.is_empty()).then_some(pages)
}

#[allow(unsafe_code, reason = "nothing safe tells the size of a page")]
fn page_size() -> Option<usize> {
    // SAFETY: it only answers.
    usize::try_from(unsafe { sysconf(_SC_PAGESIZE) }).ok().filter(|size| *size > 0)
}

/// Whether the loader wrote addresses into what is mapped without the right to write.
///
/// # Safety
///
/// `headers` are those of an object that is mapped at `base`.
#[allow(unsafe_code, reason = "what an object says to the loader is a list without a length")]
unsafe fn writes_into_text(base: Elf64_Addr, headers: &[Elf64_Phdr]) -> bool {
    let Some(dynamic) = headers.iter().find(|header| header.p_type == PT_DYNAMIC) else {
        return false;
    };
    let first = base.wrapping_add(dynamic.p_vaddr) as *const DynamicEntry;
    let count = usize::try_from(dynamic.p_memsz).unwrap_or(0) / size_of::<DynamicEntry>();
    // SAFETY: the loader reads its words from there as well, and they are as many at most.
    let entries = unsafe { slice::from_raw_parts(first, count) };
    let mut said = entries.iter().take_while(|[tag, _]| *tag != DT_NULL);
    said.any(|[tag, value]| *tag == DT_TEXTREL || *tag == DT_FLAGS && value & DF_TEXTREL != 0)
}
