//! Benchmarks of commands that read everything, as whole processes, compared with `sha256sum` over the same
//! files.

use std::process::Command;

use super::{
    BenchContext,
    measure::{Times, format_ms, format_ratio, measure_program},
    program::PROGRAM,
    reference_times,
    table::Table,
};

const RUNS: usize = 5;

pub fn commands_section(ground: &BenchContext) -> String {
    let mut table = Table::new(&["command", "catalogs", "ms", "of `sha256sum`"]);
    let mut measure = |words: &[&str], catalogs: &[&super::Published]| {
        let paths = || catalogs.iter().map(|catalog| &catalog.path);
        let run = || measure_program(Command::new(PROGRAM).args(words).args(paths()));
        let time = Times::from_durations((0..RUNS).map(|_| run())).median();
        let files: Vec<_> = paths().flat_map(|path| reference_times::list_files(path)).collect();
        let labels: Vec<&str> = catalogs.iter().map(|catalog| catalog.label.as_str()).collect();
        let command = format!("`olmap {}`", words.join(" "));
        table.add_row([
            command,
            labels.join(", "),
            format_ms(time),
            format_ratio(time, reference_times::time_sha256sum(&files, RUNS)),
        ]);
    };
    for catalog in &ground.published {
        measure(&["list", "packages"], &[catalog]);
        measure(&["deprecations"], &[catalog]);
        measure(&["render"], &[catalog]);
    }
    // Catalogs whose label has an OpenShift version, in order.
    let versions: Vec<&super::Published> =
        ground.published.iter().filter(|catalog| catalog.label.starts_with("v4.")).collect();
    if let [first, .., last] = versions.as_slice() {
        measure(&["diff"], &[*first, *last]);
        measure(&["overview"], &versions);
        measure(&["plan", "--all"], &versions);
    }
    table.into_markdown()
}
