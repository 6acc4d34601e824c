//! Deprecations of a package: the affected bundles, their ways out, and missing deprecations.

mod exit_paths;
pub mod release_check;
mod suggest;
#[cfg(test)]
mod tests;

pub use exit_paths::ExitPath;
pub use release_check::{DeprecationChange, relate_to_effects};
pub use release_check::{DeprecationEffects, StrandedInstall};
pub use suggest::{Suggestion, SuggestionReason, suggest_deprecations};

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use super::snapshot::PackageState;
use exit_paths::ExitPaths;
use olm_catalog::{
    BundleName, ChannelName, DocId, PackageName, Span,
    blob::{Deprecation, DeprecationTarget, Entry},
    package::{Package, last_of_each_name},
};
use olm_upgrade::{
    Engine, Installed,
    table::{NextUpgrade, v1_next},
    v1::{Query, Resolver},
};

/// Deprecation with its effects on installed bundles of the package.
#[derive(Clone, Debug)]
pub struct DeprecationReport {
    /// Name of the package.
    pub package: PackageName,
    /// Target; `None` if OLM does not know the reference.
    pub target: Option<DeprecationTarget>,
    /// Reference in the catalog: schema, and name if there is one.
    pub reference: String,
    /// Message for users.
    pub message: String,
    /// Document with the deprecation.
    pub doc: DocId,
    /// Location in the document.
    pub span: Span,
    /// Affected installed bundles, highest version first.
    pub concerned: Vec<BundleName>,
    /// Ways out for each affected bundle, in the same order. Empty for a deprecated package, since
    /// none of its bundles is a way out.
    pub affected: Vec<AffectedBundle>,
    /// Installed bundles on which v1 stays because of this deprecation. They are not deprecated,
    /// and v1 would upgrade them without it.
    pub stopped: Vec<BundleName>,
}

/// Installed bundle with its ways out.
#[derive(Clone, Debug)]
pub struct AffectedBundle {
    /// Name of the bundle.
    pub installed: BundleName,
    /// Ways out for subscribers of each affected channel.
    pub classic: Vec<(ChannelName, ExitPath)>,
    /// Way out on v1 without a channel.
    pub v1: ExitPath,
}

/// Most severe effect of a deprecation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeprecationVerdict {
    /// At least one user does not have a way out.
    NoWayOut,
    /// v1 stops before the deprecated bundle.
    StopsV1,
    /// The package ends.
    Ends,
    /// At least one user must act manually, or the resolver reports an error.
    Manual,
    /// Upgrades lead all users to a bundle that is not deprecated.
    HasWayOut,
    /// No installed bundle is affected.
    Unaffected,
}

impl AffectedBundle {
    /// Returns the OLMs and channels without a way out.
    pub fn closed_paths(&self) -> impl Iterator<Item = (Engine, Option<&ChannelName>)> {
        let classic = self.classic.iter().filter(|(_, way)| way.is_closed());
        let v1 = self.v1.is_closed().then_some((Engine::V1, None));
        classic.map(|(channel, _)| (Engine::Classic, Some(channel))).chain(v1)
    }
}

impl DeprecationReport {
    /// Returns the users without a way out on at least one OLM.
    pub fn stranded(&self) -> impl Iterator<Item = &AffectedBundle> {
        self.affected.iter().filter(|user| user.closed_paths().next().is_some())
    }

    /// Returns true if it leaves at least one user without a way out, or stops v1.
    pub fn blocks(&self) -> bool {
        matches!(self.most_severe(), DeprecationVerdict::NoWayOut | DeprecationVerdict::StopsV1)
    }

    /// Returns the most severe effect.
    pub fn most_severe(&self) -> DeprecationVerdict {
        let is_fine = |way: &ExitPath| matches!(way, ExitPath::NotNeeded | ExitPath::Upgrades { .. });
        let is_left_alone =
            |user: &AffectedBundle| is_fine(&user.v1) && user.classic.iter().all(|(_, way)| is_fine(way));
        if self.stranded().next().is_some() {
            DeprecationVerdict::NoWayOut
        } else if !self.stopped.is_empty() {
            DeprecationVerdict::StopsV1
        } else if self.is_package() {
            DeprecationVerdict::Ends
        } else if self.concerned.is_empty() {
            DeprecationVerdict::Unaffected
        } else if self.affected.iter().all(is_left_alone) {
            DeprecationVerdict::HasWayOut
        } else {
            DeprecationVerdict::Manual
        }
    }

    /// Returns true if the whole package is deprecated.
    pub fn is_package(&self) -> bool {
        self.target == Some(DeprecationTarget::Package)
    }
}

/// Returns all deprecations of a package: invalid references first, then the package, channels and
/// bundles.
pub fn list_deprecations(judged: &PackageState) -> Vec<DeprecationReport> {
    let package = judged.package();
    if package.deprecations.is_empty() {
        return Vec::new();
    }
    let mut ways = ExitPaths::new(&judged.graph);
    let stops = find_v1_stops(judged);
    let mut all = Vec::new();
    for blob in &package.deprecations {
        for entry in &blob.entries {
            let target = entry.target.as_ref();
            let concerned = affected_bundles(judged, target);
            let users = match target {
                Some(DeprecationTarget::Package) | None => Vec::new(),
                Some(target) => find_ways_out(judged, &mut ways, target, &concerned),
            };
            let stopped = match target {
                Some(DeprecationTarget::Bundle(name)) => stops.get(name).cloned().unwrap_or_default(),
                _ => Vec::new(),
            };
            all.push(DeprecationReport {
                package: package.name.clone(),
                target: entry.target.clone(),
                reference: format_reference(entry),
                message: entry.message.value.clone(),
                doc: blob.doc,
                span: entry.span,
                stopped,
                concerned,
                affected: users,
            });
        }
    }
    let newest_first = |name: &BundleName| package.bundle_version(name.as_str()).cloned();
    all.sort_by(|a, b| {
        let versions = match (&a.target, &b.target) {
            (Some(DeprecationTarget::Bundle(a)), Some(DeprecationTarget::Bundle(b))) => {
                match (newest_first(a), newest_first(b)) {
                    (Some(a), Some(b)) => b.cmp_precedence(&a),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                }
            }
            _ => std::cmp::Ordering::Equal,
        };
        let rank = |d: &DeprecationReport| match &d.target {
            None => 0,
            Some(DeprecationTarget::Package) => 1,
            Some(DeprecationTarget::Channel(_)) => 2,
            Some(DeprecationTarget::Bundle(_)) => 3,
        };
        rank(a).cmp(&rank(b)).then(versions).then_with(|| a.reference.cmp(&b.reference))
    });
    all
}

fn format_reference(entry: &Deprecation) -> String {
    match &entry.name {
        Some(name) => format!("{} {}", entry.schema.value, name.value),
        None => entry.schema.value.clone(),
    }
}

/// Returns the bundles of a deprecation that may be installed. Entries without a bundle are
/// ignored.
fn affected_bundles(judged: &PackageState, target: Option<&DeprecationTarget>) -> Vec<BundleName> {
    let package = judged.package();
    let is_bundle = |name: &&BundleName| package.bundle(name.as_str()).is_some();
    let mut names: Vec<BundleName> = match target {
        Some(DeprecationTarget::Package) => package.bundles.iter().map(|b| b.name.value.clone()).collect(),
        Some(DeprecationTarget::Channel(channel)) => {
            let entries = package.channel(channel.as_str()).into_iter().flat_map(|c| &c.entries);
            entries.map(|entry| &entry.name.value).filter(is_bundle).cloned().collect()
        }
        Some(DeprecationTarget::Bundle(name)) => Some(name).filter(is_bundle).cloned().into_iter().collect(),
        None => Vec::new(),
    };
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.sort_by(|a, b| match (package.bundle_version(a.as_str()), package.bundle_version(b.as_str())) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    names
}

/// Returns the ways out of affected bundles. On Classic, a deprecated channel affects only its
/// subscribers.
fn find_ways_out(
    judged: &PackageState,
    ways: &mut ExitPaths<'_>,
    target: &DeprecationTarget,
    concerned: &[BundleName],
) -> Vec<AffectedBundle> {
    let channels = judged.graph.channels();
    let user = |installed: &BundleName| {
        let counts = |(_, name): &(usize, &ChannelName)| match target {
            DeprecationTarget::Channel(channel) => *name == channel,
            _ => true,
        };
        let names = channels.iter().map(|channel| channel.graph.name()).enumerate().filter(counts);
        let classic = names.filter_map(|(at, name)| {
            channels.get(at)?.graph.entry_named(installed.as_str())?;
            Some((name.clone(), ways.classic_path(at, installed)))
        });
        let classic = classic.collect();
        AffectedBundle { installed: installed.clone(), classic, v1: ways.v1_path(installed) }
    };
    concerned.iter().map(user).collect()
}

/// Returns, for each deprecated bundle, the installed bundles on which v1 stays because of it.
/// Without deprecations, v1 would upgrade them, and would prefer that bundle to the installed one.
/// v1 sorts deprecated bundles last, and the installed bundle is a candidate itself.
fn find_v1_stops(judged: &PackageState) -> HashMap<BundleName, Vec<BundleName>> {
    let package = judged.package();
    let better = DeprecatedTargets::new(judged);
    let mut stops: HashMap<BundleName, Vec<BundleName>> = HashMap::new();
    if better.is_empty() {
        return stops;
    }
    let mut without = (**package).clone();
    without.deprecations.clear();
    let query = Query::default();
    let (Ok(now), Ok(otherwise)) = (judged.graph.v1_resolver(&query), Resolver::new(&without, &query)) else {
        return stops;
    };
    let (now, ranks) = (Ok(now), Arc::new(otherwise));
    let otherwise = Ok(Arc::clone(&ranks));
    for name in affected_bundles(judged, Some(&DeprecationTarget::Package)) {
        let installed = Installed::from_package(package, &name);
        let is_stopped = package.bundle_deprecation(&name).is_none()
            && v1_next(&now, &installed) == NextUpgrade::Stays
            && matches!(v1_next(&otherwise, &installed), NextUpgrade::To(_));
        if is_stopped {
            let here = ranks.rank(&name);
            let is_better = |candidate: &&BundleName| {
                ranks.rank(candidate).zip(here).is_some_and(|(candidate, here)| candidate < here)
            };
            for because in better.targets_of(&installed).filter(is_better) {
                stops.entry(because.clone()).or_default().push(name.clone());
            }
        }
    }
    stops
}

/// Edges to deprecated bundles, for lookups by the installed bundle.
struct DeprecatedTargets<'a> {
    after: HashMap<&'a BundleName, BTreeSet<&'a BundleName>>,
    ranged: Vec<&'a Entry>,
}

impl<'a> DeprecatedTargets<'a> {
    fn new(judged: &'a PackageState) -> Self {
        let package = judged.package();
        let entries = package.channels.iter().flat_map(|channel| &channel.entries);
        let of_deprecated = entries.filter(|entry| package.bundle_deprecation(&entry.name.value).is_some());
        let mut better = Self { after: HashMap::new(), ranged: Vec::new() };
        for entry in of_deprecated {
            for from in entry.replaces.iter().chain(&entry.skips) {
                better.after.entry(&from.value).or_default().insert(&entry.name.value);
            }
            if entry.skip_range.is_some() {
                better.ranged.push(entry);
            }
        }
        better
    }

    fn is_empty(&self) -> bool {
        self.after.is_empty() && self.ranged.is_empty()
    }

    /// Returns the deprecated bundles with an edge from an installed bundle, each once.
    fn targets_of(&self, installed: &Installed) -> impl Iterator<Item = &'a BundleName> {
        let holds = |entry: &&&Entry| {
            installed.version.as_ref().is_some_and(|version| entry.range_matches(&version.version))
        };
        let ranged = self.ranged.iter().filter(holds).map(|entry| &entry.name.value);
        let named = self.after.get(&installed.name).into_iter().flatten().copied();
        named.chain(ranged).collect::<BTreeSet<_>>().into_iter()
    }
}

// Deprecation conditions in the status of a `ClusterExtension` of OLM v1.
//
// The texts are those of operator-controller for a readable catalog (`SetDeprecationStatus` in
// `internal/operator-controller/controllers/clusterextension_controller.go`). Messages of one kind are in catalog order,
// one per line; empty messages are ignored. `BundleDeprecated` is about the installed bundle, not about its upgrade.
// `ChannelDeprecated` is about the selected channels, or about every channel if none is selected.

/// Type of a condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ConditionKind {
    /// Any of the other three conditions.
    Deprecated,
    /// Deprecation of the package.
    Package,
    /// Deprecation of a selected channel.
    Channel,
    /// Deprecation of the installed bundle.
    Bundle,
}

impl ConditionKind {
    /// Returns the name in a status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deprecated => "Deprecated",
            Self::Package => "PackageDeprecated",
            Self::Channel => "ChannelDeprecated",
            Self::Bundle => "BundleDeprecated",
        }
    }
}

/// Status of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// The condition applies.
    True,
    /// The condition does not apply.
    False,
    /// The condition is unknown.
    Unknown,
}

impl Status {
    /// Returns the name in a status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// Condition of a `ClusterExtension`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// Type of the condition.
    pub kind: ConditionKind,
    /// Status of the condition.
    pub status: Status,
    /// Reason of the condition.
    pub reason: &'static str,
    /// Message of the condition.
    pub message: String,
}

/// Returns the four conditions of a `ClusterExtension` with these channels, or all channels if there are none.
pub fn extension_conditions(
    package: &Package,
    channels: &[ChannelName],
    installed: Option<&BundleName>,
) -> [Condition; 4] {
    let mut messages: [Vec<&str>; 3] = Default::default();
    let [of_package, of_channels, of_bundle] = &mut messages;
    let blobs = last_of_each_name(&package.deprecations, |blob| blob.name.as_str());
    for deprecation in blobs.flat_map(|blob| &blob.entries) {
        let list = match &deprecation.target {
            Some(DeprecationTarget::Package) => &mut *of_package,
            Some(DeprecationTarget::Channel(name)) if channels.is_empty() || channels.contains(name) => {
                &mut *of_channels
            }
            Some(DeprecationTarget::Bundle(name)) if Some(name) == installed => &mut *of_bundle,
            _ => continue,
        };
        let message = deprecation.message.value.as_str();
        if !message.is_empty() {
            list.push(message);
        }
    }
    let all = messages.concat();
    let [of_package, of_channels, of_bundle] = messages;
    let bundle = match installed {
        Some(_) => new_condition(ConditionKind::Bundle, &of_bundle, "bundle not deprecated"),
        None => Condition {
            kind: ConditionKind::Bundle,
            status: Status::Unknown,
            reason: "Absent",
            message: "no bundle installed yet".to_owned(),
        },
    };
    [
        new_condition(ConditionKind::Deprecated, &all, "not deprecated"),
        new_condition(ConditionKind::Package, &of_package, "package not deprecated"),
        new_condition(ConditionKind::Channel, &of_channels, "channel not deprecated"),
        bundle,
    ]
}

fn new_condition(kind: ConditionKind, messages: &[&str], none: &str) -> Condition {
    if messages.is_empty() {
        return Condition { kind, status: Status::False, reason: "NotDeprecated", message: none.to_owned() };
    }
    Condition { kind, status: Status::True, reason: "Deprecated", message: messages.join("\n") }
}
