//! What the text of a document consists of.

use std::borrow::Cow;

/// A token and its place.
#[derive(Debug)]
pub(in crate::catalog::text::yaml) struct Token<'a> {
    pub kind: TokenKind<'a>,
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// The kinds of tokens.
#[derive(Debug)]
pub(in crate::catalog::text::yaml) enum TokenKind<'a> {
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
    /// An entry of a list further right than what is around it.
    BlockSequenceStart,
    /// An entry of a map further right than what is around it.
    BlockMappingStart,
    /// The end of either.
    BlockEnd,
    /// `[` or `{`
    FlowStart(Bracket),
    /// `]` or `}`
    FlowEnd(Bracket),
    /// `-`
    BlockEntry,
    /// `,`
    FlowEntry,
    /// `?`, or where a key begins that has none.
    Key,
    /// `:`
    Value,
    /// `*name`
    Alias(&'a str),
    /// `&name`
    Anchor(&'a str),
    /// `!handle!suffix`; without a handle the suffix is all.
    Tag {
        handle: &'a str,
        suffix: String,
    },
    Scalar {
        text: Cow<'a, str>,
        style: Style,
    },
}

/// The two kinds of brackets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::catalog::text::yaml) enum Bracket {
    Square,
    Curly,
}

/// How a scalar is written, as far as that matters to what it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::catalog::text::yaml) enum Style {
    /// Without anything around it.
    Plain,
    /// In quotes.
    Quoted,
    /// After `|` or `>`.
    Block,
}
