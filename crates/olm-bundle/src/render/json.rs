//! Compact JSON like Go's.

use olm_catalog::{Member, Node, Number, Value};

/// Treatment of keys and characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JsonStyle {
    /// Like `json.Marshal` of a map: sorted keys, the last of duplicates; `<`, `>`, `&` escaped.
    Marshalled,
    /// Like YAML converted to JSON: as above, but numbers keep all digits.
    Kept,
    /// Like a marshalled struct: keys in order; `<`, `>`, `&` escaped.
    Escaped,
    /// Like `json.Compact` of a raw value: keys and characters unchanged.
    Raw,
}

/// Formats a tree on one line.
pub fn compact_json(node: &Node, style: JsonStyle) -> String {
    let mut out = String::new();
    let mut work = vec![Work::Node(node)];
    // An explicit stack, because nesting may be 10,000 levels deep.
    while let Some(next) = work.pop() {
        match next {
            Work::Text(text) => out.push_str(text),
            Work::Key(key) => {
                write_string(&mut out, key, style);
                out.push(':');
            }
            Work::Node(node) => match &node.value {
                Value::Null => out.push_str("null"),
                Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
                Value::Number(Number(text)) if style == JsonStyle::Marshalled => {
                    out.push_str(&format_number(text));
                }
                Value::Number(Number(text)) => out.push_str(text),
                Value::String(text) => write_string(&mut out, text, style),
                Value::List(items) => {
                    out.push('[');
                    work.push(Work::Text("]"));
                    for (at, item) in items.iter().enumerate().rev() {
                        work.push(Work::Node(item));
                        if at > 0 {
                            work.push(Work::Text(","));
                        }
                    }
                }
                Value::Map(members) => {
                    out.push('{');
                    work.push(Work::Text("}"));
                    for (at, member) in ordered_members(members, style).into_iter().enumerate().rev() {
                        work.push(Work::Node(&member.value));
                        work.push(Work::Key(&member.key));
                        if at > 0 {
                            work.push(Work::Text(","));
                        }
                    }
                }
            },
        }
    }
    out
}

enum Work<'n> {
    Text(&'static str),
    Key(&'n str),
    Node(&'n Node<'n>),
}

fn ordered_members<'n, 'a>(members: &'n [Member<'a>], style: JsonStyle) -> Vec<&'n Member<'a>> {
    let mut kept: Vec<&Member> = members.iter().collect();
    if !matches!(style, JsonStyle::Raw | JsonStyle::Escaped) {
        kept.sort_by(|a, b| a.key.cmp(&b.key));
        kept.dedup_by(|next, kept| {
            let same = next.key == kept.key;
            if same {
                *kept = *next;
            }
            same
        });
    }
    kept
}

/// Formats a number that passes through an `interface{}`: 64-bit integers unchanged, others as floats.
fn format_number(text: &str) -> String {
    if let Ok(whole) = text.parse::<i64>() {
        return whole.to_string();
    }
    let float = text.parse::<f64>().ok().and_then(Number::from_f64);
    float.map_or_else(|| text.to_owned(), |number| number.0.into_owned())
}

fn write_string(out: &mut String, text: &str, style: JsonStyle) {
    use std::fmt::Write as _;
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' if style != JsonStyle::Raw => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c if c < ' ' || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Quotes a string without escaping `<>&`.
pub(super) fn quote_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text, JsonStyle::Raw);
    out
}

/// Removes the blanks between the tokens of JSON text; other bytes are unchanged.
pub(super) fn strip_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_text, mut escaped) = (false, false);
    for c in text.chars() {
        if in_text {
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if matches!(c, ' ' | '\t' | '\n' | '\r') {
            continue;
        } else {
            in_text = c == '"';
        }
        out.push(c);
    }
    out
}
