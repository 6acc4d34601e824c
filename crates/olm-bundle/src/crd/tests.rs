//! Test cases for each kind of change, in both directions.

use std::sync::Arc;

use super::*;
use crate::{Tree, TreeFile, document};
use olm_catalog::text::json;

/// Returns a CRD whose `spec` has a field `f` with this schema, in a version `v1`.
fn crd_text(field: &str) -> String {
    crd_with_versions(&crd_version("v1", true, true, field))
}

fn crd_version(name: &str, is_served: bool, is_stored: bool, field: &str) -> String {
    format!(
        "  - name: {name}\n    served: {is_served}\n    storage: {is_stored}\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
         properties:\n          spec:\n            type: object\n            properties:\n              f: {field}\n"
    )
}

fn crd_with_versions(versions: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: boats.example.com\nspec:\n  group: \
         example.com\n  names: {{kind: Boat}}\n  scope: Namespaced\n  versions:\n{versions}"
    )
}

pub(super) fn parse_crd(text: &str) -> Crd<'_> {
    let document = document::parse_first(text.as_bytes()).unwrap();
    Crd::from_node(
        document.node,
        Arc::new(SourceText::from_file("boats.yaml", text.as_bytes())),
        document.start,
    )
    .unwrap()
}

fn compare_findings(old: &str, new: &str) -> Vec<CrdFinding> {
    compare_crds(&parse_crd(old), &parse_crd(new)).unwrap().findings
}

/// Returns `PATH VALIDATION MESSAGE` of the check of one version.
fn same_version_findings(old: &str, new: &str) -> Vec<String> {
    let list = compare_findings(&crd_text(old), &crd_text(new)).into_iter();
    let told = list.filter(|finding| finding.check == Check::Same).map(|finding| {
        let path = finding.reported_property().unwrap().trim_start_matches("^.spec.").to_owned();
        format!("{path} {} {}", finding.validation.name(), finding.message)
    });
    told.collect()
}

#[test]
fn each_change_is_refused_one_way_and_allowed_the_other() {
    let cases = [
        (
            "{type: string}",
            "{type: integer}",
            "f type type changed : \"string\" -> \"integer\"",
            "f type type changed : \"integer\" -> \"string\"",
        ),
        (
            "{x-kubernetes-int-or-string: true}",
            "{x-kubernetes-int-or-string: true, type: string}",
            "f type type changed : \"\" -> \"string\"",
            "f type type changed : \"string\" -> \"\"",
        ),
        (
            "{}",
            "{enum: [p, q]}",
            "f enum enum constraint added when there was none previously : [\"p\" \"q\"]",
            "f enum allowed enum values removed : [\"p\" \"q\"]",
        ),
        ("{enum: [a, b]}", "{enum: [b]}", "f enum allowed enum values removed : [\"a\"]", ""),
        ("{enum: [1, 2]}", "{enum: [2.0, 1]}", "", ""),
        ("{}", "{enum: []}", "", ""),
        (
            "{}",
            "{default: {b: 1, a: [1.0]}}",
            "f default default added when there was none previously : \"{\\\"a\\\":[1],\\\"b\\\":1}\"",
            "f default default value removed : \"{\\\"a\\\":[1],\\\"b\\\":1}\"",
        ),
        (
            "{default: 3}",
            "{default: 4}",
            "f default default value changed : \"3\" -> \"4\"",
            "f default default value changed : \"4\" -> \"3\"",
        ),
        ("{}", "{default: null}", "", ""),
        ("{required: [a]}", "{required: [c, a, b]}", "f required new required fields: [b c]", ""),
        ("{}", "{minimum: 1}", "f minimum minimum constraint added when there was none previously : 1", ""),
        ("{minimum: 1}", "{minimum: 1.5}", "f minimum minimum increased : 1 -> 1.5", ""),
        ("{maximum: 2147483647}", "{maximum: 10}", "f maximum maximum decreased : 2.147483647e+09 -> 10", ""),
        (
            "{maxLength: 2147483647}",
            "{maxLength: 10}",
            "f maxLength maximum decreased : 2147483647 -> 10",
            "",
        ),
        ("{minLength: 1}", "{minLength: 2}", "f minLength minimum increased : 1 -> 2", ""),
        ("{}", "{maxItems: 9}", "f maxItems maximum constraint added when there was none previously : 9", ""),
        ("{minItems: 0}", "{minItems: 1}", "f minItems minimum increased : 0 -> 1", ""),
        ("{minProperties: 0}", "{minProperties: 1}", "f minProperties minimum increased : 0 -> 1", ""),
        ("{maxProperties: 2}", "{maxProperties: 1}", "f maxProperties maximum decreased : 2 -> 1", ""),
        (
            "{}",
            "{pattern: '^a\\d$'}",
            "f pattern pattern added : \"\" -> \"^a\\\\d$\"",
            "f pattern pattern removed : \"^a\\\\d$\" -> \"\"",
        ),
        (
            "{pattern: a}",
            "{pattern: b}",
            "f pattern pattern changed : \"a\" -> \"b\"",
            "f pattern pattern changed : \"b\" -> \"a\"",
        ),
        (
            "{nullable: false}",
            "{nullable: true}",
            "f nullable nullable added : false -> true",
            "f nullable nullable removed : true -> false",
        ),
        ("{description: a}", "{description: b}", "", ""),
        (
            "{oneOf: [{required: [a]}]}",
            "{oneOf: [{required: [a], description: x}, {required: [b]}]}",
            "f oneOf allowed oneOf schemas added : 1 schema",
            "f oneOf allowed oneOf schemas removed : 1 schema",
        ),
        (
            "{}",
            "{format: int32}",
            "f unhandled format added : \"int32\"",
            "f unhandled format removed : \"int32\"",
        ),
        (
            "{anyOf: [{type: string}]}",
            "{anyOf: [{type: string}, {type: integer}]}",
            "f unhandled anyOf[1] added",
            "f unhandled anyOf[1] removed; f.anyOf[1] type type changed : \"integer\" -> \"\"",
        ),
        ("{uniqueItems: false}", "{}", "", ""),
        (
            "{x-kubernetes-preserve-unknown-fields: false}",
            "{}",
            "f unhandled x-kubernetes-preserve-unknown-fields removed : false",
            "f unhandled x-kubernetes-preserve-unknown-fields added : false",
        ),
        ("{x-of-nobody: 1}", "{x-of-nobody: 2}", "", ""),
        (
            "{additionalProperties: true}",
            "{additionalProperties: false}",
            "f unhandled additionalProperties changed : true -> false",
            "f unhandled additionalProperties changed : false -> true",
        ),
        (
            "{additionalProperties: {description: a}}",
            "{additionalProperties: {description: b}}",
            "f unhandled additionalProperties.description changed",
            "f unhandled additionalProperties.description changed",
        ),
        ("{items: {description: a}}", "{items: {description: b}}", "", ""),
        (
            "{items: {maxLength: 2}}",
            "{items: {maxLength: 1}}",
            "f.items maxLength maximum decreased : 2 -> 1",
            "",
        ),
    ];
    for (old, new, forth, back) in cases {
        assert_eq!(same_version_findings(old, new).join("; "), forth, "{old} -> {new}");
        assert_eq!(same_version_findings(new, old).join("; "), back, "{new} -> {old}");
        assert_eq!(same_version_findings(old, old), Vec::<String>::new());
    }
}

#[test]
fn change_inside_a_map_shows_its_keys_and_whether_it_is_harmful() {
    let map = |value: &str| {
        crd_text(&format!("{{type: object, additionalProperties: {{type: object, properties: {value}}}}}"))
    };
    let one = |new: &str| {
        let list = compare_findings(&map("{a: {type: string}}"), &map(new));
        let found = list.iter().find(|finding| finding.validation == Validation::Unhandled).unwrap();
        (found.message.clone(), found.is_harmless)
    };
    assert_eq!(
        one("{a: {type: string, title: x}}"),
        ("additionalProperties.properties.a.title changed".into(), true)
    );
    assert_eq!(one("{a: {type: string}, b: {}}"), ("additionalProperties.properties.b added".into(), true));
    let (words, is_harmless) = one("{a: {type: string, enum: [x]}}");
    assert_eq!(
        (words.as_str(), is_harmless),
        ("additionalProperties.properties.a.enum added : [\"x\"]", false)
    );
    assert!(!one("{}").1);
}

#[test]
fn fields_below_removed_field_are_folded() {
    let old = crd_text(
        "{type: object, properties: {a: {type: string}, b: {items: {type: string}}, fa: {type: string}}}",
    );
    let new = crd_text("{type: object}");
    let list = compare_findings(&old, &new);
    let removed: Vec<&str> = list
        .iter()
        .filter(|finding| finding.check == Check::Crd)
        .map(|finding| finding.message.as_str())
        .collect();
    assert_eq!(
        removed,
        [
            "removed field : v1.^.spec.f.a",
            "removed field : v1.^.spec.f.b",
            "removed field : v1.^.spec.f.b.items",
            "removed field : v1.^.spec.f.fa"
        ]
    );
    assert_eq!(list.len(), 7, "their types are gone too");
    let folded = group_findings(&list);
    let [group] = folded.as_slice() else { panic!("{folded:#?}") };
    let fields: Vec<_> = group.fields.iter().map(|field| (field.display_name(), field.below)).collect();
    assert_eq!(fields, [("spec.f.a", 0), ("spec.f.b", 1), ("spec.f.fa", 0)]);
    assert_eq!((group.versions.as_slice(), group.count), (["v1"].as_slice(), 4));
    let place = group.fields[0].old.unwrap();
    assert_eq!((&*place.file, place.line, group.fields[0].new), ("boats.yaml", 20, None));
    assert_eq!(old.lines().nth(19).unwrap().chars().skip(place.column - 1).take(1).collect::<String>(), "a");
}

#[test]
fn same_change_in_several_versions_is_one_group() {
    let both = |field: &str| {
        crd_with_versions(
            &(crd_version("v1alpha1", false, false, field) + &crd_version("v1", true, true, field)),
        )
    };
    let list = compare_findings(&both("{type: string}"), &both("{type: string, maxLength: 3}"));
    let folded = group_findings(&list);
    assert_eq!(folded.len(), 1);
    assert_eq!((folded[0].versions.as_slice(), folded[0].count), (["v1alpha1", "v1"].as_slice(), 2));
}

#[test]
fn versions_that_may_be_stored_must_stay() {
    let old = crd_with_versions(&crd_version("v1alpha1", true, true, "{}"));
    let new = crd_with_versions(&crd_version("v1", true, true, "{}"));
    let stored = |old: &str, stored: Option<&[&str]>| {
        let (old, new) = (parse_crd(old), parse_crd(&new));
        let named = stored.map(|names| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let compared =
            compare_crds_with_stored(&old, &new, &named.unwrap_or_else(|| old.stored_versions())).unwrap();
        compared.findings.into_iter().map(|finding| finding.message).collect::<Vec<_>>()
    };
    assert_eq!(stored(&old, None), ["stored versions removed : [v1alpha1]"], "its storage version");
    assert_eq!(stored(&format!("{old}status: {{storedVersions: [v1]}}\n"), None), Vec::<String>::new());
    assert_eq!(stored(&format!("{old}status: {{storedVersions: []}}\n"), None).len(), 1);
    assert_eq!(stored(&old, Some(&["v0", "v1", "v1alpha1"])), ["stored versions removed : [v0 v1alpha1]"]);
    let compared = compare_pair(&parse_crd(&old), &parse_crd(&new));
    assert_eq!((compared.classic.refuses(), compared.classic.may_break), (true, 0));
}

#[test]
fn scope_must_stay() {
    let old = crd_text("{}");
    let list = compare_findings(&old, &old.replace("Namespaced", "Cluster"));
    assert_eq!(list[0].message, "scope changed : \"Namespaced\" -> \"Cluster\"");
    let (was, is) = (list[0].old.as_ref().unwrap(), list[0].new.as_ref().unwrap());
    assert_eq!((was.line, was.column, is.line), (8, 10, 8));
}

#[test]
fn served_versions_must_be_compatible_without_conversion_webhook() {
    let pair = |low: &str, high: &str| {
        crd_with_versions(&(crd_version("v1", true, true, high) + &crd_version("v1beta1", true, false, low)))
    };
    let old = pair("{type: string}", "{type: string}");
    let new = pair("{type: string}", "{type: string, maxLength: 3}");
    let told = |list: &[CrdFinding]| -> Vec<String> {
        list.iter()
            .map(|finding| format!("{} {}", finding.check.name(), finding.version.as_deref().unwrap()))
            .collect()
    };
    assert_eq!(told(&compare_findings(&old, &new)), ["same v1", "served v1beta1 -> v1"]);
    let webhook = new.replace("  scope:", "  conversion: {strategy: Webhook}\n  scope:");
    assert_eq!(told(&compare_findings(&old, &webhook)), ["same v1"]);
    // Old incompatibilities are not new, but the preflight reports them in random order.
    assert_eq!(compare_findings(&new, &new), []);
    let two = pair("{}", "{required: [b, a]}");
    let comparison = compare_crds(&parse_crd(&two), &parse_crd(&two)).unwrap();
    assert!(comparison.is_safe());
    assert_eq!(comparison.random_findings[0].message, "new required fields: [a b]");
    let one = pair("{}", "{required: [b]}");
    assert_eq!(compare_crds(&parse_crd(&one), &parse_crd(&one)).unwrap(), Comparison::default());
}

#[test]
fn property_with_dot_and_nested_property_have_same_path() {
    let a = "{type: object, properties: {a.b: {type: string}}}";
    let b = "{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}";
    assert_eq!(
        same_version_findings(a, b),
        Vec::<String>::new(),
        "as in the reference, which goes by the text"
    );
    assert_eq!(same_version_findings(b, a), ["f.a type type changed : \"object\" -> \"\""]);
}

#[test]
fn old_api_is_compared_after_conversion_to_new_api() {
    let old = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: boats.example.com}\nspec:\n  \
               version: v1\n  validation:\n    openAPIV3Schema:\n      type: object\n      properties: {spec: {type: object, properties: {f: \
               {type: string}}}}\n";
    assert_eq!(compare_findings(old, &crd_text("{type: string}")), []);
    assert_eq!(compare_findings(old, &crd_text("{type: integer}")).len(), 1);
}

#[test]
fn excessive_nesting_is_reported_and_not_followed() {
    let deep = |levels: usize| {
        let inner = (0..levels).fold("{}".to_owned(), |inner, _| format!("{{\"not\":{inner}}}"));
        format!(
            "{{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":{{\"name\":\"a.b\"}},\"spec\":{{\"versions\":[{{\"name\":\"v1\",\"schema\":{{\"openAPIV3Schema\":{inner}}}}}]}}}}"
        )
    };
    let judge = |levels: usize| {
        let (old, new) = (deep(levels), deep(levels - 1));
        let work = move || {
            compare_crds(&parse_crd(&old), &parse_crd(&new)).map(|comparison| comparison.findings.len())
        };
        std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap()
    };
    assert_eq!(judge(MAX_DEPTH - 10), Ok(MAX_DEPTH - 10 + 1), "each is refused, and the last is gone");
    assert!(matches!(judge(MAX_DEPTH + 10), Err(Incomparable::TooDeep { .. })));
    assert!(matches!(judge(5000), Err(Incomparable::TooDeep { .. })));
}

fn bundle_tree(files: &[(&str, &str)]) -> Tree {
    let file = |(path, text): &(&str, &str)| TreeFile {
        path: format!("manifests/{path}"),
        content: Ok((*text).into()),
    };
    Tree::new(files.iter().map(file).collect(), vec!["manifests".to_owned()])
}

#[test]
fn bundles_are_compared_by_crd_names() {
    let boats = crd_text("{type: string}");
    let other = |name: &str| boats.replace("boats.example.com", name);
    let csv = "kind: ClusterServiceVersion\nmetadata: {annotations: {alm-examples: '[]'}}\n";
    let two = format!("---\n{}---\n{}", other("a.example.com"), other("b.example.com"));
    let old = bundle_tree(&[
        ("csv.yaml", csv),
        ("two.yaml", &two),
        ("boats.yaml", &boats),
        ("other.yaml", "kind: Service\n"),
    ]);
    let harbours =
        other("harbours.example.com").replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1");
    let old_harbours = other("harbours.example.com");
    let mut files = old.files.clone();
    files.extend(bundle_tree(&[("harbours.yaml", &old_harbours)]).files);
    let old = Tree::new(files, old.folders);
    let stricter = crd_text("{type: string, maxLength: 1}");
    let new = bundle_tree(&[
        ("a.yaml", &other("a.example.com")),
        ("c.yaml", &other("c.example.com")),
        ("h.yaml", &harbours),
        ("x.yaml", &stricter),
    ]);
    let (old, new) = (CrdSet::from_tree("old", &old), CrdSet::from_tree("", &new));
    let comparison = compare_sets(&old, &new);
    assert_eq!(
        comparison.crds.iter().map(|one| (one.name.as_str(), one.is_safe())).collect::<Vec<_>>(),
        [("a.example.com", true), ("boats.example.com", false)]
    );
    assert_eq!(
        (comparison.added, comparison.removed),
        (vec!["c.example.com".into()], vec!["b.example.com".into()])
    );
    assert_eq!(comparison.ignored, ["harbours.example.com"]);
    let finding = &comparison.crds[1].v1.as_ref().unwrap().findings[0];
    assert_eq!(&*finding.old.as_ref().unwrap().file, "old/manifests/boats.yaml");
    assert_eq!(&*finding.new.as_ref().unwrap().file, "manifests/x.yaml");
}

#[test]
fn truncated_file_is_reported_with_location() {
    let text = format!("{}---\nkind: [\n", crd_text("{}"));
    let set = CrdSet::from_file("boats.yaml", text.as_bytes());
    assert_eq!((set.crds.len(), set.unread.len()), (1, 1));
    assert!(set.unread[0].place.as_ref().unwrap().line >= text.lines().count() - 1);
}

#[test]
fn examples_of_old_bundle_represent_existing_resources() {
    let examples = |value: &str| {
        let list = format!(
            r#"[{{"apiVersion":"example.com/v1","kind":"Boat","metadata":{{"name":"dory"}},"spec":{value}}},{{"apiVersion":"other/v1","kind":"Boat"}}]"#
        );
        json::parse_json(list.as_bytes()).unwrap();
        format!("kind: ClusterServiceVersion\nmetadata:\n  annotations:\n    alm-examples: '{list}'\n")
    };
    let judged = |value: &str, old: &str, new: &str| {
        let csv = examples(value);
        let (old, new) = (crd_text(old), crd_text(new));
        let old = bundle_tree(&[("csv.yaml", &csv), ("boats.yaml", &old)]);
        let new = bundle_tree(&[("boats.yaml", &new)]);
        let comparison = compare_sets(&CrdSet::from_tree("", &old), &CrdSet::from_tree("", &new));
        comparison.crds[0].classic.clone()
    };
    let text = "{type: string}";
    let refused = judged(r#"{"f":"long"}"#, text, "{type: string, maxLength: 3}");
    assert!(refused.refuses());
    let RefusedExample { name, version, field, message, location: place } = &refused.examples[0];
    assert_eq!(
        [name, version, field, message],
        ["dory", "v1", "spec.f", "has 4 characters, at most 3 are allowed"]
    );
    assert_eq!(place.as_ref().unwrap().line, 4);
    assert_eq!(refused.may_break, 1);
    // The cluster does not have a resource that the old schema rejects. Fields without a schema are not an
    // error.
    for (value, old, new) in [
        (r#"{"f":"long"}"#, "{type: string, maxLength: 2}", "{type: string, maxLength: 1}"),
        (r#"{"f":"lo"}"#, text, "{type: string, maxLength: 3}"),
        (r#"{"g":1}"#, text, "{type: string, enum: [a]}"),
    ] {
        assert_eq!(judged(value, old, new).examples, [], "{value} {old} {new}");
    }
    // Classic does not apply defaults before validation.
    let object = "{type: object, properties: {a: {type: string}}}";
    let asks = "{type: object, required: [a], properties: {a: {type: string, default: x}}}";
    assert_eq!(judged(r#"{"f":{}}"#, object, asks).examples[0].field, "spec.f.a");
}

#[test]
fn reads_pairs_from_a_line() {
    assert_eq!(parse_pair(b"{}").unwrap_err(), PairError::Missing("old"));
    assert_eq!(parse_pair(b"{\"old\":{}}").unwrap_err(), PairError::NoCrd("old"));
    assert!(matches!(parse_pair(b"{"), Err(PairError::Unreadable(_))));
}

#[test]
fn many_differences_below_many_nodes_are_reported_once() {
    // Maps of maps: each level is rejected for all changes below it.
    let deep = |kind: &str| {
        let fields: Vec<String> = (0..2000).map(|at| format!("f{at}: {{type: {kind}}}")).collect();
        let inner = format!("{{properties: {{{}}}}}", fields.join(", "));
        let levels = 60;
        crd_text(&(0..levels).fold(inner, |inner, _| format!("{{additionalProperties: {inner}}}")))
    };
    let (old, new) = (deep("string"), deep("integer"));
    let list = compare_findings(&old, &new);
    let unhandled = list.iter().filter(|finding| finding.validation == Validation::Unhandled);
    assert_eq!(unhandled.clone().count(), 60);
    assert!(
        unhandled
            .clone()
            .all(|finding| finding.message.ends_with("; 1000 or more in all") && !finding.is_harmless)
    );
    assert_eq!(list.len(), 2060);
}
