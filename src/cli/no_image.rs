//! Replacement of the module `image` in a build without support for images.

use std::{collections::BTreeMap, convert::Infallible, path::Path};

use super::Failure;
use olm_bundle::Tree;
use olm_bundle::render::{ImageTemplate, RenderedBundle};
use olm_catalog::Catalog;
use olm_source::Access;

/// No options.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {}

/// OpenedImage image; cannot exist in this build.
pub struct OpenedImage(Infallible);

impl Args {
    /// Returns default access settings.
    pub fn access(&self) -> Access {
        Access::default()
    }
}

impl OpenedImage {
    /// Renders a bundle as opm does.
    pub fn render_bundle(
        &self,
        _: Option<&ImageTemplate>,
        _: bool,
    ) -> Option<Result<RenderedBundle, Failure>> {
        match self.0 {}
    }

    /// Returns the reference with a digest, if it has a tag.
    pub fn pull_spec_by_digest(&self) -> Option<String> {
        match self.0 {}
    }

    /// Returns the catalog of the image.
    pub fn into_catalog(self) -> Result<Catalog, Failure> {
        match self.0 {}
    }
}

/// Accepts every path, because no path is a reference in this build.
pub fn check_reference(_: &Path) -> Result<(), Failure> {
    Ok(())
}

/// Returns `None`, because no path is a reference in this build.
pub fn open_image(_: &Path, _: &Access) -> Option<Result<OpenedImage, Failure>> {
    None
}

/// Bundle in an image.
pub struct OpenedBundle {
    pub tree: Tree,
    /// Labels of the image.
    pub labels: BTreeMap<String, String>,
    /// Reference without secrets.
    pub label: String,
}

/// Returns `None`, because no path is a reference in this build.
///
/// # Errors
///
/// Never fails.
pub fn open_bundle(_: &Path, _: &Access) -> Result<Option<OpenedBundle>, Failure> {
    Ok(None)
}

/// Fails, because this build cannot fetch images.
///
/// # Errors
///
/// Always.
pub fn load_bundle_tree(image: &str, _: &Access) -> Result<Tree, Failure> {
    Err(Failure::new(format!("cannot fetch {image}: this olmap is built without support for images")))
}

/// Returns the result unchanged.
pub fn map_image_error<T>(_: &str, result: Result<T, Failure>) -> Result<T, Failure> {
    result
}
