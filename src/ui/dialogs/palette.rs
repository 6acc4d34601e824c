//! Palette of all actions, or of the keys of a screen or dialog.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::palette::CommandPalette,
    keys::{Dialog, Scope},
    parts::list::ListId,
    shell::{action_table as action, action_table::check_permitted},
};
use crate::ui::{
    canvas::{Canvas, highlight_matches, pad, piece, text_piece, wrap_text},
    parts::{
        boxes::{centered, draw_search_field},
        lists::list_view,
    },
    theme::Role,
};

/// Draws the actions.
pub(in crate::ui) fn draw_palette(
    model: &Model,
    commands: &CommandPalette,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let title = match commands.scope {
        Some(Scope::Screen(screen)) => format!("Keys on {}", screen.title()),
        Some(Scope::Dialog(dialog)) => format!("Keys in {}", dialog.title()),
        None => "Actions".to_owned(),
    };
    // The height does not depend on the filter, so the box does not jump.
    let high = u16::try_from(commands.total).unwrap_or(u16::MAX).saturating_add(6).min(area.height * 9 / 10);
    let inner = canvas.draw_box(centered(area, 96, high.max(8)), &title);
    if inner.is_empty() {
        return;
    }
    let list = draw_search_field(model, Dialog::Commands, &commands.input, "runs", "", canvas, inner);
    // The full text of the selected row is shown below the list.
    let below = if list.height >= 4 { 2 } else { 0 };
    let full = Rect { y: list.bottom().saturating_sub(below), height: below, ..list };
    let list = Rect { height: list.height - below, ..list };
    if let Some(spec) =
        commands.results.get(commands.cursor).and_then(|found| action::action_table().find_action(found.id))
    {
        let (words, role) = match check_permitted(model, spec) {
            Ok(()) => (spec.doc.to_owned(), Role::Dim),
            Err(reason) => (format!("not now: {reason}"), Role::Warning),
        };
        for (y, line) in (full.top()..full.bottom()).zip(wrap_text(&words, usize::from(full.width))) {
            canvas.draw_text(full.x, y, full.width, &line, role);
        }
    }
    let ascii = canvas.ascii;
    if commands.results.is_empty() {
        canvas.draw_text(list.x, list.y, list.width, "no action matches", Role::Dim);
    }
    let (keys_room, title_room) = if list.width < 60 { (10, 14) } else { (18, 18) };
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |row| {
        let Some((found, spec)) =
            commands.results.get(row).and_then(|f| Some((f, action::action_table().find_action(f.id)?)))
        else {
            return Vec::new();
        };
        let keys = match commands.scope.filter(|scope| spec.applies_to(*scope)) {
            Some(scope) => model.keys.map.display_keys(scope, spec.id).map(str::to_owned).collect(),
            None => model.keys.map.action_keys(spec.id),
        };
        let refusal = check_permitted(model, spec).err();
        let role = if refusal.is_some() { Role::Dim } else { Role::Text };
        let mut pieces = vec![piece(format!("{} ", pad(&keys.join(", "), keys_room, ascii)), Role::Key)];
        pieces.extend(highlight_matches(
            &pad(spec.title, title_room, ascii),
            &found.matched_chars,
            title_room,
            role,
            ascii,
        ));
        pieces.push(text_piece(" "));
        if let Some(word) = found.search_term {
            pieces.push(piece(format!("{word}: "), Role::Match));
        }
        match refusal {
            Some(reason) => pieces.push(piece(format!("not now: {reason}"), Role::Warning)),
            None => pieces.push(piece(spec.doc, Role::Dim)),
        }
        pieces
    });
}
