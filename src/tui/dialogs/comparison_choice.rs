//! Dialog that chooses the base of the comparison.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::{
        dialog::{DialogState, DialogStep, RowCursor, dialog_list},
        prompt::{Prompt, PromptPurpose},
    },
    keys::{ActionId, Dialog, KeyPress},
    session::{
        Session,
        context::{Context, ViewContext},
        jobs::base_comparison::{self, check_repository},
    },
    widgets::{
        boxes::{centered, draw_key_hints},
        canvas::{Canvas, display_width, pad, piece, wrap_text},
        theme::Ink,
    },
    work::{Base, UserError},
};
use olm_catalog::load::git::Revision;

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("comparison-choice", "comparing").with_rows();

/// State of the dialog.
#[derive(Debug)]
pub struct ComparisonChoice {
    /// Options to choose from.
    pub options: Vec<ComparisonOption>,
    /// Index of the selected option.
    pub cursor: usize,
    /// True if the user moved the cursor.
    is_moved: bool,
}

/// Option of the dialog.
#[derive(Clone, Debug)]
pub struct ComparisonOption {
    /// Name of the option.
    pub label: String,
    /// Explanation next to the name.
    pub note: String,
    /// Effect of choosing the option, or the reason why it is not available.
    pub effect: Result<Comparand, UserError>,
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

impl ComparisonChoice {
    /// Lists the options for the current catalog, with the cursor on the current base.
    pub(in crate::tui) fn new(session: &Session) -> Self {
        let options = comparison_options(session);
        let cursor = find_proposed_option(&options, session);
        Self { options, cursor, is_moved: false }
    }
}

/// Returns the index of the current base, otherwise of the last commit, another open catalog, or a catalog to
/// open.
fn find_proposed_option(options: &[ComparisonOption], session: &Session) -> usize {
    let base = session.catalogs.base();
    let is_base =
        |option: &ComparisonOption| matches!(&option.effect, Ok(Comparand::Base(of)) if Some(of) == base);
    let is_head = |option: &ComparisonOption| option.label == "HEAD" && option.effect.is_ok();
    let is_open = |option: &ComparisonOption| matches!(&option.effect, Ok(Comparand::Base(Base::Open(_))));
    let is_path = |option: &ComparisonOption| matches!(&option.effect, Ok(Comparand::AskPath));
    let position = |is_it: &dyn Fn(&ComparisonOption) -> bool| options.iter().position(is_it);
    match position(&is_base) {
        Some(current) => current,
        None if base.is_some() => 0,
        None => position(&is_head)
            .or_else(|| position(&is_open))
            .or_else(|| position(&is_path))
            .unwrap_or_default(),
    }
}

fn comparison_options(session: &Session) -> Vec<ComparisonOption> {
    let Some(open) = session.current_catalog() else { return Vec::new() };
    let other = |label: &str, note: &str, leads| ComparisonOption {
        label: label.to_owned(),
        note: note.to_owned(),
        effect: leads,
    };
    let compares = open.base_comparison.base().is_some() || open.base_comparison.pending_base().is_some();
    let end = if compares { Ok(Comparand::Nothing) } else { Err(UserError::new("no comparison is active")) };
    let head = Base::Revision(Revision { revision: "HEAD".to_owned(), path: None });
    let head = check_repository(open).map(|()| Comparand::Base(head));
    let loaded = Ok(Comparand::Base(Base::Loaded));
    let mut others = vec![
        other("nothing", "show only unsaved edits", end),
        other("as loaded", "the catalog without unsaved edits", loaded),
        other("HEAD", "the last commit of its git repository", head),
        other("another revision", "a branch, a tag, a commit", Ok(Comparand::AskRevision)),
        other("another catalog", "a directory, a file, an image", Ok(Comparand::AskPath)),
    ];
    let catalogs = session.catalogs.labels().into_iter().zip(session.catalogs.all()).enumerate();
    for (number, (label, catalog)) in
        catalogs.filter(|(number, _)| *number != session.catalogs.current_index())
    {
        let leads = Ok(Comparand::Base(Base::Open(catalog.source.clone())));
        others.push(ComparisonOption { label, note: format!("open as [{}]", number + 1), effect: leads });
    }
    others
}

fn open_comparand_prompt(
    title: &'static str,
    purpose: PromptPurpose,
    view_cx: &ViewContext<'_>,
) -> DialogStep {
    DialogStep::Replace(Box::new(Prompt::new(title, purpose, String::new(), view_cx)))
}

impl DialogState for ComparisonChoice {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press != KeyPress::Action(ActionId::Accept) {
            return DialogStep::Stay;
        }
        match self.options.get(self.cursor).map(|other| &other.effect) {
            Some(Ok(Comparand::Nothing)) => base_comparison::set_base(cx, None),
            Some(Ok(Comparand::Base(base))) => base_comparison::set_base(cx, Some(base)),
            Some(Ok(Comparand::AskRevision)) => {
                return open_comparand_prompt(
                    "Revision to compare with: a branch, a tag, a commit",
                    PromptPurpose::Revision,
                    &cx.view(),
                );
            }
            Some(Ok(Comparand::AskPath)) => {
                return open_comparand_prompt(
                    "Catalog to compare with: a directory, a file, an image, an address",
                    PromptPurpose::BasePath,
                    &cx.view(),
                );
            }
            // The dialog already shows the reason.
            Some(Err(_)) | None => return DialogStep::Stay,
        }
        DialogStep::Close
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.options.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
        self.is_moved = true;
    }

    /// Updates the options, because the search for a repository may have ended.
    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        self.options = comparison_options(view_cx.session);
        if !self.is_moved {
            self.cursor = find_proposed_option(&self.options, view_cx.session);
        }
        self.cursor = self.cursor.min(self.options.len().saturating_sub(1));
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let rows = u16::try_from(self.options.len()).unwrap_or(u16::MAX);
        let inner =
            canvas.draw_box(centered(area, 84, rows.saturating_add(3 + REASON_LINES)), "Compare with");
        if inner.is_empty() {
            return;
        }
        let below = (1 + REASON_LINES).min(inner.height.saturating_sub(1));
        let list = Rect { height: inner.height - below, ..inner };
        let ascii = canvas.ascii;
        let widest = self.options.iter().map(|other| display_width(&other.label)).max().unwrap_or_default();
        let column = widest.min(usize::from(inner.width) / 2);
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |row| {
            let Some(other) = self.options.get(row) else { return Vec::new() };
            let label = format!("{}  ", pad(&other.label, column, ascii));
            match &other.effect {
                Ok(_) => vec![piece(label, Ink::Text), piece(&other.note, Ink::Dim)],
                Err(why) => vec![piece(label, Ink::Dim), piece(format!("not now: {why}"), Ink::Warning)],
            }
        });
        if let Some(Err(why)) = self.options.get(self.cursor).map(|other| &other.effect) {
            let lines = wrap_text(&why.to_string(), usize::from(inner.width));
            for (y, line) in (list.bottom()..inner.bottom().saturating_sub(1)).zip(lines) {
                canvas.draw_text(inner.x, y, inner.width, &line, Ink::Warning);
            }
        }
        let keys = [(ActionId::Accept, "compare"), (ActionId::Cancel, "cancel")];
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}

/// Lines for the reason why an option cannot be chosen.
const REASON_LINES: u16 = 2;
