use std::{collections::HashMap, sync::Mutex};

use super::{
    AdvisoryKind, ApiNeighbors, Fingerprint, PackageSafety, PathHistory, Safety, SafetyInputs, StepReason,
    Verdict, VerdictCache, find_steps,
};
use crate::{EdgeKind, Engine, PackageGraph, fixture};
use olm_bundle::{
    Tree, TreeFile,
    crd::ManifestsUnavailable,
    manifests::{BundleManifests, Manifests},
};
use olm_catalog::{PackageName, blob::BundleBlob, load};

/// Bundles by version, with extra lines of the spec and versions of the CRD (name, served, storage, schema). The second
/// field is true if the bundles are directories.
struct TestManifests(HashMap<String, Tree>, bool);

impl Default for TestManifests {
    fn default() -> Self {
        Self(HashMap::new(), true)
    }
}

impl TestManifests {
    fn with_bundle(mut self, version: &str, spec: &str, versions: &str) -> Self {
        let file = |path: &str, text: String| TreeFile { path: path.to_owned(), content: Ok(text.into()) };
        let csv = format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: p.v{version}}}\n\
             spec:\n  installModes: [{{type: AllNamespaces, supported: true}}]\n  version: {version}\n{spec}"
        );
        let crd = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: lamps.example.com}}\n\
             spec: {{group: example.com, scope: Namespaced, names: {{kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}}, versions: [{versions}]}}\n"
        );
        let annotations = "annotations: {operators.operatorframework.io.bundle.package.v1: p}\n".to_owned();
        let files = vec![
            file("manifests/a.csv.yaml", csv),
            file("manifests/crd.yaml", crd),
            file("metadata/annotations.yaml", annotations),
        ];
        self.0.insert(format!("p.v{version}"), Tree::new(files, vec!["manifests".into(), "metadata".into()]));
        self
    }
}

impl Manifests for TestManifests {
    fn manifests_of(
        &self,
        _: &PackageName,
        bundle: &BundleBlob,
    ) -> Result<BundleManifests, ManifestsUnavailable> {
        let name = bundle.name.value.as_str();
        let tree =
            self.0.get(name).cloned().ok_or_else(|| ManifestsUnavailable::NoObjects(name.to_owned()))?;
        Ok(BundleManifests { tree, shown: self.1.then(|| format!("operators/p/{name}")) })
    }
}

/// Creates a version of the CRD with these fields.
fn crd_version(name: &str, is_stored: bool, fields: &str) -> String {
    let schema = format!(
        "{{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}}}}}}}}}"
    );
    format!("{{name: {name}, served: true, storage: {is_stored}, schema: {schema}}}")
}

const SIZE: &str = "size: {type: integer}";
const SIZE_AND_NAME: &str = "size: {type: integer}, name: {type: string}";

fn judge_channel(lines: &str, shelf: &TestManifests) -> PackageSafety {
    let neighbours = ApiNeighbors::default();
    PackageSafety::judge_package(
        &fixture::graph_from_channels(&[("c", lines)]),
        SafetyInputs { manifests: shelf, neighbors: &neighbours, cache: None },
    )
}

fn step_safety<'s>(safety: &'s PackageSafety, from: &str, to: &str) -> &'s Safety {
    safety.find_step(&format!("p.v{from}").as_str().into(), &format!("p.v{to}").as_str().into()).unwrap()
}

fn verdict_texts(safety: &Safety) -> Vec<(Verdict, String)> {
    safety.all_lines().into_iter().map(|(verdict, words, _)| (verdict, words)).collect()
}

#[test]
fn steps_are_edges_and_picks_of_resolvers() {
    let graph: PackageGraph = fixture::graph_from_channels(&[(
        "c",
        "1.0.0\n1.1.0 replaces=1.0.0\n1.2.0 replaces=1.1.0 skips=1.0.0",
    )]);
    let found = find_steps(&graph);
    let told: Vec<String> = found
        .iter()
        .map(|step| {
            let ways: Vec<String> = step.reasons.iter().map(ToString::to_string).collect();
            format!("{} {}: {}", step.from, step.to, ways.join(", "))
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    p.v1.0.0 p.v1.1.0: replaces in c
    p.v1.0.0 p.v1.2.0: skips in c, Classic in c, v1, v1 in c
    p.v1.1.0 p.v1.2.0: replaces in c, Classic in c, v1, v1 in c
    ");
    assert!(found.iter().any(|step| step.reasons.contains(&StepReason::Edge(EdgeKind::Skips, "c".into()))));
}

#[test]
fn v1_refuses_removed_field_with_its_location() {
    let shelf = TestManifests::default()
        .with_bundle("1.0.0", "", &crd_version("v1", true, SIZE_AND_NAME))
        .with_bundle("1.1.0", "", &crd_version("v1", true, SIZE))
        .with_bundle("1.2.0", "", &crd_version("v1", true, SIZE));
    let safety = judge_channel("1.0.0\n1.1.0 replaces=1.0.0\n1.2.0 replaces=1.1.0 skips=1.0.0", &shelf);
    let refused = step_safety(&safety, "1.0.0", "1.1.0");
    assert_eq!(refused.overall_verdict(), Verdict::RefusedByV1);
    assert_eq!(refused.brief(&[Engine::V1]), "v1 refuses: lamps.example.com: spec.name is removed");
    let (_, _, place) = refused.all_lines()[0].clone();
    assert_eq!(
        place.map(|place| place.file.to_string()).as_deref(),
        Some("operators/p/p.v1.0.0/manifests/crd.yaml")
    );
    // Objects in a catalog do not have a file that the user could open.
    let carried = TestManifests(shelf.0.clone(), false);
    let of_objects = judge_channel("1.0.0\n1.1.0 replaces=1.0.0", &carried);
    let lines = step_safety(&of_objects, "1.0.0", "1.1.0").all_lines();
    assert!(!lines.is_empty() && lines.iter().all(|(.., place)| place.is_none()), "{lines:?}");
    assert_eq!(step_safety(&safety, "1.1.0", "1.2.0").overall_verdict(), Verdict::Safe);
    assert_eq!(
        step_safety(&safety, "1.0.0", "1.2.0").overall_verdict(),
        Verdict::RefusedByV1,
        "steps do not compose"
    );
}

#[test]
fn removed_version_is_named_by_how_it_was_used() {
    let served = |name: &str, is_stored| crd_version(name, is_stored, SIZE);
    let shelf = TestManifests::default()
        .with_bundle("1.0.0", OWNED_LAMP, &[served("v1", true), served("v1beta1", false)].join(", "))
        .with_bundle("1.1.0", OWNED_LAMP, &served("v1", true))
        .with_bundle("1.2.0", OWNED_LAMP, &served("v2", true));
    let safety = judge_channel("1.0.0\n1.1.0 replaces=1.0.0\n1.2.0 replaces=1.1.0", &shelf);
    let kinds = |from: &str, to: &str| match step_safety(&safety, from, to) {
        Safety::Known(known) => known.looks.iter().map(|look| look.kind).collect::<Vec<_>>(),
        other @ Safety::Unknown(_) => panic!("{other:?}"),
    };
    assert_eq!(kinds("1.0.0", "1.1.0"), [AdvisoryKind::ServedVersionGoes]);
    assert_eq!(kinds("1.1.0", "1.2.0"), [AdvisoryKind::ApiGoes], "it was the storage version");
}

/// Lines of the spec that own the CRD.
const OWNED_LAMP: &str =
    "  customresourcedefinitions: {owned: [{name: lamps.example.com, version: v1, kind: Lamp}]}\n";

#[test]
fn missing_manifests_are_never_safe() {
    let shelf = TestManifests::default().with_bundle("1.0.0", "", &crd_version("v1", true, SIZE));
    let safety = judge_channel("1.0.0\n1.1.0 replaces=1.0.0", &shelf);
    assert_eq!(verdict_texts(step_safety(&safety, "1.0.0", "1.1.0"))[0].0, Verdict::Unknown);
    let broken = TreeFile { path: "manifests/x.yaml".into(), content: Ok("a: [".into()) };
    let mut shelf = shelf.with_bundle("1.1.0", "", &crd_version("v1", true, SIZE));
    let tree = shelf.0.get_mut("p.v1.1.0").unwrap();
    *tree = Tree::new([tree.files.clone(), vec![broken]].concat(), tree.folders.clone());
    let safety = judge_channel("1.0.0\n1.1.0 replaces=1.0.0", &shelf);
    let told = verdict_texts(step_safety(&safety, "1.0.0", "1.1.0"));
    assert!(told[0].0 == Verdict::Unknown && told[0].1.contains("x.yaml"), "{told:?}");
}

#[test]
fn both_refuse_removal_of_stored_version() {
    let shelf = TestManifests::default()
        .with_bundle("1.0.0", "", &crd_version("v1beta1", true, SIZE))
        .with_bundle("1.1.0", "", &crd_version("v1", true, SIZE));
    let safety = judge_channel("1.0.0\n1.1.0 replaces=1.0.0", &shelf);
    let told = step_safety(&safety, "1.0.0", "1.1.0");
    assert_eq!(told.overall_verdict(), Verdict::RefusedByBoth, "{told:?}");
}

#[test]
fn version_stored_by_older_bundle_needs_a_look() {
    let both = |stored: &str| {
        [crd_version("v1beta1", stored == "v1beta1", SIZE), crd_version("v1", stored == "v1", SIZE)]
            .join(", ")
    };
    let without = crd_version("v1", true, SIZE);
    let shelf = TestManifests::default()
        .with_bundle("1.0.0", "", &both("v1beta1"))
        .with_bundle("1.1.0", "", &both("v1"))
        .with_bundle("1.2.0", "", &without)
        .with_bundle("1.3.0", "", &without);
    let safety =
        judge_channel("1.0.0\n1.1.0 replaces=1.0.0\n1.2.0 replaces=1.1.0\n1.3.0 replaces=1.2.0", &shelf);
    let told = verdict_texts(step_safety(&safety, "1.1.0", "1.2.0"));
    assert!(told[0].1.contains("v1beta1 is gone; clusters that had p.v1.0.0"), "{told:?}");
    assert_eq!(step_safety(&safety, "1.1.0", "1.2.0").overall_verdict(), Verdict::NeedsALook);
    assert_eq!(
        step_safety(&safety, "1.2.0", "1.3.0").overall_verdict(),
        Verdict::Safe,
        "who has 1.2.0 has pruned it"
    );
}

#[test]
fn version_that_a_bundle_on_the_path_stored_makes_the_step_fail() {
    let both = |stored: &str| {
        [crd_version("v1beta1", stored == "v1beta1", SIZE), crd_version("v1", stored == "v1", SIZE)]
            .join(", ")
    };
    let shelf = TestManifests::default()
        .with_bundle("1.0.0", "", &both("v1beta1"))
        .with_bundle("1.1.0", "", &both("v1"))
        .with_bundle("1.2.0", "", &crd_version("v1", true, SIZE));
    let graph = fixture::graph_from_channels(&[("c", "1.0.0\n1.1.0 replaces=1.0.0\n1.2.0 replaces=1.1.0")]);
    let neighbours = ApiNeighbors::default();
    let verdict = |before: &[&str]| {
        let step = ("p.v1.1.0".into(), "p.v1.2.0".into());
        let before = before.iter().map(|name| (*name).into()).collect();
        let grounds = SafetyInputs { manifests: &shelf, neighbors: &neighbours, cache: None };
        let safety = PackageSafety::judge_path(
            &graph,
            find_steps(&graph),
            &PathHistory::from([(step, before)]),
            grounds,
        );
        step_safety(&safety, "1.1.0", "1.2.0").overall_verdict()
    };
    assert_eq!(verdict(&[]), Verdict::NeedsALook, "only some clusters had the first bundle");
    assert_eq!(verdict(&["p.v1.0.0"]), Verdict::RefusedByBoth);
    assert_eq!(verdict(&["p.v0.9.0"]), Verdict::Unknown, "a bundle on the path is not known");
}

/// An object without a rule has the same verdict in all commands as in `bundle diff`.
#[test]
fn object_without_a_rule_makes_a_step_unknown() {
    let crd = crd_version("v1", true, SIZE);
    let mut shelf = TestManifests::default().with_bundle("1.0.0", "", &crd).with_bundle("1.1.0", "", &crd);
    let text = "apiVersion: example.com/v1\nkind: Service\nmetadata: {name: lamp}\n";
    let object = TreeFile { path: "manifests/x.yaml".into(), content: Ok(text.into()) };
    let tree = shelf.0.get_mut("p.v1.1.0").unwrap();
    *tree = Tree::new([tree.files.clone(), vec![object]].concat(), tree.folders.clone());
    let safety = judge_channel("1.0.0\n1.1.0 replaces=1.0.0", &shelf);
    let step = step_safety(&safety, "1.0.0", "1.1.0");
    assert!(step.overall_verdict() == Verdict::Unknown && step.is_failure(), "{step:?}");
    let expected = "not checked: no rule for Service lamp of example.com/v1";
    assert_eq!(verdict_texts(step), [(Verdict::Unknown, expected.to_owned())]);
    assert_eq!(safety.not_checked().len(), 1);
}

#[test]
fn new_permissions_need_a_look() {
    let may = |rules: &str| {
        format!(
            "  install: {{spec: {{clusterPermissions: [{{serviceAccountName: a, rules: [{rules}]}}]}}}}\n"
        )
    };
    let pods = |verbs: &str| format!("{{apiGroups: [\"\"], resources: [pods], verbs: [{verbs}]}}");
    let crd = crd_version("v1", true, SIZE);
    let shelf = TestManifests::default()
        .with_bundle("1.0.0", &may(&pods("get, list")), &crd)
        .with_bundle("1.1.0", &may(&pods("get")), &crd)
        .with_bundle("1.2.0", &may(&pods("get, delete")), &crd);
    let safety = judge_channel("1.0.0\n1.1.0 replaces=1.0.0\n1.2.0 replaces=1.1.0", &shelf);
    assert_eq!(step_safety(&safety, "1.0.0", "1.1.0").overall_verdict(), Verdict::Safe);
    let told = verdict_texts(step_safety(&safety, "1.1.0", "1.2.0"));
    assert_eq!(told, [(Verdict::NeedsALook, "permissions grow: pods (core) get delete".to_owned())]);
}

/// Cycles of steps must not cause an endless loop.
#[test]
fn cycle_of_steps_terminates() {
    let both = |stored: &str| {
        [crd_version("v1beta1", stored == "v1beta1", SIZE), crd_version("v1", stored == "v1", SIZE)]
            .join(", ")
    };
    let shelf = TestManifests::default().with_bundle("1.0.0", "", &both("v1beta1")).with_bundle(
        "1.1.0",
        "",
        &both("v1"),
    );
    let safety = judge_channel("1.0.0 replaces=1.1.0\n1.1.0 replaces=1.0.0", &shelf);
    assert_eq!(safety.steps.len(), 2);
}

/// Reports a removed API that another package requires and no other package provides.
#[test]
fn reports_removed_api_that_other_packages_require() {
    let lamp = |version: &str| {
        format!("{{type: olm.gvk, value: {{group: example.com, version: {version}, kind: Lamp}}}}")
    };
    let bundle = |package: &str, version: &str, apis: &str| {
        format!(
            "---\n{{schema: olm.bundle, package: {package}, name: {package}.v{version}, image: x, properties: [{{type: olm.package, \
             value: {{packageName: {package}, version: {version}}}}}, {apis}]}}\n"
        )
    };
    let channel = "---\n{schema: olm.channel, package: p, name: c, entries: [{name: p.v1.1.0, replaces: p.v1.0.0}, {name: p.v1.0.0}]}\n";
    let requires = lamp("v1").replace("olm.gvk", "olm.gvk.required");
    let text = |more: &str| {
        let own = bundle("p", "1.0.0", &lamp("v1")) + &bundle("p", "1.1.0", &lamp("v2"));
        format!(
            "{channel}{own}{}{}{more}",
            bundle("q", "1.0.0", &requires),
            bundle("r", "1.0.0", &lamp("v3"))
        )
    };
    let versions = crd_version("v1", true, SIZE);
    let shelf =
        TestManifests::default().with_bundle("1.0.0", "", &versions).with_bundle("1.1.0", "", &versions);
    let looks = |text: String| {
        let catalog = load::from_bytes(text.into_bytes());
        let graph = PackageGraph::new(catalog.package("p").unwrap());
        let safety = PackageSafety::judge_package(
            &graph,
            SafetyInputs { manifests: &shelf, neighbors: &ApiNeighbors::from_catalog(&catalog), cache: None },
        );
        verdict_texts(step_safety(&safety, "1.0.0", "1.1.0"))
    };
    let told = (Verdict::NeedsALook, "example.com/v1 Lamp goes and is required by q".to_owned());
    assert_eq!(looks(text("")), [told]);
    assert_eq!(looks(text(&bundle("s", "1.0.0", &lamp("v1")))), [], "another package provides it");
}

/// In-memory cache of verdicts that counts failed lookups.
#[derive(Default)]
struct TestCache(Mutex<(HashMap<Fingerprint, Vec<Safety>>, usize)>);

impl VerdictCache for TestCache {
    fn load_verdicts(&self, of: &Fingerprint) -> Option<Vec<Safety>> {
        let (kept, missed) = &mut *self.0.lock().unwrap();
        let found = kept.get(of).cloned();
        *missed += usize::from(found.is_none());
        found
    }

    fn store_verdicts(&self, of: &Fingerprint, verdicts: &[Safety]) {
        self.0.lock().unwrap().0.insert(*of, verdicts.to_vec());
    }
}

#[test]
fn verdicts_are_cached_by_content() {
    let (kept, neighbours) = (TestCache::default(), ApiNeighbors::default());
    let shelf = |fields: &str| {
        let shelf =
            TestManifests::default().with_bundle("1.0.0", "", &crd_version("v1", true, SIZE_AND_NAME));
        shelf.with_bundle("1.1.0", "", &crd_version("v1", true, fields))
    };
    let judged = |lines: &str, shelf: &TestManifests| {
        let grounds = SafetyInputs { manifests: shelf, neighbors: &neighbours, cache: Some(&kept) };
        let safety = PackageSafety::judge_package(&fixture::graph_from_channels(&[("c", lines)]), grounds);
        (safety.steps, kept.0.lock().unwrap().1)
    };
    let (first, missed) = judged("1.0.0\n1.1.0 replaces=1.0.0", &shelf(SIZE));
    assert_eq!((first.len(), missed), (1, 1));
    assert_eq!(judged("1.0.0\n1.1.0 replaces=1.0.0", &shelf(SIZE)), (first.clone(), 1), "nothing changed");
    let (other, missed) = judged("1.0.0\n1.1.0 replaces=1.0.0", &shelf(SIZE_AND_NAME));
    assert!(missed == 2 && other != first, "a manifest changed");
    let (_, missed) = judged("1.0.0\n1.1.0", &shelf(SIZE));
    assert_eq!(missed, 3, "the steps changed");
}
