//! From tokens to events, by the grammar of YAML 1.1 as libyaml and its descendants have it.
//!
//! Places are exact: a value that is not there stands right after what announces it, and what stands before a value
//! (tag, anchor) is not part of it.

mod block;
mod flow;
mod node;

use std::borrow::Cow;

use super::scan::{Scanner, Token, TokenKind, error_at};
use crate::catalog::{span::Span, text::read_error::ReadError};

type Parsed<'a> = Result<Event<'a>, ReadError>;

/// What a document consists of.
pub(super) enum Event<'a> {
    /// A copy of what a name was given to.
    Alias {
        name: &'a str,
        span: Span,
    },
    Scalar(Scalar<'a>, Option<&'a str>),
    /// A list or map begins, maybe with a name.
    Open {
        is_map: bool,
        start: usize,
        name: Option<&'a str>,
    },
    /// The innermost list or map ends: after its closing bracket, or with the last of what is in it.
    Close {
        bracket: Option<usize>,
    },
    /// A map's value that nothing announces stands right after its key.
    NoValue,
    /// The end of the document; `is_there` says whether there is one.
    End {
        is_there: bool,
    },
}

/// A scalar as it was written.
pub(super) struct Scalar<'a> {
    pub span: Span,
    pub text: Cow<'a, str>,
    pub tag: Option<String>,
    /// Whether neither quotes nor block style nor a tag (but `!`) says that this is text.
    pub is_plain: bool,
}

impl Scalar<'_> {
    /// A scalar that is not there.
    fn absent(at: usize) -> Self {
        Self { span: Span::new(at, at), text: Cow::Borrowed(""), tag: None, is_plain: true }
    }
}

/// What comes next.
#[derive(Clone, Copy, Debug)]
enum State {
    /// After the last value.
    DocumentEnd,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingKey,
    BlockMappingValue,
    /// An item of `[ ]`, after the bracket or after another.
    FlowSequenceFirst,
    FlowSequenceEntry,
    /// The parts of a map of one pair that stands in `[ ]` without brackets of its own.
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    /// A key of `{ }`, after the bracket or after another.
    FlowMappingFirst,
    FlowMappingKey,
    FlowMappingValue,
    /// The value of a key that no `:` follows.
    FlowMappingNoValue,
}

/// Makes events of the first document of a text.
pub(super) struct Parser<'a> {
    text: &'a str,
    scanner: Scanner<'a>,
    states: Vec<State>,
    has_begun: bool,
    /// What `%TAG` lines say.
    handles: Vec<(&'a str, String)>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let scanner = Scanner::new(text);
        Self { text, scanner, states: Vec::new(), has_begun: false, handles: Vec::new() }
    }

    /// Whether anything depended on where the text ends.
    pub(super) fn saw_end(&self) -> bool {
        self.scanner.saw_end()
    }

    /// The next event; [`Event::End`] is the last.
    pub(super) fn next(&mut self) -> Parsed<'a> {
        if !self.has_begun {
            self.has_begun = true;
            return self.document();
        }
        match self.states.pop() {
            // What follows the document must begin as a token does.
            None | Some(State::DocumentEnd) => self.scanner.peek().map(|_| Event::End { is_there: true }),
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

    /// What stands before the value of the document, and how that begins.
    fn document(&mut self) -> Parsed<'a> {
        self.states.push(State::DocumentEnd);
        let is_marked = match self.scanner.peek()?.kind {
            TokenKind::StreamEnd => return Ok(Event::End { is_there: false }),
            TokenKind::Version { .. } | TokenKind::TagDirective { .. } | TokenKind::DocumentStart => true,
            _ => false,
        };
        if !is_marked {
            return self.node(true, false);
        }
        self.directives()?;
        let token = self.scanner.take()?;
        if !matches!(token.kind, TokenKind::DocumentStart) {
            return Err(self.error(&token, "", "did not find expected <document start>"));
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
            _ => self.node(true, false),
        }
    }

    fn directives(&mut self) -> Result<(), ReadError> {
        let mut has_version = false;
        loop {
            let token = match self.scanner.peek()?.kind {
                TokenKind::Version { .. } | TokenKind::TagDirective { .. } => self.scanner.take()?,
                _ => return Ok(()),
            };
            match &token.kind {
                TokenKind::Version { .. } if has_version => {
                    return Err(self.error(&token, "", "found duplicate %YAML directive"));
                }
                TokenKind::Version { major: 1, minor: 1 | 2 } => has_version = true,
                TokenKind::Version { .. } => {
                    return Err(self.error(&token, "", "found incompatible YAML document"));
                }
                TokenKind::TagDirective { handle, prefix } => {
                    if self.handles.iter().any(|(known, _)| known == handle) {
                        return Err(self.error(&token, "", "found duplicate %TAG directive"));
                    }
                    self.handles.push((handle, prefix.clone()));
                }
                _ => {}
            }
        }
    }

    /// A value that is not there, and what comes after it.
    fn absent(&mut self, at: usize, then: State) -> Event<'a> {
        self.states.push(then);
        Event::Scalar(Scalar::absent(at.min(self.text.len())), None)
    }

    /// Something is wrong with a token, or with that it stands where it does.
    fn error(&self, token: &Token<'_>, context: &'static str, problem: &'static str) -> ReadError {
        error_at(self.text, token.start, context, problem)
    }

    /// Something is wrong with the next token.
    fn refuse(&mut self, context: &'static str, problem: &'static str) -> Parsed<'a> {
        let start = self.scanner.peek()?.start;
        Err(error_at(self.text, start, context, problem))
    }
}
