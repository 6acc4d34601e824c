//! Canvas for drawing cells. All text reaches the screen through it, with control characters
//! escaped.

pub use crate::tui::widgets::text::{
    display_width, fit, hanging_lines, highlight_filter, highlight_matches, pad, pad_middle, wrap_text,
    wrapped_lines,
};

pub use olmap_report::document::{Line, Piece, line_width, piece, text_piece};

pub use ratatui::layout::Rect;

use ratatui::buffer::Buffer;

use crate::tui::{
    parts::{
        frame::{Area, DrawnList, DrawnSplitter, Hit, HitMap, Splitter},
        list::{self, ListId},
    },
    widgets::theme::{Ink, Theme},
};
use olmap_report::escape;

/// Focus of the keys while a frame is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Focus {
    /// List that the movement keys move in.
    pub list: Option<ListId>,
    /// Number of open dialogs.
    pub dialogs: usize,
}

/// Frame that is being drawn.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    theme: &'a Theme,
    /// True if only ASCII is drawn, except for text from the catalog.
    pub ascii: bool,
    /// Focus of the keys.
    pub focus: Focus,
    /// Number of dialogs below the one that is drawn.
    pub dialogs_below: usize,
    /// Positions of clickable items, lists and splitters.
    pub hits: HitMap,
}

impl<'a> Canvas<'a> {
    /// Creates a canvas over a frame buffer and applies the base style of the theme.
    pub fn new(buffer: &'a mut Buffer, theme: &'a Theme, ascii: bool) -> Self {
        let area = buffer.area;
        buffer.set_style(area, theme.base());
        Self { buffer, theme, ascii, focus: Focus::default(), dialogs_below: 0, hits: HitMap::default() }
    }

    /// Returns the Unicode or the ASCII variant, depending on the settings.
    pub fn unicode_or_ascii<T>(&self, unicode: T, ascii: T) -> T {
        if self.ascii { ascii } else { unicode }
    }

    fn clip(&self, area: Rect) -> Rect {
        area.intersection(self.buffer.area)
    }

    /// Draws text at a cell, cut to `max` columns; returns the number of columns used.
    pub fn draw_text(&mut self, x: u16, y: u16, max: u16, text: &str, ink: Ink) -> u16 {
        let row = self.clip(Rect { x, y, width: max, height: 1 });
        if row.is_empty() || row.x != x {
            return 0;
        }
        let fitted = fit(text, usize::from(row.width), self.ascii);
        self.erase_wide_before(x, y);
        let style = self.theme.style(ink);
        let (end, _) = self.buffer.set_stringn(x, y, &fitted, usize::from(row.width), style);
        end.saturating_sub(x)
    }

    /// Draws pieces in the first row of an area, cut to its width; returns the number of columns
    /// used.
    pub fn draw_line(&mut self, area: Rect, pieces: &[Piece]) -> u16 {
        let mut x = area.x;
        let end = area.right();
        for piece in pieces {
            if x >= end {
                break;
            }
            x += self.draw_text(x, area.y, end - x, &piece.text, piece.ink);
        }
        x - area.x
    }

    /// Draws pieces at the right end of the first row of an area.
    pub fn draw_line_right(&mut self, area: Rect, pieces: &[Piece]) {
        let total = u16::try_from(line_width(pieces)).unwrap_or(u16::MAX).min(area.width);
        let x = area.right() - total;
        self.draw_line(Rect { x, width: total, ..area }, pieces);
    }

    /// Clears a wide character to the left that reaches into the given cell. Half of a wide
    /// character cannot be drawn.
    fn erase_wide_before(&mut self, x: u16, y: u16) {
        /// Conjuncts of Indic scripts can be wider than two columns.
        const MAX_WIDTH: u16 = 8;
        for back in 1..=x.min(MAX_WIDTH) {
            let cell = self.buffer.cell_mut((x - back, y));
            if let Some(cell) = cell.filter(|cell| escape::count_columns(cell.symbol()) > usize::from(back)) {
                cell.set_symbol(" ");
            }
        }
    }

    /// Fills an area with blanks.
    pub fn clear(&mut self, area: Rect) {
        let area = self.clip(area);
        for y in area.top()..area.bottom() {
            self.erase_wide_before(area.x, y);
            for x in area.left()..area.right() {
                self.buffer[(x, y)].reset();
            }
        }
        self.buffer.set_style(area, self.theme.base());
    }

    /// Patches the style of an area with that of an ink.
    pub fn tint(&mut self, area: Rect, ink: Ink) {
        let area = self.clip(area);
        self.buffer.set_style(area, self.theme.style(ink));
    }

    /// Marks an area as selected.
    pub fn tint_selected(&mut self, area: Rect, focused: bool) {
        self.tint(area, if focused { Ink::Selection } else { Ink::SelectionAside });
    }

    /// Marks the cell of the text cursor.
    pub fn draw_cursor(&mut self, x: u16, y: u16) {
        self.tint(Rect { x, y, width: 1, height: 1 }, Ink::Cursor);
    }

    /// Draws a horizontal line.
    pub fn draw_rule(&mut self, area: Rect) {
        let mark = self.unicode_or_ascii("─", "-");
        self.draw_text(area.x, area.y, area.width, &mark.repeat(usize::from(area.width)), Ink::Rule);
    }

    /// Draws a horizontal splitter that the user can move; returns the areas above and below it.
    pub fn draw_splitter(&mut self, area: Rect, splitter: Splitter, above: u16) -> (Rect, Rect) {
        let above = above.min(area.height.saturating_sub(1));
        let line = Rect { y: area.y + above, height: 1.min(area.height), ..area };
        self.draw_rule(line);
        self.hits.splitters.push(DrawnSplitter {
            splitter,
            start: area.y,
            length: area.height,
            position: line.y,
        });
        self.add_hit(line, Hit::Splitter(splitter));
        let below = Rect { y: line.bottom(), height: area.height.saturating_sub(above + 1), ..area };
        (Rect { height: above, ..area }, below)
    }

    /// Draws a vertical splitter behind `left` columns, and returns the areas at its sides.
    pub fn draw_side_splitter(&mut self, area: Rect, splitter: Splitter, left: u16) -> (Rect, Rect) {
        let left = left.min(area.width.saturating_sub(1));
        let x = area.x + left;
        self.draw_vertical_splitter(area, splitter, x);
        let right = Rect { x: x + 1, width: area.width.saturating_sub(left + 1), ..area };
        (Rect { width: left, ..area }, right)
    }

    /// Draws a vertical splitter that the user can move.
    pub fn draw_vertical_splitter(&mut self, area: Rect, splitter: Splitter, x: u16) {
        self.draw_divider(x, area.top(), area.bottom());
        self.hits.splitters.push(DrawnSplitter { splitter, start: area.x, length: area.width, position: x });
        self.add_hit(Rect { x, width: 1, ..area }, Hit::Splitter(splitter));
    }

    /// Draws a vertical line.
    pub fn draw_divider(&mut self, x: u16, top: u16, bottom: u16) {
        let mark = self.unicode_or_ascii("│", "|");
        for y in top..bottom {
            self.draw_text(x, y, 1, mark, Ink::Rule);
        }
    }

    /// Draws a title, and `right` at the right end if it fits.
    pub fn draw_heading(&mut self, area: Rect, title: &[Piece], right: &[Piece]) {
        let used = self.draw_line(area, title);
        let rest = Rect { x: area.x + used + 1, width: area.width.saturating_sub(used + 1), ..area };
        if line_width(right) <= usize::from(rest.width) {
            self.draw_line_right(rest, right);
        }
    }

    /// Draws a box with a title and returns the area inside.
    pub fn draw_box(&mut self, area: Rect, title: &str) -> Rect {
        let area = self.clip(area);
        if area.width < 4 || area.height < 3 {
            return Rect::default();
        }
        self.clear(area);
        let (corners, across, down) =
            self.unicode_or_ascii((["╭", "╮", "╰", "╯"], "─", "│"), (["+", "+", "+", "+"], "-", "|"));
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        let line = across.repeat(usize::from(area.width) - 2);
        self.draw_text(area.x + 1, area.y, area.width - 2, &line, Ink::Border);
        self.draw_text(area.x + 1, bottom, area.width - 2, &line, Ink::Border);
        for y in area.y + 1..bottom {
            self.draw_text(area.x, y, 1, down, Ink::Border);
            self.draw_text(right, y, 1, down, Ink::Border);
        }
        for (mark, (x, y)) in
            corners.into_iter().zip([(area.x, area.y), (right, area.y), (area.x, bottom), (right, bottom)])
        {
            self.draw_text(x, y, 1, mark, Ink::Border);
        }
        self.draw_text(area.x + 2, area.y, area.width.saturating_sub(4), &format!(" {title} "), Ink::Active);
        Rect { x: area.x + 2, y: area.y + 1, width: area.width - 4, height: area.height - 2 }
    }

    /// Registers an action for an area of the screen.
    pub fn add_hit(&mut self, area: Rect, hit: Hit) {
        self.hits.hits.push((to_area(area), hit));
    }

    /// Draws the visible rows of a list and marks the selected one.
    pub fn draw_list(&mut self, area: Rect, list: &ListView, row: impl Fn(usize) -> Line) {
        let height = usize::from(area.height);
        let cursor = list.cursor.unwrap_or(list.first);
        let first = if list.id.has_cursor() {
            list::first_visible_row(list.first, cursor, height, list.rows)
        } else {
            list.first.min(list.rows.saturating_sub(height))
        };
        self.hits.lists.push(DrawnList { id: list.id, area: to_area(area), first, rows: list.rows });
        let overflows = list.rows > height && height > 0 && area.width > 2;
        let inner = Rect { width: area.width - u16::from(overflows), ..area };
        for (y, index) in (area.top()..area.bottom()).zip(first..list.rows) {
            let line = Rect { y, height: 1, ..inner };
            let selected = list.id.has_cursor() && list.cursor == Some(index);
            if list.id.has_cursor() {
                let mark = if selected { ">" } else { " " };
                self.draw_text(line.x, y, 1, mark, if list.focused { Ink::Active } else { Ink::Dim });
                self.draw_line(
                    Rect { x: line.x + 1, width: line.width.saturating_sub(1), ..line },
                    &row(index),
                );
            } else {
                self.draw_line(line, &row(index));
            }
            if selected {
                self.tint_selected(line, list.focused);
            }
        }
        if overflows {
            self.draw_scroll_bar(area, list.id, first, list.rows);
        }
    }

    fn draw_scroll_bar(&mut self, area: Rect, id: ListId, first: usize, rows: usize) {
        self.add_hit(Rect { x: area.right() - 1, width: 1, ..area }, Hit::ScrollBar(id));
        let height = usize::from(area.height);
        let thumb = (height * height / rows).clamp(1, height);
        let room = height - thumb;
        let top = (first * room).div_ceil(rows.saturating_sub(height).max(1)).min(room);
        let (rail, bar) = self.unicode_or_ascii(("│", "┃"), ("|", "#"));
        for (index, y) in (area.top()..area.bottom()).enumerate() {
            let inside = (top..top + thumb).contains(&index);
            let (mark, ink) = if inside { (bar, Ink::Dim) } else { (rail, Ink::Rule) };
            self.draw_text(area.right() - 1, y, 1, mark, ink);
        }
    }

    /// Draws lines that scroll but have no cursor.
    pub fn draw_scrolled_lines(
        &mut self,
        area: Rect,
        id: ListId,
        first: usize,
        focused: bool,
        lines: &[Line],
    ) {
        let view = ListView { id, rows: lines.len(), cursor: None, first, focused };
        self.draw_list(area, &view, |index| lines.get(index).cloned().unwrap_or_default());
    }
}

/// Properties of a list that is drawn.
#[derive(Clone, Copy, Debug)]
pub struct ListView {
    /// Identifier of the list.
    pub id: ListId,
    /// Number of rows.
    pub rows: usize,
    /// Selected row.
    pub cursor: Option<usize>,
    /// First visible row from the model.
    pub first: usize,
    /// True if the list has the focus.
    pub focused: bool,
}

fn to_area(area: Rect) -> Area {
    Area { x: area.x, y: area.y, width: area.width, height: area.height }
}
