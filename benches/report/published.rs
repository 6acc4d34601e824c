//! Every key on published catalogs, in those of their packages that have the most of something.

use std::path::Path;

use olmap::{
    app::Source,
    catalog::{Catalog, load, package::Package},
};

use super::{
    Ground, keys,
    measure::{FRAME, ms, verdict},
    support::Hand,
    table::Table,
};

/// The terminal of the measures.
pub const SIZE: (u16, u16) = (200, 60);

pub fn section(ground: &Ground) -> String {
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
    for published in &ground.published {
        catalog(&published.label, &published.path, &mut table);
    }
    table.markdown()
}

fn catalog(label: &str, path: &Path, table: &mut Table) {
    let catalog = load::open(path, &load::Progress::default()).unwrap();
    let packages = catalog.packages().len();
    let chosen = chosen(&catalog);
    let mut hand = Hand::open(Source::Path(path.to_owned()), catalog.clone(), SIZE.0, SIZE.1);
    for (what, name) in chosen {
        let package = catalog.package(&name).unwrap();
        // Of several equally slow ones, one.
        let slowest = keys::each(&mut hand, &name).into_iter().max_by_key(|key| key.times.median()).unwrap();
        table.row([
            label.to_owned(),
            packages.to_string(),
            what.to_owned(),
            package.bundles.len().to_string(),
            package.channels.len().to_string(),
            entries(package).to_string(),
            ms(slowest.times.median()),
            ms(slowest.times.percentile(99)),
            format!("{}, `{}`", slowest.place, slowest.name),
            verdict(slowest.times.percentile(99), FRAME),
        ]);
    }
}

/// How many entries the largest channel has.
fn entries(package: &Package) -> usize {
    package.channels.iter().map(|channel| channel.entries.len()).max().unwrap_or_default()
}

/// The packages with the most bundles, channels and entries in one channel; each once.
fn chosen(catalog: &Catalog) -> Vec<(&'static str, String)> {
    let most = |of: fn(&Package) -> usize| {
        let packages = catalog.packages_by_name().values().rev();
        packages.max_by_key(|package| of(package)).unwrap().name.to_string()
    };
    let mut chosen: Vec<(&'static str, String)> = Vec::new();
    let all = [
        ("bundles", most(|package| package.bundles.len())),
        ("channels", most(|package| package.channels.len())),
        ("entries in a channel", most(entries)),
    ];
    for (what, name) in all {
        if chosen.iter().all(|(_, known)| *known != name) {
            chosen.push((what, name));
        }
    }
    chosen
}
