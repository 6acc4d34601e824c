//! Readers of the command line and of the explorer's files, for the fuzz targets: nobody else reaches them from outside.

pub use crate::runtime::fuzzing::{journal, messages, request};

use super::{
    ask::Asker,
    compose::file::Composition,
    query::Engines,
    range::{self, Dialects},
    successors,
};
use crate::catalog::Catalog;

/// The file of a composition: the folders that it asks for.
pub fn composition(bytes: &[u8]) -> Option<Vec<String>> {
    let read = Composition::of(bytes, "catalog.yaml").ok()?;
    let moving = read.references.iter().filter(|reference| reference.has_tag()).count();
    assert!(moving <= read.references.len());
    Some(read.references.into_iter().map(|reference| reference.name).chain([read.name]).collect())
}

/// A line of `successors --queries`, answered.
pub fn query(catalog: &Catalog, line: &[u8]) -> Option<String> {
    let question = serde_json::from_slice(line).ok()?;
    let mut asker = Asker::new(catalog).with_dependencies(true);
    Some(successors::lines(catalog, &mut asker, question, Engines::Both, true))
}

/// A line of `range --batch`, answered.
pub fn range(line: &[u8]) -> Option<String> {
    Some(range::lines(&serde_json::from_slice(line).ok()?, Dialects::Both))
}
