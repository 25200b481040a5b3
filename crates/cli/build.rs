//! Has the linker keep functions that came out alike only once, where the program is built to be small.
//!
//! Generic code is written out for each type, and much of it is the same to the last byte. Not every linker can
//! do this (rustc's own for Linux can), so it is tried first; a program that is not linked so is a little larger
//! and the same otherwise. No code here goes by the address of a function.

#![allow(clippy::print_stdout, reason = "cargo is told things so")]

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

const FOLD_FUNCTIONS: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_to_be_small = is("OPT_LEVEL", "s") || is("OPT_LEVEL", "z");
    if is_to_be_small && is("CARGO_CFG_TARGET_OS", "linux") && can_be_linked().unwrap_or(false) {
        println!("cargo::rustc-link-arg-bins={FOLD_FUNCTIONS}");
    }
}

/// Whether a program that does nothing can be linked so.
fn can_be_linked() -> Result<bool, Box<dyn Error>> {
    let folder = env::var("OUT_DIR")?;
    let source = Path::new(&folder).join("nothing.rs");
    fs::write(&source, "fn main() {}\n")?;
    let mut rustc = Command::new(env::var("RUSTC")?);
    rustc.arg(&source).arg("--out-dir").arg(&folder).args(["--target", &env::var("TARGET")?]);
    rustc.args(["-C", &format!("link-arg={FOLD_FUNCTIONS}")]);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.args(["-C", &format!("linker={linker}")]);
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    let status = rustc.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(status.success())
}
