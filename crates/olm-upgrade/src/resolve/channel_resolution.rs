//! Resolution of a fresh Subscription for each channel of a package, in an empty namespace, against
//! all open catalogs.

use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    answer::{Answer, Failure, Pick, Requester},
    constraint::Predicate,
    explain,
    index::{BundlePosition, CatalogIndex, PackageIndex},
    limit::Limits,
    problem::VariableBundle,
    question::{Question, Source, Subscription},
    resolution::resolve_with,
};
use crate::ResolveError;
use olm_catalog::{
    BundleName, Catalog, ChannelName, PackageName,
    blob::{BundleBlob, Gvk},
    package::Package,
};

/// Maximum step budget for one channel; a channel that exceeds it is reported as unknown. Usual channels take
/// some hundreds of steps.
const MAX_STEPS: u64 = 1_000_000;
/// Minimum step budget for one channel, however many there are.
const MIN_STEPS: u64 = 20_000;
/// Step budget for all channels of a catalog.
const CATALOG_STEPS: u64 = 50_000_000;
/// Maximum number of channels per package; further channels are reported as unknown. Published packages have up
/// to about fifty.
const MAX_CHANNELS: usize = 500;

/// Name of the catalog in messages about itself.
const OWN_CATALOG: &str = "this catalog";

/// Result for a subscription to a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelResolution {
    /// The channel.
    pub channel: ChannelName,
    /// First entry of Classic's chain through the channel.
    pub head: BundleName,
    /// Bundle that is installed, relative to the head.
    pub outcome: HeadOutcome,
    /// Reasons why the head is not installed, line by line.
    pub why: Vec<String>,
    /// True if no visible bundle satisfies a dependency. Another catalog of the cluster may.
    pub is_missing: bool,
    /// Bundles of a dependency cycle that contains the installed bundle; that bundle comes first.
    pub cycle: Vec<BundleName>,
    /// True if OLM may give another answer at another time.
    pub is_unstable: bool,
    /// Question that a limit of olmap left undecided, with the limit.
    pub undecided: Option<String>,
}

/// Bundle that a fresh Subscription installs, relative to the head of the channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HeadOutcome {
    /// The head.
    Head,
    /// The head, thanks to these other open catalogs.
    HeadWith(Vec<String>),
    /// An older version.
    Older(BundleName),
    /// No version is possible.
    Nothing,
    /// Unknown, because of a step limit or because of a problem that another rule reports.
    Unknown,
}

/// Results for a package, and the other packages they depend on.
#[derive(Clone, Default, Debug)]
pub struct PackageResolution {
    /// Results for the channels with any requirements.
    pub channels: Vec<ChannelResolution>,
    /// Number of channels that were skipped because there are too many.
    pub skipped: usize,
    /// Data outside of the package that the results depend on.
    inputs: ResolutionInputs,
}

/// Compares only the results.
impl PartialEq for PackageResolution {
    fn eq(&self, other: &Self) -> bool {
        (&self.channels, self.skipped) == (&other.channels, other.skipped)
    }
}

/// Data besides the package itself that a result depends on. If none of it changes, the result
/// stays valid.
#[derive(Clone, Default, Debug)]
pub(super) struct ResolutionInputs {
    packages: BTreeSet<PackageName>,
    apis: HashSet<Gvk>,
    /// True if any bundle may be an input, for example for a label.
    anything: bool,
}

impl ResolutionInputs {
    pub(super) fn add_bundle(&mut self, bundle: &BundleBlob) {
        if !self.packages.contains(bundle.package.value.as_str()) {
            self.packages.insert(bundle.package.value.clone());
        }
    }

    pub(super) fn add_predicate(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::Gvk(gvk) => {
                if !self.apis.contains(gvk) {
                    self.apis.insert(gvk.clone());
                }
            }
            Predicate::Package { name, .. } => {
                if !self.packages.contains(name.as_str()) {
                    self.packages.insert(name.as_str().into());
                }
            }
            Predicate::All(inner) | Predicate::Any(inner) => {
                for inner in inner {
                    self.add_predicate(inner);
                }
            }
            Predicate::Label(_) | Predicate::Not(_) | Predicate::Cel { .. } => self.anything = true,
        }
    }

    fn merge_inputs(&mut self, other: Self) {
        self.packages.extend(other.packages);
        self.apis.extend(other.apis);
        self.anything |= other.anything;
    }

    /// Returns true if one of the changed packages may be an input.
    fn includes(&self, touched: &ChangedPackages<'_>) -> bool {
        self.anything
            || touched.packages.iter().any(|package| self.packages.contains(&package.name))
            || self.apis.iter().any(|gvk| touched.provided.contains(gvk))
    }

    /// Like `includes`, but also for suggestions, which name APIs in other versions and packages
    /// with similar names.
    fn includes_or_suggests(&self, touched: &ChangedPackages<'_>) -> bool {
        self.includes(touched)
            || touched.has_other_names
            || self.apis.iter().any(|gvk| touched.apis.contains(&api_name(gvk)))
    }
}

/// Returns the step budget for each channel of a catalog, which decreases with their number.
pub fn steps_per_channel(index: &CatalogIndex) -> u64 {
    let asking = index.packages().iter().filter(|known| known.has_requirements());
    let channels: usize = asking.map(|known| known.package.channels.len()).sum();
    (CATALOG_STEPS / (channels as u64).max(1)).clamp(MIN_STEPS, MAX_STEPS)
}

impl PackageResolution {
    /// Resolves all channels of a package, also with the other open catalogs. Each channel has the
    /// step budget.
    pub fn resolve(index: &Arc<CatalogIndex>, package: &str, others: &[Source], steps: u64) -> Self {
        let mut resolution = Self::default();
        let known = index.package_position(package).and_then(|at| Some((at, index.packages().get(at)?)));
        let Some((at, known)) = known.filter(|(_, known)| known.has_requirements()) else {
            return resolution;
        };
        let own = Source::new(OWN_CATALOG, index);
        let stand = |channel| {
            let mut reach = ResolutionInputs::default();
            let asked = ChannelQuestion { own: &own, package: at, index: known, channel, others, steps };
            (asked.resolve_channel(&mut reach), reach)
        };
        resolution.skipped = known.package.channels.len().saturating_sub(MAX_CHANNELS);
        let channels = (0..known.package.channels.len().min(MAX_CHANNELS)).into_par_iter();
        let found: Vec<(Option<ChannelResolution>, ResolutionInputs)> = channels.map(stand).collect();
        for (standing, reach) in found {
            resolution.channels.extend(standing);
            resolution.inputs.merge_inputs(reach);
        }
        resolution
    }

    /// Returns true if every channel's head is installed without other catalogs.
    pub fn is_resolved(&self) -> bool {
        self.channels.iter().all(|standing| standing.outcome == HeadOutcome::Head)
    }

    /// Returns true if the results may change after changes of packages. Results with missing dependencies
    /// contain suggestions, which depend on similar names, too.
    pub fn may_change(&self, changed: &ChangedPackages<'_>) -> bool {
        if self.is_resolved() {
            self.inputs.includes(changed)
        } else {
            self.inputs.includes_or_suggests(changed)
        }
    }
}

/// Packages that differ between two states of a catalog.
#[derive(Debug)]
pub struct ChangedPackages<'c> {
    /// Packages in both states.
    packages: Vec<&'c Package>,
    /// APIs that they provide.
    provided: HashSet<&'c Gvk>,
    /// Group and kind of these APIs, in any version.
    apis: HashSet<(&'c str, &'c str)>,
    /// True if a package was added or removed.
    pub has_other_names: bool,
}

impl<'c> ChangedPackages<'c> {
    /// Returns the packages that differ between two states.
    pub fn from_catalogs(before: &'c Catalog, after: &'c Catalog) -> Self {
        let mut packages: Vec<&Package> = Vec::new();
        let mut has_other_names = false;
        for changed in after.packages_changed_since(before) {
            has_other_names |= changed.before.is_none() || changed.after.is_none();
            packages.extend(changed.states().map(AsRef::as_ref));
        }
        Self { has_other_names, ..Self::from_packages(packages) }
    }

    /// Creates the set from the changed packages, if none was added or removed.
    pub fn from_packages(packages: impl IntoIterator<Item = &'c Package>) -> Self {
        let packages: Vec<_> = packages.into_iter().collect();
        let bundles = packages.iter().flat_map(|package| &package.bundles);
        let provided: HashSet<&Gvk> = bundles.flat_map(|bundle| &bundle.provides).collect();
        let apis = provided.iter().map(|gvk| api_name(gvk)).collect();
        Self { packages, provided, apis, has_other_names: false }
    }
}

/// Returns the group and kind of an API.
fn api_name(gvk: &Gvk) -> (&str, &str) {
    (&gvk.group, &gvk.kind)
}

/// Returns true if a bundle has requirements. Labels are not decoded.
pub fn has_own_requirements(bundle: &BundleBlob) -> bool {
    !bundle.requires.is_empty()
        || bundle.properties.iter().any(|property| property.kind.value == "olm.label.required")
}

/// Resolution of a fresh Subscription to one channel, with its inputs.
struct ChannelQuestion<'a> {
    own: &'a Source,
    package: usize,
    index: &'a PackageIndex,
    channel: usize,
    others: &'a [Source],
    steps: u64,
}

impl ChannelQuestion<'_> {
    fn bundle_at(&self, at: usize) -> Option<&BundleBlob> {
        self.own.index.bundle(BundlePosition { package: self.package, bundle: at }).map(AsRef::as_ref)
    }

    /// Resolves the channel and records what the result depends on. `None` if no bundle of the
    /// channel has requirements.
    fn resolve_channel(&self, inputs: &mut ResolutionInputs) -> Option<ChannelResolution> {
        let chain = self.index.chain(self.channel).ok()?;
        let mut bundles = chain.iter().filter_map(|at| self.bundle_at(*at));
        let head = bundles.next()?;
        if !has_own_requirements(head) && !bundles.any(has_own_requirements) {
            return None;
        }
        let answer = self.answer_with(&[], inputs);
        let (mut end, mut why) = self.find_outcome(&answer, head);
        let mut reported_answer = answer;
        // Other catalogs cannot help if the head itself is invalid.
        if matches!(end, HeadOutcome::Older(_) | HeadOutcome::Nothing) && !self.others.is_empty() {
            let answer = self.answer_with(self.others, inputs);
            (end, why) = match self.find_outcome(&answer, head) {
                (HeadOutcome::Head, why) => (HeadOutcome::HeadWith(self.other_catalogs(&answer)), why),
                other => other,
            };
            reported_answer = answer;
        }
        Some(ChannelResolution {
            channel: self.index.channel_name(self.channel).into(),
            head: head.name.value.clone(),
            outcome: end,
            is_missing: why.iter().any(|line| explain::is_missing_dependency(line)),
            why,
            cycle: self
                .own_pick(&reported_answer)
                .map(|pick| find_cycle(pick, reported_answer.picks()))
                .unwrap_or_default(),
            is_unstable: reported_answer.is_unstable,
            undecided: reported_answer.undecided_part(),
        })
    }

    /// Returns OLM's answer with these other catalogs.
    fn answer_with(&self, others: &[Source], inputs: &mut ResolutionInputs) -> Answer {
        let sources = std::iter::once(self.own).chain(others).cloned().collect();
        let mut question = Question::new(sources);
        question.subscriptions.push(Subscription {
            name: self.index.package.name.to_string(),
            package: self.index.package.name.clone(),
            channel: Some(self.index.channel_name(self.channel).into()),
            catalog: self.own.key.clone(),
            starting_csv: None,
            installed: None,
        });
        let limits = Limits { search: self.steps, explanation: self.steps / 10, stability: self.steps / 10 };
        let answer = resolve_with(&question, limits, |problem| {
            for (var, variable) in problem.variables.iter().enumerate() {
                if let Some((_, bundle)) =
                    problem.entry_view(variable.at).and_then(|seen| seen.catalog_bundle)
                {
                    inputs.add_bundle(bundle);
                }
                for need in &variable.needs {
                    problem
                        .predicate(var, need)
                        .into_iter()
                        .for_each(|predicate| inputs.add_predicate(predicate));
                }
            }
        });
        // Other failures happen before the problem is complete, so anything may be an input.
        let is_other = |failure: &Failure| !matches!(failure, Failure::Unsatisfiable);
        inputs.anything |=
            answer.outcome.as_ref().err().is_some_and(|failures| failures.iter().any(is_other));
        answer
    }

    /// Returns the bundle of the package that the answer installs.
    fn own_pick<'p>(&self, answer: &'p Answer) -> Option<&'p Pick> {
        let is_own = |pick: &&Pick| pick.catalog == self.own.key && pick.package == self.index.package.name;
        answer.picks().iter().find(is_own)
    }

    /// Returns the installed bundle relative to the head, and the reasons if it is not the head.
    fn find_outcome(&self, answer: &Answer, head: &BundleBlob) -> (HeadOutcome, Vec<String>) {
        let end = match (&answer.outcome, self.own_pick(answer)) {
            (Ok(_), Some(pick)) if pick.bundle == head.name.value => HeadOutcome::Head,
            (Ok(_), Some(pick)) => HeadOutcome::Older(pick.bundle.clone()),
            (Ok(_), None) => HeadOutcome::Unknown,
            (Err(failures), _) if failures.iter().any(|failure| self.is_reported_elsewhere(failure)) => {
                HeadOutcome::Unknown
            }
            (Err(_), _) => HeadOutcome::Nothing,
        };
        let why = if matches!(end, HeadOutcome::Older(_) | HeadOutcome::Nothing) {
            explain::answer_reasons(answer)
        } else {
            Vec::new()
        };
        (end, why)
    }

    /// Returns true if another rule reports the failure, because its cause is the package itself.
    fn is_reported_elsewhere(&self, failure: &Failure) -> bool {
        match failure {
            Failure::Requirement { at: VariableBundle::Bundle { source: 0, place }, .. } => {
                place.at.package == self.package
            }
            Failure::Chain { package, error, .. } => {
                *package == self.index.package.name || matches!(error, ResolveError::NoPackage(_))
            }
            Failure::NoTarget { .. } | Failure::StepLimitExceeded(_) => true,
            _ => false,
        }
    }

    /// Returns the names of other catalogs that something is taken from.
    fn other_catalogs(&self, answer: &Answer) -> Vec<String> {
        let others = answer.picks().iter().map(|pick| &pick.catalog).filter(|key| **key != self.own.key);
        others.map(|key| key.name.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Returns the shortest cycle of dependencies that contains a bundle, beginning with it.
fn find_cycle(from: &Pick, picks: &[Pick]) -> Vec<BundleName> {
    // The search goes from each bundle to the dependencies it requested.
    let asked_by = |pick: &Pick, name: &BundleName| {
        pick.requesters.iter().any(|by| matches!(by, Requester::Bundle { bundle, .. } if bundle == name))
    };
    let mut before: HashMap<&BundleName, &BundleName> = HashMap::new();
    let mut queue = VecDeque::from([&from.bundle]);
    while let Some(name) = queue.pop_front() {
        for next in picks.iter().filter(|pick| asked_by(pick, name)) {
            if next.bundle == from.bundle {
                let mut circle = vec![name.clone()];
                let mut at = name;
                while let Some(previous) = before.get(at) {
                    circle.push((*previous).clone());
                    at = previous;
                }
                circle.reverse();
                return circle;
            }
            if !before.contains_key(&next.bundle) {
                before.insert(&next.bundle, name);
                queue.push_back(&next.bundle);
            }
        }
    }
    Vec::new()
}
