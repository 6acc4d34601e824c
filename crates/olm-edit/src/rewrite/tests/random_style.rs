//! Random styles of documents.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// Style of a random document.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Debug)]
pub struct RandomStyle {
    pub json: bool,
    /// JSON: indentation per level; `None` for one line.
    unit: Option<&'static str>,
    colon: &'static str,
    separator_line: bool,
    schema_first: bool,
    /// Columns of a list, relative to its key.
    offset: usize,
    /// Blanks after a dash.
    gap: usize,
    flow_entries: bool,
    /// Style of lists inside entries: block, one line, one line padded, or one line per item.
    lists: u8,
    quotes: u8,
    comments: u64,
    blank_lines: bool,
    pub crlf: bool,
    bom: bool,
    final_newline: bool,
    trailing_comma: bool,
}

/// Returns any style.
pub fn random_style() -> impl Strategy<Value = RandomStyle> {
    let shape = (
        any::<bool>(),
        prop::sample::select(vec![None, Some("  "), Some("    "), Some("\t")]),
        prop::sample::select(vec![":", ": ", " : "]),
        any::<bool>(),
        any::<bool>(),
        prop::sample::select(vec![0_usize, 2, 4, 1]),
        prop::sample::select(vec![1_usize, 1, 3]),
        prop::bool::weighted(0.3),
    );
    let looks = (
        0..4_u8,
        0..4_u8,
        prop_oneof![Just(0), any::<u64>()],
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.1),
        any::<bool>(),
        prop::bool::weighted(0.2),
    );
    (shape, looks).prop_map(|(shape, looks)| {
        let (json, unit, colon, separator_line, schema_first, offset, gap, flow_entries) = shape;
        let (lists, quotes, comments, blank_lines, crlf, bom, final_newline, trailing_comma) = looks;
        RandomStyle {
            json,
            unit,
            colon,
            separator_line,
            schema_first,
            offset,
            gap,
            flow_entries,
            lists,
            quotes,
            comments,
            blank_lines,
            crlf,
            bom,
            final_newline,
            trailing_comma,
        }
    })
}

/// Writer of a random document; intentionally shares no code with the tested code.
struct StyledWriter<'h> {
    habit: &'h RandomStyle,
    out: String,
    /// Number of places for a comment so far.
    marks: u32,
}

impl StyledWriter<'_> {
    fn next_comment(&mut self) -> Option<u32> {
        self.marks += 1;
        (!self.habit.json && self.habit.comments >> (self.marks % 64) & 1 == 1).then_some(self.marks)
    }

    /// Writes a possible comment and the line break.
    fn end_line(&mut self) {
        if let Some(mark) = self.next_comment() {
            let _ = write!(self.out, " # c{mark} #");
        }
        self.out.push('\n');
    }

    /// Writes a possible comment on its own line.
    fn write_comment_line(&mut self, column: usize) {
        if let Some(mark) = self.next_comment() {
            let column = if mark % 5 == 0 { column + 1 } else { column };
            let _ = writeln!(self.out, "{:column$}# c{mark} #", "");
        }
    }

    fn format_string(&self, text: &str, flow: bool) -> String {
        let bare = text.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
        let bare = bare && text.contains('v') && text.starts_with(|c: char| c.is_ascii_alphabetic());
        let single = !text.is_empty() && text.chars().all(|c| matches!(c, ' '..='~'));
        let block = text.starts_with("two") && !flow;
        match (self.habit.quotes + text.len() as u8) % 4 {
            _ if self.habit.json => serde_json::to_string(text).unwrap(),
            0 | 1 if bare => text.to_owned(),
            2 if single => format!("'{}'", text.replace('\'', "''")),
            3 if block => "|".to_owned(),
            _ => scalar::yaml_scalar(text, scalar::Quote::Double, true),
        }
    }

    fn write_block(&mut self, value: &ValueTree, column: usize, depth: usize) {
        match value {
            ValueTree::Map(members) if !members.is_empty() => {
                for (key, value) in members {
                    self.write_comment_line(column);
                    let _ = write!(self.out, "{:column$}", "");
                    self.write_member(key, value, column, depth);
                }
            }
            ValueTree::List(items) => {
                for (nth, item) in items.iter().enumerate() {
                    if self.habit.blank_lines && nth > 0 && depth == 1 {
                        self.out.push('\n');
                    }
                    self.write_comment_line(column);
                    let gap = self.habit.gap;
                    let _ = write!(self.out, "{:column$}-{:gap$}", "", "");
                    self.write_item(item, column + 1 + gap, depth);
                }
            }
            _ => unreachable!("only collections"),
        }
    }

    fn write_item(&mut self, item: &ValueTree, column: usize, depth: usize) {
        match item {
            ValueTree::Map(members) if !self.habit.flow_entries && !members.is_empty() => {
                for (nth, (key, value)) in members.iter().enumerate() {
                    if nth > 0 {
                        self.write_comment_line(column);
                        let _ = write!(self.out, "{:column$}", "");
                    }
                    self.write_member(key, value, column, depth + 1);
                }
            }
            _ => {
                self.write_flow(item, false);
                self.end_line();
            }
        }
    }

    fn write_member(&mut self, key: &str, value: &ValueTree, column: usize, depth: usize) {
        self.out.push_str(key);
        self.out.push(':');
        match value {
            ValueTree::List(items) if !items.is_empty() && (depth == 0 || self.habit.lists == 0) => {
                self.end_line();
                self.write_block(value, column + self.habit.offset, depth + 1);
            }
            ValueTree::String(text) if self.format_string(text, false) == "|" => {
                let header = if text.ends_with('\n') { " |" } else { " |-" };
                self.out.push_str(header);
                self.end_line();
                for line in text.lines() {
                    let _ = writeln!(self.out, "{:1$}{line}", "", column + 2);
                }
            }
            _ => {
                self.out.push(' ');
                self.write_flow(value, depth > 0 && self.habit.lists == 3);
                self.end_line();
            }
        }
    }

    fn write_flow(&mut self, value: &ValueTree, lines: bool) {
        let pad = if self.habit.lists == 2 { " " } else { "" };
        let brackets = if matches!(value, ValueTree::Map(_)) { ('{', '}') } else { ('[', ']') };
        let parts: Vec<(Option<&str>, &ValueTree)> = match value {
            ValueTree::List(items) => items.iter().map(|item| (None, item)).collect(),
            ValueTree::Map(members) => {
                members.iter().map(|(key, value)| (Some(key.as_str()), value)).collect()
            }
            ValueTree::String(text) => return self.out.push_str(&self.format_string(text, true)),
            other => return self.out.push_str(&format!("{other:?}").to_lowercase()),
        };
        if parts.is_empty() {
            self.out.push(brackets.0);
            return self.out.push(brackets.1);
        }
        self.out.push(brackets.0);
        self.out.push_str(pad);
        for (nth, (key, part)) in parts.iter().enumerate() {
            if nth > 0 {
                self.out.push_str(if lines { "," } else { ", " });
            }
            if lines {
                self.end_line();
                self.out.push_str("          ");
            }
            if let Some(key) = key {
                let _ = write!(self.out, "{key}: ");
            }
            self.write_flow(part, false);
        }
        if self.habit.trailing_comma {
            self.out.push(',');
        }
        if lines {
            self.end_line();
            self.out.push_str("        ");
        }
        self.out.push_str(pad);
        self.out.push(brackets.1);
    }

    fn write_json(&mut self, value: &ValueTree, indentation: &str) {
        let brackets = if matches!(value, ValueTree::Map(_)) { ('{', '}') } else { ('[', ']') };
        let parts: Vec<(Option<&str>, &ValueTree)> = match value {
            ValueTree::List(items) => items.iter().map(|item| (None, item)).collect(),
            ValueTree::Map(members) => {
                members.iter().map(|(key, value)| (Some(key.as_str()), value)).collect()
            }
            ValueTree::String(text) => return self.out.push_str(&self.format_string(text, true)),
            other => return self.out.push_str(&format!("{other:?}").to_lowercase()),
        };
        self.out.push(brackets.0);
        let deeper = indentation.to_owned() + self.habit.unit.unwrap_or("");
        for (nth, (key, part)) in parts.iter().enumerate() {
            if nth > 0 {
                self.out.push(',');
            }
            if self.habit.unit.is_some() {
                let _ = write!(self.out, "\n{deeper}");
            }
            if let Some(key) = key {
                let _ = write!(self.out, "\"{key}\"{}", self.habit.colon);
            }
            self.write_json(part, &deeper);
        }
        if self.habit.unit.is_some() && !parts.is_empty() {
            let _ = write!(self.out, "\n{indentation}");
        }
        self.out.push(brackets.1);
    }
}

/// Writes a channel in a style.
pub fn write_document(tree: &ValueTree, habit: &RandomStyle) -> String {
    let mut tree = tree.clone();
    if let (false, ValueTree::Map(members)) = (habit.schema_first, &mut tree) {
        members.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
    let mut writer = StyledWriter { habit, out: String::new(), marks: 0 };
    if habit.json {
        writer.write_json(&tree, "");
        writer.out.push('\n');
    } else {
        if habit.separator_line {
            writer.out.push_str("---");
            writer.end_line();
        }
        writer.write_block(&tree, 0, 0);
    }
    let mut text = writer.out;
    if !habit.final_newline {
        text.truncate(text.trim_end_matches('\n').len());
    }
    if habit.crlf {
        text = text.replace('\n', "\r\n");
    }
    if habit.bom && !habit.json {
        text.insert(0, '\u{feff}');
    }
    text
}
