//! Exact spans of selected examples.

use super::parse_yaml;
use crate::node::Node;

/// Returns the source text of every node and key, parents before children.
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
    visit(&parse_yaml(text.as_bytes()).unwrap_or_else(|e| panic!("{text:?}: {e}")), text, &mut out);
    out
}

#[test]
fn scalar_span_is_exact_source() {
    let cases = [
        ("a: b c  # d\n", "b c"),
        ("a:  'it''s' \n", "'it''s'"),
        ("a: \"x\\\"y\"#z\n", "\"x\\\"y\""),
        ("a: 한국 어\t\n", "한국 어"),
        ("a: b\r\n", "b"),
        ("a: b\n  c\n\n  d\n\n\n", "b\n  c\n\n  d"),
        ("a: 'b\n  c'\n# d\n", "'b\n  c'"),
        ("--- # x\n# y\n\na: b\n", "b"),
        ("\u{feff}a: b\n", "b"),
        ("---\n\u{feff}a: b\n", "b"),
        ("a:\n  b\n", "b"),
        ("a: b", "b"),
        ("? a\n: b\n", "b"),
        ("a: http://x:80/?y#z #w\n", "http://x:80/?y#z"),
        ("{a: b}", "b"),
    ];
    for (text, value) in cases {
        assert_eq!(source_texts(text).last(), Some(&value), "{text:?}");
    }
}

#[test]
fn block_scalar_ends_with_last_content_line() {
    let cases = [
        ("a: |\n  b\n", "|\n  b"),
        ("a: |\n  b", "|\n  b"),
        ("a: |-\n  b\n\n  c\n\n\n", "|-\n  b\n\n  c"),
        ("a: |+\n  b\n\nd: e\n", "|+\n  b"),
        ("a: >\n  b\n   c\n   \n# d\n", ">\n  b\n   c\n   "),
        ("a: |\n  b\n  \n \n", "|\n  b"),
        ("a: |\n  b\n     \n  \n", "|\n  b\n     "),
        ("a: | # c\n  b\n", "| # c\n  b"),
        ("a: |2\n    b\n   \n  \n", "|2\n    b\n   "),
        ("a: |1-\n  b\n  \n \n", "|1-\n  b\n  "),
        ("- |2\n   b\n   \n", "|2\n   b\n   "),
        ("a:\n- b: |2\n      c\n    \n", "|2\n      c"),
        ("a:\n- |2\n    c\n   \n", "|2\n    c\n   "),
        ("--- # x\na: |\r\n  b\r\n\r\n  c\r\n  \r\n", "|\r\n  b\r\n\r\n  c"),
        ("a: |\n  b\u{85}  c\u{2028}", "|\n  b\u{85}  c"),
        ("a: |\n", "|"),
        ("a: |+\n\n\n", "|+"),
        ("a: |-  \n\nb: ''\n", "|-"),
        ("&x a: &y |2\n   b\n", "|2\n   b"),
    ];
    for (text, value) in cases {
        let node = parse_yaml(text.as_bytes()).unwrap();
        let mut value_node = &node;
        while let Some(next) =
            value_node.items().first().or_else(|| value_node.members().first().map(|m| &m.value))
        {
            value_node = next;
        }
        assert_eq!(&text[value_node.span.range()], value, "{text:?}");
    }
}

#[test]
fn collections_span_from_first_byte_to_end_of_last_value() {
    let cases: [(&str, &[&str]); 14] = [
        ("# c\na: b\nc: 'd' # e\n# f\n", &["a: b\nc: 'd'", "a", "b", "c", "'d'"]),
        ("a:\n- b\n-  c\n\nd: e\n", &["a:\n- b\n-  c\n\nd: e", "a", "- b\n-  c", "b", "c", "d", "e"]),
        (
            "a:\n  - b: 1\n    c: 2\n",
            &["a:\n  - b: 1\n    c: 2", "a", "- b: 1\n    c: 2", "b: 1\n    c: 2", "b", "1", "c", "2"],
        ),
        ("- - a\n  - b\n- c\n", &["- - a\n  - b\n- c", "- a\n  - b", "a", "b", "c"]),
        ("a: [b , {c: d} ] # e\n", &["a: [b , {c: d} ]", "a", "[b , {c: d} ]", "b", "{c: d}", "c", "d"]),
        ("a: [\n  b,\n]\n", &["a: [\n  b,\n]", "a", "[\n  b,\n]", "b"]),
        ("{a: {}, b: []}\n", &["{a: {}, b: []}", "a", "{}", "b", "[]"]),
        ("[a: b, ? c : d]", &["[a: b, ? c : d]", "a: b", "a", "b", "? c : d", "c", "d"]),
        ("? a\n: b\n", &["? a\n: b", "a", "b"]),
        ("? - a\n", &[]),
        (
            "a: !!map\n  b: 1\nc: &x [2]\n",
            &["a: !!map\n  b: 1\nc: &x [2]", "a", "b: 1", "b", "1", "c", "[2]", "2"],
        ),
        ("a: &x\n- b\n", &["a: &x\n- b", "a", "- b", "b"]),
        ("a: !!str # c\n  'b'\n", &["a: !!str # c\n  'b'", "a", "'b'"]),
        ("&k 'a': !!int \"1\"\n", &["&k 'a': !!int \"1\"", "'a'", "\"1\""]),
    ];
    for (text, expected) in cases {
        if expected.is_empty() {
            assert!(parse_yaml(text.as_bytes()).is_err(), "{text:?}");
        } else {
            assert_eq!(source_texts(text), expected, "{text:?}");
        }
    }
}

/// Collects the positions of the nulls of a tree.
fn collect_nulls(node: &Node, out: &mut Vec<usize>) {
    if node.is_null() {
        assert_eq!(node.span.start, node.span.end);
        out.push(node.span.start as usize);
    }
    node.items().iter().for_each(|item| collect_nulls(item, out));
    node.members().iter().for_each(|member| collect_nulls(&member.value, out));
}

#[test]
fn absent_value_has_empty_span_after_indicator() {
    let cases: [(&str, &[usize]); 13] = [
        ("a:\nb:   # c\n\n", &[2, 5]),
        ("a:\n", &[2]),
        ("a:", &[2]),
        ("a: \r\nb: 1\r\n", &[2]),
        ("-\n- \n- # x\n", &[1, 3, 6]),
        ("{a: , b : }", &[3, 9]),
        ("{a , b}", &[2, 6]),
        ("{a: # :\n  , b: 1}", &[3]),
        ("? a\n\n? b\n", &[3, 8]),
        ("? a\n:\n", &[5]),
        ("[a: , b]", &[3]),
        ("a: !!null\nb: 1\n", &[9]),
        ("a: &x\nb: 1\n", &[5]),
    ];
    for (text, expected) in cases {
        let mut found = Vec::new();
        collect_nulls(&parse_yaml(text.as_bytes()).unwrap(), &mut found);
        assert_eq!(found, expected, "{text:?}");
        assert!(
            parse_yaml(text.as_bytes()).unwrap().span.end as usize >= expected[expected.len() - 1],
            "{text:?}"
        );
    }
}

#[test]
fn aliased_nodes_have_span_of_alias() {
    let text = "a: &x {b: [1]}\nc: *x\nd:\n  <<: *x\n  e: 2\n*y : 3\n".replace("*y : 3\n", "");
    let found = source_texts(&text);
    let expected = [
        &text[..text.len() - 1],
        "a",
        "{b: [1]}",
        "b",
        "[1]",
        "1",
        "c",
        "*x",
        "*x",
        "*x",
        "*x",
        "d",
        "<<: *x\n  e: 2",
        "*x",
        "*x",
        "*x",
        "e",
        "2",
    ];
    assert_eq!(found, expected);
}
