//! Property tests of all CRDs: an unchanged CRD is accepted, a relaxed one is accepted, and the reverse is
//! rejected.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use olm_catalog::text::json as reader;

/// Generates a schema without keys that lack a rule.
fn random_schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        (any::<Option<u8>>(), any::<Option<u8>>()).prop_map(|(least, most)| {
            let mut value = json!({"type": "string"});
            if let Some(least) = least {
                value["minLength"] = json!(least);
            }
            if let Some(most) = most {
                value["maxLength"] = json!(most);
            }
            value
        }),
        prop::collection::btree_set("[a-c]{1,2}", 0..4)
            .prop_map(|set| json!({"type": "string", "enum": set})),
        (any::<i8>(), any::<bool>())
            .prop_map(|(least, may_be)| json!({"type": "integer", "minimum": least, "nullable": may_be})),
        Just(json!({"x-kubernetes-preserve-unknown-fields": true})),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            (prop::collection::btree_map("[a-d.]{1,3}", inner.clone(), 0..4), any::<bool>()).prop_map(
                |(fields, all)| {
                    let required: Vec<&String> = if all { fields.keys().collect() } else { Vec::new() };
                    json!({"type": "object", "required": required, "properties": fields})
                }
            ),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items, "maxItems": 4})),
            inner.clone().prop_map(|values| json!({"type": "object", "additionalProperties": values})),
            inner.prop_map(|one| json!({"oneOf": [one, {"type": "boolean"}]})),
        ]
    })
}

/// A change that makes a schema accept more.
#[derive(Clone, Copy, Debug)]
enum Loosening {
    Field,
    Required,
    Enum,
    Minimum,
    Maximum,
}

fn random_loosening() -> impl Strategy<Value = Loosening> {
    use Loosening::{Enum, Field, Maximum, Minimum, Required};
    prop::sample::select(&[Field, Required, Enum, Minimum, Maximum][..])
}

/// Returns an object with a strict field next to another schema, and its relaxed form.
fn strict_and_loose(beside: &Json, loosening: Loosening) -> [Json; 2] {
    let strict = json!({
        "type": "object",
        "required": ["own"],
        "properties": {"own": {"type": "string", "enum": ["a"], "minLength": 1, "maxLength": 1}, "beside": beside},
    });
    let mut loose = strict.clone();
    let own = &mut loose["properties"]["own"];
    match loosening {
        Loosening::Enum => own["enum"] = json!(["b", "a"]),
        Loosening::Minimum => own["minLength"] = json!(0),
        Loosening::Maximum => own["maxLength"] = json!(2),
        Loosening::Required => loose["required"] = json!([]),
        Loosening::Field => loose["properties"]["new"] = json!({"type": "string"}),
    }
    [strict, loose]
}

fn crd_text(schema: &Json) -> String {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "boats.example.com"},
        "spec": {"scope": "Cluster", "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]},
    })
    .to_string()
}

fn parse_crd(text: &str) -> Crd<'_> {
    let node = reader::parse_json(text.as_bytes()).unwrap();
    Crd::from_node(node, Arc::new(SourceText::from_file("boats.json", text.as_bytes())), 0).unwrap()
}

fn compare_schemas(old: &Json, new: &Json) -> Comparison {
    compare_crds(&parse_crd(&crd_text(old)), &parse_crd(&crd_text(new))).unwrap()
}

/// Generates arbitrary JSON with schema keys in wrong positions.
fn random_json() -> impl Strategy<Value = Json> {
    const KEYS: &[&str] = &[
        "type",
        "properties",
        "items",
        "enum",
        "required",
        "oneOf",
        "anyOf",
        "not",
        "additionalProperties",
        "default",
        "minimum",
        "maxLength",
        "pattern",
        "nullable",
        "dependencies",
        "patternProperties",
        "spec",
        "versions",
        "name",
        "served",
        "schema",
        "openAPIV3Schema",
        "status",
        "storedVersions",
        "scope",
        "conversion",
        "a.b",
        "",
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        "\\PC{0,4}".prop_map(Json::from),
        Just(json!("v1")),
    ];
    leaf.prop_recursive(6, 48, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((prop::sample::select(KEYS), inner), 0..5).prop_map(|list| Json::Object(
                list.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn unchanged_schema_is_safe(schema in random_schema()) {
        // Also in a different notation, so that it is split.
        let mut described = schema.clone();
        described["description"] = json!("words");
        prop_assert_eq!(compare_schemas(&schema, &schema), Comparison::default());
        prop_assert_eq!(compare_schemas(&schema, &described), Comparison::default());
    }

    #[test]
    fn relaxed_schema_is_safe_and_reverse_is_not(beside in random_schema(), how in random_loosening()) {
        let [strict, loose] = strict_and_loose(&beside, how);
        prop_assert_eq!(compare_schemas(&strict, &loose), Comparison::default());
        prop_assert!(!compare_schemas(&loose, &strict).is_safe());
    }

    #[test]
    fn groups_contain_all_findings(old in random_schema(), new in random_schema()) {
        let comparison = compare_schemas(&old, &new);
        let folded = group_findings(&comparison.findings);
        prop_assert_eq!(folded.is_empty(), comparison.is_safe());
        let told: usize = folded.iter().map(|group| group.count).sum();
        prop_assert!(told <= comparison.findings.len());
        let removed = |finding: &&CrdFinding| finding.validation == Validation::ExistingFieldRemoval;
        let all = comparison.findings.iter().filter(removed).count();
        let in_groups: usize = folded.iter().filter(|group| removed(&group.first)).map(|group| group.count).sum();
        prop_assert_eq!(all, in_groups);
        for finding in &comparison.findings {
            prop_assert!(finding.old.is_some());
        }
    }

    #[test]
    fn never_panics(old in random_json(), new in random_json()) {
        let whole = |spec: &Json| json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec, "status": spec,
        }).to_string();
        let (old_text, new_text) = (whole(&old), whole(&new));
        let _ = compare_pair(&parse_crd(&old_text), &parse_crd(&new_text));
        let comparison = compare_schemas(&old, &new);
        let _ = group_findings(&comparison.findings);
        let line = json!({"old": old, "new": new}).to_string();
        let _ = parse_pair(line.as_bytes());
    }
}
