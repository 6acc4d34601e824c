//! The Changes screen: unsaved edits with their changed lines and consequences, or a comparison
//! with a base.

mod rows;
mod table;

pub use self::table::TABLE;

use crate::{
    app::{
        keys::{ActionId, Screen, spec::Enabled},
        parts::{
            list::ListId,
            memo::{Memo, Same},
            splits::Splitter,
            way::Way,
        },
        screens::screen::ScreenState,
        session::{
            Session,
            action::how,
            cx::{Cx, See},
            open::Open,
            place::Pane,
            target::Target,
        },
        work::{
            Answer,
            comparison::Comparison,
            difference::{Row, To},
        },
    },
    catalog::BundleName,
    review::{Report, Snapshot},
};

/// State on disk and a later state.
type States = (Same<Snapshot>, Same<Snapshot>);

/// Changes of open catalogs by their indexes.
type Reports = Vec<(usize, Report)>;

/// State of the Changes screen.
#[derive(Debug, Default)]
pub struct Changes {
    /// Index of the selected row of the comparison. An index beyond the end selects the last row.
    row: usize,
    differences: Memo<(Same<Comparison>, String), Vec<usize>>,
    report: Memo<States, Report>,
    elsewhere: Memo<Vec<(usize, States)>, Reports>,
}

impl Changes {
    /// Returns the indexes of the visible rows of the comparison.
    pub fn differences(&self) -> &[usize] {
        &self.differences.value
    }

    /// Returns a visible row of the comparison by its index.
    pub fn difference<'a>(&self, session: &'a Session, row: usize) -> Option<&'a Row> {
        session.comparison()?.rows.get(*self.differences().get(row)?)
    }

    /// Returns the changes to write and their consequences.
    pub fn changes(&self) -> &Report {
        &self.report.value
    }

    /// Returns the changes of the other open catalogs by their indexes.
    pub fn changes_elsewhere(&self) -> &[(usize, Report)] {
        &self.elsewhere.value
    }

    /// Returns the index of the selected row.
    fn at(&self) -> Option<usize> {
        Some(self.row.min(self.differences().len().checked_sub(1)?))
    }

    /// Returns the navigation target of the selected row.
    fn selected(&self, session: &Session) -> Option<To> {
        self.difference(session, self.at()?).map(|row| row.to.clone())
    }

    fn update_elsewhere(&mut self, session: &Session) {
        let is_other = |(number, open): &(usize, &Open)| {
            *number != session.current && open.history.unsaved(&open.baseline) > 0
        };
        let others = || session.open.iter().enumerate().filter(is_other);
        let states = others().map(|(number, open)| {
            (number, (Same::of(Some(&open.baseline)), Same::of(Some(open.history.now()))))
        });
        self.elsewhere.update(states.collect(), |_| {
            others()
                .map(|(number, open)| (number, Report::between(&open.baseline, open.history.now())))
                .collect()
        });
    }
}

impl ScreenState for Changes {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        how(TABLE, &[], id).map(|own| (own.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(own) = how(TABLE, &[], id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, see: &See<'_>) -> Target {
        if !see.session.shows_comparison() {
            return Target::page();
        }
        let Some(To { package, channel, bundle, .. }) = self.selected(see.session) else {
            return Target::page();
        };
        Target::of_row(see.session, "this change", package, channel, bundle)
    }

    /// A comparison cannot be written, so Enter goes to the selected row.
    fn instead(&self, id: ActionId, see: &See<'_>) -> ActionId {
        if id == ActionId::Write && see.session.shows_comparison() { ActionId::In } else { id }
    }

    fn list(&self, see: &See<'_>) -> ListId {
        if see.session.shows_comparison() { ListId::Differences } else { ListId::Changes }
    }

    fn rows(&self, list: ListId, _see: &See<'_>) -> usize {
        if list == ListId::Differences { self.differences().len() } else { 0 }
    }

    fn cursor(&self, list: ListId, _see: &See<'_>) -> Option<usize> {
        if list == ListId::Differences { self.at() } else { None }
    }

    fn select(&mut self, list: ListId, row: usize, _cx: &mut Cx<'_>) {
        if list == ListId::Differences {
            self.row = row;
        }
    }

    /// Goes to the target of the selected row, if it still exists.
    fn enter(&mut self, cx: &mut Cx<'_>) {
        if !cx.session.shows_comparison() {
            return;
        }
        let Some(To { package, channel, bundle, screen }) = self.selected(cx.session) else { return };
        let Some(name) = package else {
            cx.notices.refused("this has no package");
            return;
        };
        let Some(judged) = cx.session.snapshot().and_then(|now| now.package(name.as_str())).cloned() else {
            cx.notices.refused(format!("{name} was removed: it is only in the catalog you compare with"));
            return;
        };
        let package = judged.package();
        let kept = channel.clone().filter(|channel| package.channel(channel.as_str()).is_some());
        let is_there = |bundle: &BundleName| match &kept {
            Some(channel) if screen != Screen::Upgrades => {
                let upgrades = judged.graph.channel(channel.as_str());
                upgrades.is_some_and(|upgrades| upgrades.graph.find(bundle.as_str()).is_some())
            }
            _ => package.bundle(bundle.as_str()).is_some(),
        };
        // Removed items still have rows.
        let before = cx.session.marked_state().and_then(|before| before.package(name.as_str())).cloned();
        let has_row = |bundle: &BundleName| {
            before.as_ref().is_some_and(|before| match &kept {
                Some(channel) if screen != Screen::Upgrades => {
                    let upgrades = before.graph.channel(channel.as_str());
                    upgrades.is_some_and(|upgrades| upgrades.graph.entry_named(bundle.as_str()).is_some())
                }
                _ => screen == Screen::Upgrades && before.package().bundle(bundle.as_str()).is_some(),
            })
        };
        let found = bundle.clone().filter(|bundle| is_there(bundle) || has_row(bundle));
        let gone = match (&channel, &bundle) {
            (_, Some(bundle)) if found.is_none() => Some(bundle.to_string()),
            (Some(channel), _) if kept.is_none() => Some(format!("channel {channel}")),
            _ => None,
        };
        let pane = match (&kept, &found) {
            (_, Some(_)) => Pane::Entries,
            (Some(_), None) => Pane::Channels,
            (None, None) => Pane::Packages,
        };
        let screen = if gone.is_some() && screen == Screen::Upgrades { Screen::Catalog } else { screen };
        cx.session.jump(|session| {
            session.show(name, kept, found, pane);
            session.screen = screen;
        });
        // The row names a channel, so the graph shows only that channel.
        if screen == Screen::Graph {
            cx.answer(Answer::OneChannel);
        }
        if let Some(gone) = gone {
            cx.notices.done(format!("{gone} was removed; it was here"));
        }
    }

    fn enters(&self, see: &See<'_>) -> Option<&'static str> {
        (see.session.shows_comparison() && self.at().is_some()).then_some("go there")
    }

    fn count(&self, see: &See<'_>) -> usize {
        see.session.unsaved()
    }

    /// Switches between the comparison and unsaved edits.
    fn turn(&mut self, _by: isize, cx: &mut Cx<'_>) {
        if cx.session.base().is_some() {
            cx.session.shows_bytes = !cx.session.shows_bytes;
        }
    }

    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Problems, true))
    }

    /// Goes from package to package.
    fn next_change(&mut self, way: Way, cx: &mut Cx<'_>) -> bool {
        let session = &*cx.session;
        let is_first = |row| self.difference(session, row).is_some_and(|row| row.level == 0);
        let found = way.next(self.differences().len(), self.at(), is_first);
        if let Some(row) = found {
            self.row = row;
        }
        found.is_some()
    }

    fn settle(&mut self, see: &See<'_>) {
        let session = see.session;
        let comparison = session.comparison();
        let key = (Same::of(comparison), session.lists.filter(ListId::Differences).to_owned());
        self.differences.update(key, |(_, filter)| {
            comparison.map(|comparison| rows::passing(&comparison.rows, filter)).unwrap_or_default()
        });
        self.update_elsewhere(session);
        let (baseline, snapshot) = (session.catalog().map(|open| &open.baseline), session.snapshot());
        self.report.update((Same::of(baseline), Same::of(snapshot)), |_| {
            baseline.zip(snapshot).map(|(before, after)| Report::between(before, after)).unwrap_or_default()
        });
    }
}
