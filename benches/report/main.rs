//! Benchmarks of waiting times, compared with `cat`, `sha256sum` and opm (if installed). All read the same
//! files in the same run.
//!
//! `cargo bench` measures everything; `cargo bench --bench report -- opening keys` measures only some
//! sections. With `OLMAP_UPDATE=1`, the tables are written to their sections in `docs/performance.md`,
//! otherwise to standard output. `OLMAP_BENCH_CATALOGS` names catalogs to measure, separated by `:`, instead
//! of the published ones of the conformance data. `TMPDIR` is the place of generated catalogs, and
//! `OLMAP_BENCH_MB` is their size.
//!
//! Ratios are more reliable than times. Check the load of the machine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bundles;
mod catalogs;
mod commands;
mod crds;
mod drawing;
mod edits;
mod generated_catalog;
mod growth;
mod keys;
mod machine;
mod measure;
mod opening;
mod program;
mod published;
mod reference_times;
mod scale;
mod shapes;
#[path = "../../tests/support/mod.rs"]
mod support;
mod table;
mod templates;
mod usage;

use std::{env, fs, path::Path};

use catalogs::Published;

/// Data that the sections share.
struct BenchContext {
    /// Folder for generated data.
    folder: tempfile::TempDir,
    /// Catalogs that are not generated.
    published: Vec<Published>,
}

/// Section of the report: its name, and the function that measures it and returns Markdown.
type Section = (&'static str, fn(&BenchContext) -> String);

const SECTIONS: [Section; 10] = [
    ("opening", opening::opening_section),
    ("commands", commands::commands_section),
    ("growth", growth::growth_section),
    ("keys", published::published_section),
    ("pictures", drawing::drawing_section),
    ("shapes", scale::scale_section),
    ("edits", edits::edits_section),
    ("bundles", bundles::bundles_section),
    ("crds", crds::crds_section),
    ("templates", templates::templates_section),
];

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [flag, path, ..] = arguments.as_slice()
        && flag == opening::PEAK
    {
        return println!("{}", opening::own_peak_memory(Path::new(path)).unwrap_or_default());
    }
    if let [flag, command @ ..] = arguments.as_slice()
        && flag == usage::USAGE
    {
        return usage::print_usage(command);
    }
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    if let Some(unknown) = wanted.iter().find(|name| SECTIONS.iter().all(|(known, _)| known != **name)) {
        let names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
        panic!("{unknown} is no section; there are {}", names.join(", "));
    }
    let folder = tempfile::tempdir().unwrap();
    let published = catalogs::published(folder.path());
    let ground = BenchContext { folder, published };
    for (name, measure) in
        SECTIONS.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| w == name))
    {
        let before = machine::load_average();
        let measured = measure(&ground);
        let conditions = format!(
            "{}; load {before} before, {} after.",
            machine::describe_machine(),
            machine::load_average()
        );
        let text = format!("{}\n\n{conditions}\n", measured.trim_end());
        if env::var_os("OLMAP_UPDATE").is_some() {
            update_document(name, &text);
            eprintln!("{name}: measured");
        } else {
            println!("## {name}\n\n{text}");
        }
    }
}

/// Replaces a section of the document.
fn update_document(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/performance.md");
    let document = fs::read_to_string(&path).unwrap();
    let begin = format!("<!-- measured: {name} -->\n");
    let (before, rest) = document.split_once(&begin).unwrap_or_else(|| panic!("{name} has no place"));
    let (_, after) = rest.split_once("<!-- end of measured -->").unwrap();
    fs::write(&path, format!("{before}{begin}\n{text}\n<!-- end of measured -->{after}")).unwrap();
}
