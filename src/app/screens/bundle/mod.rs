//! The Bundle screen: the content of the selected bundle in sections.

pub mod rows;
mod table;

pub use self::table::TABLE;

use std::sync::Arc;

use self::rows::Line;
use crate::{
    app::{
        keys::{ActionId, spec::Enabled},
        parts::{
            list::ListId,
            memo::{Memo, Same},
            splits::Splitter,
        },
        screens::screen::ScreenState,
        session::{
            action::how,
            cx::{Cx, See},
            inside::State,
            target::{Target, Whereabouts},
        },
        work::{effect::Spot, outcome::BundlePlace},
    },
    bundle::inside::{Body, Inside, Part, Row, Section},
    catalog::{BundleName, PackageName, Span},
    export::description,
    resolve::{
        self, Question,
        index::BundleAt,
        needs::{self, Need},
    },
    review::Snapshot,
    validate::Location,
};

/// Minimum number of columns to show the sections next to the rows.
const WIDE: u16 = 100;
/// Columns of the section list, including its border.
pub const SECTIONS: u16 = 31;
/// Maximum width of text lines, for readability.
const WIDEST: usize = 100;

/// Selected description: bundle, line, columns, and whether to use ASCII.
type ProseKey = (Same<Inside>, Option<Line>, usize, bool);

/// Bundle and the catalogs of the cluster. `None` unless its dependencies are selected.
type NeedsKey = Option<(Vec<Same<Snapshot>>, Option<PackageName>, Option<BundleName>)>;

/// Cache of the bundle content from the catalog.
type Told = Memo<(Same<Snapshot>, Option<PackageName>, Option<BundleName>), Option<Arc<Inside>>>;

/// State of the Bundle screen.
#[derive(Debug, Default)]
pub struct Bundle {
    /// Index of the selected line. An index beyond the end selects the last line.
    line: usize,
    pane: Pane,
    /// The content according to the catalog.
    told: Told,
    /// The visible content.
    shown: Option<Arc<Inside>>,
    lines: Memo<(Same<Inside>, String), Vec<Line>>,
    /// Lines of the selected description.
    prose: Memo<ProseKey, Vec<description::Line>>,
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
    pub fn inside(&self) -> Option<&Inside> {
        self.shown.as_deref()
    }

    /// Returns the lines that pass the filter.
    pub fn lines(&self) -> &[Line] {
        &self.lines.value
    }

    /// Returns the lines of the selected description.
    pub fn prose(&self) -> &[description::Line] {
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
    pub fn has_sections(columns: u16) -> bool {
        columns >= WIDE
    }

    /// Returns the section of a line, and its row unless the line is a heading.
    pub fn at(&self, line: usize) -> Option<(&Section, Option<&Row>)> {
        self.lines().get(line)?.of(self.inside()?)
    }

    /// Returns the index of the selected line.
    fn cursor(&self) -> Option<usize> {
        Some(self.line.min(self.lines().len().checked_sub(1)?))
    }

    /// Returns the section and row of the selected line.
    pub fn selected(&self) -> Option<(&Section, Option<&Row>)> {
        self.at(self.cursor()?)
    }

    /// Returns the indexes of the headings, one per visible section.
    pub fn headings(&self) -> impl Iterator<Item = usize> {
        self.lines().iter().enumerate().filter(|(_, line)| line.row.is_none()).map(|(at, _)| at)
    }

    /// Goes to the previous or next heading.
    fn next_section(&mut self, forward: bool, cx: &mut Cx<'_>) {
        let Some(at) = self.cursor() else { return };
        let found = if forward {
            self.headings().find(|heading| *heading > at)
        } else {
            self.headings().filter(|heading| *heading < at).last()
        };
        if let Some(line) = found {
            self.put(line, cx);
            // Show the section from its heading on.
            cx.session.lists.set_first(ListId::Inside, line);
        }
    }

    fn put(&mut self, line: usize, cx: &mut Cx<'_>) {
        self.line = line;
        cx.session.lists.set_first(ListId::InsideText, 0);
    }
}

impl ScreenState for Bundle {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        how(TABLE, &[], id).map(|own| (own.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(own) = how(TABLE, &[], id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, see: &See<'_>) -> Target {
        Target { whereabouts: self.whereabouts(see), ..Target::selected(see.session) }
    }

    fn list(&self, _see: &See<'_>) -> ListId {
        match self.pane {
            Pane::Sections => ListId::InsideSections,
            Pane::Rows => ListId::Inside,
            Pane::Text => ListId::InsideText,
        }
    }

    fn lists(&self) -> &'static [ListId] {
        &[ListId::InsideSections, ListId::Inside]
    }

    fn rows(&self, list: ListId, _see: &See<'_>) -> usize {
        match list {
            ListId::InsideSections => self.headings().count(),
            ListId::Inside => self.lines().len(),
            _ => 0,
        }
    }

    fn cursor(&self, list: ListId, _see: &See<'_>) -> Option<usize> {
        let line = Self::cursor(self)?;
        match list {
            ListId::InsideSections => {
                self.headings().take_while(|heading| *heading <= line).count().checked_sub(1)
            }
            ListId::Inside => Some(line),
            _ => None,
        }
    }

    fn select(&mut self, list: ListId, row: usize, cx: &mut Cx<'_>) {
        let line = match list {
            ListId::InsideSections => self.headings().nth(row),
            ListId::Inside => Some(row),
            _ => None,
        };
        if let Some(line) = line {
            self.put(line, cx);
            if list == ListId::InsideSections {
                cx.session.lists.set_first(ListId::Inside, line);
            }
        }
    }

    fn focus(&mut self, list: ListId, _cx: &mut Cx<'_>) {
        match list {
            ListId::InsideSections => self.pane = Pane::Sections,
            ListId::Inside => self.pane = Pane::Rows,
            ListId::InsideText => self.pane = Pane::Text,
            _ => {}
        }
    }

    fn turn(&mut self, by: isize, cx: &mut Cx<'_>) {
        let all = [Pane::Sections, Pane::Rows, Pane::Text];
        let panes = if Self::has_sections(cx.frame.size.0) { &all[..] } else { &all[1..] };
        let at = panes.iter().position(|pane| *pane == self.pane).unwrap_or_default() as isize;
        let next = (at + by).rem_euclid(panes.len() as isize) as usize;
        self.pane = panes.get(next).copied().unwrap_or_default();
    }

    /// Goes from a section to its rows, and from a row to its text.
    fn enter(&mut self, _cx: &mut Cx<'_>) {
        self.pane = match self.pane {
            Pane::Sections => Pane::Rows,
            Pane::Rows | Pane::Text => Pane::Text,
        };
    }

    fn enters(&self, _see: &See<'_>) -> Option<&'static str> {
        self.selected()?;
        match self.pane {
            Pane::Sections => Some("its rows"),
            Pane::Rows => Some("read it"),
            Pane::Text => None,
        }
    }

    fn pair(&self) -> Option<([ActionId; 2], &'static str)> {
        Some(([ActionId::NextSection, ActionId::PreviousSection], "sections"))
    }

    fn out(&mut self, cx: &mut Cx<'_>) {
        match self.pane {
            Pane::Text => self.pane = Pane::Rows,
            Pane::Rows if Self::has_sections(cx.frame.size.0) => self.pane = Pane::Sections,
            Pane::Rows => self.next_section(false, cx),
            Pane::Sections => {}
        }
    }

    fn back(&mut self, cx: &mut Cx<'_>) -> bool {
        if self.pane == Pane::Text {
            self.pane = Pane::Rows;
            return true;
        }
        // The user came from a bundle on another screen and goes back there.
        cx.place_back()
    }

    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Inside, self.pane != Pane::Text))
    }

    fn settle(&mut self, see: &See<'_>) {
        let selection = see.session.selection();
        let known = self.shown.as_ref().map(|inside| inside.name.clone());
        // Edits of other packages in the same file move the lines of the bundle.
        let key = (Same::of(see.session.snapshot()), selection.package.clone(), selection.bundle.clone());
        self.told.update(key, |(snapshot, _, bundle)| {
            let blob = see.session.package()?.package().bundle(bundle.as_ref()?.as_str())?;
            Inside::of_catalog(&snapshot.get()?.catalog, blob).map(Arc::new)
        });
        self.shown = match see.session.bundle_manifests() {
            State::Found(found) => Some(Arc::clone(&found.inside)),
            _ => self.told.value.clone(),
        };
        // Start at the first line of another bundle.
        if self.shown.as_ref().map(|inside| &inside.name) != known.as_ref() {
            self.line = 0;
            self.pane = Pane::default();
        }
        let filter = see.session.lists.filter(ListId::Inside).to_owned();
        let key = (Same::of(self.shown.as_ref()), filter);
        self.lines
            .update(key, |(inside, filter)| inside.get().map(|i| rows::lines(i, filter)).unwrap_or_default());
        let columns = see.frame.size.0;
        let beside = if Self::has_sections(columns) { SECTIONS } else { 0 };
        let columns = usize::from(columns.saturating_sub(beside + 3)).min(WIDEST);
        let line = Self::cursor(self).and_then(|line| self.lines().get(line)).copied();
        let key = (Same::of(self.shown.as_ref()), line, columns, see.settings.ascii);
        self.prose.update(key, |(inside, line, columns, ascii)| {
            match inside.get().zip(*line).and_then(|(inside, line)| line.of(inside)) {
                Some((_, Some(Row { body: Some(Body::Markdown(text)), .. }))) => {
                    description::lines(text.trim(), *columns, *ascii)
                }
                _ => Vec::new(),
            }
        });
        self.settle_needs(see);
        if self.pane == Pane::Sections && !Self::has_sections(see.frame.size.0) {
            self.pane = Pane::Rows;
        }
    }
}

impl Bundle {
    fn settle_needs(&mut self, see: &See<'_>) {
        let is_shown = self.selected().is_some_and(|(section, _)| section.part == Part::Dependencies);
        let around = if is_shown { see.session.around() } else { Vec::new() };
        let selection = see.session.selection();
        let same = |all: &[(String, Arc<Snapshot>)]| all.iter().map(|(_, now)| Same::of(Some(now))).collect();
        let key = is_shown.then(|| (same(&around), selection.package.clone(), selection.bundle.clone()));
        self.needs.update(key, |key| {
            let Some((_, Some(package), Some(bundle))) = key else { return Vec::new() };
            let source = |(name, now): &(String, Arc<Snapshot>)| resolve::Source::new(name, now.index());
            let question = Question::new(around.iter().map(source).collect());
            let at = question.sources.first().and_then(|own| {
                let place = own.index.place(package.as_str())?;
                let bundle = own.index.packages().get(place)?.place(bundle.as_str())?;
                Some(BundleAt { package: place, bundle })
            });
            at.map(|at| needs::of_bundle(&question, 0, at)).unwrap_or_default()
        });
    }

    /// Returns the location of the selected row, in a file of the bundle directory or in the
    /// catalog.
    fn whereabouts(&self, see: &See<'_>) -> Option<Whereabouts> {
        let (section, row) = self.selected()?;
        let rows = row.into_iter().chain(&section.rows);
        let spot = rows.into_iter().find_map(|row| row.spot.as_ref())?;
        if let State::Found(found) = see.session.bundle_manifests() {
            // Content of an image does not have a file to edit.
            let BundlePlace::Directory(directory) = &found.place else { return None };
            let path = directory.join(spot.file.as_ref());
            return Some(Whereabouts::OnDisk(Spot { path, line: spot.line }));
        }
        let bundle = see.session.selection().bundle.as_ref()?;
        let doc = see.session.package()?.package().bundle(bundle.as_str())?.doc;
        let start = see.session.snapshot()?.catalog.place(doc, Span::default())?.bytes.start;
        let of_doc = |at: u32| (at as usize).saturating_sub(start);
        let span = Span::new(of_doc(spot.span.start), of_doc(spot.span.end));
        Some(Whereabouts::At(Location::Document(doc, span)))
    }
}
