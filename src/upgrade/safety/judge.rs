//! Judgment of the step from one bundle to another.

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

/// Change that the user should know about before the step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Look {
    /// Kind of the change.
    pub kind: LookKind,
    /// Description of the change.
    pub words: String,
    /// Number of further changes of the same kind.
    #[serde(default)]
    pub more: usize,
    /// Position in a file; `None` if the object is not in a file.
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

/// Kinds of changes, most severe first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum LookKind {
    /// Objects may still be stored in a removed version, on clusters that began with an older bundle.
    StoredSince,
    /// Removal of an API that another package of the catalog requires.
    RequiredApiGoes,
    /// Removal of an API or of a version.
    ApiGoes,
    /// New permissions of the operator.
    PermissionsGrow,
    /// Removal of an install mode.
    InstallModeGoes,
    /// New webhook.
    WebhookAppears,
    /// New requirement, or a change of the supported versions.
    RequirementAppears,
    /// Removal or rename of an object.
    ObjectGoes,
    /// New source of the bundle image or of other images.
    ImagesMove,
}

impl LookKind {
    /// All kinds, in order.
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

    /// Returns the name in JSON.
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

/// Inputs of a judgment other than the two bundles.
pub(super) struct Context<'c> {
    /// Possible storage versions of the old bundle's CRDs, from all paths in the graph.
    pub stored: Option<&'c StoredSince>,
    /// Bundles that were installed before the old one, if the path is known.
    pub history: Vec<&'c Facts>,
    /// Effects on other packages.
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

/// Returns removed versions that were the storage version of an earlier bundle. Versions in `known` are excluded: they make
/// the step fail and are reported as reasons.
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

/// Returns the position on disk; `None` if the objects are not in files.
fn place(spot: Option<&Spot>, found: &Found) -> Option<Place> {
    let (spot, shown) = spot.zip(found.shown.as_deref())?;
    Some(Place { file: format!("{shown}/{}", spot.file).into(), line: spot.line, column: 1 })
}

/// Returns true if the reasons of the judgment already include a concern.
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
        // OLM refuses the step, so the reasons include it.
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

/// Returns new permissions that are not dangerous in themselves.
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

/// Returns new registries; a mirror or a firewall may not allow them yet.
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
