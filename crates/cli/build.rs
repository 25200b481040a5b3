//! How the program is linked where it is built to be small: functions that came out alike are kept once, and no names
//! are left in it.
//!
//! Generic code is written out for each type, and much of it is the same to the last byte. Not every linker can fold
//! that (rustc's own for Linux can), so it is tried first; a program that is not linked so is a little larger, and the
//! same otherwise. No code here goes by the address of a function. Where functions lie is `cargo xtask dist`'s matter:
//! the linker puts those together that call each other often, where the compiler was told.

#![allow(clippy::print_stdout, reason = "cargo is told things so")]

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

const FOLD_FUNCTIONS: &str = "-Wl,--icf=all";

/// Not by the profile, so that a build with names differs in nothing else.
const STRIP: &str = "-Wl,--strip-all";

/// Set by whoever wants to see names in the program.
const KEEP_NAMES: &str = "TOOLGATE_KEEP_NAMES";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={KEEP_NAMES}");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_to_be_small = is("OPT_LEVEL", "s") || is("OPT_LEVEL", "z");
    if !is_to_be_small || !is("CARGO_CFG_TARGET_OS", "linux") {
        return Ok(());
    }
    if env::var_os(KEEP_NAMES).is_none() {
        println!("cargo::rustc-link-arg-bins={STRIP}");
    }
    if can_be_linked(FOLD_FUNCTIONS).unwrap_or(false) {
        println!("cargo::rustc-link-arg-bins={FOLD_FUNCTIONS}");
    }
    Ok(())
}

/// Whether a program that does nothing can be linked so.
fn can_be_linked(argument: &str) -> Result<bool, Box<dyn Error>> {
    let folder = env::var("OUT_DIR")?;
    let source = Path::new(&folder).join("nothing.rs");
    fs::write(&source, "fn main() {}\n")?;
    let mut rustc = Command::new(env::var("RUSTC")?);
    rustc.arg(&source).arg("--out-dir").arg(&folder).args(["--target", &env::var("TARGET")?]);
    rustc.args(["-C", &format!("link-arg={argument}")]);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.args(["-C", &format!("linker={linker}")]);
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    let status = rustc.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(status.success())
}
