//! Output of frames: turns changed cells into the bytes that a terminal needs, and no others.
//!
//! Like ratatui's backend for crossterm, with two differences. A color is sent only if it changes, and the color of text
//! not for blanks. A frame without changes has no bytes.

use std::io;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::crossterm::style::{
    Attribute, Color as TerminalColor, Colors, Print, SetAttribute, SetBackgroundColor, SetColors,
    SetForegroundColor,
};
use ratatui::crossterm::{cursor, queue, terminal};
use ratatui::layout::{Position, Size};
use ratatui::prelude::IntoCrossterm as _;
use ratatui::style::{Color, Modifier};

/// Modifiers with the attributes that turn them on and off. Bold and dim are turned off together.
const MODIFIERS: [(Modifier, Attribute, Attribute); 9] = [
    (Modifier::BOLD, Attribute::Bold, Attribute::NormalIntensity),
    (Modifier::DIM, Attribute::Dim, Attribute::NormalIntensity),
    (Modifier::ITALIC, Attribute::Italic, Attribute::NoItalic),
    (Modifier::UNDERLINED, Attribute::Underlined, Attribute::NoUnderline),
    (Modifier::SLOW_BLINK, Attribute::SlowBlink, Attribute::NoBlink),
    (Modifier::RAPID_BLINK, Attribute::RapidBlink, Attribute::NoBlink),
    (Modifier::REVERSED, Attribute::Reverse, Attribute::NoReverse),
    (Modifier::HIDDEN, Attribute::Hidden, Attribute::NoHidden),
    (Modifier::CROSSED_OUT, Attribute::CrossedOut, Attribute::NotCrossedOut),
];

/// Groups of modifiers that are turned off together.
const TURNED_OFF_TOGETHER: [Modifier; 2] =
    [Modifier::BOLD.union(Modifier::DIM), Modifier::SLOW_BLINK.union(Modifier::RAPID_BLINK)];

/// Modifiers that show the color of text in a blank.
const VISIBLE_IN_BLANKS: Modifier =
    Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);

/// Cursor of the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cursor {
    /// Another program may have moved, shown or hidden it.
    Unknown,
    Hidden,
    /// Shown, at a position if it is known.
    Shown(Option<Position>),
}

/// Backend of ratatui that collects the bytes of a frame.
#[derive(Debug)]
pub struct FrameBackend {
    bytes: Vec<u8>,
    cursor: Cursor,
}

impl FrameBackend {
    /// Creates a backend for a terminal in any state.
    pub fn with_unknown_cursor() -> Self {
        Self { bytes: Vec::new(), cursor: Cursor::Unknown }
    }

    /// Returns the bytes since the last call.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

/// Attributes and colors of the last drawn cell.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Pen {
    foreground: Color,
    background: Color,
    modifier: Modifier,
}

impl Pen {
    /// The pen after a reset.
    const RESET: Self =
        Self { foreground: Color::Reset, background: Color::Reset, modifier: Modifier::empty() };

    /// Changes the pen to that of a cell.
    fn change_to(&mut self, cell: &Cell, out: &mut Vec<u8>) -> io::Result<()> {
        self.change_modifier(cell.modifier, out)?;
        let is_plain_blank = cell.symbol() == " " && !cell.modifier.intersects(VISIBLE_IN_BLANKS);
        let foreground = if is_plain_blank { self.foreground } else { cell.fg };
        let (text, ground): (TerminalColor, TerminalColor) =
            (foreground.into_crossterm(), cell.bg.into_crossterm());
        match (foreground != self.foreground, cell.bg != self.background) {
            (true, true) => queue!(out, SetColors(Colors::new(text, ground)))?,
            (true, false) => queue!(out, SetForegroundColor(text))?,
            (false, true) => queue!(out, SetBackgroundColor(ground))?,
            (false, false) => {}
        }
        (self.foreground, self.background) = (foreground, cell.bg);
        Ok(())
    }

    fn change_modifier(&mut self, wanted: Modifier, out: &mut Vec<u8>) -> io::Result<()> {
        if wanted == self.modifier {
            return Ok(());
        }
        let mut current = self.modifier;
        let mut last = None;
        for (modifier, _, off) in MODIFIERS {
            if current.contains(modifier) && !wanted.contains(modifier) && last != Some(off) {
                queue!(out, SetAttribute(off))?;
                let together = TURNED_OFF_TOGETHER.iter().find(|group| group.contains(modifier));
                current -= together.copied().unwrap_or(modifier);
                last = Some(off);
            }
        }
        for (modifier, on, _) in MODIFIERS {
            if wanted.contains(modifier) && !current.contains(modifier) {
                queue!(out, SetAttribute(on))?;
            }
        }
        self.modifier = wanted;
        Ok(())
    }
}

impl Backend for FrameBackend {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let out = &mut self.bytes;
        let mut pen = Pen::RESET;
        let mut next: Option<(u16, u16)> = None;
        for (x, y, cell) in content {
            if next != Some((x, y)) {
                queue!(out, cursor::MoveTo(x, y))?;
            }
            // A wide character moves the cursor by two cells, so the cell after it is never next.
            next = Some((x.saturating_add(1), y));
            pen.change_to(cell, out)?;
            queue!(out, Print(cell.symbol()))?;
        }
        if pen != Pen::RESET {
            queue!(out, SetAttribute(Attribute::Reset))?;
        }
        if next.is_some() && self.cursor != Cursor::Hidden && self.cursor != Cursor::Unknown {
            self.cursor = Cursor::Shown(None);
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if self.cursor != Cursor::Hidden {
            queue!(self.bytes, cursor::Hide)?;
            self.cursor = Cursor::Hidden;
        }
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if !matches!(self.cursor, Cursor::Shown(_)) {
            queue!(self.bytes, cursor::Show)?;
            self.cursor = Cursor::Shown(None);
        }
        Ok(())
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        cursor::position().map(|(x, y)| Position { x, y })
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        if self.cursor != Cursor::Shown(Some(position)) {
            queue!(self.bytes, cursor::MoveTo(position.x, position.y))?;
            if matches!(self.cursor, Cursor::Shown(_)) {
                self.cursor = Cursor::Shown(Some(position));
            }
        }
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        // The terminal is cleared after another program used it.
        self.cursor = Cursor::Unknown;
        let region = match region {
            ClearType::All => terminal::ClearType::All,
            ClearType::AfterCursor => terminal::ClearType::FromCursorDown,
            ClearType::BeforeCursor => terminal::ClearType::FromCursorUp,
            ClearType::CurrentLine => terminal::ClearType::CurrentLine,
            ClearType::UntilNewLine => terminal::ClearType::UntilNewLine,
        };
        queue!(self.bytes, terminal::Clear(region))
    }

    fn size(&self) -> io::Result<Size> {
        terminal::size().map(|(width, height)| Size { width, height })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        let size = terminal::window_size()?;
        Ok(WindowSize {
            columns_rows: Size { width: size.columns, height: size.rows },
            pixels: Size { width: size.width, height: size.height },
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use ratatui::backend::CrosstermBackend;
    use ratatui::buffer::Buffer;
    use ratatui::crossterm::style;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    const AREA: Rect = Rect::new(0, 0, 20, 4);

    /// Returns the bytes that change one picture into another.
    fn drawn_bytes(backend: &mut FrameBackend, before: &Buffer, after: &Buffer) -> Vec<u8> {
        style::force_color_output(true);
        backend.draw(before.diff(after).into_iter()).unwrap();
        backend.hide_cursor().unwrap();
        backend.take_bytes()
    }

    /// Returns a picture of colored words, different for each seed.
    fn picture(seed: usize) -> Buffer {
        let mut buffer = Buffer::empty(AREA);
        let mut state = seed as u32;
        let mut next = move |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % limit
        };
        for y in 0..AREA.height {
            let mut x = 0;
            while x < AREA.width {
                let colors = [Color::Reset, Color::Rgb(1, 2, 3), Color::Rgb(250, 10, 3), Color::Blue];
                let modifier = Modifier::from_bits_truncate(1 << next(12) | 1 << next(12));
                let style = Style::new()
                    .fg(colors[next(4) as usize])
                    .bg(colors[next(4) as usize])
                    .add_modifier(modifier - Modifier::HIDDEN - Modifier::SLOW_BLINK - Modifier::RAPID_BLINK);
                let word = ["ab ", " ", "x", "  y", "世", "é"][next(6) as usize];
                (x, _) = buffer.set_stringn(x, y, word, usize::from(AREA.width - x), style);
                x = x.max(1);
            }
        }
        buffer
    }

    /// Returns what a cell shows: its text, background and attributes, and the color of text unless it is blank.
    fn visible(cell: &vt100::Cell) -> (String, vt100::Color, Option<vt100::Color>, [bool; 4]) {
        let is_blank = cell.contents().trim().is_empty() && !cell.underline() && !cell.inverse();
        let contents = if is_blank { String::new() } else { cell.contents().to_owned() };
        let attributes =
            [cell.bold() && !is_blank, cell.italic() && !is_blank, cell.underline(), cell.inverse()];
        (contents, cell.bgcolor(), (!is_blank).then(|| cell.fgcolor()), attributes)
    }

    #[test]
    fn looks_like_output_of_crossterm_backend_with_fewer_bytes() {
        style::force_color_output(true);
        let (mut ours, mut theirs) = (FrameBackend::with_unknown_cursor(), Vec::new());
        let [rows, columns] = [AREA.height, AREA.width].map(|length| NonZero::new(length).unwrap());
        let [mut our_screen, mut their_screen] = [(), ()].map(|()| vt100::Parser::new(rows, columns, 0));
        let (mut our_length, mut their_length) = (0, 0);
        let mut before = Buffer::empty(AREA);
        for seed in 0..200 {
            let after = picture(seed);
            let bytes = drawn_bytes(&mut ours, &before, &after);
            CrosstermBackend::new(&mut theirs).draw(before.diff(&after).into_iter()).unwrap();
            our_screen.process(&bytes);
            their_screen.process(&theirs);
            our_length += bytes.len();
            their_length += theirs.len();
            theirs.clear();
            for (y, x) in (0..AREA.height).flat_map(|y| (0..AREA.width).map(move |x| (y, x))) {
                let [our_cell, their_cell] =
                    [&our_screen, &their_screen].map(|s| s.screen().cell(y, x).unwrap());
                assert_eq!(visible(our_cell), visible(their_cell), "{seed}: {y}, {x}");
            }
            before = after;
        }
        assert!(our_length < their_length, "{our_length} {their_length}");
    }

    #[test]
    fn unchanged_frame_has_no_bytes() {
        let mut backend = FrameBackend::with_unknown_cursor();
        let picture = picture(1);
        assert!(!drawn_bytes(&mut backend, &Buffer::empty(AREA), &picture).is_empty());
        assert!(drawn_bytes(&mut backend, &picture, &picture).is_empty());
    }

    #[test]
    fn color_that_stays_is_not_sent_again() {
        let mut backend = FrameBackend::with_unknown_cursor();
        let ground = Style::new().bg(Color::Rgb(9, 9, 9));
        let mut after = Buffer::empty(AREA);
        after.set_string(0, 0, "a", ground.fg(Color::Rgb(1, 1, 1)));
        after.set_string(1, 0, "b ", ground.fg(Color::Rgb(2, 2, 2)));
        after.set_string(3, 0, "c", ground.fg(Color::Rgb(2, 2, 2)));
        after.set_string(2, 0, " ", ground.fg(Color::Rgb(3, 3, 3)));
        let bytes = drawn_bytes(&mut backend, &Buffer::empty(AREA), &after);
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text.matches("48;2;9;9;9").count(), 1, "{text:?}");
        assert_eq!(text.matches("38;2;").count(), 2, "{text:?}");
    }

    #[test]
    fn cursor_is_placed_again_only_if_it_moved() {
        let mut backend = FrameBackend::with_unknown_cursor();
        let place = |backend: &mut FrameBackend| {
            backend.show_cursor().unwrap();
            backend.set_cursor_position((3, 1)).unwrap();
            backend.take_bytes()
        };
        assert!(!place(&mut backend).is_empty());
        assert!(place(&mut backend).is_empty());
        backend.draw(Buffer::empty(AREA).diff(&picture(2)).into_iter()).unwrap();
        backend.take_bytes();
        assert_eq!(place(&mut backend), b"\x1b[2;4H", "drawing moved it");
        backend.clear().unwrap();
        backend.take_bytes();
        assert!(place(&mut backend).starts_with(b"\x1b[?25h"), "another program may have hidden it");
    }
}
