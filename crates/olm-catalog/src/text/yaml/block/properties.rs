//! Property tests that compare the fast reader with the full one, on generated and on mutated documents.

use proptest::prelude::*;

use super::read_block;
use crate::text::yaml::parse_in_full;

/// Lists and maps of a generated document, with values as they are written.
#[derive(Clone, Debug)]
enum Generated {
    /// Text after the key or dash; further lines are not indented.
    Value(&'static str),
    /// True if a list under a key is indented, the number of blanks after its dashes, and its items.
    List(bool, usize, Vec<Generated>),
    /// Extra indentation of a map, and its members.
    Map(usize, Vec<(&'static str, Generated)>),
}

const KEYS: &[&str] =
    &["name", "schema", "'a: b'", "\"x\\ty\"", "yes", "1.10", "열쇠", "a#b", "-c", "d:e", "f g"];

const VALUES: &[&str] = &[
    "",
    "stable",
    "foo.v1.0.0",
    "1",
    "-1.5e3",
    "0777",
    "0x1F",
    "1_000",
    "yes",
    "~",
    "null",
    "=",
    "2026-01-02",
    "a b  c",
    "-x",
    "a:b",
    "a#b",
    "http://x.y/z?a=b&c=d",
    "한국어 값",
    "[]",
    "{}",
    "''",
    "\"\"",
    "'it''s # fine: yes'",
    "\"tab\\t \\\"q\\\" \\u00e9 \\U0001F431 \\x41\"",
    "\" blanks \"",
    "'tab\there'",
    "folded\nover lines\n  and more",
    "folded\n\n\nwith breaks  \n\n- and a dash",
    "'quoted\n over   \n\n  lines'",
    "'quoted\n\n'",
    "\"quoted \\\n \\ over\n lines\\n\n\n  \"",
    "|\nline\n\n  more\nend",
    "|-\nline\n# no comment\n---",
    "|+\nline\n\n\n",
    "|\n\n\nline\n\ttab",
    ">\nfolded\nline\n\nbreak\n  more\n  more\n\nend",
    ">-\nfolded\n\n\n more\nend\n\n",
    ">+\na\n\n b\n\n",
];

/// Text between lines.
const BETWEEN: &[&str] = &["", "", "", "\n", "   \n", "# comment: [\n", "    # comment\n\n"];

fn any_generated() -> impl Strategy<Value = Generated> {
    let leaf = prop::sample::select(VALUES).prop_map(Generated::Value);
    leaf.prop_recursive(4, 40, 5, |inner| {
        let member = (prop::sample::select(KEYS), inner.clone());
        prop_oneof![
            (any::<bool>(), 1..4_usize, prop::collection::vec(inner, 1..5))
                .prop_map(|(indented, blanks, items)| Generated::List(indented, blanks, items)),
            (0..3_usize, prop::collection::vec(member, 1..5))
                .prop_map(|(more, members)| Generated::Map(more, members)),
        ]
    })
}

/// Writes documents in the styles of many programs.
struct Writer<'a> {
    out: String,
    between: std::iter::Cycle<std::slice::Iter<'a, u8>>,
}

impl Writer<'_> {
    fn choose<T: Copy>(&mut self, options: &[T]) -> T {
        options[usize::from(*self.between.next().unwrap()) % options.len()]
    }

    /// Writes a value after a key or dash, in an entry of the list or map in `column`.
    fn write_value(&mut self, made: &Generated, column: usize, after_key: bool) {
        match made {
            Generated::Value(value) => self.write_scalar(value, column),
            Generated::List(indented, ..) if after_key => {
                self.out.push('\n');
                self.write_entries(made, if *indented { column + 2 } else { column }, false);
            }
            Generated::Map(more, _) if after_key => {
                self.out.push('\n');
                self.write_entries(made, column + 1 + more, false);
            }
            Generated::List(_, blanks, _) | Generated::Map(blanks, _) => {
                let blanks = 1 + blanks % 3;
                if self.choose(&[false, false, true]) {
                    self.out.push('\n');
                    self.write_entries(made, column + blanks, false);
                } else {
                    self.out.push_str(&" ".repeat(blanks));
                    self.write_entries(made, column + 1 + blanks, true);
                }
            }
        }
    }

    fn write_entries(&mut self, made: &Generated, column: usize, mut inline: bool) {
        let mut begin = |writer: &mut Self| {
            if !std::mem::take(&mut inline) {
                let between = writer.choose(BETWEEN);
                writer.out.push_str(between);
                writer.out.push_str(&" ".repeat(column));
            }
        };
        match made {
            Generated::Value(_) => {}
            Generated::List(_, _, items) => {
                for item in items {
                    begin(self);
                    self.out.push('-');
                    self.write_value(item, column, false);
                }
            }
            Generated::Map(_, members) => {
                for (key, value) in members {
                    begin(self);
                    self.out.extend([key, ":"]);
                    self.write_value(value, column, true);
                }
            }
        }
    }

    fn write_scalar(&mut self, value: &str, column: usize) {
        let mut lines = value.split('\n');
        let first = lines.next().unwrap_or_default();
        if !first.is_empty() {
            let blanks = self.choose(&[" ", " ", "   "]);
            self.out.extend([blanks, first]);
        }
        let is_block = first.starts_with(['|', '>']);
        let content = column + self.choose(&[1, 2, 4]);
        if is_block && self.choose(&[true, false]) {
            self.out.push_str(&(content - column).to_string());
        }
        if !is_block {
            let after = self.choose(&["", "", "", "  "]);
            self.out.push_str(after);
        }
        self.out.push('\n');
        for line in lines {
            if !line.is_empty() {
                self.out.push_str(&" ".repeat(content));
            }
            self.out.extend([line, "\n"]);
        }
    }
}

fn any_document() -> impl Strategy<Value = String> {
    let root = any_generated()
        .prop_filter("a document is a list or a map", |made| !matches!(made, Generated::Value(_)));
    (root, prop::collection::vec(any::<u8>(), 5..40), prop::sample::select(&["", "---\n", "# c\n---\n"][..2]))
        .prop_map(|(root, between, head)| {
            let mut writer = Writer { out: head.to_owned(), between: between.iter().cycle() };
            writer.write_entries(&root, 0, false);
            writer.out
        })
}

fn any_changes() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    let bytes = prop_oneof![
        1 => any::<u8>(),
        9 => prop::sample::select(&b" \n\t-:#'\"|>?[]{}&*!%,.\\0123~<=x"[..]),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, bytes), 1..4)
}

fn mutate(text: &str, changes: &[(prop::sample::Index, u8, u8)]) -> Vec<u8> {
    let mut text = text.as_bytes().to_vec();
    for (at, kind, byte) in changes {
        if text.is_empty() {
            break;
        }
        let at = at.index(text.len());
        match kind {
            0 => text[at] = *byte,
            1 => text.insert(at, *byte),
            2 => {
                text.remove(at);
            }
            _ => text.truncate(at),
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn accepts_usual_documents_like_full_reader(text in any_document()) {
        let tree = read_block(text.as_bytes());
        prop_assert!(tree.is_some(), "unusual:\n{}", text);
        prop_assert_eq!(tree, parse_in_full(text.as_bytes()).ok(), "{}", text);
    }

    #[test]
    fn agrees_with_full_reader_on_mutated_documents(text in any_document(), changes in any_changes()) {
        let text = mutate(&text, &changes);
        if let Some(tree) = read_block(&text) {
            prop_assert_eq!(Ok(tree), parse_in_full(&text), "{}", String::from_utf8_lossy(&text));
        }
    }
}
