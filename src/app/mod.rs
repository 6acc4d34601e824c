//! The explorer's state and its one pure `update`.
//!
//! The Elm Architecture: a [`Model`], messages ([`Msg`]), a pure [`update()`] that gives [`Effect`]s as data, and a
//! pure view in `ui`. Everything a key can do is in the one table of [`shell::table`].

pub mod actions;
pub mod dialogs;
pub mod keys;
pub mod parts;
pub mod screens;
pub mod session;
pub mod shell;
pub mod work;

pub use keys::{Keymap, Screen};
pub use parts::look::{Look, ThemeName};
pub use session::{
    open::Stage,
    settings::{Configuration, Settings},
};
pub use shell::{
    describe,
    model::Model,
    table::{keymap, table},
    update::update,
};
pub use work::{
    Effect, Msg, Refusal, Source,
    effect::ToSave,
    outcome::{Exported, LoadOutcome, LoadProgress, NotSaved, SavedTo},
};
