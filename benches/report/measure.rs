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
    pub fn of(times: impl IntoIterator<Item = Duration>) -> Self {
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

pub fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Measures `runs` runs.
pub fn times(runs: usize, mut run: impl FnMut(usize)) -> Times {
    Times::of((0..runs).map(|nth| timed(|| run(nth))))
}

/// Measures at most `most` runs; fewer if they take long.
pub fn a_few(most: usize, mut run: impl FnMut()) -> Times {
    const ENOUGH: Duration = Duration::from_millis(400);
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < most && (times.is_empty() || begin.elapsed() < ENOUGH) {
        times.push(timed(&mut run));
    }
    Times::of(times)
}

/// Measures a program. Exit codes 0 and 1 are accepted, because 1 means findings.
pub fn program(command: &mut Command) -> Duration {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    timed(|| assert!(command.status().unwrap().code().is_some_and(|code| code < 2), "{command:?}"))
}

/// Formats milliseconds with about three digits.
pub fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    match ms {
        _ if ms < 10.0 => format!("{ms:.2}"),
        _ if ms < 100.0 => format!("{ms:.1}"),
        _ => format!("{ms:.0}"),
    }
}

/// Formats a time as a multiple of a reference time.
pub fn ratio(time: Duration, yardstick: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() / yardstick.as_secs_f64().max(1e-9))
}

/// Returns "met" or "missed".
pub fn verdict(time: Duration, goal: Duration) -> String {
    if time <= goal { "met" } else { "missed" }.to_owned()
}

/// Formats megabytes (millions of bytes).
pub fn mb(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / 1e6)
}
