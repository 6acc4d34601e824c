//! Suggestions for missing dependencies and targets of subscriptions.

use super::{
    answer::{Failure, MissingTarget},
    constraint::Predicate,
    index::BundlePosition,
    question::{Question, Source, Subscription},
};
use olm_catalog::similar_names;
use olm_version::Version;

/// Returns a hint about a bundle that nearly satisfies a predicate: one that is not in a channel,
/// or one with another version of the package or API.
pub(super) fn nearest_match(question: &Question, predicate: &Predicate) -> Option<String> {
    let sources: Vec<&Source> = question.sources.iter().filter(|source| question.sees(source)).collect();
    let matching = sources.iter().find_map(|source| {
        let found = source.index.matching_bundles(predicate, &mut 100_000).into_iter().next()?;
        Some((source, bundle_name(source, found)?))
    });
    if let Some((source, bundle)) = matching {
        return Some(format!(
            "{bundle} of {} would, but every channel skips it or has no entry for it",
            source.key
        ));
    }
    match predicate {
        Predicate::Package { name: package, .. } => {
            let found = sources.iter().find_map(|source| Some((source, format_versions(source, package)?)));
            if let Some((source, versions)) = found {
                return Some(format!("{} has {package} {versions}", source.key));
            }
            let names = sources.iter().flat_map(|source| source.index.packages());
            let meant =
                similar_names::suggest_closest(package, names.map(|index| index.package.name.as_str()));
            meant.map(|meant| format!("did the author mean {meant}?"))
        }
        Predicate::Gvk(gvk) => sources.iter().find_map(|source| {
            source.index.packages().iter().enumerate().find_map(|(package, index)| {
                index.package.bundles.iter().enumerate().rev().find_map(|(bundle, blob)| {
                    let other = blob.provides.iter().find(|other| other.api() == gvk.api())?;
                    let name = bundle_name(source, BundlePosition { package, bundle })?;
                    Some(format!("{name} of {} provides {other}", source.key))
                })
            })
        }),
        Predicate::All(inner) => inner.iter().find_map(|inner| {
            let is_met = sources.iter().any(|s| !s.index.matching_bundles(inner, &mut 100_000).is_empty());
            if is_met { None } else { nearest_match(question, inner) }
        }),
        _ => None,
    }
}

fn bundle_name(source: &Source, at: BundlePosition) -> Option<String> {
    source.index.bundle(at).map(|bundle| bundle.name.value.to_string())
}

/// Returns the versions of a package, such as `1.0.0` or `1.0.0 to 2.0.0`.
fn format_versions(source: &Source, package: &str) -> Option<String> {
    let index = source.index.packages().get(source.index.package_position(package)?)?;
    let mut all: Vec<&Version> =
        index.package.bundles.iter().filter_map(|b| b.version.as_ref()).map(|v| &v.version).collect();
    all.sort_by(|a, b| a.cmp_precedence(b));
    match (all.first(), all.last()) {
        (Some(first), Some(last)) if first != last => Some(format!("{first} to {last}")),
        (Some(only), _) => Some(only.to_string()),
        (None, _) => None,
    }
}

/// Returns a suggestion if the catalog, package, channel or `startingCSV` of a subscription is
/// missing.
pub(super) fn suggest_for_subscription(
    question: &Question,
    subscription: &Subscription,
    failure: &Failure,
) -> Option<String> {
    let Failure::NoTarget { missing, .. } = failure else { return None };
    let source = question.sources.iter().find(|source| source.key == subscription.catalog);
    if *missing == MissingTarget::Catalog {
        return Some(match source {
            Some(source) if !question.sees(source) => {
                format!("namespace {} does not see it", question.namespace)
            }
            _ => {
                let names = question.sources.iter().map(|source| source.key.name.as_str());
                format!("catalogs: {}", names.collect::<Vec<_>>().join(", "))
            }
        });
    }
    let index = &source?.index;
    let package = subscription.package.as_str();
    let known = index.package_position(package).and_then(|at| index.packages().get(at));
    let mean = |meant: Option<&str>| meant.map(|meant| format!("did you mean {meant}?"));
    match missing {
        MissingTarget::Channel => {
            let names = known?.package.channels.iter().map(|channel| channel.name.value.as_str());
            Some(format!("channels: {}", names.collect::<Vec<_>>().join(", ")))
        }
        MissingTarget::StartingCsv => {
            let name = subscription.starting_csv.as_ref()?.as_str();
            mean(similar_names::suggest_closest(
                name,
                known?.package.bundles.iter().map(|bundle| bundle.name.value.as_str()),
            ))
        }
        _ => mean(similar_names::suggest_closest(
            package,
            index.packages().iter().map(|index| index.package.name.as_str()),
        )),
    }
}
