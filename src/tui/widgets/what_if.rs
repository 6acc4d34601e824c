//! Marks and counts of a what-if or a comparison.

use crate::tui::{
    session::context::ViewContext,
    widgets::{
        canvas::{Line, Piece, piece},
        lists::bundle_short_name,
        text::format_count,
        theme::Ink,
    },
    work::{Base, comparison::RemovedEntry},
};
use olm_catalog::BundleName;
use olm_check::review::diff::ChangeKind;
use olm_upgrade::table::NextUpgrade;

/// Describes how the upgrade of an installed bundle differs from that without the what-if, or in
/// the base.
pub fn previous_upgrade(view_cx: &ViewContext<'_>, bundle: &BundleName, ascii: bool) -> Option<Piece> {
    let was = view_cx.session.derived.previous_upgrade(bundle)?;
    let package = view_cx.session.selected_package()?.package();
    let words = |next: &NextUpgrade| match next {
        NextUpgrade::Stays => "stayed".to_owned(),
        NextUpgrade::To(name) => format!("was {}", bundle_short_name(package, name)),
        NextUpgrade::Error(_) => "was an error".to_owned(),
    };
    let ended = |end: &BundleName| format!("ended at {}", bundle_short_name(package, end));
    let classic = match (&was.classic, was.dead_end, &was.classic_end) {
        (Some(next), ..) => Some(words(next)),
        (None, Some(true), _) => Some("never upgraded it".to_owned()),
        (None, Some(false), _) => Some("had no higher version".to_owned()),
        (None, None, end) => end.as_ref().map(ended),
    };
    let v1 = match (&was.v1, was.escapes, &was.v1_end) {
        (Some(next), ..) => Some(words(next)),
        (None, Some(true), _) => Some("left the channel".to_owned()),
        (None, Some(false), _) => Some("stayed in the channel".to_owned()),
        (None, None, end) => end.as_ref().map(ended),
    };
    let words = match (classic, v1) {
        (Some(classic), Some(v1)) if classic == v1 => classic,
        (Some(classic), Some(v1)) => format!("Classic {classic}, v1 {v1}"),
        (Some(classic), None) => format!("Classic {classic}"),
        (None, Some(v1)) => format!("v1 {v1}"),
        (None, None) => return None,
    };
    let mark = if ascii { "#" } else { "≠" };
    Some(piece(format!("{mark} {words}"), Ink::Active))
}

/// Returns the number of changes for the heading of a list.
pub fn change_counts(view_cx: &ViewContext<'_>) -> Line {
    let Some(what_if) = view_cx.session.catalogs.what_if() else { return difference_counts(view_cx) };
    let mut words =
        format!("{} changed", format_count(view_cx.session.derived.changed_upgrade_count(), "row"));
    let gone = what_if.removed_bundles;
    if gone > 0 {
        words += &format!(", {} removed", format_count(gone, "bundle"));
    }
    vec![piece(format!("{words}  "), Ink::Active)]
}

/// Returns the number of differences to the base of the comparison.
fn difference_counts(view_cx: &ViewContext<'_>) -> Line {
    if view_cx.session.catalogs.mark_base().is_none() {
        return Vec::new();
    }
    let base = view_cx.session.catalogs.base();
    if view_cx.session.catalogs.mark_base_package().is_none() {
        let than = match base {
            Some(base) => format!("new package, not in {}", view_cx.session.catalogs.short_base_name(base)),
            None => "unsaved edits: new package".to_owned(),
        };
        return vec![piece(format!("{than}  "), Ink::Active)];
    }
    let rows = view_cx.session.derived.changed_upgrade_count();
    let verb = if rows == 1 { "differs" } else { "differ" };
    let gone = match view_cx.session.catalogs.removed_bundle_count() {
        0 => String::new(),
        gone => format!(", {gone} gone"),
    };
    let words = match base {
        Some(base) if gone.is_empty() => {
            format!(
                "{} {verb} from {}  ",
                format_count(rows, "upgrade"),
                view_cx.session.catalogs.short_base_name(base)
            )
        }
        Some(base) => {
            format!("{rows} {verb} from {}{gone}  ", view_cx.session.catalogs.short_base_name(base))
        }
        None => format!("unsaved edits: {} {verb}{gone}  ", format_count(rows, "upgrade")),
    };
    vec![piece(words, Ink::Active)]
}

/// Returns the mark of a change, in its own column; `None` if nothing is compared.
pub fn change_mark(view_cx: &ViewContext<'_>, fate: Option<ChangeKind>) -> Option<Piece> {
    view_cx.session.mark_comparison()?;
    Some(match fate {
        Some(fate) => piece(format!("{} ", fate.diff_mark()), change_ink(fate)),
        None => piece("  ", Ink::Text),
    })
}

/// Returns the ink of a change.
pub fn change_ink(fate: ChangeKind) -> Ink {
    match fate {
        ChangeKind::Added => Ink::Good,
        ChangeKind::Removed => Ink::Removed,
        ChangeKind::Changed => Ink::Warning,
    }
}

/// Describes a removed entry or bundle, for a row that already has its name.
pub fn removed_pieces(view_cx: &ViewContext<'_>, gone: &RemovedEntry) -> Line {
    let mut pieces = vec![piece(removed_label(view_cx), Ink::Removed)];
    if !gone.previous.is_empty() {
        pieces.push(piece(format!("  {}", gone.previous), Ink::Dim));
    }
    pieces
}

/// Returns a label for a removed item, with the base that still has it.
pub fn removed_label(view_cx: &ViewContext<'_>) -> String {
    match view_cx.session.catalogs.base() {
        Some(Base::Revision(revision)) => format!("gone since {}", revision.revision),
        Some(Base::Loaded) | None => "gone: unsaved edit".to_owned(),
        Some(base) => format!("gone: only in {}", view_cx.session.catalogs.short_base_name(base)),
    }
}

/// Returns a label of the base that the marks refer to.
pub fn base_label(view_cx: &ViewContext<'_>) -> String {
    view_cx.session.catalogs.base().map_or_else(|| "what was loaded (unsaved edits)".to_owned(), Base::label)
}
