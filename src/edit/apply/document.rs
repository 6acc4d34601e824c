//! From what one document shall mean to its bytes, and whole documents in and out of files.

use super::EditError;
use crate::{
    catalog::{
        Catalog, Node, canonical, emit,
        file::{DocId, SourceFile},
        model::DocChange,
        split::{self, Format},
    },
    edit::rewrite::{self, Plain},
};

/// A key as the document spells it: OLM does not mind its case, so the one that is there stays.
pub(super) fn field(tree: &Plain, key: &str) -> String {
    let there = tree.members().iter().map(|(name, _)| name).find(|name| name.eq_ignore_ascii_case(key));
    there.cloned().unwrap_or_else(|| key.to_owned())
}

/// The `entries` of a channel or of deprecations.
pub(super) fn entries(tree: &mut Plain) -> Option<&mut Vec<Plain>> {
    let key = field(tree, "entries");
    tree.get_mut(&key)?.items_mut()
}

/// Takes items out of the `entries`, by their positions.
pub(super) fn remove_entries(tree: &mut Plain, gone: &[usize]) {
    if let Some(items) = entries(tree) {
        let mut position = 0;
        items.retain(|_| {
            position += 1;
            !gone.contains(&(position - 1))
        });
    }
}

/// Puts an item behind the last of the `entries`.
pub(super) fn add_entry(tree: &mut Plain, item: Plain) {
    if let Some(items) = entries(tree) {
        items.push(item);
    } else {
        let key = field(tree, "entries");
        tree.set(&key, Plain::list([item]));
    }
}

/// Changes one document.
pub(super) fn rewrite(
    catalog: &Catalog,
    doc: DocId,
    change: impl FnOnce(&mut Plain),
) -> Result<Catalog, EditError> {
    Ok(catalog.with_changes(vec![rewritten(catalog, doc, change)?]).0)
}

/// The change of one document: a canonical one stays what opm would render, any other keeps its own style.
pub(super) fn rewritten(
    catalog: &Catalog,
    doc: DocId,
    change: impl FnOnce(&mut Plain),
) -> Result<DocChange, EditError> {
    let (Some(format), Some(text), Some(Ok(tree))) =
        (catalog.format(doc), catalog.text(doc), catalog.tree(doc))
    else {
        return Err(EditError::Unreadable);
    };
    let text =
        changed_text(format, text, &tree, change).map_err(|error| EditError::Rewrite { doc, error })?;
    Ok(DocChange::Replace { doc, text })
}

pub(super) fn changed_text(
    format: Format,
    text: &[u8],
    tree: &Node,
    change: impl FnOnce(&mut Plain),
) -> Result<Vec<u8>, rewrite::RewriteError> {
    let mut plain = Plain::from(tree);
    change(&mut plain);
    let rewritten = rewrite::rewrite(format, text, tree, &plain)?;
    let canonical = is_canonical(format, text, tree).then(|| split::parse(format, &rewritten.text).ok());
    Ok(match canonical.flatten() {
        Some(tree) => rendered(&tree),
        None => rewritten.text,
    })
}

/// Whether a document is written as opm renders it in YAML.
pub(super) fn is_canonical(format: Format, text: &[u8], tree: &Node) -> bool {
    format == Format::Yaml && rendered(tree) == text
}

/// A document as opm renders it in YAML.
pub(super) fn rendered(tree: &Node) -> Vec<u8> {
    format!("---\n{}", emit::yaml(&canonical::normalise(tree))).into_bytes()
}

/// Makes changes that put whole documents into files or take them out, if the files are then cut into documents where
/// they are meant to be.
pub(super) fn change(catalog: &Catalog, changes: Vec<DocChange>) -> Result<Catalog, EditError> {
    let (next, _) = catalog.with_changes(changes);
    let changed = next.files_changed_since(catalog).into_iter().filter_map(|changed| changed.after);
    if let Some(file) = { changed }.find(|file| !is_cut_as_meant(file)) {
        return Err(EditError::Parting(file.shown().to_owned()));
    }
    Ok(next)
}

fn is_cut_as_meant(file: &SourceFile) -> bool {
    let chunks = split::split(&file.bytes());
    let segments = file.segments();
    chunks.len() == segments.len()
        && chunks
            .iter()
            .zip(segments)
            .all(|(chunk, segment)| chunk.range.len() == segment.text.len() && chunk.kind == segment.kind)
}
