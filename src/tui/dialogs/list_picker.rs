//! Dialog that chooses from a list.

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor, dialog_list},
    keys::{ActionId, Dialog, KeyPress},
    parts::{
        field::{self, TextField},
        list::passes_filter,
    },
    session::{
        Session,
        context::{Context, ViewContext},
    },
    widgets::{
        boxes::{centered, draw_field, draw_key_hints},
        canvas::{Canvas, display_width, piece, text_piece},
        theme::Ink,
    },
};
use olm_catalog::BundleName;
use ratatui::layout::Rect;

/// Choice that typing narrows down.
pub const FILTERED: Dialog = Dialog::with_name("filtered-pick", "a choice").with_rows().with_field();

/// Choice from a list.
pub const DIALOG: Dialog = Dialog::with_name("pick", "a choice").with_rows();

/// Setting that a choice from a list changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PickPurpose {
    /// The channel of the Classic Subscription.
    Subscribed,
    /// The channels that v1 may choose from.
    V1Channels,
    /// The `startingCSV`; the first choice is none.
    Starting,
}

/// State of the dialog.
#[derive(Debug)]
pub struct ListPicker {
    /// Question in the title.
    pub title: &'static str,
    /// Purpose of the choice.
    pub purpose: PickPurpose,
    /// Items, each with a flag that is true if it is chosen.
    pub items: Vec<(String, bool)>,
    /// True if several items can be chosen.
    pub allows_several: bool,
    /// Filter text; `None` if the dialog does not filter.
    pub input: Option<TextField>,
    /// Index of the selected item among the filtered items.
    pub cursor: usize,
}

impl ListPicker {
    /// Opens the dialog with the cursor on the first chosen item.
    pub(in crate::tui) fn new(
        title: &'static str,
        purpose: PickPurpose,
        several: bool,
        items: Vec<(String, bool)>,
    ) -> Self {
        let cursor = items.iter().position(|(_, chosen)| *chosen).unwrap_or_default();
        Self { title, purpose, items, allows_several: several, input: None, cursor }
    }

    /// Adds a filter field.
    #[must_use]
    pub(in crate::tui) fn with_filter(self) -> Self {
        Self { input: Some(TextField::default()), ..self }
    }

    /// Returns the items that match the filter, with their indexes among all items.
    pub fn filtered_items(&self) -> impl Iterator<Item = (usize, &(String, bool))> {
        let typed = self.input.as_ref().map_or("", |input| input.value());
        self.items.iter().enumerate().filter(move |(_, (name, _))| passes_filter(typed, name))
    }

    /// Applies the choice to the session.
    fn apply_choice(&self, session: &mut Session) {
        let under_cursor = self.filtered_items().nth(self.cursor);
        let chosen: Vec<(usize, &str)> = if self.allows_several {
            let chosen = self.items.iter().enumerate().filter(|(_, (_, chosen))| *chosen);
            chosen.map(|(at, (name, _))| (at, name.as_str())).collect()
        } else {
            under_cursor.map(|(at, (name, _))| (at, name.as_str())).into_iter().collect()
        };
        let mut names = chosen.iter().map(|(_, name)| (*name).into());
        match self.purpose {
            PickPurpose::Subscribed => session.upgrade_query.subscribed = names.next(),
            PickPurpose::V1Channels => session.upgrade_query.query.channels = names.collect(),
            PickPurpose::Starting => {
                let entry = chosen.first().filter(|(at, _)| *at > 0);
                session.upgrade_query.starting = entry.map(|(_, name)| BundleName::from(*name));
            }
        }
        // Earlier choices may not be valid for a different channel.
        session.correct_selection();
    }
}

impl DialogState for ListPicker {
    fn id(&self) -> Dialog {
        if self.input.is_some() { FILTERED } else { DIALOG }
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) if self.filtered_items().next().is_some() => {
                self.apply_choice(cx.session);
                return DialogStep::Close;
            }
            _ if self.input.is_some() => {
                if let Some(input) = &mut self.input
                    && field::handle_field_key(input, press)
                {
                    self.cursor = 0;
                }
            }
            KeyPress::Action(ActionId::Choose) if self.allows_several => {
                if let Some((_, chosen)) = self.items.get_mut(self.cursor) {
                    *chosen = !*chosen;
                }
            }
            _ => {}
        }
        DialogStep::Stay
    }

    fn text_field(&mut self) -> Option<&mut TextField> {
        self.input.as_mut()
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.filtered_items().count(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        // The field takes one line. The height does not depend on the filter, so the box does not jump.
        let typed = u16::from(self.input.is_some());
        let high = u16::try_from(self.items.len()).unwrap_or(u16::MAX).saturating_add(3 + typed);
        let wide = self
            .items
            .iter()
            .map(|(name, _)| display_width(name) + 12)
            .max()
            .unwrap_or(0)
            .max(display_width(self.title) + 8);
        // The key hints must fit.
        let least = if self.allows_several { 48 } else { 44 };
        let wide = u16::try_from(wide).unwrap_or(area.width).max(least);
        let inner = canvas.draw_box(centered(area, wide, high.max(5)), self.title);
        if inner.is_empty() {
            return;
        }
        if let Some(input) = &self.input {
            draw_field(canvas, Rect { height: 1, ..inner }, input, true);
            let count = format!("{} of {}", self.filtered_items().count(), self.items.len());
            canvas.draw_line_right(Rect { height: 1, ..inner }, &[piece(count, Ink::Dim)]);
        }
        let list = Rect { y: inner.y + typed, height: inner.height.saturating_sub(1 + typed), ..inner };
        let left: Vec<&(String, bool)> = self.filtered_items().map(|(_, item)| item).collect();
        if left.is_empty() {
            canvas.draw_text(list.x, list.y, list.width, "nothing matches", Ink::Dim);
        }
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |row| {
            let Some((name, chosen)) = left.get(row) else { return Vec::new() };
            let mark = match (self.allows_several, chosen) {
                (true, true) => "[x] ",
                (true, false) => "[ ] ",
                (false, true) => "@ ",
                (false, false) => "  ",
            };
            vec![text_piece(mark), text_piece(name.clone())]
        });
        let dialog = if self.input.is_some() { FILTERED } else { DIALOG };
        let chooses = self.allows_several.then_some((ActionId::Choose, "choose"));
        let ends = [(ActionId::Accept, "apply"), (ActionId::Cancel, "cancel")];
        let keys: Vec<_> = chooses.into_iter().chain(ends).collect();
        draw_key_hints(view_cx, dialog, canvas, inner, &keys);
    }
}
