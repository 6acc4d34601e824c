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
