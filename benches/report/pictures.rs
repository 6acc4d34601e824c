//! Benchmarks of drawing every channel of the published catalogs.

use std::hint::black_box;

use olmap::{
    catalog::load,
    layout::{Options, layout},
    review::Snapshot,
};

use super::{
    Ground,
    measure::{Times, ms, times},
    published::SIZE,
    table::Table,
};

const RUNS: usize = 20;

pub fn section(ground: &Ground) -> String {
    let mut table =
        Table::new(&["catalog", "channels", "median of all, ms", "the slowest, ms", "its entries"]);
    for published in &ground.published {
        let catalog = load::open(&published.path, &load::Progress::default()).unwrap();
        let snapshot = Snapshot::new(catalog);
        let mut all = Vec::new();
        for (_, judged) in snapshot.packages() {
            for channel in judged.graph.channels() {
                let entries: Vec<_> = channel.graph.entries().collect();
                // Selects the highest, the middle and the lowest entry.
                let some = [entries.first(), entries.get(entries.len() / 2), entries.last()];
                let some: Vec<_> = some.into_iter().flatten().copied().collect();
                if some.is_empty() {
                    continue;
                }
                let options = Options::page(usize::from(SIZE.0));
                let time = times(RUNS, |run| {
                    let options = options.clone().with_selected(Some(some[run % some.len()]));
                    black_box(layout(&judged.graph, channel, &options));
                });
                all.push((time.median(), entries.len()));
            }
        }
        let median = Times::of(all.iter().map(|(time, _)| *time)).median();
        let (slowest, entries) = all.iter().max().unwrap();
        table.row([
            published.label.clone(),
            all.len().to_string(),
            ms(median),
            ms(*slowest),
            entries.to_string(),
        ]);
    }
    table.markdown()
}
