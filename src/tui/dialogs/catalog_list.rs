//! Dialog that lists the open catalogs and switches between them.

use tui_input::Input;

use super::dialog::{DialogState, DialogStep, RowCursor};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    parts::{field, list::passes_filter},
    session::{
        Session,
        accepted_findings::OpenFindingCounts,
        context::{Context, ViewContext},
        open_catalog::{OpenCatalog, catalog_labels},
    },
    work::{Base, Jump},
};
use olm_check::Severity;

/// State of the dialog.
#[derive(Debug, Default)]
pub struct CatalogList {
    /// Filter text.
    pub input: Input,
    /// Rows of open catalogs in their order, followed by catalogs that are not open.
    rows: Vec<CatalogRow>,
    /// Index of the selected row among the filtered rows.
    pub cursor: usize,
    /// Number of findings of each open catalog.
    counts: OpenFindingCounts,
}

/// Row of a catalog that is open or was requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogRow {
    /// Unique short name.
    pub label: String,
    /// Source of the catalog.
    pub source_label: String,
    /// State of the catalog.
    pub state: CatalogState,
}

/// State of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CatalogState {
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
        read_percent: Option<usize>,
        /// Base of the comparison.
        base: Option<Base>,
    },
    /// Catalog is being read.
    Reading,
    /// Catalog could not be read, with the reason.
    Failed(String),
}

impl CatalogList {
    /// Lists all catalogs, with the cursor on the current one.
    pub(in crate::tui) fn new(view_cx: &ViewContext<'_>) -> Self {
        let mut catalogs = Self { cursor: view_cx.session.current, ..Self::default() };
        catalogs.refresh_state(view_cx);
        catalogs
    }

    /// Returns the catalogs that match the filter.
    pub fn filtered_catalogs(&self) -> impl Iterator<Item = &CatalogRow> {
        let typed = self.input.value();
        self.rows
            .iter()
            .filter(move |row| passes_filter(typed, &row.source_label) || passes_filter(typed, &row.label))
    }

    /// Returns the number of catalogs.
    pub fn count_catalogs(&self) -> usize {
        self.rows.len()
    }
}

fn open_catalog_rows(session: &Session, counts: &OpenFindingCounts) -> Vec<CatalogRow> {
    let labelled = session.open_catalogs.iter().zip(catalog_labels(&session.open_catalogs)).enumerate();
    let row = |(catalog, (open, label)): (usize, (&OpenCatalog, String))| {
        let now = open.visible_state();
        let count = |severity| counts.open_count(catalog, severity);
        let read = now
            .catalog
            .missing_part()
            .map(|unread| (unread.bytes_read * 100).checked_div(unread.bytes_found));
        let state = CatalogState::Open {
            catalog,
            packages: now.packages().len(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            unsaved: open.history.unsaved_count(&open.baseline),
            read_percent: read.map(Option::unwrap_or_default),
            base: open.base_comparison.pending_base().or(open.base_comparison.base()).cloned(),
        };
        CatalogRow { label, source_label: open.source.label(), state }
    };
    labelled.map(row).collect()
}

/// Returns the requested catalogs that are not open.
fn missing_catalog_rows(session: &Session) -> impl Iterator<Item = CatalogRow> {
    let sources = session.sources.iter();
    sources.filter(|source| !session.open_catalogs.iter().any(|open| open.source == **source)).map(|source| {
        let why = session.failed.iter().find(|(of, _)| of == source).map(|(_, why)| why.clone());
        let label = Base::Open(source.clone()).short_label();
        CatalogRow {
            label,
            source_label: source.label(),
            state: why.map_or(CatalogState::Reading, CatalogState::Failed),
        }
    })
}

impl DialogState for CatalogList {
    fn id(&self) -> Dialog {
        Dialog::Catalogs
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press == KeyPress::Action(ActionId::Accept) {
            match self.filtered_catalogs().nth(self.cursor).map(|row| &row.state) {
                Some(CatalogState::Open { catalog, .. }) => {
                    if *catalog != cx.session.current {
                        cx.go_to(Jump::OtherCatalog(*catalog));
                    }
                    return DialogStep::Close;
                }
                // The row already shows the reason.
                Some(CatalogState::Reading | CatalogState::Failed(_)) | None => return DialogStep::Stay,
            }
        }
        if field::handle_field_key(&mut self.input, press) {
            self.cursor = 0;
        }
        DialogStep::Stay
    }

    fn text_field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.filtered_catalogs().count(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    /// Updates the rows, because catalogs may have been read in the meantime.
    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        let session = view_cx.session;
        self.counts.update(&session.open_catalogs);
        self.rows = open_catalog_rows(session, &self.counts);
        self.rows.extend(missing_catalog_rows(session));
        self.cursor = self.cursor.min(self.filtered_catalogs().count().saturating_sub(1));
    }
}
