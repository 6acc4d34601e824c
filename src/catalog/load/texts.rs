//! Catalogs that somebody else makes of what they read, as text.

use std::path::PathBuf;

use crate::catalog::{
    file::SourceFile,
    home::BundleHomes,
    model::{Catalog, Growing, Origin},
    problem::Problem,
};

/// A catalog of texts that are on no disk, a portion at a time.
pub struct GrowingTexts(Growing);

impl GrowingTexts {
    /// Nothing yet.
    pub fn new(origin: Origin) -> Self {
        Self(Growing::new(origin))
    }

    /// Adds named texts.
    pub fn add(&mut self, texts: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) {
        let files = texts.into_iter().map(|(path, bytes)| SourceFile::new(path, None, bytes)).collect();
        self.0.add(files);
        self.0.read_on(None, usize::MAX);
    }

    /// What is there so far; it says that there is more to come.
    pub fn so_far(&mut self) -> Catalog {
        self.0.so_far(false)
    }

    /// All of it, with what is wrong with what it was made from, and where that is.
    pub fn finish(self, problems: Vec<Problem>, homes: BundleHomes) -> Catalog {
        let mut catalog = self.0.finish(problems);
        catalog.set_bundle_homes(homes);
        catalog
    }
}
