use super::run::{command, run_with_input};

/// Runs `olmap doctor` in a temporary home directory with a configuration.
fn run_in_home(configuration: &str, arguments: &[&str]) -> (super::run::Run, tempfile::TempDir) {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".config/olmap");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), configuration).unwrap();
    let mut command = command();
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "OLMAP_CONFIG", "VISUAL", "DISPLAY", "WAYLAND_DISPLAY"]
    {
        command.env_remove(name);
    }
    command.env("HOME", home.path());
    command.env("EDITOR", "/opt/tools/hx --secret-argument");
    command.env("TMUX", "/run/secret-session,1,0").env("SSH_CONNECTION", "secret-host 1 secret-host 2");
    command.env("COLORTERM", "truecolor").env("LANG", "C.UTF-8");
    (run_with_input(command.arg("doctor").args(arguments), b""), home)
}

#[cfg(target_os = "linux")]
#[test]
fn report_has_no_private_data() {
    let (run, home) = run_in_home("clipboard = 'osc52'\nmouse = 'perhaps'\n", &["--format", "json"]);
    let run = run.exits(0);
    let report = run.json();
    assert_eq!(report["olmap"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["terminal"]["output"], "not a terminal");
    assert_eq!(report["terminal"]["name"], "TERM=xterm-256color");
    assert_eq!(report["terminal"]["within"], "TMUX SSH_CONNECTION");
    assert_eq!(report["colours"]["shown"], "24-bit");
    assert_eq!(report["colours"]["because_of"], "COLORTERM=truecolor");
    assert!(report["away"]["clipboard"].as_str().unwrap().ends_with("OSC 52 through tmux"), "{report}");
    assert_eq!(report["away"]["editor"], "hx (by EDITOR)");
    assert_eq!(report["configuration"]["file"], "~/.config/olmap/config.toml");
    assert_eq!(report["configuration"]["problems"], "1: see olmap config --check");
    assert_eq!(report["state"]["folder"], "~/.local/state/olmap");
    assert_eq!(report["state"]["writable"], "yes");
    let megabytes = |key: &str| {
        let text = report["memory"][key].as_str().unwrap().strip_suffix(" MB").unwrap();
        text.parse::<f64>().unwrap()
    };
    assert!(megabytes("resident") > 1.0, "{report}");
    assert!(megabytes("peak") >= megabytes("resident") && megabytes("heap") > 0.0, "{report}");
    let allocator = report["memory"]["allocator"].as_str().unwrap();
    assert!(["glibc", "mimalloc"].contains(&allocator), "{report}");
    for private in ["secret", home.path().to_str().unwrap(), "/opt/tools"] {
        assert!(!run.out.contains(private), "{private} in {}", run.out);
    }
    assert!(!home.path().join(".local").exists(), "nothing is left behind");
    let (text, _home) = run_in_home("", &[]);
    let text = text.exits(0).out;
    assert!(text.contains("\n  editor       hx (by EDITOR)\n"), "{text}");
}

#[test]
fn missing_configuration_does_not_hide_other_facts() {
    let (run, _home) = run_in_home("", &["--config", "/nowhere.toml", "--read-only", "--format", "json"]);
    let report = run.exits(0).json();
    assert_eq!(report["configuration"]["file"], "no configuration file /nowhere.toml");
    assert_eq!(report["state"]["writable"], "not tried");
    assert!(report["terminal"]["size"].is_string());
}
