//! What would complete an answer.

use crate::app::{
    dialogs::ask::Ask,
    parts::text::one_line,
    work::opening::{Asked, Purpose, called},
};
use crate::{
    app::dialogs::finder::{Fuzzy, Matcher},
    catalog::{BundleName, blob::DeprecationTarget, package::Package},
    review::Judged,
    version::blang::Range,
};

/// The most proposals.
const MOST: usize = 5;

/// The texts that fit what is typed, best first; among equals the order is as given.
pub fn best<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, typed: &str, most: usize) -> Vec<T> {
    let matcher = Fuzzy::default();
    let scored = texts.into_iter().filter_map(|text| {
        let (score, _) = matcher.score(text.as_ref(), typed)?;
        Some((score, text))
    });
    let mut scored: Vec<(i64, T)> = scored.collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().take(most).map(|(_, text)| text).collect()
}

pub(in crate::app) fn of(ask: &Ask, judged: &Judged) -> Vec<String> {
    let (typed, package) = (ask.typed(), judged.package());
    match &ask.asked {
        Asked::Below => versions(package.bundles.iter().map(|b| &b.name.value), package, typed),
        Asked::UpTo { from, .. } => {
            let channel = package.channel(from.as_str());
            let entries = channel.iter().flat_map(|c| &c.entries).map(|entry| &entry.name.value);
            versions(entries, package, typed)
        }
        Asked::AlsoSkips { channel, entry, spec } if !typed.is_empty() => {
            let Some(upgrades) = judged.graph.channel(channel.as_str()) else { return Vec::new() };
            let order = crate::layout::order(&upgrades.graph);
            let names = order.into_iter().filter_map(|at| upgrades.graph.node(at)).map(|node| &node.name);
            let fits = |name: &&BundleName| *name != entry && !spec.skips.contains(name) && **name != *typed;
            best(names.filter(fits), typed, MOST).into_iter().map(ToString::to_string).collect()
        }
        Asked::NewEntry(channel) => {
            let channel = package.channel(channel.as_str());
            let is_there = |name: &BundleName| {
                channel.is_some_and(|channel| channel.entries.iter().any(|e| e.name.value == *name))
            };
            let names = newest_first(package).filter(|name| !is_there(name) && **name != *typed);
            best(names, typed, MOST).into_iter().map(ToString::to_string).collect()
        }
        Asked::Deprecated(target) if ask.purpose == Purpose::Edit => {
            let said = package.deprecations.iter().flat_map(|blob| &blob.entries);
            let alike =
                |other: &DeprecationTarget| std::mem::discriminant(other) == std::mem::discriminant(target);
            let said = said.filter(|entry| entry.target.as_ref().is_some_and(alike));
            let mut texts: Vec<String> = said.map(|entry| one_line(&entry.message.value)).collect();
            texts.push(format!("{} is deprecated", called(&package.name, target)));
            texts.sort();
            texts.dedup();
            texts.retain(|text| text != typed);
            best(texts, typed, 2)
        }
        _ => Vec::new(),
    }
}

/// Versions of bundles that begin as what is typed, the newest first.
fn versions<'a>(names: impl Iterator<Item = &'a BundleName>, package: &Package, typed: &str) -> Vec<String> {
    let mut versions: Vec<_> = names.filter_map(|name| package.version_of(name.as_str())).collect();
    versions.sort_by(|a, b| b.cmp_precedence(a));
    let texts = versions.into_iter().map(|v| v.version.to_string());
    let mut texts: Vec<String> = texts.filter(|v| v != typed && v.starts_with(typed)).collect();
    texts.dedup();
    texts.truncate(MOST);
    texts
}

/// The bundles of a package, those without a version last.
pub fn newest_first(package: &Package) -> impl Iterator<Item = &BundleName> {
    let mut bundles: Vec<_> = package.bundles.iter().collect();
    bundles.sort_by(|a, b| match (&a.version, &b.version) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    bundles.into_iter().map(|bundle| &bundle.name.value)
}

/// What a skipRange holds of a package.
///
/// # Errors
///
/// With its column, where it is no range.
pub fn range_matches(package: &Package, range: &str) -> Result<String, String> {
    let range = Range::parse(range).map_err(|error| format!("column {}: {error}", error.column))?;
    let versions = package.bundles.iter().filter_map(|b| b.version.as_ref());
    let matched: Vec<String> =
        versions.filter(|v| range.matches(&v.version)).map(ToString::to_string).collect();
    Ok(match matched.as_slice() {
        [] => "matches no bundle of the package".to_owned(),
        some => format!("matches {} of {}: {}", some.len(), package.bundles.len(), some.join(" ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_may_be_left_out_and_the_closest_comes_first() {
        let names = ["ship-operator.v1.12.0", "ship-operator.v1.2.0", "ship-operator.v1.1.0"];
        assert_eq!(best(names, "shop1.2", 5), ["ship-operator.v1.2.0", "ship-operator.v1.12.0"]);
        assert_eq!(best(names, "", 2), names[..2], "what is equal stays in its order");
        assert!(best(names, "boat", 5).is_empty());
    }
}
