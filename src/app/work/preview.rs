//! What an edit would lead to.

use std::sync::Arc;

use crate::{
    edit::Edit,
    review::{Consequences, Snapshot},
};

/// What an edit would lead to.
pub type Preview = Result<Arc<Outcome>, String>;

/// See [`Preview`].
#[derive(Debug)]
pub struct Outcome {
    /// The edit.
    pub edit: Edit,
    /// The state after it.
    pub after: Arc<Snapshot>,
    /// What changes in meaning.
    pub consequences: Consequences,
}

/// Two are the same where their edits are: what an edit leads to follows from the state it is made in.
impl PartialEq for Outcome {
    fn eq(&self, other: &Self) -> bool {
        self.edit == other.edit
    }
}
