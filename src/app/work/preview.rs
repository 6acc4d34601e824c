//! What an edit would lead to.

use std::sync::Arc;

use crate::{
    edit::{self, Edit},
    resolve::Source,
    review::{Consequences, Snapshot},
    validate::{Diagnostic, Severity},
};

/// What an edit would lead to.
pub type Preview = Result<Arc<Outcome>, String>;

/// What an edit of a state would lead to, with the other catalogs that are open, each with what it is called.
///
/// # Errors
///
/// Why it cannot be made, in words.
pub fn of(before: &Snapshot, edit: Edit, beside: &[(String, Arc<Snapshot>)]) -> Preview {
    let catalog = edit::apply(&before.catalog, &edit).map_err(|error| error.to_string())?;
    let after = Arc::new(before.after(catalog));
    let beside: Vec<Source> =
        beside.iter().map(|(name, snapshot)| Source::new(name, snapshot.index())).collect();
    let consequences = Consequences::among(before, &after, &beside);
    Ok(Arc::new(Outcome { edit, after, consequences }))
}

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

impl Outcome {
    /// The worst finding that the edit brings, where that is more than a note. A finding that was there and is told in other
    /// words now is not brought.
    pub fn brings(&self) -> Option<&Diagnostic> {
        let Consequences { new_findings, fixed_findings, unchecked_findings, .. } = &self.consequences;
        let was_there = |new: &&Diagnostic| {
            let unchecked = unchecked_findings.iter().map(|unchecked| &unchecked.finding);
            fixed_findings.iter().chain(unchecked).any(|old| {
                (old.rule.id, &old.package, &old.channel) == (new.rule.id, &new.package, &new.channel)
            })
        };
        let brought = new_findings.iter().filter(|new| new.severity() < Severity::Note && !was_there(new));
        brought.min_by_key(|new| new.severity())
    }
}

/// Two are the same where their edits are: what an edit leads to follows from the state it is made in.
impl PartialEq for Outcome {
    fn eq(&self, other: &Self) -> bool {
        self.edit == other.edit
    }
}

impl Eq for Outcome {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::blob::EntrySpec, upgrade::fixture};

    /// What comes with another range of the head, by its rule.
    fn brought(range: &str) -> Option<&'static str> {
        let before =
            Snapshot::new(fixture::catalog(&[("c", "1.1.0 replaces=1.0.0 range=>=0.9.0_<0.8.0\n1.0.0")]));
        let spec = EntrySpec {
            replaces: Some("p.v1.0.0".into()),
            skip_range: Some(range.to_owned()),
            ..EntrySpec::default()
        };
        let (package, channel, entry) = ("p".into(), "c".into(), "p.v1.1.0".into());
        let edit = Edit::SetEntry { package, channel, entry, spec };
        let after = Arc::new(before.after(edit::apply(&before.catalog, &edit).unwrap()));
        let consequences = Consequences::between(&before, &after);
        let outcome = Outcome { edit, after, consequences };
        outcome.brings().map(|finding| finding.rule.id)
    }

    #[test]
    fn an_edit_brings_what_was_not_there_and_is_more_than_a_note() {
        assert_eq!(brought("nonsense"), Some("bad-skip-range"));
        assert_eq!(brought(">=1.0.0"), None, "a note");
        assert_eq!(brought(">=0.9.0 <0.7.0"), None, "a range that holds nothing was there, in other words");
        assert_eq!(brought(">=1.0.0 <1.1.0"), None);
    }
}
