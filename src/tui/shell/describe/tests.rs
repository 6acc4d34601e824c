//! Tests of key lists and the printed configuration.

use serde_json::Value;

use crate::tui::shell::describe::{
    action_groups, configuration_schema, keys_json, render_configuration, render_keys_document,
    render_keys_text,
};
use crate::{
    config::{Config, OPTIONS, THEMES},
    tui::{
        keys::{ActionId, Keymap},
        parts::theme_settings::ThemeName,
        shell::action_table as action,
    },
};

const CHANGED: &str = "theme = 'mono'\nascii = true\neditor = 'hx \"a\"\\b'\n[keys]\nfind = ['ctrl-f', 'g f']\ntop = 'home'\nhelp \
                       = []\n";

#[test]
fn printed_configuration_escapes_harmful_characters() {
    let editor = "hx \u{202e}\u{e0041} ##[error]x \u{7f}";
    let said = format!("editor = '{}'\n[keys]\nfind = ['\u{2800}']\n", editor.replace('\u{7f}', ""));
    let mut config = Config::parse(&said);
    config.editor = Some(editor.to_owned());
    let printed =
        render_configuration(&config, &Keymap::from_settings(action::action_table(), &config.keys).0);
    assert!(!printed.contains(|c: char| olmap_report::escape::is_harmful(c) && c != '\n'), "{printed}");
    assert!(!printed.contains("##["), "{printed}");
    let again = Config::parse(&printed);
    assert_eq!((again.problems.as_slice(), again.editor.as_deref()), ([].as_slice(), Some(editor)));
}

#[test]
fn printed_configuration_parses_to_same_configuration() {
    for said in ["", CHANGED] {
        let config = Config::parse(said);
        let (keymap, problems) = Keymap::from_settings(action::action_table(), &config.keys);
        assert_eq!((config.problems.len(), problems.len()), (0, 0));
        let printed = render_configuration(&config, &keymap);
        let again = Config::parse(&printed);
        assert_eq!(again.problems, [], "{printed}");
        for option in OPTIONS {
            assert_eq!(option.configured_value(&again), option.configured_value(&config), "{}", option.name);
        }
        let (same, problems) = Keymap::from_settings(action::action_table(), &again.keys);
        assert_eq!(problems, []);
        for &id in ActionId::ALL {
            assert_eq!(
                (same.action_keys(id), same.is_overridden(id)),
                (keymap.action_keys(id), keymap.is_overridden(id))
            );
            assert!(
                printed.contains(&format!("\n{} = ", id.name())) == keymap.is_overridden(id),
                "{}",
                id.name()
            );
        }
    }
}

/// Without the comment marks, the printed configuration sets all defaults.
#[test]
fn commented_lines_are_the_defaults() {
    let printed = render_configuration(&Config::default(), &crate::tui::default_keymap());
    let lines = printed.lines().map(|line| {
        let bare = line.strip_prefix("# ").filter(|bare| bare.contains(" = ") && !bare.contains("..."));
        bare.unwrap_or(line)
    });
    let config = Config::parse(&lines.collect::<Vec<_>>().join("\n"));
    assert_eq!(config.problems, []);
    let (keymap, problems) = Keymap::from_settings(action::action_table(), &config.keys);
    assert_eq!((config.keys.len(), problems), (ActionId::ALL.len(), Vec::new()));
    assert!(ActionId::ALL.iter().all(|id| !keymap.is_overridden(*id)));
    for option in OPTIONS {
        assert_eq!(option.configured_value(&config).as_deref(), option.default, "{}", option.name);
    }
}

#[test]
fn schema_contains_every_option_and_action() {
    let schema = configuration_schema();
    let known = |pointer: &str| schema.pointer(pointer).is_some();
    assert!(OPTIONS.iter().all(|option| known(&format!("/properties/{}", option.name))));
    assert!(ActionId::ALL.iter().all(|id| known(&format!("/properties/keys/properties/{}", id.name()))));
    let themes: Vec<&str> = ThemeName::ALL.iter().map(|theme| theme.name()).collect();
    assert_eq!(THEMES, themes, "a theme can be configured by its name");
}

#[test]
fn every_action_is_listed_once_with_its_effective_keys() {
    let listed: usize = action_groups().iter().map(|group| group.actions.len()).sum();
    assert_eq!(listed, action::action_table().actions().count());
    let (keymap, _) = Keymap::from_settings(action::action_table(), &Config::parse(CHANGED).keys);
    let text = render_keys_text(&keymap);
    let line =
        |name: &str| text.lines().find(|line| line.contains(&format!("  {name} "))).unwrap().to_owned();
    assert!(line("find").starts_with("* ctrl-f, g f  "), "{}", line("find"));
    assert!(line("help").starts_with("*   "), "{}", line("help"));
    assert!(line("redo").starts_with("  ctrl-r  "), "{}", line("redo"));
    let Value::Array(rows) = keys_json(&keymap) else { panic!("an array") };
    let find = rows.iter().find(|row| row["action"] == "find").unwrap();
    assert_eq!((&find["changed"], &find["keys"][1]), (&Value::Bool(true), &Value::from("g f")));
    assert!(render_keys_document(&keymap).contains("| `ctrl-f`, `g f` | find | "));
}
