//! A document as it was written, in the order it was written in: 16 bytes a node, nothing resolved yet.

mod record;

use std::borrow::Cow;

use crate::catalog::span::Span;

pub(super) use record::read;

/// A node's place on the tape. Parents stand before their children.
pub(super) type Index = u32;

/// A YAML document as it was written.
pub(super) struct Tape<'a> {
    text: &'a str,
    nodes: Vec<TapeNode>,
    /// Scalars that are not in the text as they are meant.
    special: Vec<Source<'a>>,
    /// Whether any alias occurs, so that a node may be needed twice.
    is_aliased: bool,
}

#[derive(Clone, Copy)]
struct TapeNode {
    span: Span,
    what: What,
}

/// What stands at a place of the tape.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum What {
    /// A scalar without quotes.
    Plain,
    /// A scalar in quotes.
    Quoted,
    /// A scalar that is not in the text as it is meant, by its number.
    Special(u32),
    /// A copy of another node.
    Alias(Index),
    /// A list, and how many nodes are in it, those within its items too.
    List(u32),
    /// A map, keys and values by turns, and how many nodes are in it.
    Map(u32),
}

/// A scalar, of which nobody has guessed yet what it is.
#[derive(Clone)]
pub(super) struct Source<'a> {
    pub text: Cow<'a, str>,
    pub tag: Option<Box<str>>,
    /// Whether neither quotes nor block style nor a tag (but `!`) says that this is text.
    pub is_plain: bool,
}

impl<'a> Tape<'a> {
    /// What stands at a place.
    pub(super) fn what(&self, at: Index) -> What {
        self.nodes.get(at as usize).map_or(What::Plain, |node| node.what)
    }

    /// Its bytes.
    pub(super) fn span(&self, at: Index) -> Span {
        self.nodes.get(at as usize).map_or(Span::default(), |node| node.span)
    }

    /// The place after it and all that is in it.
    pub(super) fn after(&self, at: Index) -> Index {
        match self.what(at) {
            What::List(inner) | What::Map(inner) => at + 1 + inner,
            _ => at + 1,
        }
    }

    /// The scalar at a place, if it is wanted only once: unless there are aliases, it is gone then.
    pub(super) fn take_scalar(&mut self, at: Index) -> Source<'a> {
        if let What::Special(number) = self.what(at)
            && let Some(special) = self.special.get_mut(number as usize)
        {
            let gone = Source { text: Cow::Borrowed(""), tag: None, is_plain: false };
            return if self.is_aliased { special.clone() } else { std::mem::replace(special, gone) };
        }
        let is_plain = self.what(at) == What::Plain;
        Source { text: Cow::Borrowed(self.source(at)), tag: None, is_plain }
    }

    /// Whether the map's key at a place asks to merge its value.
    pub(super) fn is_merge(&self, at: Index) -> bool {
        match self.what(at) {
            What::Plain => self.source(at) == "<<",
            What::Special(number) => self.special.get(number as usize).is_some_and(|special| {
                let is_tagged = special.tag.as_deref() == Some("tag:yaml.org,2002:merge");
                special.text == "<<" && (special.is_plain || is_tagged)
            }),
            _ => false,
        }
    }

    /// The text of a scalar that is in the source as it is meant.
    fn source(&self, at: Index) -> &'a str {
        let source = self.text.get(self.span(at).range()).unwrap_or_default();
        match self.what(at) {
            What::Quoted => source.get(1..source.len().saturating_sub(1)).unwrap_or_default(),
            _ => source,
        }
    }
}
