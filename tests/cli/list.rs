use super::run::{fixture, olmap, olmap_in, olmap_with, root};

#[test]
fn lists_packages_as_a_table() {
    insta::assert_snapshot!(olmap(&["list", "packages", "demo/catalog"]).exits(0).out);
}

#[test]
fn lists_channels_with_heads_and_default() {
    let run = olmap(&["list", "channels", "demo/catalog", "--package", "quill-operator"]).exits(0);
    insta::assert_snapshot!(run.out);
}

#[test]
fn lists_bundles_highest_version_first() {
    insta::assert_snapshot!(olmap(&["list", "bundles", &fixture("anvil")]).exits(0).out);
}

#[test]
fn channel_option_selects_its_bundles() {
    let run =
        olmap(&["list", "bundles", &fixture("anvil"), "--channel", "edge", "--format", "json"]).exits(0);
    let rows = run.json();
    let names: Vec<_> = rows.as_array().unwrap().iter().map(|r| r["bundle"].as_str().unwrap()).collect();
    assert_eq!(names, ["anvil.v2.0.0-rc.1", "anvil.v1.2.0"]);
}

#[test]
fn images_are_listed_once_with_their_users() {
    let run = olmap(&["list", "images", &fixture("anvil"), "--format", "json"]).exits(0);
    let rows = run.json();
    assert_eq!(rows.as_array().unwrap().len(), 6);
    assert_eq!(
        rows[5],
        serde_json::json!({
            "image": "registry.example.com/anvil/hammer:1",
            "bundles": [],
            "related": ["anvil.v1.0.0", "anvil.v1.1.0"],
        })
    );
}

#[test]
fn json_has_names_that_the_table_abbreviates() {
    let run = olmap(&["list", "packages", &fixture("anvil"), "--format", "json"]).exits(0);
    assert_eq!(
        run.json(),
        serde_json::json!([{
            "package": "anvil", "defaultChannel": "stable", "head": "anvil.v1.2.0", "version": "1.2.0",
            "channels": 2, "bundles": 5,
        }])
    );
}

#[test]
fn unknown_name_is_refused_with_the_known_names() {
    let run = olmap(&["list", "bundles", "demo/catalog", "--package", "granery"]).exits(2);
    assert!(run.out.is_empty());
    assert!(
        run.err.starts_with("olmap: no package granery in demo/catalog\nhint: packages: ballast-operator,")
    );
    let run = olmap(&["list", "channels", &fixture("anvil"), "--channel", "fast"]).exits(2);
    assert_eq!(run.err, "olmap: no channel fast\nhint: channels: edge, stable\n");
}

#[test]
fn warns_of_unreadable_content_on_standard_error() {
    let run = olmap(&["list", "packages", &fixture("unreadable")]).exits(0);
    assert!(run.out.contains("anvil"), "{}", run.out);
    assert!(
        run.err
            .starts_with("warning: 1 part of tests/fixtures/cli/unreadable cannot be read and is ignored: "),
        "{}",
        run.err
    );
}

#[test]
fn dash_reads_standard_input() {
    let run = olmap_with("schema: olm.package\nname: piped\n", &["list", "packages", "-"]).exits(0);
    assert!(run.out.contains("piped"), "{}", run.out);
}

#[test]
fn reads_catalog_of_current_directory_without_a_path() {
    let folder = root().join("demo/catalog/granary-operator");
    let run = olmap_in(&folder, &["list", "packages"]).exits(0);
    assert!(run.out.contains("granary-operator"), "{}", run.out);
}

#[test]
fn catalogs_that_are_not_searched_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let package = "schema: olm.package\nname: p\n";
    let whole = "schema: olm.package\nname: p\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n- name: p.v1\n---\n\
                 schema: olm.bundle\npackage: p\nname: p.v1\nimage: example.com/p\n";
    for (catalog, text) in [("v4.18", whole), ("v4.20", whole), ("stage", package), ("next", package)] {
        write(&format!("catalogs/{catalog}/p/catalog.yaml"), text);
    }
    write("catalogs/docs/README.md", "no catalog");
    let run = super::run::olmap_in(folder.path(), &["list", "catalogs"]).exits(0);
    assert_eq!(run.out, "catalogs/v4.18\ncatalogs/v4.20\n");
    assert_eq!(
        run.err,
        "warning: 2 catalogs not looked at, since no PATH is given: catalogs/next, catalogs/stage\nhint: give the catalogs, \
         as in 'catalogs/*'\n"
    );
    let inside = super::run::olmap_in(&folder.path().join("catalogs"), &["list", "catalogs"]).exits(0);
    assert!(inside.err.contains("given: next, stage\n"), "{}", inside.err);
    let named = super::run::olmap_in(folder.path(), &["list", "catalogs", "catalogs/v*"]).exits(0);
    assert_eq!(named.err, "", "whoever names catalogs means those");
    // Commands use all catalogs, without a limit.
    let many = tempfile::tempdir().unwrap();
    for at in 0..18 {
        let folder = many.path().join(format!("team-{at:02}/p"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("catalog.yaml"), whole).unwrap();
    }
    let run = super::run::olmap_in(many.path(), &["list", "catalogs"]).exits(0);
    assert_eq!((run.out.lines().count(), run.err.as_str()), (18, ""), "{}", run.out);
}

/// Catalog with an operator whose default channel supports less than its channel `fast`.
const PLATFORMS: &str = "\
schema: olm.package
name: beacon
defaultChannel: stable
---
schema: olm.channel
package: beacon
name: stable
entries: [{name: beacon.v1.0.0}]
---
schema: olm.channel
package: beacon
name: fast
entries: [{name: beacon.v2.0.0}]
---
schema: olm.bundle
package: beacon
name: beacon.v1.0.0
image: registry.example.com/beacon/bundle:1.0.0
properties:
- type: olm.package
  value: {packageName: beacon, version: 1.0.0}
- type: olm.csv.metadata
  value: {displayName: Harbor Light, provider: {name: Lamplighters}}
---
schema: olm.bundle
package: beacon
name: beacon.v2.0.0
image: registry.example.com/beacon/bundle:2.0.0
properties:
- type: olm.package
  value: {packageName: beacon, version: 2.0.0}
- type: olm.csv.metadata
  value:
    displayName: Harbor Light
    labels: {operatorframework.io/arch.amd64: supported, operatorframework.io/arch.s390x: supported}
---
schema: olm.package
name: buoy
defaultChannel: stable
---
schema: olm.channel
package: buoy
name: stable
entries: [{name: buoy.v1.0.0}]
---
schema: olm.bundle
package: buoy
name: buoy.v1.0.0
image: registry.example.com/buoy/bundle:1.0.0
properties:
- type: olm.package
  value: {packageName: buoy, version: 1.0.0}
";

/// Returns the field of each row that `list` prints.
fn listed_names(kind: &str, field: &str, filters: &[&str]) -> Vec<String> {
    let options = filters.iter().flat_map(|filter| ["--where", filter]);
    let args: Vec<&str> = ["list", kind, "-", "-o", "json"].into_iter().chain(options).collect();
    let rows = olmap_with(PLATFORMS, &args).exits(0).json();
    rows.as_array().unwrap().iter().map(|row| row[field].as_str().unwrap().to_owned()).collect()
}

#[test]
fn where_finds_packages_by_the_head_of_the_default_channel() {
    assert_eq!(listed_names("packages", "package", &["arch=amd64"]), ["beacon"]);
    assert_eq!(listed_names("packages", "package", &["name=harbor", "provider=lamp"]), ["beacon"]);
    assert_eq!(listed_names("packages", "package", &["arch=s390x"]), [""; 0]);
    assert_eq!(listed_names("channels", "channel", &["arch=s390x"]), ["fast"]);
    assert_eq!(listed_names("bundles", "bundle", &["arch=s390x"]), ["beacon.v2.0.0"]);
    assert_eq!(
        listed_names("images", "image", &["arch=s390x", "arch=arm64"]),
        ["registry.example.com/beacon/bundle:2.0.0"]
    );
}

#[test]
fn where_counts_bundles_that_it_cannot_find() {
    let run = olmap_with(PLATFORMS, &["list", "bundles", "-", "--where", "name=buoy"]).exits(0);
    assert_eq!(run.out, "");
    assert_eq!(
        run.err,
        "note: --where cannot find 1 bundle without a ClusterServiceVersion in the catalog\n"
    );
}

#[test]
fn unknown_key_of_where_is_refused() {
    let run = olmap(&["list", "packages", "demo/catalog", "--where", "platform=arm64"]).exits(2);
    assert!(run.err.contains("no key platform; keys: arch, capability, category"), "{}", run.err);
    let run = olmap(&["list", "catalogs", "demo", "--where", "arch=arm64"]).exits(2);
    assert!(run.err.contains("--where is for packages, channels, bundles and images"), "{}", run.err);
}
