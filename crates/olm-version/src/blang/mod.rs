//! Range dialect of `skipRange` and `olm.package.required`: that of the Go library blang/semver.
//!
//! Comparators `=`, `==` or none, `>`, `>=`, `<`, `<=`, `!`, `!=` before a full version; blanks for AND, `||`
//! between blanks for OR; a trailing `x` as in `1.x` or `1.2.x`. Pre-releases are ordinary versions in the
//! order. No commas, no `~`, no `^`, no hyphen ranges, no partial versions.
//!
//! Quirks of the library are reproduced, because they define the meaning of a catalog ([`Range::quirks`]
//! lists them):
//!
//! - a single character between blanks is dropped (`>=1.0.0 5` ignores the `5`, `! 1.2.3` means `=1.2.3`);
//! - `1.x.x` is `>=1.0.0 <1.1.0`;
//! - an `x` anywhere makes a comparator a wildcard (`>1.0.0-next.1` is an error) and drops an unknown operator
//!   (`~1.x` means `=1.0.0`);
//! - an empty alternative (`>=2.0.0 || * || <1.0.0`) crashes the program that evaluates it.

mod bounds;
mod expand;
mod hint;
mod parse;

use std::fmt;

use super::{RangeError, Version};

/// Operator of a comparator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
}

impl Operator {
    /// Returns the operator as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
        }
    }
}

/// A comparison with one version, with wildcards expanded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Comparator {
    /// Operator of the comparison.
    pub operator: Operator,
    /// Right-hand version.
    pub version: Version,
}

impl Comparator {
    /// Returns true if `version` satisfies the comparison; build metadata is ignored.
    pub fn matches(&self, version: &Version) -> bool {
        let order = version.cmp_precedence(&self.version);
        match self.operator {
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
        }
    }
}

impl fmt::Display for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.operator.as_str(), self.version)
    }
}

/// Comparators that must all be satisfied: one side of `||`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Alternative {
    comparators: Vec<Comparator>,
}

impl Alternative {
    /// Returns the comparators with expanded wildcards. Empty if the evaluation would crash.
    pub fn comparators(&self) -> &[Comparator] {
        &self.comparators
    }

    /// Returns true if every comparator is satisfied; false without comparators.
    pub fn matches(&self, version: &Version) -> bool {
        !self.comparators.is_empty() && self.comparators.iter().all(|c| c.matches(version))
    }
}

impl fmt::Display for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, comparator) in self.comparators.iter().enumerate() {
            let blank = if n == 0 { "" } else { " " };
            write!(f, "{blank}{comparator}")?;
        }
        Ok(())
    }
}

/// A part of a valid range that is probably a mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quirk {
    /// Kind of the quirk.
    pub kind: QuirkKind,
    /// Column, 1-based, in characters.
    pub column: usize,
}

/// Kinds of surprising parts of a range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QuirkKind {
    /// A single character between blanks, which the library drops.
    Ignored(char),
    /// An unknown operator in a comparator with an `x`: the library drops it and uses an exact version.
    OperatorDropped {
        /// Operator, such as `~`.
        operator: String,
        /// Resulting comparator, such as `=1.0.0`.
        becomes: String,
    },
    /// Two wildcards, of which only the second has an effect: `1.x.x` is `>=1.0.0 <1.1.0`.
    MinorIsFixed,
    /// `!=1.2.x`, which expands to two comparators that no version satisfies.
    NeverMatches,
    /// An empty alternative between two `||`: OLM crashes when it evaluates it.
    EmptyAlternative,
}

/// A parsed range.
///
/// ```
/// use olm_version::{Version, blang::Range};
///
/// let range = Range::parse("<1.0.0 || 2.x !=2.3.4")?;
/// assert!(range.matches(&Version::new(2, 3, 5)));
/// assert_eq!(range.to_string(), "<1.0.0 || >=2.0.0 <3.0.0 !=2.3.4");
/// # Ok::<(), olm_version::RangeError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    alternatives: Vec<Alternative>,
    quirks: Vec<Quirk>,
}

impl Range {
    /// Parses a range.
    ///
    /// # Errors
    /// The first error, its column and, if another dialect was intended, the spelling in this one.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        parse::parse_range(text).map_err(|error| error.with_suggestion(hint::suggest_spelling(text)))
    }

    /// Parses a range without a hint for errors.
    pub(super) fn parse_without_hint(text: &str) -> Result<Self, RangeError> {
        parse::parse_range(text)
    }

    /// Returns the alternatives in the order of the text.
    pub fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }

    /// Returns true if `version` is in the range; false if OLM would crash ([`Self::crashes_on`]).
    pub fn matches(&self, version: &Version) -> bool {
        self.matched_alternative(version).is_some()
    }

    /// Returns the index of the alternative that OLM uses for `version`. Alternatives after an empty one are
    /// never evaluated.
    pub fn matched_alternative(&self, version: &Version) -> Option<usize> {
        let reached = self.alternatives.iter().take_while(|a| !a.comparators.is_empty());
        reached.enumerate().find(|(_, a)| a.matches(version)).map(|(n, _)| n)
    }

    /// Returns true if OLM panics for at least some versions: an alternative is empty.
    pub fn may_crash(&self) -> bool {
        self.alternatives.iter().any(|a| a.comparators.is_empty())
    }

    /// Returns true if OLM panics for `version`: no alternative before the empty one matches.
    pub fn crashes_on(&self, version: &Version) -> bool {
        self.may_crash() && !self.matches(version)
    }

    /// Returns the surprising parts, in the order of the text.
    pub fn quirks(&self) -> &[Quirk] {
        &self.quirks
    }
}

impl fmt::Display for Range {
    /// Formats the expanded range: `>=1.0.0 <2.0.0` for `1.x`. An empty alternative is shown as nothing between
    /// its bars.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, alternative) in self.alternatives.iter().enumerate() {
            let or = if n == 0 { "" } else { " || " };
            write!(f, "{or}{alternative}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
