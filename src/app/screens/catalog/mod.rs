//! The Catalog screen: packages, channels, entries, and details.

mod descriptions;
mod rows;

use std::sync::Arc;

use self::descriptions::Descriptions;
use crate::{
    app::{
        keys::{ActionId, Screen, spec::Enabled},
        parts::{
            list::ListId,
            memo::{Memo, Same},
            names::Names,
            orders::Order,
            splits::Splitter,
            way::Way,
        },
        screens::screen::ScreenState,
        session::{
            Session,
            cx::{Cx, See},
            place::Pane,
            target::{Level, Target},
        },
        work::{Jump, comparison::Comparison, marks::Marks},
    },
    catalog::{BundleName, ChannelName, PackageName},
    export::description::Line,
    review::{Judged, Snapshot, accepted::Accepted, diff::Fate},
};

/// The panes in focus order.
const PANES: [Pane; 4] = [Pane::Packages, Pane::Channels, Pane::Entries, Pane::Details];

type ListKey<T> = (Same<T>, Same<Comparison>, String, Option<Order>);
type PackagesKey = (ListKey<Snapshot>, Same<Snapshot>, Same<Accepted>);
type EntriesKey = (Same<Judged>, Same<Marks>, Option<ChannelName>, String, Option<Order>);

/// State of the Catalog screen. The focused pane is part of the session, because it is restored.
#[derive(Debug, Default)]
pub struct Catalog {
    packages: Memo<PackagesKey, Names<PackageName>>,
    stuck_width: usize,
    channels: Memo<ListKey<Judged>, Names<ChannelName>>,
    entries: Memo<EntriesKey, Names<BundleName>>,
    descriptions: Descriptions,
}

impl Catalog {
    /// Returns the packages that pass the filter, including removed ones.
    pub fn packages(&self) -> &Names<PackageName> {
        &self.packages.value
    }

    /// Returns the width of the widest number of stuck versions. 0 if the catalog does not have
    /// such numbers.
    pub fn stuck_width(&self) -> usize {
        self.stuck_width
    }

    /// Returns the channels of the package that pass the filter, the default channel first,
    /// including removed ones.
    pub fn channels(&self) -> &Names<ChannelName> {
        &self.channels.value
    }

    /// Returns the entries of the channel that pass the filter, newest first, including removed
    /// ones.
    pub fn entries(&self) -> &Names<BundleName> {
        &self.entries.value
    }

    /// Returns the wrapped description of the selected package.
    pub fn package_description(&self) -> &[Line] {
        &self.descriptions.package.value
    }

    /// Returns the wrapped description of the selected bundle.
    pub fn bundle_description(&self) -> &[Line] {
        &self.descriptions.bundle.value
    }

    /// Returns true if a row has a change: the item itself, or the upgrade of an entry.
    fn differs(&self, list: ListId, row: usize, session: &Session) -> bool {
        match list {
            ListId::Packages => self.packages().get(row).is_some_and(|name| {
                let fate = session.package_fate(name);
                fate.is_some_and(|fate| fate != Fate::Removed)
            }),
            ListId::Channels => self.channels().get(row).is_some_and(|name| {
                let fate = session.channel_fate(name);
                fate.is_some_and(|fate| fate != Fate::Removed)
            }),
            ListId::Entries => self.entries().get(row).is_some_and(|name| {
                session.entry_fate(name).is_some() || session.answers.was(name).is_some()
            }),
            _ => false,
        }
    }

    /// Returns the nearest row of packages or channels that still exists. Removed rows are skipped
    /// in the direction of the movement.
    fn stepped(&self, list: ListId, row: usize, see: &See<'_>) -> Option<usize> {
        let session = see.session;
        let package = |name: &PackageName| session.snapshot().and_then(|now| now.package(name.as_str()));
        let channel =
            |name: &ChannelName| session.package().and_then(|now| now.package().channel(name.as_str()));
        let is_there = |row: &usize| {
            if list == ListId::Packages {
                self.packages().get(*row).and_then(package).is_some()
            } else {
                self.channels().get(*row).and_then(channel).is_some()
            }
        };
        let (mut below, mut above) = (row..self.rows(list, see), (0..row).rev());
        if self.cursor(list, see).is_some_and(|cursor| cursor > row) {
            is_there(&row).then_some(row).or_else(|| above.find(is_there)).or_else(|| below.find(is_there))
        } else {
            below.find(is_there).or_else(|| above.find(is_there))
        }
    }

    /// Selects the next changed row after another row. Returns false if there is none.
    fn next_from(&mut self, list: ListId, from: Option<usize>, way: Way, cx: &mut Cx<'_>) -> bool {
        let rows = self.rows(list, &cx.see());
        let found = way.next(rows, from, |row| self.differs(list, row, cx.session));
        if let Some(row) = found {
            self.select(list, row, cx);
        }
        found.is_some()
    }

    /// Selects the next changed row after the selected one. Returns false if there is none.
    fn next(&mut self, list: ListId, way: Way, cx: &mut Cx<'_>) -> bool {
        let from = self.cursor(list, &cx.see());
        self.next_from(list, from, way, cx)
    }

    /// Selects the next changed package and its first or last changed channel.
    fn first_channel(&mut self, way: Way, cx: &mut Cx<'_>) -> bool {
        if !self.next(ListId::Packages, way, cx) {
            return false;
        }
        cx.session.derive();
        self.settle(&cx.see());
        // The package may have another kind of change.
        self.next_from(ListId::Channels, None, way, cx);
        true
    }

    /// Selects the next changed channel and its first or last changed entry.
    fn first_entry(&mut self, way: Way, cx: &mut Cx<'_>) -> bool {
        if !self.next(ListId::Channels, way, cx) && !self.first_channel(way, cx) {
            return false;
        }
        cx.session.derive();
        self.settle(&cx.see());
        self.next_from(ListId::Entries, None, way, cx);
        true
    }
}

impl ScreenState for Catalog {
    /// The screen does not have its own actions.
    fn can(&self, _id: ActionId, _see: &See<'_>) -> Option<Enabled> {
        None
    }

    fn act(&mut self, _id: ActionId, _cx: &mut Cx<'_>) {}

    fn target(&self, see: &See<'_>) -> Target {
        let level = match see.session.pane {
            Pane::Packages => Level::Package,
            Pane::Channels => Level::Channel,
            Pane::Entries | Pane::Details => Level::Bundle,
        };
        Target { level, ..Target::selected(see.session) }
    }

    fn list(&self, see: &See<'_>) -> ListId {
        match see.session.pane {
            Pane::Packages => ListId::Packages,
            Pane::Channels => ListId::Channels,
            Pane::Entries => ListId::Entries,
            Pane::Details => ListId::Details,
        }
    }

    fn lists(&self) -> &'static [ListId] {
        &[ListId::Packages, ListId::Channels, ListId::Entries]
    }

    fn rows(&self, list: ListId, _see: &See<'_>) -> usize {
        match list {
            ListId::Packages => self.packages().len(),
            ListId::Channels => self.channels().len(),
            ListId::Entries => self.entries().len(),
            _ => 0,
        }
    }

    fn cursor(&self, list: ListId, see: &See<'_>) -> Option<usize> {
        let selection = see.session.selection();
        match list {
            ListId::Packages => self.packages().place(selection.package.as_ref()?),
            ListId::Channels => self.channels().place(selection.channel.as_ref()?),
            ListId::Entries => self.entries().place(selection.bundle.as_ref()?),
            _ => None,
        }
    }

    fn select(&mut self, list: ListId, row: usize, cx: &mut Cx<'_>) {
        match list {
            ListId::Packages => {
                let row = self.stepped(list, row, &cx.see());
                if let Some(name) = row.and_then(|row| self.packages().get(row)).cloned() {
                    cx.session.select_package(name);
                }
            }
            ListId::Channels => {
                let row = self.stepped(list, row, &cx.see());
                if let Some(name) = row.and_then(|row| self.channels().get(row)).cloned() {
                    cx.session.select_channel(name);
                }
            }
            ListId::Entries => {
                if let Some(name) = self.entries().get(row).cloned() {
                    cx.session.select_bundle(name);
                }
            }
            _ => return,
        }
        // Start at the first line of other details.
        cx.session.lists.set_first(ListId::Details, 0);
    }

    fn focus(&mut self, list: ListId, cx: &mut Cx<'_>) {
        match list {
            ListId::Packages => cx.session.pane = Pane::Packages,
            ListId::Channels => cx.session.pane = Pane::Channels,
            ListId::Entries => cx.session.pane = Pane::Entries,
            ListId::Details => cx.session.pane = Pane::Details,
            _ => {}
        }
    }

    fn enter(&mut self, cx: &mut Cx<'_>) {
        match cx.session.pane {
            Pane::Packages => cx.session.pane = Pane::Channels,
            Pane::Channels => cx.session.pane = Pane::Entries,
            Pane::Entries => cx.go(Jump::Screen(Screen::Graph)),
            Pane::Details if cx.session.selection().bundle.is_some() => cx.perform(ActionId::ShowBundle),
            Pane::Details => {}
        }
    }

    fn enters(&self, see: &See<'_>) -> Option<&'static str> {
        let goes_in = see.session.pane != Pane::Details && self.rows(self.list(see), see) > 0;
        goes_in.then_some("in")
    }

    fn out(&mut self, cx: &mut Cx<'_>) {
        cx.session.pane = match cx.session.pane {
            Pane::Packages | Pane::Channels => Pane::Packages,
            Pane::Entries => Pane::Channels,
            Pane::Details => Pane::Entries,
        };
    }

    fn back(&mut self, cx: &mut Cx<'_>) -> bool {
        if cx.session.pane == Pane::Packages {
            return false;
        }
        self.out(cx);
        true
    }

    fn turn(&mut self, by: isize, cx: &mut Cx<'_>) {
        let at = PANES.iter().position(|pane| *pane == cx.session.pane).unwrap_or_default() as isize;
        let next = (at + by).rem_euclid(PANES.len() as isize) as usize;
        cx.session.pane = PANES.get(next).copied().unwrap_or(cx.session.pane);
    }

    fn splitter(&self, see: &See<'_>) -> Option<(Splitter, bool)> {
        Some(match see.session.pane {
            Pane::Packages => (Splitter::Packages, true),
            Pane::Channels => (Splitter::Channels, true),
            Pane::Entries => (Splitter::Details, true),
            Pane::Details => (Splitter::Details, false),
        })
    }

    fn next_change(&mut self, way: Way, cx: &mut Cx<'_>) -> bool {
        match cx.session.pane {
            Pane::Packages => self.next(ListId::Packages, way, cx),
            Pane::Channels => self.next(ListId::Channels, way, cx) || self.first_channel(way, cx),
            Pane::Entries | Pane::Details => self.next(ListId::Entries, way, cx) || self.first_entry(way, cx),
        }
    }

    fn settle(&mut self, see: &See<'_>) {
        let (snapshot, package) = (see.session.snapshot(), see.session.package());
        let filter = |list| see.session.lists.filter(list).to_owned();
        let order = |list| see.session.orders.of(list);
        let marked = see.session.marked();
        let key = (Same::of(snapshot), Same::of(marked), filter(ListId::Packages), order(ListId::Packages));
        let baseline = see.session.catalog().map(|open| &open.baseline);
        let key = (key, Same::of(baseline), Same::of(see.session.accepted()));
        let stuck_width = &mut self.stuck_width;
        self.packages.update(key, |((_, _, filter, order), ..)| {
            let states = snapshot.zip(baseline);
            let sorted = |(now, baseline): (&Arc<Snapshot>, &Arc<Snapshot>)| {
                rows::packages(see.session, (now, baseline), filter, *order)
            };
            let names = states.map(sorted).unwrap_or_default();
            let gone = marked.into_iter().flat_map(|marked| marked.removed());
            let names = rows::with_gone(names, gone, filter, *order == Some(Order::PackageNames));
            let numbers = names.iter().filter_map(|name| see.session.brief_stuck(name));
            *stuck_width = numbers.map(|text| text.len()).max().unwrap_or_default();
            Names::new(names, |name| name.as_str().into())
        });
        let key = (Same::of(package), Same::of(marked), filter(ListId::Channels), order(ListId::Channels));
        self.channels.update(key, |(_, _, filter, order)| {
            let names = package.map(|package| rows::channels(package, filter, *order)).unwrap_or_default();
            let diff = marked.zip(package).and_then(|(marked, now)| marked.package(&now.package().name));
            let gone = diff.into_iter().flat_map(|diff| &diff.channels);
            let gone = gone.filter(|channel| channel.fate == Fate::Removed).map(|channel| &channel.name);
            // The default channel comes first, so the list is not sorted by name.
            let names = rows::with_gone(names, gone, filter, false);
            Names::new(names, |name| name.as_str().into())
        });
        let channel = see.session.selection().channel.clone();
        let marks = see.session.answers.marks();
        let (filtered, ordered) = (filter(ListId::Entries), order(ListId::Entries));
        let key = (Same::of(package), Same::of(Some(marks)), channel, filtered, ordered);
        self.entries.update(key, |(_, _, channel, filter, order)| {
            let Some((package, channel)) = package.zip(channel.as_ref()) else { return Names::default() };
            let names = rows::entries(package, channel, filter, *order);
            let names = rows::with_gone_entries(package, names, marks, filter, *order);
            Names::new(names, |name| match marks.gone(name) {
                Some(gone) => gone.label.clone().into(),
                None => package.package().short_name(name).into(),
            })
        });
        self.descriptions.update(see);
    }
}
