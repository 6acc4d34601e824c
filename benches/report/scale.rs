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

use olmap::{
    app::Source,
    catalog::{Catalog, load},
    review::Snapshot,
    upgrade::{UpgradeTable, v1::Query},
};

use super::{
    Ground, keys,
    measure::{FRAME, a_few, ms},
    published::SIZE,
    shapes::{self, Shape},
    support::Hand,
    table::Table,
};

/// Measurement: its subject, its time, and whether it happens with every key.
struct Measure {
    what: String,
    time: Duration,
    is_key: bool,
}

pub fn section(_: &Ground) -> String {
    let mut table =
        Table::new(&["shape", "what", "quarter, ms", "half, ms", "whole, ms", "exponent", "8 ms at about"]);
    let only = env::var("OLMAP_BENCH_ONLY").unwrap_or_default();
    let is_meant =
        |shape: &Shape| only.is_empty() || only.split_whitespace().any(|word| shape.name.contains(word));
    for shape in shapes::all().into_iter().filter(is_meant) {
        let begin = Instant::now();
        let [quarter, half, whole] = [4, 2, 1].map(|part| measure(&shape, shape.whole / part));
        eprintln!("{}: measured in {:.0} s", shape.name, begin.elapsed().as_secs_f64());
        let label = format!("{}: {} {}", shape.name, shape.whole, shape.of);
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
            let full = shape.whole as f64 * (FRAME.as_secs_f64() / c).powf(1.0 / exponent);
            table.row([
                label.clone(),
                whole.what.clone(),
                ms(quarter.time),
                ms(half.time),
                ms(whole.time),
                format!("{exponent:.2}"),
                if whole.is_key && exponent > 0.5 {
                    format!("{full:.0} {}", shape.of)
                } else {
                    String::new()
                },
            ]);
        }
        let others = format!("the other {keys} places: slowest key");
        let nothing = String::new;
        table.row([label, others, nothing(), nothing(), ms(slowest_of_others), nothing(), nothing()]);
    }
    table.markdown()
}

fn measure(shape: &Shape, size: usize) -> Vec<Measure> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog");
    fs::create_dir(&path).unwrap();
    (shape.write)(&path, size.max(1)).unwrap();
    let mut measures = Vec::new();
    let mut add = |what: &str, run: &mut dyn FnMut()| {
        measures.push(Measure { what: what.to_owned(), time: a_few(3, run).median(), is_key: false });
    };
    let open = || load::open(&path, &load::Progress::default()).unwrap();
    add("open", &mut || drop(black_box(open())));
    let catalog = open();
    add("judge", &mut || drop(black_box(Snapshot::new(catalog.clone()))));
    let snapshot = Snapshot::new(catalog.clone());
    let largest = largest(&catalog).to_owned();
    let judged = snapshot.package(&largest).unwrap();
    let channel = judged.package().channels.first().unwrap().name.value.clone();
    add("upgrade table", &mut || {
        drop(black_box(UpgradeTable::new(&judged.graph, &channel, &Query::default())));
    });
    let mut hand = Hand::open(Source::Path(path.clone()), catalog, SIZE.0, SIZE.1);
    let key = |key: keys::Pressed| Measure {
        what: format!("{}, `{}`", key.place, key.name),
        time: key.times.median(),
        is_key: true,
    };
    measures.extend(keys::slowest(&mut hand, &largest).into_iter().map(key));
    measures
}

/// Returns the first package with the most bundles.
fn largest(catalog: &Catalog) -> &str {
    let packages = catalog.packages_by_name().values().rev();
    packages.max_by_key(|package| package.bundles.len()).unwrap().name.as_str()
}
