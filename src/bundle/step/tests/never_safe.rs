//! Cases in which the verdict "safe" must not appear.

use super::{Bundle, DEPLOYMENT, step};
use crate::bundle::{
    Tree, TreeFile,
    manifests::Found,
    step::{StepBundle, StepVerdict, StoredBefore, judge},
};

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: spindle}\n";
const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lathes.example.com}\n\
    spec: {group: example.com, scope: Namespaced, names: {kind: Lathe, plural: lathes}, versions: \
    [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n";

fn webhook(rest: &str) -> Bundle {
    Bundle::spec(&format!(
        "  webhookdefinitions: [{{type: ValidatingAdmissionWebhook, generateName: a.example.com{rest}}}]\n"
    ))
}

/// New bundles for which at least one OLM must not report a safe step.
fn situations() -> Vec<(&'static str, Bundle)> {
    let owned =
        "  customresourcedefinitions: {owned: [{name: lathes.example.com, version: v1, kind: Lathe}]}\n";
    let nested = Bundle::default().and_file("more/object.yaml", MAP);
    let csv = Bundle::default().csv("1.1.0").replace("lathe.v1.1.0", "other.v1.1.0");
    vec![
        ("unknown kind", Bundle::file("apiVersion: example.com/v1\nkind: Lathe\nmetadata: {name: a}\n")),
        ("kind without a rule for its group", Bundle::file(&MAP.replace("apiVersion: v1", "apiVersion: example.com/v1"))),
        ("kind that only OLM v1 installs", Bundle::file(&MAP.replace("v1\nkind: ConfigMap", "monitoring.coreos.com/v1\nkind: PodMonitor"))),
        ("kind that neither installs", Bundle::file(&MAP.replace("v1\nkind: ConfigMap", "apps/v1\nkind: DaemonSet"))),
        ("no apiVersion", Bundle::file("kind: ConfigMap\nmetadata: {name: a}\n")),
        ("no kind", Bundle::file("apiVersion: v1\nmetadata: {name: a}\n")),
        ("no name", Bundle::file("apiVersion: v1\nkind: ConfigMap\n")),
        ("generated name", Bundle::file("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n")),
        ("not an object", Bundle::file("- a\n- b\n")),
        ("unreadable document", Bundle::file("a: [\n")),
        ("unreadable second document", Bundle::file(&format!("{MAP}---\na: [\n"))),
        ("not UTF-8 text", Bundle::file("a: \u{0}\n")),
        ("templated YAML", Bundle::file("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.name }}\n")),
        ("templated name", Bundle::file("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: '{{ .Values.name }}'\n")),
        ("block of a template", Bundle::file("{{- if .Values.map }}\napiVersion: v1\nkind: ConfigMap\n{{- end }}\n")),
        ("second document", Bundle::file(&format!("{MAP}---\n{}", MAP.replace("spindle", "chuck")))),
        ("comments before the first document", Bundle::file(&format!("# a\n---\n---\n{MAP}"))),
        ("list", Bundle::file(&format!("apiVersion: v1\nkind: List\nitems:\n- {}", MAP.trim().replace('\n', "\n  ")))),
        ("hidden file", Bundle::default().and_file(".object.yaml", MAP)),
        ("folder in manifests", nested),
        ("second CSV", Bundle::default().and_file("other.csv.yaml", &csv)),
        ("one object twice", Bundle::default().and_file("a.yaml", MAP).and_file("b.yaml", MAP)),
        ("CRD twice", Bundle::default().and_file("a.yaml", CRD).and_file("b.yaml", CRD)),
        ("two deployments of one name", Bundle::deployments(&format!("{DEPLOYMENT}, {DEPLOYMENT}"))),
        ("deployment without a spec", Bundle::deployments("{name: a}")),
        ("deployment without a name", Bundle::deployments(&DEPLOYMENT.replace("name: lathe-controller, ", ""))),
        ("deployment without containers", Bundle::deployments(&DEPLOYMENT.replace("{name: manager, image: example.com/lathe}", ""))),
        ("replicas as text", Bundle::deployments(&DEPLOYMENT.replace("spec: {selector", "spec: {replicas: two, selector"))),
        ("webhook without a deployment", webhook("")),
        ("webhook for a missing deployment", webhook(", deploymentName: other")),
        ("webhook for all groups", webhook(", deploymentName: lathe-controller, rules: [{apiGroups: ['*']}]")),
        ("no install mode", Bundle::default().and_modes("")),
        ("install mode twice", Bundle::default().and_modes("  installModes: [{type: AllNamespaces, supported: true}, {type: AllNamespaces, supported: true}]\n")),
        ("API service", Bundle::spec("  apiservicedefinitions: {owned: [{name: a, group: b.c, version: v1, kind: A, deploymentName: lathe-controller}]}\n")),
        ("owned CRD that is missing", Bundle::spec(owned)),
        ("owned CRD in a second document", Bundle::spec(owned).and_file("a.yaml", &format!("{MAP}---\n{CRD}"))),
        ("CRD in an API of its own", Bundle::file(&CRD.replace("apiextensions.k8s.io/v1", "example.com/v1"))),
        ("CRD without versions", Bundle::file(&CRD.replace("versions: [", "versions: [], old: ["))),
        ("optional API", Bundle::file(&MAP.replace("v1\nkind: ConfigMap", "monitoring.coreos.com/v1\nkind: ServiceMonitor"))),
    ]
}

#[test]
fn word_safe_does_not_appear_where_something_was_not_compared() {
    let plain = Bundle::default();
    assert!(step(&plain, &plain).is_safe(), "the smallest bundle is safe: {:?}", step(&plain, &plain));
    for (situation, bundle) in situations() {
        let judged = step(&plain, &bundle);
        assert!(!judged.is_safe(), "{situation} is called safe");
        for (name, olm) in judged.by_olm() {
            let has_reason = !olm.reasons.is_empty() || !olm.not_checked.is_empty();
            assert_eq!(olm.verdict() != StepVerdict::Safe, has_reason, "{situation}: {name} has no reason");
        }
    }
}

#[test]
fn word_safe_does_not_appear_if_the_old_bundle_was_not_compared() {
    let plain = Bundle::default();
    for situation in [
        "unreadable document",
        "unreadable second document",
        "templated YAML",
        "second CSV",
        "folder in manifests",
    ] {
        let (_, bundle) = situations().into_iter().find(|(name, _)| *name == situation).unwrap();
        assert!(!step(&bundle, &plain).is_safe(), "old bundle: {situation}");
    }
}

#[test]
fn bundle_without_a_csv_or_with_an_unreadable_file_is_not_read() {
    let tree = |files: Vec<TreeFile>| Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()]);
    let read = |files| StepBundle::read(Found { tree: tree(files), shown: Some("lathe".to_owned()) });
    assert!(read(Vec::new()).is_err(), "an empty directory");
    let object = TreeFile { path: "manifests/object.yaml".to_owned(), content: Ok(MAP.as_bytes().to_vec()) };
    assert!(read(vec![object]).is_err(), "no ClusterServiceVersion");
    let mut files = Bundle::default().tree("1.1.0").files;
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
        let files = Bundle::default().tree("1.1.0").files;
        let files = files.into_iter().filter(|file| file.path.starts_with("manifests/")).collect();
        let tree = Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()]);
        StepBundle::read(Found { tree, shown }).unwrap()
    };
    let old = Bundle::default().read("1.0.0").unwrap();
    let in_directory = judge(&old, &without(Some("lathe".to_owned())), &StoredBefore::new());
    let verdicts = in_directory.by_olm().map(|(_, olm)| olm.verdict());
    assert_eq!(verdicts, [StepVerdict::Refused; 2]);
    assert!(judge(&old, &without(None), &StoredBefore::new()).is_safe());
}
