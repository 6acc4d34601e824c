//! Conditions inside an `olm.constraint`, one row each.

use super::{Row, apis::shorten_word};
use crate::field_access::{items_at, node_at, text_at};
use olm_catalog::{Node, blob::DependencyTarget};

/// Maximum depth of nested constraints.
const MAX_DEPTH: usize = 16;

/// Maximum number of rows of one constraint.
const MAX_ROWS: usize = 500;

/// Fields with a list of constraints, and their meaning.
const COMPOUNDS: [(&str, &str); 3] = [("all", "all of"), ("any", "any of"), ("not", "none of")];

/// Constraint to visit.
struct PendingConstraint<'n> {
    node: &'n Node<'static>,
    /// Path from the outermost constraint, such as `any[1].all[0]`.
    path: String,
    /// Meaning of the path, such as `any of > all of`.
    meaning: String,
    depth: usize,
}

/// Returns the conditions of a constraint as rows below its own row.
pub(super) fn constraint_rows(constraint: &Node<'static>, parent: &Row) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut left =
        vec![PendingConstraint { node: constraint, path: String::new(), meaning: String::new(), depth: 0 }];
    while let Some(item) = left.pop() {
        if rows.len() >= MAX_ROWS {
            rows.push(detail_row(parent, "more conditions", "…", "not listed here"));
            break;
        }
        rows.extend(condition_row(&item, parent));
        let nested = COMPOUNDS.into_iter().flat_map(|(field, meaning)| {
            let items = items_at(item.node, &[field, "constraints"]).iter().enumerate();
            items.map(move |(at, node)| (node, format!("{field}[{at}]"), meaning))
        });
        let nested: Vec<PendingConstraint<'_>> = nested
            .map(|(node, step, meaning)| PendingConstraint {
                node,
                path: join_steps(&item.path, &step, "."),
                meaning: join_steps(&item.meaning, meaning, " > "),
                depth: item.depth + 1,
            })
            .collect();
        if item.depth == MAX_DEPTH && !nested.is_empty() {
            let value = format!("conditions at a depth of more than {MAX_DEPTH}");
            rows.push(detail_row(parent, &item.path, &value, &item.meaning));
            continue;
        }
        // The stack returns the last one first.
        left.extend(nested.into_iter().rev());
    }
    rows
}

fn join_steps(path: &str, step: &str, between: &str) -> String {
    if path.is_empty() { step.to_owned() } else { [path, step].join(between) }
}

/// Creates a row below the row of the constraint.
fn detail_row(parent: &Row, path: &str, value: &str, note: &str) -> Row {
    Row::new(format!("{} {path}", parent.key), "condition", value)
        .with_level(1)
        .with_note(note)
        .with_location(parent.location.clone())
}

/// Returns the row of a condition on a package, an API or properties; `None` for other nodes.
fn condition_row(item: &PendingConstraint<'_>, parent: &Row) -> Option<Row> {
    let field = |part: &str, key: &str| text_at(item.node, &[part, key]).into_owned();
    let message = text_at(item.node, &["failureMessage"]);
    // The row of the whole constraint shows its own message.
    let message = if item.depth == 0 { "" } else { shorten_word(&message) };
    let notes = [item.meaning.as_str(), message].into_iter().filter(|note| !note.is_empty());
    let note = notes.collect::<Vec<_>>().join(": ");
    let has = |part: &str| node_at(item.node, &[part]).is_some_and(|node| !node.members().is_empty());
    let (label, value, target) = if has("package") {
        let (name, range) = (field("package", "packageName"), field("package", "versionRange"));
        let target = DependencyTarget::Package(name.as_str().into());
        ("package", format!("{name} {range}").trim_end().to_owned(), Some(target))
    } else if has("gvk") {
        let [group, version, kind] = ["group", "version", "kind"].map(|key| field("gvk", key));
        let row = Row::new("", "", "").with_api(group.as_str(), kind.as_str());
        ("API", format!("{kind} {version} ({group})"), row.dependency_target)
    } else if has("cel") {
        ("CEL rule", field("cel", "rule"), None)
    } else {
        return None;
    };
    let path = join_steps(&item.path, label, ".");
    Some(Row {
        label: label.to_owned(),
        dependency_target: target,
        ..detail_row(parent, &path, &value, &note)
    })
}
