//! Tests of exact spans: selected examples, and generated documents in many styles, also with their values.

use proptest::prelude::*;

use super::parse_yaml;
use crate::{
    node::{Member, Node, Number, Value},
    span::Span,
};

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

/// A value with the style of its source text.
#[derive(Clone, Debug)]
enum Generated {
    Scalar(usize),
    Block(usize, Vec<String>),
    Flow(Vec<Generated>),
    FlowMap(Vec<(usize, Generated)>),
    List { indented: bool, items: Vec<Generated> },
    Map(Vec<(usize, Generated)>),
}

/// Scalars as written, with their values. All of them are allowed in flow collections.
fn scalars() -> Vec<(&'static str, Value<'static>)> {
    let text = |text: &str| Value::String(text.to_owned().into());
    let number = |text: &str| Value::Number(Number(text.to_owned().into()));
    vec![
        ("stable", text("stable")),
        ("foo.v1.0.0", text("foo.v1.0.0")),
        ("한국어 값", text("한국어 값")),
        ("1.2.3-alpha+b.5", text("1.2.3-alpha+b.5")),
        ("a  b", text("a  b")),
        ("x#y", text("x#y")),
        ("'it''s # no comment'", text("it's # no comment")),
        ("\"tab\\t, \\\"q\\\" \\U0001F431\"", text("tab\t, \"q\" 🐱")),
        ("''", text("")),
        ("' 日本 '", text(" 日本 ")),
        ("\"---\"", text("---")),
        ("yes", Value::Bool(true)),
        ("0x1F", number("31")),
        ("4.20", number("4.2")),
        ("~", Value::Null),
        ("é", text("é")),
    ]
}

fn keys() -> Vec<(&'static str, &'static str)> {
    vec![
        ("name", "name"),
        ("'a: b'", "a: b"),
        ("\"열쇠\"", "열쇠"),
        ("키", "키"),
        ("1.10", "1.1"),
        ("on", "true"),
    ]
}

fn any_generated() -> impl Strategy<Value = Generated> {
    let lines = prop::collection::vec(
        prop::sample::select(vec!["x", "é y", "  z", "# no", "- a: b", "", "---"]),
        1..5,
    );
    let leaf = prop_oneof![
        4 => (0..scalars().len()).prop_map(Generated::Scalar),
        1 => (0..6usize, lines).prop_map(|(style, lines)| Generated::Block(style, lines.into_iter().map(str::to_owned).collect())),
    ];
    let key = || 0..keys().len();
    leaf.prop_recursive(4, 40, 4, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Generated::Flow),
            1 => prop::collection::vec((key(), inner.clone()), 0..3).prop_map(Generated::FlowMap),
            2 => (any::<bool>(), prop::collection::vec(inner.clone(), 1..4))
                .prop_map(|(indented, items)| Generated::List { indented, items }),
            3 => prop::collection::vec((key(), inner), 1..4).prop_map(Generated::Map),
        ]
    })
}

/// Writes a document together with the expected tree.
struct Writer {
    out: String,
    eol: &'static str,
    noise: Vec<u8>,
    at: usize,
}

impl Writer {
    /// Returns a pseudorandom choice that varies from position to position.
    fn choose(&mut self, options: u8) -> u8 {
        self.at += 1;
        self.noise[self.at % self.noise.len()].wrapping_add((self.at / self.noise.len()) as u8) % options
    }

    fn write_choice(&mut self, options: &[&str]) {
        let choice = self.choose(options.len() as u8);
        self.out.push_str(options[usize::from(choice)]);
    }

    /// Ends the line, with optional blanks, comment and blank lines.
    fn write_line_end(&mut self) {
        // A tab must not follow a dash.
        let tab = if self.out.ends_with('-') { "" } else { "\t# [한" };
        self.write_choice(&["", "", "  ", " # c: '", tab]);
        self.out.push_str(self.eol);
        self.write_blank_lines();
    }

    fn write_blank_lines(&mut self) {
        let lines: &[&str] =
            [&[] as &[&str], &[], &[], &[""], &["  "], &["# more - {"]][usize::from(self.choose(6))];
        for line in lines {
            self.out.push_str(line);
            self.out.push_str(self.eol);
        }
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.out.len())
    }

    fn write_key(&mut self, key: usize) -> (String, Span) {
        let (source, meaning) = keys()[key];
        let start = self.out.len();
        self.out.push_str(source);
        (meaning.to_owned(), self.span_from(start))
    }

    /// Writes a value on the line of its key or dash, or below it. `indent` is the indentation of the
    /// collection around it.
    fn write_value(&mut self, made: &Generated, indent: usize, in_map: bool) -> Node<'static> {
        match made {
            Generated::Scalar(which) if self.choose(8) == 0 && *which == 14 => {
                let node = Node::new(Value::Null, Span::new(self.out.len(), self.out.len()));
                self.write_line_end();
                node
            }
            Generated::Scalar(_) | Generated::Flow(_) | Generated::FlowMap(_) => {
                self.write_choice(&[" ", "   "]);
                let node = self.write_flow(made, indent);
                self.write_line_end();
                node
            }
            Generated::Block(style, lines) => {
                self.out.push(' ');
                self.write_block_scalar(*style, lines, indent)
            }
            Generated::List { indented, .. } if in_map => {
                self.write_line_end();
                self.write_block(made, if *indented { indent + 2 } else { indent })
            }
            Generated::Map(_) if in_map => {
                self.write_line_end();
                let more = usize::from(self.choose(3));
                self.write_block(made, indent + 1 + more)
            }
            Generated::List { .. } | Generated::Map(_) if self.choose(3) == 0 => {
                self.write_line_end();
                self.write_block(made, indent + 2)
            }
            Generated::List { .. } | Generated::Map(_) => {
                self.out.push(' ');
                self.write_entries(made, indent + 2, true)
            }
        }
    }

    fn write_block(&mut self, made: &Generated, indent: usize) -> Node<'static> {
        self.write_entries(made, indent, false)
    }

    /// Writes a block collection. With `inline`, its first entry continues the current line.
    fn write_entries(&mut self, made: &Generated, indent: usize, inline: bool) -> Node<'static> {
        let mut first = true;
        let mut span = Span::default();
        let mut start = |writer: &mut Self| {
            if !(first && inline) {
                writer.out.push_str(&" ".repeat(indent));
            }
            if first {
                span = writer.span_from(writer.out.len());
            }
            first = false;
        };
        let (value, end) = match made {
            Generated::List { items, .. } => {
                let mut nodes = Vec::new();
                for item in items {
                    start(self);
                    self.out.push('-');
                    nodes.push(self.write_value(item, indent, false));
                }
                let end = nodes.last().map_or(0, |node| node.span.end);
                (Value::List(nodes), end)
            }
            Generated::Map(pairs) => {
                let mut members = Vec::new();
                for (key, value) in pairs {
                    start(self);
                    let (key, key_span) = self.write_key(*key);
                    self.write_choice(&[":", ":", ":", " :"]);
                    members.push(Member {
                        key: key.into(),
                        key_span,
                        value: self.write_value(value, indent, true),
                    });
                }
                let end = members.last().map_or(0, |member| member.value.span.end);
                (Value::Map(members), end)
            }
            _ => unreachable!(),
        };
        Node::new(value, Span { start: span.start, end })
    }

    /// Writes a scalar or a flow collection.
    fn write_flow(&mut self, made: &Generated, indent: usize) -> Node<'static> {
        let start = self.out.len();
        let value = match made {
            Generated::Scalar(which) => {
                let (source, value) = scalars().swap_remove(*which);
                self.out.push_str(source);
                value
            }
            Generated::Block(_, lines) => {
                let text = lines.concat();
                self.out.extend(["'", &text, "'"]);
                Value::String(text.into())
            }
            Generated::Flow(items) | Generated::List { items, .. } => {
                self.out.push('[');
                let mut nodes = Vec::new();
                for item in items {
                    self.write_gap(indent);
                    nodes.push(self.write_flow(item, indent));
                    self.write_gap(indent);
                    self.out.push(',');
                }
                self.write_gap(indent);
                self.out.push(']');
                Value::List(nodes)
            }
            Generated::FlowMap(pairs) | Generated::Map(pairs) => {
                self.out.push('{');
                let mut members = Vec::new();
                for (key, value) in pairs {
                    self.write_gap(indent);
                    let (key, key_span) = self.write_key(*key);
                    self.out.push_str(": ");
                    members.push(Member { key: key.into(), key_span, value: self.write_flow(value, indent) });
                    self.write_gap(indent);
                    self.out.push_str(", ");
                }
                self.out.push('}');
                Value::Map(members)
            }
        };
        Node::new(value, self.span_from(start))
    }

    fn write_gap(&mut self, indent: usize) {
        match self.choose(8) {
            0 | 1 => self.out.push(' '),
            2 => {
                self.out.push_str(" # [\"");
                self.out.push_str(self.eol);
                self.out.push_str(&" ".repeat(indent + 1));
            }
            _ => {}
        }
    }

    fn write_block_scalar(&mut self, style: usize, lines: &[String], indent: usize) -> Node<'static> {
        let start = self.out.len();
        let header = ["|", "|-", "|+", ">", ">-", ">+"][style];
        // Content that begins with blanks, or with an empty line before blanks, needs the indicator.
        let (digit, content) = match self.choose(2) {
            0 => ("4", indent + 4),
            _ if lines.iter().any(|line| line.starts_with(' ')) => ("2", indent + 2),
            _ => ("", indent + 2),
        };
        self.out.extend([header, digit]);
        let mut end = self.out.len();
        self.write_choice(&[" # x", "", ""]);
        self.out.push_str(self.eol);
        for line in lines {
            if !line.is_empty() {
                self.out.push_str(&" ".repeat(content));
                self.out.push_str(line);
                end = self.out.len();
            }
            self.out.push_str(self.eol);
        }
        let after = usize::from(self.choose(3));
        self.out.push_str(&self.eol.repeat(after));
        let value = block_text(style, lines, after);
        Node::new(Value::String(value.into()), Span::new(start, end))
    }
}

/// Returns the value of a block scalar by the YAML specification.
fn block_text(style: usize, lines: &[String], after: usize) -> String {
    let content = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let mut text = String::new();
    let body = &lines[..content];
    if style < 3 {
        text.push_str(&body.join("\n"));
    } else {
        let spaced = |line: &String| line.starts_with(' ');
        let mut at = 0;
        while at < body.len() {
            text.push_str(&body[at]);
            let next = body[at + 1..].iter().position(|line| !line.is_empty()).map(|empty| at + 1 + empty);
            let Some(next) = next else { break };
            let empty = next - at - 1;
            if body[at].is_empty() && text.is_empty() {
                // Leading empty lines are breaks.
                text.push_str(&"\n".repeat(empty + 1));
            } else if spaced(&body[at]) || spaced(&body[next]) {
                text.push_str(&"\n".repeat(empty + 1));
            } else if empty == 0 {
                text.push(' ');
            } else {
                text.push_str(&"\n".repeat(empty));
            }
            at = next;
        }
    }
    match style % 3 {
        0 if content > 0 => text.push('\n'),
        2 => {
            let breaks = lines.len() - content + after;
            text.push_str(&"\n".repeat(breaks + usize::from(content > 0)));
        }
        _ => {}
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn generated_documents_read_back_as_expected_tree(
        pairs in prop::collection::vec((0..keys().len(), any_generated()), 1..5),
        crlf in any::<bool>(),
        separator in any::<bool>(),
        noise in prop::collection::vec(any::<u8>(), 7..31),
        cut in any::<bool>(),
    ) {
        let mut writer = Writer { out: String::new(), eol: if crlf { "\r\n" } else { "\n" }, noise, at: 0 };
        if separator {
            writer.out.push_str("---");
            writer.write_line_end();
        }
        let expected = writer.write_block(&Generated::Map(pairs), 0);
        let mut text = writer.out;
        if cut {
            let end = text.trim_end_matches(['\r', '\n']).len().max(expected.span.end as usize);
            if !text.contains('+') {
                text.truncate(end);
            }
        }
        let read = parse_yaml(text.as_bytes()).unwrap_or_else(|error| panic!("{error} at {:?} in\n{text}", error.span));
        prop_assert_eq!(&read, &expected, "in\n{}", text);
    }
}
