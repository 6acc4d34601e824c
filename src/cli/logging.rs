//! Log on standard error, requested with `-v` or `OLMAP_LOG`: what is read, fetched and skipped, and how long it takes.
//!
//! The library crates emit records through the crate `log`. Records of other crates are dropped: those of the HTTP
//! client could contain credentials.

use std::{env, time::Instant};

use log::{Level, LevelFilter, Log, Metadata, Record};

use super::{Failure, Out, out};
use olmap_report::escape;

/// Variable with the level of the log.
pub const VARIABLE: &str = "OLMAP_LOG";

/// Beginning of the names of our crates and their modules.
const OWN_TARGETS: [&str; 2] = ["olm_", "olmap"];

/// Logger that prints one line for each record.
struct StderrLog {
    started: Instant,
    level: LevelFilter,
}

impl Log for StderrLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let is_own = OWN_TARGETS.iter().any(|name| metadata.target().starts_with(name));
        is_own && metadata.level() <= self.level
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let seconds = self.started.elapsed().as_secs_f64();
            out::print_error(&format_record(record.level(), seconds, &record.args().to_string()), false);
        }
    }

    fn flush(&self) {}
}

/// Returns the line of a record, without control characters.
fn format_record(level: Level, seconds: f64, message: &str) -> String {
    let level = level.as_str().to_lowercase();
    format!("{level} {seconds:.3}s: {}\n", escape::escape_line(message))
}

/// Starts the log at the level of `OLMAP_LOG`, or of the number of `-v`: once for `info`, twice for `debug`, three times
/// for `trace`. The higher level wins.
///
/// # Errors
///
/// Fails if `OLMAP_LOG` is not a level.
pub fn start_log(verbosity: u8) -> Result<(), Failure> {
    let flag = match verbosity {
        0 => LevelFilter::Off,
        1 => LevelFilter::Info,
        2 => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    };
    let level = flag.max(environment_level(env::var(VARIABLE).ok().as_deref())?);
    if level != LevelFilter::Off
        && log::set_boxed_logger(Box::new(StderrLog { started: Instant::now(), level })).is_ok()
    {
        log::set_max_level(level);
    }
    Ok(())
}

/// Returns the level of the variable.
fn environment_level(value: Option<&str>) -> Result<LevelFilter, Failure> {
    match value.map(str::trim) {
        None | Some("") => Ok(LevelFilter::Off),
        Some(name) => name.parse().map_err(|_| {
            Failure::new(format!("{VARIABLE}={name} is not a level"))
                .with_hint("levels: off, error, warn, info, debug, trace")
        }),
    }
}

/// Stops the log before the explorer takes over the terminal, unless standard error goes elsewhere.
pub fn stop_on_terminal(out: &Out) {
    if log::max_level() != LevelFilter::Off && out::Stream::Errors.is_terminal() {
        log::set_max_level(LevelFilter::Off);
        out.print_note_with_hint("the explorer shows no log", "send it to a file: olmap -v 2>olmap.log");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_comes_from_the_variable() {
        assert_eq!(environment_level(None).unwrap(), LevelFilter::Off);
        assert_eq!(environment_level(Some("DEBUG")).unwrap(), LevelFilter::Debug);
        assert_eq!(environment_level(Some("off")).unwrap(), LevelFilter::Off);
        assert!(environment_level(Some("loud")).is_err());
    }

    #[test]
    fn only_own_records_are_printed_and_escaped() {
        let log = StderrLog { started: Instant::now(), level: LevelFilter::Info };
        let metadata = |target, level| Metadata::builder().target(target).level(level).build();
        assert!(log.enabled(&metadata("olm_source::images", Level::Info)));
        assert!(!log.enabled(&metadata("olm_source::images", Level::Debug)));
        assert!(!log.enabled(&metadata("ureq::run", Level::Error)));
        assert!(!format_record(Level::Info, 0.1, "a\u{1b}[31m\nb").trim_end().contains(['\u{1b}', '\n']));
    }
}
