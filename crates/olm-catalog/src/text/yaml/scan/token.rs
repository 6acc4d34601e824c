//! Tokens of a document.

use std::borrow::Cow;

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
