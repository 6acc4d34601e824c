//! `olmap mirror`: content that oc-mirror keeps, and users that it strands.

use std::fs;

use serde_json::json;

use super::run::{olmap, olmap_with};

/// Returns the package `tide` with 1.0.0 to 2.0.0, each replacing the previous one.
fn tide_yaml() -> String {
    let mut text = "---\nschema: olm.package\nname: tide\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: tide\nname: \
                    stable\nentries:\n- name: tide.v2.0.0\n  replaces: tide.v1.1.0\n- name: tide.v1.1.0\n  replaces: \
                    tide.v1.0.0\n- name: tide.v1.0.0\n"
        .to_owned();
    for version in ["1.0.0", "1.1.0", "2.0.0"] {
        text += &format!(
            "---\nschema: olm.bundle\npackage: tide\nname: tide.v{version}\nimage: example.com/tide:{version}\nproperties:\n- \
             type: olm.package\n  value: {{packageName: tide, version: {version}}}\nrelatedImages:\n- {{name: '', image: \
             'example.com/tide:{version}'}}\n"
        );
    }
    text
}

const WHOLE: &str = "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: \
                     example.com/index:v1\n    packages:\n    - name: tide\n";

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("catalog")).unwrap();
        fs::write(folder.path().join("catalog/catalog.yaml"), tide_yaml()).unwrap();
        fs::write(folder.path().join("imageset.yaml"), config).unwrap();
        Self { folder }
    }

    fn path_of(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }
}

#[test]
fn filter_prints_remaining_content_in_three_formats() {
    let files = Files::new(WHOLE);
    let (catalog, config) = (files.path_of("catalog"), files.path_of("imageset.yaml"));
    let filter = |format: &str| {
        olmap(&["mirror", "filter", &catalog, "--config", &config, "--format", format]).exits(0)
    };
    let entry = json!({"name": "tide.v2.0.0", "replaces": "tide.v1.1.0"});
    let expected = json!({"tide": {"defaultChannel": "stable", "channels": {"stable": [entry]}, "bundles": ["tide.v2.0.0"]}});
    assert_eq!(filter("json").json(), expected);
    assert_eq!(
        filter("text").out,
        "PACKAGE  CHANNEL           HEAD   LEFT  OF\ntide     stable (default)  2.0.0     1   3\n1 of 3 bundles are mirrored\n"
    );
    let yaml = filter("yaml").out;
    let again = olmap_with(&yaml, &["render", "-"]).exits(0).out;
    assert_eq!(yaml, again, "it is a catalog in opm's form");
}

#[test]
fn refuses_invalid_configuration_with_its_line() {
    let files = Files::new(&WHOLE.replace("- name: tide", "- name: sea"));
    let run =
        olmap(&["mirror", "filter", &files.path_of("catalog"), "--config", &files.path_of("imageset.yaml")])
            .exits(2);
    assert!(run.err.contains("nothing is left"), "{}", run.err);
    let section = "packages:\n- name: tide\n  minVersion: 1.1\n";
    let run = olmap_with(section, &["mirror", "filter", &files.path_of("catalog"), "--config", "-"]).exits(2);
    assert!(run.err.contains("standard input, line 3: minVersion must be a text"), "{}", run.err);
    assert!(run.err.contains("hint: quote it"), "{}", run.err);
    let two = format!("{WHOLE}  - catalog: example.com/other:v1\n    full: true\n");
    let filter = |more: &[&str]| {
        let path = files.path_of("catalog");
        let mut words = vec!["mirror", "filter", &path, "--config", "-", "--format", "json"];
        words.extend(more);
        olmap_with(&two, &words)
    };
    assert!(filter(&[]).exits(2).err.contains("choose one with --operator"));
    for operator in ["2", "example.com/other:v1"] {
        let all = filter(&["--operator", operator]).exits(0).json();
        assert_eq!(all["tide"]["bundles"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn check_reports_stranded_versions_and_the_line_to_change() {
    let files = Files::new(WHOLE);
    let (catalog, config) = (files.path_of("catalog"), files.path_of("imageset.yaml"));
    let run = olmap(&["mirror", "check", &config, &catalog, "--engine", "classic"]).exits(1);
    let expected = format!(
        "{catalog}: 1 of 3 installed versions lose upgrades\n  tide stable, OLM Classic: 1 stranded: tide.v1.0.0 (only the head \
         is mirrored)\n  {config}:7: tide: set minVersion: \"1.1.0\"; then none do\n"
    );
    assert_eq!(run.out, expected);
    let named = format!("example.com/index:v1={catalog}");
    let ask = |installed: &str| {
        olmap(&["mirror", "check", &config, &named, "--installed", installed, "--format", "json"])
    };
    let json = ask("tide.v1.1.0@stable").exits(0).json();
    assert_eq!(json[0]["positions"][0]["fate"], "ok");
    let json = ask("tide.v1.0.0").exits(1).json();
    assert_eq!(json[0]["positions"][1]["engine"], "v1");
    assert_eq!(json[0]["positions"][1]["cause"], "heads-only");
    assert_eq!(json[0]["remedies"][0]["line"], 7);
    assert!(ask("tide.v9.9.9").exits(2).err.contains("no catalog has tide.v9.9.9"));
    let helped = Files::new(&format!("{WHOLE}      minVersion: 1.1.0\n"));
    olmap(&["mirror", "check", &helped.path_of("imageset.yaml"), &helped.path_of("catalog")]).exits(0);
}

#[test]
fn check_proposes_what_can_be_left_out() {
    let files = Files::new(&format!("{WHOLE}      minVersion: 1.0.0\n"));
    let (catalog, config) = (files.path_of("catalog"), files.path_of("imageset.yaml"));
    let run = olmap(&["mirror", "check", &config, &catalog]).exits(0);
    let expected = format!(
        "{catalog}: 0 of 6 installed versions lose upgrades\n  {config}:8: tide: minVersion: \"1.1.0\" is enough for these \
         versions: 1 bundle and 1 image less\n"
    );
    assert_eq!(run.out, expected);
    let installed = ["mirror", "check", &config, &catalog, "--installed", "tide.v1.1.0", "-o", "json"];
    let json = olmap(&installed).exits(0).json();
    let reduction = json!([{"package": "tide", "line": 8, "minVersion": "2.0.0", "bundles": 2, "images": 2}]);
    assert_eq!(json[0]["reductions"], reduction);
}

/// oc-mirror ignores names that the catalog does not have, so users of a misspelled package get no upgrades.
#[test]
fn unknown_packages_and_channels_are_reported_with_similar_names() {
    let channels =
        "      channels:\n      - name: stabel\n      - name: stable\n    - name: tidee\n    - name: reef\n";
    let other = "  - catalog: example.com/other:v1\n    packages:\n    - name: reef\n";
    let files = Files::new(&format!("{WHOLE}{channels}{other}"));
    let reef = files.folder.path().join("reef");
    fs::create_dir(&reef).unwrap();
    fs::write(reef.join("catalog.yaml"), tide_yaml().replace("tide", "reef")).unwrap();
    let (config, catalog, reef) =
        (files.path_of("imageset.yaml"), files.path_of("catalog"), files.path_of("reef"));
    let check =
        |more: &[&str]| olmap(&[&["mirror", "check", &config, &catalog, &reef], more].concat()).exits(1);
    let text = check(&[]).out;
    for line in [
        format!("  {config}:9: package tide has no channel stabel in this catalog; did you mean stable?\n"),
        format!("  {config}:11: this catalog has no package tidee; did you mean tide?\n"),
        format!("  {config}:12: this catalog has no package reef; {reef} has it\n"),
    ] {
        assert!(text.contains(&line), "{text}");
    }
    let rows = check(&["--format", "json"]).json();
    let expected = json!([
        {"package": "tide", "channel": "stabel", "line": 9, "suggestion": "stable"},
        {"package": "tidee", "line": 11, "suggestion": "tide"},
        {"package": "reef", "line": 12, "catalogs": [reef]},
    ]);
    assert_eq!(rows[0]["unknown"], expected);
    assert!(rows[1]["unknown"].is_null(), "{rows}");
    let filter = ["mirror", "filter", &catalog, "--config", &config, "--operator", "1"];
    let run = olmap(&filter).exits(0);
    assert!(run.out.contains("bundles are mirrored"), "{}", run.out);
    assert!(run.err.contains(":9: package tide has no channel stabel in this catalog"), "{}", run.err);
    assert!(run.err.contains("hint: did you mean stable?"), "{}", run.err);
}

/// A catalog with a reference takes its section. A section without a catalog is reported.
#[test]
fn sections_are_assigned_to_catalogs() {
    let whole = "  - catalog: example.com/whole:v1\n    full: true\n";
    let part = "  - catalog: example.com/part:v1\n    packages:\n    - {name: tide, minVersion: 2.0.0}\n";
    let head =
        "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n";
    let files = Files::new(&format!("{head}{whole}{part}"));
    let (config, catalog) = (files.folder.path().join("imageset.yaml"), files.folder.path().join("catalog"));
    let (config, catalog) = (config.to_str().unwrap(), catalog.to_str().unwrap());
    let named = format!("example.com/part:v1={catalog}");
    let both = olmap(&["mirror", "check", config, &named, catalog, "--format", "json"]);
    let alone = olmap(&["mirror", "check", config, catalog, "--format", "json"]).exits(0);
    assert_eq!(both.code, 1, "the first is cut, the second whole: {}", both.out);
    assert_eq!(both.out.matches("\"catalog\"").count(), 2, "{}", both.out);
    assert!(alone.err.contains("example.com/part:v1 is not checked"), "{}", alone.err);
    let odd = Files::new(&format!("{head}{whole}  platform: {{channelz: []}}\n"));
    let odd = odd.folder.path().join("imageset.yaml");
    let refused = olmap(&["mirror", "check", odd.to_str().unwrap(), catalog]).exits(2);
    assert!(refused.err.contains("channelz"), "{}", refused.err);
}
