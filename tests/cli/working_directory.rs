//! Commands without PATH, and OpenShift versions of catalogs.

use std::{fs, path::Path};

use super::run::{Run, olmap_in, root};

/// Returns a repository with one operator and two catalogs.
fn repository_with_two_catalogs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = SHIP.replace("ship", "anvil");
    for name in ["v4.9", "v4.18"] {
        let package = folder.path().join("catalogs").join(name).join("anvil");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("catalog.yaml"), &text).unwrap();
    }
    write_file(folder.path(), "operators/anvil/ci.yaml", "fbc: {}\n");
    folder
}

fn list_packages(folder: &Path) -> Run {
    olmap_in(folder, &["list", "packages"])
}

#[test]
fn command_reads_catalog_of_current_directory() {
    let folder = repository_with_two_catalogs();
    for inside in ["catalogs/v4.18", "catalogs/v4.18/anvil"] {
        let run = list_packages(&folder.path().join(inside)).exits(0);
        assert!(run.out.contains("anvil") && run.err.is_empty(), "{} {}", run.out, run.err);
    }
}

#[test]
fn command_reports_a_catalog_selected_elsewhere() {
    let folder = repository_with_two_catalogs();
    fs::remove_dir_all(folder.path().join("catalogs/v4.9")).unwrap();
    let run = list_packages(folder.path()).exits(0);
    assert!(run.out.contains("anvil"), "{}", run.out);
    assert_eq!(run.err, "note: opened catalogs/v4.18: in catalogs/ next to operators/\n");
    let run = list_packages(&folder.path().join("operators/anvil")).exits(0);
    assert_eq!(run.err, "note: opened anvil in ../../catalogs/v4.18/anvil: you are in operators/anvil\n");
}

#[test]
fn command_needs_a_path_if_there_are_several_catalogs() {
    let folder = repository_with_two_catalogs();
    insta::assert_snapshot!(list_packages(&folder.path().join("operators/anvil")).exits(2).err, @r"
    olmap: there are 2 catalogs here, and no PATH given
    hint: choose one:
          ../../catalogs/v4.9/anvil
          ../../catalogs/v4.18/anvil
    ");
}

/// Writes a file in a folder.
fn write_file(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Valid catalog with one package.
const SHIP: &str = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\nname: stable\n\
                    entries:\n- name: ship.v1.0.0\n---\nschema: olm.bundle\npackage: ship\nname: ship.v1.0.0\nimage: example.com/ship@sha256:1\n\
                    properties:\n- type: olm.package\n  value: {packageName: ship, version: 1.0.0}\n";

#[test]
fn catalog_that_a_dockerfile_copies_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_file(folder, "Dockerfile", "FROM scratch\nADD v4.18/catalog /configs\n");
    write_file(folder, "v4.18/catalog/ship/catalog.yaml", SHIP);
    write_file(
        folder,
        "catalog-template.yaml",
        "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: ship\n",
    );
    let run = list_packages(folder).exits(0);
    assert_eq!(run.err, "note: opened v4.18/catalog: copied to the catalog image by Dockerfile:2\n");
    let run = olmap_in(folder, &["list", "repository"]).exits(0);
    insta::assert_snapshot!(run.out, @r"
    Catalogs
      v4.18/catalog: copied to the catalog image by Dockerfile:2; for OpenShift 4.18 by its path
    Templates
      catalog-template.yaml: basic; makes v4.18/catalog (by its name)
    ");
    let run = olmap_in(folder, &["list", "repository", "-o", "json"]).exits(0);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["catalogs"][0]["openshift"], "4.18");
    assert_eq!((&json["templates"][0]["kind"], &json["open"]), (&"basic".into(), &"catalogs".into()));
    olmap_in(folder, &["list", "repository", "missing"]).exits(2);
}

#[test]
fn all_catalogs_of_a_repository_are_in_the_overview() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["v4.18", "v4.20"] {
        write_file(folder.path(), &format!("{version}/catalog/ship/catalog.yaml"), SHIP);
    }
    let run = olmap_in(folder.path(), &["overview"]).exits(0);
    assert!(run.out.contains("4.18") && run.out.contains("4.20"), "{}", run.out);
    assert_eq!(run.err, "note: opened 2 catalogs: found in this repository\n");
    let edit = olmap_in(folder.path(), &["edit", "describe", "Sails."]).exits(2);
    assert!(edit.err.contains("v4.18/catalog") && edit.err.contains("v4.20/catalog"), "{}", edit.err);
}

#[test]
fn repository_of_an_operator_opens_its_bundle() {
    let folder = tempfile::tempdir().unwrap();
    write_file(
        folder.path(),
        "bundle/metadata/annotations.yaml",
        "annotations:\n  operators.operatorframework.io.bundle.package.v1: ship\n  operators.operatorframework.io.bundle.channels.v1: stable\n",
    );
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: ship.v1.0.0\nspec:\n  version: 1.0.0\n";
    write_file(folder.path(), "bundle/manifests/ship.clusterserviceversion.yaml", csv);
    let run = list_packages(folder.path()).exits(0);
    assert!(run.out.contains("ship"), "{}", run.out);
    assert!(
        run.err.contains("note: opened bundle: manifests/ and metadata/annotations.yaml\n"),
        "{}",
        run.err
    );
    let checked = olmap_in(folder.path(), &["bundle", "validate"]);
    assert!(checked.err.starts_with("note: opened bundle"), "{}", checked.err);
    assert!(checked.out.contains("ship"), "{}", checked.out);
    olmap_in(folder.path(), &["bundle", "validate", "--fix"]).exits(2);
    let since = olmap_in(folder.path(), &["list", "catalogs"]).exits(2);
    assert!(since.err.contains("no catalog here, only bundles: bundle"), "{}", since.err);
}

#[test]
fn repository_that_ignores_its_catalogs_opens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write_file(folder.path(), "demo/catalog/ship/catalog.yaml", SHIP);
    write_file(folder.path(), ".olmap.toml", "ignore = ['demo']\n");
    assert!(list_packages(folder.path()).exits(2).err.contains("no catalog here"));
    olmap_in(&folder.path().join("demo/catalog"), &["list", "packages"]).exits(0);
    write_file(folder.path(), ".olmap.toml", "ignored = ['demo']\n");
    let run = list_packages(folder.path()).exits(2);
    assert_eq!(run.err, "olmap: .olmap.toml:1: unknown key ignored; did you mean ignore?\n");
}

#[test]
fn demo_is_opened_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let demo = olmap_in(folder.path(), &["demo"]).exits(2);
    assert!(demo.err.contains("the explorer needs a terminal"), "{}", demo.err);
    let path = olmap_in(folder.path(), &["./demo"]).exits(2);
    assert!(!path.err.contains("the explorer needs a terminal"), "{}", path.err);
}

#[test]
fn clone_of_olmap_has_no_catalog() {
    let run = olmap_in(&root(), &["list", "repository"]).exits(0);
    assert_eq!(run.out, "no catalog, template or bundle found\n");
    assert!(list_packages(&root()).exits(2).err.contains("no catalog here"));
}

#[test]
fn broken_catalog_is_checked_without_a_path() {
    let folder = tempfile::tempdir().unwrap();
    write_file(folder.path(), "v4.18/catalog/ship/catalog.yaml", SHIP);
    write_file(
        folder.path(),
        "v4.20/catalog/ship/catalog.yaml",
        &format!("{SHIP}---\nschema: olm.channel\nentries: [\n"),
    );
    let run = olmap_in(folder.path(), &["list", "catalogs"]).exits(0);
    assert_eq!(run.out, "v4.18/catalog\nv4.20/catalog\n");
    let package = folder.path().join("v4.22/catalog/ship");
    write_file(&package, "catalog.yaml", "schema: olm.package\nname: [ship\n");
    let run = olmap_in(&package, &["validate"]).exits(1);
    assert!(run.out.contains("catalog.yaml"), "{}", run.out);
}

#[test]
fn versions_come_from_dockerfiles_pipelines_and_statements() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_file(folder, ".git/HEAD", "");
    write_file(folder, "catalog/ship/catalog.yaml", SHIP);
    for version in ["4-18", "4-20"] {
        let name = format!("Dockerfile-v{version}.catalog");
        write_file(folder, &name, "FROM scratch\nADD catalog /configs\n");
    }
    let overview = |inside: &str, args: &[&str]| olmap_in(&folder.join(inside), args).exits(0).out;
    for (inside, args) in
        [("", vec!["overview"]), ("", vec!["overview", "catalog"]), ("catalog", vec!["overview"])]
    {
        let out = overview(inside, &args);
        assert!(out.contains("4.18") && out.contains("4.20"), "{args:?} in {inside:?}: {out}");
    }
    let plan = olmap_in(folder, &["plan", "--from", "4.18", "--to", "4.20"]);
    assert!(!plan.err.contains("which OpenShift version"), "{}", plan.err);
    write_file(folder, ".olmap.toml", "catalogs = [{ path = 'catalog', openshift = ['4.16'] }]\n");
    let out = overview("catalog", &["overview"]);
    assert!(out.contains("4.16") && !out.contains("4.20"), "{out}");
    // Checks a rule that depends on the version.
    let old = SHIP.replace(
        "- type: olm.package",
        "- type: olm.bundle.object\n  value: {data: e30=}\n- type: olm.maxOpenShiftVersion\n  value: '4.14'\n- type: olm.package",
    );
    write_file(folder, "catalog/ship/catalog.yaml", &old);
    let findings = |version: &str| {
        let stated = format!("catalogs = [{{ path = 'catalog', openshift = '{version}' }}]\n");
        write_file(folder, ".olmap.toml", &stated);
        olmap_in(folder, &["validate", "--rule", "max-openshift-version", "--rule", "bundle-object"]).out
    };
    let (before, after) = (findings("4.14"), findings("4.18"));
    assert!(before.contains("no findings"), "{before}");
    assert!(after.contains("max-openshift-version") && after.contains("bundle-object"), "{after}");
}

#[test]
fn empty_folder_has_no_catalog() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(list_packages(folder.path()).exits(2).err, @r"
    olmap: no catalog here, above or below, and no PATH given
    hint: give a directory, a file, or - for standard input
    ");
}

#[test]
fn edit_without_a_path_needs_to_be_inside_the_catalog() {
    let folder = repository_with_two_catalogs();
    fs::remove_dir_all(folder.path().join("catalogs/v4.9")).unwrap();
    let describe = ["edit", "describe", "Strikes."];
    insta::assert_snapshot!(olmap_in(folder.path(), &describe).exits(2).err, @r"
    olmap: outside of a catalog, an edit needs a PATH
    hint: the nearest is catalogs/v4.18
    ");
    olmap_in(&folder.path().join("catalogs/v4.18"), &describe).exits(0);
    let text = fs::read_to_string(folder.path().join("catalogs/v4.18/anvil/catalog.yaml")).unwrap();
    assert!(text.contains("Strikes."), "{text}");
}
