//! A semver template of 500 bundles: what the explorer does at every key press, and what rendering costs.
//!
//! `cargo bench --bench templates`. Each figure is the median of a few runs. The bundles are spread over minor versions as
//! released operators are, and, at worst, one on each minor version, where the skips are a square.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::{
    fmt::Write as _,
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use olmap::{
    catalog::{
        Catalog, Known, load,
        template::semver::{ChannelKind, Item, List, Lists, Settings, generate, read},
        text::yaml,
    },
    edit::{self, Edit, TemplateChange},
    review::{Consequences, Snapshot},
    template::{CatalogBundles, Options, TemplateDocument, render},
    version::Version,
};

const RUNS: usize = 25;
const BUNDLES: u64 = 500;

fn main() {
    for (what, per_minor) in [("ten to a minor version", 10), ("one to a minor version", 1)] {
        let made = Made::of(per_minor);
        println!("{BUNDLES} bundles in each of three lists, {what}");
        let lists = made.lists();
        let settings = Settings { major: true, minor: true, preference: ChannelKind::Minor };
        row("generated", median(|| drop(black_box(generate(&lists, settings).unwrap()))));
        let node = yaml::parse(made.template.as_bytes()).unwrap();
        row("parsed", median(|| drop(black_box(yaml::parse(made.template.as_bytes()).unwrap()))));
        row("document read", median(|| drop(black_box(read(&node).unwrap()))));
        let catalog = load::from_bytes(made.catalog.clone().into_bytes());
        let document = TemplateDocument::read(made.template.as_bytes(), None).unwrap();
        let bundles = CatalogBundles::of([&catalog]);
        let rendered = || render(&document, &bundles, Options::default(), &|_| Vec::new()).unwrap();
        row("rendered", median(|| drop(black_box(rendered()))));
        previewed(&made, &catalog);
    }
}

/// What the explorer works out before a change of the template is kept.
fn previewed(made: &Made, catalog: &Catalog) {
    let known = Arc::new(Known::of([catalog]));
    let template = load::from_bytes(made.template.clone().into_bytes()).with_known(known);
    let before = Snapshot::new(template);
    let image = made.bundles.last().unwrap().0.clone();
    let change = TemplateChange::RemoveImage { list: List::Stable, image };
    let edit = Edit::Template { change };
    let edited = || edit::apply(&before.catalog, &edit).unwrap();
    row("an image removed", median(|| drop(black_box(edited()))));
    let catalog = edited();
    row("judged", median(|| drop(black_box(before.after(catalog.clone())))));
    let after = before.after(catalog);
    row("compared", median(|| drop(black_box(Consequences::between(&before, &after)))));
}

struct Made {
    bundles: Vec<(String, String, Version)>,
    template: String,
    catalog: String,
}

impl Made {
    fn of(per_minor: u64) -> Self {
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

    fn lists(&self) -> Lists<'_> {
        let items =
            self.bundles.iter().map(|(image, name, version)| Item { image, package: "ship", name, version });
        let items: Vec<Item> = items.collect();
        Lists { candidate: items.clone(), fast: items.clone(), stable: items }
    }
}

fn row(what: &str, time: Duration) {
    println!("  {what:<40} {:>8.2} ms", time.as_secs_f64() * 1e3);
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}
