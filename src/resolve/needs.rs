//! Who needs what, and who satisfies it: of one bundle among the catalogs in sight, and of a whole answer.

use super::{
    answer::Answer,
    constraint::Predicate,
    entry::{Facts, Seen},
    index::{BundleAt, InChannel},
    limit::{NOT_OLMS, Stopped},
    nearest,
    question::{Question, Source, SourceKey},
};
use crate::catalog::{BundleName, ChannelName, PackageName};

/// The most providers that are named for one need.
const MOST: usize = 6;
/// How much work one need may be, in steps.
const STEPS: u64 = 1_000_000;

/// What a bundle needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need {
    /// What, in words: `package lamp in >=1.0.0`, `API sea.example.com/v1 Ship`.
    pub what: String,
    /// Who satisfies it.
    pub by: Vec<Provider>,
    /// How many more do.
    pub more: usize,
    /// Where nobody does: what comes nearest, or why it cannot be read.
    pub nearest: Option<String>,
    /// A limit of olmap's own kept it from looking at all that may satisfy it; in words.
    pub unknown: Option<String>,
}

/// Who satisfies a need.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provider {
    /// The bundle.
    pub bundle: BundleName,
    /// Its package.
    pub package: PackageName,
    /// The channel it is taken from; `None` for one that is installed.
    pub channel: Option<ChannelName>,
    /// The catalog it is taken from; `None` for one that is installed.
    pub catalog: Option<SourceKey>,
}

/// A bundle with what it needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Needing {
    /// The bundle.
    pub bundle: BundleName,
    /// What it needs, in the order of its properties.
    pub needs: Vec<Need>,
}

/// What a bundle of a catalog needs, with the newest bundle of each channel that satisfies it, in the order in which OLM
/// prefers them.
pub fn of_bundle(question: &Question, source: usize, at: BundleAt) -> Vec<Need> {
    let seen = question.sources.get(source).and_then(|of| of.index.seen(at));
    let Some(seen) = seen else { return Vec::new() };
    each(
        seen.facts,
        |predicate, steps| {
            let mut by = Vec::new();
            for source in question.in_order(Some(source)) {
                let Some(of) = question.sources.get(source) else { continue };
                let candidates = of.index.candidates(predicate, steps);
                let Ok(places) = candidates.as_ref() else { continue };
                let mut last = None;
                for place in places {
                    // The chain of a channel is in order: its newest comes first.
                    if last != Some((place.at.package, place.channel)) {
                        by.extend(provider(of, *place));
                        last = Some((place.at.package, place.channel));
                    }
                }
            }
            (by, true)
        },
        question,
    )
}

/// Who needs whom in a namespace after an answer; after one that fails: the newest that each subscription could get, with what
/// is in sight of their needs.
pub fn of_answer(question: &Question, answer: &Answer) -> Vec<Needing> {
    let found: Vec<(usize, InChannel)> = if let Ok(picks) = &answer.outcome {
        let places = picks
            .iter()
            .map(|pick| find(question, &pick.catalog, &pick.package, &pick.channel, Some(&pick.bundle)));
        places.flatten().collect()
    } else {
        let wished = question.subscriptions.iter();
        let places = wished
            .filter_map(|wish| find(question, &wish.catalog, &wish.package, wish.channel.as_ref()?, None));
        places.collect()
    };
    let replaced = |name: &BundleName| {
        answer.picks().iter().any(|pick| pick.is_upgrade && pick.replaces.as_ref() == Some(name))
    };
    let stay = || question.installed.iter().filter(|csv| !replaced(&csv.name));
    let mut all = Vec::new();
    for &(source, place) in &found {
        let Some(of) = question.sources.get(source) else { continue };
        let (Some(seen), Some(bundle)) = (of.index.seen(place.at), of.index.bundle(place.at)) else {
            continue;
        };
        let needs = if answer.outcome.is_ok() {
            each(
                seen.facts,
                |predicate, steps| (there(question, &found, stay(), predicate, steps), false),
                question,
            )
        } else {
            of_bundle(question, source, place.at)
        };
        all.push(Needing { bundle: bundle.name.value.clone(), needs });
    }
    for csv in stay() {
        let by = |predicate: &Predicate, steps: &mut u64| {
            (there(question, &found, stay(), predicate, steps), false)
        };
        let needs = each(&csv.facts, by, question);
        all.push(Needing { bundle: csv.name.clone(), needs });
    }
    all
}

/// Those in the namespace of whom a predicate is true.
fn there<'q>(
    question: &Question,
    found: &[(usize, InChannel)],
    stay: impl Iterator<Item = &'q super::question::InstalledCsv>,
    predicate: &Predicate,
    steps: &mut u64,
) -> Vec<Provider> {
    let picked = found.iter().filter_map(|&(source, place)| {
        let of = question.sources.get(source)?;
        let holds = predicate.holds(of.index.seen(place.at)?, steps);
        if holds { provider(of, place) } else { None }
    });
    let mut all: Vec<Provider> = picked.collect();
    let stays = stay.filter(|csv| predicate.holds(Seen { facts: &csv.facts, home: None }, steps));
    let stays = stays.map(|csv| Provider {
        bundle: csv.name.clone(),
        package: csv.facts.package().into(),
        channel: None,
        catalog: None,
    });
    all.extend(stays);
    all
}

/// The needs of an entry. `by` says who satisfies one, and whether what comes nearest is looked for where nobody does.
fn each(
    facts: &Facts,
    by: impl Fn(&Predicate, &mut u64) -> (Vec<Provider>, bool),
    question: &Question,
) -> Vec<Need> {
    let need = |predicate: &Predicate| {
        let mut steps = STEPS;
        let (mut by, looks) = by(predicate, &mut steps);
        let unknown = (steps == 0).then(|| Stopped { steps: STEPS }.to_string());
        let more = by.len().saturating_sub(MOST);
        by.truncate(MOST);
        let nearest = if by.is_empty() && looks && unknown.is_none() {
            nearest::miss(question, predicate)
        } else {
            None
        };
        Need { what: predicate.to_string(), by, more, nearest, unknown }
    };
    let requirements = facts.requirements.iter();
    requirements
        .map(|requirement| match &requirement.predicate {
            Ok(predicate) => need(predicate),
            Err(fault) => {
                let (what, said) = match fault.is_own_limit() {
                    false => ("a dependency that OLM cannot read", (Some(fault.to_string()), None)),
                    true => (
                        "a dependency that olmap does not read",
                        (None, Some(format!("{fault}; {NOT_OLMS}"))),
                    ),
                };
                Need { what: what.to_owned(), by: Vec::new(), more: 0, nearest: said.0, unknown: said.1 }
            }
        })
        .collect()
}

fn provider(of: &Source, place: InChannel) -> Option<Provider> {
    let index = of.index.packages().get(place.at.package)?;
    Some(Provider {
        bundle: of.index.bundle(place.at)?.name.value.clone(),
        package: index.package.name.clone(),
        channel: Some(index.channel_name(place.channel).into()),
        catalog: Some(of.key.clone()),
    })
}

/// A bundle of a channel; without a name its head.
fn find(
    question: &Question,
    catalog: &SourceKey,
    package: &PackageName,
    channel: &ChannelName,
    bundle: Option<&BundleName>,
) -> Option<(usize, InChannel)> {
    let source = question.sources.iter().position(|source| source.key == *catalog)?;
    let index = &question.sources.get(source)?.index;
    let package = index.place(package.as_str())?;
    let known = index.packages().get(package)?;
    let channel = known.package.channel_place(channel.as_str())?;
    let bundle = match bundle {
        Some(name) => known.place(name.as_str())?,
        None => *known.chain(channel).ok()?.first()?,
    };
    Some((source, InChannel { at: BundleAt { package, bundle }, channel }))
}
