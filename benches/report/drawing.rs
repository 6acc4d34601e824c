//! Benchmarks of drawing every channel of the published catalogs.

use std::hint::black_box;

use olm_catalog::load;
use olm_check::review::Snapshot;
use olmap_report::layout::{Options, draw_layout};

use super::{
    BenchContext,
    measure::{Times, format_ms, measure_runs},
    published::SIZE,
    table::Table,
};

const RUNS: usize = 20;

pub fn drawing_section(ground: &BenchContext) -> String {
    let mut table =
        Table::new(&["catalog", "channels", "median of all, ms", "the slowest, ms", "its entries"]);
    for published in &ground.published {
        let catalog = load::open_catalog(&published.path).unwrap();
        let snapshot = Snapshot::new(catalog);
        let mut all = Vec::new();
        for (_, judged) in snapshot.packages() {
            for channel in judged.graph.channels() {
                let entries: Vec<_> = channel.graph.entry_nodes().collect();
                // Selects the highest, the middle and the lowest entry.
                let some = [entries.first(), entries.get(entries.len() / 2), entries.last()];
                let some: Vec<_> = some.into_iter().flatten().copied().collect();
                if some.is_empty() {
                    continue;
                }
                let options = Options::for_page_width(usize::from(SIZE.0));
                let time = measure_runs(RUNS, |run| {
                    let options = options.clone().with_selected(Some(some[run % some.len()]));
                    black_box(draw_layout(&judged.graph, channel, &options));
                });
                all.push((time.median(), entries.len()));
            }
        }
        let median = Times::from_durations(all.iter().map(|(time, _)| *time)).median();
        let (slowest, entries) = all.iter().max().unwrap();
        table.add_row([
            published.label.clone(),
            all.len().to_string(),
            format_ms(median),
            format_ms(*slowest),
            entries.to_string(),
        ]);
    }
    table.into_markdown()
}
