//! Tests of the problems reported while decoding, and of their spans.

use super::decode_document;
use crate::{
    blob::Blob,
    file::{DocId, FileId},
    problem::ProblemLocation,
    text::split::{Format, parse_chunk},
};

/// Returns the problems of a document with the text at their spans.
fn decode_problems(format: Format, text: &str) -> Vec<(String, String)> {
    let doc = DocId { file: FileId(0), serial: 0 };
    let node = parse_chunk(format, text.as_bytes()).unwrap();
    let decoded = decode_document(doc, &node);
    let place = |at: &ProblemLocation| match at {
        ProblemLocation::Document(_, span) => text[span.range()].to_owned(),
        ProblemLocation::File(path) => path.display().to_string(),
    };
    decoded.problems.complete_problems().iter().map(|p| (p.kind.to_string(), place(&p.at))).collect()
}

fn problems_of_property(property: &str) -> Vec<(String, String)> {
    decode_problems(
        Format::Yaml,
        &format!("schema: olm.bundle\npackage: p\nname: p.v1.0.0\nproperties:\n{property}"),
    )
}

fn assert_problems(found: &[(String, String)], expected: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = found.iter().map(|(kind, text)| (kind.as_str(), text.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn csv_metadata_fields_must_have_their_types() {
    let good = "- type: olm.csv.metadata\n  value:\n    annotations: {a: b, c: null}\n    displayName: null\n    \
                installModes:\n    - {type: AllNamespaces, supported: true}\n    crdDescriptions:\n      owned:\n      \
                - specDescriptors:\n        - {path: a, value: [1, {b: c}]}\n    newerField: 5\n";
    assert_problems(&problems_of_property(good), &[]);
    let cases = [
        ("annotations: {a: 1}", "properties[0].value.annotations.a must be a string", "1"),
        ("displayName: yes", "properties[0].value.displayName must be a string", "yes"),
        ("DISPLAYNAME: 1.5", "properties[0].value.displayName must be a string", "1.5"),
        ("keywords: word", "properties[0].value.keywords must be a list", "word"),
        ("links: [{url: [x]}]", "properties[0].value.links[0].url must be a string", "[x]"),
        (
            "installModes: [{supported: 'true'}]",
            "properties[0].value.installModes[0].supported must be a boolean",
            "'true'",
        ),
        ("provider: me", "properties[0].value.provider must be a map", "me"),
        (
            "apiServiceDefinitions: {owned: [{containerPort: 4e9}]}",
            "properties[0].value.apiServiceDefinitions.owned[0].containerPort must be a whole number of 32 bits",
            "4e9",
        ),
        (
            "crdDescriptions: {required: [{statusDescriptors: [{x-descriptors: [3]}]}]}",
            "properties[0].value.crdDescriptions.required[0].statusDescriptors[0].x-descriptors[0] must be a string",
            "3",
        ),
    ];
    for (field, message, at) in cases {
        assert_problems(
            &problems_of_property(&format!("- type: olm.csv.metadata\n  value: {{{field}}}\n")),
            &[(message, at)],
        );
    }
    assert_problems(
        &problems_of_property("- type: olm.csv.metadata\n  value: text\n"),
        &[("properties[0].value must be a map", "text")],
    );
}

#[test]
fn properties_of_packages_and_channels_have_types_but_need_no_value() {
    assert_problems(
        &decode_problems(Format::Yaml, "schema: olm.package\nname: p\nproperties: [{type: a}, null]\n"),
        &[],
    );
    let wrong = [
        ("properties: x", "properties must be a list", "x"),
        ("properties: [x]", "properties[0] must be a map", "x"),
        ("properties: [{type: 1}]", "properties[0].type must be a string", "1"),
    ];
    for schema in ["olm.package", "olm.channel"] {
        for (field, message, at) in wrong {
            let text = format!("schema: {schema}\nname: p\npackage: p\n{field}\n");
            assert_problems(&decode_problems(Format::Yaml, &text), &[(message, at)]);
        }
    }
}

#[test]
fn icons_and_bundle_objects_are_base64() {
    let icon = |data: &str| {
        decode_problems(Format::Yaml, &format!("schema: olm.package\nname: p\nicon:\n  base64data: {data}\n"))
    };
    // Go ignores spare bits and line breaks, and accepts lists of numbers.
    for good in ["YQ==", "YR==", "null", "\"Y\\nQ==\"", "[97, 0, 255, null]", "''"] {
        assert_problems(&icon(good), &[]);
    }
    assert_problems(&icon("YQ"), &[("icon.base64data is not base64", "YQ")]);
    assert_problems(&icon("a_b-"), &[("icon.base64data is not base64", "a_b-")]);
    assert_problems(&icon("5"), &[("icon.base64data must be a string in base64", "5")]);
    assert_problems(&icon("[256]"), &[("icon.base64data must be a string in base64", "[256]")]);
    let object =
        |data: &str| problems_of_property(&format!("- type: olm.bundle.object\n  value: {{data: {data}}}\n"));
    for good in ["e30=", "a2luZDogQQo=", "null"] {
        assert_problems(&object(good), &[]);
    }
    assert_problems(&object("e30"), &[("properties[0].value.data is not base64", "e30")]);
    // `[1`
    assert_problems(&object("WzE="), &[("properties[0].value.data is not an object in base64", "WzE=")]);
}

#[test]
fn reports_duplicate_key_at_its_second_occurrence() {
    let text = "schema: olm.package\nname: p\ndefaultChannel: a\ndefaultChannel: b\n";
    assert_problems(
        &decode_problems(Format::Yaml, text),
        &[("duplicate key `defaultChannel`", "defaultChannel")],
    );
    let json = r#"{"schema": "custom", "a": {"b": 1, "c": 2, "b": 3}}"#;
    assert_problems(&decode_problems(Format::Json, json), &[("duplicate key `b`", "\"b\"")]);
    let many: String = ('a'..='t').flat_map(|letter| [letter, ':', ' ', '\n']).collect();
    assert_problems(
        &decode_problems(Format::Yaml, &format!("schema: custom\n{many}h: 2\n")),
        &[("duplicate key `h`", "h")],
    );
}

#[test]
fn merged_keys_may_be_overridden() {
    let text = "schema: custom\nbase: &base {a: 1, b: 2}\nother:\n  <<: *base\n  a: 3\n";
    assert_problems(&decode_problems(Format::Yaml, text), &[]);
}

#[test]
fn last_spelling_in_byte_order_wins_in_both_formats() {
    let cases = [
        (Format::Json, r#"{"schema": "olm.channel", "name": "c", "entries": [{"name": "a", "Name": "b"}]}"#),
        (Format::Yaml, "schema: olm.channel\nname: c\nentries: [{name: a, Name: b}]"),
    ];
    for (format, text) in cases {
        let node = parse_chunk(format, text.as_bytes()).unwrap();
        let decoded = decode_document(DocId { file: FileId(0), serial: 0 }, &node);
        let Some(Blob::Channel(channel)) = decoded.blob else { panic!("no channel") };
        assert_eq!(channel.entries[0].name.value, "a");
    }
}
