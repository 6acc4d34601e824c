//! What is known of bundles of which a template has the image.

use std::{collections::HashMap, sync::Arc};

use crate::{
    catalog::{
        blob::BundleBlob,
        model::Catalog,
        names::{BundleName, PackageName},
    },
    version::VersionRelease,
};

/// What is known of a bundle of which a template has the image.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Its package.
    pub package: PackageName,
    /// Its name.
    pub name: BundleName,
    /// Its version, where that is known.
    pub version: Option<VersionRelease>,
    /// All of it, as the catalog has it that knows it.
    pub(super) blob: Option<Arc<BundleBlob>>,
}

/// The bundles of catalogs, by image and by name.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Those of open catalogs.
    open: Facts,
    /// Those of catalogs that a repository makes from the template, for what no open one knows.
    published: Arc<Facts>,
}

#[derive(Clone, Debug, Default)]
struct Facts {
    by_image: HashMap<String, Fact>,
    by_name: HashMap<BundleName, Fact>,
}

impl Facts {
    /// What catalogs know. Those that are templates themselves know nothing.
    fn of<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        let mut known = Self::default();
        let catalogs = catalogs.into_iter().filter(|catalog| catalog.template().is_none());
        for bundle in catalogs.flat_map(Catalog::packages).flat_map(|package| &package.bundles) {
            let fact = Fact {
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

impl Known {
    /// What open catalogs know.
    pub fn of<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        Self { open: Facts::of(catalogs), published: Arc::default() }
    }

    /// What published catalogs know.
    pub fn published<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        Self { open: Facts::default(), published: Arc::new(Facts::of(catalogs)) }
    }

    /// The same, and what one more catalog knows.
    #[must_use]
    pub(in crate::catalog) fn and(&self, catalog: &Catalog) -> Self {
        let Facts { by_image, by_name } = Facts::of([catalog]);
        let mut open = self.open.clone();
        open.by_image.extend(by_image);
        open.by_name.extend(by_name);
        Self { open, published: Arc::clone(&self.published) }
    }

    /// The same, with the published bundles that another one knows.
    #[must_use]
    pub(in crate::catalog) fn with_published_of(&self, other: &Self) -> Self {
        Self { open: self.open.clone(), published: Arc::clone(&other.published) }
    }

    /// Whether it knows bundles of published catalogs.
    pub(in crate::catalog) fn has_published(&self) -> bool {
        !self.published.by_name.is_empty()
    }

    /// The bundle with an image, letter by letter.
    pub fn by_image(&self, image: &str) -> Option<&Fact> {
        [&self.open, &*self.published].into_iter().find_map(|facts| facts.by_image.get(image))
    }

    /// The image of a bundle.
    pub(in crate::catalog) fn image_of(&self, bundle: &str) -> Option<&str> {
        let fact = [&self.open, &*self.published].into_iter().find_map(|facts| facts.by_name.get(bundle))?;
        fact.blob.as_ref()?.image.as_ref().map(|image| image.value.as_str())
    }

    /// The names of all bundles.
    pub(in crate::catalog) fn names(&self) -> impl Iterator<Item = &str> {
        [&self.open, &*self.published]
            .into_iter()
            .flat_map(|facts| facts.by_name.keys().map(BundleName::as_str))
    }

    /// All images.
    pub(in crate::catalog) fn images(&self) -> impl Iterator<Item = &str> {
        [&self.open, &*self.published].into_iter().flat_map(|facts| facts.by_image.keys().map(String::as_str))
    }

    /// The bundle with the image, or the name.
    pub(super) fn look_up(&self, bundle: &BundleBlob) -> Option<&Fact> {
        let image = bundle.image.as_ref().and_then(|image| self.by_image(&image.value));
        image.or_else(|| {
            [&self.open, &*self.published].into_iter().find_map(|facts| facts.by_name.get(&bundle.name.value))
        })
    }
}
