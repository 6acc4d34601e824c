//! Conversion of changed documents to bytes, and insertion and removal of whole documents in files.

use super::{EditError, find_channel_in, new_document, require_bundle};
use crate::rewrite::{self, ValueTree};
use olm_catalog::{
    Catalog, ChannelName, FileId, Node,
    blob::{Deprecation, DeprecationTarget, DeprecationsBlob},
    decode::key_matches_field,
    file::{DocId, Segment, SourceFile},
    model::DocChange,
    package::Package,
    text::{
        canonical, emit,
        split::{self, ChunkKind, Format, PrecedingChunks},
        yaml,
    },
};

/// Returns a key as the document spells it, because OLM ignores its case. If there are several spellings,
/// returns the one that counts: the last by bytes.
pub(super) fn effective_key(tree: &ValueTree, key: &str) -> String {
    find_spelling(tree, key).unwrap_or_else(|| key.to_owned())
}

fn find_spelling(tree: &ValueTree, key: &str) -> Option<String> {
    let there = tree.members().iter().map(|(name, _)| name).filter(|name| key_matches_field(key, name));
    there.max().cloned()
}

/// Removes a key in every spelling, because another spelling would count from then on.
pub(super) fn remove_field(tree: &mut ValueTree, key: &str) {
    while let Some(key) = find_spelling(tree, key) {
        tree.remove(&key);
    }
}

/// Returns the `entries` of a channel or of deprecations.
pub(super) fn entries_mut(tree: &mut ValueTree) -> Option<&mut Vec<ValueTree>> {
    let key = effective_key(tree, "entries");
    tree.get_mut(&key)?.items_mut()
}

/// Removes items of the `entries` by position.
pub(super) fn remove_entries(tree: &mut ValueTree, gone: &[usize]) {
    if let Some(items) = entries_mut(tree) {
        let mut position = 0;
        items.retain(|_| {
            position += 1;
            !gone.contains(&(position - 1))
        });
    }
}

/// Inserts an item into the `entries`, at the end if the position is `None`.
pub(super) fn insert_entry(tree: &mut ValueTree, position: Option<usize>, item: ValueTree) {
    if let Some(items) = entries_mut(tree) {
        items.insert(position.map_or(items.len(), |position| position.min(items.len())), item);
    } else {
        let key = effective_key(tree, "entries");
        tree.set(&key, ValueTree::from_items([item]));
    }
}

/// Changes one document.
pub(super) fn rewrite_document(
    catalog: &Catalog,
    doc: DocId,
    change: impl FnOnce(&mut ValueTree),
) -> Result<Catalog, EditError> {
    Ok(catalog.with_changes(vec![rewrite_change(catalog, doc, change)?]).0)
}

/// Returns the change of one document. A document rendered by opm stays as opm would render it; any other keeps
/// its style.
pub(super) fn rewrite_change(
    catalog: &Catalog,
    doc: DocId,
    change: impl FnOnce(&mut ValueTree),
) -> Result<DocChange, EditError> {
    let (Some(format), Some(text), Some(Ok(tree))) =
        (catalog.format(doc), catalog.document_text(doc), catalog.parse_document(doc))
    else {
        return Err(EditError::Unreadable);
    };
    if yaml::is_utf16(text) {
        return Err(utf16_error(catalog, doc.file));
    }
    let text =
        rewrite_text(format, text, &tree, change).map_err(|error| EditError::Rewrite { doc, error })?;
    Ok(DocChange::Replace { doc, text })
}

fn utf16_error(catalog: &Catalog, file: FileId) -> EditError {
    EditError::Utf16(catalog.file(file).map(|file| file.display_path().to_owned()).unwrap_or_default())
}

pub(super) fn rewrite_text(
    format: Format,
    text: &[u8],
    tree: &Node,
    change: impl FnOnce(&mut ValueTree),
) -> Result<Vec<u8>, rewrite::RewriteError> {
    let mut plain = ValueTree::from(tree);
    change(&mut plain);
    let rewritten = rewrite::rewrite_text(format, text, tree, &plain)?;
    if is_canonical(format, text, tree)
        && let Ok(tree) = split::parse_chunk(format, &rewritten.text)
    {
        return Ok(keep_surrounding_blanks(text, render_canonical(format, &tree)));
    }
    Ok(rewritten.text)
}

/// Returns true if a document is written as opm renders it in its format.
pub(super) fn is_canonical(format: Format, text: &[u8], tree: &Node) -> bool {
    keep_surrounding_blanks(text, render_canonical(format, tree)) == text
}

/// Renders a document like opm.
pub(super) fn render_canonical(format: Format, tree: &Node) -> Vec<u8> {
    write_canonical(format, &canonical::normalize(tree))
}

/// Writes a normalized document in one of opm's two formats.
pub(super) fn write_canonical(format: Format, tree: &Node) -> Vec<u8> {
    match format {
        Format::Yaml => format!("---\n{}", emit::write_yaml(tree)).into_bytes(),
        Format::Json => emit::write_json(tree).into_bytes(),
    }
}

/// Puts a JSON object between the blanks around the old one. YAML does not have such blanks.
fn keep_surrounding_blanks(text: &[u8], new: Vec<u8>) -> Vec<u8> {
    if !new.starts_with(b"{") {
        return new;
    }
    let (start, end) = (text.trim_ascii_start().len(), text.trim_ascii_end().len());
    let before = text.get(..text.len() - start).unwrap_or_default();
    [before, new.trim_ascii(), text.get(end..).unwrap_or_default()].concat()
}

/// Applies changes that insert or remove whole documents, and checks that the files are still split as
/// intended.
pub(super) fn apply_changes(catalog: &Catalog, changes: Vec<DocChange>) -> Result<Catalog, EditError> {
    let mut touched = changes.iter().filter_map(|change| match change {
        DocChange::Replace { doc, .. } | DocChange::Remove { doc } => Some(doc.file),
        DocChange::Insert { file, .. } => Some(*file),
        DocChange::Make { .. } => None,
    });
    let is_utf16 = |file: &FileId| {
        let source = catalog.file(*file);
        source
            .is_some_and(|file| file.segments().iter().any(|segment| yaml::is_utf16(segment.text.as_bytes())))
    };
    if let Some(file) = touched.find(is_utf16) {
        return Err(utf16_error(catalog, file));
    }
    let (mut next, _) = catalog.with_changes(changes);
    let mut mended = restored_marks(catalog, &next);
    mended.extend(removed_separators(catalog, &next));
    if !mended.is_empty() {
        let revision = next.revision;
        next = next.with_changes(mended).0;
        // The correction belongs to the same edit.
        next.revision = revision;
    }
    let changed = next.files_changed_since(catalog).into_iter();
    let wrong =
        { changed }.find_map(|file| file.after.filter(|after| !is_split_as_intended(file.before, after)));
    match wrong {
        Some(file) => Err(EditError::UnsafeSplit(file.display_path().to_owned())),
        None => Ok(next),
    }
}

/// Restores byte order marks, which belong to the file and stay when its first document is removed.
fn restored_marks(before: &Catalog, after: &Catalog) -> Vec<DocChange> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let first = |file: &SourceFile| Some(file.segments().first()?.clone());
    let files = (0..).zip(before.files().iter().zip(after.files()));
    let lost = files.filter_map(|(file, (old, new))| {
        let (old, new) = (first(old)?, first(new)?);
        let is_lost = old.text.as_bytes().starts_with(MARK) && !new.text.as_bytes().starts_with(MARK);
        let doc = DocId { file: FileId(file), serial: new.serial };
        is_lost.then(|| DocChange::Replace { doc, text: [MARK, new.text.as_bytes()].concat() })
    });
    lost.collect()
}

/// Removes a separator at the end of a file together with the last document. Alone it would be an object
/// without a schema.
fn removed_separators(before: &Catalog, after: &Catalog) -> Vec<DocChange> {
    let bare = |file: &SourceFile| file.segments().iter().all(|segment| segment.kind == ChunkKind::NoObject);
    let files = (0..).zip(before.files().iter().zip(after.files()));
    let bared = files.filter(|(_, (old, new))| bare(new) && !bare(old));
    let rest = bared.flat_map(|(file, (_, source))| {
        let serials = source.segments().iter().map(|segment| segment.serial);
        serials.map(move |serial| DocChange::Remove { doc: DocId { file: FileId(file), serial } })
    });
    rest.collect()
}

/// Returns true if the file would be split into the same chunks when read again. Checks the changed chunks, the
/// one before them, which may run into them, and two after them. Together they determine where the others
/// begin, so the cost does not depend on the file size.
pub(super) fn is_split_as_intended(before: Option<&SourceFile>, file: &SourceFile) -> bool {
    let segments = file.segments();
    let changed = before.map_or(0..segments.len(), |before| file.differing_chunks(before).0);
    let (start, above) = resync_point(segments, changed.start.saturating_sub(1));
    let end = segments.len().min(changed.end + 2);
    let looked_at = segments.get(start..end).unwrap_or_default();
    let chunks = split::split_part(&file.chunk_bytes(start..end), above);
    let is_last = |nth: usize| start + nth + 1 == segments.len();
    chunks.len() == looked_at.len()
        && chunks.iter().zip(looked_at).enumerate().all(|(nth, (chunk, segment))| {
            let is_whole = nth + 1 < looked_at.len() || is_last(nth);
            // A chunk that turns into JSON takes the rest of the file with it.
            let is_taken = is_json(chunk.kind) && !matches!(&segment.kind, ChunkKind::NoObject);
            chunk.range.len() == segment.text.len() && (chunk.kind == segment.kind || !is_whole && !is_taken)
        })
}

fn is_json(kind: ChunkKind) -> bool {
    kind == ChunkKind::Document(Format::Json)
}

/// Returns the chunk to begin with, at or before the given one, and the state of the reader there.
fn resync_point(segments: &[Segment], at: usize) -> (usize, PrecedingChunks) {
    let kinds = segments.get(..at).unwrap_or_default();
    match kinds {
        [first, second, ..] if is_json(first.kind) && is_json(second.kind) => {
            (at, PrecedingChunks::JsonForGood)
        }
        [.., above] if above.kind == ChunkKind::Document(Format::Yaml) => (at, PrecedingChunks::Yaml),
        _ => (0, PrecedingChunks::Nothing),
    }
}

/// Adds or changes a deprecation. If the package does not have an `olm.deprecations`, creates it with
/// [`fresh::deprecations`].
pub(super) fn deprecate(
    catalog: &Catalog,
    package: &Package,
    target: &DeprecationTarget,
    message: &str,
) -> Result<Catalog, EditError> {
    match target {
        DeprecationTarget::Package => {}
        DeprecationTarget::Channel(channel) => drop(find_channel_in(package, channel)?),
        DeprecationTarget::Bundle(bundle) => require_bundle(package, bundle)?,
    }
    if message.trim().is_empty() {
        return Err(EditError::NoMessage);
    }
    let said = package.deprecations.iter().find_map(|blob| Some((blob, find_deprecation(blob, target)?)));
    if let Some((blob, said)) = said {
        return rewrite_document(catalog, blob.doc, |tree| {
            if let Some(item) = entries_mut(tree).and_then(|items| items.get_mut(said.position)) {
                let key = effective_key(item, "message");
                item.set(&key, message);
            }
        });
    }
    let item =
        ValueTree::from_members([("reference", target_reference(target)), ("message", message.into())]);
    if let Some(blob) = package.deprecations.first() {
        return rewrite_document(catalog, blob.doc, |tree| insert_entry(tree, None, item));
    }
    apply_changes(catalog, new_document::add_deprecations(catalog, package, item)?)
}

pub(super) fn undeprecate(
    catalog: &Catalog,
    package: &Package,
    target: &DeprecationTarget,
) -> Result<Catalog, EditError> {
    let changes = without_deprecations(catalog, package, |other| other == target)?;
    if changes.is_empty() {
        let name = match target {
            DeprecationTarget::Package => format!("package {}", package.name),
            DeprecationTarget::Channel(channel) => format!("channel {channel}"),
            DeprecationTarget::Bundle(bundle) => bundle.to_string(),
        };
        return Err(EditError::NotDeprecated(name));
    }
    apply_changes(catalog, changes)
}

/// Removes the deprecations of some targets, and documents that become empty.
pub(super) fn without_deprecations(
    catalog: &Catalog,
    package: &Package,
    gone: impl Fn(&DeprecationTarget) -> bool,
) -> Result<Vec<DocChange>, EditError> {
    let mut changes = Vec::new();
    for blob in &package.deprecations {
        let leaving = blob.entries.iter().filter(|entry| entry.target.as_ref().is_some_and(&gone));
        let leaving: Vec<usize> = leaving.map(|entry| entry.position).collect();
        if leaving.is_empty() {
            continue;
        }
        changes.push(if leaving.len() == blob.entries.len() {
            DocChange::Remove { doc: blob.doc }
        } else {
            rewrite_change(catalog, blob.doc, |tree| remove_entries(tree, &leaving))?
        });
    }
    Ok(changes)
}

/// Changes the deprecations of a renamed channel to its new name.
pub(super) fn rename_target(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
    to: &ChannelName,
) -> Result<Vec<DocChange>, EditError> {
    let target = DeprecationTarget::Channel(channel.clone());
    let mut changes = Vec::new();
    for blob in &package.deprecations {
        let said = blob.entries.iter().filter(|entry| entry.target.as_ref() == Some(&target));
        // A broken catalog may have several.
        let said: Vec<usize> = said.map(|entry| entry.position).collect();
        if said.is_empty() {
            continue;
        }
        changes.push(rewrite_change(catalog, blob.doc, |tree| {
            let items = entries_mut(tree).into_iter().flatten().enumerate();
            for (_, item) in items.filter(|(position, _)| said.contains(position)) {
                let key = effective_key(item, "reference");
                if let Some(reference) = item.get_mut(&key) {
                    let key = effective_key(reference, "name");
                    reference.set(&key, to.as_str());
                }
            }
        })?);
    }
    Ok(changes)
}

fn find_deprecation<'a>(blob: &'a DeprecationsBlob, target: &DeprecationTarget) -> Option<&'a Deprecation> {
    blob.entries.iter().find(|entry| entry.target.as_ref() == Some(target))
}

fn target_reference(target: &DeprecationTarget) -> ValueTree {
    match target {
        DeprecationTarget::Package => ValueTree::from_members([("schema", "olm.package")]),
        DeprecationTarget::Channel(channel) => {
            ValueTree::from_members([("schema", "olm.channel"), ("name", channel.as_str())])
        }
        DeprecationTarget::Bundle(bundle) => {
            ValueTree::from_members([("schema", "olm.bundle"), ("name", bundle.as_str())])
        }
    }
}
