//! Progress line on standard error while a large catalog is read. Shown only on a terminal, after a delay.

use std::{
    sync::{
        atomic::Ordering,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use super::out::{Stream, overwrite_line};
use olm_catalog::load::Progress;

/// Delay before the line is shown.
const DISPLAY_DELAY: Duration = Duration::from_millis(700);
/// Refresh interval.
const REFRESH_INTERVAL: Duration = Duration::from_millis(150);

/// Runs a job with a progress line, and clears the line at the end.
pub fn with_progress<T>(work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    if !Stream::Errors.is_terminal() {
        return work(&progress);
    }
    thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        let progress = &progress;
        scope.spawn(move || {
            let mut wait = DISPLAY_DELAY;
            while is_done.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let files = progress.read.load(Ordering::Relaxed);
                let megabytes = progress.bytes.load(Ordering::Relaxed) / 1_000_000;
                overwrite_line(format_args!("reading: {files} files, {megabytes} MB"));
                wait = REFRESH_INTERVAL;
            }
            if wait == REFRESH_INTERVAL {
                overwrite_line(format_args!(""));
            }
        });
        let result = work(progress);
        drop(done);
        result
    })
}
