//! Dialog that asks for a line of text. If the answer starts a read or write, the dialog stays open
//! until it ends. The text is not lost if the operation fails.

mod output;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, OperationResponse},
    keys::{ActionId, Dialog, KeyPress},
    parts::{
        field::{self, InputError, TextField},
        memo::SharedRef,
    },
    session::{
        context::{Context, ViewContext},
        jobs::{base_comparison, dialog_questions::CompletionRequest, load},
    },
    widgets::{
        boxes::{centered, draw_field, draw_key_hints, draw_preview_body, format_name_columns},
        canvas::{Canvas, Line, piece, wrap_text},
        text::FieldWindow,
        theme::Ink,
    },
    work::{Base, Effect, JobResult, JobSlot, ScreenEvent, Source, UserError, outcome::PathCompletions},
};
use olm_catalog::load::git::Revision;
use olm_upgrade::openshift::OpenShift;
use olm_version::masterminds::Constraint;
use olmap_report::layout::{Floor, FoldLine, FoldOptions, Layout};
use ratatui::layout::Rect;

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("prompt", "a question").with_field().with_text();

/// Use of a line of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PromptPurpose {
    /// The version constraint of v1.
    Version,
    /// The lowest version in the graph, for this layout.
    Floor(SharedRef<Layout>),
    /// The OpenShift version of the cluster.
    OpenShift,
    /// The git revision to compare with.
    Revision,
    /// The path or image of another catalog to open.
    Source,
    /// The path of a catalog to compare with.
    BasePath,
    /// The path to write the catalog to.
    SaveAs,
    /// The path to write the graph to.
    Export {
        /// Whether all channels are exported side by side.
        side_by_side: bool,
    },
    /// The path to write the comparison to.
    Comparison,
    /// The file of upgrade expectations to extend.
    Expectations,
    /// The image set configuration for the what-if.
    Mirror,
    /// The priority of a catalog on the cluster.
    CatalogPriority(Source),
}

/// State of the dialog.
#[derive(Debug)]
pub struct Prompt {
    /// Question in the title.
    pub title: &'static str,
    /// Purpose of the answer.
    pub purpose: PromptPurpose,
    /// Typed answer.
    pub input: TextField,
    /// Answer before editing, restored on cancel.
    pub initial_text: String,
    /// Note about the answer, or the reason why it is invalid.
    pub note: Result<String, InputError>,
    /// Path of the running write; `None` if there is none.
    pub writing: Option<PathBuf>,
    /// Base of a comparison that is being loaded.
    reading: Option<Base>,
    /// Lines that would be added to the file.
    pub expectation_lines: String,
    /// Completions of the path; `None` unless requested for the current text.
    pub path_completions: Option<PathCompletions>,
}

impl Prompt {
    /// Opens the question with an initial answer.
    pub(in crate::tui) fn new(
        title: &'static str,
        purpose: PromptPurpose,
        text: String,
        view_cx: &ViewContext<'_>,
    ) -> Self {
        let mut prompt = Self {
            title,
            purpose,
            input: TextField::with_selected_text(text.clone()),
            initial_text: text,
            note: Ok(String::new()),
            writing: None,
            reading: None,
            expectation_lines: String::new(),
            path_completions: None,
        };
        prompt.update_note(view_cx);
        if let PromptPurpose::Floor(_) = prompt.purpose {
            // Do not describe the proposed floor as an answer yet.
            prompt.note = Ok("such as 4 or 4.16".to_owned());
        }
        prompt
    }

    /// Returns true if the answer is a path.
    pub fn is_path(&self) -> bool {
        matches!(self.purpose, PromptPurpose::Source | PromptPurpose::BasePath)
            || output::takes_output_path(&self.purpose)
    }

    /// Returns the answer without surrounding spaces.
    fn trimmed_input(&self) -> &str {
        self.input.value().trim()
    }

    fn update_note(&mut self, view_cx: &ViewContext<'_>) {
        if self.purpose == PromptPurpose::Expectations {
            (self.note, self.expectation_lines) = output::preview_expectations(view_cx, self.trimmed_input());
            return;
        }
        self.note = describe_input(view_cx, &self.purpose, self.input.value());
    }

    /// Applies answers that take effect while the user types, if they are valid.
    fn apply_while_typing(&self, text: &str, cx: &mut Context<'_>) {
        let typed = text.trim();
        let question = &mut cx.session.upgrade_query;
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
            | PromptPurpose::CatalogPriority(_)
            | PromptPurpose::Mirror => {}
        }
    }

    fn submit_answer(&mut self, cx: &mut Context<'_>) -> DialogStep {
        if output::takes_output_path(&self.purpose) {
            return self.start_writing(cx);
        }
        if self.reading.is_some() {
            return DialogStep::Stay;
        }
        self.update_note(&cx.view());
        let is_read =
            matches!(self.purpose, PromptPurpose::Revision | PromptPurpose::BasePath | PromptPurpose::Source);
        if is_read && self.trimmed_input().is_empty() {
            self.note = Err("a name is needed".to_owned().into());
        }
        if self.note.is_err() {
            return DialogStep::Stay;
        }
        if self.purpose == PromptPurpose::Source {
            load::open_catalog(cx, Source::Path(self.trimmed_input().into()));
            return DialogStep::Close;
        }
        let base = match self.purpose {
            PromptPurpose::Revision => parse_revision(self.trimmed_input()).map(Base::Revision),
            PromptPurpose::BasePath => Some(Base::Path(self.trimmed_input().into())),
            _ => None,
        };
        if base.is_some() {
            base_comparison::set_base(cx, base.as_ref());
            self.reading = base;
            self.note = Ok("is being read".to_owned());
            return DialogStep::Stay;
        }
        if matches!(self.purpose, PromptPurpose::Floor(_)) {
            cx.notify_screen(ScreenEvent::Floor(parse_floor(self.trimmed_input()).unwrap_or_default()));
        }
        if let PromptPurpose::CatalogPriority(source) = &self.purpose
            && let Ok(priority) = parse_priority(self.input.value())
        {
            cx.session.catalogs.set_priority(source, priority);
        }
        self.apply_while_typing(self.input.value(), cx);
        DialogStep::Close
    }

    /// Starts the write unless the path is empty.
    fn start_writing(&mut self, cx: &mut Context<'_>) -> DialogStep {
        if self.writing.is_some() {
            return DialogStep::Stay;
        }
        if self.trimmed_input().is_empty() {
            self.note = Err("a path is needed".to_owned().into());
            return DialogStep::Stay;
        }
        let path = PathBuf::from(self.trimmed_input());
        if let Err(wrong) = output::check_output_path(&self.purpose, &path) {
            self.note = Err(wrong);
            return DialogStep::Stay;
        }
        let Some(effect) = output::build_output_effect(&self.purpose, path.clone(), cx) else {
            return DialogStep::Close;
        };
        cx.request(effect);
        self.writing = Some(path);
        let what = if self.purpose == PromptPurpose::Mirror { "is being read" } else { "is being saved" };
        self.note = Ok(what.to_owned());
        DialogStep::Stay
    }
}

impl DialogState for Prompt {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press == KeyPress::Action(ActionId::Accept) {
            return self.submit_answer(cx);
        }
        if press == KeyPress::Action(ActionId::Complete) {
            if self.is_path() && self.writing.is_none() {
                let typed = self.input.value().trim_start().to_owned();
                cx.run_job(Arc::new(CompletionRequest { typed }));
            }
            return DialogStep::Stay;
        }
        if field::handle_field_key(&mut self.input, press) {
            self.path_completions = None;
            self.reading = None;
            self.update_note(&cx.view());
            if self.note.is_ok() {
                self.apply_while_typing(self.input.value(), cx);
            }
        }
        DialogStep::Stay
    }

    fn on_cancel(&mut self, cx: &mut Context<'_>) {
        if self.reading.is_some() {
            cx.request(Effect::Stop(JobSlot::Base(cx.session.catalogs.current_index())));
        }
        self.apply_while_typing(&self.initial_text, cx);
    }

    fn text_field(&mut self) -> Option<&mut TextField> {
        Some(&mut self.input)
    }

    /// Completes the common prefix of the names and lists them if there are several. Ignores names
    /// for an earlier text.
    fn on_answer(&mut self, result: &JobResult, _cx: &mut Context<'_>) {
        let Some((asked, outcome)) = result.parts::<CompletionRequest>() else { return };
        if self.input.value().trim_start() != asked.typed || self.writing.is_some() || !self.is_path() {
            return;
        }
        match outcome {
            Ok(names) => self.path_completions = names.complete_input(&mut self.input),
            Err(refusal) => self.note = Err(InputError::from(refusal.to_string())),
        }
    }

    /// Updates the note, which depends on the current state.
    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        let is_opened = matches!(self.purpose, PromptPurpose::Source | PromptPurpose::BasePath);
        if is_opened && self.reading.is_none() && self.note.is_ok() {
            self.update_note(view_cx);
        }
    }

    fn on_base_loaded(&mut self, base: &Base, refused: Option<&UserError>) -> OperationResponse {
        if self.reading.take_if(|reading| reading == base).is_none() {
            return OperationResponse::NotWaiting;
        }
        let Some(UserError { message, hint }) = refused else { return OperationResponse::Close };
        self.note = Err(InputError { message: message.clone(), column: None, hint: hint.clone() });
        OperationResponse::ShowError
    }

    fn on_written(&mut self, asked: Option<&Path>, refused: Option<&str>) -> OperationResponse {
        let is_it = match asked {
            Some(path) => self.writing.as_deref() == Some(path),
            None => self.purpose == PromptPurpose::SaveAs && self.writing.is_some(),
        };
        match refused {
            _ if !is_it => OperationResponse::NotWaiting,
            None => OperationResponse::Close,
            Some(reason) => {
                self.writing = None;
                self.note = Err(InputError::from(reason.to_owned()));
                OperationResponse::ShowError
            }
        }
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        // Three lines below the field: error position, error and hint. Completions follow.
        let room =
            (usize::from(area.width.min(80)).saturating_sub(4), usize::from(area.height).saturating_sub(8));
        let rows = self
            .path_completions
            .as_ref()
            .map(|names| format_name_columns(names, room, canvas.ascii))
            .unwrap_or_default();
        let text = wrap_excerpt(&self.expectation_lines, room.0);
        // Completions replace the excerpt.
        let below = if self.path_completions.is_some() { rows.len() } else { text.len() };
        let high = u16::try_from(below).unwrap_or(u16::MAX).saturating_add(7);
        let inner = canvas.draw_box(centered(area, 80, high), self.title);
        if inner.is_empty() {
            return;
        }
        draw_field(canvas, inner, &self.input, true);
        let completes = self.is_path().then_some((ActionId::Complete, "complete"));
        let ends = match self.purpose {
            PromptPurpose::Expectations => [(ActionId::Accept, "write"), (ActionId::Cancel, "cancel")],
            PromptPurpose::Source => [(ActionId::Accept, "open"), (ActionId::Cancel, "cancel")],
            PromptPurpose::Mirror => [(ActionId::Accept, "start the what-if"), (ActionId::Cancel, "cancel")],
            PromptPurpose::BasePath | PromptPurpose::Revision => {
                [(ActionId::Accept, "compare"), (ActionId::Cancel, "cancel")]
            }
            PromptPurpose::Comparison | PromptPurpose::Export { .. } | PromptPurpose::SaveAs => {
                [(ActionId::Accept, "write"), (ActionId::Cancel, "cancel")]
            }
            _ => [(ActionId::Accept, "apply"), (ActionId::Cancel, "cancel")],
        };
        let keys: Vec<_> = completes.into_iter().chain(ends).collect();
        if inner.height > 2 {
            draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
        }
        let lower = Rect { y: inner.y + 1, height: inner.height.saturating_sub(2), ..inner };
        for (y, row) in (lower.y + 2..lower.bottom()).zip(&rows) {
            canvas.draw_text(lower.x, y, lower.width, row, Ink::Text);
        }
        if self.path_completions.is_none() {
            let area = Rect { y: lower.y + 2, height: lower.height.saturating_sub(2), ..lower };
            let lines: Vec<Line> = text.into_iter().map(|line| vec![piece(line, Ink::Good)]).collect();
            draw_preview_body(view_cx, DIALOG, canvas, area, &lines);
        }
        match &self.note {
            Ok(words) => {
                canvas.draw_text(lower.x, lower.y, lower.width, words, Ink::Dim);
            }
            Err(wrong) => {
                if let Some(at) =
                    wrong.column.and_then(|column| visible_column(&self.input, column, inner.width))
                {
                    canvas.draw_text(inner.x + at, lower.y, 1, "^", Ink::Error);
                }
                let hint = wrong.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
                let words = format!("{}{hint}", wrong.message);
                let lines = wrap_text(&words, usize::from(inner.width));
                for (y, line) in (lower.y + 1..lower.bottom()).zip(lines) {
                    canvas.draw_text(lower.x, y, lower.width, &line, Ink::Error);
                }
            }
        }
    }
}

/// Returns the note about an answer for the given purpose.
fn describe_input(
    view_cx: &ViewContext<'_>,
    purpose: &PromptPurpose,
    text: &str,
) -> Result<String, InputError> {
    match purpose {
        PromptPurpose::Version => describe_version_constraint(view_cx, text),
        PromptPurpose::OpenShift if text.trim().is_empty() => Ok("no cluster version set".to_owned()),
        PromptPurpose::OpenShift => {
            let from = OpenShift::parse(text.trim()).map_err(|error| error.to_string())?;
            Ok(format!("which installed bundles block the update {from} -> {}", from.next_minor()))
        }
        PromptPurpose::Floor(layout) => Ok(describe_floor(layout.get(), parse_floor(text)?)),
        PromptPurpose::Revision => describe_revision(view_cx, text),
        PromptPurpose::BasePath | PromptPurpose::Source => {
            let warning = load::open_warning(text.trim(), view_cx.settings.open_options.access.offline);
            Ok(warning.unwrap_or_else(|| "reads all of it, writes nothing".to_owned()))
        }
        PromptPurpose::SaveAs => Ok(output::describe_copy(view_cx)),
        PromptPurpose::Export { side_by_side } => {
            output::describe_export(view_cx, *side_by_side, Path::new(text))
        }
        PromptPurpose::Comparison => output::describe_comparison_export(view_cx),
        PromptPurpose::Mirror => {
            Ok("such as imageset.yaml, imageset.yaml#2 for its second catalog".to_owned())
        }
        PromptPurpose::Expectations => output::preview_expectations(view_cx, text).0,
        PromptPurpose::CatalogPriority(_) => {
            parse_priority(text)?;
            Ok("the highest priority wins; the catalogs of OpenShift have -100 to -400".to_owned())
        }
    }
}

/// Parses a priority of a `ClusterCatalog`.
fn parse_priority(text: &str) -> Result<i32, String> {
    text.trim().parse().map_err(|_| "a whole number of 32 bits, such as 0 or -100".to_owned())
}

fn describe_version_constraint(view_cx: &ViewContext<'_>, text: &str) -> Result<String, InputError> {
    let typed = text.trim();
    if typed.is_empty() {
        return Ok("any version".to_owned());
    }
    let before = text.chars().take_while(|c| c.is_whitespace()).count();
    let constraint = Constraint::parse(typed).map_err(|error| InputError {
        message: error.message,
        column: Some(error.column + before),
        hint: error.hint,
    })?;
    let bundles =
        view_cx.session.selected_package().map(|p| p.package().bundles.as_slice()).unwrap_or_default();
    let versions = bundles.iter().filter_map(|b| b.version.as_ref());
    let matched = versions.filter(|v| constraint.matches(&v.version)).count();
    Ok(format!("matches {matched} of {} bundles", bundles.len()))
}

/// Parses the lowest version to show; `None` for all versions.
fn parse_floor(text: &str) -> Result<Option<Floor>, String> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    if text.is_empty() {
        return Ok(None);
    }
    Floor::parse(text).map(Some).ok_or_else(|| "one to three numbers, such as 4 or 4.16".to_owned())
}

fn describe_floor(layout: Option<&Layout>, floor: Option<Floor>) -> String {
    let Some(layout) = layout else { return String::new() };
    let lines = layout.fold_lines(FoldOptions { floor, ..FoldOptions::default() });
    let shown = lines.iter().filter(|line| matches!(line, FoldLine::Row(_))).count();
    format!("shows {shown} of {} bundles", layout.rows.len())
}

/// Parses a revision with or without the prefix `git:`.
fn parse_revision(typed: &str) -> Option<Revision> {
    let typed = typed.strip_prefix("git:").unwrap_or(typed);
    Revision::parse(&format!("git:{typed}"))
}

fn describe_revision(view_cx: &ViewContext<'_>, text: &str) -> Result<String, InputError> {
    let typed = text.trim();
    if typed.is_empty() {
        return Ok("such as main, v1.2 or HEAD~1; add :PATH for a catalog at another path".to_owned());
    }
    let revision = parse_revision(typed).ok_or_else(|| "put a revision before the path".to_owned())?;
    let without = view_cx.session.current_catalog().map_or(Ok(()), base_comparison::check_repository);
    match (revision.path, without) {
        (None, Err(why)) => Err(format!("{why}; use REV:PATH for a repository you are in").into()),
        (None, Ok(())) => Ok("the catalog at the same path in that revision".to_owned()),
        (Some(path), _) => Ok(format!("the catalog at {} in that revision", path.display())),
    }
}

/// Returns the lines that would be written to a file, wrapped to a width.
fn wrap_excerpt(text: &str, columns: usize) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.is_empty());
    let marked = |line: &str| {
        let wrapped = wrap_text(line.trim_end(), columns.saturating_sub(5));
        let mark = |at: usize| if at == 0 { "+ " } else { "    " };
        wrapped.into_iter().enumerate().map(|(at, line)| format!("{}{line}", mark(at))).collect::<Vec<_>>()
    };
    lines.flat_map(marked).collect()
}

/// Returns the column of a character in the field; `None` if it is scrolled out of view.
fn visible_column(input: &TextField, column: usize, room: u16) -> Option<u16> {
    let at = FieldWindow::for_input(input, room).column(input.value(), column.saturating_sub(1))?;
    u16::try_from(at).ok().filter(|at| *at < room)
}
