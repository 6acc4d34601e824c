//! Range tester: parses a range in both dialects and lists the matching bundles of the package.

use tui_input::Input;

use super::dialog::{DialogState, Rows, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        parts::field,
        session::{Session, cx::Cx},
    },
    export::range::{Dialect, Matched, Reading, matching},
};

/// State of the range tester.
#[derive(Debug)]
pub struct RangeTester {
    /// Range text.
    pub input: Input,
    /// Result of parsing the text as a `skipRange` and as a version range of OLM v1.
    pub readings: [Reading; 2],
    /// Bundles of the selected package that match in at least one dialect.
    pub rows: Vec<Matched>,
    /// Index of the selected bundle.
    pub cursor: usize,
}

impl RangeTester {
    /// Opens the tester with a range.
    pub(in crate::app) fn new(range: String, session: &Session) -> Self {
        let mut tester =
            Self { readings: read(&range), input: Input::new(range), rows: Vec::new(), cursor: 0 };
        tester.refresh(session);
        tester
    }

    /// Parses the text and updates the matching bundles.
    fn refresh(&mut self, session: &Session) {
        self.readings = read(self.input.value());
        self.rows = session.package().map(|p| matching(&self.readings, p.package())).unwrap_or_default();
        self.cursor = 0;
    }

    /// Returns the number of bundles that match in the dialect with the given index.
    pub fn count(&self, reading: usize) -> usize {
        self.rows.iter().filter(|row| row.is_in(reading)).count()
    }
}

fn read(range: &str) -> [Reading; 2] {
    [Dialect::Blang, Dialect::Masterminds].map(|dialect| Reading::new(dialect, range))
}

impl DialogState for RangeTester {
    fn id(&self) -> Dialog {
        Dialog::Range
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if press == Press::Action(ActionId::Accept) {
            return Step::Close;
        }
        if field::type_into(&mut self.input, press) {
            self.refresh(cx.session);
        }
        Step::Stay
    }

    fn field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.rows.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
