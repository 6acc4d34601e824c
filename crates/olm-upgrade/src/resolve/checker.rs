//! Independent check whether an answer satisfies all constraints. It shares nothing with the search and uses
//! only the question and the final state.

use std::collections::HashMap;

use super::{
    answer::Pick,
    entry::EntryView,
    installed_bundles,
    question::{InstalledCsv, Question},
};
use olm_catalog::{BundleName, blob::Gvk};

/// A bundle in the final state of the namespace.
struct PresentBundle<'a> {
    name: &'a BundleName,
    entry: EntryView<'a>,
    /// The pick, for a new installation.
    pick: Option<&'a Pick>,
}

/// Returns the mistakes of an answer, line by line.
pub fn violations(question: &Question, picks: &[Pick]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut there = Vec::new();
    for pick in picks {
        match find_pick(question, pick) {
            Some(seen) => there.push(PresentBundle { name: &pick.bundle, entry: seen, pick: Some(pick) }),
            None => lines.push(format!("{} is not in {}", pick.bundle, pick.catalog)),
        }
    }
    let is_replaced = |csv: &&InstalledCsv| {
        picks.iter().any(|pick| pick.is_upgrade && pick.replaces.as_ref() == Some(&csv.name))
    };
    for csv in question.installed.iter().filter(is_replaced) {
        if !question.subscriptions.iter().any(|s| s.installed.as_ref() == Some(&csv.name)) {
            lines.push(format!("{} is replaced and no subscription names it", csv.name));
        }
    }
    // Bundles that fail-forward drops are ignored.
    let in_sight = installed_bundles::find_relevant(question).unwrap_or_default();
    let kept = in_sight.iter().filter_map(|at| question.installed.get(*at));
    let kept = kept.filter(|csv| !is_replaced(csv));
    there.extend(kept.map(|csv| PresentBundle {
        name: &csv.name,
        entry: EntryView { facts: &csv.facts, catalog_bundle: None },
        pick: None,
    }));
    for subscription in &question.subscriptions {
        let serves = |there: &PresentBundle<'_>| match there.pick {
            None => subscription.installed.as_ref() == Some(there.name),
            Some(pick) => {
                pick.package == subscription.package
                    && pick.catalog == subscription.catalog
                    && subscription.channel.as_ref().is_none_or(|channel| *channel == pick.channel)
            }
        };
        if !there.iter().any(serves) {
            lines.push(format!("subscription {} gets nothing", subscription.name));
        }
    }
    let (mut packages, mut apis) = (HashMap::<&str, usize>::new(), HashMap::<&Gvk, usize>::new());
    for one in &there {
        if one.entry.facts.is_deprecated {
            lines.push(format!("{} has olm.deprecated", one.name));
        }
        one.entry.facts.packages.iter().for_each(|(name, _)| *packages.entry(name).or_default() += 1);
        one.entry.facts.provides.iter().for_each(|gvk| *apis.entry(gvk).or_default() += 1);
        for requirement in &one.entry.facts.requirements {
            let Ok(predicate) = &requirement.predicate else {
                lines.push(format!("{} has a dependency that cannot be read", one.name));
                continue;
            };
            if !there.iter().any(|other| predicate.holds(other.entry, &mut 1_000_000)) {
                lines.push(format!("{} has no {predicate}", one.name));
            }
        }
    }
    lines.extend(
        packages.iter().filter(|(_, count)| **count > 1).map(|(name, _)| format!("{name} is there twice")),
    );
    lines
        .extend(apis.iter().filter(|(_, count)| **count > 1).map(|(gvk, _)| format!("{gvk} is there twice")));
    lines
}

fn find_pick<'a>(question: &'a Question, pick: &Pick) -> Option<EntryView<'a>> {
    let source = question.sources.iter().find(|source| source.key == pick.catalog)?;
    let package = source.index.package_position(pick.package.as_str())?;
    let index = source.index.packages().get(package)?;
    index.package.channel(pick.channel.as_str())?.entries.iter().find(|e| e.name.value == pick.bundle)?;
    let bundle = index.bundle_position(pick.bundle.as_str())?;
    source.index.entry_view(super::index::BundlePosition { package, bundle })
}
