//! Dialog that chooses from a list.

use tui_input::Input;

use super::dialog::{DialogState, Rows, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        parts::{field, list::passes},
        session::{Session, cx::Cx},
        work::opening::PickPurpose,
    },
    catalog::BundleName,
};

/// State of the dialog.
#[derive(Debug)]
pub struct Pick {
    /// Question in the title.
    pub title: &'static str,
    /// Purpose of the choice.
    pub purpose: PickPurpose,
    /// Items, each with a flag that is true if it is chosen.
    pub items: Vec<(String, bool)>,
    /// True if several items can be chosen.
    pub several: bool,
    /// Filter text; `None` if the dialog does not filter.
    pub input: Option<Input>,
    /// Index of the selected item among the filtered items.
    pub cursor: usize,
}

impl Pick {
    /// Opens the dialog with the cursor on the first chosen item.
    pub(in crate::app) fn new(
        title: &'static str,
        purpose: PickPurpose,
        several: bool,
        items: Vec<(String, bool)>,
    ) -> Self {
        let cursor = items.iter().position(|(_, chosen)| *chosen).unwrap_or_default();
        Self { title, purpose, items, several, input: None, cursor }
    }

    /// Adds a filter field.
    #[must_use]
    pub(in crate::app) fn typed(self) -> Self {
        Self { input: Some(Input::default()), ..self }
    }

    /// Returns the items that match the filter, with their indexes among all items.
    pub fn left(&self) -> impl Iterator<Item = (usize, &(String, bool))> {
        let typed = self.input.as_ref().map_or("", |input| input.value());
        self.items.iter().enumerate().filter(move |(_, (name, _))| passes(typed, name))
    }

    /// Applies the choice to the session.
    fn take(&self, session: &mut Session) {
        let under_cursor = self.left().nth(self.cursor);
        let chosen: Vec<(usize, &str)> = if self.several {
            let chosen = self.items.iter().enumerate().filter(|(_, (_, chosen))| *chosen);
            chosen.map(|(at, (name, _))| (at, name.as_str())).collect()
        } else {
            under_cursor.map(|(at, (name, _))| (at, name.as_str())).into_iter().collect()
        };
        let mut names = chosen.iter().map(|(_, name)| (*name).into());
        match self.purpose {
            PickPurpose::Subscribed => session.question.subscribed = names.next(),
            PickPurpose::V1Channels => session.question.query.channels = names.collect(),
            PickPurpose::Starting => {
                let entry = chosen.first().filter(|(at, _)| *at > 0);
                session.question.starting = entry.map(|(_, name)| BundleName::from(*name));
            }
        }
        // Earlier choices may not be valid for a different channel.
        session.settle();
    }
}

impl DialogState for Pick {
    fn id(&self) -> Dialog {
        if self.input.is_some() { Dialog::TypedPick } else { Dialog::Pick }
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match press {
            Press::Action(ActionId::Accept) if self.left().next().is_some() => {
                self.take(cx.session);
                return Step::Close;
            }
            _ if self.input.is_some() => {
                if let Some(input) = &mut self.input
                    && field::type_into(input, press)
                {
                    self.cursor = 0;
                }
            }
            Press::Action(ActionId::Choose) if self.several => {
                if let Some((_, chosen)) = self.items.get_mut(self.cursor) {
                    *chosen = !*chosen;
                }
            }
            _ => {}
        }
        Step::Stay
    }

    fn field(&mut self) -> Option<&mut Input> {
        self.input.as_mut()
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.left().count(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
