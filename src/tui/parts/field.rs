//! Text field: handling of its keys, its maximum length, and errors in typed text.

use std::{fmt, ops::Deref};

use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use tui_input::{Input, InputRequest as Request};

use crate::tui::keys::{ActionId, KeyPress};

/// Maximum number of characters in a field, which is processed at each key.
pub const LONGEST: usize = 10_000;

/// Text field with a cursor.
#[derive(Clone, Debug, Default)]
pub struct TextField {
    input: Input,
    /// True if the text is selected: what the user types replaces it.
    is_selected: bool,
}

impl TextField {
    /// Creates a field whose text the user typed, with the cursor at its end.
    pub fn new(text: String) -> Self {
        Self { input: Input::new(text), is_selected: false }
    }

    /// Creates a field with a proposed text, which is selected.
    pub fn with_selected_text(text: String) -> Self {
        let is_selected = !text.is_empty();
        Self { input: Input::new(text), is_selected }
    }

    /// Moves the cursor to a character.
    #[must_use]
    pub fn with_cursor(self, cursor: usize) -> Self {
        Self { input: self.input.with_cursor(cursor), ..self }
    }

    /// Returns true if the text is selected.
    pub fn is_selected(&self) -> bool {
        self.is_selected
    }

    /// Ends the selection. Deletes the selected text if it is replaced.
    fn end_selection(&mut self, is_replaced: bool) {
        if std::mem::take(&mut self.is_selected) && is_replaced {
            self.input.reset();
        }
    }
}

impl Deref for TextField {
    type Target = Input;

    fn deref(&self) -> &Input {
        &self.input
    }
}

impl<T: Into<String>> From<T> for TextField {
    fn from(text: T) -> Self {
        Self::new(text.into())
    }
}

/// Error for text that exceeds the maximum length of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a field takes {LONGEST} characters, this is {characters} too many")]
pub struct FieldOverflow {
    /// Number of excess characters.
    pub characters: usize,
}

/// Handles a key of a text field. Returns false if the field does not use the key. A full field
/// ignores characters.
pub(in crate::tui) fn handle_field_key(field: &mut TextField, press: KeyPress) -> bool {
    let key = match press {
        KeyPress::Key(key) => key,
        KeyPress::Action(ActionId::ClearField) => {
            field.end_selection(false);
            field.input.handle(Request::DeleteLine);
            return true;
        }
        KeyPress::Action(_) => return false,
    };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let request = match key.code {
        KeyCode::Char('a') if control => Request::GoToStart,
        KeyCode::Char('e') if control => Request::GoToEnd,
        KeyCode::Char('w') if control => Request::DeletePrevWord,
        KeyCode::Char('k') if control => Request::DeleteTillEnd,
        KeyCode::Char(c) if !control && !alt => {
            // The caller reports characters that do not fit.
            let _ = insert_text(field, c.encode_utf8(&mut [0; 4]));
            return true;
        }
        KeyCode::Backspace | KeyCode::Delete if field.is_selected => Request::DeleteLine,
        KeyCode::Backspace if alt || control => Request::DeletePrevWord,
        KeyCode::Backspace => Request::DeletePrevChar,
        KeyCode::Delete => Request::DeleteNextChar,
        KeyCode::Left if control => Request::GoToPrevWord,
        KeyCode::Right if control => Request::GoToNextWord,
        KeyCode::Left => Request::GoToPrevChar,
        KeyCode::Right => Request::GoToNextChar,
        KeyCode::Home => Request::GoToStart,
        KeyCode::End => Request::GoToEnd,
        _ => return false,
    };
    field.end_selection(false);
    field.input.handle(request);
    true
}

/// Inserts text at the cursor, or in place of the selected text.
///
/// # Errors
///
/// Returns an error if the text does not fit; the field is then unchanged.
pub(in crate::tui) fn insert_text(field: &mut TextField, text: &str) -> Result<(), FieldOverflow> {
    let more = text.chars().count();
    check_room(field, more)?;
    field.end_selection(true);
    let cursor = field.cursor();
    let at = field.value().char_indices().nth(cursor).map_or(field.value().len(), |(at, _)| at);
    let mut value = field.value().to_owned();
    value.insert_str(at, text);
    *field = TextField::new(value).with_cursor(cursor + more);
    Ok(())
}

/// Checks that the given number of characters fits.
///
/// # Errors
///
/// Returns an error with the number of excess characters if they do not fit.
pub(in crate::tui) fn check_room(field: &TextField, characters: usize) -> Result<(), FieldOverflow> {
    let kept = if field.is_selected { 0 } else { field.value().chars().count() };
    match (kept + characters).checked_sub(LONGEST) {
        None | Some(0) => Ok(()),
        Some(characters) => Err(FieldOverflow { characters }),
    }
}

/// Returns true for a character key that a full field ignores.
pub(in crate::tui) fn overflows_field(field: &TextField, press: KeyPress) -> bool {
    let KeyPress::Key(key) = press else { return false };
    let types = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
    matches!(key.code, KeyCode::Char(_)) && types && check_room(field, 1).is_err()
}

/// Error in a line of text, shown while the user types.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InputError {
    /// Message without position and hint.
    pub message: String,
    /// Column of the error, 1-based and in characters; `None` if it is unknown.
    pub column: Option<usize>,
    /// Suggested correction; `None` if there is none.
    pub hint: Option<String>,
}

impl<T: Into<String>> From<T> for InputError {
    fn from(message: T) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

impl InputError {
    /// Adds a suggested correction.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Formats the error as one line, for places without a marker below the column.
impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = self.column {
            write!(f, "column {column}: ")?;
        }
        f.write_str(&self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::keys::Key;

    #[test]
    fn text_is_inserted_at_the_cursor_completely_or_not_at_all() {
        let mut input = TextField::new("añz".to_owned()).with_cursor(2);
        insert_text(&mut input, "bc운").unwrap();
        assert_eq!((input.value(), input.cursor()), ("añbc운z", 5));
        let long = "x".repeat(LONGEST);
        assert_eq!(insert_text(&mut input, &long), Err(FieldOverflow { characters: 6 }));
        assert_eq!(input.value(), "añbc운z");
        let mut full = TextField::default();
        insert_text(&mut full, &long).unwrap();
        assert!(insert_text(&mut full, "y").is_err());
    }

    #[test]
    fn typed_text_replaces_a_selected_proposal() {
        let press = |code: KeyCode, modifiers: KeyModifiers| KeyPress::Key(Key { code, modifiers });
        let typed = |code: KeyCode| {
            let mut field = TextField::with_selected_text("stable".to_owned());
            assert!(field.is_selected());
            assert!(handle_field_key(&mut field, press(code, KeyModifiers::NONE)));
            assert!(!field.is_selected());
            field.value().to_owned()
        };
        assert_eq!(typed(KeyCode::Char('f')), "f");
        assert_eq!(typed(KeyCode::Backspace), "");
        assert_eq!(typed(KeyCode::Delete), "");
        assert_eq!(typed(KeyCode::Left), "stable");
        assert_eq!(typed(KeyCode::End), "stable");
        let mut field = TextField::with_selected_text("x".repeat(LONGEST));
        insert_text(&mut field, "pasted").unwrap();
        assert_eq!(field.value(), "pasted");
        assert!(!TextField::with_selected_text(String::new()).is_selected());
    }
}
