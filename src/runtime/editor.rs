//! Editor of the user: the configured command, and its arguments for a line of a file.
//!
//! The editor is started without a shell, so file names cannot become commands.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::signals::Signals;
use super::terminal::open_keyboard;
use crate::tui::work::effect::FileLine;

#[cfg(unix)]
use nix::sys::termios;

/// Reason why a file could not be edited.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    /// No editor is configured or found.
    #[error("no editor is known: set $VISUAL or $EDITOR, or `editor` in the configuration")]
    None,
    /// The configured command cannot be parsed.
    #[error("{origin} cannot be read as a command: {reason}")]
    BadCommand {
        /// Variable or setting with the command.
        origin: &'static str,
        /// Reason of the failure.
        reason: String,
    },
    /// The editor did not start.
    #[error("the editor {program} cannot be started: {}", in_words(.source))]
    Start {
        /// Program name.
        program: String,
        /// Cause of the failure.
        source: io::Error,
    },
    /// The editor ended with an error status.
    #[error("the editor {program} ended with {status}")]
    Ended {
        /// Program name.
        program: String,
        /// Exit status.
        status: ExitStatus,
    },
}

/// Configured editor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfiguredEditor {
    /// Variable or setting with the command.
    pub origin: &'static str,
    /// Command with arguments.
    pub command: OsString,
}

/// Editors that are tried if none is configured.
const KNOWN_EDITORS: &[&str] = if cfg!(windows) { &["notepad"] } else { &["vi", "vim", "nano", "emacs"] };

/// Syntax of the line argument of an editor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LineSyntax {
    /// `+LINE FILE`, as in vi.
    Plus,
    /// `FILE:LINE`.
    Colon,
    /// `--goto FILE:LINE`, with `--wait` to wait until the window is closed.
    Goto,
    /// `--line LINE FILE`.
    Option,
    /// Line argument is not supported.
    None,
}

/// Line syntax of known editors, by program name.
const LINE_SYNTAXES: [(LineSyntax, &[&str]); 4] = [
    (
        LineSyntax::Plus,
        &[
            "vi",
            "vim",
            "nvim",
            "gvim",
            "view",
            "vis",
            "nano",
            "pico",
            "emacs",
            "emacsclient",
            "kak",
            "micro",
            "joe",
            "jed",
            "mg",
            "ne",
            "mcedit",
            "gedit",
            "amp",
        ],
    ),
    (LineSyntax::Colon, &["hx", "helix", "subl", "sublime_text", "zed", "zeditor"]),
    (LineSyntax::Goto, &["code", "codium", "code-insiders", "code-oss", "cursor", "windsurf", "positron"]),
    (LineSyntax::Option, &["idea", "pycharm", "goland", "kate", "kwrite"]),
];

/// Input settings of the terminal. An editor that crashed does not restore them.
#[cfg(unix)]
struct Settings(Option<termios::Termios>);

#[cfg(unix)]
impl Settings {
    fn now() -> Self {
        Self(termios::tcgetattr(io::stdout()).ok())
    }

    fn restore(self) {
        if let Some(settings) = self.0 {
            // Keeps input that was typed already.
            let _ = termios::tcsetattr(io::stdout(), termios::SetArg::TCSADRAIN, &settings);
        }
    }
}

#[cfg(not(unix))]
struct Settings;

#[cfg(not(unix))]
impl Settings {
    fn now() -> Self {
        Self
    }

    fn restore(self) {}
}

fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "program not found".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns the editor: from the configuration of olmap, else from `$VISUAL`, else from `$EDITOR`, else the
/// first known editor that exists.
pub fn find_editor(configured: Option<&str>) -> Option<ConfiguredEditor> {
    find_editor_with(|name| env::var_os(name), configured, is_in_path)
}

fn find_editor_with(
    variable: impl Fn(&str) -> Option<OsString>,
    configured: Option<&str>,
    is_there: impl Fn(&str) -> bool,
) -> Option<ConfiguredEditor> {
    let is_blank = |command: &OsStr| command.to_string_lossy().trim().is_empty();
    let of = |origin: &'static str| {
        let command = variable(origin).filter(|command| !is_blank(command))?;
        Some(ConfiguredEditor { origin, command })
    };
    let of_configuration = || {
        let command = configured.filter(|command| !command.trim().is_empty())?.into();
        Some(ConfiguredEditor { origin: "`editor` in the configuration", command })
    };
    let usual = || {
        let command = (*KNOWN_EDITORS.iter().find(|program| is_there(program))?).into();
        Some(ConfiguredEditor { origin: "what is installed", command })
    };
    of_configuration().or_else(|| of("VISUAL")).or_else(|| of("EDITOR")).or_else(usual)
}

/// Returns true if a program with this name is in `PATH`.
pub(super) fn is_in_path(program: &str) -> bool {
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders)
        .any(|folder| endings.iter().any(|ending| folder.join(format!("{program}{ending}")).is_file()))
}

/// Returns the command that opens a file at a line.
///
/// # Errors
///
/// Fails if there is no editor, or its command is invalid.
pub fn command(configured: Option<&str>, spot: &FileLine) -> Result<Command, EditorError> {
    let ConfiguredEditor { origin, command } = find_editor(configured).ok_or(EditorError::None)?;
    let failed = |reason: String| EditorError::BadCommand { origin, reason };
    let text = command.to_str().ok_or_else(|| failed("it is not UTF-8".to_owned()))?;
    let words = split_command(text).map_err(|error| failed(error.to_string()))?;
    let (program, arguments) = words.split_first().ok_or(EditorError::None)?;
    let mut command = Command::new(program);
    command.args(arguments).args(file_arguments(program, arguments, spot));
    Ok(command)
}

/// Splits a command into words like a shell, without expansions.
fn split_command(text: &str) -> Result<Vec<String>, shell_words::ParseError> {
    // On Windows, a backslash is part of a path.
    let text = if cfg!(windows) { text.replace('\\', "\\\\") } else { text.to_owned() };
    shell_words::split(&text)
}

/// Returns the arguments for file and line.
fn file_arguments(program: &str, arguments: &[String], FileLine { path, line }: &FileLine) -> Vec<OsString> {
    let name = Path::new(program).file_stem().unwrap_or_default().to_string_lossy();
    let way = LINE_SYNTAXES
        .iter()
        .find(|(_, names)| names.contains(&&*name))
        .map_or(LineSyntax::None, |(way, _)| *way);
    let file = not_like_option(path);
    let with_line = || {
        let mut file = file.clone().into_os_string();
        file.push(format!(":{line}"));
        file
    };
    match way {
        LineSyntax::Plus => vec![format!("+{line}").into(), file.into()],
        LineSyntax::Colon => vec![with_line()],
        LineSyntax::Goto => {
            let waits = arguments.iter().any(|argument| argument == "--wait" || argument == "-w");
            let wait = (!waits).then(|| "--wait".into());
            wait.into_iter().chain(["--goto".into(), with_line()]).collect()
        }
        LineSyntax::Option => vec!["--line".into(), line.to_string().into(), file.into()],
        LineSyntax::None => vec![file.into()],
    }
}

/// Returns a path that does not look like an option.
fn not_like_option(path: &Path) -> PathBuf {
    let begins = path.as_os_str().to_string_lossy().chars().next();
    if matches!(begins, Some('-' | '+')) { Path::new(".").join(path) } else { path.to_owned() }
}

/// Runs an editor until it ends. The editor has the terminal meanwhile.
///
/// # Errors
///
/// Fails if the editor cannot be started, or ends with an error status.
pub fn run_editor(command: &mut Command, signals: &Signals) -> Result<(), EditorError> {
    let program = command.get_program().to_string_lossy().into_owned();
    if !io::stdin().is_terminal()
        && let Ok(terminal) = open_keyboard()
    {
        // Standard input is a catalog.
        command.stdin(Stdio::from(terminal));
    }
    let settings = Settings::now();
    let status = signals.run_program(command);
    settings.restore();
    let status = status.map_err(|source| EditorError::Start { program: program.clone(), source })?;
    if status.success() { Ok(()) } else { Err(EditorError::Ended { program, status }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editor_command_with(
        variables: &[(&str, &str)],
        configured: Option<&str>,
        installed: &[&str],
    ) -> Option<String> {
        let variable = |name: &str| {
            let value = variables.iter().find(|(known, _)| *known == name)?.1;
            Some(OsString::from(value))
        };
        let named = find_editor_with(variable, configured, |program| installed.contains(&program))?;
        Some(named.command.into_string().unwrap())
    }

    #[test]
    fn configuration_precedes_environment_and_known_editors() {
        let all = [("EDITOR", "ed"), ("VISUAL", "vis -x")];
        assert_eq!(editor_command_with(&all, Some("nano"), &["vi"]).unwrap(), "nano");
        assert_eq!(editor_command_with(&all, None, &["vi"]).unwrap(), "vis -x");
        assert_eq!(editor_command_with(&all[..1], Some(""), &["vi"]).unwrap(), "ed");
        assert_eq!(
            editor_command_with(&[("VISUAL", " "), ("EDITOR", "nano")], None, &["vi"]).unwrap(),
            "nano"
        );
        #[cfg(unix)]
        assert_eq!(editor_command_with(&[], Some(""), &["nano", "vi"]).unwrap(), "vi");
        assert_eq!(editor_command_with(&[], None, &[]), None);
    }

    fn editor_arguments(editor: &str, path: &str) -> String {
        let words = split_command(editor).unwrap();
        let spot = FileLine { path: path.into(), line: 12 };
        let place = file_arguments(&words[0], &words[1..], &spot);
        place.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_editor_gets_the_line_in_its_syntax() {
        for (editor, wanted) in [
            ("vim", "+12 c.yaml"),
            ("/usr/bin/nvim -R", "+12 c.yaml"),
            ("emacsclient -t", "+12 c.yaml"),
            ("hx", "c.yaml:12"),
            ("code", "--wait --goto c.yaml:12"),
            ("'/opt/my tools/codium' --wait", "--goto c.yaml:12"),
            ("goland", "--line 12 c.yaml"),
            ("mine", "c.yaml"),
        ] {
            assert_eq!(editor_arguments(editor, "c.yaml"), wanted, "{editor}");
        }
    }

    #[test]
    fn file_name_is_one_argument_and_not_an_option() {
        assert_eq!(editor_arguments("vim", "-c :q!"), "+12 ./-c :q!");
        assert_eq!(editor_arguments("hx", "+9"), "./+9:12");
        let spot = FileLine { path: "a; rm b".into(), line: 1 };
        assert_eq!(file_arguments("vim", &[], &spot), ["+1", "a; rm b"]);
    }

    #[test]
    fn invalid_command_is_refused() {
        assert!(split_command("vim 'open").is_err());
        assert_eq!(split_command("vim -c 'set nu' a\\ b").unwrap()[2], "set nu");
    }
}
