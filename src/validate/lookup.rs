//! Finding a rule by its id.

use super::{rule::Rule, rules::ALL};
use crate::catalog::near;

/// A rule by its id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.id == id)
}

/// The id that was probably meant, where there is one.
pub fn nearest(id: &str) -> Option<&'static str> {
    let ids = || ALL.iter().map(|rule| rule.id);
    let id = id.trim().to_lowercase().replace(['_', ' '], "-");
    let holds = |candidate: &&str| id.len() > 2 && candidate.contains(&id);
    ids().find(|candidate| *candidate == id).or_else(|| near::meant(&id, ids())).or_else(|| ids().find(holds))
}
