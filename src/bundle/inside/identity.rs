//! Who the bundle is, and whom to ask.

use super::{
    Body, Icon, Part, Row,
    material::{Material, Piece},
};
use crate::bundle::registry::Annotations;

pub(super) fn rows(material: &Material) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut fact = |label: &str, piece: Option<Piece>| {
        let value = piece.map(|piece| piece.text(&[])).unwrap_or_default();
        if !value.is_empty() {
            rows.push(Row::fact(label, value).at(piece.and_then(Piece::spot)));
        }
    };
    let spec = |path: &[&str]| material.at(&[&["spec"], path].concat());
    fact("name", material.at(&["metadata", "name"]));
    fact("display name", spec(&["displayName"]));
    fact("version", spec(&["version"]));
    fact("release", spec(&["release"]));
    fact("provider", spec(&["provider", "name"]));
    fact("provider URL", spec(&["provider", "url"]));
    fact("maturity", spec(&["maturity"]));
    fact("capability level", material.annotation("capabilities"));
    fact("categories", material.annotation("categories"));
    fact("created at", material.annotation("createdAt"));
    fact("repository", material.annotation("repository"));
    fact("support", material.annotation("support"));
    fact("container image", material.annotation("containerImage"));
    fact("replaces", spec(&["replaces"]));
    fact("skipRange", material.annotation("olm.skipRange"));
    fact("substitutes for", material.annotation("olm.substitutesFor"));
    let skips = spec(&["skips"]);
    if let Some(skips) = skips {
        let names = skips.texts(&[]);
        if !names.is_empty() {
            rows.push(Row::fact("skips", names.join(", ")).at(skips.spot()));
        }
    }
    let [name, version] = &material.named;
    for (label, value, at) in [("name", name, 0), ("version", version, 1)] {
        if !value.is_empty() && !rows.iter().any(|row| row.label == label) {
            rows.insert(at.min(rows.len()), Row::fact(label, value.as_str()));
        }
    }
    let at = rows.iter().take_while(|row| row.label == "name").count();
    rows.splice(at..at, packaging(material));
    rows.extend(Icon::of(material).map(|icon| icon.row()));
    rows
}

/// Package and channels, which the annotations of a directory have.
fn packaging(material: &Material) -> Vec<Row> {
    let mut rows = Vec::new();
    if !material.package.is_empty() {
        rows.push(Row::fact("package", material.package.as_str()));
    }
    if !material.image.is_empty() {
        rows.push(Row::fact("bundle image", material.image.as_str()));
    }
    let annotations = material.directory.and_then(|(contents, _)| contents.metadata.annotations.as_ref());
    let channels = annotations.map(channels).unwrap_or_default();
    if !channels.is_empty() {
        rows.push(Row::fact("channels", channels));
    }
    rows
}

fn channels(annotations: &Annotations) -> String {
    let default = annotations.default_channel.as_str();
    let named = |channel: &str| {
        if channel == default { format!("{channel} (default)") } else { channel.to_owned() }
    };
    annotations.channel_list().map(named).collect::<Vec<_>>().join(", ")
}

pub(super) fn description(material: &Material) -> Vec<Row> {
    let Some(piece) = material.at(&["spec", "description"]) else { return Vec::new() };
    let text = piece.text(&[]).into_owned();
    if text.trim().is_empty() {
        return Vec::new();
    }
    let label = Part::Description.title();
    vec![Row::fact(label, "").body(Body::Markdown(text)).at(piece.spot())]
}

pub(super) fn links(material: &Material) -> Vec<Row> {
    let pair = |list: &'static str, [label, value]: [&'static str; 2], prefix: &'static str| {
        let items = material.items(&["spec", list]).into_iter();
        items.map(move |item| {
            let label = item.text(&[label]);
            Row::new(format!("{prefix} {label}"), label, item.text(&[value])).at(item.spot())
        })
    };
    let mut rows: Vec<Row> = pair("links", ["name", "url"], "link").collect();
    rows.extend(pair("maintainers", ["name", "email"], "maintainer"));
    if let Some(keywords) = material.at(&["spec", "keywords"]) {
        let words = keywords.texts(&[]).join(", ");
        if !words.is_empty() {
            rows.push(Row::fact("keywords", words).at(keywords.spot()));
        }
    }
    rows
}
