//! Tests of refactorings, alternative fixes, spelling fixes and accepted findings.

use gen_lsp_types::{CodeAction, DiagnosticTag};
use olm_check::review::Snapshot;

use super::*;
use crate::{
    accept::{self, AcceptanceFile},
    actions,
    findings::{self, FindingSubject},
    refactors,
};

/// Returns the title of each refactoring at the cursor, and the text of the first file after it.
fn refactorings(fixture: &Fixture) -> Vec<(String, String)> {
    let range = Range { start: fixture.at, end: fixture.at };
    let here = fixture.file_and_document();
    let offered = refactors::refactor_actions(&fixture.draft, here, range, Encoding::Utf16, &sample_client());
    let after = |action: &CodeAction| fixture.files_after(action.edit.as_ref().unwrap()).remove(0);
    offered.iter().map(|action| (action.title.clone(), after(action))).collect()
}

fn titles(offered: &[(String, String)]) -> Vec<&str> {
    offered.iter().map(|(title, _)| title.as_str()).collect()
}

#[test]
fn entry_can_be_removed_and_its_bundle_deprecated() {
    let offered = refactorings(&ship_fixture("- name: ship.v1.1.0", 0));
    assert_eq!(titles(&offered), ["Remove ship.v1.1.0 from stable", "Deprecate ship.v1.1.0"]);
    assert!(!offered[0].1.contains("# the first"), "{}", offered[0].1);
    assert!(
        offered[1].1.contains("name: ship.v1.1.0\n  message: ship.v1.1.0 is deprecated.\n"),
        "{}",
        offered[1].1
    );
    assert_eq!(
        refactorings(&ship_fixture("name: stable\nentries:\n", 0)),
        refactorings(&ship_fixture("entries:\n- name: sh", 0))
    );
    let offered = refactorings(&ship_fixture("- name: ship.v1.0.0", 0));
    assert_eq!(
        titles(&offered),
        ["Remove ship.v1.0.0 from stable and repair edges", "Remove the deprecation of ship.v1.0.0"]
    );
    assert!(!offered[1].1.contains("[old]"), "{}", offered[1].1);
}

#[test]
fn channel_gets_entries_and_package_is_deprecated() {
    let offered = refactorings(&ship_fixture("name: fast", 0));
    assert_eq!(
        titles(&offered),
        ["Make fast the default channel of ship", "Remove the deprecation of channel fast"],
        "ship.v1.0.0 is older than every entry"
    );
    assert!(offered[0].1.contains("defaultChannel: fast"));
    let without = SHIP.replacen(
        "- name: ship.v1.1.0\n  replaces: ship.v1.0.0 # the first\n  skips: ['ship.v1.0.1']\n",
        "",
        1,
    );
    let at = without.find("name: stable").unwrap() + 8;
    let offered = refactorings(&fixture(&format!("{}{CURSOR_MARK}{}", &without[..at], &without[at..])));
    assert_eq!(titles(&offered), ["Add ship.v1.1.0 to stable (head)", "Deprecate channel stable"]);
    assert!(offered[0].1.contains("- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n"), "{}", offered[0].1);
    assert!(offered[1].1.contains("message: Channel stable is deprecated."), "{}", offered[1].1);
    let offered = refactorings(&ship_fixture("name: ship", 0));
    assert_eq!(titles(&offered), ["Deprecate package ship"]);
}

/// Returns the fixes of all findings of a catalog: titles, and the text after each.
fn all_fixes(text: &str) -> Vec<(String, String, bool)> {
    let fixture = fixture(&format!("{CURSOR_MARK}{text}"));
    let snapshot = Snapshot::new(Catalog::clone(fixture.draft.current()));
    let about = FindingSubject::Catalog(&snapshot.catalog);
    let here = ("/cat/catalog.yaml".as_ref(), fixture.document.range(Encoding::Utf16));
    let offered = actions::code_actions(about, snapshot.findings(), here, Encoding::Utf16, &sample_client());
    let row = |action: &CodeAction| {
        let after = fixture.files_after(action.edit.as_ref().unwrap()).remove(0);
        (action.title.clone(), after, action.is_preferred == Some(true))
    };
    offered.iter().map(row).collect()
}

fn rule_ids(text: &str) -> Vec<&'static str> {
    let fixture = fixture(&format!("{CURSOR_MARK}{text}"));
    let snapshot = Snapshot::new(Catalog::clone(fixture.draft.current()));
    snapshot.findings().map(|finding| finding.rule.id).collect()
}

/// Package with three bundles; its channel has the given entries.
fn channel_with(entries: &str) -> String {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship:{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: ship, version: {version}}}\n"
        )
    };
    let head = format!(
        "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\n\
         name: stable\nentries:\n{entries}"
    );
    head + &["1.0.0", "1.1.0", "1.2.0"].map(bundle).concat()
}

#[test]
fn each_answer_to_multiple_heads_is_a_fix_that_helps() {
    let entries = "- name: ship.v1.0.0\n- name: ship.v1.1.0\n- name: ship.v1.2.0\n  replaces: ship.v1.0.0\n";
    let text = channel_with(entries);
    assert!(rule_ids(&text).contains(&"multiple-heads"));
    let fixes = all_fixes(&text);
    let of_heads: Vec<_> = fixes.iter().filter(|(title, ..)| title.contains("multiple-heads")).collect();
    let [(title, after, is_preferred)] = of_heads.as_slice() else { panic!("{fixes:?}") };
    assert_eq!(title, "Fix multiple-heads: make ship.v1.2.0 skip ship.v1.1.0");
    assert!(*is_preferred && !rule_ids(after).contains(&"multiple-heads"), "{after}");
    // Without `replaces`, both are possible. A fix for all heads comes first.
    let text = channel_with("- name: ship.v1.0.0\n- name: ship.v1.1.0\n- name: ship.v1.2.0\n");
    let fixes = all_fixes(&text);
    let of_heads: Vec<_> = fixes.iter().filter(|(title, ..)| title.contains("multiple-heads")).collect();
    let titles: Vec<_> = of_heads.iter().map(|(title, ..)| title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Fix multiple-heads: make the next newer entry skip each of them",
            "Fix multiple-heads: make ship.v1.2.0 skip ship.v1.1.0",
            "Fix multiple-heads: make ship.v1.2.0 replace ship.v1.1.0",
            "Fix multiple-heads: make ship.v1.1.0 skip ship.v1.0.0",
            "Fix multiple-heads: make ship.v1.1.0 replace ship.v1.0.0",
        ]
    );
    assert!(of_heads.iter().all(|(_, _, is_preferred)| !is_preferred));
    assert!(!rule_ids(&of_heads[0].1).contains(&"multiple-heads"), "{}", of_heads[0].1);
}

#[test]
fn default_channel_and_missing_bundle_have_fixes() {
    let entries = "- name: ship.v1.0.0\n- name: ship.v1.0.5\n  replaces: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.5\n";
    let text = channel_with(entries).replace("defaultChannel: stable", "defaultChannel: quite-another");
    let fixes = all_fixes(&text);
    let after = |title: &str| {
        let fix = fixes.iter().find(|(known, ..)| known == title);
        fix.unwrap_or_else(|| panic!("{title} in {fixes:?}")).1.clone()
    };
    assert!(
        after("Fix unknown-default-channel: make stable the default channel")
            .contains("defaultChannel: stable")
    );
    let removed = after("Fix entry-without-bundle: remove ship.v1.0.5 from stable and repair edges");
    assert!(removed.contains("- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n"), "{removed}");
    assert!(!rule_ids(&removed).contains(&"entry-without-bundle"));
}

#[test]
fn spelling_mistakes_are_fixed_together() {
    let entries = "- name: ship.v1.0.0\n- name: ship.v1.1.0\n  replace: ship.v1.0.0\n- name: ship.v1.2.0\n  replaces: ship.v1.1.0\n  skips: ['']\n";
    let fixture = fixture(&format!("{CURSOR_MARK}{}", channel_with(entries)));
    let snapshot = Snapshot::new(Catalog::clone(fixture.draft.current()));
    let path: &std::path::Path = "/cat/catalog.yaml".as_ref();
    let fix = |path| {
        let found = snapshot.findings();
        actions::fix_all_action(&snapshot.catalog, found, path, Encoding::Utf16, &sample_client())
    };
    let action = fix(path).unwrap();
    assert_eq!(serde_json::to_value(&action.kind).unwrap(), "source.fixAll.olmap");
    let after = fixture.files_after(action.edit.as_ref().unwrap()).remove(0);
    let expected = "- name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n- name: ship.v1.2.0\n  replaces: ship.v1.1.0\n---";
    assert!(after.contains(expected), "{after}");
    assert!(fix("/cat/other.yaml".as_ref()).is_none());
    // A fix that chooses an upgrade path is left out.
    let stuck = channel_with("- name: ship.v1.0.0\n- name: ship.v1.2.0\n  skipRange: '<1.0.0'\n");
    let snapshot =
        Snapshot::new(Catalog::clone(super::fixture(&format!("{CURSOR_MARK}{stuck}")).draft.current()));
    let all = actions::fix_all_action(
        &snapshot.catalog,
        snapshot.findings(),
        path,
        Encoding::Utf16,
        &sample_client(),
    );
    assert!(all.is_none());
}

#[test]
fn finding_is_accepted_in_a_new_and_in_an_existing_file() {
    let text = channel_with("- name: ship.v1.0.0\n- name: ship.v1.2.0\n");
    let fixture = fixture(&format!("{CURSOR_MARK}{text}"));
    let snapshot = Snapshot::new(Catalog::clone(fixture.draft.current()));
    let client = Client { versions: true, creates_files: true, ..Client::default() };
    let accepted = |text: Option<&str>, client: &Client| -> Vec<serde_json::Value> {
        let file =
            AcceptanceFile { path: "/baseline.yaml".into(), text: text.map(|text| text.as_bytes().to_vec()) };
        let here = ("/cat/catalog.yaml".as_ref(), fixture.document.range(Encoding::Utf16));
        let found = snapshot.findings();
        let offered =
            accept::accept_actions(&snapshot.catalog, found, here, &file, (Encoding::Utf16, client));
        offered.into_iter().map(|action| serde_json::to_value(action).unwrap()).collect()
    };
    let offered = accepted(None, &client);
    let heads =
        offered.iter().find(|action| action["title"].as_str().unwrap().contains("multiple-heads")).unwrap();
    assert_eq!(heads["title"], "Accept multiple-heads of ship.v1.0.0 in baseline.yaml");
    let changes = &heads["edit"]["documentChanges"];
    assert_eq!(
        (&changes[0]["kind"], &changes[0]["uri"]),
        (&"create".into(), &"file:///baseline.yaml".into())
    );
    let written = changes[1]["edits"][0]["newText"].as_str().unwrap();
    assert!(written.contains("- {rule: multiple-heads, package: ship, channel: stable"), "{written}");
    assert!(accepted(None, &sample_client()).is_empty(), "the client creates no files");
    // A row is added at the end of a file with comments.
    let own = "# ours\n- {rule: stuck, package: other, reason: old}";
    let offered = accepted(Some(own), &client);
    let edit = &offered[0]["edit"]["documentChanges"][0]["edits"];
    assert_eq!(edit.as_array().unwrap().len(), 1, "{edit}");
    assert!(edit[0]["newText"].as_str().unwrap().starts_with("\n- {rule: "), "{edit}");
    assert!(accepted(Some("- 7\n"), &client).is_empty(), "the file has a mistake");
}

#[test]
fn names_of_deprecated_objects_are_marked() {
    let fixture = ship_fixture("name: fast", 0);
    let open = ["/cat/catalog.yaml".into()];
    let hints = findings::deprecation_hints(fixture.draft.current(), &open, Encoding::Utf16);
    let marked: Vec<_> = hints[&open[0]]
        .iter()
        .map(|hint| {
            assert_eq!(hint.tags, Some(vec![DiagnosticTag::Deprecated]));
            format_range(hint.range)
        })
        .collect();
    assert_eq!(marked, ["8:8-8:19", "15:6-15:10"], "an entry and a channel");
}
