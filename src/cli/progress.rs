//! Line on a terminal that shows the progress of long work: its phase, amount and rate.

use std::sync::{
    atomic::Ordering,
    mpsc::{self, RecvTimeoutError},
};
use std::{
    thread,
    time::{Duration, Instant},
};

use super::out::{Stream, overwrite_line};
use olm_catalog::load::{Phase, Progress};

/// Delay before the line is shown.
const DISPLAY_DELAY: Duration = Duration::from_millis(700);

/// Refresh interval.
const REFRESH_INTERVAL: Duration = Duration::from_millis(150);

/// Time after which the rate of a transfer is known well enough for the remaining time.
const RATE_DELAY: Duration = Duration::from_secs(2);

/// Runs a job with a progress line on standard error, and clears the line at the end. The line is omitted if standard
/// error is not a terminal, or if it has the log.
pub fn with_progress<T>(work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    if !Stream::Errors.is_terminal() || ::log::max_level() >= ::log::LevelFilter::Info {
        return work(&progress);
    }
    thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        let progress = &progress;
        let started = Instant::now();
        scope.spawn(move || {
            let mut wait = DISPLAY_DELAY;
            while is_done.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                overwrite_line(&describe_progress(progress, started.elapsed()));
                wait = REFRESH_INTERVAL;
            }
            if wait == REFRESH_INTERVAL {
                overwrite_line("");
            }
        });
        let result = work(progress);
        drop(done);
        result
    })
}

/// Describes the progress in fewer than 80 columns. It contains no text of a catalog.
fn describe_progress(progress: &Progress, elapsed: Duration) -> String {
    let count = |number: &std::sync::atomic::AtomicUsize| number.load(Ordering::Relaxed);
    let (files, read, bytes) = (count(&progress.files), count(&progress.read), count(&progress.bytes));
    let total = progress.total_bytes();
    let amount = match total {
        Some(total) => format!("{} of {}", megabytes(bytes), megabytes_with_unit(total)),
        None => megabytes_with_unit(bytes),
    };
    match progress.phase() {
        Phase::Reading if read < files => format!("reading: {read} of {files} files, {amount}"),
        Phase::Reading => format!("reading: {read} files, {amount}"),
        Phase::Decoding => format!("decoding: {read} files, {}", megabytes_with_unit(bytes)),
        Phase::Checking if read < files => format!("checking: {read} of {files} bundles read, {amount}"),
        Phase::Checking => "checking".to_owned(),
        Phase::Sending => format!("sending: {amount}{}", describe_rate(bytes, total, elapsed)),
        _ => format!("fetching: {amount}{}", describe_rate(bytes, total, elapsed)),
    }
}

/// Describes the rate of a transfer and the remaining time, if they are known.
fn describe_rate(bytes: usize, total: Option<usize>, elapsed: Duration) -> String {
    if elapsed < RATE_DELAY || bytes == 0 {
        return String::new();
    }
    let rate = bytes as f64 / elapsed.as_secs_f64();
    let left = total.map(|total| format!(", {} s left", ((total - bytes.min(total)) as f64 / rate).ceil()));
    format!(", {:.1} MB/s{}", rate / 1e6, left.unwrap_or_default())
}

fn megabytes(bytes: usize) -> String {
    if bytes < 10_000_000 { format!("{:.1}", bytes as f64 / 1e6) } else { (bytes / 1_000_000).to_string() }
}

fn megabytes_with_unit(bytes: usize) -> String {
    format!("{} MB", megabytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_shows_its_amount() {
        let progress = Progress::default();
        let describe = |seconds| describe_progress(&progress, Duration::from_secs(seconds));
        progress.files.fetch_add(326, Ordering::Relaxed);
        progress.read.fetch_add(120, Ordering::Relaxed);
        progress.bytes.fetch_add(62_000_000, Ordering::Relaxed);
        assert_eq!(describe(1), "reading: 120 of 326 files, 62 MB");
        progress.expect_bytes(199_500_000);
        assert_eq!(describe(1), "reading: 120 of 326 files, 62 of 199 MB");
        progress.begin_phase(Phase::Decoding);
        assert_eq!(describe(1), "decoding: 120 files, 62 MB");
        progress.begin_phase(Phase::Checking);
        assert_eq!(describe(1), "checking: 120 of 326 bundles read, 62 of 199 MB");
    }

    #[test]
    fn transfers_show_rate_and_remaining_time() {
        let progress = Progress::default();
        progress.begin_phase(Phase::Fetching);
        progress.bytes.fetch_add(5_200_000, Ordering::Relaxed);
        let describe = |seconds| describe_progress(&progress, Duration::from_secs(seconds));
        assert_eq!(describe(1), "fetching: 5.2 MB");
        assert_eq!(describe(4), "fetching: 5.2 MB, 1.3 MB/s");
        progress.expect_bytes(210_000_000);
        assert_eq!(describe(4), "fetching: 5.2 of 210 MB, 1.3 MB/s, 158 s left");
    }
}
