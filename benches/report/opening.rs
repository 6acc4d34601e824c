//! Benchmarks of opening large catalogs in the explorer and with `olmap validate`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use olmap::{catalog::load, review::Snapshot};

use super::{
    Ground, made,
    measure::{Times, mb, ms, program, ratio},
    program::{Explorer, PROGRAM},
    table::Table,
    yardstick,
};

const RUNS: usize = 5;

/// Flag that makes this program load and check a catalog once and print its peak memory.
pub const PEAK: &str = "--peak-of";

pub fn section(ground: &Ground) -> String {
    let mut table = Table::new(&[
        "catalog",
        "files",
        "MB",
        "first, ms",
        "listed, ms",
        "judged, ms",
        "`validate`, ms",
        "of `cat`",
        "of `sha256sum`",
        "of `opm validate`",
        "memory, MB",
    ]);
    for published in &ground.published {
        measure(&published.label, &published.path, &mut table);
    }
    let size: u64 = env::var("OLMAP_BENCH_MB").map_or(100, |size| size.parse().unwrap());
    for format in ["yaml", "json"] {
        let folder = ground.folder.path().join("made");
        fs::create_dir(&folder).unwrap();
        let path = folder.join(format!("catalog.{format}"));
        made::write(&path, size as usize * 1_000_000, format == "json").unwrap();
        measure(&format!("made, {}, one file", format.to_uppercase()), &folder, &mut table);
        fs::remove_dir_all(&folder).unwrap();
    }
    let version = Times::of((0..20).map(|_| program(Command::new(PROGRAM).arg("--version"))));
    let size = fs::metadata(PROGRAM).unwrap().len() as f64 / 1e6;
    let small = format!("`olmap --version`: {} ms. The binary: {size:.1} MB.", ms(version.median()));
    format!("{}\n{small} Idle for 3 s, over the last of these: {}.", table.markdown(), idle(ground))
}

fn measure(label: &str, path: &Path, table: &mut Table) {
    let (first, packages) = {
        let catalog = load::open(path, &load::Progress::default()).unwrap();
        (catalog.packages().next().unwrap().name.to_string(), catalog.packages().len())
    };
    let files = yardstick::files(path);
    let state = tempfile::tempdir().unwrap();
    let shown: Vec<_> =
        (0..RUNS).map(|_| Explorer::start(path, state.path()).watch(&first, packages)).collect();
    let median = |of: fn(&super::program::Shown) -> Duration| Times::of(shown.iter().map(of)).median();
    let validate = Times::of((0..RUNS).map(|_| program(Command::new(PROGRAM).arg("validate").arg(path))));
    let validate = validate.median();
    let peak = Command::new(env::current_exe().unwrap()).arg(PEAK).arg(path).output().unwrap();
    table.row([
        label.to_owned(),
        files.len().to_string(),
        mb(yardstick::bytes(&files)),
        ms(median(|shown| shown.first)),
        ms(median(|shown| shown.listed)),
        ms(median(|shown| shown.judged)),
        ms(validate),
        ratio(validate, yardstick::cat(&files, RUNS)),
        ratio(validate, yardstick::sha256sum(&files, RUNS)),
        yardstick::opm_validate(path).map_or("not installed".to_owned(), |opm| ratio(validate, opm)),
        String::from_utf8_lossy(&peak.stdout).trim().to_owned(),
    ]);
}

/// Measures the idle explorer.
fn idle(ground: &Ground) -> String {
    let demo = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/demo/catalog"));
    let path = ground.published.last().map_or(&demo, |published| &published.path);
    let catalog = load::open(path, &load::Progress::default()).unwrap();
    let state = tempfile::tempdir().unwrap();
    let mut explorer = Explorer::start(path, state.path());
    explorer.watch(catalog.packages().next().unwrap().name.as_str(), catalog.packages().len());
    // The last frame may still be in transit.
    explorer.idle(Duration::from_millis(500));
    explorer.idle(Duration::from_secs(3)).map_or("not known here".to_owned(), |idle| {
        format!("{} ms of processor time, {} bytes to the terminal", idle.busy.as_millis(), idle.written)
    })
}

/// Returns the peak memory of this process in MB after it has checked a catalog; Linux only.
pub fn peak_here(path: &Path) -> Option<usize> {
    drop(Snapshot::new(load::open(path, &load::Progress::default()).unwrap()));
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kb| kb * 1024 / 1_000_000)
}
