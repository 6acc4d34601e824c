//! Discovery in repositories with other layouts than `catalogs/v4.NN` and `operators/`.

use std::{fs, path::Path};

use super::{
    git,
    run::{Run, olmap_in},
};

/// Writes a file in a folder.
fn write_file(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn run_line(folder: &Path, line: &str) -> Run {
    olmap_in(folder, &line.split(' ').collect::<Vec<_>>())
}

/// Returns a valid catalog with one package.
fn catalog_yaml(package: &str) -> String {
    format!(
        "schema: olm.package\nname: {package}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {package}\nname: stable\n\
         entries:\n- name: {package}.v1.0.0\n---\nschema: olm.bundle\npackage: {package}\nname: {package}.v1.0.0\n\
         image: example.com/{package}@sha256:1\nproperties:\n- type: olm.package\n  value: {{packageName: {package}, version: 1.0.0}}\n"
    )
}

/// Returns a basic template of the catalog with this package.
fn template_yaml(package: &str) -> String {
    format!(
        "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: {package}\n  defaultChannel: stable\n\
         - schema: olm.channel\n  package: {package}\n  name: stable\n  entries:\n  - name: {package}.v1.0.0\n\
         - schema: olm.bundle\n  image: example.com/{package}@sha256:1\n"
    )
}

/// Path and content of a file.
type File = (&'static str, &'static str);

/// Layouts of repositories: other files, and the paths of two catalogs.
const LAYOUTS: &[(&[File], [&str; 2])] = &[
    (
        &[("v4.18/Dockerfile", "ADD catalog /configs"), ("v4.20/Dockerfile", "ADD catalog /configs")],
        ["v4.18/catalog", "v4.20/catalog"],
    ),
    (&[("Dockerfile", "ARG DIR\nCOPY ${DIR} /configs")], ["catalog-4-18", "catalog-4-20"]),
    (&[], ["catalog/v4.18", "catalog/v4.20"]),
    (&[], ["catalogs/stage", "catalogs/new"]),
    (&[("operators/ship/ci.yaml", "fbc: {}\n")], ["catalogs/v4.18", "catalogs/next"]),
];

#[test]
fn catalog_that_is_removed_is_reported_in_every_layout() {
    for (others, [removed, kept]) in LAYOUTS {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        git::init(folder);
        others.iter().for_each(|(path, text)| write_file(folder, path, text));
        for catalog_folder in [removed, kept] {
            write_file(folder, &format!("{catalog_folder}/ship/catalog.yaml"), &catalog_yaml("ship"));
        }
        git::commit_on("2025-01-01", folder);
        let line = "list catalogs --changed-since HEAD -o json";
        assert_eq!(run_line(folder, line).exits(0).json(), serde_json::json!([]), "{removed}");
        fs::remove_dir_all(folder.join(removed)).unwrap();
        let expected = serde_json::json!([{"path": removed, "fate": "removed", "packages": ["ship"]}]);
        assert_eq!(run_line(folder, line).exits(0).json(), expected, "{removed}");
        let diff = run_line(folder, "diff --changed-since HEAD --fail-on all").exits(1);
        assert!(diff.out.contains("ship"), "{}", diff.out);
        // Inside the other catalog, the removed catalog is not reported.
        assert_eq!(run_line(&folder.join(kept), line).exits(0).json(), serde_json::json!([]), "{removed}");
        fs::remove_dir_all(folder.join(kept)).unwrap();
        let both = run_line(folder, line).exits(0).json();
        assert_eq!(both.as_array().unwrap().len(), 2, "{removed}: {both}");
        // Each catalog has a heading in the comment, a removed one too.
        let comment = run_line(folder, "diff --changed-since HEAD -o markdown").exits(0).out;
        for catalog in [removed, kept] {
            assert!(comment.contains(&format!("\n\n### {catalog}\n\n**Check")), "{comment}");
        }
        let text = run_line(folder, "diff --changed-since HEAD").exits(0).out;
        assert!(text.contains("\n\ngit:HEAD:"), "{text}");
    }
}

#[test]
fn file_that_git_leaves_out_of_the_working_tree_is_not_removed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    git::init(folder);
    for version in ["v4.18", "v4.20"] {
        write_file(folder, &format!("{version}/catalog/ship/catalog.yaml"), &catalog_yaml("ship"));
    }
    git::commit_on("2025-01-01", folder);
    git::git(folder, &["sparse-checkout", "set", "--cone", "v4.20"]);
    assert!(!folder.join("v4.18").exists());
    let run = run_line(folder, "list catalogs --changed-since HEAD -o json").exits(0);
    assert_eq!(run.json(), serde_json::json!([]));
}

#[test]
fn mistake_in_the_statement_of_the_old_revision_does_not_stop_the_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    git::init(folder);
    for version in ["v4.18", "v4.20"] {
        write_file(folder, &format!("{version}/catalog/ship/catalog.yaml"), &catalog_yaml("ship"));
    }
    write_file(folder, ".olmap.toml", "catalog = []\n");
    git::commit_on("2025-01-01", folder);
    fs::remove_file(folder.join(".olmap.toml")).unwrap();
    fs::remove_dir_all(folder.join("v4.18")).unwrap();
    let json = run_line(folder, "list catalogs --changed-since HEAD -o json").exits(0).json();
    assert_eq!(json[0]["path"], "v4.18/catalog");
    assert_eq!(json[0]["fate"], "removed");
}

#[test]
fn stated_path_that_does_not_exist_is_an_error_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_file(folder, "v4.18/catalog.yaml", &catalog_yaml("ship"));
    write_file(folder, "t.yaml", &template_yaml("ship"));
    write_file(folder, "Makefile", "");
    for (stated, message) in [
        ("\ncatalogs = ['v4.18', 'v4.20']\n", ".olmap.toml:2: v4.20 does not exist"),
        ("catalogs = ['v4.18']\ntemplates = ['x.yaml']\n", ".olmap.toml:2: x.yaml does not exist"),
        ("[[templates]]\npath = 't.yaml'\nmakes = ['v4.20']\n", ".olmap.toml:3: v4.20 does not exist"),
        ("bundles = ['bundle']\n", ".olmap.toml:1: bundle does not exist"),
        ("templates = ['Makefile']\n", ".olmap.toml:1: Makefile is not a template"),
    ] {
        write_file(folder, ".olmap.toml", stated);
        for line in [
            "list repository",
            "list repository -o json",
            "validate",
            "template check",
            "overview",
            "edit describe x",
        ] {
            let run = run_line(folder, line).exits(2);
            assert_eq!(run.err, format!("olmap: {message}\n"), "{line}");
            assert_eq!(run.out, "", "{line}");
        }
    }
}

#[test]
fn stated_catalog_that_git_ignores_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    git::init(folder);
    write_file(folder, ".gitignore", "made/\n");
    write_file(folder, "made/ship/catalog.yaml", &catalog_yaml("ship"));
    write_file(folder, ".olmap.toml", "catalogs = ['made']\n");
    let run = run_line(folder, "list repository").exits(0);
    assert_eq!(run.out, "Catalogs\n  made: stated in .olmap.toml\n");
}

/// Returns a repository with two catalogs of two packages each.
fn two_catalogs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for version in ["v4.18", "v4.20"] {
        write_file(folder.path(), &format!("{version}/catalog/ship/catalog.yaml"), &catalog_yaml("ship"));
        write_file(folder.path(), &format!("{version}/catalog/boat/catalog.yaml"), &catalog_yaml("boat"));
    }
    folder
}

#[test]
fn edit_of_all_catalogs_names_and_writes_each() {
    let folder = two_catalogs();
    let folder = folder.path();
    let refused = run_line(folder, "edit describe Sails --package ship").exits(2);
    assert!(refused.err.contains("or edit all of them with --all"), "{}", refused.err);
    let dry = run_line(folder, "edit describe Sails --package ship --all -n").exits(0);
    let edit = run_line(folder, "edit describe Sails --package ship --all").exits(0);
    for version in ["v4.18", "v4.20"] {
        let file = format!("{version}/catalog/ship/catalog.yaml");
        assert!(dry.out.contains(&format!("would write {file}")), "{}", dry.out);
        assert!(edit.out.contains(&format!("wrote {file}")), "{}", edit.out);
        assert!(fs::read_to_string(folder.join(&file)).unwrap().contains("description: Sails"));
    }
    let both = run_line(folder, "edit describe Sails --package ship --all v4.18/catalog").exits(2);
    assert!(both.err.contains("--all"), "{}", both.err);
}

#[test]
fn edit_of_all_catalogs_writes_nothing_if_one_refuses() {
    let folder = two_catalogs();
    let folder = folder.path();
    let file = |version: &str| folder.join(version).join("catalog/ship/catalog.yaml");
    let more = catalog_yaml("ship").replace(
        "version: 1.0.0}",
        "version: 1.0.0}\n---\nschema: olm.channel\npackage: ship\nname: fast\nentries:\n- name: ship.v1.0.0",
    );
    fs::write(file("v4.20"), &more).unwrap();
    for line in ["default-channel fast", "rename-channel fast quick", "remove-channel fast"] {
        let line = format!("edit {line} --package ship --all");
        let refused = run_line(folder, &line).exits(2);
        assert!(
            refused.err.contains("v4.18/catalog") && refused.err.contains("nothing was written"),
            "{line}: {}",
            refused.err
        );
        assert_eq!(fs::read_to_string(file("v4.18")).unwrap(), catalog_yaml("ship"));
        assert_eq!(fs::read_to_string(file("v4.20")).unwrap(), more);
    }
    run_line(folder, "edit default-channel fast --package ship --all --where-possible").exits(0);
    assert!(fs::read_to_string(file("v4.20")).unwrap().contains("defaultChannel: fast"));
    assert_eq!(fs::read_to_string(file("v4.18")).unwrap(), catalog_yaml("ship"));
}

#[test]
fn edit_of_all_semver_templates_finds_them() {
    let folder = two_catalogs();
    let folder = folder.path();
    let text = "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n  - image: example.com/ship@sha256:1\n";
    write_file(folder, "templates/v4.18.yaml", text);
    write_file(folder, "templates/v4.20.yaml", text);
    run_line(folder, "edit template add example.com/ship:2 --list stable --all").exits(0);
    for name in ["v4.18", "v4.20"] {
        let text = fs::read_to_string(folder.join(format!("templates/{name}.yaml"))).unwrap();
        assert!(text.contains("ship:2"), "{text}");
    }
    fs::remove_dir_all(folder.join("templates")).unwrap();
    let none = run_line(folder, "edit template add example.com/ship:2 --list stable --all").exits(2);
    assert!(none.err.contains("no semver template here"), "{}", none.err);
}

#[test]
fn templates_that_discovery_finds_are_checked_with_their_catalogs() {
    let folder = two_catalogs();
    let folder = folder.path();
    write_file(folder, "v4.18/template.yaml", &template_yaml("ship"));
    write_file(
        folder,
        "v4.20/template.yaml",
        &template_yaml("ship").replace("name: stable\n", "name: fast\n"),
    );
    write_file(folder, "other.yaml", &template_yaml("raft"));
    let run = run_line(folder, "template check -o json").exits(1);
    let json = run.json();
    let row = |row: &serde_json::Value| {
        ["template", "catalog", "status"].map(|key| row[key].as_str().unwrap_or("-").to_owned()).join(" ")
    };
    let rows: Vec<String> = json["rows"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(
        rows,
        [
            "other.yaml - no-catalog",
            "v4.18/template.yaml v4.18/catalog same",
            "v4.20/template.yaml v4.20/catalog differs",
        ]
    );
    let packages = json["rows"][2]["difference"]["packages"].as_array().unwrap();
    assert_eq!(packages.len(), 1, "the template makes no other package: {packages:?}");
}

#[test]
fn template_is_checked_with_catalogs_that_are_named() {
    let folder = two_catalogs();
    let folder = folder.path();
    write_file(folder, "hack/ship.yaml", &template_yaml("ship"));
    let line = "template check --template hack/ship.yaml --catalog v4.18/catalog v4.20/catalog";
    assert_eq!(run_line(folder, line).exits(0).out, "2 the same\n");
    write_file(folder, "v4.20/catalog/ship/catalog.yaml", &catalog_yaml("ship").replace("stable", "fast"));
    let differs = run_line(folder, line).exits(1).out;
    assert!(differs.contains("differs hack/ship.yaml -> v4.20/catalog"), "{differs}");
    let found = run_line(folder, "template check --template hack/ship.yaml").exits(1).out;
    assert!(found.ends_with("1 the same, 1 different\n"), "{found}");
    for (line, words) in [
        ("template check --template v4.18/catalog/ship/catalog.yaml", "is not a template of this repository"),
        ("template check --template hack/ship.yaml --catalog hack/ship.yaml", "is a template, not a catalog"),
        ("template check --catalog v4.18/catalog", "--template"),
    ] {
        let run = run_line(folder, line).exits(2);
        assert!(run.err.contains(words), "{line}: {}", run.err);
    }
}

#[test]
fn composite_template_is_refused() {
    let folder = two_catalogs();
    let folder = folder.path();
    write_file(folder, "composite.yaml", "schema: olm.composite\ncomponents: []\n");
    let named = run_line(folder, "template check --template composite.yaml --catalog v4.18/catalog").exits(2);
    assert!(named.err.contains("olmap does not render composite templates"), "{}", named.err);
    assert!(named.out.ends_with("1 not checked\n"), "{}", named.out);
}

#[test]
fn template_on_one_side_of_a_diff_is_rendered_with_the_bundles_of_the_other() {
    let folder = two_catalogs();
    let folder = folder.path();
    write_file(folder, "t.yaml", &template_yaml("ship"));
    for line in ["diff v4.18/catalog t.yaml --fail-on all", "diff t.yaml v4.18/catalog --fail-on all"] {
        let same = run_line(folder, line).exits(0);
        assert!(
            same.err.contains("not compared, since the template does not make them: boat"),
            "{}",
            same.err
        );
        assert!(!same.out.contains("boat"), "{}", same.out);
    }
    write_file(folder, "t.yaml", &template_yaml("ship").replace("  name: stable\n", "  name: fast\n"));
    let differs = run_line(folder, "diff v4.18/catalog t.yaml --fail-on removed-entries").exits(1);
    assert!(differs.out.contains("fast"), "{}", differs.out);
    write_file(folder, "t.yaml", &template_yaml("ship").replace("sha256:1", "sha256:2"));
    let refused = run_line(folder, "diff v4.18/catalog t.yaml").exits(2);
    assert_eq!(refused.out, "");
    assert!(
        refused.err.contains("t.yaml cannot be rendered with the bundles of v4.18/catalog")
            && refused.err.contains("no bundle is known with the image example.com/ship@sha256:2"),
        "{}",
        refused.err
    );
}
