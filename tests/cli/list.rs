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
