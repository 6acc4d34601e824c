use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use proptest::prelude::*;

use super::*;
use crate::{
    meta,
    node::{Number, Value},
};

/// Parses all documents of a file, or returns the first error for which opm rejects it.
fn parse_all_documents(bytes: &[u8]) -> Result<Vec<Node<'_>>, String> {
    let mut documents = Vec::new();
    for chunk in split_chunks(bytes) {
        let node = match chunk.kind {
            ChunkKind::NoObject => continue,
            ChunkKind::Unreadable(start) => return Err(start.to_error(&bytes[chunk.range]).to_string()),
            ChunkKind::Document(format) => {
                parse_chunk(format, &bytes[chunk.range]).map_err(|error| error.to_string())?
            }
        };
        meta::read_common_fields(&node).map_err(|error| error.to_string())?;
        documents.push(node);
    }
    Ok(documents)
}

/// Formats a tree as text with sorted keys; the last of repeated keys counts. Numbers have 15 digits and zero
/// has no sign: `serde_json` is exact to one ulp only, and the expected data has lost the sign.
fn format_tree(node: &Node) -> String {
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(Number(text)) => format_number(text.parse().unwrap()),
        Value::String(text) => format!("{text:?}"),
        Value::List(items) => format_list(items.iter().map(format_tree)),
        Value::Map(members) => format_map(members.iter().map(|m| (m.key.as_ref(), format_tree(&m.value)))),
    }
}

fn format_expected(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Number(n) => format_number(n.as_f64().unwrap()),
        serde_json::Value::String(text) => format!("{text:?}"),
        serde_json::Value::Array(items) => format_list(items.iter().map(format_expected)),
        serde_json::Value::Object(members) => {
            format_map(members.iter().map(|(k, v)| (k.as_str(), format_expected(v))))
        }
        other => other.to_string(),
    }
}

fn format_number(n: f64) -> String {
    format!("{:.14e}", n + 0.0)
}

fn format_list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn format_map<'a>(members: impl Iterator<Item = (&'a str, String)>) -> String {
    let members: BTreeMap<_, _> = members.collect();
    format!("{members:?}")
}

#[test]
fn parses_edge_cases_like_opm() {
    use base64::Engine;
    let Some(text) = olmap_testing::read_data_file("yaml-edge.json") else { return };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert!(!cases.is_empty());
    let mut wrong = Vec::new();
    for case in &cases {
        let input = match case["input"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => base64::prelude::BASE64_STANDARD.decode(case["input_base64"].as_str().unwrap()).unwrap(),
        };
        let ours = parse_all_documents(&input);
        let same = match (&ours, case.get("docs")) {
            (Ok(documents), Some(docs)) => {
                let mut ours: Vec<String> = documents.iter().map(format_tree).collect();
                let mut theirs: Vec<String> = docs.as_array().unwrap().iter().map(format_expected).collect();
                ours.sort();
                theirs.sort();
                ours == theirs
            }
            (Err(_), None) => true,
            _ => false,
        };
        if !same {
            wrong.push(format!(
                "{case}\n  ours: {:?}",
                ours.map(|d| d.iter().map(format_tree).collect::<Vec<_>>())
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Collects all files below a directory.
pub(crate) fn collect_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { collect_files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn rejects_catalogs_that_opm_cannot_read() {
    let Some(rows) = olmap_testing::load_json_lines("validate/expected.jsonl") else { return };
    let Some(cases) = olmap_testing::find_data("validate/cases") else { return };
    // Messages of opm about unreadable files, as opposed to inconsistent catalogs.
    let unreadable = [
        "error converting YAML",
        "error unmarshaling JSON",
        "missing root schema",
        "Yaml document separator",
        "json: offset",
    ];
    let mut wrong = Vec::new();
    for row in rows {
        let (case, opm) = (row["case"].as_str().unwrap(), row["opm"].as_str().unwrap());
        let mut found = Vec::new();
        collect_files(&cases.join(case), &mut found);
        // `.indexignore` is tested elsewhere.
        if found.iter().any(|path| path.ends_with(".indexignore")) {
            continue;
        }
        let errors: Vec<_> = found
            .iter()
            .filter_map(|path| parse_all_documents(&std::fs::read(path).unwrap()).err())
            .collect();
        // opm stops at the first error. If it reports another kind, this reader may also have errors.
        let is_unreadable = unreadable.iter().any(|text| opm.contains(text));
        let agree = if errors.is_empty() { !is_unreadable } else { row["valid"] == false };
        if !agree {
            wrong.push(format!("{case}: {opm}\n  ours: {errors:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Splits a file into pairs of a letter for the kind and the text of the chunk.
fn chunk_texts(text: &str) -> Vec<(char, &str)> {
    let letter = |kind: &ChunkKind| match kind {
        ChunkKind::Document(Format::Yaml) => 'y',
        ChunkKind::Document(Format::Json) => 'j',
        ChunkKind::NoObject => '-',
        ChunkKind::Unreadable(_) => '!',
    };
    split_chunks(text.as_bytes())
        .iter()
        .map(|chunk| (letter(&chunk.kind), &text[chunk.range.clone()]))
        .collect()
}

#[test]
fn splits_yaml_before_lines_that_begin_with_dashes() {
    let cases: [(&str, &[(char, &str)]); 13] = [
        ("", &[]),
        ("a: 1", &[('y', "a: 1")]),
        ("---\na: 1\n--- # x\nb: 2\n", &[('y', "---\na: 1\n"), ('y', "--- # x\nb: 2\n")]),
        ("a: |\n---\nb: 1\n", &[('y', "a: |\n"), ('y', "---\nb: 1\n")]),
        ("a: 1\n ---\nb: 2\n", &[('y', "a: 1\n ---\nb: 2\n")]),
        ("# x\n\n---\na: 1\n\n", &[('y', "# x\n\n"), ('y', "---\na: 1\n\n")]),
        ("a: 1\r\n---\r\nb: 2\r\n", &[('y', "a: 1\r\n"), ('y', "---\r\nb: 2\r\n")]),
        // A second separator belongs to the document after it.
        ("a: 1\n---\n---\nb: 2\n", &[('y', "a: 1\n"), ('y', "---\n---\nb: 2\n")]),
        ("a: 1\n---\n---\n---\nb: 2\n", &[('y', "a: 1\n"), ('y', "---\n---\n"), ('y', "---\nb: 2\n")]),
        ("---\n---\na: 1\n", &[('y', "---\n"), ('y', "---\na: 1\n")]),
        // The end of the file after the last separator is not a document; a blank line is an empty one.
        ("a: 1\n---", &[('y', "a: 1\n"), ('-', "---")]),
        ("a: 1\n---\n", &[('y', "a: 1\n"), ('-', "---\n")]),
        ("a: 1\n---\n\n", &[('y', "a: 1\n"), ('y', "---\n\n")]),
    ];
    for (text, expected) in cases {
        assert_eq!(chunk_texts(text), expected, "{text:?}");
    }
}

#[test]
fn only_blanks_or_a_comment_may_follow_the_dashes() {
    assert_eq!(chunk_texts("a: 1\n---#x\nb: 1\n"), [('y', "a: 1\n"), ('y', "---#x\nb: 1\n")]);
    assert_eq!(chunk_texts("a: 1\n---\u{a0} # x\nb: 1\n")[1].0, 'y');
    // Splitting continues after an error, to report further errors.
    assert_eq!(
        chunk_texts("a: 1\n--- x\nb: 1\n---\nc: 1\n"),
        [('y', "a: 1\n"), ('!', "--- x\nb: 1\n"), ('y', "---\nc: 1\n")]
    );
    // The first line goes through the YAML parser.
    assert_eq!(chunk_texts("---#x\na: 1\n"), [('!', "---#x\na: 1\n")]);
    assert_eq!(chunk_texts("---\n\u{FEFF}a: 1\n")[0].0, '!');
    for (text, span) in
        [("----\n", 3..4), ("---  x y \n", 5..8), ("---\t{a: 1}", 4..10), ("---\u{a0}x", 5..6)]
    {
        let ChunkKind::Unreadable(start) = split_chunks(text.as_bytes())[0].kind else { panic!("{text:?}") };
        let error = start.to_error(text.as_bytes());
        assert_eq!((error.kind, error.span.range()), (ReadErrorKind::Separator, span), "{text:?}");
    }
    assert!(matches!(&split_chunks(b"--- \xFF\na: 1")[0].kind, ChunkKind::Unreadable(_)));
}

#[test]
fn splits_json_values_with_or_without_space_between() {
    let cases: [(&str, &[(char, &str)]); 6] = [
        ("{}{}", &[('j', "{}"), ('j', "{}")]),
        (" {\n} \n\n{}\n\n", &[('j', " {\n} \n"), ('j', "\n{}\n\n")]),
        ("{}\r\n{} {}\n", &[('j', "{}\r\n"), ('j', "{} "), ('j', "{}\n")]),
        ("{}{}{}---\n{}", &[('j', "{}"), ('j', "{}"), ('j', "{}"), ('j', "---\n{}")]),
        ("{}\n{}\n{a: 1}\n", &[('j', "{}\n"), ('j', "{}\n"), ('j', "{a: 1}\n")]),
        ("[{}]\n", &[('y', "[{}]\n")]),
    ];
    for (text, expected) in cases {
        assert_eq!(chunk_texts(text), expected, "{text:?}");
    }
}

#[test]
fn reads_yaml_after_invalid_json_unless_two_objects_precede() {
    let cases: [(&str, &[(char, &str)]); 8] = [
        ("{a: 1}\n", &[('y', "{a: 1}\n")]),
        ("{\"a\": 1,}\n{\"b\": 2}\n", &[('y', "{\"a\": 1,}\n{\"b\": 2}\n")]),
        ("{}\n---\na: 1\n", &[('j', "{}\n"), ('y', "---\na: 1\n")]),
        ("{} ---\na: 1\n", &[('j', "{} "), ('y', "---\na: 1\n")]),
        ("{}\na: 1\n---\n{}\n{}\n", &[('j', "{}\n"), ('y', "a: 1\n"), ('y', "---\n{}\n{}\n")]),
        // A number that JSON cannot hold is text in YAML.
        ("{\"a\": 1e400}\n{}", &[('y', "{\"a\": 1e400}\n{}")]),
        ("{}\u{a0}\na: 1\n", &[('j', "{}"), ('-', "\u{a0}\n"), ('y', "a: 1\n")]),
        (" \t\n{a: 1}", &[('-', " \t\n"), ('y', "{a: 1}")]),
    ];
    for (text, expected) in cases {
        assert_eq!(chunk_texts(text), expected, "{text:?}");
    }
    // Only the first 4,096 bytes are examined.
    let blank = " ".repeat(4096);
    assert_eq!(chunk_texts(&format!("{blank}{{}}"))[0].0, 'y');
    assert_eq!(chunk_texts(&format!("{}{{}}", &blank[1..]))[0].0, 'j');
    assert_eq!(chunk_texts("\u{FEFF}{}")[0].0, 'y');
}

#[test]
fn reports_json_error_if_text_looks_like_json() {
    let error = parse_chunk(Format::Yaml, b"{\"a\": [1 2}\n").unwrap_err();
    assert!(matches!(error.kind, ReadErrorKind::Json(_)));
    let error = parse_chunk(Format::Yaml, b"a: [1\n").unwrap_err();
    assert!(matches!(error.kind, ReadErrorKind::Yaml { .. }));
}

proptest! {
    #[test]
    fn chunks_cover_the_file_in_order(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "---", "\n", "--- # x\n", "---\n", "a: 1\n", "{}", "{\"a\": 1}\n", " ", "\r\n", "#\n", "\u{FEFF}",
                "\u{a0}", "x", "{", "\n---\n", "1e400", "\t",
            ]),
            0..12,
        )
    ) {
        let text = pieces.concat();
        let mut at = 0;
        for chunk in split_chunks(text.as_bytes()) {
            prop_assert_eq!(chunk.range.start, at);
            prop_assert!(chunk.range.end > at);
            at = chunk.range.end;
        }
        prop_assert_eq!(at, text.len());
    }

    #[test]
    fn never_panics_on_arbitrary_bytes(bytes in prop::collection::vec(
        prop_oneof![3 => prop::sample::select(b"-:?{}[],&*!|>'\"%@`#~ \n\ra1.\\<\t".to_vec()), 1 => any::<u8>()],
        0..80,
    )) {
        let _ = parse_all_documents(&bytes);
        let _ = parse_chunk(Format::Json, &bytes);
    }
}
