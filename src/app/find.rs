//! Finding anything by a few letters of its name.

use fuzzy_matcher::{FuzzyMatcher, skim::SkimMatcherV2};

use super::{
    action::{self, ActionId, ActionSpec},
    model::Model,
    overlay::{Finder, Found},
    place::{Place, Screen, Selection},
};
use crate::review::Judged;

/// How well a text matches what was typed: a score, and the characters that match. Behind a trait, so that the
/// matcher can be swapped.
pub trait Matcher {
    /// `None` where the text does not match.
    fn score(&self, text: &str, typed: &str) -> Option<(i64, Vec<usize>)>;
}

/// The fuzzy-matcher crate, asked word by word: it takes a blank for a letter.
#[derive(Default)]
pub struct Fuzzy(SkimMatcherV2);

impl Matcher for Fuzzy {
    fn score(&self, text: &str, typed: &str) -> Option<(i64, Vec<usize>)> {
        let mut total = 0;
        let mut matched = Vec::new();
        for word in typed.split_whitespace() {
            let (score, indices) = self.0.fuzzy_indices(text, word)?;
            total += score;
            matched.extend(indices);
        }
        matched.sort_unstable();
        matched.dedup();
        Some((total, matched))
    }
}

/// The most rows that are listed; who sees more types another letter.
const MOST: usize = 200;

/// Finds again after a letter was typed.
pub(super) fn update(model: &Model, finder: &mut Finder) {
    let typed = finder.input.value();
    let matcher = Fuzzy::default();
    let mut found: Vec<(i64, Found)> = Vec::new();
    for (catalog, open) in model.open.iter().enumerate() {
        for (_, judged) in open.now().packages() {
            in_package(judged, catalog, &mut |item| {
                if let Some((score, matched)) = matcher.score(&item.text, typed) {
                    found.push((score, Found { matched, ..item }));
                }
            });
        }
    }
    // Among equals the shorter text is the closer match; then by name, so that the order never wavers.
    found.sort_by(|(a, x), (b, y)| {
        b.cmp(a).then(x.text.len().cmp(&y.text.len())).then_with(|| x.text.cmp(&y.text))
    });
    finder.total = found.len();
    finder.found = found.into_iter().take(MOST).map(|(_, item)| item).collect();
    finder.cursor = 0;
}

fn in_package(judged: &Judged, catalog: usize, give: &mut dyn FnMut(Found)) {
    let package = judged.package();
    let place = |selection| Place { catalog, screen: Screen::Catalog, selection };
    let here = Selection { package: Some(package.name.clone()), ..Selection::default() };
    let item = |kind, text: String, note: String, selection: Selection| Found {
        kind,
        text,
        note,
        matched: Vec::new(),
        place: place(selection),
    };
    give(item(
        "package",
        package.name.to_string(),
        format!("{} bundles", package.bundles.len()),
        here.clone(),
    ));
    for channel in &package.channels {
        let selection = Selection { channel: Some(channel.name.value.clone()), ..here.clone() };
        give(item("channel", format!("{} {}", package.name, channel.name.value), String::new(), selection));
    }
    for bundle in &package.bundles {
        let selection = Selection { bundle: Some(bundle.name.value.clone()), ..here.clone() };
        give(item("bundle", bundle.name.value.to_string(), package.name.to_string(), selection.clone()));
        if let Some(image) = &bundle.image {
            give(item("image", image.value.clone(), bundle.name.value.to_string(), selection));
        }
    }
    let mut provided: Vec<_> =
        package.bundles.iter().rev().flat_map(|b| b.provides.iter().map(move |a| (a, b))).collect();
    provided.sort_by_key(|(api, _)| *api);
    provided.dedup_by(|(a, _), (b, _)| a == b);
    for (api, bundle) in provided {
        let selection = Selection { bundle: Some(bundle.name.value.clone()), ..here.clone() };
        let text = format!("{} {}/{}", api.kind, api.group, api.version);
        give(item("api", text, package.name.to_string(), selection));
    }
}

/// The actions that match, those of a screen only where one is named.
pub(super) fn commands(screen: Option<Screen>, typed: &str) -> Vec<ActionId> {
    let matcher = Fuzzy::default();
    let here =
        |spec: &&ActionSpec| screen.is_none_or(|screen| spec.applies_to(screen) && !spec.keys.is_empty());
    let mut found: Vec<(i64, ActionId)> = action::all()
        .filter(here)
        .filter_map(|spec| {
            let text = format!("{} {} {}", spec.title, spec.doc, spec.keys.join(" "));
            matcher.score(&text, typed).map(|(score, _)| (score, spec.id))
        })
        .collect();
    if !typed.is_empty() {
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    }
    found.into_iter().map(|(_, id)| id).collect()
}
