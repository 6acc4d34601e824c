//! Growth of cost: catalogs of shapes that could cause quadratic cost, at a quarter, a half and their whole
//! size.
//!
//! Keys are only listed if they take longer than a frame at the whole size. `OLMAP_BENCH_ONLY` selects the
//! shapes whose names contain one of its words.

use std::{
    env, fs,
    hint::black_box,
    time::{Duration, Instant},
};

use olm_catalog::{Catalog, load};
use olm_check::review::Snapshot;
use olm_upgrade::{UpgradeTable, v1::Query};
use olmap::tui::Source;

use super::{
    BenchContext, keys,
    measure::{FRAME, format_ms, measure_few},
    published::SIZE,
    shapes::{self, Shape},
    support::ExplorerDriver,
    table::Table,
};

/// Measurement: its subject, its time, and whether it happens with every key.
struct Measurement {
    what: String,
    time: Duration,
    is_key: bool,
}

pub fn scale_section(_: &BenchContext) -> String {
    let mut table =
        Table::new(&["shape", "what", "quarter, ms", "half, ms", "whole, ms", "exponent", "8 ms at about"]);
    let only = env::var("OLMAP_BENCH_ONLY").unwrap_or_default();
    let is_meant =
        |shape: &Shape| only.is_empty() || only.split_whitespace().any(|word| shape.name.contains(word));
    for shape in shapes::all_shapes().into_iter().filter(is_meant) {
        let begin = Instant::now();
        let [quarter, half, whole] = [4, 2, 1].map(|part| measure_shape(&shape, shape.max_size / part));
        eprintln!("{}: measured in {:.0} s", shape.name, begin.elapsed().as_secs_f64());
        let label = format!("{}: {} {}", shape.name, shape.max_size, shape.unit);
        let mut slowest_of_others = Duration::ZERO;
        let mut keys = 0;
        for ((quarter, half), whole) in quarter.iter().zip(&half).zip(&whole) {
            if whole.is_key && whole.time <= FRAME {
                keys += 1;
                slowest_of_others = slowest_of_others.max(whole.time);
                continue;
            }
            let [a, c] = [quarter, whole].map(|measure| measure.time.as_secs_f64());
            let exponent = (c / a).log(4.0);
            // Size at which a frame is full if cost keeps growing at this rate.
            let full = shape.max_size as f64 * (FRAME.as_secs_f64() / c).powf(1.0 / exponent);
            table.add_row([
                label.clone(),
                whole.what.clone(),
                format_ms(quarter.time),
                format_ms(half.time),
                format_ms(whole.time),
                format!("{exponent:.2}"),
                if whole.is_key && exponent > 0.5 {
                    format!("{full:.0} {}", shape.unit)
                } else {
                    String::new()
                },
            ]);
        }
        let others = format!("the other {keys} places: slowest key");
        let nothing = String::new;
        table.add_row([
            label,
            others,
            nothing(),
            nothing(),
            format_ms(slowest_of_others),
            nothing(),
            nothing(),
        ]);
    }
    table.into_markdown()
}

fn measure_shape(shape: &Shape, size: usize) -> Vec<Measurement> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog");
    fs::create_dir(&path).unwrap();
    (shape.write)(&path, size.max(1)).unwrap();
    let mut measures = Vec::new();
    let mut add = |what: &str, run: &mut dyn FnMut()| {
        measures.push(Measurement {
            what: what.to_owned(),
            time: measure_few(3, run).median(),
            is_key: false,
        });
    };
    let open = || load::open_catalog(&path).unwrap();
    add("open", &mut || drop(black_box(open())));
    let catalog = open();
    add("judge", &mut || drop(black_box(Snapshot::new(catalog.clone()))));
    let snapshot = Snapshot::new(catalog.clone());
    let largest = largest_package(&catalog).to_owned();
    let judged = snapshot.package(&largest).unwrap();
    let channel = judged.package().channels.first().unwrap().name.value.clone();
    add("upgrade table", &mut || {
        drop(black_box(UpgradeTable::new(&judged.graph, &channel, &Query::default())));
    });
    let mut hand = ExplorerDriver::open_source(Source::Path(path.clone()), catalog, SIZE.0, SIZE.1);
    let key = |key: keys::KeyTimes| Measurement {
        what: format!("{}, `{}`", key.place, key.name),
        time: key.times.median(),
        is_key: true,
    };
    measures.extend(keys::slowest_keys(&mut hand, &largest).into_iter().map(key));
    measures
}

/// Returns the first package with the most bundles.
fn largest_package(catalog: &Catalog) -> &str {
    let packages = catalog.packages_by_name().values().rev();
    packages.max_by_key(|package| package.bundles.len()).unwrap().name.as_str()
}
