//! Text into a clipboard: the system's, where a program that serves it is there, else the terminal's.
//!
//! No library is used for it: on X11 and Wayland a clipboard is served by a program that stays, and these come with the
//! desktop. Over SSH the system's clipboard is on the wrong machine, so the terminal is asked first.

use std::{
    env,
    io::{self, Write as _},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{editor::is_there, modes};
use crate::{app::work::effect::Copied, config::Clipboard};

/// A way into a clipboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// A program that takes text on its standard input: its name and arguments.
    Program(&'static str, &'static [&'static str]),
    /// The terminal is asked to (OSC 52). It never answers.
    Terminal(Wrap),
}

/// What stands between us and the terminal that has the clipboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// Nothing.
    None,
    /// tmux, which passes on what is marked.
    Tmux,
    /// GNU screen, which passes on short pieces.
    Screen,
}

/// Why nothing was copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// More than terminals take.
    #[error("{bytes} bytes are too many for the terminal ({MOST}), and no clipboard program was found")]
    TooLong {
        /// How many there are.
        bytes: usize,
    },
    /// The terminal cannot be written to.
    #[error("not copied: {0}")]
    Terminal(#[from] io::Error),
}

/// How much text fits into the 100,000 bytes at which terminals cut an OSC 52 sequence off, as base64.
const MOST: usize = 74_994;

/// How long a program may take; those that serve a clipboard go into the background at once.
const PATIENCE: Duration = Duration::from_secs(2);

impl Way {
    /// How people call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Program(program, _) => program,
            Self::Terminal(Wrap::None) => "OSC 52",
            Self::Terminal(Wrap::Tmux) => "OSC 52 through tmux",
            Self::Terminal(Wrap::Screen) => "OSC 52 through screen",
        }
    }
}

/// The ways there are, best first.
pub fn ways(asked: Option<Clipboard>) -> Vec<Way> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    ways_given(asked, is_set, is_there)
}

fn ways_given(
    asked: Option<Clipboard>,
    is_set: impl Fn(&str) -> bool,
    is_there: impl Fn(&str) -> bool,
) -> Vec<Way> {
    let wrap = if is_set("TMUX") {
        Wrap::Tmux
    } else if is_set("STY") {
        Wrap::Screen
    } else {
        Wrap::None
    };
    let mut terminal = Vec::new();
    if wrap == Wrap::Tmux {
        // As it is set up at first, tmux takes text from its own command only, and hands it to its terminal.
        terminal.push(Way::Program("tmux", &["load-buffer", "-w", "-"]));
    }
    terminal.push(Way::Terminal(wrap));
    let mut system = Vec::new();
    if cfg!(target_os = "macos") {
        system.push(Way::Program("pbcopy", &[]));
    }
    if cfg!(windows) || is_set("WSL_DISTRO_NAME") {
        system.push(Way::Program("clip.exe", &[]));
    }
    if is_set("WAYLAND_DISPLAY") {
        system.push(Way::Program("wl-copy", &[]));
    }
    if is_set("DISPLAY") {
        system.push(Way::Program("xclip", &["-selection", "clipboard"]));
        system.push(Way::Program("xsel", &["--input", "--clipboard"]));
    }
    let far = is_set("SSH_TTY") || is_set("SSH_CONNECTION");
    let mut ways = match (asked, far) {
        (Some(Clipboard::Off), _) => Vec::new(),
        (Some(Clipboard::Osc52), _) | (_, true) => terminal,
        (Some(Clipboard::Auto) | None, false) => [system, terminal].concat(),
    };
    ways.retain(|way| !matches!(way, Way::Program(program, _) if !is_there(program)));
    ways
}

/// Copies, and says what and how.
///
/// # Errors
///
/// When it is too long for the only way there is, or that fails.
pub fn copy(copied: &Copied, asked: Option<Clipboard>) -> Result<String, CopyError> {
    let Copied { what, text } = copied;
    for way in ways(asked) {
        match way {
            Way::Program(program, arguments) => {
                let mut command = Command::new(program);
                command.args(arguments);
                let bytes = if program == "clip.exe" { utf16(text) } else { text.clone().into_bytes() };
                if feed(&mut command, bytes, PATIENCE).is_ok_and(|taken| taken) {
                    return Ok(format!("{what} is in the clipboard ({program})"));
                }
            }
            Way::Terminal(wrap) => {
                modes::write(&sequence(text, wrap)?)?;
                return Ok(format!("{what} was given to the terminal's clipboard ({})", way.label()));
            }
        }
    }
    Err(io::Error::other("no clipboard available").into())
}

/// What Windows reads without a doubt.
fn utf16(text: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// Gives a program bytes on its standard input; whether it took them and ended well in time.
fn feed(command: &mut Command, bytes: Vec<u8>, patience: Duration) -> io::Result<bool> {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // What serves a clipboard goes on after us, and is not stopped with us.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // One that does not read would hold us up.
        thread::spawn(move || {
            let _ = input.write_all(&bytes);
        });
    }
    ends_well(&mut child, patience)
}

fn ends_well(child: &mut Child, patience: Duration) -> io::Result<bool> {
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

/// The bytes that ask a terminal to put text into its clipboard.
fn sequence(text: &str, wrap: Wrap) -> Result<Vec<u8>, CopyError> {
    if text.len() > MOST {
        return Err(CopyError::TooLong { bytes: text.len() });
    }
    let osc = format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    Ok(match wrap {
        Wrap::None => osc.into_bytes(),
        Wrap::Tmux => format!("\x1bPtmux;{}\x1b\\", osc.replace('\x1b', "\x1b\x1b")).into_bytes(),
        Wrap::Screen => {
            // Longer pieces are not passed on.
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
        let ways = ways_given(asked, |name| set.contains(&name), |program| there.contains(&program));
        ways.into_iter().map(Way::label).collect()
    }

    #[cfg(unix)]
    #[test]
    fn the_systems_clipboard_comes_first_where_it_is_the_users() {
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
    fn what_a_terminal_is_told_survives_what_stands_between() {
        let text = |wrap| String::from_utf8(sequence("ship.v1", wrap).unwrap()).unwrap();
        assert_eq!(text(Wrap::None), "\x1b]52;c;c2hpcC52MQ==\x07");
        assert_eq!(text(Wrap::Tmux), "\x1bPtmux;\x1b\x1b]52;c;c2hpcC52MQ==\x07\x1b\\");
        assert_eq!(text(Wrap::Screen), "\x1bP\x1b]52;c;c2hpcC52MQ==\x07\x1b\\");
        let long = "x".repeat(1000);
        let pieces = String::from_utf8(sequence(&long, Wrap::Screen).unwrap()).unwrap();
        let pieces: Vec<&str> = pieces.split_terminator("\x1b\\").collect();
        assert!(pieces.iter().all(|piece| piece.starts_with("\x1bP") && piece.len() <= 242));
        let whole: String = pieces.iter().map(|piece| &piece[2..]).collect();
        assert_eq!(whole.into_bytes(), sequence(&long, Wrap::None).unwrap());
    }

    #[test]
    fn what_is_too_long_for_a_terminal_is_refused() {
        let most = sequence(&"x".repeat(MOST), Wrap::None).unwrap();
        assert!(most.len() <= 100_000);
        let error = sequence(&"x".repeat(MOST + 1), Wrap::None).unwrap_err();
        assert!(error.to_string().starts_with("74995 bytes are too many for the terminal"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_does_not_end_is_not_waited_for() {
        let mut stuck = Command::new("sh");
        // It waits for a pipe that nobody closes.
        stuck.args(["-c", "mkfifo \"$0\"; read line <\"$0\""]);
        let folder = tempfile::tempdir().unwrap();
        stuck.arg(folder.path().join("pipe"));
        assert!(!feed(&mut stuck, vec![b'x'; 1 << 20], Duration::from_millis(50)).unwrap());
        assert!(feed(Command::new("cat").arg("-"), b"x".to_vec(), PATIENCE).unwrap());
        assert!(!feed(Command::new("sh").args(["-c", "exit 1"]), b"x".to_vec(), PATIENCE).unwrap());
        assert!(feed(&mut Command::new("olmap-has-no-such-program"), Vec::new(), PATIENCE).is_err());
    }
}
