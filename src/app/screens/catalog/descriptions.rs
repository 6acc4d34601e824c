//! What people read of the selected package and bundle, in lines: made once for a selection and a width.

use crate::{
    app::{
        parts::memo::{Memo, Same},
        shell::model::Model,
    },
    catalog::{BundleName, details::BundleDetails},
    export::description::{self, Line},
    review::Judged,
};

/// Lines longer than that are no pleasure to read.
const WIDEST: usize = 100;

type Key = (Same<Judged>, Option<BundleName>, usize, bool);

/// Descriptions in lines.
#[derive(Debug, Default)]
pub(in crate::app) struct Descriptions {
    pub package: Memo<Key, Vec<Line>>,
    pub bundle: Memo<Key, Vec<Line>>,
}

impl Descriptions {
    pub fn update(&mut self, model: &Model, details: Option<&BundleDetails>) {
        // What is known of the selection stands below all columns, with a blank at each side and room for a scroll bar.
        let columns = usize::from(model.frame.size.0).saturating_sub(3).min(WIDEST);
        let ascii = model.settings.ascii;
        let judged = model.session.package();
        let lines = |text: &str| description::lines(text.trim(), columns, ascii);
        self.package.update((Same::of(judged), None, columns, ascii), |_| {
            let definition = judged.and_then(|judged| judged.package().definition());
            let text = definition.and_then(|definition| definition.description.as_ref());
            text.map(|text| lines(&text.value)).unwrap_or_default()
        });
        let bundle = model.session.selection().bundle.clone();
        self.bundle.update((Same::of(judged), bundle, columns, ascii), |_| {
            details.map(|details| lines(&details.description)).unwrap_or_default()
        });
    }
}
