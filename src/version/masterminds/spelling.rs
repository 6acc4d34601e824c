//! From one dialect to the other, for hints.

use super::{
    Constraint,
    clause::{Clause, Given, Operator},
    parse::parse,
};
use crate::version::blang;

/// How to write what `text` evidently means in this dialect; `None` where that is not evident.
pub(super) fn suggestion(text: &str) -> Option<String> {
    let meant = match blang::Range::parse_plainly(text) {
        Ok(range) if range.oddities().is_empty() => range.to_string(),
        _ => loosen(text),
    };
    // Only what parses is advice.
    (meant != text && parse(&meant).is_ok()).then_some(meant)
}

/// Blanks put where clauses touch, spellings of other dialects replaced.
fn loosen(text: &str) -> String {
    let text = text.replace("==", "=").replace(" && ", ", ").replace("&&", ", ").replace('V', "v");
    // A bar right behind a version can be taken for a part of it.
    let text = text.split("||").map(str::trim).collect::<Vec<_>>().join(" || ");
    let mut loose = String::with_capacity(text.len() + 4);
    let mut last = ' ';
    for c in text.trim().chars() {
        let sign = matches!(c, '=' | '!' | '<' | '>' | '~' | '^');
        if sign && (last.is_ascii_alphanumeric() || last == '*') {
            loose.push(' ');
        }
        loose.push(c);
        last = c;
    }
    loose
}

/// The constraint `text` in the words of [`blang`], for release versions; `None` where it is no constraint, or where
/// it says what that dialect cannot.
pub(in crate::version) fn blang_spelling(text: &str) -> Option<String> {
    let constraint = parse(text).ok()?;
    spell(&constraint)
}

fn spell(constraint: &Constraint) -> Option<String> {
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
    let Clause { operator, given, major, minor, patch, .. } = *clause;
    let hyphen = if clause.pre.is_empty() { "" } else { "-" };
    let own = format!("{major}.{minor}.{patch}{hyphen}{}", clause.pre);
    let next_major = || Some(format!("{}.0.0", major.checked_add(1)?));
    let next_minor = || Some(format!("{major}.{}.0", minor.checked_add(1)?));
    let next_patch = || Some(format!("{major}.{minor}.{}", patch.checked_add(1)?));
    let from_own_to = |end: String| Some(format!(">={own} <{end}"));
    match (operator, given) {
        (Operator::Equal | Operator::Tilde, Given::Nothing) | (Operator::GreaterOrEqual, _) => {
            Some(format!(">={own}"))
        }
        (Operator::Tilde, Given::Full) if (major, minor, patch) == (0, 0, 0) => Some(format!(">={own}")),
        (Operator::Less, _) => Some(format!("<{own}")),
        (Operator::Equal, Given::Full) => Some(format!("={own}")),
        (Operator::NotEqual, Given::Full | Given::Nothing) => Some(format!("!={own}")),
        // One side of an AND cannot be an OR.
        (Operator::NotEqual, Given::Major | Given::Minor) => None,
        (Operator::Greater, Given::Full | Given::Nothing) => Some(format!(">{own}")),
        (Operator::Greater, Given::Major) => Some(format!(">={}", next_major()?)),
        (Operator::Greater, Given::Minor) => Some(format!(">={}", next_minor()?)),
        (Operator::LessOrEqual, Given::Full) => Some(format!("<={own}")),
        (Operator::LessOrEqual, Given::Major) => Some(format!("<{}", next_major()?)),
        (Operator::LessOrEqual, Given::Minor) => Some(format!("<{}", next_minor()?)),
        (Operator::LessOrEqual, Given::Nothing) => Some("<0.1.0".into()),
        (Operator::Equal | Operator::Tilde | Operator::Caret, Given::Major) => from_own_to(next_major()?),
        (Operator::Equal | Operator::Tilde, Given::Minor) | (Operator::Tilde, Given::Full) => {
            from_own_to(next_minor()?)
        }
        (Operator::Caret, _) if major > 0 => from_own_to(next_major()?),
        (Operator::Caret, _) if minor > 0 || given == Given::Minor => from_own_to(next_minor()?),
        (Operator::Caret, _) => from_own_to(next_patch()?),
    }
}
