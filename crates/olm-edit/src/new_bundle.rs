//! Edit that adds a new bundle to a catalog: its package if missing, and its entries.

use std::sync::Arc;

use super::{
    Edit, EditError, TemplateChange, apply_edit,
    operation::{NewEntry, NewIcon},
};
use olm_bundle::NewBundle;
use olm_catalog::{
    BundleName, Catalog, ChannelName, PackageName, blob::ChannelPlacement, package::Package,
    template::semver::List,
};

/// Returns the edits that place a bundle: the changes of other entries, then its entry. Creates the channel if the package
/// does not have it.
fn place_bundle(
    wanted: &ChannelPlacement,
    package: &PackageName,
    known: Option<&Package>,
    bundle: &BundleName,
) -> Vec<Edit> {
    let ChannelPlacement { channel, spec, changes } = wanted;
    let (package, channel) = (package.clone(), channel.clone());
    let changes = changes.iter().map(|(entry, spec)| Edit::SetEntry {
        package: package.clone(),
        channel: channel.clone(),
        entry: entry.clone(),
        spec: spec.clone(),
    });
    let mut edits: Vec<Edit> = changes.collect();
    let (name, spec) = (bundle.clone(), spec.clone());
    edits.push(match known.and_then(|known| known.channel(channel.as_str())) {
        Some(_) => Edit::AddEntry { package, channel, entry: name, spec },
        None => Edit::AddChannel { package, channel, entries: vec![NewEntry { name, spec }] },
    });
    edits
}

/// Returns the package of a new bundle after the bundle was added without entries. Its graph shows which edges a channel
/// offers to the bundle.
///
/// # Errors
///
/// If the catalog already has the bundle, or if it cannot be added.
pub fn package_with_bundle(new: &NewBundle, catalog: &Catalog) -> Result<Arc<Package>, EditError> {
    let with = apply_edit(catalog, &Edit::add_bundle(new, catalog, &[]))?;
    with.package(new.package.as_str()).cloned().ok_or_else(|| EditError::NoPackage(new.package.clone()))
}

impl Edit {
    /// Adds a new bundle to channels of a catalog in one step. Creates the package and the channels if they are
    /// missing.
    pub fn add_bundle(new: &NewBundle, catalog: &Catalog, wanted: &[ChannelPlacement]) -> Self {
        let package = &new.package;
        let known = catalog.package(package.as_str());
        let mut edits = Vec::new();
        let is_new = known.is_none_or(|known| known.definition().is_none());
        if is_new {
            edits.push(Self::AddPackage {
                package: package.clone(),
                default_channel: choose_default_channel(new, known.map(AsRef::as_ref), wanted),
                description: Some(new.proposed_package.description.clone()).filter(|text| !text.is_empty()),
                icon: new.proposed_package.icon.as_ref().map(|icon| NewIcon {
                    base64data: icon.base64data.clone(),
                    mediatype: icon.mediatype.clone(),
                }),
                folder: new.proposed_package.folder.clone(),
            });
        }
        edits.push(Self::AddBundle { package: package.clone(), blob: new.blob_for(catalog).to_owned() });
        let known = known.map(AsRef::as_ref);
        edits.extend(wanted.iter().flat_map(|wanted| place_bundle(wanted, package, known, &new.name)));
        if let [_] = edits.as_slice() {
            return edits.remove(0);
        }
        let places = match wanted {
            [] => String::new(),
            [one] => format!(" to {}", one.channel),
            several => format!(" to {} channels", several.len()),
        };
        let made = if is_new { format!(", new package {package}") } else { String::new() };
        Self::Several { title: format!("add {}{places}{made}", new.name), edits }
    }

    /// Creates the edit that promotes a bundle of the package: adds its entry to channels and changes other entries
    /// together. Creates the channels that the package does not have.
    pub fn promote(package: &Package, bundle: &BundleName, wanted: &[ChannelPlacement]) -> Self {
        let place = |wanted| place_bundle(wanted, &package.name, Some(package), bundle);
        let mut edits: Vec<Self> = wanted.iter().flat_map(place).collect();
        if let [_] = edits.as_slice() {
            return edits.remove(0);
        }
        let channels = match wanted {
            [one] => one.channel.to_string(),
            several => format!("{} channels", several.len()),
        };
        Self::Several { title: format!("add {bundle} to {channels}"), edits }
    }

    /// Creates the edit that adds the image of a bundle to lists of a semver template.
    pub fn add_to_lists(bundle: &BundleName, image: &str, lists: &[List]) -> Self {
        let add = |list: &List| Self::Template {
            change: TemplateChange::AddImage { list: *list, image: image.to_owned() },
        };
        let edits: Vec<Self> = lists.iter().map(add).collect();
        let names: Vec<&str> = lists.iter().map(|list| list.name()).collect();
        Self::Several { title: format!("add {bundle} to {}", names.join(" and ")), edits }
    }
}

/// Returns the default channel of a new package: the one in the annotations if it will exist, else the first
/// channel of the bundle or of the package.
fn choose_default_channel(
    new: &NewBundle,
    known: Option<&Package>,
    wanted: &[ChannelPlacement],
) -> ChannelName {
    let own = ChannelName::from(new.proposed_package.default_channel.as_str());
    let there = || known.into_iter().flat_map(|known| &known.channels).map(|channel| &channel.name.value);
    let all = || wanted.iter().map(|wanted| &wanted.channel).chain(there());
    match all().next() {
        Some(first) if !all().any(|channel| *channel == own) => first.clone(),
        _ => own,
    }
}
