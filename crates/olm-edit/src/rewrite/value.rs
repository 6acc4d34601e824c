//! Replacement of a value by a different one, without changes inside.

use super::{
    RewriteError, ValueTree,
    parts::{self, is_flow, is_missing_value},
    scalar::{self, Quote},
    walk::{Introducer, Rewriter, ValueContext, ValueSlot},
};
use olm_catalog::Value;

impl Rewriter<'_, '_> {
    /// Replaces a value.
    pub fn replace_value(&mut self, slot: &ValueSlot<'_>, new: &ValueTree) -> Result<(), RewriteError> {
        let source = self.source;
        let render = self.renderer_at(slot.head);
        let start = slot.node.span.start as usize;
        let base = match &slot.context {
            ValueContext::Block => None,
            ValueContext::OneLine => Some(None),
            ValueContext::Lines(base) => Some(Some(base.as_str())),
        };
        if let Some(base) = base {
            let written = match self.render_like_old(slot, new) {
                Some(written) => written,
                None => render.render_flow(new, &slot.label, base, None)?,
            };
            if is_missing_value(slot.node) {
                self.splices.insert(slot.head, format!(" {written}"));
            } else {
                self.splices.replace(start..source.content_end(slot.node), written);
            }
            return Ok(());
        }
        // The text after the key or `-`: a blank and a value, or lines below.
        let tail = match slot.introducer {
            Introducer::Key => render.render_value(new, &slot.label, slot.column)?,
            Introducer::Dash => {
                let list = slot.label.strip_suffix("[]").unwrap_or(&slot.label);
                render.render_item(new, list, slot.column, 2, None)?.split_off(1)
            }
        };
        let filled = matches!(&slot.node.value, Value::List(items) if !items.is_empty())
            || !slot.node.members().is_empty();
        if filled && !is_flow(source, slot.node) {
            self.replace_block(slot, &tail)
        } else {
            self.replace_inline(slot, new, tail);
            Ok(())
        }
    }

    /// Replaces a collection in block style by `tail`.
    fn replace_block(&mut self, slot: &ValueSlot<'_>, tail: &str) -> Result<(), RewriteError> {
        let source = self.source;
        let block = parts::block_layout(source, slot.node, false)?;
        if block.inline {
            let range = slot.node.span.start as usize..source.content_end(slot.node);
            self.splices.replace(range, tail.trim_start_matches(' '));
            return Ok(());
        }
        let last = block.parts.len().saturating_sub(1);
        let lines = block.extent(source, 0).start..block.extent(source, last).end;
        if let Some(below) = text_below(tail) {
            let eol = self.renderer_at(lines.start).eol;
            self.splices.replace(lines, format!("{below}{eol}"));
        } else {
            self.insert_behind(slot.head, tail);
            self.splices.delete(lines);
        }
        Ok(())
    }

    /// Replaces a value on the line of its key or `-`, or a missing value, by `tail`.
    fn replace_inline(&mut self, slot: &ValueSlot<'_>, new: &ValueTree, tail: String) {
        let source = self.source;
        let start = slot.node.span.start as usize;
        if is_missing_value(slot.node) {
            return self.insert_behind(slot.head, &tail);
        }
        let end = source.content_end(slot.node);
        let is_block_scalar = !source.is_json()
            && matches!(slot.node.value, Value::String(_))
            && matches!(source.byte_at(start), Some(b'|' | b'>'));
        // For a block scalar, the indicator and the lines below are replaced; a comment after the indicator
        // stays.
        let (token, lines) = if is_block_scalar {
            let indicator =
                source.slice(start..end).iter().take_while(|byte| b"|>+-0123456789".contains(byte));
            let content = source.line_end(start);
            (start..start + indicator.count(), content..end.max(content))
        } else {
            (start..end, end..end)
        };
        if text_below(&tail).is_some() {
            let (key_line, own_line) = (source.line_end(slot.head), source.line_start(start) > slot.head);
            let gone = match source.skip_blanks(token.end) < source.line_end(token.end) {
                _ if !own_line => slot.head..token.end,
                // A comment after it stays, on its own line.
                true => start..source.skip_blanks(token.end),
                false => source.line_end(source.line_start(start).saturating_sub(1))..token.end,
            };
            self.splices.delete(gone);
            self.splices.delete(lines);
            return self.splices.insert(if own_line { key_line } else { source.line_end(end) }, tail);
        }
        let written = match self.render_like_old(slot, new) {
            Some(written) => written,
            None if slot.introducer == Introducer::Dash
                && new.is_non_empty_collection()
                && source.line_start(start) > slot.head =>
            {
                self.splices.replace(slot.head..token.end, tail);
                return self.splices.delete(lines);
            }
            None => tail.trim_start_matches(' ').to_owned(),
        };
        let (first, rest) = split_first_line(&written);
        self.splices.replace(token, first);
        if lines.is_empty() {
            self.splices.insert(source.line_end(end), rest);
        } else {
            self.splices.replace(lines, rest);
        }
    }

    /// Inserts text after a key or `-`: its first line before a comment there, the others below that line.
    fn insert_behind(&mut self, head: usize, tail: &str) {
        let (first, rest) = split_first_line(tail);
        self.splices.insert(head, first);
        self.splices.insert(self.source.line_end(head), rest);
    }

    /// Renders a string in the style of the one it replaces; `None` if either is not a string.
    fn render_like_old(&self, slot: &ValueSlot<'_>, new: &ValueTree) -> Option<String> {
        let (Value::String(_), ValueTree::String(text)) = (&slot.node.value, new) else { return None };
        let source = self.source;
        if source.is_json() {
            return Some(scalar::json_string(text));
        }
        let start = slot.node.span.start as usize;
        let flow = slot.context != ValueContext::Block;
        let render = self.renderer_at(start);
        let bare = || scalar::yaml_scalar(text, render.style.preferred_quote(&slot.label, text, flow), flow);
        Some(match Quote::from_first_byte(source.byte_at(start)) {
            Quote::Plain if scalar::is_safe_plain(text, flow) => text.clone(),
            Quote::Plain if text.contains('\n') && !flow => return None,
            Quote::Block if render.blocks => self.block_scalar(slot, text, render.eol).unwrap_or_else(bare),
            Quote::Plain | Quote::Block => bare(),
            quote => scalar::yaml_scalar(text, quote, flow),
        })
    }

    /// Renders a block scalar in place of another one.
    fn block_scalar(&self, slot: &ValueSlot<'_>, text: &str, eol: &str) -> Option<String> {
        let source = self.source;
        let start = slot.node.span.start as usize;
        let mut line = source.next_line(start);
        while source.is_blank_line(line) {
            line = source.next_line(line);
        }
        let indentation = if line < source.content_end(slot.node) {
            source.indentation(line).len()
        } else {
            slot.column + 2
        };
        let block = scalar::block_scalar(text, indentation, eol)?;
        let one_line = !text.trim_end_matches('\n').contains('\n');
        Some(if source.byte_at(start) == Some(b'>') && one_line {
            block.replacen('|', ">", 1)
        } else {
            block
        })
    }
}

/// Returns the text below the line of the key, if that line stays empty.
fn text_below(tail: &str) -> Option<&str> {
    tail.strip_prefix("\r\n").or_else(|| tail.strip_prefix('\n'))
}

/// Splits a text before the first line break.
fn split_first_line(text: &str) -> (&str, &str) {
    let end = text
        .find('\n')
        .map_or(text.len(), |newline| if text[..newline].ends_with('\r') { newline - 1 } else { newline });
    text.split_at(end)
}
