//! Unresolved nodes of a document in source order, 16 bytes each.

mod record;

use std::borrow::Cow;

use crate::span::Span;

pub(super) use record::read_tape;

/// Index of a node on the tape. Parents precede their children.
pub(super) type Index = u32;

/// Recorded nodes of a YAML document.
pub(super) struct Tape<'a> {
    text: &'a str,
    nodes: Vec<TapeNode>,
    /// Scalars whose value differs from the source text.
    special: Vec<Source<'a>>,
    /// True if any alias occurs, so that a node may be needed twice.
    is_aliased: bool,
}

#[derive(Clone, Copy)]
struct TapeNode {
    span: Span,
    kind: NodeKind,
}

/// Kind of a node on the tape.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum NodeKind {
    /// A plain scalar.
    Plain,
    /// A quoted scalar.
    Quoted,
    /// A scalar whose value differs from the source text, by its index in `special`.
    Special(u32),
    /// Copy of another node.
    Alias(Index),
    /// A list, with the number of nodes in it at any depth.
    List(u32),
    /// A map, with the number of nodes in it; keys and values alternate.
    Map(u32),
}

/// A scalar before its type is resolved.
#[derive(Clone)]
pub(super) struct Source<'a> {
    pub text: Cow<'a, str>,
    pub tag: Option<Box<str>>,
    /// True if neither quotes, block style nor a tag other than `!` makes the scalar a string.
    pub is_plain: bool,
}

impl<'a> Tape<'a> {
    /// Returns the kind of a node.
    pub(super) fn kind(&self, at: Index) -> NodeKind {
        self.nodes.get(at as usize).map_or(NodeKind::Plain, |node| node.kind)
    }

    /// Returns the span of a node.
    pub(super) fn span(&self, at: Index) -> Span {
        self.nodes.get(at as usize).map_or(Span::default(), |node| node.span)
    }

    /// Returns the index after a node and its children.
    pub(super) fn after(&self, at: Index) -> Index {
        match self.kind(at) {
            NodeKind::List(inner) | NodeKind::Map(inner) => at + 1 + inner,
            _ => at + 1,
        }
    }

    /// Returns a scalar. Unless there are aliases, it can be taken only once.
    pub(super) fn take_scalar(&mut self, at: Index) -> Source<'a> {
        if let NodeKind::Special(number) = self.kind(at)
            && let Some(special) = self.special.get_mut(number as usize)
        {
            let gone = Source { text: Cow::Borrowed(""), tag: None, is_plain: false };
            return if self.is_aliased { special.clone() } else { std::mem::replace(special, gone) };
        }
        let is_plain = self.kind(at) == NodeKind::Plain;
        Source { text: Cow::Borrowed(self.source_text(at)), tag: None, is_plain }
    }

    /// Returns true if the key is a merge key.
    pub(super) fn is_merge(&self, at: Index) -> bool {
        match self.kind(at) {
            NodeKind::Plain => self.source_text(at) == "<<",
            NodeKind::Special(number) => self.special.get(number as usize).is_some_and(|special| {
                let is_tagged = special.tag.as_deref() == Some("tag:yaml.org,2002:merge");
                special.text == "<<" && (special.is_plain || is_tagged)
            }),
            _ => false,
        }
    }

    /// Returns the text of a scalar whose value is in the source.
    fn source_text(&self, at: Index) -> &'a str {
        let source = self.text.get(self.span(at).range()).unwrap_or_default();
        match self.kind(at) {
            NodeKind::Quoted => source.get(1..source.len().saturating_sub(1)).unwrap_or_default(),
            _ => source,
        }
    }
}
