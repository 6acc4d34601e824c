//! Bundle of the dialog.

use std::sync::Arc;

use crate::tui::{
    parts::text::format_count,
    session::{Session, open_catalog::OpenCatalog},
};
use olm_bundle::{
    NewBundle,
    placement::{Icon, Package as NewPackage},
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, PackageName,
    blob::{ChannelBlob, EntrySpec},
    image_ref::{ImageRef, ImageRefError, parse_image_ref},
    openshift::OpenShift,
    package::Package,
};
use olm_check::review::Snapshot;
use olm_version::VersionRelease;

/// Bundle to release.
#[derive(Debug)]
pub struct ReleasedBundle {
    /// Package of the bundle.
    pub package: PackageName,
    /// Name of the bundle.
    pub name: BundleName,
    /// Version; `None` if unknown.
    pub version: Option<VersionRelease>,
    /// Image; empty if unknown.
    pub image: String,
    /// Text for catalogs that lack the bundle; `None` if no open catalog has it.
    pub new: Option<Arc<NewBundle>>,
    /// Text as a catalog.
    pub contents: Option<Catalog>,
    /// State of the open catalog that it comes from; `None` for a directory or file.
    pub source: Option<Arc<Snapshot>>,
    /// Channels that have it in that catalog.
    pub source_channels: Vec<ChannelName>,
}

impl ReleasedBundle {
    /// Finds a bundle in an open catalog. Its text is that of the first open catalog that has it, beginning with this one.
    pub(super) fn find_in_catalog(
        source: &OpenCatalog,
        package: &PackageName,
        name: &BundleName,
        session: &Session,
    ) -> Option<Self> {
        let known = source.visible_state().package(package.as_str())?.package().clone();
        let image = known.bundle(name.as_str())?.image.as_ref().map(|image| image.value.clone());
        let others = session.catalogs.all().iter();
        let new = [source].into_iter().chain(others).find_map(|open| read_text(open, package, name));
        let mut new = new.filter(|new| Some(&new.image) == image.as_ref() && new.name == *name);
        if let Some(new) = &mut new {
            new.proposed_package = describe_package_for_copies(source, &known, &new.proposed_package);
        }
        let has_it = |channel: &&ChannelBlob| channel.entries.iter().any(|entry| entry.name.value == *name);
        let channels = known.channels.iter().map(AsRef::as_ref).filter(has_it);
        Some(Self {
            source_channels: channels.map(|channel| channel.name.value.clone()).collect(),
            package: package.clone(),
            name: name.clone(),
            version: known.bundle_version(name.as_str()).cloned(),
            image: image.unwrap_or_default(),
            contents: new.as_ref().map(NewBundle::to_catalog),
            new: new.map(Arc::new),
            source: Some(Arc::clone(source.history.now())),
        })
    }

    /// Creates the bundle from a directory or file.
    pub(super) fn from_new(new: &Arc<NewBundle>) -> Self {
        Self {
            package: new.package.clone(),
            name: new.name.clone(),
            version: new.parsed_version(),
            image: new.image.clone(),
            contents: Some(new.to_catalog()),
            new: Some(Arc::clone(new)),
            source: None,
            source_channels: Vec::new(),
        }
    }

    /// Returns true if it comes from an open catalog.
    pub fn is_from_catalog(&self) -> bool {
        self.source.is_some()
    }

    /// Returns the number of channels and bundles of its package in the catalog that it comes from.
    pub(super) fn package_size(&self) -> Option<String> {
        let package = self.source.as_ref()?.catalog.package(self.package.as_str())?;
        let (channels, bundles) = (package.channels.len(), package.bundles.len());
        Some(format!("{}, {}", format_count(channels, "channel"), format_count(bundles, "bundle")))
    }

    /// Says that the Kubernetes of an OpenShift version is too old for the bundle. `None` if it is not, or if the bundle
    /// names no version.
    pub(super) fn describe_missing_kubernetes(&self, openshift: OpenShift) -> Option<String> {
        let package = self.contents.as_ref()?.package(self.package.as_str())?;
        let wanted = package.bundle(self.name.as_str())?.csv.as_ref()?.min_kube_version.as_ref()?;
        let (major, minor) = openshift.too_old_kubernetes(wanted)?;
        Some(format!(
            "OLM Classic does not install {}: it needs Kubernetes {wanted}, OpenShift {openshift} has {major}.{minor}",
            self.name
        ))
    }

    /// Returns the channels of its annotations.
    pub fn annotated_channels(&self) -> &[ChannelName] {
        self.new.as_ref().map(|new| new.channels.as_slice()).unwrap_or_default()
    }

    /// Returns the edges that its ClusterServiceVersion asks for.
    pub fn csv_entry(&self) -> Option<&EntrySpec> {
        self.new.as_ref()?.own_entry.as_ref()
    }

    /// Parses its image. `None` if the image is unknown.
    pub fn parse_image(&self) -> Option<Result<ImageRef, ImageRefError>> {
        (!self.image.is_empty()).then(|| parse_image_ref(&self.image))
    }
}

/// Returns the package as an open catalog has it, for catalogs without it. Uses the description from the bundle if the
/// catalog has none.
fn describe_package_for_copies(open: &OpenCatalog, known: &Package, described: &NewPackage) -> NewPackage {
    let Some(definition) = known.definition() else { return described.clone() };
    let tree = open.visible_state().catalog.parse_document(definition.doc).and_then(Result::ok);
    let icon = tree.as_ref().and_then(|tree| tree.get("icon")).and_then(|icon| {
        let text = |key| icon.get(key)?.as_str().map(str::to_owned);
        Some(Icon { base64data: text("base64data")?, mediatype: text("mediatype")? })
    });
    let description = definition.description.as_ref().map(|text| text.value.clone());
    let default_channel = definition.default_channel.as_ref().map(|channel| channel.value.to_string());
    NewPackage {
        name: described.name.clone(),
        default_channel: default_channel.unwrap_or_default(),
        description: description.unwrap_or_else(|| described.description.clone()),
        icon: icon.or_else(|| described.icon.clone()),
        folder: olm_edit::find_own_folder(&open.visible_state().catalog, &known.name),
    }
}

/// Returns a bundle of an open catalog as a new bundle. Templates only have its image.
fn read_text(open: &OpenCatalog, package: &PackageName, name: &BundleName) -> Option<NewBundle> {
    let catalog = &open.history.now().catalog;
    if catalog.template().is_some() {
        return None;
    }
    let blob = catalog.package(package.as_str())?.bundle(name.as_str())?.clone();
    let text = catalog.document_text(blob.doc)?.to_vec();
    olm_source::new_bundle_of(text, "").ok()
}
