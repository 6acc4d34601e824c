//! What is said before a command runs, or when one breaks: help, the version, what is wrong with the arguments, a panic.
//! Others write these texts, with arguments and names as they are; they go the way of all others.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    env,
    ffi::OsString,
    panic,
    process::ExitCode,
};

use super::{
    args::Cli,
    global::Global,
    out::{Out, print_error},
};
use crate::export::plain;

/// Reads arguments, the name of the program first.
pub fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    Cli::read(arguments)
}

/// Prints what clap has to say, and gives the exit code.
pub fn say(error: &clap::Error) -> ExitCode {
    // Asked again with arguments made harmless: clap repeats them between colours of its own, and later nobody could tell
    // whose escape is whose.
    let harmless = |argument: OsString| plain::line(&argument.to_string_lossy()).into_owned().into();
    let again =
        parse(env::args_os().map(harmless).collect()).err().filter(|again| again.kind() == error.kind());
    let mut out = Out::new(&Global::default());
    let style = if error.use_stderr() { *out.error_style() } else { out.style };
    let text = match &again {
        Some(again) if style.colour => again.render().ansi().to_string(),
        Some(again) => again.render().to_string(),
        None => error.render().to_string(),
    };
    if error.use_stderr() {
        out.error(&text);
    } else {
        // Nobody is left to tell when even this cannot be written.
        let _ = out.print(&text);
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Panics are told as by Rust itself, but for what would act on a terminal or a runner: their messages may hold
/// anything.
pub fn tell_panics() {
    panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let backtrace = match backtrace.status() {
            BacktraceStatus::Captured => backtrace.to_string(),
            _ => "note: run with RUST_BACKTRACE=1 for a backtrace".to_owned(),
        };
        print_error(&format!("olmap {panic}\n{backtrace}\n"), false);
    }));
}
