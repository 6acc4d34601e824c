//! State of the explorer and its pure `update` function.
//!
//! Follows the Elm Architecture: a [`Model`], messages ([`Msg`]), a pure [`update()`] that returns
//! [`Effect`]s as data, and a pure [`view()`]. The table of [`shell::action_table`] lists every action
//! that a key can trigger.

pub mod actions;
pub mod dialogs;
pub mod keys;
pub mod parts;
pub mod screens;
pub mod session;
pub mod shell;
pub mod widgets;
pub mod work;

pub use keys::{Keymap, Screen};

pub use parts::theme_settings::{ThemeName, ThemeSettings};

pub use session::{
    context::{Configuration, Settings},
    wait_state::Stage,
};

pub use shell::{
    action_table::{action_table, default_keymap},
    describe,
    model::Model,
    update::update,
    view::{MIN_SIZE, view},
};

pub use widgets::{
    capture,
    theme::{Ink, Theme},
};

pub use work::{
    Effect, Msg, Source, UserError,
    effect::SaveRequest,
    outcome::{Exported, LoadOutcome, LoadProgress, SaveDestination, SaveFailure},
};
