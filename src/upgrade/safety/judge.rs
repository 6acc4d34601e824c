//! Two bundles judged as one step.

use serde::{Deserialize, Serialize};

use super::{
    Findings, NotChecked,
    facts::{Facts, StoredSince},
};
use crate::{
    bundle::{
        compare::{Comparison, Concern, ConcernKind, Fate, RowDifference},
        crd::Place,
        inside::{Part, Spot},
        manifests::Found,
        step::{self, Judgement, ReasonKind, StoredBefore},
    },
    catalog::BundleName,
};

/// Change that a person should know before the step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Look {
    /// What it is.
    pub kind: LookKind,
    /// In words.
    pub words: String,
    /// Number of further changes of the same kind.
    #[serde(default)]
    pub more: usize,
    /// Where it stands.
    pub place: Option<Place>,
}

impl std::fmt::Display for Look {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)?;
        match self.more {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Sorts of things to look at, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum LookKind {
    /// Objects may still be stored in a version that is gone, on clusters that began with an older bundle.
    StoredSince,
    /// An API goes that another package of the catalog requires.
    RequiredApiGoes,
    /// An API or a version of it goes.
    ApiGoes,
    /// The operator may do more than before.
    PermissionsGrow,
    /// An install mode goes.
    InstallModeGoes,
    /// A webhook appears.
    WebhookAppears,
    /// Something must be on the cluster that had not to be, or the versions it runs on change.
    RequirementAppears,
    /// An object goes, or is called otherwise.
    ObjectGoes,
    /// The bundle or its images come from somewhere else.
    ImagesMove,
}

impl LookKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::StoredSince,
        Self::RequiredApiGoes,
        Self::ApiGoes,
        Self::PermissionsGrow,
        Self::InstallModeGoes,
        Self::WebhookAppears,
        Self::RequirementAppears,
        Self::ObjectGoes,
        Self::ImagesMove,
    ];

    /// Its name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::StoredSince => "stored-since",
            Self::RequiredApiGoes => "required-api-goes",
            Self::ApiGoes => "api-goes",
            Self::PermissionsGrow => "permissions-grow",
            Self::InstallModeGoes => "install-mode-goes",
            Self::WebhookAppears => "webhook-appears",
            Self::RequirementAppears => "requirement-appears",
            Self::ObjectGoes => "object-goes",
            Self::ImagesMove => "images-move",
        }
    }
}

/// Inputs of a judgement besides the two bundles.
pub(super) struct Context<'c> {
    /// Versions that the CRDs of the old bundle may be stored in, as far back as the graph goes.
    pub stored: Option<&'c StoredSince>,
    /// Bundles that were installed before the old one: the path is known.
    pub history: Vec<&'c Facts>,
    /// What other packages lose.
    pub others: Vec<Look>,
}

/// Judges a step.
pub(super) fn judge(old: &Facts, new: &Facts, target: &BundleName, context: Context<'_>) -> Findings {
    let Context { stored, history, others } = context;
    let before = step::stored_before(history.iter().map(|facts| &facts.bundle), &old.bundle);
    let judgement = step::judge(&old.bundle, &new.bundle, &before);
    let mut looks = others;
    looks.extend(stored.into_iter().flat_map(|stored| stored_before(old, new, stored, &before)));
    let comparison = Comparison::between(&old.bundle.inside, &new.bundle.inside);
    let concerns = comparison.concerns.iter().filter(|one| !is_reason(one, &judgement));
    looks.extend(concerns.filter_map(|one| concern(one, &new.bundle.found)));
    looks.extend(grown(&comparison, &new.bundle.found));
    looks.extend(images(old, new));
    looks.sort_by_key(|look| look.kind);
    let reasons = judgement.classic.not_checked.iter().chain(&judgement.v1.not_checked);
    let mut not_checked: Vec<NotChecked> = reasons
        .map(|reason| NotChecked {
            bundle: target.clone(),
            reason: format!("{target}: {reason}"),
            is_failure: true,
        })
        .collect();
    not_checked.sort();
    not_checked.dedup();
    Findings { step: judgement, looks, not_checked }
}

/// Versions that are gone, and that were the storage version of a bundle before the old one.
/// Those of `known` make the step fail, and are among the reasons.
fn stored_before(old: &Facts, new: &Facts, stored: &StoredSince, known: &StoredBefore) -> Vec<Look> {
    let mut looks = Vec::new();
    for (crd, versions) in stored {
        let own = old.crds().get(crd).map(|facts| facts.stored.as_slice()).unwrap_or_default();
        let known = known.get(crd).map(Vec::as_slice).unwrap_or_default();
        let Some(next) = new.crds().get(crd) else { continue };
        for (version, since) in versions {
            if !next.versions.contains(version) && !own.contains(version) && !known.contains(version) {
                let words = format!(
                    "{crd}: {version} is gone; clusters that had {since} refuse the step until status.storedVersions is pruned"
                );
                looks.push(Look { kind: LookKind::StoredSince, words, more: 0, place: None });
            }
        }
    }
    looks
}

/// Where it is on disk, if it is.
fn place(spot: Option<&Spot>, found: &Found) -> Option<Place> {
    let (spot, shown) = spot.zip(found.shown.as_deref())?;
    Some(Place { file: format!("{shown}/{}", spot.file).into(), line: spot.line, column: 1 })
}

/// Returns true if a concern is among the reasons of the judgement already.
fn is_reason(concern: &Concern, judgement: &Judgement) -> bool {
    let has = |kind| judgement.classic.reasons.iter().any(|reason| reason.kind == kind);
    match concern.kind {
        ConcernKind::RemovedInstallMode => has(ReasonKind::InstallModeRemoved),
        ConcernKind::NewRequirement => {
            concern.words.starts_with("min Kubernetes") && has(ReasonKind::KubeVersion)
        }
        _ => false,
    }
}

fn concern(concern: &Concern, found: &Found) -> Option<Look> {
    let kind = match concern.kind {
        // OLM refuses the step, so that it is among the reasons.
        ConcernKind::ChangedScope => return None,
        ConcernKind::RemovedApi | ConcernKind::RemovedVersion | ConcernKind::UnservedVersion => {
            LookKind::ApiGoes
        }
        ConcernKind::RemovedInstallMode => LookKind::InstallModeGoes,
        ConcernKind::GainedDanger => LookKind::PermissionsGrow,
        ConcernKind::NewRequirement => LookKind::RequirementAppears,
        ConcernKind::NewWebhook => LookKind::WebhookAppears,
        ConcernKind::RemovedObject => LookKind::ObjectGoes,
    };
    Some(Look { kind, words: concern.words.clone(), more: 0, place: place(concern.spot.as_ref(), found) })
}

/// What the operator may do now and could not before, besides what is dangerous in itself.
fn grown(comparison: &Comparison, found: &Found) -> Option<Look> {
    let section = comparison.sections.iter().find(|section| section.part == Part::Permissions)?;
    let grows = |row: &&RowDifference| {
        let Some(after) = row.after.as_ref().filter(|after| after.level > 0 && after.dangers.is_empty())
        else {
            return false;
        };
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let had = row.before.as_ref().map(|before| words(&before.value)).unwrap_or_default();
        row.fate() == Fate::Added || words(&after.value).iter().any(|verb| !had.contains(verb))
    };
    let mut grown = section.rows.iter().filter(grows);
    let first = grown.next()?;
    let more = grown.count();
    let row = first.row()?;
    let words = format!("permissions grow: {} {}", row.label, row.value);
    Some(Look { kind: LookKind::PermissionsGrow, words, more, place: place(row.spot.as_ref(), found) })
}

/// Registries that a mirror or a firewall does not know yet.
fn images(old: &Facts, new: &Facts) -> Vec<Look> {
    let look = |words: String| Look { kind: LookKind::ImagesMove, words, more: 0, place: None };
    let mut looks = Vec::new();
    if !old.repository.is_empty() && !new.repository.is_empty() && old.repository != new.repository {
        looks.push(look(format!("the bundle image moves from {} to {}", old.repository, new.repository)));
    }
    let added: Vec<&str> = new.registries.difference(&old.registries).map(String::as_str).collect();
    if !added.is_empty() && !old.registries.is_empty() {
        looks.push(look(format!("images come from {} too", added.join(", "))));
    }
    looks
}
