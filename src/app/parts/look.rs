//! How the explorer is to look, in names: `ui` turns them into colours.

/// A theme.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ThemeName {
    /// The terminal's own sixteen colours on its own background.
    #[default]
    Terminal,
    /// Colours of its own on a dark background of its own.
    Dark,
    /// Colours of its own on a light background of its own.
    Light,
    /// White and bright colours on black, a yellow bar on what is selected.
    HighContrast,
    /// No colours: bold, dim, underlined and reversed text only.
    Mono,
    /// `Dark` or `Light`, as the terminal's background is; `Terminal` where that is not known.
    Auto,
}

impl ThemeName {
    /// Every theme, in the order in which the key goes through them; `Auto` is none of its own and comes last.
    pub const ALL: [Self; 6] =
        [Self::Terminal, Self::Dark, Self::Light, Self::HighContrast, Self::Mono, Self::Auto];

    /// Its name on the command line, in the configuration and in notices.
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

    /// The theme of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

/// Which of the two kinds of background the terminal has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Background {
    /// Light text is read on it.
    Dark,
    /// Dark text is read on it.
    Light,
}

impl Background {
    /// By its colour, each part from 0 to 1: dark where white reads better on it than black does (WCAG 2.2).
    pub fn of(rgb: [f64; 3]) -> Self {
        let luminance = luminance(rgb);
        if contrast(1.0, luminance) >= contrast(luminance, 0.0) { Self::Dark } else { Self::Light }
    }
}

/// Relative luminance of an sRGB colour, each part from 0 to 1 (WCAG 2.2, "relative luminance").
pub fn luminance(rgb: [f64; 3]) -> f64 {
    let linear = |part: f64| {
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = rgb.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Contrast of two luminances, from 1 (none) to 21 (WCAG 2.2, "contrast ratio").
pub fn contrast(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// How many colours may be used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Colours {
    /// None: the user does not want any (`NO_COLOR`, `--color never`), or the terminal has none.
    None,
    /// The terminal's own sixteen.
    Sixteen,
    /// 256, of which 240 are the same everywhere.
    Indexed,
    /// Any.
    #[default]
    True,
}

/// All that decides what a meaning looks like.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Look {
    /// What was asked for.
    pub theme: ThemeName,
    /// What the terminal's background is, where it told.
    pub background: Option<Background>,
    /// What the terminal can show and the user wants to see.
    pub colours: Colours,
}

impl Look {
    /// The theme that comes after the present one. `Auto` stands for one of the others and is passed over.
    pub fn next(self) -> ThemeName {
        let now = self.resolved();
        let others = ThemeName::ALL.iter().copied().filter(|name| *name != ThemeName::Auto);
        let mut after = others.clone().skip_while(|name| *name != now).skip(1);
        after.next().unwrap_or_default()
    }

    /// The theme that is drawn: what `Auto` stands for, else what was asked for.
    pub fn resolved(self) -> ThemeName {
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
    fn backgrounds_that_people_use_are_told_apart() {
        let byte = |n: u8| f64::from(n) / 255.0;
        let of = |r, g, b| Background::of([byte(r), byte(g), byte(b)]);
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
    fn the_key_goes_through_every_theme_and_comes_back() {
        let mut look = Look::default();
        let mut seen = Vec::new();
        for _ in 0..5 {
            seen.push(look.theme.name());
            look.theme = look.next();
        }
        assert_eq!(seen, ["terminal", "dark", "light", "high-contrast", "mono"]);
        assert_eq!(look.theme, ThemeName::Terminal);
        look.theme = ThemeName::Auto;
        look.background = Some(Background::Light);
        assert_eq!((look.resolved(), look.next()), (ThemeName::Light, ThemeName::HighContrast));
    }

    #[test]
    fn names_lead_back_to_themes() {
        for theme in ThemeName::ALL {
            assert_eq!(ThemeName::parse(theme.name()), Some(theme));
        }
        assert_eq!(ThemeName::parse("solarized"), None);
        assert_eq!(ThemeName::ALL.map(ThemeName::name), crate::config::THEMES, "config.toml takes the same");
    }
}
