//! Range dialect of `spec.source.catalog.version` of OLM v1: that of the Go library Masterminds/semver, version
//! 3.
//!
//! `=`, `!=`, `>`, `>=` or `=>`, `<`, `<=` or `=<`, `~` or `~>`, `^` before a version; a comma or white space
//! for AND, `||` for OR; hyphen ranges `1.2 - 2.3`; partial versions, a leading `v`, and the wildcards `x`, `X`
//! and `*`. Without an operator a full version is exact and a partial one works like `~`.
//!
//! A pre-release version only matches if some clause of the AND group has a pre-release. Quirks of the library
//! are reproduced: `~0.0.0` matches every release, `^*` only `0.0.0`, `<=*` versions below `0.1.0`; text after
//! a wildcard is ignored (`1.x.7` is `1.x`).

mod parse;
use std::cmp::Ordering;

use super::{RangeError, Version};
use crate::blang;
use parse::parse_constraint;

/// A parsed constraint.
///
/// ```
/// use olm_version::{Version, masterminds::Constraint};
///
/// let constraint = Constraint::parse("^1.2, !=1.3.0 || 3.1 - 3.4")?;
/// assert!(constraint.matches(&Version::new(1, 4, 0)));
/// assert!(!constraint.matches(&Version::parse("1.4.0-rc.1")?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    groups: Vec<Group>,
}

/// Clauses that must all be satisfied: one side of `||`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Group {
    clauses: Vec<Clause>,
}

impl Group {
    /// Returns true if pre-release versions can match: some clause has a pre-release.
    fn admits_prereleases(&self) -> bool {
        self.clauses.iter().any(|clause| !clause.pre.is_empty())
    }

    fn matches(&self, version: &Version) -> bool {
        (!version.is_prerelease() || self.admits_prereleases())
            && self.clauses.iter().all(|c| c.matches(version))
    }
}

impl Constraint {
    /// Parses a constraint.
    ///
    /// # Errors
    /// The first error, its column and, if the other dialect was intended, the spelling in this one.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        parse::parse_constraint(text).map_err(|error| error.with_suggestion(suggest_spelling(text)))
    }

    /// Returns true if `version` satisfies the constraint; build metadata is ignored.
    pub fn matches(&self, version: &Version) -> bool {
        self.matched_alternative(version).is_some()
    }

    /// Returns the index of the first matching side of `||`.
    pub fn matched_alternative(&self, version: &Version) -> Option<usize> {
        self.groups.iter().position(|group| group.matches(version))
    }

    /// Returns true if any side of `||` allows pre-release versions.
    pub fn admits_prereleases(&self) -> bool {
        self.groups.iter().any(Group::admits_prereleases)
    }
}

/// Operator of a clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    /// `=` or none: exact, or like `~` if the version is partial.
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    /// `~` or `~>`
    Tilde,
    Caret,
}

/// Number of version parts that the text specifies; the other parts are `0` in the clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Specified {
    /// `*`
    Nothing,
    /// `1` or `1.x`
    Major,
    /// `1.2` or `1.2.x`
    Minor,
    /// `1.2.3`
    Full,
}

/// An operator with a version.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Clause {
    operator: Operator,
    specified: Specified,
    major: u64,
    minor: u64,
    patch: u64,
    /// Pre-release, or empty. Its numbers may exceed 64 bits, unlike in [`Version`], and are then compared as
    /// words.
    pre: String,
}

impl Clause {
    /// Returns true if the version satisfies the clause. The group decides if pre-releases are allowed at all.
    fn matches(&self, version: &Version) -> bool {
        let order = self.compare_to(version);
        match self.operator {
            Operator::Equal if self.specified == Specified::Full => order.is_eq(),
            Operator::Equal | Operator::Tilde => order.is_ge() && self.matches_tilde(version),
            Operator::NotEqual => self.matches_not_equal(version, order),
            Operator::Greater => self.matches_greater(version, order),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => self.matches_less_or_equal(version, order),
            Operator::Caret => order.is_ge() && self.matches_caret(version),
        }
    }

    /// Compares `version` with the version of the clause.
    fn compare_to(&self, version: &Version) -> Ordering {
        let numbers = (version.major(), version.minor(), version.patch());
        numbers.cmp(&(self.major, self.minor, self.patch)).then_with(|| {
            match (version.pre().is_empty(), self.pre.is_empty()) {
                (false, false) => compare_pre(version.pre(), &self.pre),
                (no_pre, no_own_pre) => no_pre.cmp(&no_own_pre),
            }
        })
    }

    fn matches_tilde(&self, version: &Version) -> bool {
        let zero = (self.major, self.minor, self.patch) == (0, 0, 0);
        if zero && matches!(self.specified, Specified::Full | Specified::Nothing) {
            return true;
        }
        version.major() == self.major && (version.minor() == self.minor || self.specified == Specified::Major)
    }

    fn matches_caret(&self, version: &Version) -> bool {
        if version.major() != self.major {
            return false;
        }
        if self.major > 0 || self.specified == Specified::Major {
            return true;
        }
        if version.minor() != self.minor {
            return false;
        }
        self.minor > 0 || self.specified == Specified::Minor || version.patch() == self.patch
    }

    fn matches_not_equal(&self, version: &Version, order: Ordering) -> bool {
        match self.specified {
            Specified::Major => version.major() != self.major,
            // Like the library: `!=1.2` accepts a 1.2 version if its pre-release differs.
            Specified::Minor => {
                (version.major(), version.minor()) != (self.major, self.minor) || version.pre() != self.pre
            }
            Specified::Nothing | Specified::Full => order.is_ne(),
        }
    }

    fn matches_greater(&self, version: &Version, order: Ordering) -> bool {
        match self.specified {
            Specified::Major => version.major() > self.major,
            Specified::Minor => (version.major(), version.minor()) > (self.major, self.minor),
            Specified::Nothing | Specified::Full => order.is_gt(),
        }
    }

    fn matches_less_or_equal(&self, version: &Version, order: Ordering) -> bool {
        match self.specified {
            Specified::Full => order.is_le(),
            Specified::Major => version.major() <= self.major,
            Specified::Minor | Specified::Nothing => {
                (version.major(), version.minor()) <= (self.major, self.minor)
            }
        }
    }
}

/// Compares two non-empty pre-releases by identifiers; a prefix is lower.
fn compare_pre(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (a, b) if a.is_none() || b.is_none() => a.is_some().cmp(&b.is_some()),
            (a, b) => compare_identifiers(a.unwrap_or_default(), b.unwrap_or_default()),
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Compares numbers by value and before words, words by bytes. A number beyond 64 bits counts as a word.
fn compare_identifiers(a: &str, b: &str) -> Ordering {
    match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

/// Suggests the spelling of `text` in this dialect; `None` if the intention is not clear.
fn suggest_spelling(text: &str) -> Option<String> {
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
pub(super) fn blang_spelling(text: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the versions of a fixed set that satisfy a constraint.
    fn matching_versions(text: &str) -> String {
        let versions = [
            "0.0.0", "0.0.3", "0.0.4", "0.2.3", "0.3.0", "1.0.0", "1.2.3", "1.2.4", "1.3.0", "2.0.0",
            "11.0.0", "11.1.0",
        ];
        let constraint = Constraint::parse(text).unwrap();
        let matches = |v: &&str| constraint.matches(&Version::parse(v).unwrap());
        versions.into_iter().filter(matches).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn constraints_match_like_library() {
        let all = "0.0.0 0.0.3 0.0.4 0.2.3 0.3.0 1.0.0 1.2.3 1.2.4 1.3.0 2.0.0 11.0.0 11.1.0";
        let cases = [
            ("1.2.3", "1.2.3"),
            ("=v1.2.3+b", "1.2.3"),
            ("01.02.03", "1.2.3"),
            ("1.2", "1.2.3 1.2.4"),
            ("1.2.X", "1.2.3 1.2.4"),
            ("=1", "1.0.0 1.2.3 1.2.4 1.3.0"),
            ("1.x.7", "1.0.0 1.2.3 1.2.4 1.3.0"),
            ("*", all),
            ("*.7.|", all),
            ("!=*", "0.0.3 0.0.4 0.2.3 0.3.0 1.0.0 1.2.3 1.2.4 1.3.0 2.0.0 11.0.0 11.1.0"),
            ("!=1, <3", "0.0.0 0.0.3 0.0.4 0.2.3 0.3.0 2.0.0"),
            ("!=1.2 >=1 <2", "1.0.0 1.3.0"),
            ("!=1.2.3 >=1 <2", "1.0.0 1.2.4 1.3.0"),
            (">1.2 <3", "1.3.0 2.0.0"),
            (">1 <3", "2.0.0"),
            (">11", ""),
            (">11.0.0", "11.1.0"),
            (">* <0.3", "0.0.3 0.0.4 0.2.3"),
            ("=>2", "2.0.0 11.0.0 11.1.0"),
            ("<1", "0.0.0 0.0.3 0.0.4 0.2.3 0.3.0"),
            ("<=1.2 >=1", "1.0.0 1.2.3 1.2.4"),
            ("=<1 >=1", "1.0.0 1.2.3 1.2.4 1.3.0"),
            ("<=*", "0.0.0 0.0.3 0.0.4"),
            ("<=1.2.3 >1.0.0", "1.2.3"),
            ("~1.2.3", "1.2.3 1.2.4"),
            ("~> 1.2", "1.2.3 1.2.4"),
            ("~1", "1.0.0 1.2.3 1.2.4 1.3.0"),
            ("~0.0.3", "0.0.3 0.0.4"),
            ("~0.0.0", all),
            ("~*", all),
            ("^1.2.3", "1.2.3 1.2.4 1.3.0"),
            ("^0.2.3", "0.2.3"),
            ("^0.0.3", "0.0.3"),
            ("^0.0", "0.0.0 0.0.3 0.0.4"),
            ("^0", "0.0.0 0.0.3 0.0.4 0.2.3 0.3.0"),
            ("^*", "0.0.0"),
            ("1.2 - 1.3", "1.2.3 1.2.4 1.3.0"),
            ("1.2.4 - 2 || 0.0.3 - 0.2", "0.0.3 0.0.4 0.2.3 1.2.4 1.3.0 2.0.0"),
            // A blank is inserted after a rewritten hyphen range, so this is two clauses.
            ("1.2 - 1.3!=1.2.4", "1.2.3 1.3.0"),
            (" >=1 ,\t<2\n", "1.0.0 1.2.3 1.2.4 1.3.0"),
            ("<0.0.3||>11.0.0", "0.0.0 11.1.0"),
        ];
        for (text, expected) in cases {
            assert_eq!(matching_versions(text), expected, "{text}");
        }
    }

    #[test]
    fn prereleases_need_a_prerelease_in_their_group() {
        let cases = [
            (">=1.0.0", "1.5.0-rc.1", false),
            (">=1.0.0-0", "1.5.0-rc.1", true),
            (">=1.0.0, <2.0.0-0", "1.5.0-rc.1", true),
            (">=1.0.0 || <0.1.0-0", "1.5.0-rc.1", false),
            ("1.0.0-2.0.0", "1.0.0-2.0.0", true),
            ("^1.2-0", "2.0.0-rc", false),
            ("*-0", "0.0.0-1", true),
            ("!=1.2, >0.0.0-0", "1.2.3", false),
            ("!=1.2, >0.0.0-0", "1.2.3-rc", true),
            ("!=1, >0.0.0-0", "1.2.3-rc", false),
            (">=1.0.0-9", "1.0.0-10", true),
            (">=1.0.0-9", "1.0.0-a", true),
            (">=1.0.0-a.0", "1.0.0-a", false),
            // Beyond 64 bits a number is compared as a word.
            (">=1.0.0-99999999999999999999", "1.0.0-18446744073709551615", false),
            (">=1.0.0-99999999999999999999", "1.0.0-a", true),
        ];
        for (text, version, expected) in cases {
            let constraint = Constraint::parse(text).unwrap();
            assert_eq!(
                constraint.matches(&Version::parse(version).unwrap()),
                expected,
                "{text} on {version}"
            );
        }
    }

    #[test]
    fn rejects_invalid_constraints_with_column_and_suggestion() {
        let cases = [
            ("", 1, None),
            ("  ", 3, None),
            ("1.0 ||", 7, None),
            ("|| 1.0", 1, None),
            (",1.0", 1, None),
            ("1.0,", 5, None),
            ("1.0,,2.0", 5, None),
            ("==1.0.0", 1, Some("write `=1.0.0`")),
            ("==1.0", 1, Some("write `=1.0`")),
            ("!1.0.0", 1, Some("write `!=1.0.0`")),
            ("> =1.0.0", 3, Some("write `>=1.0.0`")),
            (">=1.0.0 == 2.0.0", 9, Some("write `>=1.0.0 =2.0.0`")),
            (">=1.0.0<2.0.0", 8, Some("write `>=1.0.0 <2.0.0`")),
            (">=1 && <2", 5, Some("write `>=1, <2`")),
            ("1.0.0 -2.0.0", 7, None),
            ("1.2.3.4", 6, None),
            ("V1.2", 1, Some("write `v1.2`")),
            ("1.0-01", 5, None),
            ("1.0-a..b", 6, None),
            ("1|2", 1, None),
            ("xx", 1, None),
            ("99999999999999999999", 1, None),
            ("1.a", 2, None),
            ("foo", 1, None),
            // The library consumes the blank before a hyphen range.
            ("1.0 2.0 - 3.0", 5, None),
            (">=1.0 - 2.0", 1, None),
            // The bars count as a part of the version.
            ("1.2.4 - 2||0.3 - 0.4", 16, Some("write `1.2.4 - 2 || 0.3 - 0.4`")),
            ("1 - 2 - 3", 7, None),
            ("é1.0", 1, None),
            ("1.0\u{a0}2", 4, None),
        ];
        for (text, column, hint) in cases {
            let error = Constraint::parse(text).unwrap_err();
            let expected = (column, hint.map(str::to_owned));
            assert_eq!((error.column, error.hint.clone()), expected, "{text:?}: {error}");
        }
    }

    #[test]
    fn has_limits_of_library() {
        let ok = |text: &str| Constraint::parse(text).is_ok();
        assert!(ok(&vec!["1"; 32].join("||")) && !ok(&vec!["1"; 33].join("||")));
        assert!(ok(&format!("1{}", " ".repeat(511))) && !ok(&format!("1{}", " ".repeat(512))));
        assert!(ok(&format!("1.0.0-{}", "a".repeat(250))) && !ok(&format!("1.0.0-{}", "a".repeat(251))));
        // Build metadata of a partial version is ignored.
        assert!(ok(&format!("1.0+{}", "a".repeat(300))) && !ok(&format!("1.0.0+{}", "a".repeat(300))));
    }
}
