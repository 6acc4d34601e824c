//! Dialog that lists the open catalogs and switches between them. It also says which of them belong to a cluster.

use crate::tui::{
    dialogs::{
        dialog::{DialogState, DialogStep, RowCursor, dialog_list},
        prompt::{Prompt, PromptPurpose},
    },
    keys::{ActionId, Dialog, KeyPress},
    parts::{
        field::{self, TextField},
        list::passes_filter,
    },
    session::{
        Session,
        accepted_findings::OpenFindingCounts,
        context::{Context, ViewContext},
        open_catalog::OpenCatalog,
    },
    widgets::{
        boxes::{centered, draw_field, draw_key_hints},
        canvas::{Canvas, Line, Piece, display_width, pad, piece, text_piece, wrap_text},
        text::format_count,
        theme::Ink,
    },
    work::{Base, Jump, Source},
};
use olm_check::Severity;
use ratatui::layout::Rect;

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("catalogs", "the open catalogs").with_rows().with_field();

/// State of the dialog.
#[derive(Debug, Default)]
pub struct CatalogList {
    /// Filter text.
    pub input: TextField,
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
    pub source: Source,
    /// Display name of the source.
    pub source_label: String,
    /// Priority on the cluster, if the catalog belongs to it.
    pub priority: Option<i32>,
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
        let mut catalogs = Self { cursor: view_cx.session.catalogs.current_index(), ..Self::default() };
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
    let labelled = session.catalogs.all().iter().zip(session.catalogs.labels()).enumerate();
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
            unsaved: open.unsaved_count(),
            read_percent: read.map(Option::unwrap_or_default),
            base: open.base_comparison.pending_base().or(open.base_comparison.base()).cloned(),
        };
        catalog_row(session, label, &open.source, state)
    };
    labelled.map(row).collect()
}

/// Returns the requested catalogs that are not open.
fn missing_catalog_rows(session: &Session) -> impl Iterator<Item = CatalogRow> {
    let missing = session.catalogs.sources().iter().filter(|source| session.catalogs.find(source).is_none());
    missing.map(|source| {
        let why = session.catalogs.failure_reason(source).map(ToOwned::to_owned);
        let label = Base::Open(source.clone()).short_label();
        catalog_row(session, label, source, why.map_or(CatalogState::Reading, CatalogState::Failed))
    })
}

fn catalog_row(session: &Session, label: String, source: &Source, state: CatalogState) -> CatalogRow {
    let member = session.catalogs.member_of(source);
    CatalogRow {
        label,
        source: source.clone(),
        source_label: source.label(),
        priority: member.map(|member| member.properties.priority),
        state,
    }
}

impl DialogState for CatalogList {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press == KeyPress::Action(ActionId::Accept) {
            match self.filtered_catalogs().nth(self.cursor).map(|row| &row.state) {
                Some(CatalogState::Open { catalog, .. }) => {
                    if *catalog != cx.session.catalogs.current_index() {
                        cx.go_to(Jump::OtherCatalog(*catalog));
                    }
                    return DialogStep::Close;
                }
                // The row already shows the reason.
                Some(CatalogState::Reading | CatalogState::Failed(_)) | None => return DialogStep::Stay,
            }
        }
        let selected = self.filtered_catalogs().nth(self.cursor).map(|row| row.source.clone());
        match (press, selected) {
            (KeyPress::Action(ActionId::ToggleClusterMember), Some(source)) => toggle_member(&source, cx),
            (KeyPress::Action(ActionId::SetCatalogPriority), Some(source)) => {
                return ask_priority(source, cx);
            }
            _ => {}
        }
        if field::handle_field_key(&mut self.input, press) {
            self.cursor = 0;
        }
        DialogStep::Stay
    }

    fn text_field(&mut self) -> Option<&mut TextField> {
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
        self.counts.update(session.catalogs.all());
        self.rows = open_catalog_rows(session, &self.counts);
        self.rows.extend(missing_catalog_rows(session));
        self.cursor = self.cursor.min(self.filtered_catalogs().count().saturating_sub(1));
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        // The field, a rule, the keys and the frame.
        let high = u16::try_from(self.count_catalogs()).unwrap_or(u16::MAX).saturating_add(DETAIL_LINES + 5);
        let inner = canvas.draw_box(centered(area, BOX_COLUMNS, high), "Open catalogs");
        if inner.height < 3 {
            return;
        }
        draw_field(canvas, Rect { height: 1, ..inner }, &self.input, true);
        let left: Vec<&CatalogRow> = self.filtered_catalogs().collect();
        let count = format!("{} of {}", left.len(), self.count_catalogs());
        canvas.draw_line_right(Rect { height: 1, ..inner }, &[piece(count, Ink::Dim)]);
        let more = DETAIL_LINES.min(inner.height.saturating_sub(4));
        let below = more + 1 + u16::from(more > 0);
        let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1 + below), ..inner };
        if left.is_empty() {
            canvas.draw_text(list.x, list.y, list.width, "nothing matches", Ink::Dim);
        }
        let ascii = canvas.ascii;
        let has_members = left.iter().any(|row| row.priority.is_some());
        let widest = left.iter().map(|row| display_width(&row.label)).max().unwrap_or_default();
        let column = widest.min(usize::from(inner.width) / 3);
        let counted: Vec<[String; 3]> = left.iter().map(|row| format_counts(&row.state)).collect();
        let wide = |at: usize| {
            counted
                .iter()
                .filter_map(|counts| counts.get(at))
                .map(|words| display_width(words))
                .max()
                .unwrap_or_default()
        };
        let wide = [wide(0), wide(1), wide(2)];
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |at| {
            let Some((row, counts)) = left.get(at).zip(counted.get(at)) else { return Vec::new() };
            let label = format!("{}  ", pad(&row.label, column, ascii));
            match &row.state {
                CatalogState::Reading => {
                    let mut pieces = vec![text_piece("    "), piece(label, Ink::Dim)];
                    pieces.extend(priority_piece(row.priority, has_members));
                    pieces.push(piece("reading", Ink::Active));
                    pieces
                }
                CatalogState::Failed(_) => {
                    let mut pieces = vec![text_piece("    "), piece(label, Ink::Dim)];
                    pieces.extend(priority_piece(row.priority, has_members));
                    pieces.push(piece("not opened", Ink::Error));
                    pieces
                }
                CatalogState::Open { catalog, errors, warnings, .. } => {
                    let ink = if *catalog == view_cx.session.catalogs.current_index() {
                        Ink::Title
                    } else {
                        Ink::Text
                    };
                    let mut pieces = vec![piece(format!("[{}] ", catalog + 1), Ink::Dim), piece(label, ink)];
                    pieces.extend(priority_piece(row.priority, has_members));
                    let inks = [
                        Ink::Text,
                        if *errors > 0 { Ink::Error } else { Ink::Dim },
                        if *warnings > 0 { Ink::Warning } else { Ink::Dim },
                    ];
                    // In a narrow box the problems have priority over the number of packages.
                    let first = usize::from(inner.width < 60);
                    for ((words, wide), ink) in counts.iter().zip(wide).zip(inks).skip(first) {
                        pieces.push(piece(format!("{words:>wide$}  "), ink));
                    }
                    pieces.extend(catalog_state_pieces(view_cx, &row.state));
                    pieces
                }
            }
        });
        if more > 0 {
            canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
            let lines =
                catalog_detail_lines(view_cx, left.get(self.cursor).copied(), usize::from(inner.width));
            for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(lines) {
                canvas.draw_line(Rect { y, height: 1, ..inner }, &line);
            }
        }
        let keys = [
            (ActionId::Accept, "go there"),
            (ActionId::ToggleClusterMember, "in the cluster"),
            (ActionId::SetCatalogPriority, "priority"),
            (ActionId::Cancel, "close"),
        ];
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}

/// Lines for details of the selected catalog.
const DETAIL_LINES: u16 = 3;

/// Columns of the box.
const BOX_COLUMNS: u16 = 100;

/// Returns the priority of a catalog of the cluster, or blanks.
fn priority_piece(priority: Option<i32>, has_members: bool) -> Option<Piece> {
    let text = priority.map(|priority| format!("cluster {priority}")).unwrap_or_default();
    has_members.then(|| piece(format!("{text:<PRIORITY_COLUMNS$}  "), Ink::V1))
}

/// Columns of the usual priorities, such as `cluster -400`.
const PRIORITY_COLUMNS: usize = 12;

/// Adds a catalog to those of the cluster, or removes it.
fn toggle_member(source: &Source, cx: &mut Context<'_>) {
    if let Err(reason) = cx.session.catalogs.check_member(source) {
        return cx.notices.report_refusal(reason);
    }
    cx.session.catalogs.toggle_member(source);
    cx.notices.report_done(cx.session.catalogs.describe_cluster());
}

/// Asks for the priority of a catalog on the cluster.
fn ask_priority(source: Source, cx: &mut Context<'_>) -> DialogStep {
    if let Err(reason) = cx.session.catalogs.check_member(&source) {
        cx.notices.report_refusal(reason);
        return DialogStep::Stay;
    }
    let known = cx.session.catalogs.member_of(&source).map_or(0, |member| member.properties.priority);
    let purpose = PromptPurpose::CatalogPriority(source);
    let prompt =
        Prompt::new("Priority of the catalog on the cluster", purpose, known.to_string(), &cx.view());
    DialogStep::OpenAbove(Box::new(prompt))
}

/// Formats the numbers of packages, errors and warnings.
fn format_counts(state: &CatalogState) -> [String; 3] {
    match state {
        CatalogState::Open { packages, errors, warnings, .. } => [
            format_count(*packages, "package"),
            format_count(*errors, "error"),
            format_count(*warnings, "warning"),
        ],
        CatalogState::Reading | CatalogState::Failed(_) => Default::default(),
    }
}

/// Returns the optional state of a catalog: progress, unsaved edits, and base of comparison.
fn catalog_state_pieces(view_cx: &ViewContext<'_>, state: &CatalogState) -> Line {
    let CatalogState::Open { unsaved, read_percent: read, base, .. } = state else { return Vec::new() };
    let mut pieces = Vec::new();
    pieces.extend(read.map(|read| piece(format!("read {read} %  "), Ink::Active)));
    if *unsaved > 0 {
        pieces.push(piece(format!("{unsaved} unsaved  "), Ink::Warning));
    }
    pieces.extend(base.as_ref().map(|base| {
        piece(format!("against {}", view_cx.session.catalogs.short_base_name(base)), Ink::Active)
    }));
    pieces
}

/// Returns the path of a catalog, its error, its base of comparison, and how to open more catalogs.
fn catalog_detail_lines(view_cx: &ViewContext<'_>, row: Option<&CatalogRow>, columns: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    if let Some(row) = row {
        lines.push(vec![piece(&row.source_label, Ink::Dim)]);
        match &row.state {
            CatalogState::Failed(why) => {
                lines.extend(wrap_text(why, columns).into_iter().map(|line| vec![piece(line, Ink::Error)]));
            }
            CatalogState::Open { base: Some(base), .. } => {
                lines.push(vec![piece("compared with ", Ink::Dim), text_piece(base.label())]);
            }
            CatalogState::Open { base: None, .. } | CatalogState::Reading => {}
        }
    }
    let catalogs = &view_cx.session.catalogs;
    if catalogs.sources().len().max(catalogs.all().len()) > 1 || !catalogs.members().is_empty() {
        let ink = if catalogs.members().len() > 1 { Ink::V1 } else { Ink::Dim };
        lines.insert(lines.len().min(1), vec![piece(catalogs.describe_cluster(), ink)]);
    }
    if view_cx.session.catalogs.sources().len().max(view_cx.session.catalogs.all().len()) < 2 {
        lines.push(vec![piece("To open several: ", Ink::Dim), text_piece("olmap PATH PATH")]);
    }
    lines
}
