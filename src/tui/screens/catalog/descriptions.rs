//! Wrapped descriptions of the selected package and bundle, cached by selection and width.

use crate::tui::{
    parts::memo::{Memo, SharedRef},
    session::context::ViewContext,
};
use olm_catalog::BundleName;
use olm_check::review::PackageState;
use olmap_report::description::{self, Line};

/// Maximum width of text lines, for readability.
const MAX_TEXT_WIDTH: usize = 100;

type Key = (SharedRef<PackageState>, Option<BundleName>, usize, bool);

/// Wrapped descriptions.
#[derive(Debug, Default)]
pub(super) struct Descriptions {
    /// Description of the selected package.
    pub package: Memo<Key, Vec<Line>>,
    /// Description of the selected bundle.
    pub bundle: Memo<Key, Vec<Line>>,
}

impl Descriptions {
    /// Updates the descriptions.
    pub fn update(&mut self, view_cx: &ViewContext<'_>) {
        // The details pane has the full width, minus a margin on each side and a scroll bar.
        let columns = usize::from(view_cx.frame.size.0).saturating_sub(3).min(MAX_TEXT_WIDTH);
        let ascii = view_cx.settings.ascii;
        let package_state = view_cx.session.selected_package();
        let lines = |text: &str| description::render_markdown_lines(text.trim(), columns, ascii);
        self.package.update((SharedRef::from_shared(package_state), None, columns, ascii), |_| {
            let definition = package_state.and_then(|package_state| package_state.package().definition());
            let text = definition.and_then(|definition| definition.description.as_ref());
            text.map(|text| lines(&text.value)).unwrap_or_default()
        });
        let bundle = view_cx.session.selection().bundle.clone();
        self.bundle.update((SharedRef::from_shared(package_state), bundle, columns, ascii), |_| {
            view_cx.session.derived.details().map(|details| lines(&details.description)).unwrap_or_default()
        });
    }
}
