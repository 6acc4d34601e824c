//! Growth of commands over large catalogs, as whole processes: processor time and peak memory at an eighth, a
//! quarter, a half and the whole size.
//!
//! Processor time does not depend on other programs of the machine. `OLMAP_BENCH_ONLY` selects the rows whose
//! command contains one of its words.

use std::{env, fs, path::Path};

use super::{
    BenchContext,
    program::PROGRAM,
    shapes::{self, Shape},
    table::Table,
    usage::{Usage, measure_usage},
};

/// Parts of the whole size that are measured.
const PARTS: [usize; 4] = [8, 4, 2, 1];

/// Command line, in which `{}` is the catalog, `{mirror}` a configuration of oc-mirror, and `{to}` a file to write.
struct Row {
    command: &'static str,
    shape: &'static str,
    size: usize,
}

const ROWS: [Row; 14] = [
    Row { command: "plan --all 4.18={} 4.19={}", shape: "chain", size: 10_000 },
    Row { command: "plan --all 4.18={} 4.19={}", shape: "skips", size: 10_000 },
    Row { command: "plan --all 4.18={} 4.19={}", shape: "ranges nested", size: 2_000 },
    Row { command: "readiness {}", shape: "packages", size: 20_000 },
    Row { command: "mirror check {mirror} {}", shape: "chain", size: 8_000 },
    Row { command: "report {} --to {to}", shape: "chain", size: 8_000 },
    Row { command: "graph -o jsonl {}", shape: "ranges nested", size: 2_000 },
    Row { command: "validate {}", shape: "packages", size: 20_000 },
    Row { command: "validate {}", shape: "skips", size: 20_000 },
    Row { command: "list packages {}", shape: "packages", size: 20_000 },
    Row { command: "list bundles --package operator {}", shape: "chain", size: 20_000 },
    Row { command: "diff {} {}", shape: "packages", size: 20_000 },
    Row { command: "mirror check {mirror} {}", shape: "ranges shifted", size: 2_000 },
    Row { command: "validate {}", shape: "equal CRDs", size: 400 },
];

pub fn growth_section(ground: &BenchContext) -> String {
    let mut table = Table::new(&[
        "command",
        "catalog",
        "an eighth, s",
        "a quarter, s",
        "a half, s",
        "whole, s",
        "exponent",
        "whole, MB",
        "exponent",
    ]);
    let only = env::var("OLMAP_BENCH_ONLY").unwrap_or_default();
    let is_meant =
        |row: &&Row| only.is_empty() || only.split_whitespace().any(|word| row.command.contains(word));
    let shapes: Vec<Shape> =
        shapes::all_shapes().into_iter().chain([super::bundles::equal_crds_shape()]).collect();
    for row in ROWS.iter().filter(is_meant) {
        let shape = shapes.iter().find(|shape| shape.name == row.shape).unwrap();
        let used = PARTS.map(|part| measure_row(ground.folder.path(), row, shape, row.size / part));
        let [eighth, quarter, half, whole] = used.map(|used| format!("{:.2}", used.seconds));
        table.add_row([
            format!(
                "`olmap {}`",
                row.command.replace("{mirror}", "FILE").replace("{to}", "FILE").replace("{}", "CATALOG")
            ),
            format!("{}: {} {}", shape.name, row.size, shape.unit),
            eighth,
            quarter,
            half,
            whole,
            format!("{:.2}", fit_exponent(&used.map(|used| used.seconds))),
            format!("{:.0}", used[3].megabytes),
            format!("{:.2}", fit_exponent(&used.map(|used| used.megabytes))),
        ]);
        eprintln!("{} over {}: measured", row.command, row.shape);
    }
    table.into_markdown()
}

fn measure_row(folder: &Path, row: &Row, shape: &Shape, size: usize) -> Usage {
    let catalog = folder.join("growing");
    fs::create_dir(&catalog).unwrap();
    (shape.write)(&catalog, size).unwrap();
    let mirror = folder.join("mirror.yaml");
    fs::write(
        &mirror,
        "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: \
         example.com/catalog:v4.18\n    packages:\n    - name: operator\n      channels:\n      - name: stable\n        \
         minVersion: 1.3.0\n",
    )
    .unwrap();
    let arguments = row.command.split(' ').map(|word| {
        let word = word.replace("{mirror}", &mirror.display().to_string());
        let word = word.replace("{to}", &folder.join("written").display().to_string());
        word.replace("{}", &catalog.display().to_string())
    });
    let used = measure_usage(PROGRAM, arguments);
    fs::remove_dir_all(&catalog).unwrap();
    used
}

/// Returns the exponent of the growth, by least squares. Each value belongs to twice the size of the one before.
fn fit_exponent(values: &[f64]) -> f64 {
    let points = values.iter().zip(0_u32..).map(|(value, at)| (f64::from(at), value.max(1e-6).log2()));
    let count = values.len() as f64;
    let (sum_x, sum_y) = points.clone().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let slope = points.clone().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>();
    slope / points.map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>()
}
