//! Drawing of the graph: one line per row, with the graph at the left and text at the right.

use std::collections::{HashMap, HashSet};

use petgraph::graph::NodeIndex;
use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{frame::Hit, list::ListId},
    screens::graph::{
        options::FoldLevel,
        view::{self, View},
    },
    widgets::{
        canvas::{Canvas, Line, display_width, pad, piece, text_piece},
        lists::{bundle_short_name, struck_name},
        theme::Ink,
        what_if,
    },
};
use olm_catalog::{BundleName, ChannelName};
use olm_check::{Finding, RuleProperty, Severity, review::diff::ChangeKind};
use olm_upgrade::EdgeKind;
use olmap_report::{
    finding::severity_ink,
    layout::{Cell, FoldLine, Glyph, Layout, NodeShape, PathStop, Row, strand},
};

/// Draws the heading and the rows.
pub(in crate::tui) fn draw_graph_rows(view: &View<'_>, layout: &Layout, canvas: &mut Canvas<'_>, area: Rect) {
    let picture = GraphPicture::new(view, layout, usize::from(area.width), canvas.ascii);
    canvas.draw_line(Rect { height: 1, ..area }, &picture.lane_heading());
    let rows = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let lines = &view.state.graph_lines().lines;
    let overflows = lines.len() > usize::from(rows.height) && rows.width > 20;
    let list = Rect { width: rows.width - u16::from(overflows), ..rows };
    let drawing = Rect {
        x: list.x + 1,
        width: u16::try_from(layout.width()).unwrap_or(u16::MAX).min(list.width.saturating_sub(1)),
        ..list
    };
    canvas.add_hit(drawing, Hit::Drawing);
    canvas.draw_list(list, &view.list_view(canvas, ListId::Graph), |index| {
        lines.get(index).map(|line| picture.line_pieces(line)).unwrap_or_default()
    });
    if overflows {
        view::draw_channel_ruler(view, layout, canvas, Rect { x: rows.right() - 1, width: 1, ..rows });
    }
}

/// Returns the upgrades between rows that at least one OLM refuses.
fn refused_steps(view: &View<'_>, layout: &Layout) -> HashSet<(NodeIndex, NodeIndex)> {
    let Some(safety) = view.session.catalogs.safety() else { return HashSet::new() };
    let places: HashMap<&BundleName, NodeIndex> = layout.rows.iter().map(|row| (&row.name, row.at)).collect();
    let refused = safety.steps.iter().filter(|(_, safety)| safety.overall_verdict().is_refused());
    refused.filter_map(|(step, _)| Some((*places.get(&step.from)?, *places.get(&step.to)?))).collect()
}

/// State for drawing the lines.
struct GraphPicture<'a> {
    view: &'a View<'a>,
    layout: &'a Layout,
    selected: Option<strand::NodePosition>,
    marked: Option<&'a BundleName>,
    filter_matches: &'a [usize],
    findings: HashMap<&'a BundleName, Vec<&'a Finding>>,
    /// Upgrades that at least one OLM refuses.
    refused: HashSet<(NodeIndex, NodeIndex)>,
    dims_unrelated: bool,
    /// Columns of the versions.
    version_columns: usize,
    ascii: bool,
}

impl<'a> GraphPicture<'a> {
    fn new(view: &'a View<'a>, layout: &'a Layout, columns: usize, ascii: bool) -> Self {
        let gone = view.session.derived.marks().removed.iter().map(|gone| gone.label.as_str());
        let versions = layout.rows.iter().map(|row| row.version.as_str()).chain(gone);
        let widest = versions.map(display_width).max().unwrap_or(7);
        let most = columns.saturating_sub(layout.width() + 10) / 2;
        let package = view.session.selection().package.as_ref();
        let marked = view
            .session
            .navigation
            .marked_bundle
            .as_ref()
            .filter(|(of, _)| Some(of) == package)
            .map(|(_, name)| name);
        let findings = view
            .session
            .selection()
            .package
            .as_ref()
            .zip(view.session.selection().channel.as_ref())
            .map(|(package, channel)| entry_findings(view.session.open_findings_of(package), channel))
            .unwrap_or_default();
        Self {
            view,
            layout,
            selected: (0..)
                .zip(&layout.rows)
                .find(|(_, row)| row.relation.selected)
                .map(|(n, row)| (n, row.at)),
            marked,
            filter_matches: &view.state.graph_lines().matches,
            findings,
            refused: refused_steps(view, layout),
            dims_unrelated: view.state.view.dims_unrelated,
            version_columns: widest.clamp(7, most.max(7)),
            ascii,
        }
    }

    /// Returns the heading. The title of a lane group is shown if it fits.
    fn lane_heading(&self) -> Line {
        let columns = &self.layout.columns;
        let mut heading = vec![' '; self.layout.width() + 1];
        let mut put = |at: usize, room: usize, name: &str| {
            if room >= name.len() {
                for (cell, c) in heading.iter_mut().skip(at + 1).zip(name.chars()) {
                    *cell = c;
                }
            }
        };
        put(columns.skips.start, columns.skips.len(), "skips");
        put(columns.node, columns.spine.len() + 1, "replaces");
        put(columns.ranges.start + 1, columns.ranges.len().saturating_sub(1), "range");
        let lanes: String = heading.into_iter().collect();
        let marks = match (self.view.session.mark_comparison().is_some(), self.ascii) {
            (true, false) => "≠ ",
            (true, true) => "# ",
            (false, _) => "",
        };
        vec![
            piece(lanes, Ink::Dim),
            piece(
                format!(" path edge {marks}{}  note", pad("version", self.version_columns, false)),
                Ink::Dim,
            ),
        ]
    }

    fn line_pieces(&self, line: &FoldLine) -> Line {
        match line {
            FoldLine::Row(index) => {
                self.layout.rows.get(*index).map(|row| self.entry_row(*index, row)).unwrap_or_default()
            }
            FoldLine::Removed { above, number } => self.removed_entry_row(*above, *number),
            folded => self.folded_row(folded),
        }
    }

    /// Returns the row of a removed entry. The lines of the graph continue through it.
    fn removed_entry_row(&self, above: usize, number: usize) -> Line {
        let Some(gone) = self.view.session.derived.marks().removed.get(number) else { return Vec::new() };
        let is_selected = self.view.session.selection().bundle.as_ref() == Some(&gone.name);
        let mark = match (self.marked == Some(&gone.name), is_selected) {
            (true, _) => "m ",
            (_, true) => "@ ",
            _ => "  ",
        };
        let mut pieces = vec![
            piece(self.continued_glyphs(above.checked_sub(1)), Ink::Dim),
            piece(format!("      {mark}   "), Ink::Note),
        ];
        pieces.extend(what_if::change_mark(self.view, Some(ChangeKind::Removed)));
        pieces.extend(struck_name(&gone.label, self.version_columns, self.ascii));
        pieces.push(text_piece("  "));
        pieces.extend(what_if::removed_pieces(self.view, gone));
        pieces
    }

    /// Returns the graph column of an inserted row, through which the lines of `row` continue.
    fn continued_glyphs(&self, row: Option<usize>) -> String {
        let cells = row.and_then(|row| self.layout.rows.get(row)).map(|row| row.cells.as_slice());
        let Some(cells) = cells else { return " ".repeat(self.layout.width()) };
        let glyphs = cells.iter().map(|cell| cell.glyph.continuation());
        glyphs.map(|glyph| if self.ascii { glyph.ascii() } else { glyph.unicode() }).collect()
    }

    fn entry_row(&self, index: usize, row: &Row) -> Line {
        let dimmed = self.dims_unrelated && !is_related(row) && self.marked != Some(&row.name);
        let mut pieces: Line = Vec::new();
        for (at, cell) in row.cells.iter().enumerate() {
            let (glyph, ink) = match cell.glyph {
                Glyph::Line(arms) | Glyph::Dotted(arms) if self.is_refused(index, at) => {
                    (Glyph::Refused(arms), if dimmed { Ink::Dim } else { Ink::Error })
                }
                glyph => (glyph, self.cell_ink(index, row, cell, at, dimmed)),
            };
            let glyph = if self.ascii { glyph.ascii() } else { glyph.unicode() };
            match pieces.last_mut() {
                Some(last) if last.ink == ink => last.text.push_str(glyph),
                _ => pieces.push(piece(glyph, ink)),
            }
        }
        let findings = self.findings.get(&row.name).map(Vec::as_slice).unwrap_or_default();
        let worst = findings.iter().map(|f| f.severity()).min();
        let (flag, flag_ink) = match worst {
            Some(Severity::Error) => ("E", Ink::Error),
            Some(Severity::Warning) => ("!", Ink::Warning),
            _ => (" ", Ink::Text),
        };
        let mark = if self.marked == Some(&row.name) { "m " } else { row.relation.edge_mark() };
        pieces.push(text_piece(" "));
        pieces.push(stop_piece(row.stops.classic, 'c', Ink::Classic, self.ascii));
        pieces.push(text_piece(" "));
        pieces.push(stop_piece(row.stops.v1, 'v', Ink::V1, self.ascii));
        pieces.push(piece(format!("  {mark}"), Ink::Note));
        pieces.push(piece(flag, flag_ink));
        pieces.push(text_piece("  "));
        let fate = self.view.session.derived.entry_change(&row.name);
        pieces.extend(what_if::change_mark(self.view, fate));
        let words =
            if self.filter_matches.binary_search(&index).is_ok() { Ink::Match } else { version_ink(row) };
        let gone = self.view.session.derived.marks().removed_entry(&row.name);
        if gone.is_some() {
            pieces.extend(struck_name(&row.version, self.version_columns, self.ascii));
        } else {
            pieces.push(piece(pad(&row.version, self.version_columns, self.ascii), words));
        }
        pieces.push(text_piece("  "));
        if let Some(gone) = gone {
            pieces.extend(what_if::removed_pieces(self.view, gone));
            pieces.push(text_piece("  "));
        }
        let was = what_if::previous_upgrade(self.view, &row.name, self.ascii);
        pieces.extend(was.into_iter().flat_map(|was| [was, text_piece("  ")]));
        pieces.extend(self.row_text(row, findings));
        if dimmed {
            for piece in &mut pieces {
                piece.ink = Ink::Dim;
            }
        }
        pieces
    }

    /// Returns the text of a row: path ends, note and findings.
    fn row_text(&self, row: &Row, findings: &[&Finding]) -> Line {
        let mut pieces: Line = Vec::new();
        let mut add = |words: String, ink| {
            if !pieces.is_empty() {
                pieces.push(piece("; ", Ink::Dim));
            }
            pieces.push(piece(words, ink));
        };
        let ends = match (row.stops.classic, row.stops.v1) {
            (Some(PathStop::Ends), Some(PathStop::Ends)) => Some(("both end here", Ink::Good)),
            (Some(PathStop::Ends), _) => Some(("Classic ends here", Ink::Classic)),
            (_, Some(PathStop::Ends)) => Some(("v1 ends here", Ink::V1)),
            _ => None,
        };
        if let Some(words) = self.view.session.describe_installation(&row.name) {
            add(words, Ink::Good);
        }
        if let Some((words, ink)) = ends {
            add(words.to_owned(), ink);
        }
        if row.stops.v1 == Some(PathStop::Leaves) {
            let to = self.layout.paths.as_ref().and_then(|ways| {
                ways.v1.hops.iter().find(|hop| !self.layout.rows.iter().any(|row| &row.name == *hop))
            });
            if let Some(to) = to {
                add(format!("v1 leaves the channel for {to}"), Ink::Warning);
            }
        }
        if !row.note.is_empty() {
            add(row.note.clone(), note_ink(row));
        }
        if let Some(words) = self.describe_refused_steps(row) {
            add(words, Ink::Error);
        }
        for finding in findings {
            add(finding.rule.id.to_owned(), severity_ink(finding.severity()));
        }
        if row.hidden.total() > 0 {
            pieces.push(piece(format!(" +{} not drawn", row.hidden.total()), Ink::Dim));
        }
        pieces
    }

    /// Returns whether at least one OLM refuses all upgrades along the vertical lines of a cell.
    fn is_refused(&self, row: usize, column: usize) -> bool {
        if self.refused.is_empty() {
            return false;
        }
        let edges = self.layout.edges_at(row, column);
        !edges.is_empty() && edges.iter().all(|edge| self.refused.contains(&(edge.from, edge.to)))
    }

    /// Describes the refused upgrades to this bundle.
    fn describe_refused_steps(&self, row: &Row) -> Option<String> {
        let channel = self.view.session.selection().channel.as_ref()?;
        let safety = self.view.session.catalogs.safety()?;
        let steps = safety.steps_in_channel(channel).filter(|(step, _)| step.to == row.name);
        let refused: Vec<_> = steps.filter(|(_, safety)| safety.overall_verdict().is_refused()).collect();
        let (step, worst) = refused.iter().max_by_key(|(_, safety)| safety.overall_verdict())?;
        let package = self.view.session.selected_package()?.package();
        let from = bundle_short_name(package, &step.from);
        let more = if refused.len() > 1 { format!(" and {} more", refused.len() - 1) } else { String::new() };
        Some(format!("{} from {from}{more}", worst.overall_verdict().short_text()))
    }

    /// Returns the line for folded rows. The lines of the graph continue through it.
    fn folded_row(&self, line: &FoldLine) -> Line {
        let rows = line.row_range();
        let Some((first, last)) =
            self.layout.rows.get(rows.start).zip(self.layout.rows.get(rows.end.saturating_sub(1)))
        else {
            return Vec::new();
        };
        let mut drawing = String::new();
        for (at, cell) in last.cells.iter().enumerate() {
            let glyph = cell.glyph.continuation();
            drawing.push_str(match (at == self.layout.columns.node, self.ascii) {
                (true, true) => ".",
                (true, false) => "⋮",
                (false, true) => glyph.ascii(),
                (false, false) => glyph.unicode(),
            });
        }
        let passes = |stops: fn(&Row) -> Option<PathStop>| {
            let any =
                self.layout.rows.get(rows.clone()).unwrap_or_default().iter().any(|row| stops(row).is_some());
            if !any {
                " "
            } else if self.ascii {
                "|"
            } else {
                "│"
            }
        };
        let span = if first.version == last.version {
            first.version.clone()
        } else {
            format!("{} to {}", first.version, last.version)
        };
        let count = rows.len();
        let shown = self.layout.rows.get(rows.clone()).unwrap_or_default();
        let same = shown.iter().all(|row| row.relation.edge_mark() == first.relation.edge_mark());
        let mark = if same { first.relation.edge_mark() } else { "  " };
        let words = match line {
            FoldLine::Row(_) | FoldLine::Removed { .. } => String::new(),
            FoldLine::Alike(_) => {
                let key = self.view.key_label(ActionId::Fold);
                if last.note.is_empty() {
                    format!("{count} versions, {span}: nothing notable; {key} unfolds")
                } else {
                    // Rows of equal notes stay folded at the next level after folding all others.
                    let unfolds = self.view.state.view.fold == FoldLevel::RepeatedNotes;
                    let hint = if unfolds { format!("; {key} unfolds") } else { String::new() };
                    format!("{count} more, {span}: the same{hint}")
                }
            }
            FoldLine::NotFound(_) => format!("{count} not found, {span}"),
            FoldLine::BelowFloor(_) => {
                format!("{count} lower, {span}: {} shows more", self.view.key_label(ActionId::Floor))
            }
        };
        vec![
            piece(drawing, Ink::Dim),
            text_piece(" "),
            piece(passes(|row| row.stops.classic), Ink::Classic),
            text_piece(" "),
            piece(passes(|row| row.stops.v1), Ink::V1),
            piece(format!("  {mark}"), Ink::Note),
            piece(format!("   {words}"), Ink::Dim),
        ]
    }

    /// Returns the ink of a cell: the state of its bundle or the kind of its line. Lines of the
    /// selected bundle are brighter.
    fn cell_ink(&self, index: usize, row: &Row, cell: &Cell, at: usize, dimmed: bool) -> Ink {
        match cell.glyph {
            Glyph::Blank => Ink::Text,
            Glyph::Node(_) if dimmed => Ink::Dim,
            Glyph::Node(NodeShape::DeadEnd) => Ink::Error,
            Glyph::Node(NodeShape::Skipped | NodeShape::Dangling) => Ink::Skipped,
            Glyph::Node(NodeShape::Entry) if row.marks.head => Ink::Good,
            Glyph::Node(NodeShape::Entry) => Ink::Text,
            glyph => {
                let concerned = self.selected.is_some_and(|of| self.layout.shows_edge_of(index, at, of));
                let kind =
                    cell.strands.first().and_then(|id| self.layout.strand(*id)).map(|strand| strand.kind);
                match kind {
                    _ if self.dims_unrelated && !concerned => Ink::Dim,
                    _ if glyph == Glyph::Ignored => Ink::Error,
                    _ if concerned => Ink::Active,
                    Some(EdgeKind::Replaces) => Ink::Replaces,
                    Some(EdgeKind::Skips) => Ink::Skips,
                    Some(EdgeKind::SkipRange) => Ink::Range,
                    None if at < self.layout.columns.node => Ink::Skips,
                    None => Ink::Dim,
                }
            }
        }
    }
}

/// Returns whether a row is related to the selected bundle: an edge connects them, or an upgrade
/// path lands here.
fn is_related(row: &Row) -> bool {
    let lands = |stop: Option<PathStop>| stop.is_some_and(|stop| stop != PathStop::Passes);
    row.relation.selected
        || row.relation.edge_to_selected.is_some()
        || row.relation.edge_from_selected.is_some()
        || lands(row.stops.classic)
        || lands(row.stops.v1)
}

fn stop_piece(
    stop: Option<PathStop>,
    letter: char,
    ink: Ink,
    ascii: bool,
) -> crate::tui::widgets::canvas::Piece {
    match stop {
        Some(stop) => piece(stop.path_mark(letter, ascii), ink),
        None => text_piece(" "),
    }
}

/// Returns the findings of each entry of a channel, without those that the row shows by other
/// means.
fn entry_findings<'a>(
    findings: impl Iterator<Item = &'a Finding>,
    channel: &ChannelName,
) -> HashMap<&'a BundleName, Vec<&'a Finding>> {
    let mut of_entries: HashMap<&BundleName, Vec<&Finding>> = HashMap::new();
    for finding in findings.filter(|f| f.channel.as_ref().is_none_or(|of| of == channel)) {
        let is_news = finding.severity() != Severity::Note && !finding.rule.has(RuleProperty::ShownInGraph);
        if let (Some(bundle), true) = (&finding.bundle, is_news) {
            of_entries.entry(bundle).or_default().push(finding);
        }
    }
    of_entries
}

fn note_ink(row: &Row) -> Ink {
    if row.marks.dead_end || row.marks.missing_bundle {
        Ink::Error
    } else if row.marks.stuck.is_some() {
        Ink::Warning
    } else if row.marks.head {
        Ink::Good
    } else if row.marks.downgrade || row.marks.on_cycle {
        Ink::Warning
    } else if row.marks.deprecated {
        Ink::Deprecated
    } else if row.marks.skipped_by.is_some() {
        Ink::Skipped
    } else {
        Ink::Text
    }
}

fn version_ink(row: &Row) -> Ink {
    if row.marks.dead_end {
        Ink::Error
    } else if row.marks.stuck.is_some() {
        Ink::Warning
    } else if row.marks.dangling || row.marks.skipped_by.is_some() {
        Ink::Skipped
    } else {
        Ink::Text
    }
}
