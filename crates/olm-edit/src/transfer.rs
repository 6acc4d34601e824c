//! Conversion of edits between a catalog and the semver template that produces it.
//!
//! A catalog has entries of channels, but a template lists images, so an edit of one cannot be
//! copied to the other. To the template, added and removed entries are transferred as images. To
//! the catalog, all differences from the output of the template are transferred.

use std::collections::BTreeSet;

use super::{Edit, EditError, TemplateChange, apply_edit, operation::NewEntry};
use olm_bundle::NewBundle;
use olm_catalog::{
    BundleName, Catalog, ChannelName, PackageName, Semver,
    blob::{ChannelBlob, EntrySpec},
    package::Package,
    template::semver::List,
};

/// Converts an edit made in `from` to an edit of `to`. `from` is the state after the edit.
///
/// # Errors
///
/// If the other side cannot express the edit, or if the output of the template is unknown.
pub fn transfer_edit(edit: &Edit, from: &Catalog, to: &Catalog) -> Result<Edit, EditError> {
    match (semver_template(from), semver_template(to)) {
        (None, Some(template)) => transfer_to_template(edit, from, to, template),
        (Some(template), None) => transfer_to_catalog(edit, from, template, to),
        _ => Ok(edit.clone()),
    }
}

/// Returns true if a catalog has the channels that a semver template generates, in any order of entries. False if a bundle
/// of the template is in no known catalog.
pub fn is_generated_from(template: &Catalog, catalog: &Catalog) -> bool {
    let generated = template.with_known_bundles_of(catalog);
    is_complete(&generated, catalog) && differences(&generated, catalog).is_empty()
}

/// Returns the edit that gives a catalog what its semver template generates after an edit of the template. `None` unless the
/// template generates the catalog before the edit ([`is_generated_from`]), and if a bundle of the template is unknown.
/// `new` is a bundle that the catalog does not have yet.
///
/// # Errors
///
/// If the edit cannot be applied to the template.
pub fn generate_catalog_edit(
    template: &Catalog,
    edit: &Edit,
    to: &Catalog,
    new: Option<&NewBundle>,
) -> Result<Option<Edit>, EditError> {
    if !is_generated_from(template, to) {
        return Ok(None);
    }
    let mut known = template.with_known_bundles_of(to);
    if let Some(new) = new {
        known = known.with_known_bundles_of(&new.to_catalog());
    }
    let after = apply_edit(&known, edit)?;
    if !is_complete(&after, to) {
        return Ok(None);
    }
    let mut edits = Vec::new();
    for package in after.packages() {
        let own = to.package(package.name.as_str());
        let is_missing = |name: &BundleName| own.is_none_or(|own| own.bundle(name.as_str()).is_none());
        for name in package.bundles.iter().map(|bundle| &bundle.name.value).filter(|name| is_missing(name)) {
            match new.filter(|new| new.name == *name && new.package == package.name) {
                Some(new) => edits.push(Edit::add_bundle(new, to, &[])),
                None => return Ok(None),
            }
        }
    }
    edits.extend(differences(&after, to));
    Ok(Some(group_edits(edit.title(), edits)))
}

/// Returns true if all images of a template are known, and if the catalog has the packages that it generates.
fn is_complete(generated: &Catalog, catalog: &Catalog) -> bool {
    semver_template(generated).is_some_and(|semver| semver.count_unknown().0 == 0)
        && generated.packages().len() > 0
        && generated.packages().all(|package| catalog.package(package.name.as_str()).is_some())
}

/// Returns the edits that give a catalog the generated packages.
fn differences(generated: &Catalog, catalog: &Catalog) -> Vec<Edit> {
    let pairs = generated.packages().filter_map(|own| Some((own, catalog.package(own.name.as_str())?)));
    pairs.flat_map(|(own, known)| package_edits(own, known)).collect()
}

/// Returns the semver template, if the catalog is opened from one.
fn semver_template(catalog: &Catalog) -> Option<&Semver> {
    catalog.template()?.semver()
}

/// Returns a single edit as it is, and several as a group with a title.
fn group_edits(title: String, mut edits: Vec<Edit>) -> Edit {
    if edits.len() == 1 { edits.remove(0) } else { Edit::Several { title, edits } }
}

/// Converts added and removed entries to added and removed images in lists.
fn transfer_to_template(
    edit: &Edit,
    from: &Catalog,
    to: &Catalog,
    template: &Semver,
) -> Result<Edit, EditError> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut add = |edit: Edit| {
        // Major and minor channels come from the same list.
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    };
    let image = |package: &PackageName, entry: &BundleName| {
        let own = from.package(package.as_str()).and_then(|own| own.bundle(entry.as_str())?.image.clone());
        let known = own.map(|image| image.value);
        let known = known.or_else(|| to.known_image(entry.as_str()).map(str::to_owned));
        known.ok_or_else(|| EditError::ImageOnly(entry.clone()))
    };
    let mut add_image = |package: &PackageName, channel: &ChannelName, entry: &BundleName| {
        if to.packages().len() > 0 && to.package(package.as_str()).is_none() {
            return Err(EditError::NoPackage(package.clone()));
        }
        let list = list_for_channel(channel).ok_or(EditError::GeneratedChannels)?;
        let image = image(package, entry)?;
        if template.position(list, &image).is_none() {
            add(Edit::Template { change: TemplateChange::AddImage { list, image } });
        }
        Ok(())
    };
    let mut removed: Vec<Edit> = Vec::new();
    let all = flatten_edits(edit);
    // Other entries change with a placed or withdrawn one. The template generates these edges from versions.
    let follows_from_entry = |in_channel: &ChannelName, spec: &EntrySpec| {
        let named: Vec<&BundleName> = spec.replaces.iter().chain(&spec.skips).collect();
        all.iter().any(|other| match other {
            Edit::AddEntry { channel, entry, .. } => channel == in_channel && named.contains(&entry),
            Edit::RemoveEntry { channel, .. } => channel == in_channel,
            _ => false,
        })
    };
    for edit in &all {
        match edit {
            Edit::AddEntry { package, channel, entry, .. } => add_image(package, channel, entry)?,
            Edit::AddChannel { package, channel, entries } => {
                for entry in entries {
                    add_image(package, channel, &entry.name)?;
                }
            }
            Edit::RemoveEntry { package, channel, entry } => {
                let list = list_for_channel(channel).ok_or(EditError::GeneratedChannels)?;
                let gone = Edit::Template {
                    change: TemplateChange::RemoveImage { list, image: image(package, entry)? },
                };
                if !removed.contains(&gone) {
                    removed.push(gone);
                }
            }
            Edit::RemoveBundle { .. } => removed.push((*edit).clone()),
            // The template only has the image, which the edit of an entry adds.
            Edit::AddBundle { .. } => {}
            Edit::SetEntry { channel, spec, .. } if follows_from_entry(channel, spec) => {}
            _ => return Err(EditError::GeneratedChannels),
        }
    }
    edits.extend(removed);
    Ok(group_edits(edit.title(), edits))
}

/// Returns the single edits of an edit, in order.
fn flatten_edits(edit: &Edit) -> Vec<&Edit> {
    match edit {
        Edit::Several { edits, .. } => edits.iter().flat_map(flatten_edits).collect(),
        edit => vec![edit],
    }
}

/// Returns the list of a generated channel: `stable` for `stable-v1.2`.
pub(super) fn list_for_channel(channel: &ChannelName) -> Option<List> {
    let (list, _) = channel.as_str().split_once("-v")?;
    List::ALL.into_iter().find(|known| known.name() == list)
}

/// Returns the edits that turn the packages of a catalog into the output of the template.
fn transfer_to_catalog(
    edit: &Edit,
    generated: &Catalog,
    template: &Semver,
    to: &Catalog,
) -> Result<Edit, EditError> {
    let (unknown, _) = template.count_unknown();
    if unknown > 0 {
        return Err(EditError::UnknownImages(unknown));
    }
    let mut edits = Vec::new();
    for package in generated.packages() {
        let known = to.package(package.name.as_str());
        let known = known.ok_or_else(|| EditError::NoPackage(package.name.clone()))?;
        // An entry without its bundle would be invalid.
        let is_missing = |bundle: &&BundleName| known.bundle(bundle.as_str()).is_none();
        if let Some(missing) = package.bundles.iter().map(|bundle| &bundle.name.value).find(is_missing) {
            return Err(EditError::NoBundle(missing.clone()));
        }
        edits.extend(package_edits(package, known));
    }
    Ok(group_edits(edit.title(), edits))
}

/// Returns the edits that turn the current package into the one that opm renders.
fn package_edits(generated: &Package, current: &Package) -> Vec<Edit> {
    let package = || current.name.clone();
    let mut edits = Vec::new();
    for channel in &generated.channels {
        match current.channel(channel.name.value.as_str()) {
            Some(known) => edits.extend(entry_edits(&current.name, channel, known)),
            None => edits.push(Edit::AddChannel {
                package: package(),
                channel: channel.name.value.clone(),
                entries: channel
                    .entries
                    .iter()
                    .map(|entry| NewEntry { name: entry.name.value.clone(), spec: entry.to_spec() })
                    .collect(),
            }),
        }
    }
    if let Some(default) =
        generated.default_channel().filter(|default| Some(*default) != current.default_channel())
    {
        edits.push(Edit::SetDefaultChannel { package: package(), channel: default.clone() });
    }
    let left =
        current.channels.iter().filter(|channel| generated.channel(channel.name.value.as_str()).is_none());
    edits.extend(left.map(|channel| Edit::RemoveChannel {
        package: package(),
        channel: channel.name.value.clone(),
        default: None,
    }));
    let left = current.bundles.iter().filter(|bundle| generated.bundle(bundle.name.value.as_str()).is_none());
    edits.extend(
        left.map(|bundle| Edit::RemoveBundle { package: package(), bundle: bundle.name.value.clone() }),
    );
    edits
}

/// Returns the edits that turn the current channel into the one that opm renders. The order of
/// entries does not matter.
fn entry_edits(package: &PackageName, generated: &ChannelBlob, current: &ChannelBlob) -> Vec<Edit> {
    let mut edits = Vec::new();
    for wanted in &generated.entries {
        let (package, channel, entry) =
            (package.clone(), current.name.value.clone(), wanted.name.value.clone());
        let known = current.entries.iter().find(|known| known.name.value == entry);
        match known {
            None => edits.push(Edit::AddEntry { package, channel, entry, spec: wanted.to_spec() }),
            Some(known) if !has_same_edges(&known.to_spec(), &wanted.to_spec()) => {
                edits.push(Edit::SetEntry { package, channel, entry, spec: wanted.to_spec() });
            }
            Some(_) => {}
        }
    }
    let left = current
        .entries
        .iter()
        .filter(|known| !generated.entries.iter().any(|wanted| wanted.name.value == known.name.value));
    edits.extend(left.map(|known| Edit::RemoveEntry {
        package: package.clone(),
        channel: current.name.value.clone(),
        entry: known.name.value.clone(),
    }));
    edits
}

/// Returns true if two entries have the same edges, in any order of skips.
fn has_same_edges(one: &EntrySpec, other: &EntrySpec) -> bool {
    let skips = |spec: &EntrySpec| spec.skips.iter().cloned().collect::<BTreeSet<BundleName>>();
    one.replaces == other.replaces && one.skip_range == other.skip_range && skips(one) == skips(other)
}
