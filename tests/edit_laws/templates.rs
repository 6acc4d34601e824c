//! Edits of templates: the listed objects change as in a catalog, and no other byte changes.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use olm_catalog::{
    Catalog, KnownBundles, TemplateKind,
    blob::{DeprecationTarget, EntrySpec},
    load,
};
use olm_edit::{BundleChange, Edit, EditError, operation::NewEntry};

/// Lists with and without indentation, entries with and without names, comments inside and outside,
/// unordered keys.
const BY_HAND: &str = "\
---
# The ship, by hand.
schema: olm.template.basic
entries:
  # What it is.
  - schema: olm.package
    name: ship
    defaultChannel: stable   # for now
  - schema: olm.channel
    package: ship
    name: stable
    entries:
      - name: ship.v1.0.0
      - name: ship.v1.1.0   # the good one
        replaces: ship.v1.0.0
        skips: ['ship.v1.0.1', \"ship.v1.0.2\"]
  # Images.
  - schema: olm.bundle
    image: registry.example/ship:1
  - image: registry.example/ship:2
    schema: olm.bundle
";

const RENDERED: &str = "\
schema: olm.package
name: ship
---
schema: olm.bundle
package: ship
name: ship.v1.0.0
image: registry.example/ship:1
properties:
- {type: olm.package, value: {packageName: ship, version: 1.0.0}}
---
schema: olm.bundle
package: ship
name: ship.v1.1.0
image: registry.example/ship:2
properties:
- {type: olm.package, value: {packageName: ship, version: 1.1.0}}
";

fn parse_template(text: &str) -> Catalog {
    load::from_bytes(text.as_bytes().to_vec())
}

fn parse_template_with_bundles(text: &str) -> Catalog {
    parse_template(text)
        .with_known_bundles(Arc::new(KnownBundles::from_catalogs([&parse_template(RENDERED)])))
}

fn template_text(catalog: &Catalog) -> String {
    String::from_utf8(catalog.files()[0].current_bytes()).unwrap()
}

fn apply_to_text(catalog: &Catalog, edit: &Edit) -> String {
    template_text(&olm_edit::apply_edit(catalog, edit).unwrap_or_else(|error| panic!("{edit:?}: {error}")))
}

fn entry_spec(replaces: &str) -> EntrySpec {
    EntrySpec { replaces: Some(replaces.into()), ..EntrySpec::default() }
}

#[test]
fn edit_changes_only_required_lines() {
    let (package, channel) = ("ship".into(), "stable".into());
    let entry =
        Edit::SetEntry { package, channel, entry: "ship.v1.1.0".into(), spec: entry_spec("ship.v1.0.0") };
    let expected = BY_HAND.replace("        skips: ['ship.v1.0.1', \"ship.v1.0.2\"]\n", "");
    assert_eq!(apply_to_text(&parse_template(BY_HAND), &entry), expected);

    let (package, channel) = ("ship".into(), "stable".into());
    let added =
        Edit::AddEntry { package, channel, entry: "ship.v1.2.0".into(), spec: entry_spec("ship.v1.1.0") };
    let skips = "        skips: ['ship.v1.0.1', \"ship.v1.0.2\"]\n";
    let expected =
        BY_HAND.replace(skips, &format!("{skips}      - name: ship.v1.2.0\n        replaces: ship.v1.1.0\n"));
    assert_eq!(apply_to_text(&parse_template(BY_HAND), &added), expected);
}

#[test]
fn new_objects_follow_the_last_of_their_kind() {
    let entries = vec![NewEntry { name: "ship.v1.1.0".into(), spec: EntrySpec::default() }];
    let channel = Edit::AddChannel { package: "ship".into(), channel: "tested".into(), entries };
    let skips = "        skips: ['ship.v1.0.1', \"ship.v1.0.2\"]\n";
    let new = "  - schema: olm.channel\n    name: tested\n    package: ship\n    entries:\n      - name: ship.v1.1.0\n";
    let expected = BY_HAND.replace(skips, &format!("{skips}{new}"));
    assert_eq!(apply_to_text(&parse_template(BY_HAND), &channel), expected);

    let blob = RENDERED.rsplit("---\n").next().unwrap().replace("1.1.0", "1.2.0").replace(":2\n", ":3\n");
    let bundle = Edit::AddBundle { package: "ship".into(), blob };
    let expected = format!("{BY_HAND}  - schema: olm.bundle\n    image: registry.example/ship:3\n");
    assert_eq!(
        apply_to_text(&parse_template_with_bundles(BY_HAND), &bundle),
        expected,
        "opm wants the image of it and no more"
    );
}

#[test]
fn bundle_is_deprecated_by_name_and_removed_if_its_image_is_known() {
    let target = DeprecationTarget::Bundle("ship.v1.0.0".into());
    let deprecate = Edit::Deprecate { package: "ship".into(), target, message: "Old.".to_owned() };
    let text = apply_to_text(&parse_template(BY_HAND), &deprecate);
    assert!(text.starts_with(BY_HAND), "{text}");
    assert!(text.contains("  - schema: olm.deprecations\n    package: ship\n"), "{text}");
    assert_eq!(parse_template(&text).package("ship").unwrap().deprecations.len(), 1);

    let remove = Edit::RemoveBundle { package: "ship".into(), bundle: "ship.v1.0.0".into() };
    let refused = olm_edit::apply_edit(&parse_template(BY_HAND), &remove).unwrap_err();
    assert!(matches!(refused, EditError::ImageOnly(_)), "{refused}");
    let text = apply_to_text(&parse_template_with_bundles(BY_HAND), &remove);
    assert!(!text.contains("ship:1") && !text.contains("- name: ship.v1.0.0"), "{text}");
    assert!(text.contains("ship:2"), "{text}");
    let below = Edit::LeaveOutBelow { package: "ship".into(), version: "1.1.0".parse().unwrap() };
    assert!(!apply_to_text(&parse_template_with_bundles(BY_HAND), &below).contains("ship:1"));
    assert!(olm_edit::apply_edit(&parse_template(BY_HAND), &below).is_err(), "no version is known");
}

/// opm takes all parts of a bundle from its image.
#[test]
fn parts_of_a_bundle_that_is_only_an_image_are_not_edited() {
    let edit = Edit::Bundles {
        package: "ship".into(),
        bundles: vec!["ship.v1.0.0".into()],
        change: BundleChange::SetProperty {
            kind: "olm.maxOpenShiftVersion".to_owned(),
            value: "4.20".into(),
        },
    };
    let refused = olm_edit::apply_edit(&parse_template_with_bundles(BY_HAND), &edit).unwrap_err();
    assert!(matches!(refused, EditError::RenderedFromImage(_)), "{refused}");
    let refused = olm_edit::apply_edit(&parse_template(BY_HAND), &edit).unwrap_err();
    assert!(matches!(refused, EditError::ImageOnly(_)), "{refused}");
    let whole = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: ship\n  defaultChannel: c\n\
                 - schema: olm.bundle\n  package: ship\n  name: ship.v1.0.0\n  image: example.com/ship:1\n  \
                 properties:\n  - type: olm.package\n    value: {packageName: ship, version: 1.0.0}\n";
    let text = apply_to_text(&parse_template(whole), &edit);
    assert!(text.starts_with(whole) && text.contains("olm.maxOpenShiftVersion"), "{text}");
}

#[test]
fn refused_edit_in_a_batch_changes_nothing() {
    let default = |channel: &str| Edit::SetDefaultChannel { package: "ship".into(), channel: channel.into() };
    let entries = vec![NewEntry { name: "ship.v1.1.0".into(), spec: EntrySpec::default() }];
    let channel = Edit::AddChannel { package: "ship".into(), channel: "tested".into(), entries };
    let both = Edit::Several { title: "both".to_owned(), edits: vec![channel, default("tested")] };
    let text = apply_to_text(&parse_template(BY_HAND), &both);
    assert!(text.contains("    defaultChannel: tested   # for now\n"), "{text}");
    assert_eq!(parse_template(&text).package("ship").unwrap().channels.len(), 2);
    assert!(olm_edit::apply_edit(&parse_template(BY_HAND), &default("tested")).is_err());
    let refused =
        olm_edit::apply_edit(&parse_template("schema: olm.semver\n"), &default("tested")).unwrap_err();
    assert!(matches!(refused, EditError::GeneratedChannels), "{refused}");
}

#[test]
fn line_endings_and_json_notation_stay() {
    let default = Edit::RenameChannel { package: "ship".into(), channel: "stable".into(), to: "s".into() };
    let dos = BY_HAND.replace('\n', "\r\n");
    let expected = dos.replace("Channel: stable", "Channel: s").replace("name: stable", "name: s");
    assert_eq!(apply_to_text(&parse_template(&dos), &default), expected);
    let json = r#"{"schema":"olm.template.basic","entries":[{"schema":"olm.package","name":"ship","defaultChannel":"stable"},{"schema":"olm.channel","package":"ship","name":"stable","entries":[{"name":"ship.v1"}]}]}"#;
    let expected = json.replace(r#"Channel":"stable"#, r#"Channel":"s"#);
    let expected = expected.replace(r#"name":"stable"#, r#"name":"s"#);
    assert_eq!(apply_to_text(&parse_template(json), &default), expected);
}

const SUBSTITUTES: &str = "\
# Stand-ins.
schema: olm.template.substitutes
entries:
- schema: olm.package
  name: ship
  defaultChannel: c   # for now
- schema: olm.channel
  package: ship
  name: c
  entries:
  - name: ship.v1.0.0
    skips: [ship.v0.9.0]
  - name: ship.v3.0.0
    replaces: ship.v1.0.0
  - name: ship.v4.0.0   # untouched
    replaces: ship.v3.0.0
- {schema: olm.bundle, package: ship, name: ship.v1.0.0, properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}
substitutions:
- name: registry.example/ship:2   # a rebuild
  base: ship.v1.0.0
";

/// In a template with substitutions, edits change the written entries, not the substituted ones.
#[test]
fn entries_next_to_substitutions_are_edited() {
    let catalog = parse_template_with_bundles(SUBSTITUTES);
    let set = |entry: &str, replaces: &str| Edit::SetEntry {
        package: "ship".into(),
        channel: "c".into(),
        entry: entry.into(),
        spec: entry_spec(replaces),
    };
    let expected = SUBSTITUTES.replace("    replaces: ship.v3.0.0", "    replaces: ship.v1.0.0");
    assert_eq!(apply_to_text(&catalog, &set("ship.v4.0.0", "ship.v1.0.0")), expected);
    let after = olm_edit::apply_edit(&catalog, &set("ship.v4.0.0", "ship.v1.0.0")).unwrap();
    assert_eq!(
        after.package("ship").unwrap().channel("c").unwrap().entries[2].to_spec().replaces.unwrap().as_str(),
        "ship.v1.1.0",
        "and the substitution is made again"
    );
    for entry in ["ship.v1.0.0", "ship.v3.0.0", "ship.v1.1.0"] {
        let refused = olm_edit::apply_edit(&catalog, &set(entry, "ship.v0.1.0")).unwrap_err();
        assert!(matches!(refused, EditError::Substituted(_)), "{entry}: {refused}");
    }
    let promoted = Edit::AddEntry {
        package: "ship".into(),
        channel: "c".into(),
        entry: "ship.v1.1.0".into(),
        spec: entry_spec("ship.v4.0.0"),
    };
    let refused = olm_edit::apply_edit(&catalog, &promoted).unwrap_err();
    assert!(matches!(refused, EditError::Substituted(_)), "{refused}");
    let remove = |bundle: &str| Edit::RemoveBundle { package: "ship".into(), bundle: bundle.into() };
    let refused = olm_edit::apply_edit(&catalog, &remove("ship.v1.1.0")).unwrap_err();
    assert!(matches!(refused, EditError::Substituted(_)), "{refused}");
    let default = Edit::RenameChannel { package: "ship".into(), channel: "c".into(), to: "d".into() };
    let expected = SUBSTITUTES.replace("Channel: c ", "Channel: d ").replace("name: c\n", "name: d\n");
    assert_eq!(apply_to_text(&catalog, &default), expected);
    let blob = RENDERED.rsplit("---\n").next().unwrap().replace("1.1.0", "5.0.0");
    let add = Edit::AddBundle { package: "ship".into(), blob };
    let text = apply_to_text(&catalog, &add);
    assert!(text.contains("name: ship.v5.0.0") && text.contains("version: 5.0.0"), "all of it: {text}");
    assert!(text.contains("# a rebuild") && text.contains("# for now"), "{text}");
}

/// Applies edits to every template of a real repository. The result has the expected difference,
/// also
/// after it is parsed again.
#[test]
fn real_templates_accept_every_kind_of_edit() {
    let Some(operators) = super::conformance::find_data("repo/operators") else { return };
    let mut tried = 0;
    for path in find_templates(&operators) {
        let catalog = load::open_catalog(&path).unwrap();
        if catalog.template().is_none_or(|template| template.kind != TemplateKind::Basic) {
            continue;
        }
        let before = template_text(&catalog);
        for package in catalog.packages() {
            for edit in template_edits(package) {
                let after = olm_edit::apply_edit(&catalog, &edit).unwrap_or_else(|error| {
                    panic!("{}: {}: {error}", path.display(), edit.title());
                });
                let text = template_text(&after);
                assert_ne!(text, before, "{}: {}", path.display(), edit.title());
                let (told, again) = (catalog_lines(&after), catalog_lines(&parse_template(&text)));
                assert_eq!(told, again, "{}: {}", path.display(), edit.title());
                let (gone, come) = count_differing_lines(&catalog_lines(&catalog), &again);
                assert!(gone <= 1 && come <= 2, "{}: {}: {gone} {come}", path.display(), edit.title());
                tried += 1;
            }
        }
    }
    assert!(tried > 0, "no basic template");
}

fn find_templates(operators: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(operators).unwrap().flatten();
    let folders = folders.filter_map(|folder| fs::read_dir(folder.path().join("catalog-templates")).ok());
    folders.flatten().flatten().map(|file| file.path()).collect()
}

/// Returns one edit of each kind that fits the package.
fn template_edits(package: &olm_catalog::package::Package) -> Vec<Edit> {
    let name = || package.name.clone();
    let mut edits = vec![
        Edit::SetDescription { package: name(), description: Some("Said by a test: #1".to_owned()) },
        Edit::AddChannel {
            package: name(),
            channel: "olmap-test".into(),
            entries: vec![NewEntry {
                name: "olmap-test.v1.0.0".into(),
                spec: entry_spec("olmap-test.v0.9.0"),
            }],
        },
        Edit::Deprecate {
            package: name(),
            target: DeprecationTarget::Package,
            message: "Said by a test.".to_owned(),
        },
    ];
    for channel in &package.channels {
        let channel_name = || channel.name.value.clone();
        edits.push(Edit::AddEntry {
            package: name(),
            channel: channel_name(),
            entry: "olmap-test.v99.0.0".into(),
            spec: EntrySpec {
                skip_range: Some(">=1.0.0 <99.0.0".to_owned()),
                ..entry_spec("olmap-test.v98.0.0")
            },
        });
        for entry in channel.entries.iter().take(3) {
            let entry = || entry.name.value.clone();
            edits.push(Edit::RemoveEntry { package: name(), channel: channel_name(), entry: entry() });
            edits.push(Edit::SetEntry {
                package: name(),
                channel: channel_name(),
                entry: entry(),
                spec: EntrySpec { skips: vec!["olmap-test.v97.0.0".into()], ..EntrySpec::default() },
            });
        }
    }
    edits
}

/// Returns one line for each channel, deprecation and package.
fn catalog_lines(catalog: &Catalog) -> Vec<String> {
    let mut lines = Vec::new();
    for package in catalog.packages() {
        let definition = package.definition();
        let description = definition.and_then(|d| d.description.as_ref()).map(|text| &text.value);
        lines.push(format!("{} {:?} {description:?}", package.name, package.default_channel()));
        for channel in &package.channels {
            for entry in &channel.entries {
                let spec = entry.to_spec();
                lines.push(format!("{} {} {} {spec:?}", package.name, channel.name.value, entry.name.value));
            }
        }
        for deprecation in package.deprecations.iter().flat_map(|blob| &blob.entries) {
            lines.push(format!("{:?} {}", deprecation.target, deprecation.message.value));
        }
    }
    lines
}

/// Returns how many lines are only in the first list, and how many only in the second.
fn count_differing_lines(before: &[String], after: &[String]) -> (usize, usize) {
    let missing = |a: &[String], b: &[String]| a.iter().filter(|line| !b.contains(line)).count();
    (missing(before, after), missing(after, before))
}
