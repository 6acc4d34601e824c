//! Dialog that repeats the last edit in other open catalogs.

use std::{collections::BTreeSet, sync::Arc};

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor, dialog_list},
    keys::{ActionId, Dialog, KeyPress},
    session::{
        Session,
        context::{Context, ViewContext},
        open_catalog::OpenCatalog,
    },
    widgets::{
        boxes::{draw_key_hints, draw_preview_body, scale_dialog},
        canvas::{Canvas, Line, display_width, pad, piece, text_piece, wrap_text},
        preview::preview_lines,
        text::format_count,
        theme::Ink,
    },
    work::{
        PreviewState,
        preview::{EditOutcome, Preview},
    },
};
use olm_catalog::Catalog;
use olm_check::{Severity, review::Consequences};
use olm_edit::{Conflict, Edit, RecordedEdit};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("other-catalogs", "other catalogs").with_rows().with_text();

/// State of the dialog.
#[derive(Debug)]
pub struct OtherCatalogs {
    /// Edit to repeat, with the contents it replaced.
    pub edit: Arc<RecordedEdit>,
    /// Other open catalogs.
    pub rows: Vec<OtherCatalog>,
    /// Index of the selected catalog.
    pub cursor: usize,
}

/// Effect of the edit in another catalog.
#[derive(Debug)]
pub struct OtherCatalog {
    /// Index of the catalog.
    pub catalog: usize,
    /// Unique short name of the catalog.
    pub label: String,
    /// Preview of the edit there. It is never pending.
    pub preview: PreviewState,
    /// True if the edit will be repeated there.
    pub chosen: bool,
}

impl OtherCatalog {
    /// Returns the outcome of the edit there. `None` if it is refused.
    fn outcome(&self) -> Option<&Arc<EditOutcome>> {
        self.preview.ready_preview()?.as_ref().ok()
    }

    /// Returns true if the edit changes upgrades or findings there.
    fn has_effects(&self) -> bool {
        self.outcome().is_some_and(|outcome| {
            let Consequences { changed_steps, changed_ends, stuck, new_findings, fixed_findings, .. } =
                &outcome.consequences;
            let is_quiet = changed_steps.is_empty() && changed_ends.is_empty() && stuck.is_empty();
            !(is_quiet && new_findings.is_empty() && fixed_findings.is_empty())
        })
    }

    /// Returns the number of new errors.
    pub fn new_errors(&self) -> usize {
        let findings = self.outcome().map(|outcome| outcome.consequences.new_findings.as_slice());
        findings.unwrap_or_default().iter().filter(|f| f.severity() == Severity::Error).count()
    }
}

impl OtherCatalogs {
    /// Tries the last edit of the current catalog in the others. Catalogs without new errors are chosen, unless new edges
    /// change no upgrade there.
    pub(in crate::tui) fn from_last_edit(view_cx: &ViewContext<'_>) -> Option<Self> {
        let session = view_cx.session;
        let edit = session.current_catalog()?.history.last_edit()?.clone();
        let labels = session.catalogs.labels();
        let others = session.catalogs.all().iter().zip(labels).enumerate();
        let rows = others.filter(|(catalog, _)| *catalog != session.catalogs.current_index()).map(
            |(catalog, (open, label))| {
                let preview = PreviewState::Ready(try_edit(view_cx, open, &edit));
                let mut there = OtherCatalog { catalog, label, preview, chosen: false };
                let is_useful = !sets_only_edges(&edit.edit) || there.has_effects();
                there.chosen = there.outcome().is_some() && there.new_errors() == 0 && is_useful;
                there
            },
        );
        Some(Self { rows: rows.collect(), edit, cursor: 0 })
    }

    /// Applies the edit in the chosen catalogs as a single undo step. Returns their number.
    fn apply_to_chosen(&self, session: &mut Session) -> usize {
        let chosen = self.rows.iter().filter(|there| there.chosen);
        let others: Vec<_> =
            chosen.filter_map(|there| Some((there.catalog, Arc::clone(there.outcome()?)))).collect();
        let made = session.catalogs.apply_to_others(&others);
        session.correct_all_selections();
        made
    }
}

/// Returns true if an edit only changes edges of entries.
fn sets_only_edges(edit: &Edit) -> bool {
    match edit {
        Edit::SetEntry { .. } => true,
        Edit::Several { edits, .. } => edits.iter().all(sets_only_edges),
        _ => false,
    }
}

fn try_edit(view_cx: &ViewContext<'_>, open: &OpenCatalog, edit: &RecordedEdit) -> Preview {
    if open.what_if.is_some() {
        let key = view_cx.key_label(ActionId::WhatIf);
        return Err(format!("a what-if is active there: {key} applies or drops it there"));
    }
    let before = open.history.now();
    let here = view_cx.session.snapshot().map(|here| &*here.catalog);
    let (catalog, edit) = apply_to_other(here, &before.catalog, edit)?;
    let changed = catalog.files_changed_since(&before.catalog);
    if changed.is_empty() {
        return Err("already the same there".to_owned());
    }
    let protected = changed.iter().filter_map(|changed| changed.before).find(|file| !file.writable);
    if let Some(file) = protected {
        return Err(format!("{} is write-protected", file.display_path().display()));
    }
    Ok(Arc::new(EditOutcome::from_catalog(edit, before, catalog, &[])))
}

/// Applies the edit to the other catalog. Between a catalog and a semver template, edits of entries
/// become edits of lists and vice versa.
fn apply_to_other(
    here: Option<&Catalog>,
    there: &Catalog,
    edit: &RecordedEdit,
) -> Result<(Catalog, Edit), String> {
    let is_semver =
        |catalog: &Catalog| catalog.template().is_some_and(|template| template.semver().is_some());
    let Some(here) = here.filter(|here| is_semver(here) != is_semver(there)) else {
        let catalog = edit.replay(there).map_err(|conflict| describe_conflict(&conflict))?;
        return Ok((catalog, edit.edit.clone()));
    };
    let transferred = olm_edit::transfer_edit(&edit.edit, here, there).map_err(|error| error.to_string())?;
    // The bundle may be unknown in the template.
    let knowing = if is_semver(there) { there.with_known_bundles_of(here) } else { there.clone() };
    let catalog = olm_edit::apply_edit(&knowing, &transferred).map_err(|error| error.to_string())?;
    Ok((catalog, transferred))
}

/// Describes a conflict with another catalog. Unlike other conflicts, no later edit caused it.
fn describe_conflict(conflict: &Conflict) -> String {
    let said = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
    match conflict {
        Conflict::Changed { now: None, .. } => "does not exist there".to_owned(),
        Conflict::Changed { was, now } => format!("there {}, here it was {}", said(now), said(was)),
        Conflict::Refused(error) => error.to_string(),
    }
}

impl DialogState for OtherCatalogs {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        let last = self.rows.len().saturating_sub(1);
        match press {
            KeyPress::Action(ActionId::Accept) if self.rows.iter().any(|there| there.chosen) => {
                let title = self.edit.edit.title();
                let made = self.apply_to_chosen(cx.session);
                let catalogs =
                    if made == 1 { "1 other catalog".to_owned() } else { format!("{made} other catalogs") };
                let save = cx.key_label(ActionId::Review);
                let words = format!("also in {catalogs}: {title}   ({save} saves all)");
                cx.notices.report_done(words);
                return DialogStep::Close;
            }
            KeyPress::Action(ActionId::Accept) => {
                let choose = cx.keys.display_key(DIALOG, ActionId::Choose);
                cx.notices.report_refusal(format!("no catalog selected: select one with {choose}"));
            }
            KeyPress::Action(ActionId::Choose) => {
                if let Some(there) = self.rows.get_mut(self.cursor) {
                    match there.preview.ready_preview() {
                        Some(Err(reason)) => cx.notices.report_refusal(format!("{}: {reason}", there.label)),
                        _ => there.chosen = !there.chosen,
                    }
                }
                self.cursor = (self.cursor + 1).min(last);
            }
            _ => {}
        }
        DialogStep::Stay
    }

    fn edit_preview(&mut self) -> Option<&mut PreviewState> {
        PreviewState::find_unfinished(self.rows.iter_mut().map(|there| &mut there.preview))
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.rows.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let inner = canvas.draw_box(scale_dialog(area, 110, 30), "Also in other catalogs");
        if inner.height < 4 {
            return;
        }
        canvas.draw_text(inner.x, inner.y, inner.width, &self.edit.edit.title(), Ink::Title);
        let most = (inner.height / 2).max(1);
        let high = u16::try_from(self.rows.len()).unwrap_or(u16::MAX).min(most);
        let list = Rect { y: inner.y + 1, height: high, ..inner };
        let ascii = canvas.ascii;
        let room = usize::from(inner.width) / 2;
        let column = self.rows.iter().map(|there| display_width(&there.label)).max().unwrap_or(8).min(room);
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |row| {
            let Some(there) = self.rows.get(row) else { return Vec::new() };
            let mark = match there.chosen {
                _ if there.preview.is_refused() => " -  ",
                true => "[x] ",
                false => "[ ] ",
            };
            let mut pieces =
                vec![text_piece(mark), text_piece(format!("{}  ", pad(&there.label, column, ascii)))];
            pieces.extend(outcome_pieces(there));
            pieces
        });
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
        let lower =
            Rect { y: list.bottom() + 1, height: inner.bottom().saturating_sub(list.bottom() + 2), ..inner };
        let columns = usize::from(lower.width).saturating_sub(1);
        let lines = match self.rows.get(self.cursor).and_then(|there| there.preview.ready_preview()) {
            None => Vec::new(),
            Some(Err(reason)) => {
                let words = format!("not possible there: {reason}");
                wrap_text(&words, columns).into_iter().map(|line| vec![piece(line, Ink::Error)]).collect()
            }
            some => preview_lines(view_cx, some, columns),
        };
        draw_preview_body(view_cx, DIALOG, canvas, lower, &lines);
        let keys =
            [(ActionId::Choose, "choose"), (ActionId::Accept, "apply there"), (ActionId::Cancel, "cancel")];
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}

/// Summarizes the effect in one line.
fn outcome_pieces(there: &OtherCatalog) -> Line {
    let outcome = match there.preview.ready_preview() {
        None => return Line::new(),
        Some(Err(reason)) => return vec![piece("CONFLICT ", Ink::Error), piece(reason.clone(), Ink::Dim)],
        Some(Ok(outcome)) => outcome,
    };
    let consequences = &outcome.consequences;
    let findings = match (there.new_errors(), consequences.new_findings.len()) {
        (0, 0) => piece("no new findings", Ink::Good),
        (0, some) => piece(format_count(some, "new finding"), Ink::Warning),
        (errors, _) => piece(format_count(errors, "new error"), Ink::Error),
    };
    // A version counts once, also if its upgrades on Classic and v1 change.
    let steps = consequences.changed_steps.iter();
    let moved: BTreeSet<_> = steps.map(|step| (&step.package, &step.installed)).collect();
    let moved = match moved.len() {
        0 => ", no upgrade changes".to_owned(),
        1 => ", 1 upgrade changes".to_owned(),
        several => format!(", {several} upgrades change"),
    };
    vec![findings, piece(moved, Ink::Dim)]
}
