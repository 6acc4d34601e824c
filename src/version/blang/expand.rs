//! Wildcards, with the library's text-level way of expanding them.

use super::{Operator, parse::Op};

/// What a comparator with a wildcard turns into; the versions are texts that may still prove invalid.
pub(super) struct Expansion {
    pub(super) comparators: Vec<(Operator, String)>,
    /// The operator is unknown: the library loses it and compares for equality.
    pub(super) dropped_operator: bool,
}

/// Expands a token with an `x` anywhere in it, even where that is no wildcard (`>=1.0.0-next.1`); `None` for all others.
pub(super) fn expand(token: &str, operator: &str, version: &str) -> Option<Expansion> {
    if !token.contains('x') {
        return None;
    }
    let flat = flatten(version);
    let Some(Op(known)) = Op::read(operator) else {
        return Some(Expansion { comparators: vec![(Operator::Equal, flat)], dropped_operator: true });
    };
    let next = next(version, &flat);
    let comparators = match known {
        Operator::Greater => vec![(Operator::GreaterOrEqual, next)],
        Operator::GreaterOrEqual => vec![(Operator::GreaterOrEqual, flat)],
        Operator::Less => vec![(Operator::Less, flat)],
        Operator::LessOrEqual => vec![(Operator::Less, next)],
        Operator::Equal => vec![(Operator::GreaterOrEqual, flat), (Operator::Less, next)],
        // Meant to be an OR, but the list is an AND.
        Operator::NotEqual => vec![(Operator::Less, flat), (Operator::GreaterOrEqual, next)],
    };
    Some(Expansion { comparators, dropped_operator: false })
}

/// The lowest version of a wildcard version: `1.x`, `1.0.x` and `1.x.x` all give `1.0.0`.
fn flatten(version: &str) -> String {
    let flat = version.replacen(".x.x", ".x", 1).replacen(".x", ".0", 1);
    if flat.matches('.').count() == 1 { flat + ".0" } else { flat }
}

/// The first version after a wildcard version: what is free is the last of two or of three parts. Empty, and so
/// invalid, where the last part is no wildcard or the part to count up is no number.
fn next(version: &str, flat: &str) -> String {
    let counted = match version.rsplit_once('.') {
        Some((front, "x")) => front.matches('.').count(),
        _ => return String::new(),
    };
    let mut parts: Vec<String> = flat.split('.').map(str::to_owned).collect();
    let Some(part) = parts.get_mut(counted).filter(|_| counted < 2) else { return String::new() };
    // Go's Atoi: a sign and leading zeros are fine, 64 bits with a sign.
    match part.parse::<i64>() {
        Ok(number) => *part = number.wrapping_add(1).to_string(),
        Err(_) => return String::new(),
    }
    parts.join(".")
}
