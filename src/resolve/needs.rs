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
/// How much work the needs of a bundle, or of all bundles of an answer, may be together, in steps: one waits for them.
const STEPS: u64 = 1_000_000;
/// For how many needs of a bundle that nobody satisfies it is told what comes nearest.
const MOST_NEAREST: usize = 10;

/// What a bundle needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need {
    /// What, in words: `package lamp in >=1.0.0`, `API sea.example.com/v1 Ship`.
    pub what: String,
    /// Whether it is a label, which OLM v1 does not look at.
    pub is_label: bool,
    /// Who satisfies it.
    pub by: Vec<Provider>,
    /// How many more do.
    pub more: usize,
    /// Where nobody does: what comes nearest, or why it cannot be read.
    pub nearest: Option<String>,
    /// Why it is not known who all satisfy it: a limit of olmap's own, or a package over which OLM fails.
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
    seen.map(|seen| in_sight(question, source, seen.facts, &mut { STEPS })).unwrap_or_default()
}

/// What an entry of a catalog needs, and who in sight satisfies it.
fn in_sight(question: &Question, source: usize, facts: &Facts, steps: &mut u64) -> Vec<Need> {
    let mut nearest_left = MOST_NEAREST;
    each(facts, steps, |predicate, steps| {
        let mut found = Found::default();
        for source in question.in_order(Some(source)) {
            let Some(of) = question.sources.get(source) else { continue };
            match of.index.candidates(predicate, steps).as_ref() {
                Ok(places) => {
                    let mut last = None;
                    for place in places {
                        // The chain of a channel is in order: its newest comes first.
                        if last != Some((place.at.package, place.channel)) {
                            found.by.extend(provider(of, *place));
                            last = Some((place.at.package, place.channel));
                        }
                    }
                }
                Err((package, error)) => {
                    let package = of.index.packages().get(*package).map(|index| index.package.name.as_str());
                    let package = package.unwrap_or_default();
                    found.unknown = Some(format!("OLM fails over package {package} of {}: {error}", of.key));
                }
            }
        }
        if found.by.is_empty() && found.unknown.is_none() && *steps > 0 && nearest_left > 0 {
            nearest_left -= 1;
            found.nearest = nearest::miss(question, predicate);
        }
        found
    })
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
    let mut steps = STEPS;
    let by = |predicate: &Predicate, steps: &mut u64| Found {
        by: there(question, &found, stay(), predicate, steps),
        ..Found::default()
    };
    let mut all = Vec::new();
    for &(source, place) in &found {
        let Some(of) = question.sources.get(source) else { continue };
        let (Some(seen), Some(bundle)) = (of.index.seen(place.at), of.index.bundle(place.at)) else {
            continue;
        };
        let needs = match answer.outcome {
            Ok(_) => each(seen.facts, &mut steps, by),
            Err(_) => in_sight(question, source, seen.facts, &mut steps),
        };
        all.push(Needing { bundle: bundle.name.value.clone(), needs });
    }
    for csv in stay() {
        all.push(Needing { bundle: csv.name.clone(), needs: each(&csv.facts, &mut steps, by) });
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

/// What was found for a need.
#[derive(Default)]
struct Found {
    by: Vec<Provider>,
    nearest: Option<String>,
    unknown: Option<String>,
}

/// The needs of an entry, with what is found for each.
fn each(facts: &Facts, steps: &mut u64, mut find: impl FnMut(&Predicate, &mut u64) -> Found) -> Vec<Need> {
    let mut need = |predicate: &Predicate| {
        let Found { mut by, nearest, unknown } = find(predicate, steps);
        let more = by.len().saturating_sub(MOST);
        by.truncate(MOST);
        let stopped = (*steps == 0).then(|| Stopped { steps: STEPS }.to_string());
        let is_label = matches!(predicate, Predicate::Label(_));
        Need { what: predicate.to_string(), is_label, by, more, nearest, unknown: stopped.or(unknown) }
    };
    let needs = facts.requirements.iter().map(|requirement| match &requirement.predicate {
        Ok(predicate) => need(predicate),
        Err(fault) => {
            let said = fault.is_own_limit().then(|| format!("{fault}; {NOT_OLMS}"));
            Need {
                what: match said {
                    Some(_) => "a dependency that olmap does not read".to_owned(),
                    None => "a dependency that OLM cannot read".to_owned(),
                },
                is_label: false,
                by: Vec::new(),
                more: 0,
                nearest: said.is_none().then(|| fault.to_string()),
                unknown: said,
            }
        }
    });
    needs.collect()
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
