//! Dialog that releases or withdraws a bundle: its entries in channels, and its image in lists of semver templates, of all
//! open catalogs at once.

mod bundle;
mod edits;
mod row_effect;
mod row_text;
mod rows;
mod view;

pub use bundle::ReleasedBundle;
pub use rows::{ReleaseRow, ReleaseRows, ReleaseTask, RowPlace, TargetCatalog, TargetContent};

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor},
    keys::{ActionId, Dialog, KeyPress, spec::Enabled},
    parts::field::{self, InputError, TextField},
    session::{
        Session,
        context::{Context, ViewContext},
        jobs::dialog_questions::{CompletionRequest, NewBundleRequest},
        open_catalog::OpenCatalog,
    },
    widgets::canvas::{Canvas, Rect},
    work::{Effect, JobResult, PreviewState, UserError, outcome::PathCompletions},
};
use olm_bundle::NewBundle;
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_version::blang::Range;
use olmap_report::template::{BundleTexts, render_command};

/// Fields of the dialog.
pub const FIELDS: Dialog = Dialog::with_name("release-bundle", "the bundle to release").with_field();

/// Channels and lists of the bundle.
pub const DIALOG: Dialog = Dialog::with_name("release", "a release").with_rows().with_text();

/// Part of the dialog that receives the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Focus {
    /// Directory or file of the bundle.
    Path,
    /// Image of the bundle.
    Image,
    /// Channels and lists.
    Rows,
    /// Custom skipRange for the selected channel.
    Range,
    /// Name of a new channel.
    NewChannel,
}

/// Question about the rows, asked once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Confirmation {
    /// Enter applies downgrades.
    Downgrade,
    /// Esc closes the dialog and drops the choices.
    Leave,
}

/// State of the dialog.
#[derive(Debug)]
pub struct Release {
    /// Path of the bundle: a directory, or a file rendered by opm.
    pub path: TextField,
    /// Image of the bundle.
    pub image: TextField,
    /// Input for [`Focus::Range`] or [`Focus::NewChannel`].
    pub extra_input: TextField,
    /// Part of the dialog that receives the keys.
    pub focus: Focus,
    /// Bundle; `None` until it was read for the current fields.
    pub bundle: Option<ReleasedBundle>,
    /// Note or error below the fields.
    pub note: Result<String, InputError>,
    /// Completions of the path.
    pub path_completions: Option<PathCompletions>,
    /// Channels and lists that can get the bundle.
    pub targets: ReleaseRows,
    /// Question that the next key answers.
    pub confirmation: Option<Confirmation>,
    /// True if the user changed a row.
    has_choices: bool,
    /// Path and image of the bundle that is being read.
    reading: Option<(String, String)>,
}

impl Release {
    /// Opens the dialog for a bundle that is not in a catalog, with its path if it is known.
    pub(in crate::tui) fn from_path(path: Option<PathBuf>) -> Self {
        let path = path.map(|path| path.display().to_string()).unwrap_or_default();
        Self {
            focus: if path.is_empty() { Focus::Path } else { Focus::Image },
            path: path.into(),
            image: TextField::default(),
            extra_input: TextField::default(),
            bundle: None,
            note: Ok(String::new()),
            path_completions: None,
            targets: ReleaseRows::default(),
            confirmation: None,
            has_choices: false,
            reading: None,
        }
    }

    /// Refuses unless a writable catalog is open. A catalog proposed from bundle directories is never written.
    pub(in crate::tui) fn check_open_catalogs(session: &Session) -> Enabled {
        let mut catalogs = session.catalogs.all().iter();
        if !catalogs.any(|open| !open.visible_state().catalog.is_rendered_from_bundles()) {
            return Err("open the catalog that it is for, too: olmap CATALOG OPERATORS".to_owned());
        }
        Ok(())
    }

    /// Opens the dialog for a bundle of an open catalog. `None` if the catalog lacks the bundle.
    pub(in crate::tui) fn from_catalog(
        source: &OpenCatalog,
        package: &PackageName,
        bundle: &BundleName,
        view_cx: &ViewContext<'_>,
    ) -> Option<Self> {
        let bundle = ReleasedBundle::find_in_catalog(source, package, bundle, view_cx.session)?;
        let mut release = Self::from_path(None);
        release.show_rows(bundle, view_cx);
        Some(release)
    }

    /// Opens the dialog for a bundle that the current catalog lacks. The cursor starts in the current catalog.
    pub(in crate::tui) fn for_current_catalog(
        source: &OpenCatalog,
        package: &PackageName,
        bundle: &BundleName,
        view_cx: &ViewContext<'_>,
    ) -> Option<Self> {
        let mut release = Self::from_catalog(source, package, bundle, view_cx)?;
        release.targets.move_cursor_to_catalog(view_cx.session.catalogs.current_index());
        Some(release)
    }

    /// Shows the rows for a bundle.
    fn show_rows(&mut self, bundle: ReleasedBundle, view_cx: &ViewContext<'_>) {
        self.targets = ReleaseRows::for_bundle(&bundle, ReleaseTask::Release, view_cx);
        self.note = Ok(String::new());
        if self.targets.catalogs.is_empty() {
            self.note = Err(InputError::from("no catalog is open that could take it".to_owned()));
        } else {
            self.focus = Focus::Rows;
        }
        self.bundle = Some(bundle);
    }

    fn typed_source(&self) -> (String, String) {
        (self.path.value().trim().to_owned(), self.image.value().trim().to_owned())
    }

    /// Requests the bundle from disk, with the typed image.
    fn request_bundle(&mut self, cx: &mut Context<'_>) {
        let (path, image) = self.typed_source();
        if path.is_empty() {
            self.focus = Focus::Path;
            self.note = Err(InputError::from("a bundle directory or rendered file is needed".to_owned()));
            return;
        }
        self.note = Ok("is being read".to_owned());
        self.reading = Some((path.clone(), image.clone()));
        cx.run_job(Arc::new(NewBundleRequest { path: path.into(), image }));
    }

    /// Goes to the rows. Requests the bundle if it is not read yet.
    fn go_to_rows(&mut self, cx: &mut Context<'_>) {
        let (_, image) = self.typed_source();
        if self.bundle.is_some() {
            self.focus = Focus::Rows;
        } else if image.is_empty() && self.focus == Focus::Image {
            self.note = Err(InputError::from("an image is needed: catalogs name bundles by it".to_owned()));
        } else {
            self.request_bundle(cx);
        }
    }

    fn press_in_field(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match (press, self.focus) {
            (KeyPress::Action(ActionId::Complete), Focus::Path) => {
                let typed = self.path.value().trim_start().to_owned();
                cx.run_job(Arc::new(CompletionRequest { typed }));
            }
            (KeyPress::Action(ActionId::PreviousField), Focus::Image) => self.focus = Focus::Path,
            (KeyPress::Action(ActionId::Complete), Focus::Image)
            | (KeyPress::Action(ActionId::Accept), Focus::Path | Focus::Image) => self.go_to_rows(cx),
            (KeyPress::Action(ActionId::Accept), Focus::Range) => self.accept_range(cx),
            (KeyPress::Action(ActionId::Accept), Focus::NewChannel) => self.accept_channel(cx),
            _ => self.type_in_field(press),
        }
        DialogStep::Stay
    }

    fn type_in_field(&mut self, press: KeyPress) {
        let input = match self.focus {
            Focus::Path => &mut self.path,
            Focus::Image => &mut self.image,
            Focus::Range | Focus::NewChannel => &mut self.extra_input,
            Focus::Rows => return,
        };
        if field::handle_field_key(input, press) {
            self.path_completions = None;
            self.note = Ok(String::new());
            if matches!(self.focus, Focus::Path | Focus::Image) {
                // The result of a running read does not match the fields any more.
                self.reading = None;
                self.bundle = None;
                self.targets = ReleaseRows::default();
            }
        }
    }

    fn accept_range(&mut self, cx: &mut Context<'_>) {
        let typed = self.extra_input.value().trim().to_owned();
        if !typed.is_empty()
            && let Err(error) = Range::parse(&typed)
        {
            self.note = Err(InputError::from(error.to_string()));
            return;
        }
        self.note = Ok(String::new());
        self.focus = Focus::Rows;
        self.change_row(cx, |row| {
            if let RowPlace::Channel { range, .. } = &mut row.place {
                *range = Some(typed);
                row.chosen = true;
            }
            Ok(())
        });
    }

    fn accept_channel(&mut self, cx: &mut Context<'_>) {
        let name = self.extra_input.value().trim().to_owned();
        let Some(bundle) = &self.bundle else { return };
        if name.is_empty() {
            self.note = Err(InputError::from("a channel needs a name".to_owned()));
            return;
        }
        if self.targets.add_channel(&ChannelName::from(name.as_str()), bundle, &cx.view()) {
            self.note = Ok(String::new());
            self.focus = Focus::Rows;
            self.has_choices = true;
        } else {
            self.note =
                Err(InputError::from(format!("every catalog has channel {name}: select it in the list")));
        }
    }

    /// Changes the selected row, or reports the reason if that is not possible.
    fn change_row(
        &mut self,
        cx: &mut Context<'_>,
        change: impl FnOnce(&mut ReleaseRow) -> Result<(), String>,
    ) {
        let (Some(row), Some(bundle)) = (self.targets.selected_row(), &self.bundle) else { return };
        let name = row.name().to_owned();
        match self.targets.change_selected(bundle, &cx.view(), change) {
            Ok(()) => self.has_choices = true,
            Err(reason) => cx.notices.report_refusal(format!("{name}: {reason}")),
        }
    }

    fn press_in_rows(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        let was_confirming = self.confirmation.take() == Some(Confirmation::Downgrade);
        match press {
            KeyPress::Action(ActionId::Accept) => return self.apply_release(cx, was_confirming),
            KeyPress::Action(ActionId::Choose) => {
                let task = self.targets.task;
                self.change_row(cx, |row| {
                    if let Some(reason) = row.refusal(task) {
                        return Err(reason);
                    }
                    row.chosen = !row.chosen;
                    Ok(())
                });
                // Move to the next possible row. On the last one, the same key reverts the choice.
                let mut below = self.targets.rows.iter().enumerate().skip(self.targets.cursor + 1);
                if let Some((next, _)) = below.find(|(_, row)| row.refusal(task).is_none()) {
                    self.targets.cursor = next;
                }
            }
            KeyPress::Action(ActionId::Withdraw) => self.change_task(cx),
            KeyPress::Action(
                ActionId::ReleasePlace | ActionId::ReleaseEdges | ActionId::OwnRange | ActionId::NewChannel,
            ) if self.targets.task == ReleaseTask::Withdraw => {
                let release = cx.keys.display_key(DIALOG, ActionId::Withdraw);
                cx.notices.report_refusal(format!("only to release a bundle: {release} releases it instead"));
            }
            KeyPress::Action(ActionId::ReleasePlace) => self.change_row(cx, ReleaseRow::cycle_place),
            KeyPress::Action(ActionId::ReleaseEdges) => {
                let Some(bundle) = &self.bundle else { return DialogStep::Stay };
                match self.targets.cycle_edges(bundle, &cx.view()) {
                    Ok(()) => self.has_choices = true,
                    Err(reason) => cx.notices.report_refusal(reason),
                }
            }
            KeyPress::Action(ActionId::OwnRange) => self.ask_range(cx),
            KeyPress::Action(ActionId::NewChannel) => {
                self.extra_input = TextField::default();
                self.focus = Focus::NewChannel;
            }
            KeyPress::Action(ActionId::PreviousField) => {
                let is_from_catalog = self.bundle.as_ref().is_some_and(ReleasedBundle::is_from_catalog);
                self.focus = if is_from_catalog { Focus::Path } else { Focus::Image };
            }
            _ => {}
        }
        DialogStep::Stay
    }

    /// Withdraws the bundle instead of releasing it, or the other way around.
    fn change_task(&mut self, cx: &mut Context<'_>) {
        let Some(bundle) = &self.bundle else { return };
        let task = match self.targets.task {
            ReleaseTask::Release => ReleaseTask::Withdraw,
            ReleaseTask::Withdraw => ReleaseTask::Release,
        };
        let targets = ReleaseRows::for_bundle(bundle, task, &cx.view());
        if task == ReleaseTask::Withdraw && targets.rows.iter().all(|row| !row.chosen) {
            cx.notices.report_refusal(format!("{} is in no channel of the open catalogs", bundle.name));
            return;
        }
        self.targets = targets;
    }

    /// Asks for the skipRange of the selected row.
    fn ask_range(&mut self, cx: &mut Context<'_>) {
        let Some(row) = self.targets.selected_row() else { return };
        let Some(chosen) = row.chosen_placement(self.targets.edges) else {
            let reason = row.refusal(ReleaseTask::Release);
            let fixed =
                if row.is_package() { rows::COPY_IS_WHOLE } else { "opm sets the edges of a template" };
            let reason = reason.unwrap_or_else(|| fixed.to_owned());
            cx.notices.report_refusal(format!("{}: {reason}", row.name()));
            return;
        };
        let csv = self.bundle.as_ref().and_then(|bundle| bundle.csv_entry()?.skip_range.clone());
        self.note = Ok(format!("skipRange of the entry in {}", row.name()));
        self.extra_input = chosen.place.spec.skip_range.or(csv).unwrap_or_default().into();
        self.focus = Focus::Range;
    }

    /// Releases the bundle to all chosen rows as a single undo step. Downgrades need a confirmation.
    fn apply_release(&mut self, cx: &mut Context<'_>, is_confirmed: bool) -> DialogStep {
        let outcomes = match self.targets.outcomes(cx.session) {
            Ok(outcomes) => outcomes,
            Err(reason) => {
                cx.notices.report_refusal(reason);
                return DialogStep::Stay;
            }
        };
        if outcomes.is_empty() {
            let choose = cx.keys.display_key(DIALOG, ActionId::Choose);
            cx.notices.report_refusal(format!("no channel selected: select one with {choose}"));
            return DialogStep::Stay;
        }
        let is_downgrade = self.targets.rows.iter().any(|row| row.chosen && row.is_downgrade());
        if is_downgrade && !is_confirmed {
            self.confirmation = Some(Confirmation::Downgrade);
            return DialogStep::Stay;
        }
        let commands = self.render_commands(cx.session);
        let made = cx.session.catalogs.apply_as_batch(&outcomes);
        cx.session.correct_all_selections();
        let places = self.targets.describe_chosen();
        let labels = cx.session.catalogs.labels();
        let catalogs = match made.as_slice() {
            [_] if labels.len() == 1 => String::new(),
            [only] => labels.get(*only).map(|label| format!(" in {label}")).unwrap_or_default(),
            several => format!(" in {} catalogs", several.len()),
        };
        let name = self.bundle.as_ref().map(|bundle| bundle.name.to_string()).unwrap_or_default();
        let (undo, review) = (cx.key_label(ActionId::Undo), cx.key_label(ActionId::Review));
        let done = match self.targets.task {
            ReleaseTask::Release
                if self.targets.rows.iter().filter(|row| row.chosen).all(ReleaseRow::is_package) =>
            {
                let package =
                    self.bundle.as_ref().map(|bundle| bundle.package.to_string()).unwrap_or_default();
                format!("copied package {package}")
            }
            ReleaseTask::Release => format!("released {name} to {places}"),
            ReleaseTask::Withdraw => format!("withdrew {name} from {places}"),
        };
        let mut words = format!("{done}{catalogs}   ({undo} undo, {review} review)");
        for command in commands {
            words.push_str("; ");
            words.push_str(&command);
        }
        cx.notices.report_done(words);
        DialogStep::Close
    }

    /// Returns what to render after the release: catalogs of a changed template, and changed catalogs of a template
    /// that does not change, because the next rendering overwrites them.
    fn render_commands(&self, session: &Session) -> Vec<String> {
        let Some(bundle) = &self.bundle else { return Vec::new() };
        let targets = || self.targets.catalogs.iter();
        let is_changed = |at: usize| targets().any(|into| into.catalog == at && !into.preview.has_no_edit());
        let mut commands = Vec::new();
        for (at, (open, label)) in session.catalogs.all().iter().zip(session.catalogs.labels()).enumerate() {
            let catalog = &open.history.now().catalog;
            let Some(template) = catalog.template_source(&bundle.package) else { continue };
            let others = session.catalogs.all().iter().enumerate();
            let mut opened = others.filter(|(_, other)| other.is_template_file(template)).map(|(at, _)| at);
            let shown = template.display_path.display();
            let command = |bundles| {
                let package = catalog.package(bundle.package.as_str())?;
                render_command(catalog, package, template, bundles)
            };
            let with = |command: Option<String>| command.map(|command| format!(" with {command}"));
            match (opened.any(is_changed), is_changed(at)) {
                (true, false) => {
                    let with = with(command(BundleTexts::Images)).unwrap_or_default();
                    commands.push(format!("{label}: render it from {shown}{with}"));
                }
                (false, true) => {
                    let with = with(command(BundleTexts::Catalog)).unwrap_or_default();
                    let also = match self.targets.task {
                        ReleaseTask::Release => "release it in",
                        ReleaseTask::Withdraw => "withdraw it from",
                    };
                    commands.push(format!("{label}: also {also} {shown}, then render it again{with}"));
                }
                (true, true) | (false, false) => {}
            }
        }
        commands
    }

    /// Completes the path. Ignores names for an earlier text.
    fn complete_path(&mut self, typed: &str, outcome: &Result<PathCompletions, UserError>) {
        if self.path.value().trim_start() != typed || self.focus != Focus::Path {
            return;
        }
        match outcome {
            Ok(names) => self.path_completions = names.complete_input(&mut self.path),
            Err(refusal) => self.note = Err(InputError::from(refusal.to_string())),
        }
    }

    /// Stores the bundle that was read, unless the fields changed.
    fn store_bundle(
        &mut self,
        asked: &NewBundleRequest,
        outcome: &Result<Arc<NewBundle>, UserError>,
        cx: &mut Context<'_>,
    ) {
        let is_it =
            |reading: &(String, String)| Path::new(&reading.0) == asked.path && reading.1 == asked.image;
        if self.reading.take_if(|reading| is_it(reading)).is_none() {
            return;
        }
        self.path_completions = None;
        match outcome {
            Err(refusal) => {
                self.focus = Focus::Path;
                self.note = Err(InputError::from(refusal.to_string()));
            }
            Ok(new) if new.image.is_empty() => {
                self.focus = Focus::Image;
                self.note = Ok(format!("{}: paste its image, best with its digest", new.name));
            }
            Ok(new) => {
                // Its manifests are needed for the checks of the new upgrades.
                let (package, path) = (new.package.clone(), asked.path.clone());
                cx.session.jobs.check_package_again(&cx.session.catalogs, &package);
                cx.request(Effect::UseBundleDirectory { package, path });
                self.show_rows(ReleasedBundle::from_new(new), &cx.view());
            }
        }
    }
}

impl DialogState for Release {
    fn id(&self) -> Dialog {
        match self.focus {
            Focus::Rows => DIALOG,
            _ => FIELDS,
        }
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match self.focus {
            Focus::Rows => self.press_in_rows(press, cx),
            _ => self.press_in_field(press, cx),
        }
    }

    fn text_field(&mut self) -> Option<&mut TextField> {
        match self.focus {
            Focus::Path => Some(&mut self.path),
            Focus::Image => Some(&mut self.image),
            Focus::Range | Focus::NewChannel => Some(&mut self.extra_input),
            Focus::Rows => None,
        }
    }

    fn edit_preview(&mut self) -> Option<&mut PreviewState> {
        PreviewState::find_unfinished(self.targets.catalogs.iter_mut().map(|into| &mut into.preview))
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        // The list stays visible while a range or a channel name is typed.
        let is_list = !matches!(self.focus, Focus::Path | Focus::Image);
        is_list.then_some(RowCursor { count: self.targets.rows.len(), cursor: self.targets.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.confirmation = None;
        self.targets.cursor = row;
    }

    fn on_answer(&mut self, result: &JobResult, cx: &mut Context<'_>) {
        if let Some((asked, outcome)) = result.parts::<CompletionRequest>() {
            self.complete_path(&asked.typed, outcome);
        } else if let Some((asked, outcome)) = result.parts::<NewBundleRequest>() {
            self.store_bundle(asked, outcome, cx);
        }
    }

    fn go_back(&mut self) -> bool {
        let is_within = matches!(self.focus, Focus::Range | Focus::NewChannel);
        if is_within {
            self.focus = Focus::Rows;
            self.note = Ok(String::new());
        }
        if is_within {
            return true;
        }
        let asks = self.confirmation.is_none() && self.has_choices && self.focus == Focus::Rows;
        match self.confirmation.take() {
            Some(Confirmation::Downgrade) => true,
            Some(Confirmation::Leave) => false,
            None => {
                self.confirmation = asks.then_some(Confirmation::Leave);
                asks
            }
        }
    }

    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        self.targets.refuse_protected_files(view_cx.session);
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_release(view_cx, self, canvas, area);
    }
}
