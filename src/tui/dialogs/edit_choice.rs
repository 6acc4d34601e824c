//! Dialog that chooses one of a few edits, with a preview of each.

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor, dialog_list},
    keys::{ActionId, Dialog, KeyPress},
    session::{
        Session,
        context::{Context, ViewContext},
    },
    widgets::{
        boxes::{centered, draw_key_hints, draw_preview_body},
        canvas::{Canvas, Line, display_width, pad, piece, wrap_text},
        preview::preview_state_lines,
        theme::Ink,
    },
    work::{
        DialogRequest, PreviewState,
        dialog_request::{ChoiceAction, EditOption, EditPurpose},
        preview::EditOutcome,
        remedy::{Remedies, RemedySearch},
    },
};
use olm_catalog::{TemplateKind, TemplateSource};
use olm_check::review::stuck::{FoundRemedy, Scope};
use olm_edit::Edit;
use olmap_report::stuck;

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
    details: Vec<Vec<String>>,
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

    /// Opens the dialog with a single edit whose outcome is already computed.
    pub(in crate::tui) fn from_outcome(title: String, outcome: Arc<EditOutcome>) -> Self {
        let ways = vec![EditOption::from_edit(outcome.edit.clone())];
        let preview = PreviewState::Ready(Ok(outcome));
        Self { options: ways, preview, ..Self::with_title(title) }
    }

    /// Opens the dialog while edits that free stuck versions are being searched.
    pub(in crate::tui) fn from_search(search: Arc<RemedySearch>) -> Self {
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
    pub fn details(&self) -> &[String] {
        self.details.get(self.cursor).map_or(&[], Vec::as_slice)
    }

    /// Requests the preview of the selected option.
    fn update_preview(&mut self, session: &Session) {
        self.previewed_option = self.cursor;
        self.preview = match self.selected_option().map(|way| &way.action) {
            Some(ChoiceAction::Edit(edit)) => session.preview_state(edit.clone()),
            Some(ChoiceAction::Ask { .. }) | None => PreviewState::NoEdit,
        };
    }

    /// Returns the selected option.
    pub fn selected_option(&self) -> Option<&EditOption> {
        self.options.get(self.cursor)
    }

    /// Returns the question that the selected option leads to.
    fn follow_up_question(&self) -> Option<DialogRequest> {
        let ChoiceAction::Ask { package, question: asked, initial_answer: proposed } =
            &self.selected_option()?.action
        else {
            return None;
        };
        Some(DialogRequest::Ask {
            purpose: self.purpose,
            package: package.clone(),
            question: asked.clone(),
            initial_answer: proposed.clone(),
        })
    }
}

impl DialogState for EditChoice {
    fn id(&self) -> Dialog {
        Dialog::EditChoice
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press != KeyPress::Action(ActionId::Accept) {
            return DialogStep::Stay;
        }
        if let Some(question) = self.follow_up_question() {
            return DialogStep::Replace(question);
        }
        let Some(Ok(outcome)) = cx.session.preview_now(&mut self.preview) else { return DialogStep::Stay };
        cx.apply_outcome_and_select(self.purpose, outcome);
        DialogStep::Close
    }

    fn on_remedies_found(&mut self, asked: &Arc<RemedySearch>, found: Remedies, view_cx: &ViewContext<'_>) {
        if !self.search.as_ref().is_some_and(|search| Arc::ptr_eq(search, asked)) {
            return;
        }
        self.search = None;
        match found {
            Err(reason) => self.empty_reason = Some(stuck::explain_missing_remedy(reason).to_owned()),
            Ok(found) => {
                let template = asked.snapshot().and_then(|now| now.catalog.template_source(&asked.package));
                for FoundRemedy { group, remedy, check } in found {
                    let edit = Edit::SetEntry {
                        package: asked.package.clone(),
                        channel: remedy.channel.clone(),
                        entry: remedy.entry.clone(),
                        spec: remedy.spec.clone(),
                    };
                    let (label, note) =
                        (stuck::describe_remedy(&remedy), stuck::describe_remedy_effect(&remedy));
                    self.options.push(EditOption { label, note, action: ChoiceAction::Edit(edit) });
                    let mut details = stuck::describe_remedy_details(&group, &remedy, check);
                    details.extend(template.map(|template| describe_template_effect(template, view_cx)));
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
        let wide = (area.width * 9 / 10).min(100);
        let high = match self.options.as_slice() {
            // The preview of a single edit does not change.
            [only] if matches!(only.action, ChoiceAction::Edit(_)) => {
                let columns = usize::from(wide).saturating_sub(5);
                let lines = option_lines(view_cx, self, columns).len();
                u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(6).min(22)
            }
            [] => 8,
            _ if is_edit => 22,
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
        let asks = self.selected_option().is_some_and(|way| matches!(way.action, ChoiceAction::Ask { .. }));
        if !asks {
            let lines = option_lines(view_cx, self, usize::from(lower.width).saturating_sub(1));
            draw_preview_body(view_cx, Dialog::EditChoice, canvas, lower, &lines);
        }
        let enter = match (asks, self.purpose) {
            (true, _) => "continues",
            (false, EditPurpose::WhatIf) => "starts the what-if",
            (false, EditPurpose::Edit) => "apply",
        };
        let keys = [(ActionId::Accept, enter), (ActionId::Cancel, "cancel")];
        let keys = if self.options.is_empty() { &keys[1..] } else { &keys[..] };
        draw_key_hints(view_cx, Dialog::EditChoice, canvas, inner, keys);
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
    let details = choice.details().iter().flat_map(|words| paragraph(words, Ink::Title));
    details.chain(preview_state_lines(view_cx, &choice.preview, columns)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_check::review::{Consequences, Snapshot};
    use olm_upgrade::fixture;

    #[test]
    fn computed_outcome_is_used_as_preview() {
        let before = Snapshot::new(fixture::catalog_from_channels(&[("c", "1.0.0"), ("d", "1.0.0")]));
        let edit = Edit::SetDefaultChannel { package: "p".into(), channel: "d".into() };
        let after = Arc::new(before.after_change(olm_edit::apply_edit(&before.catalog, &edit).unwrap()));
        let consequences = Consequences::compare_snapshots(&before, &after);
        let outcome = Arc::new(EditOutcome { edit, after, consequences });
        let offered = EditChoice::from_outcome("Fix it".to_owned(), Arc::clone(&outcome));
        assert!(matches!(offered.preview.ready_preview(), Some(Ok(shown)) if Arc::ptr_eq(shown, &outcome)));
    }
}
