//! The real binary in a real (pseudo) terminal: it starts, edits, saves, and gives the terminal back however it ends.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::{
    io::{Read, Write},
    num::NonZeroU16,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

const CATALOG: &str = "\
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.1.0   # newest
  replaces: ship.v1.0.0
- name: ship.v1.0.0
---
{schema: olm.bundle, package: ship, name: ship.v1.1.0, image: 'example.com/ship:1.1.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.1.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.0.0, image: 'example.com/ship:1.0.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}
";

/// How long anything may take before the test fails; reached only when something is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program in a terminal of its own.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    /// Everything the program ever wrote.
    written: Vec<u8>,
    _state: tempfile::TempDir,
}

impl Terminal {
    fn start(arguments: &[&Path]) -> Self {
        Self::start_with(|command| command.args(arguments))
    }

    fn start_with(set_up: impl FnOnce(&mut CommandBuilder)) -> Self {
        Self::run(env!("CARGO_BIN_EXE_olmap"), set_up)
    }

    fn run(program: &str, set_up: impl FnOnce(&mut CommandBuilder)) -> Self {
        // What one test leaves behind is not offered to another.
        let state = tempfile::tempdir().unwrap();
        let size = PtySize { rows: 30, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        command.env("XDG_STATE_HOME", state.path());
        set_up(&mut command);
        let child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().unwrap();
        let keys = pty.master.take_writer().unwrap();
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read) = reader.read(&mut buffer) {
                if read == 0 || sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        let parser = screen();
        Self { child, master: pty.master, keys, output, parser, written: Vec::new(), _state: state }
    }

    /// Takes in what the program writes until the screen is as wanted.
    fn wait_until(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !wanted(self.parser.screen()) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("never came: {what}\n{}", self.parser.screen().contents());
                }
            }
        }
    }

    /// Takes in what the program writes until it writes nothing for a while: what is done again and again never ends.
    fn falls_silent(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_secs(1)) {
            assert!(Instant::now() < deadline, "never silent");
            self.take(&bytes);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
        self.written.extend_from_slice(bytes);
    }

    fn shows(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contents().contains(text));
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the program to end, then for the rest of what it wrote; gives its exit code.
    fn end(&mut self) -> u32 {
        let status = self.child.wait().unwrap();
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(500)) {
            self.take(&bytes);
        }
        status.exit_code()
    }

    fn assert_given_back(&self) {
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen(), "still on the alternate screen");
        assert!(!screen.hide_cursor(), "the cursor is still hidden");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse is still ours");
        assert!(!screen.bracketed_paste(), "paste is still bracketed");
    }

    #[cfg(unix)]
    fn signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap().to_string();
        let sent = std::process::Command::new("kill").args(["-s", name, &pid]).status().unwrap();
        assert!(sent.success());
    }
}

/// An empty screen of the size the program gets.
fn screen() -> vt100::Parser {
    vt100::Parser::new(NonZeroU16::new(30).unwrap(), NonZeroU16::new(100).unwrap(), 0)
}

fn catalog() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.yaml");
    std::fs::write(&path, CATALOG).unwrap();
    (folder, path)
}

#[test]
fn an_entry_is_edited_saved_and_nothing_else_is_touched() {
    let (folder, path) = catalog();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("Entries 2");
    terminal.press("ll");
    terminal.press("e");
    terminal.shows("ship.v1.1.0 in stable");
    terminal.press("\t\t>=1.0.0 <1.1.0");
    terminal.shows("matches 1 of 2");
    terminal.press("\r");
    terminal.shows("1 unsaved");
    terminal.press("\x13");
    terminal.shows("1 edit, 1 file to write");
    terminal.press("\r");
    terminal.shows("Nothing is unsaved");
    terminal.press("qqqq");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
    let saved = std::fs::read_to_string(&path).unwrap();
    let expected = CATALOG
        .replace("  replaces: ship.v1.0.0\n", "  replaces: ship.v1.0.0\n  skipRange: '>=1.0.0 <1.1.0'\n");
    assert_eq!(saved, expected);
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_never_overwritten() {
    let (folder, path) = catalog();
    let mut terminal = Terminal::start(&[folder.path(), Path::new("--no-watch")]);
    terminal.shows("Entries 2");
    terminal.press("lle\x15\r");
    terminal.shows("1 unsaved");
    std::fs::write(&path, "# mine\n").unwrap();
    terminal.press("\x13\r");
    terminal.shows("opm will refuse this catalog: 1 new error");
    terminal.press("w");
    terminal.shows("Nothing was written");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# mine\n");
    terminal.press("\r");
    terminal.shows("1 edit not made again");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
}

#[test]
fn edits_survive_a_program_that_is_killed_and_saving_ends_their_journal() {
    let (folder, path) = catalog();
    let state = tempfile::tempdir().unwrap();
    let start = || {
        Terminal::start_with(|command| {
            command.env("XDG_STATE_HOME", state.path());
            command.arg(folder.path());
        })
    };
    let mut killed = start();
    killed.shows("Entries 2");
    killed.press("lle\x15\r");
    killed.shows("1 unsaved");
    killed.signal("KILL");
    killed.end();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), CATALOG);

    let mut next = start();
    next.shows("1 edit of this catalog was not saved");
    next.press("\r");
    next.shows("1 unsaved");
    next.press("\x13");
    next.shows("1 edit, 1 file to write");
    next.press("\r");
    next.shows("Write it all the same?");
    next.press("w");
    next.shows("Nothing is unsaved");
    next.press("qqqq");
    assert_eq!(next.end(), 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), CATALOG.replace("  replaces: ship.v1.0.0\n", ""));
    let left = std::fs::read_dir(state.path().join("olmap").join("journals")).unwrap().count();
    assert_eq!(left, 0, "nothing is left to be offered");
}

#[test]
fn what_another_program_writes_is_seen_and_what_olmap_writes_is_no_news() {
    let (folder, path) = catalog();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("Entries 2");
    std::fs::write(
        &path,
        CATALOG.replace("name: stable", "name: steady").replace("Channel: stable", "Channel: steady"),
    )
    .unwrap();
    terminal.shows("changed by another program: read again");
    terminal.shows("steady");
    std::fs::write(folder.path().join("more.yaml"), "schema: olm.package\nname: boat\n").unwrap();
    terminal.shows("boat");
    std::fs::remove_file(folder.path().join("more.yaml")).unwrap();
    terminal.shows("Packages 1 ");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
}

#[test]
fn nothing_is_drawn_while_nothing_happens() {
    let (folder, path) = catalog();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("Entries 2");
    // Files that were just written, and those that were read again, could have changed unseen: they are looked at by reading.
    terminal.falls_silent();
    std::fs::write(&path, CATALOG.replace("# newest", "# newer!")).unwrap();
    terminal.shows("read again");
    terminal.falls_silent();
    terminal.press("j");
    terminal.shows("Entries 2");
    terminal.falls_silent();
}

#[test]
fn without_arguments_the_demo_opens_wherever_one_stands() {
    let (folder, _) = catalog();
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let mut terminal = Terminal::start_with(|command| command.cwd(&empty));
    terminal.shows("demo catalog");
    terminal.shows("granary-operator");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
}

#[test]
fn a_signal_gives_the_terminal_back() {
    for signal in ["TERM", "HUP", "INT"] {
        let (folder, _) = catalog();
        let mut terminal = Terminal::start(&[folder.path()]);
        terminal.shows("Entries 2");
        terminal.signal(signal);
        terminal.end();
        terminal.assert_given_back();
    }
}

/// Not a test of its own: what the next one runs in a terminal.
#[test]
#[ignore = "run by another test, in a terminal"]
fn takes_the_terminal_and_panics() {
    let _guard = olmap::runtime::Guard::enter().unwrap();
    panic!("on purpose");
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_readable() {
    let this = std::env::current_exe().unwrap();
    let mut terminal = Terminal::run(this.to_str().unwrap(), |command| {
        command.args(["--ignored", "--exact", "takes_the_terminal_and_panics", "--nocapture"]);
    });
    terminal.shows("on purpose");
    assert_ne!(terminal.end(), 0);
    assert!(String::from_utf8_lossy(&terminal.written).contains("\x1b[?1049h"), "it never took the terminal");
    terminal.assert_given_back();
}

#[test]
fn a_path_that_is_not_there_is_said_and_can_be_left() {
    let mut terminal = Terminal::start(&[Path::new("/nowhere/at/all")]);
    terminal.shows("/nowhere/at/all");
    terminal.press("q");
    terminal.end();
    terminal.assert_given_back();
}

#[test]
fn escape_sequences_of_a_catalog_never_reach_the_terminal() {
    let (folder, path) = catalog();
    let nasty = CATALOG
        .replace("schema: olm.package\n", "schema: olm.package\ndescription: \"\\e]0;owned\\a\\e[31mred\"\n");
    std::fs::write(&path, nasty).unwrap();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("owned");
    terminal.press("q");
    terminal.end();
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(!written.contains("\x1b]0;"), "a title sequence got through");
    assert!(!written.contains("\x1b[31mred"), "a colour sequence got through");
}

#[test]
fn a_storm_of_sizes_is_survived() {
    let (folder, _) = catalog();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("Entries 2");
    for (rows, cols) in [(1, 1), (10, 40), (2, 500), (200, 3), (15, 50), (60, 200), (1, 80), (30, 100)] {
        terminal.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        terminal.press("j2k3j1");
    }
    terminal.parser = screen();
    terminal.press("2");
    terminal.shows("stable: 2 bundles");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 0);
}
