//! Benchmarks of commands, as whole processes, compared with `sha256sum` over the same files by processor time.

use std::ffi::OsString;

use olm_catalog::load;

use super::{
    BenchContext, Published,
    program::PROGRAM,
    reference_times,
    table::Table,
    usage::{Usage, median_usage},
};

const RUNS: usize = 5;

pub fn commands_section(ground: &BenchContext) -> String {
    let mut table = Table::new(&["command", "catalogs", "CPU, ms", "of `sha256sum`", "MB"]);
    for catalog in &ground.published {
        let package = load::open_catalog(&catalog.path).unwrap().packages().last().unwrap().name.to_string();
        let package: &str = &package;
        for words in [
            &["list", "packages"][..],
            &["list", "bundles", "--package", package],
            &["graph", "--package", package],
            &["successors", "--package", package],
            &["validate"],
            &["validate", "--allow", "template-differs"],
            &["validate", "--parity"],
            &["deprecations"],
            &["render"],
        ] {
            measure_command(&mut table, words, &[catalog]);
        }
        measure_command(&mut table, &["diff"], &[catalog, catalog]);
    }
    // Catalogs whose label has an OpenShift version, in order.
    let versions: Vec<&Published> =
        ground.published.iter().filter(|catalog| catalog.label.starts_with("v4.")).collect();
    if let [first, .., last] = versions.as_slice() {
        measure_command(&mut table, &["diff"], &[*first, *last]);
        measure_command(&mut table, &["overview"], &versions);
        measure_command(&mut table, &["plan", "--all"], &versions);
    }
    table.into_markdown()
}

/// Adds the row of a command.
fn measure_command(table: &mut Table, words: &[&str], catalogs: &[&Published]) {
    let paths = || catalogs.iter().map(|catalog| &catalog.path);
    let arguments: Vec<OsString> = words.iter().map(Into::into).chain(paths().map(Into::into)).collect();
    let Usage { seconds, megabytes } = median_usage(PROGRAM, &arguments, RUNS);
    let files: Vec<_> = paths().flat_map(|path| reference_times::list_files(path)).collect();
    let reference = median_usage("sha256sum", &files, RUNS).seconds;
    let labels: Vec<&str> = catalogs.iter().map(|catalog| catalog.label.as_str()).collect();
    table.add_row([
        format!("`olmap {}`", words.join(" ")),
        labels.join(", "),
        format!("{:.0}", seconds * 1000.0),
        format!("{:.2}", seconds / reference),
        format!("{megabytes:.0}"),
    ]);
    eprintln!("{} over {}: measured", words.join(" "), labels.join(", "));
}
