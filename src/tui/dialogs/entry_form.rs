//! Form that edits the edges of an entry, with a preview of the consequences.

use std::{collections::HashSet, sync::Arc};

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep},
    keys::{ActionId, Dialog, KeyPress},
    parts::{
        completions::{best_matches, bundles_newest_first, describe_range_matches},
        field::{self, InputError, TextField},
    },
    session::{
        Session,
        context::{Context, ViewContext},
    },
    widgets::{
        boxes::{
            draw_field, draw_key_hints, draw_preview_body, draw_proposals, edit_key_hints, scale_dialog,
        },
        canvas::Canvas,
        preview::preview_state_lines,
        theme::Ink,
    },
    work::{Command, EditPurpose, PreviewState},
};
use olm_catalog::{BundleName, ChannelName, PackageName, blob::EntrySpec, package::Package};
use olm_check::review::PackageState;
use olm_edit::Edit;
use olm_upgrade::Installed;
use olmap_report::layout;
use ratatui::layout::Rect;

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("entry", "the form of an entry").with_field().with_text();

/// Fields of the form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum EntryField {
    /// `replaces`
    #[default]
    Replaces,
    /// `skips`, separated by spaces or commas.
    Skips,
    /// `skipRange`
    SkipRange,
}

impl EntryField {
    /// All fields in their order.
    pub const ALL: [Self; 3] = [Self::Replaces, Self::Skips, Self::SkipRange];

    /// Returns the name of the field in a catalog.
    pub fn field_name(self) -> &'static str {
        match self {
            Self::Replaces => "replaces",
            Self::Skips => "skips",
            Self::SkipRange => "skipRange",
        }
    }
}

/// State of the form.
#[derive(Debug)]
pub struct EntryForm {
    /// Package of the entry.
    pub package: PackageName,
    /// Channel of the entry.
    pub channel: ChannelName,
    /// Bundle of the entry.
    pub bundle: BundleName,
    /// Current edges of the entry, or the proposed ones if the entry is new.
    pub original: EntrySpec,
    /// True if the entry will be added.
    pub is_new: bool,
    /// Other entries that change together with a new one.
    pub other_changes: Vec<Edit>,
    /// Text of each field.
    pub inputs: [TextField; 3],
    /// Focused field.
    pub focused_field: EntryField,
    /// Completions for the current word.
    pub proposals: Vec<BundleName>,
    /// Versions that the skipRange matches, or the reason why it is invalid.
    pub range_summary: Result<String, InputError>,
    /// Preview of the edit; empty while nothing is changed.
    pub preview: PreviewState,
}

impl EntryForm {
    /// Creates a form filled with the given edges.
    pub(in crate::tui) fn new(
        package: PackageName,
        channel: ChannelName,
        bundle: BundleName,
        before: EntrySpec,
        is_new: bool,
        session: &Session,
    ) -> Self {
        let inputs = Self::field_texts(&before).map(TextField::new);
        let mut form = Self {
            package,
            channel,
            bundle,
            original: before,
            is_new,
            other_changes: Vec::new(),
            inputs,
            focused_field: EntryField::default(),
            proposals: Vec::new(),
            range_summary: Ok(String::new()),
            preview: PreviewState::NoEdit,
        };
        form.update_preview(session);
        form
    }

    /// Creates a form for an edit that adds an entry, alone or as the last of several edits of a channel.
    pub(in crate::tui) fn for_addition(edit: &Edit, session: &Session) -> Option<Self> {
        let (addition, others) = match edit {
            Edit::Several { edits, .. } => edits.split_last()?,
            edit => (edit, [].as_slice()),
        };
        let Edit::AddEntry { package, channel, entry, spec } = addition else { return None };
        let (package, channel) = (package.clone(), channel.clone());
        let mut form = Self::new(package, channel, entry.clone(), spec.clone(), true, session);
        form.other_changes = others.to_vec();
        form.update_preview(session);
        Some(form)
    }

    /// Returns the edges as field texts.
    fn field_texts(spec: &EntrySpec) -> [String; 3] {
        let skips: Vec<&str> = spec.skips.iter().map(BundleName::as_str).collect();
        [
            spec.replaces.as_ref().map(ToString::to_string).unwrap_or_default(),
            skips.join(" "),
            spec.skip_range.clone().unwrap_or_default(),
        ]
    }

    /// Returns the input of the focused field.
    pub fn input(&self) -> &TextField {
        &self.inputs[self.focused_field as usize]
    }

    fn input_mut(&mut self) -> &mut TextField {
        &mut self.inputs[self.focused_field as usize]
    }

    /// Returns the edges that the fields describe. A version that exactly one bundle of the package has
    /// becomes the name of the bundle.
    pub fn entered_spec(&self, package: Option<&Package>) -> EntrySpec {
        // An entry may name a bundle that does not exist.
        let name = |typed: &str| {
            let known = package.and_then(|package| Installed::parse(package, typed).ok());
            known.map_or_else(|| BundleName::from(typed), |known| known.name)
        };
        let [replaces, skips, range] = &self.inputs;
        let optional =
            |input: &TextField| Some(input.value().trim()).filter(|text| !text.is_empty()).map(str::to_owned);
        // Keep unchanged fields as they are, so that a name with spaces stays a single name.
        let untouched = Self::field_texts(&self.original);
        let is_untouched =
            |field: EntryField| self.inputs[field as usize].value() == untouched[field as usize];
        let mut spec = self.original.clone();
        if !is_untouched(EntryField::Replaces) {
            spec.replaces = optional(replaces).map(|typed| name(&typed));
        }
        if !is_untouched(EntryField::Skips) {
            spec.skips = split_names(skips.value()).map(name).collect();
        }
        if !is_untouched(EntryField::SkipRange) {
            spec.skip_range = optional(range);
        }
        spec
    }

    /// Returns the edit of the form; `None` if an existing entry is unchanged.
    pub fn pending_edit(&self, package: Option<&Package>) -> Option<Edit> {
        let spec = self.entered_spec(package);
        let (package, channel, entry) = (self.package.clone(), self.channel.clone(), self.bundle.clone());
        if self.is_new {
            let title = format!("add {entry} to {channel}");
            let addition = Edit::AddEntry { package, channel, entry, spec };
            if self.other_changes.is_empty() {
                return Some(addition);
            }
            let edits = self.other_changes.iter().cloned().chain([addition]).collect();
            return Some(Edit::Several { title, edits });
        }
        (spec != self.original).then_some(Edit::SetEntry { package, channel, entry, spec })
    }

    /// Returns the word that a completion would replace.
    pub fn word_to_complete(&self) -> &str {
        let value = self.input().value();
        match self.focused_field {
            EntryField::Replaces => value.trim(),
            EntryField::Skips => value.rsplit([' ', ',']).next().unwrap_or_default(),
            EntryField::SkipRange => "",
        }
    }

    /// Replaces the current word with a name.
    fn complete_word(&mut self, name: &BundleName) {
        let value = self.input().value();
        let kept = value.len() - self.word_to_complete().len();
        let value = match self.focused_field {
            EntryField::Replaces => name.to_string(),
            EntryField::Skips => format!("{}{name} ", value.get(..kept).unwrap_or_default()),
            EntryField::SkipRange => return,
        };
        *self.input_mut() = TextField::new(value);
    }

    fn move_focus(&mut self, by: usize) {
        let at = (self.focused_field as usize + by) % EntryField::ALL.len();
        self.focused_field = EntryField::ALL[at];
    }

    /// Returns the package of the form, which may differ from the selected one.
    fn find_package<'a>(&self, session: &'a Session) -> Option<&'a Arc<PackageState>> {
        session.snapshot()?.package(self.package.as_str())
    }

    /// Updates the preview, the completions and the summary of the range.
    fn update_preview(&mut self, session: &Session) {
        let edit = self.pending_edit(self.find_package(session).map(|state| &**state.package()));
        self.preview = edit.map_or(PreviewState::NoEdit, |edit| session.preview_state(edit));
        self.proposals = self.propose_names(session);
        let typed = self.inputs[EntryField::SkipRange as usize].value().trim();
        self.range_summary = match self.find_package(session) {
            _ if typed.is_empty() => {
                Ok("a range such as >=1.0.0 <1.2.0: versions that upgrade to this one".to_owned())
            }
            Some(package_state) => describe_range_matches(package_state.package(), typed),
            None => Ok(String::new()),
        };
    }

    /// Returns names that complete the current word: entries of the channel in graph order, then
    /// other bundles.
    fn propose_names(&self, session: &Session) -> Vec<BundleName> {
        const MAX_PROPOSALS: usize = 4;
        let word = self.word_to_complete();
        let Some(package_state) = self.find_package(session) else { return Vec::new() };
        if word.is_empty() || self.focused_field == EntryField::SkipRange {
            return Vec::new();
        }
        let mut names: Vec<&BundleName> = Vec::new();
        if let Some(channel) = package_state.graph.channel(self.channel.as_str()) {
            let order = layout::order_nodes(&channel.graph);
            names.extend(order.into_iter().filter_map(|at| channel.graph.node(at)).map(|node| &node.name));
        }
        let known: HashSet<&BundleName> = names.iter().copied().collect();
        names.extend(bundles_newest_first(package_state.package()).filter(|name| !known.contains(name)));
        let spec = self.entered_spec(Some(package_state.package()));
        let is_said =
            |name: &BundleName| self.focused_field == EntryField::Skips && spec.skips.contains(name);
        names.retain(|name| **name != self.bundle && **name != *word && !is_said(name));
        best_matches(names, word, MAX_PROPOSALS).into_iter().cloned().collect()
    }
}

impl DialogState for EntryForm {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) => {
                match cx.session.catalogs.preview_now(&mut self.preview).cloned() {
                    None => {}
                    Some(Ok(outcome)) => {
                        cx.apply_outcome(EditPurpose::Edit, outcome);
                        if self.is_new {
                            cx.commands.push(Command::Select(self.bundle.clone()));
                        }
                    }
                    Some(Err(_)) => return DialogStep::Stay,
                }
                return DialogStep::Close;
            }
            KeyPress::Action(ActionId::NextField) => self.move_focus(1),
            KeyPress::Action(ActionId::PreviousField) => self.move_focus(EntryField::ALL.len() - 1),
            KeyPress::Action(ActionId::Complete) => {
                if let Some(name) = self.proposals.first().cloned() {
                    self.complete_word(&name);
                }
            }
            _ => {
                if !field::handle_field_key(self.input_mut(), press) {
                    return DialogStep::Stay;
                }
            }
        }
        self.update_preview(cx.session);
        DialogStep::Stay
    }

    fn text_field(&mut self) -> Option<&mut TextField> {
        Some(self.input_mut())
    }

    fn edit_preview(&mut self) -> Option<&mut PreviewState> {
        Some(&mut self.preview)
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let title = if self.is_new {
            format!("Add {} to {}", self.bundle, self.channel)
        } else {
            format!("{} in {}", self.bundle, self.channel)
        };
        let inner = canvas.draw_box(scale_dialog(area, 110, 30), &title);
        if inner.is_empty() {
            return;
        }
        for (index, name) in (0u16..).zip(EntryField::ALL) {
            let y = inner.y + index;
            let focused = self.focused_field == name;
            let ink = if focused { Ink::Active } else { Ink::Dim };
            canvas.draw_text(inner.x, y, 11, &format!("{:<10} ", name.field_name()), ink);
            let room = Rect { x: inner.x + 11, y, width: inner.width.saturating_sub(11), height: 1 };
            draw_field(canvas, room, &self.inputs[name as usize], focused);
        }
        let mut y = inner.y + 3;
        if !self.proposals.is_empty() {
            let key = view_cx.keys.display_key(DIALOG, ActionId::Complete);
            draw_proposals(canvas, Rect { y, height: 1, ..inner }, key, &self.proposals);
        } else if self.focused_field == EntryField::SkipRange {
            let (words, ink) = match &self.range_summary {
                Ok(words) => (words.clone(), Ink::Dim),
                Err(mistake) => (mistake.to_string(), Ink::Error),
            };
            canvas.draw_text(inner.x, y, inner.width, &words, ink);
        }
        y += 1;
        canvas.draw_rule(Rect { y, height: 1, ..inner });
        let lower = Rect { y: y + 1, height: inner.bottom().saturating_sub(y + 2), ..inner };
        let lines = preview_state_lines(view_cx, &self.preview, usize::from(lower.width).saturating_sub(1));
        draw_preview_body(view_cx, DIALOG, canvas, lower, &lines);
        let keys =
            [(ActionId::NextField, "next field"), (ActionId::Accept, "apply"), (ActionId::Cancel, "cancel")];
        let keys = edit_key_hints(&keys, !self.preview.is_refused());
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}

fn split_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}
