//! Finding anything by a few letters of its name.

mod haystack;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use rayon::prelude::*;
use tui_input::Input;

use super::dialog::{DialogState, Rows, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        parts::{
            field,
            fuzzy::{Fuzzy, Matcher},
            memo::{Memo, Same},
        },
        session::{
            Session,
            answers::Picks,
            cx::{Cx, See},
            open::labels,
            place::Place,
        },
        work::Jump,
    },
    review::Snapshot,
    upgrade::{Installed, v1::Query},
};
use haystack::Haystack;

/// The finder.
#[derive(Debug, Default)]
pub struct Finder {
    /// What is typed.
    pub input: Input,
    /// What matches, best first.
    pub found: Vec<Found>,
    /// How many things match, the ones that are not listed too.
    pub total: usize,
    /// The row.
    pub cursor: usize,
    /// What both OLMs do with the bundle on that row.
    answers: Memo<Option<Found>, Picks>,
    /// What it looks through.
    search: Search,
}

impl Finder {
    /// A finder that lists everything.
    pub(in crate::app) fn new(session: &Session) -> Self {
        let mut finder = Self::default();
        finder.find(session);
        finder
    }

    /// Finds what is typed.
    fn find(&mut self, session: &Session) {
        (self.found, self.total) = self.search.find(session, self.input.value(), MOST);
        self.cursor = 0;
    }

    /// What both OLMs do with the bundle on the row.
    pub fn answers(&self) -> &Picks {
        &self.answers.value
    }
}

/// Something the finder found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What sort of thing, such as `bundle`.
    pub kind: &'static str,
    /// What it is called.
    pub text: String,
    /// What else is known of it.
    pub note: String,
    /// Characters of the text that match what was typed.
    pub matched: Vec<usize>,
    /// Where it is.
    pub place: Place,
    /// Which finding of its package it is, where it is one: of the catalog's that belong to no package, where it has none.
    pub finding: Option<usize>,
}

impl Found {
    /// Where to go for it.
    fn jump(self) -> Jump {
        let Place { catalog, selection, .. } = self.place;
        if let Some(nth) = self.finding {
            return Jump::Finding { catalog, package: selection.package, nth };
        }
        let Some(package) = selection.package else { return Jump::Turn(catalog) };
        Jump::Catalog {
            catalog: Some(catalog),
            package,
            channel: selection.channel,
            bundle: selection.bundle,
        }
    }
}

/// The most rows that are listed; who sees more types another letter.
const MOST: usize = 200;

/// Something that matches: its score, how far it is from what was typed, whether it is of another catalog than the one that is
/// looked at, its place in the haystack, and the characters that match.
type Match = (Reverse<i64>, usize, bool, usize, Vec<usize>);

/// What a finder looks through and what it found there last.
#[derive(Debug, Default)]
pub(in crate::app) struct Search {
    haystack: Memo<Vec<Same<Snapshot>>, Haystack>,
    /// What was typed last, and the places in the haystack of what matched.
    last: Option<(String, Vec<usize>)>,
}

impl Search {
    /// The things that match, best first and at most so many of them, and how many match in all.
    fn find(&mut self, session: &Session, typed: &str, most: usize) -> (Vec<Found>, usize) {
        let states = session.open.iter().map(|open| Same::of(Some(open.now()))).collect();
        let last = &mut self.last;
        self.haystack.update(states, |_| {
            *last = None;
            Haystack::new(session)
        });
        let haystack = &self.haystack.value;
        let words: Vec<&str> = typed.split_whitespace().collect();
        // With more typed, what did not match does not match again; but of several words one may name the catalog, while the
        // only word never does.
        let narrows = |before: &str| {
            typed.starts_with(before) && (words.len() < 2 || before.split_whitespace().count() != 1)
        };
        let narrowed = self.last.take().filter(|(before, _)| narrows(before));
        let candidates = narrowed.map_or_else(|| (0..haystack.len()).collect(), |(_, matched)| matched);
        let matcher = Fuzzy::default();
        let mut found: Vec<Match> = candidates
            .into_par_iter()
            .filter_map(|at| {
                let text = haystack.text(at);
                let words =
                    if words.len() > 1 { haystack.without_catalog(at, &words) } else { words.clone() };
                let (score, matched) = matcher.score(&text, &words.join(" "))?;
                // With nothing typed all are equal, in the order in which they are there.
                let (score, distance) = match typed {
                    "" => (score, 0),
                    _ => (score - haystack.penalty(at), haystack.distance(at)),
                };
                let elsewhere = !typed.is_empty() && haystack.catalog_of(at) != session.current;
                Some((Reverse(score), distance, elsewhere, at, matched))
            })
            .collect();
        self.last = Some((typed.to_owned(), found.iter().map(|(.., at, _)| *at).collect()));
        let total = found.len();
        // Among equals the closer match comes first; then what comes first in the haystack, so that the order never wavers.
        let order = |a: &Match, b: &Match| (a.0, a.1, a.2, a.3).cmp(&(b.0, b.1, b.2, b.3));
        if total > most {
            found.select_nth_unstable_by(most, order);
            found.truncate(most);
        }
        found.sort_unstable_by(order);
        let listed = found.into_iter().filter_map(|(.., at, matched)| haystack.found(at, matched));
        (listed.collect(), total)
    }
}

impl DialogState for Finder {
    fn id(&self) -> Dialog {
        Dialog::Finder
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if press == Press::Action(ActionId::Accept) {
            if let Some(found) = self.found.get(self.cursor).cloned() {
                let catalog = found.place.catalog;
                if catalog != cx.session.current
                    && let Some(label) = labels(&cx.session.open).get(catalog)
                {
                    cx.notices.done(format!("switched to {label}"));
                }
                cx.go(found.jump());
            }
            return Step::Close;
        }
        if field::type_into(&mut self.input, press) {
            self.find(cx.session);
        }
        Step::Stay
    }

    fn field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.found.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    /// Works out what both OLMs do with the bundle on the row, for the preview.
    fn settle(&mut self, see: &See<'_>) {
        let found = self.found.get(self.cursor).cloned();
        self.answers.update(found, |found| {
            let answers = || {
                let place = &found.as_ref().filter(|found| found.finding.is_none())?.place;
                let snapshot = see.session.open.get(place.catalog)?.now();
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
}
