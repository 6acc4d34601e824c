//! Choosing one of a few ways, each with what it would lead to.

use std::sync::Arc;

use super::dialog::{DialogState, Rows, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::{
        Session,
        cx::{Cx, See},
    },
    work::{
        Opening, Prospect,
        opening::{Leads, Purpose, Way},
        preview::Outcome,
    },
};

/// The choice.
#[derive(Debug)]
pub struct Choose {
    /// What is asked.
    pub title: String,
    /// What the choice is for.
    pub purpose: Purpose,
    /// The ways.
    pub ways: Vec<Way>,
    /// The row.
    pub cursor: usize,
    /// What a way leads to; nothing where that is a question.
    pub preview: Prospect,
    /// The way that the preview is of.
    previewed: usize,
}

impl Choose {
    /// The choice, with the cursor on the first way.
    pub(in crate::app) fn new(purpose: Purpose, title: String, ways: Vec<Way>, session: &Session) -> Self {
        let mut choice = Self { title, purpose, ways, cursor: 0, preview: Prospect::Nothing, previewed: 0 };
        choice.look(session);
        choice
    }

    /// One way that is worked out already.
    pub(in crate::app) fn offered(title: String, outcome: Arc<Outcome>) -> Self {
        let ways = vec![Way::of(outcome.edit.clone())];
        let preview = Prospect::Known(Ok(outcome));
        Self { title, purpose: Purpose::Edit, ways, cursor: 0, preview, previewed: 0 }
    }

    /// Works out what the way under the cursor leads to.
    fn look(&mut self, session: &Session) {
        self.previewed = self.cursor;
        self.preview = match self.way().map(|way| &way.then) {
            Some(Leads::Edit(edit)) => session.prospect(edit.clone()),
            Some(Leads::Ask { .. }) | None => Prospect::Nothing,
        };
    }

    /// The way under the cursor.
    pub fn way(&self) -> Option<&Way> {
        self.ways.get(self.cursor)
    }

    /// The question that the way under the cursor leads to.
    fn question(&self) -> Option<Opening> {
        let Leads::Ask { package, asked, proposed } = &self.way()?.then else { return None };
        Some(Opening::Ask {
            purpose: self.purpose,
            package: package.clone(),
            asked: asked.clone(),
            proposed: proposed.clone(),
        })
    }
}

impl DialogState for Choose {
    fn id(&self) -> Dialog {
        Dialog::Choose
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if press != Press::Action(ActionId::Accept) {
            return Step::Stay;
        }
        if let Some(question) = self.question() {
            return Step::Instead(question);
        }
        let Some(Ok(outcome)) = cx.session.now(&mut self.preview) else { return Step::Stay };
        cx.keep_and_show(self.purpose, outcome);
        Step::Close
    }

    fn prospect(&mut self) -> Option<&mut Prospect> {
        Some(&mut self.preview)
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.ways.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    fn settle(&mut self, see: &See<'_>) {
        if self.previewed != self.cursor {
            self.look(see.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        edit::{self, Edit},
        review::{Consequences, Snapshot},
        upgrade::fixture,
    };

    #[test]
    fn what_an_offer_leads_to_is_not_worked_out_again() {
        let before = Snapshot::new(fixture::catalog(&[("c", "1.0.0"), ("d", "1.0.0")]));
        let edit = Edit::SetDefaultChannel { package: "p".into(), channel: "d".into() };
        let after = Arc::new(before.after(edit::apply(&before.catalog, &edit).unwrap()));
        let consequences = Consequences::between(&before, &after);
        let outcome = Arc::new(Outcome { edit, after, consequences });
        let offered = Choose::offered("Fix it".to_owned(), Arc::clone(&outcome));
        assert!(matches!(offered.preview.known(), Some(Ok(shown)) if Arc::ptr_eq(shown, &outcome)));
    }
}
