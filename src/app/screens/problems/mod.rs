//! The Problems screen: what is wrong in the catalog, and what is to be done about it.

pub mod rows;
mod table;

pub use self::table::TABLE;

use self::rows::Problem;
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
    review::Snapshot,
    validate::Diagnostic,
};

/// See the module.
#[derive(Debug, Default)]
pub struct Problems {
    /// The selected row, or more than there are: then the last.
    row: usize,
    /// Whether the keys go to what there is to say of it.
    pub reading: bool,
    shown: Memo<(Same<Snapshot>, String, Option<Order>), Vec<Problem>>,
}

impl Problems {
    /// The findings that pass the filter.
    pub fn problems(&self) -> &[Problem] {
        &self.shown.value
    }

    /// The place of the selected row.
    fn at(&self) -> Option<usize> {
        Some(self.row.min(self.problems().len().checked_sub(1)?))
    }

    /// The selected row.
    fn selected(&self) -> Option<&Problem> {
        self.problems().get(self.at()?)
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
        if let Some(row) = self.problems().iter().position(|problem| is_it(&problem.finding)) {
            self.row = row;
            self.reading = false;
            cx.session.lists.set_first(ListId::Finding, 0);
        }
    }
}

impl ScreenState for Problems {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        how(TABLE, &[], id).map(|own| (own.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(own) = how(TABLE, &[], id) {
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
        if list == ListId::Problems { self.problems().len() } else { 0 }
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
        let Some(finding) = self.selected().map(|problem| problem.finding.clone()) else { return };
        let Some(package) = finding.package else {
            cx.notices.refused("this finding belongs to no package: see its place above");
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
        self.at().map(|_| "go there")
    }

    fn count(&self, see: &See<'_>) -> usize {
        see.session.snapshot().map_or(0, |snapshot| snapshot.total())
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
        let key = (Same::of(snapshot), filter, see.session.orders.of(ListId::Problems));
        self.shown.update(key, |(_, filter, order)| {
            snapshot.map(|snapshot| rows::problems(snapshot, filter, *order)).unwrap_or_default()
        });
        // What was read may be gone.
        self.reading &= !self.problems().is_empty();
    }
}
