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
//! - `<0.1.x-foo` is `<0.1.0-foo`;
//! - an empty alternative (`>=2.0.0 || * || <1.0.0`) crashes the program that evaluates it.

mod coverage;

use std::fmt;

pub use coverage::{Coverage, VersionInterval};

use super::{RangeError, Version, error::column_of};
use crate::masterminds;

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
    /// An `x` with more text after it, such as a placeholder in `<0.1.x-foo`: the library reads it as `0` and keeps
    /// the text.
    Placeholder {
        /// Resulting comparator, such as `<0.1.0-foo`.
        becomes: String,
    },
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
        parse_range(text).map_err(|error| error.with_suggestion(suggest_spelling(text)))
    }

    /// Parses a range without a hint for errors.
    pub(super) fn parse_without_hint(text: &str) -> Result<Self, RangeError> {
        parse_range(text)
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

/// Suggests the spelling of `text` in this dialect; `None` if the intention is not clear.
fn suggest_spelling(text: &str) -> Option<String> {
    let text = text.replace("==", "=").replace("&&", " ").replace('\t', " ");
    let spelling = masterminds::blang_spelling(&text)?;
    // Only a valid range is suggested.
    parse_range(&spelling).is_ok_and(|range| range.quirks.is_empty()).then_some(spelling)
}

/// Comparators that replace a comparator with a wildcard. Their versions are not parsed and may be
/// invalid.
struct Expansion {
    comparators: Vec<(Operator, String)>,
    /// True if the operator is unknown: the library drops it and compares for equality.
    dropped_operator: bool,
}

/// Expands a token that contains an `x`, even if it is not a wildcard (`>=1.0.0-next.1`); `None` for other
/// tokens.
fn expand_wildcard(token: &str, operator: &str, version: &str) -> Option<Expansion> {
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

/// Returns true if an `x` is expanded although the version is not a wildcard version: `0.1.x-foo`.
fn is_placeholder(version: &str) -> bool {
    let is_part = |part: &str| part == "x" || part.bytes().all(|b| b.is_ascii_digit());
    version.contains(".x") && !version.split('.').all(is_part)
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

impl Alternative {
    /// Returns the lowest version that satisfies every comparator; `None` if there is none.
    ///
    /// The order of versions is not dense, so this is exact: `>1.0.0 <1.0.1-0` has none.
    pub fn lowest(&self) -> Option<Version> {
        if self.comparators.is_empty() {
            return None;
        }
        // The lowest of all versions is 0.0.0-0.
        let mut lowest = Version::parse("0.0.0-0").ok()?;
        for comparator in &self.comparators {
            let bound = match comparator.operator {
                Operator::Equal | Operator::GreaterOrEqual => comparator.version.clone(),
                Operator::Greater => comparator.version.successor()?,
                Operator::NotEqual | Operator::Less | Operator::LessOrEqual => continue,
            };
            if bound.cmp_precedence(&lowest).is_gt() {
                lowest = bound;
            }
        }
        // Ascending, so that each exclusion is visited once.
        let exclusions = self.comparators.iter().filter(|c| c.operator == Operator::NotEqual);
        let mut excluded: Vec<&Version> = exclusions.map(|c| &c.version).collect();
        excluded.sort_by(|a, b| a.cmp_precedence(b));
        for version in excluded {
            if version.cmp_precedence(&lowest).is_eq() {
                lowest = lowest.successor()?;
            }
        }
        self.matches(&lowest).then_some(lowest)
    }

    /// Returns true if matching versions are unbounded: it can match, and has no upper limit.
    pub fn is_unbounded_above(&self) -> bool {
        let limited = self
            .comparators
            .iter()
            .any(|c| matches!(c.operator, Operator::Equal | Operator::Less | Operator::LessOrEqual));
        !self.comparators.is_empty() && !limited
    }
}

impl Range {
    /// Returns true if no version matches.
    pub fn is_empty(&self) -> bool {
        self.reachable_alternatives().all(|a| a.lowest().is_none())
    }

    /// Returns true if versions without an upper limit match. As a `skipRange`, it also covers every future
    /// version.
    pub fn is_unbounded_above(&self) -> bool {
        self.reachable_alternatives().any(Alternative::is_unbounded_above)
    }

    /// Returns the alternatives before the first empty one, at which OLM crashes.
    fn reachable_alternatives(&self) -> impl Iterator<Item = &Alternative> {
        self.alternatives.iter().take_while(|a| !a.comparators.is_empty())
    }
}

/// Text between two separating blanks. `text` does not have blanks: `>= 1.0.0` becomes the token
/// `>=1.0.0`.
struct Token<'a> {
    text: String,
    /// Source text from the beginning of the token, including blanks.
    source: &'a str,
    /// Byte offset of `source` in the range.
    start: usize,
}

impl Token<'_> {
    /// Returns the byte offset in the range of the `n`th byte of the token.
    fn offset(&self, n: usize) -> usize {
        let mut bytes = self.source.bytes().enumerate().filter(|(_, b)| *b != b' ');
        self.start + bytes.nth(n).map_or(self.source.len(), |(at, _)| at)
    }
}

/// Parses without a hint.
fn parse_range(text: &str) -> Result<Range, RangeError> {
    let error = |message: String, offset: usize| RangeError::new(message, column_of(text, offset));
    // Quirks with byte offsets, which become columns at the end.
    let mut quirks: Vec<(usize, QuirkKind)> = Vec::new();
    let tokens = split_tokens(text, &mut quirks);
    let mut alternatives = Vec::new();
    let mut current = Alternative::default();
    let mut is_alternative_empty = true;
    for token in &tokens {
        if token.text == "||" {
            if is_alternative_empty && alternatives.is_empty() {
                return Err(error("nothing before `||`".into(), token.start));
            }
            if is_alternative_empty {
                quirks.push((token.start, QuirkKind::EmptyAlternative));
            }
            alternatives.push(std::mem::take(&mut current));
            is_alternative_empty = true;
            continue;
        }
        is_alternative_empty = false;
        parse_token(token, &mut current, &mut quirks).map_err(|(message, offset)| error(message, offset))?;
    }
    if is_alternative_empty {
        let message = match quirks.first() {
            _ if !alternatives.is_empty() => "nothing after `||`",
            Some(_) => "a single character is not a range",
            None => "the range is empty",
        };
        return Err(error(message.into(), text.len()));
    }
    alternatives.push(current);
    Ok(Range { alternatives, quirks: with_columns(text, quirks) })
}

/// Sorts by position and converts offsets to columns, in one pass over the text.
fn with_columns(text: &str, mut quirks: Vec<(usize, QuirkKind)>) -> Vec<Quirk> {
    quirks.sort_by_key(|(offset, _)| *offset);
    let (mut counted, mut column) = (0, 1);
    let place = |(offset, kind)| {
        column += text.get(counted..offset).map_or(0, |between| between.chars().count());
        counted = offset;
        Quirk { kind, column }
    };
    quirks.into_iter().map(place).collect()
}

/// Splits at blanks, except after `<`, `>` and `=`. Drops tokens of one byte and records them as
/// quirks.
fn split_tokens<'a>(text: &'a str, quirks: &mut Vec<(usize, QuirkKind)>) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let mut push = |start: usize, end: usize| {
        let source = &text[start..end];
        match source.len() {
            0 => {}
            1 => quirks.push((start, QuirkKind::Ignored(source.chars().next().unwrap_or(' ')))),
            _ => tokens.push(Token { text: source.replace(' ', ""), source, start }),
        }
    };
    let mut start = 0;
    let mut last_byte = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte != b' ' {
            last_byte = byte;
        } else if !matches!(last_byte, b'<' | b'>' | b'=') {
            push(start, at);
            start = at + 1;
        }
    }
    push(start, text.len());
    tokens
}

/// Parses one token and adds its comparators to an alternative. An error is a message and a byte
/// offset.
fn parse_token(
    token: &Token<'_>,
    into: &mut Alternative,
    quirks: &mut Vec<(usize, QuirkKind)>,
) -> Result<(), (String, usize)> {
    let text = &token.text;
    // As in the library, any Unicode number ends the operator, but only an ASCII digit can begin a
    // version.
    let Some(version_start) = text.find(|c: char| c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric()))
    else {
        return Err((no_version_message(text), token.start));
    };
    let (operator, version) = (text[..version_start].trim(), &text[version_start..]);
    let Some(expansion) = expand_wildcard(text, operator, version) else {
        let comparator = parse_comparator(operator, version).map_err(|(message, at)| {
            let at =
                if at == 0 && ParsedOperator::parse(operator).is_none() { 0 } else { version_start + at };
            (message, token.offset(at))
        })?;
        into.comparators.push(comparator);
        return Ok(());
    };
    let Expansion { comparators, dropped_operator } = expansion;
    let mut becomes = String::new();
    for (operator, version) in comparators {
        let parsed = Version::parse(&version).map_err(|_| {
            let message = if text.contains(".x") {
                format!("`{text}`: the wildcard cannot be expanded to a version")
            } else {
                format!("`{text}`: its `x` is read as a wildcard, which is not allowed here")
            };
            (message, token.offset(version_start))
        })?;
        let comparator = Comparator { operator, version: parsed };
        becomes = comparator.to_string();
        into.comparators.push(comparator);
    }
    if dropped_operator {
        quirks.push((token.start, QuirkKind::OperatorDropped { operator: operator.to_owned(), becomes }));
    } else if operator.starts_with('!') {
        quirks.push((token.start, QuirkKind::NeverMatches));
    } else if version.ends_with(".x.x") && !matches!(operator, ">=" | "<") {
        quirks.push((token.offset(version_start), QuirkKind::MinorIsFixed));
    } else if is_placeholder(version) {
        quirks.push((token.offset(version_start), QuirkKind::Placeholder { becomes }));
    }
    Ok(())
}

fn parse_comparator(operator: &str, version: &str) -> Result<Comparator, (String, usize)> {
    let Some(ParsedOperator(operator)) = ParsedOperator::parse(operator) else {
        return Err((unknown_operator_message(operator, version), 0));
    };
    match Version::parse(version) {
        Ok(version) => Ok(Comparator { operator, version }),
        Err(error) => {
            // If the text has a separator of another dialect, that is the error position.
            let end = find_foreign_separator(version).unwrap_or_else(|| byte_offset(version, error.column));
            Err((bad_version_message(version, &error.to_string()), end))
        }
    }
}

/// An operator in the library's spelling.
struct ParsedOperator(Operator);

impl ParsedOperator {
    fn parse(text: &str) -> Option<Self> {
        Some(Self(match text {
            "" | "=" | "==" => Operator::Equal,
            "!" | "!=" => Operator::NotEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterOrEqual,
            "<" => Operator::Less,
            "<=" => Operator::LessOrEqual,
            _ => return None,
        }))
    }
}

/// Returns the byte offset of a 1-based character column.
fn byte_offset(text: &str, column: usize) -> usize {
    text.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| at)
}

fn no_version_message(text: &str) -> String {
    match text {
        "||" => "found `||`, expected a version".into(),
        _ if text.contains(['x', 'X', '*']) => {
            format!("`{text}`: a wildcard needs at least a major version, as in 1.x")
        }
        _ => format!("`{text}` has no version"),
    }
}

fn unknown_operator_message(operator: &str, version: &str) -> String {
    match operator {
        "v" | "V" => format!("`{operator}{version}`: write versions without `v` here"),
        "~" | "~>" | "^" => format!("the operator `{operator}` does not exist in this range dialect"),
        "||" => "`||` needs a space on both sides".into(),
        _ => format!("unknown operator `{operator}`"),
    }
}

/// Returns the position of a separator of another dialect.
fn find_foreign_separator(version: &str) -> Option<usize> {
    let of = |meant: &[char]| version.find(meant);
    version.find("||").or_else(|| of(&[','])).or_else(|| of(&['\t'])).or_else(|| of(&['<', '>', '=']))
}

fn bad_version_message(version: &str, why: &str) -> String {
    if version.contains("||") {
        format!("`{version}`: `||` needs a space on both sides")
    } else if version.contains(',') {
        format!("`{version}`: separate comparators by spaces, not commas, in this range dialect")
    } else if version.contains('\t') {
        format!("`{}`: separate comparators by spaces, not tabs", version.replace('\t', "\\t"))
    } else if version.contains(['<', '>', '=']) {
        format!("`{version}`: separate comparators by spaces")
    } else if version.contains(['X', '*']) {
        format!("`{version}`: the wildcard is a lower case `x` in this range dialect")
    } else {
        format!("`{version}`: {why}")
    }
}
