//! Keys in their textual form (`ctrl-p`, `G`, `esc`, `pgdn`, `f2`), and key presses of dialogs.

use std::fmt;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::ActionId;

/// Key with its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// Key without its modifiers.
    pub code: KeyCode,
    /// Control and Alt. Shift only if the character does not already express it.
    pub modifiers: KeyModifiers,
}

impl Key {
    /// Converts a terminal event. Drops Shift for characters, which already express it.
    pub fn from_event(event: KeyEvent) -> Self {
        let mut modifiers =
            event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let mut code = event.code;
        if matches!(code, KeyCode::Char(_)) {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        if code == KeyCode::BackTab {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        if code == KeyCode::Tab && modifiers.contains(KeyModifiers::SHIFT) {
            (code, modifiers) = (KeyCode::BackTab, modifiers - KeyModifiers::SHIFT);
        }
        if let (KeyCode::Char(c), true) = (code, modifiers.contains(KeyModifiers::CONTROL)) {
            code = KeyCode::Char(c.to_ascii_lowercase());
        }
        Self { code, modifiers }
    }

    /// Returns true for a character that a text field accepts as input.
    pub fn is_text_input(self) -> bool {
        matches!(self.code, KeyCode::Char(_))
            && !self.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
    }

    /// Parses the textual form of a key.
    pub fn parse(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            if let Some(tail) = rest.strip_prefix("ctrl-").filter(|t| !t.is_empty()) {
                modifiers |= KeyModifiers::CONTROL;
                rest = tail;
            } else if let Some(tail) = rest.strip_prefix("alt-").filter(|t| !t.is_empty()) {
                modifiers |= KeyModifiers::ALT;
                rest = tail;
            } else if let Some(tail) = rest.strip_prefix("shift-").filter(|tail| is_shifted(tail)) {
                modifiers |= KeyModifiers::SHIFT;
                rest = tail;
            } else {
                break;
            }
        }
        let named = NAMED_KEYS.iter().find(|(name, _)| *name == rest).map(|(_, code)| *code);
        let mut letters = rest.chars();
        let code = match (named, letters.next(), letters.next()) {
            (Some(code), ..) => code,
            // Terminals do not distinguish upper and lower case together with Control.
            (None, Some(c), None) if modifiers.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(c.to_ascii_lowercase())
            }
            (None, Some(c), None) => KeyCode::Char(c),
            (None, ..) => KeyCode::F(function_key(rest)?),
        };
        let is_none = matches!(code, KeyCode::Char(c) if c.is_control() || (c.is_whitespace() && c != ' '));
        (!is_none).then_some(Self { code, modifiers })
    }
}

/// Parses `f1` to `f12` and returns the number.
fn function_key(name: &str) -> Option<u8> {
    (1..=12).find(|number| name.strip_prefix('f') == Some(number.to_string().as_str()))
}

/// Returns true if the key can be combined with Shift. Letters express Shift themselves, and
/// `shift-tab` is a separate key.
fn is_shifted(name: &str) -> bool {
    name != "tab"
        && name != "space"
        && (NAMED_KEYS.iter().any(|(named, _)| *named == name) || function_key(name).is_some())
}

/// Parses keys that are pressed one after the other, separated by spaces: `o s`. The space key is
/// written as `space`.
pub fn parse_key_sequence(text: &str) -> Option<Vec<Key>> {
    let keys: Option<Vec<Key>> = text.split(' ').map(Key::parse).collect();
    keys.filter(|keys| !keys.is_empty())
}

/// Formats a key sequence, with spaces between the keys.
pub fn format_key_sequence(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}

/// Returns the names of all keys that are not single characters.
pub fn key_names() -> impl Iterator<Item = &'static str> {
    NAMED_KEYS.iter().map(|(name, _)| *name)
}

const NAMED_KEYS: [(&str, KeyCode); 16] = [
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("shift-tab", KeyCode::BackTab),
    ("space", KeyCode::Char(' ')),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
];

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("ctrl-")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("alt-")?;
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            f.write_str("shift-")?;
        }
        match NAMED_KEYS.iter().find(|(_, code)| *code == self.code) {
            Some((name, _)) => f.write_str(name),
            None => match self.code {
                KeyCode::Char(c) => write!(f, "{c}"),
                KeyCode::F(n) => write!(f, "f{n}"),
                other => write!(f, "{other:?}"),
            },
        }
    }
}

/// Key press in a dialog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyPress {
    /// Key of an action.
    Action(ActionId),
    /// Any other key, such as a typed character.
    Key(Key),
}
