use std::fs;

use super::run::{Run, command, run_with_input};

/// Runs a command with a configuration, and returns its path.
fn run_with_config(config: &str, args: &[&str]) -> (Run, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    fs::write(&path, config).unwrap();
    let run = run_with_input(command().env("OLMAP_CONFIG", &path).args(args), b"");
    (run, path.display().to_string())
}

const WRONG: &str = "theme = 'dork'\n[keys]\nfind = 'ctrl-f'\nundoo = 'u'\n";

#[test]
fn check_reports_errors_with_locations() {
    let (run, path) = run_with_config(WRONG, &["config", "--check"]);
    let run = run.exits(1);
    insta::assert_snapshot!(run.out.replace(&path, "PATH"), @r#"
    PATH:1:9: theme cannot be "dork"
      hint: did you mean "dark"?
    PATH:4:1: unknown action undoo
      hint: did you mean undo?
    2 problems; invalid settings are ignored
    "#);
    let (run, path) = run_with_config("ascii = true\n", &["config", "--check"]);
    assert_eq!(run.exits(0).out, format!("{path}: no errors\n"));
}

#[test]
fn printed_configuration_is_read_back_unchanged() {
    let (run, path) = run_with_config(WRONG, &["config", "--print"]);
    let run = run.exits(0);
    assert!(
        run.out.contains("\n# theme = \"terminal\"\n") && run.out.contains("\nfind = [\"ctrl-f\"]\n"),
        "{}",
        run.out
    );
    assert_eq!(run.err, format!("warning: {path} has errors (2): see olmap config --check\n"));
    let (again, _) = run_with_config(&run.out, &["config"]);
    let again = again.exits(0);
    assert_eq!((again.out, again.err), (run.out, String::new()));
}

#[test]
fn schema_is_json_with_every_action() {
    let (run, _) = run_with_config("", &["config", "--schema"]);
    let schema = run.exits(0).json();
    assert_eq!(schema["properties"]["keys"]["properties"]["find"]["default"][0], "ctrl-p");
}

#[test]
fn finds_file_in_xdg_directory_unless_it_is_overridden_or_disabled() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        run_with_input(
            command().env_remove("OLMAP_CONFIG").env("XDG_CONFIG_HOME", folder.path()).args(args),
            b"",
        )
    };
    let usual = folder.path().join("olmap").join("config.toml");
    assert_eq!(run(&["config", "--path"]).exits(0).out, format!("{}\n", usual.display()));
    let check = run(&["config", "--check"]).exits(0);
    assert!(check.out.ends_with("using defaults\n"), "{}", check.out);
    fs::create_dir_all(usual.parent().unwrap()).unwrap();
    fs::write(&usual, "ascii = 1\n").unwrap();
    run(&["config", "--check"]).exits(1);
    assert_eq!(
        run(&["--config", "none", "config", "--check"]).exits(0).out,
        "no configuration file, \
     using defaults\n"
    );
    run(&["--config", "none", "config", "--path"]).exits(2);
    let missing = run(&["--config", "nowhere.toml", "config", "--check"]).exits(2);
    assert!(missing.err.starts_with("olmap: no configuration file nowhere.toml\nhint: "), "{}", missing.err);
    fs::write(&usual, b"\xff").unwrap();
    assert!(run(&["config", "--check"]).exits(1).out.contains("config.toml:1:1: it is not UTF-8\n"));
}

#[test]
fn keys_are_the_configured_ones() {
    let (run, _) =
        run_with_config("[keys]\nfind = ['ctrl-f', 'g f']\ntop = 'home'\n", &["keys", "--format", "json"]);
    let rows = run.exits(0).json();
    let find = rows.as_array().unwrap().iter().find(|row| row["action"] == "find").unwrap();
    assert_eq!(find["keys"], serde_json::json!(["ctrl-f", "g f"]));
    assert_eq!((&find["default"][0], &find["changed"]), (&"ctrl-p".into(), &true.into()));
    let (text, _) = run_with_config("[keys]\nfind = 'ctrl-f'\n", &["keys"]);
    let text = text.exits(0).out;
    assert!(text.contains("\n* ctrl-f ") && text.ends_with("\n* set in the configuration\n"), "{text}");
}

#[test]
fn completions_and_manual_page_are_printed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell", "kubectl"] {
        let script = run_with_input(command().args(["completions", shell]), b"").exits(0).out;
        assert!(script.contains("OLMAP_COMPLETE") && script.contains("olmap"), "{shell}");
    }
    run_with_input(command().args(["completions", "csh"]), b"").exits(2);
    let page = run_with_input(command().arg("man"), b"").exits(0).out;
    for section in ["KEYS", "FILES", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES"] {
        assert!(page.contains(section), "{section}");
    }
    assert!(page.contains("ctrl\\-p"), "{page}");
}
