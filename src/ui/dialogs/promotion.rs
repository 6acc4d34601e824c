//! Promotion of a bundle into channels: the edges in each channel and a preview of the edit.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::promotion::{PromoteTarget, Promotion},
    keys::{ActionId, Dialog},
    parts::list::ListId,
    work::PreviewState,
};
use crate::ui::{
    canvas::{Canvas, Pieces, display_width, pad, piece, text_piece},
    parts::{
        boxes::{centered, draw_key_hints, draw_preview_body},
        lists::list_view,
        preview::preview_state_lines,
    },
    theme::Role,
};
use olm_catalog::{blob::EntrySpec, package::Package};

/// Draws the question.
pub(in crate::ui) fn draw_promotion(model: &Model, promote: &Promotion, canvas: &mut Canvas<'_>, area: Rect) {
    let title = format!("Promote {}", promote.bundle);
    let inner = canvas.draw_box(
        centered(area, (area.width * 9 / 10).min(110), area.height.saturating_sub(2).min(30)),
        &title,
    );
    if inner.is_empty() {
        return;
    }
    let most = (inner.height / 2).max(1);
    let high = u16::try_from(promote.targets.len() + 1).unwrap_or(u16::MAX).min(most);
    let list = Rect { height: high, ..inner };
    let ascii = canvas.ascii;
    let column = promote.targets.iter().map(|t| display_width(t.channel.as_str())).max().unwrap_or(8).min(30);
    let package = model.session.selected_package().map(|package_state| package_state.package());
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |row| {
        let Some(target) = promote.targets.get(row) else {
            return vec![piece("[ ] new channel ...", Role::Text)];
        };
        let (mark, role) = match (&target.offer, target.chosen) {
            (Err(_), _) => (" -  ", Role::Dim),
            (Ok(_), true) => ("[x] ", Role::Text),
            (Ok(_), false) => ("[ ] ", Role::Text),
        };
        let mut pieces =
            vec![text_piece(mark), piece(format!("{}  ", pad(target.channel.as_str(), column, ascii)), role)];
        pieces.extend(promotion_edges(target, package.map(AsRef::as_ref)));
        pieces
    });
    canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
    let lower =
        Rect { y: list.bottom() + 1, height: inner.bottom().saturating_sub(list.bottom() + 2), ..inner };
    let lines = match &promote.preview {
        PreviewState::NoEdit => vec![vec![piece("Select target channels.", Role::Dim)]],
        some => preview_state_lines(model, some, usize::from(lower.width).saturating_sub(1)),
    };
    draw_preview_body(model, Dialog::Promotion, canvas, lower, &lines);
    let target = promote.targets.get(promote.cursor);
    let mut keys = vec![(ActionId::Choose, if target.is_some() { "chooses" } else { "asks for its name" })];
    if target.is_some_and(PromoteTarget::can_replace_head) {
        keys.push((ActionId::PromoteSkips, "skips the head"));
    }
    if target.is_some_and(PromoteTarget::can_copy_range) {
        keys.push((ActionId::PromoteRange, "range"));
    }
    if target.is_some() || !promote.preview.has_no_edit() {
        keys.push((ActionId::Accept, "apply"));
    }
    keys.push((ActionId::Cancel, "cancel"));
    draw_key_hints(model, Dialog::Promotion, canvas, inner, &keys);
}

/// Returns the edges that the bundle would get in a channel.
fn promotion_edges(target: &PromoteTarget, package: Option<&Package>) -> Pieces {
    let spec = match (&target.offer, target.entry_spec()) {
        (Err(refusal), _) => return vec![piece(refusal.to_string(), Role::Dim)],
        (Ok(_), spec) => spec.unwrap_or_default(),
    };
    let short = |name| package.map_or_else(|| format!("{name}"), |package| package.short_name(name));
    let EntrySpec { replaces, skips, skip_range } = &spec;
    let mut words = Vec::new();
    words.extend(replaces.as_ref().map(|name| format!("replaces {}", short(name))));
    match skips.as_slice() {
        [] => {}
        [first] => words.push(format!("skips {}", short(first))),
        [first, more @ ..] => words.push(format!("skips {} and {} more", short(first), more.len())),
    }
    words.extend(skip_range.as_ref().map(|range| format!("range {range}")));
    if words.is_empty() {
        let new = if target.is_new { "new channel: " } else { "" };
        words.push(format!("{new}becomes the first entry"));
    }
    vec![piece(words.join(", "), Role::Dim)]
}
