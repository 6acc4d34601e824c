use super::read_block;
use crate::text::yaml::{parse_in_full, parse_yaml};

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
