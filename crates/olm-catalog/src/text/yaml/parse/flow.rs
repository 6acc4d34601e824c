//! Flow lists and maps.

use super::{Event, Parsed, Parser, State};
use crate::text::yaml::scan::{Bracket, TokenKind};

impl<'a> Parser<'a> {
    /// Reads the text after an item of a list.
    pub(super) fn flow_sequence_entry(&mut self) -> Parsed<'a> {
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
    pub(super) fn flow_sequence_item(&mut self) -> Parsed<'a> {
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

    pub(super) fn flow_pair_key(&mut self) -> Parsed<'a> {
        match self.scanner.peek()?.kind {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowEnd(Bracket::Square) => {
                // libyaml and go-yaml drop this token.
                let at = self.scanner.take()?.end;
                Ok(self.absent(at, State::FlowPairValue))
            }
            _ => self.parse_node_then(State::FlowPairValue, false, false),
        }
    }

    pub(super) fn flow_pair_value(&mut self) -> Parsed<'a> {
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
    pub(super) fn flow_mapping_key(&mut self) -> Parsed<'a> {
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
    pub(super) fn flow_mapping_item(&mut self) -> Parsed<'a> {
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

    pub(super) fn flow_mapping_value(&mut self) -> Parsed<'a> {
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
