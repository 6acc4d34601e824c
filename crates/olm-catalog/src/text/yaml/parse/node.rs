//! Values and their properties.

use std::borrow::Cow;

use super::{Event, Parsed, Parser, Scalar, State, error_at};
use crate::{
    span::Span,
    text::{
        read_error::ReadError,
        yaml::scan::{Bracket, Style, TokenKind},
    },
};

/// Anchor and tag before a value.
#[derive(Default)]
struct Properties<'a> {
    name: Option<&'a str>,
    tag: Option<String>,
    /// End of the last property.
    end: Option<usize>,
}

impl<'a> Parser<'a> {
    /// Reads a value and sets the state after it.
    pub(super) fn parse_node_then(&mut self, then: State, in_block: bool, after_key: bool) -> Parsed<'a> {
        self.states.push(then);
        self.parse_node(in_block, after_key)
    }

    /// Reads a value. `in_block` allows block collections, and `after_key` allows a list in the column of its
    /// key.
    pub(super) fn parse_node(&mut self, in_block: bool, after_key: bool) -> Parsed<'a> {
        if let TokenKind::Alias(name) = self.scanner.peek()?.kind {
            let token = self.scanner.take()?;
            return Ok(Event::Alias { name, span: Span::new(token.start, token.end) });
        }
        let Properties { name, tag, end } = self.parse_properties()?;
        let token = self.scanner.peek()?;
        let start = token.start;
        let (is_map, next) = match token.kind {
            TokenKind::BlockEntry if after_key => (false, State::IndentlessSequenceEntry),
            TokenKind::Scalar { .. } => return self.parse_scalar(name, tag),
            TokenKind::FlowStart(Bracket::Square) => (false, State::FlowSequenceFirst),
            TokenKind::FlowStart(Bracket::Curly) => (true, State::FlowMappingFirst),
            TokenKind::BlockSequenceStart if in_block => (false, State::BlockSequenceEntry),
            TokenKind::BlockMappingStart if in_block => (true, State::BlockMappingKey),
            _ => {
                let Some(end) = end else {
                    let context =
                        if in_block { "while parsing a block node" } else { "while parsing a flow node" };
                    return self.error_at_next(context, "did not find expected node content");
                };
                let is_plain = tag.as_ref().is_none_or(String::is_empty);
                let scalar = Scalar { span: Span::new(end, end), text: Cow::Borrowed(""), tag, is_plain };
                return Ok(Event::Scalar(scalar, name));
            }
        };
        if !matches!(token.kind, TokenKind::BlockEntry) {
            self.scanner.take()?;
        }
        self.states.push(next);
        Ok(Event::Open { is_map, start, name })
    }

    fn parse_scalar(&mut self, name: Option<&'a str>, tag: Option<String>) -> Parsed<'a> {
        let token = self.scanner.take()?;
        let span = Span::new(token.start, token.end);
        let TokenKind::Scalar { text, style } = token.kind else {
            return Err(self.error_at_token(&token, "", "did not find expected node content"));
        };
        let is_plain = match tag.as_deref() {
            None => style == Style::Plain,
            Some(tag) => tag == "!",
        };
        Ok(Event::Scalar(Scalar { span, text, tag, is_plain }, name))
    }

    /// Reads an anchor and a tag, in either order.
    fn parse_properties(&mut self) -> Result<Properties<'a>, ReadError> {
        let mut properties = Properties::default();
        let mut tag = None;
        while properties.name.is_none() || tag.is_none() {
            let is_next = match self.scanner.peek()?.kind {
                TokenKind::Anchor(_) => properties.name.is_none(),
                TokenKind::Tag { .. } => tag.is_none(),
                _ => false,
            };
            if !is_next {
                break;
            }
            let token = self.scanner.take()?;
            properties.end = Some(token.end);
            match token.kind {
                TokenKind::Anchor(name) => properties.name = Some(name),
                TokenKind::Tag { handle, suffix } => tag = Some((handle, suffix, token.start)),
                _ => {}
            }
        }
        if let Some((handle, suffix, start)) = tag {
            let resolved = self.full_tag(handle, suffix);
            properties.tag = Some(resolved.ok_or_else(|| {
                error_at(self.text, start, "while parsing a node", "found undefined tag handle")
            })?);
        }
        Ok(properties)
    }

    /// Returns the full tag; `None` if the handle is not defined.
    fn full_tag(&self, handle: &str, suffix: String) -> Option<String> {
        if handle.is_empty() {
            return Some(suffix);
        }
        let known = self.handles.iter().find(|(known, _)| *known == handle);
        let prefix = match (known, handle) {
            (Some((_, prefix)), _) => prefix,
            (None, "!") => "!",
            (None, "!!") => "tag:yaml.org,2002:",
            _ => return None,
        };
        Some(format!("{prefix}{suffix}"))
    }
}
