//! Form that edits the edges of an entry, with a preview of the consequences.

use std::{collections::HashSet, sync::Arc};

use tui_input::Input;

use super::dialog::{DialogState, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        parts::{
            field,
            mistake::Mistake,
            proposing::{best, newest_first, range_matches},
        },
        session::{Session, cx::Cx},
        work::{Flow, Prospect, opening::Purpose},
    },
    catalog::{BundleName, ChannelName, PackageName, blob::EntrySpec},
    edit::Edit,
    layout,
    review::Judged,
};

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
    pub fn title(self) -> &'static str {
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
    pub before: EntrySpec,
    /// True if the entry will be added.
    pub is_new: bool,
    /// Input of each field.
    pub inputs: [Input; 3],
    /// Focused field.
    pub field: EntryField,
    /// Completions for the current word.
    pub proposals: Vec<BundleName>,
    /// Versions that the skipRange matches, or the reason why it is invalid.
    pub range: Result<String, Mistake>,
    /// Preview of the edit; empty while nothing is changed.
    pub preview: Prospect,
}

impl EntryForm {
    /// Creates a form filled with the given edges.
    pub(in crate::app) fn new(
        package: PackageName,
        channel: ChannelName,
        bundle: BundleName,
        before: EntrySpec,
        is_new: bool,
        session: &Session,
    ) -> Self {
        let inputs = Self::texts(&before).map(Input::new);
        let mut form = Self {
            package,
            channel,
            bundle,
            before,
            is_new,
            inputs,
            field: EntryField::default(),
            proposals: Vec::new(),
            range: Ok(String::new()),
            preview: Prospect::Nothing,
        };
        form.refresh(session);
        form
    }

    /// Returns the edges as field texts.
    fn texts(spec: &EntrySpec) -> [String; 3] {
        let skips: Vec<&str> = spec.skips.iter().map(BundleName::as_str).collect();
        [
            spec.replaces.as_ref().map(ToString::to_string).unwrap_or_default(),
            skips.join(" "),
            spec.skip_range.clone().unwrap_or_default(),
        ]
    }

    /// Returns the input of the focused field.
    pub fn input(&self) -> &Input {
        &self.inputs[self.field as usize]
    }

    fn input_mut(&mut self) -> &mut Input {
        &mut self.inputs[self.field as usize]
    }

    /// Returns the edges that the fields describe.
    pub fn spec(&self) -> EntrySpec {
        let [replaces, skips, range] = &self.inputs;
        let optional =
            |input: &Input| Some(input.value().trim()).filter(|text| !text.is_empty()).map(str::to_owned);
        // Keep unchanged fields as they are, so that a name with spaces stays a single name.
        let untouched = Self::texts(&self.before);
        let is_untouched =
            |field: EntryField| self.inputs[field as usize].value() == untouched[field as usize];
        let mut spec = self.before.clone();
        if !is_untouched(EntryField::Replaces) {
            spec.replaces = optional(replaces).map(BundleName::from);
        }
        if !is_untouched(EntryField::Skips) {
            spec.skips = words(skips.value()).map(BundleName::from).collect();
        }
        if !is_untouched(EntryField::SkipRange) {
            spec.skip_range = optional(range);
        }
        spec
    }

    /// Returns the edit of the form; `None` if an existing entry is unchanged.
    pub fn edit(&self) -> Option<Edit> {
        let spec = self.spec();
        let (package, channel, entry) = (self.package.clone(), self.channel.clone(), self.bundle.clone());
        if self.is_new {
            return Some(Edit::AddEntry { package, channel, entry, spec });
        }
        (spec != self.before).then_some(Edit::SetEntry { package, channel, entry, spec })
    }

    /// Returns the word that a completion would replace.
    pub fn word(&self) -> &str {
        let value = self.input().value();
        match self.field {
            EntryField::Replaces => value.trim(),
            EntryField::Skips => value.rsplit([' ', ',']).next().unwrap_or_default(),
            EntryField::SkipRange => "",
        }
    }

    /// Replaces the current word with a name.
    fn complete(&mut self, name: &BundleName) {
        let value = self.input().value();
        let kept = value.len() - self.word().len();
        let value = match self.field {
            EntryField::Replaces => name.to_string(),
            EntryField::Skips => format!("{}{name} ", value.get(..kept).unwrap_or_default()),
            EntryField::SkipRange => return,
        };
        *self.input_mut() = Input::new(value);
    }

    fn turn(&mut self, by: usize) {
        let at = (self.field as usize + by) % EntryField::ALL.len();
        self.field = EntryField::ALL[at];
    }

    /// Returns the package of the form, which may differ from the selected one.
    fn judged<'a>(&self, session: &'a Session) -> Option<&'a Arc<Judged>> {
        session.snapshot()?.package(self.package.as_str())
    }

    /// Updates the preview, the completions and the summary of the range.
    fn refresh(&mut self, session: &Session) {
        self.preview = self.edit().map_or(Prospect::Nothing, |edit| session.prospect(edit));
        self.proposals = self.proposed(session);
        let typed = self.inputs[EntryField::SkipRange as usize].value().trim();
        self.range = match self.judged(session) {
            _ if typed.is_empty() => {
                Ok("a range such as >=1.0.0 <1.2.0: versions that upgrade to this one".to_owned())
            }
            Some(judged) => range_matches(judged.package(), typed),
            None => Ok(String::new()),
        };
    }

    /// Returns names that complete the current word: entries of the channel in graph order, then
    /// other bundles.
    fn proposed(&self, session: &Session) -> Vec<BundleName> {
        const MOST: usize = 4;
        let word = self.word();
        let Some(judged) = self.judged(session) else { return Vec::new() };
        if word.is_empty() || self.field == EntryField::SkipRange {
            return Vec::new();
        }
        let mut names: Vec<&BundleName> = Vec::new();
        if let Some(channel) = judged.graph.channel(self.channel.as_str()) {
            let order = layout::order(&channel.graph);
            names.extend(order.into_iter().filter_map(|at| channel.graph.node(at)).map(|node| &node.name));
        }
        let known: HashSet<&BundleName> = names.iter().copied().collect();
        names.extend(newest_first(judged.package()).filter(|name| !known.contains(name)));
        let spec = self.spec();
        let is_said = |name: &BundleName| self.field == EntryField::Skips && spec.skips.contains(name);
        names.retain(|name| **name != self.bundle && **name != *word && !is_said(name));
        best(names, word, MOST).into_iter().cloned().collect()
    }
}

impl DialogState for EntryForm {
    fn id(&self) -> Dialog {
        Dialog::Entry
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match press {
            Press::Action(ActionId::Accept) => {
                match cx.session.now(&mut self.preview).cloned() {
                    None => {}
                    Some(Ok(outcome)) => {
                        cx.keep(Purpose::Edit, outcome);
                        if self.is_new {
                            cx.then.push(Flow::Select(self.bundle.clone()));
                        }
                    }
                    Some(Err(_)) => return Step::Stay,
                }
                return Step::Close;
            }
            Press::Action(ActionId::NextField) => self.turn(1),
            Press::Action(ActionId::PreviousField) => self.turn(EntryField::ALL.len() - 1),
            Press::Action(ActionId::Complete) => {
                if let Some(name) = self.proposals.first().cloned() {
                    self.complete(&name);
                }
            }
            _ => {
                if !field::type_into(self.input_mut(), press) {
                    return Step::Stay;
                }
            }
        }
        self.refresh(cx.session);
        Step::Stay
    }

    fn field(&mut self) -> Option<&mut Input> {
        Some(self.input_mut())
    }

    fn prospect(&mut self) -> Option<&mut Prospect> {
        Some(&mut self.preview)
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}
