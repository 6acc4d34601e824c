//! Examples of the APIs.

use super::{
    Body, OutlineLocation, Row,
    contents::{OutlineInput, Piece},
};
use crate::{
    field_access,
    render::{JsonStyle, compact_json, indent_json},
};
use olm_catalog::{Node, Value, text::json};

/// Maximum ratio of indentation to JSON text; otherwise the JSON stays on one line. The indentation of a wide
/// and deep object is quadratic in its size.
const MAX_INDENTATION_RATIO: usize = 8;

/// Annotations with examples, in reading order.
const ANNOTATIONS: [&str; 2] = ["alm-examples", "olm.examples"];

pub(super) fn example_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut rows = Vec::new();
    for annotation in ANNOTATIONS.into_iter().filter_map(|key| bundle.csv_annotation(key)) {
        let text = annotation.child_text(&[]);
        let spot = annotation.location();
        if text.trim().is_empty() {
            continue;
        }
        match json::parse_json(text.as_bytes()).map(|node| node.detached()) {
            Ok(list) if matches!(list.value, Value::List(_)) => {
                rows.extend(list.items().iter().map(|item| example_row(item, spot.clone())));
            }
            _ => rows.push(Row::new("unreadable", "unreadable", "not a JSON list").with_location(spot)),
        }
    }
    rows.extend(bundle.csv_annotation(INITIALIZATION).map(initialization_row));
    rows
}

/// Annotation with the object that a console asks for first.
const INITIALIZATION: &str = "operatorframework.io/initialization-resource";

fn initialization_row(annotation: Piece) -> Row {
    let text = annotation.child_text(&[]);
    let row = match json::parse_json(text.as_bytes()) {
        Ok(node) => Row::new_fact("initialization resource", example_title(&node))
            .with_body(Body::Json(pretty_json(&node))),
        Err(_) => Row::new_fact("initialization resource", "not JSON"),
    };
    row.with_note("to be created right after the install").with_location(annotation.location())
}

fn example_row(node: &Node, spot: Option<OutlineLocation>) -> Row {
    let kind = field_access::text_at(node, &["kind"]);
    let name = field_access::text_at(node, &["metadata", "name"]);
    let kind = if kind.is_empty() { "no kind".into() } else { kind };
    let value = [name, field_access::text_at(node, &["apiVersion"])].join("  ");
    Row::new(example_title(node), kind, value.trim())
        .with_body(Body::Json(pretty_json(node)))
        .with_location(spot)
}

fn example_title(node: &Node) -> String {
    [field_access::text_at(node, &["kind"]), field_access::text_at(node, &["metadata", "name"])]
        .join(" ")
        .trim()
        .to_owned()
}

/// Formats a tree as indented JSON.
pub(super) fn pretty_json(node: &Node) -> String {
    let json = compact_json(node, JsonStyle::Raw);
    if count_indentation(&json) > MAX_INDENTATION_RATIO * json.len() {
        json
    } else {
        indent_json(&json, "  ").trim_end().to_owned()
    }
}

/// Returns the number of indentation blanks of compact JSON. Brackets and commas in strings also count.
fn count_indentation(json: &str) -> usize {
    let (mut blanks, mut depth) = (0_usize, 0_usize);
    for byte in json.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => {}
            _ => continue,
        }
        blanks = blanks.saturating_add(2 * depth);
    }
    blanks
}
