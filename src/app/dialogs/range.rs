//! Trying out ranges: what is typed, as both dialects read it, and the bundles of the package it matches.

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

/// The range tester.
#[derive(Debug)]
pub struct RangeTester {
    /// What is typed.
    pub input: Input,
    /// As a `skipRange` and as a version of OLM v1.
    pub readings: [Reading; 2],
    /// The bundles of the selected package that at least one of them matches.
    pub rows: Vec<Matched>,
    /// The row.
    pub cursor: usize,
}

impl RangeTester {
    /// A tester that begins with a range.
    pub(in crate::app) fn new(range: String, session: &Session) -> Self {
        let mut tester =
            Self { readings: read(&range), input: Input::new(range), rows: Vec::new(), cursor: 0 };
        tester.refresh(session);
        tester
    }

    /// Reads what is typed.
    fn refresh(&mut self, session: &Session) {
        self.readings = read(self.input.value());
        self.rows = session.package().map(|p| matching(&self.readings, p.package())).unwrap_or_default();
        self.cursor = 0;
    }

    /// How many bundles a reading, by its position, matches.
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
