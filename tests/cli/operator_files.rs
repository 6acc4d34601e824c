//! `olmap template check`: files of an operator in an operator repository, and bundles in no catalog.

use std::{fs, path::Path};

use super::run::olmap_in;

fn write_file(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn bundle_yaml(version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: kiln\nname: kiln.v{version}\nimage: example.com/kiln:{version}\nproperties:\n\
         - {{type: olm.package, value: {{packageName: kiln, version: {version}}}}}\n\
         - {{type: olm.csv.metadata, value: {{description: Short.}}}}\n"
    )
}

#[test]
fn map_command_adds_catalogs_to_the_mapping() {
    let repository = create_repository(PACKAGE);
    let template = "operators/kiln/catalog-templates/t.yaml";
    let run = |words: &[&str]| olmap_in(repository.path(), &[&["template", "map"], words].concat());
    let file = repository.path().join("operators/kiln/ci.yaml");
    let expected = CI.replace("[v4.16]", "[v4.16, v4.17, v4.18]");
    assert_eq!(run(&[template, "v4.17", "v4.18", "-n"]).exits(0).out, expected);
    assert_eq!(fs::read_to_string(&file).unwrap(), CI);
    assert_eq!(run(&[template, "v4.17", "v4.18"]).exits(0).err, "wrote operators/kiln/ci.yaml\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    let twice = run(&[template, "v4.19", "v4.17"]).exits(2).err;
    assert!(twice.contains("catalog v4.17 is already mapped to template t.yaml"), "{twice}");
    assert_eq!(fs::read_to_string(&file).unwrap(), expected, "all or none");
    let name = run(&[template, "4.19"]).exits(2).err;
    assert!(name.contains("`4.19` is not a catalog such as v4.18"), "{name}");
    let missing = run(&["operators/kiln/catalog-templates/no.yaml", "v4.19"]).exits(2).err;
    assert!(missing.contains("name operators/NAME/catalog-templates/FILE"), "{missing}");
    let other = "operators/kiln/catalog-templates/other.yaml";
    fs::copy(repository.path().join(template), repository.path().join(other)).unwrap();
    let unmapped = run(&[other, "v4.19"]).exits(2).err;
    assert!(unmapped.contains("add an item with template_name: other.yaml"), "{unmapped}");
}

fn add_bundle_directory(root: &Path, version: &str) {
    let csv = format!(
        "kind: ClusterServiceVersion\nmetadata: {{name: kiln.v{version}}}\nspec:\n  version: {version}\n  description: Burns clay.\n  \
         icon: [{{base64data: PHN2Zy8+, mediatype: image/svg+xml}}]\n"
    );
    write_file(root, &format!("operators/kiln/{version}/manifests/csv.yaml"), &csv);
    write_file(root, &format!("operators/kiln/{version}/metadata/annotations.yaml"), "annotations: {}\n");
}

const CI: &str = "fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: t.yaml\n    catalog_names: [v4.16]\n    type: olm.semver\n";

const PACKAGE: &str = "---\nschema: olm.package\nname: kiln\ndefaultChannel: stable-v1\n";

/// Creates a repository whose catalog is rendered from its semver template. `package` is its package.
fn create_repository(package: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let template = "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n  - image: example.com/kiln:1.0.0\n";
    write_file(root.path(), "operators/kiln/ci.yaml", CI);
    write_file(root.path(), "operators/kiln/catalog-templates/t.yaml", template);
    let channel = "---\nschema: olm.channel\npackage: kiln\nname: stable-v1\nentries:\n- name: kiln.v1.0.0\n";
    let catalog = format!("{package}{channel}{}", bundle_yaml("1.0.0"));
    write_file(root.path(), "catalogs/v4.16/kiln/catalog.yaml", &catalog);
    root
}

#[test]
fn description_is_compared_only_if_manifests_are_in_the_repository() {
    let repository = create_repository(PACKAGE);
    let check = |words: &[&str]| olmap_in(repository.path(), &[&["template", "check"], words].concat());
    insta::assert_snapshot!(check(&[]).exits(0).out);
    let json = check(&["-o", "json"]).exits(0).json();
    assert_eq!(json["rows"][0]["status"], "not-checked");
    add_bundle_directory(repository.path(), "1.0.0");
    let differs = check(&[]).exits(1).out;
    assert!(differs.starts_with("differs operators/kiln/catalog-templates/t.yaml -> v4.16"), "{differs}");
    assert!(differs.contains("Burns clay."), "{differs}");
    let described = format!(
        "{PACKAGE}description: Burns clay.\nicon: {{base64data: PHN2Zy8+, mediatype: image/svg+xml}}\n"
    );
    let repository = create_repository(&described);
    add_bundle_directory(repository.path(), "1.0.0");
    assert_eq!(olmap_in(repository.path(), &["template", "check"]).exits(0).out, "1 the same\n");
}

#[test]
fn bundle_in_no_catalog_and_mistakes_in_its_files_are_findings() {
    let repository = create_repository(PACKAGE);
    add_bundle_directory(repository.path(), "1.1.0");
    write_file(repository.path(), "operators/kiln/ci.yaml", &CI.replace("enabled: true", "enable: true"));
    let release =
        "catalog_templates:\n- template_name: t.yaml\n  channels: [stable]\n  replaces: kiln.v1.0.0\n";
    write_file(repository.path(), "operators/kiln/1.1.0/release-config.yaml", release);
    let check = |words: &[&str]| olmap_in(repository.path(), &[&["template", "check"], words].concat());
    insta::assert_snapshot!(check(&[]).exits(1).out);
    insta::assert_snapshot!(check(&["-o", "markdown"]).exits(1).out);
    let json = check(&["-o", "json", "--operator", "kiln"]).exits(1).json();
    assert_eq!(json["fails"], true);
    let finding = &json["findings"][0];
    assert_eq!((&finding["kind"], &finding["severity"]), (&"unknown-field".into(), &"error".into()));
    assert_eq!((&finding["line"], &finding["column"]), (&2.into(), &3.into()));
    assert_eq!(
        (&finding["path"], &finding["hint"]),
        (&"operators/kiln/ci.yaml".into(), &"did you mean enabled?".into())
    );
    write_file(repository.path(), "operators/kiln/ci.yaml", CI);
    fs::remove_file(repository.path().join("operators/kiln/1.1.0/release-config.yaml")).unwrap();
    let missing = check(&[]).exits(1).out;
    assert!(missing.contains("warning operators/kiln/1.1.0: kiln.v1.1.0 is in no template and no catalog"));
    fs::remove_dir_all(repository.path().join("operators/kiln/1.1.0")).unwrap();
    check(&[]).exits(0);
}

#[test]
fn operator_without_templates_is_checked_too() {
    let repository = tempfile::tempdir().unwrap();
    write_file(repository.path(), "operators/kiln/ci.yaml", "updateGraph: semver\n");
    let run = olmap_in(repository.path(), &["template", "check"]).exits(1);
    assert!(
        run.out.starts_with("error operators/kiln/ci.yaml:1:14: `updateGraph` cannot be `semver`"),
        "{}",
        run.out
    );
    assert!(run.out.ends_with("no templates, 1 error\n"), "{}", run.out);
}

#[test]
fn release_command_writes_the_file_once() {
    let repository = create_repository(PACKAGE);
    add_bundle_directory(repository.path(), "1.1.0");
    let run = |words: &[&str]| {
        let words: Vec<&str> = [&["template", "release", "operators/kiln/1.1.0"], words].concat();
        olmap_in(repository.path(), &words)
    };
    let file = repository.path().join("operators/kiln/1.1.0/release-config.yaml");
    let expected = "---\ncatalog_templates:\n  - template_name: t.yaml\n    channels: [Stable, Fast]\n";
    let words = ["--template", "t.yaml=Stable,Fast", "--replaces", "kiln.v1.0.0"];
    assert_eq!(
        run(&[&words[..], &["-n"]].concat()).exits(0).out,
        expected,
        "the template generates its edges"
    );
    assert!(!file.exists());
    let written = run(&words).exits(0);
    assert_eq!(
        (written.out.as_str(), written.err.as_str()),
        ("", "wrote operators/kiln/1.1.0/release-config.yaml\n")
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    let again = run(&words).exits(2).err;
    assert!(again.contains("release-config.yaml"), "{again}");
    let refused = run(&["--template", "t.yaml=stable", "--template", "s.yaml=Fast"]).exits(2).err;
    insta::assert_snapshot!(refused);
    let elsewhere = ["template", "release", "operators/kiln", "--template", "t.yaml=Stable"];
    let elsewhere = olmap_in(repository.path(), &elsewhere).exits(2).err;
    assert!(elsewhere.contains("operators/kiln is not a bundle directory"), "{elsewhere}");
}
