//! Dialog that chooses the bundle to compare another one with.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::{
        bundle_difference,
        dialog::{DialogState, DialogStep, RowCursor, dialog_list},
    },
    keys::{ActionId, Dialog, KeyPress},
    parts::completions::bundles_newest_first,
    session::context::{Context, ViewContext},
    widgets::{
        boxes::{centered, draw_key_hints},
        canvas::{Canvas, display_width, text_piece},
    },
};
use olm_catalog::{BundleName, PackageName, package::Package};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("bundle-choice", "the bundle to compare with").with_rows();

/// State of the dialog.
#[derive(Debug)]
pub struct BundleChoice {
    /// Package of the bundles.
    package: PackageName,
    /// Bundle to compare.
    bundle: BundleName,
    /// Other bundles of the package, newest first.
    others: Vec<BundleName>,
    /// Number of other bundles that are newer.
    newer: usize,
    /// Index of the selected bundle.
    cursor: usize,
}

impl BundleChoice {
    /// Lists the other bundles of a package, with the cursor on the next newer one.
    pub(in crate::tui) fn for_bundle(package: &Package, bundle: BundleName) -> Self {
        let newer = bundles_newest_first(package).take_while(|other| **other != bundle).count();
        let others = bundles_newest_first(package).filter(|other| **other != bundle).cloned().collect();
        Self { package: package.name.clone(), bundle, others, newer, cursor: newer.saturating_sub(1) }
    }
}

impl DialogState for BundleChoice {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press != KeyPress::Action(ActionId::Accept) {
            return DialogStep::Stay;
        }
        if let Some(other) = self.others.get(self.cursor) {
            let is_newer = self.cursor < self.newer;
            let pair = if is_newer { [&self.bundle, other] } else { [other, &self.bundle] };
            bundle_difference::compare_bundles(cx, &self.package, pair);
        }
        DialogStep::Close
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.others.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let title = format!("Compare {} with", self.bundle);
        let names = self.others.iter().map(|name| display_width(name.as_str()));
        let wide = names.chain([display_width(&title), 40]).max().unwrap_or_default() + 8;
        let high = u16::try_from(self.others.len()).unwrap_or(u16::MAX).saturating_add(3);
        let high = high.min(area.height.saturating_sub(2));
        let inner = canvas.draw_box(centered(area, u16::try_from(wide).unwrap_or(u16::MAX), high), &title);
        if inner.is_empty() {
            return;
        }
        let list = Rect { height: inner.height.saturating_sub(1), ..inner };
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |row| {
            self.others.get(row).map(|name| text_piece(name.to_string())).into_iter().collect()
        });
        let keys = [(ActionId::Accept, "compare"), (ActionId::Cancel, "cancel")];
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}
