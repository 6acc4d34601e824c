//! Selecting: by name, by row, by jump.

use petgraph::graph::NodeIndex;

use crate::app::{
    dialogs::state::{Found, Overlay},
    keys::Screen,
    parts::list::ListId,
    session::{
        model::{Model, Pane},
        place::Place,
    },
};
use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    layout::Line,
    review::Judged,
    validate::Diagnostic,
};

impl Model {
    /// Goes somewhere in a way one can come back from.
    pub(in crate::app) fn jump(&mut self, go: impl FnOnce(&mut Self)) {
        let place = self.place();
        go(self);
        if self.place() != place {
            self.trail.leave(place);
        }
    }

    /// Goes to a place.
    pub(in crate::app) fn go(&mut self, place: Place) {
        let before = self.selection().package.clone();
        self.current = place.catalog.min(self.open.len().saturating_sub(1));
        self.screen = place.screen;
        if let Some(open) = self.catalog_mut() {
            open.selection = place.selection;
        }
        if self.selection().package != before {
            self.ask_for_nothing();
        }
        self.settle();
    }

    /// Forgets the channels chosen on the Upgrades screen: they are those of one package.
    fn ask_for_nothing(&mut self) {
        self.subscribed = None;
        self.query.channels.clear();
        self.upgrades.starting = None;
    }

    /// Selects a package, and in it the default channel and its head.
    pub(in crate::app) fn select_package(&mut self, name: PackageName) {
        if self.selection().package.as_ref() == Some(&name) {
            return;
        }
        self.ask_for_nothing();
        self.lists.set_filter(ListId::Channels, String::new());
        self.lists.set_filter(ListId::Entries, String::new());
        if let Some(open) = self.catalog_mut() {
            open.selection.package = Some(name);
            open.selection.channel = None;
            open.selection.bundle = None;
        }
        self.settle();
    }

    /// Selects a channel of the package, and in it the bundle it had, else its head.
    pub(in crate::app) fn select_channel(&mut self, name: ChannelName) {
        if self.selection().channel.as_ref() != Some(&name) {
            self.subscribed = None;
            if let Some(open) = self.catalog_mut() {
                open.selection.channel = Some(name);
            }
        }
        self.settle();
    }

    /// Selects a bundle of the package.
    pub(in crate::app) fn select_bundle(&mut self, name: BundleName) {
        if let Some(open) = self.catalog_mut() {
            open.selection.bundle = Some(name);
        }
    }

    /// Selects a node of the channel's graph.
    pub(in crate::app) fn select_node(&mut self, at: NodeIndex) {
        let name = self.package().and_then(|package| {
            let channel = package.graph.channel(self.selection().channel.as_ref()?.as_str())?;
            Some(channel.graph.node(at)?.name.clone())
        });
        if let Some(name) = name {
            self.select_bundle(name);
        }
    }

    /// [`Model::settle`] in every catalog.
    pub(in crate::app) fn settle_all(&mut self) {
        let looked_at = self.current.min(self.open.len().saturating_sub(1));
        for current in 0..self.open.len() {
            self.current = current;
            self.settle();
        }
        self.current = looked_at;
    }

    /// Makes the selection mean something that is there: after loading, edits, and moves.
    pub(in crate::app) fn settle(&mut self) {
        let Some(snapshot) = self.snapshot().cloned() else { return };
        let mut selection = self.selection().clone();
        let known = selection.package.as_ref().and_then(|name| snapshot.package(name.as_str()));
        let Some(judged) = known.or_else(|| {
            // Nearest by name, so that one stays about where one was.
            let wanted = selection.package.clone();
            let mut names = snapshot.packages().map(|(name, _)| name);
            let near = names.find(|name| wanted.as_ref().is_none_or(|wanted| *name >= wanted));
            let name = near.or_else(|| snapshot.packages().map(|(name, _)| name).last())?.clone();
            selection.package = Some(name.clone());
            selection.channel = None;
            selection.bundle = None;
            snapshot.package(name.as_str())
        }) else {
            if let Some(open) = self.catalog_mut() {
                open.selection = crate::app::session::place::Selection::default();
            }
            return;
        };
        let package = judged.package();
        if self.subscribed.as_ref().is_some_and(|name| package.channel(name.as_str()).is_none()) {
            self.subscribed = None;
        }
        self.query.channels.retain(|name| package.channel(name.as_str()).is_some());
        let channel = selection
            .channel
            .filter(|name| package.channel(name.as_str()).is_some())
            .or_else(|| {
                package.default_channel().filter(|name| package.channel(name.as_str()).is_some()).cloned()
            })
            .or_else(|| package.channels.first().map(|c| c.name.value.clone()));
        let graph = channel.as_ref().and_then(|name| judged.graph.channel(name.as_str())).map(|c| &c.graph);
        let bundle = selection
            .bundle
            .filter(|name| {
                graph.is_some_and(|g| g.find(name.as_str()).is_some())
                    || (self.screen == Screen::Graph && self.is_side_by_side() && names(judged, name))
                    || (self.screen == Screen::Upgrades && package.bundle(name.as_str()).is_some())
            })
            .or_else(|| {
                let graph = graph?;
                let head = graph.head().or_else(|| {
                    let order = crate::layout::order(graph);
                    order.into_iter().find(|&at| graph.entry(at).is_some())
                })?;
                Some(graph.node(head)?.name.clone())
            })
            .or_else(|| package.bundles.first().map(|b| b.name.value.clone()));
        if let Some(open) = self.catalog_mut() {
            open.selection =
                crate::app::session::place::Selection { package: selection.package, channel, bundle };
        }
        let starting = self.upgrades.starting.take();
        self.upgrades.starting = starting.filter(|name| self.starting_csvs().contains(name));
    }

    /// How many rows a list has.
    pub fn rows(&self, id: ListId) -> usize {
        match id {
            ListId::Packages => self.derived.packages().len(),
            ListId::Channels => self.derived.channels().len(),
            ListId::Entries => self.derived.entries().len(),
            ListId::Graph => self.derived.graph_lines().lines.len(),
            ListId::SideBySide => self.derived.side_by_side().map_or(0, |side| side.rows.len()),
            ListId::Upgrades => self.derived.rows().len(),
            ListId::Problems => self.derived.problems().len(),
            ListId::Deprecations => self.derived.deprecations().len(),
            ListId::Differences => self.derived.differences().len(),
            ListId::Overlay => self.overlays.last().map_or(0, Overlay::rows),
            ListId::Details | ListId::Reasons | ListId::Changes => {
                self.hits.list(id).map_or(0, |drawn| drawn.rows)
            }
        }
    }

    /// The row of a list that is selected; `None` where that is not among its rows.
    pub fn cursor(&self, id: ListId) -> Option<usize> {
        let selection = self.selection();
        match id {
            ListId::Packages => {
                let name = selection.package.as_ref()?;
                self.derived.packages().place(name)
            }
            ListId::Channels => {
                let name = selection.channel.as_ref()?;
                self.derived.channels().place(name)
            }
            ListId::Entries => {
                let name = selection.bundle.as_ref()?;
                self.derived.entries().place(name)
            }
            ListId::Graph => {
                let name = selection.bundle.as_ref()?;
                let row = self.derived.layout()?.rows.iter().position(|row| &row.name == name)?;
                self.derived.graph_lines().lines.iter().position(|line| line.rows().contains(&row))
            }
            ListId::SideBySide => self.derived.side_by_side()?.row_of(selection.bundle.as_ref()?.as_str()),
            ListId::Upgrades => {
                let name = selection.bundle.as_ref()?;
                let place = self.derived.table()?.place(name)?;
                self.derived.rows().iter().position(|row| *row == place)
            }
            ListId::Problems => Some(self.problem.min(self.rows(id).checked_sub(1)?)),
            ListId::Deprecations => Some(self.deprecation.min(self.rows(id).checked_sub(1)?)),
            ListId::Differences => Some(self.change.min(self.rows(id).checked_sub(1)?)),
            ListId::Overlay => self.overlays.last()?.cursor(),
            ListId::Details | ListId::Reasons | ListId::Changes => None,
        }
    }

    /// Selects a row of a list.
    pub(in crate::app) fn select(&mut self, id: ListId, row: usize) {
        match id {
            ListId::Packages => {
                if let Some(name) = self.derived.packages().get(row).cloned() {
                    self.select_package(name);
                }
            }
            ListId::Channels => {
                if let Some(name) = self.derived.channels().get(row).cloned() {
                    self.select_channel(name);
                }
            }
            ListId::Entries => {
                if let Some(name) = self.derived.entries().get(row).cloned() {
                    self.select_bundle(name);
                }
            }
            ListId::Graph => {
                let row = self.row_of_line(row);
                let layout = self.derived.layout();
                if let Some(name) = row.and_then(|row| Some(layout?.rows.get(row)?.name.clone())) {
                    self.select_bundle(name);
                }
            }
            ListId::SideBySide => {
                let row = self.derived.side_by_side().and_then(|side| side.rows.get(row));
                if let Some(name) = row.map(|row| row.name.clone()) {
                    self.select_bundle(name);
                }
            }
            ListId::Upgrades => {
                let index = self.derived.rows().get(row).copied();
                let table = self.derived.table().cloned();
                if let Some(row) = table.zip(index).and_then(|(table, index)| table.rows.get(index).cloned())
                {
                    self.lists.set_first(ListId::Reasons, 0);
                    self.select_bundle(row.installed.name);
                }
            }
            ListId::Problems => self.problem = row,
            ListId::Deprecations => self.deprecation = row,
            ListId::Differences => self.change = row,
            ListId::Overlay => {
                if let Some(overlay) = self.overlays.last_mut() {
                    overlay.set_cursor(row);
                }
            }
            ListId::Details | ListId::Reasons | ListId::Changes => self.lists.set_first(id, row),
        }
        if matches!(
            id,
            ListId::Packages | ListId::Channels | ListId::Entries | ListId::Graph | ListId::SideBySide
        ) {
            self.lists.set_first(ListId::Details, 0);
        }
    }

    /// The row of the graph that a line stands for. A fold is stepped over, in the direction one comes from; where nothing
    /// lies behind it, it is entered.
    fn row_of_line(&self, line: usize) -> Option<usize> {
        let lines = &self.derived.graph_lines().lines;
        let is_row = |line: &&Line| matches!(line, Line::Row(_));
        let after = lines.get(line..)?;
        let found = if self.cursor(ListId::Graph).is_some_and(|cursor| cursor > line) {
            lines.get(..=line)?.iter().rev().find(is_row).or_else(|| after.first())
        } else {
            after.iter().find(is_row).or_else(|| after.first())
        };
        found.map(|line| line.rows().start)
    }

    /// Goes to what the selected finding is about.
    pub(in crate::app) fn go_to_problem(&mut self) {
        let row = self.cursor(ListId::Problems).and_then(|row| self.derived.problems().get(row));
        let Some(finding) = row.map(|p| p.finding.clone()) else { return };
        let Some(package) = finding.package else {
            self.notices.refused("this finding belongs to no package: see its place above");
            return;
        };
        let pane = match (&finding.channel, &finding.bundle) {
            (_, Some(_)) => Pane::Entries,
            (Some(_), None) => Pane::Channels,
            (None, None) => Pane::Packages,
        };
        self.show_in_catalog(package, finding.channel, finding.bundle, pane);
    }

    /// Goes to a finding that the finder found.
    pub(in crate::app) fn show_finding(&mut self, found: &Found) {
        self.current = found.place.catalog.min(self.open.len().saturating_sub(1));
        self.screen = Screen::Problems;
        self.lists.set_filter(ListId::Problems, String::new());
        self.derive();
        let Some(snapshot) = self.snapshot().cloned() else { return };
        let package = found.place.selection.package.as_ref();
        let findings = match package {
            Some(package) => snapshot.package(package.as_str()).map_or(&[][..], |judged| &judged.findings),
            None => snapshot.outside(),
        };
        let Some(wanted) = found.finding.and_then(|nth| findings.get(nth)) else { return };
        let is_it = |finding: &Diagnostic| {
            finding.rule.id == wanted.rule.id
                && finding.message == wanted.message
                && finding.package == wanted.package
                && finding.at == wanted.at
        };
        if let Some(row) = self.derived.problems().iter().position(|problem| is_it(&problem.finding)) {
            self.select(ListId::Problems, row);
        }
    }

    /// Goes to what the selected deprecation is about.
    pub(in crate::app) fn go_to_deprecation(&mut self) {
        use crate::catalog::blob::DeprecationTarget;
        let row = self.cursor(ListId::Deprecations).and_then(|row| self.derived.deprecations().get(row));
        let Some(row) = row.cloned() else { return };
        let (channel, bundle, pane) = match row.target().cloned() {
            Some(DeprecationTarget::Channel(channel)) => (Some(channel), None, Pane::Channels),
            Some(DeprecationTarget::Bundle(bundle)) => (None, Some(bundle), Pane::Entries),
            Some(DeprecationTarget::Package) | None => (None, None, Pane::Packages),
        };
        self.show_in_catalog(row.package, channel, bundle, pane);
    }

    /// Goes to the Catalog screen and shows something there.
    pub(in crate::app) fn show_in_catalog(
        &mut self,
        package: PackageName,
        channel: Option<ChannelName>,
        bundle: Option<BundleName>,
        pane: Pane,
    ) {
        self.jump(|model| model.show(package, channel, bundle, pane));
    }

    /// Shows something on the Catalog screen; a bundle in a channel that has it.
    pub(in crate::app) fn show(
        &mut self,
        package: PackageName,
        channel: Option<ChannelName>,
        bundle: Option<BundleName>,
        pane: Pane,
    ) {
        self.screen = Screen::Catalog;
        self.pane = pane;
        for list in [ListId::Packages, ListId::Channels, ListId::Entries] {
            self.lists.set_filter(list, String::new());
        }
        self.select_package(package);
        let channel = channel.or_else(|| self.channel_of(bundle.as_ref()?));
        if let Some(channel) = channel {
            self.select_channel(channel);
        }
        if let Some(bundle) = bundle {
            self.select_bundle(bundle);
        }
    }

    /// A channel that has a bundle: the selected one if it does.
    pub(in crate::app) fn channel_of(&self, bundle: &BundleName) -> Option<ChannelName> {
        let package = self.package()?.package();
        let mut channels: Vec<_> = package.channels_with(bundle).map(|c| c.name.value.clone()).collect();
        if let Some(here) = self.selection().channel.as_ref().filter(|here| channels.contains(here)) {
            return Some(here.clone());
        }
        channels.sort();
        let default = package.default_channel().filter(|d| channels.contains(d)).cloned();
        default.or_else(|| channels.into_iter().next())
    }
}

/// Whether a package has a bundle, or a channel of it names one.
fn names(package: &Judged, bundle: &BundleName) -> bool {
    package.package().bundle(bundle.as_str()).is_some()
        || package.graph.channels().iter().any(|channel| channel.graph.find(bundle.as_str()).is_some())
}
