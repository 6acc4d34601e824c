//! A line of text that is asked for.

use ratatui::layout::Rect;

use crate::{
    app::{
        Model,
        dialogs::prompt::Prompt,
        keys::{ActionId, Dialog},
    },
    ui::{
        canvas::{Canvas, wrap},
        parts::boxes::{centred, field, way_out},
        text::Window,
        theme::Role,
    },
};

/// Draws the question.
pub(in crate::ui) fn draw(model: &Model, prompt: &Prompt, canvas: &mut Canvas<'_>, area: Rect) {
    // Three lines below the field: the place of a mistake, what it is, what to write instead.
    let inner = canvas.boxed(centred(area, 80, 7), prompt.title);
    if inner.is_empty() {
        return;
    }
    field(canvas, inner, &prompt.input, true);
    let keys = [(ActionId::Accept, "takes it"), (ActionId::Cancel, "leaves it")];
    if inner.height > 2 {
        way_out(model, Dialog::Prompt, canvas, inner, &keys);
    }
    let lower = Rect { y: inner.y + 1, height: inner.height.saturating_sub(2), ..inner };
    match &prompt.remark {
        Ok(words) => {
            canvas.put(lower.x, lower.y, lower.width, words, Role::Dim);
        }
        Err(wrong) => {
            if let Some(at) = wrong.column.and_then(|column| place_of(&prompt.input, column, inner.width)) {
                canvas.put(inner.x + at, lower.y, 1, "^", Role::Error);
            }
            let hint = wrong.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
            let words = format!("{}{hint}", wrong.message);
            let lines = wrap(&words, usize::from(inner.width));
            for (y, line) in (lower.y + 1..lower.bottom()).zip(lines) {
                canvas.put(lower.x, y, lower.width, &line, Role::Error);
            }
        }
    }
}

/// Where a character of what is typed stands in its field; `None` where it is scrolled out of sight.
fn place_of(input: &tui_input::Input, column: usize, room: u16) -> Option<u16> {
    let at = Window::of(input, room).column(input.value(), column.saturating_sub(1))?;
    u16::try_from(at).ok().filter(|at| *at < room)
}
