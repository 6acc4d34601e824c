//! Range tester: parses a range in both dialects and lists the matching bundles of the package.

use tui_input::Input;

use super::dialog::{DialogState, DialogStep, RowCursor};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    parts::field,
    session::{Session, context::Context},
};
use olmap_report::range::{Dialect, Matched, ParsedRange, matching_bundles};

/// State of the range tester.
#[derive(Debug)]
pub struct RangeTester {
    /// Range text.
    pub input: Input,
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
            input: Input::new(range),
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
        Dialog::Range
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

    fn text_field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.matching_bundles.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
