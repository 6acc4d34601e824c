//! Input of the rules about bundles: a bundle directory with its parsed contents.

use super::{Directory, Questions, spot::Places};
use crate::{
    bundle::{
        document::Readings,
        registry::{BundlePlace, Contents, Csv, Object},
    },
    catalog::Span,
    validate::Location,
};

/// Bundle directory to check.
pub struct Inside<'a> {
    pub(in crate::validate) directory: &'a Directory<'a>,
    /// Options of the check.
    pub(in crate::validate) questions: &'a Questions,
    places: Places<'a>,
    contents: Contents<'a>,
}

impl<'a> Inside<'a> {
    pub(super) fn new(
        directory: &'a Directory<'a>,
        questions: &'a Questions,
        readings: &Readings<'a>,
    ) -> Self {
        let (places, contents) = (Places::new(directory), Contents::read_once(directory.tree, readings));
        Self { directory, questions, places, contents }
    }

    /// Objects and metadata of the bundle, as opm reads them.
    pub(in crate::validate) fn contents(&self) -> &Contents<'a> {
        &self.contents
    }

    /// Returns the `ClusterServiceVersion` of the bundle.
    pub(in crate::validate) fn csv(&self) -> Option<Csv<'_, 'a>> {
        self.contents.csv()
    }

    /// Returns the location of a part of an object.
    pub(in crate::validate) fn at(&self, object: &Object<'_>, span: Span) -> Location {
        self.location(&object.place(span))
    }

    pub(super) fn places(&self) -> &Places<'a> {
        &self.places
    }

    /// Returns the location of a place in the bundle.
    pub(in crate::validate) fn location(&self, place: &BundlePlace) -> Location {
        self.places.location(place)
    }
}
