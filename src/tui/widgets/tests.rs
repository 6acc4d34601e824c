//! Tests of the canvas, and of text in all scripts: never wider than its room, never half a letter.

use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect};
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::{
    parts::field::TextField,
    widgets::{
        canvas::{Canvas, piece},
        text::{
            FieldWindow, display_width, fit, hanging_lines, highlight_filter, highlight_matches, pad,
            wrap_text,
        },
        theme::{Ink, Theme},
    },
};
use olmap_report::escape::grapheme_width;

/// Grapheme clusters that programs often get wrong: wide letters, letters of several characters,
/// lone combining marks, joining letters and emoji sequences.
const LETTERS: &[&str] = &[
    "a",
    "Z",
    "0",
    " ",
    "-",
    "é",
    "e\u{301}",
    "ß",
    "\u{301}",
    "운",
    "영",
    "\u{1112}\u{1161}\u{11ab}",
    "\u{1100}\u{1161}",
    "漢",
    "字",
    "、",
    "ｶ\u{ff9e}",
    "が",
    "か\u{3099}",
    "ก็",
    "น้ำ",
    "क्षि",
    "नि",
    "ل",
    "ا",
    "لا",
    "مُ",
    "ש\u{5b8}",
    "😀",
    "👩\u{200d}💻",
    "👍🏽",
    "🇰🇷",
    "🇩",
    "❤\u{fe0f}",
    "❤",
    "1\u{fe0f}\u{20e3}",
    "☁\u{fe0e}",
    "\u{200d}",
    "\u{ad}",
    "\t",
    "\u{1b}",
    "\u{202e}",
    "ﷺ",
    "…",
];

fn any_script_text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(LETTERS), 0..24).prop_map(|letters| letters.concat())
}

/// Draws text on a row of cells; returns the drawn text and the number of columns used.
fn draw_on_cells(text: &str, room: u16) -> (String, u16) {
    let mut buffer = Buffer::empty(Rect::new(0, 0, room.saturating_add(4), 1));
    let theme = Theme::mono();
    let used = Canvas::new(&mut buffer, &theme, false).draw_text(0, 0, room, text, Ink::Text);
    (super::capture::render_text(&buffer).trim_end_matches('\n').to_owned(), used)
}

/// Returns the visible letters of a text, without blanks.
fn visible_letters(text: &str) -> Vec<&str> {
    text.graphemes(true).filter(|g| grapheme_width(g) > 0 && !g.chars().all(char::is_whitespace)).collect()
}

#[test]
fn text_that_does_not_fit_is_cut_at_a_letter_and_marked() {
    assert_eq!(fit("operator", 8, false), "operator");
    assert_eq!(fit("operators", 8, false), "operato…");
    assert_eq!(fit("operators", 8, true), "operato~");
    assert_eq!(fit("運営者演算子", 5, false), "運営…", "a wide letter is never cut in half");
    assert_eq!(fit("x", 0, false), "");
}

#[test]
fn letters_of_several_characters_are_never_split() {
    assert_eq!(
        fit("\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", 3, false),
        "\u{1112}\u{1161}\u{11ab}…"
    );
    assert_eq!(fit("👩🏽👩🏽", 3, false), "👩🏽…");
    assert_eq!(fit("👩\u{200d}💻", 12, false), "👩<U+200D>💻", "what joins is shown: a name may hide it");
    assert_eq!(fit("🇰🇷🇯🇵", 3, true), "🇰🇷~");
    assert_eq!(display_width("لا"), 2, "two letters, though the tables join them to one column");
    assert_eq!(pad("e\u{301}", 3, false), "e\u{301}  ");
}

#[test]
fn lines_break_inside_words_only_if_necessary() {
    assert_eq!(wrap_text("one two three", 7), ["one two", "three"]);
    assert_eq!(wrap_text("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(wrap_text("a\n\nb", 10), ["a", "", "b"]);
    assert_eq!(wrap_text("  - item that goes on", 12), ["  - item", "  that goes", "  on"]);
    assert_eq!(wrap_text("漢字 漢字漢字", 5), ["漢字", "漢字", "漢字"]);
}

#[test]
fn matches_are_highlighted_at_their_position() {
    let lit = |text: &str, matched: &[usize], max: usize| -> String {
        let pieces = highlight_matches(text, matched, max, Ink::Text, false);
        pieces
            .iter()
            .map(|p| if p.ink == Ink::Match { format!("[{}]", p.text) } else { p.text.clone() })
            .collect()
    };
    assert_eq!(lit("operator", &[0, 1, 4], 20), "[op]er[a]tor");
    assert_eq!(lit("operator", &[0, 6, 7], 7), "[o]perat…", "what is cut off lights up nothing");
    assert_eq!(lit("e\u{301}te\u{301}", &[0, 2], 20), "[e\u{301}t]e\u{301}", "a letter with its mark is one");
    assert_eq!(lit("e\u{301}te\u{301}", &[4], 20), "e\u{301}t[e\u{301}]");
    assert_eq!(lit("\u{1b}ab", &[1], 20), "\u{241b}[a]b", "harmless characters keep their numbers");
    assert_eq!(lit("運営者", &[1], 20), "運[営]者");
}

#[test]
fn filter_highlights_whole_letters() {
    let shown = |text: &str, filter: &str| -> String {
        let pieces = highlight_filter(text, Ink::Text, filter);
        pieces
            .iter()
            .map(|p| if p.ink == Ink::Match { format!("[{}]", p.text) } else { p.text.clone() })
            .collect()
    };
    assert_eq!(shown("ship-operator", "ope ship"), "[ship]-[ope]rator");
    assert_eq!(shown("e\u{301}te", "e"), "[e\u{301}]t[e]", "a mark goes with its letter");
    assert_eq!((shown("abc", ""), shown("", "a")), ("abc".into(), String::new()));
}

#[test]
fn field_window_contains_the_cursor() {
    let at = |text: &str, cursor: usize, room: u16| {
        let input = TextField::new(text.to_owned()).with_cursor(cursor);
        let window = FieldWindow::for_input(&input, room);
        (window.shown.to_owned(), window.cursor)
    };
    assert_eq!(at("abc", 3, 10), ("abc".into(), 3));
    assert_eq!(at("abcdef", 6, 4), ("def".into(), 3));
    assert_eq!(at("e\u{301}字x", 4, 10), ("e\u{301}字x".into(), 4), "four characters, four columns");
    assert_eq!(at("a\u{200d}x", 3, 20), ("a\u{200d}x".into(), 10), "what nobody sees is shown, a<U+200D>x");
    assert_eq!(at("漢字漢字", 4, 4), ("字".into(), 2), "half a letter is not shown");
}

#[test]
fn overwriting_half_of_a_wide_letter_erases_it() {
    let theme = Theme::terminal();
    let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
    let mut canvas = Canvas::new(&mut buffer, &theme, false);
    canvas.draw_text(0, 0, 8, "漢字漢字", Ink::Text);
    canvas.draw_text(3, 0, 1, "|", Ink::Rule);
    assert_eq!(super::capture::render_text(&buffer), "漢 |漢字\n", "drawn over its right half");
    let mut canvas = Canvas::new(&mut buffer, &theme, false);
    canvas.draw_text(6, 0, 1, "|", Ink::Rule);
    assert_eq!(super::capture::render_text(&buffer), "漢 |漢|\n", "drawn over its left half");
    Canvas::new(&mut buffer, &theme, false).clear(Rect::new(1, 0, 1, 1));
    assert_eq!(super::capture::render_text(&buffer), "   |漢|\n", "blanks over its right half");
}

proptest! {
    #[test]
    fn measured_width_matches_cells(text in any_script_text()) {
        let (shown, used) = draw_on_cells(&text, 200);
        prop_assert_eq!(usize::from(used), display_width(&text));
        prop_assert!(display_width(&shown) <= display_width(&text));
        let plain = olmap_report::escape::escape_line(&text).into_owned();
        prop_assert_eq!(visible_letters(&shown).concat(), visible_letters(&plain).concat(), "every letter is there");
    }

    #[test]
    fn fit_and_pad_respect_the_width(text in any_script_text(), max in 0_u16..30, ascii: bool) {
        let (fitted, padded) = (fit(&text, max.into(), ascii), pad(&text, max.into(), ascii));
        prop_assert!(display_width(&fitted) <= usize::from(max));
        prop_assert_eq!(display_width(&padded), usize::from(max));
        prop_assert_eq!(draw_on_cells(&padded, 200).1, max, "on cells too");
        // The text is cut at a grapheme boundary.
        let plain = olmap_report::escape::escape_line(&text).into_owned();
        let mark = if ascii { "~" } else { "…" };
        let kept = if display_width(&text) <= usize::from(max) { fitted.as_str() } else { fitted.strip_suffix(mark).unwrap_or("") };
        prop_assert!(plain.grapheme_indices(true).any(|(at, _)| at == kept.len()) || kept.len() == plain.len());
    }

    #[test]
    fn wrapped_text_keeps_letters_and_width(text in any_script_text(), max in 1_usize..20) {
        let lines = wrap_text(&text, max);
        prop_assert!(lines.iter().all(|line| display_width(line) <= max), "{lines:?}");
        if visible_letters(&text).iter().all(|of_it| grapheme_width(of_it) <= max) {
            let plain = olmap_report::escape::escape_line(&text).into_owned();
            let kept: String = lines.iter().flat_map(|line| visible_letters(line)).collect();
            prop_assert_eq!(kept, visible_letters(&plain).concat());
        }
    }

    #[test]
    fn highlighted_text_equals_fitted_text(text in any_script_text(), matched in prop::collection::btree_set(0_usize..60, 0..9), max in 0_usize..30) {
        let matched: Vec<usize> = matched.into_iter().collect();
        let pieces = highlight_matches(&text, &matched, max, Ink::Text, false);
        let whole: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        prop_assert_eq!(whole, fit(&text, max, false));
        let apart: usize = pieces.iter().map(|piece| display_width(&piece.text)).sum();
        prop_assert_eq!(apart, display_width(&fit(&text, max, false)), "drawn piece by piece it takes as much");
    }

    /// No letter overlaps another or the edge, for any sequence of drawing calls.
    #[test]
    fn letters_never_overlap(drawn in prop::collection::vec((any_script_text(), 0_u16..14, 1_u16..14), 1..8)) {
        let theme = Theme::terminal();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 14, 1));
        let mut canvas = Canvas::new(&mut buffer, &theme, false);
        for (text, x, room) in &drawn {
            canvas.draw_text(*x, 0, *room, text, Ink::Text);
        }
        let mut free = 0;
        for x in 0..14 {
            let symbol = buffer[(x, 0)].symbol();
            if x < free {
                prop_assert_eq!(symbol, " ", "column {} is covered: {:?}", x, buffer);
            }
            free = free.max(x + u16::try_from(grapheme_width(symbol)).unwrap());
        }
        prop_assert!(free <= 14);
    }
}

#[test]
fn control_characters_are_drawn_as_symbols() {
    let area = Rect::new(0, 0, 20, 1);
    let mut buffer = Buffer::empty(area);
    let theme = Theme::mono();
    Canvas::new(&mut buffer, &theme, false).draw_text(0, 0, 20, "a\x1b[31mb\r\n", Ink::Text);
    let line: String = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
    assert!(line.starts_with("a\u{241b}[31mb\u{240d}\u{240a}"), "{line:?}");
}

#[test]
fn drawing_outside_screen_changes_nothing() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 2));
    let theme = Theme::terminal();
    let mut canvas = Canvas::new(&mut buffer, &theme, false);
    assert_eq!(canvas.draw_text(9, 9, 10, "x", Ink::Text), 0);
    assert_eq!(canvas.draw_box(Rect::new(2, 1, 50, 50), "title"), Rect::default());
    canvas.clear(Rect::new(0, 0, u16::MAX, u16::MAX));
}

#[test]
fn only_the_first_line_has_the_head() {
    let lines = hanging_lines(&[piece("+ ", Ink::Good)], "one two", 5, Ink::Text);
    let line = |head, text| [piece(head, Ink::Good), piece(text, Ink::Text)];
    assert_eq!(lines, [line("+ ", "one"), line("  ", "two")]);
}
