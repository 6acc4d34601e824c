//! Common parts of lists: headings, rows, marks, and messages for empty lists.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{
        frame::Hit,
        list::{ListId, ListOrder},
        notice::NoticeKind,
    },
    session::context::ViewContext,
    widgets::{
        canvas::{
            Canvas, Line, ListView, Piece, display_width, line_width, pad, piece, text_piece, wrap_text,
        },
        theme::Ink,
    },
};
use olm_catalog::{BundleName, package::Package};
use olm_check::Severity;

/// Text shown for a package that is not loaded yet.
pub const UNREAD: &str = "not read yet";

/// Draws the heading of a list; returns the area below it.
pub fn draw_list_heading(
    view_cx: &ViewContext<'_>,
    canvas: &mut Canvas<'_>,
    area: Rect,
    id: ListId,
    title: &str,
    right: &[Piece],
) -> Rect {
    let focused = canvas.focus.list == Some(id) && canvas.focus.dialogs == 0;
    let mut heading = vec![text_piece(" "), piece(title, if focused { Ink::Active } else { Ink::Title })];
    let filter = view_cx.session.lists.filter(id);
    if !filter.is_empty() {
        heading.push(piece(format!("  /{filter}"), Ink::Match));
    }
    canvas.draw_heading(Rect { height: 1, ..area }, &heading, right);
    if !ListOrder::for_list(id).is_empty() {
        let wide = u16::try_from(line_width(right)).unwrap_or(u16::MAX).min(area.width);
        canvas.add_hit(Rect { x: area.right() - wide, width: wide, height: 1, ..area }, Hit::Order(id));
    }
    Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
}

/// Returns the text at the right of a list heading: the title of the last column, or the order
/// chosen by the user.
pub fn order_label(view_cx: &ViewContext<'_>, id: ListId, usual: &str) -> [Piece; 1] {
    let order =
        view_cx.session.lists.order_of(id).filter(|order| ListOrder::for_list(id).first() != Some(order));
    [match order {
        Some(order) => piece(format!("{} ", order.short_description()), Ink::Active),
        None => piece(usual, Ink::Dim),
    }]
}

/// Returns the properties for drawing a list with the given number of rows.
pub fn list_view(
    view_cx: &ViewContext<'_>,
    canvas: &Canvas<'_>,
    id: ListId,
    rows: usize,
    cursor: Option<usize>,
) -> ListView {
    let first = view_cx.session.lists.first_row(id);
    ListView { id, rows, cursor, first, focused: canvas.focus.list == Some(id) }
}

/// Explains why there is no channel and how to get one.
pub fn explain_missing_channel(view_cx: &ViewContext<'_>) -> String {
    let key = |id| view_cx.key_label(id);
    match view_cx.session.selected_package().map(|package_state| package_state.package()) {
        None => {
            format!("No packages found. Press {} for details.", key(ActionId::ShowProblems))
        }
        // A channel in a broken document is not one of the package.
        Some(package) if package.channels.is_empty() && has_outside_error(view_cx) => {
            format!("No channel could be read: {} shows the errors.", key(ActionId::ShowProblems))
        }
        Some(package) if package.channels.is_empty() => {
            format!("The package has no channels: {} adds one.", key(ActionId::MoreEdits))
        }
        Some(_) => format!("No channel selected: {} selects one.", key(ActionId::ShowPackages)),
    }
}

/// Returns true if the catalog has an error that is not about a package.
fn has_outside_error(view_cx: &ViewContext<'_>) -> bool {
    let findings = view_cx.session.snapshot().into_iter().flat_map(|now| now.outside_findings());
    findings.into_iter().any(|finding| finding.severity() == Severity::Error)
}

/// Draws the message of an empty list: its usual content, or that the filter matches nothing.
pub fn draw_no_rows(view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect, id: ListId, words: &str) {
    let filter = view_cx.session.lists.filter(id);
    if filter.is_empty() {
        return draw_empty_list(canvas, area, words);
    }
    draw_empty_list(
        canvas,
        area,
        &format!("nothing matches /{filter}; {} clears it", view_cx.key_label(ActionId::Back)),
    );
}

/// Draws the message of an empty list.
pub fn draw_empty_list(canvas: &mut Canvas<'_>, area: Rect, words: &str) {
    let room = area.width.saturating_sub(2);
    for (y, line) in (area.y..area.bottom()).zip(wrap_text(words, usize::from(room))) {
        canvas.draw_text(area.x + 1, y, room, &line, Ink::Dim);
    }
}

/// Returns the mark of the worst finding.
pub fn severity_mark(worst: Option<Severity>) -> Piece {
    match worst {
        Some(Severity::Error) => piece("E", Ink::Error),
        Some(Severity::Warning) => piece("!", Ink::Warning),
        Some(Severity::Note) | None => text_piece(" "),
    }
}

/// Returns the version of a bundle if it is unambiguous, otherwise the name.
pub fn bundle_short_name(package: &Package, name: &BundleName) -> String {
    package.short_name(name)
}

/// Returns a struck-out name, padded with plain blanks.
pub fn struck_name(name: &str, columns: usize, ascii: bool) -> Line {
    let padded = pad(name, columns, ascii);
    let name = padded.trim_end();
    vec![piece(name, Ink::Gone), text_piece(" ".repeat(columns.saturating_sub(display_width(name))))]
}

/// Returns the mark and the ink of a notice. The mark makes the kind visible without color.
pub fn notice_mark(tone: NoticeKind, canvas: &Canvas<'_>) -> (&'static str, Ink) {
    match tone {
        NoticeKind::Done => (canvas.unicode_or_ascii("✓ ", "ok: "), Ink::Toast),
        NoticeKind::Refused => ("! ", Ink::ToastFailed),
        NoticeKind::Warned => ("! ", Ink::Warning),
        NoticeKind::Failed => (canvas.unicode_or_ascii("✗ ", "error: "), Ink::Error),
    }
}
