//! Dialog with the differences between two bundles, line by line.

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, RowCursor, dialog_list},
    keys::{ActionId, Dialog, spec::Reason},
    session::{
        Session,
        context::{Context, ViewContext},
        jobs::dialog_questions::BundleComparisonRequest,
    },
    widgets::{
        boxes::scale_dialog,
        canvas::{Canvas, Line, piece, text_piece, wrap_text},
        theme::Ink,
    },
    work::{JobResult, effect::BundleLocator},
};
use olm_bundle::{compare::Comparison, outline::Outline, step::Judgement};
use olm_catalog::{BundleName, PackageName};
use olmap_report::{bundle::diff::bundle_diff_lines, document::Item};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("bundle-difference", "two bundles").with_rows();

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
    fn new(comparison: &Comparison, sought: Option<Box<[BundleLocator; 2]>>) -> Self {
        let title = format!("{} => {}", comparison.old, comparison.new);
        let made_from = sought.map_or(DifferenceSource::Catalog, DifferenceSource::CatalogFirst);
        Self { title, lines: difference_lines(comparison, None), cursor: 0, source: made_from }
    }
}

/// Opens the comparison of two bundles of a package, the older one first. Requests their manifests if
/// both may have some. Reports the reason instead if the catalog does not describe a bundle.
pub(in crate::tui) fn compare_bundles(
    cx: &mut Context<'_>,
    package: &PackageName,
    bundles: [&BundleName; 2],
) {
    let [old, new] = bundles.map(|name| outline_bundle(cx.session, package, name));
    let comparison = old.and_then(|old| Ok(Comparison::compare_outlines(&old, &new?)));
    match comparison {
        Ok(comparison) => {
            let bundles = cx.session.catalogs.bundle_locators(package, bundles).map(Box::new);
            if let Some(bundles) = bundles.clone() {
                cx.run_job(Arc::new(BundleComparisonRequest { bundles }));
            }
            cx.open_dialog(BundleDifference::new(&comparison, bundles));
        }
        Err(reason) => cx.notices.report_refusal(reason),
    }
}

fn outline_bundle(session: &Session, package: &PackageName, name: &BundleName) -> Result<Outline, Reason> {
    let catalog = &session.snapshot().ok_or("no catalog is open")?.catalog;
    let blob = catalog.package(package.as_str()).and_then(|package| package.bundle(name.as_str()));
    let blob = blob.ok_or_else(|| format!("{name} has no bundle in this catalog"))?;
    Outline::from_catalog(catalog, blob).ok_or_else(|| format!("{name} cannot be read"))
}

/// Returns the lines without the title line and without blank lines.
fn difference_lines(comparison: &Comparison, step: Option<&Judgement>) -> Vec<Item> {
    bundle_diff_lines(comparison, step).into_iter().skip(1).filter(|line| !line.text.is_empty()).collect()
}

impl DialogState for BundleDifference {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.lines.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn on_answer(&mut self, result: &JobResult, _cx: &mut Context<'_>) {
        let Some((request, outcome)) = result.parts::<BundleComparisonRequest>() else { return };
        if !matches!(&self.source, DifferenceSource::CatalogFirst(asked) if *asked == request.bundles) {
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
        let inner = canvas.draw_box(scale_dialog(area, 110, area.height - area.height / 10), &self.title);
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
        let key = view_cx.keys.display_key(DIALOG, ActionId::Cancel);
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
            &[piece(key, Ink::Key), piece(" close", Ink::Dim), from],
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
