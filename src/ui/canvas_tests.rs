//! Tests of drawing on cells: control characters and clipping.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    canvas::Canvas,
    theme::{Role, Theme},
};

#[test]
fn control_characters_are_drawn_as_symbols() {
    let area = Rect::new(0, 0, 20, 1);
    let mut buffer = Buffer::empty(area);
    let theme = Theme::mono();
    Canvas::new(&mut buffer, &theme, false).draw_text(0, 0, 20, "a\x1b[31mb\r\n", Role::Text);
    let line: String = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
    assert!(line.starts_with("a\u{241b}[31mb\u{240d}\u{240a}"), "{line:?}");
}

#[test]
fn drawing_outside_screen_changes_nothing() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 2));
    let theme = Theme::terminal();
    let mut canvas = Canvas::new(&mut buffer, &theme, false);
    assert_eq!(canvas.draw_text(9, 9, 10, "x", Role::Text), 0);
    assert_eq!(canvas.draw_box(Rect::new(2, 1, 50, 50), "title"), Rect::default());
    canvas.clear(Rect::new(0, 0, u16::MAX, u16::MAX));
}
