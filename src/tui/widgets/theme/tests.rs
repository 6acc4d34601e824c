//! Readability of the themes: contrast as defined by WCAG 2.2.

#![allow(clippy::unreadable_literal, reason = "colours are written so everywhere")]

use ratatui::style::{Color, Modifier, Style};

use crate::tui::{
    parts::theme_settings::{Background, ColorDepth, ThemeName, ThemeSettings, contrast, luminance},
    widgets::theme::{
        Ink, Rgb, Theme, indexed_color,
        palettes::{self, ThemeColors},
    },
};

/// Inks of lines, for which WCAG requires a contrast of 3 instead of 4.5.
const LINE_INKS: [Ink; 2] = [Ink::Rule, Ink::Border];

/// Inks that patch drawn cells and do not draw any themselves.
const LAYER_INKS: [Ink; 4] = [Ink::Selection, Ink::SelectionAside, Ink::Cursor, Ink::Stale];

fn contrast_ratio(one: Rgb, other: Rgb) -> f64 {
    let of = |colour: Rgb| luminance(colour.components().map(|part| f64::from(part) / 255.0));
    contrast(of(one), of(other))
}

fn to_rgb(colour: Option<Color>) -> Rgb {
    match colour {
        Some(Color::Rgb(r, g, b)) => Rgb(u32::from_be_bytes([0, r, g, b])),
        Some(Color::Indexed(index)) => indexed_color(index),
        other => panic!("{other:?} is no colour of its own"),
    }
}

#[test]
fn contrast_matches_wcag_examples() {
    assert!((contrast_ratio(Rgb(0), Rgb(0xffffff)) - 21.0).abs() < 1e-9);
    assert!(
        (contrast_ratio(Rgb(0x767676), Rgb(0xffffff)) - 4.54).abs() < 0.01,
        "the lightest grey that passes on white"
    );
}

/// Checks every ink on every background it can be drawn on, except with sixteen colors.
#[test]
fn built_in_themes_are_readable() {
    for theme in [ThemeName::Dark, ThemeName::Light, ThemeName::HighContrast] {
        for colours in [ColorDepth::TrueColor, ColorDepth::Indexed] {
            let drawn = Theme::new(ThemeSettings { theme, color_depth: colours, background: None });
            let least = if theme == ThemeName::HighContrast { 7.0 } else { 4.5 };
            for ink in Ink::ALL.iter().filter(|ink| !LAYER_INKS.contains(ink)) {
                let least = if LINE_INKS.contains(ink) { 3.0 } else { least };
                let cell = drawn.base().patch(drawn.style(*ink));
                let layers = LAYER_INKS.map(|layer| cell.patch(drawn.style(layer)));
                for cell in [cell].into_iter().chain(layers) {
                    let found = contrast_ratio(to_rgb(cell.fg), to_rgb(cell.bg));
                    assert!(found >= least, "{theme:?} {colours:?} {ink:?} {cell:?}: {found:.2}");
                }
            }
        }
    }
}

#[test]
fn selected_row_contrasts_more_than_inactive_selection() {
    for theme in [ThemeName::Dark, ThemeName::Light, ThemeName::HighContrast] {
        let theme = palettes::built_in_colors(theme).expect("it has its own colors").expect("it is readable");
        let selected = contrast_ratio(theme.selection, theme.background);
        assert!(
            selected > contrast_ratio(theme.inactive_selection, theme.background),
            "{theme:?}: {selected:.2}"
        );
    }
}

#[test]
fn mistakes_in_a_theme_file_are_errors_with_a_line() {
    let text = include_str!("../../../../assets/themes/dark.toml");
    for (from, to, error) in [
        ("#14171c", "14171c", "\"14171c\" is not a color of the form #rrggbb"),
        ("#14171c", "#+4171c", "\"#+4171c\" is not a color of the form #rrggbb"),
        ("background-kind = \"dark\"", "background-kind = \"grey\"", "unknown variant `grey`"),
        ("violet =", "purple =", "unknown field `purple`"),
        ("violet =", "# violet =", "missing field `violet`"),
    ] {
        assert!(text.contains(from));
        let message = ThemeColors::from_toml(&text.replacen(from, to, 1)).expect_err(to).to_string();
        assert!(message.contains(error), "{message}");
        assert!(message.contains("line"), "{message}");
    }
}

/// Sixteen colors of a terminal: the eight normal ones, then the bright ones.
struct Palette {
    name: &'static str,
    colors: [u32; 16],
    /// Minimum contrast to the background that a color is used on.
    min_contrast: f64,
    /// Minimum contrast for colors that are used on both backgrounds.
    min_contrast_both: f64,
}

/// Default palettes of widespread terminals: `XTerm-col.ad` of xterm, the PC text mode, Tango of
/// GNOME Terminal and Campbell of Windows Terminal.
const PALETTES: [Palette; 4] = [
    Palette {
        name: "xterm",
        colors: [
            0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
            0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
        ],
        min_contrast: 4.5,
        min_contrast_both: 3.9,
    },
    Palette {
        name: "VGA",
        colors: [
            0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555,
            0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
        ],
        min_contrast: 3.0,
        min_contrast_both: 2.6,
    },
    Palette {
        name: "Tango",
        colors: [
            0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf, 0x555753,
            0xef2929, 0x8ae234, 0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec,
        ],
        min_contrast: 3.0,
        min_contrast_both: 2.6,
    },
    Palette {
        name: "Campbell",
        colors: [
            0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc, 0x767676,
            0xe74856, 0x16c60c, 0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2,
        ],
        min_contrast: 3.0,
        min_contrast_both: 2.6,
    },
];

/// Returns the number of one of the sixteen colors; `None` for the default text and background.
fn ansi_number(colour: Option<Color>) -> Option<usize> {
    const ORDER: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    match colour {
        None | Some(Color::Reset) => None,
        Some(colour) => Some(ORDER.iter().position(|c| *c == colour).expect("one of the sixteen")),
    }
}

#[test]
fn terminal_colors_are_readable_on_each_background() {
    let (black, white) = (Rgb(0), Rgb(0xffffff));
    let cases = [
        (Some(Background::Dark), vec![black]),
        (Some(Background::Light), vec![white]),
        (None, vec![black, white]),
    ];
    for (background, possible) in cases {
        let drawn = Theme::new(ThemeSettings { background, ..ThemeSettings::default() });
        for ink in Ink::ALL {
            let style = drawn.style(*ink);
            let Some(fore) = ansi_number(style.fg) else {
                assert_eq!(ansi_number(style.bg), None, "{ink:?}: the terminal's text on a colour");
                continue;
            };
            let painted = ansi_number(style.bg);
            for palette in &PALETTES {
                // A color readable on black and on white is not optimal on either.
                let least =
                    if background.is_none() { palette.min_contrast_both } else { palette.min_contrast };
                // A painted background is the same on both.
                let painted = painted.map(|number| vec![Rgb(palette.colors[number])]);
                let least = if painted.is_some() { palette.min_contrast } else { least };
                for below in painted.as_ref().unwrap_or(&possible) {
                    let found = contrast_ratio(Rgb(palette.colors[fore]), *below);
                    assert!(
                        found >= least,
                        "{background:?} {ink:?} {style:?} in {}: {found:.2}",
                        palette.name
                    );
                }
            }
        }
    }
}

/// Warnings are yellow, good or added items green, wrong or removed items red.
#[test]
fn inks_have_usual_colors_on_every_background() {
    for background in [None, Some(Background::Dark), Some(Background::Light)] {
        let drawn = Theme::new(ThemeSettings { background, ..ThemeSettings::default() });
        let usual = [
            (Ink::Warning, vec![Color::Yellow]),
            (Ink::ToastFailed, vec![Color::Yellow]),
            (Ink::Good, vec![Color::Green]),
            (Ink::Toast, vec![Color::Green]),
            (Ink::Error, vec![Color::Red, Color::LightRed]),
            (Ink::Removed, vec![Color::Red, Color::LightRed]),
        ];
        for (ink, colours) in usual {
            let style = drawn.style(ink);
            let seen = style.bg.or(style.fg);
            assert!(seen.is_some_and(|seen| colours.contains(&seen)), "{background:?} {ink:?} {style:?}");
        }
    }
}

/// With sixteen colors, a built-in theme paints black or white and uses colors readable on it.
#[test]
fn built_in_themes_use_readable_colors_with_sixteen_colors() {
    for (theme, bg, fg) in [
        (ThemeName::Dark, Color::Black, Color::White),
        (ThemeName::Light, Color::White, Color::Black),
        (ThemeName::HighContrast, Color::Black, Color::White),
    ] {
        let drawn = Theme::new(ThemeSettings { theme, color_depth: ColorDepth::Sixteen, background: None });
        assert_eq!(drawn.base(), Style::new().fg(fg).bg(bg));
        let text = drawn.base().patch(drawn.style(Ink::Text));
        assert_eq!((text.fg, text.bg), (Some(fg), Some(bg)));
        for ink in Ink::ALL.iter().filter(|ink| !LAYER_INKS.contains(ink)) {
            let cell = drawn.base().patch(drawn.style(*ink));
            let below = Rgb(PALETTES[0].colors[ansi_number(cell.bg).unwrap()]);
            let found = contrast_ratio(Rgb(PALETTES[0].colors[ansi_number(cell.fg).unwrap()]), below);
            assert!(found >= 4.5, "{theme:?} {ink:?}: {found:.2}");
        }
    }
}

#[test]
fn no_theme_uses_colors_if_colors_are_off() {
    for theme in ThemeName::ALL {
        let drawn = Theme::new(ThemeSettings {
            theme,
            color_depth: ColorDepth::None,
            background: Some(Background::Light),
        });
        for style in Ink::ALL.iter().map(|ink| drawn.style(*ink)).chain([drawn.base()]) {
            assert_eq!((style.fg, style.bg), (None, None), "{theme:?}");
        }
    }
}

/// Inks that appear next to each other have different styles.
#[test]
fn adjacent_inks_have_different_styles() {
    let pairs = [
        (Ink::Text, Ink::Dim),
        (Ink::Text, Ink::Title),
        (Ink::Text, Ink::Key),
        (Ink::Text, Ink::Error),
        (Ink::Text, Ink::Warning),
        (Ink::Good, Ink::Removed),
        (Ink::Classic, Ink::V1),
        (Ink::Replaces, Ink::Skips),
        (Ink::Text, Ink::Match),
        (Ink::Selection, Ink::SelectionAside),
    ];
    for theme in ThemeName::ALL {
        for background in [None, Some(Background::Dark), Some(Background::Light)] {
            for colours in [ColorDepth::Sixteen, ColorDepth::Indexed, ColorDepth::TrueColor] {
                let drawn = Theme::new(ThemeSettings { theme, background, color_depth: colours });
                for (one, other) in pairs {
                    // Without colors, only words distinguish these inks.
                    let colourless = matches!((one, other), (Ink::Classic | Ink::Replaces | Ink::Good, _));
                    if theme == ThemeName::Mono && colourless {
                        continue;
                    }
                    assert_ne!(
                        drawn.style(one),
                        drawn.style(other),
                        "{theme:?} {background:?} {colours:?} {one:?} {other:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn reversed_row_has_no_stripes_and_is_not_dim() {
    let drawn = Theme::terminal();
    let dim = drawn.style(Ink::Dim).patch(drawn.style(Ink::Selection));
    assert!(dim.add_modifier.contains(Modifier::REVERSED) && !dim.add_modifier.contains(Modifier::DIM));
    assert_eq!(dim.fg, Some(Color::Reset));
}

#[test]
fn indexed_color_is_its_own_nearest_match() {
    for index in 16..=255 {
        let Color::Indexed(found) = indexed_color(index).to_indexed() else { panic!("no index") };
        assert_eq!(indexed_color(found), indexed_color(index), "{index}");
    }
    assert_eq!(Rgb(0x14171c).to_indexed(), Color::Indexed(234));
}
