//! Dependencies with their providers, for one bundle among the visible catalogs and for a whole answer.

use super::{
    answer::Answer,
    constraint::Predicate,
    entry::{EntryView, Facts},
    index::{BundlePosition, ChannelBundle},
    limit::{NOT_OLM_LIMIT, StepLimitExceeded},
    question::{Question, Source, SourceKey},
    suggestion,
};
use olm_catalog::{BundleName, ChannelName, PackageName};

/// Maximum number of providers listed for one need.
const MAX_PROVIDERS: usize = 6;
/// Step budget for the needs of a bundle, or of all bundles of an answer, because the user waits for it.
const MAX_STEPS: u64 = 1_000_000;
/// Maximum number of suggestions for the unmet needs of a bundle.
const MAX_SUGGESTIONS: usize = 10;

/// A dependency of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need {
    /// Description, such as `package lamp in >=1.0.0` or `API sea.example.com/v1 Ship`.
    pub description: String,
    /// True if it is a label, which OLM v1 ignores.
    pub is_label: bool,
    /// Bundles that satisfy it.
    pub providers: Vec<Provider>,
    /// Number of further providers that are not listed.
    pub more_providers: usize,
    /// Suggestion if there is no provider, or the reason why the dependency cannot be read.
    pub suggestion: Option<String>,
    /// Reason why the providers are unknown: a limit of olmap, or a package that makes OLM fail.
    pub unknown_reason: Option<String>,
}

/// A bundle that satisfies a need.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provider {
    /// Name of the bundle.
    pub bundle: BundleName,
    /// Name of its package.
    pub package: PackageName,
    /// Its channel; `None` if it is installed.
    pub channel: Option<ChannelName>,
    /// Its catalog; `None` if it is installed.
    pub catalog: Option<SourceKey>,
}

/// A bundle with its dependencies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleNeeds {
    /// Name of the bundle.
    pub bundle: BundleName,
    /// Dependencies in the order of the properties.
    pub needs: Vec<Need>,
}

/// Returns the dependencies of a bundle in a catalog. Their providers are the newest matching bundles of each
/// channel, in OLM's order.
pub fn for_bundle(question: &Question, source: usize, at: BundlePosition) -> Vec<Need> {
    let seen = question.sources.get(source).and_then(|of| of.index.entry_view(at));
    seen.map(|seen| visible_needs(question, source, seen.facts, &mut { MAX_STEPS })).unwrap_or_default()
}

/// Returns the dependencies of a bundle in the catalog `source`, with the visible bundles that
/// satisfy them.
fn visible_needs(question: &Question, source: usize, facts: &Facts, steps: &mut u64) -> Vec<Need> {
    let mut nearest_left = MAX_SUGGESTIONS;
    collect_needs(facts, steps, |predicate, steps| {
        let mut found = ProvidersFound::default();
        for source in question.visible_in_order(Some(source)) {
            let Some(of) = question.sources.get(source) else { continue };
            match of.index.candidates(predicate, steps).as_ref() {
                Ok(places) => {
                    let mut last = None;
                    for place in places {
                        // The chain of a channel is sorted, so its newest bundle comes first.
                        if last != Some((place.at.package, place.channel)) {
                            found.by.extend(to_provider(of, *place));
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
            found.nearest = suggestion::nearest_match(question, predicate);
        }
        found
    })
}

/// Returns the dependencies between bundles in a namespace after an answer. If the resolution failed, returns
/// those of the newest bundle for each subscription, with all visible providers.
pub fn for_answer(question: &Question, answer: &Answer) -> Vec<BundleNeeds> {
    let found: Vec<(usize, ChannelBundle)> = if let Ok(picks) = &answer.outcome {
        let places = picks.iter().map(|pick| {
            find_channel_bundle(question, &pick.catalog, &pick.package, &pick.channel, Some(&pick.bundle))
        });
        places.flatten().collect()
    } else {
        let wished = question.subscriptions.iter();
        let places = wished.filter_map(|wish| {
            find_channel_bundle(question, &wish.catalog, &wish.package, wish.channel.as_ref()?, None)
        });
        places.collect()
    };
    let replaced = |name: &BundleName| {
        answer.picks().iter().any(|pick| pick.is_upgrade && pick.replaces.as_ref() == Some(name))
    };
    let stay = || question.installed.iter().filter(|csv| !replaced(&csv.name));
    let mut steps = MAX_STEPS;
    let by = |predicate: &Predicate, steps: &mut u64| ProvidersFound {
        by: providers_present(question, &found, stay(), predicate, steps),
        ..ProvidersFound::default()
    };
    let mut all = Vec::new();
    for &(source, place) in &found {
        let Some(of) = question.sources.get(source) else { continue };
        let (Some(seen), Some(bundle)) = (of.index.entry_view(place.at), of.index.bundle(place.at)) else {
            continue;
        };
        let needs = match answer.outcome {
            Ok(_) => collect_needs(seen.facts, &mut steps, by),
            Err(_) => visible_needs(question, source, seen.facts, &mut steps),
        };
        all.push(BundleNeeds { bundle: bundle.name.value.clone(), needs });
    }
    for csv in stay() {
        all.push(BundleNeeds { bundle: csv.name.clone(), needs: collect_needs(&csv.facts, &mut steps, by) });
    }
    all
}

/// Returns the bundles in the namespace that satisfy a predicate: `found` are picked, `stay` are
/// installed.
fn providers_present<'q>(
    question: &Question,
    found: &[(usize, ChannelBundle)],
    stay: impl Iterator<Item = &'q super::question::InstalledCsv>,
    predicate: &Predicate,
    steps: &mut u64,
) -> Vec<Provider> {
    let picked = found.iter().filter_map(|&(source, place)| {
        let of = question.sources.get(source)?;
        let holds = predicate.holds(of.index.entry_view(place.at)?, steps);
        if holds { to_provider(of, place) } else { None }
    });
    let mut all: Vec<Provider> = picked.collect();
    let stays =
        stay.filter(|csv| predicate.holds(EntryView { facts: &csv.facts, catalog_bundle: None }, steps));
    let stays = stays.map(|csv| Provider {
        bundle: csv.name.clone(),
        package: csv.facts.package().into(),
        channel: None,
        catalog: None,
    });
    all.extend(stays);
    all
}

/// Result of the search for providers of a need. See the fields of [`Need`].
#[derive(Default)]
struct ProvidersFound {
    by: Vec<Provider>,
    nearest: Option<String>,
    unknown: Option<String>,
}

/// Returns the needs of a bundle, each with the providers that `find` returns.
fn collect_needs(
    facts: &Facts,
    steps: &mut u64,
    mut find: impl FnMut(&Predicate, &mut u64) -> ProvidersFound,
) -> Vec<Need> {
    let mut need = |predicate: &Predicate| {
        let ProvidersFound { mut by, nearest, unknown } = find(predicate, steps);
        let more = by.len().saturating_sub(MAX_PROVIDERS);
        by.truncate(MAX_PROVIDERS);
        let stopped = (*steps == 0).then(|| StepLimitExceeded { steps: MAX_STEPS }.to_string());
        let is_label = matches!(predicate, Predicate::Label(_));
        Need {
            description: predicate.to_string(),
            is_label,
            providers: by,
            more_providers: more,
            suggestion: nearest,
            unknown_reason: stopped.or(unknown),
        }
    };
    let needs = facts.requirements.iter().map(|requirement| match &requirement.predicate {
        Ok(predicate) => need(predicate),
        Err(fault) => {
            let said = fault.is_own_limit().then(|| format!("{fault}; {NOT_OLM_LIMIT}"));
            Need {
                description: match said {
                    Some(_) => "a dependency that olmap does not read".to_owned(),
                    None => "a dependency that OLM cannot read".to_owned(),
                },
                is_label: false,
                providers: Vec::new(),
                more_providers: 0,
                suggestion: said.is_none().then(|| fault.to_string()),
                unknown_reason: said,
            }
        }
    });
    needs.collect()
}

fn to_provider(of: &Source, place: ChannelBundle) -> Option<Provider> {
    let index = of.index.packages().get(place.at.package)?;
    Some(Provider {
        bundle: of.index.bundle(place.at)?.name.value.clone(),
        package: index.package.name.clone(),
        channel: Some(index.channel_name(place.channel).into()),
        catalog: Some(of.key.clone()),
    })
}

/// Finds a bundle in a channel; the head of the channel if `bundle` is `None`.
fn find_channel_bundle(
    question: &Question,
    catalog: &SourceKey,
    package: &PackageName,
    channel: &ChannelName,
    bundle: Option<&BundleName>,
) -> Option<(usize, ChannelBundle)> {
    let source = question.sources.iter().position(|source| source.key == *catalog)?;
    let index = &question.sources.get(source)?.index;
    let package = index.package_position(package.as_str())?;
    let known = index.packages().get(package)?;
    let channel = known.package.channel_position(channel.as_str())?;
    let bundle = match bundle {
        Some(name) => known.bundle_position(name.as_str())?,
        None => *known.chain(channel).ok()?.first()?,
    };
    Some((source, ChannelBundle { at: BundlePosition { package, bundle }, channel }))
}
