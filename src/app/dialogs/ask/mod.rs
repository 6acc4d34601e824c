//! A question that is answered with a line of text: what is typed, what would complete it, and what it would lead to.

pub(in crate::app) mod answered;
mod meaning;
mod proposals;

use std::sync::Arc;

use tui_input::Input;

pub(in crate::app) use proposals::{best, newest_first, range_matches};

use crate::app::{
    dialogs::state::Preview,
    session::{editing as edit_flow, model::Model},
};
use crate::{
    catalog::{
        BundleName, ChannelName, PackageName,
        blob::{DeprecationTarget, EntrySpec},
    },
    review::Judged,
};

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The lowest version that stays.
    Below,
    /// The skipRange of an entry.
    SkipRange {
        /// Its channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// What it asks for now.
        spec: EntrySpec,
    },
    /// What an entry skips too.
    AlsoSkips {
        /// Its channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// What it asks for now.
        spec: EntrySpec,
    },
    /// What users are told of something deprecated.
    Deprecated(DeprecationTarget),
    /// What users are told of all that is suggested together.
    DeprecatedToo(Vec<DeprecationTarget>),
    /// The bundle that is to become an entry of a channel.
    NewEntry(ChannelName),
    /// The name of a new channel. What is in it is asked next.
    NewChannel,
    /// The name of a new channel that a bundle is promoted to.
    PromoteTo {
        /// The bundle.
        bundle: BundleName,
        /// New channels that are in the dialog already.
        taken: Vec<ChannelName>,
    },
    /// The highest version that a copy of a channel has.
    UpTo {
        /// The new channel.
        channel: ChannelName,
        /// The one that is copied.
        from: ChannelName,
    },
    /// The new name of a channel.
    Rename(ChannelName),
    /// What the package says of itself.
    Description,
}

/// What an answer is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// It is supposed, and made nowhere.
    Suppose,
    /// It becomes an edit.
    Edit,
}

/// The question.
#[derive(Debug)]
pub struct Ask {
    /// The package.
    pub package: PackageName,
    /// What is asked.
    pub asked: Asked,
    /// What the answer is for.
    pub purpose: Purpose,
    /// What is typed.
    pub input: Input,
    /// What would complete it.
    pub proposals: Vec<String>,
    /// What is wrong with it, or what it says.
    pub remark: Result<String, String>,
    /// What it would lead to; `None` while it means nothing, or changes nothing.
    pub preview: Option<Preview>,
}

impl Ask {
    /// The question with an answer that is there to be changed.
    pub(in crate::app) fn new(
        model: &Model,
        purpose: Purpose,
        package: PackageName,
        asked: Asked,
        proposed: String,
    ) -> Self {
        let mut question = Self {
            package,
            asked,
            purpose,
            input: Input::new(proposed),
            proposals: Vec::new(),
            remark: Ok(String::new()),
            preview: None,
        };
        question.refresh(model);
        question
    }

    /// The question in words.
    pub fn title(&self) -> String {
        let package = &self.package;
        match (&self.asked, self.purpose) {
            (Asked::Below, _) => format!("What if {package} had no versions below"),
            (Asked::SkipRange { channel, entry, .. }, _) => {
                format!("What if the skipRange of {entry} in {channel} were")
            }
            (Asked::AlsoSkips { channel, entry, .. }, _) => {
                format!("What if {entry} in {channel} also skipped")
            }
            (Asked::Deprecated(target), Purpose::Suppose) => {
                format!("What if {} were deprecated, saying", called(package, target))
            }
            (Asked::Deprecated(target), Purpose::Edit) => {
                format!("Deprecate {}, saying", called(package, target))
            }
            (Asked::DeprecatedToo(targets), _) => {
                format!("Deprecate {}, saying", all_called(package, targets))
            }
            (Asked::NewEntry(channel), _) => format!("Add to {channel} of {package}"),
            (Asked::NewChannel, _) => format!("New channel of {package}, called"),
            (Asked::PromoteTo { bundle, .. }, _) => format!("Promote {bundle} to a new channel, called"),
            (Asked::UpTo { channel, from }, _) => {
                format!("New channel {channel}, a copy of {from} up to version")
            }
            (Asked::Rename(channel), _) => format!("Rename channel {channel} of {package} to"),
            (Asked::Description, _) => format!("Describe {package} as"),
        }
    }

    /// What Enter does.
    pub fn enter(&self) -> &'static str {
        match (&self.asked, self.purpose) {
            (_, Purpose::Suppose) => "supposes it",
            (Asked::NewEntry(_), _) => "goes on to its edges",
            (Asked::NewChannel, _) => "goes on to its entries",
            (Asked::PromoteTo { .. }, _) => "chooses it",
            _ => "keeps the edit",
        }
    }

    /// Works out what the typed text means and leads to.
    pub(in crate::app) fn refresh(&mut self, model: &Model) {
        let Some(judged) = self.judged(model).cloned() else { return };
        self.proposals = proposals::of(self, &judged);
        match meaning::of(self, &judged) {
            Ok((edit, remark)) => {
                self.remark = Ok(remark);
                self.preview = edit.map(|edit| edit_flow::preview(model, edit));
            }
            Err(wrong) => {
                self.remark = Err(wrong);
                self.preview = None;
            }
        }
    }

    /// Takes a proposal.
    pub(in crate::app) fn complete(&mut self) {
        if let Some(first) = self.proposals.first() {
            self.input = Input::new(first.clone());
        }
    }

    /// What is typed, without the blanks around it.
    pub(in crate::app) fn typed(&self) -> &str {
        self.input.value().trim()
    }

    /// The package, whichever is selected.
    fn judged<'a>(&self, model: &'a Model) -> Option<&'a Arc<Judged>> {
        model.snapshot()?.package(self.package.as_str())
    }
}

/// Several things that can be deprecated, in words.
pub fn all_called(package: &PackageName, targets: &[DeprecationTarget]) -> String {
    match targets {
        [one] => called(package, one),
        all => format!("{} bundles of {package}", all.len()),
    }
}

/// Something that can be deprecated, in words.
pub fn called(package: &PackageName, target: &DeprecationTarget) -> String {
    match target {
        DeprecationTarget::Package => format!("package {package}"),
        DeprecationTarget::Channel(channel) => format!("channel {channel}"),
        DeprecationTarget::Bundle(bundle) => bundle.to_string(),
    }
}
