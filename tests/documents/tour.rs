//! The recorded tour: terminal output of the program while keys are pressed, in the format of
//! asciinema. Version 2 has a line with the size, followed by lines of time, kind and text.
//!
//! The frames are drawn by the program. The times are not measured, but simulate a user who reads
//! the screen and types slowly.

use std::{
    fmt::Write as _,
    fs, io,
    path::Path,
    sync::{Arc, Mutex},
};

use olmap::tui::{self, Theme, ThemeName};
use ratatui::{
    Terminal, TerminalOptions, Viewport, backend::CrosstermBackend, crossterm::style, layout::Rect,
};

use super::support::ExplorerDriver;

const COLUMNS: u16 = 100;
const ROWS: u16 = 30;

/// Milliseconds between two keys, and after the last frame.
const KEY: u64 = 140;
const END: u64 = 4000;

/// Expected text, milliseconds to read it, and the keys that lead to the next step.
const STEPS: [(&str, u64, &str); 11] = [
    ("the demo catalog", 2500, "/ 'gran' enter l l"),
    ("a package, its channel, what both OLMs do", 2500, "2"),
    ("the graph of the channel", 3000, "j j j j"),
    ("a dead end, and why", 5000, "3"),
    ("every installed version under both OLMs", 4000, "1 g e tab end space 'granary-operator.v2.6.4'"),
    ("an edit with its consequences, before it is kept", 5000, "enter 6"),
    ("what would be written", 5000, "u"),
    ("taken back", 1500, "1 h h / ctrl-u 'orr' enter l l 2"),
    ("a nightly channel", 2000, "w"),
    ("all channels side by side", 4000, "esc 3 g"),
    ("v1 leaves the channel", 4000, "enter"),
];

/// Bytes sent to the terminal.
#[derive(Clone, Default)]
struct Sent(Arc<Mutex<Vec<u8>>>);

impl io::Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Recorder {
    hand: ExplorerDriver,
    sent: Sent,
    terminal: Terminal<CrosstermBackend<Sent>>,
    time: u64,
    cast: String,
}

impl Recorder {
    fn new() -> Self {
        style::force_color_output(true);
        let mut hand = ExplorerDriver::demo(COLUMNS, ROWS);
        hand.model.settings.theme_settings.theme = ThemeName::Dark;
        hand.finish_checks();
        let sent = Sent::default();
        let viewport = Viewport::Fixed(Rect::new(0, 0, COLUMNS, ROWS));
        let terminal =
            Terminal::with_options(CrosstermBackend::new(sent.clone()), TerminalOptions { viewport })
                .unwrap();
        let header = serde_json::json!({
            "version": 2, "width": COLUMNS, "height": ROWS, "title": "olmap: who can upgrade where",
            "env": {"TERM": "xterm-256color"},
        });
        Self { hand, sent, terminal, time: 0, cast: format!("{header}\n") }
    }

    /// Records a frame of the current state.
    fn record_frame(&mut self) {
        let (model, theme) = (&self.hand.model, Theme::new(self.hand.model.settings.theme_settings));
        self.terminal.draw(|frame| drop(tui::view(model, &theme, frame))).unwrap();
        let sent = std::mem::take(&mut *self.sent.0.lock().unwrap());
        self.write_event("o", &String::from_utf8(sent).unwrap());
    }

    fn write_event(&mut self, kind: &str, text: &str) {
        let seconds = self.time as f64 / 1000.0;
        writeln!(self.cast, "{}", serde_json::json!([seconds, kind, text])).unwrap();
    }

    fn press_key(&mut self, key: &str) {
        self.hand.press(key);
        self.hand.finish_checks();
        self.record_frame();
        self.time += KEY;
    }
}

fn record_tour() -> String {
    let mut recorder = Recorder::new();
    for (label, looks, keys) in STEPS {
        recorder.write_event("m", label);
        recorder.record_frame();
        recorder.time += looks;
        for word in keys.split(' ') {
            match word.strip_prefix('\'') {
                Some(typed) => {
                    typed.trim_end_matches('\'').chars().for_each(|c| recorder.press_key(&c.to_string()));
                }
                None => recorder.press_key(word),
            }
        }
    }
    recorder.write_event("m", "every candidate, and why it was refused");
    recorder.time += END;
    recorder.record_frame();
    recorder.cast
}

/// `OLMAP_UPDATE=1 cargo test --test documents` records the tour.
#[test]
fn recorded_tour_matches_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/tour.cast");
    let recorded = record_tour();
    if std::env::var_os("OLMAP_UPDATE").is_some() {
        fs::write(&path, &recorded).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == recorded,
        "demo/tour.cast is stale: OLMAP_UPDATE=1 records it anew"
    );
}

/// The recording plays on a terminal, and ends on the current screen of the program.
#[test]
fn recorded_tour_plays_on_a_terminal() {
    let mut parser = vt100::Parser::new(ROWS.try_into().unwrap(), COLUMNS.try_into().unwrap(), 0);
    let (mut seen, mut last) = (String::new(), 0.0);
    for line in record_tour().lines().skip(1) {
        let (time, kind, text): (f64, String, String) = serde_json::from_str(line).unwrap();
        assert!(time >= last, "time goes on");
        last = time;
        if kind == "o" {
            parser.process(text.as_bytes());
            seen += &parser.screen().contents();
        }
    }
    for wanted in [
        "STUCK on Classic",
        "1 unsaved",
        "No new findings",
        "granary-operator.v2.6.4",
        "v1 leaves the channel",
    ] {
        assert!(seen.contains(wanted), "{wanted} is to be seen");
    }
    assert!(last < 90.0, "{last} s are too long to be watched");
}
