//! Text of new values, in the style of the document.

use std::iter;

use super::{
    RewriteError, ValueTree,
    diff::MAX_DEPTH,
    scalar::{self, Quote},
    style::{self, CollectionStyle, DocumentStyle, Kind, item_label},
};

/// Renderer of new values at one place of a document.
#[derive(Clone, Copy)]
pub(super) struct ValueRenderer<'s> {
    pub style: &'s DocumentStyle,
    pub json: bool,
    /// True if multi-line texts may be blocks (`|`).
    pub blocks: bool,
    /// Line break at this place.
    pub eol: &'static str,
}

impl ValueRenderer<'_> {
    /// Renders a scalar or an empty collection on one line.
    pub fn render_scalar(&self, value: &ValueTree, label: &str, flow: bool) -> String {
        match value {
            ValueTree::Null => "null".to_owned(),
            ValueTree::Bool(value) => value.to_string(),
            ValueTree::Number(number) => number.0.clone().into_owned(),
            ValueTree::String(text) if self.json => scalar::json_string(text),
            ValueTree::String(text) => {
                scalar::yaml_scalar(text, self.style.preferred_quote(label, text, flow), flow)
            }
            ValueTree::List(_) => "[]".to_owned(),
            ValueTree::Map(_) => "{}".to_owned(),
        }
    }

    fn render_key(&self, key: &str, map: &str, flow: bool) -> String {
        if self.json {
            scalar::json_string(key)
        } else {
            scalar::yaml_scalar(key, self.style.key_quote(map), flow)
        }
    }

    /// Returns the members of a new map in the order of the document's style.
    fn sorted_members<'p>(
        &self,
        members: &'p [(String, ValueTree)],
        label: &str,
    ) -> Vec<(&'p str, &'p ValueTree)> {
        let sorted = style::inserts_sorted::<&str>(&[], label, self.style);
        let mut keys: Vec<&str> = Vec::with_capacity(members.len());
        let mut ordered: Vec<(&str, &ValueTree)> = Vec::with_capacity(members.len());
        for (at, (key, value)) in members.iter().enumerate() {
            if members[at + 1..].iter().all(|(later, _)| later != key) {
                let place = style::insert_index(&keys, key, sorted);
                keys.insert(place, key);
                ordered.insert(place, (key, value));
            }
        }
        ordered
    }

    /// Renders `key: value` in block style with the key in this column. Further lines include their
    /// indentation, and the last line has no line break.
    pub fn render_member(
        &self,
        key: &str,
        value: &ValueTree,
        map: &str,
        column: usize,
    ) -> Result<String, RewriteError> {
        let mut out = String::new();
        self.write_member(&mut out, key, value, map, column, 0)?;
        Ok(out)
    }

    /// Renders `- item` in block style with the `-` in this column and the content in the style of `like`.
    pub fn render_item(
        &self,
        value: &ValueTree,
        list: &str,
        column: usize,
        gap: usize,
        like: Option<(Kind, CollectionStyle)>,
    ) -> Result<String, RewriteError> {
        let mut out = String::new();
        self.write_item(&mut out, value, &item_label(list), column, gap, like, 0)?;
        Ok(out)
    }

    /// Renders the text after the colon of a key in this column: ` value`, or lines below.
    pub fn render_value(
        &self,
        value: &ValueTree,
        label: &str,
        column: usize,
    ) -> Result<String, RewriteError> {
        let mut out = String::new();
        self.write_value(&mut out, value, label, column, 0)?;
        Ok(out)
    }

    /// Renders a value inside brackets. With `base`, the indentation of its line, it may have several lines.
    pub fn render_flow(
        &self,
        value: &ValueTree,
        label: &str,
        base: Option<&str>,
        like: Option<(Kind, CollectionStyle)>,
    ) -> Result<String, RewriteError> {
        let mut out = String::new();
        self.write_flow(&mut out, value, label, base, like, 0)?;
        Ok(out)
    }

    /// Renders `key: value` inside brackets.
    pub fn render_flow_member(
        &self,
        key: &str,
        value: &ValueTree,
        map: &str,
        base: Option<&str>,
    ) -> Result<String, RewriteError> {
        let mut out = String::new();
        self.write_flow_member(&mut out, key, value, map, base, 0)?;
        Ok(out)
    }

    fn write_member(
        &self,
        out: &mut String,
        key: &str,
        value: &ValueTree,
        map: &str,
        column: usize,
        depth: usize,
    ) -> Result<(), RewriteError> {
        out.push_str(&self.render_key(key, map, false));
        out.push(':');
        self.write_value(out, value, key, column, depth)
    }

    fn write_value(
        &self,
        out: &mut String,
        value: &ValueTree,
        label: &str,
        column: usize,
        depth: usize,
    ) -> Result<(), RewriteError> {
        let depth = next_depth(depth)?;
        let kind = if matches!(value, ValueTree::Map(_)) { Kind::Map } else { Kind::List };
        let look = self.style.block_style(label, kind);
        if !value.is_non_empty_collection() || look.flow {
            out.push(' ');
            return self.write_inline(out, value, label, column, Some((kind, look)), depth);
        }
        let column = column + look.offset;
        for item in value.items() {
            self.write_line_break(out, column);
            self.write_item(out, item, &item_label(label), column, look.gap, None, depth)?;
        }
        for (key, value) in self.sorted_members(value.members(), label) {
            self.write_line_break(out, column);
            self.write_member(out, key, value, label, column, depth)?;
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn write_item(
        &self,
        out: &mut String,
        value: &ValueTree,
        label: &str,
        column: usize,
        gap: usize,
        like: Option<(Kind, CollectionStyle)>,
        depth: usize,
    ) -> Result<(), RewriteError> {
        let depth = next_depth(depth)?;
        let kind = if matches!(value, ValueTree::Map(_)) { Kind::Map } else { Kind::List };
        let like = like.filter(|(other, _)| *other == kind).map(|(_, look)| look);
        let look = like.unwrap_or_else(|| {
            self.style
                .style_for_label(label, kind)
                .unwrap_or(CollectionStyle { flow: false, ..DEFAULT_STYLE })
        });
        out.push('-');
        out.extend(iter::repeat_n(' ', gap.saturating_sub(1).max(1)));
        if !value.is_non_empty_collection() || look.flow {
            return self.write_inline(out, value, label, column, Some((kind, look)), depth);
        }
        let column = column + gap.max(2);
        let mut first = true;
        for item in value.items() {
            if !std::mem::take(&mut first) {
                self.write_line_break(out, column);
            }
            self.write_item(out, item, &item_label(label), column, 2, None, depth)?;
        }
        for (key, value) in self.sorted_members(value.members(), label) {
            if !std::mem::take(&mut first) {
                self.write_line_break(out, column);
            }
            self.write_member(out, key, value, label, column, depth)?;
        }
        Ok(())
    }

    /// Writes a value in block style that begins on the line of its key or `-`, which is in this column.
    fn write_inline(
        &self,
        out: &mut String,
        value: &ValueTree,
        label: &str,
        column: usize,
        like: Option<(Kind, CollectionStyle)>,
        depth: usize,
    ) -> Result<(), RewriteError> {
        if let ValueTree::String(text) = value {
            let bare = matches!(self.style.preferred_quote(label, text, false), Quote::Plain | Quote::Block);
            if let Some(block) = Some(text)
                .filter(|text| self.blocks && bare && text.contains('\n'))
                .and_then(|text| scalar::block_scalar(text, column + 2, self.eol))
            {
                out.push_str(&block);
                return Ok(());
            }
        }
        if value.is_non_empty_collection() {
            return self.write_flow(out, value, label, Some(&" ".repeat(column)), like, depth);
        }
        out.push_str(&self.render_scalar(value, label, false));
        Ok(())
    }

    fn write_flow_member(
        &self,
        out: &mut String,
        key: &str,
        value: &ValueTree,
        map: &str,
        base: Option<&str>,
        depth: usize,
    ) -> Result<(), RewriteError> {
        out.push_str(&self.render_key(key, map, true));
        out.push_str(if self.json { &self.style.colon } else { ": " });
        self.write_flow(out, value, key, base, None, depth)
    }

    fn write_flow(
        &self,
        out: &mut String,
        value: &ValueTree,
        label: &str,
        base: Option<&str>,
        like: Option<(Kind, CollectionStyle)>,
        depth: usize,
    ) -> Result<(), RewriteError> {
        let depth = next_depth(depth)?;
        let (kind, brackets) = match value {
            ValueTree::List(items) if !items.is_empty() => (Kind::List, ('[', ']')),
            ValueTree::Map(members) if !members.is_empty() => (Kind::Map, ('{', '}')),
            scalar => {
                out.push_str(&self.render_scalar(scalar, label, true));
                return Ok(());
            }
        };
        let like = like.filter(|(other, look)| *other == kind && look.flow).map(|(_, look)| look);
        let look = like.unwrap_or_else(|| self.style.flow_style(label, kind));
        let inner = base
            .filter(|_| look.lines)
            .map(|base| base.to_owned() + self.style.json_indent.as_deref().unwrap_or("  "));
        let inner = inner.as_deref();
        let pad = if look.padded && inner.is_none() { " " } else { "" };
        out.push(brackets.0);
        out.push_str(pad);
        let mut first = true;
        let mut begin = |out: &mut String| {
            if !std::mem::take(&mut first) {
                out.push(',');
                out.push_str(if inner.is_some() { "" } else { self.style.comma_gap });
            }
            if let Some(inner) = inner {
                out.push_str(self.eol);
                out.push_str(inner);
            }
        };
        for item in value.items() {
            begin(out);
            self.write_flow(out, item, &item_label(label), inner, None, depth)?;
        }
        for (key, value) in self.sorted_members(value.members(), label) {
            begin(out);
            self.write_flow_member(out, key, value, label, inner, depth)?;
        }
        out.push_str(pad);
        if let (Some(_), Some(base)) = (inner, base) {
            out.push_str(self.eol);
            out.push_str(base);
        }
        out.push(brackets.1);
        Ok(())
    }

    fn write_line_break(&self, out: &mut String, column: usize) {
        out.push_str(self.eol);
        out.extend(iter::repeat_n(' ', column));
    }
}

const DEFAULT_STYLE: CollectionStyle =
    CollectionStyle { flow: false, lines: false, padded: false, offset: 0, gap: 2 };

fn next_depth(depth: usize) -> Result<usize, RewriteError> {
    if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(RewriteError::TooDeep) }
}
