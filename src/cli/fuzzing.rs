//! Parsers of the command line and of explorer files, exposed for the fuzz targets.

use super::query::{Engines, QueryRunner};
use super::range::{self, Dialects};
use super::{compose::Composition, successors};
use olm_catalog::Catalog;

pub use crate::runtime::fuzzing::{journal, messages, request};

/// Parses a composition, and returns the folders that it requests.
pub fn composition(bytes: &[u8]) -> Option<Vec<String>> {
    let read = Composition::parse(bytes, "catalog.yaml").ok()?;
    // Must not panic on any reference.
    let _ = read.references.iter().filter(|reference| reference.has_tag()).count();
    Some(read.references.into_iter().map(|reference| reference.name).chain([read.name]).collect())
}

/// Answers a line of `successors --queries`.
pub fn query(catalog: &Catalog, line: &[u8]) -> Option<String> {
    let question = serde_json::from_slice(line).ok()?;
    let mut asker = QueryRunner::new(catalog).with_dependencies(true);
    Some(successors::answer_successor_query(catalog, &mut asker, question, Engines::Both, true))
}

/// Answers a line of `range --batch`.
pub fn range(line: &[u8]) -> Option<String> {
    Some(range::answer_range_query(&serde_json::from_slice(line).ok()?, Dialects::Both))
}
