//! Tests of files as sequences of chunks.

use std::path::PathBuf;

use crate::{
    SourceFile, Text,
    text::split::{ChunkKind, Format},
};

fn source_file(text: &str) -> SourceFile {
    SourceFile::new(PathBuf::from("f.yaml"), None, text.as_bytes().to_vec())
}

const TWO: &str = "# top\nschema: a\nname: \u{e9}x\n---\nschema: b\n";

#[test]
fn locations_count_lines_and_characters_from_one() {
    let file = source_file(TWO);
    let place = file.location(0, TWO.find('x').unwrap()..TWO.find('x').unwrap() + 1);
    assert_eq!((place.line, place.column), (3, 8), "a letter of two bytes is one column");
    let second = file.location(1, 4..10);
    assert_eq!((second.line, second.column), (5, 1));
    assert_eq!(&TWO.as_bytes()[second.bytes], b"schema");
}

#[test]
fn json_locations_count_from_start_of_line() {
    let text = r#"{"schema":"a"}{"schema":"b"}"#;
    let file = source_file(text);
    let place = file.location(1, 1..9);
    assert_eq!((place.line, place.column), (1, 16));
    assert_eq!(&text.as_bytes()[place.bytes], br#""schema""#);
}

#[test]
fn location_beyond_document_is_at_its_end() {
    let file = source_file(TWO);
    assert_eq!(file.location(1, 9_999..10_000).line, 6);
    assert_eq!(file.location(77, 0..1).line, 1, "a document that is not there");
}

#[test]
fn replacing_a_chunk_moves_others_without_changing_them() {
    let mut file = source_file(TWO);
    let before = file.location(1, 4..10);
    assert!(file.replace_document(0, Text::from(b"schema: c\n".to_vec())));
    assert_eq!(file.current_bytes(), b"schema: c\n---\nschema: b\n");
    let after = file.location(1, 4..10);
    assert_eq!(before.line - after.line, 2);
    assert!(!file.replace_document(9, Text::from(Vec::new())), "no such document");
}

#[test]
fn serials_are_never_reused() {
    let mut file = source_file(TWO);
    let kind = ChunkKind::Document(Format::Yaml);
    let new = file.insert_document(Some(0), Text::from(b"---\nschema: n\n".to_vec()), kind);
    assert_eq!(new, 2);
    assert_eq!(file.position(new), Some(1));
    assert!(file.remove_document(new));
    assert_eq!(file.position(new), None);
    assert_eq!(file.insert_document(None, Text::from(b"---\nschema: n\n".to_vec()), kind), 3);
    assert_eq!(file.position(1), Some(2), "the old ones keep theirs");
}

#[test]
fn states_differ_in_their_changed_chunks() {
    let before = source_file("a: 1\n---\nb: 2\n---\nc: 3\n");
    let mut after = before.clone();
    assert!(before.has_same_bytes(&after));
    after.replace_document(1, Text::from(b"---\nb: 3\n".to_vec()));
    assert!(!before.has_same_bytes(&after));
    assert_eq!(before.differing_chunks(&after), (1..2, 1..2));
    after.replace_document(1, Text::from(b"---\nb: 2\n".to_vec()));
    assert!(before.has_same_bytes(&after), "the same bytes, wherever they came from");
}
