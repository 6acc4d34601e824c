//! Dialog that adds a new bundle to channels of open catalogs: first the bundle and its image, then
//! the channels.

mod targets;
mod view;

pub use targets::{ChannelTarget, ChannelTargets, TargetCatalog};

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tui_input::Input;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor},
    keys::{ActionId, Dialog, KeyPress},
    parts::field::{self, InputError},
    session::{
        context::{Context, ViewContext},
        jobs::dialog_questions::{CompletionRequest, NewBundleRequest},
    },
    widgets::canvas::{Canvas, Rect},
    work::{JobResult, UserError, outcome::PathCompletions},
};
use olm_bundle::NewBundle;
use olm_catalog::ChannelName;
use olm_upgrade::{
    pending_bundle::EdgeSource,
    promotion::{EdgeOffer, OfferChoice},
};
use olm_version::blang::Range;

/// Path and image of the new bundle.
pub const DIALOG: Dialog = Dialog::with_name("new-bundle", "a new bundle").with_field();

/// Channels of the new bundle.
pub const CHANNELS: Dialog =
    Dialog::with_name("new-bundle-channels", "a new bundle's channels").with_rows().with_text();

/// Part of the dialog that receives the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Focus {
    /// Directory or file of the bundle.
    #[default]
    Path,
    /// Image of the bundle.
    Image,
    /// List of channels.
    Channels,
    /// Custom skipRange for the selected channel.
    Range,
    /// Name of a new channel.
    NewChannel,
}

/// State of the dialog.
#[derive(Debug)]
pub struct NewBundleForm {
    /// Path of the bundle: a directory, or a file rendered by opm.
    pub path: Input,
    /// Image of the bundle.
    pub image: Input,
    /// Input for [`Focus::Range`] or [`Focus::NewChannel`].
    pub extra_input: Input,
    /// Part of the dialog that receives the keys.
    pub focus: Focus,
    /// Parsed bundle; `None` until it was read for the current fields.
    pub bundle: Option<Arc<NewBundle>>,
    /// Note or error below the fields.
    pub note: Result<String, InputError>,
    /// Completions of the path.
    pub path_completions: Option<PathCompletions>,
    /// Catalogs and channels that can take the bundle.
    pub targets: ChannelTargets,
    /// Path and image of the bundle that is being read.
    reading: Option<(String, String)>,
}

impl NewBundleForm {
    /// Opens the dialog, with the path of a bundle if it is known.
    pub(in crate::tui) fn new(path: Option<PathBuf>) -> Self {
        let path = path.map(|path| path.display().to_string()).unwrap_or_default();
        Self {
            focus: if path.is_empty() { Focus::Path } else { Focus::Image },
            path: path.into(),
            image: Input::default(),
            extra_input: Input::default(),
            bundle: None,
            note: Ok(String::new()),
            path_completions: None,
            targets: ChannelTargets::default(),
            reading: None,
        }
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

    /// Moves to another part. Before the channels, requests the bundle if it is not read yet.
    fn move_focus(&mut self, focus: Focus, cx: &mut Context<'_>) {
        let (_, image) = self.typed_source();
        match focus {
            Focus::Channels if self.bundle.is_none() => {
                if image.is_empty() && self.focus == Focus::Image {
                    self.note =
                        Err(InputError::from("an image is needed: catalogs name bundles by it".to_owned()));
                } else {
                    self.request_bundle(cx);
                }
            }
            focus => self.focus = focus,
        }
    }

    fn press_in_field(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match (press, self.focus) {
            (KeyPress::Action(ActionId::Complete), Focus::Path) => {
                let typed = self.path.value().trim_start().to_owned();
                cx.run_job(Arc::new(CompletionRequest { typed }));
            }
            (KeyPress::Action(ActionId::Complete), Focus::Image) => self.move_focus(Focus::Channels, cx),
            (KeyPress::Action(ActionId::PreviousField), Focus::Image) => self.move_focus(Focus::Path, cx),
            (KeyPress::Action(ActionId::Accept), Focus::Path | Focus::Image) => {
                self.move_focus(Focus::Channels, cx);
            }
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
            Focus::Channels => return,
        };
        if field::handle_field_key(input, press) {
            self.path_completions = None;
            self.note = Ok(String::new());
            if matches!(self.focus, Focus::Path | Focus::Image) {
                // The result of a running read does not match the fields any more.
                self.reading = None;
                self.bundle = None;
                self.targets = ChannelTargets::default();
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
        self.focus = Focus::Channels;
        self.change_selected_target(cx, |row| {
            row.range = Some(typed).filter(|typed| !typed.is_empty());
            row.chosen = true;
        });
    }

    fn accept_channel(&mut self, cx: &mut Context<'_>) {
        let name = self.extra_input.value().trim().to_owned();
        let Some(new) = self.bundle.clone() else { return };
        if name.is_empty() {
            self.note = Err(InputError::from("a channel needs a name".to_owned()));
            return;
        }
        if self.targets.add_channel(&ChannelName::from(name.as_str()), &new, &cx.view()) {
            self.note = Ok(String::new());
            self.focus = Focus::Channels;
        } else {
            self.note =
                Err(InputError::from(format!("every catalog has channel {name}: select it in the list")));
        }
    }

    /// Changes the selected row.
    fn change_selected_target(&mut self, cx: &mut Context<'_>, change: impl FnOnce(&mut ChannelTarget)) {
        if let Some(new) = self.bundle.clone() {
            self.targets.change_selected(&new, &cx.view(), change);
        }
    }

    /// Changes the selected row, or reports the reason if the bundle cannot be added there.
    fn change_row_checked(&mut self, cx: &mut Context<'_>, act: impl FnOnce(&mut ChannelTarget)) {
        let (Some(row), Some(new)) = (self.targets.selected_target(), self.bundle.clone()) else { return };
        let mut changed = row.clone();
        act(&mut changed);
        match changed.entry_spec(&new) {
            Err(refusal) => cx.notices.report_refusal(format!("{}: {refusal}", row.channel)),
            Ok(_) => self.change_selected_target(cx, |row| *row = changed),
        }
    }

    fn press_in_list(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) => return self.add_to_chosen(cx),
            KeyPress::Action(ActionId::Choose) => {
                self.change_row_checked(cx, |row| row.chosen = !row.chosen);
                self.targets.cursor =
                    (self.targets.cursor + 1).min(self.targets.rows.len().saturating_sub(1));
            }
            KeyPress::Action(ActionId::PromoteSkips) => {
                self.change_wish(cx, "no head that skips something", |wish, offer| {
                    offer
                        .head_edges
                        .as_ref()
                        .map(|_| OfferChoice { take_head_edges: !wish.take_head_edges, ..wish })
                });
            }
            KeyPress::Action(ActionId::PromoteRange) => {
                self.change_wish(cx, "no head with a skipRange to copy", |wish, offer| {
                    offer.range.as_ref().map(|_| OfferChoice { extend_range: !wish.extend_range, ..wish })
                });
            }
            KeyPress::Action(ActionId::EntryFromCsv) => {
                let says = self.bundle.as_ref().is_some_and(|new| new.own_entry.is_some());
                if says {
                    self.change_row_checked(cx, |row| {
                        row.edge_source = match row.edge_source {
                            EdgeSource::Csv => EdgeSource::default(),
                            EdgeSource::Head(_) => EdgeSource::Csv,
                        };
                        row.chosen = true;
                    });
                } else {
                    cx.notices.report_refusal("its ClusterServiceVersion asks for no edges");
                }
            }
            KeyPress::Action(ActionId::OwnRange) => {
                let (Some(row), Some(new)) = (self.targets.selected_target(), self.bundle.clone()) else {
                    return DialogStep::Stay;
                };
                match row.entry_spec(&new) {
                    Ok(spec) => {
                        let own = new.own_entry.as_ref().and_then(|own| own.skip_range.clone());
                        let offered = || row.offer.as_ref().ok()?.range.clone();
                        let range = spec.skip_range.or(own).or_else(offered).unwrap_or_default();
                        self.note = Ok(format!("skipRange of the entry in {}", row.channel));
                        self.extra_input = range.into();
                        self.focus = Focus::Range;
                    }
                    Err(refusal) => cx.notices.report_refusal(refusal.to_string()),
                }
            }
            KeyPress::Action(ActionId::NewChannel) => {
                self.extra_input = Input::default();
                self.focus = Focus::NewChannel;
            }
            KeyPress::Action(ActionId::BackToFields) => self.focus = Focus::Image,
            _ => {}
        }
        DialogStep::Stay
    }

    fn change_wish(
        &mut self,
        cx: &mut Context<'_>,
        nothing: &str,
        next: impl FnOnce(OfferChoice, &EdgeOffer) -> Option<OfferChoice>,
    ) {
        let Some(row) = self.targets.selected_target() else { return };
        let wish = match row.edge_source {
            EdgeSource::Head(wish) => wish,
            EdgeSource::Csv => OfferChoice::default(),
        };
        let Ok(offer) = &row.offer else {
            return self.change_row_checked(cx, |row| row.edge_source = EdgeSource::Head(wish));
        };
        match next(wish, offer) {
            Some(wish) => self.change_row_checked(cx, |row| {
                row.edge_source = EdgeSource::Head(wish);
                row.chosen = true;
            }),
            None => cx.notices.report_refusal(format!("the channel has {nothing}")),
        }
    }

    /// Adds the bundle to all chosen channels as a single undo step.
    fn add_to_chosen(&self, cx: &mut Context<'_>) -> DialogStep {
        let outcomes = match self.targets.outcomes() {
            Ok(outcomes) => outcomes,
            Err(reason) => {
                cx.notices.report_refusal(reason);
                return DialogStep::Stay;
            }
        };
        if outcomes.is_empty() {
            let choose = cx.keys.display_key(CHANNELS, ActionId::Choose);
            cx.notices.report_refusal(format!("no channel selected: select one with {choose}"));
            return DialogStep::Stay;
        }
        let made = cx.session.catalogs.apply_as_batch(&outcomes);
        cx.session.correct_all_selections();
        let channels = match self.targets.count_chosen() {
            1 => "1 channel".to_owned(),
            several => format!("{several} channels"),
        };
        let catalogs = if made == 1 { String::new() } else { format!(" in {made} catalogs") };
        let name = self.bundle.as_ref().map(|new| new.name.to_string()).unwrap_or_default();
        let (undo, save) = (cx.key_label(ActionId::Undo), cx.key_label(ActionId::Review));
        cx.notices.report_done(format!("added {name} to {channels}{catalogs}   ({undo} undo, {save} save)"));
        DialogStep::Close
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
        view_cx: &ViewContext<'_>,
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
                self.targets = ChannelTargets::for_bundle(new, view_cx);
                self.note = Ok(String::new());
                if self.targets.catalogs.is_empty() {
                    self.note = Err(InputError::from("no catalog is open that could take it".to_owned()));
                } else {
                    self.focus = Focus::Channels;
                }
                self.bundle = Some(Arc::clone(new));
            }
        }
    }
}

impl DialogState for NewBundleForm {
    fn id(&self) -> Dialog {
        match self.focus {
            Focus::Channels => CHANNELS,
            _ => DIALOG,
        }
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match self.focus {
            Focus::Channels => self.press_in_list(press, cx),
            _ => self.press_in_field(press, cx),
        }
    }

    fn text_field(&mut self) -> Option<&mut Input> {
        match self.focus {
            Focus::Path => Some(&mut self.path),
            Focus::Image => Some(&mut self.image),
            Focus::Range | Focus::NewChannel => Some(&mut self.extra_input),
            Focus::Channels => None,
        }
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        // The list stays visible while a range or a channel name is typed.
        let is_list = !matches!(self.focus, Focus::Path | Focus::Image);
        is_list.then_some(RowCursor { count: self.targets.rows.len(), cursor: self.targets.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.targets.cursor = row;
    }

    fn on_answer(&mut self, result: &JobResult, view_cx: &ViewContext<'_>) {
        if let Some((asked, outcome)) = result.parts::<CompletionRequest>() {
            self.complete_path(&asked.typed, outcome);
        } else if let Some((asked, outcome)) = result.parts::<NewBundleRequest>() {
            self.store_bundle(asked, outcome, view_cx);
        }
    }

    fn go_back(&mut self) -> bool {
        let is_within = matches!(self.focus, Focus::Range | Focus::NewChannel);
        if is_within {
            self.focus = Focus::Channels;
            self.note = Ok(String::new());
        }
        is_within
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_new_bundle_form(view_cx, self, canvas, area);
    }
}
