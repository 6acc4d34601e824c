//! Finding anything by a few letters of its name.

mod haystack;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use fuzzy_matcher::{FuzzyMatcher, skim::SkimMatcherV2};
use rayon::prelude::*;

use crate::app::{
    dialogs::state::{Finder, Found},
    parts::memo::{Memo, Same},
    session::answers::Picks,
    shell::model::Model,
};
use crate::{
    review::Snapshot,
    upgrade::{Installed, v1::Query},
};
use haystack::Haystack;

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

/// Something that matches: its score, how far it is from what was typed, its place in the haystack, and the characters that match.
type Match = (Reverse<i64>, usize, usize, Vec<usize>);

/// What a finder looks through and what it found there last.
#[derive(Debug, Default)]
pub(in crate::app) struct Search {
    haystack: Memo<Vec<Same<Snapshot>>, Haystack>,
    /// What was typed last, and the places in the haystack of what matched.
    last: Option<(String, Vec<usize>)>,
}

impl Search {
    /// The things that match, best first and at most so many of them, and how many match in all.
    fn find(&mut self, model: &Model, typed: &str, most: usize) -> (Vec<Found>, usize) {
        let states = model.session.open.iter().map(|open| Same::of(Some(open.now()))).collect();
        let last = &mut self.last;
        self.haystack.update(states, |_| {
            *last = None;
            Haystack::new(model)
        });
        let haystack = &self.haystack.value;
        // With more typed, what did not match does not match again.
        let narrowed = self.last.take().filter(|(before, _)| typed.starts_with(before.as_str()));
        let candidates = narrowed.map_or_else(|| (0..haystack.len()).collect(), |(_, matched)| matched);
        let matcher = Fuzzy::default();
        let mut found: Vec<Match> = candidates
            .into_par_iter()
            .filter_map(|at| {
                let text = haystack.text(at);
                let (score, matched) = matcher.score(&text, typed)?;
                // With nothing typed all are equal, in the order in which they are there.
                let (score, distance) = match typed {
                    "" => (score, 0),
                    _ => (score - haystack.penalty(at), haystack.distance(at)),
                };
                Some((Reverse(score), distance, at, matched))
            })
            .collect();
        self.last = Some((typed.to_owned(), found.iter().map(|(_, _, at, _)| *at).collect()));
        let total = found.len();
        // Among equals the closer match comes first; then what comes first in the haystack, so that the order never wavers.
        let order = |a: &Match, b: &Match| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2));
        if total > most {
            found.select_nth_unstable_by(most, order);
            found.truncate(most);
        }
        found.sort_unstable_by(order);
        let listed = found.into_iter().filter_map(|(.., at, matched)| haystack.found(at, matched));
        (listed.collect(), total)
    }
}

/// Finds again after a letter was typed.
pub(in crate::app) fn update(model: &Model, finder: &mut Finder) {
    (finder.found, finder.total) = finder.search.find(model, finder.input.value(), MOST);
    finder.cursor = 0;
}

/// Works out what both OLMs do with the bundle on the row, for the preview.
pub(in crate::app) fn answer(model: &Model, finder: &mut Finder) {
    let found = finder.found.get(finder.cursor).cloned();
    finder.answers.update(found, |found| {
        let answers = || {
            let place = &found.as_ref().filter(|found| found.finding.is_none())?.place;
            let snapshot = model.session.open.get(place.catalog)?.now();
            let judged = snapshot.package(place.selection.package.as_ref()?.as_str())?;
            let bundle = place.selection.bundle.as_ref()?;
            let package = judged.package();
            let installed = Installed::of(package, bundle);
            let mut channels = package.channels_with(bundle).map(|channel| &channel.name.value);
            let first = package.channels_with(bundle).map(|channel| &channel.name.value).min();
            let default = package.default_channel();
            let channel = channels.find(|name| Some(*name) == default).or(first);
            Some(Picks {
                classic: channel.map(|name| judged.graph.classic(name.as_str(), Some(&installed))),
                v1: Some(judged.graph.v1(&Query::default(), Some(&installed))),
            })
        };
        answers().unwrap_or_default()
    });
}
