//! The one way between a command and the person at its terminal.
//!
//! What somebody else wrote does not pass it unseen: hidden characters become visible escapes here,
//! whether the caller thought of it or not. What is asked stands beside what it is about, and what does
//! not fit on the terminal is leafed through.

mod approval;
mod command_output;
mod conversation;
mod hidden_answer;
mod list_costs;
mod log_line;
mod media_folder;
pub mod moment;
mod output_parts;
mod output_stream;
mod panic_words;
mod passed_through;
mod printable_text;
mod progress_display;
mod progress_report;
mod question;
mod remark;
mod server_form;
mod shown_diff;
mod spinner;
mod table;
mod terminal_size;
mod tool_page;

pub use approval::ask_approval;
pub use command_output::{CommandOutput, OutputChoice};
pub use conversation::{AskerTerminal, is_terminal_there, talk};
pub use hidden_answer::read_secret;
pub use list_costs::{list_costs, server_costs};
pub use log_line::log_line_text;
pub use media_folder::{MediaFolder, UnusableMedia};
pub use output_parts::{part_text, parts_of_content};
pub use output_stream::{ForClientAsync, OutputStream, OwnTerminal, ProtocolOutput};
pub use passed_through::{pass_aside, pass_on, typed};
pub use printable_text::PrintableText;
pub use progress_display::{PausedProgress, ProgressDisplay};
pub use progress_report::{ProgressReport, ServerLogLine};
pub use question::{can_ask, confirm, confirm_about};
pub use remark::{say_when_panicking, say_wrong_usage};
pub use server_form::ask_server_form;
pub use shown_diff::shown_diff;
pub use table::{byte_count, counted, one_line, table};
pub use terminal_size::TerminalSize;
pub use tool_page::ToolPage;
