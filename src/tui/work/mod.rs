//! Requests to the runtime and their results, as data.

pub mod change_marks;
pub mod cluster;
pub mod command;
pub mod comparison;
pub mod difference_rows;
pub mod effect;
pub mod job;
pub mod msg;
pub mod outcome;
pub mod preview;
pub mod remedy;
pub mod source;
pub mod user_error;

pub use command::{Command, DialogReply, EditPurpose, Jump, NewDialog, ScreenEvent};
pub use effect::Effect;
pub use job::{Job, JobEnvironment, JobRequest, JobResult, JobSlot, Question, Services};
pub use msg::Msg;
pub use preview::PreviewState;
pub use source::{Base, Source};
pub use user_error::UserError;
