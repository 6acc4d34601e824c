//! The small parts of the explorer's state.

use std::sync::Arc;

use proptest::prelude::*;

use crate::app::{
    keys::{ActionId, Key, Screen, key as keys, keymap::Match},
    parts::list,
    session::{
        history::History,
        place::{Place, Selection, Trail},
    },
    shell::table as action,
};
use crate::{catalog::load, edit::Edit, review::Snapshot};

fn state() -> Arc<Snapshot> {
    Arc::new(Snapshot::new(load::from_bytes(Vec::new())))
}

/// An edit that is called something.
fn edit(title: &str) -> Edit {
    Edit::Several { title: title.to_owned(), edits: Vec::new() }
}

#[test]
fn history_counts_edits_from_what_is_on_disk_in_both_directions() {
    let loaded = state();
    let mut history = History::new(loaded.clone());
    assert_eq!((history.unsaved(&loaded), history.undo()), (0, None));
    history.push(state(), edit("one"));
    history.push(state(), edit("two"));
    assert_eq!(history.since(&loaded), [("one", false), ("two", false)]);
    let saved = history.now().clone();
    assert_eq!(history.undo(), Some("two"));
    assert_eq!(history.since(&saved), [("two", true)], "taken back after saving");
    assert_eq!(history.redo(), Some("two"));
    assert_eq!(history.unsaved(&saved), 0);
    assert_eq!(history.redo(), None);
}

#[test]
fn an_edit_after_undo_forgets_what_could_be_redone() {
    let mut history = History::new(state());
    history.push(state(), edit("one"));
    history.undo();
    history.push(state(), edit("other"));
    assert_eq!((history.undoable(), history.redoable()), (Some("other"), None));
}

#[test]
fn keys_are_written_as_they_are_read() {
    for text in ["a", "G", "ctrl-p", "alt-x", "esc", "pgdn", "shift-tab", "space", ":", "-"] {
        assert_eq!(Key::parse(text).unwrap().to_string(), text);
    }
    for text in ["", "ctrl-", "hello", "ctrl-shift"] {
        assert_eq!(Key::parse(text), None, "{text}");
    }
}

#[test]
fn a_filter_wants_every_word_in_any_case() {
    assert!(list::passes("", "anything"));
    assert!(list::passes("QUAY stab", "project-quay stable-3"));
    assert!(!list::passes("quay fast", "project-quay stable-3"));
}

#[test]
fn the_trail_leads_back_and_forward_until_one_jumps_again() {
    let place = |screen| Place { catalog: 0, screen, selection: Selection::default() };
    let mut trail = Trail::default();
    trail.leave(place(Screen::Catalog));
    trail.leave(place(Screen::Graph));
    assert_eq!(trail.back(place(Screen::Changes)), Some(place(Screen::Graph)));
    assert_eq!(trail.forward(place(Screen::Graph)), Some(place(Screen::Changes)));
    trail.back(place(Screen::Changes));
    trail.leave(place(Screen::Problems));
    assert!(!trail.has_forward());
}

proptest! {
    #[test]
    fn the_cursor_is_always_in_sight(first in 0usize..200, height in 1usize..50, rows in 1usize..200, cursor in 0usize..200) {
        let cursor = cursor.min(rows - 1);
        let first = list::first_visible(first, cursor, height, rows);
        prop_assert!(first <= cursor && cursor < first + height);
        prop_assert!(first + height <= rows.max(height), "no empty rows below the last");
    }
}

#[test]
fn actions_are_found_by_their_names() {
    for &id in ActionId::ALL {
        assert_eq!(ActionId::parse(id.name()), Some(id));
        assert!(action::table().find(id).is_some(), "{} is in the table", id.name());
    }
    assert_eq!(ActionId::JumpV1.name(), "jump-v1");
    assert_eq!(ActionId::WhatIfDeprecateBundle.name(), "what-if-deprecate-bundle");
    assert_eq!(ActionId::parse("jump"), None);
}

#[test]
fn what_is_shown_as_a_key_is_a_key() {
    let keymap = crate::app::keymap();
    for &screen in Screen::ALL {
        for &id in ActionId::ALL {
            for label in keymap.labels(screen, id) {
                let keys = keys::sequence(label).unwrap();
                let Match::Action(spec) = keymap.find(screen, &keys) else { panic!("{label}") };
                assert_eq!(spec.id, id, "{label}");
            }
        }
    }
}
