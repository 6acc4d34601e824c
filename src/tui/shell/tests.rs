//! Tests of small parts of the explorer's state.

use std::sync::Arc;

use proptest::prelude::*;

use crate::tui::{
    keys::{ActionId, Key, Screen, key as keys, keymap::KeyMatch},
    parts::list,
    session::{
        editing::History,
        navigation::{PlaceHistory, Selection, VisitedPlace},
    },
    shell::action_table as action,
};
use olm_catalog::load;
use olm_check::review::Snapshot;
use olm_edit::Edit;

fn empty_state() -> Arc<Snapshot> {
    Arc::new(Snapshot::new(load::from_bytes(Vec::new())))
}

/// Creates an edit with a title.
fn edit_titled(title: &str) -> Edit {
    Edit::Several { title: title.to_owned(), edits: Vec::new() }
}

#[test]
fn history_counts_edits_since_save_in_both_directions() {
    let loaded = empty_state();
    let mut history = History::new(loaded.clone());
    assert_eq!((history.unsaved_count(&loaded), history.undo()), (0, None));
    history.push(empty_state(), edit_titled("one"));
    history.push(empty_state(), edit_titled("two"));
    assert_eq!(history.edits_between(&loaded), [("one", false), ("two", false)]);
    let saved = history.now().clone();
    assert_eq!(history.undo(), Some("two"));
    assert_eq!(history.edits_between(&saved), [("two", true)], "taken back after saving");
    assert_eq!(history.redo(), Some("two"));
    assert_eq!(history.unsaved_count(&saved), 0);
    assert_eq!(history.redo(), None);
}

#[test]
fn edit_after_undo_discards_redo() {
    let mut history = History::new(empty_state());
    history.push(empty_state(), edit_titled("one"));
    history.undo();
    history.push(empty_state(), edit_titled("other"));
    assert_eq!((history.undo_title(), history.redo_title()), (Some("other"), None));
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
    assert!(list::passes_filter("", "anything"));
    assert!(list::passes_filter("QUAY stab", "project-quay stable-3"));
    assert!(!list::passes_filter("quay fast", "project-quay stable-3"));
}

#[test]
fn jump_discards_forward_places() {
    let place = |screen| VisitedPlace { catalog: 0, screen, selection: Selection::default() };
    let mut trail = PlaceHistory::default();
    trail.push_place(place(Screen::Packages));
    trail.push_place(place(Screen::Graph));
    assert_eq!(trail.go_back(place(Screen::Changes)), Some(place(Screen::Graph)));
    assert_eq!(trail.go_forward(place(Screen::Graph)), Some(place(Screen::Changes)));
    trail.go_back(place(Screen::Changes));
    trail.push_place(place(Screen::Problems));
    assert!(!trail.has_forward());
}

proptest! {
    #[test]
    fn cursor_is_always_visible(first in 0usize..200, height in 1usize..50, rows in 1usize..200, cursor in 0usize..200) {
        let cursor = cursor.min(rows - 1);
        let first = list::first_visible_row(first, cursor, height, rows);
        prop_assert!(first <= cursor && cursor < first + height);
        prop_assert!(first + height <= rows.max(height), "no empty rows below the last");
    }
}

#[test]
fn action_names_parse_to_their_ids() {
    for &id in ActionId::ALL {
        assert_eq!(ActionId::parse(id.name()), Some(id));
        assert!(action::action_table().find_action(id).is_some(), "{} is in the table", id.name());
    }
    assert_eq!(ActionId::PlanEngine.name(), "plan-engine");
    assert_eq!(ActionId::WhatIfApply.name(), "what-if-apply");
    assert_eq!(ActionId::parse("jump"), None);
}

#[test]
fn key_labels_parse_to_their_keys() {
    let keymap = crate::tui::default_keymap();
    for &screen in Screen::ALL {
        for &id in ActionId::ALL {
            for label in keymap.display_keys(screen, id) {
                let keys = keys::parse_key_sequence(label).unwrap();
                let KeyMatch::Action(spec) = keymap.match_keys(screen, &keys) else { panic!("{label}") };
                assert_eq!(spec.id, id, "{label}");
            }
        }
    }
}
