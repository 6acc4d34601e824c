//! Completions of answers.

use std::collections::HashSet;

use crate::tui::{
    dialogs::edit_question::{EditQuestion, QuestionKind, describe_deprecation_target},
    parts::{
        completions::{best_matches, bundles_newest_first},
        text::escape_single_line,
    },
    work::EditPurpose,
};
use olm_catalog::{BundleName, Catalog, blob::DeprecationTarget, package::Package, template::semver::List};
use olm_check::review::PackageState;

/// Maximum number of proposals.
const MAX_PROPOSALS: usize = 5;

pub(in crate::tui) fn propose_answers(ask: &EditQuestion, package_state: &PackageState) -> Vec<String> {
    let (typed, package) = (ask.trimmed_input(), package_state.package());
    match &ask.question {
        QuestionKind::LowestVersion => {
            propose_versions(package.bundles.iter().map(|b| &b.name.value), package, typed)
        }
        QuestionKind::HighestVersion { from, .. } => {
            let channel = package.channel(from.as_str());
            let entries = channel.iter().flat_map(|c| &c.entries).map(|entry| &entry.name.value);
            propose_versions(entries, package, typed)
        }
        QuestionKind::AdditionalSkip { channel, entry, spec } if !typed.is_empty() => {
            let Some(upgrades) = package_state.graph.channel(channel.as_str()) else { return Vec::new() };
            let order = olmap_report::layout::order_nodes(&upgrades.graph);
            let names = order.into_iter().filter_map(|at| upgrades.graph.node(at)).map(|node| &node.name);
            let fits = |name: &&BundleName| *name != entry && !spec.skips.contains(name) && **name != *typed;
            best_matches(names.filter(fits), typed, MAX_PROPOSALS)
                .into_iter()
                .map(ToString::to_string)
                .collect()
        }
        QuestionKind::NewEntry(channel) => {
            let channel = package.channel(channel.as_str());
            let is_there = |name: &BundleName| {
                channel.is_some_and(|channel| channel.entries.iter().any(|e| e.name.value == *name))
            };
            let names = bundles_newest_first(package).filter(|name| !is_there(name) && **name != *typed);
            best_matches(names, typed, MAX_PROPOSALS).into_iter().map(ToString::to_string).collect()
        }
        QuestionKind::DeprecationMessage(target) if ask.purpose == EditPurpose::Edit => {
            let said = package.deprecations.iter().flat_map(|blob| &blob.entries);
            let alike =
                |other: &DeprecationTarget| std::mem::discriminant(other) == std::mem::discriminant(target);
            let said = said.filter(|entry| entry.target.as_ref().is_some_and(alike));
            let mut texts: Vec<String> = said.map(|entry| escape_single_line(&entry.message.value)).collect();
            texts.push(format!("{} is deprecated", describe_deprecation_target(&package.name, target)));
            texts.sort();
            texts.dedup();
            texts.retain(|text| text != typed);
            best_matches(texts, typed, 2)
        }
        _ => Vec::new(),
    }
}

/// Returns known images that the list does not contain, highest version first.
pub(in crate::tui) fn propose_images(catalog: &Catalog, list: List, typed: &str) -> Vec<String> {
    let semver = catalog.template().and_then(|template| template.semver());
    let own = semver.map(|semver| semver.document.images(list)).unwrap_or_default();
    let own: HashSet<&str> = own.iter().map(|own| own.image.value.as_str()).collect();
    let mut images: Vec<&str> =
        catalog.known_images().filter(|image| !own.contains(image) && *image != typed).collect();
    images.sort_by(|a, b| match (catalog.known_version(a), catalog.known_version(b)) {
        (Some(one), Some(other)) => other.cmp_precedence(one).then_with(|| a.cmp(b)),
        (one, other) => other.is_some().cmp(&one.is_some()).then_with(|| a.cmp(b)),
    });
    best_matches(images, typed, MAX_PROPOSALS).into_iter().map(str::to_owned).collect()
}

/// Returns versions of bundles that begin with the typed text, newest first.
fn propose_versions<'a>(
    names: impl Iterator<Item = &'a BundleName>,
    package: &Package,
    typed: &str,
) -> Vec<String> {
    let mut versions: Vec<_> = names.filter_map(|name| package.bundle_version(name.as_str())).collect();
    versions.sort_by(|a, b| b.cmp_precedence(a));
    let texts = versions.into_iter().map(|v| v.version.to_string());
    let mut texts: Vec<String> = texts.filter(|v| v != typed && v.starts_with(typed)).collect();
    texts.dedup();
    texts.truncate(MAX_PROPOSALS);
    texts
}
