//! Arbitrary bytes as a template: it opens and renders without a panic, its faults have locations inside it,
//! and its result is a valid catalog.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use olm_bundle::template::{self, CatalogBundles, ConvertTo, Options, TemplateDocument};
use olm_catalog::{Catalog, TemplateKind, load, text::canonical::RenderFormat};
use olm_check::review::Snapshot;

/// Bundles that templates reference by image.
static PUBLISHED: LazyLock<Catalog> =
    LazyLock::new(|| load::from_bytes(include_bytes!("../../tests/fixtures/template/catalog.yaml").to_vec()));

fn render(bytes: &[u8], kind: Option<TemplateKind>) {
    let Ok(document) = TemplateDocument::parse(bytes, kind) else { return };
    let bundles = CatalogBundles::new([&*PUBLISHED]);
    for migrate in [false, true] {
        let judge = |catalog: &Catalog| {
            let snapshot = Snapshot::new(catalog.clone());
            snapshot.findings().filter(|finding| finding.rule.parity).map(|f| f.message.clone()).collect()
        };
        match template::render_template(&document, &bundles, Options { migrate }, &judge) {
            Ok(mut rendered) => {
                rendered.copy_description(&PUBLISHED);
                for format in [RenderFormat::Yaml, RenderFormat::Json] {
                    let text = rendered.to_text(format);
                    let again = load::from_bytes(text.clone().into_bytes());
                    let unread = again.all_problems().map(|found| found.count_kinds(|kind| kind.stops_opm()));
                    assert_eq!(unread.sum::<usize>(), 0, "{text}");
                }
            }
            Err(faults) => {
                let _ = faults.to_string();
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    for kind in [None, Some(TemplateKind::Basic), Some(TemplateKind::Semver), Some(TemplateKind::Substitutes)]
    {
        render(bytes, kind);
    }
    for format in [RenderFormat::Yaml, RenderFormat::Json] {
        let _ = template::convert_catalog(bytes, ConvertTo::Basic, format);
    }
    let catalog = load::from_bytes(bytes.to_vec());
    for package in catalog.packages() {
        let _ = template::infer_template(package);
    }
    let snapshot = Snapshot::new(catalog);
    for finding in snapshot.findings() {
        let place = finding.at.as_ref().and_then(|at| at.resolve_in_catalog(&snapshot.catalog));
        assert!(place.is_none_or(|place| place.bytes.end <= bytes.len()), "{finding:?}");
    }
});
