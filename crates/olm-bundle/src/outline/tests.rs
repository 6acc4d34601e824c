use super::{ImageFormat, Outline, Part, Section, images_in_argument, images_in_variable};
use crate::{Tree, TreeFile, compare::Comparison, registry::DirectoryContents};

fn outline_from_csv(csv: String) -> Outline {
    let file = |path: &str, text: String| TreeFile { path: path.to_owned(), content: Ok(text.into()) };
    let files = vec![file("manifests/a.csv.yaml", csv), file("manifests/sub/b.yaml", String::new())];
    let folders = vec!["manifests".to_owned(), "manifests/sub".to_owned(), "metadata".to_owned()];
    let tree = Tree::new(files, folders);
    Outline::from_directory(&DirectoryContents::from_tree(&tree), &tree)
}

fn outline_from_spec(spec: &str) -> Outline {
    outline_from_csv(format!("kind: ClusterServiceVersion\nmetadata: {{name: a.v1}}\nspec:\n{spec}\n"))
}

fn part_rows(inside: &Outline, part: Part) -> Vec<String> {
    let section = inside.section(part).map(|section| section.rows.as_slice()).unwrap_or_default();
    section
        .iter()
        .map(|row| format!("{}{}={} ({})", "-".repeat(row.level.into()), row.label, row.value, row.note))
        .collect()
}

#[test]
fn row_has_file_and_line() {
    let inside =
        outline_from_spec("  displayName: A\n  links:\n  - name: Source\n    url: https://example.com");
    let row = &inside.section(Part::Links).unwrap().rows[0];
    let spot = row.location.as_ref().unwrap();
    assert_eq!((spot.file.as_ref(), spot.line, row.key.as_str()), ("manifests/a.csv.yaml", 6, "link Source"));
    let below =
        |section: &Section| section.rows.iter().any(|row| row.note == "opm ignores it: in a subfolder");
    assert!(below(inside.section(Part::Files).unwrap()));
}

#[test]
fn rules_for_same_resource_are_merged_and_keys_are_stable() {
    let rule = |verbs: &str| format!("{{apiGroups: [apps], resources: [deployments], verbs: [{verbs}]}}");
    let of = |rules: &[String]| {
        let rules = rules.join(", ");
        let inside = outline_from_spec(&format!(
            "  install: {{spec: {{clusterPermissions: [{{serviceAccountName: a, rules: [{rules}]}}]}}}}"
        ));
        inside
            .section(Part::Permissions)
            .unwrap()
            .rows
            .iter()
            .map(|row| (row.key.clone(), row.value.clone()))
            .collect::<Vec<_>>()
    };
    let one = of(&[rule("watch, list, get, list")]);
    assert_eq!(one[1], ("a cluster-wide: deployments (apps)".into(), "get list watch".into()));
    assert_eq!(of(&[rule("watch"), rule("get, list")]), one);
}

#[test]
fn keys_are_unique_per_section() {
    let twice = "{name: a.b.c, version: v1, kind: K}, {name: a.b.c, version: v2, kind: K}";
    let apis = "{kind: K, version: v1, group: g}, {kind: K, version: v2, group: g}";
    let twice_each = [
        format!("customresourcedefinitions: {{owned: [{twice}], required: [{twice}]}}"),
        "links: [{name: a, url: b}, {name: a, url: c}, {name: 'a #2', url: d}]".to_owned(),
        "maintainers: [{name: a, email: b}, {name: a, email: c}]".to_owned(),
        "installModes: [{type: AllNamespaces, supported: true}, {type: AllNamespaces}]".to_owned(),
        format!("nativeAPIs: [{apis}]"),
        "relatedImages: [{name: a, image: x.io/a:1}, {name: a, image: x.io/b:1}]".to_owned(),
        "webhookdefinitions: [{generateName: a, rules: [{}, {}]}, {generateName: a}]".to_owned(),
        "install: {spec: {deployments: [{name: d, spec: {template: {spec: {containers: [\
         {name: c, env: [{name: e}, {name: e}]}, {name: c, env: [{name: e}]}]}}}}, {name: d}]}}"
            .to_owned(),
    ];
    let inside = outline_from_spec(&format!("  {}", twice_each.join("\n  ")));
    assert!(inside.sections.len() > 8, "{inside:?}");
    assert!(Comparison::compare_outlines(&inside, &inside).is_empty());
    for section in &inside.sections {
        let keys: std::collections::BTreeSet<&str> =
            section.rows.iter().map(|row| row.key.as_str()).collect();
        assert_eq!(keys.len(), section.rows.len(), "{:?}", section.part);
    }
}

#[test]
fn features_in_both_notations_are_merged() {
    let text = "kind: ClusterServiceVersion\nmetadata:\n  annotations:\n    \
                operators.openshift.io/infrastructure-features: '[\"disconnected\", \"fips\"]'\n    \
                features.operators.openshift.io/fips-compliant: \"true\"\nspec: {}\n";
    let found = part_rows(&outline_from_csv(text.to_owned()), Part::Platform);
    assert!(found.contains(&"disconnected=yes (infrastructure-features annotation)".to_owned()), "{found:?}");
    let merged = "fips-compliant=yes (features annotation, infrastructure-features annotation)";
    assert!(found.contains(&merged.to_owned()));
    assert!(found.contains(&"architectures=amd64 (no labels: OLM's default)".to_owned()));
}

#[test]
fn descriptors_have_separate_heading() {
    let descriptors = "[{path: a}, {path: b}]";
    let crd = format!(
        "{{name: a.b.c, version: v1, kind: K, specDescriptors: {descriptors}, statusDescriptors: [{{path: c}}], \
         resources: [{{kind: Pod, version: v1}}]}}"
    );
    let inside = outline_from_spec(&format!("  customresourcedefinitions: {{owned: [{crd}]}}"));
    let expected = [
        "K=a.b.c v1 ()",
        "-descriptors= (2 spec, 1 status)",
        "--spec.a= ()",
        "--spec.b= ()",
        "--status.c= ()",
        "-resources=Pod v1 ()",
    ];
    assert_eq!(part_rows(&inside, Part::Owned), expected);
    assert_eq!(inside.section(Part::Owned).unwrap().item_count(), 1);
}

#[test]
fn properties_of_annotation_are_shown() {
    let text = "kind: ClusterServiceVersion\nmetadata:\n  annotations:\n    \
                olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.17\"}, \
                {\"type\": \"harbour.depth\", \"value\": 12}]'\nspec: {}\n";
    let inside = outline_from_csv(text.to_owned());
    assert!(part_rows(&inside, Part::Platform).contains(&"max OpenShift=4.17 ()".to_owned()));
    assert_eq!(part_rows(&inside, Part::Dependencies), ["harbour.depth=12 ()"]);
}

#[test]
fn picture_type_is_detected_by_bytes() {
    assert_eq!(ImageFormat::detect(b"\x89PNG\r\n"), ImageFormat::Png);
    assert_eq!(ImageFormat::detect(b"GIF89a"), ImageFormat::Gif);
    assert_eq!(ImageFormat::detect(b"\xff\xd8\xff\xe0"), ImageFormat::Jpeg);
    assert_eq!(ImageFormat::detect(b"<?xml version='1.0'?><svg/>"), ImageFormat::Svg);
    assert_eq!(ImageFormat::detect(b""), ImageFormat::Unknown);
    // FF D8, a segment of 4 bytes, a frame of 16 by 9 pixels.
    let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\0\x09\0\x10";
    assert_eq!(ImageFormat::Jpeg.pixel_size(jpeg), Some((16, 9)));
    for end in 0..jpeg.len() - 1 {
        assert_eq!(ImageFormat::Jpeg.pixel_size(&jpeg[..end]), None);
    }
}

#[test]
fn finds_images_in_arguments_and_variables() {
    assert_eq!(images_in_argument("--image=quay.io/a/b:v1"), ["quay.io/a/b:v1"]);
    assert_eq!(
        images_in_argument("--map=a=quay.io/a/b:v1,b=localhost:5000/c:2"),
        ["quay.io/a/b:v1", "localhost:5000/c:2"]
    );
    assert!(
        images_in_argument("--url=https://quay.io/a:v1 --listen=0.0.0.0:8443 --path=/etc/a.b/c").is_empty()
    );
    assert_eq!(images_in_variable("RELATED_IMAGE_DB", "postgres:16"), ["postgres:16"]);
    assert!(images_in_variable("DB", "postgres:16").is_empty());
    assert_eq!(images_in_variable("VERSIONS", "[{\"image\": \"quay.io/a/b:1\"}]"), ["quay.io/a/b:1"]);
}

/// Repetition in a bundle must not multiply the rows.
#[test]
fn outlines_grow_linearly_with_bundles() {
    let many =
        |count: usize, word: &str| (0..count).map(|n| format!("{word}{n}")).collect::<Vec<_>>().join(", ");
    let rule = format!(
        "{{apiGroups: [{}], resources: [{}], verbs: [{}], resourceNames: [{}]}}",
        many(2000, "g"),
        many(2000, "r"),
        many(2000, "v"),
        many(2000, "n"),
    );
    let inside = outline_from_spec(&format!("  install: {{spec: {{permissions: [{{rules: [{rule}]}}]}}}}"));
    let found = part_rows(&inside, Part::Permissions);
    assert_eq!(found.len(), 2, "the service account and one rule");
    assert!(found[1].len() < 1000, "{}", found[1]);
    let deep = "[".repeat(4000) + &"]".repeat(4000);
    let inside = outline_with_examples(&format!("[{{\"kind\": \"K\", \"spec\": {deep}}}]"));
    let body = inside.section(Part::Examples).unwrap().rows[0].body.clone().unwrap();
    assert!(body.text().len() < 10_000);
    // Wide, and moderately deep.
    let (open, wide) = ("{\"a\":".repeat(60), vec!["1"; 10_000].join(","));
    let wide = format!("{open}[{wide}]{}", "}".repeat(60));
    let inside = outline_with_examples(&format!("[{{\"kind\": \"K\", \"spec\": {wide}}}]"));
    let body = inside.section(Part::Examples).unwrap().rows[0].body.clone().unwrap();
    assert!(body.text().len() < 10 * wide.len(), "{}", body.text().len());
}

fn outline_with_examples(examples: &str) -> Outline {
    outline_from_csv(format!(
        "kind: ClusterServiceVersion\nmetadata:\n  annotations:\n    alm-examples: '{examples}'\nspec: {{}}\n"
    ))
}

#[test]
fn api_has_its_description_and_the_service_behind_it() {
    let inside = outline_from_spec(
        "  customresourcedefinitions:
    owned:
    - {name: as.a.io, version: v1, kind: A, displayName: An A, description: \"Serves\\n  A.\"}
    - {name: bs.a.io, version: v1, kind: B}
    required: [{name: cs.c.io, version: v1, kind: C, description: Needed for C.}]
  apiservicedefinitions:
    owned:
    - {group: d.io, version: v1, kind: D, name: ds, deploymentName: server, containerPort: 5443}
    - {group: e.io, version: v1, kind: E, name: es, deploymentName: server}",
    );
    assert_eq!(
        part_rows(&inside, Part::Owned),
        [
            "A=as.a.io v1 (An A)",
            "-description=Serves A. ()",
            "B=bs.a.io v1 ()",
            "D=ds.d.io v1  API service ()",
            "-deployment=server ()",
            "-container port=5443 ()",
            "E=es.e.io v1  API service ()",
            "-deployment=server ()",
            "-container port=443 (default) ()",
        ]
    );
    assert_eq!(part_rows(&inside, Part::Required), ["C=cs.c.io v1 ()", "-description=Needed for C. ()"]);
}

#[test]
fn internal_crd_keeps_its_display_name() {
    let csv = |annotation: &str| {
        let csv = format!(
            "kind: ClusterServiceVersion
metadata: {{name: a.v1, annotations: {{operators.operatorframework.io/internal-objects: '{annotation}'}}}}
spec: {{customresourcedefinitions: {{owned: [{{name: as.a.io, version: v1, kind: A, displayName: An A}}]}}}}
"
        );
        part_rows(&outline_from_csv(csv), Part::Owned)
    };
    assert_eq!(csv(r#"["as.a.io"]"#), ["A=as.a.io v1 (An A; internal: consoles hide it)"]);
    assert_eq!(csv("[as.a.io]"), ["A=as.a.io v1 (An A)"]);
}

#[test]
fn features_and_subscriptions_are_shown_as_consoles_read_them() {
    let rows = |features: &str, subscriptions: &str| {
        let csv = format!(
            "kind: ClusterServiceVersion
metadata:
  name: a.v1
  annotations:
    operators.openshift.io/infrastructure-features: '{features}'
    operators.openshift.io/valid-subscription: '{subscriptions}'
spec: {{}}
"
        );
        let rows = part_rows(&outline_from_csv(csv), Part::Platform);
        rows.into_iter().filter(|row| !row.contains("OLM's default")).collect::<Vec<_>>()
    };
    assert_eq!(
        rows(r#"["Disconnected", "fips", "proxyaware", "sno"]"#, r#"["A", "B"]"#),
        [
            "disconnected=yes (infrastructure-features annotation, as only the OpenShift console reads it)",
            "fips-compliant=yes (infrastructure-features annotation)",
            "proxyaware=unknown (infrastructure-features annotation: no console reads it)",
            "sno=yes (infrastructure-features annotation, as only the OpenShift console reads it)",
            "subscriptions=A, B ()",
        ]
    );
    assert_eq!(
        rows("[fips]", "A"),
        [
            "infrastructure features=[fips] (not a JSON list of strings: consoles ignore it)",
            "subscriptions=A (not a JSON list of strings: consoles ignore it)",
        ]
    );
}

#[test]
fn identity_has_labels_and_selector() {
    let csv = "kind: ClusterServiceVersion
metadata: {name: a.v1, labels: {operatorframework.io/os.linux: supported, team: a}}
spec:
  labels: {app: a, tier: b}
  selector: {matchLabels: {app: a}, matchExpressions: [{key: tier, operator: Exists}]}
";
    assert_eq!(
        part_rows(&outline_from_csv(csv.to_owned()), Part::Identity),
        [
            "name=a.v1 ()",
            "object labels=team=a ()",
            "labels=app=a, tier=b ()",
            "selector=app=a ()",
            r#"selector expressions=[{"key":"tier","operator":"Exists"}] ()"#,
        ]
    );
}

#[test]
fn conditions_of_a_constraint_are_rows() {
    let properties = r#"[{"type": "olm.constraint", "value": {"failureMessage": "needs storage", "any": {"constraints": [
        {"failureMessage": "or ceph", "package": {"packageName": "ceph", "versionRange": ">=1.0.0"}},
        {"all": {"constraints": [
            {"gvk": {"group": "disk.io", "version": "v1", "kind": "Disk"}},
            {"cel": {"rule": "properties.exists(p, p.type == \"certified\")"}}]}}]}}}]"#;
    let csv = serde_json::json!({
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "a.v1", "annotations": {"olm.properties": properties}},
        "spec": {},
    });
    let inside = outline_from_csv(csv.to_string());
    assert_eq!(
        part_rows(&inside, Part::Dependencies),
        [
            "needs=needs storage ()",
            "-package=ceph >=1.0.0 (any of: or ceph)",
            "-API=Disk v1 (disk.io) (any of > all of)",
            r#"-CEL rule=properties.exists(p, p.type == "certified") (any of > all of)"#,
        ]
    );
}

#[test]
fn deep_constraint_is_cut() {
    let deep = (0..200).fold(r#"{"cel": {"rule": "true"}}"#.to_owned(), |inner, _| {
        format!(r#"{{"not": {{"constraints": [{inner}]}}}}"#)
    });
    let csv = serde_json::json!({
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": "a.v1",
            "annotations": {"olm.properties": format!(r#"[{{"type": "olm.constraint", "value": {deep}}}]"#)},
        },
        "spec": {},
    });
    let rows = part_rows(&outline_from_csv(csv.to_string()), Part::Dependencies);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows[1].starts_with("-condition=conditions at a depth of more than 16 (none of > none of"));
}
