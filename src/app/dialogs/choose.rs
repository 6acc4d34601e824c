//! Choosing one of a few ways, each with what it would lead to.

use super::dialog::{DialogState, Rows, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::{
        Session,
        cx::{Cx, See},
    },
    work::{
        Opening,
        opening::{Leads, Purpose, Way},
        preview::Preview,
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
    /// What a way leads to; `None` where that is a question.
    pub preview: Option<Preview>,
    /// The way that the preview is of.
    previewed: usize,
}

impl Choose {
    /// The choice, with the cursor on the first way.
    pub(in crate::app) fn new(purpose: Purpose, title: String, ways: Vec<Way>, session: &Session) -> Self {
        let mut choice = Self { title, purpose, ways, cursor: 0, preview: None, previewed: 0 };
        choice.look(session);
        choice
    }

    /// Works out what the way under the cursor leads to.
    fn look(&mut self, session: &Session) {
        self.previewed = self.cursor;
        self.preview = match self.way().map(|way| &way.then) {
            Some(Leads::Edit(edit)) => Some(session.preview(edit.clone())),
            Some(Leads::Ask { .. }) | None => None,
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
        let Some(Ok(outcome)) = &self.preview else { return Step::Stay };
        cx.keep_and_show(self.purpose, outcome);
        Step::Close
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
