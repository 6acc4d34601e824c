//! Dialog that adds a new bundle to channels of open catalogs: first the bundle and its image, then
//! the channels.

mod targets;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tui_input::Input;

use super::dialog::{DialogState, Rows, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        parts::{field, mistake::Mistake},
        session::cx::{Cx, See},
        work::{Effect, Refusal, outcome::Names},
    },
    bundle::NewBundle,
    catalog::ChannelName,
    upgrade::{
        arrival::EntryFrom,
        promote::{Offer, Wish},
    },
    version::blang::Range,
};

pub use targets::{Target, TargetCatalog, Targets};

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
pub struct AddBundle {
    /// Path of the bundle: a directory, or a file rendered by opm.
    pub path: Input,
    /// Image of the bundle.
    pub image: Input,
    /// Input for [`Focus::Range`] or [`Focus::NewChannel`].
    pub line: Input,
    /// Part of the dialog that receives the keys.
    pub focus: Focus,
    /// Parsed bundle; `None` until it was read for the current fields.
    pub bundle: Option<Arc<NewBundle>>,
    /// Note or error below the fields.
    pub remark: Result<String, Mistake>,
    /// Completions of the path.
    pub names: Option<Names>,
    /// Catalogs and channels that can take the bundle.
    pub targets: Targets,
    /// Path and image of the bundle that is being read.
    reading: Option<(String, String)>,
}

impl AddBundle {
    /// Opens the dialog, with the path of a bundle if it is known.
    pub(in crate::app) fn new(path: Option<PathBuf>) -> Self {
        let path = path.map(|path| path.display().to_string()).unwrap_or_default();
        Self {
            focus: if path.is_empty() { Focus::Path } else { Focus::Image },
            path: path.into(),
            image: Input::default(),
            line: Input::default(),
            bundle: None,
            remark: Ok(String::new()),
            names: None,
            targets: Targets::default(),
            reading: None,
        }
    }

    fn typed(&self) -> (String, String) {
        (self.path.value().trim().to_owned(), self.image.value().trim().to_owned())
    }

    /// Requests the bundle from disk, with the typed image.
    fn read(&mut self, cx: &mut Cx<'_>) {
        let (path, image) = self.typed();
        if path.is_empty() {
            self.focus = Focus::Path;
            self.remark = Err(Mistake::from("a bundle directory or rendered file is needed".to_owned()));
            return;
        }
        self.remark = Ok("is being read".to_owned());
        self.reading = Some((path.clone(), image.clone()));
        cx.ask(Effect::ReadBundle { path: path.into(), image });
    }

    /// Moves to another part. Before the channels, requests the bundle if it is not read yet.
    fn go(&mut self, focus: Focus, cx: &mut Cx<'_>) {
        let (_, image) = self.typed();
        match focus {
            Focus::Channels if self.bundle.is_none() => {
                if image.is_empty() && self.focus == Focus::Image {
                    self.remark =
                        Err(Mistake::from("an image is needed: catalogs name bundles by it".to_owned()));
                } else {
                    self.read(cx);
                }
            }
            focus => self.focus = focus,
        }
    }

    fn press_field(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match (press, self.focus) {
            (Press::Action(ActionId::Complete), Focus::Path) => {
                cx.ask(Effect::ListNames { typed: self.path.value().trim_start().to_owned() });
            }
            (Press::Action(ActionId::Complete), Focus::Image) => self.go(Focus::Channels, cx),
            (Press::Action(ActionId::PreviousField), Focus::Image) => self.go(Focus::Path, cx),
            (Press::Action(ActionId::Accept), Focus::Path | Focus::Image) => {
                self.go(Focus::Channels, cx);
            }
            (Press::Action(ActionId::Accept), Focus::Range) => self.take_range(cx),
            (Press::Action(ActionId::Accept), Focus::NewChannel) => self.take_channel(cx),
            _ => self.type_into(press),
        }
        Step::Stay
    }

    fn type_into(&mut self, press: Press) {
        let input = match self.focus {
            Focus::Path => &mut self.path,
            Focus::Image => &mut self.image,
            Focus::Range | Focus::NewChannel => &mut self.line,
            Focus::Channels => return,
        };
        if field::type_into(input, press) {
            self.names = None;
            self.remark = Ok(String::new());
            if matches!(self.focus, Focus::Path | Focus::Image) {
                // The result of a running read does not match the fields any more.
                self.reading = None;
                self.bundle = None;
                self.targets = Targets::default();
            }
        }
    }

    fn take_range(&mut self, cx: &mut Cx<'_>) {
        let typed = self.line.value().trim().to_owned();
        if !typed.is_empty()
            && let Err(error) = Range::parse(&typed)
        {
            self.remark = Err(Mistake::from(error.to_string()));
            return;
        }
        self.remark = Ok(String::new());
        self.focus = Focus::Channels;
        self.change(cx, |row| {
            row.range = Some(typed).filter(|typed| !typed.is_empty());
            row.chosen = true;
        });
    }

    fn take_channel(&mut self, cx: &mut Cx<'_>) {
        let name = self.line.value().trim().to_owned();
        let Some(new) = self.bundle.clone() else { return };
        if name.is_empty() {
            self.remark = Err(Mistake::from("a channel needs a name".to_owned()));
            return;
        }
        if self.targets.add_channel(&ChannelName::from(name.as_str()), &new, &cx.see()) {
            self.remark = Ok(String::new());
            self.focus = Focus::Channels;
        } else {
            self.remark =
                Err(Mistake::from(format!("every catalog has channel {name}: select it in the list")));
        }
    }

    /// Changes the selected row.
    fn change(&mut self, cx: &mut Cx<'_>, change: impl FnOnce(&mut Target)) {
        if let Some(new) = self.bundle.clone() {
            self.targets.change(&new, &cx.see(), change);
        }
    }

    /// Changes the selected row, or reports the reason if the bundle cannot be added there.
    fn on_row(&mut self, cx: &mut Cx<'_>, act: impl FnOnce(&mut Target)) {
        let (Some(row), Some(new)) = (self.targets.selected(), self.bundle.clone()) else { return };
        let mut changed = row.clone();
        act(&mut changed);
        match changed.spec(&new) {
            Err(refusal) => cx.notices.refused(format!("{}: {refusal}", row.channel)),
            Ok(_) => self.change(cx, |row| *row = changed),
        }
    }

    fn press_list(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match press {
            Press::Action(ActionId::Accept) => return self.make(cx),
            Press::Action(ActionId::Choose) => {
                self.on_row(cx, |row| row.chosen = !row.chosen);
                self.targets.cursor =
                    (self.targets.cursor + 1).min(self.targets.rows.len().saturating_sub(1));
            }
            Press::Action(ActionId::PromoteSkips) => {
                self.wish(cx, "no head that skips something", |wish, offer| {
                    offer.instead.as_ref().map(|_| Wish { instead: !wish.instead, ..wish })
                });
            }
            Press::Action(ActionId::PromoteRange) => {
                self.wish(cx, "no head with a skipRange to copy", |wish, offer| {
                    offer.range.as_ref().map(|_| Wish { range: !wish.range, ..wish })
                });
            }
            Press::Action(ActionId::EntryFromCsv) => {
                let says = self.bundle.as_ref().is_some_and(|new| new.own.is_some());
                if says {
                    self.on_row(cx, |row| {
                        row.from = match row.from {
                            EntryFrom::Csv => EntryFrom::default(),
                            EntryFrom::Head(_) => EntryFrom::Csv,
                        };
                        row.chosen = true;
                    });
                } else {
                    cx.notices.refused("its ClusterServiceVersion asks for no edges");
                }
            }
            Press::Action(ActionId::OwnRange) => {
                let (Some(row), Some(new)) = (self.targets.selected(), self.bundle.clone()) else {
                    return Step::Stay;
                };
                match row.spec(&new) {
                    Ok(spec) => {
                        let own = new.own.as_ref().and_then(|own| own.skip_range.clone());
                        let offered = || row.offer.as_ref().ok()?.range.clone();
                        let range = spec.skip_range.or(own).or_else(offered).unwrap_or_default();
                        self.remark = Ok(format!("skipRange of the entry in {}", row.channel));
                        self.line = range.into();
                        self.focus = Focus::Range;
                    }
                    Err(refusal) => cx.notices.refused(refusal.to_string()),
                }
            }
            Press::Action(ActionId::NewChannel) => {
                self.line = Input::default();
                self.focus = Focus::NewChannel;
            }
            Press::Action(ActionId::BackToFields) => self.focus = Focus::Image,
            _ => {}
        }
        Step::Stay
    }

    fn wish(&mut self, cx: &mut Cx<'_>, nothing: &str, next: impl FnOnce(Wish, &Offer) -> Option<Wish>) {
        let Some(row) = self.targets.selected() else { return };
        let wish = match row.from {
            EntryFrom::Head(wish) => wish,
            EntryFrom::Csv => Wish::default(),
        };
        let Ok(offer) = &row.offer else { return self.on_row(cx, |row| row.from = EntryFrom::Head(wish)) };
        match next(wish, offer) {
            Some(wish) => self.on_row(cx, |row| {
                row.from = EntryFrom::Head(wish);
                row.chosen = true;
            }),
            None => cx.notices.refused(format!("the channel has {nothing}")),
        }
    }

    /// Adds the bundle to all chosen channels as a single undo step.
    fn make(&self, cx: &mut Cx<'_>) -> Step {
        let outcomes = match self.targets.outcomes() {
            Ok(outcomes) => outcomes,
            Err(reason) => {
                cx.notices.refused(reason);
                return Step::Stay;
            }
        };
        if outcomes.is_empty() {
            let choose = cx.keys.label(Dialog::AddBundleTo, ActionId::Choose);
            cx.notices.refused(format!("no channel selected: select one with {choose}"));
            return Step::Stay;
        }
        let made = cx.session.keep_together(&outcomes);
        cx.session.settle_all();
        let channels = match self.targets.chosen() {
            1 => "1 channel".to_owned(),
            several => format!("{several} channels"),
        };
        let catalogs = if made == 1 { String::new() } else { format!(" in {made} catalogs") };
        let name = self.bundle.as_ref().map(|new| new.name.to_string()).unwrap_or_default();
        let (undo, save) = (cx.key(ActionId::Undo), cx.key(ActionId::Review));
        cx.notices.done(format!("added {name} to {channels}{catalogs}   ({undo} undo, {save} save)"));
        Step::Close
    }
}

impl DialogState for AddBundle {
    fn id(&self) -> Dialog {
        match self.focus {
            Focus::Channels => Dialog::AddBundleTo,
            _ => Dialog::AddBundle,
        }
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match self.focus {
            Focus::Channels => self.press_list(press, cx),
            _ => self.press_field(press, cx),
        }
    }

    fn field(&mut self) -> Option<&mut Input> {
        match self.focus {
            Focus::Path => Some(&mut self.path),
            Focus::Image => Some(&mut self.image),
            Focus::Range | Focus::NewChannel => Some(&mut self.line),
            Focus::Channels => None,
        }
    }

    fn rows(&self) -> Option<Rows> {
        // The list stays visible while a range or a channel name is typed.
        let is_list = !matches!(self.focus, Focus::Path | Focus::Image);
        is_list.then_some(Rows { count: self.targets.rows.len(), cursor: self.targets.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.targets.cursor = row;
    }

    fn listed(&mut self, typed: &str, outcome: &Result<Names, Refusal>) {
        let value = self.path.value();
        if value.trim_start() != typed || self.focus != Focus::Path {
            return;
        }
        match outcome {
            Ok(names) => self.names = names.complete(&mut self.path),
            Err(refusal) => self.remark = Err(Mistake::from(refusal.to_string())),
        }
    }

    fn steps_back(&mut self) -> bool {
        let is_within = matches!(self.focus, Focus::Range | Focus::NewChannel);
        if is_within {
            self.focus = Focus::Channels;
            self.remark = Ok(String::new());
        }
        is_within
    }

    fn bundle_read(
        &mut self,
        path: &Path,
        image: &str,
        outcome: &Result<Arc<NewBundle>, Refusal>,
        see: &See<'_>,
    ) {
        let is_it = |reading: &(String, String)| Path::new(&reading.0) == path && reading.1 == image;
        if self.reading.take_if(|reading| is_it(reading)).is_none() {
            return;
        }
        self.names = None;
        match outcome {
            Err(refusal) => {
                self.focus = Focus::Path;
                self.remark = Err(Mistake::from(refusal.to_string()));
            }
            Ok(new) if new.image.is_empty() => {
                self.focus = Focus::Image;
                self.remark = Ok(format!("{}: paste its image, best with its digest", new.name));
            }
            Ok(new) => {
                self.targets = Targets::of(new, see);
                self.remark = Ok(String::new());
                if self.targets.catalogs.is_empty() {
                    self.remark = Err(Mistake::from("no catalog is open that could take it".to_owned()));
                } else {
                    self.focus = Focus::Channels;
                }
                self.bundle = Some(Arc::clone(new));
            }
        }
    }
}
