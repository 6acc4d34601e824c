//! Marks and counts of a what-if or a comparison.

use crate::ui::{
    canvas::{Piece, Pieces, piece},
    parts::lists::short,
    text::plural,
    theme::Role,
};
use crate::{
    app::{
        Model,
        work::{Base, marks::Gone},
    },
    catalog::BundleName,
    review::diff::Fate,
    upgrade::table::Next,
};

/// Describes how the upgrade of an installed bundle differs from that without the what-if, or in
/// the base.
pub fn was(model: &Model, bundle: &BundleName, ascii: bool) -> Option<Piece> {
    let was = model.session.answers.was(bundle)?;
    let package = model.session.package()?.package();
    let words = |next: &Next| match next {
        Next::Stays => "stayed".to_owned(),
        Next::To(name) => format!("was {}", short(package, name)),
        Next::Error(_) => "was an error".to_owned(),
    };
    let ended = |end: &BundleName| format!("ended at {}", short(package, end));
    let classic = match (&was.classic, was.dead_end, &was.classic_end) {
        (Some(next), ..) => Some(words(next)),
        (None, Some(true), _) => Some("was a dead end".to_owned()),
        (None, Some(false), _) => Some("was no dead end".to_owned()),
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
    Some(piece(format!("{mark} {words}"), Role::Active))
}

/// Returns the number of changes for the heading of a list.
pub fn counts(model: &Model) -> Pieces {
    let Some(what_if) = model.session.what_if() else { return differing(model) };
    let mut words = format!("{} changed", plural(model.session.answers.sent_elsewhere(), "row"));
    let gone = what_if.left_out;
    if gone > 0 {
        words += &format!(", {} removed", plural(gone, "bundle"));
    }
    vec![piece(format!("{words}  "), Role::Active)]
}

/// Returns the number of differences to the base of the comparison.
fn differing(model: &Model) -> Pieces {
    if model.session.marked_state().is_none() {
        return Vec::new();
    }
    let base = model.session.base();
    let rows = model.session.answers.sent_elsewhere();
    let verb = if rows == 1 { "differs" } else { "differ" };
    let gone = match model.session.gone_bundles() {
        0 => String::new(),
        gone => format!(", {gone} gone"),
    };
    let words = match base {
        Some(base) if gone.is_empty() => {
            format!("{} {verb} from {}  ", plural(rows, "answer"), model.session.short(base))
        }
        Some(base) => format!("{rows} {verb} from {}{gone}  ", model.session.short(base)),
        None => format!("unsaved edits: {} {verb}{gone}  ", plural(rows, "answer")),
    };
    vec![piece(words, Role::Active)]
}

/// Returns the mark of a change, in its own column; `None` if nothing is compared.
pub fn fate(model: &Model, fate: Option<Fate>) -> Option<Piece> {
    model.session.marked()?;
    Some(match fate {
        Some(fate) => piece(format!("{} ", fate.mark()), fate_role(fate)),
        None => piece("  ", Role::Text),
    })
}

/// Returns the role of a change.
pub fn fate_role(fate: Fate) -> Role {
    match fate {
        Fate::Added => Role::Good,
        Fate::Removed => Role::Removed,
        Fate::Changed => Role::Warning,
    }
}

/// Describes a removed entry or bundle, for a row that already has its name.
pub fn gone(model: &Model, gone: &Gone) -> Pieces {
    let mut pieces = vec![piece(gone_word(model), Role::Removed)];
    if !gone.had.is_empty() {
        pieces.push(piece(format!("  {}", gone.had), Role::Dim));
    }
    pieces
}

/// Returns a label for a removed item, with the base that still has it.
pub fn gone_word(model: &Model) -> String {
    match model.session.base() {
        Some(Base::Revision(revision)) => format!("gone since {}", revision.revision),
        Some(Base::Loaded) | None => "gone: unsaved edit".to_owned(),
        Some(base) => format!("gone: only in {}", model.session.short(base)),
    }
}

/// Returns a label of the base that the marks refer to.
pub fn compared_with(model: &Model) -> String {
    model.session.base().map_or_else(|| "what was loaded (unsaved edits)".to_owned(), Base::label)
}
