//! Tests of the canonical writer, one per rule.

use serde_json::json as tree;

use super::*;
use crate::{Member, Node, Number, Span, Value};

/// Converts a JSON value to a tree.
pub(crate) fn tree_from_json(value: &serde_json::Value) -> Node<'_> {
    let value = match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(truth) => Value::Bool(*truth),
        serde_json::Value::Number(number) => Value::Number(Number(number.to_string().into())),
        serde_json::Value::String(text) => Value::String(text.into()),
        serde_json::Value::Array(items) => Value::List(items.iter().map(tree_from_json).collect()),
        serde_json::Value::Object(members) => {
            Value::Map(members.iter().map(|(k, v)| member(k, tree_from_json(v))).collect())
        }
    };
    Node { span: Span::default(), value }
}

fn member<'a>(key: &'a str, value: Node<'a>) -> Member<'a> {
    Member { key: key.into(), key_span: Span::default(), value }
}

fn text_node(text: &str) -> Node<'_> {
    Node { span: Span::default(), value: Value::String(text.into()) }
}

/// Returns the scalar that is written for `value` in `k: value`.
fn write_as_value(value: &str) -> String {
    let out =
        write_yaml(&Node { span: Span::default(), value: Value::Map(vec![member("k", text_node(value))]) });
    out.strip_prefix("k: ").and_then(|out| out.strip_suffix('\n')).unwrap_or(&out).to_owned()
}

#[test]
fn lists_are_flush_with_key_and_keys_in_natural_order() {
    let doc = tree!({
        "b10": [{"y1": 1, "x": [[1, 2], []]}, {}, null],
        "b2": {"_c": true, "-c": {"d": "e"}},
        "schema": "olm.test",
    });
    let expected = "\
b2:
  -c:
    d: e
  _c: true
b10:
- x:
  - - 1
    - 2
  - []
  y1: 1
- {}
- null
schema: olm.test
";
    assert_eq!(write_yaml(&tree_from_json(&doc)), expected);
}

#[test]
fn writes_last_of_repeated_keys() {
    let doc = Node {
        span: Span::default(),
        value: Value::Map(vec![
            member("b", text_node("1")),
            member("a", text_node("2")),
            member("b", text_node("3")),
        ]),
    };
    assert_eq!(write_yaml(&doc), "a: \"2\"\nb: \"3\"\n");
    assert_eq!(write_json(&doc), "{\n    \"a\": \"2\",\n    \"b\": \"3\"\n}\n");
}

#[test]
fn writes_scalar_and_empty_documents() {
    for (doc, expected) in [
        (tree!("a"), "a\n"),
        (tree!("a\nb\n"), "|\n  a\n  b\n"),
        (tree!([]), "[]\n"),
        (tree!({}), "{}\n"),
        (tree!([["a"]]), "- - a\n"),
        (tree!(null), "null\n"),
    ] {
        assert_eq!(write_yaml(&tree_from_json(&doc)), expected);
    }
}

#[test]
fn strings_are_plain_if_that_reads_back() {
    for plain in [
        "a",
        "1.2.3",
        "etcdoperator.v0.9.4",
        "a:b",
        "a#b",
        "-a",
        "?a",
        ":a",
        "a, b",
        "a [b]",
        "é",
        "日本",
        "x-",
        "0.9.x",
        "a'b",
        "a\"b",
        "a\\b",
        "--",
        "..",
        "a\u{a0}b",
        "\u{fffd}",
    ] {
        assert_eq!(write_as_value(plain), plain);
    }
}

#[test]
fn strings_with_indicators_or_edge_blanks_use_single_quotes() {
    for single in [
        " a", "a ", "- a", "-", "? a", ": a", "a: b", "a:", "a #b", "# a", "#", ",a", "[a", "]a", "{a", "}a",
        "&a", "*a", "!a", "|a", ">=1.0.0", "%a", "@a", "`a", "---", "---a", "...", "\"a", "'a",
    ] {
        assert_eq!(write_as_value(single), format!("'{}'", single.replace('\'', "''")));
    }
}

#[test]
fn lookalikes_use_double_quotes() {
    for alike in
        ["", "yes", "n", "True", "null", "~", "1", "-1.5", "1e3", "0x1F", "1_000", "1:30", "2001-01-01", ".5"]
    {
        assert_eq!(write_as_value(alike), format!("\"{alike}\""));
    }
}

#[test]
fn escapes_characters_that_need_it() {
    for (value, expected) in [
        ("a\tb", r#""a\tb""#),
        ("a\rb", r#""a\rb""#),
        ("\u{1F431}", r#""\U0001F431""#),
        ("a\0\u{7}\u{8}\u{b}\u{c}\u{1b}\u{1}\u{7f}\u{85}", r#""a\0\a\b\v\f\e\x01\x7F\N""#),
        ("a\u{feff}\u{ffff} \"\\", r#""a\uFEFF\uFFFF \"\\""#),
        ("\u{feff}a", r#""\uFEFF\x61""#),
        ("a \n\n b", r#""a \n\n b""#),
        ("a\t\nb", r#""a\t\nb""#),
        ("a\nb ", r#""a\nb ""#),
    ] {
        assert_eq!(write_as_value(value), expected, "{value:?}");
    }
}

#[test]
fn texts_with_line_feeds_are_block_scalars() {
    for (value, expected) in [
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n", "|\n  a\n  b"),
        ("a\n\nb\n\n", "|+\n  a\n\n  b\n"),
        ("\na", "|2-\n\n  a"),
        (" a\n  b\n", "|2\n   a\n    b"),
        ("\n", "|2+\n"),
        ("a\n b: c #d\n", "|\n  a\n   b: c #d"),
        ("1\n", "|\n  1"),
    ] {
        assert_eq!(write_as_value(value), expected, "{value:?}");
    }
    let doc = tree!([{"a": "x\ny\n", "b": "x\ny"}, "z\nz"]);
    assert_eq!(
        write_yaml(&tree_from_json(&doc)),
        "- a: |\n    x\n    y\n  b: |-\n    x\n    y\n- |-\n  z\n  z\n"
    );
}

#[test]
fn long_texts_fold_at_first_single_blank_after_column_80() {
    // `k: ` takes three columns: after 77 more, the blank is in column 80 (from 0), which does not fold.
    let (fits, a) = ("a".repeat(77), "a".repeat(78));
    assert_eq!(write_as_value(&format!("{fits} c")), format!("{fits} c"));
    assert_eq!(write_as_value(&format!("{fits} b c")), format!("{fits} b\n  c"));
    assert_eq!(write_as_value(&format!("{a} b c")), format!("{a}\n  b c"));
    assert_eq!(write_as_value(&format!("{a}  b c")), format!("{a}  b\n  c"));
    assert_eq!(write_as_value(&format!("{a} b: c")), format!("'{a}\n  b: c'"));
    assert_eq!(write_as_value(&format!("{a}\t b c")), format!("\"{a}\\t\n  b c\""));
    assert_eq!(write_as_value(&format!("{a}\t  b c")), format!("\"{a}\\t\n  \\ b c\""));
    // Columns are characters, not bytes.
    assert_eq!(write_as_value(&format!("{} b", "é".repeat(77))), format!("{} b", "é".repeat(77)));
    // Neither blocks nor keys fold.
    assert_eq!(write_as_value(&format!("{a} b c\n")), format!("|\n  {a} b c"));
    let key = format!("{a} b c");
    assert_eq!(write_yaml(&tree_from_json(&tree!({key.as_str(): 1}))), format!("{key}: 1\n"));
}

#[test]
fn quoted_text_keeps_blank_at_end() {
    let long = "a".repeat(90);
    assert_eq!(write_as_value(&format!("{long} ")), format!("'{long} '"));
    assert_eq!(write_as_value(&format!("\t{long} ")), format!("\"\\t{long} \""));
}

#[test]
fn quotes_keys_like_values() {
    let doc = tree!({"": 1, "yes": 2, "a: b": 3, "a\tb": 4, "<<": 5, "-": 6, "1": 7});
    let expected = "\"\": 1\n'-': 6\n'<<': 5\n\"1\": 7\n\"a\\tb\": 4\n'a: b': 3\n\"yes\": 2\n";
    assert_eq!(write_yaml(&tree_from_json(&doc)), expected);
}

#[test]
fn multiline_and_long_keys_use_question_mark() {
    let long = "k".repeat(129);
    assert_eq!(write_yaml(&tree_from_json(&tree!({&long[..128]: 1}))), format!("{}: 1\n", &long[..128]));
    assert_eq!(
        write_yaml(&tree_from_json(&tree!({&long: [1, {"a": 2}]}))),
        format!("? {long}\n: - 1\n  - a: 2\n")
    );
    assert_eq!(
        write_yaml(&tree_from_json(&tree!({"a\nb": {"c": 1, "d": 2}}))),
        "? |-\n  a\n  b\n: c: 1\n  d: 2\n"
    );
    assert_eq!(write_yaml(&tree_from_json(&tree!([{"a\n": "b"}]))), "- ? |\n    a\n  : b\n");
}

#[test]
fn line_separators_break_quoted_texts() {
    assert_eq!(write_as_value("a\u{2028}b"), "'a\u{2028}  b'");
    assert_eq!(write_as_value("a\u{2029}\u{2028}'"), "'a\u{2029}\u{2028}  '''");
    assert_eq!(write_as_value("a\u{2028}b\nc"), "|-\n  a\u{2028}  b\n  c");
}

#[test]
fn prints_numbers_like_go() {
    for (number, in_yaml, in_json) in [
        ("0", "0", "0"),
        ("-0", "0", "-0"),
        ("1.0", "1", "1"),
        ("9007199254740993", "9007199254740993", "9007199254740992"),
        ("18446744073709551615", "18446744073709551615", "18446744073709552000"),
        ("18446744073709552000", "1.8446744073709552e+19", "18446744073709552000"),
        ("100000000000000000000", "1e+20", "100000000000000000000"),
        ("1e21", "1e+21", "1e+21"),
        ("1234567.5", "1.2345675e+06", "1234567.5"),
        ("123456.5", "123456.5", "123456.5"),
        ("0.0001", "0.0001", "0.0001"),
        ("0.00001", "1e-05", "0.00001"),
        ("0.000001", "1e-06", "0.000001"),
        ("1.5e-7", "1.5e-07", "1.5e-7"),
        ("-1.25e-10", "-1.25e-10", "-1.25e-10"),
        ("1e300", "1e+300", "1e+300"),
        ("5e-324", "5e-324", "5e-324"),
        // Fewer digits that are halfway between two floats and round to this one are enough.
        ("4.468743327960138e16", "4.468743327960138e+16", "44687433279601380"),
    ] {
        let doc = Node { span: Span::default(), value: Value::Number(Number(number.into())) };
        assert_eq!(write_yaml(&doc), format!("{in_yaml}\n"), "{number}");
        assert_eq!(format_json_number(number), in_json, "{number}");
    }
}

#[test]
fn json_indents_four_blanks_without_html_escapes() {
    let doc = tree!({"b": [1, {"c": "<&>"}, [], {}], "a": {"x": null, "y": [[true]]}});
    let expected = r#"{
    "b": [
        1,
        {
            "c": "<&>"
        },
        [],
        {}
    ],
    "a": {
        "x": null,
        "y": [
            [
                true
            ]
        ]
    }
}
"#;
    assert_eq!(write_json(&tree_from_json(&doc)), expected);
}

#[test]
fn json_escapes_like_go() {
    let doc = text_node("\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é\u{2028}\u{2029}\u{1F431}");
    assert_eq!(
        write_json(&doc),
        "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}é\\u2028\\u2029\u{1F431}\"\n"
    );
}

#[test]
fn single_scalar_is_quoted_for_readers_of_both_dialects() {
    for (value, expected) in [
        ("1.2.3", "1.2.3"),
        ("etcd.v0.9.4", "etcd.v0.9.4"),
        ("alpha", "alpha"),
        ("no", "\"no\""),
        ("1.2", "\"1.2\""),
        ("1e400", "\"1e400\""),
        ("2001-12-14 21:59:43 -5", "\"2001-12-14 21:59:43 -5\""),
        (">=1.0.0 <2.0.0", "'>=1.0.0 <2.0.0'"),
        ("a, b", "'a, b'"),
        ("a\nb", "\"a\\nb\""),
        ("a\u{2028}b", "\"a\\Lb\""),
        ("it's", "it's"),
        ("it's: ", "'it''s: '"),
        ("", "\"\""),
        ("<<", "\"<<\""),
    ] {
        assert_eq!(write_inline_scalar(value), expected);
    }
    let long = "word ".repeat(40) + "end";
    assert_eq!(write_inline_scalar(&long), long);
}

#[test]
fn rejects_words_of_other_types_in_three_spellings() {
    for text in
        ["y", "Yes", "NO", "on", "Off", "~", "null", "Null", "TRUE", ".inf", "-.INF", ".NaN", ".nan", ""]
    {
        assert!(!is_read_as_string(text), "{text:?}");
    }
    for text in ["yEs", "nULL", "tRue", ".Nan", "yess", "None", "<<", "=", "-", ".", "oN", "-.iNf", "+.nan"] {
        assert!(is_read_as_string(text), "{text:?}");
    }
}

#[test]
fn rejects_go_numbers() {
    for text in [
        "0",
        "-1",
        "+1",
        "1_000",
        "08",
        "0777",
        "0x1F",
        "-0xff",
        "0b101",
        "0b-1",
        "0o17",
        "1.",
        ".5",
        "1e3",
        "-1.5E-3",
        "18446744073709551615",
        "99999999999999999999",
        "1__2",
        ".5_0",
        "0x8000000000000000",
        "4.18",
    ] {
        assert!(!is_read_as_string(text), "{text:?}");
    }
    for text in [
        "1.2.3",
        "1e",
        "e3",
        "0x",
        "0xg",
        "0b2",
        "1e400",
        ".e1",
        "-",
        "+",
        "--1",
        "1-2",
        "0b+-1",
        ".5e400",
        "-_",
        "0x10000000000000000",
        "-0x8000000000000001",
        "._5",
        "v1",
    ] {
        assert!(is_read_as_string(text), "{text:?}");
    }
}

#[test]
fn rejects_base_60_numbers() {
    for text in ["1:30", "-190:20:30", "1_0:59.5", "1:5."] {
        assert!(!is_read_as_string(text), "{text:?}");
    }
    for text in ["1:60", "1:", ":30", "1:30x", "1:30:"] {
        assert!(is_read_as_string(text), "{text:?}");
    }
}

#[test]
fn rejects_timestamps_that_go_parses() {
    for text in [
        "2001-01-01",
        "2001-1-1",
        "2000-02-29",
        "2001-12-14t21:59:43.10-05:00",
        "2001-12-14T1:2:3Z",
        "2001-12-14 21:59:43.1",
        "2001-12-14   1:2:3,5",
        "2001-12-14T21:59:43+24:60",
    ] {
        assert!(!is_read_as_string(text), "{text:?}");
    }
    for text in [
        "2001-02-29",
        "2001-13-01",
        "2001-1-32",
        "201-1-1",
        "2001-1-1x",
        "2001-12-14T21:59:43",
        "2001-12-14 1:2:3Z",
        "2001-12-14T24:00:00Z",
        "2001-12-14T1:2:3+5:00",
        "2001-1-1T1:2:3é",
    ] {
        assert!(is_read_as_string(text), "{text:?}");
    }
}

#[test]
fn other_readers_accept_more_numbers_and_dates() {
    for text in ["1e400", "0x10000000000000000", "2001-12-14 21:59:43.10 -5", "=", "<<", "2001-02-30"] {
        assert!(is_read_as_string(text) && !is_read_as_string_everywhere(text), "{text:?}");
    }
    for text in ["1.2.3", "etcd.v0.9.4", "0.x", "-", "2001-1", "alpha", "1.0.0-rc.1"] {
        assert!(is_read_as_string_everywhere(text), "{text:?}");
    }
}

#[test]
fn lists_below_keys_are_indented_as_asked() {
    let doc = tree!({"a": [1, [2, {"b": [3]}]], "c": {"d": ["x\ny"]}});
    let text = write_indented_yaml(&tree_from_json(&doc), 2);
    assert_eq!(text, "a:\n  - 1\n  - - 2\n    - b:\n        - 3\nc:\n  d:\n    - |-\n      x\n      y\n");
    let read_again = crate::text::yaml::parse_yaml(text.as_bytes()).unwrap();
    assert_eq!(write_yaml(&read_again), write_yaml(&tree_from_json(&doc)));
}
