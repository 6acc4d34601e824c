//! The range dialect of `skipRange` and `olm.package.required`: that of the Go library blang/semver.
//!
//! Comparators `=`, `==` or none, `>`, `>=`, `<`, `<=`, `!`, `!=` before a full version; blanks for AND, `||` between
//! blanks for OR; a trailing `x` as in `1.x` or `1.2.x`. Pre-releases are ordinary versions in the order. No commas, no
//! `~`, no `^`, no hyphen ranges, no partial versions.
//!
//! The library has quirks, and a catalog means what the library makes of it, so they are kept (and listed by
//! [`Range::oddities`]): a single character between blanks is dropped (`>=1.0.0 5` ignores the `5`, `! 1.2.3` means
//! `=1.2.3`), `1.x.x` is `>=1.0.0 <1.1.0`, an `x` anywhere makes a wildcard of a comparator (`>1.0.0-next.1`
//! is an error) and drops an operator that is unknown (`~1.x` means `=1.0.0`), and an alternative with nothing in it (`>=2.0.0 || * || <1.0.0`) crashes the program that reaches it.

mod bounds;
mod expand;
mod hint;
mod parse;

use std::fmt;

use super::{RangeError, Version};

/// How a comparator compares.
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
    /// The operator as text.
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

/// One comparison with one version, wildcards already expanded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Comparator {
    /// How to compare.
    pub operator: Operator,
    /// With what.
    pub version: Version,
}

impl Comparator {
    /// Whether `version` passes, build metadata ignored.
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

/// Comparators that must all pass: one side of `||`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Alternative {
    comparators: Vec<Comparator>,
}

impl Alternative {
    /// The comparators, wildcards expanded. Empty where evaluation would crash.
    pub fn comparators(&self) -> &[Comparator] {
        &self.comparators
    }

    /// Whether every comparator passes; `false` for an alternative without any.
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

/// A range that parses, but hardly means what its author thinks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Oddity {
    /// What is odd.
    pub kind: OddityKind,
    /// Where: 1-based, counted in characters.
    pub column: usize,
}

/// The ways in which a range surprises.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OddityKind {
    /// A single character between blanks, which the library drops.
    Ignored(char),
    /// An unknown operator in a comparator that has an `x`: the library drops it and reads an exact version.
    OperatorDropped {
        /// The operator, `~`.
        operator: String,
        /// The comparator it became, `=1.0.0`.
        becomes: String,
    },
    /// Two wildcards, `1.x.x`: only the patch version is free.
    MinorIsFixed,
    /// `!=1.2.x`: expands to two comparators that no version passes.
    NeverMatches,
    /// An `||` with nothing before the next one: OLM crashes when it gets there.
    EmptyAlternative,
}

/// A parsed range.
///
/// ```
/// use olmap::version::{Version, blang::Range};
///
/// let range = Range::parse("<1.0.0 || 2.x !=2.3.4")?;
/// assert!(range.matches(&Version::new(2, 3, 5)));
/// assert_eq!(range.to_string(), "<1.0.0 || >=2.0.0 <3.0.0 !=2.3.4");
/// # Ok::<(), olmap::version::RangeError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    alternatives: Vec<Alternative>,
    oddities: Vec<Oddity>,
}

impl Range {
    /// Reads a range.
    ///
    /// # Errors
    /// The first thing wrong, its column and, where another dialect was evidently meant, how to spell it in this one.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        parse::parse(text).map_err(|error| error.suggesting(hint::suggestion(text)))
    }

    /// Reads a range without looking for a hint where that fails.
    pub(super) fn parse_plainly(text: &str) -> Result<Self, RangeError> {
        parse::parse(text)
    }

    /// The alternatives, in the order of the text.
    pub fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }

    /// Whether `version` is in the range; `false` where OLM would crash instead of answering ([`Self::crashes_on`]).
    pub fn matches(&self, version: &Version) -> bool {
        self.matched_alternative(version).is_some()
    }

    /// Which alternative OLM takes for `version`, by its index. Alternatives after an empty one are never reached.
    pub fn matched_alternative(&self, version: &Version) -> Option<usize> {
        let reached = self.alternatives.iter().take_while(|a| !a.comparators.is_empty());
        reached.enumerate().find(|(_, a)| a.matches(version)).map(|(n, _)| n)
    }

    /// Whether evaluating the range panics in OLM for at least some versions: an alternative is empty.
    pub fn crashes(&self) -> bool {
        self.alternatives.iter().any(|a| a.comparators.is_empty())
    }

    /// Whether evaluating the range for `version` panics in OLM: no alternative before the empty one matches.
    pub fn crashes_on(&self, version: &Version) -> bool {
        self.crashes() && !self.matches(version)
    }

    /// What parses but surprises, in the order of the text.
    pub fn oddities(&self) -> &[Oddity] {
        &self.oddities
    }
}

impl fmt::Display for Range {
    /// The expanded meaning, `>=1.0.0 <2.0.0` for `1.x`. An empty alternative shows as nothing between its bars.
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
