//! How long big catalogs make one wait, next to `sha256sum` over the same files in the same run.
//!
//! `cargo bench --bench open` makes catalogs of its own, YAML and JSON, in a temporary directory. Sizes in MB come from
//! `OLMAP_BENCH_MB` (default `100`; `OLMAP_BENCH_MB=100,1000` for the 1 GB file); paths in `OLMAP_BENCH_PATH`, with a `:`
//! between them, are measured instead. Each figure is the median of a few runs; take the ratios, not the seconds.
//!
//! `benches/vendor.sh` measures a vendor's index that way.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[path = "../made/mod.rs"]
mod made;
mod program;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use made::write;
use olmap::{catalog::load, review::Snapshot};
use program::{Explorer, PROGRAM};

const RUNS: usize = 5;

/// Asks this program to load and judge a catalog once and to say how much memory that took.
const PEAK: &str = "--peak-of";

fn main() {
    let mut arguments = env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if let Some(path) = arguments.next().filter(|_| argument == PEAK) {
            return println!("{}", peak_here(Path::new(&path)).unwrap_or_default());
        }
    }
    small();
    println!(
        "\n{:<22} {:>6} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9}",
        "catalog", "MB", "first ms", "listed", "judged", "validate", "sha256", "ratio", "peak MB"
    );
    if let Some(paths) = env::var_os("OLMAP_BENCH_PATH") {
        return env::split_paths(&paths).for_each(|path| measure(&path));
    }
    let folder = tempfile::tempdir().unwrap();
    let sizes = env::var("OLMAP_BENCH_MB").unwrap_or_else(|_| "100".to_owned());
    for size in sizes.split(',').map(|size| size.trim().parse::<usize>().unwrap()) {
        for format in ["yaml", "json"] {
            let path = folder.path().join(format!("catalog-{size}.{format}"));
            write(&path, size * 1_000_000, format == "json").unwrap();
            measure(&path);
            fs::remove_file(&path).unwrap();
        }
    }
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    times[times.len() / 2]
}

fn time(mut run: impl FnMut()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What does not depend on the catalog.
fn small() {
    let version = || {
        time(|| {
            let status = Command::new(PROGRAM).arg("--version").stdout(Stdio::null()).status().unwrap();
            assert!(status.success());
        })
    };
    println!("olmap --version: {:.1} ms", milliseconds(median((0..20).map(|_| version()))));
    println!("binary: {:.1} MB", fs::metadata(PROGRAM).unwrap().len() as f64 / 1e6);
}

fn measure(path: &Path) {
    let (files, bytes, first, packages) = {
        let catalog = load::open(path, &load::Progress::default()).unwrap();
        let files: Vec<PathBuf> = catalog.files().iter().filter_map(|f| f.disk.clone()).collect();
        let first = catalog.packages().next().unwrap().name.to_string();
        (files, catalog.files().iter().map(|f| f.len()).sum::<usize>(), first, catalog.packages().len())
    };
    let state = tempfile::tempdir().unwrap();
    let shown: Vec<_> =
        (0..RUNS).map(|_| Explorer::start(path, state.path()).watch(&first, packages)).collect();
    let validate = || {
        let mut command = Command::new(PROGRAM);
        command.arg("validate").arg(path).stdout(Stdio::null());
        // What it finds is no matter here.
        time(|| assert!(command.status().unwrap().code().is_some_and(|code| code < 2)))
    };
    let validate = median((0..RUNS).map(|_| validate()));
    let sum = || time(|| assert!(Command::new("sha256sum").args(&files).output().unwrap().status.success()));
    let sum = median((0..RUNS).map(|_| sum()));
    let peak = Command::new(env::current_exe().unwrap()).arg(PEAK).arg(path).output().unwrap();
    println!(
        "{:<22} {:>6.0} {:>9.0} {:>9.0} {:>9.0} {:>9.0} {:>9.0} {:>8.2} {:>9}",
        path.file_name().unwrap_or_default().to_string_lossy(),
        bytes as f64 / 1e6,
        milliseconds(median(shown.iter().map(|s| s.first))),
        milliseconds(median(shown.iter().map(|s| s.listed))),
        milliseconds(median(shown.iter().map(|s| s.judged))),
        milliseconds(validate),
        milliseconds(sum),
        validate.as_secs_f64() / sum.as_secs_f64().max(1e-9),
        String::from_utf8_lossy(&peak.stdout).trim(),
    );
    let mut explorer = Explorer::start(path, state.path());
    explorer.watch(&first, packages);
    let time = Duration::from_secs(3);
    // The frame that follows the last message may still be on its way.
    explorer.idle(Duration::from_millis(500));
    if let Some(idle) = explorer.idle(time) {
        println!(
            "  idle for {} s: {} ms of processor time, {} bytes to the terminal",
            time.as_secs(),
            idle.busy.as_millis(),
            idle.written
        );
    }
}

/// The most memory this process ever held once it has judged a catalog, in MB; Linux only.
fn peak_here(path: &Path) -> Option<usize> {
    drop(Snapshot::new(load::open(path, &load::Progress::default()).unwrap()));
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kb| kb * 1024 / 1_000_000)
}
