//! Marks of notices.

use crate::{
    tui::parts::notice::NoticeKind,
    ui::{canvas::Canvas, theme::Role},
};

/// Returns the mark and the role of a notice. The mark makes the kind visible without color.
pub fn notice_mark(tone: NoticeKind, canvas: &Canvas<'_>) -> (&'static str, Role) {
    match tone {
        NoticeKind::Done => (canvas.unicode_or_ascii("✓ ", "ok: "), Role::Toast),
        NoticeKind::Refused => ("! ", Role::ToastFailed),
        NoticeKind::Warned => ("! ", Role::Warning),
        NoticeKind::Failed => (canvas.unicode_or_ascii("✗ ", "error: "), Role::Error),
    }
}
