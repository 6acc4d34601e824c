//! What an upgrade does to a cluster: whether OLM v1 or Classic refuses a step because of its CRDs, and what somebody should
//! look at before it: permissions that grow, install modes that go, webhooks that appear.
//!
//! What is not known is said to be unknown, never safe. Steps do not compose: that `a -> b` and `b -> c` are safe says
//! nothing of `a -> c`. [`crate::bundle::crd`] and [`crate::bundle::compare`] judge two bundles; here each upgrade of a graph is
//! judged by them.

mod facts;
mod judge;
mod memory;
mod neighbours;
mod step;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use facts::Facts;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use judge::{CrdRefusal, Look, LookKind};
pub use memory::{Fingerprint, Memory};
pub use neighbours::Neighbours;
pub use step::{Step, Way, steps};

use super::{Engine, PackageGraph};
use crate::{
    bundle::{
        crd::Place,
        manifests::{Found, Manifests},
    },
    catalog::{BundleName, ChannelName},
};

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
    /// The reason, in words.
    pub reason: String,
    /// True if something that is there cannot be read. False if the manifests were not given to olmap.
    pub is_failure: bool,
}

/// What was found where two bundles were compared.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Findings {
    /// What OLM v1 refuses, by CRD.
    pub v1: Vec<CrdRefusal>,
    /// What Classic refuses, by CRD.
    pub classic: Vec<CrdRefusal>,
    /// What needs a look.
    pub looks: Vec<Look>,
}

/// A step in a word, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// Nothing is refused, and there is nothing to look at.
    Safe,
    /// Nothing is refused; somebody should look.
    NeedsALook,
    /// Nobody knows.
    Unknown,
    /// OLM Classic refuses it.
    RefusedByClassic,
    /// OLM v1 refuses it.
    RefusedByV1,
    /// Both refuse it.
    RefusedByBoth,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Safe,
        Self::NeedsALook,
        Self::Unknown,
        Self::RefusedByClassic,
        Self::RefusedByV1,
        Self::RefusedByBoth,
    ];

    /// Its name in JSON.
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

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::NeedsALook => "needs a look",
            Self::Unknown => "unknown",
            Self::RefusedByClassic => "Classic refuses",
            Self::RefusedByV1 => "v1 refuses",
            Self::RefusedByBoth => "v1 and Classic refuse",
        }
    }

    /// Its mark in lists: one column.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Safe => " ",
            Self::NeedsALook => "~",
            Self::Unknown => "?",
            Self::RefusedByClassic | Self::RefusedByV1 | Self::RefusedByBoth => "!",
        }
    }

    /// Whether one of the two refuses it.
    pub fn is_refused(self) -> bool {
        matches!(self, Self::RefusedByClassic | Self::RefusedByV1 | Self::RefusedByBoth)
    }
}

impl Safety {
    /// Returns true if the step was not judged because something that is there cannot be read.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Unknown(reason) if reason.is_failure)
    }

    /// In a word.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Unknown(_) => Verdict::Unknown,
            Self::Known(Findings { v1, classic, looks }) => {
                match (v1.is_empty(), classic.is_empty(), looks.is_empty()) {
                    (false, false, _) => Verdict::RefusedByBoth,
                    (false, true, _) => Verdict::RefusedByV1,
                    (true, false, _) => Verdict::RefusedByClassic,
                    (true, true, false) => Verdict::NeedsALook,
                    (true, true, true) => Verdict::Safe,
                }
            }
        }
    }

    /// In a word, for one of the two: what only the other refuses needs a look.
    pub fn verdict_for(&self, engine: Engine) -> Verdict {
        let Self::Known(findings) = self else { return Verdict::Unknown };
        let (own, refused) = match engine {
            Engine::Classic => (&findings.classic, Verdict::RefusedByClassic),
            Engine::V1 => (&findings.v1, Verdict::RefusedByV1),
        };
        match (own.is_empty(), self.verdict()) {
            (false, _) => refused,
            (true, Verdict::Safe) => Verdict::Safe,
            (true, _) => Verdict::NeedsALook,
        }
    }

    /// All that there is to say, the worst first, each with its place where it has one.
    pub fn lines(&self) -> Vec<(Verdict, String, Option<&Place>)> {
        self.lines_for(&[Engine::V1, Engine::Classic])
    }

    /// The same for who uses these. What only the other refuses may break resources all the same.
    pub fn lines_for(&self, engines: &[Engine]) -> Vec<(Verdict, String, Option<&Place>)> {
        let Findings { v1, classic, looks } = match self {
            Self::Unknown(not_checked) => return vec![(Verdict::Unknown, not_checked.reason.clone(), None)],
            Self::Known(findings) => findings,
        };
        let by = |engine: Engine, refused: Verdict| {
            if engines.contains(&engine) {
                (refused, refused.words())
            } else {
                (Verdict::NeedsALook, "may break existing resources")
            }
        };
        let line = |(verdict, words): (Verdict, &str), refusal: &'_ CrdRefusal| {
            (verdict, format!("{words}: {refusal}"))
        };
        let v1 = v1.iter().map(|refusal| (by(Engine::V1, Verdict::RefusedByV1), refusal));
        let classic = classic.iter().map(|refusal| (by(Engine::Classic, Verdict::RefusedByClassic), refusal));
        let mut refused: Vec<_> = v1
            .chain(classic)
            .map(|(by, refusal)| {
                let (verdict, words) = line(by, refusal);
                (verdict, words, refusal.place.as_ref())
            })
            .collect();
        refused.sort_by_key(|(verdict, ..)| !verdict.is_refused());
        let looks = looks.iter().map(|look| (Verdict::NeedsALook, look.to_string(), look.place.as_ref()));
        refused.into_iter().chain(looks).collect()
    }

    /// The worst in a few words: `v1 refuses: widgets.example.com: removed field spec.size and 3 more`.
    pub fn brief(&self, engines: &[Engine]) -> String {
        let lines = self.lines_for(engines);
        match lines.as_slice() {
            [] => Verdict::Safe.words().to_owned(),
            [(_, words, _)] => words.clone(),
            [(_, words, _), rest @ ..] => format!("{words}; and {} more", rest.len()),
        }
    }
}

/// The steps of a package, each with what is known of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PackageSafety {
    /// By names of the bundles.
    pub steps: Vec<(Step, Safety)>,
    places: HashMap<(BundleName, BundleName), usize>,
}

/// By what steps are judged.
#[derive(Clone, Copy)]
pub struct Grounds<'a> {
    /// The manifests of bundles.
    pub manifests: &'a dyn Manifests,
    /// What other packages of the catalog live on.
    pub neighbours: &'a Neighbours<'a>,
    /// What was judged before.
    pub memory: Option<&'a dyn Memory>,
}

impl PackageSafety {
    /// Judges every step of a package.
    pub fn judge(graph: &PackageGraph, grounds: Grounds<'_>) -> Self {
        Self::of_steps(graph, steps(graph), grounds)
    }

    /// Judges some steps.
    pub fn of_steps(graph: &PackageGraph, steps: Vec<Step>, grounds: Grounds<'_>) -> Self {
        let package = &graph.package;
        let names: BTreeSet<&BundleName> = steps.iter().flat_map(|step| [&step.from, &step.to]).collect();
        let bundle = |name: &BundleName| package.bundle(name.as_str());
        let found: BTreeMap<&BundleName, (Result<Found, NotChecked>, Fingerprint)> = names
            .into_par_iter()
            .filter_map(|name| {
                let bundle = bundle(name)?;
                let found = grounds.manifests.of(&package.name, bundle);
                let found = found.map_err(|error| NotChecked {
                    bundle: name.clone(),
                    reason: error.to_string(),
                    is_failure: error.is_failure(),
                });
                let own = memory::of_bundle(&found, bundle);
                Some((name, (found, own)))
            })
            .collect();
        let left_without = |step: &Step| {
            let both = bundle(&step.from).zip(bundle(&step.to));
            both.map(|(old, new)| grounds.neighbours.left_without(&package.name, old, new))
                .unwrap_or_default()
        };
        let others: Vec<Vec<Look>> = steps.iter().map(left_without).collect();
        let own = found.iter().map(|(name, (_, own))| (*name, own));
        let fingerprint = memory::of_steps(package, &steps, &others, own);
        let known = grounds.memory.and_then(|memory| memory.recall(&fingerprint));
        let safeties = known.filter(|known| known.len() == steps.len()).unwrap_or_else(|| {
            let facts = found.into_par_iter().filter_map(|(name, (found, _))| {
                let bundle = bundle(name)?;
                Some((name, found.and_then(|found| Facts::of(found, bundle))))
            });
            let safeties = compare(&steps, others, &facts.collect());
            if let Some(memory) = grounds.memory {
                memory.keep(&fingerprint, &safeties);
            }
            safeties
        });
        let places =
            steps.iter().enumerate().map(|(at, step)| ((step.from.clone(), step.to.clone()), at)).collect();
        Self { steps: steps.into_iter().zip(safeties).collect(), places }
    }

    /// What is known of a step; `None` where nobody takes it.
    pub fn of(&self, from: &BundleName, to: &BundleName) -> Option<&Safety> {
        let at = *self.places.get(&(from.clone(), to.clone()))?;
        self.steps.get(at).map(|(_, safety)| safety)
    }

    /// Returns the reasons why steps were not judged, each once, with the number of steps it applies to.
    pub fn not_checked(&self) -> BTreeMap<&NotChecked, usize> {
        let mut reasons = BTreeMap::new();
        for (_, safety) in &self.steps {
            if let Safety::Unknown(reason) = safety {
                *reasons.entry(reason).or_default() += 1;
            }
        }
        reasons
    }

    /// Whether a step in a channel could be judged.
    pub fn knows_something_of(&self, channel: &ChannelName) -> bool {
        self.in_channel(channel).any(|(_, safety)| safety.verdict() != Verdict::Unknown)
    }

    /// How many steps have each verdict, in the order of [`Verdict::ALL`].
    pub fn counts(&self) -> [usize; Verdict::ALL.len()] {
        let mut counts = [0; Verdict::ALL.len()];
        for (_, safety) in &self.steps {
            let verdict = safety.verdict();
            for (count, of) in counts.iter_mut().zip(Verdict::ALL) {
                *count += usize::from(of == verdict);
            }
        }
        counts
    }

    /// The steps that edges of a channel give, or its resolvers take.
    pub fn in_channel<'s>(&'s self, channel: &'s ChannelName) -> impl Iterator<Item = &'s (Step, Safety)> {
        self.steps.iter().filter(move |(step, _)| {
            step.ways.iter().any(|way| match way {
                Way::Edge(_, of) | Way::Classic(of) | Way::V1(Some(of)) => of == channel,
                Way::V1(None) => false,
            })
        })
    }
}

/// Judges steps by what is known of their bundles. `others`: what other packages lose by each.
fn compare(
    steps: &[Step],
    others: Vec<Vec<Look>>,
    facts: &HashMap<&BundleName, Result<Facts, NotChecked>>,
) -> Vec<Safety> {
    let stored = facts::stored_since(steps, facts);
    steps
        .par_iter()
        .zip(others)
        .map(|(step, others)| match (facts.get(&step.from), facts.get(&step.to)) {
            (Some(Ok(old)), Some(Ok(new))) => {
                Safety::Known(judge::judge(old, new, stored.get(&step.from), others))
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
