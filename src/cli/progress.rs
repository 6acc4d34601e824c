//! A line on standard error while a big catalog is read; only on a terminal, and only when it takes a while.

use std::{
    sync::{
        atomic::Ordering,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use super::out::{Stream, overwrite};
use crate::catalog::load::Progress;

/// Nothing is shown before this.
const PATIENCE: Duration = Duration::from_millis(700);
/// Time between two looks.
const BEAT: Duration = Duration::from_millis(150);

/// Does some work with a progress line on the side, and wipes the line when done.
pub fn watched<T>(work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    if !Stream::Errors.is_terminal() {
        return work(&progress);
    }
    thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        let progress = &progress;
        scope.spawn(move || {
            let mut wait = PATIENCE;
            while is_done.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let files = progress.read.load(Ordering::Relaxed);
                let megabytes = progress.bytes.load(Ordering::Relaxed) / 1_000_000;
                overwrite(format_args!("reading: {files} files, {megabytes} MB"));
                wait = BEAT;
            }
            if wait == BEAT {
                overwrite(format_args!(""));
            }
        });
        let result = work(progress);
        drop(done);
        result
    })
}
