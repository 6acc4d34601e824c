//! Candidates for keys. Only the `:` after a token shows that the token is a key.

use std::{borrow::Cow, collections::VecDeque};

use crate::text::yaml::Cursor;

/// Maximum number of characters of a key, including everything before its `:`.
const MAX_LENGTH: usize = 1024;

/// Token that is a key if a `:` follows on the same line, within [`MAX_LENGTH`] characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimpleKey {
    /// Number of open brackets around it.
    pub level: usize,
    /// Sequence number of the token.
    pub token: usize,
    /// True if only a key is allowed here.
    pub is_required: bool,
    pub column: usize,
    line: usize,
    index: usize,
}

impl SimpleKey {
    pub(super) fn at_cursor(cursor: &Cursor<'_>, level: usize, token: usize, is_required: bool) -> Self {
        let Cursor { line, index, .. } = *cursor;
        Self { level, token, is_required, column: cursor.column(), line, index }
    }

    /// Returns true if a `:` would now be too far away.
    fn is_stale(&self, cursor: &Cursor<'_>) -> bool {
        self.line < cursor.line || self.index + MAX_LENGTH < cursor.index
    }
}

/// Candidates for keys: at most one per level, outer levels first. The oldest becomes stale first, so not all
/// need to be checked.
#[derive(Default)]
pub(super) struct SimpleKeys {
    possible: VecDeque<SimpleKey>,
}

/// Error: a key is required but a `:` is missing.
pub(super) struct NoColon;

impl SimpleKeys {
    /// Removes candidates that are too far from a `:`.
    pub(super) fn drop_stale(&mut self, cursor: &Cursor<'_>) -> Result<(), NoColon> {
        while let Some(key) = self.possible.front().filter(|key| key.is_stale(cursor)) {
            if key.is_required {
                return Err(NoColon);
            }
            self.possible.pop_front();
        }
        Ok(())
    }

    /// Returns true if a token may still become a key. Tokens are returned in order, so only the oldest
    /// candidate matters.
    pub(super) fn may_be(&self, token: usize) -> bool {
        self.possible.front().is_some_and(|key| key.token == token)
    }

    /// Removes and returns the candidate of a level.
    pub(super) fn take(&mut self, level: usize) -> Option<SimpleKey> {
        self.possible.back().filter(|key| key.level == level)?;
        self.possible.pop_back()
    }

    /// Adds a candidate and replaces the one of its level.
    pub(super) fn add_candidate(&mut self, key: SimpleKey) -> Result<(), NoColon> {
        self.remove_candidate(key.level)?;
        self.possible.push_back(key);
        Ok(())
    }

    /// Removes the candidate of a level.
    pub(super) fn remove_candidate(&mut self, level: usize) -> Result<(), NoColon> {
        match self.take(level) {
            Some(key) if key.is_required => Err(NoColon),
            _ => Ok(()),
        }
    }
}

/// A token with its position.
#[derive(Debug)]
pub(in crate::text::yaml) struct Token<'a> {
    pub kind: TokenKind<'a>,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
}

#[derive(Debug)]
pub(in crate::text::yaml) enum TokenKind<'a> {
    /// The end of the text.
    StreamEnd,
    /// `%YAML`
    Version {
        major: u32,
        minor: u32,
    },
    /// `%TAG`
    TagDirective {
        handle: &'a str,
        prefix: String,
    },
    /// `---`
    DocumentStart,
    /// `...`
    DocumentEnd,
    /// First entry of a list that is further right than its parent.
    BlockSequenceStart,
    /// First entry of a map that is further right than its parent.
    BlockMappingStart,
    /// End of a block list or map.
    BlockEnd,
    /// `[` or `{`
    FlowStart(Bracket),
    /// `]` or `}`
    FlowEnd(Bracket),
    /// `-`
    BlockEntry,
    /// `,`
    FlowEntry,
    /// `?`, or the position of a key without it.
    Key,
    /// `:`
    Value,
    /// `*name`
    Alias(&'a str),
    /// `&name`
    Anchor(&'a str),
    /// `!handle!suffix`; without a handle, `suffix` is the whole tag.
    Tag {
        handle: &'a str,
        suffix: String,
    },
    Scalar {
        text: Cow<'a, str>,
        style: Style,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::text::yaml) enum Bracket {
    Square,
    Curly,
}

/// Style of a scalar, as far as it affects the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::text::yaml) enum Style {
    /// Without quotes or indicators.
    Plain,
    /// In quotes.
    Quoted,
    /// After `|` or `>`.
    Block,
}
