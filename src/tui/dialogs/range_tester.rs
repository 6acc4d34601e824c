//! Range tester: parses a range in both dialects and lists the matching bundles of the package.

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor, dialog_list},
    keys::{ActionId, Dialog, KeyPress},
    parts::field::{self, TextField},
    session::{
        Session,
        context::{Context, ViewContext},
    },
    widgets::{
        boxes::{draw_field, draw_key_hints, scale_dialog},
        canvas::{Canvas, Line, display_width, fit, pad, piece, text_piece, wrap_text},
        theme::Ink,
    },
};
use olmap_report::range::{Dialect, Matched, ParsedRange, Verdict, matching_bundles};
use ratatui::layout::Rect;

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("range", "the range tester").with_rows().with_field();

/// State of the range tester.
#[derive(Debug)]
pub struct RangeTester {
    /// Range text.
    pub input: TextField,
    /// Result of parsing the text as a `skipRange` and as a version range of OLM v1.
    pub readings: [ParsedRange; 2],
    /// Bundles of the selected package that match in at least one dialect.
    pub matching_bundles: Vec<Matched>,
    /// Index of the selected bundle.
    pub cursor: usize,
}

impl RangeTester {
    /// Opens the tester with a range.
    pub(in crate::tui) fn new(range: String, session: &Session) -> Self {
        let mut tester = Self {
            readings: read_both_dialects(&range),
            input: TextField::with_selected_text(range),
            matching_bundles: Vec::new(),
            cursor: 0,
        };
        tester.update_matches(session);
        tester
    }

    /// Parses the text and updates the matching bundles.
    fn update_matches(&mut self, session: &Session) {
        self.readings = read_both_dialects(self.input.value());
        self.matching_bundles = session
            .selected_package()
            .map(|p| matching_bundles(&self.readings, p.package()))
            .unwrap_or_default();
        self.cursor = 0;
    }

    /// Returns the number of bundles that match in the dialect with the given index.
    pub fn count_matches(&self, reading: usize) -> usize {
        self.matching_bundles.iter().filter(|row| row.matches_in(reading)).count()
    }
}

fn read_both_dialects(range: &str) -> [ParsedRange; 2] {
    [Dialect::Blang, Dialect::Masterminds].map(|dialect| ParsedRange::new(dialect, range))
}

impl DialogState for RangeTester {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press == KeyPress::Action(ActionId::Accept) {
            return DialogStep::Close;
        }
        if field::handle_field_key(&mut self.input, press) {
            self.update_matches(cx.session);
        }
        DialogStep::Stay
    }

    fn text_field(&mut self) -> Option<&mut TextField> {
        Some(&mut self.input)
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.matching_bundles.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let package =
            view_cx.session.selection().package.as_ref().map(ToString::to_string).unwrap_or_default();
        let inner = canvas.draw_box(scale_dialog(area, 90, 34), &format!("Range tester: {package}"));
        if inner.is_empty() {
            return;
        }
        draw_field(canvas, inner, &self.input, true);
        let bottom = inner.bottom().saturating_sub(1);
        let keys = [
            (ActionId::RowUp, ""),
            (ActionId::RowDown, "scroll"),
            (ActionId::ClearField, "clear"),
            (ActionId::Cancel, "close"),
        ];
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
        let room = Rect { y: inner.y + 1, height: bottom.saturating_sub(inner.y + 1), ..inner };
        if self.input.value().trim().is_empty() {
            let words = "Type a range, such as >=1.0.0 <2.0.0. It is tested as a skipRange and as a version of OLM v1.";
            for (y, line) in (room.top()..room.bottom()).zip(wrap_text(words, usize::from(room.width))) {
                canvas.draw_text(room.x, y, room.width, &line, Ink::Dim);
            }
            return;
        }
        let bundles = view_cx
            .session
            .selected_package()
            .map_or(0, |package_state| package_state.package().bundles.len());
        let columns = usize::from(room.width);
        let mut lines: Vec<Line> = Vec::new();
        for (at, reading) in self.readings.iter().enumerate() {
            lines.extend(reading_lines(reading, self.count_matches(at), bundles, columns, canvas.ascii));
        }
        let used = u16::try_from(lines.len()).unwrap_or(room.height).min(room.height);
        for (y, line) in (room.top()..room.bottom()).zip(&lines) {
            canvas.draw_line(Rect { y, height: 1, ..room }, line);
        }
        let list = Rect { y: room.y + used, height: room.height - used, ..room };
        if list.height > 2 && !self.matching_bundles.is_empty() {
            draw_match_table(view_cx, self, canvas, list);
        }
    }
}

/// Returns the title and the ink of a dialect.
fn dialect_title(dialect: Dialect) -> (&'static str, Ink) {
    match dialect {
        Dialect::Blang => ("skipRange (blang)", Ink::Classic),
        Dialect::Masterminds => ("v1 version (Masterminds)", Ink::V1),
    }
}

/// Returns the reading of the range by one dialect: the number of matches, or the error.
fn reading_lines(
    reading: &ParsedRange,
    count: usize,
    bundles: usize,
    columns: usize,
    ascii: bool,
) -> Vec<Line> {
    let (title, ink) = dialect_title(reading.dialect);
    let Some(error) = reading.error() else {
        let words = format!("matches {count} of {bundles}");
        let mut lines = vec![vec![piece(format!("{title}  "), ink), text_piece(words)]];
        for (surprise, column) in reading.describe_surprises() {
            lines.extend(pointed_lines(&reading.range, column, &surprise, Ink::Warning, columns, ascii));
        }
        return lines;
    };
    let mut lines = vec![vec![piece(format!("{title}  "), ink), piece("not a range", Ink::Error)]];
    lines.extend(pointed_lines(&reading.range, error.column, &error.message, Ink::Error, columns, ascii));
    if let Some(hint) = &error.hint {
        let wrapped = wrap_text(&format!("  {hint}"), columns).into_iter();
        lines.extend(wrapped.map(|line| vec![piece(line, Ink::Good)]));
    }
    lines
}

/// Returns the range, a mark below one of its columns, and a message.
fn pointed_lines(
    range: &str,
    column: usize,
    words: &str,
    ink: Ink,
    columns: usize,
    ascii: bool,
) -> Vec<Line> {
    let before: String = range.chars().take(column.saturating_sub(1)).collect();
    // A long range is cut at the left so that the mark is visible.
    let (shown, at) = if display_width(&before) + 6 < columns {
        (range.to_owned(), display_width(&before))
    } else {
        let hidden = column.saturating_sub(8);
        let before: String = before.chars().skip(hidden).collect();
        (range.chars().skip(hidden).collect(), display_width(&before))
    };
    let mut lines = vec![
        vec![text_piece(format!("  {}", fit(&shown, columns.saturating_sub(2), ascii)))],
        vec![piece(format!("  {:at$}^ column {column}", ""), ink)],
    ];
    lines.extend(wrap_text(&format!("  {words}"), columns).into_iter().map(|line| vec![piece(line, ink)]));
    lines
}

/// Draws the bundles, with one column per dialect.
fn draw_match_table(view_cx: &ViewContext<'_>, tester: &RangeTester, canvas: &mut Canvas<'_>, area: Rect) {
    let ascii = canvas.ascii;
    let column = (usize::from(area.width).saturating_sub(18) / 2).clamp(8, 26);
    let mut heading: Line = vec![text_piece(" ")];
    for reading in &tester.readings {
        let (title, ink) = match reading.dialect {
            Dialect::Blang => ("skipRange", Ink::Classic),
            Dialect::Masterminds => ("v1 version", Ink::V1),
        };
        heading.push(piece(format!("{} ", pad(title, column, ascii)), ink));
    }
    canvas.draw_rule(Rect { height: 1, ..area });
    canvas.draw_line(Rect { y: area.y + 1, height: 1, ..area }, &heading);
    let rows = Rect { y: area.y + 2, height: area.height - 2, ..area };
    canvas.draw_list(rows, &dialog_list(tester, view_cx, canvas), |index| {
        tester.matching_bundles.get(index).map(|row| match_row(row, column, ascii)).unwrap_or_default()
    });
}

fn match_row(row: &Matched, column: usize, ascii: bool) -> Line {
    let mut pieces: Line = Vec::new();
    for verdict in &row.verdicts {
        let (words, ink) = match verdict {
            Some(Verdict::Yes) => (row.version.to_string(), Ink::Text),
            Some(Verdict::Crashes) => (format!("{} crash", row.version), Ink::Error),
            Some(Verdict::No | Verdict::NoVersion(_)) => ("-".to_owned(), Ink::Dim),
            None => (String::new(), Ink::Dim),
        };
        pieces.push(piece(format!("{} ", pad(&words, column, ascii)), ink));
    }
    if row.differs() {
        let words = match (row.matches_in(0), row.matches_in(1)) {
            (true, _) => "skipRange only",
            (_, true) => "v1 only",
            _ => "they differ",
        };
        pieces.push(piece(words, Ink::Warning));
    }
    pieces
}
