//! Styles of the screen, by ink.

mod ansi;
mod palettes;
#[cfg(test)]
mod tests;

pub use olmap_report::Ink;

use ratatui::style::{Color, Modifier, Style};

use crate::tui::parts::theme_settings::{Background, ColorDepth, ThemeName, ThemeSettings};

/// Returns the RGB value of one of the 240 fixed colors as `0xRRGGBB`.
pub(super) fn indexed_rgb(index: u8) -> u32 {
    indexed_color(index).0
}

/// Style of each ink.
#[derive(Clone, Debug)]
pub struct Theme {
    base: Style,
    styles: Vec<Style>,
}

impl Theme {
    /// Builds the theme for the given settings.
    pub fn new(settings: ThemeSettings) -> Self {
        let theme = if settings.color_depth == ColorDepth::None {
            ThemeName::Mono
        } else {
            settings.effective_theme()
        };
        if theme == ThemeName::Mono {
            return Self::from_styles(Style::new(), mono_style);
        }
        let Some(Ok(palette)) = palettes::built_in_colors(theme) else {
            return Self::from_styles(Style::new(), |ink| ansi::ansi_style(ink, settings.background));
        };
        let colour: fn(Rgb) -> Color = match settings.color_depth {
            ColorDepth::TrueColor => |rgb| rgb.to_true_color(),
            ColorDepth::Indexed => |rgb| rgb.to_indexed(),
            // Sixteen colors differ between terminals, so the nearest one says little. The theme
            // paints black or white and uses colors that are readable on it.
            ColorDepth::Sixteen | ColorDepth::None => {
                let (back, fore, kind) = match palette.background_kind {
                    Background::Dark => (Color::Black, Color::White, Background::Dark),
                    Background::Light => (Color::White, Color::Black, Background::Light),
                };
                let base = Style::new().bg(back).fg(fore);
                return Self::from_styles(base, |ink| base.patch(ansi::ansi_style(ink, Some(kind))));
            }
        };
        let base = Style::new().fg(colour(palette.ink_color(Ink::Text))).bg(colour(palette.background));
        Self::from_styles(base, |ink| palette.ink_style(ink, colour))
    }

    /// Builds a theme that gives each ink its own color. Inks that patch drawn cells use the
    /// background.
    pub(super) fn from_colors(number: fn(Ink) -> Color) -> Self {
        Self::from_styles(Style::new(), |ink| match ink {
            Ink::Selection | Ink::SelectionAside | Ink::Cursor | Ink::Stale => Style::new().bg(number(ink)),
            _ => Style::new().fg(number(ink)),
        })
    }

    fn from_styles(base: Style, style: impl Fn(Ink) -> Style) -> Self {
        Self { base, styles: Ink::ALL.iter().map(|ink| style(*ink)).collect() }
    }

    /// Returns the theme with the sixteen colors of the terminal, for an unknown background.
    pub fn terminal() -> Self {
        Self::new(ThemeSettings::default())
    }

    /// Returns the theme without colors: only bold, dim, underlined and reversed.
    pub fn mono() -> Self {
        Self::new(ThemeSettings { theme: ThemeName::Mono, ..ThemeSettings::default() })
    }

    /// Returns the style of blanks, which all other styles patch.
    pub fn base(&self) -> Style {
        self.base
    }

    /// Returns the style of an ink.
    pub fn style(&self, ink: Ink) -> Style {
        self.styles.get(ink as usize).copied().unwrap_or(self.base)
    }
}

/// Returns the modifiers of an ink, independent of its color.
fn emphasis(ink: Ink) -> Modifier {
    match ink {
        Ink::Title | Ink::Bold | Ink::Active | Ink::Error | Ink::Classic | Ink::V1 => Modifier::BOLD,
        Ink::Match | Ink::Link => Modifier::UNDERLINED,
        Ink::Gone => Modifier::CROSSED_OUT,
        _ => Modifier::empty(),
    }
}

/// Returns the style of a row highlighted by reversed colors. The colors of its pieces are reset:
/// reversed they would give stripes. Dim text would be hard to read.
fn reversed_style() -> Style {
    let swapped = Style::new().fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::REVERSED);
    swapped.remove_modifier(Modifier::DIM)
}

fn mono_style(ink: Ink) -> Style {
    let style = Style::new().add_modifier(emphasis(ink));
    match ink {
        Ink::Dim | Ink::Rule | Ink::Skipped | Ink::Stale => style.add_modifier(Modifier::DIM),
        Ink::Key | Ink::Warning | Ink::Deprecated | Ink::Good | Ink::Border | Ink::ToastFailed => {
            style.add_modifier(Modifier::BOLD)
        }
        Ink::Selection | Ink::Cursor => {
            Style::new().add_modifier(Modifier::REVERSED).remove_modifier(Modifier::DIM)
        }
        Ink::SelectionAside => Style::new().add_modifier(Modifier::BOLD).remove_modifier(Modifier::DIM),
        _ => style,
    }
}

/// sRGB color as `0xRRGGBB`. Theme files write it as `"#rrggbb"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Rgb(pub u32);

impl TryFrom<String> for Rgb {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = text
            .strip_prefix('#')
            .filter(|digits| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        digits
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .map(Self)
            .ok_or_else(|| format!("{text:?} is not a color of the form #rrggbb"))
    }
}

/// Values of the six steps of the color cube of 256 colors (xterm's `256colres.h`).
const CUBE_STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl Rgb {
    pub fn components(self) -> [u8; 3] {
        let [_, red, green, blue] = self.0.to_be_bytes();
        [red, green, blue]
    }

    /// Converts to a 24-bit terminal color.
    pub fn to_true_color(self) -> Color {
        let [red, green, blue] = self.components();
        Color::Rgb(red, green, blue)
    }

    /// Returns the nearest of the 240 fixed colors. The first sixteen differ between terminals.
    pub fn to_indexed(self) -> Color {
        let distance = |index: &u8| {
            let parts = indexed_color(*index).components().into_iter().zip(self.components());
            parts.map(|(a, b)| (i32::from(a) - i32::from(b)).pow(2)).sum::<i32>()
        };
        Color::Indexed((16..=255).min_by_key(distance).unwrap_or(16))
    }
}

/// Returns the RGB value of one of the 240 fixed colors: a cube of six steps, then 24 grays.
/// Returns black for the first sixteen.
pub(super) fn indexed_color(index: u8) -> Rgb {
    let of = |red: u8, green: u8, blue: u8| Rgb(u32::from_be_bytes([0, red, green, blue]));
    let step = |n: u8| CUBE_STEPS.get(usize::from(n % 6)).copied().unwrap_or_default();
    match index {
        0..16 => Rgb(0),
        16..232 => of(step((index - 16) / 36), step((index - 16) / 6), step(index - 16)),
        232.. => {
            let grey = 8 + 10 * (index - 232);
            of(grey, grey, grey)
        }
    }
}
