//! Tests of keys from the configuration: valid keys, problems, and keys that cannot be removed.

use proptest::prelude::*;

use crate::tui::keys::{
    Keymap,
    keymap::{INTERRUPT, KeyMatch, action_scopes, is_bindable, keys_overlap},
};
use crate::{
    config::Config,
    tui::{
        dialogs,
        keys::{ActionId, Key, Scope, Screen, key as keys},
        shell::action_table as action,
    },
};

/// Returns the keymap, and the problems as lines.
fn configured_keymap(keys: &str) -> (Keymap, Vec<String>) {
    let config = Config::parse(&format!("[keys]\n{keys}"));
    assert_eq!(config.problems, [], "{keys}");
    let (keymap, problems) = Keymap::from_settings(action::action_table(), &config.keys);
    let lines = problems.into_iter().map(|problem| {
        let hint = problem.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{} {}{hint}", problem.at, problem.message)
    });
    (keymap, lines.collect())
}

fn action_for_keys(keymap: &Keymap, scope: impl Into<Scope>, keys: &str) -> Option<ActionId> {
    match keymap.match_keys(scope, &keys::parse_key_sequence(keys).unwrap()) {
        KeyMatch::Action(spec) => Some(spec.id),
        KeyMatch::Prefix | KeyMatch::Unbound => None,
    }
}

#[test]
fn configured_keys_replace_default_keys() {
    let (keymap, problems) = configured_keymap("find = ['ctrl-f', 'g f']\ntop = 'home'\nhelp = []\n");
    assert_eq!(problems, [""; 0]);
    for &screen in Screen::ALL {
        assert_eq!(action_for_keys(&keymap, screen, "ctrl-f"), Some(ActionId::Find));
        assert_eq!(action_for_keys(&keymap, screen, "g f"), Some(ActionId::Find));
        assert_eq!(action_for_keys(&keymap, screen, "ctrl-p"), None);
        assert_eq!(action_for_keys(&keymap, screen, "?"), None);
        assert!(matches!(keymap.match_keys(screen, &[Key::parse("g").unwrap()]), KeyMatch::Prefix));
    }
    assert_eq!(keymap.action_keys(ActionId::Find), ["ctrl-f", "g f"]);
    assert!(keymap.action_keys(ActionId::Help).is_empty());
    assert!(keymap.is_overridden(ActionId::Help) && !keymap.is_overridden(ActionId::Palette));
    assert_eq!(keymap.display_key(Screen::Graph, ActionId::Find), "ctrl-f");
    assert_eq!(
        keymap.display_key(Screen::Graph, ActionId::Help),
        "help",
        "what has no key is called by its name"
    );
}

#[test]
fn two_actions_can_swap_keys() {
    let (keymap, problems) = configured_keymap("undo = 'ctrl-r'\nredo = 'u'\n");
    assert_eq!(problems, [""; 0]);
    assert_eq!(action_for_keys(&keymap, Screen::Packages, "u"), Some(ActionId::Redo));
    assert_eq!(action_for_keys(&keymap, Screen::Packages, "ctrl-r"), Some(ActionId::Undo));
}

#[test]
fn problems_have_location_and_hint() {
    let (keymap, problems) = configured_keymap(
        "finde = 'x'\nfind = 'ctrl+f'\nundo = 'shift-u'\nredo = 'contrl-r'\nfilter = 'ctrl-i'\npalette = 'ctrl-c'\n\
         accept = 'space'\ncancel = []\nchoose = 'g g'\nhelp = '3'\nshow-graph = 'f3'\nquit = 'Q'\nmark = ['m', 'm m']\n",
    );
    assert_eq!(
        problems,
        [
            "2:1 unknown action finde (did you mean find?)",
            "3:8 \"ctrl+f\" is not a key (write \"ctrl-f\")",
            "4:8 \"shift-u\" is not a key (write \"U\")",
            "5:8 \"contrl-r\" is not a key (write keys as x, X, ctrl-x, alt-x, f5, esc, space, or as a \
             sequence: o s)",
            "6:10 terminals send ctrl-i as tab (write tab, or another key)",
            "7:11 ctrl-c always quits (use another key)",
            "8:1 accept needs a key that types nothing: the filter has a text field (add one such as esc, \
             enter, f10 \
             or ctrl-g)",
            "9:1 cancel needs a key, to leave dialogs (cancel = \"esc\")",
            "10:10 g g is a sequence, but dialogs need single keys (a single key, such as f5 or ctrl-x)",
            "11:8 the digits 1 to 6 are reserved for screens: Upgrades (a letter, or a key with ctrl- or \
             alt-)",
            "12:1 2 stays the key of Graph (show-graph = [\"2\", \"f3\"])",
            "13:1 ctrl-c always quits (quit = [\"ctrl-c\", \"Q\"])",
            "14:14 m and m m conflict (remove one of them from mark)",
        ]
    );
    assert_eq!(
        displayed_keys(&keymap),
        displayed_keys(&crate::tui::default_keymap()),
        "invalid settings are ignored"
    );
}

#[test]
fn keys_used_twice_on_screen_are_refused() {
    let (keymap, problems) = configured_keymap(
        "find = 'j'\npalette = 'f'\nundo = 'f9'\nredo = 'f9'\nreload = 'Q r'\ntop = 'Q'\nbottom = 'Q r x'\n",
    );
    assert_eq!(
        problems,
        [
            "2:8 j is the key of down (choose another, or free it: down = [\"down\"])",
            "3:11 f is the key of focus (choose another, or free it: focus = [])",
            "5:8 f9 is the key of undo (line 4) (choose another key)",
            "7:7 Q would hide Q r, the key of reload (line 6) (choose another key)",
            "8:10 Q r x is never reached: Q is the key of top (line 7) and 1 more (choose another key)",
        ]
    );
    assert_eq!(action_for_keys(&keymap, Screen::Graph, "f9"), Some(ActionId::Undo), "the first has it");
    assert_eq!(action_for_keys(&keymap, Screen::Graph, "f"), Some(ActionId::Focus));
}

#[test]
fn screens_can_share_keys() {
    let (keymap, problems) = configured_keymap("cycle-sort = 'x'\ndifferences-only = 'J'\n");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(action_for_keys(&keymap, Screen::Graph, "J"), Some(ActionId::FollowOlder));
    assert_eq!(action_for_keys(&keymap, Screen::Upgrades, "J"), Some(ActionId::DifferencesOnly));
}

#[test]
fn action_with_invalid_setting_keeps_default_key() {
    // The first setting is invalid, so ctrl-p stays with the finder and the second cannot use it.
    let (_, problems) = configured_keymap("find = 'nokey'\npalette = 'ctrl-p'\n");
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[1].starts_with("3:11 ctrl-p is the key of find"), "{problems:?}");
}

#[test]
fn letters_do_not_trigger_actions_in_dialogs_with_field() {
    let (keymap, problems) = configured_keymap("cancel = ['b', 'ctrl-g']\naccept = ['enter', 'o']\n");
    assert_eq!(problems, [""; 0]);
    assert_eq!(action_for_keys(&keymap, dialogs::finder::DIALOG, "b"), None);
    assert_eq!(action_for_keys(&keymap, dialogs::finder::DIALOG, "ctrl-g"), Some(ActionId::Cancel));
    assert_eq!(action_for_keys(&keymap, dialogs::release::DIALOG, "b"), Some(ActionId::Cancel));
    assert_eq!(keymap.display_key(dialogs::finder::DIALOG, ActionId::Cancel), "ctrl-g");
    assert_eq!(keymap.display_key(dialogs::release::DIALOG, ActionId::Cancel), "b");
}

/// Returns all keys that are shown in any scope.
fn displayed_keys(keymap: &Keymap) -> Vec<(Scope, ActionId, String)> {
    let ids = ActionId::ALL;
    let all = action::action_table().scopes().flat_map(|scope| ids.iter().map(move |id| (scope, *id)));
    all.flat_map(|(scope, id)| {
        keymap.display_keys(scope, id).map(move |l| (scope, id, l.to_owned())).collect::<Vec<_>>()
    })
    .collect()
}

/// Asserts the properties that every keymap has, independent of the configuration.
fn assert_required_keys(keymap: &Keymap) {
    for &screen in Screen::ALL {
        assert_eq!(action_for_keys(keymap, screen, "ctrl-c"), Some(ActionId::Quit));
        for (place, id) in
            [ActionId::ShowPackages, ActionId::ShowGraph, ActionId::ShowUpgrades].iter().enumerate()
        {
            assert_eq!(action_for_keys(keymap, screen, &(place + 1).to_string()), Some(*id));
        }
        assert!(keymap.display_keys(screen, ActionId::Back).next().is_some());
    }
    for &dialog in dialogs::DIALOGS {
        assert!(keymap.display_keys(dialog, ActionId::Cancel).next().is_some(), "{dialog:?}");
        assert!(keymap.display_keys(dialog, ActionId::Accept).next().is_some(), "{dialog:?}");
    }
    let labels = displayed_keys(keymap);
    for (scope, id, label) in &labels {
        assert_eq!(
            action_for_keys(keymap, *scope, label),
            Some(*id),
            "{label} is shown and does something else"
        );
        assert!(is_bindable(*scope, &keys::parse_key_sequence(label).unwrap()));
    }
    for scope in action::action_table().scopes() {
        let here: Vec<_> = labels.iter().filter(|(s, ..)| *s == scope).collect();
        for (place, (_, a, one)) in here.iter().enumerate() {
            for (_, b, other) in here.iter().take(place) {
                let (one, other) =
                    (keys::parse_key_sequence(one).unwrap(), keys::parse_key_sequence(other).unwrap());
                assert!(!keys_overlap(&one, &other), "{a:?} and {b:?} share a key in {scope:?}");
            }
        }
    }
}

#[test]
fn default_keymap_has_required_keys() {
    assert_required_keys(&crate::tui::default_keymap());
    for spec in action::action_table().actions() {
        for keys in spec.default_keys {
            let sequence = keys::parse_key_sequence(keys).unwrap();
            assert_eq!(keys::format_key_sequence(&sequence), **keys, "keys are written one way");
            assert!(sequence == [INTERRUPT] || !sequence.contains(&INTERRUPT));
        }
        assert!(!action_scopes(spec).is_empty());
    }
}

const SAMPLE_KEYS: &[&str] = &[
    "j", "k", "q", "esc", "ctrl-c", "g", "g g", "W", "W k", "1", "6", "7", "ctrl-p", "enter", "space", "f5",
    "tab", "ctrl-i", "", " ", "x y z", "alt-x", "shift-f2", "é", "nokey", "up", "?",
];

fn key_configuration() -> impl Strategy<Value = String> {
    let actions: Vec<&str> = ActionId::ALL.iter().map(|id| id.name()).chain(["nothing", "findd"]).collect();
    let keys = prop::collection::vec(prop::sample::select(SAMPLE_KEYS), 0..3);
    let lines = prop::collection::btree_map(prop::sample::select(actions), keys, 0..12);
    let line = |(name, keys): (&str, Vec<&str>)| format!("{name} = {keys:?}\n");
    lines.prop_map(move |lines| lines.into_iter().map(line).collect::<Vec<_>>().concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_configuration_removes_required_keys(lines in key_configuration()) {
        let config = Config::parse(&format!("[keys]\n{lines}"));
        let (keymap, problems) = Keymap::from_settings(action::action_table(), &config.keys);
        assert_required_keys(&keymap);
        // Settings with a problem are ignored, all others apply.
        for setting in &config.keys {
            let lines: Vec<usize> = problems.iter().map(|problem| problem.at.line).collect();
            let Some(id) = ActionId::parse(&setting.action.value) else { continue };
            let given: Vec<String> = setting.keys.iter().map(|key| key.value.clone()).collect();
            if lines.contains(&setting.action.at.line) {
                prop_assert!(!keymap.is_overridden(id));
            } else {
                prop_assert_eq!(keymap.action_keys(id), given);
            }
        }
    }

    #[test]
    fn formatted_keys_parse_to_same_key(text in "(ctrl-|alt-|shift-){0,3}([a-zA-Z?:é-]|f[0-9]{1,2}|up|tab|space|esc|pgdn)") {
        if let Some(key) = Key::parse(&text) {
            prop_assert_eq!(Key::parse(&key.to_string()), Some(key));
        }
    }

    #[test]
    fn arbitrary_text_does_not_panic_as_key(text in any::<String>()) {
        let _ = keys::parse_key_sequence(&text);
    }
}
