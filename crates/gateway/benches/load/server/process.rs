//! The server as a process: a message a line, until its input ends.
//!
//! What came together is answered in the opposite order, so that whoever goes by the order of
//! answers is found out.

use std::io::{BufRead as _, BufReader, Write as _};

use super::Server;
use crate::Failure;

pub(crate) fn run(server: &Server) -> Result<(), Failure> {
    let mut input = BufReader::with_capacity(64 * 1024, std::io::stdin());
    let mut out = std::io::stdout();
    loop {
        let mut said = Vec::new();
        loop {
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            said.extend(server.answer(&line));
            if !input.buffer().contains(&b'\n') {
                break;
            }
        }
        let mut text = String::new();
        for one in said.into_iter().rev() {
            for line in one.report.iter().chain([&one.answer]) {
                text.push_str(line);
                text.push('\n');
            }
        }
        out.write_all(text.as_bytes())?;
        out.flush()?;
    }
}
