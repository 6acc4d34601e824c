//! The one place that prints. A reader that goes away (`| head`) is no error.

use std::{
    borrow::Cow,
    env,
    io::{self, ErrorKind, IsTerminal, Write as _},
};

use anyhow::Context as _;

use super::args::{ColorWhen, Global};
use crate::export::{Style, plain};

/// Standard output and standard error.
#[derive(Debug)]
pub struct Out {
    /// How text for standard output looks.
    pub style: Style,
    error_style: Style,
    is_terminal: bool,
    is_closed: bool,
}

impl Out {
    /// Looks at the terminal, the environment and the flags once.
    pub fn new(global: &Global) -> Self {
        let (output, errors) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let columns = || ratatui::crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let width = if output { columns().max(40) } else { Style::PLAIN.width };
        let style = |is_terminal| Style {
            colour: colour(global.color.unwrap_or(ColorWhen::Auto), is_terminal),
            ascii: global.ascii,
            width,
            cut: is_terminal,
        };
        Self { style: style(output), error_style: style(errors), is_terminal: output, is_closed: false }
    }

    /// Prints text for people, or JSON. Once the reader has gone this does nothing.
    pub fn print(&mut self, text: &str) -> anyhow::Result<()> {
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

    /// Prints catalog text byte for byte, but harmless where it goes to a terminal.
    pub fn print_exact(&mut self, text: &str) -> anyhow::Result<()> {
        if self.is_terminal {
            let lines: Vec<Cow<'_, str>> = plain::lines(text).collect();
            self.print(&lines.join("\n"))
        } else {
            self.print(text)
        }
    }

    /// Whether the reader has gone: nothing more needs to be worked out for it.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// How text for standard error looks.
    pub fn error_style(&self) -> &Style {
        &self.error_style
    }

    /// Prints on standard error; where even that fails nobody is left to tell.
    pub fn error(text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Whether to use colours.
pub fn colour(when: ColorWhen, is_terminal: bool) -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => {
            is_terminal && !is_set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}
