//! From the scanner's events to raw nodes: a flat list, spans exact, nothing resolved yet.

use std::collections::HashMap;

use libyaml_safer::{Encoding, Event, EventData, Mark, Parser, ScalarStyle};

use super::{extent, source::Source};
use crate::catalog::{
    node::MAX_DEPTH,
    read_error::{ReadError, ReadErrorKind},
    span::Span,
};

/// A node's place in [`Raw::nodes`].
pub(super) type Index = u32;

/// A YAML document as it was written. Indices of children are smaller than their parent's.
pub(super) struct Raw {
    pub(super) nodes: Vec<RawNode>,
    pub(super) root: Index,
    /// Whether any alias occurs, so that a node may be needed twice.
    pub(super) aliased: bool,
}

pub(super) struct RawNode {
    pub(super) span: Span,
    pub(super) value: RawValue,
}

pub(super) enum RawValue {
    Scalar(RawScalar),
    Alias(Index),
    List(Vec<Index>),
    /// Keys and values by turns.
    Map(Vec<Index>),
}

pub(super) struct RawScalar {
    pub(super) text: String,
    pub(super) tag: Option<String>,
    /// Whether neither quotes nor block style nor a tag (but `!`) says that this is text.
    pub(super) plain: bool,
}

/// Why reading stopped.
pub(super) enum Stop {
    /// For good.
    Error(ReadError),
    /// At something that go-yaml may read in another way: the scanner's problem and its offset.
    Scanner { problem: &'static str, at: usize, context: Option<&'static str> },
}

/// What the reader asks about a scalar's source before it believes the scanner.
pub(super) trait Judge {
    /// The scalar's text, given as the scanner read it, its source span and style.
    fn scalar(
        &self,
        text: String,
        span: Span,
        style: ScalarStyle,
        in_flow: bool,
    ) -> Result<String, ReadError>;
}

/// A collection that is not closed yet.
struct Open {
    start: usize,
    /// The end of what was read so far.
    end: usize,
    children: Vec<Index>,
    is_map: bool,
    /// Whether brackets of its own enclose it.
    bracketed: bool,
    in_flow: bool,
    /// For a block collection, the column it starts at: what its block scalars count their indentation from.
    column: Option<usize>,
    anchor: Option<String>,
}

/// What an anchor names.
#[derive(Clone, Copy, PartialEq)]
enum Anchor {
    /// The collection at this depth, which is not complete.
    Open(usize),
    Done(Index),
}

/// Reads the first document of `text` (`original` is what a judge may compare it with; offsets are the same).
/// `None` when there is no content.
pub(super) fn read(text: &str, judge: &impl Judge) -> Result<Option<Raw>, Stop> {
    let mut parser = Parser::new();
    parser.set_encoding(Encoding::Utf8);
    parser.set_input(Source::new(text));
    let mut reader = Reader {
        text: text.as_bytes(),
        judge,
        nodes: Vec::new(),
        open: Vec::new(),
        anchors: HashMap::new(),
        aliased: false,
        last: None,
    };
    loop {
        let event = parser.parse().map_err(|error| stop(text, &error))?;
        match event.data {
            EventData::StreamEnd => return Ok(None),
            EventData::DocumentEnd { .. } => {
                return Ok(reader.last.map(|root| Raw {
                    nodes: reader.nodes,
                    root,
                    aliased: reader.aliased,
                }));
            }
            _ => reader.event(event).map_err(Stop::Error)?,
        }
    }
}

/// A mark's byte offset.
pub(super) fn offset(mark: Mark) -> usize {
    usize::try_from(mark.index).unwrap_or(usize::MAX)
}

fn stop(text: &str, error: &libyaml_safer::Error) -> Stop {
    if let Some(mark) = error.problem_mark() {
        return Stop::Scanner {
            problem: error.problem(),
            at: offset(mark).min(text.len()),
            context: error.context(),
        };
    }
    // The input is valid UTF-8, so what is left is a character that must not be in a file.
    let bad = text.char_indices().find(|(_, c)| is_forbidden(*c));
    Stop::Error(match bad {
        Some((at, c)) => ReadErrorKind::ControlCharacter(c).at(at..at + c.len_utf8()),
        None => ReadErrorKind::Yaml { problem: error.problem(), context: error.context() }.at(0..0),
    })
}

/// Characters that YAML does not allow unescaped.
fn is_forbidden(c: char) -> bool {
    let allowed =
        matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..);
    !allowed
}

struct Reader<'a, J> {
    text: &'a [u8],
    judge: &'a J,
    nodes: Vec<RawNode>,
    open: Vec<Open>,
    /// What each anchor name stands for at this place.
    anchors: HashMap<String, Anchor>,
    aliased: bool,
    /// The last complete node without a parent: in the end, the root.
    last: Option<Index>,
}

impl<J: Judge> Reader<'_, J> {
    fn event(&mut self, event: Event) -> Result<(), ReadError> {
        // The scanner also sees the newline that ends the text, written or not.
        let place = |mark| offset(mark).min(self.text.len());
        let (start, end) = (place(event.start_mark), place(event.end_mark));
        match event.data {
            EventData::Alias { anchor } => self.alias(anchor, Span::new(start, end)),
            EventData::Scalar { anchor, tag, value, plain_implicit, style, .. } => {
                let has_properties = anchor.is_some() || tag.is_some();
                let span = self.scalar_span(start, end, style, has_properties);
                let in_flow = self.open.last().is_some_and(|open| open.in_flow);
                let text = self.judge.scalar(value, span, style, in_flow)?;
                let scalar = RawScalar { text, tag, plain: plain_implicit };
                let index = self.complete(span, RawValue::Scalar(scalar));
                if let Some(name) = anchor {
                    self.anchors.insert(name, Anchor::Done(index));
                }
                Ok(())
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                let column = Some(event.start_mark.column).filter(|_| anchor.is_none() && tag.is_none());
                self.open(false, start, end, column, anchor)
            }
            EventData::MappingStart { anchor, tag, .. } => {
                let column = Some(event.start_mark.column).filter(|_| anchor.is_none() && tag.is_none());
                self.open(true, start, end, column, anchor)
            }
            EventData::SequenceEnd | EventData::MappingEnd => {
                self.close(end);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn alias(&mut self, anchor: String, span: Span) -> Result<(), ReadError> {
        match self.anchors.get(&anchor) {
            Some(Anchor::Done(target)) => {
                self.aliased = true;
                let target = *target;
                self.complete(span, RawValue::Alias(target));
                Ok(())
            }
            Some(Anchor::Open(_)) => Err(ReadErrorKind::RecursiveAnchor(anchor).at(span)),
            None => Err(ReadErrorKind::UnknownAnchor(anchor).at(span)),
        }
    }

    fn scalar_span(&self, start: usize, end: usize, style: ScalarStyle, has_properties: bool) -> Span {
        if start == end && !has_properties {
            return self.absent(start);
        }
        let start = if has_properties { extent::skip_properties(self.text, start, end) } else { start };
        match style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let parent = self.open.iter().rev().find_map(|open| open.column);
                Span::new(start, extent::block_scalar_end(self.text, start, end, parent))
            }
            _ => Span::new(start, end),
        }
    }

    /// The place of a value that is not there: the scanner's mark may be as far away as the next token.
    fn absent(&self, mark: usize) -> Span {
        let at = match self.open.last() {
            Some(open) if open.is_map && open.children.len() % 2 == 1 => {
                extent::absent_value(self.text, open.end, mark)
            }
            _ => mark.min(self.text.len()),
        };
        Span::new(at, at)
    }

    /// Opens a collection whose first token ends at `end`. `column` is where it begins; unknown (`None`) when a tag
    /// or an anchor stands before it.
    fn open(
        &mut self,
        is_map: bool,
        start: usize,
        end: usize,
        column: Option<u64>,
        anchor: Option<String>,
    ) -> Result<(), ReadError> {
        let in_flow = self.open.last().is_some_and(|open| open.in_flow);
        let start = match column {
            Some(_) => start,
            None => extent::skip_properties(self.text, start, self.text.len()),
        };
        let bracketed = match self.text.get(start) {
            Some(b'[') => !is_map && start < end,
            Some(b'{') => is_map && start < end,
            _ => false,
        };
        if self.open.len() >= MAX_DEPTH {
            return Err(ReadErrorKind::TooDeep.at(start..start + 1));
        }
        if let Some(name) = &anchor {
            self.anchors.insert(name.clone(), Anchor::Open(self.open.len()));
        }
        let column = match column.and_then(|column| usize::try_from(column).ok()) {
            _ if bracketed || in_flow => None,
            Some(column) => Some(column),
            None => Some(extent::column(self.text, start)),
        };
        self.open.push(Open {
            start,
            end: start,
            children: Vec::new(),
            is_map,
            bracketed,
            in_flow: in_flow || bracketed,
            column,
            anchor,
        });
        Ok(())
    }

    fn close(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        let end = if open.bracketed { end } else { open.end };
        let value = if open.is_map { RawValue::Map(open.children) } else { RawValue::List(open.children) };
        let index = self.complete(Span::new(open.start, end), value);
        // Unless the name was given away again inside.
        if let Some(anchor) = open.anchor.and_then(|name| self.anchors.get_mut(&name))
            && *anchor == Anchor::Open(self.open.len())
        {
            *anchor = Anchor::Done(index);
        }
    }

    fn complete(&mut self, span: Span, value: RawValue) -> Index {
        let index = Index::try_from(self.nodes.len()).unwrap_or(Index::MAX);
        self.nodes.push(RawNode { span, value });
        match self.open.last_mut() {
            Some(open) => {
                open.end = open.end.max(span.end as usize);
                open.children.push(index);
            }
            None => self.last = Some(index),
        }
        index
    }
}
