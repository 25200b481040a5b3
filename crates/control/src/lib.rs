//! How a command or a shim reaches the daemon of its person: the folder where they meet, what they
//! say to each other there, and how a daemon is found, started, attached to and asked.
//!
//! Every shim carries this, so it links neither an HTTP stack nor a database. Starting a process is
//! for whoever uses it ([`DaemonStarter`]), and so is everything that a person sees.

mod approvals_protocol;
mod attach;
mod command_failure;
mod control_client;
mod endpoint_protocol;
mod errand_protocol;
pub mod hello;
mod line_reader;
mod person;
pub mod procfs;
pub mod relay;
mod run_folder;
mod self_approval_protocol;
mod server_run_protocol;
mod state_folder;
mod status_protocol;
mod switch_protocol;
mod verbatim;

pub use approvals_protocol::{
    ANSWER_APPROVAL, APPROVAL_EVENT, AnswerHeard, ApprovalAnswer, ApprovalEnd, ApprovalEvent,
    ChoiceWord, LIST_APPROVALS, PendingApproval, PendingApprovals, WATCH_APPROVALS,
};
pub use attach::{
    AttachedDaemon, DAEMON_ENDS_WITHIN, DAEMON_READY, DaemonIdentity, DaemonStarter, StartedDaemon,
    attach, start_daemon, wait_for_last_daemon,
};
pub use command_failure::{CommandEnd, CommandExit, CommandFailure, interrupted};
pub use control_client::{
    CANCEL_REQUEST, ControlClient, ControlReply, ConversationPartner, DaemonInfo, NoResult,
    QUESTION_TAKEN_BACK, reload_daemon, stop_daemon,
};
pub use endpoint_protocol::{
    ENDPOINT_OPENED, EndpointEnd, EndpointOpened, EndpointRequest, OPEN_ENDPOINT,
};
pub use errand_protocol::{
    APPROVAL_QUESTION, DOING_NOTICE, DoingNotice, ErrandAnswer, ErrandApproval,
    ErrandApprovalAnswer, ErrandEnd, ErrandQuestion, ErrandRequest, LOG_NOTICE, LogNotice,
    PRINTED_QUESTION, PrintedBytes, PrintedPiece, REMARK_NOTICE, REPORT_NOTICE, RemarkNotice,
    ReportNotice, SERVER_QUESTION, Standpoint,
};
pub use line_reader::LineReader;
pub use person::Person;
pub use run_folder::{RunFolder, current_uid};
pub use self_approval_protocol::{CHECK_LINEAGE, LineageAnswer, LineageRequest};
pub use server_run_protocol::{
    RESTART_SERVER, STOP_SERVER, ServerRun, ServerRunRequest, ServerRuns,
};
pub use state_folder::state_folder;
pub use status_protocol::{
    AttachedWindow, ServerRow, StatusReport, StatusRequest, StatusScope, SwitchedRole,
    WorkspaceStatus,
};
pub use switch_protocol::{SWITCH_WINDOWS, WindowSwitchAnswer, WindowSwitchRequest};
pub use verbatim::Verbatim;
