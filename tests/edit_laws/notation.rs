//! Random notations for documents.

use std::fmt::Write as _;

use olm_catalog::text::{
    canonical::{self, RenderFormat},
    split,
};
use proptest::prelude::*;
use serde_json::Value;

/// Notation of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// Output of `opm render -o yaml`.
    Canonical,
    /// Output of `opm render -o json`.
    CanonicalJson,
    /// JSON, one object per line.
    Lines,
    /// JSON with the given indentation per level.
    Indented(&'static str),
    /// YAML in flow style.
    Flow,
    /// Handwritten YAML.
    ExplorerDriver(Handwriting),
}

/// Habits of a user who writes YAML.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handwriting {
    /// Indentation of a list below its key.
    offset: usize,
    /// Entries and skips in flow style.
    brackets: bool,
    /// Bit set of lines with comments.
    comments: u32,
    /// Quoting of strings.
    quotes: u8,
    /// Blank lines between entries.
    airy: bool,
    /// Keys begin with a capital letter.
    capital: bool,
    crlf: bool,
    bom: bool,
    final_newline: bool,
    /// A separator precedes the first document.
    separator_first: bool,
}

pub fn notation() -> impl Strategy<Value = Notation> {
    prop_oneof![
        3 => Just(Notation::Canonical),
        2 => Just(Notation::CanonicalJson),
        1 => Just(Notation::Lines),
        1 => prop::sample::select(vec!["  ", "\t", "   "]).prop_map(Notation::Indented),
        2 => Just(Notation::Flow),
        6 => handwriting().prop_map(Notation::ExplorerDriver),
    ]
}

fn handwriting() -> impl Strategy<Value = Handwriting> {
    let looks = (prop::sample::select(vec![0_usize, 2, 4, 1]), any::<bool>(), any::<u32>(), 0..3_u8);
    let rest = (
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.15),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.15),
        prop::bool::weighted(0.7),
        any::<bool>(),
    );
    (looks, rest).prop_map(|((offset, brackets, comments, quotes), rest)| {
        let (airy, capital, crlf, bom, final_newline, separator_first) = rest;
        Handwriting {
            offset,
            brackets,
            comments,
            quotes,
            airy,
            capital,
            crlf,
            bom,
            final_newline,
            separator_first,
        }
    })
}

impl Notation {
    /// Returns the format in which opm renders the notation; `None` for other notations.
    pub fn canonical_format(self) -> Option<RenderFormat> {
        match self {
            Self::Canonical => Some(RenderFormat::Yaml),
            Self::CanonicalJson => Some(RenderFormat::Json),
            _ => None,
        }
    }

    /// Writes documents to a file.
    pub fn write_file(self, docs: &[Value]) -> Vec<u8> {
        match self {
            Self::Canonical => render_canonical(&write_json_lines(docs), RenderFormat::Yaml).into_bytes(),
            Self::CanonicalJson => render_canonical(&write_json_lines(docs), RenderFormat::Json).into_bytes(),
            Self::Lines => write_json_lines(docs),
            Self::Indented(unit) => {
                let mut out = Vec::new();
                for doc in docs {
                    let form = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
                    let mut writer = serde_json::Serializer::with_formatter(&mut out, form);
                    serde::Serialize::serialize(doc, &mut writer).unwrap();
                    out.push(b'\n');
                }
                out
            }
            Self::Flow => {
                docs.iter().flat_map(|doc| format!("---\n{}\n", write_flow(doc, 0)).into_bytes()).collect()
            }
            Self::ExplorerDriver(hand) => hand.write_handwritten(docs),
        }
    }
}

fn write_json_lines(docs: &[Value]) -> Vec<u8> {
    docs.iter().flat_map(|doc| format!("{doc}\n").into_bytes()).collect()
}

/// Renders a file as opm does.
pub fn render_canonical(bytes: &[u8], format: RenderFormat) -> String {
    let chunks = split::split_chunks(bytes).into_iter();
    let docs = chunks.map(|chunk| {
        let split::ChunkKind::Document(format) = chunk.kind else { panic!("no document") };
        split::parse_chunk(format, &bytes[chunk.range]).unwrap()
    });
    canonical::render_documents(&docs.collect::<Vec<_>>(), format)
}

/// Writes a value in flow style.
fn write_flow(value: &Value, quotes: u8) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| write_flow(item, quotes)).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let members = map.iter().map(|(key, value)| format!("{key}: {}", write_flow(value, quotes)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => write_string(text, quotes),
        other => other.to_string(),
    }
}

/// Writes a string, without quotes if it cannot be parsed as another type.
fn write_string(text: &str, quotes: u8) -> String {
    let bare = text.len() > 3
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '/'))
        && !["null", "true", "false"].contains(&text);
    let printable = !text.is_empty() && text.chars().all(|c| matches!(c, ' '..='~'));
    match quotes {
        0 | 1 if bare => text.to_owned(),
        1 if printable => format!("'{}'", text.replace('\'', "''")),
        _ => {
            let escaped = text.chars().map(|c| match c {
                '"' | '\\' => format!("\\{c}"),
                ' '..='~' => c.to_string(),
                c => format!("\\U{:08X}", u32::from(c)),
            });
            format!("\"{}\"", escaped.collect::<String>())
        }
    }
}

/// Lines of a document that is being written.
struct LineWriter {
    hand: Handwriting,
    text: String,
    count: u32,
}

impl Handwriting {
    fn write_handwritten(self, docs: &[Value]) -> Vec<u8> {
        let mut lines = LineWriter { hand: self, text: String::new(), count: 0 };
        for (at, doc) in docs.iter().enumerate() {
            if at > 0 || self.separator_first {
                lines.text += "---\n";
            }
            lines.write_comment(0);
            lines.write_members(doc, 0, false, true);
        }
        let mut text = lines.text;
        if !self.final_newline {
            text.truncate(text.trim_end_matches('\n').len());
        }
        if self.crlf {
            text = text.replace('\n', "\r\n");
        }
        if self.bom { [b"\xef\xbb\xbf", text.as_bytes()].concat() } else { text.into_bytes() }
    }
}

impl LineWriter {
    fn has_comment(&mut self) -> bool {
        self.count += 1;
        self.hand.comments >> (self.count * 7 % 32) & 1 == 1
    }

    /// Adds a comment line if the bit set says so.
    fn write_comment(&mut self, column: usize) {
        if self.has_comment() {
            let _ = writeln!(self.text, "{:column$}# c{} #", "", self.count);
        }
    }

    /// Ends a line, with a comment if the bit set says so.
    fn end_line(&mut self) {
        if self.has_comment() {
            let _ = write!(self.text, "  # c{} #", self.count);
        }
        self.text.push('\n');
    }

    fn write_members(&mut self, value: &Value, column: usize, behind_dash: bool, is_root: bool) {
        let map = value.as_object().unwrap();
        for (nth, (key, value)) in map.iter().enumerate() {
            if nth > 0 || !behind_dash {
                if nth > 0 {
                    self.write_comment(column);
                }
                let _ = write!(self.text, "{:column$}", "");
            }
            let (first, rest) = key.split_at(1);
            let key = if self.hand.capital && is_root { first.to_uppercase() + rest } else { key.clone() };
            let _ = write!(self.text, "{key}:");
            let is_nested = self.hand.brackets && !is_root;
            match value {
                Value::Array(items) if !items.is_empty() && !is_nested => {
                    self.end_line();
                    self.write_items(items, column + self.hand.offset);
                }
                Value::Object(map) if !map.is_empty() && !is_nested => {
                    self.end_line();
                    self.write_members(value, column + 2, false, false);
                }
                value => {
                    let _ = write!(self.text, " {}", write_flow(value, self.hand.quotes));
                    self.end_line();
                }
            }
        }
    }

    fn write_items(&mut self, items: &[Value], column: usize) {
        for (nth, item) in items.iter().enumerate() {
            if nth > 0 && self.hand.airy {
                self.text.push('\n');
            }
            self.write_comment(column);
            let _ = write!(self.text, "{:column$}- ", "");
            if item.is_object() && !(self.hand.brackets && nth % 2 == 0) {
                self.write_members(item, column + 2, true, false);
            } else {
                let _ = write!(self.text, "{}", write_flow(item, self.hand.quotes));
                self.end_line();
            }
        }
    }
}
