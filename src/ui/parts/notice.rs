//! How a message is drawn.

use crate::{
    app::parts::notice::Tone,
    ui::{canvas::Canvas, theme::Role},
};

/// How a message is marked: by a sign and not by its colour alone.
pub fn mark(tone: Tone, canvas: &Canvas<'_>) -> (&'static str, Role) {
    match tone {
        Tone::Done => (canvas.either("✓ ", "ok: "), Role::Toast),
        Tone::Refused => ("! ", Role::ToastFailed),
        Tone::Warned => ("! ", Role::Warning),
        Tone::Failed => (canvas.either("✗ ", "error: "), Role::Error),
    }
}
