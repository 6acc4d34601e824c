//! The explorer's state and its one pure `update`.
//!
//! The Elm Architecture: a [`Model`], messages ([`Msg`]), a pure [`update()`] that gives [`Effect`]s as data, and a
//! pure view in `ui`. Everything a key can do is in the one table of [`action`].

pub mod action;
mod actions;
pub mod against;
pub mod ask;
pub mod choose;
pub mod copy;
pub mod derived;
pub mod describe;
pub mod dialog;
mod edit_flow;
pub mod edits;
pub mod elsewhere;
pub mod expecting;
mod field;
pub mod find;
pub mod form;
mod growing;
pub mod hit;
pub mod keymap;
pub mod keys;
pub mod list;
pub mod look;
mod memo;
pub mod model;
mod mouse;
pub mod msg;
pub mod notice;
pub mod orders;
pub mod overlay;
mod overlays;
pub mod place;
pub mod range_tester;
pub mod recovery;
pub mod returning;
mod select;
pub mod splits;
pub mod spot;
mod templates;
#[cfg(test)]
mod tests;
pub mod tour;
mod update;
pub mod upgrades;
pub mod view;
pub mod waiting;
pub mod what_if;

pub use keymap::Keymap;
pub use look::{Look, ThemeName};
pub use model::{Configuration, Model, Settings, Source, Stage};
pub use msg::{Effect, Exported, LoadOutcome, LoadProgress, Msg, NotSaved, SavedTo, ToSave};
pub use place::Screen;
pub use update::update;
