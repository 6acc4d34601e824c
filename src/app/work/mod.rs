//! Requests to the runtime and their results, as data.

pub mod cluster;
pub mod comparison;
pub mod difference;
pub mod effect;
pub mod flow;
pub mod marks;
pub mod msg;
pub mod opening;
pub mod outcome;
pub mod overview;
pub mod planning;
pub mod preview;
pub mod prospect;
pub mod refusal;
pub mod remedy;
pub mod source;

pub use effect::Effect;
pub use flow::{Answer, Flow, Jump, Reply};
pub use msg::Msg;
pub use opening::Opening;
pub use prospect::Prospect;
pub use refusal::Refusal;
pub use source::{Base, Source};
