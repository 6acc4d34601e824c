//! The Problems screen: what is wrong in the catalog, and what is to be done about it.

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

/// See the module.
#[derive(Debug, Default)]
pub struct Problems {
    /// The selected row, or more than there are: then the last.
    row: usize,
    /// Whether the keys go to what there is to say of it.
    pub reading: bool,
    list: Memo<Key, Vec<Problem>>,
    /// How many of them are accepted. They are the last.
    accepted: usize,
    /// Whether those are shown.
    is_open: bool,
}

type Key = (Same<Snapshot>, Same<Accepted>, String, Option<Order>);

impl Problems {
    /// The findings that pass the filter.
    pub fn problems(&self) -> &[Problem] {
        &self.list.value
    }

    /// How many of the findings that pass the filter are accepted.
    pub fn accepted(&self) -> usize {
        self.accepted
    }

    /// How many rows there are: the findings that count, and one for those that are accepted or all of them below it.
    fn len(&self) -> usize {
        let counting = self.problems().len() - self.accepted.min(self.problems().len());
        counting + usize::from(self.accepted > 0) + if self.is_open { self.accepted } else { 0 }
    }

    /// A row by its place.
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

    /// The place of the selected row.
    fn at(&self) -> Option<usize> {
        Some(self.row.min(self.len().checked_sub(1)?))
    }

    /// The selected finding.
    fn selected(&self) -> Option<&Problem> {
        match self.row(self.at()?)? {
            Row::Finding(problem) => Some(problem),
            Row::Accepted { .. } => None,
        }
    }

    /// Shows the accepted findings, or folds them again.
    fn fold(&mut self, _cx: &mut Cx<'_>) {
        self.is_open = !self.is_open;
        if !self.is_open {
            self.row = self.at().unwrap_or_default();
        }
    }

    /// Selects the row of a finding, where it is shown.
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
        // Asked for each frame: all of a finding may be much.
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

    /// Goes to what the selected finding is about.
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
        // What was read may be gone.
        self.reading &= self.selected().is_some();
    }
}
