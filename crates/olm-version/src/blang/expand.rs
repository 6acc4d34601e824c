//! Expansion of wildcards, which the library does on text.

use super::{Operator, parse::ParsedOperator};

/// Comparators that replace a comparator with a wildcard. Their versions are not parsed and may be
/// invalid.
pub(super) struct Expansion {
    pub(super) comparators: Vec<(Operator, String)>,
    /// True if the operator is unknown: the library drops it and compares for equality.
    pub(super) dropped_operator: bool,
}

/// Expands a token that contains an `x`, even if it is not a wildcard (`>=1.0.0-next.1`); `None` for other
/// tokens.
pub(super) fn expand_wildcard(token: &str, operator: &str, version: &str) -> Option<Expansion> {
    if !token.contains('x') {
        return None;
    }
    let lowest = lowest_version(version);
    let Some(ParsedOperator(known)) = ParsedOperator::parse(operator) else {
        return Some(Expansion { comparators: vec![(Operator::Equal, lowest)], dropped_operator: true });
    };
    let next = next_version(version, &lowest);
    let comparators = match known {
        Operator::Greater => vec![(Operator::GreaterOrEqual, next)],
        Operator::GreaterOrEqual => vec![(Operator::GreaterOrEqual, lowest)],
        Operator::Less => vec![(Operator::Less, lowest)],
        Operator::LessOrEqual => vec![(Operator::Less, next)],
        Operator::Equal => vec![(Operator::GreaterOrEqual, lowest), (Operator::Less, next)],
        // The library intends an OR, but comparators are joined by AND, so nothing matches.
        Operator::NotEqual => vec![(Operator::Less, lowest), (Operator::GreaterOrEqual, next)],
    };
    Some(Expansion { comparators, dropped_operator: false })
}

/// Returns the lowest version of a wildcard version: `1.x`, `1.0.x` and `1.x.x` all give `1.0.0`.
fn lowest_version(version: &str) -> String {
    let flat = version.replacen(".x.x", ".x", 1).replacen(".x", ".0", 1);
    if flat.matches('.').count() == 1 { flat + ".0" } else { flat }
}

/// Returns the first version after all versions that match a wildcard version of two or three parts. Empty, and
/// so invalid, if the last part is not a wildcard or the incremented part is not a number.
fn next_version(version: &str, lowest: &str) -> String {
    let incremented_part = match version.rsplit_once('.') {
        Some((front, "x")) => front.matches('.').count(),
        _ => return String::new(),
    };
    let mut parts: Vec<String> = lowest.split('.').map(str::to_owned).collect();
    let Some(part) = parts.get_mut(incremented_part).filter(|_| incremented_part < 2) else {
        return String::new();
    };
    // Go's Atoi: allows a sign and leading zeros, and signed 64-bit numbers.
    match part.parse::<i64>() {
        Ok(number) => *part = number.wrapping_add(1).to_string(),
        Err(_) => return String::new(),
    }
    parts.join(".")
}
