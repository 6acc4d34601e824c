//! The suites `multiarch` and `openshift`, lost objects, and directories that are not bundles.

use std::{fs, path::Path};

use super::run::{Run, olmap_in};

fn write_file(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn run_line(folder: &Path, line: &str) -> Run {
    olmap_in(folder, &line.split(' ').collect::<Vec<_>>())
}

/// Writes a bundle with metadata lines of its CSV and a node affinity as JSON.
fn write_oven_bundle(metadata: &str, affinity: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: oven.v1.0.0\n{metadata}spec:\n  \
         version: 1.0.0\n  displayName: Oven\n  install:\n    strategy: deployment\n    spec:\n      deployments:\n      - name: oven\n        \
         spec:\n          template:\n            spec:\n              affinity: {affinity}\n              containers:\n              \
         - {{name: manager, image: example.com/oven:v1}}\n              - {{name: kube-rbac-proxy, image: example.com/proxy:v1}}\n"
    );
    write_file(folder.path(), "b/manifests/oven.clusterserviceversion.yaml", &csv);
    let key = "operators.operatorframework.io.bundle";
    let annotations = format!(
        "annotations:\n  {key}.mediatype.v1: registry+v1\n  {key}.manifests.v1: manifests/\n  {key}.metadata.v1: metadata/\n  \
         {key}.package.v1: oven\n  {key}.channels.v1: stable\n"
    );
    write_file(folder.path(), "b/metadata/annotations.yaml", &annotations);
    folder
}

/// Returns the levels of the verdicts of a suite.
fn verdict_levels(run: &Run) -> Vec<String> {
    let rows = run.json();
    rows.as_array().unwrap().iter().map(|row| row["level"].as_str().unwrap().to_owned()).collect()
}

const AMD64: &str = "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: \
                     [{key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: kubernetes.io/os, operator: In, values: [linux]}]}]}}}";

#[test]
fn platforms_of_labels_images_and_affinity_are_compared() {
    let arm64 = "  labels:\n    operatorframework.io/arch.arm64: supported\n";
    let both = r#"["linux/amd64", "linux/arm64"]"#;
    for (labels, manager, proxy, expected) in [
        ("", r#"["linux/amd64"]"#, r#"["linux/amd64"]"#, &[][..]),
        // The image has a platform that label, affinity and proxy do not have.
        ("", both, r#"["linux/amd64"]"#, &["Warning", "Warning", "Warning"]),
        // The label has a platform that the images do not have.
        (arm64, r#"["linux/amd64"]"#, r#"["linux/amd64"]"#, &["Error", "Warning", "Warning"]),
        ("", r#""plain""#, r#"["linux/amd64"]"#, &["Error", "Warning"]),
    ] {
        let folder = write_oven_bundle(labels, AMD64);
        let platforms = format!(r#"{{"example.com/oven:v1": {manager}, "example.com/proxy:v1": {proxy}}}"#);
        write_file(folder.path(), "platforms.json", &platforms);
        let line =
            "bundle validate b --suite multiarch -o json --optional-values image-platforms=platforms.json";
        let found = run_line(folder.path(), line);
        let mut levels = verdict_levels(&found);
        levels.sort();
        assert_eq!(levels, expected, "{labels} {manager} {proxy}: {}", found.out);
        assert_eq!(found.code, i32::from(expected.contains(&"Error")), "{}", found.err);
    }
}

#[test]
fn suite_without_platforms_exits_with_2() {
    let folder = write_oven_bundle("", AMD64);
    let unknown = run_line(folder.path(), "bundle validate b --suite multiarch").exits(2);
    assert!(unknown.err.contains("the platforms of the images are not known"), "{}", unknown.err);
    let tool = run_line(
        folder.path(),
        "bundle validate b --suite multiarch -o json --optional-values container-tools=crane",
    );
    assert_eq!(verdict_levels(&tool), ["Error"]);
    write_file(folder.path(), "platforms.json", r#"{"a": "elsewhere"}"#);
    let line = "bundle validate b --suite multiarch --optional-values image-platforms=platforms.json";
    let wrong = run_line(folder.path(), line).exits(2);
    assert!(wrong.err.contains("`elsewhere` is not OS/ARCH, plain or fail"), "{}", wrong.err);
}

#[test]
fn openshift_versions_of_a_bundle_with_removed_apis_are_checked() {
    let maximum = |version: &str| {
        format!(
            "  annotations:\n    olm.properties: '[{{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"{version}\"}}]'\n"
        )
    };
    for (metadata, is_removed, value, expected) in [
        (String::new(), false, "", &[][..]),
        (String::new(), true, "", &["Error", "Warning"]),
        (maximum("4.8"), true, "", &["Warning"]),
        (maximum("4.9"), true, "", &["Error", "Warning"]),
        (maximum("4.9.1"), true, "", &["Warning", "Warning"]),
        (maximum("next"), false, "", &["Error"]),
        (maximum("4.8"), true, "range=v4.6", &["Error", "Warning"]),
        (maximum("4.8"), true, "range=v4.6-v4.8", &["Warning"]),
        (maximum("4.16"), false, "range=v4.12-v4.14", &["Error"]),
        (maximum("4"), false, "range=v4.12-v4.14", &["Error"]),
        (maximum("4.7"), false, "range=v4.6.1", &["Error"]),
        (maximum("4.7"), false, "file=missing", &["Error"]),
        (maximum("4.7"), false, "file=b", &["Error"]),
        (maximum("4.7"), false, "file=bundle.Dockerfile", &[]),
    ] {
        let folder = write_oven_bundle(&metadata, "{}");
        write_file(folder.path(), "bundle.Dockerfile", "LABEL com.redhat.openshift.versions=\"v4.6-v4.8\"\n");
        if is_removed {
            let role = "apiVersion: rbac.authorization.k8s.io/v1beta1\nkind: Role\nmetadata: {name: old}\nrules: []\n";
            write_file(folder.path(), "b/manifests/role.yaml", role);
        }
        let values = if value.is_empty() { String::new() } else { format!(" --optional-values {value}") };
        let found = run_line(folder.path(), &format!("bundle validate b --suite openshift -o json{values}"));
        let mut levels = verdict_levels(&found);
        levels.sort();
        assert_eq!(levels, expected, "{metadata} {value}: {}", found.out);
    }
}

#[test]
fn object_after_the_first_document_is_lost() {
    let folder = write_oven_bundle("", "{}");
    let text = "apiVersion: v1\nkind: Service\nmetadata: {name: first}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: second}\n\
                ---\n# nothing\n---\nkind: ConfigMap\nmetadata: {name: third}\n";
    write_file(folder.path(), "b/manifests/all.yaml", text);
    let found = run_line(folder.path(), "bundle validate b --rule lost-object").exits(1);
    let expected = "opm and OLM Classic read the first document of a file only, so Secret second and ConfigMap third are lost";
    assert!(found.out.contains(expected), "{}", found.out);
    assert!(found.out.contains("--> b/manifests/all.yaml:5:1"), "{}", found.out);
}

#[test]
fn package_manifests_are_not_validated_as_a_bundle() {
    let folder = tempfile::tempdir().unwrap();
    write_file(
        folder.path(),
        "p/oven.package.yaml",
        "packageName: oven\nchannels:\n- {name: stable, currentCSV: oven.v1.0.0}\n",
    );
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: oven.v1.0.0}\nspec: {version: 1.0.0}\n";
    write_file(folder.path(), "p/1.0.0/csv.yaml", csv);
    for path in ["p", "p/1.0.0"] {
        let refused = run_line(folder.path(), &format!("bundle validate {path}")).exits(2);
        assert!(refused.err.contains("is not a bundle, but package manifests"), "{}", refused.err);
    }
}

#[test]
fn finding_about_a_bundle_directory_has_an_existing_location() {
    let folder = write_oven_bundle("", "{}");
    let dependencies =
        "dependencies:\n- type: olm.package\n  value: {packageName: missing, version: '>=1.0.0'}\n";
    write_file(folder.path(), "b/metadata/dependencies.yaml", dependencies);
    for path in ["b", ".", "./b"] {
        let rows = run_line(folder.path(), &format!("validate {path} -o json")).json();
        assert!(!rows.as_array().unwrap().is_empty());
        for row in rows.as_array().unwrap() {
            let path = folder.path().join(row["path"].as_str().unwrap());
            assert!(path.exists(), "{row}");
            let lines = fs::read_to_string(&path).map(|text| text.lines().count() as u64);
            assert!(row["line"].as_u64().is_none_or(|line| line <= lines.unwrap()), "{row}");
        }
    }
}
