//! The open catalogs, to go to one.

use tui_input::Input;

use super::dialog::{DialogState, Rows, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        parts::{field, list::passes},
        session::{
            Session,
            accepting::Counts,
            cx::{Cx, See},
            open::{Open, labels},
        },
        work::{Base, Jump},
    },
    validate::Severity,
};

/// The list.
#[derive(Debug, Default)]
pub struct Catalogs {
    /// What is typed.
    pub input: Input,
    /// The catalogs: the open ones in their order, then those that are not there.
    all: Vec<Row>,
    /// The row, among those that are left.
    pub cursor: usize,
    /// How many findings of each open catalog count.
    counts: Counts,
}

/// A catalog that is open, or was to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What tells it from the others.
    pub label: String,
    /// Where it is from.
    pub from: String,
    /// How it stands.
    pub state: State,
}

/// How a catalog stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is open.
    Open {
        /// Its place among the open ones.
        catalog: usize,
        /// How many packages it has.
        packages: usize,
        /// How many errors count.
        errors: usize,
        /// How many warnings count.
        warnings: usize,
        /// How many edits are not saved.
        unsaved: usize,
        /// Percent that are read, while not all is.
        read: Option<usize>,
        /// What it is compared with.
        base: Option<Base>,
    },
    /// It is being read.
    Reading,
    /// It could not be read: why.
    Failed(String),
}

impl Catalogs {
    /// All of them, with the cursor on the one that is looked at.
    pub(in crate::app) fn new(see: &See<'_>) -> Self {
        let mut catalogs = Self { cursor: see.session.current, ..Self::default() };
        catalogs.settle(see);
        catalogs
    }

    /// The catalogs that are left by what is typed.
    pub fn left(&self) -> impl Iterator<Item = &Row> {
        let typed = self.input.value();
        self.all.iter().filter(move |row| passes(typed, &row.from) || passes(typed, &row.label))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }
}

fn open(session: &Session, counts: &Counts) -> Vec<Row> {
    let labelled = session.open.iter().zip(labels(&session.open)).enumerate();
    let row = |(catalog, (open, label)): (usize, (&Open, String))| {
        let now = open.now();
        let count = |severity| counts.of(catalog, severity);
        let read = now.catalog.unread().map(|unread| (unread.read * 100).checked_div(unread.found));
        let state = State::Open {
            catalog,
            packages: now.packages().len(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            unsaved: open.history.unsaved(&open.baseline),
            read: read.map(Option::unwrap_or_default),
            base: open.comparing.asked().or(open.comparing.base()).cloned(),
        };
        Row { label, from: open.source.label(), state }
    };
    labelled.map(row).collect()
}

/// Those that were asked for and are not open.
fn missing(session: &Session) -> impl Iterator<Item = Row> {
    let sources = session.sources.iter();
    sources.filter(|source| !session.open.iter().any(|open| open.source == **source)).map(|source| {
        let why = session.failed.iter().find(|(of, _)| of == source).map(|(_, why)| why.clone());
        let label = Base::Open(source.clone()).short();
        Row { label, from: source.label(), state: why.map_or(State::Reading, State::Failed) }
    })
}

impl DialogState for Catalogs {
    fn id(&self) -> Dialog {
        Dialog::Catalogs
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if press == Press::Action(ActionId::Accept) {
            match self.left().nth(self.cursor).map(|row| &row.state) {
                Some(State::Open { catalog, .. }) => {
                    if *catalog != cx.session.current {
                        cx.go(Jump::Turn(*catalog));
                    }
                    return Step::Close;
                }
                // Why not stands in the box.
                Some(State::Reading | State::Failed(_)) | None => return Step::Stay,
            }
        }
        if field::type_into(&mut self.input, press) {
            self.cursor = 0;
        }
        Step::Stay
    }

    fn field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.left().count(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    /// Says what is there by now: catalogs may be read meanwhile.
    fn settle(&mut self, see: &See<'_>) {
        let session = see.session;
        self.counts.update(&session.open);
        self.all = open(session, &self.counts);
        self.all.extend(missing(session));
        self.cursor = self.cursor.min(self.left().count().saturating_sub(1));
    }
}
