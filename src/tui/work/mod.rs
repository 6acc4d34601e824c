//! Requests to the runtime and their results, as data.

pub mod cluster;
pub mod command;
pub mod comparison;
pub mod effect;
pub mod job;
pub mod msg;
pub mod outcome;
pub mod preview;
pub mod remedy;
pub mod source;

pub use command::{Command, EditPurpose, Jump, NewDialog, ProgramChoice, ScreenEvent};
pub use effect::Effect;
pub use job::{Job, JobEnvironment, JobRequest, JobResult, JobSlot, Question, Services};
pub use msg::Msg;
pub use outcome::UserError;
pub use preview::PreviewState;
pub use source::{Base, Source};
