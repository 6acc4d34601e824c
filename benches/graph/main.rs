//! How long the graph and upgrades screens make one wait: pictures and tables alone, and a key press to the finished frame.
//!
//! `cargo bench --bench graph` makes channels of its own (`channels.rs`). A path in `OLMAP_BENCH_PATH` is measured instead:
//! the picture of every channel, with the slowest named. Each line gives the median and the 99th percentile.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod channels;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::{
    hint::black_box,
    path::Path,
    time::{Duration, Instant},
};

use channels::Shape;
use olmap::{
    app::Source,
    catalog::load,
    layout::{Options, layout, neighbourhood, side_by_side},
    review::Snapshot,
    upgrade::{PackageGraph, UpgradeTable, v1::Query},
};
use support::Hand;

/// The terminal of the measures.
const SIZE: (u16, u16) = (200, 60);

fn main() {
    if let Some(path) = std::env::var_os("OLMAP_BENCH_PATH") {
        return catalog(Path::new(&path));
    }
    let only = std::env::var("OLMAP_BENCH_ONLY").unwrap_or_default();
    let shapes = [
        channels::dense(),
        channels::chain(2_000),
        channels::nested_ranges(2_000),
        channels::shifted_ranges(2_000),
        channels::many_skips(2_000),
        channels::many_channels(60, 700),
    ];
    heading();
    for shape in shapes.iter().filter(|shape| shape.name.contains(&only)) {
        pictures(shape);
        keys(shape);
    }
}

/// Times of one thing that was done many times.
struct Times(Vec<Duration>);

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    fn percentile(&self, percent: usize) -> Duration {
        self.0.get((self.0.len() * percent).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
    }
}

fn heading() {
    println!("{:<16} {:<34} {:>9} {:>9} {:>6}", "channel", "what", "median ms", "p99 ms", "times");
}

fn report(shape: &str, what: &str, times: Vec<Duration>) {
    let times = Times::of(times);
    let ms = |percent| times.percentile(percent).as_secs_f64() * 1e3;
    println!("{shape:<16} {what:<34} {:>9.3} {:>9.3} {:>6}", ms(50), ms(99), times.0.len());
}

/// Does something with each of some things, and again until it was done often enough to speak of a 99th percentile.
fn time<T>(things: &[T], mut run: impl FnMut(&T)) -> Vec<Duration> {
    const AT_LEAST: usize = 200;
    let mut times = Vec::new();
    while times.len() < AT_LEAST && !things.is_empty() {
        for thing in things {
            let start = Instant::now();
            run(thing);
            times.push(start.elapsed());
        }
    }
    times
}

/// What the screens draw and list, for selections all over the channel.
fn pictures(shape: &Shape) {
    let snapshot = Snapshot::new(load::from_bytes(shape.yaml.clone().into_bytes()));
    let package: &PackageGraph = &snapshot.packages().next().unwrap().1.graph;
    let channel = package.channels().last().unwrap();
    let entries: Vec<_> = channel.graph.entries().step_by(7).collect();
    let query = Query::default();
    let edges = channel.graph.graph().edge_count();
    println!("{}: {} entries, {edges} edges without ranges", shape.name, channel.graph.entries().count());
    let options = Options::page(usize::from(SIZE.0));
    report(shape.name, "layout of a selected bundle", {
        time(&entries, |&at| {
            black_box(layout(package, channel, &options.clone().with_selected(Some(at))));
        })
    });
    let options =
        neighbourhood::Options { width: 200, height: 45, query: query.clone(), ..Default::default() };
    report(shape.name, "neighbourhood of a bundle", {
        time(&entries, |&at| {
            black_box(neighbourhood::neighbourhood(package, channel, at, &options));
        })
    });
    let names: Vec<_> = package.channels().iter().map(|channel| channel.graph.name().clone()).collect();
    report(shape.name, "all channels side by side", {
        time(&names, |name| {
            let options = side_by_side::Options {
                room: 160,
                widest: 12,
                selected: Some(name.clone()),
                ..side_by_side::Options::default()
            };
            black_box(side_by_side::side_by_side(package, &options));
        })
    });
    report(shape.name, "upgrade table", {
        time(&names[..1], |name| {
            black_box(UpgradeTable::new(package, name, &query));
        })
    });
}

/// A key press to the finished frame, on each screen.
fn keys(shape: &Shape) {
    let (columns, rows) = SIZE;
    let yaml = shape.yaml.clone().into_bytes();
    let open = || {
        let source = Source::Path("bench".into());
        Hand::open(source, load::from_bytes(yaml.clone()), columns, rows)
    };
    let mut hand = open();
    let mut measure = |what: &str, before: &str, keys: &[&str], after: &str| {
        hand.press(before);
        let times = time(keys, |key| {
            hand.press(key);
        });
        hand.press(after);
        report(shape.name, what, times);
    };
    measure("graph: j", "2 home", &["j"], "");
    measure("graph: k", "", &["k"], "");
    measure("graph: page down, page up", "", &["pgdn", "pgdn", "pgdn", "pgup"], "home");
    measure("graph: F", "", &["F"], "");
    measure("graph: j, folded", "F", &["j"], "F home");
    measure("graph: typing a search", "/", &["1", ".", "1", "backspace", "backspace", "backspace"], "esc");
    measure("graph: j from a mark above", "m", &["j"], "home m");
    measure("graph: j from a mark below", "end m home", &["j"], "end m home");
    measure("graph: j, focused", "f", &["j"], "f home");
    measure("zoom: j", "j j j z", &["j"], "esc");
    measure("side by side: j", "w", &["j"], "");
    measure("side by side: l", "", &["l", "l", "l", "h"], "w");
    measure("upgrades: j", "3 home", &["j"], "");
    measure("upgrades: page down, page up", "", &["pgdn", "pgdn", "pgdn", "pgup"], "home");
    measure("upgrades: typing a filter", "/", &["1", ".", "1", "backspace", "backspace", "backspace"], "esc");
}

/// Every channel of a catalog: layout of the selected head, lowest entry and one in the middle.
fn catalog(path: &Path) {
    let snapshot = Snapshot::new(load::open(path, &load::Progress::default()).unwrap());
    let options = Options::page(usize::from(SIZE.0));
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    let mut all = Vec::new();
    for (name, judged) in snapshot.packages() {
        for channel in judged.graph.channels() {
            let entries: Vec<_> = channel.graph.entries().collect();
            let (Some(first), Some(middle), Some(last)) =
                (entries.first(), entries.get(entries.len() / 2), entries.last())
            else {
                continue;
            };
            let times = Times::of(time(&[*first, *middle, *last], |&at| {
                black_box(layout(&judged.graph, channel, &options.clone().with_selected(Some(at))));
            }));
            let [median, p99] = [50, 99].map(|percent| times.percentile(percent));
            let ms = |time: Duration| time.as_secs_f64() * 1e3;
            let words = format!("{:>7} {name} {}", entries.len(), channel.graph.name());
            all.push(median);
            slowest.push((median, format!("{:>9.3} {:>9.3} {words}", ms(median), ms(p99))));
        }
    }
    heading();
    report("all channels", "layout of a selected bundle", all);
    slowest.sort_unstable_by(|a, b| b.cmp(a));
    println!("the slowest:\n{:>9} {:>9} {:>7}", "median ms", "p99 ms", "entries");
    for (_, line) in slowest.iter().take(10) {
        println!("{line}");
    }
}
