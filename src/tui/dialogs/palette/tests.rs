//! Tests of the search, and of the help.

use super::*;
use crate::tui::{Model, Settings, Source, action_table, shell::action_table::check_permitted};

/// Returns the titles of the matching actions, best match first.
fn found_titles(typed: &str) -> Vec<&'static str> {
    let model = Model::new(vec![Source::Demo], Settings::default(), (80, 24));
    let mut commands =
        CommandPalette::new(None, &model.view(), &|spec| check_permitted(&model, spec).is_ok());
    commands.input = TextField::new(typed.to_owned());
    commands.update_results(&model.keys.map, model.session.navigation.screen);
    commands.results.iter().filter_map(|found| Some(action_table().find_action(found.id)?.title)).collect()
}

#[test]
fn action_with_matching_title_comes_first() {
    for (typed, first) in [
        ("undo", "undo"),
        ("save", "save"),
        ("save as", "save as"),
        ("sav", "save"),
        ("zoom", "zoom"),
        ("ctrl-p", "find"),
        ("W", "what if"),
        ("apply what", "apply the what-if"),
        ("default", "make default"),
        ("graph-left", "left"),
        ("ADD ENTRY", "add entry"),
        ("entr add", "add entry"),
        ("relese", "release"),
        ("mermaid", "write"),
        ("pull request", "write"),
        ("unstick", "fix"),
        ("glossary", "program"),
        ("goto", "find"),
        ("related images", "Bundle"),
        ("expand", "fold"),
    ] {
        assert_eq!(found_titles(typed).first(), Some(&first), "{typed}: {:?}", found_titles(typed));
    }
}

#[test]
fn help_of_each_screen_is_short_and_its_families_open() {
    let model = Model::new(vec![Source::Demo], Settings::default(), (80, 24));
    let mut opened = 0;
    for &screen in Screen::ALL {
        let view_cx = model.view();
        let help = CommandPalette::new(Some(Scope::Screen(screen)), &view_cx, &|_| true);
        assert!(help.results.len() <= 45, "{}: {} rows", screen.title(), help.results.len());
        for family in &FAMILIES {
            let mut help = CommandPalette::new(Some(Scope::Screen(screen)), &view_cx, &|_| true);
            help.cursor =
                help.results.iter().position(|row| row.family == Some(family)).unwrap_or(usize::MAX);
            if help.open_family(view_cx.keys, screen) {
                assert!(family.members.contains(&help.results[help.cursor].id), "{}", family.title);
                opened += 1;
            }
        }
    }
    assert!(opened >= 4 * Screen::ALL.len(), "{opened} families");
}

#[test]
fn number_of_actions_does_not_grow() {
    let table = action_table();
    let everywhere = table.actions().filter(|spec| spec.context == ActionContext::Everywhere).count();
    let all = table.actions().count();
    assert!(everywhere <= 45 && all <= 120, "{everywhere} on every screen, {all} in all");
}

/// Common search terms and the expected first match. Actions of other screens come later.
#[test]
fn search_terms_find_actions() {
    for (typed, first) in [
        ("delete", "remove"),
        ("validate", "Problems"),
        ("lint", "Problems"),
        ("check", "Problems"),
        ("rewire", "edit"),
        ("save", "save"),
        ("write", "save"),
        ("add bundle", "release"),
        ("promote", "release"),
        ("new bundle", "release"),
        ("upgrade path", "Upgrades"),
        ("compare", "compare"),
        ("stuck", "fix"),
        ("comment", "copy"),
        ("add channel", "more edits"),
        ("rename channel", "more edits"),
        ("clusterextension", "copy"),
        ("simulate", "what if"),
        ("theme", "program"),
        ("colors", "program"),
        ("mouse", "program"),
        ("tour", "program"),
        ("search", "filter"),
        ("open catalog", "open"),
        ("open image", "open"),
        ("quit", "quit"),
        ("exit", "quit"),
    ] {
        assert_eq!(found_titles(typed).first(), Some(&first), "{typed}: {:?}", found_titles(typed));
    }
    assert_eq!(found_titles("diff")[..2], ["Changes", "compare"], "the demo has nothing to compare with");
    assert!(found_titles("search").contains(&"find") && found_titles("extract").contains(&"what if"));
}

#[test]
fn search_terms_do_not_repeat_title() {
    for spec in action_table().actions() {
        let title = spec.title.to_lowercase();
        for (place, word) in spec.search_terms.iter().enumerate() {
            assert!(!title.contains(word), "{}: {word}", spec.title);
            assert_eq!(*word, word.to_lowercase().trim(), "{}", spec.title);
            assert!(!spec.search_terms[..place].contains(word), "{}: {word} twice", spec.title);
        }
    }
}

#[test]
fn matches_in_description_come_last() {
    let found = found_titles("template");
    assert_eq!(found[..2], ["Template", "open template"]);
    let found = found_titles("skiprange");
    assert!(found.contains(&"edit"), "{found:?}");
}

#[test]
fn scattered_letters_do_not_match() {
    assert_eq!(found_titles("undo"), ["undo"]);
    assert_eq!(found_titles("zoom"), ["zoom", "left", "right"], "the last two tell of it");
    assert_eq!(found_titles("xyzzy"), [""; 0]);
    assert!(found_titles("suspend").len() == 1, "{:?}", found_titles("suspend"));
    assert!(!found_titles("sort").contains(&"suspend"));
}

#[test]
fn empty_search_lists_all_actions_available_ones_first() {
    let all = action_table().actions().filter(|spec| !matches!(spec.context, ActionContext::In(_))).count();
    assert_eq!(found_titles("").len(), all);
    let place = |title| found_titles("").iter().position(|other| *other == title);
    assert!(place("help") < place("undo"), "what cannot be done now comes after");
    assert!(place("undo") < place("zoom"), "what only the graph has comes last");
}

#[test]
fn highlights_typed_characters() {
    assert_eq!(highlighted_chars("add channel", "chan", &["chan"]), [4, 5, 6, 7]);
    assert_eq!(highlighted_chars("what if: undo", "und wh", &["und", "wh"]), [0, 1, 9, 10, 11]);
    assert_eq!(match_fuzzy("promote", "prmote"), Some(vec![0, 1, 3, 4, 5, 6]));
    assert_eq!(match_fuzzy("suspend", "sd"), None);
    assert_eq!(match_fuzzy("graph as svg", "gas"), Some(vec![0, 6, 7]));
}

/// The help of each screen begins with at most eight common actions; every group is in one piece.
#[test]
fn help_is_grouped() {
    let model = Model::new(vec![Source::Demo], Settings::default(), (80, 24));
    for &screen in Screen::ALL {
        let view_cx = model.view();
        let allowed = |spec: &ActionSpec| check_permitted(&model, spec).is_ok();
        let help = CommandPalette::new(Some(Scope::Screen(screen)), &view_cx, &allowed);
        let groups: Vec<HelpGroup> = help.results.iter().filter_map(|row| row.group).collect();
        assert_eq!(groups.len(), help.results.len(), "{}", screen.title());
        assert!(groups.is_sorted(), "{}: {groups:?}", screen.title());
        let common = groups.iter().filter(|group| **group == HelpGroup::Common).count();
        assert!((1..=COMMON_ACTIONS).contains(&common), "{}: {common}", screen.title());
        assert_eq!(groups.last(), Some(&HelpGroup::Moving), "{}", screen.title());
    }
    assert!(
        CommandPalette::new(None, &model.view(), &|_| true).results.iter().all(|row| row.group.is_none())
    );
}
