//! Menu of related choices, each with a letter: what to copy, what to suppose, what to assume.

use ratatui::{crossterm::event::KeyCode, layout::Rect};

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor, dialog_list},
    keys::{
        ActionId, Dialog, KeyPress, Keymap,
        spec::{ActionSpec, Enabled},
    },
    session::{
        action::Target,
        context::{Context, ViewContext},
    },
    widgets::{
        boxes::{centered, draw_key_hints},
        canvas::{Canvas, Line, display_width, piece, wrap_text},
        theme::Ink,
    },
    work::{Effect, ProgramChoice, effect::ClipboardText},
};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("menu", "a menu").with_rows();

/// Effect of a choice of a menu.
#[derive(Clone, Debug)]
pub enum MenuChoice {
    /// Runs a function on the target.
    Run(fn(&mut Target, &mut Context<'_>)),
    /// Runs an action, unless it is not permitted now.
    Action(ActionId),
    /// Runs a choice of the program menu.
    Program(ProgramChoice),
    /// Copies a text.
    Copy(ClipboardText),
}

/// Item of a table of choices.
#[derive(Debug)]
pub struct MenuItem {
    /// Letter that runs the choice.
    pub letter: char,
    /// Description in one sentence without a period.
    pub doc: &'static str,
    /// Returns the reason if the choice is not possible now.
    pub is_enabled: fn(&Target, &ViewContext<'_>) -> Enabled,
    /// Effect of the choice.
    pub choice: MenuChoice,
}

/// Choice of a menu as it is shown.
#[derive(Debug)]
pub struct MenuRow {
    /// Letter that runs the choice.
    pub letter: char,
    /// Description in one sentence without a period.
    pub doc: String,
    /// Reason if the choice is not possible now.
    pub enabled: Enabled,
    /// Effect of the choice.
    pub choice: MenuChoice,
}

/// State of the dialog.
#[derive(Debug)]
pub struct Menu {
    title: &'static str,
    target: Target,
    rows: Vec<MenuRow>,
    cursor: usize,
}

impl Menu {
    /// Opens a menu about a target, with the cursor on the first possible choice.
    pub(in crate::tui) fn from_items<'a>(
        title: &'static str,
        target: Target,
        items: impl IntoIterator<Item = &'a MenuItem>,
        view_cx: &ViewContext<'_>,
    ) -> Self {
        let to_row = |item: &MenuItem| MenuRow {
            letter: item.letter,
            doc: item.doc.to_owned(),
            enabled: (item.is_enabled)(&target, view_cx),
            choice: item.choice.clone(),
        };
        let rows = items.into_iter().map(to_row).collect();
        Self::from_rows(title, target, rows)
    }

    /// Opens a menu with the given rows, with the cursor on the first possible choice.
    pub(in crate::tui) fn from_rows(title: &'static str, target: Target, rows: Vec<MenuRow>) -> Self {
        let cursor = rows.iter().position(|row| row.enabled.is_ok()).unwrap_or_default();
        Self { title, target, rows, cursor }
    }

    /// Selects a row.
    #[must_use]
    pub(in crate::tui) fn with_cursor(self, cursor: usize) -> Self {
        Self { cursor, ..self }
    }

    /// Adds a choice before the others, and selects it.
    #[must_use]
    pub(in crate::tui) fn with_first_row(mut self, row: MenuRow) -> Self {
        self.rows.insert(0, row);
        self.cursor = 0;
        self
    }

    /// Returns the letters of the choices.
    pub fn letters(&self) -> impl Iterator<Item = char> {
        self.rows.iter().map(|row| row.letter)
    }

    /// Runs a choice, or reports why it is not possible.
    fn run_row(&mut self, row: usize, cx: &mut Context<'_>) -> DialogStep {
        self.cursor = row;
        let Some(row) = self.rows.get(row) else { return DialogStep::Stay };
        if let Err(reason) = &row.enabled {
            cx.notices.report_refusal(reason.clone());
            return DialogStep::Stay;
        }
        match row.choice.clone() {
            MenuChoice::Run(run) => run(&mut self.target, cx),
            MenuChoice::Action(id) => cx.run_action(id),
            MenuChoice::Program(choice) => cx.run_program_choice(choice),
            MenuChoice::Copy(text) => cx.request(Effect::Copy(text)),
        }
        DialogStep::Close
    }
}

impl DialogState for Menu {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) => self.run_row(self.cursor, cx),
            KeyPress::Key(key) if key.is_text_input() => {
                let row = self.rows.iter().position(|row| key.code == KeyCode::Char(row.letter));
                row.map_or(DialogStep::Stay, |row| self.run_row(row, cx))
            }
            _ => DialogStep::Stay,
        }
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.rows.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    fn check_actions(&mut self, check: &dyn Fn(&ActionSpec) -> Enabled, keys: &Keymap) {
        for row in &mut self.rows {
            if let MenuChoice::Action(id) = row.choice
                && let Some(spec) = keys.table().find_action(id)
            {
                row.enabled = check(spec);
            }
        }
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let lines: Vec<Line> = self.rows.iter().map(row_line).collect();
        let widest = |line: &Line| line.iter().map(|piece| display_width(&piece.text)).sum::<usize>();
        let widest = lines.iter().map(widest).max().unwrap_or_default().max(display_width(self.title) + 4);
        let wide = u16::try_from(widest + 6).unwrap_or(area.width).max(MIN_COLUMNS);
        // The rows, a reason or the full text of a row that is cut, and the keys.
        let is_cut = wide > area.width;
        let has_text = is_cut || self.rows.iter().any(|row| row.enabled.is_err());
        let reason_lines = u16::from(has_text) * MAX_REASON_LINES;
        let high = u16::try_from(lines.len() + 3).unwrap_or(area.height).saturating_add(reason_lines);
        let inner = canvas.draw_box(centered(area, wide, high), self.title);
        let list = Rect { height: inner.height.saturating_sub(1 + reason_lines), ..inner };
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |row| {
            lines.get(row).cloned().unwrap_or_default()
        });
        let text = self.rows.get(self.cursor).and_then(|row| match &row.enabled {
            Err(reason) => Some((format!("not now: {reason}"), Ink::Warning)),
            Ok(()) => is_cut.then(|| (row.doc.clone(), Ink::Dim)),
        });
        if let Some((text, ink)) = text {
            let lines = wrap_text(&text, usize::from(inner.width));
            for (y, line) in (list.bottom()..inner.bottom().saturating_sub(1)).zip(lines) {
                canvas.draw_text(inner.x, y, inner.width, &line, ink);
            }
        }
        let keys = [(ActionId::Accept, "choose, or press its letter"), (ActionId::Cancel, "cancel")];
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}

/// Minimum columns of the box, for the keys at its lower edge.
const MIN_COLUMNS: u16 = 44;

/// Lines for the reason why the selected choice is not possible, or for its full text.
const MAX_REASON_LINES: u16 = 2;

/// Returns the line of a choice: its letter and what it does, dim if it is not possible.
fn row_line(row: &MenuRow) -> Line {
    let ink = if row.enabled.is_ok() { Ink::Text } else { Ink::Dim };
    vec![piece(format!("{}  ", row.letter), Ink::Key), piece(row.doc.as_str(), ink)]
}
