//! Choosing one of a few ways, each with what it would lead to.

use crate::app::work::opening::{Leads, Way};
use crate::app::{
    dialogs::ask::Ask,
    shell::model::Model,
    work::{opening::Purpose, preview::Preview},
};
use crate::catalog::PackageName;

/// The choice.
#[derive(Debug)]
pub struct Choose {
    /// What is asked.
    pub title: String,
    /// The package.
    pub package: PackageName,
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
    pub(in crate::app) fn new(
        model: &Model,
        purpose: Purpose,
        package: PackageName,
        title: String,
        ways: Vec<Way>,
    ) -> Self {
        let mut choice = Self { title, package, purpose, ways, cursor: 0, preview: None, previewed: 0 };
        choice.look(model);
        choice
    }

    /// Works out what the way under the cursor leads to, where that is another one than before.
    pub(in crate::app) fn refresh(&mut self, model: &Model) {
        if self.previewed != self.cursor {
            self.look(model);
        }
    }

    fn look(&mut self, model: &Model) {
        self.previewed = self.cursor;
        self.preview = match self.way().map(|way| &way.then) {
            Some(Leads::Edit(edit)) => Some(model.session.preview(edit.clone())),
            Some(Leads::Ask(..)) | None => None,
        };
    }

    /// The way under the cursor.
    pub fn way(&self) -> Option<&Way> {
        self.ways.get(self.cursor)
    }

    /// The question that the way under the cursor leads to.
    pub(in crate::app) fn question(&self, model: &Model) -> Option<Ask> {
        let Leads::Ask(asked, proposed) = &self.way()?.then else { return None };
        Some(Ask::new(model, self.purpose, self.package.clone(), asked.clone(), proposed.clone()))
    }
}
