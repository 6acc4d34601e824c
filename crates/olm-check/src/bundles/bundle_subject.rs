//! Input of the rules about bundles: a bundle directory with its parsed contents.

use super::{BundleChecks, LoadedBundle, location::BundleLocations};
use crate::FindingLocation;
use olm_bundle::{
    document::DocumentCache,
    registry::{BundleLocation, Csv, DirectoryContents, Object},
};
use olm_catalog::Span;

/// Bundle directory to check.
pub struct BundleSubject<'a> {
    pub(crate) directory: &'a LoadedBundle<'a>,
    /// Options of the check.
    pub(crate) options: &'a BundleChecks,
    locations: BundleLocations<'a>,
    contents: DirectoryContents<'a>,
}

impl<'a> BundleSubject<'a> {
    pub(super) fn new(
        directory: &'a LoadedBundle<'a>,
        questions: &'a BundleChecks,
        readings: &DocumentCache<'a>,
    ) -> Self {
        let (places, contents) = (
            BundleLocations::new(directory),
            DirectoryContents::from_tree_with_cache(directory.tree, readings),
        );
        Self { directory, options: questions, locations: places, contents }
    }

    /// Objects and metadata of the bundle, as opm reads them.
    pub(crate) fn contents(&self) -> &DirectoryContents<'a> {
        &self.contents
    }

    /// Returns the `ClusterServiceVersion` of the bundle.
    pub(crate) fn csv(&self) -> Option<Csv<'_, 'a>> {
        self.contents.csv()
    }

    /// Returns the location of a part of an object.
    pub(crate) fn location_in_object(&self, object: &Object<'_>, span: Span) -> FindingLocation {
        self.location(&object.location(span))
    }

    pub(super) fn bundle_locations(&self) -> &BundleLocations<'a> {
        &self.locations
    }

    /// Returns the location of a place in the bundle.
    pub(crate) fn location(&self, place: &BundleLocation) -> FindingLocation {
        self.locations.location(place)
    }
}
