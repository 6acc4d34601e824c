//! Runs of the program in a terminal, with time measurements.

use std::{
    fs,
    io::Read as _,
    num::NonZeroU16,
    path::Path,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Path of the measured program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_olmap");

const ROWS: u16 = 60;
const COLUMNS: u16 = 200;

/// Time limit for any step; longer than any step takes unless the program is broken.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Time from the start until the explorer showed each state.
pub struct OpeningTimes {
    /// A package with its bundles.
    pub first: Duration,
    /// All packages of the catalog.
    pub listed: Duration,
    /// Findings of all packages.
    pub checked: Duration,
}

/// Activity of the explorer without user input.
pub struct IdleActivity {
    /// Processor time.
    pub busy: Duration,
    /// Bytes written to the terminal.
    pub written: usize,
}

pub struct Explorer {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    started: Instant,
}

impl Explorer {
    pub fn start_explorer(path: &Path, state: &Path) -> Self {
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(PROGRAM);
        command.env("TERM", "xterm-256color");
        command.env("XDG_STATE_HOME", state);
        command.arg(path);
        let started = Instant::now();
        let child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().unwrap();
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read) = reader.read(&mut buffer) {
                if read == 0 || sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        let cells = |n: u16| NonZeroU16::new(n).unwrap();
        let screen = vt100::Parser::new(cells(ROWS), cells(COLUMNS), 0);
        Self { child, _master: pty.master, output, screen, started }
    }

    /// Waits for the three states. `first` and `packages` describe the catalog.
    pub fn measure_opening(&mut self, first: &str, packages: usize) -> OpeningTimes {
        let listed = format!("Packages {packages} ");
        OpeningTimes {
            first: self.wait_until(|screen| screen.contains(first) && screen.contains("HEAD")),
            listed: self.wait_until(|screen| screen.contains(&listed)),
            checked: self.wait_until(|screen| screen.contains(" errors ") || screen.contains(" error ")),
        }
    }

    fn wait_until(&mut self, is_there: impl Fn(&str) -> bool) -> Duration {
        loop {
            if is_there(&self.screen.screen().contents()) {
                return self.started.elapsed();
            }
            let output = self.output.recv_timeout(TIMEOUT).expect("the explorer shows what it was asked for");
            self.screen.process(&output);
        }
    }

    /// Measures the activity during some time; Linux only.
    pub fn measure_idle(&self, time: Duration) -> Option<IdleActivity> {
        let before = self.processor_time()?;
        let end = Instant::now() + time;
        let mut written = 0;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            match self.output.recv_timeout(left) {
                Ok(output) => written += output.len(),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        Some(IdleActivity { busy: self.processor_time()?.checked_sub(before)?, written })
    }

    /// Returns the processor time of all threads since the start, with a resolution of 10 ms.
    fn processor_time(&self) -> Option<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.process_id()?)).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Duration::from_millis(ticks * 10))
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
