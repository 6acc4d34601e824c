//! Requests in a custom resource file, whether it was written by hand or read from a cluster.

use super::{Note, NothingFound, Operator, OperatorRequest, Reader};

/// Reason why a file does not contain requests.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OperatorListError {
    /// The file does not contain a known object.
    #[error("{0}")]
    Nothing(NothingFound),
    /// The relevant object cannot be parsed.
    #[error("{0}")]
    Note(Note),
    /// The file contains only other objects.
    #[error("{0} has neither a Subscription nor a ClusterExtension")]
    NoRequests(String),
}

impl OperatorListError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Nothing(_) | Self::NoRequests(_) => {
                Some("olmap resources prints them for a bundle; kubectl get -o yaml those of a cluster")
            }
            Self::Note(_) => None,
        }
    }
}

/// Returns the `Subscription`s and `ClusterExtension`s of a file with their installed bundles, and
/// the mistakes in the file.
///
/// # Errors
///
/// Fails if there are none.
pub fn parse_operator_list(
    label: &str,
    bytes: &[u8],
) -> Result<(Vec<Operator>, Vec<Note>), OperatorListError> {
    let mut reader = Reader::default();
    reader.add_file(label, bytes);
    let cluster = reader.finish_cluster().map_err(|nothing| match nothing.notes.first() {
        Some(note) => OperatorListError::Note(note.clone()),
        None => OperatorListError::Nothing(nothing),
    })?;
    let asks = |operator: &Operator| operator.request != OperatorRequest::Nothing;
    let wanted: Vec<Operator> = cluster.operators.into_iter().filter(asks).collect();
    match (wanted.is_empty(), cluster.notes.first()) {
        (false, _) => Ok((wanted, cluster.notes)),
        (true, Some(note)) => Err(OperatorListError::Note(note.clone())),
        (true, None) => Err(OperatorListError::NoRequests(label.to_owned())),
    }
}
