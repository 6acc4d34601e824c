//! Dialog that lists the open catalogs and switches between them.

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

/// State of the dialog.
#[derive(Debug, Default)]
pub struct Catalogs {
    /// Filter text.
    pub input: Input,
    /// Rows of open catalogs in their order, followed by catalogs that are not open.
    all: Vec<Row>,
    /// Index of the selected row among the filtered rows.
    pub cursor: usize,
    /// Number of findings of each open catalog.
    counts: Counts,
}

/// Row of a catalog that is open or was requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Unique short name.
    pub label: String,
    /// Source of the catalog.
    pub from: String,
    /// State of the catalog.
    pub state: State,
}

/// State of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Catalog is open.
    Open {
        /// Index among the open catalogs.
        catalog: usize,
        /// Number of packages.
        packages: usize,
        /// Number of errors.
        errors: usize,
        /// Number of warnings.
        warnings: usize,
        /// Number of unsaved edits.
        unsaved: usize,
        /// Percentage of files read so far; `None` if all are read.
        read: Option<usize>,
        /// Base of the comparison.
        base: Option<Base>,
    },
    /// Catalog is being read.
    Reading,
    /// Catalog could not be read, with the reason.
    Failed(String),
}

impl Catalogs {
    /// Lists all catalogs, with the cursor on the current one.
    pub(in crate::app) fn new(see: &See<'_>) -> Self {
        let mut catalogs = Self { cursor: see.session.current, ..Self::default() };
        catalogs.settle(see);
        catalogs
    }

    /// Returns the catalogs that match the filter.
    pub fn left(&self) -> impl Iterator<Item = &Row> {
        let typed = self.input.value();
        self.all.iter().filter(move |row| passes(typed, &row.from) || passes(typed, &row.label))
    }

    /// Returns the number of catalogs.
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

/// Returns the requested catalogs that are not open.
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
                // The row already shows the reason.
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

    /// Updates the rows, because catalogs may have been read in the meantime.
    fn settle(&mut self, see: &See<'_>) {
        let session = see.session;
        self.counts.update(&session.open);
        self.all = open(session, &self.counts);
        self.all.extend(missing(session));
        self.cursor = self.cursor.min(self.left().count().saturating_sub(1));
    }
}
