//! `olmap edit promote` and `add-bundle`: the place of a bundle in channels, catalogs and templates.

use std::{fs, path::Path};

use base64::{Engine as _, prelude::BASE64_STANDARD as STANDARD};
use serde_json::json;
use tempfile::TempDir;

use super::run::{Run, olmap_in};

fn image(version: &str) -> String {
    format!("example.com/ship@sha256:{:0>64}", version.replace('.', ""))
}

fn bundle_yaml(version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\nname: ship.v{version}\npackage: ship\nimage: {}\nproperties:\n- type: olm.package\n  \
         value:\n    packageName: ship\n    version: {version}\n",
        image(version)
    )
}

/// Returns the package and its channels. An entry is a version, the version that it replaces, and its `skipRange`.
fn channels_yaml(channels: &[(&str, &[[&str; 3]])]) -> String {
    let mut text = "---\nschema: olm.package\nname: ship\ndefaultChannel: stable\n".to_owned();
    for (name, entries) in channels {
        text += &format!("---\nschema: olm.channel\nname: {name}\npackage: ship\nentries:\n");
        for [version, replaces, range] in *entries {
            text += &format!("- name: ship.v{version}\n");
            if !replaces.is_empty() {
                text += &format!("  replaces: ship.v{replaces}\n");
            }
            if !range.is_empty() {
                text += &format!("  skipRange: '{range}'\n");
            }
        }
    }
    text
}

const STABLE: (&str, &[[&str; 3]]) = ("stable", &[["1.2.3", "", ""], ["1.3.0", "1.2.3", ""]]);
const STABLE_1_2: (&str, &[[&str; 3]]) = ("stable-1.2", &[["1.2.3", "", ""]]);
const STABLE_1_3: (&str, &[[&str; 3]]) = ("stable-1.3", &[["1.3.0", "", ""]]);

const BASIC: &str = "operators/ship/catalog-templates/basic.yaml";
const SEMVER: &str = "operators/ship/catalog-templates/semver.yaml";
const CATALOGS: [&str; 3] = ["catalogs/v4.18", "catalogs/v4.20", "catalogs/v4.22"];

fn write_file(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read_catalog(folder: &TempDir, catalog: &str) -> String {
    fs::read_to_string(folder.path().join(catalog).join("ship/catalog.yaml")).unwrap()
}

/// Returns a template with the objects of a catalog. Bundles have only their image.
fn basic_template(channels: &str, versions: &[&str]) -> String {
    let objects = channels.split("---\n").filter(|object| !object.is_empty());
    let items = objects.map(|object| format!("- {}\n", object.trim_end().replace('\n', "\n  ")));
    let bundles =
        versions.iter().map(|version| format!("- schema: olm.bundle\n  image: {}\n", image(version)));
    format!("schema: olm.template.basic\nentries:\n{}", items.chain(bundles).collect::<String>())
}

/// Writes a repository with three catalogs, the templates of two of them, and a new bundle 1.2.4. In v4.18 the new
/// bundle is above the head, in the others below it.
fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let old: &[[&str; 3]] = &[["1.2.2", "", ""], ["1.2.3", "1.2.2", ""]];
    let old = channels_yaml(&[("stable", old), ("stable-1.2", old)]);
    write_file(
        root,
        "catalogs/v4.18/ship/catalog.yaml",
        &(old + &bundle_yaml("1.2.2") + &bundle_yaml("1.2.3")),
    );
    let channels = channels_yaml(&[STABLE, STABLE_1_2, STABLE_1_3]);
    let new = channels.clone() + &bundle_yaml("1.2.3") + &bundle_yaml("1.3.0");
    for catalog in ["v4.20", "v4.22"] {
        write_file(root, &format!("catalogs/{catalog}/ship/catalog.yaml"), &new);
    }
    write_file(root, BASIC, &basic_template(&channels, &["1.2.3", "1.3.0"]));
    let semver = format!(
        "schema: olm.semver\ngenerateMajorChannels: true\ngenerateMinorChannels: true\nstable:\n  bundles:\n  - image: \
         {}\n  - image: {}\n",
        image("1.2.3"),
        image("1.3.0")
    );
    write_file(root, SEMVER, &semver);
    write_file(
        root,
        "operators/ship/ci.yaml",
        "fbc:\n  catalog_mapping:\n  - {template_name: basic.yaml, type: olm.template.basic, catalog_names: [v4.20]}\n  \
         - {template_name: semver.yaml, type: olm.semver, catalog_names: [v4.22]}\n",
    );
    write_file(root, "new.yaml", &bundle_yaml("1.2.4"));
    folder
}

fn run_add(folder: &TempDir, arguments: &[&str]) -> Run {
    olmap_in(folder.path(), &[&["edit", "add-bundle", "new.yaml"], arguments].concat())
}

fn run_promote(folder: &TempDir, arguments: &[&str]) -> Run {
    olmap_in(folder.path(), &[&["edit", "promote"], arguments].concat())
}

#[test]
fn z_stream_goes_below_the_head_in_all_catalogs_and_their_template() {
    let folder = repository();
    let run = run_add(&folder, &[&["--like-previous"], &CATALOGS[..], &[BASIC]].concat()).exits(0);
    insta::assert_snapshot!(run.out);
    insta::assert_snapshot!(run.err);
    let skipped = "- name: ship.v1.2.4\n  replaces: ship.v1.2.3\n- name: ship.v1.3.0\n  replaces: ship.v1.2.3\n  \
                   skips:\n  - ship.v1.2.4\n";
    assert!(read_catalog(&folder, CATALOGS[1]).contains(skipped));
    assert!(read_catalog(&folder, CATALOGS[0]).contains("- name: ship.v1.2.4\n  replaces: ship.v1.2.3\n"));
    assert!(!read_catalog(&folder, CATALOGS[0]).contains("skips"));
    let template = fs::read_to_string(folder.path().join(BASIC)).unwrap();
    assert!(template.contains(&skipped.trim_end().replace('\n', "\n  ")), "{template}");
    let item = format!("- schema: olm.bundle\n  image: {}\n", image("1.2.4"));
    assert!(template.contains(&item), "{template}");
    // No version that was there loses its upgrade, and no head changes in these catalogs.
    for catalog in ["catalogs/v4.20", "catalogs/v4.22"] {
        let head = olmap_in(folder.path(), &["list", "channels", catalog, "-o", "json"]).exits(0).json();
        assert_eq!(head[0]["head"], json!("ship.v1.3.0"), "{head}");
        olmap_in(folder.path(), &["validate", "--parity", catalog]).exits(0);
    }
}

#[test]
fn downgrade_needs_permission_and_is_an_error() {
    let folder = repository();
    let catalog = CATALOGS[1];
    let before = read_catalog(&folder, catalog);
    let head = ["--channel", "stable", "--placement", "head", catalog];
    let refused = run_add(&folder, &head).exits(2);
    insta::assert_snapshot!(refused.err, @r"
    olmap: ship.v1.2.4 in stable: it is older than the head ship.v1.3.0: as the head it downgrades users
    hint: without --placement head it goes below the next higher entry
          --placement head --allow-downgrade makes it the head all the same
    ");
    let by_edges = run_add(&folder, &["--channel", "stable", "--replaces", "1.3.0", catalog]).exits(2);
    assert!(by_edges.err.contains("as the head it downgrades users"), "{}", by_edges.err);
    assert!(by_edges.err.contains("--replaces or --skip names a bundle with a higher version"));
    let allowed = [&head[..], &["--allow-downgrade"]].concat();
    let denied = run_add(&folder, &[&allowed[..], &["--deny"]].concat()).exits(1);
    assert!(denied.out.contains("  Classic  DOWNGRADED stable: 1.3.0: stays => 1.2.4\n"), "{}", denied.out);
    let fresh = "  Classic  DOWNGRADED fresh install (no channel, stable): 1.3.0 => 1.2.4\n";
    assert!(denied.out.contains(fresh), "{}", denied.out);
    assert_eq!(read_catalog(&folder, catalog), before);
    let painted = run_add(&folder, &[&allowed[..], &["-n", "--color", "always"]].concat()).exits(0).out;
    assert!(
        painted.contains("\u{1b}[1;31m  stable: new head with a lower version, a downgrade;"),
        "{painted}"
    );
    assert!(painted.contains("\u{1b}[1;31mDOWNGRADED stable: "), "{painted}");
    run_add(&folder, &allowed).exits(0);
    assert!(read_catalog(&folder, catalog).contains("- name: ship.v1.2.4\n  replaces: ship.v1.3.0\n"));
    run_add(&folder, &["--channel", "stable", "--allow-downgrade", catalog]).exits(2);
}

#[test]
fn step_is_between_two_entries() {
    let folder = repository();
    let step = ["--channel", "stable", "--channel", "stable-1.2", "--placement", "step", CATALOGS[1], "-n"];
    let row = run_add(&folder, &[&step[..], &["-o", "json"]].concat()).exits(0).json();
    let placements = json!([
        {"channel": "stable", "placement": "step", "form": "replaces", "above": "ship.v1.3.0"},
        {"channel": "stable-1.2", "placement": "head", "form": "replaces", "above": null},
    ]);
    assert_eq!(row[0]["placements"], placements);
    let diff = run_add(&folder, &[&step[..], &["-o", "diff"]].concat()).exits(0).out;
    assert!(diff.contains("+  replaces: ship.v1.2.4\n+  skipRange: '>=1.2.3 <1.3.0'\n"), "{diff}");
    let describe = ["describe", "Sails.", "-n", "-o", "json", CATALOGS[1]];
    let other = olmap_in(folder.path(), &[&["edit"], &describe[..]].concat()).exits(0).json();
    assert_eq!(other[0].get("placements"), None);
}

#[test]
fn edges_have_the_form_of_the_channel_or_the_requested_one() {
    let folder = repository();
    let ranged = ("stable", &[["1.2.3", "", ""], ["1.3.0", "1.2.3", ">=1.2.3 <1.3.0"]][..]);
    let catalog = channels_yaml(&[ranged, ("other", &[["1.4.0", "", ""]])]);
    let csv = r#"{"kind": "ClusterServiceVersion", "metadata": {"name": "ship.v1.4.0"}, "spec": {"replaces": "ship.v1.2.3"}}"#;
    let object = format!("- type: olm.bundle.object\n  value: {{data: {}}}\n", STANDARD.encode(csv));
    let bundles = ["1.2.3", "1.3.0", "1.4.0"].map(bundle_yaml).concat();
    write_file(folder.path(), "c.yaml", &(catalog + &bundles + &object));
    let entry = |more: &[&str]| {
        let all = [&["1.4.0", "--channel", "stable", "c.yaml", "-n", "-o", "json"], more].concat();
        let row = run_promote(&folder, &all).exits(0).json();
        (
            row[0]["edit"]["replaces"].clone(),
            row[0]["edit"]["skipRange"].clone(),
            row[0]["placements"].clone(),
        )
    };
    let (replaces, range, placements) = entry(&[]);
    assert_eq!((replaces, range), (json!("ship.v1.3.0"), json!(">=1.3.0 <1.4.0")));
    let like = json!([
        {"channel": "stable", "placement": "head", "form": "like", "like": "ship.v1.3.0", "above": null}]);
    assert_eq!(placements, like);
    let (replaces, range, placements) = entry(&["--edges", "replaces"]);
    assert_eq!((replaces, range), (json!("ship.v1.3.0"), json!(null)));
    assert_eq!(placements[0]["form"], "replaces");
    let (replaces, range, placements) = entry(&["--edges", "csv"]);
    assert_eq!((replaces, range), (json!("ship.v1.2.3"), json!(null)));
    assert_eq!(placements[0]["form"], "csv");
    let without = run_promote(&folder, &["1.3.0", "-c", "other", "c.yaml", "-n", "--edges", "csv"]).exits(2);
    assert!(without.err.contains("its ClusterServiceVersion asks for no edges"), "{}", without.err);
}

/// A channel with two heads has no place, but the user may give the edges.
#[test]
fn invalid_channel_needs_given_edges() {
    let folder = repository();
    let heads = ("stable", &[["1.2.3", "", ""], ["1.3.0", "", ""]][..]);
    let catalog = channels_yaml(&[heads]) + &bundle_yaml("1.2.3") + &bundle_yaml("1.3.0");
    write_file(folder.path(), "c.yaml", &catalog);
    let refused = run_add(&folder, &["--channel", "stable", "c.yaml", "-n"]).exits(2);
    assert!(refused.err.contains("channel stable is invalid: "), "{}", refused.err);
    assert!(refused.err.contains("or give its edges with --replaces"), "{}", refused.err);
    let given = ["--channel", "stable", "--replaces", "1.2.3", "c.yaml", "-n", "-o", "diff"];
    let diff = run_add(&folder, &given).exits(0).out;
    assert!(diff.contains("+- name: ship.v1.2.4\n+  replaces: ship.v1.2.3\n"), "{diff}");
}

#[test]
fn channels_of_the_previous_release_leave_out_others() {
    let folder = repository();
    write_file(folder.path(), "new.yaml", &bundle_yaml("1.4.0"));
    let catalog = CATALOGS[1];
    let run = run_add(&folder, &["--like-previous", catalog, "-n"]).exits(0);
    insta::assert_snapshot!(run.out);
    insta::assert_snapshot!(run.err);
    // The named channel is created, and no longer a note.
    let both = ["--like-previous", "--channel", "stable-1.4", catalog];
    let run = run_add(&folder, &both).exits(0);
    assert!(run.out.contains("  stable-1.4: first entry; no edges\n"), "{}", run.out);
    assert!(!run.err.contains("named after another version"), "{}", run.err);
    let again = run_promote(&folder, &["1.4.0", "--like-previous", catalog]).exits(2);
    insta::assert_snapshot!(again.err, @r"
    olmap: no channel gets ship.v1.4.0
    hint: channels of ship.v1.3.0, the release before ship.v1.4.0: stable
          stable already has ship.v1.4.0
    ");
    write_file(folder.path(), "new.yaml", &bundle_yaml("1.0.0"));
    let all = [&["--like-previous", "-n"], &CATALOGS[..]].concat();
    let none = run_add(&folder, &all).exits(2);
    assert!(
        none.err.contains("catalogs/v4.18: no release before ship.v1.0.0 is in a channel\n"),
        "{}",
        none.err
    );
}

#[test]
fn unsuitable_channels_are_left_out_or_reported() {
    let folder = repository();
    let old = run_promote(&folder, &["1.2.3", "--channel", "stable-1.3", CATALOGS[1], "-n"]).exits(0);
    let warning = "warning: stable-1.3: ship.v1.2.3 is too old for this channel\n";
    assert!(old.err.starts_with(warning), "{}", old.err);
    write_file(folder.path(), "new.yaml", &bundle_yaml("1.4.0-rc.1"));
    let explicit = run_add(&folder, &["--channel", "stable", CATALOGS[1], "-n"]).exits(0);
    let warning = "warning: stable: ship.v1.4.0-rc.1 is a pre-release, and the channel has releases\n";
    assert!(explicit.err.starts_with(warning), "{}", explicit.err);
    let not_used = run_add(&folder, &["--like-previous", CATALOGS[1], "-n"]).exits(2);
    let note = "stable is not used: ship.v1.4.0-rc.1 is a pre-release, and the channel has releases\n";
    assert!(not_used.err.contains(note), "{}", not_used.err);
}

#[test]
fn missing_bundle_points_to_add_bundle() {
    let folder = repository();
    let run =
        run_promote(&folder, &["ship.v1.3.0", "--channel", "stable-1.2", CATALOGS[1], CATALOGS[0]]).exits(2);
    assert!(run.err.contains("catalogs/v4.18: "), "{}", run.err);
    let hint = "olmap edit add-bundle adds a bundle that the catalog does not have";
    assert!(run.err.contains(hint), "{}", run.err);
    let nowhere = run_promote(&folder, &["1.3.0", CATALOGS[1]]).exits(2);
    assert!(nowhere.err.contains("no channel given for 1.3.0"), "{}", nowhere.err);
    let unknown = run_promote(&folder, &["1.3.0", "--channel", "stabel", CATALOGS[1]]).exits(2);
    assert!(unknown.err.contains("channels: stable, stable-1.2, stable-1.3"), "{}", unknown.err);
    let existing = run_promote(&folder, &["1.3.0", "--new-channel", "stable-1.2", CATALOGS[1]]).exits(2);
    assert!(existing.err.contains("channel stable-1.2 already exists"), "{}", existing.err);
}

#[test]
fn semver_template_gets_the_image_in_its_lists() {
    let folder = repository();
    let template = || fs::read_to_string(folder.path().join(SEMVER)).unwrap();
    let before = template();
    let channel = run_add(&folder, &["--channel", "stable", SEMVER]).exits(2);
    assert!(channel.err.contains("it has lists, not channels"), "{}", channel.err);
    let list = run_add(&folder, &["--list", "stable", CATALOGS[1]]).exits(2);
    assert!(list.err.contains("it has channels, not lists"), "{}", list.err);
    assert_eq!(template(), before);
    let both = ["--like-previous", "--list", "candidate", "--placement", "step", SEMVER];
    let run = run_add(&folder, &both).exits(0);
    insta::assert_snapshot!(run.err, @r"
    note: lists of the release before ship.v1.2.4: stable
    warning: opm makes the edges of operators/ship/catalog-templates/semver.yaml from versions: --placement and --edges do not apply
    ");
    let item = |version: &str| format!("  - image: {}\n", image(version));
    let lists = template();
    assert!(lists.contains(&[item("1.2.3"), item("1.2.4"), item("1.3.0")].concat()), "{lists}");
    assert!(lists.contains(&format!("candidate:\n  bundles:\n{}", item("1.2.4"))), "{lists}");
    let twice = run_add(&folder, &["--list", "stable", SEMVER]).exits(2);
    assert!(twice.err.contains("is already in stable"), "{}", twice.err);
    let promoted = run_promote(&folder, &["1.3.0", "--list", "fast", SEMVER]).exits(0);
    assert_eq!(promoted.err, "");
    assert!(template().contains(&format!("fast:\n  bundles:\n{}", item("1.3.0"))), "{}", template());
}

#[test]
fn template_needs_the_image_of_a_new_bundle() {
    let folder = repository();
    let without = bundle_yaml("1.2.4").replace(&format!("image: {}\n", image("1.2.4")), "");
    write_file(folder.path(), "new.yaml", &without);
    for template in [BASIC, SEMVER] {
        let run = run_add(&folder, &["--like-previous", template]).exits(2);
        assert!(run.err.contains("ship.v1.2.4 has no image"), "{}", run.err);
    }
}

#[test]
fn template_alone_asks_for_a_catalog_with_its_bundles() {
    let folder = repository();
    for (template, list) in [(BASIC, "channel"), (SEMVER, "list")] {
        let alone = format!("{list}.yaml");
        fs::copy(folder.path().join(template), folder.path().join(&alone)).unwrap();
        let run = run_add(&folder, &["--like-previous", &alone]).exits(2);
        assert!(run.err.contains(&format!("no release before ship.v1.2.4 is in a {list}\n")), "{}", run.err);
        let hint = "hint: the versions of 2 bundles are unknown; if this is a template, also give a catalog";
        assert!(run.err.contains(hint), "{}", run.err);
    }
    let channel = run_add(&folder, &["--channel", "stable", "channel.yaml"]).exits(2);
    assert!(channel.err.contains("the version of ship.v1.3.0 is unknown"), "{}", channel.err);
}

/// The command that is printed for a catalog runs in a shell and makes the catalog what its template generates.
#[cfg(unix)]
#[test]
fn printed_command_generates_the_catalog_again() {
    use std::{env, process::Command};
    let folder = repository();
    let run = run_add(&folder, &["--like-previous", CATALOGS[2], SEMVER]).exits(0);
    let note = "ship of catalogs/v4.22 is not what the edited operators/ship/catalog-templates/semver.yaml generates";
    assert!(run.err.contains(note), "{}", run.err);
    let command = run.err.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_olmap")).parent().unwrap();
    let path = format!("{}:{}", program.display(), env::var("PATH").unwrap());
    let shell = Command::new("sh")
        .args(["-ec", command])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("OLMAP_CONFIG", "none")
        .output()
        .unwrap();
    assert!(shell.status.success(), "{shell:?}");
    let check = ["template", "check", "--template", SEMVER, "--catalog", CATALOGS[2]];
    olmap_in(folder.path(), &check).exits(0);
    assert!(read_catalog(&folder, CATALOGS[2]).contains("name: stable-v1.2\n"));
}

#[test]
fn generated_catalog_follows_its_semver_template() {
    let folder = repository();
    let render = ["template", "render", SEMVER, "--bundles", CATALOGS[2], "--keep-description"];
    let rendered = olmap_in(folder.path(), &render).exits(0).out;
    write_file(folder.path(), "catalogs/v4.22/ship/catalog.yaml", &rendered);
    let check = ["template", "check", "--template", SEMVER, "--catalog", CATALOGS[2]];
    olmap_in(folder.path(), &check).exits(0);
    let run = run_add(&folder, &["--like-previous", CATALOGS[2], SEMVER]).exits(0);
    insta::assert_snapshot!(run.out);
    insta::assert_snapshot!(run.err);
    olmap_in(folder.path(), &check).exits(0);
    let with_fix = read_catalog(&folder, CATALOGS[2]);
    assert!(with_fix.contains("name: ship.v1.2.4\n"), "{with_fix}");
    let promoted = run_promote(&folder, &["1.3.0", "--list", "fast", SEMVER, CATALOGS[2]]).exits(0);
    assert!(!promoted.err.contains("is not what"), "{}", promoted.err);
    assert!(read_catalog(&folder, CATALOGS[2]).contains("name: fast-v1\n"));
    olmap_in(folder.path(), &check).exits(0);
    let withdraw = ["edit", "withdraw", "ship.v1.2.4", CATALOGS[2], SEMVER];
    olmap_in(folder.path(), &withdraw).exits(0);
    olmap_in(folder.path(), &check).exits(0);
    assert!(!read_catalog(&folder, CATALOGS[2]).contains("ship.v1.2.4"));
}

#[test]
fn catalog_without_its_template_is_reported() {
    let folder = repository();
    let run = run_add(&folder, &["--like-previous", CATALOGS[1], "-n"]).exits(0);
    insta::assert_snapshot!(run.err);
    // The template already has the edit: no note.
    run_add(&folder, &["--like-previous", CATALOGS[1], BASIC]).exits(0);
    let folder_without = repository();
    let template = fs::read_to_string(folder.path().join(BASIC)).unwrap();
    write_file(folder_without.path(), BASIC, &template);
    let run = run_add(&folder_without, &["--like-previous", CATALOGS[1]]).exits(0);
    assert!(!run.err.contains("is generated from"), "{}", run.err);
    // A template that opm rejects is not compared.
    let folder = repository();
    write_file(folder.path(), BASIC, "schema: olm.composite\n");
    let run = run_add(&folder, &["--like-previous", CATALOGS[1], "-n"]).exits(0);
    assert!(run.err.contains("basic.yaml: edit that too, or it will overwrite this edit\n"), "{}", run.err);
    assert!(!run.err.contains("template render"), "{}", run.err);
}
