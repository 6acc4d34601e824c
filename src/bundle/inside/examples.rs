//! Examples of the APIs.

use super::{
    Body, Row, Spot,
    contents::{BundleContents, Piece},
};
use crate::{
    bundle::{
        read,
        render::{Style, compact, indented},
    },
    catalog::{Node, Value, text::json},
};

/// Maximum ratio of indentation to JSON text; otherwise the JSON stays on one line. The indentation of a wide
/// and deep object is quadratic in its size.
const MAX_BLANKS: usize = 8;

/// Annotations with examples, in reading order.
const ANNOTATIONS: [&str; 2] = ["alm-examples", "olm.examples"];

pub(super) fn rows(bundle: &BundleContents) -> Vec<Row> {
    let mut rows = Vec::new();
    for annotation in ANNOTATIONS.into_iter().filter_map(|key| bundle.annotation(key)) {
        let text = annotation.text(&[]);
        let spot = annotation.spot();
        if text.trim().is_empty() {
            continue;
        }
        match json::parse(text.as_bytes()).map(|node| node.detached()) {
            Ok(list) if matches!(list.value, Value::List(_)) => {
                rows.extend(list.items().iter().map(|item| example(item, spot.clone())));
            }
            _ => rows.push(Row::new("unreadable", "unreadable", "not a JSON list").at(spot)),
        }
    }
    rows.extend(bundle.annotation(INITIALIZATION).map(initialization));
    rows
}

/// Annotation with the object that a console asks for first.
const INITIALIZATION: &str = "operatorframework.io/initialization-resource";

fn initialization(annotation: Piece) -> Row {
    let text = annotation.text(&[]);
    let row = match json::parse(text.as_bytes()) {
        Ok(node) => Row::fact("initialization resource", title(&node)).body(Body::Json(pretty(&node))),
        Err(_) => Row::fact("initialization resource", "not JSON"),
    };
    row.note("to be created right after the install").at(annotation.spot())
}

fn example(node: &Node, spot: Option<Spot>) -> Row {
    let kind = read::text(node, &["kind"]);
    let name = read::text(node, &["metadata", "name"]);
    let kind = if kind.is_empty() { "no kind".into() } else { kind };
    let value = [name, read::text(node, &["apiVersion"])].join("  ");
    Row::new(title(node), kind, value.trim()).body(Body::Json(pretty(node))).at(spot)
}

fn title(node: &Node) -> String {
    [read::text(node, &["kind"]), read::text(node, &["metadata", "name"])].join(" ").trim().to_owned()
}

/// Formats a tree as indented JSON.
pub(super) fn pretty(node: &Node) -> String {
    let json = compact(node, Style::Raw);
    if blanks(&json) > MAX_BLANKS * json.len() { json } else { indented(&json, "  ").trim_end().to_owned() }
}

/// Returns the number of indentation blanks of compact JSON. Brackets and commas in strings also count.
fn blanks(json: &str) -> usize {
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
