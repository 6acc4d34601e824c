//! Bundles whose images occur in a template, as known from other catalogs.

use std::{collections::HashMap, sync::Arc};

use crate::{
    blob::BundleBlob,
    model::Catalog,
    names::{BundleName, PackageName},
};
use olm_version::VersionRelease;

/// Data of a bundle whose image occurs in a template.
#[derive(Clone, Debug)]
pub struct KnownBundle {
    /// Package of the bundle.
    pub package: PackageName,
    /// Name of the bundle.
    pub name: BundleName,
    /// Version, if known.
    pub version: Option<VersionRelease>,
    /// Complete blob of the catalog that has the bundle.
    pub(super) blob: Option<Arc<BundleBlob>>,
}

/// Bundles of other catalogs, by image and by name.
#[derive(Clone, Debug, Default)]
pub struct KnownBundles {
    /// Bundles of open catalogs.
    open: BundleLookup,
    /// Bundles of catalogs that a repository generates from the template; fallback for `open`.
    published: Arc<BundleLookup>,
}

#[derive(Clone, Debug, Default)]
struct BundleLookup {
    by_image: HashMap<String, KnownBundle>,
    by_name: HashMap<BundleName, KnownBundle>,
}

impl BundleLookup {
    /// Collects the bundles of catalogs, except templates.
    fn collect<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        let mut known = Self::default();
        let catalogs = catalogs.into_iter().filter(|catalog| catalog.template().is_none());
        for bundle in catalogs.flat_map(Catalog::packages).flat_map(|package| &package.bundles) {
            let fact = KnownBundle {
                package: bundle.package.value.clone(),
                name: bundle.name.value.clone(),
                version: bundle.version.clone(),
                blob: Some(Arc::clone(bundle)),
            };
            if let Some(image) = &bundle.image {
                known.by_image.entry(image.value.clone()).or_insert_with(|| fact.clone());
            }
            known.by_name.entry(fact.name.clone()).or_insert(fact);
        }
        known
    }
}

impl KnownBundles {
    /// Collects the bundles of open catalogs.
    pub fn from_catalogs<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        Self { open: BundleLookup::collect(catalogs), published: Arc::default() }
    }

    /// Collects the bundles of published catalogs.
    pub fn from_published<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        Self { open: BundleLookup::default(), published: Arc::new(BundleLookup::collect(catalogs)) }
    }

    /// Returns these bundles with those of one more catalog.
    #[must_use]
    pub(crate) fn with_catalog(&self, catalog: &Catalog) -> Self {
        let BundleLookup { by_image, by_name } = BundleLookup::collect([catalog]);
        let mut open = self.open.clone();
        open.by_image.extend(by_image);
        open.by_name.extend(by_name);
        Self { open, published: Arc::clone(&self.published) }
    }

    /// Returns these bundles with the published bundles of `other`.
    #[must_use]
    pub(crate) fn with_published_of(&self, other: &Self) -> Self {
        Self { open: self.open.clone(), published: Arc::clone(&other.published) }
    }

    /// Returns true if it has bundles of published catalogs.
    pub(crate) fn has_published(&self) -> bool {
        !self.published.by_name.is_empty()
    }

    /// Returns the bundle with exactly this image reference.
    pub fn by_image(&self, image: &str) -> Option<&KnownBundle> {
        [&self.open, &*self.published].into_iter().find_map(|facts| facts.by_image.get(image))
    }

    /// Returns the image of a bundle.
    pub(crate) fn image_of(&self, bundle: &str) -> Option<&str> {
        let fact = [&self.open, &*self.published].into_iter().find_map(|facts| facts.by_name.get(bundle))?;
        fact.blob.as_ref()?.image.as_ref().map(|image| image.value.as_str())
    }

    /// Returns the names of all bundles.
    pub(crate) fn bundle_names(&self) -> impl Iterator<Item = &str> {
        [&self.open, &*self.published]
            .into_iter()
            .flat_map(|facts| facts.by_name.keys().map(BundleName::as_str))
    }

    /// Returns the images of all bundles.
    pub(crate) fn bundle_images(&self) -> impl Iterator<Item = &str> {
        [&self.open, &*self.published].into_iter().flat_map(|facts| facts.by_image.keys().map(String::as_str))
    }

    /// Returns the bundle with the same image, or with the same name.
    pub(super) fn look_up(&self, bundle: &BundleBlob) -> Option<&KnownBundle> {
        let image = bundle.image.as_ref().and_then(|image| self.by_image(&image.value));
        image.or_else(|| {
            [&self.open, &*self.published].into_iter().find_map(|facts| facts.by_name.get(&bundle.name.value))
        })
    }
}
