use proptest::prelude::*;

use super::parse_json;
use crate::{
    node::{MAX_DEPTH, Node, Number, Value},
    text::yaml::ReadErrorKind,
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
