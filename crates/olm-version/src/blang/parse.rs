//! Parser of comparators, with the library's way of splitting.

use super::{
    super::{RangeError, Version, error::column_of},
    Alternative, Comparator, Expansion, Operator, Quirk, QuirkKind, Range, expand_wildcard,
};

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
pub(super) fn parse_range(text: &str) -> Result<Range, RangeError> {
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
pub(super) struct ParsedOperator(pub(super) Operator);

impl ParsedOperator {
    pub(super) fn parse(text: &str) -> Option<Self> {
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
