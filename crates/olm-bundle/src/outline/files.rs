//! Other objects, and every file of the directory.

use std::collections::HashMap;

use super::{OutlineLocation, Row, contents::OutlineInput, unseen};
use crate::{
    TreeFile,
    registry::{CRD_KIND, OTHER_KINDS},
};
use olm_catalog::Span;

/// Returns the objects except the ClusterServiceVersion and the CRDs.
pub(super) fn object_rows(bundle: &OutlineInput) -> Vec<Row> {
    let others = bundle.objects.iter().filter(|object| object.child_text(&["kind"]) != CRD_KIND);
    others
        .map(|object| {
            let [kind, api] = ["kind", "apiVersion"].map(|key| object.child_text(&[key]));
            let name = object.child_text(&["metadata", "name"]);
            let is_known = OTHER_KINDS.contains(&kind.as_ref());
            let note = if is_known { "" } else { "a kind that OLM does not install" };
            let row = Row::new(format!("{kind} {name}"), kind.as_ref(), name.as_ref());
            let note = if note.is_empty() { api.into_owned() } else { format!("{api}; {note}") };
            row.with_note(note)
                .with_hidden_hash(unseen::hash_node(object.node))
                .with_location(object.location())
        })
        .collect()
}

/// Returns every file with its size, and the reason if opm ignores it.
pub(super) fn file_rows(bundle: &OutlineInput) -> Vec<Row> {
    let Some((contents, tree)) = bundle.directory else { return Vec::new() };
    let dropped: HashMap<&str, String> = contents
        .dropped
        .iter()
        .map(|dropped| (dropped.file.path.as_str(), dropped.reason.to_string()))
        .collect();
    tree.files
        .iter()
        .map(|file| {
            let size = match &file.content {
                Ok(bytes) => format_size(bytes.len()),
                Err(error) => error.clone(),
            };
            let note = dropped
                .get(file.path.as_str())
                .map_or_else(|| ignore_reason(file), |why| format!("opm ignores it: {why}"));
            let spot = OutlineLocation { file: file.path.as_str().into(), line: 1, span: Span::default() };
            Row::new(file.path.as_str(), file.path.as_str(), size).with_note(note).with_location(Some(spot))
        })
        .collect()
}

/// Returns the reason why opm ignores a file by its path.
fn ignore_reason(file: &TreeFile) -> String {
    let is_deeper = |folder: &str| file.path.strip_prefix(folder).is_some_and(|path| path.contains('/'));
    if is_deeper("manifests/") || is_deeper("metadata/") {
        "opm ignores it: in a subfolder".to_owned()
    } else if file.path.starts_with("manifests/") && file.is_hidden() {
        "opm ignores it: hidden".to_owned()
    } else {
        String::new()
    }
}

fn format_size(bytes: usize) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}
