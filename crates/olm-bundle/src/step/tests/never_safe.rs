//! Cases in which the verdict "safe" must not appear.

use super::{Bundle, DEPLOYMENT, judge_bundles};
use crate::{
    Tree, TreeFile,
    manifests::BundleManifests,
    step::{StepBundle, StepVerdict, StoredVersions, judge_step},
};

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: spindle}\n";
const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lathes.example.com}\n\
    spec: {group: example.com, scope: Namespaced, names: {kind: Lathe, plural: lathes}, versions: \
    [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n";

fn webhook_bundle(rest: &str) -> Bundle {
    Bundle::with_spec(&format!(
        "  webhookdefinitions: [{{type: ValidatingAdmissionWebhook, generateName: a.example.com{rest}}}]\n"
    ))
}

/// New bundles for which at least one OLM must not report a safe step.
fn situations() -> Vec<(&'static str, Bundle)> {
    let owned =
        "  customresourcedefinitions: {owned: [{name: lathes.example.com, version: v1, kind: Lathe}]}\n";
    let nested = Bundle::default().and_file("more/object.yaml", MAP);
    let csv = Bundle::default().csv_yaml("1.1.0").replace("lathe.v1.1.0", "other.v1.1.0");
    vec![
        ("unknown kind", Bundle::with_file("apiVersion: example.com/v1\nkind: Lathe\nmetadata: {name: a}\n")),
        ("kind without a rule for its group", Bundle::with_file(&MAP.replace("apiVersion: v1", "apiVersion: example.com/v1"))),
        ("kind that only OLM v1 installs", Bundle::with_file(&MAP.replace("v1\nkind: ConfigMap", "monitoring.coreos.com/v1\nkind: PodMonitor"))),
        ("kind that neither installs", Bundle::with_file(&MAP.replace("v1\nkind: ConfigMap", "apps/v1\nkind: DaemonSet"))),
        ("no apiVersion", Bundle::with_file("kind: ConfigMap\nmetadata: {name: a}\n")),
        ("no kind", Bundle::with_file("apiVersion: v1\nmetadata: {name: a}\n")),
        ("no name", Bundle::with_file("apiVersion: v1\nkind: ConfigMap\n")),
        ("generated name", Bundle::with_file("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n")),
        ("not an object", Bundle::with_file("- a\n- b\n")),
        ("unreadable document", Bundle::with_file("a: [\n")),
        ("unreadable second document", Bundle::with_file(&format!("{MAP}---\na: [\n"))),
        ("not UTF-8 text", Bundle::with_file("a: \u{0}\n")),
        ("templated YAML", Bundle::with_file("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.name }}\n")),
        ("templated name", Bundle::with_file("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: '{{ .Values.name }}'\n")),
        ("block of a template", Bundle::with_file("{{- if .Values.map }}\napiVersion: v1\nkind: ConfigMap\n{{- end }}\n")),
        ("second document", Bundle::with_file(&format!("{MAP}---\n{}", MAP.replace("spindle", "chuck")))),
        ("comments before the first document", Bundle::with_file(&format!("# a\n---\n---\n{MAP}"))),
        ("list", Bundle::with_file(&format!("apiVersion: v1\nkind: List\nitems:\n- {}", MAP.trim().replace('\n', "\n  ")))),
        ("hidden file", Bundle::default().and_file(".object.yaml", MAP)),
        ("folder in manifests", nested),
        ("second CSV", Bundle::default().and_file("other.csv.yaml", &csv)),
        ("one object twice", Bundle::default().and_file("a.yaml", MAP).and_file("b.yaml", MAP)),
        ("CRD twice", Bundle::default().and_file("a.yaml", CRD).and_file("b.yaml", CRD)),
        ("two deployments of one name", Bundle::with_deployments(&format!("{DEPLOYMENT}, {DEPLOYMENT}"))),
        ("deployment without a spec", Bundle::with_deployments("{name: a}")),
        ("deployment without a name", Bundle::with_deployments(&DEPLOYMENT.replace("name: lathe-controller, ", ""))),
        ("deployment without containers", Bundle::with_deployments(&DEPLOYMENT.replace("{name: manager, image: example.com/lathe}", ""))),
        ("replicas as text", Bundle::with_deployments(&DEPLOYMENT.replace("spec: {selector", "spec: {replicas: two, selector"))),
        ("webhook without a deployment", webhook_bundle("")),
        ("webhook for a missing deployment", webhook_bundle(", deploymentName: other")),
        ("webhook for all groups", webhook_bundle(", deploymentName: lathe-controller, rules: [{apiGroups: ['*']}]")),
        ("no install mode", Bundle::default().and_modes("")),
        ("install mode twice", Bundle::default().and_modes("  installModes: [{type: AllNamespaces, supported: true}, {type: AllNamespaces, supported: true}]\n")),
        ("API service", Bundle::with_spec("  apiservicedefinitions: {owned: [{name: a, group: b.c, version: v1, kind: A, deploymentName: lathe-controller}]}\n")),
        ("owned CRD that is missing", Bundle::with_spec(owned)),
        ("owned CRD in a second document", Bundle::with_spec(owned).and_file("a.yaml", &format!("{MAP}---\n{CRD}"))),
        ("CRD in an API of its own", Bundle::with_file(&CRD.replace("apiextensions.k8s.io/v1", "example.com/v1"))),
        ("CRD without versions", Bundle::with_file(&CRD.replace("versions: [", "versions: [], old: ["))),
        ("optional API", Bundle::with_file(&MAP.replace("v1\nkind: ConfigMap", "monitoring.coreos.com/v1\nkind: ServiceMonitor"))),
    ]
}

#[test]
fn step_is_not_safe_if_part_of_the_new_bundle_was_not_compared() {
    let plain = Bundle::default();
    assert!(
        judge_bundles(&plain, &plain).is_safe(),
        "the smallest bundle is safe: {:?}",
        judge_bundles(&plain, &plain)
    );
    for (situation, bundle) in situations() {
        let judged = judge_bundles(&plain, &bundle);
        assert!(!judged.is_safe(), "{situation} is called safe");
        for (name, olm) in judged.by_olm() {
            let has_reason = !olm.reasons.is_empty() || !olm.not_checked.is_empty();
            assert_eq!(olm.verdict() != StepVerdict::Safe, has_reason, "{situation}: {name} has no reason");
        }
    }
}

#[test]
fn step_is_not_safe_if_the_old_bundle_was_not_compared() {
    let plain = Bundle::default();
    for situation in [
        "unreadable document",
        "unreadable second document",
        "templated YAML",
        "second CSV",
        "folder in manifests",
    ] {
        let (_, bundle) = situations().into_iter().find(|(name, _)| *name == situation).unwrap();
        assert!(!judge_bundles(&bundle, &plain).is_safe(), "old bundle: {situation}");
    }
}

#[test]
fn bundle_without_a_csv_or_with_an_unreadable_file_is_not_read() {
    let tree = |files: Vec<TreeFile>| Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()]);
    let read = |files| {
        StepBundle::from_manifests(BundleManifests { tree: tree(files), shown: Some("lathe".to_owned()) })
    };
    assert!(read(Vec::new()).is_err(), "an empty directory");
    let object = TreeFile { path: "manifests/object.yaml".to_owned(), content: Ok(MAP.into()) };
    assert!(read(vec![object]).is_err(), "no ClusterServiceVersion");
    let mut files = Bundle::default().to_tree("1.1.0").files;
    files.push(TreeFile {
        path: "manifests/locked.yaml".to_owned(),
        content: Err("permission denied".to_owned()),
    });
    let error = read(files).map(drop).unwrap_err();
    assert!(error.contains("locked.yaml"), "{error}");
}

#[test]
fn bundle_without_annotations_is_refused_in_a_directory_and_not_in_a_catalog() {
    let without = |shown: Option<String>| {
        let files = Bundle::default().to_tree("1.1.0").files;
        let files = files.into_iter().filter(|file| file.path.starts_with("manifests/")).collect();
        let tree = Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()]);
        StepBundle::from_manifests(BundleManifests { tree, shown }).unwrap()
    };
    let old = Bundle::default().to_step_bundle("1.0.0").unwrap();
    let in_directory = judge_step(&old, &without(Some("lathe".to_owned())), &StoredVersions::new());
    let verdicts = in_directory.by_olm().map(|(_, olm)| olm.verdict());
    assert_eq!(verdicts, [StepVerdict::Refused; 2]);
    assert!(judge_step(&old, &without(None), &StoredVersions::new()).is_safe());
}
