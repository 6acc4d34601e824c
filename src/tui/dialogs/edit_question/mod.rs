//! Dialog with a question answered by a line of text, with completions and a preview.

mod extract;
mod interpretation;
mod new_channel;
mod proposals;

use std::sync::Arc;

use tui_input::Input;

use super::dialog::{DialogState, DialogStep};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    parts::{field, input_error::InputError},
    session::{Session, context::Context},
    work::{
        DialogReply, DialogRequest, PreviewState,
        dialog_request::{
            EditPurpose, QuestionKind, describe_deprecation_target, describe_deprecation_targets,
        },
    },
};
use olm_catalog::{ChannelName, PackageName, template::semver::List};
use olm_check::review::PackageState;
use olm_edit::{Edit, TemplateChange};
use olm_plan::extract::ExtractPlan;

/// State of the dialog.
#[derive(Debug)]
pub struct EditQuestion {
    /// Package of the question.
    pub package: PackageName,
    /// Question.
    pub question: QuestionKind,
    /// Purpose of the resulting edit.
    pub purpose: EditPurpose,
    /// Typed answer.
    pub input: Input,
    /// Completions of the answer.
    pub proposals: Vec<String>,
    /// Note about the answer, or the reason why it is invalid.
    pub note: Result<String, InputError>,
    /// Preview of the edit; empty if the answer is incomplete or does not change anything.
    pub preview: PreviewState,
    /// Planned extract; only for that question.
    pub extract_plan: Option<Box<ExtractPlan>>,
}

impl EditQuestion {
    /// Opens the question with a proposed answer.
    pub(in crate::tui) fn new(
        purpose: EditPurpose,
        package: PackageName,
        asked: QuestionKind,
        proposed: String,
        session: &Session,
    ) -> Self {
        let mut question = Self {
            package,
            question: asked,
            purpose,
            input: Input::new(proposed),
            proposals: Vec::new(),
            note: Ok(String::new()),
            preview: PreviewState::NoEdit,
            extract_plan: None,
        };
        question.update_preview(session);
        question
    }

    /// Returns the text of the question.
    pub fn question_title(&self) -> String {
        let package = &self.package;
        match (&self.question, self.purpose) {
            (QuestionKind::Extract, _) => "What if the catalog had only".to_owned(),
            (QuestionKind::LowestVersion, _) => format!("What if {package} had no bundles older than"),
            (QuestionKind::SkipRange { channel, entry, .. }, _) => {
                format!("What if the skipRange of {entry} in {channel} were")
            }
            (QuestionKind::AdditionalSkip { channel, entry, .. }, _) => {
                format!("What if {entry} in {channel} also skipped")
            }
            (QuestionKind::DeprecationMessage(target), EditPurpose::WhatIf) => {
                format!(
                    "What if {} were deprecated, with message",
                    describe_deprecation_target(package, target)
                )
            }
            (QuestionKind::DeprecationMessage(target), EditPurpose::Edit) => {
                format!("Deprecation message for {}", describe_deprecation_target(package, target))
            }
            (QuestionKind::DeprecationMessageForAll(targets), _) => {
                format!("Deprecation message for {}", describe_deprecation_targets(package, targets))
            }
            (QuestionKind::NewEntry(channel), _) => format!("Add to {channel} of {package}"),
            (QuestionKind::NewChannel, _) => format!("Name of the new channel of {package}"),
            (QuestionKind::PromoteTo { bundle, .. }, _) => format!("Promote {bundle} to a new channel named"),
            (QuestionKind::HighestVersion { channel, from }, _) => {
                format!("New channel {channel}, copy of {from} up to version")
            }
            (QuestionKind::Rename(channel), _) => format!("Rename channel {channel} of {package} to"),
            (QuestionKind::ImageInto(list), _) => format!("Bundle image to add to {}", list.name()),
            (QuestionKind::Description, _) => format!("Description of {package}"),
        }
    }

    /// Describes the effect of Enter.
    pub fn enter_hint(&self) -> &'static str {
        match (&self.question, self.purpose) {
            (_, EditPurpose::WhatIf) => "starts the what-if",
            (QuestionKind::NewEntry(_), _) => "continues with its edges",
            (QuestionKind::NewChannel, _) => "continues with its entries",
            (QuestionKind::PromoteTo { .. }, _) => "selects it",
            _ => "apply",
        }
    }

    /// Interprets the answer, and updates the completions and the preview.
    fn update_preview(&mut self, session: &Session) {
        if let QuestionKind::ImageInto(list) = self.question {
            return self.update_image_preview(list, session);
        }
        if self.question == QuestionKind::Extract {
            return self.update_extract_preview(session);
        }
        let Some(package_state) = self.find_package(session).cloned() else { return };
        self.proposals = proposals::propose_answers(self, &package_state);
        match interpretation::interpret_answer(self, &package_state) {
            Ok((edit, remark)) => {
                self.note = Ok(remark);
                self.preview = edit.map_or(PreviewState::NoEdit, |edit| session.preview_state(edit));
            }
            Err(wrong) => {
                self.note = Err(wrong);
                self.preview = PreviewState::NoEdit;
            }
        }
    }

    /// Updates completions and preview for the image of a template, which may not have a package.
    fn update_image_preview(&mut self, list: List, session: &Session) {
        let Some(snapshot) = session.snapshot() else { return };
        self.proposals = proposals::propose_images(&snapshot.catalog, list, self.trimmed_input());
        let image = self.trimmed_input().to_owned();
        self.preview = PreviewState::NoEdit;
        self.note = match () {
            () if image.is_empty() => Ok("the image as it is pulled, best with its digest".to_owned()),
            () => match snapshot.catalog.known_bundle_name(&image).map(ToString::to_string) {
                Some(known) => {
                    self.preview = session.preview_state(Self::add_image_edit(list, image));
                    Ok(known)
                }
                // Do not request the preview of a partly typed image at every key.
                None => {
                    Ok("no open or published catalog has this image: its channels cannot be shown".to_owned())
                }
            },
        };
    }

    fn add_image_edit(list: List, image: String) -> Edit {
        Edit::Template { change: TemplateChange::AddImage { list, image } }
    }

    /// Replaces the answer with the first completion.
    fn accept_proposal(&mut self) {
        if let Some(first) = self.proposals.first() {
            self.input = Input::new(first.clone());
        }
    }

    /// Returns the answer without surrounding spaces.
    fn trimmed_input(&self) -> &str {
        self.input.value().trim()
    }

    /// Returns the package of the question, which may differ from the selected one.
    fn find_package<'a>(&self, session: &'a Session) -> Option<&'a Arc<PackageState>> {
        session.snapshot()?.package(self.package.as_str())
    }

    fn submit_answer(&mut self, cx: &mut Context<'_>) -> DialogStep {
        if self.note.is_err() {
            return DialogStep::Stay;
        }
        if self.question == QuestionKind::NewChannel {
            let name = ChannelName::from(self.trimmed_input());
            return DialogStep::Replace(new_channel::new_channel_choice(&self.package, &name, cx.session));
        }
        // Extracting a whole catalog takes longer than a frame.
        if self.question == QuestionKind::Extract && self.preview.pending_edit().is_some() {
            cx.notices.report_refusal("still working out what it changes");
            return DialogStep::Stay;
        }
        let is_told = !self.preview.has_no_edit() || self.trimmed_input().is_empty();
        if let (QuestionKind::ImageInto(list), false) = (&self.question, is_told) {
            self.preview =
                PreviewState::Pending(Self::add_image_edit(*list, self.trimmed_input().to_owned()));
        }
        let Some(Ok(outcome)) = cx.session.preview_now(&mut self.preview) else { return DialogStep::Stay };
        match (&self.question, &outcome.edit) {
            (QuestionKind::NewEntry(_), Edit::AddEntry { package, channel, entry, spec }) => {
                return DialogStep::Replace(DialogRequest::Entry {
                    package: package.clone(),
                    channel: channel.clone(),
                    entry: entry.clone(),
                    spec: spec.clone(),
                    is_new: true,
                });
            }
            // The dialog below asked the question.
            (QuestionKind::PromoteTo { .. }, Edit::AddChannel { channel, .. }) => {
                cx.reply_to_dialog(DialogReply::Channel(channel.clone()));
            }
            _ => cx.apply_outcome_and_select(self.purpose, outcome),
        }
        DialogStep::Close
    }
}

impl DialogState for EditQuestion {
    fn id(&self) -> Dialog {
        Dialog::EditQuestion
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) => return self.submit_answer(cx),
            KeyPress::Action(ActionId::Complete) => self.accept_proposal(),
            _ => {
                if !field::handle_field_key(&mut self.input, press) {
                    return DialogStep::Stay;
                }
            }
        }
        self.update_preview(cx.session);
        DialogStep::Stay
    }

    fn text_field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn edit_preview(&mut self) -> Option<&mut PreviewState> {
        Some(&mut self.preview)
    }
}
