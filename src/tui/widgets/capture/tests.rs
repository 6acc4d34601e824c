use ratatui::{buffer::Buffer, layout::Rect, style::Color};

use crate::tui::widgets::{
    canvas::{Canvas, piece},
    capture::*,
    theme::{Ink, Theme},
};

fn draw_sample(theme: &Theme) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 3));
    let mut canvas = Canvas::new(&mut buffer, theme, false);
    let row = |y| Rect { x: 0, y, width: 20, height: 1 };
    canvas
        .draw_line(row(0), &[piece("운영자 ", Ink::Title), piece("<&>", Ink::Error), piece(" é", Ink::Text)]);
    canvas.draw_line(row(1), &[piece("ab", Ink::Dim), piece("  ", Ink::Text), piece("ok", Ink::Good)]);
    canvas.tint_selected(row(1), true);
    buffer
}

#[test]
fn text_contains_the_visible_letters() {
    assert_eq!(render_text(&draw_sample(&Theme::terminal())), "운영자 <&> é\nab  ok\n\n");
}

#[test]
fn ansi_text_has_sgr_codes() {
    let lines = render_ansi(&draw_sample(&Theme::mono()));
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], "\x1b[1m운영자 <&>\x1b[0m é");
    assert_eq!(sgr_codes(Style::new().fg(Color::LightRed).bg(Color::Blue)), ["91", "44"]);
    assert_eq!(
        sgr_codes(Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(200))),
        ["38;2;1;2;3", "48;5;200"]
    );
}

/// A terminal that gets the ANSI text shows the original screen.
#[test]
fn terminal_restores_screen_from_ansi_text() {
    let buffer = draw_sample(&Theme::terminal());
    let mut parser = vt100::Parser::new(3.try_into().unwrap(), 20.try_into().unwrap(), 0);
    parser.process(render_ansi(&buffer).trim_end_matches('\n').replace('\n', "\r\n").as_bytes());
    assert_eq!(parser.screen().contents().trim_end(), render_text(&buffer).trim_end());
}

#[test]
fn inks_are_listed_by_name() {
    let told = render_inks(&draw_sample(&Theme::with_ink_numbers()));
    assert_eq!(
        told,
        "0: 0..7 Title, 7..10 Error\n1: 0..2 Dim on Selection, 2..4 on Selection, 4..6 Good on Selection, 6..20 on Selection\n"
    );
}

#[test]
fn svg_places_every_letter_in_its_column() {
    let picture = render_svg(&draw_sample(&Theme::terminal()), "a <test>");
    let document = roxmltree::Document::parse(&picture).unwrap();
    let texts: Vec<_> = document.descendants().filter(|node| node.has_tag_name("text")).collect();
    let of = |wanted: &str| texts.iter().find(|node| node.text() == Some(wanted)).unwrap();
    assert_eq!(of("<&>").attribute("x"), Some("58.8"), "behind three wide letters and a blank");
    assert_eq!(of("운영자").attribute("textLength"), Some("50.4"), "six columns");
    assert_eq!(
        document.descendants().find(|node| node.has_tag_name("title")).unwrap().text(),
        Some("a <test>")
    );
    assert!(
        document.descendants().any(|node| node.has_tag_name("rect") && node.attribute("y") == Some("17.0"))
    );
}
