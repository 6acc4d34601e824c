//! Two CRDs in one line of JSON: `{"old": CRD, "new": CRD}`.

use std::sync::Arc;

use super::{model::Crd, place::Ground};
use crate::catalog::{ReadError, text::json};

/// Why a line is no pair of CRDs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoPair {
    /// It is no JSON.
    #[error("{0}")]
    Unreadable(ReadError),
    /// One of the two is not there.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// One of the two is something else.
    #[error("`{0}` is no CustomResourceDefinition of apiextensions.k8s.io")]
    NoCrd(&'static str),
}

/// Reads a line.
///
/// # Errors
///
/// A line that is no JSON, or has something else than two CRDs.
pub fn read_pair(line: &[u8]) -> Result<[Crd<'_>; 2], NoPair> {
    let tree = json::parse(line).map_err(NoPair::Unreadable)?;
    let side = |key: &'static str| {
        let node = tree.get(key).ok_or(NoPair::Missing(key))?;
        Crd::read(node.clone(), Arc::new(Ground::Nowhere), 0).ok_or(NoPair::NoCrd(key))
    };
    Ok([side("old")?, side("new")?])
}
