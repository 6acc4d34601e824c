//! Finder: fuzzy search for anything in the open catalogs.

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

/// State of the finder.
#[derive(Debug, Default)]
pub struct Finder {
    /// Search text.
    pub input: Input,
    /// Listed matches, best first.
    pub found: Vec<Found>,
    /// Number of matches, including those that are not listed.
    pub total: usize,
    /// Index of the selected match.
    pub cursor: usize,
    /// Upgrades of the selected bundle under both OLMs.
    answers: Memo<Option<Found>, Picks>,
    /// Index and last search.
    search: Search,
}

impl Finder {
    /// Opens a finder that lists everything.
    pub(in crate::app) fn new(session: &Session) -> Self {
        let mut finder = Self::default();
        finder.find(session);
        finder
    }

    /// Updates the matches for the typed text.
    fn find(&mut self, session: &Session) {
        (self.found, self.total) = self.search.find(session, self.input.value(), MOST);
        self.cursor = 0;
    }

    /// Returns the upgrades of the selected bundle under both OLMs.
    pub fn answers(&self) -> &Picks {
        &self.answers.value
    }
}

/// Match of the finder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Kind of the item, such as `bundle`.
    pub kind: &'static str,
    /// Searchable text of the item.
    pub text: String,
    /// Additional information.
    pub note: String,
    /// Indexes of the matching characters in the text.
    pub matched: Vec<usize>,
    /// Location of the item.
    pub place: Place,
    /// Index of a finding, either in its package or among the catalog's findings without a package.
    pub finding: Option<usize>,
}

impl Found {
    /// Returns the jump to the item.
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

/// Maximum number of listed rows. The user can narrow a longer list by typing more.
const MOST: usize = 200;

/// Match with its sort keys: score, distance, whether it is in another catalog, index of the item;
/// and the indexes of the matching characters.
type Match = (Reverse<i64>, usize, bool, usize, Vec<usize>);

/// Search index and the last search in it.
#[derive(Debug, Default)]
pub(in crate::app) struct Search {
    haystack: Memo<Vec<Same<Snapshot>>, Haystack>,
    /// Text of the last search and the indexes of the matching items.
    last: Option<(String, Vec<usize>)>,
}

impl Search {
    /// Returns the best `most` matches and the total number of matches.
    fn find(&mut self, session: &Session, typed: &str, most: usize) -> (Vec<Found>, usize) {
        let states = session.open.iter().map(|open| Same::of(Some(open.now()))).collect();
        let last = &mut self.last;
        self.haystack.update(states, |_| {
            *last = None;
            Haystack::new(session)
        });
        let haystack = &self.haystack.value;
        let words: Vec<&str> = typed.split_whitespace().collect();
        // A longer text only matches a subset of the items, with one exception: one of several
        // words may name the catalog, but a single word never does.
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
                // Without a text, all items are equal and keep their order.
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
        // Closer matches come first. The item index makes the order stable.
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

    /// Computes the upgrades of the selected bundle for the preview.
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
