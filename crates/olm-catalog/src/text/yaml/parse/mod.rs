//! Converts tokens to events by the grammar of YAML 1.1, as implemented by libyaml and its descendants.
//!
//! Spans are exact: an absent value has an empty span right after its indicator, and the span of a value does
//! not include its tag and anchor.

mod block;
mod flow;
mod node;

use std::borrow::Cow;

use super::scan::{Scanner, Token, TokenKind, error_at};
use crate::{span::Span, text::read_error::ReadError};

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
