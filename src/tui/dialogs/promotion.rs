//! Dialog that promotes a bundle to other channels and chooses its edges.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::{
        dialog::{DialogState, DialogStep, RowCursor, dialog_list},
        edit_question::{EditQuestion, QuestionKind},
    },
    keys::{ActionId, Dialog, KeyPress},
    session::{
        Session,
        context::{Context, ViewContext},
    },
    widgets::{
        boxes::{centered, draw_key_hints, draw_preview_body},
        canvas::{Canvas, Line, display_width, pad, piece, text_piece},
        preview::preview_state_lines,
        theme::Ink,
    },
    work::{DialogReply, EditPurpose, PreviewState},
};
use olm_catalog::{BundleName, ChannelName, PackageName, blob::EntrySpec, package::Package};
use olm_edit::Edit;
use olm_upgrade::promotion::{EdgeOffer, OfferChoice, OfferError, offer_edges};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("promotion", "promoting").with_rows().with_text();

/// State of the dialog.
#[derive(Debug)]
pub struct Promotion {
    /// Package of the bundle.
    pub package: PackageName,
    /// Bundle to promote.
    pub bundle: BundleName,
    /// Channels of the package with the effect in each.
    pub targets: Vec<PromoteTarget>,
    /// Index of the selected channel.
    pub cursor: usize,
    /// Preview of the promotion; empty while no channel is chosen.
    pub preview: PreviewState,
}

/// Channel that a bundle can be promoted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromoteTarget {
    /// Name of the channel.
    pub channel: ChannelName,
    /// Possible edges in the channel, or the reason why the bundle cannot be added.
    pub offer: Result<EdgeOffer, OfferError>,
    /// Chosen variant of the edges.
    pub choice: OfferChoice,
    /// True if the bundle will be added to the channel.
    pub chosen: bool,
    /// True if the channel will be created.
    pub is_new: bool,
}

impl Promotion {
    /// Lists the channels of a package, with the cursor on the first one that can take the bundle.
    pub(in crate::tui) fn new(package: PackageName, bundle: BundleName, session: &Session) -> Self {
        let package_state = session.snapshot().and_then(|now| now.package(package.as_str()));
        let channels = package_state.into_iter().flat_map(|package_state| {
            package_state.graph.channels().iter().map(|upgrades| PromoteTarget {
                channel: upgrades.graph.name().clone(),
                offer: offer_edges(package_state.package(), &upgrades.graph, &bundle),
                choice: OfferChoice::default(),
                chosen: false,
                is_new: false,
            })
        });
        let targets: Vec<PromoteTarget> = channels.collect();
        let cursor = targets.iter().position(|target| target.offer.is_ok()).unwrap_or(targets.len());
        Self { package, bundle, targets, cursor, preview: PreviewState::NoEdit }
    }

    /// Returns the edit for the chosen channels; `None` if there are none.
    pub fn promotion_edit(&self) -> Option<Edit> {
        let chosen = || self.targets.iter().filter(|target| target.chosen);
        chosen().next()?;
        let there = chosen().filter(|target| !target.is_new);
        let there = there.filter_map(|target| Some((target.channel.clone(), target.entry_spec()?)));
        let new = chosen().filter(|target| target.is_new).map(|target| target.channel.clone());
        Some(Edit::promote(&self.package, &self.bundle, there, new))
    }

    /// Adds and chooses a new channel.
    fn add_new_channel(&mut self, channel: ChannelName) {
        let offer = EdgeOffer { channel: channel.clone(), head: None, head_edges: None, range: None };
        self.cursor = self.targets.len();
        self.targets.push(PromoteTarget {
            channel,
            offer: Ok(offer),
            choice: OfferChoice::default(),
            chosen: true,
            is_new: true,
        });
    }

    /// Requests the preview of the promotion to the chosen channels.
    fn update_preview(&mut self, session: &Session) {
        self.preview = self.promotion_edit().map_or(PreviewState::NoEdit, |edit| session.preview_state(edit));
    }

    fn ask_channel_name(&self, session: &Session) -> DialogStep {
        let taken = self.targets.iter().filter(|target| target.is_new);
        let taken = taken.map(|target| target.channel.clone()).collect();
        let question = QuestionKind::PromoteTo { bundle: self.bundle.clone(), taken };
        DialogStep::OpenAbove(Box::new(EditQuestion::new(
            EditPurpose::Edit,
            self.package.clone(),
            question,
            String::new(),
            session,
        )))
    }

    /// Chooses the selected channel or removes it from the choice. Reports the reason if it is not
    /// possible.
    fn toggle_target(&mut self, cx: &mut Context<'_>) {
        let Some(target) = self.targets.get_mut(self.cursor) else { return };
        match &target.offer {
            Err(refusal) => {
                cx.notices.report_refusal(format!("{} {}: {refusal}", self.bundle, target.channel));
            }
            Ok(_) => target.chosen = !target.chosen,
        }
        self.update_preview(cx.session);
    }

    /// Changes the edges in the selected channel and chooses the channel. Reports a refusal if the
    /// change has no effect.
    fn change_choice(&mut self, cx: &mut Context<'_>, change: impl Fn(&mut PromoteTarget)) {
        let Some(target) = self.targets.get_mut(self.cursor) else { return };
        let before = target.choice;
        change(target);
        if target.choice == before {
            let words = format!("the head of {} has no skipRange to copy", target.channel);
            cx.notices.report_refusal(words);
        } else {
            target.chosen = true;
            self.update_preview(cx.session);
        }
    }
}

impl PromoteTarget {
    /// Returns the edges of the new entry.
    pub fn entry_spec(&self) -> Option<EntrySpec> {
        self.offer.as_ref().ok().map(|offer| offer.build_spec(self.choice))
    }

    /// Returns true if the bundle can replace the head.
    pub fn can_replace_head(&self) -> bool {
        self.offer.as_ref().is_ok_and(|offer| offer.head_edges.is_some())
    }

    /// Returns true if the skipRange of the head can be copied.
    pub fn can_copy_range(&self) -> bool {
        self.offer.as_ref().is_ok_and(|offer| offer.range.is_some())
    }
}

impl DialogState for Promotion {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        // The last row creates a channel.
        let last = self.targets.len();
        let asks = self.cursor == last;
        match press {
            KeyPress::Action(ActionId::Choose) if asks => return self.ask_channel_name(cx.session),
            KeyPress::Action(ActionId::Accept) if asks && self.preview.has_no_edit() => {
                return self.ask_channel_name(cx.session);
            }
            KeyPress::Action(ActionId::Accept) => {
                if self.preview.has_no_edit() {
                    self.toggle_target(cx);
                }
                if let Some(Ok(outcome)) = cx.session.catalogs.preview_now(&mut self.preview).cloned() {
                    cx.apply_outcome(EditPurpose::Edit, outcome);
                    return DialogStep::Close;
                }
            }
            KeyPress::Action(ActionId::Choose) => {
                self.toggle_target(cx);
                // Move to the next possible channel. On the last one, the same key reverts the
                // choice.
                let mut below = self.targets.iter().enumerate().skip(self.cursor + 1);
                if let Some((next, _)) = below.find(|(_, target)| target.offer.is_ok()) {
                    self.cursor = next;
                }
            }
            KeyPress::Action(ActionId::PromoteSkips) => self.change_choice(cx, |target| {
                target.choice.take_head_edges = !target.choice.take_head_edges && target.can_replace_head();
            }),
            KeyPress::Action(ActionId::PromoteRange) => self.change_choice(cx, |target| {
                target.choice.extend_range = !target.choice.extend_range && target.can_copy_range();
            }),
            _ => {}
        }
        DialogStep::Stay
    }

    fn edit_preview(&mut self) -> Option<&mut PreviewState> {
        Some(&mut self.preview)
    }

    /// Counts one row more than there are targets; the last row creates a channel.
    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.targets.len() + 1, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn on_reply(&mut self, reply: DialogReply, view_cx: &ViewContext<'_>) {
        let DialogReply::Channel(channel) = reply;
        self.add_new_channel(channel);
        self.update_preview(view_cx.session);
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let title = format!("Promote {}", self.bundle);
        let inner = canvas.draw_box(
            centered(area, (area.width * 9 / 10).min(110), area.height.saturating_sub(2).min(30)),
            &title,
        );
        if inner.is_empty() {
            return;
        }
        let most = (inner.height / 2).max(1);
        let high = u16::try_from(self.targets.len() + 1).unwrap_or(u16::MAX).min(most);
        let list = Rect { height: high, ..inner };
        let ascii = canvas.ascii;
        let column =
            self.targets.iter().map(|t| display_width(t.channel.as_str())).max().unwrap_or(8).min(30);
        let package = view_cx.session.selected_package().map(|package_state| package_state.package());
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |row| {
            let Some(target) = self.targets.get(row) else {
                return vec![piece("[ ] new channel ...", Ink::Text)];
            };
            let (mark, ink) = match (&target.offer, target.chosen) {
                (Err(_), _) => (" -  ", Ink::Dim),
                (Ok(_), true) => ("[x] ", Ink::Text),
                (Ok(_), false) => ("[ ] ", Ink::Text),
            };
            let mut pieces = vec![
                text_piece(mark),
                piece(format!("{}  ", pad(target.channel.as_str(), column, ascii)), ink),
            ];
            pieces.extend(promotion_edges(target, package.map(AsRef::as_ref)));
            pieces
        });
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
        let lower =
            Rect { y: list.bottom() + 1, height: inner.bottom().saturating_sub(list.bottom() + 2), ..inner };
        let lines = match &self.preview {
            PreviewState::NoEdit => vec![vec![piece("Select target channels.", Ink::Dim)]],
            some => preview_state_lines(view_cx, some, usize::from(lower.width).saturating_sub(1)),
        };
        draw_preview_body(view_cx, DIALOG, canvas, lower, &lines);
        let target = self.targets.get(self.cursor);
        let mut keys =
            vec![(ActionId::Choose, if target.is_some() { "chooses" } else { "asks for its name" })];
        if target.is_some_and(PromoteTarget::can_replace_head) {
            keys.push((ActionId::PromoteSkips, "skips the head"));
        }
        if target.is_some_and(PromoteTarget::can_copy_range) {
            keys.push((ActionId::PromoteRange, "range"));
        }
        if target.is_some() || !self.preview.has_no_edit() {
            keys.push((ActionId::Accept, "apply"));
        }
        keys.push((ActionId::Cancel, "cancel"));
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}

/// Returns the edges that the bundle would get in a channel.
fn promotion_edges(target: &PromoteTarget, package: Option<&Package>) -> Line {
    let spec = match (&target.offer, target.entry_spec()) {
        (Err(refusal), _) => return vec![piece(refusal.to_string(), Ink::Dim)],
        (Ok(_), spec) => spec.unwrap_or_default(),
    };
    let short = |name| package.map_or_else(|| format!("{name}"), |package| package.short_name(name));
    let EntrySpec { replaces, skips, skip_range } = &spec;
    let mut words = Vec::new();
    words.extend(replaces.as_ref().map(|name| format!("replaces {}", short(name))));
    match skips.as_slice() {
        [] => {}
        [first] => words.push(format!("skips {}", short(first))),
        [first, more @ ..] => words.push(format!("skips {} and {} more", short(first), more.len())),
    }
    words.extend(skip_range.as_ref().map(|range| format!("range {range}")));
    if words.is_empty() {
        let new = if target.is_new { "new channel: " } else { "" };
        words.push(format!("{new}becomes the first entry"));
    }
    vec![piece(words.join(", "), Ink::Dim)]
}
