//! A line on standard error while a big catalog is read; only on a terminal, and only when it takes a while.

use std::{
    io::{self, IsTerminal, Write as _},
    sync::{
        atomic::Ordering,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use crate::catalog::load::Progress;

/// Nothing is shown before this.
const PATIENCE: Duration = Duration::from_millis(700);
/// Time between two looks.
const BEAT: Duration = Duration::from_millis(150);

/// Does some work with a progress line on the side, and wipes the line when done.
pub fn watched<T>(work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    if !io::stderr().is_terminal() {
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
                let _ = write!(io::stderr(), "\r\x1b[Kreading: {files} files, {megabytes} MB");
                wait = BEAT;
            }
            if wait == BEAT {
                let _ = write!(io::stderr(), "\r\x1b[K");
            }
        });
        let result = work(progress);
        drop(done);
        result
    })
}
