//! What rules about bundles look at: a bundle directory with what follows from it.

use super::{Directory, Questions, spot::Places};
use crate::{
    bundle::{
        document::Readings,
        registry::{BundlePlace, Contents, Csv, Object},
    },
    catalog::Span,
    validate::Location,
};

/// A bundle directory under examination.
pub struct Inside<'a> {
    /// The directory.
    pub(in crate::validate) directory: &'a Directory<'a>,
    /// What is asked of it.
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

    /// Its objects and its metadata, as opm reads them.
    pub(in crate::validate) fn contents(&self) -> &Contents<'a> {
        &self.contents
    }

    /// Its `ClusterServiceVersion`.
    pub(in crate::validate) fn csv(&self) -> Option<Csv<'_, 'a>> {
        self.contents.csv()
    }

    /// Where a part of an object is.
    pub(in crate::validate) fn at(&self, object: &Object<'_>, span: Span) -> Location {
        self.location(&object.place(span))
    }

    pub(super) fn places(&self) -> &Places<'a> {
        &self.places
    }

    /// Where a place is.
    pub(in crate::validate) fn location(&self, place: &BundlePlace) -> Location {
        self.places.location(place)
    }
}
