//! How long it takes to open, judge and answer for a big catalog, next to `sha256sum` over the same bytes.
//!
//! `cargo bench --bench open` makes catalogs of its own, YAML and JSON, in a temporary directory. Sizes in MB come from
//! `OLMAP_BENCH_MB` (default `100`; `OLMAP_BENCH_MB=100,1000` for the 1 GB file); a path in `OLMAP_BENCH_PATH` is
//! measured instead. Each figure is the median of a few runs; take the ratios, not the seconds.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "made/mod.rs"]
mod made;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use made::write;
use olmap::{catalog::load, review::Snapshot};

const RUNS: usize = 5;

fn main() {
    println!(
        "{:<24} {:>6} {:>9} {:>9} {:>9} {:>7} {:>9}",
        "what", "MB", "load", "all", "sha256", "ratio", "peak MB"
    );
    if let Some(path) = std::env::var_os("OLMAP_BENCH_PATH") {
        return measure(Path::new(&path));
    }
    let folder = tempfile::tempdir().unwrap();
    let sizes = std::env::var("OLMAP_BENCH_MB").unwrap_or_else(|_| "100".to_owned());
    for size in sizes.split(',').map(|size| size.trim().parse::<usize>().unwrap()) {
        for format in ["yaml", "json"] {
            let path = folder.path().join(format!("catalog-{size}.{format}"));
            write(&path, size * 1_000_000, format == "json").unwrap();
            measure(&path);
            fs::remove_file(&path).unwrap();
        }
    }
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}

fn measure(path: &Path) {
    let open = || load::open(path, &load::Progress::default()).unwrap();
    let loaded = median(|| drop(open()));
    let all = median(|| drop(Snapshot::new(open())));
    let (files, bytes) = {
        let catalog = open();
        let files: Vec<PathBuf> = catalog.files().iter().filter_map(|f| f.disk.clone()).collect();
        (files, catalog.files().iter().map(|f| f.bytes().len()).sum::<usize>())
    };
    let yardstick =
        median(|| assert!(Command::new("sha256sum").args(&files).output().unwrap().status.success()));
    println!(
        "{:<24} {:>6.0} {:>8.3}s {:>8.3}s {:>8.3}s {:>7.2} {:>9}",
        path.file_name().unwrap_or_default().to_string_lossy(),
        bytes as f64 / 1e6,
        loaded.as_secs_f64(),
        all.as_secs_f64(),
        yardstick.as_secs_f64(),
        all.as_secs_f64() / yardstick.as_secs_f64().max(1e-9),
        peak_megabytes().map_or_else(|| "?".to_owned(), |mb| mb.to_string()),
    );
}

/// The most memory this process ever held; Linux only.
fn peak_megabytes() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kb| kb / 1000)
}
