//! Dialog with a question answered by a line of text, with completions and a preview.

mod extract;
mod interpretation;
mod proposals;

use std::sync::Arc;

use crate::tui::{
    dialogs::{
        dialog::{DialogState, DialogStep},
        edit_choice::{ChoiceAction, EditChoice, EditOption},
        edit_question::extract::extract_lines,
        entry_form::EntryForm,
    },
    keys::{ActionId, Dialog, KeyPress},
    parts::field::{self, InputError, TextField},
    session::{
        Session,
        context::{Context, ViewContext},
    },
    widgets::{
        boxes::{
            draw_field, draw_key_hints, draw_preview_body, draw_proposals, edit_key_hints, scale_dialog,
        },
        canvas::{Canvas, wrap_text},
        preview::preview_state_lines,
        theme::Ink,
    },
    work::{EditPurpose, PreviewState, preview::PendingEdit},
};
use olm_catalog::{
    BundleName, ChannelName, PackageName,
    blob::{DeprecationTarget, EntrySpec},
    template::semver::List,
};
use olm_check::review::PackageState;
use olm_edit::{Edit, TemplateChange};
use olm_plan::extract::ExtractPlan;
use ratatui::layout::Rect;

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("edit-question", "a question").with_field().with_text();

/// Question about an edit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QuestionKind {
    /// The lowest version to keep.
    LowestVersion,
    /// The packages, channels and ranges to keep.
    Extract,
    /// The skipRange of an entry.
    SkipRange {
        /// Channel of the entry.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// Current fields of the entry.
        spec: EntrySpec,
    },
    /// An additional entry to skip.
    AdditionalSkip {
        /// Channel of the entry.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// Current fields of the entry.
        spec: EntrySpec,
    },
    /// The message for a deprecated package, channel or bundle.
    DeprecationMessage(DeprecationTarget),
    /// The message for all suggested deprecations.
    DeprecationMessageForAll(Vec<DeprecationTarget>),
    /// The bundle to add as an entry to a channel.
    NewEntry(ChannelName),
    /// The name of a new channel. Its content is asked next.
    NewChannel,
    /// The highest version in a copy of a channel.
    HighestVersion {
        /// Name of the new channel.
        channel: ChannelName,
        /// The channel to copy.
        from: ChannelName,
    },
    /// The bundle image to add to a list of a semver template.
    ImageInto(List),
    /// The new name of a channel.
    Rename(ChannelName),
    /// The description of the package.
    Description,
}

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
    pub input: TextField,
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
        // Users change single words of a message, and replace names and versions.
        let input = match asked {
            QuestionKind::DeprecationMessage(_) | QuestionKind::Description => TextField::new(proposed),
            _ => TextField::with_selected_text(proposed),
        };
        let mut question = Self {
            package,
            question: asked,
            purpose,
            input,
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
            (_, EditPurpose::WhatIf) => "start the what-if",
            (QuestionKind::NewEntry(_), _) => "next: its edges",
            (QuestionKind::NewChannel, _) => "next: its entries",
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
            self.input = TextField::new(first.clone());
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
            return DialogStep::Replace(Box::new(new_channel_choice(&self.package, &name, cx.session)));
        }
        // Extracting a whole catalog takes longer than a frame.
        if self.question == QuestionKind::Extract && self.preview.pending_edit().is_some() {
            cx.notices.report_refusal("still working out what it changes");
            return DialogStep::Stay;
        }
        let is_told = !self.preview.has_no_edit() || self.trimmed_input().is_empty();
        if let (QuestionKind::ImageInto(list), false) = (&self.question, is_told) {
            let edit = Self::add_image_edit(*list, self.trimmed_input().to_owned());
            let catalog = cx.session.catalogs.current_index();
            self.preview = PreviewState::Pending(PendingEdit { catalog, edit });
        }
        let Some(Ok(outcome)) = cx.session.catalogs.preview_now(&mut self.preview) else {
            if self.trimmed_input().is_empty() {
                self.note = Err(InputError::from("type an answer first".to_owned()));
            }
            return DialogStep::Stay;
        };
        if matches!(self.question, QuestionKind::NewEntry(_))
            && let Some(form) = EntryForm::for_addition(&outcome.edit, cx.session)
        {
            return DialogStep::Replace(Box::new(form));
        }
        cx.apply_outcome_and_select(self.purpose, outcome);
        DialogStep::Close
    }
}

impl DialogState for EditQuestion {
    fn id(&self) -> Dialog {
        DIALOG
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

    fn text_field(&mut self) -> Option<&mut TextField> {
        Some(&mut self.input)
    }

    fn edit_preview(&mut self) -> Option<&mut PreviewState> {
        Some(&mut self.preview)
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let inner = canvas.draw_box(scale_dialog(area, 100, 22), &self.question_title());
        if inner.is_empty() {
            return;
        }
        draw_field(canvas, inner, &self.input, true);
        let (words, ink) = match &self.note {
            Ok(words) => (words.clone(), Ink::Dim),
            Err(mistake) => (mistake.to_string(), Ink::Error),
        };
        // Text of more than two lines is a list; its first line is enough.
        let mut lines = wrap_text(&words, usize::from(inner.width));
        if lines.len() > 2 {
            lines = vec![words];
        }
        let mut y = inner.y + 1;
        for line in &lines {
            canvas.draw_text(inner.x, y, inner.width, line, ink);
            y += 1;
        }
        if !self.proposals.is_empty() {
            let key = view_cx.keys.display_key(DIALOG, ActionId::Complete);
            draw_proposals(canvas, Rect { y, height: 1, ..inner }, key, &self.proposals);
            y += 1;
        }
        canvas.draw_rule(Rect { y, height: 1, ..inner });
        let lower = Rect { y: y + 1, height: inner.bottom().saturating_sub(y + 2), ..inner };
        let columns = usize::from(lower.width).saturating_sub(1);
        let lines = match &self.note {
            Ok(_) => match &self.extract_plan {
                Some(planned) => extract_lines(view_cx, planned, &self.preview, columns),
                None => preview_state_lines(view_cx, &self.preview, columns),
            },
            Err(_) => Vec::new(),
        };
        draw_preview_body(view_cx, DIALOG, canvas, lower, &lines);
        let esc = match self.purpose {
            EditPurpose::WhatIf => "cancel  nothing is edited",
            EditPurpose::Edit => "cancel",
        };
        let keys = [(ActionId::Accept, self.enter_hint()), (ActionId::Cancel, esc)];
        let keys = edit_key_hints(&keys, !self.preview.is_refused());
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}

/// Returns the choice between an empty channel and a copy of the selected one.
fn new_channel_choice(name: &PackageName, channel: &ChannelName, session: &Session) -> EditChoice {
    let empty = Edit::AddChannel { package: name.clone(), channel: channel.clone(), entries: Vec::new() };
    let mut ways = Vec::new();
    let package_state = session.snapshot().and_then(|s| s.package(name.as_str()));
    let from = session.selection().channel.clone();
    if let Some((package, from)) = package_state.map(|package_state| package_state.package()).zip(from)
        && let Some(copy) = Edit::copy_channel(package, from.as_str(), channel.clone(), None)
    {
        let entries = package.channel(from.as_str()).map_or(0, |channel| channel.entries.len());
        let note = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
        ways.push(EditOption { label: format!("copy of {from}"), note, action: ChoiceAction::Edit(copy) });
        let top = session.selection().bundle.as_ref();
        let top = top.and_then(|bundle| package.bundle_version(bundle.as_str()));
        let top = top.map(|version| version.version.to_string()).unwrap_or_default();
        let label = format!("copy of {from} up to ...");
        let question = QuestionKind::HighestVersion { channel: channel.clone(), from };
        let question = EditQuestion::new(EditPurpose::Edit, name.clone(), question, top, session);
        ways.push(EditOption {
            label,
            note: "asks for a version".to_owned(),
            action: ChoiceAction::Open(Box::new(question)),
        });
    }
    let note = "add entries with a".to_owned();
    ways.push(EditOption { label: "empty".to_owned(), note, action: ChoiceAction::Edit(empty) });
    let title = format!("New channel {channel}");
    EditChoice::new(EditPurpose::Edit, title, ways, session)
}

/// Describes several deprecation targets.
pub fn describe_deprecation_targets(package: &PackageName, targets: &[DeprecationTarget]) -> String {
    match targets {
        [one] => describe_deprecation_target(package, one),
        all => format!("{} bundles of {package}", all.len()),
    }
}

/// Describes a deprecation target.
pub fn describe_deprecation_target(package: &PackageName, target: &DeprecationTarget) -> String {
    match target {
        DeprecationTarget::Package => format!("package {package}"),
        DeprecationTarget::Channel(channel) => format!("channel {channel}"),
        DeprecationTarget::Bundle(bundle) => bundle.to_string(),
    }
}
