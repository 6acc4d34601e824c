use proptest::prelude::*;

use super::*;
use crate::document::Piece;

/// Renders the lines with markers: `*stressed*`, `` `code` ``, `<address>`, `|aside|`.
fn render_with_markers(markdown: &str, columns: usize) -> String {
    let mark = |piece: &Piece| match piece.ink {
        Ink::Text => piece.text.clone(),
        Ink::Title => format!("*{}*", piece.text),
        Ink::Code => format!("`{}`", piece.text),
        Ink::Link => format!("<{}>", piece.text),
        _ => format!("|{}|", piece.text),
    };
    let lines = render_markdown_lines(markdown, columns, true);
    lines.iter().map(|line| line.iter().map(mark).collect::<String>()).collect::<Vec<_>>().join("\n")
}

#[test]
fn headings_paragraphs_and_lists() {
    let markdown = "\
# Ship operator

It **ships** what is
*on board*. And `stays`.

## Features
* one that is long enough to wrap
  1. inner
  2. inner two
* [x] done

Last.";
    assert_eq!(
        render_with_markers(markdown, 24),
        "\
*Ship operator*

It *ships* what is *on*
*board*. And `stays`.

*Features*

- one that is long
  enough to wrap
  1. inner
  2. inner two
- [x] done

Last."
    );
}

#[test]
fn links_show_their_address_once() {
    assert_eq!(
        render_with_markers(
            "See [the manual](https://example.com/a) or <https://example.com>, ![logo](logo.png), <me@example.com>.",
            200
        ),
        "See the manual (<https://example.com/a>) or https://example.com, logo (<logo.png>), me@example.com."
    );
}

#[test]
fn code_keeps_white_space_and_quotations_have_a_bar() {
    assert_eq!(
        render_with_markers("Run:\n\n```sh\nif a; then\n  b\nfi\n```\n\n> said\n> so\n\n---\nend", 12),
        "Run:\n\n  `if a; then`\n  `  b`\n  `fi`\n\n|| |said so\n\n|------------|\n\nend"
    );
}

#[test]
fn tables_become_rows_and_html_becomes_text() {
    assert_eq!(render_with_markers("| a | b |\n|---|---|\n| 1 | **2** |\n", 40), "*a b*\n1 *2*");
    assert_eq!(
        render_with_markers(
            "<p align=\"center\">Hello<br/>you &amp; me</p>\n<!-- gone -->\n\nText <b>bold</b> and 1 < 2 <img\nsrc=x> end.",
            40
        ),
        "Hello\nyou & me\n\nText bold and 1 < 2 end."
    );
}

#[test]
fn control_characters_are_shown() {
    assert_eq!(
        render_with_markers("a\u{1b}[31mb &#27;[0m `\u{9b}`", 40),
        "a\u{241b}[31mb \u{241b}[0m `<U+009B>`"
    );
}

#[test]
fn emoji_and_scripts_that_join_stay_readable() {
    let text = "\u{26a0}\u{fe0f} \u{1f469}\u{200d}\u{1f4bb} `a\tb` <http://e.example/\u{200b}>";
    assert_eq!(render_with_markers(text, 60), "\u{26a0} \u{1f469}\u{1f4bb} `a b` http://e.example/<U+200B>");
}

#[test]
fn huge_text_is_truncated_with_a_note() {
    let huge = "word **strong** [link](http://example.com) | x\n".repeat(120_000);
    let lines = render_markdown_lines(&huge, 80, false);
    let last: String = lines.last().unwrap().iter().map(|piece| piece.text.as_str()).collect();
    assert_eq!(last, format!("The first 64 of {} KB; see the file for the rest.", huge.len() / 1024));
    assert!(lines.len() < 2000, "{}", lines.len());
}

/// Nested and unclosed marks make some Markdown parsers slow.
#[test]
fn hostile_markdown_is_rendered() {
    let wicked = ["> ", "* ", "[", "![", "**a ", "`", "<", "<!--", "|", "_a*", "\\", "&#", "[a](", "- - - "];
    for piece in wicked {
        let lines = render_markdown_lines(&piece.repeat(MAX_MARKDOWN_BYTES), 40, false);
        assert!(lines.iter().all(|line| line_width(line) <= 40), "{piece:?}");
    }
}

fn line_width(line: &Line) -> usize {
    line.iter().map(|piece| escape::count_columns(&piece.text)).sum()
}

proptest! {
    #[test]
    fn lines_never_exceed_the_requested_width(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "# ", "* ", "1. ", "> ", "```\n", "    ", "\n", "\n\n", "**", "_", "`", "[a](b)", "<b>", "</b>", "<!--", "|", "|-|\n",
                "word ", "운영자", "👩\u{200d}💻", "e\u{301}", "---\n", "\u{1b}", "https://example.com/long/address ", "&amp;", "\\",
            ]),
            0..60,
        ),
        columns in 0_usize..40,
        ascii: bool,
    ) {
        for line in render_markdown_lines(&pieces.concat(), columns, ascii) {
            prop_assert!(line_width(&line) <= columns.max(1), "{line:?}");
        }
    }

    #[test]
    fn any_text_is_rendered_without_panic(text in "\\PC{0,200}", columns in 1_usize..30) {
        for line in render_markdown_lines(&text, columns, false) {
            prop_assert!(line_width(&line) <= columns);
        }
    }
}
