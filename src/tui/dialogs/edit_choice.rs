//! Dialog that chooses one of a few edits, with a preview of each.

use std::sync::Arc;

use super::dialog::{DialogState, DialogStep, RowCursor};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    session::{
        Session,
        context::{Context, ViewContext},
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
