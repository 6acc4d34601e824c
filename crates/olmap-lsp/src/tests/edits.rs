//! Tests of renames and fixes.

use super::*;
use crate::{actions, findings::FindingSubject, refactors, rename};
use gen_lsp_types::CodeAction;
use olm_check::review::Snapshot;

fn rename_result(fixture: &Fixture, to: &str) -> Result<Vec<String>, String> {
    rename::rename_at(
        &fixture.draft,
        fixture.file_and_document(),
        (fixture.at, to),
        Encoding::Utf16,
        &sample_client(),
    )
    .map(|edit| fixture.files_after(&edit))
    .map_err(|error| error.to_string())
}

#[test]
fn channel_is_renamed_in_all_references() {
    let before: Vec<String> = ship_fixture("name: fast", 0)
        .draft
        .current()
        .files()
        .iter()
        .map(|f| String::from_utf8(f.current_bytes()).unwrap())
        .collect();
    let after = rename_result(&ship_fixture("name: fast", 0), "quick").unwrap();
    assert_eq!(after, [before[0].replace("name: fast", "name: quick"), before[1].clone()]);
    let after = rename_result(&ship_fixture("defaultChannel: st", 0), "steady").unwrap();
    assert!(
        after[0].contains("defaultChannel: steady") && after[0].contains("name: steady\n"),
        "{}",
        after[0]
    );
    assert!(after[0].contains("message: Use stable."), "what people say stays");
}

#[test]
fn bundle_is_renamed_in_all_files_and_quotes_stay() {
    let files = |of: &Fixture| -> Vec<String> {
        of.draft
            .current()
            .files()
            .iter()
            .map(|file| String::from_utf8(file.current_bytes()).unwrap())
            .collect()
    };
    let fixture = ship_fixture("replaces: ship.v1", 0);
    let expected: Vec<String> =
        files(&fixture).iter().map(|text| text.replace("ship.v1.0.0", "ship.v0.9.0")).collect();
    assert_eq!(rename_result(&fixture, "ship.v0.9.0").unwrap(), expected);
    let client =
        Client { versions: true, open: [("/cat/catalog.yaml".into(), 7)].into(), ..Client::default() };
    let edit = rename::rename_at(
        &fixture.draft,
        fixture.file_and_document(),
        (fixture.at, "ship.v0.9.0"),
        Encoding::Utf16,
        &client,
    );
    let edit = edit.unwrap();
    let changes = serde_json::to_value(&edit).unwrap();
    assert_eq!(changes["documentChanges"][0]["textDocument"]["version"], 7);
    assert_eq!(changes["documentChanges"][1]["textDocument"]["version"], serde_json::Value::Null);
}

#[test]
fn refused_rename_has_a_reason() {
    let why = |fixture: &Fixture, to: &str| rename_result(fixture, to).unwrap_err();
    assert_eq!(why(&ship_fixture("name: fast", 0), "stable"), "channel stable already exists");
    assert_eq!(why(&ship_fixture("replaces: ship", 0), "ship.v1.1.0"), "ship.v1.1.0 already exists");
    assert!(why(&ship_fixture("name: ship", 0), "boat").starts_with("a package is not renamed"));
    assert!(why(&ship_fixture("skips: ['ship", 0), "x").contains("only entries name it"));
    assert!(why(&ship_fixture("image: exa", 0), "x").starts_with("there is no channel or bundle here"));
    assert!(why(&ship_fixture("name: fast", 0), "a b").contains("without blanks"));
    let objects = SHIP.replace(
        "- type: olm.package\n  value: {packageName: ship, version: 1.1.0}",
        "- type: olm.bundle.object\n  value: {data: e30=}",
    );
    let at = objects.find("replaces: ship").unwrap() - 6;
    let mut objects = objects;
    objects.insert_str(at, CURSOR_MARK);
    assert!(why(&fixture(&objects), "x").contains("carries its manifests"));
}

#[test]
fn fixes_are_the_edits_of_findings() {
    let text = "\
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.0.0
- name: ship.v1.1.0
  replace<|>: ship.v1.0.0
---
schema: olm.bundle
package: ship
name: ship.v1.0.0
image: a
properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]
---
schema: olm.bundle
package: ship
name: ship.v1.1.0
image: b
properties: [{type: olm.package, value: {packageName: ship, version: 1.1.0}}]
";
    let fixture = fixture(text);
    let snapshot = Snapshot::new(Catalog::clone(fixture.draft.current()));
    let path: &std::path::Path = "/cat/catalog.yaml".as_ref();
    let at = |position| Range { start: position, end: position };
    let fixes = |range| {
        let about = FindingSubject::Catalog(&snapshot.catalog);
        actions::code_actions(about, snapshot.findings(), (path, range), Encoding::Utf16, &sample_client())
    };
    let offered = fixes(at(fixture.at));
    let [action] = offered.as_slice() else { panic!("{offered:?}") };
    assert_eq!(action.title, "Fix unknown-key: ship.v1.1.0 in stable: rename key replace to replaces");
    let after = fixture.files_after(action.edit.as_ref().unwrap());
    assert_eq!(after[0], text.replace("replace<|>:", "replaces:"));
    assert!(fixes(at(Position { line: 0, character: 0 })).is_empty(), "elsewhere there is none");
}

/// Package with a bundle that only channel `candidate` has.
const PATCHED: &str = "\
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.0.0
- name: ship.v1.2.0
  replaces: ship.v1.0.0 # the first
---
schema: olm.channel
package: ship
name: candidate
entries:
- name: ship.v1.0.0
- name: ship.v1.1.0
  replaces: ship.v1.0.0
- name: ship.v1.2.0
  replaces: ship.v1.1.0
---
schema: olm.channel
package: ship
name: late
entries:
- name: ship.v1.2.0
---
schema: olm.channel
package: ship
name: early
entries:
- name: ship.v1.0.0
---
schema: olm.bundle
package: ship
name: ship.v1.0.0
image: a
properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]
---
schema: olm.bundle
package: ship
name: ship.v1.1.0
image: b
properties: [{type: olm.package, value: {packageName: ship, version: 1.1.0}}]
---
schema: olm.bundle
package: ship
name: ship.v1.2.0
image: c
properties: [{type: olm.package, value: {packageName: ship, version: 1.2.0}}]
";

/// Returns the title of each offered release, and the text of the catalog after it.
fn offered_releases(text: &str) -> Vec<(String, String)> {
    let fixture = fixture(text);
    let range = Range { start: fixture.at, end: fixture.at };
    let offered = refactors::refactor_actions(
        &fixture.draft,
        fixture.file_and_document(),
        range,
        Encoding::Utf16,
        &sample_client(),
    );
    let after = |action: &CodeAction| fixture.files_after(action.edit.as_ref().unwrap()).remove(0);
    let releases = offered.iter().filter(|action| action.title.starts_with("Release"));
    releases.map(|action| (action.title.clone(), after(action))).collect()
}

#[test]
fn bundle_can_be_released_to_channels_without_it() {
    let before = PATCHED.replace("image: b", "image: <|>b");
    let stable = PATCHED.replace(
        "- name: ship.v1.2.0\n  replaces: ship.v1.0.0 # the first\n",
        "- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n- name: ship.v1.2.0\n  replaces: ship.v1.0.0 # the first\n  skips:\n  - ship.v1.1.0\n",
    );
    let step = PATCHED.replace(
        "- name: ship.v1.2.0\n  replaces: ship.v1.0.0 # the first\n",
        "- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n- name: ship.v1.2.0\n  replaces: ship.v1.1.0 # the first\n  skipRange: '>=1.0.0 <1.2.0'\n",
    );
    let early = PATCHED.replace(
        "name: early\nentries:\n- name: ship.v1.0.0\n",
        "name: early\nentries:\n- name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n",
    );
    let expected = [
        ("Release ship.v1.1.0 to stable (below 1.2.0, skipped)".to_owned(), stable),
        ("Release ship.v1.1.0 to stable (below 1.2.0, replaced)".to_owned(), step),
        ("Release ship.v1.1.0 to early (head)".to_owned(), early),
    ];
    assert_eq!(offered_releases(&before), expected, "not to late, which has no older entry");
    let on_entry = PATCHED.replace("- name: ship.v1.1.0", "- name: ship.v1.1<|>.0");
    assert_eq!(offered_releases(&on_entry), expected);
}

#[test]
fn releases_are_not_offered_elsewhere_and_are_limited() {
    let elsewhere = PATCHED.replace("name: late", "name: la<|>te");
    assert_eq!(offered_releases(&elsewhere), []);
    let missing = PATCHED.replace("- name: ship.v1.0.0\n---", "- name: ship.v0.9<|>.0\n---");
    assert_eq!(offered_releases(&missing), [], "the entry has no bundle");
    let mut channels = String::new();
    for n in 0..10 {
        channels += &format!(
            "---\nschema: olm.channel\npackage: ship\nname: c{n}\nentries: [{{name: ship.v1.0.0}}]\n"
        );
    }
    let many = format!("{}{channels}", PATCHED.replace("image: b", "image: <|>b"));
    assert_eq!(offered_releases(&many).len(), 8);
}
