use super::{ChangeKind, Comparison, ConcernKind, RowDifference};
use crate::{
    Tree, TreeFile,
    outline::{Outline, Part, Source},
    registry::DirectoryContents,
};

/// Creates a bundle from the spec of its CSV and other manifests.
fn bundle_outline(name: &str, spec: &str, others: &[(&str, &str)]) -> Outline {
    let file = |path: &str, text: &str| TreeFile { path: path.to_owned(), content: Ok(text.into()) };
    let csv = format!("kind: ClusterServiceVersion\nmetadata: {{name: {name}}}\nspec:\n{spec}\n");
    let mut files = vec![file("manifests/a.csv.yaml", &csv)];
    files.extend(others.iter().map(|(path, text)| file(&format!("manifests/{path}"), text)));
    let tree = Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()]);
    Outline::from_directory(&DirectoryContents::from_tree(&tree), &tree)
}

fn concerns(comparison: &Comparison) -> Vec<(ConcernKind, &str)> {
    comparison.concerns.iter().map(|concern| (concern.kind, concern.message.as_str())).collect()
}

fn changed_rows(comparison: &Comparison, part: Part) -> Vec<(ChangeKind, String)> {
    let section = comparison.sections.iter().find(|section| section.part == part);
    let told = |row: &RowDifference| {
        let label = row.latest_row().map(|row| row.label.clone()).unwrap_or_default();
        (row.change_kind(), [row.above.join(" > "), label, row.summary()].join("|"))
    };
    section.map(|section| section.rows.iter().map(told).collect()).unwrap_or_default()
}

fn crd_yaml(versions: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: lamps.example.com}}\n\
         spec: {{group: example.com, scope: Namespaced, names: {{kind: Lamp, plural: lamps}}, versions: [{versions}]}}\n"
    )
}

const OWNED: &str =
    "  customresourcedefinitions: {owned: [{name: lamps.example.com, version: v1, kind: Lamp}]}";

#[test]
fn bundle_does_not_differ_from_itself() {
    let lamp = bundle_outline(
        "lamp.v1",
        OWNED,
        &[("crd.yaml", &crd_yaml("{name: v1, served: true, storage: true}"))],
    );
    let comparison = Comparison::compare_outlines(&lamp, &lamp);
    assert!(comparison.is_empty() && comparison.concerns.is_empty(), "{comparison:?}");
}

#[test]
fn removed_crd_versions_come_first() {
    let of = |name: &str, versions: &str| bundle_outline(name, OWNED, &[("crd.yaml", &crd_yaml(versions))]);
    let old = of(
        "lamp.v1",
        "{name: v1alpha1, served: false, storage: false}, {name: v1beta1, served: true, storage: false}, \
         {name: v1, served: true, storage: true}",
    );
    let new = of("lamp.v2", "{name: v1, served: false, storage: true}");
    let comparison = Comparison::compare_outlines(&old, &new);
    assert_eq!(
        concerns(&comparison),
        [
            (ConcernKind::RemovedVersion, "version v1beta1 of Lamp is removed; it was served"),
            (ConcernKind::UnservedVersion, "version v1 of Lamp is no longer served"),
        ],
        "that v1alpha1 goes, which nobody could use, is how it should be"
    );
    assert_eq!(
        changed_rows(&comparison, Part::Owned),
        [
            (ChangeKind::Removed, "Lamp|v1alpha1|not served".to_owned()),
            (ChangeKind::Removed, "Lamp|v1beta1|served".to_owned()),
            (ChangeKind::Changed, "Lamp|v1|served, stored => not served, stored".to_owned()),
        ]
    );
    let none = bundle_outline("lamp.v3", "  description: none", &[]);
    assert_eq!(
        concerns(&Comparison::compare_outlines(&new, &none)),
        [(ConcernKind::RemovedApi, "Lamp (lamps.example.com) is no longer owned")]
    );
}

#[test]
fn reports_removed_install_mode_only_if_it_was_supported() {
    let modes = |name: &str, own: bool, all: bool| {
        let own = format!("{{type: OwnNamespace, supported: {own}}}");
        bundle_outline(
            name,
            &format!("  installModes: [{own}, {{type: AllNamespaces, supported: {all}}}]"),
            &[],
        )
    };
    let comparison = Comparison::compare_outlines(&modes("a.v1", true, false), &modes("a.v2", false, true));
    let told = [(ConcernKind::RemovedInstallMode, "install mode OwnNamespace is no longer supported")];
    assert_eq!(concerns(&comparison), told);
    let gone = bundle_outline("a.v3", "  installModes: [{type: OwnNamespace, supported: true}]", &[]);
    assert!(Comparison::compare_outlines(&modes("a.v1", true, false), &gone).concerns.is_empty());
}

#[test]
fn reports_gained_danger_before_other_permissions() {
    let of = |name: &str, rules: &str| {
        let permission = format!("{{serviceAccountName: lamp, rules: [{rules}]}}");
        bundle_outline(name, &format!("  install: {{spec: {{clusterPermissions: [{permission}]}}}}"), &[])
    };
    let pods = "{apiGroups: [\"\"], resources: [pods], verbs: [get]}";
    let old = of("a.v1", pods);
    let secrets = "{apiGroups: [\"\"], resources: [secrets], verbs: [get]}";
    let new = of("a.v2", &format!("{pods}, {secrets}"));
    let comparison = Comparison::compare_outlines(&old, &new);
    let [(ConcernKind::GainedDanger, words)] = concerns(&comparison)[..] else { panic!("{comparison:?}") };
    assert!(words.contains("service account lamp") && words.contains("secrets"), "{words}");
    let told = changed_rows(&comparison, Part::Permissions);
    assert_eq!(told.len(), 1, "how many dangers an account has is not told once more: {told:?}");
    assert!(Comparison::compare_outlines(&new, &old).concerns.is_empty(), "what is given up is no concern");
    let watched = of("a.v3", &format!("{pods}, {}", secrets.replace("[get]", "[get, watch]")));
    assert!(Comparison::compare_outlines(&new, &watched).concerns.is_empty(), "it could be read before");
}

#[test]
fn renamed_object_is_deleted_and_created_again() {
    let object =
        |kind: &str, name: &str| format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}}}\n");
    let of = |name: &str, config: &str| {
        let (config, service) = (object("ConfigMap", config), object("Service", "metrics"));
        bundle_outline(name, "  version: 1.0.0", &[("config.yaml", &config), ("service.yaml", &service)])
    };
    let comparison = Comparison::compare_outlines(&of("a.v1", "lamp-config"), &of("a.v2", "lamp-settings"));
    let told =
        "ConfigMap lamp-config is called lamp-settings now: an upgrade deletes it and makes the new one";
    assert_eq!(concerns(&comparison), [(ConcernKind::RemovedObject, told)]);
    let none = bundle_outline("a.v3", "  version: 1.0.0", &[]);
    let gone = Comparison::compare_outlines(&of("a.v1", "c"), &none);
    assert_eq!(gone.concerns.len(), 2, "{gone:?}");
}

#[test]
fn compares_containers_by_image_arguments_and_environment() {
    let of = |name: &str, image: &str, args: &str, env: &str| {
        let container = format!(
            "{{name: manager, image: '{image}', args: [{args}], env: [{env}], securityContext: {{privileged: {}}}}}",
            name == "a.v2"
        );
        let pod = format!("{{template: {{spec: {{containers: [{container}]}}}}}}");
        bundle_outline(
            name,
            &format!("  install: {{spec: {{deployments: [{{name: lamp, spec: {pod}}}]}}}}"),
            &[],
        )
    };
    let many = "--leader-elect, --metrics-bind-address=:8443, --health-probe-bind-address=:8081";
    let old = of("a.v1", "example.com/lamp:1", many, "{name: A, value: one}, {name: B, value: two}");
    let more = format!("{many}, --webhook=false").replace("--leader-elect, ", "");
    let new = of("a.v2", "example.com/lamp:2", &more, "{name: A, value: other}");
    let comparison = Comparison::compare_outlines(&old, &new);
    let told = changed_rows(&comparison, Part::Deployments);
    assert_eq!(
        told,
        [
            (ChangeKind::Changed, "lamp|manager|example.com/lamp:1 => example.com/lamp:2".to_owned()),
            (
                ChangeKind::Changed,
                "lamp > manager|args|without --leader-elect, now --webhook=false".to_owned()
            ),
            (ChangeKind::Changed, "lamp > manager|env|A: one => other".to_owned()),
            (ChangeKind::Removed, "lamp > manager|env|B=two".to_owned()),
        ]
    );
    assert_eq!(concerns(&comparison), [(ConcernKind::GainedDanger, "container manager: is privileged")]);
}

/// Creates a bundle with one deployment from its pod and the container.
fn deployment_outline(name: &str, pod: &str, container: &str) -> Outline {
    let pod = format!("{{{pod}containers: [{{name: manager, image: a{container}}}]}}");
    let spec = format!("{{template: {{spec: {pod}}}}}");
    bundle_outline(
        name,
        &format!("  install: {{spec: {{deployments: [{{name: lamp, spec: {spec}}}]}}}}"),
        &[],
    )
}

#[test]
fn dropped_node_access_is_not_a_concern() {
    let both = deployment_outline("a.v1", "hostNetwork: true, hostPID: true, ", "");
    let one = deployment_outline("a.v2", "hostNetwork: true, ", "");
    assert_eq!(concerns(&Comparison::compare_outlines(&both, &one)), []);
    let gained = [(ConcernKind::GainedDanger, "deployment lamp: uses the node's processes")];
    assert_eq!(concerns(&Comparison::compare_outlines(&one, &both)), gained);
}

#[test]
fn reordered_arguments_are_shown_in_full() {
    let of = |name: &str, first: u32, second: u32| {
        let args =
            format!(", args: [--max-reconciles, '{first}', --max-connections-per-host-and-lamp, '{second}']");
        deployment_outline(name, "", &args)
    };
    let told = changed_rows(
        &Comparison::compare_outlines(&of("a.v1", 10, 2000), &of("a.v2", 2000, 10)),
        Part::Deployments,
    );
    let expected = "lamp > manager|args|--max-reconciles 10 --max-connections-per-host-and-lamp 2000 => \
                    --max-reconciles 2000 --max-connections-per-host-and-lamp 10";
    assert_eq!(told, [(ChangeKind::Changed, expected.to_owned())]);
    let verbose = |name: &str, count: usize| {
        let flags = vec!["-v"; count].join(", ");
        deployment_outline(
            name,
            "",
            &format!(", args: [--metrics-bind-address=:8443, --health-probe-bind-address=:8081, {flags}]"),
        )
    };
    let told = changed_rows(
        &Comparison::compare_outlines(&verbose("a.v1", 3), &verbose("a.v2", 2)),
        Part::Deployments,
    );
    assert_eq!(told, [(ChangeKind::Changed, "lamp > manager|args|without -v".to_owned())]);
}

#[test]
fn compares_data_without_a_row() {
    let with = |name: &str, path: &str, text: &str| bundle_outline(name, OWNED, &[(path, text)]);
    let role = |verbs: &str| {
        let rule = format!("{{apiGroups: [\"\"], resources: [pods], verbs: [{verbs}]}}");
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: more}}\nrules: [{rule}]\n"
        )
    };
    let schema = |required: &str| {
        crd_yaml(&format!("{{name: v1, served: true, storage: true, schema: {{required: [{required}]}}}}"))
    };
    let words = |part: Part, old: Outline, new: Outline| {
        changed_rows(&Comparison::compare_outlines(&old, &new), part)
    };
    let differs = "other fields differ";
    assert_eq!(
        words(Part::Objects, with("a.v1", "r.yaml", &role("get")), with("a.v2", "r.yaml", &role("'*'"))),
        [(ChangeKind::Changed, format!("|ClusterRole|more  {differs}"))]
    );
    assert_eq!(
        words(Part::Owned, with("a.v1", "c.yaml", &schema("")), with("a.v2", "c.yaml", &schema("size"))),
        [(ChangeKind::Changed, format!("Lamp|v1|served, stored  {differs}"))]
    );
    let container = |name: &str, added: &str| {
        deployment_outline(name, "", &format!(", securityContext: {{capabilities: {{add: [{added}]}}}}"))
    };
    assert_eq!(
        words(Part::Deployments, container("a.v1", "SYS_ADMIN"), container("a.v2", "ALL")),
        [(ChangeKind::Changed, format!("lamp|manager|a  {differs}"))]
    );
    let webhook = |name: &str, seconds: u32| {
        let webhook =
            format!("{{generateName: w, type: ValidatingAdmissionWebhook, timeoutSeconds: {seconds}}}");
        bundle_outline(name, &format!("  webhookdefinitions: [{webhook}]"), &[])
    };
    assert_eq!(
        words(Part::Webhooks, webhook("a.v1", 1), webhook("a.v2", 30)),
        [(ChangeKind::Changed, format!("|w|ValidatingAdmissionWebhook  {differs}"))]
    );
    // The order of keys does not matter.
    let turned = role("get").lines().rev().collect::<Vec<_>>().join("\n");
    assert_eq!(
        words(Part::Objects, with("a.v1", "r.yaml", &role("get")), with("a.v2", "r.yaml", &turned)),
        []
    );
}

#[test]
fn changed_crd_scope_is_a_concern() {
    let version = "{name: v1, served: true, storage: true}";
    let old = bundle_outline("a.v1", OWNED, &[("crd.yaml", &crd_yaml(version))]);
    let new =
        bundle_outline("a.v2", OWNED, &[("crd.yaml", &crd_yaml(version).replace("Namespaced", "Cluster"))]);
    let words = "scope of Lamp Namespaced => Cluster: a cluster that has the CRD refuses it";
    assert_eq!(concerns(&Comparison::compare_outlines(&old, &new)), [(ConcernKind::ChangedScope, words)]);
}

#[test]
fn version_in_other_notation_is_not_higher() {
    let of = |name: &str, version: &str| bundle_outline(name, &format!("  minKubeVersion: {version}"), &[]);
    assert_eq!(concerns(&Comparison::compare_outlines(&of("a.v1", "'1.25'"), &of("a.v2", "1.25.0"))), []);
}

#[test]
fn sections_from_different_sources_are_not_compared() {
    let directory =
        bundle_outline("a.v1", OWNED, &[("crd.yaml", &crd_yaml("{name: v1, served: true, storage: true}"))]);
    let mut catalog = bundle_outline("a.v2", OWNED, &[]);
    catalog.source = Source::Metadata;
    let comparison = Comparison::compare_outlines(&directory, &catalog);
    let owned = comparison.sections.iter().find(|section| section.part == Part::Owned).unwrap();
    assert!(owned.gap.is_some() && owned.rows.is_empty(), "{owned:?}");
    assert_eq!(concerns(&comparison), []);
}

#[test]
fn new_requirement_is_a_concern() {
    let old = bundle_outline("a.v1", "  minKubeVersion: 1.25.0", &[]);
    let required = "  customresourcedefinitions: {required: [{name: a.b.c, version: v1, kind: A}]}";
    let new = bundle_outline("a.v2", &format!("  minKubeVersion: 1.30.0\n{required}"), &[]);
    let comparison = Comparison::compare_outlines(&old, &new);
    let told: Vec<ConcernKind> = comparison.concerns.iter().map(|concern| concern.kind).collect();
    assert_eq!(told, [ConcernKind::NewRequirement; 2], "{comparison:?}");
    assert!(comparison.concerns[0].message.starts_with("min Kubernetes 1.25.0 => 1.30.0"));
    assert!(Comparison::compare_outlines(&new, &old).concerns.is_empty());
}

#[test]
fn additional_image_is_one_row_among_many_of_its_kind() {
    let of = |name: &str, tags: &[&str]| {
        let item = |tag: &&str| format!("{{name: '', image: 'example.com/db:{tag}'}}");
        let items: Vec<String> = tags.iter().map(item).collect();
        bundle_outline(name, &format!("  relatedImages: [{}]", items.join(", ")), &[])
    };
    let told = |old: &[&str], new: &[&str]| {
        let comparison = Comparison::compare_outlines(&of("a.v1", old), &of("a.v2", new));
        let mut rows = changed_rows(&comparison, Part::Images);
        rows.retain(|(_, words)| words.contains("example.com"));
        rows.into_iter().map(|(fate, words)| format!("{fate:?} {words}")).collect::<Vec<_>>()
    };
    let added = told(&["1", "2", "3"], &["0", "1", "2", "3"]);
    assert!(
        added.len() == 1 && added[0].starts_with("Added") && added[0].contains("example.com/db:0"),
        "{added:?}"
    );
    let changed = told(&["1", "2"], &["1", "3"]);
    assert!(changed.len() == 1 && changed[0].contains("example.com/db:2 => example.com/db:3"), "{changed:?}");
}

#[test]
fn environment_variable_is_named_once() {
    let of = |name: &str, value: &str| {
        let container = format!("{{name: manager, image: a, env: [{{name: MODES, value: '{value}'}}]}}");
        let pod = format!("{{template: {{spec: {{containers: [{container}]}}}}}}");
        bundle_outline(
            name,
            &format!("  install: {{spec: {{deployments: [{{name: lamp, spec: {pod}}}]}}}}"),
            &[],
        )
    };
    let told = |old: &str, new: &str| {
        changed_rows(&Comparison::compare_outlines(&of("a.v1", old), &of("a.v2", new)), Part::Deployments)
            .remove(0)
            .1
    };
    assert_eq!(told("one", "two"), "lamp > manager|env|MODES: one => two");
    let long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
    assert_eq!(told(long, &format!("{long} last")), "lamp > manager|env|MODES: now last");
}
