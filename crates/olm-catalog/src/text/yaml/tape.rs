//! Unresolved nodes of a document in source order, 16 bytes each.

use std::{borrow::Cow, collections::HashMap};

use crate::{
    node::MAX_DEPTH,
    span::Span,
    text::yaml::{
        ReadError, ReadErrorKind,
        parse::{Event, Parser, Scalar},
    },
};

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

/// Number of bytes that go-yaml decodes at a time. It reports a forbidden character before it scans the text of
/// the same block.
const BLOCK: usize = 512;

/// Reads the first document of `text`; `None` if it does not have content.
pub(super) fn read_tape(text: &str) -> Result<Option<Tape<'_>>, ReadError> {
    let Some((at, c)) = text.char_indices().find(|(_, c)| is_forbidden(*c)) else {
        return record_tape(text).0;
    };
    let block = (0..=at - at % BLOCK).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    match record_tape(&text[..block]) {
        (result, false) => result,
        (_, true) => Err(ReadErrorKind::ControlCharacter(c).at_span(at..at + c.len_utf8())),
    }
}

/// Returns true for characters that YAML does not allow unescaped.
fn is_forbidden(c: char) -> bool {
    let allowed =
        matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..);
    !allowed
}

/// Records the first document of a text without forbidden characters. Also returns true if the end of the text
/// mattered.
fn record_tape(text: &str) -> (Result<Option<Tape<'_>>, ReadError>, bool) {
    let mut parser = Parser::new(text);
    let tape = Tape { text, nodes: Vec::new(), special: Vec::new(), is_aliased: false };
    let mut recorder = Recorder { tape, open: Vec::new(), names: HashMap::new() };
    let result = loop {
        match parser.next_event() {
            Ok(Event::End { exists: is_there }) => break Ok(Some(recorder.tape).filter(|_| is_there)),
            Ok(event) => {
                if let Err(error) = recorder.record_event(event) {
                    break Err(error);
                }
            }
            Err(error) => break Err(error),
        }
    };
    (result, parser.saw_end())
}

/// An unclosed list or map.
struct Open<'a> {
    at: Index,
    /// End of the part read so far.
    end: u32,
    name: Option<&'a str>,
}

/// Node with an anchor.
#[derive(Clone, Copy, PartialEq)]
enum Anchored {
    /// The list or map at this index, which is incomplete.
    Open(Index),
    Done(Index),
}

struct Recorder<'a> {
    tape: Tape<'a>,
    open: Vec<Open<'a>>,
    /// Current node of each anchor.
    names: HashMap<&'a str, Anchored>,
}

impl<'a> Recorder<'a> {
    fn record_event(&mut self, event: Event<'a>) -> Result<(), ReadError> {
        match event {
            Event::Alias { name, span } => self.record_alias(name, span),
            Event::Scalar(scalar, name) => {
                let at = self.record_scalar(scalar);
                if let Some(name) = name {
                    self.names.insert(name, Anchored::Done(at));
                }
                Ok(())
            }
            Event::NoValue => {
                let end = self.open.last().map_or(0, |open| open.end);
                self.add_node(Span { start: end, end }, NodeKind::Plain);
                Ok(())
            }
            Event::Open { is_map, start, name } => self.open_collection(is_map, start, name),
            Event::Close { bracket } => {
                self.close(bracket);
                Ok(())
            }
            Event::End { .. } => Ok(()),
        }
    }

    fn record_alias(&mut self, name: &'a str, span: Span) -> Result<(), ReadError> {
        match self.names.get(name) {
            Some(Anchored::Done(target)) => {
                let what = NodeKind::Alias(*target);
                self.tape.is_aliased = true;
                self.add_node(span, what);
                Ok(())
            }
            Some(Anchored::Open(_)) => Err(ReadErrorKind::RecursiveAnchor(name.to_owned()).at_span(span)),
            None => Err(ReadErrorKind::UnknownAnchor(name.to_owned()).at_span(span)),
        }
    }

    fn record_scalar(&mut self, scalar: Scalar<'a>) -> Index {
        let Scalar { span, text, tag, is_plain } = scalar;
        let what = match (&text, &tag, is_plain) {
            (Cow::Borrowed(_), None, true) => NodeKind::Plain,
            (Cow::Borrowed(_), None, false) => NodeKind::Quoted,
            _ => {
                self.tape.special.push(Source { text, tag: tag.map(Into::into), is_plain });
                NodeKind::Special(to_u32(self.tape.special.len() - 1))
            }
        };
        self.add_node(span, what)
    }

    fn open_collection(
        &mut self,
        is_map: bool,
        start: usize,
        name: Option<&'a str>,
    ) -> Result<(), ReadError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(ReadErrorKind::TooDeep.at_span(start..start + 1));
        }
        let span = Span::new(start, start);
        let at = self.add_node(span, if is_map { NodeKind::Map(0) } else { NodeKind::List(0) });
        if let Some(name) = name {
            self.names.insert(name, Anchored::Open(at));
        }
        self.open.push(Open { at, end: span.end, name });
        Ok(())
    }

    fn close(&mut self, bracket: Option<usize>) {
        let Some(Open { at, end, name }) = self.open.pop() else { return };
        let end = bracket.map_or(end, to_u32);
        let inner = to_u32(self.tape.nodes.len()) - at - 1;
        if let Some(node) = self.tape.nodes.get_mut(at as usize) {
            node.span.end = end;
            if let NodeKind::Map(count) | NodeKind::List(count) = &mut node.kind {
                *count = inner;
            }
        }
        self.extend_to(end);
        // The anchor may have been redefined inside.
        if let Some(named) = name.and_then(|name| self.names.get_mut(name))
            && *named == Anchored::Open(at)
        {
            *named = Anchored::Done(at);
        }
    }

    fn add_node(&mut self, span: Span, kind: NodeKind) -> Index {
        self.tape.nodes.push(TapeNode { span, kind });
        self.extend_to(span.end);
        to_u32(self.tape.nodes.len() - 1)
    }

    /// Extends the innermost list or map to a position.
    fn extend_to(&mut self, end: u32) {
        if let Some(open) = self.open.last_mut() {
            open.end = open.end.max(end);
        }
    }
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
