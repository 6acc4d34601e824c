//! Refactorings at the cursor: releases to channels, entries, deprecations and the default channel. All are edits of
//! [`olm_edit`].

use gen_lsp_types::{CodeAction, CodeActionKind, Range};

use super::{
    DraftCatalog, Encoding, TextDocument,
    changes::{self, Client},
    hover,
    names::{self, NameRole, NamedObject},
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, FileId,
    blob::{ChannelBlob, DeprecationTarget},
    escape,
    package::Package,
};
use olm_check::review::fixes::{self, EntryRemoval};
use olm_edit::{Edit, apply_edit};
use olm_upgrade::{
    PackageGraph,
    placement::{ChannelPlacements, ChosenPlacement, Placement, PlacementChoice, WantedPlace},
};

/// Maximum number of offered releases.
const MAX_RELEASES: usize = 8;

/// Maximum number of bundles that are offered as new entries of a channel.
const MAX_NEW_ENTRIES: usize = 4;

/// Returns the refactorings of the object at a position: a bundle, an entry, a channel or a package. Edits that the
/// catalog does not allow, and those that need a new file, are left out.
pub fn refactor_actions(
    draft: &DraftCatalog,
    (file, document): (FileId, &TextDocument),
    asked: Range,
    encoding: Encoding,
    client: &Client,
) -> Vec<CodeAction> {
    let byte = document.byte_at(encoding, asked.start);
    let Some((doc, offset)) = hover::document_at(draft, file, byte) else { return Vec::new() };
    let catalog = draft.current();
    let offset = skip_item_mark(catalog, doc, offset);
    let Some((name, subject)) = subject_at(catalog, doc, offset) else { return Vec::new() };
    let Some(package) = catalog.package(name.as_str()) else { return Vec::new() };
    if package.documents().any(|doc| draft.is_broken(doc)) {
        return Vec::new();
    }
    let graph = draft.package_graph(package);
    let mut offered = match &subject {
        Subject::Bundle(bundle, _) => release_edits(&graph, bundle),
        Subject::Channel(channel) => new_entry_edits(&graph, channel),
        Subject::Package => Vec::new(),
    };
    offered.extend(subject.other_edits(package));
    let to_action = |(title, edit): (String, Edit)| {
        let after = apply_edit(catalog, &edit).ok()?;
        Some(CodeAction {
            title: escape::escape_line(&title).into_owned(),
            kind: Some(CodeActionKind::Refactor),
            edit: Some(changes::diff_catalogs(catalog, &after, encoding, client).ok()?),
            ..CodeAction::default()
        })
    };
    offered.into_iter().filter_map(to_action).collect()
}

/// Moves an offset before the first character of a line to it, so that the `-` of an entry belongs to the entry.
fn skip_item_mark(catalog: &Catalog, doc: DocId, offset: usize) -> usize {
    let text = catalog.document_text(doc).unwrap_or_default();
    let before = text.get(..offset).unwrap_or_default();
    let is_mark = |byte: &u8| matches!(byte, b' ' | b'-');
    if !before.iter().rev().take_while(|byte| **byte != b'\n').all(is_mark) {
        return offset;
    }
    let rest = text.get(offset..).unwrap_or_default();
    offset + rest.iter().take_while(|byte| is_mark(byte)).count()
}

/// Object that a refactoring changes.
enum Subject {
    /// Bundle, with the channel of the entry at the cursor.
    Bundle(BundleName, Option<ChannelName>),
    Channel(ChannelName),
    Package,
}

/// Returns the object at an offset of a document, with the name of its package. In an entry and in an `olm.bundle` the
/// whole text counts, elsewhere the name.
fn subject_at(catalog: &Catalog, doc: DocId, offset: usize) -> Option<(String, Subject)> {
    let named = names::name_at(catalog, doc, offset);
    if let Some((package, occurrence)) = &named
        && occurrence.role != NameRole::Edge
    {
        let subject = match &occurrence.named {
            // The cursor may be at the end of the entry.
            NamedObject::Bundle(name) if occurrence.role == NameRole::Entry => {
                Some(Subject::Bundle(name.clone(), occurrence.channel.clone()))
            }
            NamedObject::Channel(name) if package.channel(name.as_str()).is_some() => {
                Some(Subject::Channel(name.clone()))
            }
            NamedObject::Package if occurrence.role == NameRole::Definition => Some(Subject::Package),
            _ => None,
        };
        if let Some(subject) = subject {
            return Some((package.name.to_string(), subject));
        }
    }
    let own = names::packages_in(catalog, doc).find_map(|package| {
        let bundle = package.bundles.iter().find(|bundle| bundle.doc == doc)?;
        Some((package, &bundle.name.value, None))
    });
    let of_entry = || {
        let (package, channel, entry) = hover::entry_at(catalog, doc, offset)?;
        Some((package, &entry.name.value, Some(&channel.name.value)))
    };
    if let Some((package, bundle, channel)) = own.or_else(of_entry) {
        return Some((package.name.to_string(), Subject::Bundle(bundle.clone(), channel.cloned())));
    }
    // The keys of a channel are part of it, such as `schema` and `entries`.
    names::packages_in(catalog, doc).find_map(|package| {
        let channel = package.channels.iter().find(|channel| channel.doc == doc)?;
        let is_alone = catalog.template().is_none();
        is_alone.then(|| (package.name.to_string(), Subject::Channel(channel.name.value.clone())))
    })
}

impl Subject {
    /// Returns the edits that need no place in a channel.
    fn other_edits(&self, package: &Package) -> Vec<(String, Edit)> {
        let mut edits = Vec::new();
        let name = &package.name;
        if let Self::Bundle(bundle, Some(channel)) = self {
            let removal = fixes::remove_entry(package, channel, bundle);
            edits.extend(removal.map(|EntryRemoval { edit, repairs_edges }| {
                let more = if repairs_edges { " and repair edges" } else { "" };
                (format!("Remove {bundle} from {channel}{more}"), edit)
            }));
        }
        if let Self::Channel(channel) = self
            && package.default_channel() != Some(channel)
        {
            let edit = Edit::SetDefaultChannel { package: name.clone(), channel: channel.clone() };
            edits.push((format!("Make {channel} the default channel of {name}"), edit));
        }
        edits.extend(self.deprecation_edit(package));
        edits
    }

    /// Returns the edit that deprecates the object, or that removes its deprecation.
    fn deprecation_edit(&self, package: &Package) -> Option<(String, Edit)> {
        // Users see the message. It claims only what the edit does; its author adds what users should do.
        let (target, what, message) = match self {
            Self::Bundle(bundle, _) => {
                package.bundle(bundle.as_str())?;
                let target = DeprecationTarget::Bundle(bundle.clone());
                (target, bundle.to_string(), format!("{bundle} is deprecated."))
            }
            Self::Channel(channel) => {
                let target = DeprecationTarget::Channel(channel.clone());
                (target, format!("channel {channel}"), format!("Channel {channel} is deprecated."))
            }
            Self::Package => {
                let name = &package.name;
                (DeprecationTarget::Package, format!("package {name}"), format!("{name} is deprecated."))
            }
        };
        let name = package.name.clone();
        if package.deprecation(&target).is_some() {
            let title = format!("Remove the deprecation of {what}");
            return Some((title, Edit::Undeprecate { package: name, target }));
        }
        Some((format!("Deprecate {what}"), Edit::Deprecate { package: name, target, message }))
    }
}

/// Returns the releases of a bundle to channels that do not have it: each with the proposed place, and with the step
/// below the next higher entry if the proposed place is skipped. Channels for which the bundle is too old or a
/// pre-release are left out.
fn release_edits(graph: &PackageGraph, bundle: &BundleName) -> Vec<(String, Edit)> {
    let package = &graph.package;
    if package.bundle(bundle.as_str()).is_none() {
        return Vec::new();
    }
    let channels = package.channels.iter().map(|channel| &channel.name.value);
    let edits = channels.flat_map(|channel| {
        placed_edits(graph, channel, bundle, |chosen| {
            format!("Release {bundle} to {channel} ({})", describe_place(package, chosen))
        })
    });
    edits.take(MAX_RELEASES).collect()
}

/// Returns the additions of the newest bundles that a channel does not have.
fn new_entry_edits(graph: &PackageGraph, channel: &ChannelName) -> Vec<(String, Edit)> {
    let package = &graph.package;
    let Some(blob) = package.channel(channel.as_str()) else { return Vec::new() };
    let edits = missing_bundles(package, blob).into_iter().flat_map(|bundle| {
        placed_edits(graph, channel, bundle, |chosen| {
            format!("Add {bundle} to {channel} ({})", describe_place(package, chosen))
        })
    });
    edits.take(MAX_NEW_ENTRIES).collect()
}

/// Returns the bundles that are not entries of a channel, newest first.
fn missing_bundles<'p>(package: &'p Package, channel: &ChannelBlob) -> Vec<&'p BundleName> {
    let is_entry = |name: &BundleName| channel.entries.iter().any(|entry| entry.name.value == *name);
    let bundles = package.bundles.iter().map(|bundle| &bundle.name.value);
    let mut missing: Vec<_> = bundles
        .filter(|name| !is_entry(name))
        .filter_map(|name| Some((package.bundle_version(name.as_str())?, name)))
        .collect();
    missing.sort_by(|a, b| b.0.cmp_precedence(a.0));
    missing.into_iter().map(|(_, name)| name).collect()
}

/// Returns the edits that place a bundle in a channel.
fn placed_edits(
    graph: &PackageGraph,
    channel: &ChannelName,
    bundle: &BundleName,
    title: impl Fn(&ChosenPlacement) -> String,
) -> Vec<(String, Edit)> {
    let Ok(places) = ChannelPlacements::find_placements(graph, channel, bundle, None) else {
        return Vec::new();
    };
    let Ok(proposed) = places.choose_placement(PlacementChoice::default()) else { return Vec::new() };
    if proposed.reservation.is_some() {
        return Vec::new();
    }
    let step = PlacementChoice { place: Some(WantedPlace::Step), ..PlacementChoice::default() };
    let step = (proposed.placement == Placement::Skipped)
        .then(|| places.choose_placement(step).ok())
        .flatten()
        .filter(|step| step.placement == Placement::Step);
    let to_edit = |chosen: ChosenPlacement| {
        let title = title(&chosen);
        (title, Edit::promote(&graph.package, bundle, &[chosen.place]))
    };
    std::iter::once(proposed).chain(step).map(to_edit).collect()
}

/// Returns `below 1.3.0, skipped`.
fn describe_place(package: &Package, chosen: &ChosenPlacement) -> String {
    let above = chosen.above.as_ref().map(|above| package.short_name(above));
    match (chosen.placement, above) {
        (Placement::First, _) => "first entry".to_owned(),
        (Placement::Skipped, Some(above)) => format!("below {above}, skipped"),
        (Placement::Step, Some(above)) => format!("below {above}, replaced"),
        (Placement::EntryOnly, Some(above)) => format!("below {above}"),
        _ => "head".to_owned(),
    }
}
