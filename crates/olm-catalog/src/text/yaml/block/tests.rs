//! Compares the fast reader with the full one: on examples, on published catalogs, on unusual documents, and on
//! generated and mutated documents.

use std::{fs, path::Path};

use proptest::prelude::*;

use super::{read_block, usual_text};
use crate::{
    ChunkKind, Format,
    text::{
        split::{split_chunks, tests::collect_files},
        yaml::{parse_in_full, parse_yaml},
    },
};

/// Documents that the fast reader accepts, with the result of the full reader.
const USUAL: &[&str] = &[
    "a: b\n",
    "a: b",
    "---\na: b\n",
    "--- # comment\na: b\n",
    "# comment\n\n  # and another\na: b\n   \n# end",
    "- a\n- b\n",
    "  a: 1\n  b: 2\n",
    "a:\n  b:\n    c: d\n  e: f\ng: h\n",
    "a:\n- b\n- c\nd: e\n",
    "a:\n  - b\n  - c\nd: e\n",
    "a:\n-   b: 1\n    c: 2\n-\n  d: 3\n",
    "- - a\n  - b\n-\n- - c\n",
    "a:\n- b:\n  - c\n  - d\n  e:\n  f: 1\n",
    "a:\nb:\n-\n- \nc:\n",
    "한: 값\n'é': \"日本\"\n",
    // Plain scalars.
    "a: b c  d   \n",
    "a: b\n  c\n\n  d\n\n\n    e:f#",
    "a: b\n\n  c  \n  - d\nb: 1\n",
    "a: -1\nb: -c\nc: 1.50\nd: 0x1F\ne: yes\nf: ~\ng: 2026-01-02\nh: a:b\ni: a#b\nj: null\n",
    "yes: 1\n1.10: 2\n.nan: 3\n",
    "- a\n  b\n- - c\n    d\n",
    // Quoted scalars.
    "a: 'it''s'\n'b: c': \"d: \\\"e\\\" #\"\n\"f\": ''\n",
    "a: \"\\n\\t\\x41\\u00e9\\U0001F431\\\\ \\_\\L\"\n",
    "a: \"b \\\n  \\ c\n\n  d \"\n",
    "a: 'b  \n\n  c\n  '\nb: ' \n  x'\n",
    "- \"a\" \n- 'b': c\n",
    // Block scalars.
    "a: |\n  b\n   c\n\n  d\n\nb: |-\n  e\nc: |+\n  f\n\n\n",
    "a: >\n  b\n  c\n\n  d\n   e\n   f\n\n  g\nb: >-\n  h\n",
    "a: |2\n   b\n  c\nb: |2-\n\n    d\nc: >2+\n  e\n   \n\nd: 1\n",
    "a:\n- |\n  b\n- >-\n  c\n",
    "a: |\n\n \n  # b\n  ---\n  \tc\nb: |\n  d",
    "a: |\n  b\n   \n",
    // Empty collections.
    "a: []\nb: {} \n",
    "a:\n- []\n- {}\n",
    "a: 1\na: 2\n",
];

/// Documents that the fast reader leaves to the full reader, including errors.
const UNUSUAL: &[&str] = &[
    "",
    "---\n",
    "# comment\n",
    "a\n",
    "\"a\"\n",
    "[]\n",
    "a: [b]\n",
    "a: {b: c}\n",
    "a: &x b\n",
    "a: *x\n",
    "a: !!str b\n",
    "a: b # comment\n",
    "a: # comment\n  b: c\n",
    "a: |  # comment\n  b\n",
    "a:\n  b\n",
    "a:\n  \"b\"\n",
    "? a\n: b\n",
    "a : b\n",
    "<<: {}\n",
    "\"<<\": {}\n",
    "a:\tb\n",
    "a: b\tc\n",
    "\ta: b\n",
    "a: 'b\n\t c'\n",
    "a: |\n\tb\n",
    "a: |\n  b\n\tc\n",
    "a: b: c\n",
    "a: b:\n",
    "a: - b\n",
    "a: b\n c: d\n",
    "a: b\n c:\n",
    "a:\n    b: 1\n  c: 2\n",
    "a:\n  - b\n  c: 1\n",
    "a:\n  - b\n - c\n",
    "a: 1\n- b\n",
    "- a\nb: c\n",
    "  a: 1\nb: 2\n",
    "a: 1\n...\n",
    "a: 1\n--- \nb: 2\n",
    "a: '\n---\n'\n",
    "a: '\nb'\n",
    "%YAML 1.1\n---\na: b\n",
    "a: |\n",
    "a: |\n\nb: 1\n",
    "a: |\n     \n  b\n",
    "a: |\n  b\n ",
    "a: |+-\n  b\n",
    "a: |0\n  b\n",
    "a: \"\\/\"\n",
    "a: \"\\'\"\n",
    "a: \"\\ud800\"\n",
    "a: \"\\x4\"\n",
    "a: \"b\n",
    "a: 'b'c\n",
    "'a\n  b': c\n",
    "a: .inf\n",
    "~: a\n",
    "18446744073709551615: a\n",
    "a: %b\n",
    "a: @b\n",
    "a: `b\n",
    "a: b\r\n",
    "\u{FEFF}a: b\n",
];

#[test]
fn accepts_usual_documents_like_full_reader() {
    for text in USUAL {
        let tree = read_block(text.as_bytes());
        assert!(tree.is_some(), "{text:?} is unusual");
        assert_eq!(tree, parse_in_full(text.as_bytes()).ok(), "{text:?}");
    }
}

#[test]
fn leaves_unusual_documents_to_full_reader() {
    for text in UNUSUAL {
        assert_eq!(read_block(text.as_bytes()), None, "{text:?}");
        assert_eq!(parse_yaml(text.as_bytes()), parse_in_full(text.as_bytes()), "{text:?}");
    }
}

#[test]
fn leaves_long_keys_and_deep_nesting_to_full_reader() {
    let long = |length: usize| format!("{}: b\n", "a".repeat(length));
    assert!(read_block(long(400).as_bytes()).is_some());
    assert!(read_block(long(600).as_bytes()).is_none());
    let deep = |depth: usize| "- ".repeat(depth) + "a\n";
    let at_most = crate::node::MAX_DEPTH;
    assert!(read_block(deep(at_most).as_bytes()).is_some());
    assert!(read_block(deep(at_most + 1).as_bytes()).is_none());
}

#[test]
fn borrows_strings_without_escapes() {
    use crate::Value;
    use std::borrow::Cow;
    let tree = read_block(b"a: plain text\n'b': \"quoted\"\nc: 'it''s'\n").unwrap();
    let borrowed: Vec<bool> = tree
        .members()
        .iter()
        .map(|m| {
            matches!(m.key, Cow::Borrowed(_)) && matches!(m.value.value, Value::String(Cow::Borrowed(_)))
        })
        .collect();
    assert_eq!(borrowed, [true, true, false]);
}

#[test]
fn leaves_odd_characters_to_full_reader() {
    for odd in [
        "\r", "\0", "\x1B", "\x7F", "\u{80}", "\u{85}", "\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}",
        "\u{FFFE}", "\u{FFFF}",
    ] {
        assert_eq!(usual_text(format!("a: ’{odd}b").as_bytes()), None, "{odd:?}");
    }
    assert_eq!(usual_text(b"a: \xFF"), None);
    let fine = "a: \t~\u{A0}\u{2027}\u{202A}\u{FFFD}\u{1F431}\n";
    assert_eq!(usual_text(fine.as_bytes()), Some(fine));
}

/// Returns the YAML documents below a directory.
fn load_documents(folder: &Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    collect_files(folder, &mut found);
    found.sort();
    let mut documents = Vec::new();
    for bytes in found.iter().map(|path| fs::read(path).unwrap()) {
        let chunks =
            split_chunks(&bytes).into_iter().filter(|chunk| chunk.kind == ChunkKind::Document(Format::Yaml));
        documents.extend(chunks.map(|chunk| bytes[chunk.range].to_vec()));
    }
    documents
}

/// Returns all documents in a release build, and every nth otherwise, because the full reader is slow there.
fn sample_documents(documents: Vec<Vec<u8>>, every: usize) -> Vec<Vec<u8>> {
    documents.into_iter().step_by(if cfg!(debug_assertions) { every } else { 1 }).collect()
}

/// Returns true if the fast reader accepts a document. Asserts that the result is that of the full reader.
fn is_read_by_fast_reader(text: &[u8]) -> bool {
    let Some(tree) = read_block(text) else { return false };
    let full = parse_in_full(text);
    assert!(full.as_ref() == Ok(&tree), "{}\n{tree:?}\n{full:?}", String::from_utf8_lossy(text));
    true
}

#[test]
fn fast_reader_accepts_published_catalogs() {
    let Some(folder) = olmap_testing::find_data("repo/catalogs") else { return };
    let documents = sample_documents(load_documents(&folder), 8);
    let slow = documents.iter().filter(|text| !is_read_by_fast_reader(text)).count();
    assert_eq!(slow, 0, "of {} documents", documents.len());
}

#[test]
fn fast_reader_agrees_with_full_reader_on_unusual_documents() {
    if let Some(folder) = olmap_testing::find_data("validate/cases") {
        for text in sample_documents(load_documents(&folder), 3) {
            is_read_by_fast_reader(&text);
        }
    }
    for text in load_edge_cases() {
        is_read_by_fast_reader(&text);
    }
}

fn load_edge_cases() -> Vec<Vec<u8>> {
    let Some(cases) = olmap_testing::read_data_file("yaml-edge.json") else { return Vec::new() };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&cases).unwrap();
    cases.iter().filter_map(|case| Some(case["input"].as_str()?.as_bytes().to_vec())).collect()
}

/// Deterministic random numbers (Marsaglia's xorshift64).
struct Numbers(u64);

impl Numbers {
    fn next_below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit.max(1)
    }

    /// Returns the whole lines of a random part of a long text.
    fn sample_lines(&mut self, text: &[u8]) -> Vec<u8> {
        const MOST: usize = 3000;
        let from = self.next_below(text.len().saturating_sub(MOST));
        let line = memchr::memrchr(b'\n', &text[..from]).map_or(0, |at| at + 1);
        let end = text.len().min(line + 200 + self.next_below(MOST));
        text[line..end].to_vec()
    }

    /// Replaces a few bytes by bytes that are significant in YAML.
    fn mutate_text(&mut self, text: &mut Vec<u8>) {
        const BYTES: &[u8] = b" \n\t-:#'\"|>?[]{}&*!%,.\\0123~<=x\r\x80\xE2";
        for _ in 0..=self.next_below(3) {
            let at = self.next_below(text.len());
            let byte = BYTES[self.next_below(BYTES.len())];
            match self.next_below(5) {
                0 if !text.is_empty() => text[at] = byte,
                1 => text.insert(at, byte),
                2 if !text.is_empty() => {
                    text.remove(at);
                }
                3 => text
                    .splice(at..at, [b'\n', b' ', b' '].into_iter().take(1 + self.next_below(3)))
                    .for_each(drop),
                _ => {
                    let end = text.len().min(at + self.next_below(8));
                    text.drain(at..end);
                }
            }
        }
    }
}

/// `OLMAP_MUTATIONS` sets the number of mutations.
#[test]
fn fast_reader_agrees_with_full_reader_on_mutated_documents() {
    let wanted = std::env::var("OLMAP_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(6000);
    let newest = olmap_testing::published_catalogs().pop().map(|(_, path)| path);
    let folders = newest.into_iter().chain(olmap_testing::find_data("validate/cases"));
    let mut sources: Vec<Vec<u8>> = folders.flat_map(|folder| load_documents(&folder)).collect();
    sources.extend(load_edge_cases());
    if sources.is_empty() {
        return;
    }
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut quick = 0;
    for _ in 0..wanted {
        let source = &sources[numbers.next_below(sources.len())];
        let mut text = numbers.sample_lines(source);
        numbers.mutate_text(&mut text);
        quick += usize::from(is_read_by_fast_reader(&text));
    }
    println!("{quick} of {wanted} changed documents were read quickly");
    assert!(quick * 10 > wanted, "most changes leave nothing to compare: {quick} of {wanted}");
}

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
    fn accepts_generated_documents_like_full_reader(text in any_document()) {
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
