//! Who needs what, and who satisfies it: of one bundle among the catalogs in sight, and of a whole answer.

use super::{
    answer::Answer,
    constraint::Predicate,
    entry::{Facts, Seen},
    index::{BundleAt, InChannel},
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
        |predicate| {
            let mut by = Vec::new();
            for source in question.in_order(Some(source)) {
                let Some(of) = question.sources.get(source) else { continue };
                let candidates = of.index.candidates(predicate, &mut { STEPS });
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
            each(seen.facts, |predicate| (there(question, &found, stay(), predicate), false), question)
        } else {
            of_bundle(question, source, place.at)
        };
        all.push(Needing { bundle: bundle.name.value.clone(), needs });
    }
    for csv in stay() {
        let needs =
            each(&csv.facts, |predicate| (there(question, &found, stay(), predicate), false), question);
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
) -> Vec<Provider> {
    let picked = found.iter().filter_map(|&(source, place)| {
        let of = question.sources.get(source)?;
        let holds = predicate.holds(of.index.seen(place.at)?, &mut { STEPS });
        if holds { provider(of, place) } else { None }
    });
    let stays = stay.filter(|csv| predicate.holds(Seen { facts: &csv.facts, home: None }, &mut { STEPS }));
    let stays = stays.map(|csv| Provider {
        bundle: csv.name.clone(),
        package: csv.facts.package().into(),
        channel: None,
        catalog: None,
    });
    picked.chain(stays).collect()
}

/// The needs of an entry. `by` says who satisfies one, and whether what comes nearest is looked for where nobody does.
fn each(facts: &Facts, by: impl Fn(&Predicate) -> (Vec<Provider>, bool), question: &Question) -> Vec<Need> {
    let need = |predicate: &Predicate| {
        let (mut by, looks) = by(predicate);
        let more = by.len().saturating_sub(MOST);
        by.truncate(MOST);
        let nearest = if by.is_empty() && looks { nearest::miss(question, predicate) } else { None };
        Need { what: predicate.to_string(), by, more, nearest }
    };
    let requirements = facts.requirements.iter();
    requirements
        .map(|requirement| match &requirement.predicate {
            Ok(predicate) => need(predicate),
            Err(fault) => Need {
                what: "a dependency that OLM cannot read".to_owned(),
                by: Vec::new(),
                more: 0,
                nearest: Some(fault.to_string()),
            },
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
