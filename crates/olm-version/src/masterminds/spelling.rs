//! Conversion between the dialects, for hints.

use super::{
    Constraint,
    clause::{Clause, Operator, Specified},
    parse::parse_constraint,
};
use crate::blang;

/// Suggests the spelling of `text` in this dialect; `None` if the intention is not clear.
pub(super) fn suggest_spelling(text: &str) -> Option<String> {
    let converted = match blang::Range::parse_without_hint(text) {
        Ok(range) if range.quirks().is_empty() => range.to_string(),
        _ => normalize_spelling(text),
    };
    // Only a valid constraint is suggested.
    (converted != text && parse_constraint(&converted).is_ok()).then_some(converted)
}

/// Inserts blanks between adjacent clauses, and replaces spellings of other dialects.
fn normalize_spelling(text: &str) -> String {
    let text = text.replace("==", "=").replace(" && ", ", ").replace("&&", ", ").replace('V', "v");
    // Without blanks around it, `||` after a version could be parsed as a part of that version.
    let text = text.split("||").map(str::trim).collect::<Vec<_>>().join(" || ");
    let mut spaced = String::with_capacity(text.len() + 4);
    let mut last = ' ';
    for c in text.trim().chars() {
        let sign = matches!(c, '=' | '!' | '<' | '>' | '~' | '^');
        if sign && (last.is_ascii_alphanumeric() || last == '*') {
            spaced.push(' ');
        }
        spaced.push(c);
        last = c;
    }
    spaced
}

/// Returns the constraint in the dialect of [`blang`], for release versions; `None` if it is invalid or cannot
/// be expressed.
pub(crate) fn blang_spelling(text: &str) -> Option<String> {
    let constraint = parse_constraint(text).ok()?;
    spell_constraint(&constraint)
}

fn spell_constraint(constraint: &Constraint) -> Option<String> {
    let groups: Option<Vec<String>> = constraint
        .groups
        .iter()
        .map(|group| {
            let clauses: Option<Vec<String>> = group.clauses.iter().map(spell_clause).collect();
            Some(clauses?.join(" "))
        })
        .collect();
    Some(groups?.join(" || "))
}

fn spell_clause(clause: &Clause) -> Option<String> {
    let Clause { operator, specified: given, major, minor, patch, .. } = *clause;
    let hyphen = if clause.pre.is_empty() { "" } else { "-" };
    let own = format!("{major}.{minor}.{patch}{hyphen}{}", clause.pre);
    let next_major = || Some(format!("{}.0.0", major.checked_add(1)?));
    let next_minor = || Some(format!("{major}.{}.0", minor.checked_add(1)?));
    let next_patch = || Some(format!("{major}.{minor}.{}", patch.checked_add(1)?));
    let from_own_to = |end: String| Some(format!(">={own} <{end}"));
    match (operator, given) {
        (Operator::Equal | Operator::Tilde, Specified::Nothing) | (Operator::GreaterOrEqual, _) => {
            Some(format!(">={own}"))
        }
        (Operator::Tilde, Specified::Full) if (major, minor, patch) == (0, 0, 0) => Some(format!(">={own}")),
        (Operator::Less, _) => Some(format!("<{own}")),
        (Operator::Equal, Specified::Full) => Some(format!("={own}")),
        (Operator::NotEqual, Specified::Full | Specified::Nothing) => Some(format!("!={own}")),
        // `!=1.2` means `<1.2.0` or `>=1.3.0`, and a side of `||` can only express AND.
        (Operator::NotEqual, Specified::Major | Specified::Minor) => None,
        (Operator::Greater, Specified::Full | Specified::Nothing) => Some(format!(">{own}")),
        (Operator::Greater, Specified::Major) => Some(format!(">={}", next_major()?)),
        (Operator::Greater, Specified::Minor) => Some(format!(">={}", next_minor()?)),
        (Operator::LessOrEqual, Specified::Full) => Some(format!("<={own}")),
        (Operator::LessOrEqual, Specified::Major) => Some(format!("<{}", next_major()?)),
        (Operator::LessOrEqual, Specified::Minor) => Some(format!("<{}", next_minor()?)),
        (Operator::LessOrEqual, Specified::Nothing) => Some("<0.1.0".into()),
        (Operator::Equal | Operator::Tilde | Operator::Caret, Specified::Major) => from_own_to(next_major()?),
        (Operator::Equal | Operator::Tilde, Specified::Minor) | (Operator::Tilde, Specified::Full) => {
            from_own_to(next_minor()?)
        }
        (Operator::Caret, _) if major > 0 => from_own_to(next_major()?),
        (Operator::Caret, _) if minor > 0 || given == Specified::Minor => from_own_to(next_minor()?),
        (Operator::Caret, _) => from_own_to(next_patch()?),
    }
}
