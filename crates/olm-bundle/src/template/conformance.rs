//! Comparison with recorded answers of opm's template library (`templates/` in `docs/conformance.md`). It
//! fails if one answer changes.

use std::{collections::HashMap, sync::Arc};

use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::{
    BundleProvider, CatalogBundles, ConvertTo, Options, TemplateDocument, convert_catalog, render_template,
};
use olm_catalog::{Catalog, ChannelName, KnownBundles, TemplateKind, load, text::canonical::RenderFormat};
use olmap_testing::{assert_can_fail, sha256::hex_digest};

/// Returns the blobs by key; `None` if they cannot be unpacked.
fn load_blobs() -> Option<HashMap<String, String>> {
    let text = olmap_testing::read_maybe_packed("templates/blobs.jsonl")?;
    let row = |line: &str| serde_json::from_str::<Json>(line).unwrap();
    let text_of = |row: &Json, key: &str| row[key].as_str().unwrap().to_owned();
    Some(text.lines().map(row).map(|row| (text_of(&row, "key"), text_of(&row, "blob"))).collect())
}

fn render_format(name: &Json) -> Option<RenderFormat> {
    match name.as_str() {
        Some("yaml") => Some(RenderFormat::Yaml),
        Some("json") => Some(RenderFormat::Json),
        _ => None,
    }
}

fn is_as_expected(row: &Json, made: Option<&String>) -> bool {
    match made {
        None => row.get("error").is_some(),
        Some(text) => row["sha256"] == hex_digest(text.as_bytes()),
    }
}

/// Skips cases with Mermaid output, which the tests of `olmap-report` compare. Skips cases in which opm
/// refuses the rendered catalog, because this module does not validate catalogs.
#[test]
fn templates_render_as_opm_renders_them() {
    let Some(blobs) = load_blobs() else { return };
    let Some(cases) = olmap_testing::load_json_lines("templates/cases.jsonl") else { return };
    let wrong = cases.par_iter().filter_map(|row| {
        let format = render_format(&row["output"])?;
        let kind = match row.get("type").and_then(Json::as_str) {
            None => None,
            Some("basic") => Some(TemplateKind::Basic),
            Some("semver") => Some(TemplateKind::Semver),
            Some("substitutes") => Some(TemplateKind::Substitutes),
            // The command line refuses these names.
            Some(_) => return None,
        };
        let is_verdict = row["error"].as_str().is_some_and(|error| error.contains("not valid FBC"));
        if is_verdict {
            return None;
        }
        let keys = row["blobs"].as_array().unwrap().iter().map(|key| key.as_str().unwrap());
        let text = keys.map(|key| blobs[key].as_str()).collect::<Vec<_>>().join("\n");
        let catalog = load::from_bytes(text.into_bytes());
        let bundles = CatalogBundles::new([&catalog]);
        let migrate = row.get("migrate").is_some_and(|level| level != "none");
        let made = TemplateDocument::parse(row["template"].as_str().unwrap().as_bytes(), kind)
            .and_then(|read| {
                render_template(&read, &bundles as &dyn BundleProvider, Options { migrate }, &|_| Vec::new())
            })
            .map(|rendered| rendered.to_text(format));
        (!is_as_expected(row, made.as_ref().ok())).then(|| format!("{}: {:?}", row["case"], made.err()))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// The explorer must show the same channels, entries and edges as the rendered template.
#[test]
fn shown_templates_equal_rendered_templates() {
    let Some(blobs) = load_blobs() else { return };
    let Some(cases) = olmap_testing::load_json_lines("templates/cases.jsonl") else { return };
    let compared = cases.par_iter().filter_map(|row| {
        if row.get("error").is_some() || row.get("type").is_some() {
            return None;
        }
        let keys = row["blobs"].as_array().unwrap().iter().map(|key| key.as_str().unwrap());
        let text = keys.map(|key| blobs[key].as_str()).collect::<Vec<_>>().join("\n");
        let known = load::from_bytes(text.into_bytes());
        let template = row["template"].as_str().unwrap();
        let read = TemplateDocument::parse(template.as_bytes(), None).unwrap();
        if read.kind == TemplateKind::Basic {
            return None; // Its channels are written in it.
        }
        let bundles = CatalogBundles::new([&known]);
        let rendered = render_template(&read, &bundles, Options::default(), &|_| Vec::new()).unwrap();
        let rendered = load::from_bytes(rendered.to_text(RenderFormat::Yaml).into_bytes());
        let shown = load::from_bytes(template.as_bytes().to_vec())
            .with_known_bundles(Arc::new(KnownBundles::from_catalogs([&known])));
        let (shown, rendered) = (edge_lines(&shown), edge_lines(&rendered));
        Some((shown != rendered).then(|| format!("{}: {shown:?}\n{rendered:?}", row["case"])))
    });
    let compared: Vec<Option<String>> = compared.collect();
    let wrong: Vec<&String> = compared.iter().flatten().collect();
    assert!(!compared.is_empty(), "no template of which channels are made");
    assert!(wrong.is_empty(), "{} of {}: {}", wrong.len(), compared.len(), wrong[0]);
}

/// Returns packages with their default channels, and entries with their edges.
fn edge_lines(catalog: &Catalog) -> Vec<String> {
    let packages = catalog.packages().flat_map(|package| {
        let default = format!("{} {:?}", package.name, package.default_channel().map(ChannelName::as_str));
        let entries = package.channels.iter().flat_map(move |channel| {
            channel.entries.iter().map(move |entry| {
                let mut spec = entry.to_spec();
                spec.skips.sort();
                format!("{} {} {} {spec:?}", package.name, channel.name.value, entry.name.value)
            })
        });
        std::iter::once(default).chain(entries)
    });
    // A template may produce a package without a name, which no catalog contains.
    let mut edges: Vec<String> = packages.filter(|edge| !edge.starts_with(' ')).collect();
    edges.sort();
    edges
}

#[test]
fn catalogs_convert_as_opm_converts_them() {
    let Some(cases) = olmap_testing::load_json_lines("templates/convert.jsonl") else { return };
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|row| {
            let to = if row["to"] == "basic" { ConvertTo::Basic } else { ConvertTo::Substitutes };
            let made = convert_catalog(
                row["input"].as_str().unwrap().as_bytes(),
                to,
                render_format(&row["format"])?,
            );
            (!is_as_expected(row, made.as_ref().ok())).then(|| row["case"].to_string())
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn rendering_comparisons_can_fail() {
    let templates = "template::conformance::templates_render_as_opm_renders_them";
    assert_can_fail(templates, "templates/cases.jsonl", 0, "/sha256", &json!("0"));
    let shown = "template::conformance::shown_templates_equal_rendered_templates";
    assert_can_fail(shown, "templates/cases.jsonl", 0, "/template", &json!("schema: olm.semver\n"));
    let converted = "template::conformance::catalogs_convert_as_opm_converts_them";
    assert_can_fail(converted, "templates/convert.jsonl", 1, "/sha256", &json!("0"));
}
