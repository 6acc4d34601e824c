//! What lies over a screen and gets the keys while it does.

use crate::app::shell::model::Model;
use crate::app::work::opening::Because;
use crate::app::work::opening::PickPurpose;
use crate::app::work::opening::PromptPurpose;
use crate::app::work::opening::Writing;
use crate::app::work::preview::Preview;
use std::path::PathBuf;

use tui_input::Input;

use crate::app::{
    dialogs::{
        against_state::Choice,
        ask::Ask,
        choose_state::Choose,
        entry::EntryForm,
        finder::Search,
        other_catalogs_state::Elsewhere,
        range_state::RangeTester,
        recovery::{Conflicts, Question},
    },
    keys::{ActionId, Dialog, Scope},
    parts::{
        list::{ListId, passes},
        memo::Memo,
        notice::Notice,
    },
    session::{answers::Picks, place::Place},
};
use crate::{
    catalog::{BundleName, ChannelName, PackageName, blob::EntrySpec},
    edit::Edit,
    upgrade::promote::{Offer, Refusal, Wish, offer},
};

/// An overlay; focus is the top one.
#[derive(Debug)]
pub enum Overlay {
    /// Filters a list while one types.
    Filter(Filter),
    /// Finds anything by name.
    Finder(Box<Finder>),
    /// What was told, newest first.
    Log(Log),
    /// Every action: palette and help.
    Commands(Commands),
    /// Edits an entry's edges.
    Entry(Box<EntryForm>),
    /// Puts a bundle into other channels.
    Promote(Box<Promote>),
    /// Chooses from a few things.
    Pick(Pick),
    /// Asks for a line of text.
    Prompt(Prompt),
    /// What the marks of the graph mean.
    Legend,
    /// Asks for a line of text that an edit or a supposition needs.
    Ask(Box<Ask>),
    /// Chooses one of a few ways.
    Choose(Box<Choose>),
    /// Chooses what to compare with.
    Against(Box<Choice>),
    /// Asks before a catalog is written that opm refuses.
    Refused(Refused),
    /// Tries out ranges.
    Range(Box<RangeTester>),
    /// Asks whether edits shall be made again.
    Question(Question),
    /// Edits that could not be made again.
    Conflicts(Conflicts),
    /// Makes the last edit in other catalogs.
    Elsewhere(Box<Elsewhere>),
    /// Asks before unsaved edits are lost.
    Leave,
    /// What is wrong in the configuration.
    Configuration {
        /// The row.
        row: usize,
        /// How many problems there are.
        of: usize,
    },
}

/// See [`Overlay::Filter`].
#[derive(Debug)]
pub struct Filter {
    /// The list.
    pub list: ListId,
    /// What is typed.
    pub input: Input,
}

/// See [`Overlay::Finder`].
#[derive(Debug, Default)]
pub struct Finder {
    /// What is typed.
    pub input: Input,
    /// What matches, best first.
    pub found: Vec<Found>,
    /// How many things match, the ones that are not listed too.
    pub total: usize,
    /// The row.
    pub cursor: usize,
    /// What both OLMs do with the bundle on that row.
    pub(in crate::app) answers: Memo<Option<Found>, Picks>,
    /// What it looks through.
    pub(in crate::app) search: Search,
}

impl Finder {
    /// What both OLMs do with the bundle on the row.
    pub fn answers(&self) -> &Picks {
        &self.answers.value
    }
}

/// Something the finder found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What sort of thing, such as `bundle`.
    pub kind: &'static str,
    /// What it is called.
    pub text: String,
    /// What else is known of it.
    pub note: String,
    /// Characters of the text that match what was typed.
    pub matched: Vec<usize>,
    /// Where it is.
    pub place: Place,
    /// Which finding of its package it is, where it is one: of the catalog's that belong to no package, where it has none.
    pub finding: Option<usize>,
}

/// See [`Overlay::Log`].
#[derive(Debug)]
pub struct Log {
    /// The messages, newest first: those there were when it was opened, so that none moves while it is read.
    pub messages: Vec<Notice>,
    /// The row.
    pub cursor: usize,
}

/// See [`Overlay::Commands`].
#[derive(Debug)]
pub struct Commands {
    /// Where it shows what keys do; `None` where it shows every action.
    pub scope: Option<Scope>,
    /// What is typed.
    pub input: Input,
    /// How many actions there are as long as nothing is typed.
    pub all: usize,
    /// The actions that match, best first.
    pub found: Vec<FoundAction>,
    /// The row.
    pub cursor: usize,
}

/// An action that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundAction {
    /// The action.
    pub id: ActionId,
    /// Characters of its title that match what was typed.
    pub matched: Vec<usize>,
}

/// See [`Overlay::Promote`].
#[derive(Debug)]
pub struct Promote {
    /// The package.
    pub package: PackageName,
    /// The bundle.
    pub bundle: BundleName,
    /// The channels of the package and what would happen in each.
    pub targets: Vec<PromoteTarget>,
    /// The row.
    pub cursor: usize,
    /// What the chosen ones would lead to; `None` while none is chosen.
    pub preview: Option<Preview>,
}

/// A channel a bundle could be put into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromoteTarget {
    /// The channel.
    pub channel: ChannelName,
    /// The edges it could have there, or why it cannot go there.
    pub offer: Result<Offer, Refusal>,
    /// Which of them are wanted.
    pub wish: Wish,
    /// Whether it is chosen.
    pub chosen: bool,
    /// Whether the channel is to be made for it.
    pub is_new: bool,
}

impl Promote {
    /// The channels of a package, with the cursor on the first that the bundle can go to.
    pub(in crate::app) fn new(model: &Model, package: PackageName, bundle: BundleName) -> Self {
        let judged = model.session.snapshot().and_then(|now| now.package(package.as_str()));
        let channels = judged.into_iter().flat_map(|judged| {
            judged.graph.channels().iter().map(|upgrades| PromoteTarget {
                channel: upgrades.graph.name().clone(),
                offer: offer(judged.package(), &upgrades.graph, &bundle),
                wish: Wish::default(),
                chosen: false,
                is_new: false,
            })
        });
        let targets: Vec<PromoteTarget> = channels.collect();
        let cursor = targets.iter().position(|target| target.offer.is_ok()).unwrap_or(targets.len());
        Self { package, bundle, targets, cursor, preview: None }
    }

    /// The edit the chosen channels stand for; `None` while none is chosen.
    pub fn edit(&self) -> Option<Edit> {
        let chosen = || self.targets.iter().filter(|target| target.chosen);
        chosen().next()?;
        let there = chosen().filter(|target| !target.is_new);
        let there = there.filter_map(|target| Some((target.channel.clone(), target.spec()?)));
        let new = chosen().filter(|target| target.is_new).map(|target| target.channel.clone());
        Some(Edit::promote(&self.package, &self.bundle, there, new))
    }

    /// Chooses a channel that is to be made.
    pub(in crate::app) fn add_new(&mut self, channel: ChannelName) {
        let offer = Offer { channel: channel.clone(), head: None, instead: None, range: None };
        self.cursor = self.targets.len();
        self.targets.push(PromoteTarget {
            channel,
            offer: Ok(offer),
            wish: Wish::default(),
            chosen: true,
            is_new: true,
        });
    }
}

impl PromoteTarget {
    /// The edges it would get.
    pub fn spec(&self) -> Option<EntrySpec> {
        self.offer.as_ref().ok().map(|offer| offer.spec(self.wish))
    }

    /// Whether it could take the head's place.
    pub fn has_instead(&self) -> bool {
        self.offer.as_ref().is_ok_and(|offer| offer.instead.is_some())
    }

    /// Whether it could have a range like the head's.
    pub fn has_range(&self) -> bool {
        self.offer.as_ref().is_ok_and(|offer| offer.range.is_some())
    }
}

/// See [`Overlay::Refused`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// What speaks against it.
    pub because: Because,
    /// What was asked for.
    pub writing: Writing,
}

/// See [`Overlay::Pick`].
#[derive(Debug)]
pub struct Pick {
    /// What is asked.
    pub title: &'static str,
    /// What it is for.
    pub purpose: PickPurpose,
    /// The choices, each with whether it is chosen.
    pub items: Vec<(String, bool)>,
    /// Whether several may be chosen.
    pub several: bool,
    /// What is typed, where typing narrows the choices down.
    pub input: Option<Input>,
    /// The row, among the choices that are left.
    pub cursor: usize,
}

impl Pick {
    /// A choice with the cursor on the first thing that is chosen already.
    pub(in crate::app) fn new(
        title: &'static str,
        purpose: PickPurpose,
        several: bool,
        items: Vec<(String, bool)>,
    ) -> Self {
        let cursor = items.iter().position(|(_, chosen)| *chosen).unwrap_or_default();
        Self { title, purpose, items, several, input: None, cursor }
    }

    /// Lets typing narrow the choices down.
    #[must_use]
    pub(in crate::app) fn typed(self) -> Self {
        Self { input: Some(Input::default()), ..self }
    }

    /// The choices that are left, with their positions among all.
    pub fn left(&self) -> impl Iterator<Item = (usize, &(String, bool))> {
        let typed = self.input.as_ref().map_or("", |input| input.value());
        self.items.iter().enumerate().filter(move |(_, (name, _))| passes(typed, name))
    }
}

/// See [`Overlay::Prompt`].
#[derive(Debug)]
pub struct Prompt {
    /// What is asked.
    pub title: &'static str,
    /// What it is for.
    pub purpose: PromptPurpose,
    /// What is typed.
    pub input: Input,
    /// What was there before.
    pub before: String,
    /// What is wrong with it, or what it would do.
    pub remark: Result<String, Wrong>,
    /// The path that is being written to. The question stays until that is done, so that a refusal costs no typing.
    pub writing: Option<PathBuf>,
}

/// What is wrong with a line of text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wrong {
    /// In words.
    pub message: String,
    /// Where, where that is known: 1-based, in characters of what is typed.
    pub column: Option<usize>,
    /// What to write instead, where that is known.
    pub hint: Option<String>,
}

impl From<String> for Wrong {
    fn from(message: String) -> Self {
        Self { message, ..Self::default() }
    }
}

impl Overlay {
    /// The row of a list overlay.
    pub fn cursor(&self) -> Option<usize> {
        match self {
            Self::Finder(finder) => Some(finder.cursor),
            Self::Log(log) => Some(log.cursor),
            Self::Commands(commands) => Some(commands.cursor),
            Self::Promote(promote) => Some(promote.cursor),
            Self::Choose(choice) => Some(choice.cursor),
            Self::Against(choice) => Some(choice.cursor),
            Self::Pick(pick) => Some(pick.cursor),
            Self::Range(range) => Some(range.cursor),
            Self::Conflicts(conflicts) => Some(conflicts.cursor),
            Self::Elsewhere(elsewhere) => Some(elsewhere.cursor),
            Self::Configuration { row, .. } => Some(*row),
            Self::Filter(_)
            | Self::Entry(_)
            | Self::Prompt(_)
            | Self::Ask(_)
            | Self::Refused(_)
            | Self::Legend
            | Self::Question(_)
            | Self::Leave => None,
        }
    }

    /// The rows of a list overlay.
    pub fn rows(&self) -> usize {
        match self {
            Self::Finder(finder) => finder.found.len(),
            Self::Log(log) => log.messages.len(),
            Self::Commands(commands) => commands.found.len(),
            // The last row is for a channel that is not there.
            Self::Promote(promote) => promote.targets.len() + 1,
            Self::Choose(choice) => choice.ways.len(),
            Self::Against(choice) => choice.ways.len(),
            Self::Pick(pick) => pick.left().count(),
            Self::Range(range) => range.rows.len(),
            Self::Conflicts(conflicts) => conflicts.refused.len(),
            Self::Elsewhere(elsewhere) => elsewhere.rows.len(),
            Self::Configuration { of, .. } => *of,
            Self::Filter(_)
            | Self::Entry(_)
            | Self::Prompt(_)
            | Self::Ask(_)
            | Self::Refused(_)
            | Self::Legend
            | Self::Question(_)
            | Self::Leave => 0,
        }
    }

    /// Moves the row of a list overlay.
    pub fn set_cursor(&mut self, row: usize) {
        match self {
            Self::Finder(finder) => finder.cursor = row,
            Self::Log(log) => log.cursor = row,
            Self::Commands(commands) => commands.cursor = row,
            Self::Promote(promote) => promote.cursor = row,
            Self::Choose(choice) => choice.cursor = row,
            Self::Against(choice) => choice.cursor = row,
            Self::Pick(pick) => pick.cursor = row,
            Self::Range(range) => range.cursor = row,
            Self::Conflicts(conflicts) => conflicts.cursor = row,
            Self::Elsewhere(elsewhere) => elsewhere.cursor = row,
            Self::Configuration { row: at, .. } => *at = row,
            Self::Filter(_)
            | Self::Entry(_)
            | Self::Prompt(_)
            | Self::Ask(_)
            | Self::Refused(_)
            | Self::Legend
            | Self::Question(_)
            | Self::Leave => {}
        }
    }
}

impl Overlay {
    /// What sort of dialog it is.
    pub fn dialog(&self) -> Dialog {
        match self {
            Self::Filter(_) => Dialog::Filter,
            Self::Finder(_) => Dialog::Finder,
            Self::Commands(_) => Dialog::Commands,
            Self::Entry(_) => Dialog::Entry,
            Self::Promote(_) => Dialog::Promote,
            Self::Pick(Pick { input: Some(_), .. }) => Dialog::TypedPick,
            Self::Pick(_) => Dialog::Pick,
            Self::Prompt(_) => Dialog::Prompt,
            Self::Legend => Dialog::Legend,
            Self::Ask(_) => Dialog::Ask,
            Self::Choose(_) => Dialog::Choose,
            Self::Against(_) => Dialog::Against,
            Self::Refused(_) => Dialog::Refused,
            Self::Range(_) => Dialog::Range,
            Self::Question(Question::ChangedOnDisk { .. }) => Dialog::ChangedOnDisk,
            Self::Question(Question::Restore { .. }) => Dialog::Restore,
            Self::Conflicts(_) => Dialog::Conflicts,
            Self::Log(_) => Dialog::Log,
            Self::Elsewhere(_) => Dialog::Elsewhere,
            Self::Leave => Dialog::Leave,
            Self::Configuration { .. } => Dialog::Configuration,
        }
    }
}
