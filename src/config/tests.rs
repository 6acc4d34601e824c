//! Tests of the parser: valid parts count, and all mistakes are reported.

use proptest::prelude::*;

use super::{Clipboard, Color, Config, OPTIONS};

/// Returns the problems as lines: location, message, hint.
fn problem_lines(text: &str) -> Vec<String> {
    let told = Config::parse(text).problems.into_iter().map(|problem| {
        let hint = problem.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{} {}{hint}", problem.at, problem.message)
    });
    told.collect()
}

#[test]
fn every_option_is_read() {
    let config = Config::parse(
        "theme = 'dark'\nascii = true\ncolor = 'never'\nmouse = false\nwatch = false\nclipboard = 'osc52'\n\
         editor = 'hx --foo'\n[keys]\nfind = 'ctrl-f'\nundo = ['u', 'ctrl-z z']\nhelp = []\n",
    );
    assert_eq!(config.problems, []);
    assert_eq!(config.theme.as_deref(), Some("dark"));
    assert_eq!((config.ascii, config.mouse, config.watch), (Some(true), Some(false), Some(false)));
    assert_eq!((config.color, config.clipboard), (Some(Color::Never), Some(Clipboard::Osc52)));
    assert_eq!(config.editor.as_deref(), Some("hx --foo"));
    let keys: Vec<(&str, Vec<&str>)> = config
        .keys
        .iter()
        .map(|set| (set.action.value.as_str(), set.keys.iter().map(|key| key.value.as_str()).collect()))
        .collect();
    assert_eq!(keys, [("find", vec!["ctrl-f"]), ("undo", vec!["u", "ctrl-z z"]), ("help", vec![])]);
    assert_eq!(config.keys[1].keys[1].at.to_string(), "10:14");
    for option in OPTIONS {
        assert!(option.configured_value(&config).is_some(), "{} is read back", option.name);
    }
}

#[test]
fn empty_configuration_is_valid() {
    for text in ["", "# only a comment\n", "\u{feff}", "[keys]\n"] {
        assert_eq!(Config::parse(text), Config::default(), "{text:?}");
    }
}

#[test]
fn all_mistakes_are_reported_and_the_rest_counts() {
    let text = "them = 'dark'\nascii = 'yes'\ncolor = 'allways'\nclipboard = 'x'\nmouse = false\n[keys]\nfind = 3\nundo = [\
                'u', 4]\nredo = 'ctrl-y'\n[colours]\na = 1\n";
    assert_eq!(
        problem_lines(text),
        [
            "1:1 unknown option them (did you mean theme?)",
            "2:9 ascii cannot be \"yes\" (true or false, without quotes)",
            "3:9 color cannot be \"allways\" (did you mean \"always\"?)",
            "4:13 clipboard cannot be \"x\" (\"auto\", \"osc52\", \"off\")",
            "7:8 the keys of find are strings in quotes (such as \"ctrl-f\", or [\"f\", \"ctrl-f\"], or \
             [] for none)",
            "8:8 the keys of undo are strings in quotes (such as \"ctrl-f\", or [\"f\", \"ctrl-f\"], or \
             [] for none)",
            "10:2 unknown option colours (options are theme, ascii, color, mouse, watch, clipboard, \
             editor, keys)",
        ]
    );
    let config = Config::parse(text);
    assert_eq!((config.mouse, config.keys.len()), (Some(false), 1));
}

#[test]
fn syntax_error_affects_only_its_line() {
    let text = "theme = \"dark\nascii = true\nwatch = = false\nmouse = false\n";
    let told = problem_lines(text);
    assert!(
        told.len() >= 2 && told[0].starts_with("1:") && told.iter().any(|t| t.starts_with("3:")),
        "{told:?}"
    );
    let config = Config::parse(text);
    assert_eq!((config.theme.clone(), config.watch), (None, None), "what was guessed does not count");
    assert_eq!((config.ascii, config.mouse), (Some(true), Some(false)), "{config:?}");
}

#[test]
fn lines_below_malformed_header_are_ignored() {
    for header in ["[keys", "[", "[ke ys]", "  [keys.]"] {
        let text = format!(
            "mouse = false\n{header}\nfind = \"f\"\nascii = true\ntheem = 1\n\n[keys]\nundo = \"u\"\nredo = 3\n"
        );
        let told = problem_lines(&text);
        assert!(
            told.iter().all(|told| told.starts_with("2:") || told.starts_with("9:")),
            "{header}: {told:?}"
        );
        assert!(told.iter().any(|told| told.starts_with("2:")), "{header}: {told:?}");
        let config = Config::parse(&text);
        assert_eq!((config.mouse, config.ascii), (Some(false), None), "{header}");
        let keys: Vec<&str> = config.keys.iter().map(|setting| setting.action.value.as_str()).collect();
        assert_eq!(keys, ["undo"], "{header}: {told:?}");
    }
}

#[test]
fn blank_editor_is_a_mistake() {
    for text in ["editor = \"\"\n", "editor = \"  \"\n"] {
        let told = problem_lines(text);
        assert!(told.len() == 1 && told[0].starts_with("1:10 editor cannot be \""), "{told:?}");
        assert_eq!(Config::parse(text).editor, None);
    }
}

fn any_configuration() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "theme",
        "ascii",
        "keys",
        "[keys]",
        "[",
        "]",
        "=",
        "\"",
        "'",
        "\n",
        "true",
        "\"dark\"",
        "find",
        ".",
        "{",
        "}",
        ",",
        "#",
        "\"ctrl-f\"",
        "3",
        "\\u",
        "é",
        "[[keys]]",
        "1979-05-27",
        "\"\"\"",
        "inf",
        "0x",
        "\r",
    ]);
    prop_oneof![
        prop::collection::vec(word, 0..30).prop_map(|words| words.join(" ")),
        any::<String>(),
        "[a-z\\[\\]='\"#\n .{},0-9]{0,60}",
    ]
}

proptest! {
    #[test]
    fn any_text_can_be_parsed(text in any_configuration()) {
        let config = Config::parse(&text);
        let lines = text.split('\n').count();
        for problem in &config.problems {
            prop_assert!((1..=lines).contains(&problem.at.line) && problem.at.column > 0, "{:?}", problem);
        }
        prop_assert!(config.problems.is_sorted());
    }
}
