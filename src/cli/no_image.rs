//! What stands in place of images in a program that is built without them.

use std::{collections::BTreeMap, convert::Infallible, path::Path};

use super::failure::Failure;
use crate::{
    bundle::{
        Tree,
        render::{ImageTemplate, RenderedBundle},
    },
    catalog::Catalog,
    source::Access,
};

/// No options.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {}

/// An image that was opened: there is none.
pub struct Opened(Infallible);

impl Args {
    /// Nothing that they say.
    pub fn access(&self) -> Access {
        Access::default()
    }
}

impl Opened {
    /// What opm makes of a bundle.
    pub fn bundle(&self, _: Option<&ImageTemplate>, _: bool) -> Option<Result<RenderedBundle, Failure>> {
        match self.0 {}
    }

    /// How it is named by its digest, where it was opened by a tag.
    pub fn by_digest(&self) -> Option<String> {
        match self.0 {}
    }

    /// The catalog that it is.
    pub fn catalog(self) -> Result<Catalog, Failure> {
        match self.0 {}
    }
}

/// Nothing is a reference.
pub fn check(_: &Path) -> Result<(), Failure> {
    Ok(())
}

/// Opens the image that a path names: no path does.
pub fn open(_: &Path, _: &Access) -> Option<Result<Opened, Failure>> {
    None
}

/// A bundle in an image.
pub struct OpenedBundle {
    /// Its files.
    pub tree: Tree,
    /// The labels of the image.
    pub labels: BTreeMap<String, String>,
    /// The reference, without secrets.
    pub label: String,
}

/// Opens the bundle image that a path names: no path does.
///
/// # Errors
///
/// Never.
pub fn open_bundle(_: &Path, _: &Access) -> Result<Option<OpenedBundle>, Failure> {
    Ok(None)
}

/// The same.
pub fn told<T>(_: &str, result: Result<T, Failure>) -> Result<T, Failure> {
    result
}
