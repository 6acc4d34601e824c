//! What stands in place of images in a program that is built without them.

use std::{convert::Infallible, path::Path};

use super::failure::Failure;
use crate::{
    bundle::render::{ImageTemplate, RenderedBundle},
    catalog::Catalog,
};

/// No options.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {}

/// An image that was opened: there is none.
pub struct Opened(Infallible);

impl Args {
    /// Nothing to check.
    pub fn access(&self) -> Result<(), Failure> {
        Ok(())
    }
}

impl Opened {
    /// What opm makes of a bundle.
    pub fn bundle(&self, _: Option<&ImageTemplate>, _: bool) -> Option<Result<RenderedBundle, Failure>> {
        match self.0 {}
    }

    /// The catalog that it is.
    pub fn catalog(self) -> Result<Catalog, Failure> {
        match self.0 {}
    }
}

/// Opens the image that a path names: no path does.
pub fn open(_: &Path, (): &()) -> Option<Result<Opened, Failure>> {
    None
}

/// The same.
pub fn told<T>(result: Result<T, Failure>) -> Result<T, Failure> {
    result
}
