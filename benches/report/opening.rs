//! Benchmarks of opening large catalogs in the explorer and with `olmap validate`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use olm_catalog::load;
use olm_check::review::Snapshot;

use super::{
    BenchContext, generated_catalog,
    measure::{Times, format_mb, format_ms, format_ratio, measure_program},
    program::{Explorer, PROGRAM},
    reference_times,
    table::Table,
};

const RUNS: usize = 5;

/// Flag that makes this program load and check a catalog once and print its peak memory.
pub const PEAK: &str = "--peak-of";

pub fn opening_section(ground: &BenchContext) -> String {
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
        measure_opening(&published.label, &published.path, &mut table);
    }
    let size: u64 = env::var("OLMAP_BENCH_MB").map_or(100, |size| size.parse().unwrap());
    for format in ["yaml", "json"] {
        let folder = ground.folder.path().join("made");
        fs::create_dir(&folder).unwrap();
        let path = folder.join(format!("catalog.{format}"));
        generated_catalog::write_catalog(&path, size as usize * 1_000_000, format == "json").unwrap();
        measure_opening(&format!("made, {}, one file", format.to_uppercase()), &folder, &mut table);
        fs::remove_dir_all(&folder).unwrap();
    }
    let version =
        Times::from_durations((0..20).map(|_| measure_program(Command::new(PROGRAM).arg("--version"))));
    let size = fs::metadata(PROGRAM).unwrap().len() as f64 / 1e6;
    let small = format!("`olmap --version`: {} ms. The binary: {size:.1} MB.", format_ms(version.median()));
    format!(
        "{}\n{small} Idle for 3 s, over the last of these: {}.",
        table.into_markdown(),
        measure_idle(ground)
    )
}

fn measure_opening(label: &str, path: &Path, table: &mut Table) {
    let (first, packages) = {
        let catalog = load::open_catalog(path).unwrap();
        (catalog.packages().next().unwrap().name.to_string(), catalog.packages().len())
    };
    let files = reference_times::list_files(path);
    let state = tempfile::tempdir().unwrap();
    let shown: Vec<_> = (0..RUNS)
        .map(|_| Explorer::start_explorer(path, state.path()).measure_opening(&first, packages))
        .collect();
    let median = |of: fn(&super::program::OpeningTimes) -> Duration| {
        Times::from_durations(shown.iter().map(of)).median()
    };
    let validate = Times::from_durations(
        (0..RUNS).map(|_| measure_program(Command::new(PROGRAM).arg("validate").arg(path))),
    );
    let validate = validate.median();
    let peak = Command::new(env::current_exe().unwrap()).arg(PEAK).arg(path).output().unwrap();
    table.add_row([
        label.to_owned(),
        files.len().to_string(),
        format_mb(reference_times::total_size(&files)),
        format_ms(median(|shown| shown.first)),
        format_ms(median(|shown| shown.listed)),
        format_ms(median(|shown| shown.checked)),
        format_ms(validate),
        format_ratio(validate, reference_times::time_cat(&files, RUNS)),
        format_ratio(validate, reference_times::time_sha256sum(&files, RUNS)),
        reference_times::time_opm_validate(path)
            .map_or("not installed".to_owned(), |opm| format_ratio(validate, opm)),
        String::from_utf8_lossy(&peak.stdout).trim().to_owned(),
    ]);
}

/// Measures the idle explorer.
fn measure_idle(ground: &BenchContext) -> String {
    let demo = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/demo/catalog"));
    let path = ground.published.last().map_or(&demo, |published| &published.path);
    let catalog = load::open_catalog(path).unwrap();
    let state = tempfile::tempdir().unwrap();
    let mut explorer = Explorer::start_explorer(path, state.path());
    explorer.measure_opening(catalog.packages().next().unwrap().name.as_str(), catalog.packages().len());
    // The last frame may still be in transit.
    explorer.measure_idle(Duration::from_millis(500));
    explorer.measure_idle(Duration::from_secs(3)).map_or("not known here".to_owned(), |idle| {
        format!("{} ms of processor time, {} bytes to the terminal", idle.busy.as_millis(), idle.written)
    })
}

/// Returns the peak memory of this process in MB after it has checked a catalog; Linux only.
pub fn own_peak_memory(path: &Path) -> Option<usize> {
    drop(Snapshot::new(load::open_catalog(path).unwrap()));
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kb| kb * 1024 / 1_000_000)
}
