//! Time measurements and their formats.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Time limit for a frame, so that the response to a key is immediate.
pub const FRAME: Duration = Duration::from_millis(8);

/// Sorted times of repeated runs.
pub struct Times(Vec<Duration>);

impl Times {
    pub fn from_durations(times: impl IntoIterator<Item = Duration>) -> Self {
        let mut times: Vec<Duration> = times.into_iter().collect();
        times.sort_unstable();
        assert!(!times.is_empty(), "something was measured");
        Self(times)
    }

    pub fn percentile(&self, percent: usize) -> Duration {
        self.0[(self.0.len() * percent).div_ceil(100).saturating_sub(1)]
    }

    pub fn median(&self) -> Duration {
        self.percentile(50)
    }

    pub fn slowest(&self) -> Duration {
        self.percentile(100)
    }
}

pub fn time_run(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Measures `runs` runs.
pub fn measure_runs(runs: usize, mut run: impl FnMut(usize)) -> Times {
    Times::from_durations((0..runs).map(|nth| time_run(|| run(nth))))
}

/// Measures at most `most` runs; fewer if they take long.
pub fn measure_few(most: usize, mut run: impl FnMut()) -> Times {
    const MAX_TIME: Duration = Duration::from_millis(400);
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < most && (times.is_empty() || begin.elapsed() < MAX_TIME) {
        times.push(time_run(&mut run));
    }
    Times::from_durations(times)
}

/// Measures a program. Exit codes up to 2 are accepted: with 1 `validate` has findings, with 2 it did not check
/// everything.
pub fn measure_program(command: &mut Command) -> Duration {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    time_run(|| assert!(command.status().unwrap().code().is_some_and(|code| code <= 2), "{command:?}"))
}

/// Formats milliseconds with about three digits.
pub fn format_ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    match ms {
        _ if ms < 10.0 => format!("{ms:.2}"),
        _ if ms < 100.0 => format!("{ms:.1}"),
        _ => format!("{ms:.0}"),
    }
}

/// Formats a time as a multiple of a reference time.
pub fn format_ratio(time: Duration, yardstick: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() / yardstick.as_secs_f64().max(1e-9))
}

/// Returns "met" or "missed".
pub fn goal_verdict(time: Duration, goal: Duration) -> String {
    if time <= goal { "met" } else { "missed" }.to_owned()
}

/// Formats megabytes (millions of bytes).
pub fn format_mb(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / 1e6)
}
