//! Text on cells: cut, filled, wrapped, and harmless.

use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    canvas::{Canvas, fit, pad, width, wrap},
    theme::{Role, Theme},
};

#[test]
fn what_does_not_fit_is_cut_at_a_letter_and_marked() {
    assert_eq!(fit("operator", 8, false), "operator");
    assert_eq!(fit("operators", 8, false), "operato…");
    assert_eq!(fit("operators", 8, true), "operato~");
    assert_eq!(fit("運営者演算子", 5, false), "運営…", "a wide letter is never cut in half");
    assert_eq!(fit("x", 0, false), "");
}

#[test]
fn lines_break_at_blanks_and_inside_words_only_when_they_must() {
    assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(wrap("a\n\nb", 10), ["a", "", "b"]);
    assert_eq!(wrap("  - item that goes on", 12), ["  - item", "  that goes", "  on"]);
}

#[test]
fn control_characters_become_pictures() {
    let area = Rect::new(0, 0, 20, 1);
    let mut buffer = Buffer::empty(area);
    let theme = Theme::mono();
    Canvas::new(&mut buffer, &theme, false).put(0, 0, 20, "a\x1b[31mb\r\n", Role::Text);
    let line: String = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
    assert!(line.starts_with("a\u{241b}[31mb\u{240d}\u{240a}"), "{line:?}");
}

#[test]
fn drawing_outside_the_screen_draws_nothing() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 2));
    let theme = Theme::terminal();
    let mut canvas = Canvas::new(&mut buffer, &theme, false);
    assert_eq!(canvas.put(9, 9, 10, "x", Role::Text), 0);
    assert_eq!(canvas.boxed(Rect::new(2, 1, 50, 50), "title"), Rect::default());
    canvas.clear(Rect::new(0, 0, u16::MAX, u16::MAX));
}

proptest! {
    #[test]
    fn fitted_text_is_never_wider_than_asked(text in "\\PC{0,40}", max in 0usize..30) {
        prop_assert!(width(&fit(&text, max, false)) <= max);
        prop_assert_eq!(width(&pad(&text, max, true)), max);
    }

    #[test]
    fn wrapping_loses_no_word(text in "[a-z ]{0,80}", max in 1usize..20) {
        let wrapped = wrap(&text, max);
        let letters = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        prop_assert_eq!(letters(&wrapped.concat()), letters(&text));
        prop_assert!(wrapped.iter().all(|line| width(line) <= max));
    }
}
