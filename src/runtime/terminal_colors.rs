//! Color support of the terminal, and detection of a dark or light background.
//!
//! The background is queried once (OSC 11) without waiting for the answer. The first frame uses colors that
//! are readable on any background, and later frames use the answer. A terminal that does not answer causes no
//! delay. The answer arrives as key events, which the [`EscapeFilter`] filters out. The filter works on the events
//! of crossterm, so that other input is handled as usual.

use std::env;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};

use super::terminal;
use crate::tui::parts::theme_settings::{Background, ColorDepth, ThemeName, ThemeSettings};

/// Returns the look of a theme in this terminal. `coloured` is false if the user does not want colors.
pub fn detect_look(theme: ThemeName, coloured: bool) -> ThemeSettings {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let (term, colorterm) = (variable("TERM"), variable("COLORTERM"));
    let colours = if coloured { color_depth(&term, &colorterm) } else { ColorDepth::None };
    ThemeSettings { theme, color_depth: colours, background: known_background(&term, &variable("COLORFGBG")) }
}

/// Returns the color depth of a terminal by its name. Terminals with all colors set `COLORTERM`.
fn color_depth(term: &str, colorterm: &str) -> ColorDepth {
    let all = ["alacritty", "foot", "wezterm", "xterm-ghostty", "xterm-kitty"];
    let is = |name: &&str| term == *name || term.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    if matches!(colorterm, "truecolor" | "24bit") || term.ends_with("-direct") || all.iter().any(is) {
        ColorDepth::TrueColor
    } else if term.contains("256color") {
        ColorDepth::Indexed
    } else {
        ColorDepth::Sixteen
    }
}

/// Returns the background if it is known without a query. The console of Linux is black. The terminals rxvt,
/// Konsole and others put the number of their background color in `COLORFGBG`.
fn known_background(term: &str, colorfgbg: &str) -> Option<Background> {
    if term == "linux" {
        return Some(Background::Dark);
    }
    let (_, number) = colorfgbg.rsplit_once(';')?;
    match number.parse::<u8>().ok()? {
        0..=6 | 8 => Some(Background::Dark),
        7 | 9..=15 => Some(Background::Light),
        _ => None,
    }
}

/// Queries the background of the terminal if it may answer, and returns the filter for the answer.
pub fn query_background(look: ThemeSettings) -> EscapeFilter {
    let term = env::var("TERM").unwrap_or_default();
    // Some versions of the Linux console print part of the query.
    let may_answer = cfg!(unix) && !matches!(term.as_str(), "" | "dumb" | "linux");
    if look.color_depth == ColorDepth::None || !may_answer {
        return EscapeFilter::default();
    }
    let asked = terminal::write_to_terminal(b"\x1b]11;?\x07");
    EscapeFilter { queried_at: asked.is_ok().then(Instant::now), ..EscapeFilter::default() }
}

/// Output of the filter.
#[derive(Debug, PartialEq)]
pub enum FilteredInput {
    /// Input of the user.
    Input(Input),
    /// Answer of the terminal.
    Background(Background),
}

/// Filter that removes the terminal's answer from the input.
#[derive(Debug, Default)]
pub struct EscapeFilter {
    /// Time of the query; `None` if no answer is expected.
    queried_at: Option<Instant>,
    /// Text of a possible partial answer, and the events that form it.
    held: String,
    events: Vec<Input>,
}

impl EscapeFilter {
    /// Maximum time that a possible answer is held back. A terminal sends its answer at once.
    pub const MAX_HOLD: Duration = Duration::from_millis(30);

    /// Time limit after the query for a single `Esc` to begin the answer. Later, only an `Esc` that arrives
    /// together with its bracket does, so that the key is never delayed.
    const ANSWER_LIMIT: Duration = Duration::from_secs(3);

    /// Returns true if [`Self::release`] would return events.
    pub fn has_held_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Returns the events that were held back and are not an answer.
    pub fn release(&mut self) -> impl Iterator<Item = FilteredInput> {
        self.held.clear();
        std::mem::take(&mut self.events).into_iter().map(FilteredInput::Input)
    }

    /// Accepts an event. Returns events that are not part of the answer, or the answer.
    pub fn filter(&mut self, event: Input) -> Vec<FilteredInput> {
        let Some(asked) = self.queried_at else { return vec![FilteredInput::Input(event)] };
        let Input::Key(key) = event else {
            // A resize may happen at any time, and does not end a partial answer.
            let before =
                if matches!(event, Input::Resize(..)) { Vec::new() } else { self.release().collect() };
            return before.into_iter().chain([FilteredInput::Input(event)]).collect();
        };
        let held = format!("{}{}", self.held, key_bytes(key));
        let is_late = held == "\x1b" && asked.elapsed() > Self::ANSWER_LIMIT;
        match parse_answer(&held) {
            AnswerParse::Partial if !is_late => {
                self.held = held;
                self.events.push(event);
                Vec::new()
            }
            AnswerParse::Complete(background) => {
                *self = Self::default();
                background.map(FilteredInput::Background).into_iter().collect()
            }
            AnswerParse::Partial | AnswerParse::Other if self.has_held_events() => {
                let before: Vec<FilteredInput> = self.release().collect();
                // The event may begin the answer.
                before.into_iter().chain(self.filter(event)).collect()
            }
            AnswerParse::Partial | AnswerParse::Other => vec![FilteredInput::Input(event)],
        }
    }
}

/// Returns the bytes of a key, if the answer can contain them.
fn key_bytes(key: KeyEvent) -> String {
    let plain = key.modifiers.difference(KeyModifiers::SHIFT);
    match (key.code, plain) {
        (KeyCode::Esc, KeyModifiers::NONE) => "\x1b".to_owned(),
        (KeyCode::Char(c), KeyModifiers::NONE) => c.to_string(),
        (KeyCode::Char(c), KeyModifiers::ALT) => format!("\x1b{c}"),
        (KeyCode::Char('g'), KeyModifiers::CONTROL) => "\x07".to_owned(),
        _ => "\0".to_owned(),
    }
}

enum AnswerParse {
    /// The text may become an answer.
    Partial,
    /// The text is an answer; `None` if its color has an unknown form.
    Complete(Option<Background>),
    /// The text is not an answer.
    Other,
}

/// Parses `ESC ] 11 ; rgb:RRRR/GGGG/BBBB`, terminated by BEL or `ESC \` (OSC 11 of the xterm control
/// sequences).
fn parse_answer(held: &str) -> AnswerParse {
    const PREFIX: &str = "\x1b]11;";
    /// Length of `rgba:` with four digits for each of four parts.
    const LONGEST: usize = 24;
    if PREFIX.starts_with(held) {
        return AnswerParse::Partial;
    }
    let Some(value) = held.strip_prefix(PREFIX) else { return AnswerParse::Other };
    if let Some(value) = value.strip_suffix('\x07').or(value.strip_suffix("\x1b\\")) {
        return AnswerParse::Complete(parse_color(value).map(Background::from_rgb));
    }
    let value = value.strip_suffix('\x1b').unwrap_or(value);
    let known = "rgba:".starts_with(value)
        || value
            .strip_prefix("rgb")
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_hexdigit() || "a:/".contains(c)));
    if known && value.len() <= LONGEST { AnswerParse::Partial } else { AnswerParse::Other }
}

/// Parses a color. Each part has one to four digits, and all `f` means 1 (the `rgb:` form of X11).
fn parse_color(value: &str) -> Option<[f64; 3]> {
    let parts = value.strip_prefix("rgb:").or_else(|| value.strip_prefix("rgba:"))?;
    let mut parts = parts.split('/').map(|part| {
        let most = 16_u32.checked_pow(u32::try_from(part.len()).ok()?)?.checked_sub(1)?;
        Some(f64::from(u32::from_str_radix(part, 16).ok()?) / f64::from(most.max(1)))
    });
    let mut next = || parts.next().flatten();
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key_event(c: char) -> Input {
        let (code, modifiers) = match c {
            '\x1b' => (KeyCode::Esc, KeyModifiers::NONE),
            '\x07' => (KeyCode::Char('g'), KeyModifiers::CONTROL),
            c if c.is_ascii_uppercase() => (KeyCode::Char(c), KeyModifiers::SHIFT),
            c => (KeyCode::Char(c), KeyModifiers::NONE),
        };
        Input::Key(KeyEvent::new(code, modifiers))
    }

    /// Returns the events that crossterm makes of bytes that arrive together: `Esc` and a letter are one key.
    fn key_events(bytes: &str) -> Vec<Input> {
        let mut keys = Vec::new();
        let mut rest = bytes.chars().peekable();
        while let Some(c) = rest.next() {
            keys.push(match (c, rest.peek()) {
                ('\x1b', Some(&next)) if next != '\x1b' => {
                    rest.next();
                    Input::Key(KeyEvent::new(KeyCode::Char(next), KeyModifiers::ALT))
                }
                _ => key_event(c),
            });
        }
        keys
    }

    fn waiting_filter() -> EscapeFilter {
        EscapeFilter { queried_at: Some(Instant::now()), ..EscapeFilter::default() }
    }

    fn filter_all(sieve: &mut EscapeFilter, events: Vec<Input>) -> (Vec<Input>, Option<Background>) {
        let sifted: Vec<FilteredInput> = events.into_iter().flat_map(|event| sieve.filter(event)).collect();
        let mut background = None;
        let mut typed = Vec::new();
        for sifted in sifted.into_iter().chain(sieve.release()) {
            match sifted {
                FilteredInput::Input(event) => typed.push(event),
                FilteredInput::Background(found) => background = Some(found),
            }
        }
        (typed, background)
    }

    #[test]
    fn answer_is_parsed_in_every_form() {
        for (answer, expected) in [
            ("\x1b]11;rgb:0000/0000/0000\x07", Background::Dark),
            ("\x1b]11;rgb:1e1e/1E1E/2e2e\x1b\\", Background::Dark),
            ("\x1b]11;rgb:ffff/ffff/ffff\x07", Background::Light),
            ("\x1b]11;rgb:fd/f6/e3\x07", Background::Light),
            ("\x1b]11;rgba:ffff/ffff/ffff/ffff\x07", Background::Light),
        ] {
            assert_eq!(
                filter_all(&mut waiting_filter(), key_events(answer)),
                (Vec::new(), Some(expected)),
                "{answer:?}"
            );
            // Other programs may split the answer anywhere, even after its first byte.
            let apart = answer.chars().map(key_event).collect();
            assert_eq!(filter_all(&mut waiting_filter(), apart), (Vec::new(), Some(expected)), "{answer:?}");
        }
    }

    #[test]
    fn answer_in_unknown_form_is_filtered() {
        let (typed, background) = filter_all(&mut waiting_filter(), key_events("\x1b]11;rgb:\x07j"));
        assert_eq!((typed, background), (key_events("j"), None));
    }

    #[test]
    fn input_around_the_answer_is_kept() {
        let mut events = key_events("2j");
        events.extend(key_events("\x1b]11;rgb:ffff/ffff/ffff\x07"));
        events.push(Input::Resize(9, 9));
        events.extend(key_events("\x1b]11;"));
        let expected: Vec<Input> =
            key_events("2j").into_iter().chain([Input::Resize(9, 9)]).chain(key_events("\x1b]11;")).collect();
        assert_eq!(filter_all(&mut waiting_filter(), events), (expected, Some(Background::Light)));
    }

    #[test]
    fn resize_within_the_answer_is_reported_at_once() {
        let mut sieve = waiting_filter();
        for event in key_events("\x1b]11;rg") {
            assert_eq!(sieve.filter(event), []);
        }
        assert_eq!(sieve.filter(Input::Resize(5, 5)), [FilteredInput::Input(Input::Resize(5, 5))]);
        assert!(sieve.has_held_events());
    }

    #[test]
    fn input_that_only_resembles_an_answer_is_released() {
        let events: Vec<Input> = ['\x1b', '\x1b', ']', '1', 'x'].into_iter().map(key_event).collect();
        assert_eq!(filter_all(&mut waiting_filter(), events.clone()), (events, None));
    }

    #[test]
    fn input_is_not_held_back_without_a_query() {
        let mut sieve = EscapeFilter::default();
        assert_eq!(sieve.filter(key_event('\x1b')), [FilteredInput::Input(key_event('\x1b'))]);
        assert!(!sieve.has_held_events());
    }

    #[test]
    fn esc_is_held_back_only_shortly_after_the_query() {
        let Some(long_ago) = Instant::now().checked_sub(EscapeFilter::ANSWER_LIMIT * 2) else { return };
        let mut sieve = EscapeFilter { queried_at: Some(long_ago), ..EscapeFilter::default() };
        assert_eq!(sieve.filter(key_event('\x1b')), [FilteredInput::Input(key_event('\x1b'))]);
        let (typed, background) = filter_all(&mut sieve, key_events("\x1b]11;rgb:00/00/00\x07"));
        assert_eq!((typed, background), (Vec::new(), Some(Background::Dark)), "a late answer is no key");
    }

    #[test]
    fn color_depth_follows_from_terminal_name() {
        for (term, colorterm, expected) in [
            ("xterm-256color", "truecolor", ColorDepth::TrueColor),
            ("xterm-kitty", "", ColorDepth::TrueColor),
            ("foot-extra", "", ColorDepth::TrueColor),
            ("xterm-direct", "", ColorDepth::TrueColor),
            ("tmux-256color", "", ColorDepth::Indexed),
            ("linux", "", ColorDepth::Sixteen),
            ("xterm", "yes", ColorDepth::Sixteen),
        ] {
            assert_eq!(color_depth(term, colorterm), expected, "{term} {colorterm}");
        }
        assert_eq!(known_background("linux", ""), Some(Background::Dark));
        assert_eq!(known_background("rxvt", "15;default;0"), Some(Background::Dark));
        assert_eq!(known_background("xterm", "0;15"), Some(Background::Light));
        assert_eq!(known_background("xterm", "0;default"), None);
        assert_eq!(known_background("xterm", ""), None);
    }

    proptest! {
        /// Input is never lost or reordered.
        #[test]
        fn no_key_is_lost_by_the_filter(typed in "[\x1b\\]1;rgb:/0f\x08a-c]{0,40}") {
            let events: Vec<Input> = typed.chars().map(key_event).collect();
            prop_assert_eq!(filter_all(&mut waiting_filter(), events.clone()), (events, None));
        }
    }
}
