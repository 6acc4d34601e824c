//! Text about remedies: edits of one entry that give stuck versions an upgrade path.

use olm_check::review::stuck::{RemedyError, StepCheck};
use olm_upgrade::stuck::{Remedy, StuckGroup};

/// Returns the sentences of the preview of a remedy: the stuck versions, the longest jump, and the
/// safety of the upgrade steps.
pub fn describe_remedy_details(group: &StuckGroup, remedy: &Remedy, check: StepCheck) -> Vec<String> {
    let stuck = format_version_count(group.versions.len());
    let mut sentences = vec![format!("{stuck} stuck on {}; this edit {}", group.engine, remedy.effect())];
    if remedy.jumps_over > 0 {
        sentences.push(format!(
            "longest upgrade: {} to {}, skips {}",
            remedy.jump_from,
            remedy.entry,
            format_version_count(remedy.jumps_over)
        ));
    }
    sentences.push(
        match check {
            StepCheck::Safe => "CRD safety of the upgrades: safe",
            StepCheck::NeedsALook => {
                "CRD safety of the upgrades: nothing is refused, but look at them after applying"
            }
            StepCheck::NotChecked => "CRD safety of the upgrades: not checked, the manifests are not here",
        }
        .to_owned(),
    );
    sentences
}

fn format_version_count(count: usize) -> String {
    if count == 1 { "1 version".to_owned() } else { format!("{count} versions") }
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
