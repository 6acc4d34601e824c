//! Block lists and maps.

use super::{Event, Parsed, Parser, State};
use crate::text::yaml::scan::TokenKind;

impl<'a> Parser<'a> {
    pub(super) fn block_sequence_entry(&mut self) -> Parsed<'a> {
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
    pub(super) fn indentless_sequence_entry(&mut self) -> Parsed<'a> {
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

    pub(super) fn block_mapping_key(&mut self) -> Parsed<'a> {
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

    pub(super) fn block_mapping_value(&mut self) -> Parsed<'a> {
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
