//! Two CRDs in one line of JSON: `{"old": CRD, "new": CRD}`.

use std::sync::Arc;

use super::{location::SourceText, model::Crd};
use olm_catalog::{ReadError, text::json};

/// Error of a line that is not a pair of CRDs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PairError {
    /// The line is not JSON.
    #[error("{0}")]
    Unreadable(ReadError),
    /// A side is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A side is not a CRD.
    #[error("`{0}` is no CustomResourceDefinition of apiextensions.k8s.io")]
    NoCrd(&'static str),
}

/// Parses a line.
///
/// # Errors
///
/// If the line is not JSON, or does not have two CRDs.
pub fn parse_pair(line: &[u8]) -> Result<[Crd<'_>; 2], PairError> {
    let tree = json::parse_json(line).map_err(PairError::Unreadable)?;
    let side = |key: &'static str| {
        let node = tree.get(key).ok_or(PairError::Missing(key))?;
        Crd::from_node(node.clone(), Arc::new(SourceText::Nowhere), 0).ok_or(PairError::NoCrd(key))
    };
    Ok([side("old")?, side("new")?])
}
