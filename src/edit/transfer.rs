//! What an edit of a catalog is in the semver template that makes it, and the other way round.
//!
//! A catalog names entries of channels, a template lists images, so an edit of the one cannot be made in the other as it is.
//! opm renders the whole catalog from the template: what is edited here is what that would change.

use std::collections::BTreeSet;

use super::{Edit, EditError, TemplateChange, operation::NewEntry};
use crate::catalog::{
    BundleName, Catalog, ChannelName, PackageName, Semver,
    blob::{ChannelBlob, EntrySpec},
    package::Package,
    template::semver::List,
};

/// An edit that was made in `from`, as one of `to`. `from` is as it is after the edit.
///
/// # Errors
///
/// When the other cannot say it, or what a template makes is not known.
pub fn transferred(edit: &Edit, from: &Catalog, to: &Catalog) -> Result<Edit, EditError> {
    match (semver(from), semver(to)) {
        (None, Some(template)) => into_template(edit, from, to, template),
        (Some(template), None) => into_catalog(edit, from, template, to),
        _ => Ok(edit.clone()),
    }
}

fn semver(catalog: &Catalog) -> Option<&Semver> {
    catalog.template()?.semver()
}

fn together(title: String, mut edits: Vec<Edit>) -> Edit {
    if edits.len() == 1 { edits.remove(0) } else { Edit::Several { title, edits } }
}

/// Entries that come and go are images that come to lists and go.
fn into_template(edit: &Edit, from: &Catalog, to: &Catalog, template: &Semver) -> Result<Edit, EditError> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut add = |edit: Edit| {
        // Major and minor channels are made of one list.
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    };
    let image = |package: &PackageName, entry: &BundleName| {
        let own = from.package(package.as_str()).and_then(|own| own.bundle(entry.as_str())?.image.clone());
        let known = own.map(|image| image.value);
        let known = known.or_else(|| to.known_image_of(entry.as_str()).map(str::to_owned));
        known.ok_or_else(|| EditError::ImageOnly(entry.clone()))
    };
    let mut into = |package: &PackageName, channel: &ChannelName, entry: &BundleName| {
        if to.packages().len() > 0 && to.package(package.as_str()).is_none() {
            return Err(EditError::NoPackage(package.clone()));
        }
        let list = list_of(channel).ok_or(EditError::GeneratedChannels)?;
        let image = image(package, entry)?;
        if template.position(list, &image).is_none() {
            add(Edit::Template { change: TemplateChange::AddImage { list, image } });
        }
        Ok(())
    };
    let mut removed: Vec<Edit> = Vec::new();
    for edit in flat(edit) {
        match edit {
            Edit::AddEntry { package, channel, entry, .. } => into(package, channel, entry)?,
            Edit::AddChannel { package, channel, entries } => {
                for entry in entries {
                    into(package, channel, &entry.name)?;
                }
            }
            Edit::RemoveEntry { package, channel, entry } => {
                let list = list_of(channel).ok_or(EditError::GeneratedChannels)?;
                let gone = Edit::Template {
                    change: TemplateChange::RemoveImage { list, image: image(package, entry)? },
                };
                if !removed.contains(&gone) {
                    removed.push(gone);
                }
            }
            Edit::RemoveBundle { .. } => removed.push(edit.clone()),
            // The template knows it by its image alone, which an entry brings.
            Edit::AddBundle { .. } => {}
            _ => return Err(EditError::GeneratedChannels),
        }
    }
    edits.extend(removed);
    Ok(together(edit.title(), edits))
}

fn flat(edit: &Edit) -> Vec<&Edit> {
    match edit {
        Edit::Several { edits, .. } => edits.iter().flat_map(flat).collect(),
        edit => vec![edit],
    }
}

/// The list that a generated channel is made of: `stable-v1.2` of `stable`.
fn list_of(channel: &ChannelName) -> Option<List> {
    let (list, _) = channel.as_str().split_once("-v")?;
    List::ALL.into_iter().find(|known| known.name() == list)
}

/// What a package must be for it to be what the template makes now.
fn into_catalog(edit: &Edit, made: &Catalog, template: &Semver, to: &Catalog) -> Result<Edit, EditError> {
    let (unknown, _) = template.unknown();
    if unknown > 0 {
        return Err(EditError::UnknownImages(unknown));
    }
    let mut edits = Vec::new();
    for package in made.packages() {
        let known = to.package(package.name.as_str());
        let known = known.ok_or_else(|| EditError::NoPackage(package.name.clone()))?;
        // What a bundle is stands in its image: an entry without it would be rejected.
        let is_missing = |bundle: &&BundleName| known.bundle(bundle.as_str()).is_none();
        if let Some(missing) = package.bundles.iter().map(|bundle| &bundle.name.value).find(is_missing) {
            return Err(EditError::NoBundle(missing.clone()));
        }
        edits.extend(rendered(package, known));
    }
    Ok(together(edit.title(), edits))
}

/// The edits that make a package what opm renders.
fn rendered(made: &Package, is: &Package) -> Vec<Edit> {
    let package = || is.name.clone();
    let mut edits = Vec::new();
    for channel in &made.channels {
        match is.channel(channel.name.value.as_str()) {
            Some(known) => edits.extend(entries(&is.name, channel, known)),
            None => edits.push(Edit::AddChannel {
                package: package(),
                channel: channel.name.value.clone(),
                entries: channel
                    .entries
                    .iter()
                    .map(|entry| NewEntry { name: entry.name.value.clone(), spec: entry.spec() })
                    .collect(),
            }),
        }
    }
    if let Some(default) = made.default_channel().filter(|default| Some(*default) != is.default_channel()) {
        edits.push(Edit::SetDefaultChannel { package: package(), channel: default.clone() });
    }
    let left = is.channels.iter().filter(|channel| made.channel(channel.name.value.as_str()).is_none());
    edits.extend(left.map(|channel| Edit::RemoveChannel {
        package: package(),
        channel: channel.name.value.clone(),
        default: None,
    }));
    let left = is.bundles.iter().filter(|bundle| made.bundle(bundle.name.value.as_str()).is_none());
    edits.extend(
        left.map(|bundle| Edit::RemoveBundle { package: package(), bundle: bundle.name.value.clone() }),
    );
    edits
}

/// The edits that make a channel what opm renders; the order of entries means nothing.
fn entries(package: &PackageName, made: &ChannelBlob, is: &ChannelBlob) -> Vec<Edit> {
    let mut edits = Vec::new();
    for wanted in &made.entries {
        let (package, channel, entry) = (package.clone(), is.name.value.clone(), wanted.name.value.clone());
        let known = is.entries.iter().find(|known| known.name.value == entry);
        match known {
            None => edits.push(Edit::AddEntry { package, channel, entry, spec: wanted.spec() }),
            Some(known) if !asks_the_same(&known.spec(), &wanted.spec()) => {
                edits.push(Edit::SetEntry { package, channel, entry, spec: wanted.spec() });
            }
            Some(_) => {}
        }
    }
    let left = is
        .entries
        .iter()
        .filter(|known| !made.entries.iter().any(|wanted| wanted.name.value == known.name.value));
    edits.extend(left.map(|known| Edit::RemoveEntry {
        package: package.clone(),
        channel: is.name.value.clone(),
        entry: known.name.value.clone(),
    }));
    edits
}

/// Whether two entries mean the same: in what order bundles are skipped makes no difference.
fn asks_the_same(one: &EntrySpec, other: &EntrySpec) -> bool {
    let skips = |spec: &EntrySpec| spec.skips.iter().cloned().collect::<BTreeSet<BundleName>>();
    one.replaces == other.replaces && one.skip_range == other.skip_range && skips(one) == skips(other)
}
