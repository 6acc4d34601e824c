//! What a what-if changes, in words beside what it changes.

use super::{
    canvas::{Piece, Pieces, piece},
    catalog::short,
    frame::plural,
    theme::Role,
};
use crate::{app::Model, catalog::BundleName, upgrade::table::Next};

/// What an installed bundle really does, where it is supposed to do something else.
pub fn was(model: &Model, bundle: &BundleName, ascii: bool) -> Option<Piece> {
    let was = model.derived.was(bundle)?;
    let package = model.package()?.package();
    let words = |next: &Next| match next {
        Next::Stays => "stayed".to_owned(),
        Next::To(name) => format!("was {}", short(package, name)),
        Next::Error(_) => "was an error".to_owned(),
    };
    let words = match (&was.classic, &was.v1) {
        (Some(classic), Some(v1)) if classic == v1 => words(classic),
        (Some(classic), Some(v1)) => format!("Classic {}, v1 {}", words(classic), words(v1)),
        (Some(classic), None) => format!("Classic {}", words(classic)),
        (None, Some(v1)) => format!("v1 {}", words(v1)),
        (None, None) => return None,
    };
    let mark = if ascii { "#" } else { "≠" };
    Some(piece(format!("{mark} {words}"), Role::Active))
}

/// How much is changed, for the heading of a list.
pub fn counts(model: &Model) -> Pieces {
    let Some(what_if) = model.what_if() else { return Vec::new() };
    let mut words = format!("{} changed", plural(model.derived.sent_elsewhere(), "row"));
    let gone = what_if.left_out;
    if gone > 0 {
        words += &format!(", {} left out", plural(gone, "bundle"));
    }
    vec![piece(format!("{words}  "), Role::Active)]
}
