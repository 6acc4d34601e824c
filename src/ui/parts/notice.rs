//! Marks of notices.

use crate::{
    app::parts::notice::Tone,
    ui::{canvas::Canvas, theme::Role},
};

/// Returns the mark and the role of a notice. The mark makes the kind visible without color.
pub fn mark(tone: Tone, canvas: &Canvas<'_>) -> (&'static str, Role) {
    match tone {
        Tone::Done => (canvas.either("✓ ", "ok: "), Role::Toast),
        Tone::Refused => ("! ", Role::ToastFailed),
        Tone::Warned => ("! ", Role::Warning),
        Tone::Failed => (canvas.either("✗ ", "error: "), Role::Error),
    }
}
