//! A question that is answered with a line of text: what is typed, what would complete it, and what it would lead to.

pub(in crate::app) mod answered;
mod meaning;
pub(in crate::app) mod proposals;

use crate::app::work::opening::Asked;
use crate::app::work::opening::Purpose;
use crate::app::work::opening::all_called;
use crate::app::work::opening::called;
use std::sync::Arc;

use tui_input::Input;

use crate::app::{shell::model::Model, work::preview::Preview};
use crate::{catalog::PackageName, review::Judged};

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
                self.preview = edit.map(|edit| model.session.preview(edit));
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
        model.session.snapshot()?.package(self.package.as_str())
    }
}
