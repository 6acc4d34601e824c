//! Canonical writer: one document as `opm render` writes it, in YAML and in JSON.
//!
//! opm encodes a blob as JSON and converts that to YAML with go-yaml v2, whose emitter is derived from
//! libyaml's. Published catalogs look like its output, so this module reproduces it to the byte:
//!
//! - keys are in *natural order*; list items are flush with the key they belong to;
//! - a string is plain unless a YAML 1.1 reader would read another type or its characters forbid it. Otherwise it
//!   is in single quotes, or in double quotes if only those can represent it;
//! - plain and quoted texts fold at the first single blank after column 80, block texts never fold;
//! - numbers have Go's shortest form.
//!
//! The output differs from opm's only if opm loses data or fails:
//!
//! - a next-line character (U+0085) is kept; opm replaces it by a blank;
//! - DEL and the C1 controls are escaped; opm cannot render them;
//! - a key `<<` is quoted; opm leaves it plain, so it reads back as a merge;
//! - a multi-line text that ends with a line or paragraph separator is quoted; opm's block swallows the next
//!   `---`.

#[cfg(test)]
mod round_trip;
mod scalar;
mod yaml;

#[cfg(test)]
pub(crate) mod tests;

use std::fmt::Write as _;

use super::yaml::{is_plain_text, is_timestamp};
use crate::node::{Member, Node, Number, Value};
use scalar::push_blanks;

pub(crate) use yaml::effective_members;

pub use scalar::write_inline_scalar;
pub use yaml::{write_indented_yaml, write_yaml};

/// Formats a number as in opm's JSON: rounded to a 64-bit float and printed by Go's `encoding/json`. Text that
/// is not a finite number is unchanged.
pub(crate) fn format_json_number(text: &str) -> String {
    let number = text.parse().ok().and_then(Number::from_f64);
    number.map_or_else(|| text.to_owned(), |number| number.0.into_owned())
}

/// Formats a JSON number as go-yaml does. 64-bit integers keep all digits. Other numbers use Go's format `g`
/// with the fewest digits, which is scientific below 1e-04 and from 1e+06 on.
pub fn format_yaml_number(text: &str) -> String {
    if let Ok(integer) = text.parse::<i64>() {
        return integer.to_string();
    }
    if let Ok(integer) = text.parse::<u64>() {
        return integer.to_string();
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => format_general(value),
        _ => text.to_owned(),
    }
}

fn format_general(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..6).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
        }
        _ => value.to_string(),
    }
}

/// Blanks per level.
const STEP: usize = 4;

/// Writes one document like Go's `json.Encoder` with an indent of four blanks. Keys keep the order of the tree;
/// the last of repeated keys counts.
///
/// [`normalize`](crate::text::canonical::normalize) establishes opm's key order.
pub fn write_json(node: &Node) -> String {
    let mut writer = Writer { out: String::new(), open: Vec::new() };
    writer.write_node(node);
    writer.write_all();
    writer.out.push('\n');
    writer.out
}

/// A list or object with remaining children. On an explicit stack, because nesting may be 10,000 levels deep.
struct Open<'a> {
    children: Children<'a>,
    first: bool,
}

enum Children<'a> {
    List(std::slice::Iter<'a, Node<'a>>),
    Map(std::vec::IntoIter<&'a Member<'a>>),
}

struct Writer<'a> {
    out: String,
    open: Vec<Open<'a>>,
}

impl<'a> Writer<'a> {
    fn write_all(&mut self) {
        let mut depth = self.open.len();
        while let Some(Open { children, first }) = self.open.last_mut() {
            let (key, child, end) = match children {
                Children::List(items) => (None, items.next(), ']'),
                Children::Map(members) => match members.next() {
                    Some(member) => (Some(member.key.as_ref()), Some(&member.value), '}'),
                    None => (None, None, '}'),
                },
            };
            if let Some(child) = child {
                self.out.push_str(if *first { "\n" } else { ",\n" });
                *first = false;
                self.indent(depth);
                if let Some(key) = key {
                    self.write_string(key);
                    self.out.push_str(": ");
                }
                self.write_node(child);
            } else {
                self.open.pop();
                self.out.push('\n');
                self.indent(depth - 1);
                self.out.push(end);
            }
            depth = self.open.len();
        }
    }

    fn write_node(&mut self, node: &'a Node) {
        match &node.value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(Number(text)) => self.out.push_str(text),
            Value::String(text) => self.write_string(text),
            Value::List(items) if items.is_empty() => self.out.push_str("[]"),
            Value::Map(members) if members.is_empty() => self.out.push_str("{}"),
            Value::List(items) => {
                self.out.push('[');
                self.open.push(Open { children: Children::List(items.iter()), first: true });
            }
            Value::Map(members) => {
                self.out.push('{');
                let members = effective_members(members).into_iter();
                self.open.push(Open { children: Children::Map(members), first: true });
            }
        }
    }

    fn indent(&mut self, depth: usize) {
        push_blanks(&mut self.out, depth * STEP);
    }

    /// Writes a string with the escapes of `encoding/json` without HTML escapes.
    fn write_string(&mut self, text: &str) {
        self.out.push('"');
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c < ' ' || matches!(c, '"' | '\\' | '\u{2028}' | '\u{2029}'))
        {
            self.out.push_str(&rest[..at]);
            let mut chars = rest[at..].chars();
            match chars.next() {
                Some('"') => self.out.push_str("\\\""),
                Some('\\') => self.out.push_str("\\\\"),
                Some('\n') => self.out.push_str("\\n"),
                Some('\r') => self.out.push_str("\\r"),
                Some('\t') => self.out.push_str("\\t"),
                Some('\u{8}') => self.out.push_str("\\b"),
                Some('\u{c}') => self.out.push_str("\\f"),
                Some(other) => {
                    // Writing to a string cannot fail.
                    let _ = write!(self.out, "\\u{:04x}", u32::from(other));
                }
                None => {}
            }
            rest = chars.as_str();
        }
        self.out.push_str(rest);
        self.out.push('"');
    }
}

/// Returns true if go-yaml v2 may write `text` without quotes. It must read it as the same string, not as a
/// date, and no other YAML 1.1 reader may read it as a base-60 number.
fn is_read_as_string(text: &str) -> bool {
    is_plain_text(text) && !(starts_like_number(text) && (is_timestamp(text) || is_base60(text)))
}

/// Returns true if readers of YAML 1.1 and 1.2 in general read `text` as a string. For text in files that opm
/// did not write.
fn is_read_as_string_everywhere(text: &str) -> bool {
    let number = starts_like_number(text) && {
        let plain = text.replace('_', "");
        plain.parse::<f64>().is_ok() || is_based_number(&plain)
    };
    is_read_as_string(text) && !number && !starts_like_date(text) && !matches!(text, "=" | "<<")
}

fn starts_like_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
}

/// Returns true for `0x`, `0o` and `0b` with any number of digits. go-yaml reads those beyond 64 bits as
/// strings.
fn is_based_number(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = ["0x", "0X", "0o", "0O", "0b", "0B"].iter().find_map(|prefix| text.strip_prefix(prefix));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Returns true for base-60 numbers of YAML 1.1: `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`.
fn is_base60(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = text.split(':');
    let first = parts.next().unwrap_or_default();
    if !first.starts_with(|c: char| c.is_ascii_digit())
        || !first.bytes().all(|b| b.is_ascii_digit() || b == b'_')
    {
        return false;
    }
    let sixtieth = |part: &str| match part.as_bytes() {
        [one] => one.is_ascii_digit(),
        [b'0'..=b'5', two] => two.is_ascii_digit(),
        _ => false,
    };
    let mut rest: Vec<&str> = parts.collect();
    let Some(last) = rest.pop() else {
        return false;
    };
    let (last, fraction) = last.split_once('.').unwrap_or((last, ""));
    rest.into_iter().all(sixtieth)
        && sixtieth(last)
        && fraction.bytes().all(|b| b.is_ascii_digit() || b == b'_')
}

/// Returns true for text that YAML 1.1 readers with the full timestamp pattern take for a date: `2001-1-1`,
/// alone or before a time.
fn starts_like_date(text: &str) -> bool {
    let mut rest = text;
    let mut number = |most: usize, least: usize| {
        let digits = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        rest = &rest[digits..];
        let after = rest.bytes().next();
        rest = rest.get(1..).unwrap_or_default();
        (digits >= least, after)
    };
    number(4, 4) == (true, Some(b'-'))
        && number(2, 1) == (true, Some(b'-'))
        && matches!(number(2, 1), (true, None | Some(b't' | b'T' | b' ' | b'\t')))
}
