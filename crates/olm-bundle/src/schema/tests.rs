//! Tests of validation like the API server: a table of schemas, examples and errors, and bounded cost for
//! hostile input.

use std::fmt::Write as _;

use super::{Budget, MAX_FAULTS, version_schema};
use crate::document;

/// Returns the errors of an object under the schema of its version; `more` is added to the version, `root` to
/// the CRD.
fn validation_errors(schema: &str, more: &str, root: &str, object: &str) -> Vec<String> {
    let crd = format!(
        "apiVersion: apiextensions.k8s.io/v1\nspec: {{{root} versions: [{{name: v1, {more} schema: {{openAPIV3Schema: {schema}}}}}]}}"
    );
    let crd = document::parse_first_of_text(crd.as_bytes()).unwrap();
    let object = document::parse_first_of_text(object.as_bytes()).unwrap();
    let of = version_schema(&crd.node, "v1").unwrap();
    let found = of.validate(&object.node, &Budget::default());
    let spelled = found.list.iter().map(|fault| format!("{} {}", fault.field, fault.message)).collect();
    assert_eq!(found.more, 0);
    spelled
}

/// Returns the errors for one field `a` with this schema.
fn field_errors(schema: &str, value: &str) -> Vec<String> {
    validation_errors(
        &format!("{{type: object, properties: {{a: {schema}}}}}"),
        "",
        "",
        &format!("{{\"a\": {value}}}"),
    )
}

/// Each line: the schema of a field `a`, its value, and the expected error, if any.
const TABLE: &str = "
{type: string} | x |
{type: string} | 1 | a is 1, not of the type string
{type: integer} | 1.0 |
{type: integer} | 1.5 | a is 1.5, not of the type integer
{type: number} | 1 |
{type: object} | [] | a is a list, not of the type object
{type: array} | {} | a is a map, not of the type array
{type: boolean} | 'true' | a is `true`, not of the type boolean
{x-kubernetes-int-or-string: true} | 80 |
{x-kubernetes-int-or-string: true} | http |
{x-kubernetes-int-or-string: true} | true | a is true, not an integer or a string
{type: array, items: {x-kubernetes-int-or-string: true}} | [null] | a[0] must not be null
{x-kubernetes-preserve-unknown-fields: true} | {b: [null]} |
{type: string, enum: [x, w]} | x |
{type: string, enum: [x, w]} | z | a is `z`, not one of `x`, `w`
{enum: [{b: 1}]} | {c: 1} | a.c is not in the schema and is dropped
{type: string, minLength: 2} | x | a has 1 characters, at least 2 are needed
{type: string, maxLength: 1} | \u{e4}\u{f6} | a has 2 characters, at most 1 are allowed
{type: string, pattern: '^[a-z]+$'} | X | a is `X`, which does not match ^[a-z]+$
{type: string, pattern: '^\\d+$'} | 'x' | a is `x`, which does not match ^\\d+$
{type: string, pattern: '^.{2}$'} | \u{e4}\u{f6} |
{type: string, pattern: '('} | x |
{type: string, format: date-time} | 'today' | a is `today`, not of the format date-time
{type: string, format: date-time} | '2024-01-01T00:00:00Z' |
{type: integer, minimum: 2} | 1 | a is 1, the minimum is 2
{type: integer, minimum: 2, exclusiveMinimum: true} | 2 | a is 2, it must be above 2
{type: integer, maximum: 2} | 3 | a is 3, the maximum is 2
{type: integer, maximum: 2, exclusiveMaximum: true} | 2 | a is 2, it must be below 2
{type: integer, multipleOf: 3} | 7 | a is 7, not a multiple of 3
{type: number, multipleOf: 0.1} | 0.3 |
{type: array, items: {type: integer}, maxItems: 1} | [1, 2] | a has 2 items, at most 1 are allowed
{type: array, items: {type: integer}} | [1, x] | a[1] is `x`, not of the type integer
{type: array, items: {type: integer}} | [null] | a[0] must not be null
{type: array, items: {type: integer, nullable: true}} | [null] |
{type: array, items: {type: integer, default: 1}} | [null] |
{type: array, x-kubernetes-list-type: set, items: {type: string}} | [x, w] |
{type: array, x-kubernetes-list-type: set, items: {type: string}} | [x, x] | a[1] has the same value as an element before it
{type: array, items: {type: string}} | [x, x] |
{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}, v: {type: string}}}} | [{k: x, v: x}, {k: w}, {k: x}] | a[2] has the same key as an element before it
{type: object, minProperties: 1, additionalProperties: {type: string}} | {} | a has 0 fields, at least 1 are needed
{type: object, minProperties: 1, additionalProperties: {type: string}} | {b: null} | a has 0 fields, at least 1 are needed
{type: object, additionalProperties: {type: string}} | {b: null} |
{type: object, additionalProperties: {type: string}} | {b: 1} | a.b is 1, not of the type string
{type: object, additionalProperties: {type: string, default: x}} | {b: null} |
{type: object, additionalProperties: true} | {b: 1} |
{type: string} | null |
{type: string, nullable: true} | null |
{type: string, default: x} | null |
{type: string, default: 1} | null | a is 1, not of the type string
{type: object, required: [b], properties: {b: {type: string}}} | {b: null} | a.b is required
{type: object, required: [b], properties: {b: {type: string, nullable: true}}} | {b: null} |
{type: object, required: [b], properties: {b: {type: string, default: x}}} | {b: null} |
{type: object, required: [b], properties: {b: {type: string, default: x}}} | {} |
{type: object, required: [b], properties: {b: {type: string}}} | {} | a.b is required
{type: object, default: {}, required: [b], properties: {b: {type: string, default: x}}} | null |
{type: object, properties: {bolt: {type: string}}} | {bold: x} | a.bold is not in the schema and is dropped; did you mean bolt?
{type: object, maxProperties: 1, properties: {b: {type: string}}} | {b: x, zzz: y} | a.zzz is not in the schema and is dropped
{type: object, properties: {b: {type: string, default: x}}, anyOf: [{required: [b]}]} | {} |
{type: object, properties: {b: {type: string, default: x}}, oneOf: [{required: [b]}, {required: [c]}]} | {} |
{type: object, properties: {b: {type: string, default: x}}, allOf: [{required: [b]}]} | {} |
{type: object, properties: {b: {type: string, default: x}}, not: {required: [b]}} | {} | a fits what `not` forbids
{type: object, properties: {b: {type: string}}, anyOf: [{required: [b]}]} | {b: null} | a fits none of what anyOf allows
{type: object, properties: {b: {type: integer}}, anyOf: [{properties: {b: {minimum: 2}}}]} | {b: 1} | a fits none of what anyOf allows
{type: object, properties: {b: {type: integer}}, allOf: [{properties: {b: {minimum: 2}}}]} | {b: 1} | a.b is 1, the minimum is 2
{type: array, items: {type: integer}, allOf: [{items: {maximum: 2}}]} | [1, 3] | a[1] is 3, the maximum is 2
{oneOf: [{enum: [1]}, {enum: [1, 2]}]} | 1 | a must fit exactly one of what oneOf allows
{oneOf: [{enum: [1]}, {enum: [1, 2]}]} | 2 |
{type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object}}} | {apiVersion: v1, kind: Pod, metadata: {name: x}} |
{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: string}}} | {b: 1, c: null} | a.b is 1, not of the type string
";

#[test]
fn each_example_has_errors_of_api_server() {
    let mut wrong = String::new();
    for line in TABLE.lines().filter(|line| !line.is_empty()) {
        let mut parts = line.splitn(3, " |").map(str::trim);
        let (schema, value, expected) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        let found = field_errors(schema, value).join("; ");
        if found != expected {
            let _ = writeln!(wrong, "{schema} | {value} | {found}");
        }
    }
    assert!(wrong.is_empty(), "found instead:\n{wrong}");
}

#[test]
fn status_is_dropped_if_it_is_a_subresource() {
    let schema = "{type: object, required: [status], properties: {status: {type: object, required: [a], properties: {a: {type: string}}}}}";
    let with = |more: &str, root: &str, object: &str| validation_errors(schema, more, root, object);
    assert_eq!(with("", "", "{status: {a: 1}}"), ["status.a is 1, not of the type string"]);
    for object in ["{status: {a: 1}}", "{status: {}}", "{}"] {
        assert!(with("subresources: {status: {}},", "", object).is_empty(), "{object}");
        assert!(with("", "subresources: {status: {}},", object).is_empty(), "{object}");
    }
    assert_eq!(with("subresources: {scale: {}},", "", "{status: {}}"), ["status.a is required"]);
}

#[test]
fn nulls_are_kept_if_crd_keeps_all_fields() {
    let schema = "{type: object, properties: {a: {type: string}}}";
    let keeps = "preserveUnknownFields: true,";
    assert_eq!(validation_errors(schema, "", keeps, "{a: null, b: 1}"), ["a must not be null"]);
    assert!(validation_errors(schema, "", "", "{a: null}").is_empty());
}

#[test]
fn stored_objects_are_checked_by_schema_alone() {
    let schema = "{type: object, required: [b], properties: {a: {type: string}, b: {type: string, default: x}, c: {type: object, \
                  additionalProperties: false}}}";
    let crd = format!("spec: {{versions: [{{name: v1, schema: {{openAPIV3Schema: {schema}}}}}]}}");
    let crd = document::parse_first_of_text(crd.as_bytes()).unwrap();
    let object = document::parse_first_of_text(b"{kind: X, a: null, zzz: 1, c: {d: 1}}").unwrap();
    let found = version_schema(&crd.node, "v1").unwrap().validate_stored(&object.node, &Budget::default());
    let spelled: Vec<String> =
        found.list.iter().map(|fault| format!("{} {}", fault.field, fault.message)).collect();
    assert_eq!(spelled, ["a must not be null", "c.d is not allowed", "b is required"]);
}

#[test]
fn fields_checked_by_server_itself_are_ignored() {
    let schema = "{type: object, properties: {a: {type: string}}}";
    let object = "{apiVersion: x/v1, kind: X, metadata: {name: x, labels: {b: c}}, a: x}";
    assert!(validation_errors(schema, "", "", object).is_empty());
}

fn crd_with_schema(schema: &str) -> String {
    format!(
        "spec: {{versions: [{{name: v1, schema: {{openAPIV3Schema: {{properties: {{a: {schema}}}}}}}}}]}}"
    )
}

/// Returns true if the object was checked completely, with the number of errors.
fn validate_hostile(schema: &str, value: &str) -> (bool, usize) {
    let (crd, object) = (crd_with_schema(schema), format!("{{a: {value}}}"));
    let crd = document::parse_first_of_text(crd.as_bytes()).unwrap();
    let object = document::parse_first_of_text(object.as_bytes()).unwrap();
    let budget = Budget::default();
    let found = version_schema(&crd.node, "v1").unwrap().validate(&object.node, &budget);
    (!budget.is_spent(), found.list.len())
}

fn json_list(count: usize, item: impl Fn(usize) -> String) -> String {
    format!("[{}]", (0..count).map(item).collect::<Vec<_>>().join(","))
}

#[test]
fn cost_of_two_hostile_texts_is_bounded() {
    // Strings and a pattern whose automaton is large, but within the limit.
    let pattern = "{type: array, items: {type: string, pattern: '^(([a-z]{0,20}){0,10})*b$'}}";
    let texts = json_list(2000, |_| format!("\"{}\"", "a".repeat(2000)));
    assert!(!validate_hostile(pattern, &texts).0);
    // Many patterns.
    let patterns = format!(
        "{{allOf: {}}}",
        json_list(3000, |at| format!("{{pattern: '[a-z]{{0,{}}}'}}", 300 + at % 700 * 10 + at))
    );
    assert!(!validate_hostile(&patterns, "x").0);
    // A long list of choices for a long list of values.
    let choices = format!("{{type: array, items: {{enum: {}}}}}", json_list(4000, |at| format!("x{at}")));
    assert!(!validate_hostile(&choices, &json_list(4000, |at| format!("y{at}"))).0);
    // A large default for each of many elements.
    let default = json_list(4000, |at| at.to_string());
    let defaults = format!(
        "{{type: array, items: {{type: object, properties: {{b: {{type: array, items: {{type: integer}}, default: {default}}}}}}}}}"
    );
    assert!(!validate_hostile(&defaults, &json_list(4000, |_| "{}".to_owned())).0);
}

#[test]
fn real_sizes_are_checked_completely() {
    let pattern = r"{type: array, items: {type: string, pattern: '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'}}";
    assert_eq!(validate_hostile(pattern, &json_list(2000, |at| format!("{at}Gi"))), (true, 0));
    let label = r"{type: array, items: {type: string, pattern: '^\w([-\w.]{0,61}\w)?$'}}";
    assert_eq!(validate_hostile(label, &json_list(2000, |at| format!("-{at}"))), (true, MAX_FAULTS));
}

#[test]
fn first_of_many_errors_are_listed_and_rest_counted() {
    let crd = crd_with_schema("{type: array, items: {type: integer}}");
    let crd = document::parse_first_of_text(crd.as_bytes()).unwrap();
    let object = format!("{{a: {}}}", json_list(MAX_FAULTS + 7, |_| "x".to_owned()));
    let object = document::parse_first_of_text(object.as_bytes()).unwrap();
    let found = version_schema(&crd.node, "v1").unwrap().validate(&object.node, &Budget::default());
    assert_eq!((found.list.len(), found.more), (MAX_FAULTS, 7));
}

#[test]
fn suggestions_are_limited_and_long_names_are_cut() {
    let object = |count: usize, name: &str| {
        let fields: Vec<String> =
            (0..count).map(|at| format!("\"{name}{}\": 1", "_".repeat(at + 1))).collect();
        format!("{{{}}}", fields.join(", "))
    };
    let found = field_errors("{type: object, properties: {bolts: {type: string}}}", &object(3, "bolts"));
    assert!(found.iter().any(|fault| fault.ends_with("did you mean bolts?")), "{found:?}");
    let slips: Vec<String> = (b'a'..=b'z')
        .flat_map(|slip| {
            [("bott", "e"), ("bot", "le"), ("bo", "tle")].map(|(a, b)| format!("{a}{}{b}", slip as char))
        })
        .filter(|slip| slip != "bottle")
        .map(|slip| format!("{slip}: 1"))
        .collect();
    let found = field_errors(
        "{type: object, properties: {bottle: {type: string}}}",
        &format!("{{{}}}", slips.join(", ")),
    );
    let hints = found.iter().filter(|fault| fault.contains("did you mean")).count();
    assert!(found.len() > 60 && hints == 50, "{hints} of {}", found.len());
    let found = field_errors("{type: object}", &object(1, &"x".repeat(100_000)));
    assert!(found.first().is_some_and(|fault| fault.len() < 400), "{}", found.len());
}
