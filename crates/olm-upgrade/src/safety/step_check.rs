//! Judgment of the upgrade step from one bundle to another.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    Findings, NotChecked,
    facts::{BundleFacts, StoredSince},
};
use crate::{EdgeKind, Engine, PackageGraph, UpgradeTable, v1::Query};
use olm_bundle::{
    compare::{ChangeKind, Comparison, Concern, ConcernKind, RowDifference},
    crd::CrdLocation,
    manifests::BundleManifests,
    outline::{OutlineLocation, Part},
    step::{self, Judgement, ReasonKind, StoredVersions},
};
use olm_catalog::{BundleName, ChannelName};

/// Change that OLM allows, but that the user should review before the upgrade step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Advisory {
    /// Kind of the change.
    pub kind: AdvisoryKind,
    /// Description of the change.
    pub words: String,
    /// Number of further changes of the same kind.
    #[serde(default)]
    pub more: usize,
    /// Position in a file; `None` if the object is not in a file.
    pub place: Option<CrdLocation>,
}

impl std::fmt::Display for Advisory {
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
pub enum AdvisoryKind {
    /// Objects may still be stored in a removed version, on clusters that began with an older bundle.
    StoredSince,
    /// Removal of an API that another package of the catalog requires.
    RequiredApiGoes,
    /// Removal of a CRD version that was served, but not the storage version.
    ServedVersionGoes,
    /// Removal of an API, or of another version of it.
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

impl AdvisoryKind {
    /// All kinds, in order.
    pub const ALL: [Self; 10] = [
        Self::StoredSince,
        Self::RequiredApiGoes,
        Self::ServedVersionGoes,
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
            Self::ServedVersionGoes => "served-version-goes",
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
pub(super) struct JudgeContext<'c> {
    /// Possible storage versions of the old bundle's CRDs, from all paths in the graph.
    pub stored: Option<&'c StoredSince>,
    /// Bundles that were installed before the old one, if the path is known.
    pub history: Vec<&'c BundleFacts>,
    /// Advisories about other packages.
    pub others: Vec<Advisory>,
}

/// Judges the step from `old` to `new`. `target` is the name of the new bundle.
pub(super) fn judge_step(
    old: &BundleFacts,
    new: &BundleFacts,
    target: &BundleName,
    context: JudgeContext<'_>,
) -> Findings {
    let JudgeContext { stored, history, others } = context;
    let before = step::earlier_stored_versions(history.iter().map(|facts| &facts.bundle), &old.bundle);
    let judgement = step::judge_step(&old.bundle, &new.bundle, &before);
    let mut advisories = others;
    advisories.extend(stored.into_iter().flat_map(|stored| find_stored_before(old, new, stored, &before)));
    let comparison = Comparison::compare_outlines(&old.bundle.outline, &new.bundle.outline);
    let concerns = comparison.concerns.iter().filter(|one| !is_reported(one, &judgement));
    advisories.extend(concerns.filter_map(|one| advisory_for(one, &new.bundle.manifests)));
    advisories.extend(find_new_permissions(&comparison, &new.bundle.manifests));
    advisories.extend(find_new_registries(old, new));
    advisories.sort_by_key(|look| look.kind);
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
    Findings { step: judgement, looks: advisories, not_checked }
}

/// Returns removed versions that were the storage version of an earlier bundle. Versions in `known`
/// are excluded, because they make the step fail and are reported as reasons.
fn find_stored_before(
    old: &BundleFacts,
    new: &BundleFacts,
    stored: &StoredSince,
    known: &StoredVersions,
) -> Vec<Advisory> {
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
                looks.push(Advisory { kind: AdvisoryKind::StoredSince, words, more: 0, place: None });
            }
        }
    }
    looks
}

/// Returns the position on disk; `None` if the objects are not in files.
fn find_location(spot: Option<&OutlineLocation>, found: &BundleManifests) -> Option<CrdLocation> {
    let (spot, shown) = spot.zip(found.shown.as_deref())?;
    Some(CrdLocation { file: format!("{shown}/{}", spot.file).into(), line: spot.line, column: 1 })
}

/// Returns true if the reasons of the judgment already include a concern.
fn is_reported(concern: &Concern, judgement: &Judgement) -> bool {
    let has = |kind| judgement.classic.reasons.iter().any(|reason| reason.kind == kind);
    match concern.kind {
        ConcernKind::RemovedInstallMode => has(ReasonKind::InstallModeRemoved),
        ConcernKind::NewRequirement => {
            concern.message.starts_with("min Kubernetes") && has(ReasonKind::KubeVersion)
        }
        _ => false,
    }
}

/// Returns the advisory for a concern; `None` if OLM refuses the step because of it.
fn advisory_for(concern: &Concern, found: &BundleManifests) -> Option<Advisory> {
    let kind = match concern.kind {
        // OLM refuses the step, so the reasons include it.
        ConcernKind::ChangedScope => return None,
        ConcernKind::RemovedVersion if !concern.is_stored_version => AdvisoryKind::ServedVersionGoes,
        ConcernKind::RemovedApi | ConcernKind::RemovedVersion | ConcernKind::UnservedVersion => {
            AdvisoryKind::ApiGoes
        }
        ConcernKind::RemovedInstallMode => AdvisoryKind::InstallModeGoes,
        ConcernKind::GainedDanger => AdvisoryKind::PermissionsGrow,
        ConcernKind::NewRequirement => AdvisoryKind::RequirementAppears,
        ConcernKind::NewWebhook => AdvisoryKind::WebhookAppears,
        ConcernKind::RemovedObject => AdvisoryKind::ObjectGoes,
    };
    Some(Advisory {
        kind,
        words: concern.message.clone(),
        more: 0,
        place: find_location(concern.location.as_ref(), found),
    })
}

/// Returns an advisory about new permissions that are not dangerous in themselves. Dangerous ones
/// are concerns of the comparison.
fn find_new_permissions(comparison: &Comparison, found: &BundleManifests) -> Option<Advisory> {
    let section = comparison.sections.iter().find(|section| section.part == Part::Permissions)?;
    let grows = |row: &&RowDifference| {
        let Some(after) = row.after.as_ref().filter(|after| after.level > 0 && after.dangers.is_empty())
        else {
            return false;
        };
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let had = row.before.as_ref().map(|before| words(&before.value)).unwrap_or_default();
        row.change_kind() == ChangeKind::Added || words(&after.value).iter().any(|verb| !had.contains(verb))
    };
    let mut grown = section.rows.iter().filter(grows);
    let first = grown.next()?;
    let more = grown.count();
    let row = first.latest_row()?;
    let words = format!("permissions grow: {} {}", row.label, row.value);
    Some(Advisory {
        kind: AdvisoryKind::PermissionsGrow,
        words,
        more,
        place: find_location(row.location.as_ref(), found),
    })
}

/// Returns advisories about new registries and a moved bundle image, because a mirror or a firewall
/// may not allow them yet.
fn find_new_registries(old: &BundleFacts, new: &BundleFacts) -> Vec<Advisory> {
    let look = |words: String| Advisory { kind: AdvisoryKind::ImagesMove, words, more: 0, place: None };
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

/// Upgrade from one bundle to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Installed bundle.
    pub from: BundleName,
    /// Target of the upgrade.
    pub to: BundleName,
    /// Reasons why a cluster may take the step.
    pub reasons: BTreeSet<StepReason>,
}

/// Reason why a cluster may take a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StepReason {
    /// Edge of an entry in a channel.
    Edge(EdgeKind, ChannelName),
    /// Next pick of OLM Classic with a Subscription to the channel.
    Classic(ChannelName),
    /// Next pick of OLM v1 with only this channel, or with all channels if `None`.
    V1(Option<ChannelName>),
}

impl StepReason {
    /// Returns the resolver that takes the step; `None` for an edge.
    pub fn engine(&self) -> Option<Engine> {
        match self {
            Self::Edge(..) => None,
            Self::Classic(_) => Some(Engine::Classic),
            Self::V1(_) => Some(Engine::V1),
        }
    }
}

impl std::fmt::Display for StepReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Edge(kind, channel) => write!(f, "{} in {channel}", kind.as_str()),
            Self::Classic(channel) => write!(f, "Classic in {channel}"),
            Self::V1(None) => f.write_str("v1"),
            Self::V1(Some(channel)) => write!(f, "v1 in {channel}"),
        }
    }
}

/// Returns all steps between two bundles of a package: `replaces` and `skips` of each channel, and the next picks of Classic
/// and v1. Steps by `skipRange` count only if a resolver picks them.
pub fn find_steps(graph: &PackageGraph) -> Vec<Step> {
    let mut found: BTreeMap<(BundleName, BundleName), BTreeSet<StepReason>> = BTreeMap::new();
    let has = |name: &BundleName| graph.package.bundle(name.as_str()).is_some();
    let mut add = |from: &BundleName, to: &BundleName, way: StepReason| {
        if from != to && has(from) && has(to) {
            found.entry((from.clone(), to.clone())).or_default().insert(way);
        }
    };
    for upgrades in graph.channels() {
        let channel = upgrades.graph.name();
        for entry in upgrades.graph.entry_nodes().filter_map(|at| upgrades.graph.entry(at)) {
            let to = &entry.name.value;
            let replaced = entry.replaces.iter().map(|from| (from, EdgeKind::Replaces));
            let skipped = entry.skips.iter().map(|from| (from, EdgeKind::Skips));
            for (from, kind) in replaced.chain(skipped) {
                add(&from.value, to, StepReason::Edge(kind, channel.clone()));
            }
        }
        let only = Query { channels: vec![channel.clone()], ..Query::default() };
        for (query, of) in [(Query::default(), None), (only, Some(channel.clone()))] {
            for row in UpgradeTable::new(graph, channel, &query).rows {
                let from = &row.installed.name;
                if let Some(to) = row.v1.target().filter(|_| of.is_none() || row.in_channel) {
                    add(from, to, StepReason::V1(of.clone()));
                }
                if let Some(to) = row.classic.target().filter(|_| of.is_none() && row.in_channel) {
                    add(from, to, StepReason::Classic(channel.clone()));
                }
            }
        }
    }
    found.into_iter().map(|((from, to), ways)| Step { from, to, reasons: ways }).collect()
}
