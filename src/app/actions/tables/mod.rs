//! Tables of the actions that several screens share, by topic.

mod assuming;
mod away;
mod comparing;
mod editing;
mod looking;
mod what_if;

pub(in crate::app) use assuming::ASSUMING;
pub(in crate::app) use away::AWAY;
pub(in crate::app) use comparing::COMPARING;
pub(in crate::app) use editing::EDITING;
pub(in crate::app) use looking::LOOKING;
pub(in crate::app) use what_if::WHAT_IF;
