//! Converts tokens to events by the grammar of YAML 1.1, as implemented by libyaml and its descendants.
//!
//! Spans are exact: an absent value has an empty span right after its indicator, and the span of a value does
//! not include its tag and anchor.

use std::borrow::Cow;

use super::scan::{Scanner, Token, TokenKind, error_at};
use crate::{
    span::Span,
    text::yaml::{
        ReadError,
        scan::{Bracket, Style},
    },
};

type Parsed<'a> = Result<Event<'a>, ReadError>;

/// Events of a document.
pub(super) enum Event<'a> {
    /// Copy of the node with an anchor.
    Alias {
        name: &'a str,
        span: Span,
    },
    Scalar(Scalar<'a>, Option<&'a str>),
    /// Beginning of a list or map, with its anchor.
    Open {
        is_map: bool,
        start: usize,
        name: Option<&'a str>,
    },
    /// End of the innermost list or map: after its closing bracket, or after its last entry.
    Close {
        bracket: Option<usize>,
    },
    /// Missing value of a map entry without `:`; its position is right after the key.
    NoValue,
    /// End of the document; `exists` is false if there is no document.
    End {
        exists: bool,
    },
}

/// A scalar as it is written.
pub(super) struct Scalar<'a> {
    pub span: Span,
    pub text: Cow<'a, str>,
    pub tag: Option<String>,
    /// True if neither quotes, block style nor a tag other than `!` makes the scalar a string.
    pub is_plain: bool,
}

impl Scalar<'_> {
    /// Returns an absent scalar.
    fn absent(at: usize) -> Self {
        Self { span: Span::new(at, at), text: Cow::Borrowed(""), tag: None, is_plain: true }
    }
}

/// Parser state after the current event.
#[derive(Clone, Copy, Debug)]
enum State {
    /// After the root value.
    DocumentEnd,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingKey,
    BlockMappingValue,
    /// First item of `[ ]`, or a later one.
    FlowSequenceFirst,
    FlowSequenceEntry,
    /// Parts of a map with a single pair inside `[ ]` without braces.
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    /// First key of `{ }`, or a later one.
    FlowMappingFirst,
    FlowMappingKey,
    FlowMappingValue,
    /// Value of a key without `:`.
    FlowMappingNoValue,
}

/// Converts the first document of a text to events.
pub(super) struct Parser<'a> {
    text: &'a str,
    scanner: Scanner<'a>,
    states: Vec<State>,
    has_begun: bool,
    /// Handles and prefixes of `%TAG` directives.
    handles: Vec<(&'a str, String)>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let scanner = Scanner::new(text);
        Self { text, scanner, states: Vec::new(), has_begun: false, handles: Vec::new() }
    }

    /// Returns true if the result depended on where the text ends.
    pub(super) fn saw_end(&self) -> bool {
        self.scanner.saw_end()
    }

    /// Returns the next event; [`Event::End`] is the last.
    pub(super) fn next_event(&mut self) -> Parsed<'a> {
        if !self.has_begun {
            self.has_begun = true;
            return self.parse_document_start();
        }
        match self.states.pop() {
            // The text after the document must begin with a valid token.
            None | Some(State::DocumentEnd) => self.scanner.peek().map(|_| Event::End { exists: true }),
            Some(State::BlockSequenceEntry) => self.block_sequence_entry(),
            Some(State::IndentlessSequenceEntry) => self.indentless_sequence_entry(),
            Some(State::BlockMappingKey) => self.block_mapping_key(),
            Some(State::BlockMappingValue) => self.block_mapping_value(),
            Some(State::FlowSequenceFirst) => self.flow_sequence_item(),
            Some(State::FlowSequenceEntry) => self.flow_sequence_entry(),
            Some(State::FlowPairKey) => self.flow_pair_key(),
            Some(State::FlowPairValue) => self.flow_pair_value(),
            Some(State::FlowPairEnd) => {
                self.states.push(State::FlowSequenceEntry);
                Ok(Event::Close { bracket: None })
            }
            Some(State::FlowMappingFirst) => self.flow_mapping_item(),
            Some(State::FlowMappingKey) => self.flow_mapping_key(),
            Some(State::FlowMappingValue) => self.flow_mapping_value(),
            Some(State::FlowMappingNoValue) => {
                self.states.push(State::FlowMappingKey);
                Ok(Event::NoValue)
            }
        }
    }

    /// Reads the prefix of the document and the beginning of its root value.
    fn parse_document_start(&mut self) -> Parsed<'a> {
        self.states.push(State::DocumentEnd);
        let is_marked = match self.scanner.peek()?.kind {
            TokenKind::StreamEnd => return Ok(Event::End { exists: false }),
            TokenKind::Version { .. } | TokenKind::TagDirective { .. } | TokenKind::DocumentStart => true,
            _ => false,
        };
        if !is_marked {
            return self.parse_node(true, false);
        }
        self.parse_directives()?;
        let token = self.scanner.take()?;
        if !matches!(token.kind, TokenKind::DocumentStart) {
            return Err(self.error_at_token(&token, "", "did not find expected <document start>"));
        }
        match self.scanner.peek()? {
            Token { kind: TokenKind::Version { .. } | TokenKind::TagDirective { .. }, start, .. }
            | Token {
                kind: TokenKind::DocumentStart | TokenKind::DocumentEnd | TokenKind::StreamEnd,
                start,
                ..
            } => {
                let at = (*start).min(self.text.len());
                Ok(Event::Scalar(Scalar::absent(at), None))
            }
            _ => self.parse_node(true, false),
        }
    }

    fn parse_directives(&mut self) -> Result<(), ReadError> {
        let mut has_version = false;
        loop {
            let token = match self.scanner.peek()?.kind {
                TokenKind::Version { .. } | TokenKind::TagDirective { .. } => self.scanner.take()?,
                _ => return Ok(()),
            };
            match &token.kind {
                TokenKind::Version { .. } if has_version => {
                    return Err(self.error_at_token(&token, "", "found duplicate %YAML directive"));
                }
                TokenKind::Version { major: 1, minor: 1 | 2 } => has_version = true,
                TokenKind::Version { .. } => {
                    return Err(self.error_at_token(&token, "", "found incompatible YAML document"));
                }
                TokenKind::TagDirective { handle, prefix } => {
                    if self.handles.iter().any(|(known, _)| known == handle) {
                        return Err(self.error_at_token(&token, "", "found duplicate %TAG directive"));
                    }
                    self.handles.push((handle, prefix.clone()));
                }
                _ => {}
            }
        }
    }

    /// Returns an absent value and sets the state after it.
    fn absent(&mut self, at: usize, then: State) -> Event<'a> {
        self.states.push(then);
        Event::Scalar(Scalar::absent(at.min(self.text.len())), None)
    }

    /// Returns an error about a token or its position.
    fn error_at_token(&self, token: &Token<'_>, context: &'static str, problem: &'static str) -> ReadError {
        error_at(self.text, token.start, context, problem)
    }

    /// Returns an error about the next token.
    fn error_at_next(&mut self, context: &'static str, problem: &'static str) -> Parsed<'a> {
        let start = self.scanner.peek()?.start;
        Err(error_at(self.text, start, context, problem))
    }
}

impl<'a> Parser<'a> {
    fn block_sequence_entry(&mut self) -> Parsed<'a> {
        match self.scanner.peek()?.kind {
            TokenKind::BlockEntry => {
                let at = self.scanner.take()?.end;
                match self.scanner.peek()?.kind {
                    TokenKind::BlockEntry | TokenKind::BlockEnd => {
                        Ok(self.absent(at, State::BlockSequenceEntry))
                    }
                    _ => self.parse_node_then(State::BlockSequenceEntry, true, false),
                }
            }
            TokenKind::BlockEnd => {
                self.scanner.take()?;
                Ok(Event::Close { bracket: None })
            }
            _ => {
                self.error_at_next("while parsing a block collection", "did not find expected '-' indicator")
            }
        }
    }

    /// Reads an item of a list in the same column as its key.
    fn indentless_sequence_entry(&mut self) -> Parsed<'a> {
        if !matches!(self.scanner.peek()?.kind, TokenKind::BlockEntry) {
            return Ok(Event::Close { bracket: None });
        }
        let at = self.scanner.take()?.end;
        match self.scanner.peek()?.kind {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                Ok(self.absent(at, State::IndentlessSequenceEntry))
            }
            _ => self.parse_node_then(State::IndentlessSequenceEntry, true, false),
        }
    }

    fn block_mapping_key(&mut self) -> Parsed<'a> {
        match self.scanner.peek()?.kind {
            TokenKind::Key => {
                let at = self.scanner.take()?.end;
                match self.scanner.peek()?.kind {
                    TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                        Ok(self.absent(at, State::BlockMappingValue))
                    }
                    _ => self.parse_node_then(State::BlockMappingValue, true, true),
                }
            }
            TokenKind::BlockEnd => {
                self.scanner.take()?;
                Ok(Event::Close { bracket: None })
            }
            _ => self.error_at_next("while parsing a block mapping", "did not find expected key"),
        }
    }

    fn block_mapping_value(&mut self) -> Parsed<'a> {
        if !matches!(self.scanner.peek()?.kind, TokenKind::Value) {
            self.states.push(State::BlockMappingKey);
            return Ok(Event::NoValue);
        }
        let at = self.scanner.take()?.end;
        match self.scanner.peek()?.kind {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                Ok(self.absent(at, State::BlockMappingKey))
            }
            _ => self.parse_node_then(State::BlockMappingKey, true, true),
        }
    }
}

impl<'a> Parser<'a> {
    /// Reads the text after an item of a list.
    fn flow_sequence_entry(&mut self) -> Parsed<'a> {
        match &self.scanner.peek()?.kind {
            TokenKind::FlowEntry => {
                self.scanner.take()?;
            }
            TokenKind::FlowEnd(Bracket::Square) => {}
            _ => {
                return self
                    .error_at_next("while parsing a flow sequence", "did not find expected ',' or ']'");
            }
        }
        self.flow_sequence_item()
    }

    /// Reads an item of a list, or its end.
    fn flow_sequence_item(&mut self) -> Parsed<'a> {
        match self.scanner.peek()?.kind {
            TokenKind::FlowEnd(Bracket::Square) => self.close_flow(),
            TokenKind::Key => {
                let start = self.scanner.take()?.start;
                self.states.push(State::FlowPairKey);
                Ok(Event::Open { is_map: true, start, name: None })
            }
            _ => self.parse_node_then(State::FlowSequenceEntry, false, false),
        }
    }

    fn close_flow(&mut self) -> Parsed<'a> {
        Ok(Event::Close { bracket: Some(self.scanner.take()?.end) })
    }

    fn flow_pair_key(&mut self) -> Parsed<'a> {
        match self.scanner.peek()?.kind {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowEnd(Bracket::Square) => {
                // libyaml and go-yaml drop this token.
                let at = self.scanner.take()?.end;
                Ok(self.absent(at, State::FlowPairValue))
            }
            _ => self.parse_node_then(State::FlowPairValue, false, false),
        }
    }

    fn flow_pair_value(&mut self) -> Parsed<'a> {
        if !matches!(self.scanner.peek()?.kind, TokenKind::Value) {
            self.states.push(State::FlowPairEnd);
            return Ok(Event::NoValue);
        }
        let at = self.scanner.take()?.end;
        match self.scanner.peek()?.kind {
            TokenKind::FlowEntry | TokenKind::FlowEnd(Bracket::Square) => {
                Ok(self.absent(at, State::FlowPairEnd))
            }
            _ => self.parse_node_then(State::FlowPairEnd, false, false),
        }
    }

    /// Reads the text after a pair of a map.
    fn flow_mapping_key(&mut self) -> Parsed<'a> {
        match self.scanner.peek()?.kind {
            TokenKind::FlowEntry => {
                self.scanner.take()?;
            }
            TokenKind::FlowEnd(Bracket::Curly) => {}
            _ => {
                return self
                    .error_at_next("while parsing a flow mapping", "did not find expected ',' or '}'");
            }
        }
        self.flow_mapping_item()
    }

    /// Reads a key of a map, or its end.
    fn flow_mapping_item(&mut self) -> Parsed<'a> {
        match self.scanner.peek()?.kind {
            TokenKind::FlowEnd(Bracket::Curly) => self.close_flow(),
            TokenKind::Key => {
                self.scanner.take()?;
                let next = self.scanner.peek()?;
                match next.kind {
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowEnd(Bracket::Curly) => {
                        let at = next.start;
                        Ok(self.absent(at, State::FlowMappingValue))
                    }
                    _ => self.parse_node_then(State::FlowMappingValue, false, false),
                }
            }
            _ => self.parse_node_then(State::FlowMappingNoValue, false, false),
        }
    }

    fn flow_mapping_value(&mut self) -> Parsed<'a> {
        if !matches!(self.scanner.peek()?.kind, TokenKind::Value) {
            self.states.push(State::FlowMappingKey);
            return Ok(Event::NoValue);
        }
        let at = self.scanner.take()?.end;
        match self.scanner.peek()?.kind {
            TokenKind::FlowEntry | TokenKind::FlowEnd(Bracket::Curly) => {
                Ok(self.absent(at, State::FlowMappingKey))
            }
            _ => self.parse_node_then(State::FlowMappingKey, false, false),
        }
    }
}

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
    fn parse_node_then(&mut self, then: State, in_block: bool, after_key: bool) -> Parsed<'a> {
        self.states.push(then);
        self.parse_node(in_block, after_key)
    }

    /// Reads a value. `in_block` allows block collections, and `after_key` allows a list in the column of its
    /// key.
    fn parse_node(&mut self, in_block: bool, after_key: bool) -> Parsed<'a> {
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
