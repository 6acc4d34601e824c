//! The Problems screen: findings of the catalog, with their fixes.

pub mod rows;
mod table;

pub use self::table::TABLE;

use self::rows::{Problem, Row};
use self::table::INSTEAD;
use crate::{
    app::{
        keys::{ActionId, spec::Enabled},
        parts::{
            list::ListId,
            memo::{Memo, Same},
            orders::Order,
            splits::Splitter,
        },
        screens::screen::ScreenState,
        session::{
            action::how,
            cx::{Cx, See},
            place::Pane,
            target::{Target, Whereabouts},
        },
        work::Answer,
    },
    review::{Snapshot, accepted::Accepted},
    validate::{Diagnostic, Severity},
};

/// State of the Problems screen.
#[derive(Debug, Default)]
pub struct Problems {
    /// Index of the selected row. An index beyond the end selects the last row.
    row: usize,
    /// Whether the text pane is focused.
    pub reading: bool,
    list: Memo<Key, Vec<Problem>>,
    /// Number of accepted findings, which are at the end of the list.
    accepted: usize,
    /// Whether accepted findings are unfolded.
    is_open: bool,
}

type Key = (Same<Snapshot>, Same<Accepted>, String, Option<Order>);

impl Problems {
    /// Returns the findings that pass the filter.
    pub fn problems(&self) -> &[Problem] {
        &self.list.value
    }

    /// Returns the number of accepted findings that pass the filter.
    pub fn accepted(&self) -> usize {
        self.accepted
    }

    /// Returns the number of rows: the open findings, one row for the accepted ones, and these if
    /// they are unfolded.
    fn len(&self) -> usize {
        let counting = self.problems().len() - self.accepted.min(self.problems().len());
        counting + usize::from(self.accepted > 0) + if self.is_open { self.accepted } else { 0 }
    }

    /// Returns a row.
    pub fn row(&self, at: usize) -> Option<Row<'_>> {
        let counting = self.problems().len().saturating_sub(self.accepted);
        match at.checked_sub(counting) {
            Some(0) if self.accepted > 0 => {
                Some(Row::Accepted { count: self.accepted, is_open: self.is_open })
            }
            Some(beyond) if beyond > self.accepted || !self.is_open => None,
            Some(_) => self.problems().get(at - 1).map(Row::Finding),
            None => self.problems().get(at).map(Row::Finding),
        }
    }

    /// Returns the index of the selected row.
    fn at(&self) -> Option<usize> {
        Some(self.row.min(self.len().checked_sub(1)?))
    }

    /// Returns the selected finding.
    fn selected(&self) -> Option<&Problem> {
        match self.row(self.at()?)? {
            Row::Finding(problem) => Some(problem),
            Row::Accepted { .. } => None,
        }
    }

    /// Unfolds or folds the accepted findings.
    fn fold(&mut self, _cx: &mut Cx<'_>) {
        self.is_open = !self.is_open;
        if !self.is_open {
            self.row = self.at().unwrap_or_default();
        }
    }

    /// Selects a finding, if it is listed.
    fn find(&mut self, wanted: &Diagnostic, cx: &mut Cx<'_>) {
        cx.session.derive();
        self.settle(&cx.see());
        let is_it = |finding: &Diagnostic| {
            finding.rule.id == wanted.rule.id
                && finding.message == wanted.message
                && finding.package == wanted.package
                && finding.at == wanted.at
        };
        if let Some(at) = self.problems().iter().position(|problem| {
            let repeated = problem.repeated.iter().map(|repeated| &repeated.finding);
            std::iter::once(&problem.finding).chain(repeated).any(is_it)
        }) {
            let is_accepted = self.problems().get(at).is_some_and(|problem| problem.accepted.is_some());
            self.is_open |= is_accepted;
            self.row = at + usize::from(is_accepted);
            self.reading = false;
            cx.session.lists.set_first(ListId::Finding, 0);
        }
    }
}

impl ScreenState for Problems {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        how(TABLE, INSTEAD, id).map(|own| (own.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(own) = how(TABLE, INSTEAD, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, see: &See<'_>) -> Target {
        let Some(Problem { finding, .. }) = self.selected() else { return Target::default() };
        // Called for each frame, so the finding is not cloned as a whole.
        let (package, channel, bundle) =
            (finding.package.clone(), finding.channel.clone(), finding.bundle.clone());
        let whereabouts = finding.at.clone().map(Whereabouts::At);
        Target { whereabouts, ..Target::of_row(see.session, "this finding", package, channel, bundle) }
    }

    fn list(&self, _see: &See<'_>) -> ListId {
        if self.reading { ListId::Finding } else { ListId::Problems }
    }

    fn lists(&self) -> &'static [ListId] {
        &[ListId::Problems]
    }

    fn rows(&self, list: ListId, _see: &See<'_>) -> usize {
        if list == ListId::Problems { self.len() } else { 0 }
    }

    fn cursor(&self, list: ListId, _see: &See<'_>) -> Option<usize> {
        if list == ListId::Problems { self.at() } else { None }
    }

    fn select(&mut self, list: ListId, row: usize, cx: &mut Cx<'_>) {
        if list == ListId::Problems {
            self.row = row;
            cx.session.lists.set_first(ListId::Finding, 0);
        }
    }

    fn focus(&mut self, list: ListId, _cx: &mut Cx<'_>) {
        match list {
            ListId::Finding => self.reading = true,
            ListId::Problems => self.reading = false,
            _ => {}
        }
    }

    fn turn(&mut self, _by: isize, _cx: &mut Cx<'_>) {
        self.reading = !self.reading && self.selected().is_some();
    }

    fn back(&mut self, _cx: &mut Cx<'_>) -> bool {
        std::mem::take(&mut self.reading)
    }

    /// Goes to the subject of the selected finding.
    fn enter(&mut self, cx: &mut Cx<'_>) {
        if let Some(Row::Accepted { .. }) = self.at().and_then(|at| self.row(at)) {
            return self.fold(cx);
        }
        let Some(finding) = self.selected().map(|problem| problem.finding.clone()) else { return };
        let Some(package) = finding.package else {
            cx.notices.refused("this finding has no package: see its place above");
            return;
        };
        let pane = match (&finding.channel, &finding.bundle) {
            (_, Some(_)) => Pane::Entries,
            (Some(_), None) => Pane::Channels,
            (None, None) => Pane::Packages,
        };
        cx.session.show_in_catalog(package, finding.channel, finding.bundle, pane);
    }

    fn enters(&self, _see: &See<'_>) -> Option<&'static str> {
        Some(match self.row(self.at()?)? {
            Row::Finding(_) => "go there",
            Row::Accepted { is_open: true, .. } => "fold them",
            Row::Accepted { is_open: false, .. } => "show them",
        })
    }

    fn count(&self, see: &See<'_>) -> usize {
        [Severity::Error, Severity::Warning, Severity::Note]
            .map(|severity| see.session.counting(severity))
            .iter()
            .sum()
    }

    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Problems, !self.reading))
    }

    fn answered(&mut self, answer: Answer, cx: &mut Cx<'_>) {
        if let Answer::Finding(wanted) = answer {
            self.find(&wanted, cx);
        }
    }

    fn settle(&mut self, see: &See<'_>) {
        let snapshot = see.session.snapshot();
        let filter = see.session.lists.filter(ListId::Problems).to_owned();
        let file = see.session.accepted();
        let key = (Same::of(snapshot), Same::of(file), filter, see.session.orders.of(ListId::Problems));
        self.list.update(key, |(_, _, filter, order)| rows::problems(see.session, filter, *order));
        self.accepted = self.problems().iter().rev().take_while(|problem| problem.accepted.is_some()).count();
        // The finding that was focused may be fixed.
        self.reading &= self.selected().is_some();
    }
}
