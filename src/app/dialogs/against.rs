//! Dialog that chooses the base of the comparison.

use super::dialog::{DialogState, Rows, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        session::{
            Session,
            against::{self, repository},
            cx::{Cx, See},
            open::labels,
        },
        work::{Base, Opening, Refusal, opening::PromptPurpose},
    },
    catalog::load::git::Revision,
};

/// State of the dialog.
#[derive(Debug)]
pub struct Against {
    /// Options to choose from.
    pub others: Vec<Other>,
    /// Index of the selected option.
    pub cursor: usize,
}

/// Option of the dialog.
#[derive(Clone, Debug)]
pub struct Other {
    /// Name of the option.
    pub label: String,
    /// Explanation next to the name.
    pub note: String,
    /// Effect of choosing the option, or the reason why it is not available.
    pub leads: Result<Comparand, Refusal>,
}

/// Effect of choosing an option.
#[derive(Clone, Debug)]
pub enum Comparand {
    /// Stops the comparison.
    Nothing,
    /// Compares with the base.
    Base(Base),
    /// Asks for a revision.
    AskRevision,
    /// Asks for a path.
    AskPath,
}

impl Against {
    /// Lists the options for the current catalog, with the cursor on the current base.
    pub(in crate::app) fn new(session: &Session) -> Self {
        let others = others(session);
        let base = session.base().cloned();
        let is_it =
            |other: &Other| matches!(&other.leads, Ok(Comparand::Base(of)) if Some(of) == base.as_ref());
        let first = others.iter().position(|other| other.label == "HEAD");
        let cursor = others.iter().position(is_it).or(first.filter(|_| base.is_none()));
        Self { others, cursor: cursor.unwrap_or_default() }
    }
}

fn others(session: &Session) -> Vec<Other> {
    let Some(open) = session.catalog() else { return Vec::new() };
    let other =
        |label: &str, note: &str, leads| Other { label: label.to_owned(), note: note.to_owned(), leads };
    let compares = open.comparing.base().is_some() || open.comparing.asked().is_some();
    let end = if compares { Ok(Comparand::Nothing) } else { Err(Refusal::new("no comparison is active")) };
    let head = Base::Revision(Revision { revision: "HEAD".to_owned(), path: None });
    let head = repository(open).map(|()| Comparand::Base(head));
    let loaded = Ok(Comparand::Base(Base::Loaded));
    let mut others = vec![
        other("nothing", "show only unsaved edits", end),
        other("as loaded", "the catalog without unsaved edits", loaded),
        other("HEAD", "the last commit of its git repository", head),
        other("another revision", "a branch, a tag, a commit", Ok(Comparand::AskRevision)),
        other("another catalog", "a directory, a file, an image", Ok(Comparand::AskPath)),
    ];
    let catalogs = labels(&session.open).into_iter().zip(&session.open).enumerate();
    for (number, (label, catalog)) in catalogs.filter(|(number, _)| *number != session.current) {
        let leads = Ok(Comparand::Base(Base::Open(catalog.source.clone())));
        others.push(Other { label, note: format!("open as [{}]", number + 1), leads });
    }
    others
}

fn ask(title: &'static str, purpose: PromptPurpose) -> Step {
    Step::Instead(Opening::Prompt { title, purpose, text: String::new() })
}

impl DialogState for Against {
    fn id(&self) -> Dialog {
        Dialog::Against
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if press != Press::Action(ActionId::Accept) {
            return Step::Stay;
        }
        match self.others.get(self.cursor).map(|other| &other.leads) {
            Some(Ok(Comparand::Nothing)) => against::choose(cx, None),
            Some(Ok(Comparand::Base(base))) => against::choose(cx, Some(base.clone())),
            Some(Ok(Comparand::AskRevision)) => {
                return ask("Revision to compare with: a branch, a tag, a commit", PromptPurpose::Revision);
            }
            Some(Ok(Comparand::AskPath)) => {
                return ask(
                    "Catalog to compare with: a directory, a file, an image, an address",
                    PromptPurpose::BasePath,
                );
            }
            // The dialog already shows the reason.
            Some(Err(_)) | None => return Step::Stay,
        }
        Step::Close
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.others.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    /// Updates the options, because a repository may have been found in the meantime.
    fn settle(&mut self, see: &See<'_>) {
        self.others = others(see.session);
        self.cursor = self.cursor.min(self.others.len().saturating_sub(1));
    }
}
