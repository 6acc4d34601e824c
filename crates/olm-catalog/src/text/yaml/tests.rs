//! Tests of the values that go-yaml, and so opm, reads from YAML. (`scalar` has the tests of single scalars.)
//! They also compare scanner and grammar with `libyaml-safer`, a port of the C library from which go-yaml is
//! derived.
//!
//! The generated texts avoid what the two read differently: extensions of go-yaml (`?` that ends text in
//! brackets, `:` within it, commas in tags, `\'`, byte order marks) and escapes it lacks (`\/`).

use libyaml_safer::{Encoding, EventData};
use proptest::prelude::*;

use super::{
    ReadError, ReadErrorKind,
    parse::{Event, Parser},
    parse_yaml,
};
use crate::{
    node::{MAX_DEPTH, Node, Value},
    text::json,
};

/// Asserts that each YAML text has the same value as the JSON next to it.
fn assert_means(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let node = parse_yaml(text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        let expected = json::parse_json(expected.as_bytes()).unwrap();
        assert!(node.has_same_value(&expected), "{text:?}: {node:?}");
    }
}

fn parse_error(text: &str) -> ReadError {
    match parse_yaml(text.as_bytes()) {
        Ok(node) => panic!("{text:?} was read as {node:?}"),
        Err(error) => error,
    }
}

#[test]
fn aliases_copy_last_anchor_of_their_name() {
    assert_means(&[
        ("a: &x {b: 1}\nc: *x\n", r#"{"a": {"b": 1}, "c": {"b": 1}}"#),
        ("a: &x 1\nb: &x 2\nc: *x\nd: &x 3\n", r#"{"a": 1, "b": 2, "c": 2, "d": 3}"#),
        ("&k a: 1\nb: *k\n", r#"{"a": 1, "b": "a"}"#),
        ("a: &x foo\n*x : 1\n", r#"{"a": "foo", "foo": 1}"#),
        ("a: &x {b: &x 1}\nc: *x\n", r#"{"a": {"b": 1}, "c": 1}"#),
        ("a: &x\nb: *x\n", r#"{"a": null, "b": null}"#),
        ("- &x [&y 1, 2]\n- [*x, *y]\n", "[[1, 2], [[1, 2], 1]]"),
    ]);
    for (text, kind) in [
        ("a: *x\nb: &x 1\n", ReadErrorKind::UnknownAnchor("x".to_owned())),
        ("a: &x [*x]\n", ReadErrorKind::RecursiveAnchor("x".to_owned())),
    ] {
        assert_eq!(parse_error(text).kind, kind);
    }
    assert_eq!(parse_error("a: 1\nb: *x\n").span.range(), 8..10);
}

#[test]
fn merge_keys_apply_in_place_and_in_order() {
    assert_means(&[
        ("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n", r#"{"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}"#),
        ("a: &x {c: 2}\nd: {c: 3, <<: *x}\n", r#"{"a": {"c": 2}, "d": {"c": 2}}"#),
        (
            "a: [&x {b: 1}, &y {b: 2, c: 2}]\nd: {<<: [*x, *y]}\n",
            r#"{"a": [{"b": 1}, {"b": 2, "c": 2}], "d": {"b": 1, "c": 2}}"#,
        ),
        ("<<: {a: 1}\nb: 2\n", r#"{"a": 1, "b": 2}"#),
        ("<<: {<<: {a: 1}, b: 2}\n", r#"{"a": 1, "b": 2}"#),
        ("<<: [{a: 1}, {a: 2, <<: {c: 3}}]\n", r#"{"a": 1, "c": 3}"#),
        ("'<<': a\n", r#"{"<<": "a"}"#),
        ("a: <<\n", r#"{"a": "<<"}"#),
        ("!!merge '<<': {a: 1}\n", r#"{"a": 1}"#),
        ("<<: []\n", "{}"),
    ]);
    for text in ["<<: a\n", "<<: [a]\n", "<<: [[{a: 1}]]\n", "a: &x [1]\n<<: *x\n", "<<:\n"] {
        assert_eq!(parse_error(text).kind, ReadErrorKind::BadMerge, "{text:?}");
    }
}

#[test]
fn keys_become_strings_and_collections_are_rejected_as_keys() {
    assert_means(&[
        ("yes: 1\n0777: 2\n1.10: 3\n~x: 4\n", r#"{"true": 1, "511": 2, "1.1": 3, "~x": 4}"#),
        ("? a\n: b\n? c\n", r#"{"a": "b", "c": null}"#),
        ("{a, b: , c: 1}\n", r#"{"a": null, "b": null, "c": 1}"#),
        ("a\tb: 1\n", r#"{"a\tb": 1}"#),
    ]);
    for text in ["~: 1\n", "null: 1\n", "a: {? : 1}\n", "18446744073709551615: 1\n"] {
        assert_eq!(parse_error(text).kind, ReadErrorKind::BadKey, "{text:?}");
    }
    for text in ["? [a]\n: b\n", "? {a: 1}\n: b\n", "a: &x {b: 1}\n*x : 1\n"] {
        assert_eq!(parse_error(text).kind, ReadErrorKind::CollectionKey, "{text:?}");
    }
}

#[test]
fn keeps_duplicate_keys_and_last_one_counts() {
    let node = parse_yaml(b"a: 1\nb: 2\na: 3\n").unwrap();
    assert_eq!(node.members().len(), 3);
    assert_means(&[("a: 1\nb: 2\na: 3\n", r#"{"a": 3, "b": 2}"#)]);
}

#[test]
fn rejects_values_without_json_form_unless_overridden() {
    assert_means(&[("a: .inf\na: 1\n", r#"{"a": 1}"#), ("a: [{~: 1}]\nb: 1\na: 2\n", r#"{"a": 2, "b": 1}"#)]);
    assert_eq!(parse_error("a: 1\na: .inf\n").kind, ReadErrorKind::NotFinite(".inf".to_owned()));
    assert_eq!(parse_error("a: .inf\nb: .nan\n").span.range(), 3..7);
    assert_eq!(parse_error("a: {~: 1, ~: 2}\n").span.range(), 4..5);
}

#[test]
fn applies_tags_in_every_style() {
    assert_means(&[
        ("a: !!str 1\nb: !!int '2'\nc: ! 3\nd: !foo 4\n", r#"{"a": "1", "b": 2, "c": "3", "d": "4"}"#),
        ("a: !<tag:yaml.org,2002:str> 1\n", r#"{"a": "1"}"#),
        ("a: !!set {b, c}\nd: !!seq [1]\n", r#"{"a": {"b": null, "c": null}, "d": [1]}"#),
        ("a: !!str\nb: !!null\n", r#"{"a": "", "b": null}"#),
        ("a: !!binary |\n  aGVs\n  bG8=\n", r#"{"a": "hello"}"#),
        ("a: !!binary /w==\n", "{\"a\": \"\u{FFFD}\"}"),
    ]);
    assert_eq!(parse_error("a: b\nc: !!int 'd'\n").span.range(), 14..17);
    assert_eq!(parse_error("a: !!binary x\n").kind, ReadErrorKind::BadBase64);
}

#[test]
fn flow_collections_follow_go_yaml() {
    assert_means(&[
        ("[a:, b:]", r#"["a:", "b:"]"#),
        ("{a:, b:}", r#"{"a:": null, "b:": null}"#),
        ("[x\n  z:, b]", r#"["x z:", "b"]"#),
        ("[http://x:80/, a:b]", r#"["http://x:80/", "a:b"]"#),
        ("{a:1}", r#"{"a:1": null}"#),
        ("[a b, 'c, d' , \"e\"]", r#"["a b", "c, d", "e"]"#),
        ("[a, ]", r#"["a"]"#),
        ("[-, -1]", r#"["-", -1]"#),
        ("a: b?c [d] {e}, f\n", r#"{"a": "b?c [d] {e}, f"}"#),
    ]);
    for text in ["[a?b]", "{a?b: 1}", "{a: b?}", "[,]", "[a,,b]", "[a", "{a: b", "a: [b]]", "{a: [b}"] {
        assert!(matches!(parse_error(text).kind, ReadErrorKind::Yaml { .. }), "{text:?}");
    }
}

#[test]
fn decodes_escapes_like_go_yaml() {
    assert_means(&[
        (r#"a: "\x41\u00e9\U0001F431\t\'""#, r#"{"a": "Aé🐱\t'"}"#),
        ("a: \"b\\\n  c\\'\n\n  d\"", r#"{"a": "bc'\nd"}"#),
        (r#"["\'", "it''s", a:]"#, r#"["'", "it''s", "a:"]"#),
        (r"a: 'x\/y'", r#"{"a": "x\\/y"}"#),
    ]);
    for text in [r#"a: "\/""#, r#"a: "\q""#, r#"a: "\ud83d\ude00""#, r#"a: "\xg0""#, "a: \"\\", "a: \"b"] {
        assert!(matches!(parse_error(text).kind, ReadErrorKind::Yaml { .. }), "{text:?}");
    }
    assert_eq!(parse_error(r#"a: "bc\/d""#).span.range(), 6..8);
}

#[test]
fn tags_may_contain_commas_and_brackets() {
    assert_means(&[
        ("[!a, b, !c,d e]", r#"["b", "e"]"#),
        ("a: !x,y 1\nb: !<t> 2\n", r#"{"a": "1", "b": "2"}"#),
        ("[!!str, 1]", r#"["1"]"#),
        ("a: 'Hello !world, [!x,'\nb: [c !d, e]\n", r#"{"a": "Hello !world, [!x,", "b": ["c !d", "e"]}"#),
        ("a: |\n  [!x, y]\nb: Wow!, yes!,\n", r#"{"a": "[!x, y]\n", "b": "Wow!, yes!,"}"#),
    ]);
    for text in ["[!x]", "[!<x>, y]", "{!a, b", "[!x,@", "[a !x,!x,b\n|-\n]", "{!!binary !x,@|-\n"] {
        assert!(matches!(parse_error(text).kind, ReadErrorKind::Yaml { .. }), "{text:?}");
    }
    let many = "!x,@ ".repeat(10_000);
    parse_error(&format!("[{many}"));
}

#[test]
fn breaks_lines_like_yaml_1_1() {
    assert_means(&[
        ("a: b\rc: d\r", r#"{"a": "b", "c": "d"}"#),
        ("a: |\n  b\u{85}  c\n", r#"{"a": "b\nc\n"}"#),
        ("a: 'b\u{2028} c'\n", "{\"a\": \"b\u{2028}c\"}"),
        ("a: |\r\n  b\r\n  c\r\nd: e\r\n  f\r\n", r#"{"a": "b\nc\n", "d": "e f"}"#),
    ]);
    parse_error("a: b\u{85}c\n");
}

#[test]
fn byte_order_mark_is_ignored_only_at_beginning() {
    assert_means(&[
        ("\u{FEFF}a: 1\n", r#"{"a": 1}"#),
        ("---\n\u{FEFF}a: 1\n", r#"{"a": 1}"#),
        ("a: 1\n\u{FEFF}b: \"\u{FEFF}\"\n", "{\"a\": 1, \"\u{FEFF}b\": \"\u{FEFF}\"}"),
        ("a: |\n  \u{FEFF}b\n# \u{FEFF}\n", "{\"a\": \"\u{FEFF}b\\n\"}"),
    ]);
    for text in [&b"\xFF\xFEa\0:\0"[..], b"\xFE\xFF\0a"] {
        assert!(matches!(parse_yaml(text).unwrap_err().kind, ReadErrorKind::Utf16(_)));
    }
}

#[test]
fn tabs_may_follow_colon_but_not_indent() {
    assert_means(&[
        ("a:\tb\t# c\n", r#"{"a": "b"}"#),
        ("a: b\tc\n", r#"{"a": "b\tc"}"#),
        ("[\ta,\n\tb]", r#"["a", "b"]"#),
    ]);
    for text in ["a:\n\tb: 1\n", "-\ta\n", "a: |\n  b\n\tc\n", "a: b\n\t\nc: 1\n"] {
        let error = parse_error(text);
        assert!(matches!(error.kind, ReadErrorKind::Yaml { .. }), "{text:?}");
        assert!(error.hint().is_some(), "{text:?}");
    }
}

#[test]
fn reports_position_of_invalid_bytes_and_control_characters() {
    let at = |text: &[u8]| {
        let error = parse_yaml(text).unwrap_err();
        (error.kind, error.span.range())
    };
    assert_eq!(at(b"---\na: b\xFFc\n"), (ReadErrorKind::InvalidUtf8, 8..9));
    assert_eq!(at(b"a: \xC3"), (ReadErrorKind::InvalidUtf8, 3..4));
    assert_eq!(at("a: 한\u{1}\n".as_bytes()), (ReadErrorKind::ControlCharacter('\u{1}'), 6..7));
    for c in ['\0', '\u{7F}', '\u{80}', '\u{FFFE}'] {
        assert_eq!(parse_error(&format!("a: 'b{c}'\n")).kind, ReadErrorKind::ControlCharacter(c));
    }
}

#[test]
fn reads_only_first_document_of_chunk() {
    assert_means(&[
        ("a: 1\n...\nb: [2\n", r#"{"a": 1}"#),
        ("{a: 1}\n{b: 2}\n", r#"{"a": 1}"#),
        ("---\n---\na: 1\n", r#"{"a": 1}"#),
        ("# only\n\n", "null"),
        ("---\n", "null"),
        ("", "null"),
    ]);
    for text in ["%YAML 1.1\n", "%TAG ! x:\na: !b c\n"] {
        parse_error(text);
    }
    for text in ["--- a: 1\n", "---a\n", "---- \n"] {
        assert_eq!(parse_error(text).kind, ReadErrorKind::Separator, "{text:?}");
    }
}

#[test]
fn errors_have_exact_span() {
    let cases = [
        ("a: b: c\n", 4..5),
        ("---\na: @b\n", 7..8),
        ("a: b\n  c: d\n", 8..9),
        ("a: [b\n", 6..6),
        ("a:\n  b: 1\n c: 2\n", 11..12),
    ];
    for (text, span) in cases {
        assert_eq!(parse_error(text).span.range(), span, "{text:?}: {}", parse_error(text));
    }
}

#[test]
fn rejects_nesting_beyond_limit_on_small_stack() {
    let work = || {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let depth = |text: &str| {
            let node = parse_yaml(text.as_bytes())?;
            let (mut at, mut depth) = (&node, 0);
            while let Some(next) = at.items().first().or_else(|| at.members().first().map(|m| &m.value)) {
                (at, depth) = (next, depth + 1);
            }
            Ok::<_, ReadError>(depth)
        };
        assert_eq!(depth(&nested(MAX_DEPTH)).unwrap(), MAX_DEPTH - 1);
        for text in [
            nested(MAX_DEPTH + 1),
            "[".repeat(100_000),
            "{a: ".repeat(100_000),
            "- ".repeat(100_000),
            "? ".repeat(100_000),
            format!("a: &x {}\nb: [*x]", nested(MAX_DEPTH - 1)),
        ] {
            assert_eq!(parse_error(&text).kind, ReadErrorKind::TooDeep);
        }
        assert_eq!(depth(&format!("{}a", "- ".repeat(MAX_DEPTH))).unwrap(), MAX_DEPTH);
        parse_error(&"]".repeat(100_000));
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(work).unwrap().join().unwrap();
}

#[test]
fn rejects_alias_bombs_quickly() {
    let mut laughs = "a0: &a0 [lol, lol, lol]\n".to_owned();
    for n in 1..30 {
        let aliases = vec![format!("*a{}", n - 1); 9].join(", ");
        laughs = format!("{laughs}a{n}: &a{n} [{aliases}]\n");
    }
    let merges =
        laughs.replace("[lol, lol, lol]", "{k: [lol, lol]}").replace('[', "{<<: [").replace(']', "]}");
    let long = format!("a: &x {}\nb: [{}]\n", "x".repeat(1_000_000), "*x, ".repeat(2000));
    for text in [laughs, merges, long] {
        let kind = parse_error(&text).kind;
        assert!(matches!(kind, ReadErrorKind::ExcessiveAliasing | ReadErrorKind::BadMerge), "{kind:?}");
    }
    // Many aliases of a small value are allowed.
    let fine = format!("a: &x {{b: 1}}\nc: [{}]\n", "*x, ".repeat(5000));
    assert_eq!(parse_yaml(fine.as_bytes()).unwrap().get("c").unwrap().items().len(), 5000);
}

#[test]
fn nested_anchors_cost_linear_time() {
    let depth = 9_000;
    let anchored: Vec<String> = (0..depth).map(|n| format!("&a{n} [")).collect();
    let text = anchored.concat() + &"]".repeat(depth);
    assert!(matches!(parse_yaml(text.as_bytes()).unwrap().value, Value::List(_)));
}

#[test]
fn allows_any_number_of_go_yaml_extensions() {
    let many = |what: &str| format!("a: [{}]\n", what.repeat(5000));
    for (what, means) in [(r#""\'", "#, "'"), ("b:, ", "b:"), ("!t, c, ", "c"), ("!!str,x[] d, ", "d")] {
        let text = many(what);
        let tree = parse_yaml(text.as_bytes()).unwrap();
        let items = tree.get("a").unwrap().items();
        assert_eq!(items.len(), 5000, "{what}");
        assert!(items.iter().all(|item| item.as_str() == Some(means)), "{what}");
    }
}

#[test]
fn reads_long_lines_in_linear_time() {
    let long = "한x ".repeat(2_000_000);
    let text = format!("a: \"{long}\"\nb: [{}]\n", "'ab', ".repeat(200_000));
    let node = parse_yaml(text.as_bytes()).unwrap();
    assert_eq!(node.get("a").and_then(Node::as_str), Some(long.as_str()));
    assert_eq!(node.get("b").unwrap().items().len(), 200_000);
}

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
