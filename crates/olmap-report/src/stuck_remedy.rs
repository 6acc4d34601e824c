//! Text about remedies: edits of one entry that give stuck versions an upgrade path.

use std::fmt::Write as _;

use olm_check::review::stuck::{RemedyError, StepCheck};
use olm_upgrade::{
    Engine,
    graph::EdgeKind,
    stuck::{Remedy, StuckGroup},
};

/// Describes the edit of a remedy: `add p.v1 to skips of p.v2 in stable`.
pub fn describe_remedy(remedy: &Remedy) -> String {
    let Remedy { channel, entry, value, .. } = remedy;
    match remedy.field {
        EdgeKind::Skips => format!("add {value} to skips of {entry} in {channel}"),
        EdgeKind::SkipRange => format!("set skipRange of {entry} in {channel} to '{value}'"),
        EdgeKind::Replaces => format!("make {entry} in {channel} replace {value}"),
    }
}

/// Describes the effect of a remedy: `frees all 3`, `frees 2, 1 stays stuck`.
pub fn describe_remedy_effect(remedy: &Remedy) -> String {
    let mut words = match remedy.remaining {
        0 => format!("frees all {}", remedy.frees),
        1 => format!("frees {}, 1 stays stuck", remedy.frees),
        more => format!("frees {}, {more} stay stuck", remedy.frees),
    };
    if remedy.frees_by_channel_change > 0 {
        let _ = write!(words, "; {} then by a channel change", remedy.frees_by_channel_change);
    }
    words
}

/// Returns the sentences of the preview of a remedy: the stuck versions, the longest jump, and the
/// safety of the upgrade steps.
pub fn describe_remedy_details(group: &StuckGroup, remedy: &Remedy, check: StepCheck) -> Vec<String> {
    let engine = match group.engine {
        Engine::Classic => "Classic",
        Engine::V1 => "v1",
    };
    let count = group.versions.len();
    let versions = if count == 1 { "version" } else { "versions" };
    let mut sentences =
        vec![format!("{count} {versions} stuck on {engine}; this edit {}", describe_remedy_effect(remedy))];
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
