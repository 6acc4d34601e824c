//! Tests of reading templates.

use std::sync::Arc;

use super::{semver::List, *};
use crate::{
    Catalog, load,
    problem::{ProblemKind, ProblemLocation},
    text::yaml,
};

const TEMPLATE: &str = "\
# Made by hand.
schema: olm.template.basic
entries:
- schema: olm.package
  name: ship
  defaultChannel: stable
- schema: olm.channel
  package: ship
  name: stable
  entries:
  - name: ship.v1.0.0
  - name: ship.v1.1.0
    replaces: ship.v1.0.0
- schema: olm.bundle
  image: registry.example/ship:1
- image: registry.example/ship:2
  schema: olm.bundle
";

const CATALOG: &str = "\
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.bundle
package: ship
name: ship.v1.0.0
image: registry.example/ship:1
properties:
- type: olm.package
  value: {packageName: ship, version: 1.0.0}
";

fn parse_catalog(text: &str) -> Catalog {
    load::from_bytes(text.as_bytes().to_vec())
}

fn bundle_lines(catalog: &Catalog) -> Vec<String> {
    let bundles = catalog.packages().flat_map(|package| {
        package.bundles.iter().map(move |bundle| {
            let version = bundle.version.as_ref().map_or("?".to_owned(), ToString::to_string);
            let image = bundle.image.as_ref().map_or("?", |image| image.value.as_str());
            format!("{} {} {version} {image}", package.name, bundle.name.value)
        })
    });
    bundles.collect()
}

fn template_notes(catalog: &Catalog) -> Vec<String> {
    catalog.problems().complete_problems().iter().map(|problem| problem.kind.to_string()).collect()
}

#[test]
fn template_is_read_as_its_catalog() {
    let catalog = parse_catalog(TEMPLATE);
    assert_eq!(catalog.template().map(|template| template.kind), Some(TemplateKind::Basic));
    let package = catalog.package("ship").unwrap();
    assert_eq!(package.default_channel().map(ToString::to_string).as_deref(), Some("stable"));
    let channel = package.channel("stable").unwrap();
    let place = catalog.location(channel.doc, channel.entries[1].replaces.as_ref().unwrap().span).unwrap();
    assert_eq!((place.line, place.column), (13, 15), "what is read has its place in the file");
    // The image of each bundle is unknown, only their number is known.
    assert_eq!(bundle_lines(&catalog), ["ship ship.v1.0.0 ? ?", "ship ship.v1.1.0 ? ?"]);
    assert_eq!(
        template_notes(&catalog),
        ["the versions of all 2 bundles are not known: a template lists only bundle images"]
    );
    assert!(!catalog.has_unread_parts());
}

#[test]
fn names_and_versions_come_from_bundles_with_same_image_in_open_catalogs() {
    let known = Arc::new(KnownBundles::from_catalogs([&parse_catalog(CATALOG)]));
    let catalog = parse_catalog(TEMPLATE).with_known_bundles(known);
    let expected = ["ship ship.v1.0.0 1.0.0 registry.example/ship:1", "ship ship.v1.1.0 ? ?"];
    assert_eq!(bundle_lines(&catalog), expected);
    assert_eq!(
        template_notes(&catalog),
        ["the versions of 1 of 2 bundles are not known: a template lists only bundle images"]
    );
    // By name, if the template has names and another image.
    let named = TEMPLATE.replace("image: registry.example/ship:1", "image: other/ship\n  name: ship.v1.0.0");
    let catalog = parse_catalog(&named)
        .with_known_bundles(Arc::new(KnownBundles::from_catalogs([&parse_catalog(CATALOG)])));
    assert_eq!(bundle_lines(&catalog)[0], "ship ship.v1.0.0 1.0.0 other/ship");
}

#[test]
fn json_template_is_read_and_catalog_learns_nothing() {
    let text = r#"{"schema": "olm.template.basic", "entries": [{"schema": "olm.package", "name": "ship"}]}"#;
    let catalog = parse_catalog(text);
    assert!(catalog.package("ship").is_some());
    assert_eq!(template_notes(&catalog), Vec::<String>::new(), "no bundle, no version to be missed");
    let catalog = parse_catalog(CATALOG);
    let again = catalog.with_known_bundles(Arc::new(KnownBundles::from_catalogs([&catalog])));
    assert!(again.template().is_none());
    assert_eq!(bundle_lines(&again), bundle_lines(&catalog));
}

const SEMVER: &str = "\
schema: olm.semver
generateMajorChannels: true
candidate:
  bundles:
  - image: registry.example/ship:2
stable:
  bundles:
  - image: registry.example/ship:1
  - image: registry.example/ship:2
";

/// A catalog with both bundles.
const BOTH: &str = "\
schema: olm.bundle
package: ship
name: ship.v1.0.0
image: registry.example/ship:1
properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]
---
schema: olm.bundle
package: ship
name: ship.v1.1.0
image: registry.example/ship:2
properties: [{type: olm.package, value: {packageName: ship, version: 1.1.0}}]
";

/// Every object has the span of its cause in the template.
#[test]
fn semver_template_is_read_as_generated_catalog() {
    let known = KnownBundles::from_catalogs([&parse_catalog(BOTH)]);
    let catalog = parse_catalog(SEMVER).with_known_bundles(Arc::new(known));
    let package = catalog.package("ship").unwrap();
    assert_eq!(package.default_channel().unwrap().as_str(), "stable-v1");
    let line = |span: crate::Span| {
        catalog.location(catalog.template().unwrap().doc, span).map(|place| place.line).unwrap()
    };
    let channels: Vec<_> = package
        .channels
        .iter()
        .map(|channel| (channel.name.value.as_str(), line(channel.name.span)))
        .collect();
    assert_eq!(channels, [("candidate-v1", 3), ("stable-v1", 6)]);
    let stable = package.channel("stable-v1").unwrap();
    let entries: Vec<_> =
        stable.entries.iter().map(|entry| (entry.name.value.as_str(), line(entry.span))).collect();
    assert_eq!(entries, [("ship.v1.0.0", 8), ("ship.v1.1.0", 9)]);
    let head = stable.entries.last().unwrap();
    assert_eq!(head.replaces.as_ref().unwrap().value.as_str(), "ship.v1.0.0");
    let bundle = package.bundle("ship.v1.1.0").unwrap();
    assert_eq!(line(bundle.image.as_ref().unwrap().span), 5, "once, where the first list has it");
    assert_eq!(bundle.package_properties.len(), 1, "all that is known of it");
}

#[test]
fn unknown_bundles_are_omitted_and_counted() {
    let remark = |catalog: &Catalog| template_notes(catalog).pop().unwrap();
    assert!(
        remark(&parse_catalog(SEMVER)).starts_with("none of the 3 bundle images"),
        "{}",
        remark(&parse_catalog(SEMVER))
    );
    assert_eq!(parse_catalog(SEMVER).packages().len(), 0);
    let one = BOTH.replace("registry.example/ship:1", "other/ship:1");
    let catalog = parse_catalog(SEMVER)
        .with_known_bundles(Arc::new(KnownBundles::from_published([&parse_catalog(&one)])));
    assert!(remark(&catalog).starts_with("1 of 3 bundle images"), "{}", remark(&catalog));
    let stable = catalog.package("ship").unwrap().channel("stable-v1").unwrap().clone();
    assert_eq!(stable.entries.len(), 1);
    // Open catalogs take precedence over published ones, which remain known.
    let catalog = catalog.with_known_bundles(Arc::new(KnownBundles::from_catalogs([&parse_catalog(
        "schema: olm.package\nname: other\n",
    )])));
    assert_eq!(catalog.package("ship").unwrap().channel("stable-v1").unwrap().entries.len(), 1);
}

/// The problem has the span of its cause, and the rest of the catalog is shown.
#[test]
fn rejected_semver_template_reports_span() {
    let told = |text: &str| {
        let catalog = parse_catalog(text)
            .with_known_bundles(Arc::new(KnownBundles::from_catalogs([&parse_catalog(BOTH)])));
        let problems = catalog.all_problems().flat_map(|problems| problems.complete_problems().to_vec());
        let bad = problems.filter_map(|problem| match (&problem.kind, &problem.at) {
            (ProblemKind::BadTemplate(text), ProblemLocation::Document(doc, span)) => {
                Some((catalog.location(*doc, *span).unwrap().line, text.clone()))
            }
            _ => None,
        });
        bad.collect::<Vec<_>>()
    };
    assert_eq!(told(SEMVER), []);
    let twice = format!("{SEMVER}  - image: registry.example/ship:2\n");
    assert_eq!(told(&twice), [(10, "bundle ship.v1.1.0 is in the list `stable` twice".to_owned())]);
    let unknown = SEMVER.replace("candidate:", "candidates:");
    assert_eq!(told(&unknown), [(3, "unknown key `candidates` in a semver template".to_owned())]);
    let preference = SEMVER.replace("candidate:", "defaultChannelTypePreference: minor\ncandidate:");
    let told_of_it = told(&preference);
    let [(3, words)] = told_of_it.as_slice() else { panic!("one, in line 3") };
    assert!(words.contains("no minor channels"), "{words}");
    assert_eq!(told("schema: olm.semver\n"), [(1, "the template lists no bundle".to_owned())]);
}

#[test]
fn template_among_other_documents_is_not_a_template() {
    let catalog = parse_catalog(&format!("{TEMPLATE}---\nschema: olm.package\nname: other\n"));
    assert!(catalog.template().is_none());
    assert!(catalog.package("ship").is_none());
    assert_eq!(catalog.others().len(), 1);
}

/// `opm alpha render-template` reads only the first document, and uses the later spelling of a key.
#[test]
fn documents_after_template_are_ignored_and_keys_may_have_two_spellings() {
    let known = Arc::new(KnownBundles::from_catalogs([&parse_catalog(BOTH)]));
    for (text, ignored) in [
        (format!("{SEMVER}---\nnote: x\n---\nnote: y\n"), Some("the 2 documents after it are ignored")),
        (format!("Schema: other\n{SEMVER}"), None),
    ] {
        let catalog = parse_catalog(&text).with_known_bundles(Arc::clone(&known));
        assert!(catalog.package("ship").is_some_and(|ship| ship.channel("stable-v1").is_some()), "{text}");
        let remarks = template_notes(&catalog);
        assert_eq!(remarks.len(), 1 + ignored.iter().count(), "{remarks:?}");
        assert!(
            ignored.is_none_or(|words| remarks.iter().any(|remark| remark.ends_with(words))),
            "{remarks:?}"
        );
    }
}

/// Bundles without channels are reported, and the others are shown.
#[test]
fn bundle_without_possible_channel_is_reported() {
    let one = "{type: olm.package, value: {packageName: ship, version: 1.0.0}}";
    let twice = BOTH.replace(one, &format!("{one}, {one}"));
    let catalog = parse_catalog(SEMVER)
        .with_known_bundles(Arc::new(KnownBundles::from_catalogs([&parse_catalog(&twice)])));
    let told: Vec<String> = catalog
        .all_problems()
        .flat_map(|problems| problems.complete_problems().to_vec())
        .filter(|problem| matches!(problem.kind, ProblemKind::BadTemplate(_)))
        .map(|problem| problem.kind.to_string())
        .collect();
    assert!(!told.is_empty());
    assert!(told.iter().all(|told| told.contains("2 `olm.package` properties")), "{told:?}");
    assert!(catalog.package("ship").is_some(), "what is left is shown");
}

const SUBSTITUTES: &str = "\
schema: olm.template.substitutes
entries:
- {schema: olm.package, name: ship, defaultChannel: c}
- schema: olm.channel
  package: ship
  name: c
  entries:
  - {name: ship.v1.0.0, skips: [ship.v0.9.0], skipRange: <1.0.0}
  - {name: ship.v2.0.0, replaces: ship.v1.0.0}
- schema: olm.bundle
  package: ship
  name: ship.v1.0.0
  properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]
substitutions:
- {name: registry.example/ship:2, base: ship.v1.0.0}
";

/// A substitute has the span of its image; an impossible substitution is reported at its span.
#[test]
fn substitutes_template_is_read_with_substitutions_applied() {
    let known = Arc::new(KnownBundles::from_catalogs([&parse_catalog(BOTH)]));
    let shown = |text: &str| parse_catalog(text).with_known_bundles(Arc::clone(&known));
    let catalog = shown(SUBSTITUTES);
    let channel = catalog.package("ship").unwrap().channel("c").unwrap().clone();
    let said = |at: usize| {
        let spec = channel.entries[at].to_spec();
        let skips: Vec<_> = spec.skips.iter().map(ToString::to_string).collect();
        (
            channel.entries[at].name.value.to_string(),
            spec.replaces.map(|name| name.to_string()),
            skips.join(" "),
        )
    };
    assert_eq!(said(0), ("ship.v1.0.0".to_owned(), None, String::new()));
    let replaces = Some("ship.v1.1.0".to_owned());
    assert_eq!(said(1), ("ship.v2.0.0".to_owned(), replaces, "ship.v1.0.0".to_owned()));
    assert_eq!(said(2), ("ship.v1.1.0".to_owned(), None, "ship.v0.9.0 ship.v1.0.0".to_owned()));
    assert_eq!(channel.entries[2].skip_range.as_ref().unwrap().text.value, "<1.0.0");
    let place = catalog.location(channel.doc, channel.entries[2].span).unwrap();
    assert_eq!((place.line, place.column), (15, 10));
    assert_eq!(catalog.package("ship").unwrap().bundles.len(), 2);
    assert!(template_notes(&parse_catalog(SUBSTITUTES))[0].starts_with("1 of 1 substitutes are not known"));

    let told = |text: &str| {
        let problems = shown(text)
            .all_problems()
            .flat_map(|problems| problems.complete_problems().to_vec())
            .collect::<Vec<_>>();
        let bad = problems.iter().find_map(|problem| match &problem.kind {
            ProblemKind::BadTemplate(text) => Some(text.clone()),
            _ => None,
        });
        bad.unwrap_or_default()
    };
    // A substitute based on an unknown one may be correct.
    let two = SUBSTITUTES.replace(
        "- {name: registry.example/ship:2, base: ship.v1.0.0}",
        "- {name: nobody/knows:1, base: ship.v1.0.0}\n- {name: registry.example/ship:2, base: ship.v1.0.5}",
    );
    assert_eq!(told(&two), "");
    assert!(template_notes(&shown(&two))[0].starts_with("2 of 2 substitutes are not known"));
    for (from, to, words) in [
        (
            "base: ship.v1.0.0",
            "base: ship.v9.0.0",
            "no bundle is called ship.v9.0.0 for the base of a substitution",
        ),
        ("base: ship.v1.0.0", "based: ship.v1.0.0", "the base of a substitution cannot be empty"),
        ("ship:2, base", "ship:1, base", "1.0.0 of the substitute is not above 1.0.0 of ship.v1.0.0"),
        (
            "substitutions:\n",
            "substitutions:\n- {name: registry.example/ship:2, base: ship.v1.0.0}\n",
            "registry.example/ship:2 is in an earlier substitution already",
        ),
    ] {
        assert_eq!(told(&SUBSTITUTES.replace(from, to)), words);
    }
}

#[test]
fn broken_templates_are_read_as_far_as_possible() {
    for text in [
        "schema: olm.template.basic\n",
        "schema: olm.template.basic\nentries: 5\n",
        "schema: olm.template.basic\nentries: [null, 5, {schema: olm.bundle}, {schema: olm.bundle, image: x}]\n",
        "schema: olm.template.basic\nentries: [{schema: olm.package}, {schema: olm.channel, entries: [{}]}]\n",
        "schema: olm.template.substitutes\nentries: 5\nsubstitutions: [5, {name: 5, base: b}, null]\n",
        "schema: olm.semver\nstable: 5\nfast: {bundles: [5, {image: 5}]}\n",
    ] {
        let catalog = parse_catalog(text);
        assert!(catalog.template().is_some(), "{text}");
        assert!(catalog.with_known_bundles(Arc::default()).template().is_some());
    }
}

fn mapping_summaries(text: &str) -> Vec<(String, usize)> {
    let node = yaml::parse_yaml(text.as_bytes()).unwrap();
    parse_mappings(&node).into_iter().map(|m| (m.template, m.catalogs.len())).collect()
}

#[test]
fn catalogs_migrate_from_4_17_on() {
    for catalog in ["v4.17", "v4.20", "v5.0"] {
        assert!(is_migrated_catalog(catalog), "{catalog}");
    }
    for catalog in ["v4.16", "v4.9", "stable", "v4", "4.18", "v4.x"] {
        assert!(!is_migrated_catalog(catalog), "{catalog}");
    }
}

#[test]
fn accepts_both_spellings_and_ignores_invalid_mappings() {
    let text = "fbc:\n  catalog_mapping:\n  - {template_name: a.yaml, type: olm.semver, catalog_names: [v4.17, 5]}\n  \
                    - {template_name: b.yaml, catalogs_names: [v4.18, v4.19]}\n  - {catalog_names: [v4.20]}\n  - 7\n";
    assert_eq!(mapping_summaries(text), [("a.yaml".to_owned(), 1), ("b.yaml".to_owned(), 2)]);
    for text in ["", "fbc: 5", "fbc: {catalog_mapping: {a: b}}"] {
        assert_eq!(mapping_summaries(text), [], "{text}");
    }
}

#[test]
fn previous_release_of_a_semver_template_names_its_lists() {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: registry.example/ship:{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: ship, version: {version}}}\n"
        )
    };
    let versions = ["1.0.0", "1.1.0", "1.2.0-rc1", "1.3.0"];
    let known: String = versions.into_iter().map(bundle).collect();
    let list = |name: &str, versions: &[&str]| {
        let images = versions.iter().map(|version| format!("  - image: registry.example/ship:{version}\n"));
        format!("{name}:\n  bundles:\n{}", images.collect::<String>())
    };
    let template = [
        "schema: olm.semver\ngenerateMinorChannels: true\n".to_owned(),
        list("candidate", &["1.0.0", "1.1.0", "1.2.0-rc1", "1.3.0", "unknown"]),
        list("fast", &["1.0.0", "1.1.0"]),
        list("stable", &["1.0.0"]),
    ];
    let template = parse_catalog(&template.concat()).with_known_bundles_of(&parse_catalog(&known));
    let semver = template.template().unwrap().semver().unwrap();
    let lists = |version: &str| semver.lists_of_previous(&VersionRelease::parse(version, "").unwrap());
    assert_eq!(lists("1.4.0"), [List::Candidate]);
    assert_eq!(lists("1.2.0"), [List::Candidate, List::Fast]);
    assert_eq!(lists("1.2.0-rc2"), [List::Candidate]);
    assert_eq!(lists("1.0.5"), [List::Candidate, List::Fast, List::Stable]);
    assert_eq!(lists("1.0.0"), []);
}
