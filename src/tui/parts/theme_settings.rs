//! Settings for colors and themes. `widgets::theme` turns them into colors.

/// Name of a theme.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ThemeName {
    /// Sixteen colors and background of the terminal.
    #[default]
    Terminal,
    /// Own colors on a dark background.
    Dark,
    /// Own colors on a light background.
    Light,
    /// White and bright colors on black, with a yellow bar for the selection.
    HighContrast,
    /// No colors: only bold, dim, underlined and reversed text.
    Mono,
    /// `Dark` or `Light` depending on the background of the terminal; `Terminal` if it is unknown.
    Auto,
}

impl ThemeName {
    /// All themes in the order of the menu. `Auto` is an alias for one of the others and comes
    /// last.
    pub const ALL: [Self; 6] =
        [Self::Terminal, Self::Dark, Self::Light, Self::HighContrast, Self::Mono, Self::Auto];

    /// Returns the name on the command line, in the configuration and in notices.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrast => "high-contrast",
            Self::Mono => "mono",
            Self::Auto => "auto",
        }
    }

    /// Returns the letter in the menu of themes.
    pub const fn letter(self) -> char {
        match self {
            Self::Terminal => 't',
            Self::Dark => 'd',
            Self::Light => 'l',
            Self::HighContrast => 'h',
            Self::Mono => 'm',
            Self::Auto => 'a',
        }
    }

    /// Returns the description in the menu of themes.
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Terminal => "terminal: the sixteen colours of the terminal",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrast => "high-contrast",
            Self::Mono => "mono: no colours",
            Self::Auto => "auto: dark or light, as the background of the terminal",
        }
    }

    /// Returns the theme with the given name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

/// Kind of background of the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Background {
    /// Dark background for light text.
    Dark,
    /// Light background for dark text.
    Light,
}

impl Background {
    /// Classifies a color with parts from 0 to 1: dark if white has more contrast on it than black
    /// (WCAG 2.2).
    pub fn from_rgb(rgb: [f64; 3]) -> Self {
        let luminance = luminance(rgb);
        if contrast(1.0, luminance) >= contrast(luminance, 0.0) { Self::Dark } else { Self::Light }
    }
}

/// Returns the relative luminance of an sRGB color with parts from 0 to 1 (WCAG 2.2, "relative
/// luminance").
pub fn luminance(rgb: [f64; 3]) -> f64 {
    let linear = |part: f64| {
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = rgb.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Returns the contrast of two luminances, from 1 (none) to 21 (WCAG 2.2, "contrast ratio").
pub fn contrast(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Number of available colors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum ColorDepth {
    /// No colors: disabled by the user (`NO_COLOR`, `--color never`) or not supported by the
    /// terminal.
    None,
    /// Sixteen colors of the terminal.
    Sixteen,
    /// 256 colors, of which 240 are the same in every terminal.
    Indexed,
    /// 24-bit colors.
    #[default]
    TrueColor,
}

/// Settings that determine the colors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ThemeSettings {
    /// Requested theme.
    pub theme: ThemeName,
    /// Background of the terminal; `None` if it is unknown.
    pub background: Option<Background>,
    /// Colors that the terminal supports and the user allows.
    pub color_depth: ColorDepth,
}

impl ThemeSettings {
    /// Returns the drawn theme: `Auto` is resolved with the background.
    pub fn effective_theme(self) -> ThemeName {
        match (self.theme, self.background) {
            (ThemeName::Auto, Some(Background::Dark)) => ThemeName::Dark,
            (ThemeName::Auto, Some(Background::Light)) => ThemeName::Light,
            (ThemeName::Auto, None) => ThemeName::Terminal,
            (theme, _) => theme,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_common_background_colors() {
        let byte = |n: u8| f64::from(n) / 255.0;
        let of = |r, g, b| Background::from_rgb([byte(r), byte(g), byte(b)]);
        for (r, g, b) in
            [(0, 0, 0), (0x1e, 0x1e, 0x2e), (0x00, 0x2b, 0x36), (0x28, 0x2a, 0x36), (0x30, 0x0a, 0x24)]
        {
            assert_eq!(of(r, g, b), Background::Dark, "{r} {g} {b}");
        }
        for (r, g, b) in [(255, 255, 255), (0xfd, 0xf6, 0xe3), (0xef, 0xf1, 0xf5), (0xc0, 0xc0, 0xc0)] {
            assert_eq!(of(r, g, b), Background::Light, "{r} {g} {b}");
        }
    }

    #[test]
    fn auto_theme_follows_background() {
        let settings = ThemeSettings { theme: ThemeName::Auto, ..ThemeSettings::default() };
        assert_eq!(settings.effective_theme(), ThemeName::Terminal, "the background is unknown");
        let light = ThemeSettings { background: Some(Background::Light), ..settings };
        assert_eq!(light.effective_theme(), ThemeName::Light);
    }

    #[test]
    fn theme_names_parse_to_same_theme() {
        for theme in ThemeName::ALL {
            assert_eq!(ThemeName::parse(theme.name()), Some(theme));
        }
        assert_eq!(ThemeName::parse("solarized"), None);
        assert_eq!(ThemeName::ALL.map(ThemeName::name), crate::config::THEMES, "config.toml takes the same");
    }
}
