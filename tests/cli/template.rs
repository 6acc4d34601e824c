//! `olmap template`: renders, derives and checks templates.

use std::{fs, path::Path};

use super::run::{olmap, olmap_in, olmap_with};

fn bundle_yaml(version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship:{version}\nproperties:\n\
         - type: olm.package\n  value:\n    packageName: ship\n    version: {version}\n"
    )
}

const SEMVER: &str = "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n\
                      \x20 - image: example.com/ship:1.0.0\n  - image: example.com/ship:1.1.0\n";

/// Writes a folder with files.
fn folder_with_files(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write_file(folder.path(), path, text);
    }
    folder
}

fn write_file(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn renders_template_with_bundles_of_catalogs() {
    let (one, two) = (bundle_yaml("1.0.0"), bundle_yaml("1.1.0"));
    let folder = folder_with_files(&[("t.yaml", SEMVER), ("one.yaml", &one), ("two.yaml", &two)]);
    let words = ["template", "render", "t.yaml", "--bundles", "one.yaml", "--bundles", "two.yaml"];
    let run = olmap_in(folder.path(), &words).exits(0);
    insta::assert_snapshot!(run.out);
    assert_eq!(run.err, "");
    let typed = ["template", "render", "semver", "t.yaml", "--bundles", "one.yaml", "--bundles", "two.yaml"];
    assert_eq!(olmap_in(folder.path(), &typed).exits(0).out, run.out);
    let drawn = olmap_in(folder.path(), &[&words[..], &["--format", "mermaid"]].concat()).exits(0).out;
    assert!(drawn.starts_with("graph LR\n") && drawn.contains("-- replace -->"), "{drawn}");
    let json = olmap_in(folder.path(), &[&words[..], &["--format", "json"]].concat()).exits(0).out;
    assert!(json.starts_with("{\n    \"schema\": \"olm.package\",\n    \"name\": \"ship\""), "{json}");
    // The output is a catalog.
    assert_eq!(olmap_with(&run.out, &["validate", "--parity", "-"]).exits(0).code, 0);
}

#[test]
fn type_without_a_file_reads_standard_input() {
    let folder = folder_with_files(&[("one.yaml", &bundle_yaml("1.0.0"))]);
    let catalog = folder.path().join("one.yaml");
    let catalog = catalog.to_str().unwrap();
    let text = format!("# a comment\n---\n{}", SEMVER.replace("  - image: example.com/ship:1.1.0\n", ""));
    let typed = olmap_with(&text, &["template", "render", "semver", "--bundles", catalog]).exits(0);
    assert!(typed.out.contains("name: stable-v1\n"), "{}", typed.out);
    let found = olmap_with(&text, &["template", "render", "-", "--bundles", catalog]).exits(2);
    assert_eq!(found.out, "");
    insta::assert_snapshot!(found.err);
}

#[test]
fn reports_all_mistakes_with_locations() {
    let folder = folder_with_files(&[("t.yaml", SEMVER), ("basic.yaml", "schema: olm.template.basic\n")]);
    insta::assert_snapshot!(olmap_in(folder.path(), &["template", "render", "t.yaml"]).exits(2).err);
    let raw = olmap_in(folder.path(), &["template", "render", "raw", "t.yaml"]).exits(2).err;
    assert!(raw.contains("raw is no type of a template"), "{raw}");
    let other = olmap_in(folder.path(), &["template", "render", "basic", "t.yaml"]).exits(2).err;
    assert!(other.contains("the schema is `olm.semver`, not `olm.template.basic`"), "{other}");
    let template = ["template", "render", "t.yaml", "--bundles", "basic.yaml"];
    let template = olmap_in(folder.path(), &template).exits(2).err;
    assert!(template.contains("basic.yaml is a template: it has no bundles, only images"), "{template}");
    let level =
        olmap_in(folder.path(), &["template", "render", "t.yaml", "--migrate-level", "some"]).exits(2);
    assert!(level.err.contains("bundle-object-to-csv-metadata"), "{}", level.err);
}

#[test]
fn warns_of_values_that_opm_fills_in() {
    let metadata = bundle_yaml("1.1.0") + "- type: olm.csv.metadata\n  value:\n    description: Sails.\n";
    let package = "---\nschema: olm.package\nname: ship\ndefaultChannel: a\ndescription: Kept.\n";
    let folder = folder_with_files(&[
        ("t.yaml", SEMVER),
        ("c.yaml", &(package.to_owned() + &bundle_yaml("1.0.0") + &metadata)),
    ]);
    let words = ["template", "render", "t.yaml", "--bundles", "c.yaml"];
    let run = olmap_in(folder.path(), &words).exits(0);
    insta::assert_snapshot!(run.err);
    let kept = olmap_in(folder.path(), &[&words[..], &["--keep-description"]].concat()).exits(0);
    assert_eq!(kept.err, "");
    assert!(kept.out.contains("description: Kept.\n") && !run.out.contains("Kept."), "{}", kept.out);
}

#[test]
fn render_points_to_template_render() {
    let err = olmap_with("schema: olm.template.basic\nentries: []\n", &["render", "-"]).exits(2).err;
    assert!(err.contains("hint: olmap template render FILE --bundles CATALOG"), "{err}");
}

#[test]
fn basic_template_of_the_demo_renders_the_demo() {
    let rendered = olmap(&["render", "demo/catalog"]).exits(0).out;
    let template = olmap_with(&rendered, &["template", "convert", "basic", "-"]).exits(0).out;
    let folder = folder_with_files(&[("c.yaml", &rendered), ("t.yaml", &template)]);
    let again = olmap_in(folder.path(), &["template", "render", "t.yaml", "--bundles", "c.yaml"]).exits(0);
    assert_eq!(again.out, rendered);
}

#[test]
fn derives_semver_template_if_one_matches() {
    let catalog = bundle_yaml("1.0.0") + &bundle_yaml("1.1.0");
    let files = folder_with_files(&[("t.yaml", SEMVER), ("c.yaml", &catalog)]);
    let rendered =
        olmap_in(files.path(), &["template", "render", "t.yaml", "--bundles", "c.yaml"]).exits(0).out;
    let made = olmap_with(&rendered, &["template", "convert", "semver", "-"]).exits(0);
    insta::assert_snapshot!(made.out);
    let other = rendered.replace("  replaces: ship.v1.0.0\n", "  skipRange: <1.1.0\n");
    let refused = olmap_with(&other, &["template", "convert", "semver", "-"]).exits(2);
    assert_eq!(refused.out, "");
    insta::assert_snapshot!(refused.err);
    let nearest = olmap_with(&other, &["template", "convert", "semver", "-", "--nearest"]).exits(0);
    assert_eq!(nearest.out, made.out);
    assert!(nearest.err.contains("no edge skipRange <1.1.0 -> ship.v1.1.0"), "{}", nearest.err);
}

/// Returns a repository with a catalog that matches its template, and one that differs.
fn repository_with_templates() -> tempfile::TempDir {
    let catalog = bundle_yaml("1.0.0") + &bundle_yaml("1.1.0");
    let files = folder_with_files(&[("t.yaml", SEMVER), ("c.yaml", &catalog)]);
    let same = olmap_in(files.path(), &["template", "render", "t.yaml", "--bundles", "c.yaml"]).exits(0).out;
    let other = same.replace("  replaces: ship.v1.0.0\n", "  skips:\n  - ship.v1.0.0\n");
    let ci = "fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: semver.yaml\n    type: olm.semver\n\
              \x20   catalog_names: [v4.18, v4.19, v4.20, v4.21]\n  - {template_name: gone.yaml, type: olm.semver, catalog_names: [v4.22]}\n";
    folder_with_files(&[
        ("operators/ship/ci.yaml", ci),
        ("operators/ship/catalog-templates/semver.yaml", SEMVER),
        ("operators/ship/catalog-templates/old.yaml", SEMVER),
        ("catalogs/v4.18/ship/catalog.yaml", &same),
        ("catalogs/v4.19/ship/catalog.yaml", &other),
        ("catalogs/v4.20/ship/catalog.yaml", &bundle_yaml("1.0.0")),
    ])
}

#[test]
fn checks_each_mapping_of_a_repository() {
    let repository = repository_with_templates();
    let run = olmap_in(repository.path(), &["template", "check"]).exits(1);
    insta::assert_snapshot!(run.out);
    assert_eq!(run.err, "");
    insta::assert_snapshot!(
        olmap_in(repository.path(), &["template", "check", "--format", "markdown"]).exits(1).out
    );
    let json = olmap_in(repository.path(), &["template", "check", "--format", "json"]).exits(1).json();
    let statuses: Vec<&str> =
        json["rows"].as_array().unwrap().iter().map(|row| row["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["same", "differs", "unknown-images", "no-catalog", "no-template", "not-mapped"]);
    assert_eq!(json["rows"][2]["images"], serde_json::json!(["example.com/ship:1.1.0"]));
    assert_eq!(json["rows"][1]["difference"]["packages"][0]["name"], "ship");
}

#[test]
fn repository_without_differences_exits_with_0() {
    let repository = repository_with_templates();
    for gone in ["catalogs/v4.19", "catalogs/v4.20"] {
        fs::remove_dir_all(repository.path().join(gone)).unwrap();
    }
    write_file(repository.path(), "operators/ship/catalog-templates/gone.yaml", SEMVER);
    let run = olmap_in(repository.path(), &["template", "check", "--operator", "ship"]).exits(0);
    assert!(run.out.ends_with("1 the same, 4 without a catalog, 1 not mapped\n"), "{}", run.out);
    let run = olmap_in(repository.path(), &["template", "check", "--operator", "boat"]).exits(2);
    assert!(run.err.contains("no operator boat with templates"), "{}", run.err);
    let run = olmap_in(repository.path(), &["template", "check", "catalogs"]).exits(2);
    assert!(run.err.contains("no template in catalogs"), "{}", run.err);
}

/// Returns a repository whose template uses the bundles of its catalogs.
fn published_repository() -> tempfile::TempDir {
    let catalog =
        format!("schema: olm.package\nname: ship\n{}{}", bundle_yaml("1.0.0"), bundle_yaml("1.1.0"));
    folder_with_files(&[
        ("operators/ship/catalog-templates/semver.yaml", SEMVER),
        (
            "operators/ship/ci.yaml",
            "fbc:\n  catalog_mapping:\n  - {template_name: semver.yaml, type: olm.semver, catalog_names: [v4.20]}\n",
        ),
        ("catalogs/v4.20/ship/catalog.yaml", &catalog),
        ("catalogs/v4.19/other/catalog.yaml", "schema: olm.package\nname: other\n"),
    ])
}

const TEMPLATE: &str = "operators/ship/catalog-templates/semver.yaml";

#[test]
fn template_of_a_repository_is_read_as_its_catalog() {
    let repository = published_repository();
    let run = |words: &[&str]| olmap_in(repository.path(), words);
    let channels = run(&["list", "channels", TEMPLATE]).exits(0).out;
    assert!(channels.contains("stable-v1") && channels.contains("1.1.0"), "{channels}");
    let pick = run(&["successors", TEMPLATE, "--installed", "1.0.0"]).exits(0).out;
    assert!(pick.contains("ship.v1.1.0"), "{pick}");
    fs::remove_dir_all(repository.path().join("catalogs")).unwrap();
    let unknown = run(&["validate", TEMPLATE]).exits(0).out;
    assert!(unknown.contains("none of the 2 bundle images"), "{unknown}");
}

#[test]
fn list_edit_keeps_all_other_bytes() {
    let repository = published_repository();
    let run = |words: &[&str]| {
        let words: Vec<&str> = [&["edit", "template"], words, &[TEMPLATE]].concat();
        olmap_in(repository.path(), &words)
    };
    let text = || fs::read_to_string(repository.path().join(TEMPLATE)).unwrap();
    run(&["add", "ship.v1.1.0", "--list", "candidate"]).exits(0);
    let candidate = "candidate:\n  bundles:\n  - image: example.com/ship:1.1.0\n";
    assert_eq!(text(), format!("{SEMVER}{candidate}"));
    let again = run(&["add", "ship.v1.1.0", "--list", "candidate"]).exits(2).err;
    assert!(again.contains("is already in candidate"), "{again}");
    run(&["move", "example.com/ship:1.1.0", "--from", "candidate", "--to", "fast"]).exits(0);
    assert_eq!(text(), format!("{SEMVER}{}", candidate.replace("candidate", "fast")));
    run(&["remove", "ship.v1.1.0", "--list", "fast"]).exits(0);
    assert_eq!(text(), SEMVER);
    let gone = run(&["remove", "ship.v1.1.0", "--list", "fast"]).exits(2).err;
    assert!(gone.contains("is not in fast"), "{gone}");
    run(&["channels", "--minor", "true", "--prefer", "major"]).exits(0);
    assert_eq!(text(), format!("{SEMVER}generateMinorChannels: true\ndefaultChannelTypePreference: major\n"));
    let other = olmap_in(
        repository.path(),
        &["edit", "template", "channels", "--major", "true", "catalogs/v4.20/ship"],
    );
    assert!(other.exits(2).err.contains("is not an olm.semver template"));
    let default = ["edit", "default-channel", "stable-v1", TEMPLATE];
    let refused = olmap_in(repository.path(), &default).exits(2).err;
    assert!(refused.contains("generated from the lists"), "{refused}");
}

/// Shows the effect of a release on installed versions before it is in a catalog.
#[test]
fn effect_of_a_release_is_shown_before_publication() {
    let repository = published_repository();
    write_file(repository.path(), "new.yaml", &bundle_yaml("1.2.0"));
    let add = ["edit", "template", "add", "example.com/ship:1.2.0", "--list", "stable", "-n", TEMPLATE];
    let blind = olmap_in(repository.path(), &add).exits(0).out;
    assert!(!blind.contains("=> 1.2.0"), "nobody knows which version it is: {blind}");
    let told = olmap_in(repository.path(), &[add.as_slice(), &["--from", "new.yaml"]].concat()).exits(0).out;
    assert!(told.contains("stable-v1") && told.contains("=> 1.2.0"), "{told}");
    assert_eq!(fs::read_to_string(repository.path().join(TEMPLATE)).unwrap(), SEMVER);
}

/// A difference between a catalog and its template is a finding.
#[test]
fn catalog_that_differs_from_its_template_is_a_finding() {
    let repository = repository_with_templates();
    let validate = |catalog: &str| {
        let out = olmap_in(repository.path(), &["validate", catalog]).out;
        out.lines().filter(|line| line.contains("template-differs")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(validate("catalogs/v4.18"), Vec::<String>::new(), "it agrees");
    let whole = olmap_in(repository.path(), &["validate", "catalogs/v4.19"]).out;
    let told = whole.lines().skip_while(|line| !line.contains("template-differs")).take(6);
    // The rest of the line depends on file times.
    let told = told.map(|line| line.split(';').next().unwrap_or_default());
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"));
    write_file(repository.path(), TEMPLATE, &SEMVER.replace("1.1.0", "1.2.0"));
    let found = validate("catalogs/v4.18");
    assert!(
        found[0].contains("lists an image that is not in the catalog: example.com/ship:1.2.0"),
        "{found:?}"
    );
    write_file(repository.path(), TEMPLATE, "schema: olm.semver\n");
    let found = validate("catalogs/v4.18");
    assert!(found[0].contains("opm rejects operators/ship/catalog-templates/"), "{found:?}");
}

/// A template is rendered only if the result can be a finding that is listed. The log says so, and names the option.
#[test]
fn template_is_rendered_only_for_findings_that_are_listed() {
    let repository = repository_with_templates();
    let validate = |options: &[&str]| {
        let words = [&["-v", "validate", "catalogs/v4.19"], options].concat();
        let run = olmap_in(repository.path(), &words);
        let is_rendered =
            run.err.contains(": rendered templates to compare catalogs/v4.19 with them: packages: 1, in ");
        assert_eq!(is_rendered, run.err.contains(": --allow template-differs omits"), "{}", run.err);
        assert_eq!(is_rendered, run.out.contains("template-differs"), "{}", run.out);
        is_rendered
    };
    for options in [&[][..], &["--package", "ship"], &["--rule", "template-differs"], &["--allow", "notes"]] {
        assert!(validate(options), "{options:?}");
    }
    for options in [["--allow", "template-differs"], ["--allow", "warnings"], ["--rule", "dead-end"]] {
        assert!(!validate(&options), "{options:?}");
    }
    // An unreadable template is reported nevertheless.
    #[cfg(unix)]
    {
        let outside = folder_with_files(&[("t.yaml", SEMVER)]);
        fs::remove_file(repository.path().join(TEMPLATE)).unwrap();
        std::os::unix::fs::symlink(outside.path().join("t.yaml"), repository.path().join(TEMPLATE)).unwrap();
        let allowed = ["validate", "catalogs/v4.19", "--allow", "template-differs"];
        let run = olmap_in(repository.path(), &allowed).exits(2);
        assert!(run.out.contains("not-checked") && run.out.contains("ship not compared with"), "{}", run.out);
    }
}
