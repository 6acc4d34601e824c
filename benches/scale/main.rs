//! How cost grows: catalogs of shapes that could make something quadratic, each in a quarter, a half and its whole size.
//!
//! `cargo bench --bench scale` makes them in a temporary directory (`TMPDIR` says where), and measures opening, judging,
//! the upgrade table, the slowest key on every screen from the press to the finished frame at 200x60, and an edit with its
//! findings. The last columns say how many times the half costs the whole does, and the exponent by which cost grows from
//! the quarter to the whole: 1 is linear, 2 quadratic.
//!
//! `OLMAP_BENCH_ONLY` measures the shapes whose names contain it; `OLMAP_BENCH_WHOLE` makes those of many bytes as big as
//! they are meant to be; `OLMAP_BENCH_PATH` measures the keys in a catalog instead, in its package with the
//! most bundles, and of these `OLMAP_BENCH_WHERE` those in places whose names contain it.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod keys;
mod shapes;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::{
    fs,
    hint::black_box,
    path::Path,
    time::{Duration, Instant},
};

use olmap::{
    app::Source,
    catalog::{Catalog, load},
    review::Snapshot,
    upgrade::{UpgradeTable, v1::Query},
};
use shapes::Shape;
use support::Hand;

/// The terminal of the measures.
const SIZE: (u16, u16) = (200, 60);

/// What was measured: what it was, how long it took, and by which key.
struct Measure {
    what: &'static str,
    median: Duration,
    key: String,
}

fn main() {
    if let Some(path) = std::env::var_os("OLMAP_BENCH_PATH") {
        return real(Path::new(&path));
    }
    let only = std::env::var("OLMAP_BENCH_ONLY").unwrap_or_default();
    println!(
        "{:<20} {:<22} {:>10} {:>10} {:>10} {:>6} {:>6}  slowest key",
        "shape", "what, ms", "quarter", "half", "whole", "x2", "grows"
    );
    for shape in shapes::all().iter().filter(|shape| shape.name.contains(&only)) {
        let [quarter, half, whole] = [4, 2, 1].map(|part| measure(shape, shape.whole / part));
        println!("{}, whole: {} {}", shape.name, shape.whole, shape.of);
        for ((quarter, half), whole) in quarter.iter().zip(&half).zip(&whole) {
            let [a, b, c] = [quarter, half, whole].map(|measure| measure.median.as_secs_f64() * 1e3);
            println!(
                "{:<20} {:<22} {a:>10.2} {b:>10.2} {c:>10.2} {:>6.2} {:>6.2}  {}",
                shape.name,
                whole.what,
                c / b,
                (c / a).log(4.0),
                whole.key
            );
        }
    }
}

fn measure(shape: &Shape, size: usize) -> Vec<Measure> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog");
    fs::create_dir(&path).unwrap();
    (shape.write)(&path, size.max(1)).unwrap();
    let mut measures = Vec::new();
    let mut add = |what, times: Vec<Duration>| {
        measures.push(Measure { what, median: median(times), key: String::new() });
    };
    let open = || load::open(&path, &load::Progress::default()).unwrap();
    add(
        "open",
        times(3, || {
            open();
        }),
    );
    let catalog = open();
    add(
        "judge",
        times(3, || {
            black_box(Snapshot::new(catalog.clone()));
        }),
    );
    let snapshot = Snapshot::new(catalog.clone());
    let largest = largest(&catalog).to_owned();
    let judged = snapshot.package(&largest).unwrap();
    let channel = judged.package().channels.first().unwrap().name.value.clone();
    add(
        "upgrade table",
        times(3, || {
            black_box(UpgradeTable::new(&judged.graph, &channel, &Query::default()));
        }),
    );
    let mut hand = Hand::open(Source::Path(path.clone()), catalog, SIZE.0, SIZE.1);
    measures.extend(keys::all(&mut hand, &largest));
    measures
}

/// The package with the most bundles, the first of several.
fn largest(catalog: &Catalog) -> &str {
    let packages = catalog.packages_by_name().values().rev();
    packages.max_by_key(|package| package.bundles.len()).unwrap().name.as_str()
}

/// The keys in a real catalog.
fn real(path: &Path) {
    let catalog = load::open(path, &load::Progress::default()).unwrap();
    let name = largest(&catalog).to_owned();
    let bundles: usize = catalog.packages().map(|package| package.bundles.len()).sum();
    println!("{} packages, {bundles} bundles; the largest is {name}", catalog.packages().len());
    let mut hand = Hand::open(Source::Path(path.to_owned()), catalog, SIZE.0, SIZE.1);
    println!("{:<24} {:>10} {:>10} {:>6}  key", "where", "median ms", "p99 ms", "times");
    keys::each(&mut hand, &name);
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Does something a few times, fewer where it takes long.
fn times(most: usize, mut run: impl FnMut()) -> Vec<Duration> {
    const ENOUGH: Duration = Duration::from_millis(400);
    let mut times = Vec::new();
    let begin = Instant::now();
    while times.len() < most && (times.is_empty() || begin.elapsed() < ENOUGH) {
        let start = Instant::now();
        run();
        times.push(start.elapsed());
    }
    times
}
