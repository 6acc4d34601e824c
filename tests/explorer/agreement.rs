//! The explorer and `olmap validate` report the same findings for the same catalog.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use base64::Engine as _;
use olm_catalog::load::Progress;
use olm_check::Finding;
use olm_source::{ManifestSearchPath, OpenOptions};
use olmap::tui::{
    Source, screens::problems::rows::ListedFinding, session::jobs::deferred_checks::DeferredCheckRequest,
};
use serde_json::{Value, json};

use super::support::{ExplorerDriver, settings};

/// Finding as both programs report it: rule, severity, package, channel, bundle, message.
type ReportedFinding = [String; 6];

/// Opens a catalog as the explorer does, answers its background requests and reads the Problems screen.
fn explorer_findings(path: &Path) -> Vec<ReportedFinding> {
    let catalog = olm_source::open_path(path, &OpenOptions::default(), &Progress::default()).unwrap();
    let source = Source::Path(path.to_owned());
    let mut hand = ExplorerDriver::before_loading(vec![source.clone()], settings(), 120, 36);
    hand.finish_loading(source, Ok(Arc::new(olmap::check_catalog(catalog, &[]))));
    loop {
        let requests = hand.requests::<DeferredCheckRequest>();
        hand.effects.clear();
        if requests.is_empty() {
            break;
        }
        for asked in requests {
            let (package, folders) = (asked.package.as_ref(), ManifestSearchPath::default());
            let learned = olmap::run_deferred_checks(package, &asked.snapshot, &folders, None);
            hand.answer(asked, learned);
        }
    }
    hand.press("4");
    let listed = hand.model.screens.problems.listed_findings();
    let with_repeated = |problem: &ListedFinding| [vec![problem.clone()], problem.repeated.clone()].concat();
    // Consequences of a finding are listed below it.
    let with_consequences = |ListedFinding { finding, .. }: ListedFinding| {
        let consequences: Vec<Finding> = finding.consequences().into_iter().cloned().collect();
        [vec![finding], consequences].concat()
    };
    let all = listed.iter().flat_map(with_repeated).flat_map(with_consequences).map(|finding| {
        let text = |name: Option<String>| name.unwrap_or_default();
        [
            finding.rule.id.to_owned(),
            finding.severity().as_str().to_owned(),
            text(finding.package.map(|name| name.to_string())),
            text(finding.channel.map(|name| name.to_string())),
            text(finding.bundle.map(|name| name.to_string())),
            finding.message,
        ]
    });
    let mut all: Vec<ReportedFinding> = all.collect();
    all.sort();
    all
}

/// Returns the rows of `olmap validate --format json`.
fn validate_findings(path: &Path) -> Vec<ReportedFinding> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_olmap"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("OLMAP_CONFIG", "none");
    let output = command.args(["validate", "--format", "json"]).arg(path).output().unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{}: {error}: {}", path.display(), String::from_utf8_lossy(&output.stderr))
    });
    let keys = ["rule", "severity", "package", "channel", "bundle", "message"];
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<ReportedFinding> = rows.iter().map(|row| keys.map(|key| text(row, key))).collect();
    all.sort();
    all
}

/// Returns the catalogs of the demo and the fixtures.
fn catalog_paths() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = [
        "demo/catalog",
        "demo/broken",
        "demo/operators",
        "tests/fixtures/safety/kettle",
        "tests/fixtures/cli/anvil",
        "tests/fixtures/cli/bundle",
        "tests/fixtures/cli/lighthouse",
        "tests/fixtures/cli/unreadable",
        "tests/fixtures/cli/repository/operators",
        "tests/fixtures/template/catalog.yaml",
        "tests/fixtures/template/semver.yaml",
    ]
    .map(PathBuf::from)
    .into();
    for folder in [
        "demo/openshift",
        "demo/ci/repository/catalogs",
        "tests/fixtures/cli/repository/catalogs",
        "tests/fixtures/conformance/repo/catalogs",
        "tests/fixtures/conformance/validate/cases",
        "tests/fixtures/conformance/random/cases",
    ] {
        let found = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        all.extend(found.filter(|path| path.is_dir()));
    }
    all.sort();
    all
}

#[test]
fn problems_screen_and_validate_report_the_same_findings() {
    let mut count = 0;
    for path in catalog_paths() {
        let found = explorer_findings(&path);
        count += found.len();
        assert_eq!(found, validate_findings(&path), "{}", path.display());
    }
    assert!(count > 0);
}

/// Returns a bundle property with an embedded object.
fn object_property(value: &Value) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(value.to_string());
    format!("- type: olm.bundle.object\n  value: {{data: {data}}}\n")
}

/// Creates a catalog with CRDs and CSVs in its bundles. Version 1.1.0 and later lack `spec.lid`.
pub fn catalog_with_objects(install_mode: &str) -> tempfile::TempDir {
    let mut text = "schema: olm.package\nname: kettle\ndefaultChannel: stable\n".to_owned();
    for channel in ["stable", "fast"] {
        let _ = write!(text, "---\nschema: olm.channel\npackage: kettle\nname: {channel}\nentries:\n");
        text += "- {name: kettle.v1.2.0, replaces: kettle.v1.1.0, skips: [kettle.v1.0.0, kettle.v0.9.0]}\n";
        text += "- {name: kettle.v1.1.0, replaces: kettle.v1.0.0}\n";
        text += "- {name: kettle.v1.0.0, replaces: kettle.v0.9.0}\n- {name: kettle.v0.9.0}\n";
    }
    for version in ["0.9.0", "1.0.0", "1.1.0", "1.2.0"] {
        let mut fields = json!({"litres": {"type": "integer"}});
        if matches!(version, "0.9.0" | "1.0.0") {
            fields["lid"] = json!({"type": "string"});
        }
        let schema =
            json!({"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}});
        let names =
            json!({"kind": "Kettle", "listKind": "KettleList", "plural": "kettles", "singular": "kettle"});
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "kettles.kitchen.example.com"},
            "spec": {
                "group": "kitchen.example.com",
                "scope": "Namespaced",
                "names": names,
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        });
        let csv = json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {"name": format!("kettle.v{version}")},
            "spec": {
                "version": version,
                "installModes": [{"type": install_mode, "supported": true}],
                "customresourcedefinitions": {
                    "owned": [{"name": "kettles.kitchen.example.com", "version": "v1", "kind": "Kettle"}],
                },
            },
        });
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: kettle\nname: kettle.v{version}\n\
             image: example.com/kettle@sha256:{:064}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: kettle, version: {version}}}\n{}{}",
            0,
            object_property(&crd),
            object_property(&csv)
        );
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("catalog.yaml"), text).unwrap();
    folder
}

fn findings_of_rule<'a>(found: &'a [ReportedFinding], rule: &str) -> Vec<&'a ReportedFinding> {
    found.iter().filter(|said| said[0] == rule).collect()
}

#[test]
fn steps_are_judged_by_objects_of_the_catalog_with_one_finding_per_cause() {
    let folder = catalog_with_objects("AllNamespaces");
    let found = validate_findings(folder.path());
    assert_eq!(found, explorer_findings(folder.path()));
    let refused = findings_of_rule(&found, "crd-upgrade-unsafe-v1");
    let [refused] = refused.as_slice() else { panic!("{found:?}") };
    assert_eq!((refused[1].as_str(), refused[4].as_str()), ("warning", "kettle.v1.2.0"));
    assert_eq!(
        refused[5],
        "OLM v1 refuses 2 upgrades to kettle.v1.2.0, from kettle.v0.9.0 and kettle.v1.0.0: \
         kettles.kitchen.example.com: spec.lid is removed"
    );
}

#[test]
fn refused_steps_are_notes_if_v1_refuses_every_head_anyway() {
    let folder = catalog_with_objects("OwnNamespace");
    let found = validate_findings(folder.path());
    assert_eq!(found, explorer_findings(folder.path()));
    let refused = findings_of_rule(&found, "crd-upgrade-unsafe-v1");
    assert_eq!(refused.iter().map(|said| said[1].as_str()).collect::<Vec<_>>(), ["note"]);
}

#[test]
fn steps_are_judged_by_package_manifests() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        let (from, to) =
            (Path::new("tests/fixtures/safety/kettle").join(version), folder.path().join(version));
        fs::create_dir(&to).unwrap();
        for file in fs::read_dir(from.join("manifests")).unwrap().map(Result::unwrap) {
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
    let package = "packageName: kettle\ndefaultChannel: stable\nchannels:\n- name: stable\n  currentCSV: kettle.v1.2.0\n";
    fs::write(folder.path().join("kettle.package.yaml"), package).unwrap();
    let found = validate_findings(folder.path());
    assert_eq!(found, explorer_findings(folder.path()));
    assert!(!findings_of_rule(&found, "crd-upgrade-unsafe-v1").is_empty(), "{found:?}");
}
