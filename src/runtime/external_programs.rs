//! Programs of the user: the editor, and the clipboard, which may also be that of the terminal.
//!
//! The editor is started without a shell, so file names cannot become commands. The clipboard does not use a
//! library: on X11 and Wayland, a process must keep serving it, and the desktop provides programs for that. Over
//! SSH, the clipboard of the system is on the wrong machine, so the terminal comes first.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::signals::Signals;
use super::terminal::{self, open_keyboard};
use crate::config::Clipboard;
use crate::tui::work::effect::{ClipboardText, FileLine};

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

/// Method to access a clipboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClipboardMethod {
    /// Program that reads text from standard input: its name and arguments.
    Program(&'static str, &'static [&'static str]),
    /// Escape sequence of the terminal (OSC 52). The terminal does not confirm it.
    Terminal(Multiplexer),
}

/// Multiplexer between olmap and the terminal with the clipboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Multiplexer {
    /// No multiplexer.
    None,
    /// tmux, which forwards marked sequences.
    Tmux,
    /// GNU screen, which forwards short sequences.
    Screen,
}

/// Reason why copying failed.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The text exceeds the limit of terminals.
    #[error("{bytes} bytes are too many for the terminal ({MOST}), and no clipboard program was found")]
    TooLong {
        /// Size of the text in bytes.
        bytes: usize,
    },
    /// The terminal cannot be written to.
    #[error("not copied: {0}")]
    Terminal(#[from] io::Error),
}

/// Maximum size of a text whose OSC 52 sequence, in base64, fits in the 100,000 bytes that terminals accept.
const MOST: usize = 74_994;

/// Time limit for a program. Programs that serve a clipboard go to the background at once.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(2);

impl ClipboardMethod {
    /// Returns the display name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Program(program, _) => program,
            Self::Terminal(Multiplexer::None) => "OSC 52",
            Self::Terminal(Multiplexer::Tmux) => "OSC 52 through tmux",
            Self::Terminal(Multiplexer::Screen) => "OSC 52 through screen",
        }
    }
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
fn is_in_path(program: &str) -> bool {
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

/// Returns the available methods, best first.
pub fn available_methods(asked: Option<Clipboard>) -> Vec<ClipboardMethod> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    methods_for(asked, is_set, is_in_path)
}

fn methods_for(
    asked: Option<Clipboard>,
    is_set: impl Fn(&str) -> bool,
    is_there: impl Fn(&str) -> bool,
) -> Vec<ClipboardMethod> {
    let wrap = if is_set("TMUX") {
        Multiplexer::Tmux
    } else if is_set("STY") {
        Multiplexer::Screen
    } else {
        Multiplexer::None
    };
    let mut terminal = Vec::new();
    if wrap == Multiplexer::Tmux {
        // By default, tmux accepts text only from its own command, and forwards it to its terminal.
        terminal.push(ClipboardMethod::Program("tmux", &["load-buffer", "-w", "-"]));
    }
    terminal.push(ClipboardMethod::Terminal(wrap));
    let mut system = Vec::new();
    if cfg!(target_os = "macos") {
        system.push(ClipboardMethod::Program("pbcopy", &[]));
    }
    if cfg!(windows) || is_set("WSL_DISTRO_NAME") {
        system.push(ClipboardMethod::Program("clip.exe", &[]));
    }
    if is_set("WAYLAND_DISPLAY") {
        system.push(ClipboardMethod::Program("wl-copy", &[]));
    }
    if is_set("DISPLAY") {
        system.push(ClipboardMethod::Program("xclip", &["-selection", "clipboard"]));
        system.push(ClipboardMethod::Program("xsel", &["--input", "--clipboard"]));
    }
    let far = is_set("SSH_TTY") || is_set("SSH_CONNECTION");
    let mut ways = match (asked, far) {
        (Some(Clipboard::Off), _) => Vec::new(),
        (Some(Clipboard::Osc52), _) | (_, true) => terminal,
        (Some(Clipboard::Auto) | None, false) => [system, terminal].concat(),
    };
    ways.retain(|way| !matches!(way, ClipboardMethod::Program(program, _) if !is_there(program)));
    ways
}

/// Copies a text, and returns a message that names the text and the method.
///
/// # Errors
///
/// Fails if the text is too long for the only method, or if that method fails.
pub fn copy_to_clipboard(copied: &ClipboardText, asked: Option<Clipboard>) -> Result<String, CopyError> {
    let ClipboardText { description: what, text } = copied;
    for way in available_methods(asked) {
        match way {
            ClipboardMethod::Program(program, arguments) => {
                let mut command = Command::new(program);
                command.args(arguments);
                let bytes =
                    if program == "clip.exe" { encode_utf16(text) } else { text.clone().into_bytes() };
                if write_to_program(&mut command, bytes, PROGRAM_TIMEOUT).is_ok_and(|taken| taken) {
                    return Ok(format!("{what} is in the clipboard ({program})"));
                }
            }
            ClipboardMethod::Terminal(wrap) => {
                terminal::write_to_terminal(&osc52_sequence(text, wrap)?)?;
                return Ok(format!("{what} was given to the terminal's clipboard ({})", way.label()));
            }
        }
    }
    Err(io::Error::other("no clipboard available").into())
}

/// Encodes text as UTF-16 with a byte order mark, which Windows detects reliably.
fn encode_utf16(text: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// Writes bytes to the standard input of a program. Returns true if the program accepted them and succeeded
/// in time.
fn write_to_program(command: &mut Command, bytes: Vec<u8>, patience: Duration) -> io::Result<bool> {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // A program that serves a clipboard outlives olmap, and must not be stopped with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A program that does not read would block this thread.
        thread::spawn(move || {
            let _ = input.write_all(&bytes);
        });
    }
    wait_for_success(&mut child, patience)
}

fn wait_for_success(child: &mut Child, patience: Duration) -> io::Result<bool> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the escape sequence that sets the clipboard of a terminal.
fn osc52_sequence(text: &str, wrap: Multiplexer) -> Result<Vec<u8>, CopyError> {
    if text.len() > MOST {
        return Err(CopyError::TooLong { bytes: text.len() });
    }
    let osc = format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    Ok(match wrap {
        Multiplexer::None => osc.into_bytes(),
        Multiplexer::Tmux => format!("\x1bPtmux;{}\x1b\\", osc.replace('\x1b', "\x1b\x1b")).into_bytes(),
        Multiplexer::Screen => {
            // GNU screen does not forward longer pieces.
            let pieces = osc.as_bytes().chunks(240);
            pieces.flat_map(|piece| [b"\x1bP", piece, b"\x1b\\"].concat()).collect()
        }
    })
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

    #[cfg(unix)]
    fn labels(asked: Option<Clipboard>, set: &[&str], there: &[&str]) -> Vec<&'static str> {
        let ways = methods_for(asked, |name| set.contains(&name), |program| there.contains(&program));
        ways.into_iter().map(ClipboardMethod::label).collect()
    }

    #[cfg(unix)]
    #[test]
    fn system_clipboard_comes_first_unless_session_is_remote() {
        let all = ["wl-copy", "xclip", "xsel", "tmux", "clip.exe"];
        assert_eq!(labels(None, &["DISPLAY"], &all), ["xclip", "xsel", "OSC 52"]);
        assert_eq!(labels(None, &["DISPLAY", "WAYLAND_DISPLAY"], &all[..1]), ["wl-copy", "OSC 52"]);
        assert_eq!(labels(None, &["WSL_DISTRO_NAME"], &all), ["clip.exe", "OSC 52"]);
        assert_eq!(labels(None, &[], &all), ["OSC 52"], "no desktop");
        assert_eq!(labels(None, &["DISPLAY", "SSH_TTY"], &all), ["OSC 52"], "another machine's desktop");
        assert_eq!(labels(None, &["TMUX"], &all), ["tmux", "OSC 52 through tmux"]);
        assert_eq!(labels(Some(Clipboard::Osc52), &["DISPLAY", "STY"], &all), ["OSC 52 through screen"]);
        assert!(labels(Some(Clipboard::Off), &["DISPLAY"], &all).is_empty());
    }

    #[test]
    fn sequence_passes_through_multiplexers() {
        let text = |wrap| String::from_utf8(osc52_sequence("ship.v1", wrap).unwrap()).unwrap();
        assert_eq!(text(Multiplexer::None), "\x1b]52;c;c2hpcC52MQ==\x07");
        assert_eq!(text(Multiplexer::Tmux), "\x1bPtmux;\x1b\x1b]52;c;c2hpcC52MQ==\x07\x1b\\");
        assert_eq!(text(Multiplexer::Screen), "\x1bP\x1b]52;c;c2hpcC52MQ==\x07\x1b\\");
        let long = "x".repeat(1000);
        let pieces = String::from_utf8(osc52_sequence(&long, Multiplexer::Screen).unwrap()).unwrap();
        let pieces: Vec<&str> = pieces.split_terminator("\x1b\\").collect();
        assert!(pieces.iter().all(|piece| piece.starts_with("\x1bP") && piece.len() <= 242));
        let whole: String = pieces.iter().map(|piece| &piece[2..]).collect();
        assert_eq!(whole.into_bytes(), osc52_sequence(&long, Multiplexer::None).unwrap());
    }

    #[test]
    fn text_too_long_for_a_terminal_is_refused() {
        let most = osc52_sequence(&"x".repeat(MOST), Multiplexer::None).unwrap();
        assert!(most.len() <= 100_000);
        let error = osc52_sequence(&"x".repeat(MOST + 1), Multiplexer::None).unwrap_err();
        assert!(error.to_string().starts_with("74995 bytes are too many for the terminal"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn program_that_does_not_end_is_killed() {
        let mut stuck = Command::new("sh");
        // The shell waits for a pipe that stays open.
        stuck.args(["-c", "mkfifo \"$0\"; read line <\"$0\""]);
        let folder = tempfile::tempdir().unwrap();
        stuck.arg(folder.path().join("pipe"));
        assert!(!write_to_program(&mut stuck, vec![b'x'; 1 << 20], Duration::from_millis(50)).unwrap());
        assert!(write_to_program(Command::new("cat").arg("-"), b"x".to_vec(), PROGRAM_TIMEOUT).unwrap());
        assert!(
            !write_to_program(Command::new("sh").args(["-c", "exit 1"]), b"x".to_vec(), PROGRAM_TIMEOUT)
                .unwrap()
        );
        assert!(
            write_to_program(&mut Command::new("olmap-has-no-such-program"), Vec::new(), PROGRAM_TIMEOUT)
                .is_err()
        );
    }
}
