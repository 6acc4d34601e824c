//! A line of text that is typed into: what its keys do, and how much it holds.

use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use tui_input::{Input, InputRequest as Request};

use crate::app::keys::{ActionId, Press};

/// The most characters that a field holds: more than anybody writes in a line, and few enough to work with at each key.
pub const LONGEST: usize = 10_000;

/// What a field has no room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a field takes {LONGEST} characters, this is {characters} too many")]
pub struct TooLong {
    /// How many.
    pub characters: usize,
}

/// Lets a text field have a key; whether the field knew it. A field that is full takes no more letters.
pub(in crate::app) fn type_into(input: &mut Input, press: Press) -> bool {
    let key = match press {
        Press::Key(key) => key,
        Press::Action(ActionId::ClearField) => {
            input.handle(Request::DeleteLine);
            return true;
        }
        Press::Action(_) => return false,
    };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let request = match key.code {
        KeyCode::Char('a') if control => Request::GoToStart,
        KeyCode::Char('e') if control => Request::GoToEnd,
        KeyCode::Char('w') if control => Request::DeletePrevWord,
        KeyCode::Char('k') if control => Request::DeleteTillEnd,
        KeyCode::Char(c) if !control && !alt => {
            // What has no room is told of by whoever knows of notices.
            let _ = insert(input, c.encode_utf8(&mut [0; 4]));
            return true;
        }
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
    input.handle(request);
    true
}

/// Puts text where the cursor is, in one go.
///
/// # Errors
///
/// Where there is no room for all of it: then nothing of it goes in.
pub(in crate::app) fn insert(input: &mut Input, text: &str) -> Result<(), TooLong> {
    let more = text.chars().count();
    has_room(input, more)?;
    let cursor = input.cursor();
    let at = input.value().char_indices().nth(cursor).map_or(input.value().len(), |(at, _)| at);
    let mut value = input.value().to_owned();
    value.insert_str(at, text);
    *input = Input::new(value).with_cursor(cursor + more);
    Ok(())
}

/// Whether so many characters have room.
///
/// # Errors
///
/// Where they have not.
pub(in crate::app) fn has_room(input: &Input, characters: usize) -> Result<(), TooLong> {
    match (input.value().chars().count() + characters).checked_sub(LONGEST) {
        None | Some(0) => Ok(()),
        Some(characters) => Err(TooLong { characters }),
    }
}

/// Whether a key is one that a full field has no room for.
pub(in crate::app) fn is_refused(input: &Input, press: Press) -> bool {
    let Press::Key(key) = press else { return false };
    let types = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
    matches!(key.code, KeyCode::Char(_)) && types && input.value().chars().count() >= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_in_where_the_cursor_is_and_all_of_it_or_nothing() {
        let mut input = Input::new("añz".to_owned()).with_cursor(2);
        insert(&mut input, "bc운").unwrap();
        assert_eq!((input.value(), input.cursor()), ("añbc운z", 5));
        let long = "x".repeat(LONGEST);
        assert_eq!(insert(&mut input, &long), Err(TooLong { characters: 6 }));
        assert_eq!(input.value(), "añbc운z");
        let mut full = Input::default();
        insert(&mut full, &long).unwrap();
        assert!(insert(&mut full, "y").is_err());
    }
}
