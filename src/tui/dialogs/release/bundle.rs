//! Bundle of the dialog, and the commands that render its templates.

use std::sync::Arc;

use crate::tui::session::{Session, open_catalog::OpenCatalog};
use olm_bundle::NewBundle;
use olm_catalog::{
    BundleName, Catalog, ChannelName, Format, Origin, PackageName, TemplateSource, blob::EntrySpec, load,
};
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
    /// True if the user selected it in a catalog.
    pub is_selected: bool,
}

impl ReleasedBundle {
    /// Finds a bundle in the current catalog. Its text is that of the first open catalog that has it.
    pub(super) fn find_selected(package: &PackageName, name: &BundleName, session: &Session) -> Option<Self> {
        let current = session.catalogs.current()?;
        let known = current.visible_state().package(package.as_str())?.package().clone();
        let image = known.bundle(name.as_str())?.image.as_ref().map(|image| image.value.clone());
        let others = session.catalogs.all().iter();
        let new = [current].into_iter().chain(others).find_map(|open| read_text(open, package, name));
        let new = new.filter(|new| Some(&new.image) == image.as_ref() && new.name == *name);
        Some(Self {
            package: package.clone(),
            name: name.clone(),
            version: known.bundle_version(name.as_str()).cloned(),
            image: image.unwrap_or_default(),
            contents: new.as_ref().map(read_contents),
            new: new.map(Arc::new),
            is_selected: true,
        })
    }

    /// Creates the bundle from a directory or file.
    pub(super) fn from_new(new: &Arc<NewBundle>) -> Self {
        let contents = read_contents(new);
        let package = contents.package(new.package.as_str());
        Self {
            package: new.package.clone(),
            name: new.name.clone(),
            version: package.and_then(|package| package.bundle_version(new.name.as_str())).cloned(),
            image: new.image.clone(),
            contents: Some(contents),
            new: Some(Arc::clone(new)),
            is_selected: false,
        }
    }

    /// Returns the channels of its annotations.
    pub fn annotated_channels(&self) -> &[ChannelName] {
        self.new.as_ref().map(|new| new.channels.as_slice()).unwrap_or_default()
    }

    /// Returns the edges that its ClusterServiceVersion asks for.
    pub fn csv_entry(&self) -> Option<&EntrySpec> {
        self.new.as_ref()?.own_entry.as_ref()
    }

    /// Returns true if its image is referenced by a tag, which may move.
    pub fn is_referenced_by_tag(&self) -> bool {
        !self.image.is_empty() && !self.image.contains('@')
    }
}

fn read_contents(new: &NewBundle) -> Catalog {
    load::from_bytes(new.blob.clone().into_bytes())
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

/// Returns the command that renders the package of a catalog from its template.
pub(super) fn render_command(template: &TemplateSource, catalog: &Catalog, package: &PackageName) -> String {
    let kind = template.kind.map(olm_catalog::TemplateKind::schema).unwrap_or_default();
    let kind = kind.rsplit('.').next().unwrap_or_default();
    let migrates = if template.migrates { " --migrate-level=bundle-object-to-csv-metadata" } else { "" };
    let mut files: Vec<_> = catalog
        .package(package.as_str())
        .into_iter()
        .flat_map(|package| package.documents())
        .map(|doc| (doc.file, catalog.format(doc)))
        .collect();
    files.sort_by_key(|(file, _)| *file);
    files.dedup_by_key(|(file, _)| *file);
    let (format, to) = match files.as_slice() {
        [(file, format)] => {
            let path = catalog.file(*file).map(|file| match &catalog.origin {
                Origin::Directory(root) => root.join(file.display_path()),
                _ => file.display_path().to_owned(),
            });
            (*format, path.map(|path| format!(" > {}", path.display())).unwrap_or_default())
        }
        _ => (None, String::new()),
    };
    let output = if format == Some(Format::Json) { "json" } else { "yaml" };
    let template = template.path.display();
    format!("opm alpha render-template {kind} {template} -o {output}{migrates}{to}")
}
