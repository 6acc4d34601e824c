//! Benchmarks of a semver template of 500 bundles: a key press in the explorer, and rendering. The bundles
//! are spread over minor versions like released operators. In the worst case, each has its own minor version,
//! and the number of skips is quadratic.

use std::{fmt::Write as _, hint::black_box, sync::Arc};

use olm_bundle::template::{CatalogBundles, Options, TemplateDocument, render_template};
use olm_catalog::{
    Catalog, KnownBundles, load,
    template::semver::{ChannelKind, Item, List, Lists, Settings, generate, parse_semver_template},
    text::yaml,
};
use olm_check::review::{Consequences, Snapshot};
use olm_edit::{Edit, TemplateChange};
use olm_version::Version;

use super::{
    BenchContext,
    measure::{format_ms, measure_runs},
    table::Table,
};

const RUNS: usize = 25;
const BUNDLES: u64 = 500;

pub fn templates_section(_: &BenchContext) -> String {
    let columns =
        [10, 1].map(|per_minor| measure_template(&GeneratedTemplate::with_bundles_per_minor(per_minor)));
    let mut table = Table::new(&["what, ms", "ten bundles to a minor version", "one"]);
    let [ten, one] = columns;
    for ((what, ten), (_, one)) in ten.into_iter().zip(one) {
        table.add_row([what.to_owned(), ten, one]);
    }
    format!("{BUNDLES} bundles in each of three lists.\n\n{}", table.into_markdown())
}

type Row = (&'static str, String);

fn measure_row(what: &'static str, mut run: impl FnMut()) -> Row {
    (what, format_ms(measure_runs(RUNS, |_| run()).median()))
}

fn measure_template(made: &GeneratedTemplate) -> Vec<Row> {
    let lists = made.template_lists();
    let settings = Settings { major: true, minor: true, preference: ChannelKind::Minor };
    let node = yaml::parse_yaml(made.template.as_bytes()).unwrap();
    let catalog = load::from_bytes(made.catalog.clone().into_bytes());
    let document = TemplateDocument::parse(made.template.as_bytes(), None).unwrap();
    let bundles = CatalogBundles::new([&catalog]);
    let rendered = || render_template(&document, &bundles, Options::default(), &|_| Vec::new()).unwrap();
    let mut rows = vec![
        measure_row("channels generated", || drop(black_box(generate(&lists, settings).unwrap()))),
        measure_row("YAML parsed", || drop(black_box(yaml::parse_yaml(made.template.as_bytes()).unwrap()))),
        measure_row("document read", || drop(black_box(parse_semver_template(&node).unwrap()))),
        measure_row("rendered", || drop(black_box(rendered()))),
    ];
    rows.extend(measure_preview(made, &catalog));
    rows
}

/// Measures the preview that the explorer computes for a change of the template.
fn measure_preview(made: &GeneratedTemplate, catalog: &Catalog) -> [Row; 3] {
    let known = Arc::new(KnownBundles::from_catalogs([catalog]));
    let template = load::from_bytes(made.template.clone().into_bytes()).with_known_bundles(known);
    let before = Snapshot::new(template);
    let image = made.bundles.last().unwrap().0.clone();
    let change = TemplateChange::RemoveImage { list: List::Stable, image };
    let edit = Edit::Template { change };
    let edited = || olm_edit::apply_edit(&before.catalog, &edit).unwrap();
    let catalog = edited();
    let after = before.after_change(catalog.clone());
    [
        measure_row("an image removed", || drop(black_box(edited()))),
        measure_row("judged", || drop(black_box(before.after_change(catalog.clone())))),
        measure_row("compared", || drop(black_box(Consequences::compare_snapshots(&before, &after)))),
    ]
}

struct GeneratedTemplate {
    bundles: Vec<(String, String, Version)>,
    template: String,
    catalog: String,
}

impl GeneratedTemplate {
    fn with_bundles_per_minor(per_minor: u64) -> Self {
        let mut bundles = Vec::new();
        let mut template =
            String::from("schema: olm.semver\ngenerateMajorChannels: true\ngenerateMinorChannels: true\n");
        let mut catalog = String::new();
        for list in List::ALL {
            writeln!(template, "{}:\n  bundles:", list.name()).unwrap();
            for number in 0..BUNDLES {
                let version = format!("1.{}.{}", number / per_minor, number % per_minor);
                writeln!(template, "  - image: example.com/ship:{version}").unwrap();
            }
        }
        for number in 0..BUNDLES {
            let version = format!("1.{}.{}", number / per_minor, number % per_minor);
            let (image, name) = (format!("example.com/ship:{version}"), format!("ship.v{version}"));
            writeln!(
                catalog,
                "---\nschema: olm.bundle\npackage: ship\nname: {name}\nimage: {image}\nproperties:\n- type: olm.package\n  value:\n\
                 \x20   packageName: ship\n    version: {version}"
            )
            .unwrap();
            bundles.push((image, name, Version::parse(&version).unwrap()));
        }
        Self { bundles, template, catalog }
    }

    fn template_lists(&self) -> Lists<'_> {
        let items =
            self.bundles.iter().map(|(image, name, version)| Item { image, package: "ship", name, version });
        let items: Vec<Item> = items.collect();
        Lists { candidate: items.clone(), fast: items.clone(), stable: items }
    }
}
