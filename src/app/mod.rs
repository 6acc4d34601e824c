//! State of the explorer and its pure `update` function.
//!
//! Follows the Elm Architecture: a [`Model`], messages ([`Msg`]), a pure [`update()`] that returns
//! [`Effect`]s as data, and a pure view in `ui`. The table of [`shell::table`] lists every action
//! that a key can trigger.

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
