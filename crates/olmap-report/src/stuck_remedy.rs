//! Text about remedies: edits of one entry that give stuck versions an upgrade path.

use olm_check::review::stuck::{RemedyError, StepCheck};
use olm_upgrade::stuck::{Remedy, StuckGroup};

/// Returns the sentences of the preview of a remedy: the stuck versions, the longest jump, and the
/// safety of the upgrade steps.
pub fn describe_remedy_details(group: &StuckGroup, remedy: &Remedy, check: StepCheck) -> Vec<String> {
    let count = group.versions.len();
    let versions = if count == 1 { "version" } else { "versions" };
    let mut sentences =
        vec![format!("{count} {versions} stuck on {}; this edit {}", group.engine, remedy.effect())];
    if remedy.jumps_over > 0 {
        sentences.push(format!(
            "longest jump: {} to {}, over {} versions",
            remedy.jump_from, remedy.entry, remedy.jumps_over
        ));
    }
    sentences.push(
        match check {
            StepCheck::Safe => "upgrade steps: safe",
            StepCheck::NeedsALook => "upgrade steps: nothing is refused, but look at them after applying",
            StepCheck::NotChecked => "upgrade steps: not checked, manifests are missing",
        }
        .to_owned(),
    );
    sentences
}

/// Returns a sentence with the reason why no remedy is offered.
pub fn explain_missing_remedy(reason: RemedyError) -> &'static str {
    match reason {
        RemedyError::NoneFrees => {
            "No edit of one entry frees these versions. Not every edit is tried: a new entry or channel may help."
        }
        RemedyError::AddsFinding => {
            "Each edit of one entry that frees these versions would add an error or a warning, so none is offered."
        }
        RemedyError::Refused => {
            "Each edit of one entry that frees these versions adds an upgrade step that OLM refuses, so none is offered."
        }
    }
}
