//! Dialog that asks for a line of text. If the answer starts a read or write, the dialog stays open
//! until it ends. The text is not lost if the operation fails.

mod writing;

use std::path::{Path, PathBuf};

use tui_input::Input;

use super::dialog::{DialogState, Step, Waited};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        parts::{field, mistake::Mistake},
        session::{
            against,
            cx::{Cx, See},
            loading::opening,
        },
        work::{Answer, Base, Effect, Refusal, Source, opening::PromptPurpose, outcome::Names},
    },
    catalog::load::git::Revision,
    layout::{Floor, Fold, Layout, Line},
    upgrade::openshift::OpenShift,
    version::masterminds::Constraint,
};

/// State of the dialog.
#[derive(Debug)]
pub struct Prompt {
    /// Question in the title.
    pub title: &'static str,
    /// Purpose of the answer.
    pub purpose: PromptPurpose,
    /// Typed answer.
    pub input: Input,
    /// Answer before editing, restored on cancel.
    pub before: String,
    /// Note about the answer, or the reason why it is invalid.
    pub remark: Result<String, Mistake>,
    /// Path of the running write; `None` if there is none.
    pub writing: Option<PathBuf>,
    /// Base of a comparison that is being loaded.
    reading: Option<Base>,
    /// Lines that would be added to the file.
    pub text: String,
    /// Completions of the path; `None` unless requested for the current text.
    pub names: Option<Names>,
}

impl Prompt {
    /// Opens the question with an initial answer.
    pub(in crate::app) fn new(
        title: &'static str,
        purpose: PromptPurpose,
        text: String,
        see: &See<'_>,
    ) -> Self {
        let mut prompt = Self {
            title,
            purpose,
            input: text.clone().into(),
            before: text,
            remark: Ok(String::new()),
            writing: None,
            reading: None,
            text: String::new(),
            names: None,
        };
        prompt.refresh(see);
        if let PromptPurpose::Floor(_) = prompt.purpose {
            // Do not describe the proposed floor as an answer yet.
            prompt.remark = Ok("such as 4 or 4.16".to_owned());
        }
        prompt
    }

    /// Returns true if the answer is a path.
    pub fn is_path(&self) -> bool {
        matches!(self.purpose, PromptPurpose::Source | PromptPurpose::BasePath)
            || writing::is_path(&self.purpose)
    }

    /// Returns the answer without surrounding spaces.
    fn typed(&self) -> &str {
        self.input.value().trim()
    }

    fn refresh(&mut self, see: &See<'_>) {
        if self.purpose == PromptPurpose::Expectations {
            (self.remark, self.text) = writing::expectations(see, self.typed());
            return;
        }
        self.remark = remark(see, &self.purpose, self.input.value());
    }

    /// Applies answers that take effect while the user types, if they are valid.
    fn follow(&self, text: &str, cx: &mut Cx<'_>) {
        let typed = text.trim();
        let question = &mut cx.session.question;
        match self.purpose {
            PromptPurpose::Version => typed.clone_into(&mut question.query.version),
            PromptPurpose::OpenShift => question.openshift = OpenShift::parse(typed).ok(),
            PromptPurpose::Floor(_)
            | PromptPurpose::Revision
            | PromptPurpose::BasePath
            | PromptPurpose::Source
            | PromptPurpose::SaveAs
            | PromptPurpose::Export { .. }
            | PromptPurpose::Comparison
            | PromptPurpose::Expectations
            | PromptPurpose::Mirror => {}
        }
    }

    fn answered(&mut self, cx: &mut Cx<'_>) -> Step {
        if writing::is_path(&self.purpose) {
            return self.write(cx);
        }
        if self.reading.is_some() {
            return Step::Stay;
        }
        self.refresh(&cx.see());
        let is_read =
            matches!(self.purpose, PromptPurpose::Revision | PromptPurpose::BasePath | PromptPurpose::Source);
        if is_read && self.typed().is_empty() {
            self.remark = Err("a name is needed".to_owned().into());
        }
        if self.remark.is_err() {
            return Step::Stay;
        }
        if self.purpose == PromptPurpose::Source {
            opening::open(cx, Source::Path(self.typed().into()));
            return Step::Close;
        }
        let base = match self.purpose {
            PromptPurpose::Revision => revision(self.typed()).map(Base::Revision),
            PromptPurpose::BasePath => Some(Base::Path(self.typed().into())),
            _ => None,
        };
        if base.is_some() {
            against::choose(cx, base.clone());
            self.reading = base;
            self.remark = Ok("is being read".to_owned());
            return Step::Stay;
        }
        if matches!(self.purpose, PromptPurpose::Floor(_)) {
            cx.answer(Answer::Floor(read_floor(self.typed()).unwrap_or_default()));
        }
        self.follow(self.input.value(), cx);
        Step::Close
    }

    /// Starts the write unless the path is empty.
    fn write(&mut self, cx: &mut Cx<'_>) -> Step {
        if self.writing.is_some() {
            return Step::Stay;
        }
        if self.typed().is_empty() {
            self.remark = Err("a path is needed".to_owned().into());
            return Step::Stay;
        }
        let path = PathBuf::from(self.typed());
        let Some(effect) = writing::effect(&self.purpose, path.clone(), cx) else { return Step::Close };
        cx.ask(effect);
        self.writing = Some(path);
        let what = if self.purpose == PromptPurpose::Mirror { "is being read" } else { "is being saved" };
        self.remark = Ok(what.to_owned());
        Step::Stay
    }
}

impl DialogState for Prompt {
    fn id(&self) -> Dialog {
        Dialog::Prompt
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if press == Press::Action(ActionId::Accept) {
            return self.answered(cx);
        }
        if press == Press::Action(ActionId::Complete) {
            if self.is_path() && self.writing.is_none() {
                cx.ask(Effect::ListNames { typed: self.input.value().trim_start().to_owned() });
            }
            return Step::Stay;
        }
        if field::type_into(&mut self.input, press) {
            self.names = None;
            self.reading = None;
            self.refresh(&cx.see());
            if self.remark.is_ok() {
                self.follow(self.input.value(), cx);
            }
        }
        Step::Stay
    }

    fn cancelled(&mut self, cx: &mut Cx<'_>) {
        if self.reading.is_some() {
            cx.ask(Effect::StopReading { catalog: cx.session.current });
        }
        self.follow(&self.before, cx);
    }

    fn field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    /// Completes the common prefix of the names and lists them if there are several. Ignores names
    /// for an earlier text.
    fn listed(&mut self, typed: &str, outcome: &Result<Names, Refusal>) {
        let value = self.input.value();
        if value.trim_start() != typed || self.writing.is_some() || !self.is_path() {
            return;
        }
        match outcome {
            Ok(names) => self.names = names.complete(&mut self.input),
            Err(refusal) => self.remark = Err(Mistake::from(refusal.to_string())),
        }
    }

    /// Updates the note, which depends on the current state.
    fn settle(&mut self, see: &See<'_>) {
        let is_opened = matches!(self.purpose, PromptPurpose::Source | PromptPurpose::BasePath);
        if is_opened && self.reading.is_none() && self.remark.is_ok() {
            self.refresh(see);
        }
    }

    fn was_read(&mut self, base: &Base, refused: Option<&Refusal>) -> Waited {
        if self.reading.take_if(|reading| reading == base).is_none() {
            return Waited::No;
        }
        let Some(Refusal { message, hint }) = refused else { return Waited::Done };
        self.remark = Err(Mistake { message: message.clone(), column: None, hint: hint.clone() });
        Waited::Stays
    }

    fn wrote(&mut self, asked: Option<&Path>, refused: Option<&str>) -> Waited {
        let is_it = match asked {
            Some(path) => self.writing.as_deref() == Some(path),
            None => self.purpose == PromptPurpose::SaveAs && self.writing.is_some(),
        };
        match refused {
            _ if !is_it => Waited::No,
            None => Waited::Done,
            Some(reason) => {
                self.writing = None;
                self.remark = Err(Mistake::from(reason.to_owned()));
                Waited::Stays
            }
        }
    }
}

/// Returns the note about an answer for the given purpose.
fn remark(see: &See<'_>, purpose: &PromptPurpose, text: &str) -> Result<String, Mistake> {
    match purpose {
        PromptPurpose::Version => remark_on_version(see, text),
        PromptPurpose::OpenShift if text.trim().is_empty() => Ok("no cluster version set".to_owned()),
        PromptPurpose::OpenShift => {
            let from = OpenShift::parse(text.trim()).map_err(|error| error.to_string())?;
            Ok(format!("which installed bundles block the update {from} -> {}", from.next()))
        }
        PromptPurpose::Floor(layout) => Ok(remark_on_floor(layout.get(), read_floor(text)?)),
        PromptPurpose::Revision => remark_on_revision(see, text),
        PromptPurpose::BasePath | PromptPurpose::Source => {
            let warning = opening::warning(text.trim(), see.settings.how.access.offline);
            Ok(warning.unwrap_or_else(|| "reads all of it, writes nothing".to_owned()))
        }
        PromptPurpose::SaveAs => Ok(writing::remark_on_copy(see)),
        PromptPurpose::Export { side_by_side, .. } => Ok(writing::remark_on_export(see, *side_by_side)),
        PromptPurpose::Comparison => writing::remark_on_comparison(see),
        PromptPurpose::Mirror => {
            Ok("such as imageset.yaml, imageset.yaml#2 for its second catalog".to_owned())
        }
        PromptPurpose::Expectations => writing::expectations(see, text).0,
    }
}

fn remark_on_version(see: &See<'_>, text: &str) -> Result<String, Mistake> {
    let typed = text.trim();
    if typed.is_empty() {
        return Ok("any version".to_owned());
    }
    let before = text.chars().take_while(|c| c.is_whitespace()).count();
    let constraint = Constraint::parse(typed).map_err(|error| Mistake {
        message: error.message,
        column: Some(error.column + before),
        hint: error.hint,
    })?;
    let bundles = see.session.package().map(|p| p.package().bundles.as_slice()).unwrap_or_default();
    let versions = bundles.iter().filter_map(|b| b.version.as_ref());
    let matched = versions.filter(|v| constraint.matches(&v.version)).count();
    Ok(format!("matches {matched} of {} bundles", bundles.len()))
}

/// Parses the lowest version to show; `None` for all versions.
fn read_floor(text: &str) -> Result<Option<Floor>, String> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    if text.is_empty() {
        return Ok(None);
    }
    Floor::parse(text).map(Some).ok_or_else(|| "one to three numbers, such as 4 or 4.16".to_owned())
}

fn remark_on_floor(layout: Option<&Layout>, floor: Option<Floor>) -> String {
    let Some(layout) = layout else { return String::new() };
    let lines = layout.lines(Fold { floor, ..Fold::default() });
    let shown = lines.iter().filter(|line| matches!(line, Line::Row(_))).count();
    format!("shows {shown} of {} bundles", layout.rows.len())
}

/// Parses a revision with or without the prefix `git:`.
fn revision(typed: &str) -> Option<Revision> {
    let typed = typed.strip_prefix("git:").unwrap_or(typed);
    Revision::parse(&format!("git:{typed}"))
}

fn remark_on_revision(see: &See<'_>, text: &str) -> Result<String, Mistake> {
    let typed = text.trim();
    if typed.is_empty() {
        return Ok("such as main, v1.2 or HEAD~1; add :PATH for a catalog at another path".to_owned());
    }
    let revision = revision(typed).ok_or_else(|| "put a revision before the path".to_owned())?;
    let without = see.session.catalog().map_or(Ok(()), against::repository);
    match (revision.path, without) {
        (None, Err(why)) => Err(format!("{why}; use REV:PATH for a repository you are in").into()),
        (None, Ok(())) => Ok("the catalog at the same path in that revision".to_owned()),
        (Some(path), _) => Ok(format!("the catalog at {} in that revision", path.display())),
    }
}
