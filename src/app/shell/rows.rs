//! The rows of lists: how many there are, which one is selected, selecting one.

use crate::app::keys::Screen;
use crate::app::parts::list::ListId;
use crate::app::session::place::Pane;
use crate::app::shell::model::Model;
use crate::catalog::PackageName;
use crate::layout::Line;
use crate::validate::diagnostic::Diagnostic;

impl Model {
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
            ListId::Overlay => self.overlays.last().map_or(0, |overlay| overlay.state().rows()),
            ListId::Details | ListId::Reasons | ListId::Changes => {
                self.frame.hits.list(id).map_or(0, |drawn| drawn.rows)
            }
        }
    }

    /// The row of a list that is selected; `None` where that is not among its rows.
    pub fn cursor(&self, id: ListId) -> Option<usize> {
        let selection = self.session.selection();
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
                let place = self.session.answers.table()?.place(name)?;
                self.derived.rows().iter().position(|row| *row == place)
            }
            ListId::Problems => Some(self.problem.min(self.rows(id).checked_sub(1)?)),
            ListId::Deprecations => Some(self.deprecation.min(self.rows(id).checked_sub(1)?)),
            ListId::Differences => Some(self.change.min(self.rows(id).checked_sub(1)?)),
            ListId::Overlay => self.overlays.last()?.state().cursor(),
            ListId::Details | ListId::Reasons | ListId::Changes => None,
        }
    }

    /// Selects a row of a list.
    pub(in crate::app) fn select(&mut self, id: ListId, row: usize) {
        match id {
            ListId::Packages => {
                if let Some(name) = self.derived.packages().get(row).cloned() {
                    self.session.select_package(name);
                }
            }
            ListId::Channels => {
                if let Some(name) = self.derived.channels().get(row).cloned() {
                    self.session.select_channel(name);
                }
            }
            ListId::Entries => {
                if let Some(name) = self.derived.entries().get(row).cloned() {
                    self.session.select_bundle(name);
                }
            }
            ListId::Graph => {
                let row = self.row_of_line(row);
                let layout = self.derived.layout();
                if let Some(name) = row.and_then(|row| Some(layout?.rows.get(row)?.name.clone())) {
                    self.session.select_bundle(name);
                }
            }
            ListId::SideBySide => {
                let row = self.derived.side_by_side().and_then(|side| side.rows.get(row));
                if let Some(name) = row.map(|row| row.name.clone()) {
                    self.session.select_bundle(name);
                }
            }
            ListId::Upgrades => {
                let index = self.derived.rows().get(row).copied();
                let table = self.session.answers.table().cloned();
                if let Some(row) = table.zip(index).and_then(|(table, index)| table.rows.get(index).cloned())
                {
                    self.session.lists.set_first(ListId::Reasons, 0);
                    self.session.select_bundle(row.installed.name);
                }
            }
            ListId::Problems => self.problem = row,
            ListId::Deprecations => self.deprecation = row,
            ListId::Differences => self.change = row,
            ListId::Overlay => {
                if let Some(overlay) = self.overlays.last_mut() {
                    overlay.state_mut().set_cursor(row);
                }
            }
            ListId::Details | ListId::Reasons | ListId::Changes => self.session.lists.set_first(id, row),
        }
        if matches!(
            id,
            ListId::Packages | ListId::Channels | ListId::Entries | ListId::Graph | ListId::SideBySide
        ) {
            self.session.lists.set_first(ListId::Details, 0);
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
        self.session.show_in_catalog(package, finding.channel, finding.bundle, pane);
    }

    /// Shows a finding, by which of its package it is, on the Problems screen.
    pub(in crate::app) fn show_finding(&mut self, catalog: usize, package: Option<&PackageName>, nth: usize) {
        self.session.current = catalog.min(self.session.open.len().saturating_sub(1));
        self.session.screen = Screen::Problems;
        self.session.lists.set_filter(ListId::Problems, String::new());
        self.derive();
        let Some(snapshot) = self.session.snapshot().cloned() else { return };
        let findings = match package {
            Some(package) => snapshot.package(package.as_str()).map_or(&[][..], |judged| &judged.findings),
            None => snapshot.outside(),
        };
        let Some(wanted) = findings.get(nth) else { return };
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
        self.session.show_in_catalog(row.package, channel, bundle, pane);
    }

    /// Goes somewhere in a way one can come back from.
    pub(in crate::app) fn jump(&mut self, go: impl FnOnce(&mut Self)) {
        let place = self.session.place();
        go(self);
        self.session.left(place);
    }
}
