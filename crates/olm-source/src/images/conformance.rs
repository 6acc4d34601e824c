//! Comparison with recorded answers of opm for unpacked images, without a registry (`images/` in
//! `docs/conformance.md`).

use std::path::Path;

use serde_json::Value as Json;

use super::{Contents, open_reference};
use crate::{Access, Digest};
use olm_catalog::{
    Catalog, Node,
    load::Progress,
    problem::ProblemKind,
    text::canonical::{self, RenderFormat},
};

/// Returns the output of `olmap render` for an image; `None` if it fails.
fn render_reference(reference: &str) -> Option<String> {
    let access = Access { platform: "linux/amd64".parse().ok(), ..Access::default() };
    let opened = open_reference(reference, &access, &Progress::default()).ok()?;
    if let Contents::Bundle(_) = &opened.contents {
        return opened.render_bundle(None, false)?.ok().map(|bundle| bundle.to_text(RenderFormat::Yaml));
    }
    let catalog: Catalog = opened.into_catalog().ok()?;
    let is_refused = catalog.all_problems().any(|problems| problems.count_kinds(ProblemKind::stops_opm) > 0);
    let documents: Vec<Node<'_>> =
        catalog.documents().filter_map(|doc| catalog.parse_document(doc)?.ok()).collect();
    (!is_refused).then(|| canonical::render_documents(&documents, RenderFormat::Yaml))
}

fn test_references(data: &Path, row: &Json) -> Vec<String> {
    let archive = data.join(row["archive"].as_str().unwrap()).display().to_string();
    let tag = |usual: &str| match row["tag"].as_str() {
        Some(tag) => format!(":{tag}"),
        None => usual.to_owned(),
    };
    let ways = row["ways"].as_array().unwrap().iter().filter_map(Json::as_str);
    let reference = |way| match way {
        "oci-archive" => Some(format!("oci-archive:{archive}{}", tag(":v1"))),
        "docker-archive" => Some(format!("docker-archive:{archive}{}", tag(""))),
        _ => None,
    };
    ways.filter_map(reference).collect()
}

#[test]
fn images_render_as_opm_renders_them() {
    let Some(data) = olmap_testing::find_data("images") else { return };
    let Some(rows) = olmap_testing::load_json_lines("images/cases.jsonl") else { return };
    let (mut wrong, mut judged) = (Vec::new(), 0);
    for row in rows {
        // Another test covers old indexes.
        if row["group"] == "sqlite" || row["case"].as_str().unwrap().contains("sqlite") {
            continue;
        }
        for reference in test_references(&data, &row) {
            judged += 1;
            let text = render_reference(&reference);
            let digest = |text: &str| Digest::sha256(text.as_bytes()).hex().to_owned();
            let is_right = match &text {
                None => row.get("error").is_some() || row.get("may_fail").is_some(),
                Some(text) => {
                    let found = digest(text);
                    row["sha256"] == found || row["or_sha256"] == found
                }
            };
            let is_leaking = text.is_some_and(|text| text.contains("absent-sentinel"));
            if is_leaking || !(is_right || row.get("any").is_some()) {
                wrong.push(reference);
            }
        }
    }
    assert!(judged > 0, "no row has an archive");
    assert!(wrong.is_empty(), "{} of {judged}: {wrong:#?}", wrong.len());
}
