//! What the terminal can show, and whether its background is dark or light.
//!
//! The background is asked for once (OSC 11) and nothing waits for the answer: the first frame is drawn with what is
//! read on any background, the next one as the answer says, and a terminal that never answers costs nothing. Late or
//! not, an answer comes as what looks like keys; the [`Sieve`] takes it out of them. It works on what crossterm makes of
//! the bytes, so that what is typed meanwhile goes the way it always goes.

use std::{
    env,
    time::{Duration, Instant},
};

use ratatui::crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};

use super::modes;
use crate::app::parts::look::{Background, Colours, Look, ThemeName};

/// What a theme comes to in this terminal. `coloured`: whether the user wants colours at all.
pub fn look(theme: ThemeName, coloured: bool) -> Look {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let (term, colorterm) = (variable("TERM"), variable("COLORTERM"));
    let colours = if coloured { colours(&term, &colorterm) } else { Colours::None };
    Look { theme, colours, background: background(&term, &variable("COLORFGBG")) }
}

/// How many colours a terminal of a name has. `COLORTERM` is how those with all of them say so.
fn colours(term: &str, colorterm: &str) -> Colours {
    let all = ["alacritty", "foot", "wezterm", "xterm-ghostty", "xterm-kitty"];
    let is = |name: &&str| term == *name || term.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    if matches!(colorterm, "truecolor" | "24bit") || term.ends_with("-direct") || all.iter().any(is) {
        Colours::True
    } else if term.contains("256color") {
        Colours::Indexed
    } else {
        Colours::Sixteen
    }
}

/// What is known of the background without asking: the console of Linux is black, and rxvt, Konsole and others tell in
/// `COLORFGBG` which of the sixteen colours theirs is.
fn background(term: &str, colorfgbg: &str) -> Option<Background> {
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

/// Asks the terminal for its background where it may answer; gives what takes the answer out of the keys.
pub fn ask(look: Look) -> Sieve {
    let term = env::var("TERM").unwrap_or_default();
    // The console of Linux shows a part of the question in some versions.
    let may_answer = cfg!(unix) && !matches!(term.as_str(), "" | "dumb" | "linux");
    if look.colours == Colours::None || !may_answer {
        return Sieve::default();
    }
    let asked = modes::write(b"\x1b]11;?\x07");
    Sieve { asked: asked.is_ok().then(Instant::now), ..Sieve::default() }
}

/// What comes out of the sieve.
#[derive(Debug, PartialEq)]
pub enum Sifted {
    /// Somebody typed, pointed or pasted.
    Input(Input),
    /// The terminal answered.
    Background(Background),
}

/// Takes the terminal's answer out of what is typed.
#[derive(Debug, Default)]
pub struct Sieve {
    /// When the question was asked, while it is open.
    asked: Option<Instant>,
    /// What may be the beginning of the answer: what it says so far, and the events that say it.
    held: String,
    events: Vec<Input>,
}

impl Sieve {
    /// How long what may be an answer is held back: a terminal writes its answer at once.
    pub const PATIENCE: Duration = Duration::from_millis(30);

    /// How long after the question `Esc` may be its beginning. Later only an `Esc` that came together with its bracket
    /// is: what the key does is not to wait for ever.
    const EARLY: Duration = Duration::from_secs(3);

    /// Whether something is held back that [`Self::release`] gives.
    pub fn holds(&self) -> bool {
        !self.events.is_empty()
    }

    /// Gives what was held back and was no answer.
    pub fn release(&mut self) -> impl Iterator<Item = Sifted> {
        self.held.clear();
        std::mem::take(&mut self.events).into_iter().map(Sifted::Input)
    }

    /// Takes an event; gives what is known not to be the answer, or the answer.
    pub fn take(&mut self, event: Input) -> Vec<Sifted> {
        let Some(asked) = self.asked else { return vec![Sifted::Input(event)] };
        let Input::Key(key) = event else {
            // The size changes when it does: that says nothing of the keys.
            let before =
                if matches!(event, Input::Resize(..)) { Vec::new() } else { self.release().collect() };
            return before.into_iter().chain([Sifted::Input(event)]).collect();
        };
        let held = format!("{}{}", self.held, said(key));
        let is_late = held == "\x1b" && asked.elapsed() > Self::EARLY;
        match read(&held) {
            Reading::Begun if !is_late => {
                self.held = held;
                self.events.push(event);
                Vec::new()
            }
            Reading::Whole(background) => {
                *self = Self::default();
                background.map(Sifted::Background).into_iter().collect()
            }
            Reading::Begun | Reading::Other if self.holds() => {
                let before: Vec<Sifted> = self.release().collect();
                // It may be where the answer begins.
                before.into_iter().chain(self.take(event)).collect()
            }
            Reading::Begun | Reading::Other => vec![Sifted::Input(event)],
        }
    }
}

/// The bytes a key came as, as far as the answer can hold them.
fn said(key: KeyEvent) -> String {
    let plain = key.modifiers.difference(KeyModifiers::SHIFT);
    match (key.code, plain) {
        (KeyCode::Esc, KeyModifiers::NONE) => "\x1b".to_owned(),
        (KeyCode::Char(c), KeyModifiers::NONE) => c.to_string(),
        (KeyCode::Char(c), KeyModifiers::ALT) => format!("\x1b{c}"),
        (KeyCode::Char('g'), KeyModifiers::CONTROL) => "\x07".to_owned(),
        _ => "\0".to_owned(),
    }
}

enum Reading {
    /// It may become an answer.
    Begun,
    /// It is one; of which only the colour may be in a form that is not known.
    Whole(Option<Background>),
    /// It is none.
    Other,
}

/// `ESC ] 11 ; rgb:RRRR/GGGG/BBBB`, ended by BEL or `ESC \` (xterm's control sequences, OSC 11).
fn read(held: &str) -> Reading {
    const PREFIX: &str = "\x1b]11;";
    /// `rgba:` with four digits for each of four.
    const LONGEST: usize = 24;
    if PREFIX.starts_with(held) {
        return Reading::Begun;
    }
    let Some(value) = held.strip_prefix(PREFIX) else { return Reading::Other };
    if let Some(value) = value.strip_suffix('\x07').or(value.strip_suffix("\x1b\\")) {
        return Reading::Whole(colour(value).map(Background::of));
    }
    let value = value.strip_suffix('\x1b').unwrap_or(value);
    let known = "rgba:".starts_with(value)
        || value
            .strip_prefix("rgb")
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_hexdigit() || "a:/".contains(c)));
    if known && value.len() <= LONGEST { Reading::Begun } else { Reading::Other }
}

/// Each part has one to four digits, of which all `f` are 1 (X11's `rgb:` form).
fn colour(value: &str) -> Option<[f64; 3]> {
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

    fn key(c: char) -> Input {
        let (code, modifiers) = match c {
            '\x1b' => (KeyCode::Esc, KeyModifiers::NONE),
            '\x07' => (KeyCode::Char('g'), KeyModifiers::CONTROL),
            c if c.is_ascii_uppercase() => (KeyCode::Char(c), KeyModifiers::SHIFT),
            c => (KeyCode::Char(c), KeyModifiers::NONE),
        };
        Input::Key(KeyEvent::new(code, modifiers))
    }

    /// What crossterm makes of bytes that come together: `Esc` and a letter are one key.
    fn keys(bytes: &str) -> Vec<Input> {
        let mut keys = Vec::new();
        let mut rest = bytes.chars().peekable();
        while let Some(c) = rest.next() {
            keys.push(match (c, rest.peek()) {
                ('\x1b', Some(&next)) if next != '\x1b' => {
                    rest.next();
                    Input::Key(KeyEvent::new(KeyCode::Char(next), KeyModifiers::ALT))
                }
                _ => key(c),
            });
        }
        keys
    }

    fn asked() -> Sieve {
        Sieve { asked: Some(Instant::now()), ..Sieve::default() }
    }

    fn sift(sieve: &mut Sieve, events: Vec<Input>) -> (Vec<Input>, Option<Background>) {
        let sifted: Vec<Sifted> = events.into_iter().flat_map(|event| sieve.take(event)).collect();
        let mut background = None;
        let mut typed = Vec::new();
        for sifted in sifted.into_iter().chain(sieve.release()) {
            match sifted {
                Sifted::Input(event) => typed.push(event),
                Sifted::Background(found) => background = Some(found),
            }
        }
        (typed, background)
    }

    #[test]
    fn an_answer_is_read_in_every_form() {
        for (answer, expected) in [
            ("\x1b]11;rgb:0000/0000/0000\x07", Background::Dark),
            ("\x1b]11;rgb:1e1e/1E1E/2e2e\x1b\\", Background::Dark),
            ("\x1b]11;rgb:ffff/ffff/ffff\x07", Background::Light),
            ("\x1b]11;rgb:fd/f6/e3\x07", Background::Light),
            ("\x1b]11;rgba:ffff/ffff/ffff/ffff\x07", Background::Light),
        ] {
            assert_eq!(sift(&mut asked(), keys(answer)), (Vec::new(), Some(expected)), "{answer:?}");
            // Cut anywhere by the way through other programs, also behind its first byte.
            let apart = answer.chars().map(key).collect();
            assert_eq!(sift(&mut asked(), apart), (Vec::new(), Some(expected)), "{answer:?}");
        }
    }

    #[test]
    fn an_answer_in_an_unknown_form_is_no_key_either() {
        let (typed, background) = sift(&mut asked(), keys("\x1b]11;rgb:\x07j"));
        assert_eq!((typed, background), (keys("j"), None));
    }

    #[test]
    fn what_is_typed_before_and_after_stays() {
        let mut events = keys("2j");
        events.extend(keys("\x1b]11;rgb:ffff/ffff/ffff\x07"));
        events.push(Input::Resize(9, 9));
        events.extend(keys("\x1b]11;"));
        let expected: Vec<Input> =
            keys("2j").into_iter().chain([Input::Resize(9, 9)]).chain(keys("\x1b]11;")).collect();
        assert_eq!(sift(&mut asked(), events), (expected, Some(Background::Light)));
    }

    #[test]
    fn a_new_size_in_the_middle_is_told_at_once() {
        let mut sieve = asked();
        for event in keys("\x1b]11;rg") {
            assert_eq!(sieve.take(event), []);
        }
        assert_eq!(sieve.take(Input::Resize(5, 5)), [Sifted::Input(Input::Resize(5, 5))]);
        assert!(sieve.holds());
    }

    #[test]
    fn what_only_begins_like_an_answer_is_given_back() {
        let events: Vec<Input> = ['\x1b', '\x1b', ']', '1', 'x'].into_iter().map(key).collect();
        assert_eq!(sift(&mut asked(), events.clone()), (events, None));
    }

    #[test]
    fn nothing_is_held_back_when_nothing_was_asked() {
        let mut sieve = Sieve::default();
        assert_eq!(sieve.take(key('\x1b')), [Sifted::Input(key('\x1b'))]);
        assert!(!sieve.holds());
    }

    #[test]
    fn esc_waits_for_an_answer_only_for_a_while() {
        let Some(long_ago) = Instant::now().checked_sub(Sieve::EARLY * 2) else { return };
        let mut sieve = Sieve { asked: Some(long_ago), ..Sieve::default() };
        assert_eq!(sieve.take(key('\x1b')), [Sifted::Input(key('\x1b'))]);
        let (typed, background) = sift(&mut sieve, keys("\x1b]11;rgb:00/00/00\x07"));
        assert_eq!((typed, background), (Vec::new(), Some(Background::Dark)), "a late answer is no key");
    }

    #[test]
    fn terminals_by_their_names() {
        for (term, colorterm, expected) in [
            ("xterm-256color", "truecolor", Colours::True),
            ("xterm-kitty", "", Colours::True),
            ("foot-extra", "", Colours::True),
            ("xterm-direct", "", Colours::True),
            ("tmux-256color", "", Colours::Indexed),
            ("linux", "", Colours::Sixteen),
            ("xterm", "yes", Colours::Sixteen),
        ] {
            assert_eq!(colours(term, colorterm), expected, "{term} {colorterm}");
        }
        assert_eq!(background("linux", ""), Some(Background::Dark));
        assert_eq!(background("rxvt", "15;default;0"), Some(Background::Dark));
        assert_eq!(background("xterm", "0;15"), Some(Background::Light));
        assert_eq!(background("xterm", "0;default"), None);
        assert_eq!(background("xterm", ""), None);
    }

    proptest! {
        /// Whatever is typed comes out, in its order.
        #[test]
        fn no_key_is_lost(typed in "[\x1b\\]1;rgb:/0f\x08a-c]{0,40}") {
            let events: Vec<Input> = typed.chars().map(key).collect();
            prop_assert_eq!(sift(&mut asked(), events.clone()), (events, None));
        }
    }
}
