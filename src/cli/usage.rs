//! Output before a command runs or when it fails: help, version, argument errors and panics. Other libraries
//! write these texts with unescaped arguments and names, so they are escaped here.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    env,
    ffi::OsString,
    panic,
    process::ExitCode,
};

use super::{
    global::Global,
    out::{Out, print_error},
};
use olmap_report::escape;

/// Prints a message of clap, and returns the exit code. `parse` returns the message about other arguments.
pub fn print_clap_message(
    error: &clap::Error,
    parse: impl Fn(Vec<OsString>) -> Option<clap::Error>,
) -> ExitCode {
    // The arguments are escaped and parsed again. clap embeds them between its own color sequences, which
    // cannot be separated later.
    let harmless = |argument: OsString| escape::escape_line(&argument.to_string_lossy()).into_owned().into();
    let again = parse(env::args_os().map(harmless).collect()).filter(|again| again.kind() == error.kind());
    let mut out = Out::new(&Global::default());
    let style = if error.use_stderr() { *out.error_style() } else { out.style };
    let text = match &again {
        Some(again) if style.color => again.render().ansi().to_string(),
        Some(again) => again.render().to_string(),
        None => error.render().to_string(),
    };
    if error.use_stderr() {
        out.print_stderr(&text);
    } else {
        // Failure to print cannot be reported.
        let _ = out.print(&text);
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Installs a panic hook that prints like the default one, but escapes the message, which may contain
/// arbitrary text.
pub fn install_panic_hook() {
    panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let backtrace = match backtrace.status() {
            BacktraceStatus::Captured => backtrace.to_string(),
            _ => "note: run with RUST_BACKTRACE=1 for a backtrace".to_owned(),
        };
        print_error(&format!("olmap {panic}\n{backtrace}\n"), false);
    }));
}
