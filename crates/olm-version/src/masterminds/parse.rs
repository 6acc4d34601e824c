//! Parser of clauses.

use std::ops::Range;

use super::{
    super::{RangeError, error::column_of},
    Clause, Constraint, Group, Operator, Specified,
};

/// Maximum length of a constraint in bytes.
const MAX_LEN: usize = 512;
/// Maximum number of sides of `||`.
const MAX_GROUPS: usize = 32;
/// Maximum length of a version in bytes.
const MAX_VERSION_LEN: usize = 256;

/// An error with its byte offset.
struct ParseError {
    message: String,
    offset: usize,
}

fn parse_error<T>(message: impl Into<String>, offset: usize) -> Result<T, ParseError> {
    Err(ParseError { message: message.into(), offset })
}

/// Parses without a hint.
pub(super) fn parse_constraint(text: &str) -> Result<Constraint, RangeError> {
    let error = |message: String, offset: usize| RangeError::new(message, column_of(text, offset));
    if text.len() > MAX_LEN {
        return Err(error(format!("the constraint is longer than {MAX_LEN} bytes"), MAX_LEN));
    }
    let rewritten = rewrite_hyphen_ranges(text);
    parse_rewritten(&rewritten).map_err(|f| error(f.message, rewritten.original_offset(f.offset)))
}

fn parse_rewritten(rewritten: &Rewritten) -> Result<Constraint, ParseError> {
    let mut groups = Vec::new();
    let mut start = 0;
    for side in rewritten.text.split("||") {
        if groups.len() == MAX_GROUPS {
            return parse_error(format!("more than {MAX_GROUPS} sides of `||`"), start);
        }
        groups.push(parse_group(rewritten, start..start + side.len())?);
        start += side.len() + 2;
    }
    Ok(Constraint { groups })
}

fn parse_group(rewritten: &Rewritten, range: Range<usize>) -> Result<Group, ParseError> {
    let text = &rewritten.text;
    let bytes = text.as_bytes().get(..range.end).unwrap_or_default();
    let mut clauses = Vec::new();
    let mut at = skip_space(bytes, range.start);
    loop {
        let (clause, end) = parse_clause(rewritten, bytes, at)?;
        clauses.push(clause);
        at = skip_space(bytes, end);
        match bytes.get(at) {
            None => return Ok(Group { clauses }),
            Some(b',') => at = skip_space(bytes, at + 1),
            Some(_) if at > end => {}
            Some(_) if rewritten.is_inserted(at) => {
                return parse_error("a hyphen range needs a comma before it", at);
            }
            Some(_) => return parse_error(junk_message(text, at), at),
        }
    }
}

/// Parses one clause at `at` and returns it with the offset after it.
fn parse_clause(rewritten: &Rewritten, bytes: &[u8], at: usize) -> Result<(Clause, usize), ParseError> {
    let text = &rewritten.text;
    let run = bytes.iter().skip(at).take_while(|b| b"=!<>~^".contains(b)).count();
    let sign = text.get(at..at + run).unwrap_or_default();
    let operator = match sign {
        "" | "=" => Operator::Equal,
        "!=" => Operator::NotEqual,
        ">" => Operator::Greater,
        ">=" | "=>" => Operator::GreaterOrEqual,
        "<" => Operator::Less,
        "<=" | "=<" => Operator::LessOrEqual,
        "~" | "~>" => Operator::Tilde,
        "^" => Operator::Caret,
        // The `>=` of a rewritten hyphen range joins the operator before it.
        _ if rewritten.is_inserted((at + run).saturating_sub(2)) => {
            return parse_error("no operator may stand before a hyphen range", at);
        }
        _ => return parse_error(format!("unknown operator `{sign}`"), at),
    };
    let start = skip_space(bytes, at + run);
    let scanned = match scan_version(bytes, start) {
        Ok(scanned) => scanned,
        Err(stop) => return parse_error(no_version_message(text, bytes, stop), stop),
    };
    Ok((to_clause(text, operator, &scanned)?, scanned.end))
}

/// Parts of a version in a constraint, as byte ranges; `end` is one past the last.
pub(super) struct ScannedVersion {
    whole: Range<usize>,
    numbers: [Option<Range<usize>>; 3],
    pre: Option<Range<usize>>,
    pub(super) end: usize,
}

/// Finds the longest version at `start`. The error is the offset at which the first number is
/// missing.
pub(super) fn scan_version(bytes: &[u8], start: usize) -> Result<ScannedVersion, usize> {
    // The library's character class includes a bar by mistake. A part with a bar is valid only
    // after a wildcard, because the library ignores it there.
    let number = |b: u8| b.is_ascii_digit() || b"|xX*".contains(&b);
    let run = |from: usize, accept: &dyn Fn(u8) -> bool| {
        from..from + bytes.iter().skip(from).take_while(|b| accept(**b)).count()
    };
    let has_v = bytes.get(start) == Some(&b'v');
    let major = run(start + usize::from(has_v), &number);
    if major.is_empty() {
        return Err(major.start);
    }
    let mut end = major.end;
    let mut numbers = [Some(major), None, None];
    for slot in numbers.iter_mut().skip(1) {
        let part = run(end + 1, &number);
        if bytes.get(end) != Some(&b'.') || part.is_empty() {
            break;
        }
        end = part.end;
        *slot = Some(part);
    }
    let identifiers = |end: usize, mark: u8| {
        let identifier = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        let first = run(end + 1, &identifier);
        if bytes.get(end) != Some(&mark) || first.is_empty() {
            return None;
        }
        let mut stop = first.end;
        loop {
            let next = run(stop + 1, &identifier);
            if bytes.get(stop) != Some(&b'.') || next.is_empty() {
                return Some(first.start..stop);
            }
            stop = next.end;
        }
    };
    let pre = identifiers(end, b'-');
    end = pre.as_ref().map_or(end, |pre| pre.end);
    end = identifiers(end, b'+').map_or(end, |build| build.end);
    Ok(ScannedVersion { whole: start..end, numbers, pre, end })
}

/// Creates a clause from an operator and a scanned version.
fn to_clause(text: &str, operator: Operator, scanned: &ScannedVersion) -> Result<Clause, ParseError> {
    let mut values = [0; 3];
    let mut count = 0;
    for (value, range) in values.iter_mut().zip(&scanned.numbers) {
        let Some(range) = range else { break };
        let part = text.get(range.clone()).unwrap_or_default();
        if matches!(part, "x" | "X" | "*") {
            break;
        }
        // Leading zeros are allowed here.
        *value = match part.parse() {
            Ok(value) => value,
            Err(_) if part.bytes().all(|b| b.is_ascii_digit()) => {
                return parse_error(
                    format!("the number `{part}` is larger than 18446744073709551615"),
                    range.start,
                );
            }
            Err(_) => {
                return parse_error(format!("`{part}` is neither a number nor a wildcard"), range.start);
            }
        };
        count += 1;
    }
    let given = [Specified::Nothing, Specified::Major, Specified::Minor, Specified::Full][count];
    let mut pre = "";
    if let Some(range) = &scanned.pre {
        pre = text.get(range.clone()).unwrap_or_default();
        let mut at = range.start;
        for identifier in pre.split('.') {
            let zero = identifier.len() > 1 && identifier.starts_with('0');
            if zero && identifier.bytes().all(|b| b.is_ascii_digit()) {
                return parse_error(format!("the pre-release number `{identifier}` begins with a zero"), at);
            }
            at += identifier.len() + 1;
        }
    }
    if parser_input_len(scanned, given, pre) > MAX_VERSION_LEN {
        return parse_error(format!("a version is longer than {MAX_VERSION_LEN} bytes"), scanned.whole.start);
    }
    let [major, minor, patch] = values;
    Ok(Clause { operator, specified: given, major, minor, patch, pre: pre.to_owned() })
}

/// Returns the length of the text that the library passes to its version parser, which limits it.
/// In a partial version the library replaces the missing numbers by zeros.
fn parser_input_len(scanned: &ScannedVersion, given: Specified, pre: &str) -> usize {
    let number = |n: usize| scanned.numbers.get(n).and_then(Option::as_ref).map_or(0, ExactSizeIterator::len);
    let numbers = match given {
        Specified::Full => return scanned.whole.len(),
        Specified::Nothing => "0.0.0".len(),
        Specified::Major => number(0) + ".0.0".len(),
        Specified::Minor => number(0) + 1 + number(1) + ".0".len(),
    };
    numbers + if pre.is_empty() { 0 } else { pre.len() + 1 }
}

/// Returns true for white space in Go's regular expressions.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// Returns the offset of the first byte from `at` on that is not white space.
fn skip_space(bytes: &[u8], at: usize) -> usize {
    at + bytes.iter().skip(at).take_while(|b| is_space(**b)).count()
}

fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..).and_then(|rest| rest.chars().next())
}

fn no_version_message(text: &str, bytes: &[u8], at: usize) -> String {
    if bytes.get(at).is_none() {
        return if text.trim().is_empty() { "the constraint is empty" } else { "a version is missing" }
            .into();
    }
    match char_at(text, at) {
        Some('V') => "a leading `v` must be lower case".into(),
        Some(',') => "a comma needs a version on both sides".into(),
        Some(found) => format!("a version is expected, not `{found}`"),
        None => "a version is expected".into(),
    }
}

fn junk_message(text: &str, at: usize) -> String {
    match char_at(text, at) {
        Some('=' | '!' | '<' | '>' | '~' | '^') => "separate clauses by a comma or a space".into(),
        Some('.') => "a version has at most three numbers".into(),
        Some(found) => format!("`{found}` does not belong to a version"),
        None => "this does not belong to a version".into(),
    }
}

/// Rewritten text with the original offset of each byte. `end` is the length of the original text.
pub(super) struct Rewritten {
    pub(super) text: String,
    original_offsets: Vec<usize>,
    original_len: usize,
}

impl Rewritten {
    /// Returns the original offset of an offset in this text.
    fn original_offset(&self, offset: usize) -> usize {
        self.original_offsets.get(offset).copied().unwrap_or(self.original_len)
    }

    /// Returns true if an inserted `>= ` begins at an offset.
    fn is_inserted(&self, offset: usize) -> bool {
        // All bytes of an inserted text have the same original offset; copied bytes have different
        // ones.
        self.text.as_bytes().get(offset) == Some(&b'>')
            && self.original_offset(offset) == self.original_offset(offset + 1)
    }

    /// Replaces a byte range with pieces. Each has its text, the original offset of its first byte,
    /// and true if the text is copied from the original and not inserted.
    fn replace(&mut self, at: usize, len: usize, pieces: &[(&str, usize, bool)]) {
        let text: String = pieces.iter().map(|(piece, ..)| *piece).collect();
        let origin: Vec<usize> = pieces
            .iter()
            .flat_map(|&(piece, start, copied)| {
                (0..piece.len()).map(move |n| start + if copied { n } else { 0 })
            })
            .collect();
        self.text.replace_range(at..at + len, &text);
        self.original_offsets.splice(at..at + len, origin);
    }
}

/// A hyphen range, as byte ranges: the whole with surrounding blanks, and its two versions.
struct HyphenRange {
    whole: (usize, usize),
    from: (usize, usize),
    to: (usize, usize),
}

/// Rewrites every `A - B` to `>= A, <= B `. Callers limit the length of `text`.
fn rewrite_hyphen_ranges(text: &str) -> Rewritten {
    let mut rewritten = Rewritten {
        text: text.to_owned(),
        original_offsets: (0..text.len()).collect(),
        original_len: text.len(),
    };
    let mut at = 0;
    while at < text.len() {
        let Some(found) = hyphen_range_at(text, at) else {
            at += 1;
            continue;
        };
        let slice = |(start, end): (usize, usize)| text.get(start..end).unwrap_or_default();
        // The library replaces the first text equal to the match, which may be at another position.
        let whole = slice(found.whole);
        if let Some(place) = rewritten.text.find(whole) {
            let pieces = [
                (">= ", found.from.0, false),
                (slice(found.from), found.from.0, true),
                (", <= ", found.to.0, false),
                (slice(found.to), found.to.0, true),
                (" ", found.to.1, false),
            ];
            rewritten.replace(place, whole.len(), &pieces);
        }
        at = found.whole.1;
    }
    rewritten
}

/// Returns a hyphen range that begins, including blanks, exactly at `start`.
fn hyphen_range_at(text: &str, start: usize) -> Option<HyphenRange> {
    let bytes = text.as_bytes();
    let from = skip_space(bytes, start);
    let from_end = scan_version(bytes, from).ok()?.end;
    let hyphen = skip_space(bytes, from_end);
    let after = hyphen + 1;
    if hyphen == from_end
        || bytes.get(hyphen) != Some(&b'-')
        || !bytes.get(after).copied().is_some_and(is_space)
    {
        return None;
    }
    let to = skip_space(bytes, after);
    let to_end = scan_version(bytes, to).ok()?.end;
    Some(HyphenRange { whole: (start, skip_space(bytes, to_end)), from: (from, from_end), to: (to, to_end) })
}
