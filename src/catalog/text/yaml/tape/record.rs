//! Making the tape of a document.

use std::{borrow::Cow, collections::HashMap};

use super::{Index, Source, Tape, TapeNode, What};
use crate::catalog::{
    node::MAX_DEPTH,
    span::Span,
    text::{
        read_error::{ReadError, ReadErrorKind},
        yaml::parse::{Event, Parser, Scalar},
    },
};

/// How much text go-yaml decodes at a time. A character that must not be in a file is found with its block, before what
/// stands in front of it there is looked at.
const BLOCK: usize = 512;

/// Reads the first document of `text`; `None` when there is no content.
pub(in crate::catalog::text::yaml) fn read(text: &str) -> Result<Option<Tape<'_>>, ReadError> {
    let Some((at, c)) = text.char_indices().find(|(_, c)| is_forbidden(*c)) else {
        return read_seen(text).0;
    };
    let block = (0..=at - at % BLOCK).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    match read_seen(&text[..block]) {
        (result, false) => result,
        (_, true) => Err(ReadErrorKind::ControlCharacter(c).at(at..at + c.len_utf8())),
    }
}

/// Characters that YAML does not allow unescaped.
fn is_forbidden(c: char) -> bool {
    let allowed =
        matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..);
    !allowed
}

/// Reads the first document of a text without such characters; and says whether the end of the text mattered.
fn read_seen(text: &str) -> (Result<Option<Tape<'_>>, ReadError>, bool) {
    let mut parser = Parser::new(text);
    let tape = Tape { text, nodes: Vec::new(), special: Vec::new(), is_aliased: false };
    let mut recorder = Recorder { tape, open: Vec::new(), names: HashMap::new() };
    let result = loop {
        match parser.next() {
            Ok(Event::End { is_there }) => break Ok(Some(recorder.tape).filter(|_| is_there)),
            Ok(event) => {
                if let Err(error) = recorder.event(event) {
                    break Err(error);
                }
            }
            Err(error) => break Err(error),
        }
    };
    (result, parser.saw_end())
}

/// A list or map that is not closed yet.
struct Open<'a> {
    at: Index,
    /// The end of what was read of it so far.
    end: u32,
    name: Option<&'a str>,
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq)]
enum Named {
    /// The list or map at this place, which is not complete.
    Open(Index),
    Done(Index),
}

struct Recorder<'a> {
    tape: Tape<'a>,
    open: Vec<Open<'a>>,
    /// What each name stands for at this place of the document.
    names: HashMap<&'a str, Named>,
}

impl<'a> Recorder<'a> {
    fn event(&mut self, event: Event<'a>) -> Result<(), ReadError> {
        match event {
            Event::Alias { name, span } => self.alias(name, span),
            Event::Scalar(scalar, name) => {
                let at = self.scalar(scalar);
                if let Some(name) = name {
                    self.names.insert(name, Named::Done(at));
                }
                Ok(())
            }
            Event::NoValue => {
                let end = self.open.last().map_or(0, |open| open.end);
                self.add(Span { start: end, end }, What::Plain);
                Ok(())
            }
            Event::Open { is_map, start, name } => self.open(is_map, start, name),
            Event::Close { bracket } => {
                self.close(bracket);
                Ok(())
            }
            Event::End { .. } => Ok(()),
        }
    }

    fn alias(&mut self, name: &'a str, span: Span) -> Result<(), ReadError> {
        match self.names.get(name) {
            Some(Named::Done(target)) => {
                let what = What::Alias(*target);
                self.tape.is_aliased = true;
                self.add(span, what);
                Ok(())
            }
            Some(Named::Open(_)) => Err(ReadErrorKind::RecursiveAnchor(name.to_owned()).at(span)),
            None => Err(ReadErrorKind::UnknownAnchor(name.to_owned()).at(span)),
        }
    }

    fn scalar(&mut self, scalar: Scalar<'a>) -> Index {
        let Scalar { span, text, tag, is_plain } = scalar;
        let what = match (&text, &tag, is_plain) {
            (Cow::Borrowed(_), None, true) => What::Plain,
            (Cow::Borrowed(_), None, false) => What::Quoted,
            _ => {
                self.tape.special.push(Source { text, tag: tag.map(Into::into), is_plain });
                What::Special(number(self.tape.special.len() - 1))
            }
        };
        self.add(span, what)
    }

    fn open(&mut self, is_map: bool, start: usize, name: Option<&'a str>) -> Result<(), ReadError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(ReadErrorKind::TooDeep.at(start..start + 1));
        }
        let span = Span::new(start, start);
        let at = self.add(span, if is_map { What::Map(0) } else { What::List(0) });
        if let Some(name) = name {
            self.names.insert(name, Named::Open(at));
        }
        self.open.push(Open { at, end: span.end, name });
        Ok(())
    }

    fn close(&mut self, bracket: Option<usize>) {
        let Some(Open { at, end, name }) = self.open.pop() else { return };
        let end = bracket.map_or(end, number);
        let inner = number(self.tape.nodes.len()) - at - 1;
        if let Some(node) = self.tape.nodes.get_mut(at as usize) {
            node.span.end = end;
            if let What::Map(count) | What::List(count) = &mut node.what {
                *count = inner;
            }
        }
        self.go_on(end);
        // Unless the name was given away again inside.
        if let Some(named) = name.and_then(|name| self.names.get_mut(name))
            && *named == Named::Open(at)
        {
            *named = Named::Done(at);
        }
    }

    fn add(&mut self, span: Span, what: What) -> Index {
        self.tape.nodes.push(TapeNode { span, what });
        self.go_on(span.end);
        number(self.tape.nodes.len() - 1)
    }

    /// The innermost list or map goes on to a place.
    fn go_on(&mut self, end: u32) {
        if let Some(open) = self.open.last_mut() {
            open.end = open.end.max(end);
        }
    }
}

fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
