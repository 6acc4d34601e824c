//! Tests with examples, and property tests that compare the reader with a slow reference, on generated and on
//! mutated texts.

use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::{Extent, find_extent, parse_json, push_lossy, skip_blanks, syntax_error};
use crate::{
    node::{MAX_DEPTH, Member, Node, Number, Value},
    span::Span,
    text::yaml::{ReadError, ReadErrorKind},
};

fn source_texts(text: &str) -> Vec<&str> {
    fn visit<'a>(node: &Node, text: &'a str, out: &mut Vec<&'a str>) {
        out.push(&text[node.span.range()]);
        node.items().iter().for_each(|item| visit(item, text, out));
        for member in node.members() {
            out.push(&text[member.key_span.range()]);
            visit(&member.value, text, out);
        }
    }
    let mut out = Vec::new();
    visit(&parse_json(text.as_bytes()).unwrap(), text, &mut out);
    out
}

#[test]
fn every_value_and_key_has_exact_span() {
    let text = " {\n  \"한\" : [1.50, \"a\\\"]\" ,null],\r\n\t\"b\":{ }, \"b\": [ ] , \"c\":true}\n";
    let expected = [
        text.trim(),
        "\"한\"",
        "[1.50, \"a\\\"]\" ,null]",
        "1.50",
        "\"a\\\"]\"",
        "null",
        "\"b\"",
        "{ }",
        "\"b\"",
        "[ ]",
        "\"c\"",
        "true",
    ];
    assert_eq!(source_texts(text), expected);
}

#[test]
fn reads_strings_like_go() {
    let cases: [(&[u8], &str); 8] = [
        (br#""a\"\\\/\b\f\n\r\tb""#, "a\"\\/\u{8}\u{c}\n\r\tb"),
        (br#""\u00e9\ud83d\ude00""#, "é😀"),
        (br#""\ud800""#, "\u{FFFD}"),
        (br#""\ud800\ud83d\ude00""#, "\u{FFFD}😀"),
        (br#""\udc00x\ud800\u0041""#, "\u{FFFD}x\u{FFFD}A"),
        (b"\"a\xFFb\"", "a\u{FFFD}b"),
        (b"\"\xE2\x82\"", "\u{FFFD}\u{FFFD}"),
        ("\"한\u{7f}\"".as_bytes(), "한\u{7f}"),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_json(text).unwrap().as_str(), Some(expected), "{text:?}");
    }
}

#[test]
fn converts_numbers_to_floats() {
    let cases = [
        ("1.0e2", "100"),
        ("-0", "-0"),
        ("12345678901234567890123", "1.2345678901234568e+22"),
        ("1e-400", "0"),
    ];
    for (text, expected) in cases {
        assert_eq!(
            parse_json(text.as_bytes()).unwrap().value,
            Value::Number(Number(expected.into())),
            "{text}"
        );
    }
    let error = parse_json(b"[1, -1e400]").unwrap_err();
    assert_eq!((error.kind, error.span.range()), (ReadErrorKind::NotFinite("-1e400".to_owned()), 4..10));
}

#[test]
fn keeps_duplicate_keys_and_keys_that_differ_in_case() {
    let node = parse_json(br#"{"a": 1, "A": 2, "a": 3}"#).unwrap();
    assert_eq!(node.members().iter().map(|m| m.key.as_ref()).collect::<Vec<_>>(), ["a", "A", "a"]);
}

#[test]
fn reports_position_of_syntax_errors() {
    let cases: [(&str, usize); 9] = [
        ("{\"a\": 1,}", 8),
        ("{\n \"a\": tru\n}", 11),
        ("[1 2]", 3),
        ("{\"a\" 1}", 5),
        ("{\"a\":\"b\tc\"}", 7),
        ("{", 1),
        ("", 0),
        ("{} x", 3),
        ("[01]", 2),
    ];
    for (text, at) in cases {
        let error = parse_json(text.as_bytes()).unwrap_err();
        assert!(matches!(error.kind, ReadErrorKind::Json(_)), "{text}: {error}");
        assert!(error.span.start.abs_diff(at as u32) <= 1, "{text}: {error} at {:?}", error.span);
        assert!(error.span.end as usize <= text.len(), "{text}");
    }
}

#[test]
fn rejects_nesting_beyond_limit_on_small_stack() {
    let work = || {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse_json(nested(MAX_DEPTH).as_bytes()).is_ok());
        for text in [nested(MAX_DEPTH + 1), "{\"a\":".repeat(200_000) + "1" + &"}".repeat(200_000)] {
            assert_eq!(parse_json(text.as_bytes()).unwrap_err().kind, ReadErrorKind::TooDeep);
        }
        assert!(parse_json("[".repeat(1_000_000).as_bytes()).is_err());
    };
    std::thread::Builder::new().stack_size(128 * 1024).spawn(work).unwrap().join().unwrap();
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

fn is_same_tree(node: &Node, text: &str, value: &serde_json::Value) -> bool {
    let source: serde_json::Value = serde_json::from_str(&text[node.span.range()]).unwrap();
    source == *value
        && match (&node.value, value) {
            (Value::Null, serde_json::Value::Null) => true,
            (Value::Bool(a), serde_json::Value::Bool(b)) => a == b,
            (Value::Number(Number(a)), serde_json::Value::Number(b)) => *a == b.to_string(),
            (Value::String(a), serde_json::Value::String(b)) => a == b,
            (Value::List(a), serde_json::Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_tree(a, text, b))
            }
            (Value::Map(a), serde_json::Value::Object(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a, (key, b))| {
                        let source: String = serde_json::from_str(&text[a.key_span.range()]).unwrap();
                        a.key == *key && source == *key && is_same_tree(&a.value, text, b)
                    })
            }
            _ => false,
        }
}

proptest! {
    #[test]
    fn reads_back_serde_json_output_with_exact_spans(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        prop_assert!(is_same_tree(&parse_json(text.as_bytes()).unwrap(), &text, &value), "{}", text);
    }
}

/// Returns the expected result of [`parse_json`](super::parse_json), a tree or an error.
fn parse_reference(text: &[u8]) -> Result<Node<'static>, ReadError> {
    serde_json::from_slice::<IgnoredAny>(text).map_err(|error| syntax_error(text, &error))?;
    Walker { text, at: 0, open: Vec::new() }.walk()
}

/// An unclosed list or map.
struct Open {
    start: usize,
    value: Collection,
}

enum Collection {
    List(Vec<Node<'static>>),
    /// Members so far, and a key without its value.
    Map(Vec<Member<'static>>, Option<(String, Span)>),
}

/// Builds the tree of well-formed text, so it does not check commas and colons.
struct Walker<'a> {
    text: &'a [u8],
    at: usize,
    open: Vec<Open>,
}

impl Walker<'_> {
    fn walk(mut self) -> Result<Node<'static>, ReadError> {
        loop {
            let start = self.at;
            let Some(byte) = self.text.get(start) else {
                return Err(ReadErrorKind::Json("EOF while parsing a value".to_owned()).at_span(start..start));
            };
            let value = match byte {
                b'{' => {
                    self.open_collection(Collection::Map(Vec::new(), None))?;
                    continue;
                }
                b'[' => {
                    self.open_collection(Collection::List(Vec::new()))?;
                    continue;
                }
                b'}' | b']' => {
                    self.at += 1;
                    match self.open.pop() {
                        Some(open) => Node::new(open.value.into_value(), Span::new(open.start, self.at)),
                        None => continue,
                    }
                }
                b'"' => {
                    let text = self.take_string();
                    let span = Span::new(start, self.at);
                    if let Some(Open { value: Collection::Map(_, key @ None), .. }) = self.open.last_mut() {
                        *key = Some((text, span));
                        continue;
                    }
                    Node::new(Value::String(text.into()), span)
                }
                b't' => self.take_word(Value::Bool(true), 4),
                b'f' => self.take_word(Value::Bool(false), 5),
                b'n' => self.take_word(Value::Null, 4),
                b'-' | b'0'..=b'9' => self.take_number()?,
                _ => {
                    self.at += 1;
                    continue;
                }
            };
            match self.open.last_mut() {
                None => return Ok(value),
                Some(open) => open.value.add_value(value),
            }
        }
    }

    fn open_collection(&mut self, value: Collection) -> Result<(), ReadError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(ReadErrorKind::TooDeep.at_span(self.at..self.at + 1));
        }
        self.open.push(Open { start: self.at, value });
        self.at += 1;
        Ok(())
    }

    fn take_word(&mut self, value: Value<'static>, length: usize) -> Node<'static> {
        let start = self.at;
        self.at += length;
        Node::new(value, Span::new(start, self.at))
    }

    fn take_number(&mut self) -> Result<Node<'static>, ReadError> {
        let start = self.at;
        let rest = &self.text[start..];
        let length =
            rest.iter().take_while(|b| matches!(b, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')).count();
        self.at += length;
        let span = Span::new(start, self.at);
        let text = String::from_utf8_lossy(&rest[..length]);
        let is_whole = text != "-0" && (text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok());
        let number = if is_whole {
            Some(Number(text.clone().into_owned().into()))
        } else {
            text.parse().ok().and_then(Number::from_f64)
        };
        match number {
            Some(number) => Ok(Node::new(Value::Number(number), span)),
            None => Err(ReadErrorKind::NotFinite(text.into_owned()).at_span(span)),
        }
    }

    /// Decodes the string literal at the current position.
    fn take_string(&mut self) -> String {
        let start = self.at + 1;
        let mut out = String::new();
        let mut from = start;
        loop {
            let rest = self.text.get(from..).unwrap_or_default();
            let length = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            push_lossy(&mut out, &rest[..length]);
            from += length;
            if self.text.get(from) == Some(&b'\\') {
                from = self.decode_escape(from + 1, &mut out);
            } else {
                self.at = (from + 1).min(self.text.len());
                return out;
            }
        }
    }

    /// Decodes the escape whose letter is at `at` and returns the position after it.
    fn decode_escape(&self, at: usize, out: &mut String) -> usize {
        let c = match self.text.get(at) {
            Some(b'b') => '\x08',
            Some(b'f') => '\x0C',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.decode_unicode(at, out),
            Some(byte) => char::from(*byte),
            None => return at,
        };
        out.push(c);
        at + 1
    }

    /// Decodes `\uXXXX` and surrogate pairs; a lone surrogate becomes U+FFFD.
    fn decode_unicode(&self, at: usize, out: &mut String) -> usize {
        let unit = |at: usize| {
            let digits = self.text.get(at..at + 4).and_then(|d| std::str::from_utf8(d).ok())?;
            u16::from_str_radix(digits, 16).ok()
        };
        let Some(first) = unit(at + 1) else { return at + 1 };
        let after = at + 5;
        let second = match self.text.get(after..after + 2) {
            Some(b"\\u") => unit(after + 2),
            _ => None,
        };
        let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
        if let Some(c) = pair.filter(|c| c.len_utf16() == 2) {
            out.push(c);
            return after + 6;
        }
        out.push(char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER));
        after
    }
}

impl Collection {
    fn add_value(&mut self, value: Node<'static>) {
        match self {
            Self::List(items) => items.push(value),
            Self::Map(members, key) => {
                if let Some((key, key_span)) = key.take() {
                    members.push(Member { key: key.into(), key_span, value });
                }
            }
        }
    }

    fn into_value(self) -> Value<'static> {
        match self {
            Self::List(items) => Value::List(items),
            Self::Map(members, _) => Value::Map(members),
        }
    }
}

/// Values and fragments of values, valid and invalid.
const PIECES: &[&[u8]] = &[
    b"null",
    b"true",
    b"false",
    b"0",
    b"-0",
    b"-",
    b"01",
    b"1.",
    b"1.50",
    b".5",
    b"1e",
    b"1e5",
    b"-2E-7",
    b"1e400",
    b"123456789012345",
    b"1234567890123456789",
    b"nul",
    b"truex",
    b"\"\"",
    b"\"key\"",
    b"\"a longer text, with more than eight bytes\"",
    b"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    b"\"\\u00e9 \\ud83d\\ude00\"",
    b"\"\\ud800\"",
    b"\"\\ud800\\u0041\"",
    b"\"\\udc00\\ud83d\\ude00\"",
    b"\"\\u12g4\"",
    b"\"\\u12\"",
    b"\"\\x\"",
    b"\"tab\tinside\"",
    b"\"nothing inside at all, and then\x01\"",
    b"\"\xFF\"",
    b"\"half of one: \xED\x95\\n\"",
    "\"한국어 🐱\"".as_bytes(),
    b"\"not closed",
    b"{}",
    b"{ }",
    b"[]",
    b"{\"a\":1,\"a\":[2,{}],\"A\":null}",
    b"{\"a\" : {\n        \"b\" : [ 1 , 2 ]\r\n\t}}",
    b"[1,]",
    b"{\"a\":1,}",
    b"{a:1}",
    b"[1 2]",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b" ",
    b"\n",
    b"\r\n                    ",
    b"\xEF\xBB\xBF",
    b"\0",
];

/// Texts that are JSON or almost JSON.
fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(PIECES).prop_map(<[u8]>::to_vec);
    let nested =
        piece.prop_recursive(5, 60, 6, |inner| {
            let items = prop::collection::vec(inner, 0..6);
            (items, 0..4_u8, prop::sample::select(&[" ", "", "\n  ", "\n              "][..])).prop_map(
                |(items, kind, gap)| match kind {
                    0 => [b"[", items.join(&b","[..]).as_slice(), b"]"].concat(),
                    1 => [b"[", items.join(format!(",{gap}").as_bytes()).as_slice(), gap.as_bytes(), b"]"]
                        .concat(),
                    _ => {
                        let members = items.iter().enumerate().map(|(at, item)| {
                            [format!("{gap}\"{}\"{gap}:", at / 2).as_bytes(), item].concat()
                        });
                        let members: Vec<Vec<u8>> = members.collect();
                        [b"{", members.join(&b","[..]).as_slice(), gap.as_bytes(), b"}"].concat()
                    }
                },
            )
        });
    prop::collection::vec(nested, 1..4).prop_map(|parts| parts.concat())
}

/// Replaces, inserts or removes bytes at the given positions.
fn mutate(mut text: Vec<u8>, changes: &[(prop::sample::Index, u8, u8)]) -> Vec<u8> {
    for (at, kind, byte) in changes {
        if text.is_empty() {
            break;
        }
        let at = at.index(text.len());
        match kind {
            0 => text[at] = *byte,
            1 => text.insert(at, *byte),
            _ => {
                text.remove(at);
            }
        }
    }
    text
}

fn any_changes() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    let bytes = prop_oneof![any::<u8>(), prop::sample::select(&b"\"\\{}[]:,0-e. \n\x1f\x20\x80u"[..])];
    prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, bytes), 0..4)
}

/// Checks the properties that hold for arbitrary bytes.
fn check_properties(text: &[u8]) -> Result<(), TestCaseError> {
    prop_assert_eq!(parse_json(text), parse_reference(text), "{:?}", String::from_utf8_lossy(text));
    check_extents(text)
}

/// Checks that consecutive values end where `serde_json` says, and are readable if the reference can read them.
fn check_extents(text: &[u8]) -> Result<(), TestCaseError> {
    let mut slow = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    let mut at = 0;
    loop {
        let next = slow.next();
        at = skip_blanks(text, at);
        match (next, find_extent(text, at)) {
            (None, _) => {
                prop_assert_eq!(at, text.len());
                return Ok(());
            }
            (Some(Err(_)), None) => return Ok(()),
            (Some(Ok(_)), Some(Extent { end, is_readable })) => {
                prop_assert_eq!(end, slow.byte_offset());
                prop_assert_eq!(is_readable, parse_reference(&text[at..end]).is_ok());
                at = end;
            }
            (slow, fast) => {
                let fast = fast.map(|extent| extent.end);
                prop_assert!(false, "{:?} at {at}: {slow:?}, {fast:?}", String::from_utf8_lossy(text));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn agrees_with_reference_on_mutated_text(text in any_text(), changes in any_changes()) {
        check_properties(&mutate(text, &changes))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn has_same_nesting_limit_as_reference(
        depth in MAX_DEPTH - 2..MAX_DEPTH + 3,
        is_map in any::<bool>(),
        inside in prop::sample::select(&["1", "", "1e400", "nul", "[]"][..]),
    ) {
        let (open, close) = if is_map { ("{\"a\":", "}") } else { ("[", "]") };
        check_properties(format!("{}{inside}{}", open.repeat(depth), close.repeat(depth)).as_bytes())?;
    }
}
