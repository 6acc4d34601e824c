//! A custom resource as a question: what somebody writes, or has, is asked for as it stands.

use super::{Asks, Note, NothingFound, Operator, Reader};

/// Why a file asks for nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotWanted {
    /// No object that olmap knows.
    #[error("{0}")]
    Nothing(NothingFound),
    /// Something that cannot be read: whoever asks should know before the answer is another one.
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

/// The `Subscription`s and `ClusterExtension`s of a file, with what they have installed.
///
/// # Errors
///
/// When there are none, or something of the file cannot be read.
pub fn wanted(label: &str, bytes: &[u8]) -> Result<Vec<Operator>, NotWanted> {
    let mut reader = Reader::default();
    reader.add(label, bytes);
    let cluster = reader.finish().map_err(|nothing| match nothing.notes.first() {
        Some(note) => NotWanted::Note(note.clone()),
        None => NotWanted::Nothing(nothing),
    })?;
    if let Some(note) = cluster.notes.into_iter().next() {
        return Err(NotWanted::Note(note));
    }
    let asks = |operator: &Operator| operator.asks != Asks::Nothing;
    let wanted: Vec<Operator> = cluster.operators.into_iter().filter(asks).collect();
    if wanted.is_empty() { Err(NotWanted::NoneAsks(label.to_owned())) } else { Ok(wanted) }
}
