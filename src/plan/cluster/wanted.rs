//! A custom resource as a question: what somebody writes, or has, is asked for as it stands.

use super::{Asks, Note, NothingFound, Operator, Reader};

/// Why a file asks for nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotWanted {
    /// No object that olmap knows.
    #[error("{0}")]
    Nothing(NothingFound),
    /// Nothing that can be read.
    #[error("{0}")]
    Note(Note),
    /// Other objects only.
    #[error("{0} has neither a Subscription nor a ClusterExtension")]
    NoneAsks(String),
}

impl NotWanted {
    /// What to do.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Nothing(_) | Self::NoneAsks(_) => {
                Some("olmap resources prints them for a bundle; kubectl get -o yaml those of a cluster")
            }
            Self::Note(_) => None,
        }
    }
}

/// The `Subscription`s and `ClusterExtension`s of a file, with what they have installed, and what of the file could not be read.
///
/// # Errors
///
/// When there are none.
pub fn wanted(label: &str, bytes: &[u8]) -> Result<(Vec<Operator>, Vec<Note>), NotWanted> {
    let mut reader = Reader::default();
    reader.add(label, bytes);
    let cluster = reader.finish().map_err(|nothing| match nothing.notes.first() {
        Some(note) => NotWanted::Note(note.clone()),
        None => NotWanted::Nothing(nothing),
    })?;
    let asks = |operator: &Operator| operator.asks != Asks::Nothing;
    let wanted: Vec<Operator> = cluster.operators.into_iter().filter(asks).collect();
    match (wanted.is_empty(), cluster.notes.first()) {
        (false, _) => Ok((wanted, cluster.notes)),
        (true, Some(note)) => Err(NotWanted::Note(note.clone())),
        (true, None) => Err(NotWanted::NoneAsks(label.to_owned())),
    }
}
