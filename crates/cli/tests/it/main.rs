//! The verbs as a person uses them: the real binary, real files, a real terminal where one is
//! needed. A module per verb, one binary to link.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed step is a failed test")]

mod add;
mod add_json;
mod approvals;
mod attacks;
mod audit;
mod bad_input;
mod call;
mod call_at_terminal;
mod canaries;
mod command_tools;
mod config;
mod connect;
mod credentials;
mod daemon;
mod desk;
mod doctor;
mod edit_safety;
mod explain;
mod get;
mod habits;
mod hostile;
mod import;
mod json_errors;
mod keeper;
mod lineage;
mod list;
mod log_decisions;
mod logs;
mod logs_verb;
mod own_servers;
mod pins;
mod policy;
mod project_grade;
mod prompts;
mod raw_text;
mod remove;
mod resources;
mod sandbox;
mod secret;
mod serve;
mod status;
mod stdio;
mod stop;
mod suggestions;
mod support;
mod switch;
mod switching;
mod test;
mod through_daemon;
mod token;
mod tools;
mod traces;
mod trust;
