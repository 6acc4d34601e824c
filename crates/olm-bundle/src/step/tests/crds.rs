use super::{Bundle, check_rows, format_judgement, judge_bundles};
use crate::step::{Reason, earlier_stored_versions, judge_step};

/// Returns a version of the CRD with a name, a storage flag and fields.
fn crd_version(name: &str, is_stored: bool, fields: &str) -> String {
    format!(
        "{{name: {name}, served: true, storage: {is_stored}, schema: {{openAPIV3Schema: {{type: object, properties: \
         {{spec: {{type: object, {fields}}}}}}}}}}}"
    )
}

const SIZE: &str = "properties: {size: {type: integer}}";

fn crd_of_api(api: &str, more: &str, versions: &str) -> Bundle {
    let names = if more.contains("names:") {
        ""
    } else {
        "names: {kind: Lathe, listKind: LatheList, plural: lathes, singular: lathe}, "
    };
    let scope = if more.contains("scope:") { "" } else { "scope: Namespaced, " };
    Bundle::with_file(&format!(
        "apiVersion: apiextensions.k8s.io/{api}\nkind: CustomResourceDefinition\nmetadata: {{name: lathes.example.com}}\n\
         spec: {{group: example.com, {scope}{names}{more}versions: [{versions}]}}\n"
    ))
}

fn crd(more: &str, versions: &str) -> Bundle {
    crd_of_api("v1", more, versions)
}

fn version_v1(fields: &str) -> String {
    crd_version("v1", true, fields)
}

fn two_versions(stored: &str) -> String {
    [crd_version("v1alpha1", stored == "v1alpha1", SIZE), crd_version("v1", stored == "v1", SIZE)].join(", ")
}

#[test]
fn schemas_kinds_and_scopes_are_compared() {
    let plain = || crd("", &version_v1(SIZE));
    let schema = "spec.versions[v1].schema";
    let (look, unsafe_v1) = (format!("look: crd-unsafe {schema}"), format!("refused: crd-unsafe {schema}"));
    let gone = "refused: stored-version-removed spec.versions";
    let kind = "refused: immutable-field spec.names.kind";
    let removed = "refused: removed-api apiVersion";
    let names = "names: {kind: Mill, listKind: MillList, plural: lathes, singular: lathe}, ";
    let bad_default = version_v1("properties: {size: {type: integer, default: big}}");
    check_rows(vec![
        ("same", plain(), plain(), "safe", "safe"),
        (
            "field added",
            plain(),
            crd("", &version_v1("properties: {size: {type: integer}, name: {type: string}}")),
            "safe",
            "safe",
        ),
        (
            "required",
            plain(),
            crd("", &version_v1("required: [size], properties: {size: {type: integer}}")),
            &look,
            &unsafe_v1,
        ),
        ("field removed", plain(), crd("", &version_v1("properties: {}")), &look, &unsafe_v1),
        (
            "default of another type",
            plain(),
            crd("", &bad_default),
            &format!("refused: invalid-object {schema}"),
            &unsafe_v1,
        ),
        (
            "default of a new CRD",
            Bundle::default(),
            crd("", &bad_default),
            &format!("refused: invalid-object {schema}"),
            &format!("refused: invalid-object {schema}"),
        ),
        ("kind", plain(), crd(names, &version_v1(SIZE)), kind, kind),
        (
            "scope",
            plain(),
            crd("scope: Cluster, ", &version_v1(SIZE)),
            "refused: immutable-field spec.scope",
            "refused: crd-unsafe spec.scope",
        ),
        ("removed", plain(), Bundle::default(), "look: crd-removed", "look: crd-removed"),
        ("version added", plain(), crd("", &two_versions("v1")), "safe", "safe"),
        (
            "storage switched",
            crd("", &two_versions("v1alpha1")),
            crd("", &two_versions("v1")),
            "safe",
            "safe",
        ),
        ("stored version removed", crd("", &two_versions("v1alpha1")), plain(), gone, gone),
        ("unstored version removed", crd("", &two_versions("v1")), plain(), "safe", "safe"),
        ("old API", plain(), crd_of_api("v1beta1", "", &version_v1(SIZE)), removed, removed),
        (
            "two stored versions",
            plain(),
            crd("", &[version_v1(SIZE), crd_version("v2", true, SIZE)].join(", ")),
            "refused: invalid-object spec.versions",
            "refused: invalid-object spec.versions",
        ),
    ]);
}

#[test]
fn versions_that_an_earlier_bundle_stored_are_still_stored() {
    let read = |bundle: &Bundle, version: &str| bundle.to_step_bundle(version).unwrap();
    let (first, second, third) =
        (crd("", &two_versions("v1alpha1")), crd("", &two_versions("v1")), crd("", &version_v1(SIZE)));
    let [first, second, third] = [read(&first, "0.9.0"), read(&second, "1.0.0"), read(&third, "1.1.0")];
    let alone = judge_step(&second, &third, &earlier_stored_versions([].into_iter(), &second));
    assert!(alone.is_safe(), "{alone:?}");
    let after = judge_step(&second, &third, &earlier_stored_versions([&first].into_iter(), &second));
    let refused = "refused: stored-version-removed spec.versions";
    assert_eq!([format_judgement(&after.classic), format_judgement(&after.v1)], [refused, refused]);
    let pruned = judge_step(&third, &second, &earlier_stored_versions([&first].into_iter(), &third));
    assert!(pruned.is_safe(), "a cluster with a bundle without the version has pruned it: {pruned:?}");
}

const STANZA: &str = "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: \
    {service: {namespace: system, name: webhook-service, path: /convert}}}}, ";
const URL: &str = "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: \
    {url: 'https://convert.example.com/'}}}, ";
const NO_CONVERSION: &str = "conversion: {strategy: None}, ";

fn with_conversion_webhook(bundle: Bundle) -> Bundle {
    bundle.and_spec(
        "  customresourcedefinitions: {owned: [{name: lathes.example.com, version: v1, kind: Lathe}]}\n  \
         webhookdefinitions: [{type: ConversionWebhook, generateName: c.example.com, deploymentName: lathe-controller, \
         conversionCRDs: [lathes.example.com]}]\n",
    )
}

#[test]
fn conversions_are_compared_with_the_webhooks_of_the_csv() {
    let with = |more: &str| crd(more, &two_versions("v1"));
    let field = "spec.conversion";
    let alone = format!("look: conversion-without-webhook {field}");
    let before = format!("look: conversion-before-webhook {field}");
    let dropped = format!("look: conversion-dropped {field}");
    let both = format!("look: conversion-without-webhook {field}, conversion-dropped {field}");
    let left = format!("look: conversion-dropped {field}, leftover-field {field}");
    let modes =
        "  installModes: [{type: AllNamespaces, supported: true}, {type: OwnNamespace, supported: true}]\n";
    let refused = "refused: conversion-install-modes spec.webhookdefinitions";
    check_rows(vec![
        ("stanza alone", with(""), with(STANZA), &alone, &alone),
        (
            "stanza alone, one version",
            crd("", &version_v1(SIZE)),
            crd(STANZA, &version_v1(SIZE)),
            "safe",
            "safe",
        ),
        ("stanza alone, in both", with(STANZA), with(STANZA), &alone, &alone),
        ("webhook added", with(""), with_conversion_webhook(with("")), "safe", "safe"),
        (
            "webhook kept",
            with_conversion_webhook(with("")),
            with_conversion_webhook(with("")),
            "safe",
            "safe",
        ),
        ("stanza and webhook", with(""), with_conversion_webhook(with(STANZA)), &before, "safe"),
        ("webhook dropped", with_conversion_webhook(with("")), with(""), &dropped, &dropped),
        ("webhook dropped, stanza left", with_conversion_webhook(with(STANZA)), with(STANZA), &both, &both),
        (
            "webhook dropped, strategy None",
            with_conversion_webhook(with("")),
            with(NO_CONVERSION),
            &dropped,
            &left,
        ),
        ("by URL", with(""), with(URL), "safe", "safe"),
        ("URL dropped", with(URL), with(""), &dropped, &dropped),
        ("other modes", with(""), with_conversion_webhook(with("")).and_modes(modes), refused, refused),
    ]);
}

/// A reason names the first of its further problems, and counts all of them.
#[test]
fn reason_lists_its_further_problems() {
    let with_fields = |count: usize| {
        let fields: Vec<String> = (0..count).map(|at| format!("f{at:02}: {{type: integer}}")).collect();
        crd("", &version_v1(&format!("properties: {{size: {{type: integer}}, {}}}", fields.join(", "))))
    };
    let judge = |count: usize| {
        let (old, new) = (with_fields(count), crd("", &version_v1("properties: {size: {type: string}}")));
        judge_bundles(&old, &new).v1.reasons.swap_remove(0)
    };
    let few = judge(2);
    assert_eq!(few.describe_problem(), "lathes.example.com: spec.f00 is removed");
    assert_eq!(few.others.len(), few.more);
    assert_eq!(few.others[0], "spec.f01 is removed");
    assert!(few.others.iter().any(|other| other.starts_with("spec.size: ")), "{:?}", few.others);
    let many = judge(40);
    assert_eq!((many.others.len(), many.more), (Reason::MAX_OTHERS, 40));
}
