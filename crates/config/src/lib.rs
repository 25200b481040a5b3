//! Every way a Toolgate configuration can be written, found, merged, checked and edited.
//!
//! Text becomes a tree with positions, the tree becomes raw structs, raw structs become the types
//! of `toolgate-types`; layers are merged low to high and checked as a whole. It reads the files it
//! is told about and no environment of its own; it prints nothing, starts nothing, and records no
//! trust.

mod administrator;
pub mod change;
mod check;
pub mod clients;
mod credentials;
mod discover;
pub mod edit;
mod edit_scope;
mod expand;
mod failed_layer;
mod fingerprint;
mod given_step;
mod layer;
mod load;
mod lock;
mod meaning_of_keys;
mod named;
mod parse;
mod place;
mod problem;
mod raw;
mod reader;
pub mod schema;
mod shape;
pub mod shell;
pub mod show;
mod starter;
mod text;
pub mod tree;
mod unset_variables;

pub use administrator::{
    ADMINISTRATOR_FILE, AdministratorError, AdministratorFile, AllowedServer, read_administrator,
};
pub use check::BUILTIN_SERVERS;
pub use credentials::{TakenCredential, take_out_credentials};
pub use discover::{
    PROJECT_FILES, VariableNames, config_home, discover_mcp_config_path, global_path, root_of,
};
pub use edit_scope::EditScope;
pub use failed_layer::FailedLayer;
pub use fingerprint::NamedFiles;
pub use given_step::{GivenStep, GivenStepError};
pub use layer::{NOT_YET, RejectedEntry, UNREAD_SETTINGS, UnreadSetting};
pub use load::{
    LayerFile, LoadOptions, LoadedSource, McpConfigLoadResult, global_file, load, load_mcp_config,
    load_written, project_file,
};
pub use lock::write_lock;
pub use parse::{parse_mcp_config, read_text};
pub use problem::{Problem, Problems, Severity};
pub use shape::{ConfigShape, UnsayableKey};
pub use starter::{starter_text, write_starter};
pub use text::{format_of, read_document, read_file};
pub use toolgate_types::Variables;
pub use unset_variables::unset_variables;
