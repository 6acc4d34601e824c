//! Tests of rules about files and bytes, which `cases.txt` cannot break, and of the table of rules.

use std::{collections::HashSet, path::PathBuf, sync::Arc};

use super::all_findings;
use crate::{FindingLocation, rules};
use olm_catalog::{
    Catalog, KnownBundles, Origin, load,
    problem::{Problem, ProblemKind, ProblemLocation},
};

fn rule_ids(catalog: &Catalog) -> Vec<&'static str> {
    all_findings(catalog).iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn reports_unreadable_file() {
    let at = ProblemLocation::File(PathBuf::from("a/catalog.yaml"));
    let problem = Problem { at, kind: ProblemKind::Unreadable("permission denied".to_owned()) };
    let catalog = Catalog::new(Origin::Stdin, Vec::new(), vec![problem]);
    assert_eq!(rule_ids(&catalog), ["unreadable-file"]);
}

#[cfg(unix)]
#[test]
fn reports_bad_links_and_patterns() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("link.yaml")).unwrap();
    assert_eq!(rule_ids(&super::open_test_catalog(folder.path())), ["bad-link"]);
    std::fs::remove_file(folder.path().join("link.yaml")).unwrap();
    std::fs::write(folder.path().join(".indexignore"), "a".repeat(70_000)).unwrap();
    assert_eq!(rule_ids(&super::open_test_catalog(folder.path())), ["bad-indexignore"]);
}

#[test]
fn reports_leftover_of_crashed_save_unless_opm_ignores_it() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join("p/.olmap-save-a1b2.tmp");
    std::fs::create_dir(folder.path().join("p")).unwrap();
    std::fs::write(&left, "schema: example.custom\n").unwrap();
    let catalog = super::open_test_catalog(folder.path());
    let found = all_findings(&catalog);
    assert_eq!(rule_ids(&catalog), ["left-over-save"]);
    assert_eq!(found[0].at, Some(FindingLocation::File(PathBuf::from("p/.olmap-save-a1b2.tmp"))));
    std::fs::write(folder.path().join(".indexignore"), ".olmap-save-*\n").unwrap();
    assert!(rule_ids(&super::open_test_catalog(folder.path())).is_empty());
    std::fs::remove_file(folder.path().join(".indexignore")).unwrap();
    std::fs::rename(&left, folder.path().join("p/olmap-save.tmp")).unwrap();
    assert!(rule_ids(&super::open_test_catalog(folder.path())).is_empty());
}

#[test]
fn reports_broken_text() {
    let deep = format!("schema: example.custom\na: {}{}", "[".repeat(10_001), "]".repeat(10_001));
    let cases: [(&[u8], &[&str]); 6] = [
        (b"{\"schema\": \"a.a\"}{\"schema\": \"a.b\"}{\"schema\": }", &["json-syntax"]),
        (b"schema: example.custom\na: \xe9\n", &["not-utf8"]),
        (b"\xff\xfes\0c\0h\0e\0m\0a\0", &["not-utf8"]),
        (deep.as_bytes(), &["too-complex"]),
        (b"{\"schema\": \"example.custom\"}", &[]),
        (b"", &[]),
    ];
    for (text, expected) in cases {
        let shown = String::from_utf8_lossy(&text[..text.len().min(30)]).into_owned();
        assert_eq!(rule_ids(&load::from_bytes(text.to_vec())), expected, "{shown}");
    }
}

#[test]
fn documents_after_the_first_of_utf16_text_are_reported_as_lost() {
    let big =
        |text: &str| [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let one = load::from_bytes(big("schema: example.custom\n"));
    assert!(rule_ids(&one).is_empty());
    let two = load::from_bytes(big("schema: example.custom\n---\nschema: olm.package\nname: p\n"));
    assert_eq!((two.documents().count(), two.packages().count()), (1, 0));
    assert_eq!(rule_ids(&two), ["lost-documents"]);
    assert!(crate::rejection_messages(&two).is_empty(), "opm accepts it");
}

/// Loads the base catalog as a file in a folder.
fn load_base_in(folder: &str) -> Catalog {
    let path = PathBuf::from(folder).join("kiln/catalog.yaml");
    load::from_texts(Origin::Stdin, [(path, include_bytes!("base.yaml").to_vec())])
}

#[test]
fn reports_head_below_openshift_version_of_its_folder() {
    for folder in ["v4.20", "v4.9", "v1.30", "kiln"] {
        assert_eq!(rule_ids(&load_base_in(folder)), [""; 0], "{folder}");
    }
    let found = all_findings(&load_base_in("catalogs/v4.21"));
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        finding.message,
        "kiln.v1.2.0, the head of the default channel stable, supports OpenShift up to 4.20, but this is \
         the catalog for 4.21"
    );
    assert_eq!(
        finding.advice(),
        "raise olm.maxOpenShiftVersion if it runs on 4.21, otherwise remove it from the catalog"
    );
}

#[test]
fn catalog_directory_may_name_openshift_version() {
    let text = include_bytes!("base.yaml").to_vec();
    let origin = Origin::Directory(PathBuf::from("catalogs/v4.22"));
    let catalog = load::from_texts(origin, [(PathBuf::from("kiln/catalog.yaml"), text)]);
    assert_eq!(rule_ids(&catalog), ["max-openshift-version"]);
}

#[test]
fn reports_bundle_objects_only_in_catalogs_for_openshift_4_17_and_later() {
    let text = include_str!("base.yaml").replacen(
        "olm.csv.metadata\n  value:\n    displayName: Kiln",
        "olm.bundle.object\n  value:\n    data: e30=",
        1,
    );
    let folders: [(&str, &[&str]); 5] = [
        ("v4.16", &[]),
        ("catalog-4-14", &[]),
        ("v4.17", &["bundle-object"]),
        ("catalog-v4-17", &["bundle-object"]),
        ("", &[]),
    ];
    for (folder, expected) in folders {
        let path = PathBuf::from(folder).join("catalog.yaml");
        let catalog = load::from_texts(Origin::Stdin, [(path, text.clone().into_bytes())]);
        assert_eq!(rule_ids(&catalog), expected, "{folder}");
    }
}

#[test]
fn rules_have_unique_ids_and_well_formed_texts() {
    let mut ids = HashSet::new();
    for rule in rules::ALL {
        assert!(ids.insert(rule.id), "{} twice", rule.id);
        assert!(
            rule.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
            "{}",
            rule.id
        );
        assert!(rule.title.starts_with(char::is_uppercase), "{}", rule.title);
        assert!(
            !rule.title.ends_with('.') && !rule.help.ends_with('.') && !rule.help.is_empty(),
            "{}",
            rule.id
        );
        assert!(std::ptr::eq(rules::by_id(rule.id).unwrap(), *rule));
        // Everything that opm rejects is an error.
        assert!(!rule.parity || rule.severity == crate::Severity::Error, "{}", rule.id);
    }
}

/// Data that the images will provide does not count as missing.
#[test]
fn valid_template_has_one_note_until_its_bundles_are_known() {
    const TEMPLATE: &str = "\
schema: olm.template.basic
entries:
- {schema: olm.package, name: p, defaultChannel: c}
- schema: olm.channel
  package: p
  name: c
  entries: [{name: p.v2.0.0, replaces: p.v1.0.0}, {name: p.v1.0.0}]
- {schema: olm.bundle, image: registry.example/p:1}
- {schema: olm.bundle, image: registry.example/p:2}
";
    let bundle = |n: u32| {
        format!(
            "schema: olm.bundle\npackage: p\nname: p.v{n}.0.0\nimage: registry.example/p:{n}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: p, version: {n}.0.0}}}}\n"
        )
    };
    let read = |text: &str| load::from_bytes(text.as_bytes().to_vec());
    assert_eq!(rule_ids(&read(TEMPLATE)), ["template"]);
    let known = KnownBundles::from_catalogs([&read(&[bundle(1), bundle(2)].join("---\n"))]);
    assert_eq!(rule_ids(&read(TEMPLATE).with_known_bundles(Arc::new(known))), ["template-image-by-tag"]);
    let broken = TEMPLATE.replace(", replaces: p.v1.0.0", "");
    assert_eq!(rule_ids(&read(&broken)), ["template", "multiple-heads"]);
    assert_eq!(rule_ids(&read("schema: olm.semver\nstable: {bundles: []}\n")), ["bad-template", "template"]);
}
