//! Lookup of a rule by its id.

use super::{rule::Rule, rules::ALL};
use olm_catalog::similar_names;

/// Former ids of rules, each with the current id. They stay valid in options, baselines and
/// links.
const FORMER_IDS: [(&str, &str); 1] = [("no-way-to-default-channel", "stuck")];

/// Returns the rule with a current or former id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.has_id(id))
}

impl Rule {
    /// Returns true if the rule has this id, or had it in an earlier version.
    pub fn has_id(&self, id: &str) -> bool {
        self.id == id || self.former_ids().any(|former| former == id)
    }

    /// Returns the former ids of the rule.
    pub fn former_ids(&self) -> impl Iterator<Item = &'static str> {
        FORMER_IDS.into_iter().filter(|(_, id)| *id == self.id).map(|(former, _)| former)
    }
}

/// Suggests a rule id similar to an unknown one.
pub fn suggest_id(id: &str) -> Option<&'static str> {
    let ids = || ALL.iter().map(|rule| rule.id);
    let id = id.trim().to_lowercase().replace(['_', ' '], "-");
    let holds = |candidate: &&str| id.len() > 2 && candidate.contains(&id);
    ids()
        .find(|candidate| *candidate == id)
        .or_else(|| similar_names::suggest_closest(&id, ids()))
        .or_else(|| ids().find(holds))
}
