//! `olmap extract`: a valid subset of a catalog.

use std::{fs, path::Path};

use super::run::{Run, olmap_in, olmap_with};

/// Returns the package `tide`: channel stable with 1.0.0 to 2.0.0 and channel fast. 2.0.0 requires
/// `moon`.
fn tide_yaml() -> String {
    let mut text = "# The tide.\nschema: olm.package\nname: tide\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: \
                    tide\nname: stable\nentries:\n- name: tide.v2.0.0\n  replaces: tide.v1.1.0\n# By hand.\n- {name: \
                    tide.v1.1.0, replaces: tide.v1.0.0}\n- name: tide.v1.0.0\n---\nschema: olm.channel\npackage: \
                    tide\nname: fast\nentries: [{name: tide.v2.0.0}]\n---\nschema: olm.deprecations\npackage: \
                    tide\nentries:\n- reference: {schema: olm.bundle, name: tide.v1.0.0}\n  message: old\n"
        .to_owned();
    for version in ["1.0.0", "1.1.0", "2.0.0"] {
        text += &bundle_yaml("tide", version);
    }
    text + "- {type: olm.package.required, value: {packageName: moon, versionRange: '>=1.0.0'}}\n"
}

fn bundle_yaml(package: &str, version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: \
         example.com/{package}:{version}\nproperties:\n- type: olm.package\n  value: {{packageName: {package}, version: \
         {version}}}\n"
    )
}

fn moon_yaml() -> String {
    "schema: olm.package\nname: moon\ndefaultChannel: c\n---\nschema: olm.channel\npackage: moon\nname: c\nentries: [{name: \
     moon.v1.0.0}]\n"
        .to_owned()
        + &bundle_yaml("moon", "1.0.0")
}

struct ExtractFolder(tempfile::TempDir);

impl ExtractFolder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("catalog")).unwrap();
        fs::write(folder.path().join("catalog/tide.yaml"), tide_yaml()).unwrap();
        fs::write(folder.path().join("catalog/moon.yaml"), moon_yaml()).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run_command(&self, args: &[&str]) -> Run {
        olmap_in(self.path(), args)
    }

    fn read_file(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }
}

#[test]
fn extracted_package_keeps_its_text_and_is_valid() {
    let setting = ExtractFolder::new();
    let run = setting.run_command(&["extract", "tide", "catalog", "--to", "out"]).exits(0);
    assert_eq!(setting.read_file("out/tide/catalog.yaml"), format!("---\n{}", tide_yaml()));
    assert!(!setting.path().join("out/moon").exists());
    assert_eq!(
        run.out,
        "PACKAGE  CHANNEL           HEAD   TAKEN  OF\n\
         tide     stable (default)  2.0.0      3   3\n\
         tide     fast              2.0.0      1   1\n\
         tide: tide.v2.0.0 requires package moon in >=1.0.0, which is not taken; moon has it\n\
         wrote 1 file in out\n"
    );
    assert_eq!(setting.run_command(&["validate", "--parity", "out"]).code, 0);
    let both =
        setting.run_command(&["extract", "tide", "--with-dependencies", "catalog", "--to", "both"]).exits(0);
    assert!(both.out.contains("moon: comes along: tide requires package moon in >=1.0.0"), "{}", both.out);
    assert!(setting.path().join("both/moon/catalog.yaml").exists());
}

#[test]
fn range_keeps_complete_edges_and_reports_others() {
    let setting = ExtractFolder::new();
    let run = setting.run_command(&["extract", "tide:stable:1.1.0", "catalog", "--to", "out"]).exits(0);
    assert_eq!(
        run.out,
        "PACKAGE  CHANNEL           HEAD   TAKEN  OF\n\
         tide     stable (default)  1.1.0      1   3\n\
         tide: stable: 1.1.0 replaces tide.v1.0.0, which is not taken\n\
         tide: stable: OLM Classic would upgrade 1 version to what is not taken\n\
         tide: OLM v1 would upgrade 1 version to what is not taken\n\
         wrote 1 file in out\n"
    );
    let written = setting.read_file("out/tide/catalog.yaml");
    assert!(written.contains("# By hand.\n- {name: tide.v1.1.0, replaces: tide.v1.0.0}\n"), "{written}");
    for gone in ["deprecations", "fast", "tide.v2.0.0", "name: tide.v1.0.0"] {
        assert!(!written.contains(gone), "{gone}: {written}");
    }
    assert_eq!(setting.run_command(&["validate", "--parity", "out"]).code, 0);
}

#[test]
fn default_channel_is_included_or_replaced() {
    let setting = ExtractFolder::new();
    let along = setting.run_command(&["extract", "tide:fast", "catalog", "--dry-run"]).exits(0);
    assert!(
        along.out.contains("tide: channel stable comes along: it is the default channel"),
        "{}",
        along.out
    );
    assert!(along.out.ends_with("nothing written: 1 file\n"), "{}", along.out);
    assert!(fs::read_dir(setting.path()).unwrap().count() == 1);
    let set = ["extract", "tide:fast", "catalog", "--default-channel", "fast", "--to", "out"];
    let set = setting.run_command(&set).exits(0);
    assert!(set.out.contains("tide: the default channel is fast, not stable any more"), "{}", set.out);
    assert!(setting.read_file("out/tide/catalog.yaml").contains("defaultChannel: fast"));
}

#[test]
fn prints_json_summary_or_the_catalog_to_standard_output() {
    let setting = ExtractFolder::new();
    let args = ["extract", "tide:stable:1.0.0 || 2.0.0", "catalog", "-n", "--format", "json"];
    let json = setting.run_command(&args).exits(0).json();
    let channel = &json["packages"][0]["channels"][0];
    assert_eq!(channel["along"], serde_json::json!([{"name": "tide.v1.1.0", "why": "between"}]));
    assert_eq!((&channel["entries"], &channel["head"]), (&3.into(), &"tide.v2.0.0".into()));
    assert_eq!(json["missing"][0]["providers"], serde_json::json!(["moon"]));
    assert_eq!(json["files"], serde_json::json!(["tide/catalog.yaml"]));
    let piped = setting.run_command(&["extract", "moon", "catalog", "--to", "-"]).exits(0);
    assert_eq!(piped.out, setting.run_command(&["render", "catalog/moon.yaml"]).out);
    assert!(piped.err.contains("moon     c (default)"), "{}", piped.err);
    fs::create_dir(setting.path().join("home")).unwrap();
    fs::write(setting.path().join("home/catalog.yaml"), moon_yaml()).unwrap();
    let here = olmap_in(&setting.path().join("home"), &["extract", "moon", "--to", "-"]).exits(0);
    assert_eq!(here.out, piped.out, "one word is a package of the catalog one stands in");
    assert_eq!(olmap_with(&moon_yaml(), &["extract", "moon:c:1", "-", "--to", "-"]).exits(0).out, piped.out);
}

#[test]
fn existing_files_are_overwritten_only_with_force() {
    let setting = ExtractFolder::new();
    fs::create_dir(setting.path().join("out")).unwrap();
    setting.run_command(&["extract", "tide", "catalog", "--to", "out"]).exits(0);
    let again = setting.run_command(&["extract", "tide", "catalog", "--to", "out"]).exits(2);
    assert!(again.err.contains("out is not empty") && again.err.contains("--force"), "{}", again.err);
    setting.run_command(&["extract", "tide:stable:2.0.0", "catalog", "--to", "out", "--force"]).exits(0);
    assert!(!setting.read_file("out/tide/catalog.yaml").contains("fast"));
    let other = setting.run_command(&["extract", "moon", "catalog", "--to", "out", "--force"]).exits(2);
    assert!(other.err.contains("out has more than what is taken: tide"), "{}", other.err);
    assert!(!setting.path().join("out/moon").exists());
    let file = setting.run_command(&["extract", "moon", "catalog", "--to", "catalog/moon.yaml"]).exits(2);
    assert!(file.err.contains("cannot write to catalog/moon.yaml"), "{}", file.err);
}

#[test]
fn refuses_missing_content_without_writing() {
    let setting = ExtractFolder::new();
    fs::write(
        setting.path().join("broken.yaml"),
        moon_yaml() + "---\nschema: olm.channel\npackage: moon\nname: d\nentries: 3\n",
    )
    .unwrap();
    // A bundle without a name may belong to any entry, so an entry without a bundle is not an
    // error.
    let nameless = bundle_yaml("moon", "1.0.0").replace("name: moon.v1.0.0\n", "");
    let text =
        moon_yaml().replace(&bundle_yaml("moon", "1.0.0"), &nameless).replace("name: c\n", "name: d\n");
    fs::write(setting.path().join("empty.yaml"), text.replace("defaultChannel: c", "defaultChannel: d"))
        .unwrap();
    for (wish, catalog, why) in [
        ("tid", "catalog", "did you mean tide?"),
        ("sun", "catalog", "packages: moon, tide"),
        ("tide:slow", "catalog", "hint: channels: stable, fast"),
        ("tide:stable:>=3", "catalog", "the versions go from 1.0.0 to 2.0.0"),
        ("tide:stable:soon", "catalog", "tide:stable:soon: not a range"),
        (":stable", "catalog", "names no package"),
        ("moon", "broken.yaml", "opm cannot read what may be a part of it"),
        ("moon:d", "empty.yaml", "opm would reject what is taken"),
        ("moon", "nowhere", "nowhere"),
    ] {
        let run = setting.run_command(&["extract", wish, catalog, "--to", "out"]).exits(2);
        assert!(run.err.contains(why), "{wish}: {}", run.err);
        assert!(!setting.path().join("out").exists());
    }
    let inside = setting.run_command(&["extract", "tide", "catalog", "--to", "catalog/mine"]).exits(2);
    assert!(inside.err.contains("opm would read catalog/mine as a part of the catalog"), "{}", inside.err);
    let nowhere = setting.run_command(&["extract", "tide", "catalog", "-o", "json"]).exits(2);
    assert!(nowhere.err.contains("--to DIR names it"), "{}", nowhere.err);
    setting.run_command(&["extract", "tide", "catalog"]).exits(2);
    let several = ["extract", "tide", "moon", "catalog", "-n", "--default-channel", "stable"];
    assert!(setting.run_command(&several).exits(2).err.contains("of which package?"));
    let json = ["extract", "tide", "catalog", "--to", "-", "--format", "json"];
    assert!(setting.run_command(&json).exits(2).err.contains("cannot both go to standard output"));
}
