//! Tests of catalogs as values: chunks of files, packages, and changes. Each comparison with recorded answers
//! fails if one answer changes.

mod loading;
#[cfg(unix)]
mod special_files;

use std::path::PathBuf;

use base64::Engine as _;
use serde_json::json;

use crate::{
    Catalog, FileId, Origin, SourceFile, Text,
    blob::DeprecationTarget,
    details::BundleDetails,
    file::DocId,
    load,
    model::DocChange,
    problem::ProblemKind,
    text::split::{ChunkKind, Format},
};
use olmap_testing::assert_can_fail;

#[test]
fn verdict_and_reading_comparisons_can_fail() {
    let unreadable = "text::split::tests::rejects_catalogs_that_opm_cannot_read";
    assert_can_fail(
        unreadable,
        "validate/expected.jsonl",
        0,
        "/opm",
        &json!("error converting YAML to JSON: yaml: line 1"),
    );
    let images = "image_ref::tests::validates_references_like_opm";
    assert_can_fail(
        images,
        "validate/expected.jsonl",
        3,
        "/opm",
        &json!(r#""invalid image pull spec \"example.com/kiln:v1\": no""#),
    );
    let yaml = "text::split::tests::parses_edge_cases_like_opm";
    assert_can_fail(yaml, "yaml-edge.json", 0, "/0/docs/0/v", &json!("yes"));
    let ignored = "paths::indexignore::tests::keeps_same_files_as_opm";
    assert_can_fail(ignored, "indexignore.json", 0, "/cases/0/kept_by_opm", &json!([]));
}

#[test]
fn rendering_comparisons_can_fail() {
    let rendered = "text::canonical::tests::renders_catalogs_like_opm";
    assert_can_fail(rendered, "render.jsonl", 0, "/yaml_sha256", &json!("0"));
    assert_can_fail(rendered, "render.jsonl", 1, "/json_sha256", &json!("0"));
}

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
    file.remove_documents(&[new].into());
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

fn parse_catalog(text: &str) -> Catalog {
    load::from_bytes(text.as_bytes().to_vec())
}

const SHIP: &str = "\
{schema: olm.bundle, package: ship, name: ship.v1.0.0, properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}
---
schema: olm.channel
package: ship
name: stable
entries:
- {name: ship.v1.0.0, replaces: '', skips: [a, b], skipRange: '<1.0.0', replace: x}
---
{schema: olm.package, name: ship, defaultChannel: stable}
---
{schema: olm.deprecations, package: ship, entries: [{reference: {schema: olm.channel, name: stable}, message: old}]}
---
{schema: vendor.example.com, package: ship, name: note}
---
{schema: vendor.example.com}
";

fn doc_id(serial: u32) -> DocId {
    DocId { file: FileId(0), serial }
}

#[test]
fn package_is_collected_from_all_its_documents() {
    let catalog = parse_catalog(SHIP);
    let ship = catalog.package("ship").unwrap();
    assert_eq!(ship.default_channel().unwrap(), "stable");
    assert_eq!(ship.bundle_version("ship.v1.0.0").unwrap().to_string(), "1.0.0");
    assert_eq!(ship.others.len(), 1);
    assert_eq!(catalog.others().len(), 1, "an object of no package is kept too");
    assert!(ship.channel_deprecation(&"stable".into()).is_some());
    assert!(ship.deprecation(&DeprecationTarget::Package).is_none());
}

#[test]
fn entry_is_read_like_in_olm() {
    let catalog = parse_catalog(SHIP);
    let entry = &catalog.package("ship").unwrap().channel("stable").unwrap().entries[0];
    assert!(entry.replaces.is_none(), "empty is absent");
    assert_eq!(entry.skips.len(), 2);
    assert!(entry.range_matches(&olm_version::Version::parse("0.9.0").unwrap()));
    assert_eq!(entry.unknown[0].value, "replace");
    let text = std::str::from_utf8(catalog.document_text(doc_id(1)).unwrap()).unwrap();
    assert_eq!(&text[entry.skips[1].span.range()], "b", "spans are exact");
}

#[test]
fn broken_document_is_a_problem_and_rest_is_read() {
    let catalog =
        parse_catalog("schema: olm.package\nname: 5\n---\nschema: [\n---\nschema: olm.package\nname: good\n");
    assert!(catalog.package("good").is_some());
    let kinds: Vec<_> = catalog.problems().complete_problems().iter().map(|p| &p.kind).collect();
    assert!(matches!(kinds.as_slice(), [ProblemKind::Meta(_), ProblemKind::Syntax(_)]), "{kinds:?}");
}

#[test]
fn field_of_wrong_type_is_a_problem_and_other_fields_are_read() {
    let catalog = parse_catalog(
        "schema: olm.channel\npackage: p\nname: c\nentries:\n- name: a\n  replaces: 5\n- name: b\n  skips: no\n- 7\n",
    );
    let package = catalog.package("p").unwrap();
    let names: Vec<_> =
        package.channel("c").unwrap().entries.iter().map(|e| e.name.value.to_string()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(package.channel("c").unwrap().entries[1].position, 1);
    assert_eq!(package.problems.complete_problems().len(), 3, "{:?}", package.problems);
}

#[test]
fn change_affects_only_its_package_and_keeps_old_state() {
    let two = format!("{SHIP}---\n{{schema: olm.package, name: boat}}\n");
    let before = parse_catalog(&two);
    let text = b"---\n{schema: olm.package, name: ship, defaultChannel: fast}\n".to_vec();
    let (after, inserted) = before.with_changes(vec![DocChange::Replace { doc: doc_id(2), text }]);
    assert!(inserted.is_empty());
    assert_eq!(before.package("ship").unwrap().default_channel().unwrap(), "stable");
    assert_eq!(after.package("ship").unwrap().default_channel().unwrap(), "fast");
    let boats = [before.package("boat").unwrap(), after.package("boat").unwrap()];
    assert!(std::sync::Arc::ptr_eq(boats[0], boats[1]), "shared, not made again");
    let changed = after.files_changed_since(&before);
    assert_eq!(changed.len(), 1);
    assert!(std::ptr::eq(changed[0].after.unwrap(), after.files()[0].as_ref()));
}

#[test]
fn new_file_is_identified_by_path_and_disappears_when_empty() {
    let before = parse_catalog(SHIP);
    let make = |name: &str, text: &[u8]| DocChange::Make {
        display_path: name.into(),
        disk: None,
        text: text.to_vec(),
    };
    let (first, made) = before.with_changes(vec![make("b.yaml", b"{schema: olm.package, name: boat}\n")]);
    assert_eq!(made.len(), 1);
    assert!(first.package("boat").is_some());
    let (other, _) = before.with_changes(vec![make("c.yaml", b"{schema: olm.package, name: boat}\n")]);
    let paths = |after: &Catalog, before: &Catalog| -> Vec<(Option<String>, Option<String>)> {
        let name = |file: Option<&SourceFile>| file.map(|file| file.display_path().display().to_string());
        let changed = after.files_changed_since(before);
        changed.into_iter().map(|changed| (name(changed.before), name(changed.after))).collect()
    };
    let some = |name: &str| Some(name.to_owned());
    assert_eq!(paths(&first, &before), [(None, some("b.yaml"))]);
    assert_eq!(paths(&before, &first), [(some("b.yaml"), None)]);
    assert_eq!(paths(&other, &first), [(None, some("c.yaml")), (some("b.yaml"), None)]);
    let (emptied, _) = first.with_changes(vec![DocChange::Remove { doc: made[0] }]);
    assert_eq!(paths(&emptied, &before), []);
    assert_eq!(paths(&emptied, &first), [(some("b.yaml"), None)]);
}

#[test]
fn documents_removed_together_are_like_documents_removed_one_by_one() {
    let text = "schema: olm.package\nname: a\n---\nschema: olm.channel\npackage: a\nname: c\nentries: [{name: a.v1}]\n---\n\
                schema: olm.bundle\nname: a.v1\nimage: example.com/a:1\nproperties: [1]\npackage: a\n---\nfoo: b: c\n---\n\
                schema: example.com/x\nvalue: 1\n---\nschema: example.com/y\npackage: b\n---\n\
                schema: olm.package\nname: b\n---\nschema: olm.bundle\npackage: [b]\nname: b.v1\n";
    let catalog = parse_catalog(text);
    let documents: Vec<DocId> = catalog.documents().collect();
    assert_eq!(documents.len(), 8);
    let state = |catalog: &Catalog| {
        let packages = catalog.packages().map(|package| {
            (
                package.name.to_string(),
                package.documents().collect::<Vec<_>>(),
                format!("{:?}", package.problems),
            )
        });
        let bytes = catalog.files()[0].current_bytes();
        let problems = format!("{:?}", catalog.problems().in_documents().collect::<Vec<_>>());
        (packages.collect::<Vec<_>>(), bytes, problems, catalog.documents().collect::<Vec<_>>())
    };
    for chosen in 0..1_usize << documents.len() {
        let gone = documents.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
        let changes: Vec<DocChange> = gone.map(|(_, doc)| DocChange::Remove { doc: *doc }).collect();
        let mut one_by_one = catalog.clone();
        for change in &changes {
            one_by_one = one_by_one.with_changes(vec![change.clone()]).0;
        }
        assert_eq!(state(&catalog.with_changes(changes).0), state(&one_by_one), "{chosen:b}");
    }
}

#[test]
fn documents_can_be_added_and_removed() {
    let before = parse_catalog(SHIP);
    let text = b"---\n{schema: olm.package, name: boat}\n".to_vec();
    let insert = DocChange::Insert { file: FileId(0), after: Some(2), text };
    let (with, inserted) = before.with_changes(vec![insert]);
    assert!(with.package("boat").is_some());
    let (without, _) = with.with_changes(vec![DocChange::Remove { doc: inserted[0] }]);
    assert!(without.package("boat").is_none(), "a package nobody speaks of is gone");
    assert_eq!(without.files()[0].current_bytes(), SHIP.as_bytes());
    let (same, _) = before.with_changes(vec![DocChange::Remove { doc: doc_id(99) }]);
    assert_eq!(same.files()[0].current_bytes(), SHIP.as_bytes(), "what is not there cannot go");
}

#[test]
fn document_can_move_to_another_package() {
    let before = parse_catalog(SHIP);
    let text = b"---\n{schema: olm.channel, package: boat, name: stable}\n".to_vec();
    let (after, _) = before.with_changes(vec![DocChange::Replace { doc: doc_id(1), text }]);
    assert!(after.package("ship").unwrap().channels.is_empty());
    assert_eq!(after.package("boat").unwrap().channels.len(), 1);
}

#[test]
fn blobs_have_order_of_their_files() {
    let file = |name: &str, text: &str| SourceFile::new(name.into(), None, text.as_bytes().to_vec());
    let one = file("b.yaml", "schema: olm.channel\npackage: p\nname: first\n");
    let two = file("a.yaml", "schema: olm.channel\npackage: p\nname: second\n");
    let catalog = Catalog::new(Origin::Stdin, vec![one, two], Vec::new());
    let names: Vec<_> =
        catalog.package("p").unwrap().channels.iter().map(|c| c.name.value.to_string()).collect();
    assert_eq!(names, ["first", "second"]);
}

#[test]
fn details_come_from_metadata_or_csv_object() {
    let metadata = "\
schema: olm.bundle
properties:
- type: olm.csv.metadata
  value:
    displayName: Ship
    provider: {name: Example}
    crdDescriptions:
      owned: [{name: ships.example.com, kind: Ship, version: v1}]
    installModes: [{type: AllNamespaces, supported: true}, {type: OwnNamespace, supported: false}]
";
    let tree = crate::text::yaml::parse_yaml(metadata.as_bytes()).unwrap();
    let details = BundleDetails::from_bundle(&tree);
    assert_eq!((details.display_name.as_str(), details.provider.as_str()), ("Ship", "Example"));
    assert_eq!(details.owned[0].kind, "Ship");
    assert_eq!(details.install_modes, ["AllNamespaces"]);

    let csv = r#"{"kind":"ClusterServiceVersion","spec":{"displayName":"Boat","customresourcedefinitions":{"required":[{"kind":"Crew"}]}}}"#;
    let data = base64::engine::general_purpose::STANDARD.encode(csv);
    let object = format!("properties:\n- type: olm.bundle.object\n  value: {{data: {data}}}\n");
    let tree = crate::text::yaml::parse_yaml(object.as_bytes()).unwrap();
    let details = BundleDetails::from_bundle(&tree);
    assert_eq!((details.display_name.as_str(), details.required[0].kind.as_str()), ("Boat", "Crew"));
}
