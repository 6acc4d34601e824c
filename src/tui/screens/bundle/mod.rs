//! The Bundle screen: the content of the selected bundle in sections.

pub mod rows;
mod view;

use std::sync::Arc;

use crate::tui::{
    keys::{ActionId, spec::Enabled},
    parts::{
        frame::Splitter,
        list::{Direction, ListId},
        memo::{Memo, SharedRef},
    },
    screens::{
        bundle::rows::OutlineRow,
        screen::{ScreenState, ScreenView},
    },
    session::{
        action::{RowLocation, Target},
        context::{Context, ViewContext},
        jobs::bundle_manifests::ManifestState,
    },
    widgets::canvas::{Canvas, Rect},
    work::{
        effect::{ClipboardText, FileLine},
        outcome::ManifestLocation,
    },
};
use olm_bundle::outline::{Body, Outline, Part, Row, Section};
use olm_catalog::{BundleName, PackageName, Span};
use olm_check::{FindingLocation, review::Snapshot};
use olm_upgrade::resolve::{
    self, Question,
    index::BundlePosition,
    needs::{self, Need},
};
use olmap_report::{description, document::Line, escape};

/// Minimum number of columns to show the sections next to the rows.
const MIN_WIDTH_WITH_SECTIONS: u16 = 100;
/// Columns of the section list, including its border.
pub const SECTIONS_WIDTH: u16 = 31;
/// Maximum width of text lines, for readability.
const MAX_TEXT_WIDTH: usize = 100;

/// Selected description: bundle, line, columns, and whether to use ASCII.
type ProseKey = (SharedRef<Outline>, Option<OutlineRow>, usize, bool);

/// Bundle and the catalogs of the cluster. `None` unless its dependencies are selected.
type NeedsKey = Option<(Vec<SharedRef<Snapshot>>, Option<PackageName>, Option<BundleName>)>;

/// Cache of the bundle content from the catalog.
type CatalogContent =
    Memo<(SharedRef<Snapshot>, Option<PackageName>, Option<BundleName>), Option<Arc<Outline>>>;

/// State of the Bundle screen.
#[derive(Debug, Default)]
pub struct Bundle {
    /// Index of the selected line. An index beyond the end selects the last line.
    line: usize,
    pane: Pane,
    /// The content according to the catalog.
    catalog_content: CatalogContent,
    /// The visible content.
    content: Option<Arc<Outline>>,
    lines: Memo<(SharedRef<Outline>, String), Vec<OutlineRow>>,
    /// Lines of the selected description.
    prose: Memo<ProseKey, Vec<Line>>,
    /// Dependencies of the bundle with their providers, while they are selected.
    needs: Memo<NeedsKey, Vec<Need>>,
}

/// Pane of the Bundle screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Pane {
    /// The sections, if they are shown next to the rows.
    Sections,
    /// The rows.
    #[default]
    Rows,
    /// The text of the selected row.
    Text,
}

impl Bundle {
    /// Returns the visible content. `None` if the catalog does not have the bundle.
    pub fn inside(&self) -> Option<&Outline> {
        self.content.as_deref()
    }

    /// Returns the lines that pass the filter.
    pub fn visible_lines(&self) -> &[OutlineRow] {
        &self.lines.value
    }

    /// Returns the lines of the selected description.
    pub fn prose(&self) -> &[Line] {
        &self.prose.value
    }

    /// Returns the dependencies of the bundle with their providers, while they are selected.
    pub fn needs(&self) -> &[Need] {
        &self.needs.value
    }

    /// Returns true if the text pane is focused.
    pub fn is_reading(&self) -> bool {
        self.pane == Pane::Text
    }

    /// Returns true if the sections fit next to the rows.
    pub fn fits_sections(columns: u16) -> bool {
        columns >= MIN_WIDTH_WITH_SECTIONS
    }

    /// Returns the section of a line, and its row unless the line is a heading.
    pub fn section_and_row(&self, line: usize) -> Option<(&Section, Option<&Row>)> {
        self.visible_lines().get(line)?.section_and_row_in(self.inside()?)
    }

    /// Returns the index of the selected line.
    fn selected_line_index(&self) -> Option<usize> {
        Some(self.line.min(self.visible_lines().len().checked_sub(1)?))
    }

    /// Returns the section and row of the selected line.
    pub fn selected_section_and_row(&self) -> Option<(&Section, Option<&Row>)> {
        self.section_and_row(self.selected_line_index()?)
    }

    /// Returns the indexes of the headings, one per visible section.
    pub fn headings(&self) -> impl Iterator<Item = usize> {
        self.visible_lines().iter().enumerate().filter(|(_, line)| line.row.is_none()).map(|(at, _)| at)
    }

    /// Goes to the previous or next heading.
    fn next_section(&mut self, forward: bool, cx: &mut Context<'_>) {
        let Some(at) = self.selected_line_index() else { return };
        let found = if forward {
            self.headings().find(|heading| *heading > at)
        } else {
            self.headings().filter(|heading| *heading < at).last()
        };
        if let Some(line) = found {
            self.select_line(line, cx);
            // Show the section from its heading on.
            cx.session.lists.set_first_row(ListId::Inside, line);
        }
    }

    fn select_line(&mut self, line: usize, cx: &mut Context<'_>) {
        self.line = line;
        cx.session.lists.set_first_row(ListId::InsideText, 0);
    }
}

impl ScreenState for Bundle {
    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        Target {
            location: self.selected_location(view_cx),
            row_text: selected_row(self).map(row_text),
            ..Target::from_selection(view_cx.session.selection())
        }
    }

    fn focused_list(&self, _see: &ViewContext<'_>) -> ListId {
        match self.pane {
            Pane::Sections => ListId::InsideSections,
            Pane::Rows => ListId::Inside,
            Pane::Text => ListId::InsideText,
        }
    }

    fn scrolled_lists(&self) -> &'static [ListId] {
        &[ListId::InsideSections, ListId::Inside]
    }

    fn row_count(&self, list: ListId, _see: &ViewContext<'_>) -> usize {
        match list {
            ListId::InsideSections => self.headings().count(),
            ListId::Inside => self.visible_lines().len(),
            _ => 0,
        }
    }

    fn list_cursor(&self, list: ListId, _see: &ViewContext<'_>) -> Option<usize> {
        let line = Self::selected_line_index(self)?;
        match list {
            ListId::InsideSections => {
                self.headings().take_while(|heading| *heading <= line).count().checked_sub(1)
            }
            ListId::Inside => Some(line),
            _ => None,
        }
    }

    fn select_row(&mut self, list: ListId, row: usize, cx: &mut Context<'_>) {
        let line = match list {
            ListId::InsideSections => self.headings().nth(row),
            ListId::Inside => Some(row),
            _ => None,
        };
        if let Some(line) = line {
            self.select_line(line, cx);
            if list == ListId::InsideSections {
                cx.session.lists.set_first_row(ListId::Inside, line);
            }
        }
    }

    fn focus_list(&mut self, list: ListId, _cx: &mut Context<'_>) {
        match list {
            ListId::InsideSections => self.pane = Pane::Sections,
            ListId::Inside => self.pane = Pane::Rows,
            ListId::InsideText => self.pane = Pane::Text,
            _ => {}
        }
    }

    fn focus_next_pane(&mut self, by: isize, cx: &mut Context<'_>) {
        let all = [Pane::Sections, Pane::Rows, Pane::Text];
        let panes = if Self::fits_sections(cx.frame.size.0) { &all[..] } else { &all[1..] };
        let at = panes.iter().position(|pane| *pane == self.pane).unwrap_or_default() as isize;
        let next = (at + by).rem_euclid(panes.len() as isize) as usize;
        self.pane = panes.get(next).copied().unwrap_or_default();
    }

    /// Goes from a section to its rows, and from a row to its text.
    fn open_highlighted(&mut self, _cx: &mut Context<'_>) {
        self.pane = match self.pane {
            Pane::Sections => Pane::Rows,
            Pane::Rows | Pane::Text => Pane::Text,
        };
    }

    fn describe_enter(&self, _see: &ViewContext<'_>) -> Option<&'static str> {
        self.selected_section_and_row()?;
        match self.pane {
            Pane::Sections => Some("its rows"),
            Pane::Rows => Some("scroll text"),
            Pane::Text => None,
        }
    }

    fn paired_keys(&self) -> Option<([ActionId; 2], &'static str)> {
        Some(([ActionId::NextNews, ActionId::PreviousNews], "sections"))
    }

    fn go_out(&mut self, cx: &mut Context<'_>) {
        match self.pane {
            Pane::Text => self.pane = Pane::Rows,
            Pane::Rows if Self::fits_sections(cx.frame.size.0) => self.pane = Pane::Sections,
            Pane::Rows => self.next_section(false, cx),
            Pane::Sections => {}
        }
    }

    fn go_back(&mut self, cx: &mut Context<'_>) -> bool {
        if self.pane == Pane::Text {
            self.pane = Pane::Rows;
            return true;
        }
        // The user came from a bundle on another screen and goes back there.
        cx.go_back()
    }

    fn splitter(&self, _see: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Inside, self.pane != Pane::Text))
    }

    fn check_next_change(&self, _see: &ViewContext<'_>) -> Enabled {
        Ok(())
    }

    /// Goes to the next section.
    fn next_change(&mut self, way: Direction, cx: &mut Context<'_>) -> bool {
        self.next_section(way == Direction::Down, cx);
        true
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        let selection = view_cx.session.selection();
        let known = self.content.as_ref().map(|inside| inside.name.clone());
        // Edits of other packages in the same file move the lines of the bundle.
        let key = (
            SharedRef::from_shared(view_cx.session.snapshot()),
            selection.package.clone(),
            selection.bundle.clone(),
        );
        self.catalog_content.update(key, |(snapshot, _, bundle)| {
            let blob = view_cx.session.selected_package()?.package().bundle(bundle.as_ref()?.as_str())?;
            Outline::from_catalog(&snapshot.get()?.catalog, blob).map(Arc::new)
        });
        self.content = match view_cx.session.jobs.bundle_manifests() {
            ManifestState::Found(found) => Some(Arc::clone(&found.outline)),
            _ => self.catalog_content.value.clone(),
        };
        // Start at the first line of another bundle.
        if self.content.as_ref().map(|inside| &inside.name) != known.as_ref() {
            self.line = 0;
            self.pane = Pane::default();
        }
        let filter = view_cx.session.lists.filter(ListId::Inside).to_owned();
        let key = (SharedRef::from_shared(self.content.as_ref()), filter);
        self.lines.update(key, |(inside, filter)| {
            inside.get().map(|i| rows::filter_lines(i, filter)).unwrap_or_default()
        });
        let columns = view_cx.frame.size.0;
        let beside = if Self::fits_sections(columns) { SECTIONS_WIDTH } else { 0 };
        let columns = usize::from(columns.saturating_sub(beside + 3)).min(MAX_TEXT_WIDTH);
        let line = Self::selected_line_index(self).and_then(|line| self.visible_lines().get(line)).copied();
        let key = (SharedRef::from_shared(self.content.as_ref()), line, columns, view_cx.settings.ascii);
        self.prose.update(key, |(inside, line, columns, ascii)| {
            match inside.get().zip(*line).and_then(|(inside, line)| line.section_and_row_in(inside)) {
                Some((_, Some(Row { body: Some(Body::Markdown(text)), .. }))) => {
                    description::render_markdown_lines(text.trim(), *columns, *ascii)
                }
                _ => Vec::new(),
            }
        });
        self.update_needs(view_cx);
        if self.pane == Pane::Sections && !Self::fits_sections(view_cx.frame.size.0) {
            self.pane = Pane::Rows;
        }
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_bundle_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}

impl Bundle {
    fn update_needs(&mut self, view_cx: &ViewContext<'_>) {
        let is_shown =
            self.selected_section_and_row().is_some_and(|(section, _)| section.part == Part::Dependencies);
        let around = if is_shown { view_cx.session.catalogs.cluster_catalogs() } else { Vec::new() };
        let selection = view_cx.session.selection();
        let same = |all: &[(String, Arc<Snapshot>)]| {
            all.iter().map(|(_, now)| SharedRef::from_shared(Some(now))).collect()
        };
        let key = is_shown.then(|| (same(&around), selection.package.clone(), selection.bundle.clone()));
        self.needs.update(key, |key| {
            let Some((_, Some(package), Some(bundle))) = key else { return Vec::new() };
            let source = |(name, now): &(String, Arc<Snapshot>)| resolve::Source::new(name, now.index());
            let question = Question::new(around.iter().map(source).collect());
            let at = question.sources.first().and_then(|own| {
                let place = own.index.package_position(package.as_str())?;
                let bundle = own.index.packages().get(place)?.bundle_position(bundle.as_str())?;
                Some(BundlePosition { package: place, bundle })
            });
            at.map(|at| needs::for_bundle(&question, 0, at)).unwrap_or_default()
        });
    }

    /// Returns the location of the selected row, in a file of the bundle directory or in the
    /// catalog.
    fn selected_location(&self, view_cx: &ViewContext<'_>) -> Option<RowLocation> {
        let (section, row) = self.selected_section_and_row()?;
        let rows = row.into_iter().chain(&section.rows);
        let spot = rows.into_iter().find_map(|row| row.location.as_ref())?;
        if let ManifestState::Found(found) = view_cx.session.jobs.bundle_manifests() {
            // Content of an image does not have a file to edit.
            let ManifestLocation::Directory(directory) = &found.location else { return None };
            let path = directory.join(spot.file.as_ref());
            return Some(RowLocation::OnDisk(FileLine { path, line: spot.line }));
        }
        let bundle = view_cx.session.selection().bundle.as_ref()?;
        let doc = view_cx.session.selected_package()?.package().bundle(bundle.as_str())?.doc;
        let start = view_cx.session.snapshot()?.catalog.location(doc, Span::default())?.bytes.start;
        let of_doc = |at: u32| (at as usize).saturating_sub(start);
        let span = Span::new(of_doc(spot.span.start), of_doc(spot.span.end));
        Some(RowLocation::InCatalog(FindingLocation::Document(doc, span)))
    }
}

fn selected_row(bundle: &Bundle) -> Option<&Row> {
    bundle.selected_section_and_row()?.1
}

/// Returns the text of a row: its body if it has one, otherwise its value.
fn row_text(row: &Row) -> ClipboardText {
    if let Some(body) = &row.body {
        let lines: Vec<_> = escape::escape_lines(body.text()).collect();
        let description = escape::escape_line(&format!("{} {}", row.label, row.value)).trim().to_owned();
        return ClipboardText { description, text: format!("{}\n", lines.join("\n").trim_end()) };
    }
    let text = if row.value.is_empty() { &row.label } else { &row.value };
    let text = escape::escape_line(text).into_owned();
    ClipboardText { description: text.clone(), text }
}
