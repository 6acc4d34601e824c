//! Rendering of a screen as an SVG picture.

use std::fmt::Write as _;

use ratatui::{
    buffer::Buffer,
    style::{Color, Modifier, Style},
};

use crate::tui::widgets::{
    capture::{Run, rows_of_runs},
    theme::indexed_rgb,
};

/// Width and height of a cell in pixels. A monospaced letter is about 0.6 of the font size wide.
const CELL_SIZE: (f64, f64) = (8.4, 17.0);
const FONT_SIZE: f64 = 14.0;
/// Margin around the screen, in pixels.
const MARGIN: f64 = 10.0;

/// Text color that replaces the default of the terminal.
const DEFAULT_TEXT: u32 = 0x00e5_e5e5;
const DEFAULT_BACKGROUND: u32 = 0;
const ANSI_COLORS: [u32; 16] = [
    0x0000_0000,
    0x00cd_0000,
    0x0000_cd00,
    0x00cd_cd00,
    0x0000_00ee,
    0x00cd_00cd,
    0x0000_cdcd,
    0x00e5_e5e5,
    0x007f_7f7f,
    0x00ff_0000,
    0x0000_ff00,
    0x00ff_ff00,
    0x005c_5cff,
    0x00ff_00ff,
    0x0000_ffff,
    0x00ff_ffff,
];

/// Returns the number of one of the sixteen colors; `None` for other colors.
pub(super) fn ansi_number(colour: Color) -> Option<u8> {
    Some(match colour {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        Color::Reset | Color::Rgb(..) | Color::Indexed(_) => return None,
    })
}

/// Renders a screen as an SVG document. The background of a theme is kept; the default colors of a
/// terminal become those of xterm on black. `title` describes the picture for screen readers.
pub fn render_svg(buffer: &Buffer, title: &str) -> String {
    let (width, height) =
        (f64::from(buffer.area.width) * CELL_SIZE.0, f64::from(buffer.area.height) * CELL_SIZE.1);
    let base =
        buffer.cell((buffer.area.x, buffer.area.y)).map(|cell| resolve_colors(cell.style()).background);
    let base = base.unwrap_or(DEFAULT_BACKGROUND);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.1} {h:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" role=\"img\">\n\
         <title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n\
         <g transform=\"translate({MARGIN},{MARGIN})\" font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\" \
         font-size=\"{FONT_SIZE}\" xml:space=\"preserve\">\n",
        escape_xml(title),
        format_hex(base),
        w = width + 2.0 * MARGIN,
        h = height + 2.0 * MARGIN,
    );
    for (y, row) in rows_of_runs(buffer).enumerate() {
        let top = y as f64 * CELL_SIZE.1;
        for run in &row {
            draw_background(&mut svg, run, top, base);
        }
        for run in &row {
            draw_letters(&mut svg, run, top);
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// Draws the background of a run if it differs from the base color.
fn draw_background(svg: &mut String, run: &Run, top: f64, base: u32) {
    let below = resolve_colors(run.style).background;
    if below != base {
        let (x, width) = (f64::from(run.x) * CELL_SIZE.0, f64::from(run.columns) * CELL_SIZE.0);
        let (height, fill) = (CELL_SIZE.1, format_hex(below));
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{fill}\"/>"
        );
    }
}

/// Draws the letters of a run, fitted to their columns for any font.
fn draw_letters(svg: &mut String, run: &Run, top: f64) {
    let blanks =
        |text: &str| u16::try_from(text.chars().take_while(|c| *c == ' ').count()).unwrap_or(u16::MAX);
    let text = run.text.trim_end_matches(' ');
    let before = blanks(text);
    let after = u16::try_from(run.text.len() - text.len()).unwrap_or(u16::MAX);
    let text = text.trim_start_matches(' ');
    if text.is_empty() {
        return;
    }
    let paint = resolve_colors(run.style);
    let x = f64::from(run.x + before) * CELL_SIZE.0;
    let length = f64::from(run.columns.saturating_sub(before).saturating_sub(after)) * CELL_SIZE.0;
    let mut more = String::new();
    if run.style.add_modifier.contains(Modifier::BOLD) {
        more.push_str(" font-weight=\"bold\"");
    }
    if run.style.add_modifier.contains(Modifier::ITALIC) {
        more.push_str(" font-style=\"italic\"");
    }
    if run.style.add_modifier.contains(Modifier::UNDERLINED) {
        more.push_str(" text-decoration=\"underline\"");
    }
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{:.1}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{more}>{}</text>",
        top + CELL_SIZE.1 * 0.76,
        format_hex(paint.letters),
        escape_xml(text),
    );
}

struct RunColors {
    letters: u32,
    background: u32,
}

/// Resolves the colors of a style, including reversed and dim.
fn resolve_colors(style: Style) -> RunColors {
    let mut letters = to_rgb(style.fg, DEFAULT_TEXT);
    let mut below = to_rgb(style.bg, DEFAULT_BACKGROUND);
    if style.add_modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut letters, &mut below);
    }
    if style.add_modifier.contains(Modifier::DIM) {
        letters = mix_colors(letters, below);
    }
    RunColors { letters, background: below }
}

fn to_rgb(colour: Option<Color>, otherwise: u32) -> u32 {
    match colour {
        None | Some(Color::Reset) => otherwise,
        Some(Color::Rgb(red, green, blue)) => u32::from_be_bytes([0, red, green, blue]),
        Some(Color::Indexed(index)) if index >= 16 => indexed_rgb(index),
        Some(Color::Indexed(index)) => ANSI_COLORS.get(usize::from(index)).copied().unwrap_or(otherwise),
        Some(named) => {
            let number = ansi_number(named).map(usize::from);
            number.and_then(|number| ANSI_COLORS.get(number)).copied().unwrap_or(otherwise)
        }
    }
}

/// Mixes two parts of one color with one part of another. Most terminals draw dim letters this way.
fn mix_colors(much: u32, little: u32) -> u32 {
    let parts = much.to_be_bytes().into_iter().zip(little.to_be_bytes());
    parts.fold(0, |all, (much, little)| (all << 8) | ((2 * u32::from(much) + u32::from(little)) / 3))
}

fn format_hex(colour: u32) -> String {
    format!("#{colour:06x}")
}

fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
