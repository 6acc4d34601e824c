//! Tests of changing texts: the draft matches a fresh load, and no input panics.

use gen_lsp_types::{TextDocumentContentChangeEvent as Change, TextDocumentContentChangePartial as Part};
use proptest::prelude::*;

use super::*;
use crate::{complete, hover, inlay, links, navigate, outline, rename, selection, symbols};
use olm_check::review::Snapshot;
use olmap_report::finding::{CatalogFindings, Row};

/// Typed text: pieces of catalogs, and pieces that break them.
const PIECES: &[&str] = &[
    "",
    "a",
    "\n",
    "\n---\n",
    "---\n",
    "- name: ship.v1.0.1\n",
    "  replaces: ship.v1.0.0\n",
    ": ",
    "'",
    "\"",
    "\t",
    "{",
    "}",
    "[",
    "]",
    "schema: olm.channel\n",
    "schema: olm.template.basic\n",
    "🐱",
    "ü",
    "\r\n",
    "#",
    "|\n",
    "&a ",
    "*a",
    "\u{feff}",
    "entries:\n",
];

/// Strategy for replacements: position, number of replaced bytes, and new text.
fn edit_strategy() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, &'static str)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, prop::sample::select(PIECES)), 1..8)
}

/// Returns many small documents. Those far from a change are not split again.
fn json_documents() -> String {
    let object = |n: u32| {
        format!(
            "{{\"schema\":\"olm.channel\",\"package\":\"ship\",\"name\":\"c{n}\",\"entries\":[{{\"name\":\"ship.v{n}\"}}]}}\n"
        )
    };
    (0..7).map(object).collect()
}

fn yaml_documents() -> String {
    let document = |n: u32| {
        format!("---\nschema: olm.channel\npackage: ship\nname: c{n}\nentries:\n- name: ship.v{n}\n")
    };
    (0..7).map(document).collect()
}

/// Applies a change as a client does.
fn apply_edit(paper: &mut TextDocument, at: usize, length: usize, text: &str) {
    let encoding = Encoding::Utf16;
    let (start, end) = (paper.position(encoding, at), paper.position(encoding, at + length));
    let range = Range { start, end };
    #[allow(deprecated)]
    let part = Part { range, range_length: None, text: text.to_owned() };
    paper.apply_change(encoding, Change::TextDocumentContentChangePartial(part));
}

/// Describes a catalog for comparison: its documents, names and findings.
fn describe_catalog(catalog: &Catalog) -> String {
    let snapshot = Snapshot::new(catalog.clone());
    let findings = snapshot.findings().collect();
    let rows: Vec<Row> =
        Row::rows_for_catalog(&CatalogFindings { catalog, findings, accepted: Vec::new() }).collect();
    let packages: Vec<_> = catalog
        .packages()
        .map(|package| (package.name.clone(), package.channels.len(), package.bundles.len()))
        .collect();
    let kinds: Vec<_> =
        catalog.files().iter().flat_map(|file| file.segments()).map(|segment| segment.kind).collect();
    format!(
        "{}\n{packages:?}\n{kinds:?}\n{:?}",
        serde_json::to_string_pretty(&rows).unwrap(),
        catalog.template().map(|t| t.kind)
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn typed_document_equals_its_text_read_at_once(
        strokes in edit_strategy(), form in 0u8..4, is_batch in any::<bool>(),
    ) {
        let fixture = if form == 3 {
            super::fixture(&format!("{CURSOR_MARK}{}", json_documents()))
        } else if form == 2 {
            super::fixture(&format!("{CURSOR_MARK}{}", yaml_documents()))
        } else if form == 1 {
            let text = SHIP.split("\n#- ").next().unwrap().split_once('\n').unwrap().1;
            super::fixture(&format!("{CURSOR_MARK}{text}"))
        } else {
            ship_fixture("name: fast", 0)
        };
        let (mut draft, mut paper) = (fixture.draft.clone(), fixture.document.clone());
        for (at, length, text) in strokes {
            let bytes = paper.to_bytes();
            apply_edit(&mut paper, at.index(bytes.len() + 1), length, text);
            // Clients also send several changes at once.
            if is_batch {
                apply_edit(&mut paper, at.index(text.len() + 1), 1, text);
            }
            draft.type_document(fixture.file, &mut paper);
            prop_assert_eq!(draft.current().files()[fixture.file.0 as usize].current_bytes(), paper.to_bytes());
            let sources = draft.current().files().iter().map(|file| {
                SourceFile::new(file.display_path.clone(), file.disk.clone(), file.current_bytes())
            });
            let fresh = Catalog::new(draft.current().origin.clone(), sources.collect(), Vec::new());
            prop_assert_eq!(describe_catalog(draft.current()), describe_catalog(&fresh));
            // The same is true for the catalog with the last valid texts.
            let sources = draft.last_valid().files().iter().map(|file| {
                SourceFile::new(file.display_path.clone(), file.disk.clone(), file.current_bytes())
            });
            let fresh = Catalog::new(draft.current().origin.clone(), sources.collect(), Vec::new());
            prop_assert_eq!(describe_catalog(draft.last_valid()), describe_catalog(&fresh));
        }
    }

    #[test]
    fn no_text_and_no_position_panics(
        strokes in edit_strategy(), line in 0u32..60, character in 0u32..60, json in any::<bool>(),
    ) {
        let text = r#"{"schema":"olm.channel","package":"ship","name":"a","entries":[{"name":"ship.v1","skips":["é🐱"]}]}"#;
        let fixture = if json { super::fixture(&format!("{text}{CURSOR_MARK}")) } else { ship_fixture("name: fast", 0) };
        let (mut draft, mut paper) = (fixture.draft.clone(), fixture.document.clone());
        for (at, length, text) in strokes {
            let bytes = paper.to_bytes();
            apply_edit(&mut paper, at.index(bytes.len() + 1), length, text);
            draft.type_document(fixture.file, &mut paper);
            let at = Position { line, character };
            let here = (fixture.file, &paper);
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let _ = hover::hover_at(&draft, here, at, (encoding, true));
                let _ = complete::completions_at(&draft, here, at, (encoding, true));
                let _ = navigate::find_definition(&draft, here, at, encoding);
                let _ = navigate::find_references(&draft, here, at, encoding, true);
                let _ = rename::prepare_rename(&draft, here, at, encoding);
                let _ = rename::rename_at(&draft, here, (at, "new"), encoding, &sample_client());
                let _ = outline::document_symbols(&draft, fixture.file, encoding);
                let _ = navigate::document_highlights(&draft, here, at, encoding);
                let _ = links::document_links(&draft, fixture.file, encoding);
                let _ = selection::selection_ranges(&paper, &[at], encoding);
                let _ = symbols::workspace_symbols([&draft], text, encoding);
                let range = Range { start: Position::default(), end: at };
                let _ = inlay::inlay_hints(&draft, here, range, encoding);
            }
            let _ = outline::folding_ranges(&paper.to_bytes());
            let _ = outline::key_symbols(&paper.to_bytes(), Encoding::Utf16);
        }
    }

    #[test]
    fn positions_and_bytes_convert_both_ways(text in "[a\n\ré🐱]{0,40}", at in any::<prop::sample::Index>()) {
        let paper = TextDocument::new(&text);
        let at = at.index(text.len() + 1);
        let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let position = paper.position(encoding, at);
            prop_assert_eq!(position, encoding.position(text.as_bytes(), at));
            let inside_break = text[..at].ends_with('\r') && text[at..].starts_with('\n');
            if !inside_break {
                prop_assert_eq!(paper.byte_at(encoding, position), at);
            }
        }
    }
}

#[test]
fn copy_of_a_document_never_mixes_its_changes_with_another_text() {
    let fixture = ship_fixture("name: fast", 0);
    let (mut draft, mut paper) = (fixture.draft.clone(), fixture.document.clone());
    draft.type_document(fixture.file, &mut paper);
    let (mut other_draft, mut other_paper) = (draft.clone(), paper.clone());
    for (draft, paper, text) in
        [(&mut draft, &mut paper, "# one\n"), (&mut other_draft, &mut other_paper, "# other\n")]
    {
        apply_edit(paper, 0, 0, text);
        draft.type_document(fixture.file, paper);
    }
    apply_edit(&mut paper, 0, 0, "# more\n");
    other_draft.type_document(fixture.file, &mut paper);
    for (draft, paper) in [(&draft, &other_paper), (&other_draft, &paper)] {
        let file = &draft.current().files()[fixture.file.0 as usize];
        assert_eq!(file.current_bytes() == paper.to_bytes(), std::ptr::eq(draft, &raw const other_draft));
    }
}

#[test]
fn broken_document_keeps_its_last_valid_state() {
    let fixture = ship_fixture("- name: ship.v1.1.0\n", 0);
    let (mut draft, mut paper) = (fixture.draft.clone(), fixture.document.clone());
    let at = paper.byte_at(Encoding::Utf16, fixture.at);
    apply_edit(&mut paper, at, 0, "\trep{\n");
    draft.type_document(fixture.file, &mut paper);
    let package = |catalog: &Catalog| catalog.package("ship").unwrap().channels.len();
    assert_eq!((package(draft.current()), package(draft.last_valid())), (1, 2), "the channel cannot be read");
    // Its text is two lines below its old position.
    let position = Position { line: 11, character: 14 };
    let found = navigate::find_definition(&draft, (fixture.file, &paper), position, Encoding::Utf16);
    assert_eq!(found.len(), 1, "what is replaced is still found");
    let range =
        navigate::find_references(&draft, (fixture.file, &paper), position, Encoding::Utf16, false)[1].range;
    assert_eq!(format_range(range), "11:12-11:23", "where it is now");
    apply_edit(&mut paper, at, 6, "");
    draft.type_document(fixture.file, &mut paper);
    assert_eq!(package(draft.current()), 2);
    assert!(Arc::ptr_eq(draft.current(), draft.last_valid()));
}

#[test]
fn template_stays_a_template_while_it_is_edited() {
    let text = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: a\n  defaultChannel: c\n- schema: olm.channel\n  package: a\n  name: c\n  entries:\n  - name: <|>a.v1\n";
    let fixture = fixture(text);
    let (mut draft, mut paper) = (fixture.draft.clone(), fixture.document.clone());
    assert!(draft.current().template().is_some());
    let at = paper.byte_at(Encoding::Utf16, fixture.at);
    for (gone, typed, is_template) in [(0, "'", false), (1, "", true)] {
        apply_edit(&mut paper, at, gone, typed);
        draft.type_document(fixture.file, &mut paper);
        assert_eq!(draft.current().template().is_some(), is_template);
        assert!(draft.last_valid().template().is_some() && draft.last_valid().package("a").is_some());
    }
}
