//! All output of the program. Text and documents pass through [`log::escape_log_text`] here, so
//! that no caller can forget it. Commands for a CI runner and raw data have separate functions. A
//! closed reader (`| head`) is not an error.
//!
//! The functions `report_*` report what a run could not read or decide. Such a run ends with exit code 2: see
//! [`Out::is_incomplete`].

use std::io::{self, BufRead as _, BufReader, ErrorKind, IsTerminal, Write as _};
use std::{borrow::Cow, cell::RefCell, collections::BTreeSet, env, path::Path};

use anyhow::Context as _;

use super::{ColorWhen, Global};
use crate::runtime;
use olm_catalog::{Catalog, PackageName, redact::redact};
use olm_check::{Finding, review::readiness::Readiness};
use olm_upgrade::safety::{NotChecked, PackageSafety};
use olmap_report::{Ink, Style, escape, github::Commands, log, omissions::OmittedPart};

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
        self.print_labeled(Ink::Error, "olmap", reason, hint);
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

    /// Prints data like [`Self::print_exact`], also if it is not valid UTF-8.
    pub fn print_exact_bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.print_exact(text),
            Err(_) if self.is_terminal => self.print_exact(&String::from_utf8_lossy(bytes)),
            Err(_) => self.write_stdout_bytes(bytes),
        }
    }

    fn write_stdout(&mut self, text: &str) -> anyhow::Result<()> {
        self.write_stdout_bytes(text.as_bytes())
    }

    fn write_stdout_bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
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

    /// Prints a warning on standard error, with an optional hint.
    pub fn print_warning(&self, words: &str, hint: Option<&str>) {
        self.print_labeled(Ink::Warning, "warning", words, hint);
    }

    /// Prints a note on standard error.
    pub fn print_note(&self, words: &str) {
        self.print_labeled(Ink::Note, "note", words, None);
    }

    /// Prints a note on standard error, with the command that helps.
    pub fn print_note_with_hint(&self, words: &str, hint: &str) {
        self.print_labeled(Ink::Note, "note", words, Some(hint));
    }

    fn print_labeled(&self, ink: Ink, label: &str, words: &str, hint: Option<&str>) {
        let style = &self.error_style;
        let mut text = format!("{}: {}\n", style.paint(ink, label), escape::escape_line(words));
        if let Some(hint) = hint {
            text.push_str(&format!("{}: {}\n", style.paint(Ink::Note, "hint"), escape::escape_line(hint)));
        }
        self.print_stderr(&text);
    }

    /// Prints whole lines on standard error.
    pub fn print_stderr(&self, text: &str) {
        print_error(text, self.error_style.color);
    }
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

/// Maximum number of reasons that are listed.
const MAX_LISTED: usize = 8;

/// Prints whole lines on standard error. Removes secrets from image references, and color sequences
/// unless `colours` is set. Failure to print is ignored.
pub fn print_error(text: &str, colours: bool) {
    let _ = io::stderr().lock().write_all(log::escape_log_text(&redact(text), colours).as_bytes());
}

/// Prints candidates for a shell, which contain no control characters but tabs and line breaks.
pub fn print_candidates(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
}

/// Returns a path for a line of output, without control characters.
pub fn escape_path(path: &Path) -> String {
    escape::escape_line(&path.display().to_string()).into_owned()
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
pub fn overwrite_line(words: &str) {
    let _ = write!(io::stderr(), "\r\x1b[K{words}");
}

/// Returns true if colors are used.
pub fn uses_color(when: ColorWhen, is_terminal: bool) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => environment_uses_color(|name| env::var(name).ok(), is_terminal),
    }
}

/// Returns true if the environment asks for colors. `NO_COLOR` wins, then `CLICOLOR_FORCE` and `FORCE_COLOR`, which ask
/// for colors without a terminal.
fn environment_uses_color(variable: impl Fn(&str) -> Option<String>, is_terminal: bool) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let is_on = |name: &str| variable(name).is_some_and(|value| !matches!(&*value, "" | "0" | "false"));
    let is_off = |name: &str| variable(name).is_some_and(|value| matches!(&*value, "0" | "false"));
    if is_set("NO_COLOR") {
        return false;
    }
    if is_on("CLICOLOR_FORCE") || is_on("FORCE_COLOR") {
        return true;
    }
    is_terminal
        && !is_off("FORCE_COLOR")
        && !is_off("CLICOLOR")
        && variable("TERM").is_none_or(|term| term != "dumb")
}

/// Reports the part of a catalog that a check leaves out.
pub fn report_left_out(left_out: &OmittedPart, out: &Out) {
    let reason = format!("not everything could be checked: {}", left_out.describe_omission());
    out.report_not_checked(&reason, Some(&left_out.user_hint()));
}

/// Reports the part of a catalog that could not be read, if it may matter to some packages.
pub fn report_unread(catalog: &Catalog, matters: impl Fn(&PackageName) -> bool, out: &Out) {
    if let Some(left_out) = OmittedPart::unread_in_packages(catalog, matters) {
        report_left_out(&left_out, out);
    }
}

/// Reports the findings that say that something was not checked; ignores all others.
pub fn report_findings<'f>(findings: impl IntoIterator<Item = &'f Finding>, out: &Out) {
    let findings = findings.into_iter().filter(|finding| finding.is_not_checked());
    let reasons = findings.map(|finding| match &finding.package {
        Some(package) => format!("{package}: {}", finding.message),
        None => finding.message.clone(),
    });
    report_reasons(reasons, out);
}

/// Reports the upgrade steps that were not judged because manifests cannot be read.
pub fn report_steps(safety: &PackageSafety, out: &Out) {
    let failures = safety.not_checked().into_keys().filter(|reason| reason.is_failure);
    report_files(failures.map(|NotChecked { reason, .. }| reason.clone()), out);
}

/// Reports the number of queries that were not decided because of a limit of olmap.
pub fn report_count(queries: usize, out: &Out) {
    let s = if queries == 1 { "y" } else { "ies" };
    let reason = format!("{queries} quer{s}, because of a limit of olmap; the answers say so");
    report_files((queries > 0).then_some(reason), out);
}

/// Reports files, queries, or parts of them, each as a text with its name and the reason.
pub fn report_files(reasons: impl IntoIterator<Item = String>, out: &Out) {
    report_reasons(reasons.into_iter().map(|reason| format!("not checked: {reason}")), out);
}

/// Reports the packages whose manifests cannot be read.
pub fn report_readiness(all: &[Readiness], out: &Out) {
    let failures = all.iter().filter_map(|ready| {
        let not_checked = ready.not_checked.as_ref().filter(|not_checked| not_checked.is_failure)?;
        Some(format!("{}: {}", ready.package, not_checked.reason))
    });
    report_files(failures, out);
}

fn report_reasons(reasons: impl Iterator<Item = String>, out: &Out) {
    let reasons: Vec<String> = reasons.collect();
    for reason in reasons.iter().take(MAX_LISTED) {
        out.report_not_checked(reason, None);
    }
    if let Some(more) = reasons.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        out.report_not_checked(&format!("not checked: {more} more"), None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_decide_about_colors() {
        let uses = |set: &[(&str, &str)], is_terminal| {
            let variable = |name: &str| {
                set.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
            };
            environment_uses_color(variable, is_terminal)
        };
        for (set, on_terminal, elsewhere) in [
            (&[][..], true, false),
            (&[("NO_COLOR", "1")], false, false),
            (&[("NO_COLOR", "")], true, false),
            (&[("CLICOLOR_FORCE", "1")], true, true),
            (&[("CLICOLOR_FORCE", "0")], true, false),
            (&[("FORCE_COLOR", "3")], true, true),
            (&[("FORCE_COLOR", "0")], false, false),
            (&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], false, false),
            (&[("CLICOLOR", "0")], false, false),
            (&[("TERM", "dumb")], false, false),
            (&[("TERM", "dumb"), ("FORCE_COLOR", "1")], true, true),
        ] {
            assert_eq!((uses(set, true), uses(set, false)), (on_terminal, elsewhere), "{set:?}");
        }
    }
}
