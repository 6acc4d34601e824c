//! Tables of the actions that several screens share, by topic.

mod assumptions;
mod bundle_view;
mod comparison;
mod edits;
mod external_programs;
mod what_if;

pub(in crate::tui) use assumptions::ASSUMPTION_ACTIONS;
pub(in crate::tui) use bundle_view::BUNDLE_ACTIONS;
pub(in crate::tui) use comparison::COMPARISON_ACTIONS;
pub(in crate::tui) use edits::EDIT_ACTIONS;
pub(in crate::tui) use external_programs::EXTERNAL_PROGRAM_ACTIONS;
pub(in crate::tui) use what_if::WHAT_IF_ACTIONS;
