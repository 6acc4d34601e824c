//! Keys, mouse, paste and resize as messages.

use std::thread;

use ratatui::crossterm::event::{self, Event as Input};

use super::{Event, Events};
use crate::app::Msg;

/// Reads the terminal on a thread of its own until it is gone. Where standard input is a catalog, keys are read from
/// the terminal itself: crossterm opens it when standard input is none.
pub fn listen(events: Events) {
    let reader = thread::Builder::new().name("input".to_owned());
    let spawned = reader.spawn(move || {
        loop {
            let event = match event::read() {
                Ok(Input::Key(key)) => Event::Msg(Msg::Key(key)),
                Ok(Input::Mouse(mouse)) => Event::Msg(Msg::Mouse(mouse)),
                Ok(Input::Paste(text)) => Event::Msg(Msg::Paste(text)),
                Ok(Input::Resize(columns, rows)) => Event::Msg(Msg::Resize(columns, rows)),
                Ok(Input::FocusGained | Input::FocusLost) => continue,
                Err(_) => Event::InputEnded,
            };
            let ended = matches!(event, Event::InputEnded);
            if events.send(event).is_err() || ended {
                break;
            }
        }
    });
    // Without a thread for input the program could not even be left.
    if let Err(error) = spawned {
        eprintln!("olmap: cannot read the terminal: {error}");
        std::process::exit(2);
    }
}
