//! Application of edits: from names to documents, and to the bytes of those documents.

mod bundle_parts;
mod channel;
mod document;
mod error;
mod keep_only;
mod layout;
mod new_document;
mod new_package;
mod semver;
mod template;
#[cfg(test)]
mod tests;

pub(crate) use bundle_parts::describe_parts;
pub use error::EditError;
pub use new_package::find_own_folder;

use std::{cmp::Ordering, collections::HashSet};

use super::operation::Edit;
use crate::{
    operation::NewIcon,
    repair::{TailPolicy, repair_edges},
    rewrite::ValueTree,
};
use channel::package_definition;
use document::{
    apply_changes, effective_key, entries_mut, remove_entries, remove_field, rewrite_change,
    rewrite_document, write_canonical,
};
use layout::NamedDocument;
use olm_bundle::render::{JsonStyle, compact_json, order_metadata};
use olm_catalog::{
    BundleName, Catalog, ChannelName, Node, PackageName, Value,
    blob::{BundleBlob, ChannelBlob, DeprecationTarget, Entry, EntrySpec},
    file::DocId,
    model::DocChange,
    package::Package,
    text::{
        canonical, emit,
        split::{self, ChunkKind, Format},
    },
};
use olm_version::{Version, VersionRelease};

/// Returns the catalog after an edit. The given catalog does not change.
///
/// # Errors
///
/// If the edit refers to something missing, if the result would be unusable, or if the bytes cannot be edited
/// safely.
pub fn apply_edit(catalog: &Catalog, edit: &Edit) -> Result<Catalog, EditError> {
    match catalog.template() {
        Some(template) => template::apply_to_template(catalog, template, edit),
        None => apply_to_documents(catalog, edit),
    }
}

/// Applies an edit to documents.
fn apply_to_documents(catalog: &Catalog, edit: &Edit) -> Result<Catalog, EditError> {
    match edit {
        Edit::SetEntry { package, channel, entry, spec } => {
            set_entry(catalog, find_channel(catalog, package, channel)?, entry, spec)
        }
        Edit::AddEntry { package, channel, entry, spec } => {
            let package = find_package(catalog, package)?;
            add_entry(catalog, package, find_channel_in(package, channel)?, entry, spec)
        }
        Edit::RemoveEntry { package, channel, entry } => {
            remove_entry(catalog, find_channel(catalog, package, channel)?, entry)
        }
        Edit::RenameKey { package, channel, entry, from, to } => {
            rename_entry_key(catalog, find_channel(catalog, package, channel)?, entry, from, to)
        }
        Edit::SetDefaultChannel { package, channel } => {
            channel::set_default(catalog, find_package(catalog, package)?, channel)
        }
        Edit::RemoveChannel { package, channel, default } => {
            channel::remove_channel(catalog, find_package(catalog, package)?, channel, default.as_ref())
        }
        Edit::AddChannel { package, channel, entries } => {
            channel::add_channel(catalog, find_package(catalog, package)?, channel, entries)
        }
        Edit::RenameChannel { package, channel, to } => {
            channel::rename_channel(catalog, find_package(catalog, package)?, channel, to)
        }
        Edit::SetDescription { package, description } => {
            set_description(catalog, find_package(catalog, package)?, description.as_deref())
        }
        Edit::SetIcon { package, icon } => set_icon(catalog, find_package(catalog, package)?, icon.as_ref()),
        Edit::AddPackage { package, default_channel, description, icon, folder } => {
            let new = new_package::NewPackage {
                default_channel,
                description: description.as_deref(),
                icon: icon.as_ref(),
                folder: folder.as_deref(),
            };
            new_package::add_package(catalog, package, &new)
        }
        Edit::AddBundle { package, blob } => add_bundle(catalog, find_package(catalog, package)?, blob),
        Edit::Bundles { package, bundles, change } => {
            bundle_parts::change_bundles(catalog, find_package(catalog, package)?, bundles, change)
        }
        Edit::RemoveBundle { package, bundle } => {
            remove_bundle(catalog, find_package(catalog, package)?, bundle)
        }
        Edit::LeaveOutBelow { package, version } => {
            remove_bundles_below(catalog, find_package(catalog, package)?, version)
        }
        Edit::Deprecate { package, target, message } => {
            document::deprecate(catalog, find_package(catalog, package)?, target, message)
        }
        Edit::Undeprecate { package, target } => {
            document::undeprecate(catalog, find_package(catalog, package)?, target)
        }
        Edit::KeepOnly { packages } => keep_only::keep_only(catalog, packages),
        Edit::Template { .. } => Err(EditError::NotATemplate),
        Edit::Several { edits, .. } => {
            let mut state = None;
            for edit in edits {
                state = Some(apply_to_documents(state.as_ref().unwrap_or(catalog), edit)?);
            }
            Ok(state.unwrap_or_else(|| catalog.clone()))
        }
    }
}

fn find_package<'a>(catalog: &'a Catalog, name: &PackageName) -> Result<&'a Package, EditError> {
    catalog.package(name.as_str()).map(AsRef::as_ref).ok_or_else(|| EditError::NoPackage(name.clone()))
}

fn find_channel<'a>(
    catalog: &'a Catalog,
    package: &PackageName,
    name: &ChannelName,
) -> Result<&'a ChannelBlob, EditError> {
    find_channel_in(find_package(catalog, package)?, name)
}

fn find_channel_in<'a>(package: &'a Package, name: &ChannelName) -> Result<&'a ChannelBlob, EditError> {
    package.channel(name.as_str()).map(AsRef::as_ref).ok_or_else(|| EditError::NoChannel(name.clone()))
}

fn require_bundle(package: &Package, name: &BundleName) -> Result<(), EditError> {
    package.bundle(name.as_str()).map(|_| ()).ok_or_else(|| EditError::NoBundle(name.clone()))
}

/// Sets or removes the description.
fn set_description(
    catalog: &Catalog,
    package: &Package,
    description: Option<&str>,
) -> Result<Catalog, EditError> {
    rewrite_document(catalog, package_definition(package)?.doc, |tree| {
        let key = effective_key(tree, "description");
        // An empty text counts as absent, and an absent value keeps its form.
        match description.filter(|text| !text.is_empty()) {
            Some(text) => tree.set(&key, text),
            None if tree.get(&key).is_some_and(counts_as_absent) => {}
            None => remove_field(tree, &key),
        }
    })
}

/// Sets or removes the icon.
fn set_icon(catalog: &Catalog, package: &Package, icon: Option<&NewIcon>) -> Result<Catalog, EditError> {
    rewrite_document(catalog, package_definition(package)?.doc, |tree| {
        let key = effective_key(tree, "icon");
        match icon {
            Some(icon) => {
                // Other members of the icon stay.
                let mut members = match tree.get(&key) {
                    Some(ValueTree::Map(members)) => ValueTree::Map(members.clone()),
                    _ => ValueTree::Map(Vec::new()),
                };
                for (name, value) in [("base64data", &icon.base64data), ("mediatype", &icon.mediatype)] {
                    let name = effective_key(&members, name);
                    members.set(&name, value.as_str());
                }
                tree.set(&key, members);
            }
            None => remove_field(tree, &key),
        }
    })
}

fn remove_bundle(catalog: &Catalog, package: &Package, bundle: &BundleName) -> Result<Catalog, EditError> {
    require_bundle(package, bundle)?;
    remove_bundles(catalog, package, &HashSet::from([bundle]), TailPolicy::Drop)
}

fn remove_bundles_below(
    catalog: &Catalog,
    package: &Package,
    version: &Version,
) -> Result<Catalog, EditError> {
    let below = package
        .bundles
        .iter()
        .filter(|bundle| bundle.version.as_ref().is_some_and(|v| v.version.cmp_precedence(version).is_lt()));
    let gone: HashSet<&BundleName> = below.map(|bundle| &bundle.name.value).collect();
    if gone.is_empty() {
        return Err(EditError::NothingBelow(version.clone()));
    }
    remove_bundles(catalog, package, &gone, TailPolicy::Keep)
}

fn remove_bundles(
    catalog: &Catalog,
    package: &Package,
    gone: &HashSet<&BundleName>,
    tail: TailPolicy,
) -> Result<Catalog, EditError> {
    if package.bundles.iter().all(|bundle| gone.contains(&bundle.name.value)) {
        return Err(EditError::NothingLeft(package.name.clone()));
    }
    let bundles = package.bundles.iter().filter(|bundle| gone.contains(&bundle.name.value));
    let mut changes: Vec<DocChange> = bundles.map(|bundle| DocChange::Remove { doc: bundle.doc }).collect();
    let mut emptied: HashSet<&ChannelName> = HashSet::new();
    for channel in &package.channels {
        let is_gone = |entry: &&Entry| gone.contains(&entry.name.value);
        let leaving: Vec<usize> = channel.entries.iter().filter(is_gone).map(|e| e.position).collect();
        if !leaving.is_empty() && leaving.len() == channel.entries.len() {
            emptied.insert(&channel.name.value);
            changes.push(DocChange::Remove { doc: channel.doc });
            continue;
        }
        let repairs = repair_edges(channel, gone, tail);
        if leaving.is_empty() && repairs.is_empty() {
            continue;
        }
        changes.push(rewrite_change(catalog, channel.doc, |tree| {
            for (position, spec) in &repairs {
                set_entry_at(tree, *position, spec);
            }
            remove_entries(tree, &leaving);
        })?);
    }
    // Another document of the same channel may still have entries.
    let left: HashSet<&ChannelName> = package
        .channels
        .iter()
        .filter(|channel| !channel.entries.iter().all(|entry| gone.contains(&entry.name.value)))
        .map(|channel| &channel.name.value)
        .collect();
    emptied.retain(|name| !left.contains(name));
    if let Some(default) = package.default_channel().filter(|name| emptied.contains(name)) {
        return Err(EditError::EmptyDefault(default.clone()));
    }
    changes.extend(document::without_deprecations(catalog, package, |target| match target {
        DeprecationTarget::Package => false,
        DeprecationTarget::Channel(channel) => emptied.contains(channel),
        DeprecationTarget::Bundle(bundle) => gone.contains(bundle),
    })?);
    apply_changes(catalog, changes)
}

fn set_entry(
    catalog: &Catalog,
    channel: &ChannelBlob,
    entry: &BundleName,
    spec: &EntrySpec,
) -> Result<Catalog, EditError> {
    let index = entry_position(channel, entry)?;
    rewrite_document(catalog, channel.doc, |tree| set_entry_at(tree, index, spec))
}

fn add_entry(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelBlob,
    entry: &BundleName,
    spec: &EntrySpec,
) -> Result<Catalog, EditError> {
    if entry_position(channel, entry).is_ok() {
        return Err(EditError::EntryExists { channel: channel.name.value.clone(), entry: entry.clone() });
    }
    let position = new_entry_position(package, channel, entry);
    rewrite_document(catalog, channel.doc, |tree| {
        document::insert_entry(tree, position, new_entry_item(entry, spec));
    })
}

/// Returns the position of a new entry in the list, which follows the order of versions in the list: next to the next
/// higher entry. `None` for the end.
fn new_entry_position(package: &Package, channel: &ChannelBlob, entry: &BundleName) -> Option<usize> {
    let version = package.bundle_version(entry.as_str())?;
    let mut listed: Vec<(usize, &VersionRelease)> = channel
        .entries
        .iter()
        .filter_map(|entry| Some((entry.position, package.bundle_version(entry.name.value.as_str())?)))
        .collect();
    listed.sort_by_key(|(position, _)| *position);
    let is_rising = |pair: &[(usize, &VersionRelease)], order: Ordering| match pair {
        [(_, a), (_, b)] => a.cmp_precedence(b) == order,
        _ => false,
    };
    let count = |order| listed.windows(2).filter(|pair| is_rising(pair, order)).count();
    let is_descending = count(Ordering::Greater) > count(Ordering::Less);
    let higher = listed.iter().filter(|(_, other)| other.cmp_precedence(version).is_gt());
    let next = higher.min_by(|(_, a), (_, b)| a.cmp_precedence(b)).map(|(position, _)| *position);
    match (next, is_descending) {
        (Some(next), false) => Some(next),
        (Some(next), true) => Some(next + 1),
        (None, true) => listed.first().map(|(position, _)| *position),
        (None, false) => None,
    }
}

/// Returns a new entry.
fn new_entry_item(entry: &BundleName, spec: &EntrySpec) -> ValueTree {
    let mut item = ValueTree::from_members([("name", entry.as_str())]);
    set_spec(&mut item, spec);
    item
}

fn remove_entry(catalog: &Catalog, channel: &ChannelBlob, entry: &BundleName) -> Result<Catalog, EditError> {
    let index = entry_position(channel, entry)?;
    rewrite_document(catalog, channel.doc, |tree| remove_entries(tree, &[index]))
}

fn rename_entry_key(
    catalog: &Catalog,
    channel: &ChannelBlob,
    entry: &BundleName,
    from: &str,
    to: &str,
) -> Result<Catalog, EditError> {
    let index = entry_position(channel, entry)?;
    rewrite_document(catalog, channel.doc, |tree| {
        if let Some(ValueTree::Map(members)) = entries_mut(tree).and_then(|items| items.get_mut(index))
            && !members.iter().any(|(key, _)| key == to)
            && let Some((key, _)) = members.iter_mut().find(|(key, _)| key == from)
        {
            to.clone_into(key);
        }
    })
}

/// Returns the position of an entry in the list of the document.
fn entry_position(channel: &ChannelBlob, entry: &BundleName) -> Result<usize, EditError> {
    let found = channel.entries.iter().find(|e| &e.name.value == entry);
    found
        .map(|e| e.position)
        .ok_or_else(|| EditError::NoEntry { channel: channel.name.value.clone(), entry: entry.clone() })
}

/// Changes the edges of the entry at a position of the list.
fn set_entry_at(tree: &mut ValueTree, position: usize, spec: &EntrySpec) {
    if let Some(item) = entries_mut(tree).and_then(|items| items.get_mut(position)) {
        set_spec(item, spec);
    }
}

fn set_spec(item: &mut ValueTree, spec: &EntrySpec) {
    let mut put = |key: &str, value: Option<ValueTree>| {
        let key = effective_key(item, key);
        match value {
            // An unchanged value is not written, so an empty or null value keeps its form.
            Some(value) if item.get(&key) == Some(&value) => {}
            Some(value) => item.set(&key, value),
            None if item.get(&key).is_some_and(counts_as_absent) => {}
            None => remove_field(item, &key),
        }
    };
    put("replaces", spec.replaces.as_ref().map(|name| ValueTree::from(name.as_str())));
    let skips = ValueTree::from_items(spec.skips.iter().map(BundleName::as_str));
    put("skips", (!spec.skips.is_empty()).then_some(skips));
    put("skipRange", spec.skip_range.as_deref().map(ValueTree::from));
}

/// Returns true if a value counts as absent.
fn counts_as_absent(value: &ValueTree) -> bool {
    match value {
        ValueTree::Null => true,
        ValueTree::String(text) => text.is_empty(),
        ValueTree::List(items) => items.is_empty(),
        _ => false,
    }
}

/// Adds the blob to the bundles of the package: in sorted order if they are sorted like opm does, else after
/// the last. It is written as opm renders a bundle image. In JSON it is on one line if its neighbor is.
fn add_bundle(catalog: &Catalog, package: &Package, blob: &str) -> Result<Catalog, EditError> {
    let tree = parse_single_document(blob)?;
    let said = |key: &str| string_field(&tree, key);
    let name = said("name").filter(|name| !name.is_empty()).ok_or(EditError::NotABundle("it has no name"))?;
    if said("schema") != Some("olm.bundle") {
        return Err(EditError::NotABundle("its schema is not olm.bundle"));
    }
    if said("package") != Some(package.name.as_str()) {
        return Err(EditError::NotABundle("it belongs to another package"));
    }
    if package.bundle(name).is_some() {
        return Err(EditError::BundleExists(name.into()));
    }
    let bundles = || package.bundles.iter().map(|b| (b.doc, b.name.value.as_str()));
    let home = package_definition(package)?.doc;
    let mut bundle = canonical::normalize(&tree);
    order_metadata(&mut bundle);
    let named_documents: Vec<NamedDocument<'_>> =
        package.bundles.iter().map(|bundle| named_document(bundle)).collect();
    let is_apart = named_documents.iter().all(|known| known.doc.file != home.file);
    let words = [name, bundle_version(&tree).unwrap_or_default()];
    if let Some(file) =
        is_apart.then(|| layout::separate_file(catalog, home, &named_documents, words)).flatten()
    {
        let text = render_like_neighbor(catalog, file.sibling, &bundle)?;
        return apply_changes(
            catalog,
            vec![DocChange::Make { display_path: file.shown, disk: file.disk, text }],
        );
    }
    // Separate files for bundles take precedence.
    let first = match bundles().next() {
        Some((doc, _)) if !bundles().any(|(doc, _)| doc.file == home.file) => doc,
        _ => {
            let channels = package.channels.iter().filter(|c| c.doc.file == home.file).map(|c| c.doc);
            let source = catalog.file(home.file);
            channels.max_by_key(|doc| source.and_then(|s| s.position(doc.serial))).unwrap_or(home)
        }
    };
    let above = new_document::insert_after_doc(catalog, first, bundles(), name);
    // If bundles have a separate file, there is no document before the first one.
    let is_first = bundles().any(|(doc, known)| doc == above && known > name);
    let ahead = if is_first { new_document::position_before(catalog, above) } else { None };
    let neighbour = catalog.document_text(above).ok_or(EditError::Unreadable)?;
    let new = render_like_neighbor(catalog, above, &bundle)?;
    let changes = match ahead {
        Some(place) => vec![place.insert(above.file, new)],
        None => new_document::insert_text_after(catalog, above, neighbour, new),
    };
    apply_changes(catalog, changes)
}

/// Returns a bundle as opm writes it, with the line breaks and the indentation of lists of a neighbor. In JSON it is on
/// one line if the neighbor is.
fn render_like_neighbor(catalog: &Catalog, like: DocId, bundle: &Node) -> Result<Vec<u8>, EditError> {
    let (Some(format), Some(neighbour)) = (catalog.format(like), catalog.document_text(like)) else {
        return Err(EditError::Unreadable);
    };
    let new = match format {
        Format::Json if !neighbour.trim_ascii().contains(&b'\n') => {
            format!("{}\n", compact_json(bundle, JsonStyle::Raw)).into_bytes()
        }
        Format::Json => write_canonical(format, bundle),
        Format::Yaml => {
            let list_indent = new_document::neighbor_list_indent(catalog, like);
            format!("---\n{}", emit::write_indented_yaml(bundle, list_indent)).into_bytes()
        }
    };
    Ok(match new_document::line_break(neighbour) {
        "\n" => new,
        eol => String::from_utf8_lossy(&new).replace('\n', eol).into_bytes(),
    })
}

fn named_document(bundle: &BundleBlob) -> NamedDocument<'_> {
    let version = bundle.package_properties.first().map_or("", |property| property.version.value.as_str());
    NamedDocument { doc: bundle.doc, words: [bundle.name.value.as_str(), version] }
}

/// Returns the version in the `olm.package` property of a bundle.
fn bundle_version<'n>(bundle: &'n Node<'_>) -> Option<&'n str> {
    let properties = bundle.get("properties").map(Node::items).unwrap_or_default();
    let of_package = |property: &&Node| string_field(property, "type") == Some("olm.package");
    string_field(properties.iter().find(of_package)?.get("value")?, "version")
}

/// Parses the only document of a text.
fn parse_single_document(blob: &str) -> Result<Node<'_>, EditError> {
    let mut chunks = split::split_chunks(blob.as_bytes()).into_iter().filter_map(|chunk| match chunk.kind {
        ChunkKind::Document(format) => Some((format, chunk.range)),
        ChunkKind::NoObject | ChunkKind::Unreadable(_) => None,
    });
    let (Some((format, range)), None) = (chunks.next(), chunks.next()) else {
        return Err(EditError::NotABundle("it must be exactly one document"));
    };
    let text = blob.as_bytes().get(range).unwrap_or_default();
    split::parse_chunk(format, text).map_err(|_| EditError::NotABundle("it cannot be read"))
}

fn string_field<'a>(tree: &'a Node, key: &str) -> Option<&'a str> {
    let members = tree.members().iter();
    let member = { members }.find(|member| member.key.eq_ignore_ascii_case(key))?;
    match &member.value.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}
