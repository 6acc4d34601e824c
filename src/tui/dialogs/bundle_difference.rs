//! Dialog with the differences between two bundles, line by line.

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, RowCursor, dialog_list},
    keys::{ActionId, Dialog},
    session::context::ViewContext,
    widgets::{
        boxes::centered,
        canvas::{Canvas, Line, piece, text_piece, wrap_text},
        theme::Ink,
    },
    work::{UserError, effect::BundleLocator, outcome::BundleComparison},
};
use olm_bundle::{compare::Comparison, step::Judgement};
use olmap_report::{bundle::diff::bundle_diff_lines, document::Item};

/// State of the dialog.
#[derive(Debug)]
pub struct BundleDifference {
    /// Names of both bundles.
    pub title: String,
    /// The most important changes, then each section.
    pub lines: Vec<Item>,
    /// Index of the selected line.
    pub cursor: usize,
    /// Source of the lines.
    pub source: DifferenceSource,
}

/// Source of a difference.
#[derive(Debug)]
pub enum DifferenceSource {
    /// Bundle contents in the catalog.
    Catalog,
    /// Bundle contents in the catalog, while manifests are being read.
    CatalogFirst(Box<[BundleLocator; 2]>),
    /// The manifests of both bundles.
    Manifests,
    /// Bundle contents in the catalog, with the reason why the manifests cannot be read.
    CatalogOnly(String),
}

impl BundleDifference {
    /// Shows a comparison; `sought` are the bundles whose manifests are being read.
    pub(in crate::tui) fn new(comparison: &Comparison, sought: Option<Box<[BundleLocator; 2]>>) -> Self {
        let title = format!("{} => {}", comparison.old, comparison.new);
        let made_from = sought.map_or(DifferenceSource::Catalog, DifferenceSource::CatalogFirst);
        Self { title, lines: difference_lines(comparison, None), cursor: 0, source: made_from }
    }
}

/// Returns the lines without the title line and without blank lines.
fn difference_lines(comparison: &Comparison, step: Option<&Judgement>) -> Vec<Item> {
    bundle_diff_lines(comparison, step).into_iter().skip(1).filter(|line| !line.text.is_empty()).collect()
}

impl DialogState for BundleDifference {
    fn id(&self) -> Dialog {
        Dialog::BundleDifference
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.lines.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn on_bundles_compared(
        &mut self,
        sought: &[BundleLocator; 2],
        outcome: &Result<Arc<BundleComparison>, UserError>,
    ) {
        if !matches!(&self.source, DifferenceSource::CatalogFirst(asked) if **asked == *sought) {
            return;
        }
        self.source = match outcome {
            Ok(compared) => {
                self.lines = difference_lines(&compared.comparison, Some(&compared.step));
                self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
                DifferenceSource::Manifests
            }
            Err(refusal) => DifferenceSource::CatalogOnly(refusal.to_string()),
        };
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let inner = canvas.draw_box(centered(area, 110, area.height * 9 / 10), &self.title);
        if inner.is_empty() {
            return;
        }
        let view = dialog_list(self, view_cx, canvas);
        let full = self.lines.get(self.cursor).map(|line| line.text.as_str()).unwrap_or_default();
        let full = wrap_text(full, usize::from(inner.width));
        let below = u16::try_from(full.len()).unwrap_or(u16::MAX).min(inner.height / 3);
        let list = Rect { height: inner.height.saturating_sub(below + 2), ..inner };
        canvas.draw_list(list, &view, |row| self.lines.get(row).map(difference_row).unwrap_or_default());
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
        for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(&full) {
            canvas.draw_text(inner.x, y, inner.width, line, Ink::Text);
        }
        let key = view_cx.keys.display_key(Dialog::BundleDifference, ActionId::Cancel);
        let from = match &self.source {
            DifferenceSource::Catalog => piece("  from the catalog", Ink::Dim),
            DifferenceSource::CatalogFirst(_) => {
                piece("  from the catalog; reading their manifests", Ink::Dim)
            }
            DifferenceSource::Manifests => piece("  from their manifests", Ink::Dim),
            DifferenceSource::CatalogOnly(why) => piece(format!("  from the catalog: {why}"), Ink::Warning),
        };
        canvas.draw_line(
            Rect { y: inner.bottom() - 1, height: 1, ..inner },
            &[piece(key, Ink::Key), piece(" closes", Ink::Dim), from],
        );
    }
}

fn difference_row(item: &Item) -> Line {
    let mut pieces = vec![text_piece("  ".repeat(item.indent))];
    if !item.mark.is_empty() {
        pieces.push(piece(format!("{} ", item.mark), item.ink));
    }
    // Marked lines use ordinary text; the mark carries the color.
    let ink = if matches!(item.mark, "" | "!") { item.ink } else { Ink::Text };
    pieces.push(piece(item.text.as_str(), ink));
    pieces
}
