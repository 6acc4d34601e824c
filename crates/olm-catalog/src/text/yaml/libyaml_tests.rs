//! Compares scanner and grammar with `libyaml-safer`, a port of the C library from which go-yaml is derived.
//!
//! The generated texts avoid what the two read differently: extensions of go-yaml (`?` that ends text in
//! brackets, `:` within it, commas in tags, `\'`, byte order marks) and escapes it lacks (`\/`).

use libyaml_safer::{Encoding, EventData};
use proptest::prelude::*;

use super::parse::{Event, Parser};
use crate::text::yaml::ReadErrorKind;

/// Result of a reader: its events, or the problem at which it stops.
type Outcome = Result<Vec<String>, (&'static str, usize)>;

fn parse_with_ours(text: &str) -> Outcome {
    let mut parser = Parser::new(text);
    let mut events = Vec::new();
    loop {
        let event = parser.next_event().map_err(|error| match error.kind {
            ReadErrorKind::Yaml { problem, .. } => (problem, error.span.start as usize),
            other => panic!("{other:?}"),
        })?;
        events.push(match event {
            Event::Alias { name, .. } => format!("*{name}"),
            Event::Scalar(scalar, name) => {
                format_scalar(name, scalar.tag.as_deref(), &scalar.text, scalar.is_plain)
            }
            Event::NoValue => format_scalar(None, None, "", true),
            Event::Open { is_map, name, .. } => format!("open {is_map} {name:?}"),
            Event::Close { .. } => "close".to_owned(),
            Event::End { exists: is_there } => {
                events.push(format!("end {is_there}"));
                return Ok(events);
            }
        });
    }
}

fn parse_with_libyaml(text: &str) -> Outcome {
    let mut bytes = text.as_bytes();
    let mut parser = libyaml_safer::Parser::new();
    parser.set_encoding(Encoding::Utf8);
    parser.set_input_string(&mut bytes);
    let mut events = Vec::new();
    loop {
        let event = parser.parse().map_err(|error| {
            let at = error.problem_mark().map_or(0, |mark| mark.index as usize);
            (error.problem(), at.min(text.len()))
        })?;
        events.push(match event.data {
            EventData::Alias { anchor } => format!("*{anchor}"),
            EventData::Scalar { anchor, tag, value, plain_implicit, .. } => {
                format_scalar(anchor.as_deref(), tag.as_deref(), &value, plain_implicit)
            }
            EventData::SequenceStart { anchor, .. } => format!("open false {anchor:?}"),
            EventData::MappingStart { anchor, .. } => format!("open true {anchor:?}"),
            EventData::SequenceEnd | EventData::MappingEnd => "close".to_owned(),
            EventData::StreamEnd | EventData::DocumentEnd { .. } => {
                events.push(format!("end {}", !matches!(event.data, EventData::StreamEnd)));
                return Ok(events);
            }
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => continue,
        });
    }
}

fn format_scalar(name: Option<&str>, tag: Option<&str>, text: &str, is_plain: bool) -> String {
    format!("{text:?} {name:?} {tag:?} {is_plain}")
}

/// Tokens, with a blank or a line break if one could merge with the next.
const TOKENS: &[&str] = &[
    "a ",
    "b",
    "k: ",
    "k:\n",
    "- ",
    "-\n",
    "? ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "\n",
    "\n  ",
    "\n    ",
    "\r\n",
    "\r",
    "\u{85}",
    "\u{2028}  ",
    "'",
    "\"",
    "''",
    "'x'",
    "\"y\"",
    "\"z\": ",
    "|\n",
    "|-\n",
    "|+2\n",
    ">\n",
    ">- # c\n",
    "| x\n",
    "&a ",
    "&b\n",
    "*a ",
    "*b\n",
    "&a",
    "! ",
    "!! ",
    "!!str ",
    "!t!u ",
    "!<v> ",
    "!%41 ",
    "!%zz ",
    "!x\n",
    "# c\n",
    "#",
    "%YAML 1.1\n",
    "%YAML 1.3\n",
    "%TAG !t! x:\n",
    "%",
    "---\n",
    "--- ",
    "...\n",
    "\t",
    "\\n",
    "\\x41",
    "\\\n",
    "\\q",
    "\\u12",
    "é ",
    "한",
    "@",
    "`",
    "~ ",
    "  ",
    "\n\n",
    "- - ",
    "- a\n",
    "a: b\n",
    "k: |\n  t\n",
    "[a, b]",
    "{a: b}",
    "<<: ",
];

fn any_text() -> impl Strategy<Value = String> {
    // With few kinds of tokens, each is more often in a significant position.
    let few = prop::collection::vec(prop::sample::select(TOKENS), 1..6)
        .prop_flat_map(|few| prop::collection::vec(prop::sample::select(few), 1..20));
    let any = prop::collection::vec(prop::sample::select(TOKENS), 1..20);
    prop_oneof![few, any].prop_map(|tokens| tokens.concat() + "\n")
}

/// Returns true if a text has a construct that the two readers treat differently.
fn is_read_differently(text: &str) -> bool {
    let glued = |byte: char, before: &[char]| {
        text.match_indices(byte).any(|(at, _)| !text[..at].is_empty() && !text[..at].ends_with(before))
    };
    let tag_goes_on = text
        .match_indices('!')
        .any(|(at, _)| text[at..].chars().take_while(char::is_ascii_graphic).any(|c| ",[]".contains(c)));
    let text_goes_on =
        text.match_indices(':').any(|(at, _)| text[at + 1..].starts_with([',', '?', '[', ']', '{', '}']));
    // In brackets, a `?` within text after a blank is text to only one of the two.
    tag_goes_on
        || text_goes_on
        || glued('?', &['\n', '\r', ' ', '[', '{'])
        || text.contains(['[', '{']) && text.contains('?')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn scanner_and_grammar_agree_with_libyaml(text in any_text()) {
        prop_assume!(!is_read_differently(&text));
        prop_assert_eq!(parse_with_ours(&text), parse_with_libyaml(&text), "{:?}", text);
    }
}
