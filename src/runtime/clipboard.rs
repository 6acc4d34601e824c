//! Clipboards: that of the system, through a program, and that of the terminal, through an escape sequence.
//!
//! No library is used: on X11 and Wayland, a process must keep serving the clipboard, and the desktop provides programs
//! for that. Over SSH, the clipboard of the system is on the wrong machine, so the terminal comes first.

use std::io::{self, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::editor::is_in_path;
use super::terminal;
use crate::config::Clipboard;
use crate::tui::work::effect::ClipboardText;

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
                    return Ok(format!("copied {what} ({program})"));
                }
            }
            ClipboardMethod::Terminal(wrap) => {
                terminal::write_to_terminal(&osc52_sequence(text, wrap)?)?;
                return Ok(format!("sent {what} to the clipboard of the terminal ({})", way.label()));
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
