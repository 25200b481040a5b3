//! How the program is linked where it is built to be small: functions that came out alike are kept once, those that
//! a call and a start pass through lie beside each other, and no names are left in it.
//!
//! Generic code is written out for each type, and much of it is the same to the last byte. What is left of it is
//! scattered by crate and module: a call passes through two thousand functions on nearly as many pages, and spends a
//! good part of its time on waiting for them. `function_order.txt` has their names, written by
//! `scripts/function-order.sh`; a name that is not there any more does no harm.
//!
//! Not every linker can do this (rustc's own for Linux can), so it is tried first; a program that is not linked so is
//! a little larger and slower, and the same otherwise. No code here goes by the address of a function.

#![allow(clippy::print_stdout, reason = "cargo is told things so")]

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

const ORDER: &str = "function_order.txt";

const FOLD_FUNCTIONS: &str = "-Wl,--icf=all";

/// Not by the profile: the names go by that, and could not be read from a program that is stripped.
const STRIP: &str = "-Wl,--strip-all";

/// Set by whoever wants to see names in the program.
const KEEP_NAMES: &str = "TOOLGATE_KEEP_NAMES";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={ORDER}");
    println!("cargo::rerun-if-env-changed={KEEP_NAMES}");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_to_be_small = is("OPT_LEVEL", "s") || is("OPT_LEVEL", "z");
    if !is_to_be_small || !is("CARGO_CFG_TARGET_OS", "linux") {
        return Ok(());
    }
    if env::var_os(KEEP_NAMES).is_none() {
        println!("cargo::rustc-link-arg-bins={STRIP}");
    }
    let order = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join(ORDER);
    let order = format!("-Wl,--symbol-ordering-file={}", order.display());
    for wish in [&[FOLD_FUNCTIONS][..], &[&order, "-Wl,--no-warn-symbol-ordering"]] {
        if can_be_linked(wish).unwrap_or(false) {
            wish.iter().for_each(|argument| println!("cargo::rustc-link-arg-bins={argument}"));
        }
    }
    Ok(())
}

/// Whether a program that does nothing can be linked so.
fn can_be_linked(arguments: &[&str]) -> Result<bool, Box<dyn Error>> {
    let folder = env::var("OUT_DIR")?;
    let source = Path::new(&folder).join("nothing.rs");
    fs::write(&source, "fn main() {}\n")?;
    let mut rustc = Command::new(env::var("RUSTC")?);
    rustc.arg(&source).arg("--out-dir").arg(&folder).args(["--target", &env::var("TARGET")?]);
    for argument in arguments {
        rustc.args(["-C", &format!("link-arg={argument}")]);
    }
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.args(["-C", &format!("linker={linker}")]);
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    let status = rustc.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(status.success())
}
