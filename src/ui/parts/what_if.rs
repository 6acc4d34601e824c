//! What a what-if changes, and what differs from what one compares with, in words beside it.

use crate::ui::{
    canvas::{Piece, Pieces, fit, piece},
    parts::lists::short,
    text::plural,
    theme::Role,
};
use crate::{app::Model, catalog::BundleName, review::diff::Fate, upgrade::table::Next};

/// What an installed bundle really does, or did, where it is supposed to do, or does, something else.
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

/// How much is changed, for the heading of a list.
pub fn counts(model: &Model) -> Pieces {
    let Some(what_if) = model.session.what_if() else { return differing(model) };
    let mut words = format!("{} changed", plural(model.session.answers.sent_elsewhere(), "row"));
    let gone = what_if.left_out;
    if gone > 0 {
        words += &format!(", {} left out", plural(gone, "bundle"));
    }
    vec![piece(format!("{words}  "), Role::Active)]
}

/// The same of what one compares with.
fn differing(model: &Model) -> Pieces {
    let Some(base) = model.session.base().filter(|_| model.session.base_state().is_some()) else {
        return Vec::new();
    };
    let rows = model.session.answers.sent_elsewhere();
    let verb = if rows == 1 { "differs" } else { "differ" };
    let words = match model.session.gone_bundles() {
        0 => format!("{} {verb} from {}  ", plural(rows, "answer"), base.short()),
        // They have no row; whoever has one installed is told of on Changes.
        gone => format!("{rows} {verb} from {}, {gone} gone  ", base.short()),
    };
    vec![piece(words, Role::Active)]
}

/// The mark of what became of something, in a column of its own; nothing where nothing is compared.
pub fn fate(model: &Model, fate: Option<Fate>) -> Option<Piece> {
    model.session.comparison()?;
    Some(match fate {
        Some(fate) => piece(format!("{} ", fate.mark()), fate_role(fate)),
        None => piece("  ", Role::Text),
    })
}

/// How what became of something looks.
pub fn fate_role(fate: Fate) -> Role {
    match fate {
        Fate::Added => Role::Good,
        Fate::Removed => Role::Removed,
        Fate::Changed => Role::Warning,
    }
}

/// What is gone of a channel, for a line of its own.
pub fn gone(model: &Model, columns: usize, ascii: bool) -> Option<Pieces> {
    let gone = &model.session.answers.marks().gone;
    if gone.is_empty() {
        return None;
    }
    let words = format!("- {} gone: {}", gone.len(), gone.join(" "));
    Some(vec![piece(fit(&words, columns, ascii), Role::Removed)])
}
