//! Identity of the bundle: name, version, provider, links.

use super::{
    Body, Icon, Part, Row,
    contents::{OutlineInput, Piece},
};
use crate::registry::Annotations;

pub(super) fn identity_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut fact = |label: &str, piece: Option<Piece>| {
        let value = piece.map(|piece| piece.child_text(&[])).unwrap_or_default();
        if !value.is_empty() {
            rows.push(Row::new_fact(label, value).with_location(piece.and_then(Piece::location)));
        }
    };
    let spec = |path: &[&str]| bundle.csv_piece(&[&["spec"], path].concat());
    fact("name", bundle.csv_piece(&["metadata", "name"]));
    fact("display name", spec(&["displayName"]));
    fact("version", spec(&["version"]));
    fact("release", spec(&["release"]));
    fact("provider", spec(&["provider", "name"]));
    fact("provider URL", spec(&["provider", "url"]));
    fact("maturity", spec(&["maturity"]));
    fact("capability level", bundle.csv_annotation("capabilities"));
    fact("categories", bundle.csv_annotation("categories"));
    fact("created at", bundle.csv_annotation("createdAt"));
    fact("repository", bundle.csv_annotation("repository"));
    fact("support", bundle.csv_annotation("support"));
    fact("container image", bundle.csv_annotation("containerImage"));
    fact("replaces", spec(&["replaces"]));
    fact("skipRange", bundle.csv_annotation("olm.skipRange"));
    fact("substitutes for", bundle.csv_annotation("olm.substitutesFor"));
    let skips = spec(&["skips"]);
    if let Some(skips) = skips {
        let names = skips.child_texts(&[]);
        if !names.is_empty() {
            rows.push(Row::new_fact("skips", names.join(", ")).with_location(skips.location()));
        }
    }
    let [name, version] = &bundle.catalog_name;
    for (label, value, at) in [("name", name, 0), ("version", version, 1)] {
        if !value.is_empty() && !rows.iter().any(|row| row.label == label) {
            rows.insert(at.min(rows.len()), Row::new_fact(label, value.as_str()));
        }
    }
    let at = rows.iter().take_while(|row| row.label == "name").count();
    rows.splice(at..at, packaging_rows(bundle));
    rows.extend(Icon::from_contents(bundle).map(|icon| icon.icon_row()));
    rows
}

/// Returns package and channels, which are in the annotations of a directory.
fn packaging_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut rows = Vec::new();
    if !bundle.package.is_empty() {
        rows.push(Row::new_fact("package", bundle.package.as_str()));
    }
    if !bundle.image.is_empty() {
        rows.push(Row::new_fact("bundle image", bundle.image.as_str()));
    }
    let annotations = bundle.directory.and_then(|(contents, _)| contents.metadata.annotations.as_ref());
    let channels = annotations.map(format_channels).unwrap_or_default();
    if !channels.is_empty() {
        rows.push(Row::new_fact("channels", channels));
    }
    rows
}

fn format_channels(annotations: &Annotations) -> String {
    let default = annotations.default_channel.as_str();
    let named = |channel: &str| {
        if channel == default { format!("{channel} (default)") } else { channel.to_owned() }
    };
    annotations.channel_list().map(named).collect::<Vec<_>>().join(", ")
}

pub(super) fn description_rows(bundle: &OutlineInput) -> Vec<Row> {
    let Some(piece) = bundle.csv_piece(&["spec", "description"]) else { return Vec::new() };
    let text = piece.child_text(&[]).into_owned();
    if text.trim().is_empty() {
        return Vec::new();
    }
    let label = Part::Description.heading();
    vec![Row::new_fact(label, "").with_body(Body::Markdown(text)).with_location(piece.location())]
}

pub(super) fn link_rows(bundle: &OutlineInput) -> Vec<Row> {
    let pair = |list: &'static str, [label, value]: [&'static str; 2], prefix: &'static str| {
        let items = bundle.csv_items(&["spec", list]).into_iter();
        items.map(move |item| {
            let label = item.child_text(&[label]);
            Row::new(format!("{prefix} {label}"), label, item.child_text(&[value]))
                .with_location(item.location())
        })
    };
    let mut rows: Vec<Row> = pair("links", ["name", "url"], "link").collect();
    rows.extend(pair("maintainers", ["name", "email"], "maintainer"));
    if let Some(keywords) = bundle.csv_piece(&["spec", "keywords"]) {
        let words = keywords.child_texts(&[]).join(", ");
        if !words.is_empty() {
            rows.push(Row::new_fact("keywords", words).with_location(keywords.location()));
        }
    }
    rows
}
