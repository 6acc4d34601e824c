//! Dialog that chooses one of a few edits, with a preview of each.

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor, dialog_list},
    keys::{ActionId, Dialog, KeyPress},
    session::{
        Session,
        action::Target,
        context::{Context, ViewContext},
        stuck_versions,
    },
    widgets::{
        boxes::{centered, draw_key_hints, draw_preview_body, edit_key_hints, scale_dialog},
        canvas::{Canvas, Line, display_width, pad, piece, wrap_text},
        preview::preview_state_lines,
        theme::Ink,
    },
    work::{EditPurpose, JobResult, PreviewState, preview::EditOutcome, remedy::RemedySearch},
};
use olm_catalog::{TemplateKind, TemplateSource};
use olm_check::review::stuck::Scope;
use olm_edit::Edit;
use olmap_report::stuck;

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("edit-choice", "a choice with preview").with_rows().with_text();

/// Choice in a list of edits.
#[derive(Debug)]
pub struct EditOption {
    /// Label of the choice.
    pub label: String,
    /// Additional note; may be empty.
    pub note: String,
    /// Action of the choice.
    pub action: ChoiceAction,
}

/// Action of an [`EditOption`].
#[derive(Debug)]
pub enum ChoiceAction {
    /// Preview an edit.
    Edit(Edit),
    /// Open a dialog with a question.
    Open(Box<dyn DialogState>),
}

impl EditOption {
    /// Returns a choice of an edit with the edit's title as its label.
    fn from_edit(edit: Edit) -> Self {
        Self { label: edit.title(), note: String::new(), action: ChoiceAction::Edit(edit) }
    }
}

/// State of the dialog.
#[derive(Debug)]
pub struct EditChoice {
    /// Question in the title.
    pub title: String,
    /// Purpose of the resulting edit.
    pub purpose: EditPurpose,
    /// Options to choose from.
    pub options: Vec<EditOption>,
    /// Index of the selected option.
    pub cursor: usize,
    /// Preview of the selected option; empty if the option leads to a question.
    pub preview: PreviewState,
    /// Index of the previewed option.
    previewed_option: usize,
    /// Sentences about each option, shown above the preview.
    details: Vec<Vec<(Ink, String)>>,
    /// Running search for the options; `None` if there is none.
    search: Option<Arc<RemedySearch>>,
    /// Reason why there are no options.
    pub empty_reason: Option<String>,
}

impl EditChoice {
    /// Opens the dialog with the cursor on the first option.
    pub(in crate::tui) fn new(
        purpose: EditPurpose,
        title: String,
        ways: Vec<EditOption>,
        session: &Session,
    ) -> Self {
        let mut choice = Self { purpose, options: ways, ..Self::with_title(title) };
        choice.update_preview(session);
        choice
    }

    /// Opens the dialog with a single edit.
    pub(in crate::tui) fn from_edit(title: String, edit: Edit, session: &Session) -> Self {
        Self::new(EditPurpose::Edit, title, vec![EditOption::from_edit(edit)], session)
    }

    /// Opens the dialog with a single edit whose outcome is already computed.
    fn from_outcome(title: String, outcome: Arc<EditOutcome>) -> Self {
        let ways = vec![EditOption::from_edit(outcome.edit.clone())];
        let preview = PreviewState::Ready(Ok(outcome));
        Self { options: ways, preview, ..Self::with_title(title) }
    }

    /// Opens the dialog while edits that free stuck versions are being searched.
    fn from_search(search: Arc<RemedySearch>) -> Self {
        let title = match &search.scope {
            Scope::Package => format!("Free stuck versions of {}", search.package),
            Scope::Channel(channel) => format!("Free stuck versions of {} in {channel}", search.package),
            Scope::Version(version) => format!("Free {version}"),
        };
        Self { search: Some(search), ..Self::with_title(title) }
    }

    fn with_title(title: String) -> Self {
        Self {
            title,
            purpose: EditPurpose::Edit,
            options: Vec::new(),
            cursor: 0,
            preview: PreviewState::NoEdit,
            previewed_option: 0,
            details: Vec::new(),
            search: None,
            empty_reason: None,
        }
    }

    /// Returns true while the options are being searched.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Returns the sentences about the selected option.
    pub fn details(&self) -> &[(Ink, String)] {
        self.details.get(self.cursor).map_or(&[], Vec::as_slice)
    }

    /// Requests the preview of the selected option.
    fn update_preview(&mut self, session: &Session) {
        self.previewed_option = self.cursor;
        self.preview = match self.selected_option().map(|way| &way.action) {
            Some(ChoiceAction::Edit(edit)) => session.preview_state(edit.clone()),
            Some(ChoiceAction::Open(_)) | None => PreviewState::NoEdit,
        };
    }

    /// Returns the selected option.
    pub fn selected_option(&self) -> Option<&EditOption> {
        self.options.get(self.cursor)
    }

    /// Takes the question that the selected option leads to.
    fn take_question(&mut self) -> Option<Box<dyn DialogState>> {
        self.selected_option().filter(|option| matches!(option.action, ChoiceAction::Open(_)))?;
        match self.options.swap_remove(self.cursor).action {
            ChoiceAction::Open(question) => Some(question),
            ChoiceAction::Edit(_) => None,
        }
    }
}

/// Shows the preview of an edit that olmap suggests. Reports the reason instead if the edit adds a
/// finding or cannot be applied.
pub(in crate::tui) fn offer_edit(cx: &mut Context<'_>, title: &str, edit: Edit) {
    match cx.session.catalogs.preview_edit(edit) {
        Ok(outcome) => match outcome.worst_added_finding() {
            None => cx.open_dialog(EditChoice::from_outcome(title.to_owned(), outcome)),
            Some(new) => {
                let words = format!("{title}: that would add {}: {}", new.rule.id, new.message);
                cx.notices.report_refusal(words);
            }
        },
        Err(reason) => cx.notices.report_refusal(reason),
    }
}

/// Opens a choice of edits, each with a title.
pub(in crate::tui) fn offer_alternatives(cx: &mut Context<'_>, title: String, edits: Vec<(String, Edit)>) {
    let option = |(label, edit)| EditOption { label, note: String::new(), action: ChoiceAction::Edit(edit) };
    let options = edits.into_iter().map(option).collect();
    cx.open_dialog(EditChoice::new(EditPurpose::Edit, title, options, cx.session));
}

/// Searches edits that free the stuck versions of the highlighted item, and opens a dialog with the
/// results.
pub(in crate::tui) fn free_versions(target: &Target, cx: &mut Context<'_>) {
    let Some(search) = stuck_versions::remedy_search(target, &cx.view()).map(Arc::new) else { return };
    cx.run_job(Arc::clone(&search));
    cx.open_dialog(EditChoice::from_search(search));
}

impl EditChoice {
    /// Returns the reason if the previewed edit cannot be applied, because nothing may be written.
    fn refusal(&self, view_cx: &ViewContext<'_>) -> Option<String> {
        if self.purpose == EditPurpose::WhatIf {
            return None;
        }
        if let Some(reason) = &view_cx.settings.read_only {
            return Some(format!("only a preview; read-only: {reason}"));
        }
        let edit = match &self.selected_option()?.action {
            ChoiceAction::Edit(edit) => edit,
            ChoiceAction::Open(_) => return None,
        };
        let reason = view_cx.session.catalogs.protection_reason(edit.package()?)?;
        Some(format!("only a preview; {reason}"))
    }
}

impl DialogState for EditChoice {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press != KeyPress::Action(ActionId::Accept) {
            return DialogStep::Stay;
        }
        if let Some(question) = self.take_question() {
            return DialogStep::Replace(question);
        }
        if let Some(reason) = self.refusal(&cx.view()) {
            cx.notices.report_refusal(reason);
            return DialogStep::Stay;
        }
        let Some(Ok(outcome)) = cx.session.catalogs.preview_now(&mut self.preview) else {
            return DialogStep::Stay;
        };
        cx.apply_outcome_and_select(self.purpose, outcome);
        DialogStep::Close
    }

    fn on_answer(&mut self, result: &JobResult, cx: &mut Context<'_>) {
        let view_cx = &cx.view();
        let Some((asked, found)) = result.parts::<RemedySearch>() else { return };
        if !self.search.as_ref().is_some_and(|search| std::ptr::eq(Arc::as_ptr(search), asked)) {
            return;
        }
        self.search = None;
        match found {
            Err(reason) => self.empty_reason = Some(stuck::explain_missing_remedy(*reason).to_owned()),
            Ok(found) => {
                let template = asked.snapshot().and_then(|now| now.catalog.template_source(&asked.package));
                for candidate in found {
                    let remedy = &candidate.remedy;
                    let edit = Edit::SetEntry {
                        package: asked.package.clone(),
                        channel: remedy.channel.clone(),
                        entry: remedy.entry.clone(),
                        spec: remedy.spec.clone(),
                    };
                    self.options.push(EditOption {
                        label: format!("{}: {remedy}", stuck::describe_freed(candidate)),
                        note: String::new(),
                        action: ChoiceAction::Edit(edit),
                    });
                    let mut details = stuck::describe_remedy_details(candidate);
                    // An edit that cannot be applied cannot be repeated in the template.
                    let template = template.filter(|_| self.refusal(view_cx).is_none());
                    let template = template.map(|template| describe_template_effect(template, view_cx));
                    details.extend(template.map(|words| (Ink::Title, words)));
                    self.details.push(details);
                }
                self.update_preview(view_cx.session);
            }
        }
    }

    fn edit_preview(&mut self) -> Option<&mut PreviewState> {
        Some(&mut self.preview)
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.options.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        if self.previewed_option != self.cursor {
            self.update_preview(view_cx.session);
        }
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let ways = u16::try_from(self.options.len()).unwrap_or(u16::MAX);
        // Questions have no consequences to show. A box with a preview has a fixed size, so that it
        // does not change with the cursor.
        let is_edit = self.options.iter().any(|way| matches!(way.action, ChoiceAction::Edit(_)));
        let whole = scale_dialog(area, 100, 22);
        let wide = whole.width;
        let high = match self.options.as_slice() {
            // The preview of a single edit does not change.
            [only] if matches!(only.action, ChoiceAction::Edit(_)) => {
                let columns = usize::from(wide).saturating_sub(5);
                let lines = option_lines(view_cx, self, columns).len();
                u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(6).min(whole.height)
            }
            [] => 8,
            _ if is_edit => whole.height,
            _ => ways.saturating_add(4),
        };
        let box_area = centered(area, wide, area.height.saturating_sub(2).min(high));
        let inner = canvas.draw_box(box_area, &self.title);
        if inner.is_empty() {
            return;
        }
        let most = if is_edit { inner.height / 2 } else { inner.height.saturating_sub(2) };
        let list = Rect { height: ways.min(most.max(1)), ..inner };
        let ascii = canvas.ascii;
        let column = self.options.iter().map(|way| display_width(&way.label)).max().unwrap_or_default();
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |row| {
            let Some(way) = self.options.get(row) else { return Vec::new() };
            vec![
                piece(format!("{}  ", pad(&way.label, column, ascii)), Ink::Text),
                piece(&way.note, Ink::Dim),
            ]
        });
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
        let lower =
            Rect { y: list.bottom() + 1, height: inner.bottom().saturating_sub(list.bottom() + 2), ..inner };
        let asks = self.selected_option().is_some_and(|way| matches!(way.action, ChoiceAction::Open(_)));
        if !asks {
            let lines = option_lines(view_cx, self, usize::from(lower.width).saturating_sub(1));
            draw_preview_body(view_cx, DIALOG, canvas, lower, &lines);
        }
        let enter = match (asks, self.purpose) {
            (true, _) => "next",
            (false, EditPurpose::WhatIf) => "start the what-if",
            (false, EditPurpose::Edit) => "apply",
        };
        let keys = [(ActionId::Accept, enter), (ActionId::Cancel, "cancel")];
        let cannot_apply = self.options.is_empty() || self.refusal(view_cx).is_some();
        draw_key_hints(view_cx, DIALOG, canvas, inner, &edit_key_hints(&keys, !cannot_apply));
    }
}

/// Describes whether the template of a catalog can express the edit of an entry.
fn describe_template_effect(template: &TemplateSource, view_cx: &ViewContext<'_>) -> String {
    let path = template.display_path.display();
    if template.kind == Some(TemplateKind::Basic) {
        let (open, there) =
            (view_cx.key_label(ActionId::OpenTemplate), view_cx.key_label(ActionId::EditElsewhere));
        return format!(
            "{path} generates this catalog: after applying, {open} opens it and {there} applies the edit to it"
        );
    }
    let kind = if template.kind == Some(TemplateKind::Semver) {
        "a semver template"
    } else {
        "its kind of template"
    };
    format!(
        "{path} generates this catalog, and {kind} cannot express this edit: the edit changes only the catalog"
    )
}

/// Columns of an option besides its label and note: the cursor and blanks.
const LABEL_EXTRA_COLUMNS: usize = 4;

/// Returns the details of the selected option and the preview of its edit.
fn option_lines(view_cx: &ViewContext<'_>, choice: &EditChoice, columns: usize) -> Vec<Line> {
    let paragraph = |words: &str, ink: Ink| -> Vec<Line> {
        wrap_text(words, columns).into_iter().map(|line| vec![piece(line, ink)]).collect()
    };
    if choice.is_searching() {
        return paragraph("Looking for an edit that frees them...", Ink::Dim);
    }
    if let Some(none) = &choice.empty_reason {
        return paragraph(none, Ink::Warning);
    }
    let refusal = choice.refusal(view_cx);
    let refusal = refusal.iter().flat_map(|words| paragraph(words, Ink::Warning));
    // The list cuts the text of a long edit. Details repeat its note.
    let label = choice.selected_option().and_then(|option| {
        let words = if option.note.is_empty() || !choice.details().is_empty() {
            option.label.clone()
        } else {
            format!("{}: {}", option.label, option.note)
        };
        (display_width(&words) + LABEL_EXTRA_COLUMNS > columns).then_some(words)
    });
    let label = label.into_iter().flat_map(|words| paragraph(&words, Ink::Text));
    let details = choice.details().iter().flat_map(|(ink, words)| paragraph(words, *ink));
    label
        .chain(refusal)
        .chain(details)
        .chain(preview_state_lines(view_cx, &choice.preview, columns))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::work::preview;
    use olm_check::review::Snapshot;
    use olm_upgrade::fixture;

    #[test]
    fn computed_outcome_is_used_as_preview() {
        let catalog = fixture::catalog_from_channels(&[("c", "1.0.0"), ("d", "1.0.0")]);
        let before = Arc::new(Snapshot::new(catalog));
        let edit = Edit::SetDefaultChannel { package: "p".into(), channel: "d".into() };
        let outcome = preview::preview_edit(&before, edit, &[]).unwrap();
        let offered = EditChoice::from_outcome("Fix it".to_owned(), Arc::clone(&outcome));
        assert!(matches!(offered.preview.ready_preview(), Some(Ok(shown)) if Arc::ptr_eq(shown, &outcome)));
    }
}
