//! Tests of added, changed and removed deprecations.

use super::{
    BY_HAND, CANONICAL, FLOW, JSON, canonical_json, edit_error, edit_text, parse_catalog, remove_part,
    render_canonical, replace_part,
};
use crate::{Edit, EditError, apply_edit};
use olm_catalog::{
    Catalog, Origin,
    blob::DeprecationTarget,
    load,
    text::{
        canonical::{self, RenderFormat},
        split,
    },
};

fn bundle_target(name: &str) -> DeprecationTarget {
    DeprecationTarget::Bundle(name.into())
}

fn channel_target(name: &str) -> DeprecationTarget {
    DeprecationTarget::Channel(name.into())
}

fn deprecate_edit(target: DeprecationTarget, message: &str) -> Edit {
    Edit::Deprecate { package: "p".into(), target, message: message.into() }
}

fn undeprecate_edit(target: DeprecationTarget) -> Edit {
    Edit::Undeprecate { package: "p".into(), target }
}

#[test]
fn first_deprecation_in_canonical_file_is_where_opm_puts_it() {
    let after = edit_text(CANONICAL, &deprecate_edit(bundle_target("p.v1"), "Use 2.\nOr 3."));
    let document = "\
---
entries:
- message: |-
    Use 2.
    Or 3.
  reference:
    name: p.v1
    schema: olm.bundle
package: p
schema: olm.deprecations
";
    let other = "---\ndefaultChannel: d\n";
    assert_eq!(after, replace_part(CANONICAL, other, &format!("{document}{other}")));
    assert_eq!(after, render_canonical(&after));
    assert_eq!(edit_text(&after, &undeprecate_edit(bundle_target("p.v1"))), CANONICAL);
}

#[test]
fn deprecation_has_the_style_of_its_neighbors() {
    let after = edit_text(BY_HAND, &deprecate_edit(channel_target("old"), "Use c."));
    let document = "\
---
schema: olm.deprecations
package: p
entries:
  - reference:
      schema: olm.channel
      name: old
    message: Use c.
";
    assert_eq!(after, format!("{BY_HAND}{document}"));
    let more = edit_text(&after, &deprecate_edit(DeprecationTarget::Package, "Use q."));
    assert_eq!(more, format!("{after}  - reference:\n      schema: olm.package\n    message: Use q.\n"));
    assert_eq!(edit_text(&more, &undeprecate_edit(DeprecationTarget::Package)), after);
    assert_eq!(edit_text(&after, &undeprecate_edit(channel_target("old"))), BY_HAND);
}

#[test]
fn keeps_line_endings_and_a_missing_final_one() {
    let dos = BY_HAND.replace('\n', "\r\n");
    let after = edit_text(&dos, &deprecate_edit(DeprecationTarget::Package, "Use q."));
    assert_eq!(after.matches("\r\n").count(), after.matches('\n').count());
    assert_eq!(edit_text(&after, &undeprecate_edit(DeprecationTarget::Package)), dos);
    let open = BY_HAND.trim_end();
    let after = edit_text(open, &deprecate_edit(DeprecationTarget::Package, "Use q."));
    assert!(after.starts_with(BY_HAND) && after.ends_with("message: Use q."), "{after}");
}

#[test]
fn json_keeps_its_lines_and_blanks() {
    let line = r#"{"schema": "olm.deprecations", "package": "p", "entries": [{"reference": {"schema": "olm.bundle", "name": "p.v1"}, "message": "Use 2."}]}"#;
    let after = edit_text(JSON, &deprecate_edit(bundle_target("p.v1"), "Use 2."));
    assert_eq!(after, format!("{JSON}{line}\n"));
    assert_eq!(edit_text(&after, &undeprecate_edit(bundle_target("p.v1"))), JSON);
    assert_eq!(
        edit_text(JSON.trim_end(), &deprecate_edit(bundle_target("p.v1"), "Use 2.")),
        format!("{JSON}{line}")
    );
    let tight = JSON.replace(": ", ":").replace(", ", ",").replace('\n', "");
    let after = edit_text(&tight, &deprecate_edit(bundle_target("p.v1"), "Use2."));
    let line = line.replace(": ", ":").replace(", ", ",").replace("Use 2.", "Use2.");
    assert_eq!(after, format!("{tight}\n{line}"));
    let pretty = "{\n  \"schema\": \"olm.package\",\n  \"name\": \"p\",\n  \"defaultChannel\": \"c\"\n}\n";
    let after = edit_text(pretty, &deprecate_edit(DeprecationTarget::Package, "Use q."));
    let object = "{\n  \"schema\": \"olm.deprecations\",\n  \"package\": \"p\",\n  \"entries\": [\n    {\n      \"reference\": {\n        \"schema\": \"olm.package\"\n      },\n      \"message\": \"Use q.\"\n    }\n  ]\n}\n";
    assert_eq!(after, format!("{pretty}{object}"));
}

#[test]
fn keeps_flow_style_and_indented_json() {
    let after = edit_text(FLOW, &deprecate_edit(bundle_target("p.v1"), "Use 2."));
    let document = after.strip_prefix(FLOW).unwrap();
    assert_eq!(document.lines().last(), Some("  message: Use 2."), "{document}");
    assert_eq!(edit_text(&after, &undeprecate_edit(bundle_target("p.v1"))), FLOW);
    let before = canonical_json();
    let after = edit_text(&before, &deprecate_edit(bundle_target("p.v1"), "Use 2."));
    assert_eq!(after, render_files(&parse_catalog(&after), RenderFormat::Json));
    assert_eq!(edit_text(&after, &undeprecate_edit(bundle_target("p.v1"))), before);
}

#[test]
fn changes_message_of_existing_deprecation() {
    let said = edit_text(BY_HAND, &deprecate_edit(bundle_target("p.v1"), "Use 2."));
    let after = edit_text(&said, &deprecate_edit(bundle_target("p.v1"), "Use 3: it is better."));
    assert_eq!(after, replace_part(&said, "Use 2.", "'Use 3: it is better.'"));
    assert_eq!(edit_text(&said, &deprecate_edit(bundle_target("p.v1"), "Use 2.")), said);
}

#[test]
fn adds_to_existing_deprecations() {
    let said = format!(
        "{BY_HAND}---\nschema: olm.deprecations\npackage: p\nEntries:\n# first\n- {{reference: {{schema: olm.package}}, message: Going.}}\n"
    );
    let after = edit_text(&said, &deprecate_edit(bundle_target("p.v1"), "Gone."));
    let item = "- {reference: {schema: olm.bundle, name: p.v1}, message: Gone.}\n";
    assert_eq!(after, format!("{said}{item}"));
    assert_eq!(edit_text(&after, &undeprecate_edit(bundle_target("p.v1"))), said);
    let rest = "# first\n- {reference: {schema: olm.package}, message: Going.}\n";
    assert_eq!(edit_text(&after, &undeprecate_edit(DeprecationTarget::Package)), remove_part(&after, rest));
}

#[test]
fn deprecates_package_with_only_its_definition() {
    let before = "schema: olm.package\nname: 'no'\n";
    let edit = Edit::Deprecate {
        package: "no".into(),
        target: DeprecationTarget::Package,
        message: "Never used.".into(),
    };
    let document = "---\nschema: olm.deprecations\npackage: \"no\"\nentries:\n- reference:\n    schema: olm.package\n  message: Never used.\n";
    assert_eq!(edit_text(before, &edit), format!("{before}{document}"));
}

#[test]
fn refuses_invalid_deprecations() {
    assert!(matches!(
        edit_error(CANONICAL, &deprecate_edit(bundle_target("p.v9"), "x")),
        EditError::NoBundle(_)
    ));
    assert!(matches!(
        edit_error(CANONICAL, &deprecate_edit(channel_target("no"), "x")),
        EditError::NoChannel(_)
    ));
    assert!(matches!(
        edit_error(CANONICAL, &deprecate_edit(bundle_target("p.v1"), " ")),
        EditError::NoMessage
    ));
    let error = edit_error(CANONICAL, &undeprecate_edit(channel_target("c")));
    assert_eq!(error.to_string(), "channel c is not deprecated");
}

/// Returns a catalog in a directory, from files by path.
fn catalog_from_files(files: &[(&str, &str)]) -> Catalog {
    let texts = files.iter().map(|(path, text)| (path.into(), text.as_bytes().to_vec()));
    load::from_texts(Origin::Directory("catalog".into()), texts)
}

fn catalog_files(catalog: &Catalog) -> Vec<(String, String)> {
    let there = catalog.files().iter().filter(|file| file.exists());
    there
        .map(|f| (f.display_path().display().to_string(), String::from_utf8(f.current_bytes()).unwrap()))
        .collect()
}

const PACKAGE_Q: &str = "schema: olm.package\nname: q\n";

#[test]
fn package_in_own_directory_gets_file_for_deprecations() {
    let before = catalog_from_files(&[("p/catalog.yaml", BY_HAND), ("q/catalog.yaml", PACKAGE_Q)]);
    let after = apply_edit(&before, &deprecate_edit(channel_target("old"), "Use c.")).unwrap();
    let document = "\
---
schema: olm.deprecations
package: p
entries:
  - reference:
      schema: olm.channel
      name: old
    message: Use c.
";
    let mut all = catalog_files(&before);
    all.push(("p/deprecations.yaml".to_owned(), document.to_owned()));
    assert_eq!(catalog_files(&after), all);
    let more = apply_edit(&after, &deprecate_edit(bundle_target("p.v1"), "Use 2.")).unwrap();
    let item = "  - reference:\n      schema: olm.bundle\n      name: p.v1\n    message: Use 2.\n";
    assert_eq!(catalog_files(&more)[2].1, format!("{document}{item}"));
    let none = apply_edit(&after, &undeprecate_edit(channel_target("old"))).unwrap();
    assert_eq!(catalog_files(&none), catalog_files(&before));
    assert!(none.files_changed_since(&before).is_empty());
    let again = apply_edit(&none, &deprecate_edit(channel_target("old"), "Use c.")).unwrap();
    assert_eq!(catalog_files(&again), all);
}

#[test]
fn canonical_package_keeps_deprecations_in_its_file() {
    let json = |text: &str| {
        let docs = split::split_chunks(text.as_bytes()).into_iter();
        let docs: Vec<_> = docs
            .map(|chunk| split::parse_chunk(split::Format::Yaml, &text.as_bytes()[chunk.range]).unwrap())
            .collect();
        canonical::render_documents(&docs, RenderFormat::Json)
    };
    let own = remove_part(CANONICAL, "---\ndefaultChannel: d\nname: q\nschema: olm.package\n");
    for (name, text) in [("p/catalog.yaml", own.clone()), ("p/catalog.json", json(&own))] {
        let after = apply_edit(
            &catalog_from_files(&[(name, &text)]),
            &deprecate_edit(bundle_target("p.v1"), "Use 2."),
        )
        .unwrap();
        let [(path, now)] = catalog_files(&after).try_into().unwrap();
        assert_eq!(path, name);
        assert!(now.starts_with(&text) && now.contains("olm.deprecations"), "{now}");
        let format = if text.starts_with('{') { RenderFormat::Json } else { RenderFormat::Yaml };
        assert_eq!(now, render_files(&after, format), "{name}");
    }
}

fn render_files(catalog: &Catalog, format: RenderFormat) -> String {
    let docs: Vec<_> = catalog.documents().map(|doc| catalog.parse_document(doc).unwrap().unwrap()).collect();
    canonical::render_documents(&docs, format)
}

#[test]
fn emptied_file_is_kept_and_used_again() {
    // opm reads an empty file as no object at all, and refuses a file with only a separator.
    for (rest, kept) in
        [("", ""), ("---\n", ""), ("---\n# Nothing.\nschema: x\n", "---\n# Nothing.\nschema: x\n")]
    {
        let said = format!(
            "# Old news.\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {{schema: olm.package}}\n  message: Going.\n{rest}"
        );
        let before = catalog_from_files(&[("p/catalog.yaml", BY_HAND), ("p/deprecations.yaml", &said)]);
        let after = apply_edit(&before, &undeprecate_edit(DeprecationTarget::Package)).unwrap();
        let [catalog, (path, now)] = catalog_files(&after).try_into().unwrap();
        assert_eq!((catalog.1.as_str(), path.as_str(), now.as_str()), (BY_HAND, "p/deprecations.yaml", kept));
        assert_eq!(
            catalog_from_files(&[("p/deprecations.yaml", &now)]).problems().complete_problems().len(),
            0
        );
        if now.is_empty() {
            let again = apply_edit(&after, &deprecate_edit(channel_target("old"), "Use c.")).unwrap();
            assert!(
                catalog_files(&again)[1].1.starts_with("---\nschema: olm.deprecations\n"),
                "{:?}",
                catalog_files(&again)
            );
            assert_eq!(catalog_files(&again)[0].1, BY_HAND);
        }
    }
}

#[test]
fn does_not_create_file_that_opm_ignores() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("p")).unwrap();
    std::fs::write(folder.path().join("p/catalog.yaml"), BY_HAND).unwrap();
    for (patterns, is_read) in
        [("deprecations.*\n", false), ("/p/deprecations.yaml\n", false), ("*.md\n", true)]
    {
        std::fs::write(folder.path().join(".indexignore"), patterns).unwrap();
        let before = load::open_catalog(folder.path()).unwrap();
        let after = apply_edit(&before, &deprecate_edit(channel_target("old"), "Use c.")).unwrap();
        let paths: Vec<String> = catalog_files(&after).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths.contains(&"p/deprecations.yaml".to_owned()), is_read, "{patterns}");
        assert_eq!(catalog_files(&after)[0].1 == BY_HAND, is_read, "{patterns}");
    }
}

#[test]
fn deprecations_stay_in_file_shared_with_other_packages() {
    let together = format!("{BY_HAND}---\n{PACKAGE_Q}");
    for files_before in [
        vec![("catalog.yaml", together.as_str())],
        vec![("all/p.yaml", BY_HAND), ("all/q.yaml", PACKAGE_Q)],
        vec![("p.yaml", BY_HAND), ("q/catalog.yaml", PACKAGE_Q)],
        vec![("p/catalog.yaml", BY_HAND), ("p/deprecations.yaml", "# None yet.\n")],
    ] {
        let before = catalog_from_files(&files_before);
        let after = apply_edit(&before, &deprecate_edit(bundle_target("p.v1"), "Use 2.")).unwrap();
        let changed = after.files_changed_since(&before);
        assert_eq!(changed.len(), 1, "{:?}", catalog_files(&after));
        assert!(changed[0].before.is_some(), "{:?}", catalog_files(&after));
    }
}
