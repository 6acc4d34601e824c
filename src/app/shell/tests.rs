//! Tests of small parts of the explorer's state.

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

/// Creates an edit with a title.
fn edit(title: &str) -> Edit {
    Edit::Several { title: title.to_owned(), edits: Vec::new() }
}

#[test]
fn history_counts_edits_since_save_in_both_directions() {
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
fn edit_after_undo_discards_redo() {
    let mut history = History::new(state());
    history.push(state(), edit("one"));
    history.undo();
    history.push(state(), edit("other"));
    assert_eq!((history.undoable(), history.redoable()), (Some("other"), None));
}

#[test]
fn keys_display_as_parsed() {
    for text in ["a", "G", "ctrl-p", "alt-x", "esc", "pgdn", "shift-tab", "space", ":", "-"] {
        assert_eq!(Key::parse(text).unwrap().to_string(), text);
    }
    for text in ["", "ctrl-", "hello", "ctrl-shift"] {
        assert_eq!(Key::parse(text), None, "{text}");
    }
}

#[test]
fn filter_matches_all_words_in_any_case() {
    assert!(list::passes("", "anything"));
    assert!(list::passes("QUAY stab", "project-quay stable-3"));
    assert!(!list::passes("quay fast", "project-quay stable-3"));
}

#[test]
fn jump_discards_forward_places() {
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
    fn cursor_is_always_visible(first in 0usize..200, height in 1usize..50, rows in 1usize..200, cursor in 0usize..200) {
        let cursor = cursor.min(rows - 1);
        let first = list::first_visible(first, cursor, height, rows);
        prop_assert!(first <= cursor && cursor < first + height);
        prop_assert!(first + height <= rows.max(height), "no empty rows below the last");
    }
}

#[test]
fn action_names_parse_to_their_ids() {
    for &id in ActionId::ALL {
        assert_eq!(ActionId::parse(id.name()), Some(id));
        assert!(action::table().find(id).is_some(), "{} is in the table", id.name());
    }
    assert_eq!(ActionId::JumpV1.name(), "jump-v1");
    assert_eq!(ActionId::WhatIfDeprecateBundle.name(), "what-if-deprecate-bundle");
    assert_eq!(ActionId::parse("jump"), None);
}

#[test]
fn key_labels_parse_to_their_keys() {
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
