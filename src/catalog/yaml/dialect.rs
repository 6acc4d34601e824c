//! Evens out where the scanner (`libyaml-safer`, a port of libyaml 0.2) and go-yaml v2 (a port of an older one,
//! changed since) read the same text in two ways.
//!
//! - go-yaml's plain scalars in brackets end at `?` (which is then an error) but may contain `:` before a bracket or
//!   comma; the scanner has it the other way round.
//! - go-yaml knows the escape `\'` and not `\/`; the scanner the other way round.
//! - go-yaml takes `,[]` for parts of a tag; the scanner refuses them, and panics at a comma.
//! - A byte order mark at the beginning of a line is text to go-yaml and nothing to the scanner.
//!
//! Where go-yaml accepts more, what disturbs the scanner is *masked* in a copy of the text, and a scalar with masked
//! bytes is read again from the original. Offsets stay the same.

use std::borrow::Cow;

use libyaml_safer::{Encoding, ScalarStyle, Scanner, TokenData};

use super::{
    events::{self, Judge, Raw, Stop, offset},
    source::Source,
    unfold,
};
use crate::catalog::{
    node::MAX_DEPTH,
    read_error::{ReadError, ReadErrorKind},
    span::Span,
};

/// How many bytes are masked, one reading each, before a document is refused.
const MAX_MASKS: usize = 100;

/// Reads the first document of a YAML text; `None` when there is no content.
pub(super) fn read(text: &str) -> Result<Option<Raw>, ReadError> {
    let mut judge = GoYaml::new(text);
    let mut left = MAX_MASKS;
    loop {
        let masked = judge.masked()?;
        let (problem, at, context) = match events::read(&masked, &judge) {
            Ok(raw) => return Ok(raw),
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::Scanner { problem, at, context }) => (problem, at, context),
        };
        let mask = judge.mask_for(problem, at).filter(|_| left > 0);
        let Some(mask) = mask else {
            let length = text[at..].chars().next().map_or(0, char::len_utf8);
            return Err(ReadErrorKind::Yaml { problem, context }.at(at..at + length));
        };
        left -= 1;
        judge.masks.push(mask);
    }
}

/// A byte to hide from the scanner.
#[derive(Clone, Copy)]
struct Mask {
    at: usize,
    byte: u8,
}

/// What stands for commas and brackets in tags: a character of tags that cannot be part of their handles.
const IN_TAG: u8 = b';';

struct GoYaml<'a> {
    original: &'a str,
    /// What stopped the scanner so far.
    masks: Vec<Mask>,
    /// What would make it panic.
    tags: Vec<Mask>,
    /// The character that stands for byte order marks within the text, if it has any.
    mark: Option<char>,
}

impl<'a> GoYaml<'a> {
    fn new(original: &'a str) -> Self {
        // A private character of three bytes, like the mark itself, that the text does not have.
        let mut private = '\u{E000}'..='\u{E010}';
        let mark = original.contains('\u{FEFF}').then(|| private.find(|c| !original.contains(*c))).flatten();
        Self { original, masks: Vec::new(), tags: Vec::new(), mark }
    }

    /// The text as the scanner is to see it.
    fn masked(&mut self) -> Result<Cow<'a, str>, ReadError> {
        self.tags.clear();
        for _ in 0..MAX_MASKS {
            let masked = self.apply();
            match comma_in_tag(&masked) {
                None => return Ok(masked),
                Some(comma) => self.tags.extend(mask_tag(masked.as_bytes(), comma)),
            }
        }
        let at = self.tags.last().map_or(0, |mask| mask.at);
        let (problem, context) = ("found too many commas in tags", Some("while scanning a tag"));
        Err(ReadErrorKind::Yaml { problem, context }.at(at..at + 1))
    }

    fn apply(&self) -> Cow<'a, str> {
        let text = match self.mark {
            Some(mark) => Cow::Owned(self.original.replace('\u{FEFF}', mark.encode_utf8(&mut [0; 4]))),
            None => Cow::Borrowed(self.original),
        };
        if self.masks.is_empty() && self.tags.is_empty() {
            return text;
        }
        let mut bytes = text.into_owned().into_bytes();
        for mask in self.masks.iter().chain(&self.tags) {
            bytes[mask.at] = mask.byte;
        }
        // Only ASCII bytes are masked, by ASCII bytes.
        String::from_utf8(bytes).map_or(Cow::Borrowed(self.original), Cow::Owned)
    }

    /// What to hide so that the scanner gets over a problem that go-yaml does not have.
    fn mask_for(&self, problem: &str, at: usize) -> Option<Mask> {
        let rest = &self.original.as_bytes()[at..];
        let mask = match (problem, rest) {
            ("found unexpected ':'", [b':', ..]) => Mask { at, byte: b'_' },
            ("found unknown escape character", [b'\\', b'\'', ..]) => Mask { at: at + 1, byte: b'"' },
            (
                "did not find expected whitespace or line break" | "did not find expected tag URI",
                [b'[' | b']' | b',', ..],
            ) => Mask { at, byte: IN_TAG },
            _ => return None,
        };
        self.masks.iter().all(|known| known.at != mask.at).then_some(mask)
    }

    fn is_masked(&self, span: Span) -> bool {
        self.masks.iter().chain(&self.tags).any(|mask| span.contains(mask.at))
    }

    /// A scalar's text with its byte order marks back.
    fn unmasked(&self, text: String) -> String {
        match self.mark {
            Some(mark) if text.contains(mark) => text.replace(mark, "\u{FEFF}"),
            _ => text,
        }
    }
}

impl Judge for GoYaml<'_> {
    fn scalar(
        &self,
        text: String,
        span: Span,
        style: ScalarStyle,
        in_flow: bool,
    ) -> Result<String, ReadError> {
        let source = self.original.get(span.range()).unwrap_or_default();
        let refuse = |at: usize, length: usize, problem: &'static str| {
            let at = span.start as usize + at;
            Err(ReadErrorKind::Yaml { problem, context: None }.at(at..at + length))
        };
        match style {
            ScalarStyle::Plain if in_flow && source.contains('?') => {
                let at = source.find('?').unwrap_or_default();
                refuse(at, 1, "did not find expected ',' or a closing bracket")
            }
            // A comma taken for the end of a tag because of an error after it that the scanner could not get past.
            ScalarStyle::Plain if in_flow && self.tags.iter().any(|mask| span.contains(mask.at)) => {
                refuse(0, source.len(), "did not find expected ',' or a closing bracket")
            }
            ScalarStyle::Plain if self.is_masked(span) => Ok(unfold::plain(source)),
            ScalarStyle::DoubleQuoted => match slash_escape(source) {
                Some(at) => refuse(at, 2, "found unknown escape character"),
                None if self.is_masked(span) => Ok(unfold::double_quoted(source)),
                None => Ok(self.unmasked(text)),
            },
            _ => Ok(self.unmasked(text)),
        }
    }
}

/// Where a double-quoted scalar has the escape `\/`.
fn slash_escape(source: &str) -> Option<usize> {
    let bytes = source.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        if bytes.get(at + 1) == Some(&b'/') {
            return Some(at);
        }
        at = (at + 2).min(bytes.len());
    }
    None
}

/// Masks what go-yaml takes for the rest of a tag that the scanner ends at `comma`.
fn mask_tag(text: &[u8], comma: usize) -> impl Iterator<Item = Mask> {
    let rest = text[comma..].iter().take_while(|b| is_uri(**b) || is_list(**b));
    rest.enumerate().filter(|(_, b)| is_list(**b)).map(move |(i, _)| Mask { at: comma + i, byte: IN_TAG })
}

/// The first comma right after a tag: what the scanner must not see.
fn comma_in_tag(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut commas: Vec<usize> =
        memchr::memchr_iter(b'!', bytes).filter_map(|at| comma_after_tag(bytes, at)).collect();
    if commas.is_empty() {
        return None;
    }
    // Only the scanner knows which of them follow tags at all: let it look at a copy with a blank before each.
    commas.dedup();
    let mut spaced = String::with_capacity(text.len() + commas.len());
    let mut from = 0;
    for comma in &commas {
        spaced.push_str(&text[from..*comma]);
        spaced.push(' ');
        from = *comma;
    }
    spaced.push_str(&text[from..]);

    let mut scanner = Scanner::new();
    scanner.set_encoding(Encoding::Utf8);
    scanner.set_input(Source::new(&spaced));
    let mut depth = 0usize;
    // How many commas lie before the end of the last token; a comma's place in the copy is that much further.
    let mut passed = 0;
    for token in scanner {
        let Ok(token) = token else {
            // Tokens that the scanner had not given out yet are lost, and text that it cannot read past is refused
            // anyway. So take the next comma for the end of a tag.
            return commas.get(passed).copied();
        };
        let end = offset(token.end_mark);
        while commas.get(passed).is_some_and(|comma| comma + passed < end) {
            passed += 1;
        }
        match token.data {
            TokenData::FlowSequenceStart | TokenData::FlowMappingStart => depth += 1,
            TokenData::FlowSequenceEnd | TokenData::FlowMappingEnd => depth = depth.saturating_sub(1),
            TokenData::Tag { .. } => {
                if let Some(comma) = commas.get(passed).filter(|comma| **comma + passed == end) {
                    return Some(*comma);
                }
            }
            _ => {}
        }
        if depth > MAX_DEPTH {
            break;
        }
    }
    None
}

/// The comma that ends what would be a tag at `at`, if there is one.
fn comma_after_tag(text: &[u8], at: usize) -> Option<usize> {
    let run = |from: usize, and: fn(u8) -> bool| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|b| is_uri(**b) || and(**b)).count()
    };
    let end = if text.get(at + 1) == Some(&b'<') {
        let end = run(at + 2, is_list);
        end + usize::from(text.get(end) == Some(&b'>'))
    } else {
        run(at + 1, |_| false)
    };
    (text.get(end) == Some(&b',')).then_some(end)
}

fn is_uri(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-;/?:@&=+$.%!~*'()".contains(&byte)
}

fn is_list(byte: u8) -> bool {
    b",[]".contains(&byte)
}
