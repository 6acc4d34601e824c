//! Program in its own pseudo terminal.

use std::{
    io::{Read, Write},
    num::NonZeroU16,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

pub const CATALOG: &str = "\
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

/// Time limit for any wait; only reached if a test fails.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Program in its own pseudo terminal.
pub struct Terminal {
    pub child: Box<dyn Child + Send + Sync>,
    pub master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    pub parser: vt100::Parser,
    /// All output of the program.
    pub written: Vec<u8>,
    _state: tempfile::TempDir,
}

impl Terminal {
    pub fn start_olmap(arguments: &[&Path]) -> Self {
        Self::start_olmap_with(|command| command.args(arguments))
    }

    pub fn start_olmap_with(set_up: impl FnOnce(&mut CommandBuilder)) -> Self {
        Self::start_program(env!("CARGO_BIN_EXE_olmap"), set_up)
    }

    pub fn start_program(program: &str, set_up: impl FnOnce(&mut CommandBuilder)) -> Self {
        // Leftover state of one test must not affect another one.
        let state = tempfile::tempdir().unwrap();
        let size = PtySize { rows: 30, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.env("TERM", "xterm-256color");
        // The test environment must not affect the program.
        for name in ["NO_COLOR", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "TMUX", "STY", "SSH_TTY"] {
            command.env_remove(name);
        }
        // On macOS there is always a system clipboard.
        command.env("SSH_CONNECTION", "a test");
        command.env("XDG_STATE_HOME", state.path());
        command.env("XDG_CACHE_HOME", state.path());
        command.env("OLMAP_CONFIG", "none");
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
        let parser = empty_screen();
        Self { child, master: pty.master, keys, output, parser, written: Vec::new(), _state: state }
    }

    /// Reads output until the screen matches a condition.
    pub fn wait_until(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) {
        let deadline = Instant::now() + TIMEOUT;
        while !wanted(self.parser.screen()) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.process_output(&bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("never came: {what}\n{}", self.parser.screen().contents());
                }
            }
        }
    }

    /// Reads output until there is none for a while; fails if the program keeps writing.
    pub fn wait_until_silent(&mut self) {
        let deadline = Instant::now() + TIMEOUT;
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_secs(1)) {
            assert!(Instant::now() < deadline, "never silent");
            self.process_output(&bytes);
        }
    }

    pub fn process_output(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
        self.written.extend_from_slice(bytes);
    }

    pub fn wait_for_text(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contents().contains(text));
    }

    pub fn press_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Reads output until the program has written a text, at any position.
    pub fn wait_until_written(&mut self, text: &str) {
        let deadline = Instant::now() + TIMEOUT;
        while !String::from_utf8_lossy(&self.written).contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            let bytes = self.output.recv_timeout(left);
            self.process_output(&bytes.unwrap_or_else(|_| panic!("never written: {text:?}")));
        }
    }

    /// Resizes the terminal.
    pub fn resize(&self, rows: u16, cols: u16) {
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Waits for the end of the program and of its output; returns the exit code.
    pub fn wait_for_exit(&mut self) -> u32 {
        let status = self.child.wait().unwrap();
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(500)) {
            self.process_output(&bytes);
        }
        status.exit_code()
    }

    /// Asserts that every enabled mode is disabled and the cursor is visible.
    pub fn assert_given_back(&self) {
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen(), "still on the alternate screen");
        assert!(!screen.hide_cursor(), "the cursor is still hidden");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse is still ours");
        assert!(!screen.bracketed_paste(), "paste is still bracketed");
        // Includes modes that the parser does not track, such as focus events.
        let written = String::from_utf8_lossy(&self.written);
        for (at, begin) in written.match_indices("\x1b[?") {
            let rest = &written[at + begin.len()..];
            let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let (on, off) = (format!("\x1b[?{number}h"), format!("\x1b[?{number}l"));
            let is_off = written.rfind(&off) > written.rfind(&on);
            assert_eq!(is_off, number != "25", "mode {number} is not as it was");
        }
    }

    /// Asserts that input is echoed and read line by line.
    pub fn assert_readable(&self) {
        let settings = format!("{:?}", self.master.get_termios().unwrap().local_flags);
        assert!(settings.contains("ICANON") && settings.contains("ECHO |"), "{settings}");
    }

    pub fn send_signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap().to_string();
        let sent = std::process::Command::new("kill").args(["-s", name, &pid]).status().unwrap();
        assert!(sent.success());
    }
}

/// Returns an empty screen in the size of the program.
pub fn empty_screen() -> vt100::Parser {
    screen_with_size(30, 100)
}

/// Returns an empty screen in the given size.
pub fn screen_with_size(rows: u16, columns: u16) -> vt100::Parser {
    vt100::Parser::new(NonZeroU16::new(rows).unwrap(), NonZeroU16::new(columns).unwrap(), 0)
}

pub fn write_catalog() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.yaml");
    std::fs::write(&path, CATALOG).unwrap();
    (folder, path)
}
