//! Benchmarks of every key in the largest packages of published catalogs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use olm_catalog::{Catalog, load, package::Package};
use olmap::tui::Source;

use super::{
    BenchContext, keys,
    measure::{FRAME, format_ms, goal_verdict},
    reference_times::list_files,
    support::ExplorerDriver,
    table::Table,
};

/// Size of the terminal.
pub const SIZE: (u16, u16) = (200, 60);

pub fn published_section(ground: &BenchContext) -> String {
    let mut table = Table::new(&[
        "catalog",
        "packages",
        "its package with the most",
        "bundles",
        "channels",
        "largest channel",
        "slowest key, ms",
        "p99 of it",
        "where",
        "8 ms",
    ]);
    for (at, published) in ground.published.iter().enumerate() {
        let copy = copy_writable(&published.path, &ground.folder.path().join(format!("keys-{at}")));
        measure_catalog(&published.label, &copy, &mut table);
    }
    table.into_markdown()
}

/// Copies a catalog, because files may be write-protected and the explorer refuses to edit those.
fn copy_writable(path: &Path, to: &Path) -> PathBuf {
    fs::create_dir_all(to).unwrap();
    for file in list_files(path) {
        let copy = to.join(file.strip_prefix(path).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::write(copy, fs::read(&file).unwrap()).unwrap();
    }
    to.to_owned()
}

fn measure_catalog(label: &str, path: &Path, table: &mut Table) {
    let catalog = load::open_catalog(path).unwrap();
    let packages = catalog.packages().len();
    let chosen = select_packages(&catalog);
    let mut hand =
        ExplorerDriver::open_source(Source::Path(path.to_owned()), catalog.clone(), SIZE.0, SIZE.1);
    for (what, name) in chosen {
        let package = catalog.package(&name).unwrap();
        // If several keys are equally slow, any of them is shown.
        let slowest =
            keys::all_key_times(&mut hand, &name).into_iter().max_by_key(|key| key.times.median()).unwrap();
        table.add_row([
            label.to_owned(),
            packages.to_string(),
            what.to_owned(),
            package.bundles.len().to_string(),
            package.channels.len().to_string(),
            largest_channel_len(package).to_string(),
            format_ms(slowest.times.median()),
            format_ms(slowest.times.percentile(99)),
            format!("{}, `{}`", slowest.place, slowest.name),
            goal_verdict(slowest.times.percentile(99), FRAME),
        ]);
    }
}

/// Returns the number of entries in the largest channel.
fn largest_channel_len(package: &Package) -> usize {
    package.channels.iter().map(|channel| channel.entries.len()).max().unwrap_or_default()
}

/// Returns the packages with the most bundles, the most channels and the most entries in one channel, each
/// once.
fn select_packages(catalog: &Catalog) -> Vec<(&'static str, String)> {
    let most = |of: fn(&Package) -> usize| {
        let packages = catalog.packages_by_name().values().rev();
        packages.max_by_key(|package| of(package)).unwrap().name.to_string()
    };
    let mut chosen: Vec<(&'static str, String)> = Vec::new();
    let all = [
        ("bundles", most(|package| package.bundles.len())),
        ("channels", most(|package| package.channels.len())),
        ("entries in a channel", most(largest_channel_len)),
    ];
    for (what, name) in all {
        if chosen.iter().all(|(_, known)| *known != name) {
            chosen.push((what, name));
        }
    }
    chosen
}
