//! Processor time and peak memory of whole processes. Unlike elapsed time, processor time depends little on other
//! programs of the machine.

use std::{
    env,
    ffi::OsStr,
    process::{Command, Stdio},
};

/// Flag that makes this program run another one with the other arguments and print what that took.
pub const USAGE: &str = "--usage-of";

/// Processor time in seconds and peak memory in megabytes.
#[derive(Clone, Copy)]
pub struct Usage {
    pub seconds: f64,
    pub megabytes: f64,
}

/// Measures a program in a process of its own, whose only child it is.
pub fn measure_usage<A: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> Usage {
    let mut command = Command::new(env::current_exe().unwrap());
    let output = command.arg(USAGE).arg(program).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (seconds, megabytes) = text.trim().split_once(' ').unwrap_or_else(|| panic!("{text}"));
    Usage { seconds: seconds.parse().unwrap(), megabytes: megabytes.parse().unwrap() }
}

/// Returns the median processor time of several runs, with the highest peak memory.
pub fn median_usage<A: AsRef<OsStr>>(program: &str, arguments: &[A], runs: usize) -> Usage {
    let mut all: Vec<Usage> = (0..runs).map(|_| measure_usage(program, arguments)).collect();
    all.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let megabytes = all.iter().map(|usage| usage.megabytes).fold(0.0, f64::max);
    Usage { seconds: all[all.len() / 2].seconds, megabytes }
}

/// Runs a program and prints its processor time in seconds and its peak memory in megabytes. Exit codes up to 2 are
/// accepted: with 2 a command says that it did not check everything.
#[cfg(target_os = "linux")]
pub fn print_usage(words: &[String]) {
    use nix::sys::{
        resource::{UsageWho, getrusage},
        time::TimeValLike as _,
    };

    let (program, arguments) = words.split_first().unwrap();
    let mut command = Command::new(program);
    let command = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().unwrap().code().is_some_and(|code| code <= 2), "{command:?}");
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let time = usage.user_time() + usage.system_time();
    println!("{} {}", time.num_microseconds() as f64 / 1e6, usage.max_rss() as f64 * 1024.0 / 1e6);
}

/// Fails: other systems count memory in other units.
#[cfg(not(target_os = "linux"))]
pub fn print_usage(_: &[String]) {
    panic!("usage is measured on Linux only");
}
