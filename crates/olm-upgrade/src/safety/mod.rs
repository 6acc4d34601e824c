//! Effects of upgrades on a cluster: whether OLM v1 or Classic refuses a step, and which changes
//! the user should review.
//!
//! [`olm_bundle::step`] judges two bundles; this module judges each upgrade of a graph with it.
//! A step is unknown, never safe, if its manifests are missing or were not compared completely.
//! Steps do not compose: safe steps `a -> b` and `b -> c` do not imply that `a -> c` is safe.

mod cache;
mod facts;
mod step_check;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Engine, PackageGraph};
use facts::BundleFacts;
use olm_bundle::{
    crd::CrdLocation,
    manifests::{BundleManifests, Manifests},
    step::{Judgement, OlmJudgement, Reason, ReasonKind},
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, PackageName,
    blob::{BundleBlob, Dependency, Gvk},
};

pub use cache::{Fingerprint, VerdictCache};

pub use step_check::{Advisory, AdvisoryKind};
pub use step_check::{Step, StepReason, find_steps};

/// Result of judging a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Safety {
    /// The manifests of one of the two bundles cannot be compared.
    Unknown(NotChecked),
    /// Both bundles were compared.
    Known(Findings),
}

/// Reason why a step was not judged.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct NotChecked {
    /// Bundle whose manifests are missing or unreadable.
    pub bundle: BundleName,
    /// Reason in words.
    pub reason: String,
    /// True if existing data cannot be read. False if olmap does not have the manifests.
    pub is_failure: bool,
}

/// Result of comparing two bundles.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Findings {
    /// Judgment of both OLMs.
    pub step: Judgement,
    /// Other changes that the user should review, with either OLM.
    pub looks: Vec<Advisory>,
    /// Reasons why part of the step was not compared.
    pub not_checked: Vec<NotChecked>,
}

impl Findings {
    /// Returns the judgment of one OLM.
    pub fn judgement(&self, engine: Engine) -> &OlmJudgement {
        match engine {
            Engine::Classic => &self.step.classic,
            Engine::V1 => &self.step.v1,
        }
    }

    fn is_refused_by(&self, engine: Engine) -> bool {
        self.judgement(engine).refusals().next().is_some()
    }
}

/// Verdict on a step, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// OLM refuses nothing, and there is nothing to review.
    Safe,
    /// OLM refuses nothing, but the user should review changes.
    NeedsALook,
    /// The step was not judged completely.
    Unknown,
    /// OLM Classic refuses the step.
    RefusedByClassic,
    /// OLM v1 refuses the step.
    RefusedByV1,
    /// Both OLMs refuse the step.
    RefusedByBoth,
}

impl Verdict {
    /// All verdicts, in order.
    pub const ALL: [Self; 6] = [
        Self::Safe,
        Self::NeedsALook,
        Self::Unknown,
        Self::RefusedByClassic,
        Self::RefusedByV1,
        Self::RefusedByBoth,
    ];

    /// Returns the name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::NeedsALook => "needs-a-look",
            Self::Unknown => "unknown",
            Self::RefusedByClassic => "refused-by-classic",
            Self::RefusedByV1 => "refused-by-v1",
            Self::RefusedByBoth => "refused-by-both",
        }
    }

    /// Returns the text for sentences.
    pub fn short_text(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::NeedsALook => "needs a look",
            Self::Unknown => "not checked",
            Self::RefusedByClassic => "Classic refuses",
            Self::RefusedByV1 => "v1 refuses",
            Self::RefusedByBoth => "v1 and Classic refuse",
        }
    }

    /// Returns the mark in lists, one column wide.
    pub fn list_mark(self) -> &'static str {
        match self {
            Self::Safe => " ",
            Self::NeedsALook => "~",
            Self::Unknown => "?",
            Self::RefusedByClassic | Self::RefusedByV1 | Self::RefusedByBoth => "!",
        }
    }

    /// Returns true if at least one OLM refuses the step.
    pub fn is_refused(self) -> bool {
        matches!(self, Self::RefusedByClassic | Self::RefusedByV1 | Self::RefusedByBoth)
    }
}

impl Findings {
    /// Returns the reasons of some OLMs, each once; `None` if they are those of both.
    fn reasons_for(&self, engines: &[Engine], is_refusal: bool) -> Vec<(Option<Engine>, &Reason)> {
        let of = |engine: Engine| {
            let reasons = self.judgement(engine).reasons.iter();
            reasons.filter(move |reason| reason.is_refusal == is_refusal)
        };
        // One sentence on a schema, or on permissions, is enough.
        let grows = self.looks.iter().any(|look| look.kind == AdvisoryKind::PermissionsGrow);
        let is_told = |reason: &Reason| {
            let is_same_crd = |other: &&Reason| other.kind == reason.kind && other.object == reason.object;
            let is_schema = reason.kind == ReasonKind::CrdUnsafe
                && engines.len() > 1
                && !reason.is_refusal
                && self.judgement(Engine::V1).refusals().any(|other| is_same_crd(&other));
            is_schema || grows && reason.kind == ReasonKind::PermissionsAdded
        };
        let mut reasons: Vec<(Option<Engine>, &Reason)> = Vec::new();
        for engine in engines {
            for reason in of(*engine) {
                let known = reasons
                    .iter_mut()
                    .find(|(by, other)| *by != Some(*engine) && other.is_same_problem(reason));
                match known {
                    Some((by, _)) => *by = None,
                    None if is_told(reason) => {}
                    None => reasons.push((Some(*engine), reason)),
                }
            }
        }
        reasons
    }
}

impl Safety {
    /// Returns true if part of the step was not judged because something cannot be read or compared.
    pub fn is_failure(&self) -> bool {
        self.not_checked().iter().any(|reason| reason.is_failure)
    }

    /// Returns the reasons why the step, or part of it, was not judged.
    pub fn not_checked(&self) -> &[NotChecked] {
        match self {
            Self::Unknown(reason) => std::slice::from_ref(reason),
            Self::Known(findings) => &findings.not_checked,
        }
    }

    /// Returns the verdict for users of both OLMs.
    pub fn overall_verdict(&self) -> Verdict {
        let Self::Known(findings) = self else { return Verdict::Unknown };
        match (findings.is_refused_by(Engine::V1), findings.is_refused_by(Engine::Classic)) {
            (true, true) => Verdict::RefusedByBoth,
            (true, false) => Verdict::RefusedByV1,
            (false, true) => Verdict::RefusedByClassic,
            (false, false) => self.verdict_for(Engine::V1).max(self.verdict_for(Engine::Classic)),
        }
    }

    /// Returns the verdict for users of one OLM.
    pub fn verdict_for(&self, engine: Engine) -> Verdict {
        let Self::Known(findings) = self else { return Verdict::Unknown };
        let own = findings.judgement(engine);
        if findings.is_refused_by(engine) {
            return match engine {
                Engine::Classic => Verdict::RefusedByClassic,
                Engine::V1 => Verdict::RefusedByV1,
            };
        }
        match (own.not_checked.is_empty(), own.reasons.is_empty() && findings.looks.is_empty()) {
            (false, _) => Verdict::Unknown,
            (true, false) => Verdict::NeedsALook,
            (true, true) => Verdict::Safe,
        }
    }

    /// Returns all known facts about the step, most severe first, with their locations.
    pub fn all_lines(&self) -> Vec<(Verdict, String, Option<&CrdLocation>)> {
        self.lines_for(&[Engine::V1, Engine::Classic])
    }

    /// Returns the facts about the step that users of some OLMs need.
    pub fn lines_for(&self, engines: &[Engine]) -> Vec<(Verdict, String, Option<&CrdLocation>)> {
        let findings = match self {
            Self::Unknown(not_checked) => return vec![(Verdict::Unknown, not_checked.reason.clone(), None)],
            Self::Known(findings) => findings,
        };
        let mut lines = Vec::new();
        for (engine, reason) in findings.reasons_for(engines, true) {
            let by = match engine {
                None => Verdict::RefusedByBoth,
                Some(Engine::V1) => Verdict::RefusedByV1,
                Some(Engine::Classic) => Verdict::RefusedByClassic,
            };
            lines.push((by, format!("{}: {reason}", by.short_text()), reason.place.as_ref()));
        }
        let mut gaps: Vec<&String> =
            engines.iter().flat_map(|engine| &findings.judgement(*engine).not_checked).collect();
        gaps.sort();
        gaps.dedup();
        lines.extend(gaps.into_iter().map(|gap| (Verdict::Unknown, format!("not checked: {gap}"), None)));
        for (engine, reason) in findings.reasons_for(engines, false) {
            let with = match engine {
                Some(Engine::V1) if engines.len() > 1 => "with v1: ",
                Some(Engine::Classic) if engines.len() > 1 => "with Classic: ",
                _ => "",
            };
            lines.push((Verdict::NeedsALook, format!("{with}{reason}"), reason.place.as_ref()));
        }
        let looks = findings.looks.iter();
        lines.extend(looks.map(|look| (Verdict::NeedsALook, look.to_string(), look.place.as_ref())));
        lines
    }

    /// Returns the most severe fact in short form: `v1 refuses: widgets.example.com: removed field
    /// spec.size and 3 more`.
    pub fn brief(&self, engines: &[Engine]) -> String {
        let lines = self.lines_for(engines);
        match lines.as_slice() {
            [] => Verdict::Safe.short_text().to_owned(),
            [(_, words, _)] => words.clone(),
            [(_, words, _), rest @ ..] => format!("{words}; and {} more", rest.len()),
        }
    }
}

/// Steps of a package with their verdicts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PackageSafety {
    /// Steps, sorted by the names of the bundles.
    pub steps: Vec<(Step, Safety)>,
    positions: HashMap<(BundleName, BundleName), usize>,
}

/// Bundles that were installed before a step of a path, by both bundles of the step.
pub type PathHistory = BTreeMap<(BundleName, BundleName), BTreeSet<BundleName>>;

/// Inputs of the judgment.
#[derive(Clone, Copy)]
pub struct SafetyInputs<'a> {
    /// Manifests of bundles.
    pub manifests: &'a dyn Manifests,
    /// APIs that other packages of the catalog require.
    pub neighbors: &'a ApiNeighbors<'a>,
    /// Cache of earlier verdicts.
    pub cache: Option<&'a dyn VerdictCache>,
}

impl PackageSafety {
    /// Judges every step of a package.
    pub fn judge_package(graph: &PackageGraph, grounds: SafetyInputs<'_>) -> Self {
        Self::judge_steps(graph, find_steps(graph), grounds)
    }

    /// Judges some steps.
    pub fn judge_steps(graph: &PackageGraph, steps: Vec<Step>, grounds: SafetyInputs<'_>) -> Self {
        Self::judge_path(graph, steps, &PathHistory::new(), grounds)
    }

    /// Judges the steps of a path. `history` has the bundles that were certainly installed before a
    /// step, other than its own.
    pub fn judge_path(
        graph: &PackageGraph,
        steps: Vec<Step>,
        history: &PathHistory,
        grounds: SafetyInputs<'_>,
    ) -> Self {
        let package = &graph.package;
        let taken = steps.iter().flat_map(|step| [&step.from, &step.to]);
        let names: BTreeSet<&BundleName> = taken.chain(history.values().flatten()).collect();
        let bundle = |name: &BundleName| package.bundle(name.as_str());
        let found: BTreeMap<&BundleName, (Result<BundleManifests, NotChecked>, Option<Fingerprint>)> = names
            .into_par_iter()
            .filter_map(|name| {
                let bundle = bundle(name)?;
                let found = grounds.manifests.manifests_of(&package.name, bundle);
                let found = found.map_err(|error| NotChecked {
                    bundle: name.clone(),
                    reason: error.to_string(),
                    is_failure: error.is_failure(),
                });
                let own = grounds.cache.map(|_| cache::hash_bundle(&found, bundle));
                Some((name, (found, own)))
            })
            .collect();
        let left_without = |step: &Step| {
            let both = bundle(&step.from).zip(bundle(&step.to));
            both.map(|(old, new)| grounds.neighbors.find_lost_apis(&package.name, old, new))
                .unwrap_or_default()
        };
        let others: Vec<Vec<Advisory>> = steps.iter().map(left_without).collect();
        let own = found.iter().filter_map(|(name, (_, own))| Some((*name, own.as_ref()?)));
        let cache =
            grounds.cache.map(|memory| (memory, cache::hash_steps(package, &steps, history, &others, own)));
        let known = cache.as_ref().and_then(|(memory, fingerprint)| memory.load_verdicts(fingerprint));
        let safeties = known.filter(|known| known.len() == steps.len()).unwrap_or_else(|| {
            let facts = found.into_par_iter().filter_map(|(name, (found, _))| {
                let bundle = bundle(name)?;
                Some((name, found.and_then(|found| BundleFacts::from_manifests(found, bundle))))
            });
            let safeties = compare_steps(&steps, history, others, &facts.collect());
            if let Some((memory, fingerprint)) = &cache {
                memory.store_verdicts(fingerprint, &safeties);
            }
            safeties
        });
        let places =
            steps.iter().enumerate().map(|(at, step)| ((step.from.clone(), step.to.clone()), at)).collect();
        Self { steps: steps.into_iter().zip(safeties).collect(), positions: places }
    }

    /// Keeps the steps that an OLM refuses.
    #[must_use]
    pub fn retain_refused(self) -> Self {
        let refused = self.steps.into_iter().filter(|(_, safety)| safety.overall_verdict().is_refused());
        let steps: Vec<(Step, Safety)> = refused.collect();
        let places = steps
            .iter()
            .enumerate()
            .map(|(at, (step, _))| ((step.from.clone(), step.to.clone()), at))
            .collect();
        Self { steps, positions: places }
    }

    /// Returns the verdict on a step; `None` if no resolver takes it.
    pub fn find_step(&self, from: &BundleName, to: &BundleName) -> Option<&Safety> {
        let at = *self.positions.get(&(from.clone(), to.clone()))?;
        self.steps.get(at).map(|(_, safety)| safety)
    }

    /// Returns the reasons why steps were not judged, each once, with the number of steps it applies to.
    pub fn not_checked(&self) -> BTreeMap<&NotChecked, usize> {
        let mut reasons = BTreeMap::new();
        for reason in self.steps.iter().flat_map(|(_, safety)| safety.not_checked()) {
            *reasons.entry(reason).or_default() += 1;
        }
        reasons
    }

    /// Returns true if at least one step in a channel was judged.
    pub fn has_verdict_in(&self, channel: &ChannelName) -> bool {
        self.steps_in_channel(channel).any(|(_, safety)| safety.overall_verdict() != Verdict::Unknown)
    }

    /// Counts the steps per verdict, in the order of [`Verdict::ALL`].
    pub fn count_verdicts(&self) -> [usize; Verdict::ALL.len()] {
        let mut counts = [0; Verdict::ALL.len()];
        for (_, safety) in &self.steps {
            let verdict = safety.overall_verdict();
            for (count, of) in counts.iter_mut().zip(Verdict::ALL) {
                *count += usize::from(of == verdict);
            }
        }
        counts
    }

    /// Returns the steps that a channel's edges allow or its resolvers take.
    pub fn steps_in_channel<'s>(
        &'s self,
        channel: &'s ChannelName,
    ) -> impl Iterator<Item = &'s (Step, Safety)> {
        self.steps.iter().filter(move |(step, _)| {
            step.reasons.iter().any(|way| match way {
                StepReason::Edge(_, of) | StepReason::Classic(of) | StepReason::V1(Some(of)) => of == channel,
                StepReason::V1(None) => false,
            })
        })
    }
}

/// Judges steps from the facts about their bundles. `others` has the effects of each step on other
/// packages.
fn compare_steps(
    steps: &[Step],
    history: &PathHistory,
    others: Vec<Vec<Advisory>>,
    facts: &HashMap<&BundleName, Result<BundleFacts, NotChecked>>,
) -> Vec<Safety> {
    let stored = facts::find_stored_versions(steps, facts);
    steps
        .par_iter()
        .zip(others)
        .map(|(step, others)| match (facts.get(&step.from), facts.get(&step.to)) {
            (Some(Ok(old)), Some(Ok(new))) => {
                let before = history.get(&(step.from.clone(), step.to.clone())).into_iter().flatten();
                let mut known = Vec::new();
                for name in before {
                    match facts.get(name) {
                        Some(Ok(facts)) => known.push(facts),
                        Some(Err(reason)) => return Safety::Unknown(reason.clone()),
                        None => return Safety::Unknown(not_in_catalog(name)),
                    }
                }
                let context =
                    step_check::JudgeContext { stored: stored.get(&step.from), history: known, others };
                Safety::Known(step_check::judge_step(old, new, &step.to, context))
            }
            (Some(Err(old)), Some(Err(new))) if new.is_failure && !old.is_failure => {
                Safety::Unknown(new.clone())
            }
            (Some(Err(reason)), _) | (_, Some(Err(reason))) => Safety::Unknown(reason.clone()),
            (None, _) => Safety::Unknown(not_in_catalog(&step.from)),
            (_, None) => Safety::Unknown(not_in_catalog(&step.to)),
        })
        .collect()
}

fn not_in_catalog(bundle: &BundleName) -> NotChecked {
    let reason = "the catalog has no bundle of it".to_owned();
    NotChecked { bundle: bundle.clone(), reason, is_failure: false }
}

/// APIs that bundles of a catalog require, with the packages on both sides.
#[derive(Debug, Default)]
pub struct ApiNeighbors<'c> {
    apis: HashMap<&'c Gvk, ApiPackages<'c>>,
}

#[derive(Debug, Default)]
struct ApiPackages<'c> {
    required: BTreeSet<&'c PackageName>,
    provided: BTreeSet<&'c PackageName>,
}

impl<'c> ApiNeighbors<'c> {
    /// Collects the required APIs of a catalog.
    pub fn from_catalog(catalog: &'c Catalog) -> Self {
        let mut apis: HashMap<&Gvk, ApiPackages<'_>> = HashMap::new();
        for package in catalog.packages() {
            for asked in
                package.bundles.iter().flat_map(|bundle| &bundle.requires).flat_map(Dependency::requirements)
            {
                if let Dependency::Gvk { gvk, .. } = asked {
                    apis.entry(gvk).or_default().required.insert(&package.name);
                }
            }
        }
        if !apis.is_empty() {
            for package in catalog.packages() {
                for api in package.bundles.iter().flat_map(|bundle| &bundle.provides) {
                    if let Some(sides) = apis.get_mut(api) {
                        sides.provided.insert(&package.name);
                    }
                }
            }
        }
        Self { apis }
    }

    /// Returns the APIs that a step removes, that other packages require, and that no other package provides.
    fn find_lost_apis(&self, package: &PackageName, old: &BundleBlob, new: &BundleBlob) -> Vec<Advisory> {
        let gone = old.provides.iter().filter(|api| !new.provides.contains(api));
        let mut looks: Vec<Advisory> = gone
            .filter_map(|api| {
                let ApiPackages { required, provided } = self.apis.get(api)?;
                let others = |of: &BTreeSet<&PackageName>| -> Vec<String> {
                    of.iter().filter(|name| **name != package).map(ToString::to_string).collect()
                };
                let by = others(required);
                let is_lost = !by.is_empty() && others(provided).is_empty();
                let words = format!("{api} goes and is required by {}", by.join(", "));
                is_lost.then_some(Advisory {
                    kind: AdvisoryKind::RequiredApiGoes,
                    words,
                    more: 0,
                    place: None,
                })
            })
            .collect();
        looks.dedup();
        looks
    }
}
