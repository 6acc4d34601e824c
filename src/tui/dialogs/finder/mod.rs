//! Finder: fuzzy search for anything in the open catalogs.

mod search_index;
#[cfg(test)]
mod tests;
mod view;

use std::cmp::Reverse;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor},
    keys::{ActionId, Dialog, KeyPress},
    parts::{
        completions::Fuzzy,
        field::{self, TextField},
        memo::{Memo, SharedRef},
    },
    session::{
        Session,
        cluster_members::MemberStates,
        context::{Context, ViewContext},
        derived_state::SelectedUpgrades,
        jobs::console_fields::ConsoleFieldIndex,
        navigation::VisitedPlace,
    },
    widgets::canvas::{Canvas, Rect},
    work::Jump,
};
use olm_check::review::Snapshot;
use olm_upgrade::{Installed, v1::Query};
use rayon::prelude::*;
use search_index::{SearchIndex, Word};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("finder", "the finder").with_rows().with_field();

/// State of the finder.
#[derive(Debug, Default)]
pub struct Finder {
    /// Search text.
    pub input: TextField,
    /// Listed matches, best first.
    pub matches: Vec<FinderMatch>,
    /// Number of matches, including those that are not listed.
    pub total: usize,
    /// Index of the selected match.
    pub cursor: usize,
    /// Upgrades of the selected bundle under both OLMs.
    picks: Memo<(Option<FinderMatch>, Option<MemberStates>), SelectedUpgrades>,
    /// Index and last search.
    search: IndexSearch,
    /// Console fields that the matches were searched in.
    fields: SharedRef<ConsoleFieldIndex>,
}

impl Finder {
    /// Opens a finder that lists everything.
    pub(in crate::tui) fn new(session: &Session) -> Self {
        let mut finder = Self::default();
        finder.update_matches(session);
        finder
    }

    /// Updates the matches for the typed text.
    fn update_matches(&mut self, session: &Session) {
        (self.matches, self.total) =
            self.search.find_matches(session, self.input.value(), MAX_LISTED_MATCHES);
        self.cursor = 0;
        self.fields = SharedRef::from_shared(session.jobs.console_fields.index());
    }

    /// Returns the upgrades of the selected bundle under both OLMs.
    pub fn picks(&self) -> &SelectedUpgrades {
        &self.picks.value
    }
}

/// Match of the finder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinderMatch {
    /// Kind of the item, such as `bundle`.
    pub kind: &'static str,
    /// Searchable text of the item.
    pub text: String,
    /// Additional information.
    pub note: String,
    /// Indexes of the matching characters in the text.
    pub matched_chars: Vec<usize>,
    /// Location of the item.
    pub location: VisitedPlace,
    /// Index of a finding, either in its package or among the catalog's findings without a package.
    pub finding: Option<usize>,
}

impl FinderMatch {
    /// Returns the jump to the item.
    fn into_jump(self) -> Jump {
        let VisitedPlace { catalog, selection, .. } = self.location;
        if let Some(nth) = self.finding {
            return Jump::Finding { catalog, package: selection.package, nth };
        }
        let Some(package) = selection.package else { return Jump::OtherCatalog(catalog) };
        Jump::Catalog {
            catalog: Some(catalog),
            package,
            channel: selection.channel,
            bundle: selection.bundle,
        }
    }
}

/// Maximum number of listed rows. The user can narrow a longer list by typing more.
const MAX_LISTED_MATCHES: usize = 200;

/// Sort keys of a match: score, distance, whether it is in another catalog, index of the item.
type ScoredMatch = (Reverse<i64>, usize, bool, usize);

/// The visible states of the open catalogs, and the fields that consoles show.
type IndexKey = (Vec<SharedRef<Snapshot>>, SharedRef<ConsoleFieldIndex>);

/// Search index and the last searches in it.
#[derive(Debug, Default)]
pub(in crate::tui) struct IndexSearch {
    index: Memo<IndexKey, SearchIndex>,
    /// Last search, and those for the beginnings of its text, shortest first. A text that becomes shorter again
    /// has its result at once.
    searches: Vec<Search>,
    /// Number of items that the last search scored.
    #[cfg(test)]
    scored: usize,
}

/// Search with its result.
#[derive(Debug)]
struct Search {
    typed: String,
    /// Maximum number of listed matches.
    most: usize,
    /// Index of the selected catalog, whose matches come first.
    current: usize,
    /// Indexes of all matching items.
    matching: Vec<usize>,
    listed: Vec<FinderMatch>,
}

impl IndexSearch {
    /// Returns the best `most` matches and the total number of matches.
    fn find_matches(&mut self, session: &Session, typed: &str, most: usize) -> (Vec<FinderMatch>, usize) {
        let states = session
            .catalogs
            .all()
            .iter()
            .map(|open| SharedRef::from_shared(Some(open.visible_state())))
            .collect();
        let fields = SharedRef::from_shared(session.jobs.console_fields.index());
        let searches = &mut self.searches;
        self.index.update((states, fields), |_| {
            searches.clear();
            SearchIndex::new(session)
        });
        let current = session.catalogs.current_index();
        let is_valid = |search: &Search| {
            typed.starts_with(&search.typed) && (search.most, search.current) == (most, current)
        };
        self.searches.retain(is_valid);
        #[cfg(test)]
        {
            self.scored = 0;
        }
        if let Some(last) = self.searches.last().filter(|last| last.typed == typed) {
            return (last.listed.clone(), last.matching.len());
        }
        let haystack = &self.index.value;
        let words: Vec<Word<'_>> = typed.split_whitespace().map(Word::from_typed).collect();
        // A longer text only matches a subset of the items, with two exceptions: one of several words may name the
        // catalog, but a single word never does, and a word may become a kind of items or a whole label. Without words, fields are
        // not listed.
        let narrows = |before: &&Search| {
            let earlier: Vec<Word<'_>> = before.typed.split_whitespace().map(Word::from_typed).collect();
            !earlier.is_empty()
                && (words.len() < 2 || earlier.len() != 1)
                && haystack.context_words(&earlier) == haystack.context_words(&words)
        };
        let narrowed = self.searches.iter().rev().find(narrows);
        let candidates: Vec<usize> =
            narrowed.map_or_else(|| (0..haystack.len()).collect(), |before| before.matching.clone());
        #[cfg(test)]
        {
            self.scored = candidates.len();
        }
        let matcher = Fuzzy::default();
        let mut found: Vec<ScoredMatch> = candidates
            .into_par_iter()
            .filter_map(|at| {
                let is_elsewhere = haystack.is_in_other_catalog(at, &words);
                let words = haystack.drop_context_words(at, &words);
                if is_elsewhere || !haystack.may_match(at, &words) {
                    return None;
                }
                let score = matcher.score(&haystack.search_text(at), words.iter().map(|word| word.typed))?;
                // Without a text, all items are equal and keep their order.
                let (score, distance) = match typed {
                    "" => (score, 0),
                    _ => (score - haystack.penalty(at), haystack.tie_breaker(at)),
                };
                let elsewhere = !typed.is_empty() && haystack.catalog_index(at) != current;
                Some((Reverse(score), distance, elsewhere, at))
            })
            .collect();
        let matching: Vec<usize> = found.iter().map(|(.., at)| *at).collect();
        let total = found.len();
        // Closer matches come first. The item index makes the order stable.
        if total > most {
            found.select_nth_unstable(most);
            found.truncate(most);
        }
        found.sort_unstable();
        let listed = found.into_iter().filter_map(|(.., at)| {
            let meant = haystack.drop_context_words(at, &words);
            let chars =
                matcher.matching_chars(&haystack.search_text(at), meant.iter().map(|word| word.typed));
            haystack.build_match(at, chars)
        });
        let listed: Vec<FinderMatch> = listed.collect();
        self.searches.push(Search {
            typed: typed.to_owned(),
            most,
            current,
            matching,
            listed: listed.clone(),
        });
        (listed, total)
    }
}

impl DialogState for Finder {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press == KeyPress::Action(ActionId::Accept) {
            if let Some(found) = self.matches.get(self.cursor).cloned() {
                let catalog = found.location.catalog;
                if catalog != cx.session.catalogs.current_index()
                    && let Some(label) = cx.session.catalogs.labels().get(catalog)
                {
                    cx.notices.report_done(format!("switched to {label}"));
                }
                cx.go_to(found.into_jump());
            } else {
                cx.notices.report_refusal(format!("nothing matches {}", self.input.value().trim()));
                return DialogStep::Stay;
            }
            return DialogStep::Close;
        }
        if field::handle_field_key(&mut self.input, press) {
            self.update_matches(cx.session);
        }
        DialogStep::Stay
    }

    fn text_field(&mut self) -> Option<&mut TextField> {
        Some(&mut self.input)
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.matches.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    /// Searches again if the fields of consoles were read, and computes the upgrades of the selected bundle for the
    /// preview.
    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        let fields = SharedRef::from_shared(view_cx.session.jobs.console_fields.index());
        if fields != self.fields {
            let selected = self.matches.get(self.cursor).cloned();
            self.update_matches(view_cx.session);
            let position = self.matches.iter().position(|found| Some(found) == selected.as_ref());
            self.cursor = position.unwrap_or_default();
        }
        let found = self.matches.get(self.cursor).cloned();
        let catalogs = &view_cx.session.catalogs;
        let open = found.as_ref().and_then(|found| catalogs.all().get(found.location.catalog));
        let states = open.and_then(|open| catalogs.member_states(&open.source));
        self.picks.update((found, states), |(found, states)| {
            let answers = || {
                let place = &found.as_ref().filter(|found| found.finding.is_none())?.location;
                let snapshot = view_cx.session.catalogs.all().get(place.catalog)?.visible_state();
                let package_state = snapshot.package(place.selection.package.as_ref()?.as_str())?;
                let bundle = place.selection.bundle.as_ref()?;
                let package = package_state.package();
                let installed = Installed::from_package(package, bundle);
                let mut channels = package.channels_with(bundle).map(|channel| &channel.name.value);
                let first = package.channels_with(bundle).map(|channel| &channel.name.value).min();
                let default = package.default_channel();
                let channel = channels.find(|name| Some(*name) == default).or(first);
                let cluster = states.as_ref().map(|states| {
                    let resolution = states.resolve_package(&package.name, &Query::default(), None);
                    Box::new(resolution.resolve_upgrade(package, &installed))
                });
                Some(SelectedUpgrades {
                    classic: channel
                        .map(|name| package_state.graph.resolve_classic(name.as_str(), Some(&installed))),
                    v1: Some(package_state.graph.resolve_v1(&Query::default(), Some(&installed))),
                    cluster,
                })
            };
            answers().unwrap_or_default()
        });
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_finder(view_cx, self, canvas, area);
    }
}
