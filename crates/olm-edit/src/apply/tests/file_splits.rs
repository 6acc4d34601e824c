//! An edited file is split as intended, or the edit is refused. Checking the changed part must give the same
//! result as checking everything.

use proptest::prelude::*;

use crate::apply::document::is_split_as_intended;
use olm_catalog::{Catalog, DocId, FileId, load, model::DocChange, text::split};

/// Returns a part of a file that is a document or breaks one.
fn file_piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "---\na: 1\n",
        "---\na: 1",
        "---\n",
        "--- # x\nb: 2\n",
        "a: 1\n",
        "{}\n",
        "{\"a\": 1}",
        "{\"a\": 1}\n",
        "{\n",
        "1\n",
        "\u{FEFF}",
        "---\n\u{FEFF}a: 1\n",
        "---\n---\n",
        "a: |\n  x\n---",
        "\n",
        " ",
        "\r\n",
        "#\n",
        "--- x\n",
        "a: 1\r\n---\r\n",
        "\"{\"",
        "\n---\n",
    ])
}

#[derive(Clone, Debug)]
enum DocumentChange {
    Replace(prop::sample::Index, String),
    Insert(Option<prop::sample::Index>, String),
    Remove(prop::sample::Index),
}

fn file_text() -> impl Strategy<Value = String> {
    prop::collection::vec(file_piece(), 1..3).prop_map(|pieces| pieces.concat())
}

fn document_change() -> impl Strategy<Value = DocumentChange> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (index(), file_text()).prop_map(|(at, text)| DocumentChange::Replace(at, text)),
        (prop::option::of(index()), file_text()).prop_map(|(at, text)| DocumentChange::Insert(at, text)),
        index().prop_map(DocumentChange::Remove),
    ]
}

fn apply_change(before: &Catalog, change: &DocumentChange) -> Option<Catalog> {
    let file = FileId(0);
    let segments = before.files()[0].segments();
    let serial = |at: &prop::sample::Index| (!segments.is_empty()).then(|| at.get(segments).serial);
    let text = |text: &String| text.as_bytes().to_vec();
    let change = match change {
        DocumentChange::Replace(at, new) => {
            DocChange::Replace { doc: DocId { file, serial: serial(at)? }, text: text(new) }
        }
        DocumentChange::Insert(at, new) => {
            DocChange::Insert { file, after: at.as_ref().and_then(serial), text: text(new) }
        }
        DocumentChange::Remove(at) => DocChange::Remove { doc: DocId { file, serial: serial(at)? } },
    };
    Some(before.with_changes(vec![change]).0)
}

#[test]
fn second_json_object_makes_the_rest_json() {
    let before = load::from_bytes(b"{}\n---\n---\n".to_vec());
    let after = apply_change(&before, &DocumentChange::Insert(None, "{\"a\": 1}".to_owned())).unwrap();
    assert!(!is_split_as_intended(Some(&before.files()[0]), &after.files()[0]));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn check_of_changed_part_agrees_with_check_of_whole_file(
        pieces in prop::collection::vec(file_piece(), 0..9),
        changes in prop::collection::vec(document_change(), 1..4),
    ) {
        let before = load::from_bytes(pieces.concat().into_bytes());
        let mut after = before.clone();
        for change in &changes {
            after = apply_change(&after, change).unwrap_or(after);
        }
        let (old, new) = (&before.files()[0], &after.files()[0]);
        let bytes = new.current_bytes();
        let chunks = split::split_chunks(&bytes);
        let whole = chunks.len() == new.segments().len()
            && chunks.iter().zip(new.segments()).all(|(chunk, segment)| {
                chunk.range.len() == segment.text.len() && chunk.kind == segment.kind
            });
        prop_assert_eq!(is_split_as_intended(Some(old), new), whole, "{:?}", String::from_utf8_lossy(&bytes));
    }
}
