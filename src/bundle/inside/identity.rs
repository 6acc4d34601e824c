//! Identity of the bundle: name, version, provider, links.

use super::{
    Body, Icon, Part, Row,
    contents::{BundleContents, Piece},
};
use crate::bundle::registry::Annotations;

pub(super) fn rows(bundle: &BundleContents) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut fact = |label: &str, piece: Option<Piece>| {
        let value = piece.map(|piece| piece.text(&[])).unwrap_or_default();
        if !value.is_empty() {
            rows.push(Row::fact(label, value).at(piece.and_then(Piece::spot)));
        }
    };
    let spec = |path: &[&str]| bundle.at(&[&["spec"], path].concat());
    fact("name", bundle.at(&["metadata", "name"]));
    fact("display name", spec(&["displayName"]));
    fact("version", spec(&["version"]));
    fact("release", spec(&["release"]));
    fact("provider", spec(&["provider", "name"]));
    fact("provider URL", spec(&["provider", "url"]));
    fact("maturity", spec(&["maturity"]));
    fact("capability level", bundle.annotation("capabilities"));
    fact("categories", bundle.annotation("categories"));
    fact("created at", bundle.annotation("createdAt"));
    fact("repository", bundle.annotation("repository"));
    fact("support", bundle.annotation("support"));
    fact("container image", bundle.annotation("containerImage"));
    fact("replaces", spec(&["replaces"]));
    fact("skipRange", bundle.annotation("olm.skipRange"));
    fact("substitutes for", bundle.annotation("olm.substitutesFor"));
    let skips = spec(&["skips"]);
    if let Some(skips) = skips {
        let names = skips.texts(&[]);
        if !names.is_empty() {
            rows.push(Row::fact("skips", names.join(", ")).at(skips.spot()));
        }
    }
    let [name, version] = &bundle.named;
    for (label, value, at) in [("name", name, 0), ("version", version, 1)] {
        if !value.is_empty() && !rows.iter().any(|row| row.label == label) {
            rows.insert(at.min(rows.len()), Row::fact(label, value.as_str()));
        }
    }
    let at = rows.iter().take_while(|row| row.label == "name").count();
    rows.splice(at..at, packaging(bundle));
    rows.extend(Icon::from_contents(bundle).map(|icon| icon.row()));
    rows
}

/// Returns package and channels, which are in the annotations of a directory.
fn packaging(bundle: &BundleContents) -> Vec<Row> {
    let mut rows = Vec::new();
    if !bundle.package.is_empty() {
        rows.push(Row::fact("package", bundle.package.as_str()));
    }
    if !bundle.image.is_empty() {
        rows.push(Row::fact("bundle image", bundle.image.as_str()));
    }
    let annotations = bundle.directory.and_then(|(contents, _)| contents.metadata.annotations.as_ref());
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

pub(super) fn description(bundle: &BundleContents) -> Vec<Row> {
    let Some(piece) = bundle.at(&["spec", "description"]) else { return Vec::new() };
    let text = piece.text(&[]).into_owned();
    if text.trim().is_empty() {
        return Vec::new();
    }
    let label = Part::Description.title();
    vec![Row::fact(label, "").body(Body::Markdown(text)).at(piece.spot())]
}

pub(super) fn links(bundle: &BundleContents) -> Vec<Row> {
    let pair = |list: &'static str, [label, value]: [&'static str; 2], prefix: &'static str| {
        let items = bundle.items(&["spec", list]).into_iter();
        items.map(move |item| {
            let label = item.text(&[label]);
            Row::new(format!("{prefix} {label}"), label, item.text(&[value])).at(item.spot())
        })
    };
    let mut rows: Vec<Row> = pair("links", ["name", "url"], "link").collect();
    rows.extend(pair("maintainers", ["name", "email"], "maintainer"));
    if let Some(keywords) = bundle.at(&["spec", "keywords"]) {
        let words = keywords.texts(&[]).join(", ");
        if !words.is_empty() {
            rows.push(Row::fact("keywords", words).at(keywords.spot()));
        }
    }
    rows
}
