//! Evens out where the scanner (`libyaml-safer`, a port of libyaml 0.2) and go-yaml v2 (a port of an older one,
//! changed since) read the same text in two ways.
//!
//! - go-yaml's plain scalars in brackets end at `?` (which is then an error) but may contain `:` before a bracket or
//!   comma; the scanner has it the other way round.
//! - go-yaml knows the escape `\'` and not `\/`; the scanner the other way round.
//! - go-yaml takes `,[]` for parts of a tag; the scanner refuses them, and panics at a comma.
//!
//! Where go-yaml accepts more, the byte that disturbs the scanner is *masked* by another in a copy of the text, and a
//! scalar that has masked bytes is read again from the original. Offsets stay the same.

use std::borrow::Cow;

use libyaml_safer::{Encoding, ScalarStyle, Scanner, TokenData};

use super::{
    events::{self, Judge, Raw, Stop},
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
    let mut judge = GoYaml { original: text, masks: masked_tags(text) };
    let mut masked = judge.apply();
    let mut left = MAX_MASKS;
    loop {
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
        masked = judge.apply();
    }
}

/// A byte to hide from the scanner.
#[derive(Clone, Copy)]
struct Mask {
    at: usize,
    byte: u8,
}

struct GoYaml<'a> {
    original: &'a str,
    masks: Vec<Mask>,
}

impl<'a> GoYaml<'a> {
    fn apply(&self) -> Cow<'a, str> {
        if self.masks.is_empty() {
            return Cow::Borrowed(self.original);
        }
        let mut bytes = self.original.as_bytes().to_vec();
        for mask in &self.masks {
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
            ("did not find expected whitespace or line break", [b'[' | b']' | b',', ..]) => {
                Mask { at, byte: b'_' }
            }
            _ => return None,
        };
        self.masks.iter().all(|known| known.at != mask.at).then_some(mask)
    }

    fn is_masked(&self, span: Span) -> bool {
        self.masks.iter().any(|mask| span.contains(mask.at))
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
        match style {
            ScalarStyle::Plain if in_flow => {
                if let Some(at) = source.find('?') {
                    let at = span.start as usize + at;
                    let problem = "did not find expected ',' or a closing bracket";
                    return Err(ReadErrorKind::Yaml { problem, context: None }.at(at..at + 1));
                }
                Ok(if self.is_masked(span) { unfold::plain(source) } else { text })
            }
            ScalarStyle::DoubleQuoted => {
                if let Some(at) = slash_escape(source) {
                    let at = span.start as usize + at;
                    let problem = "found unknown escape character";
                    return Err(ReadErrorKind::Yaml { problem, context: None }.at(at..at + 2));
                }
                Ok(if self.is_masked(span) { unfold::double_quoted(source) } else { text })
            }
            _ => Ok(text),
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

/// Masks the commas and brackets in tags that are followed by a comma, at which the scanner would panic.
fn masked_tags(text: &str) -> Vec<Mask> {
    let bytes = text.as_bytes();
    let commas: Vec<usize> =
        memchr::memchr_iter(b'!', bytes).filter_map(|at| comma_after_tag(bytes, at)).collect();
    if commas.is_empty() {
        return Vec::new();
    }
    // Only the scanner knows which of them are tags at all: let it look at a copy with a blank before each comma.
    let mut commas = commas;
    commas.dedup();
    let mut spaced = String::with_capacity(text.len() + commas.len());
    let mut from = 0;
    for comma in &commas {
        spaced.push_str(&text[from..*comma]);
        spaced.push(' ');
        from = *comma;
    }
    spaced.push_str(&text[from..]);

    let mut masks = Vec::new();
    let mut scanner = Scanner::new();
    scanner.set_encoding(Encoding::Utf8);
    scanner.set_input(Source::new(&spaced));
    let mut depth = 0usize;
    let mut before = 0;
    for token in scanner.map_while(Result::ok) {
        match token.data {
            TokenData::FlowSequenceStart | TokenData::FlowMappingStart => depth += 1,
            TokenData::FlowSequenceEnd | TokenData::FlowMappingEnd => depth = depth.saturating_sub(1),
            TokenData::Tag { .. } => {
                let end = usize::try_from(token.end_mark.index).unwrap_or(usize::MAX);
                while commas.get(before).is_some_and(|comma| comma + before < end) {
                    before += 1;
                }
                if let Some(comma) = commas.get(before).filter(|comma| **comma + before == end) {
                    let run = bytes[*comma..].iter().take_while(|b| is_uri(**b) || is_list(**b));
                    masks.extend(
                        run.enumerate()
                            .filter(|(_, b)| is_list(**b))
                            .map(|(i, _)| Mask { at: comma + i, byte: b'_' }),
                    );
                }
            }
            _ => {}
        }
        if depth > MAX_DEPTH {
            break;
        }
    }
    masks
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
