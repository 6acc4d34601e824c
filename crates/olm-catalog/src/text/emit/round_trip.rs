//! Property tests: written trees read back unchanged, even with unusual strings.

use super::{write_inline_scalar, write_json, write_yaml};
use crate::{
    Member, Node, Number, Span, Value,
    text::{json as json_reader, yaml as yaml_reader},
};
use proptest::prelude::*;

/// Generates fragments with a meaning in YAML or with a significant length.
fn any_piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        " ",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\t",
        "\r",
        ":",
        ": ",
        "#",
        " #",
        "'",
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        "&",
        "*",
        "!",
        "!!str ",
        "|",
        ">",
        "%",
        "@",
        "`",
        "?",
        "? ",
        "-",
        "- ",
        "---",
        "...",
        "=",
        "<<",
        "~",
        "_",
        ".",
        "+",
        "yes",
        "No",
        "y",
        "null",
        "true",
        "1",
        "0",
        "8",
        "0x1F",
        "0b1",
        "1e3",
        "e400",
        ".5",
        ".inf",
        "1_000",
        "1:30",
        "2001-01-01",
        "T1:2:3Z",
        " 1:2:3",
        "a",
        "word",
        "é",
        "日本",
        "\u{1F431}",
        "\u{a0}",
        "\u{2028}",
        "\u{2029}",
        "\u{85}",
        "\u{feff}",
        "\0",
        "\u{1}",
        "\u{1b}",
        "\u{7f}",
        "\u{9f}",
        "\u{fffd}",
        "\u{ffff}",
        "\u{10ffff}",
    ]);
    prop_oneof![
        20 => fixed.prop_map(str::to_owned),
        1 => (60usize..140).prop_map(|length| "w".repeat(length)),
        1 => (5usize..60).prop_map(|count| "lorem ipsum ".repeat(count)),
        1 => any::<char>().prop_map(String::from),
    ]
}

fn any_string() -> impl Strategy<Value = String> {
    prop::collection::vec(any_piece(), 0..10).prop_map(|pieces| pieces.concat())
}

fn any_number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        prop::num::f64::NORMAL.prop_map(|n| format!("{n:e}")),
        prop::num::f64::NORMAL.prop_map(|n| format!("{}", n.clamp(-1e25, 1e25))),
    ]
    .prop_map(|text| super::format_json_number(&text))
}

fn node_without_span(value: Value<'static>) -> Node<'static> {
    Node { span: Span::default(), value }
}

fn any_tree() -> impl Strategy<Value = Node<'static>> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => any_number().prop_map(|text| Value::Number(Number(text.into()))),
        8 => any_string().prop_map(|text| Value::String(text.into())),
    ];
    leaf.prop_map(node_without_span).prop_recursive(5, 40, 5, |inner| {
        let member = (any_string(), inner.clone()).prop_map(|(key, value)| Member {
            key: key.into(),
            key_span: Span::default(),
            value,
        });
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(|items| node_without_span(Value::List(items))),
            prop::collection::vec(member, 0..5).prop_map(|members| node_without_span(Value::Map(members))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn yaml_reads_back_unchanged(tree in any_tree()) {
        let text = write_yaml(&tree);
        let again = yaml_reader::parse_yaml(text.as_bytes());
        let again = again.map_err(|error| TestCaseError::fail(format!("{error} in\n{text}")))?;
        prop_assert!(again.has_same_value(&tree), "{again:?} from\n{text}");
        // Canonical text is unchanged when it is written again.
        prop_assert_eq!(&write_yaml(&again), &text);
    }

    #[test]
    fn json_reads_back_unchanged(tree in any_tree()) {
        let tree = node_without_span(Value::Map(vec![Member { key: "".into(), key_span: Span::default(), value: tree }]));
        let text = write_json(&tree);
        let again = json_reader::parse_json(text.as_bytes());
        let again = again.map_err(|error| TestCaseError::fail(format!("{error} in\n{text}")))?;
        prop_assert!(again.has_same_value(&tree), "{again:?} from\n{text}");
    }

    #[test]
    fn scalar_is_one_line_and_reads_back_in_any_context(text in any_string()) {
        let scalar = write_inline_scalar(&text);
        let breaks = scalar.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
        prop_assert!(!breaks);
        for around in ["k: @ # comment\n", "- @\n", "[a, @, {b: @}]\n"] {
            let source = around.replace('@', &scalar);
            let tree = yaml_reader::parse_yaml(source.as_bytes());
            let tree = tree.map_err(|error| TestCaseError::fail(format!("{error} in\n{source}")))?;
            let found = tree.get("k").or_else(|| tree.items().get(1)).or_else(|| tree.items().first());
            prop_assert_eq!(found.and_then(Node::as_str), Some(text.as_str()), "{}", source);
        }
    }
}
