//! Dialog with a question answered by a line of text, with completions and a preview.

mod extract;
mod meaning;
mod new_channel;
mod proposals;

use std::sync::Arc;

use tui_input::Input;

use super::dialog::{DialogState, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        parts::{field, mistake::Mistake},
        session::{Session, cx::Cx},
        work::{
            Opening, Prospect, Reply,
            opening::{Asked, Purpose, all_called, called},
        },
    },
    catalog::{ChannelName, PackageName, template::semver::List},
    edit::{Edit, TemplateChange},
    plan::extract::Planned,
    review::Judged,
};

/// State of the dialog.
#[derive(Debug)]
pub struct Ask {
    /// Package of the question.
    pub package: PackageName,
    /// Question.
    pub asked: Asked,
    /// Purpose of the resulting edit.
    pub purpose: Purpose,
    /// Typed answer.
    pub input: Input,
    /// Completions of the answer.
    pub proposals: Vec<String>,
    /// Note about the answer, or the reason why it is invalid.
    pub remark: Result<String, Mistake>,
    /// Preview of the edit; empty if the answer is incomplete or does not change anything.
    pub preview: Prospect,
    /// Planned extract; only for that question.
    pub planned: Option<Box<Planned>>,
}

impl Ask {
    /// Opens the question with a proposed answer.
    pub(in crate::app) fn new(
        purpose: Purpose,
        package: PackageName,
        asked: Asked,
        proposed: String,
        session: &Session,
    ) -> Self {
        let mut question = Self {
            package,
            asked,
            purpose,
            input: Input::new(proposed),
            proposals: Vec::new(),
            remark: Ok(String::new()),
            preview: Prospect::Nothing,
            planned: None,
        };
        question.refresh(session);
        question
    }

    /// Returns the text of the question.
    pub fn title(&self) -> String {
        let package = &self.package;
        match (&self.asked, self.purpose) {
            (Asked::Extract, _) => "What if the catalog had only".to_owned(),
            (Asked::Below, _) => format!("What if {package} had no bundles older than"),
            (Asked::SkipRange { channel, entry, .. }, _) => {
                format!("What if the skipRange of {entry} in {channel} were")
            }
            (Asked::AlsoSkips { channel, entry, .. }, _) => {
                format!("What if {entry} in {channel} also skipped")
            }
            (Asked::Deprecated(target), Purpose::Suppose) => {
                format!("What if {} were deprecated, with message", called(package, target))
            }
            (Asked::Deprecated(target), Purpose::Edit) => {
                format!("Deprecation message for {}", called(package, target))
            }
            (Asked::DeprecatedToo(targets), _) => {
                format!("Deprecation message for {}", all_called(package, targets))
            }
            (Asked::NewEntry(channel), _) => format!("Add to {channel} of {package}"),
            (Asked::NewChannel, _) => format!("Name of the new channel of {package}"),
            (Asked::PromoteTo { bundle, .. }, _) => format!("Promote {bundle} to a new channel named"),
            (Asked::UpTo { channel, from }, _) => {
                format!("New channel {channel}, copy of {from} up to version")
            }
            (Asked::Rename(channel), _) => format!("Rename channel {channel} of {package} to"),
            (Asked::ImageInto(list), _) => format!("Bundle image to add to {}", list.name()),
            (Asked::Description, _) => format!("Description of {package}"),
        }
    }

    /// Describes the effect of Enter.
    pub fn enter(&self) -> &'static str {
        match (&self.asked, self.purpose) {
            (_, Purpose::Suppose) => "starts the what-if",
            (Asked::NewEntry(_), _) => "continues with its edges",
            (Asked::NewChannel, _) => "continues with its entries",
            (Asked::PromoteTo { .. }, _) => "selects it",
            _ => "apply",
        }
    }

    /// Interprets the answer, and updates the completions and the preview.
    fn refresh(&mut self, session: &Session) {
        if let Asked::ImageInto(list) = self.asked {
            return self.refresh_image(list, session);
        }
        if self.asked == Asked::Extract {
            return self.refresh_extract(session);
        }
        let Some(judged) = self.judged(session).cloned() else { return };
        self.proposals = proposals::of(self, &judged);
        match meaning::of(self, &judged) {
            Ok((edit, remark)) => {
                self.remark = Ok(remark);
                self.preview = edit.map_or(Prospect::Nothing, |edit| session.prospect(edit));
            }
            Err(wrong) => {
                self.remark = Err(wrong);
                self.preview = Prospect::Nothing;
            }
        }
    }

    /// Updates completions and preview for the image of a template, which may not have a package.
    fn refresh_image(&mut self, list: List, session: &Session) {
        let Some(snapshot) = session.snapshot() else { return };
        self.proposals = proposals::images(&snapshot.catalog, list, self.typed());
        let image = self.typed().to_owned();
        self.preview = Prospect::Nothing;
        self.remark = match () {
            () if image.is_empty() => Ok("the image as it is pulled, best with its digest".to_owned()),
            () => match snapshot.catalog.known_name(&image).map(ToString::to_string) {
                Some(known) => {
                    self.preview = session.prospect(Self::with_image(list, image));
                    Ok(known)
                }
                // Do not request the preview of a partly typed image at every key.
                None => {
                    Ok("no open or published catalog has this image: its channels cannot be shown".to_owned())
                }
            },
        };
    }

    fn with_image(list: List, image: String) -> Edit {
        Edit::Template { change: TemplateChange::AddImage { list, image } }
    }

    /// Replaces the answer with the first completion.
    fn complete(&mut self) {
        if let Some(first) = self.proposals.first() {
            self.input = Input::new(first.clone());
        }
    }

    /// Returns the answer without surrounding spaces.
    fn typed(&self) -> &str {
        self.input.value().trim()
    }

    /// Returns the package of the question, which may differ from the selected one.
    fn judged<'a>(&self, session: &'a Session) -> Option<&'a Arc<Judged>> {
        session.snapshot()?.package(self.package.as_str())
    }

    fn answered(&mut self, cx: &mut Cx<'_>) -> Step {
        if self.remark.is_err() {
            return Step::Stay;
        }
        if self.asked == Asked::NewChannel {
            let name = ChannelName::from(self.typed());
            return Step::Instead(new_channel::ways(&self.package, &name, cx.session));
        }
        // Extracting a whole catalog takes longer than a frame.
        if self.asked == Asked::Extract && self.preview.awaited().is_some() {
            cx.notices.refused("still working out what it changes");
            return Step::Stay;
        }
        let is_told = !self.preview.is_nothing() || self.typed().is_empty();
        if let (Asked::ImageInto(list), false) = (&self.asked, is_told) {
            self.preview = Prospect::Awaited(Self::with_image(*list, self.typed().to_owned()));
        }
        let Some(Ok(outcome)) = cx.session.now(&mut self.preview) else { return Step::Stay };
        match (&self.asked, &outcome.edit) {
            (Asked::NewEntry(_), Edit::AddEntry { package, channel, entry, spec }) => {
                return Step::Instead(Opening::Entry {
                    package: package.clone(),
                    channel: channel.clone(),
                    entry: entry.clone(),
                    spec: spec.clone(),
                    is_new: true,
                });
            }
            // The dialog below asked the question.
            (Asked::PromoteTo { .. }, Edit::AddChannel { channel, .. }) => {
                cx.reply(Reply::Channel(channel.clone()));
            }
            _ => cx.keep_and_show(self.purpose, outcome),
        }
        Step::Close
    }
}

impl DialogState for Ask {
    fn id(&self) -> Dialog {
        Dialog::Ask
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match press {
            Press::Action(ActionId::Accept) => return self.answered(cx),
            Press::Action(ActionId::Complete) => self.complete(),
            _ => {
                if !field::type_into(&mut self.input, press) {
                    return Step::Stay;
                }
            }
        }
        self.refresh(cx.session);
        Step::Stay
    }

    fn field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn prospect(&mut self) -> Option<&mut Prospect> {
        Some(&mut self.preview)
    }
}
