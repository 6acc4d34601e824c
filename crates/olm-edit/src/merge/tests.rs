use std::collections::HashSet;

use super::*;

const PACKAGE: &str = "schema: olm.package\nname: kiln\ndefaultChannel: stable # the only one\n";

/// Returns a catalog with entries of the channel `stable`, each as it is written.
fn catalog(entries: &str) -> String {
    format!(
        "{PACKAGE}---\nschema: olm.channel\npackage: kiln\nname: stable\nentries:\n- name: kiln.v1.0.0\n{entries}"
    )
}

fn merge(base: &str, ours: &str, theirs: &str) -> Merged {
    let versions = Versions { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    merge_versions(versions, Markers::default())
}

#[track_caller]
fn assert_merges_to(merged: &Merged, expected: &str) {
    assert_eq!(String::from_utf8_lossy(&merged.text), expected);
    assert_eq!(merged.conflicts, []);
    assert!(!merged.is_textual);
}

fn text(merged: &Merged) -> String {
    String::from_utf8(merged.text.clone()).unwrap()
}

#[test]
fn entries_added_at_the_same_place_are_both_kept() {
    let skipped = "- name: kiln.v1.0.1 # hotfix\n  skips: [kiln.v1.0.0]\n";
    let head = "- name: kiln.v1.1.0\n  replaces: kiln.v1.0.1\n  skips:\n  - kiln.v1.0.0\n";
    let merged = merge(&catalog(""), &catalog(skipped), &catalog(head));
    assert_merges_to(&merged, &catalog(&format!("{skipped}{head}")));
}

#[test]
fn new_heads_of_both_sides_are_a_conflict_without_markers() {
    let [a, b] =
        ["1.1.0", "1.2.0"].map(|version| format!("- name: kiln.v{version}\n  replaces: kiln.v1.0.0\n"));
    let merged = merge(&catalog(""), &catalog(&a), &catalog(&b));
    assert_eq!(text(&merged), catalog(&format!("{a}{b}")));
    let heads = vec!["kiln.v1.1.0".to_owned(), "kiln.v1.2.0".to_owned()];
    assert_eq!(
        merged.conflicts,
        [Conflict::Heads { package: "kiln".into(), channel: "stable".into(), heads }]
    );
}

#[test]
fn the_same_entry_of_both_sides_is_there_once() {
    let entry = "- name: kiln.v1.1.0\n  replaces: kiln.v1.0.0\n";
    let ours = format!("{entry}  skips: [kiln.v0.9.0]\n");
    let theirs = format!("{entry}  skipRange: <1.1.0\n");
    let merged = merge(&catalog(""), &catalog(&ours), &catalog(&theirs));
    assert_eq!(merged.conflicts, []);
    let result = text(&merged);
    assert_eq!(result.matches("name: kiln.v1.1.0").count(), 1, "{result}");
    assert!(result.contains("kiln.v0.9.0") && result.contains("skipRange: <1.1.0"), "{result}");
    assert!(result.starts_with(PACKAGE), "{result}");
}

#[test]
fn value_that_both_sides_change_has_markers_and_the_rest_is_merged() {
    let entry =
        |range: &str| format!("- name: kiln.v1.1.0\n  replaces: kiln.v1.0.0\n  skipRange: '{range}'\n");
    let more = "- name: kiln.v1.2.0\n  replaces: kiln.v1.1.0\n";
    let merged = merge(
        &catalog(&entry("<1.1.0")),
        &catalog(&entry(">=1.0.0 <1.1.0")),
        &catalog(&format!("{}{more}", entry(">=0.9.0 <1.1.0"))),
    );
    let path = "entries[kiln.v1.1.0].skipRange".to_owned();
    assert_eq!(merged.conflicts, [Conflict::Value { document: "olm.channel stable of kiln".into(), path }]);
    let expected = "- name: kiln.v1.1.0\n  replaces: kiln.v1.0.0\n<<<<<<< ours\n  skipRange: '>=1.0.0 <1.1.0'\n=======\n  \
                    skipRange: '>=0.9.0 <1.1.0'\n>>>>>>> theirs\n";
    assert_eq!(text(&merged), catalog(&format!("{expected}{more}")));
}

#[test]
fn adjacent_lines_of_different_keys_merge() {
    let base = catalog("- name: kiln.v1.1.0\n  replaces: kiln.v1.0.0\n  skipRange: <1.1.0\n");
    let ours = base.replace("replaces: kiln.v1.0.0", "replaces: kiln.v1.0.1");
    let theirs = base.replace("skipRange: <1.1.0", "skipRange: '>=1.0.0 <1.1.0'");
    let expected = ours.replace("skipRange: <1.1.0", "skipRange: '>=1.0.0 <1.1.0'");
    let merged = merge(&base, &ours, &theirs);
    assert_eq!((text(&merged), &merged.conflicts[..]), (expected, &[][..]));
}

#[test]
fn skips_of_both_sides_are_joined() {
    let base = catalog("- name: kiln.v1.1.0\n  skips: [kiln.v1.0.0]\n");
    let ours = base.replace("[kiln.v1.0.0]", "[kiln.v1.0.0, kiln.v1.0.1]");
    let theirs = base.replace("[kiln.v1.0.0]", "[kiln.v1.0.0, kiln.v1.0.2]");
    let expected = base.replace("[kiln.v1.0.0]", "[kiln.v1.0.0, kiln.v1.0.1, kiln.v1.0.2]");
    let merged = merge(&base, &ours, &theirs);
    assert_merges_to(&merged, &expected);
}

#[test]
fn bundles_added_at_the_end_follow_each_other() {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: kiln\nname: kiln.v{version}\nimage: example.com/kiln:{version}\nproperties:\n- type: \
             olm.package\n  value:\n    packageName: kiln\n    version: {version}\n"
        )
    };
    let base = format!("{}{}", catalog(""), bundle("1.0.0"));
    let [ours, theirs] = ["1.1.0", "1.2.0"].map(|version| format!("{base}{}", bundle(version)));
    let merged = merge(&base, &ours, &theirs);
    assert_merges_to(&merged, &format!("{ours}{}", bundle("1.2.0")));
}

#[test]
fn comment_of_the_other_side_is_not_lost() {
    // Both sides add the same entry, so that the lines cannot be joined; only one of them says why.
    let entry = "- name: kiln.v1.1.0\n  replaces: kiln.v1.0.0\n";
    let ours = format!("{entry}  skips: [kiln.v0.9.0]\n");
    let theirs = format!("{entry}  skipRange: <1.1.0 # nobody has 0.8\n");
    let merged = merge(&catalog(""), &catalog(&ours), &catalog(&theirs));
    assert!(text(&merged).contains("# nobody has 0.8"), "{}", text(&merged));
    assert_eq!(merged.conflicts, []);
    // If both say why, both are between markers.
    let ours = format!("{entry}  skips: [kiln.v0.9.0] # broken\n");
    let merged = merge(&catalog(""), &catalog(&ours), &catalog(&theirs));
    let result = text(&merged);
    assert_eq!(merged.conflicts, [Conflict::Text { document: "olm.channel stable of kiln".into() }]);
    assert!(
        result.contains("# nobody has 0.8") && result.contains("# broken") && result.contains("<<<<<<< ours"),
        "{result}"
    );
}

#[test]
fn comment_on_what_the_other_side_removes_is_not_lost() {
    let entries =
        "- name: kiln.v1.0.1\n  skips: [kiln.v1.0.0]\n- name: kiln.v1.1.0\n  replaces: kiln.v1.0.1\n";
    let base = catalog(entries);
    let ours = base.replace("name: kiln.v1.0.1\n", "name: kiln.v1.0.1 # keep it for the bank\n");
    let theirs = catalog("- name: kiln.v1.1.0\n  skips: [kiln.v1.0.0]\n");
    let merged = merge(&base, &ours, &theirs);
    assert!(text(&merged).contains("# keep it for the bank"), "{}", text(&merged));
    assert!(!merged.conflicts.is_empty());
}

#[test]
fn comment_in_a_document_that_the_other_side_removes_is_not_lost() {
    let base = catalog("- name: kiln.v1.1.0\n  replaces: kiln.v1.0.0\n");
    let commented = base.replace("name: stable\n", "name: stable # for the bank\n");
    for merged in [merge(&base, PACKAGE, &commented), merge(&base, &commented, PACKAGE)] {
        assert!(text(&merged).contains("# for the bank"), "{}", text(&merged));
        assert_eq!(merged.conflicts, [Conflict::Text { document: "olm.channel stable of kiln".into() }]);
    }
}

#[test]
fn comment_with_the_text_of_another_comment_is_not_lost() {
    let entry =
        |comment: &str, version: &str| format!("{comment}- name: kiln.v{version}\n  skips: [kiln.v1.0.0]\n");
    let base = catalog(&format!("{}{}", entry("# for the bank\n", "1.0.1"), entry("", "1.0.2")));
    let ours =
        catalog(&format!("{}{}", entry("# for the bank\n", "1.0.1"), entry("# for the bank\n", "1.0.2")));
    let theirs = catalog(&entry("# for the bank\n", "1.0.1"));
    for merged in [merge(&base, &ours, &theirs), merge(&base, &theirs, &ours)] {
        assert_eq!(text(&merged).matches("# for the bank").count(), 2, "{}", text(&merged));
        assert!(!merged.conflicts.is_empty());
    }
}

#[test]
fn order_of_the_other_side_and_its_comments_are_kept() {
    let [ours, theirs] =
        ["- name: kiln.v2.1.0\n- name: kiln.v2.4.0\n", "- name: kiln.v2.4.0 # note\n- name: kiln.v2.1.0\n"]
            .map(catalog);
    for merged in [merge(&catalog(""), &ours, &theirs), merge(&catalog(""), &theirs, &ours)] {
        assert_eq!(text(&merged), theirs);
    }
}

#[test]
fn comment_before_the_first_document_does_not_prevent_a_merge() {
    let header = "# Copyright\n# Licence: Apache-2.0\n---\n";
    let [a, b] =
        ["- name: kiln.v1.0.1\n  skips: [kiln.v1.0.0]\n", "- name: kiln.v1.1.0\n  replaces: kiln.v1.0.1\n"];
    let with_header = |entries: &str| format!("{header}{}", catalog(entries));
    let merged = merge(&with_header(""), &with_header(a), &with_header(b));
    assert_merges_to(&merged, &with_header(&format!("{a}{b}")));
    // What cannot be merged by lines has markers, and keeps the header.
    let merged = merge(
        &with_header(a),
        &with_header(&a.replace("1.0.0", "0.9.0")),
        &with_header(&a.replace("1.0.0", "0.8.0")),
    );
    assert!(merged.is_textual && text(&merged).starts_with(header) && !merged.conflicts.is_empty());
}

#[test]
fn required_packages_are_matched_by_package() {
    let bundle = |range: &str| {
        let required = |name: &str, range: &str| {
            format!(
                "- type: olm.package.required\n  value: {{packageName: {name}, versionRange: '{range}'}}\n"
            )
        };
        format!(
            "{PACKAGE}---\nschema: olm.bundle\npackage: kiln\nname: kiln.v1.0.0\nimage: a/b\nproperties:\n{}{}",
            required("x", range),
            required("y", ">=1")
        )
    };
    let merged = merge(&bundle(">=1"), &bundle(">=2"), &bundle(">=3"));
    assert_eq!(merged.conflicts.len(), 1, "{}", text(&merged));
    assert!(text(&merged).contains("<<<<<<<"), "{}", text(&merged));
}

#[test]
fn removed_and_changed_document_is_a_conflict() {
    let base = catalog("- name: kiln.v1.1.0\n  replaces: kiln.v1.0.0\n");
    let changed = base.replace("replaces: kiln.v1.0.0", "skips: [kiln.v1.0.0]");
    let merged = merge(&base, PACKAGE, &changed);
    assert_eq!(
        merged.conflicts,
        [Conflict::Value { document: "olm.channel stable of kiln".into(), path: String::new() }]
    );
    let result = text(&merged);
    assert!(result.starts_with(PACKAGE) && result.contains("skips: [kiln.v1.0.0]"), "{result}");
    // A document that only one side touches is removed.
    assert_merges_to(&merge(&base, PACKAGE, &base), PACKAGE);
}

#[test]
fn properties_merge_by_type_and_by_value() {
    let bundle = |properties: &str| {
        format!(
            "{PACKAGE}---\nschema: olm.bundle\npackage: kiln\nname: kiln.v1.0.0\nimage: a/b\nproperties:\n{properties}"
        )
    };
    let gvk = |kind: &str| {
        format!("- type: olm.gvk\n  value: {{group: a.example.com, kind: {kind}, version: v1}}\n")
    };
    let limit = |version: &str| format!("- type: olm.maxOpenShiftVersion\n  value: '{version}'\n");
    let base = format!("{}{}", gvk("A"), limit("4.18"));
    let ours = format!("{}{}{}", gvk("A"), gvk("B"), limit("4.18"));
    let theirs = format!("{}{}{}", gvk("A"), gvk("C"), limit("4.19"));
    let merged = merge(&bundle(&base), &bundle(&ours), &bundle(&theirs));
    assert_merges_to(&merged, &bundle(&format!("{}{}{}{}", gvk("A"), gvk("B"), gvk("C"), limit("4.19"))));
    let ours = base.replace("4.18", "4.20");
    let merged = merge(&bundle(&base), &bundle(&ours), &bundle(&theirs));
    let path = "properties[olm.maxOpenShiftVersion].value".to_owned();
    assert_eq!(
        merged.conflicts,
        [Conflict::Value { document: "olm.bundle kiln.v1.0.0 of kiln".into(), path }]
    );
}

#[test]
fn related_images_merge_by_name() {
    let bundle = |images: &str| {
        format!(
            "{PACKAGE}---\nschema: olm.bundle\npackage: kiln\nname: kiln.v1.0.0\nimage: a/b\nproperties: []\nrelatedImages:\n{images}"
        )
    };
    let image = |name: &str, image: &str| format!("- name: {name}\n  image: example.com/{image}\n");
    let base = image("operator", "a");
    let [ours, theirs] = ["b", "c"].map(|other| format!("{base}{}", image(other, other)));
    let merged = merge(&bundle(&base), &bundle(&ours), &bundle(&theirs));
    assert_merges_to(&merged, &bundle(&format!("{base}{}{}", image("b", "b"), image("c", "c"))));
    let merged = merge(&bundle(&base), &bundle(&image("operator", "b")), &bundle(&image("operator", "c")));
    let path = "relatedImages[operator].image".to_owned();
    assert_eq!(
        merged.conflicts,
        [Conflict::Value { document: "olm.bundle kiln.v1.0.0 of kiln".into(), path }]
    );
}

#[test]
fn images_of_a_template_merge() {
    let template = |images: &[&str]| {
        let images = images.iter().map(|image| format!("  - Image: example.com/kiln@{image}\n"));
        let images = images.collect::<Vec<_>>().concat();
        format!("Schema: olm.semver\nGenerateMinorChannels: true\nStable:\n  Bundles:\n{images}")
    };
    let merged = merge(&template(&["1"]), &template(&["1", "2"]), &template(&["1", "3"]));
    assert_merges_to(&merged, &template(&["1", "2", "3"]));
}

#[test]
fn json_merges_too() {
    let catalog = |entries: &str| {
        format!(
            "{{\n  \"schema\": \"olm.channel\",\n  \"package\": \"kiln\",\n  \"name\": \"stable\",\n  \"entries\": [\n    {{\"name\": \
             \"kiln.v1.0.0\"}}{entries}\n  ]\n}}\n"
        )
    };
    let ours = catalog(",\n    {\"name\": \"kiln.v1.0.1\", \"skips\": [\"kiln.v1.0.0\"]}");
    let theirs = catalog(",\n    {\"name\": \"kiln.v1.1.0\", \"replaces\": \"kiln.v1.0.1\"}");
    let merged = merge(&catalog(""), &ours, &theirs);
    assert_eq!(merged.conflicts, [], "{}", text(&merged));
    let result = text(&merged);
    let tree: serde_json::Value = serde_json::from_str(&result).unwrap();
    let names: Vec<_> =
        tree["entries"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["kiln.v1.0.0", "kiln.v1.0.1", "kiln.v1.1.0"]);
}

#[test]
fn other_files_merge_by_lines_as_git_does() {
    let (base, ours, theirs) =
        ("a: 1\nb: 1\nc: 1\nd: 1\n", "a: 2\nb: 1\nc: 1\nd: 1\n", "a: 1\nb: 1\nc: 1\nd: 2\n");
    let merged = merge(base, ours, theirs);
    assert_eq!((text(&merged), merged.is_textual), ("a: 2\nb: 1\nc: 1\nd: 2\n".to_owned(), true));
    let merged = merge("- a\n", "- a\n- b\n", "- a\n- c\n");
    assert_eq!(text(&merged), "- a\n<<<<<<< ours\n- b\n=======\n- c\n>>>>>>> theirs\n");
    assert_eq!(merged.conflicts, [Conflict::Lines]);
    // A catalog that cannot be read.
    let broken = catalog("- name: [\n");
    let merged = merge(&catalog(""), &broken, &catalog("- name: kiln.v1.1.0\n"));
    assert!(merged.is_textual && text(&merged).contains("- name: [\n"), "{}", text(&merged));
}

#[test]
fn line_breaks_and_missing_last_break_stay() {
    let windows = |text: &str| text.replace('\n', "\r\n");
    let entry = "- name: kiln.v1.0.1\n  skips: [kiln.v1.0.0]\n";
    let head = "- name: kiln.v1.1.0\n  replaces: kiln.v1.0.1\n";
    let merged = merge(&windows(&catalog("")), &windows(&catalog(entry)), &windows(&catalog(head)));
    assert_eq!(text(&merged), windows(&catalog(&format!("{entry}{head}"))));
    let cut = |text: String| text.trim_end().to_owned();
    let merged = merge(&cut(catalog("")), &cut(catalog(entry)), &cut(catalog(head)));
    assert_eq!(merged.conflicts, [], "{}", text(&merged));
    assert!(
        text(&merged).contains("kiln.v1.0.1") && text(&merged).contains("kiln.v1.1.0"),
        "{}",
        text(&merged)
    );
}

mod laws {
    use super::*;
    use proptest::prelude::*;

    /// Entries with unique names, so that every catalog can be merged by meaning.
    fn entries() -> impl Strategy<Value = String> {
        let entry = (0..8_u8, prop::option::of(0..8_u8), prop::option::of(0..3_u8), 0..4_u8);
        prop::collection::vec(entry, 0..6).prop_map(|all| {
            let mut seen = HashSet::new();
            let mut text = String::new();
            for (name, replaces, range, comment) in all.into_iter().filter(|entry| seen.insert(entry.0)) {
                text += if comment == 3 { "# hotfix\n" } else { "" };
                let comment = if comment == 1 { format!(" # note {name}") } else { String::new() };
                text += &format!("- name: kiln.v2.{name}.0{comment}\n");
                text += &replaces.map(|other| format!("  replaces: kiln.v2.{other}.0\n")).unwrap_or_default();
                text += &range.map(|range| format!("  skipRange: <2.{range}.0\n")).unwrap_or_default();
            }
            text
        })
    }

    proptest! {
        #[test]
        fn unchanged_side_takes_the_other(base in entries(), other in entries()) {
            let (base, other) = (catalog(&base), catalog(&other));
            prop_assert_eq!(text(&merge(&base, &base, &other)), other.clone());
            prop_assert_eq!(text(&merge(&base, &other, &base)), other.clone());
            prop_assert_eq!(text(&merge(&base, &other, &other)), other);
        }

        #[test]
        fn every_line_of_both_sides_is_in_the_result_or_was_in_the_base(base in entries(), ours in entries(), theirs in entries()) {
            let [base, ours, theirs] = [base, ours, theirs].map(|entries| catalog(&entries));
            let merged = merge(&base, &ours, &theirs);
            let result = text(&merged);
            // A removed comment may stay; nothing else may differ.
            let content = |line: &str| line.split(" #").next().unwrap_or(line).to_owned();
            let is_known = |line: &str| {
                base.lines().any(|known| known == line || (!line.contains('#') && content(known) == line))
            };
            for line in ours.lines().chain(theirs.lines()).filter(|line| !is_known(line)) {
                let has = result.lines().any(|own| if line.contains('#') { own == line } else { content(own) == line });
                prop_assert!(has, "{line}\nin:\n{result}");
            }
        }

        #[test]
        fn sides_are_symmetric_in_meaning(base in entries(), ours in entries(), theirs in entries()) {
            let [base, ours, theirs] = [base, ours, theirs].map(|entries| catalog(&entries));
            let (one, other) = (merge(&base, &ours, &theirs), merge(&base, &theirs, &ours));
            prop_assert_eq!(one.conflicts.is_empty(), other.conflicts.is_empty());
        }

        #[test]
        fn every_added_comment_is_in_the_result(base in entries(), ours in entries(), theirs in entries(), removes in any::<bool>()) {
            let [base, ours] = [base, ours].map(|entries| catalog(&entries));
            let theirs = if removes { PACKAGE.to_owned() } else { catalog(&theirs) };
            let count = |text: &str, line: &str| text.lines().filter(|own| *own == line).count();
            for merged in [merge(&base, &ours, &theirs), merge(&base, &theirs, &ours)] {
                let result = text(&merged);
                for (side, other) in [(&ours, &theirs), (&theirs, &ours)] {
                    for line in side.lines().filter(|line| line.contains('#')) {
                        let is_added = count(side, line) > count(&base, line);
                        let removed = count(&base, line).saturating_sub(count(other, line));
                        let needed = count(side, line).saturating_sub(removed);
                        prop_assert!(!is_added || count(&result, line) >= needed, "{line}\nin:\n{result}");
                    }
                }
            }
        }
    }
}
