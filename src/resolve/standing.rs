//! How a package stands among the catalogs in sight: what somebody gets who subscribes to one of its channels, alone in a
//! namespace in which nothing is installed.

use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    answer::{Answer, By, Failure, Pick},
    constraint::Predicate,
    explain,
    index::{BundleAt, CatalogIndex, PackageIndex},
    limit::Limits,
    problem::At,
    question::{Question, Source, Subscription},
    resolved::resolve_noting,
};
use crate::{
    catalog::{
        BundleName, Catalog, ChannelName, PackageName,
        blob::{BundleBlob, Gvk},
        package::Package,
    },
    upgrade::ResolveError,
};

/// How much work a channel may be, in steps. Of one that takes more nothing is said. A usual one takes some hundreds.
const MOST_STEPS: u64 = 1_000_000;
/// What each may take however many they are.
const LEAST_STEPS: u64 = 20_000;
/// How much work all channels of a catalog may be.
const STEPS: u64 = 50_000_000;
/// How many channels of a package are looked at; the others are left unknown. The most that a published package has is some
/// fifty.
const MOST_CHANNELS: usize = 500;

/// What a catalog is called in what is said of itself.
const OWN: &str = "this catalog";

/// What somebody gets who subscribes to a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The channel.
    pub channel: ChannelName,
    /// The head of Classic's chain through it.
    pub head: BundleName,
    /// What is installed.
    pub end: End,
    /// What stands against the head, line by line.
    pub why: Vec<String>,
    /// Whether something is needed that no bundle in sight satisfies: another catalog of the cluster may have it.
    pub is_missing: bool,
    /// The bundles that need each other in a circle, of which one is the bundle that is installed; that one comes first.
    pub circle: Vec<BundleName>,
    /// Whether OLM may answer otherwise another time.
    pub is_unstable: bool,
    /// Question that a limit of olmap's own left undecided, with the limit.
    pub undecided: Option<String>,
}

/// What is installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The head.
    Head,
    /// The head, and only because these catalogs beside its own are in sight.
    HeadWith(Vec<String>),
    /// An older version.
    Older(BundleName),
    /// Nothing can be.
    Nothing,
    /// Nobody knows: it took too much work, or something else is wrong with the package, of which other rules speak.
    Unknown,
}

/// How a package stands, and by what of other packages.
#[derive(Clone, Default, Debug)]
pub struct Standings {
    /// Those of its channels in which somebody requires something.
    pub channels: Vec<Standing>,
    /// Number of channels that were not looked at, because there are too many.
    pub skipped: usize,
    /// What the answers depend on.
    reach: Reach,
}

/// Two are the same where they say the same.
impl PartialEq for Standings {
    fn eq(&self, other: &Self) -> bool {
        (&self.channels, self.skipped) == (&other.channels, other.skipped)
    }
}

/// What answers depend on besides the package itself.
#[derive(Clone, Default, Debug)]
pub(super) struct Reach {
    packages: BTreeSet<PackageName>,
    apis: HashSet<Gvk>,
    /// Something is asked for that any bundle may satisfy, or somebody may have a part in it who is not known.
    anything: bool,
}

impl Reach {
    pub(super) fn note_bundle(&mut self, bundle: &BundleBlob) {
        if !self.packages.contains(bundle.package.value.as_str()) {
            self.packages.insert(bundle.package.value.clone());
        }
    }

    pub(super) fn note(&mut self, predicate: &Predicate) {
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
            Predicate::All(inner) | Predicate::Any(inner) => inner.iter().for_each(|inner| self.note(inner)),
            Predicate::Label(_) | Predicate::Not(_) | Predicate::Cel { .. } => self.anything = true,
        }
    }

    fn add(&mut self, other: Self) {
        self.packages.extend(other.packages);
        self.apis.extend(other.apis);
        self.anything |= other.anything;
    }

    /// Whether one of some packages may have a part in the answers.
    fn has(&self, touched: &Touched<'_>) -> bool {
        self.anything
            || touched.packages.iter().any(|package| self.packages.contains(&package.name))
            || self.apis.iter().any(|gvk| touched.provided.contains(gvk))
    }

    /// The same, or in what an answer names besides: an API in another version, a package of a similar name.
    fn nearly_has(&self, touched: &Touched<'_>) -> bool {
        self.has(touched)
            || touched.has_other_names
            || self.apis.iter().any(|gvk| touched.apis.contains(&api(gvk)))
    }
}

/// How much work each channel of a catalog may be, in steps: the more they are, the less.
pub fn steps_for_one(catalog: &Catalog) -> u64 {
    let asking = catalog.packages().filter(|package| has_requirements(package));
    let channels: usize = asking.map(|package| package.channels.len()).sum();
    (STEPS / (channels as u64).max(1)).clamp(LEAST_STEPS, MOST_STEPS)
}

impl Standings {
    /// How a package of a catalog stands. `beside` are the other catalogs in sight, `steps` what each channel may take.
    pub fn of(index: &Arc<CatalogIndex>, package: &str, beside: &[Source], steps: u64) -> Self {
        let mut standings = Self::default();
        let known = index.place(package).and_then(|at| Some((at, index.packages().get(at)?)));
        let Some((at, known)) = known.filter(|(_, known)| has_requirements(&known.package)) else {
            return standings;
        };
        let own = Source::new(OWN, index);
        let stand = |channel| {
            let mut reach = Reach::default();
            let asked = Asked { own: &own, package: at, index: known, channel, beside, steps };
            (asked.standing(&mut reach), reach)
        };
        standings.skipped = known.package.channels.len().saturating_sub(MOST_CHANNELS);
        let channels = (0..known.package.channels.len().min(MOST_CHANNELS)).into_par_iter();
        let found: Vec<(Option<Standing>, Reach)> = channels.map(stand).collect();
        for (standing, reach) in found {
            standings.channels.extend(standing);
            standings.reach.add(reach);
        }
        standings
    }

    /// Whether everybody gets the head with what the catalog has by itself.
    pub fn is_met(&self) -> bool {
        self.channels.iter().all(|standing| standing.end == End::Head)
    }

    /// Whether it may stand otherwise after packages have changed. What somebody lacks is told with what comes nearest: other versions
    /// of a package or an API, or else a package of a similar name.
    pub fn may_change(&self, touched: &Touched<'_>) -> bool {
        if self.is_met() { self.reach.has(touched) } else { self.reach.nearly_has(touched) }
    }
}

/// Packages that are not the same in two states of a catalog.
#[derive(Debug)]
pub struct Touched<'c> {
    /// As they were and as they are.
    packages: Vec<&'c Package>,
    /// The APIs they provide.
    provided: HashSet<&'c Gvk>,
    /// The same, whatever their version.
    apis: HashSet<(&'c str, &'c str)>,
    /// Whether one came or went.
    has_other_names: bool,
}

impl<'c> Touched<'c> {
    /// What differs between two states.
    pub fn between(before: &'c Catalog, after: &'c Catalog) -> Self {
        let mut packages: Vec<&Package> = Vec::new();
        let mut has_other_names = false;
        for (of, than) in [(before, after), (after, before)] {
            for own in of.packages() {
                match than.package(own.name.as_str()) {
                    Some(other) if Arc::ptr_eq(own, other) => continue,
                    Some(_) => {}
                    None => has_other_names = true,
                }
                packages.push(own);
            }
        }
        Self { has_other_names, ..Self::within(packages) }
    }

    /// What changes within packages, where none comes or goes.
    pub fn within(packages: impl IntoIterator<Item = &'c Package>) -> Self {
        let packages: Vec<_> = packages.into_iter().collect();
        let bundles = packages.iter().flat_map(|package| &package.bundles);
        let provided: HashSet<&Gvk> = bundles.flat_map(|bundle| &bundle.provides).collect();
        let apis = provided.iter().map(|gvk| api(gvk)).collect();
        Self { packages, provided, apis, has_other_names: false }
    }
}

/// The group and kind of an API.
fn api(gvk: &Gvk) -> (&str, &str) {
    (&gvk.group, &gvk.kind)
}

fn has_requirements(package: &Package) -> bool {
    package.bundles.iter().any(|bundle| asks(bundle))
}

/// Whether a bundle asks for anything. Labels are not decoded.
pub fn asks(bundle: &BundleBlob) -> bool {
    !bundle.requires.is_empty()
        || bundle.properties.iter().any(|property| property.kind.value == "olm.label.required")
}

/// A question about one channel.
struct Asked<'a> {
    own: &'a Source,
    package: usize,
    index: &'a PackageIndex,
    channel: usize,
    beside: &'a [Source],
    steps: u64,
}

impl Asked<'_> {
    fn bundle(&self, at: usize) -> Option<&BundleBlob> {
        self.own.index.bundle(BundleAt { package: self.package, bundle: at }).map(AsRef::as_ref)
    }

    fn standing(&self, reach: &mut Reach) -> Option<Standing> {
        let chain = self.index.chain(self.channel).ok()?;
        let mut bundles = chain.iter().filter_map(|at| self.bundle(*at));
        let head = bundles.next()?;
        if !asks(head) && !bundles.any(asks) {
            return None;
        }
        let answer = self.answer(&[], reach);
        let (mut end, mut why) = self.end(&answer, head);
        let mut told = answer;
        // What is at fault with the head itself is no matter of what is beside it.
        if matches!(end, End::Older(_) | End::Nothing) && !self.beside.is_empty() {
            let answer = self.answer(self.beside, reach);
            (end, why) = match self.end(&answer, head) {
                (End::Head, why) => (End::HeadWith(self.catalogs(&answer)), why),
                other => other,
            };
            told = answer;
        }
        Some(Standing {
            channel: self.index.channel_name(self.channel).into(),
            head: head.name.value.clone(),
            end,
            is_missing: why.iter().any(|line| explain::is_missing(line)),
            why,
            circle: self.own_pick(&told).map(|pick| circle(pick, told.picks())).unwrap_or_default(),
            is_unstable: told.is_unstable,
            undecided: told.undecided(),
        })
    }

    fn answer(&self, beside: &[Source], reach: &mut Reach) -> Answer {
        let sources = std::iter::once(self.own).chain(beside).cloned().collect();
        let mut question = Question::new(sources);
        question.subscriptions.push(Subscription {
            name: self.index.package.name.to_string(),
            package: self.index.package.name.clone(),
            channel: Some(self.index.channel_name(self.channel).into()),
            catalog: self.own.key.clone(),
            starting_csv: None,
            installed: None,
        });
        let limits = Limits { search: self.steps, why: self.steps / 10, unstable: self.steps / 10 };
        let answer = resolve_noting(&question, limits, |problem| {
            for (var, variable) in problem.variables.iter().enumerate() {
                if let Some((_, bundle)) = problem.seen(variable.at).and_then(|seen| seen.home) {
                    reach.note_bundle(bundle);
                }
                for need in &variable.needs {
                    problem.predicate(var, need).into_iter().for_each(|predicate| reach.note(predicate));
                }
            }
        });
        // Anything may be behind what ended before it was a problem to solve.
        let is_other = |failure: &Failure| !matches!(failure, Failure::Unsatisfiable);
        reach.anything |= answer.outcome.as_ref().err().is_some_and(|failures| failures.iter().any(is_other));
        answer
    }

    fn own_pick<'p>(&self, answer: &'p Answer) -> Option<&'p Pick> {
        let is_own = |pick: &&Pick| pick.catalog == self.own.key && pick.package == self.index.package.name;
        answer.picks().iter().find(is_own)
    }

    fn end(&self, answer: &Answer, head: &BundleBlob) -> (End, Vec<String>) {
        let end = match (&answer.outcome, self.own_pick(answer)) {
            (Ok(_), Some(pick)) if pick.bundle == head.name.value => End::Head,
            (Ok(_), Some(pick)) => End::Older(pick.bundle.clone()),
            (Ok(_), None) => End::Unknown,
            (Err(failures), _) if failures.iter().any(|failure| self.is_told_elsewhere(failure)) => {
                End::Unknown
            }
            (Err(_), _) => End::Nothing,
        };
        let why =
            if matches!(end, End::Older(_) | End::Nothing) { explain::reasons(answer) } else { Vec::new() };
        (end, why)
    }

    /// Whether another rule speaks of what fails the resolution: it is the package's own.
    fn is_told_elsewhere(&self, failure: &Failure) -> bool {
        match failure {
            Failure::Requirement { at: At::Bundle { source: 0, place }, .. } => {
                place.at.package == self.package
            }
            Failure::Chain { package, error, .. } => {
                *package == self.index.package.name || matches!(error, ResolveError::NoPackage(_))
            }
            Failure::Nothing { .. } | Failure::Stopped(_) => true,
            _ => false,
        }
    }

    /// The catalogs beside its own that something is taken from.
    fn catalogs(&self, answer: &Answer) -> Vec<String> {
        let others = answer.picks().iter().map(|pick| &pick.catalog).filter(|key| **key != self.own.key);
        others.map(|key| key.name.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The shortest circle of bundles that need each other, from one of them on.
fn circle(from: &Pick, picks: &[Pick]) -> Vec<BundleName> {
    // Who is needed by whom: from each bundle to what was asked for by it.
    let asked_by = |pick: &Pick, name: &BundleName| {
        pick.by.iter().any(|by| matches!(by, By::Bundle { bundle, .. } if bundle == name))
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
