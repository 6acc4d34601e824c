//! Graph screen with all channels of the package side by side.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{frame::Hit, list::ListId},
    screens::graph::{
        options::answer_rows,
        view::{self, View, panel},
    },
    widgets::{
        canvas::{Canvas, Line, display_width, line_width, pad, piece, text_piece},
        details,
        lists::{draw_empty_list, draw_list_heading, struck_name},
        text::{format_count, format_entry_count},
        theme::Ink,
        what_if,
    },
};
use olm_catalog::BundleName;
use olmap_report::{
    escape,
    layout::{
        Arms, Glyph, NodeShape,
        side_by_side::{
            Channel, Row, SideBySide, Strip,
            heading::{self, Label, stagger_labels},
        },
    },
};

/// Maximum number of lines of names above the strips.
const MAX_NAME_LINES: usize = 8;

/// Maximum length of a version that is not shortened.
const MAX_VERSION_COLUMNS: usize = 20;

/// Draws the screen.
pub(in crate::tui) fn draw_side_by_side(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(side) = view.state.side_by_side().filter(|side| !side.channels.is_empty()) else {
        return draw_empty_list(
            canvas,
            area,
            &format!("the package has no channels: {} goes back", view.key_label(ActionId::AllChannels)),
        );
    };
    let below = match area.height {
        height if view.state.view.is_reading => height * 2 / 3,
        height @ 16.. if view.session.navigation.marked_bundle.is_some() => height / 2,
        height => answer_rows(height),
    };
    let upper = Rect { height: area.height - below - u16::from(below > 0), ..area };
    let picture = StripsPicture::new(view, side, canvas.ascii, upper);
    picture.draw_strips(view, canvas, upper);
    if let (true, Some(package_state)) = (below > 0, view.session.selected_package()) {
        canvas.draw_rule(Rect { y: upper.bottom(), height: 1, ..area });
        let inner =
            Rect { x: area.x + 1, y: upper.bottom() + 1, width: area.width.saturating_sub(2), height: below };
        let mut lines = picture.selected_bundle_lines(view);
        lines.extend(details::removed_bundle_lines(view, usize::from(inner.width)));
        lines.extend(panel::path_or_answers(
            view,
            package_state,
            usize::from(inner.width),
            canvas.ascii,
            below < 5,
        ));
        panel::draw_panel(view, &lines, canvas, inner);
    }
}

/// State for drawing the strips.
struct StripsPicture<'a> {
    side: &'a SideBySide,
    /// Index of the selected channel among the visible ones.
    selected: Option<usize>,
    /// Selected row.
    cursor: Option<usize>,
    /// Marked bundle, the start of the path shown below.
    marked: Option<&'a BundleName>,
    ascii: bool,
    /// Columns of the versions.
    version_columns: usize,
    /// Columns of the change marks.
    mark_columns: usize,
    view: &'a View<'a>,
    /// Columns of the number of channels.
    count_columns: usize,
    /// Offset of the first strip from the left edge.
    first_strip_column: usize,
}

impl<'a> StripsPicture<'a> {
    fn new(view: &'a View<'a>, side: &'a SideBySide, ascii: bool, area: Rect) -> Self {
        let number = view.state.selected_channel_index(view.session);
        let most = (usize::from(area.width) / 4).clamp(7, MAX_VERSION_COLUMNS);
        let version =
            side.rows.iter().map(|row| display_width(&row.version)).max().unwrap_or(0).clamp(7, most);
        let marks = if view.session.mark_comparison().is_some() { 2 } else { 0 };
        Self {
            view,
            mark_columns: marks,
            side,
            selected: side.strips.iter().position(|strip| Some(strip.channel) == number),
            cursor: view.list_cursor(ListId::SideBySide),
            marked: panel::marked_bundle(view),
            ascii,
            version_columns: version,
            count_columns: side.channels.len().to_string().len().max(2),
            // The cursor, the version, a gap and the bracket of the first strip.
            first_strip_column: marks + version + 3,
        }
    }

    fn strip_channel(&self, strip: usize) -> Option<&'a Channel> {
        self.side.channels.get(self.side.strips.get(strip)?.channel)
    }

    fn glyph_text(&self, glyph: Glyph) -> &'static str {
        if self.ascii { glyph.ascii() } else { glyph.unicode() }
    }

    fn draw_strips(&self, view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let (title, right) = self.strips_title();
        let inner = draw_list_heading(view, canvas, area, ListId::SideBySide, &title, &right);
        let above = self.heading_lines(inner);
        let height = u16::try_from(above.len()).unwrap_or(u16::MAX).min(inner.height);
        for (y, line) in (inner.top()..inner.top() + height).zip(&above) {
            canvas.draw_line(Rect { y, height: 1, ..inner }, line);
        }
        for (place, strip) in self.side.strips.iter().enumerate() {
            let x = usize::from(inner.x) + self.first_strip_column + place * self.side.pitch;
            let Ok(x) = u16::try_from(x) else { break };
            let width = u16::try_from(self.side.pitch).unwrap_or(u16::MAX);
            canvas.add_hit(Rect { x, width, ..inner }, Hit::Channel(strip.channel));
        }
        let rows = Rect { y: inner.y + height, height: inner.height - height, ..inner };
        let overflows = self.side.rows.len() > usize::from(rows.height) && rows.width > 20;
        let list = Rect { width: rows.width - u16::from(overflows), ..rows };
        canvas.draw_list(list, &view.list_view(canvas, ListId::SideBySide), |index| {
            self.side.rows.get(index).map(|row| self.strips_row(index, row)).unwrap_or_default()
        });
        if overflows {
            let overview = Rect { x: rows.right() - 1, width: 1, ..rows };
            let rows = self.side.rows.len();
            view::draw_ruler(canvas, overview, ListId::SideBySide, rows, |index| self.ruler_mark(index));
        }
    }

    /// Returns the ruler mark of a row.
    fn ruler_mark(&self, index: usize) -> Option<view::RankedMark> {
        let row = self.side.rows.get(index)?;
        let place = self.selected.and_then(|strip| self.side.strips.get(strip)?.node_in_row(index));
        view::first_true_mark(&[
            (self.cursor == Some(index), "@", Ink::Note),
            (
                place.is_some_and(|place| place.marks.head),
                self.glyph_text(Glyph::Node(NodeShape::Entry)),
                Ink::Good,
            ),
            (row.dead_ends > 0, self.glyph_text(Glyph::Node(NodeShape::DeadEnd)), Ink::Error),
            (row.deprecated, "D", Ink::Deprecated),
            (row.channels == 0 && !row.removed, "?", Ink::Skipped),
            (row.removed, "-", Ink::Removed),
        ])
    }

    /// Returns the full name of the selected channel and the number of channels.
    fn strips_title(&self) -> (String, Line) {
        let all = self.side.channels.len();
        let title = match self.selected.and_then(|strip| self.strip_channel(strip)) {
            Some(channel) => {
                let mut facts = vec![format_entry_count(channel.entries)];
                if channel.is_default {
                    facts.insert(0, "default".to_owned());
                }
                if channel.deprecated {
                    facts.push("DEPRECATED".to_owned());
                }
                if let Some(error) = &channel.error {
                    facts.push(format!("Classic cannot use it: {error}"));
                }
                if let Some(stuck @ 1..) = channel.stuck {
                    facts.push(format!("{stuck} stuck"));
                }
                format!("{}: {}", channel.name, facts.join(", "))
            }
            None => "All channels".to_owned(),
        };
        let shown = self.side.strips.len();
        let mut right = Line::new();
        if self.side.count_hidden_edges() > 0 {
            let edges = format_count(self.side.count_hidden_edges(), "edge");
            right.push(piece(format!("{edges} not drawn  "), Ink::Dim));
        }
        right.push(if shown == all {
            piece(format!("{} ", format_count(all, "channel")), Ink::Dim)
        } else {
            let first = self.side.first;
            piece(format!("channels {} to {} of {all} ", first + 1, first + shown), Ink::Note)
        });
        (title, right)
    }

    /// Returns the lines above the rows: names, dead ends, marks.
    fn heading_lines(&self, area: Rect) -> Vec<Line> {
        let (columns, height) = (usize::from(area.width), usize::from(area.height));
        let (left, right) = (self.side.hidden_left(), self.side.hidden_right());
        let more = (
            if left > 0 { format!("{} {left} more", self.glyph_text(Glyph::TipLeft)) } else { String::new() },
            if right > 0 {
                format!("{right} more {} ", self.glyph_text(Glyph::TipRight))
            } else {
                String::new()
            },
        );
        let names: Vec<_> = (0..self.side.strips.len())
            .map(|strip| escape::escape_line(self.strip_channel(strip).map_or("", |c| c.name.as_str())))
            .collect();
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        let room = heading::LabelSpace {
            pitch: self.side.pitch,
            columns: columns.saturating_sub(self.first_strip_column + display_width(&more.1)),
            lines: (height * 2 / 7).clamp(1, MAX_NAME_LINES),
            cut: if self.ascii { "~" } else { "…" },
        };
        let mut lines: Vec<Line> = Vec::new();
        for (index, labels) in stagger_labels(&names, room).iter().enumerate() {
            let mut line = vec![
                text_piece(" "),
                piece(
                    pad(if index == 0 { &more.0 } else { "" }, self.first_strip_column - 1, self.ascii),
                    Ink::Note,
                ),
            ];
            self.push_labels(&mut line, labels);
            if index == 0 && right > 0 {
                let used = line_width(&line);
                line.push(text_piece(" ".repeat(columns.saturating_sub(used + display_width(&more.1)))));
                line.push(piece(&more.1, Ink::Note));
            }
            lines.push(line);
        }
        let sign = |sign: &dyn Fn(&Channel) -> String| -> Vec<Label> {
            let signs = (0..self.side.strips.len()).map(|strip| {
                let sign = self.strip_channel(strip).map(sign).filter(|sign| !sign.is_empty());
                Label { column: strip * self.side.pitch, strip, name: sign }
            });
            signs.collect()
        };
        let stuck = sign(&Channel::stuck_sign);
        // In low terminals the rows have priority.
        if stuck.iter().any(|label| label.name.is_some()) && height > 5 {
            let mut line =
                vec![text_piece(" "), piece(pad("stuck", self.first_strip_column - 1, self.ascii), Ink::Dim)];
            self.push_labels(&mut line, &stuck);
            lines.push(line);
        }
        let mut line =
            vec![text_piece(" "), piece(pad("version", self.first_strip_column - 1, self.ascii), Ink::Dim)];
        self.push_labels(&mut line, &sign(&Channel::flags));
        let used = line_width(&line);
        let gap = (self.first_strip_column + self.strips_width()).saturating_sub(used);
        line.push(piece(format!("{:gap$}{:>count$}  note", "", "in", count = self.count_columns), Ink::Dim));
        lines.push(line);
        lines
    }

    /// Returns the columns from the first strip to the number of channels.
    fn strips_width(&self) -> usize {
        self.side.width() + 2
    }

    /// Appends labels at their columns.
    fn push_labels(&self, line: &mut Line, labels: &[Label]) {
        let mut at = 0;
        for label in labels {
            line.push(text_piece(" ".repeat(label.column.saturating_sub(at))));
            let is_selected = self.selected == Some(label.strip);
            let channel = self.strip_channel(label.strip);
            let ink = match &label.name {
                _ if is_selected => Ink::Active,
                None => Ink::Dim,
                Some(_) if channel.is_some_and(|c| c.deprecated) => Ink::Deprecated,
                Some(_) if channel.is_some_and(|c| c.error.is_some()) => Ink::Error,
                Some(_) => Ink::Text,
            };
            let words = label.name.as_deref().unwrap_or(self.glyph_text(Glyph::Line(Arms::VERTICAL)));
            at = label.column.max(at) + display_width(words);
            line.push(piece(words, ink));
        }
    }

    fn strips_row(&self, index: usize, row: &Row) -> Line {
        let mark = if self.ascii { "~" } else { "…" };
        let version = escape::shorten_middle(&row.version, self.version_columns, mark);
        let ink = if row.dead_ends > 0 {
            Ink::Error
        } else if row.channels == 0 {
            Ink::Skipped
        } else {
            Ink::Text
        };
        let mark = if self.marked == Some(&row.name) { "m" } else { " " };
        let fates = self.view.session.derived.package_marks();
        let mut pieces: Line = what_if::change_mark(self.view, fates.entry_change(&row.name))
            .filter(|_| self.mark_columns > 0)
            .into_iter()
            .collect();
        let gone = fates.removed_entry(&row.name);
        if gone.is_some() {
            pieces.extend(struck_name(&version, self.version_columns, self.ascii));
        } else {
            pieces.push(piece(pad(&version, self.version_columns, self.ascii), ink));
        }
        pieces.push(piece(mark, Ink::Note));
        let mut put = |glyph: &str, ink: Ink| match pieces.last_mut() {
            Some(last) if last.ink == ink => last.text.push_str(glyph),
            _ => pieces.push(piece(glyph, ink)),
        };
        let mut hidden = 0;
        // Brackets enclose the cell of the selected channel in the selected row. Each gap has one
        // column for the bracket of the previous strip and one for the next.
        let is_lit = |place: usize| self.selected == Some(place) && self.cursor == Some(index);
        let gap = self.side.pitch.saturating_sub(Strip::WIDTH);
        for (place, strip) in self.side.strips.iter().enumerate() {
            let opens = if is_lit(place) { "[" } else { " " };
            match place.checked_sub(1) {
                None => put(opens, Ink::Active),
                Some(before) if is_lit(before) => put(&format!("{:gap$}", "]"), Ink::Active),
                Some(_) => put(&format!("{opens:>gap$}"), Ink::Active),
            }
            for (column, cell) in strip.cells.get(index).into_iter().flatten().enumerate() {
                put(self.glyph_text(cell.glyph), self.cell_ink(index, place, strip, column));
            }
            hidden += strip.node_in_row(index).map_or(0, |place| place.hidden.replaces);
        }
        put(if is_lit(self.side.strips.len().saturating_sub(1)) { "]" } else { " " }, Ink::Active);
        pieces.push(piece(format!(" {:>count$}  ", row.channels, count = self.count_columns), Ink::Dim));
        if let Some(gone) = gone {
            pieces.extend(what_if::removed_pieces(self.view, gone));
            pieces.push(text_piece("  "));
        }
        if let Some(words) = self.view.session.describe_installation(&row.name) {
            let words = if row.note.is_empty() { words } else { format!("{words}; ") };
            pieces.push(piece(words, Ink::Good));
        }
        pieces.push(piece(row.note.clone(), note_ink(row)));
        if hidden > 0 {
            pieces.push(piece(format!(" +{hidden}"), Ink::Dim));
        }
        pieces
    }

    /// Returns the ink of a cell. Lines of the selected channel are brighter.
    fn cell_ink(&self, index: usize, place: usize, strip: &Strip, column: usize) -> Ink {
        let glyph = strip.cells.get(index).and_then(|cells| cells.get(column)).map(|cell| cell.glyph);
        let marks = strip.node_in_row(index).map(|place| &place.marks);
        match glyph {
            None | Some(Glyph::Blank) => Ink::Text,
            Some(Glyph::Node(NodeShape::DeadEnd) | Glyph::Ignored) => Ink::Error,
            Some(Glyph::Node(NodeShape::Skipped | NodeShape::Dangling)) => Ink::Skipped,
            Some(Glyph::Node(NodeShape::Entry)) if marks.is_some_and(|marks| marks.head) => Ink::Good,
            Some(Glyph::Node(NodeShape::Entry)) if marks.is_some_and(|marks| marks.deprecated) => {
                Ink::Deprecated
            }
            Some(Glyph::Node(NodeShape::Entry)) => Ink::Text,
            Some(_) if self.selected == Some(place) => Ink::Active,
            Some(_) => Ink::Dim,
        }
    }

    /// Returns the full name of the selected bundle, with its note.
    fn selected_bundle_lines(&self, view: &View<'_>) -> Vec<Line> {
        let row = view.list_cursor(ListId::SideBySide).and_then(|cursor| self.side.rows.get(cursor));
        let Some(row) = row else { return Vec::new() };
        let mut line = vec![piece(row.name.to_string(), Ink::Title)];
        if row.removed {
            // The lines below it describe a removed bundle.
            return Vec::new();
        }
        if !row.note.is_empty() {
            line.push(text_piece("  "));
            line.push(piece(row.note.clone(), note_ink(row)));
        }
        if let Some(words) = self.describe_channel_start() {
            line.push(piece(words, Ink::Note));
        }
        vec![line]
    }

    /// Describes where the selected channel starts if it has nothing in the selected row.
    fn describe_channel_start(&self) -> Option<String> {
        let cursor = self.cursor?;
        let strip = self.side.strips.get(self.selected?)?;
        if strip.node_in_row(cursor).is_some() {
            return None;
        }
        let name = &self.side.channels.get(strip.channel)?.name;
        let first = strip.nodes.iter().position(Option::is_some)?;
        let version = &self.side.rows.get(first)?.version;
        let (rows, where_to) =
            if first > cursor { (first - cursor, "below") } else { (cursor - first, "above") };
        Some(format!("  not in {name}, which starts {} {where_to}, at {version}", format_count(rows, "row")))
    }
}

fn note_ink(row: &Row) -> Ink {
    if row.dead_ends > 0 {
        Ink::Error
    } else if row.deprecated {
        Ink::Deprecated
    } else if row.channels == 0 {
        Ink::Skipped
    } else {
        Ink::Text
    }
}
