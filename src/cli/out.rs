//! All output of the program. Text and documents pass through [`log::escape_log_text`] here, so
//! that no caller can forget it. Commands for a CI runner and raw data have separate functions. A
//! closed reader (`| head`) is not an error.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::BTreeSet,
    env, fmt,
    io::{self, BufRead as _, BufReader, ErrorKind, IsTerminal, Write as _},
};

use anyhow::Context as _;

use super::global::{ColorWhen, Global};
use crate::runtime;
use olm_catalog::redact::redact;
use olmap_report::{Ink, Style, escape, github::Commands, log};

/// Standard output and standard error.
#[derive(Debug)]
pub struct Out {
    /// Style of text on standard output.
    pub style: Style,
    error_style: Style,
    is_terminal: bool,
    is_closed: bool,
    /// Messages about parts of the input that could not be read or decided; each is printed once.
    not_checked: RefCell<BTreeSet<String>>,
}

impl Out {
    /// Detects the styles from the terminal, the environment and the flags.
    pub fn new(global: &Global) -> Self {
        let (output, errors) = (Stream::Output.is_terminal(), Stream::Errors.is_terminal());
        let columns = || ratatui::crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let width = if output { columns().max(40) } else { Style::PLAIN.width };
        let style = |is_terminal| Style {
            color: uses_color(global.color.unwrap_or(ColorWhen::Auto), is_terminal),
            ascii: global.ascii,
            width,
            cuts_cells: is_terminal,
        };
        Self {
            style: style(output),
            error_style: style(errors),
            is_terminal: output,
            is_closed: false,
            not_checked: RefCell::default(),
        }
    }

    /// Prints on standard error, but only once, that a part of the input could not be read or
    /// decided. The run then ends with exit code 2: see [`Self::is_incomplete`].
    pub fn report_not_checked(&self, reason: &str, hint: Option<&str>) {
        if !self.not_checked.borrow_mut().insert(reason.to_owned()) {
            return;
        }
        let style = &self.error_style;
        let mut text = format!("{}: {}\n", style.paint(Ink::Error, "olmap"), escape::escape_line(reason));
        if let Some(hint) = hint {
            text.push_str(&format!("{}: {}\n", style.paint(Ink::Note, "hint"), escape::escape_line(hint)));
        }
        self.print_stderr(&text);
    }

    /// Returns true if part of the input could not be read or decided.
    pub fn is_incomplete(&self) -> bool {
        !self.not_checked.borrow().is_empty()
    }

    /// Prints whole lines: text for people, or a document. JSON is not changed, because its printer has
    /// escaped it. Does nothing once the reader has closed standard output.
    pub fn print(&mut self, text: &str) -> anyhow::Result<()> {
        self.write_stdout(&log::escape_log_text(text, self.style.color))
    }

    /// Prints workflow commands for a CI runner, which [`Self::print`] would escape.
    pub fn print_commands(&mut self, commands: &Commands) -> anyhow::Result<()> {
        self.write_stdout(commands.as_str())
    }

    /// Prints data byte for byte; on a terminal, control characters are replaced.
    pub fn print_exact(&mut self, text: &str) -> anyhow::Result<()> {
        if self.is_terminal {
            let lines: Vec<Cow<'_, str>> = text.split('\n').map(escape::escape_source_line).collect();
            self.write_stdout(&lines.join("\n"))
        } else {
            self.write_stdout(text)
        }
    }

    fn write_stdout(&mut self, text: &str) -> anyhow::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.is_closed = true,
            result => result.context("cannot write the output")?,
        }
        Ok(())
    }

    /// Returns true if the reader has closed standard output, so that further results are not needed.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns the style of text on standard error.
    pub fn error_style(&self) -> &Style {
        &self.error_style
    }

    /// Prints whole lines on standard error.
    pub fn print_stderr(&self, text: &str) {
        print_error(text, self.error_style.color);
    }
}

/// Prints whole lines on standard error. Removes secrets from image references, and color sequences
/// unless `colours` is set. Failure to print is ignored.
pub fn print_error(text: &str, colours: bool) {
    let _ = io::stderr().lock().write_all(log::escape_log_text(&redact(text), colours).as_bytes());
}

/// Prints a prompt on standard error.
pub fn print_prompt(question: &str) {
    let mut stream = io::stderr().lock();
    let _ = stream.write_all(log::escape_log_text(question, false).as_bytes());
    let _ = stream.flush();
}

/// Reads a line from the terminal, including its line break. Uses the terminal device if standard input is a
/// catalog.
pub fn read_answer() -> io::Result<String> {
    let mut line = String::new();
    if Stream::Input.is_terminal() {
        io::stdin().lock().read_line(&mut line)?;
    } else {
        BufReader::new(runtime::open_keyboard()?).read_line(&mut line)?;
    }
    Ok(line)
}

/// Replaces the current line on standard error. The text must not come from a catalog.
pub fn overwrite_line(words: fmt::Arguments<'_>) {
    let _ = write!(io::stderr(), "\r\x1b[K{words}");
}

/// Standard stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    Input,
    Output,
    Errors,
}

impl Stream {
    /// Returns true if the stream is a terminal.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Input => io::stdin().is_terminal(),
            Self::Output => io::stdout().is_terminal(),
            Self::Errors => io::stderr().is_terminal(),
        }
    }
}

/// Returns true if colors are used.
pub fn uses_color(when: ColorWhen, is_terminal: bool) -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => {
            is_terminal && !is_set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}
