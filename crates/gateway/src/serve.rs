//! Requests carried out, the same way for both eras.

mod carry;
mod complete;
mod lists;
mod page;
mod printed_messages;
mod server_info;
mod tasks;
mod tool_items;
mod written_lists;

pub(crate) use carry::RequestContext;
pub(crate) use page::ListPageAnswer;
pub(crate) use server_info::{CAPABILITIES, MODERN_CAPABILITIES, instructions};
pub(crate) use written_lists::WrittenLists;
