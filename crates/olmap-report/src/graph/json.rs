//! Graph as a JSON value: the fields of each entry and its upgrade.

use petgraph::graph::NodeIndex;
use serde_json::{Map, Value, json};

use crate::layout::{Options, Row, draw_layout};
use olm_catalog::{BundleName, blob::DeprecationTarget};
use olm_upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades};

/// Returns `{package, defaultChannel?, deprecated, channels: [{name, default, deprecated, heads,
/// error?, nodes: [...]}]}`.
///
/// `nodes` are the entries, and the bundles that are replaced or skipped without being entries, in
/// drawing order: `{name, version?, entry, head, replaces?, skips?, skipRange?, skippedBy?,
/// deadEnd, deprecated, classic?, note?}`. `classic` is the bundle that Classic upgrades to; it is
/// absent if Classic stays.
pub fn graph_json(package: &PackageGraph, channels: &[&ChannelUpgrades]) -> Value {
    let mut top = Map::new();
    top.insert("package".into(), package.package.name.as_str().into());
    if let Some(default) = package.package.default_channel() {
        top.insert("defaultChannel".into(), default.as_str().into());
    }
    let deprecated = package.package.deprecation(&DeprecationTarget::Package).is_some();
    top.insert("deprecated".into(), deprecated.into());
    top.insert("channels".into(), channels.iter().map(|c| channel_json(package, c)).collect());
    Value::Object(top)
}

fn channel_json(package: &PackageGraph, channel: &ChannelUpgrades) -> Value {
    let graph = &channel.graph;
    let picture = draw_layout(package, channel, &Options::default());
    let name = |at: NodeIndex| graph.node(at).map(|n| n.name.as_str()).unwrap_or_default();
    let mut value = json!({
        "name": graph.name().as_str(),
        "default": package.package.default_channel() == Some(graph.name()),
        "deprecated": package.package.channel_deprecation(graph.name()).is_some(),
        "heads": graph.heads().iter().copied().map(name).collect::<Vec<_>>(),
    });
    if let Some(error) = &picture.error {
        value["error"] = error.to_string().into();
    }
    value["nodes"] = picture.rows.iter().map(|row| node_json(channel, row)).collect();
    value
}

fn node_json(channel: &ChannelUpgrades, row: &Row) -> Value {
    let graph = &channel.graph;
    let marks = &row.marks;
    let mut node = Map::new();
    let mut put = |key: &str, value: Value| node.insert(key.to_owned(), value);
    put("name", row.name.as_str().into());
    if let Some(version) = graph.node(row.at).and_then(|n| n.version.as_ref()) {
        put("version", version.to_string().into());
    }
    put("entry", (!marks.dangling).into());
    put("head", marks.head.into());
    if let Some(entry) = graph.entry(row.at) {
        let spec = entry.to_spec();
        if let Some(replaces) = spec.replaces {
            put(EdgeKind::Replaces.as_str(), replaces.as_str().into());
        }
        if !spec.skips.is_empty() {
            let skips: Vec<&str> = spec.skips.iter().map(BundleName::as_str).collect();
            put(EdgeKind::Skips.as_str(), skips.into());
        }
        if let Some(range) = spec.skip_range {
            put(EdgeKind::SkipRange.as_str(), range.into());
        }
    }
    if let Some(by) = &marks.skipped_by {
        put("skippedBy", by.as_str().into());
    }
    put("stuck", marks.stuck.is_some().into());
    put("deadEnd", marks.dead_end.into());
    put("deprecated", marks.deprecated.into());
    if let Some(pick) = &row.classic_target {
        put("classic", pick.as_str().into());
    }
    if !row.note.is_empty() {
        put("note", row.note.as_str().into());
    }
    Value::Object(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{graph::select_channels, layout::fixture};

    #[test]
    fn node_has_its_fields_marks_and_upgrade() {
        let package = fixture::graph_from_lines(
            "2.3.0 replaces=2.1.0 skips=2.2.0 range=<2.1.0\n2.2.0 skips=1.9.0\n2.1.0 replaces=0.9.0\n1.9.0 deprecated",
        );
        let value = graph_json(&package, &select_channels(&package, None));
        assert_eq!(value["defaultChannel"], "c");
        assert_eq!(
            (&value["deprecated"], &value["channels"][0]["deprecated"]),
            (&json!(false), &json!(false))
        );
        let channel = &value["channels"][0];
        assert_eq!(channel["heads"], json!(["p.v2.3.0"]));
        assert_eq!(
            channel["nodes"][0],
            json!({"name": "p.v2.3.0", "version": "2.3.0", "entry": true, "head": true, "replaces": "p.v2.1.0",
                "skips": ["p.v2.2.0"], "skipRange": "<2.1.0", "stuck": false, "deadEnd": false, "deprecated": false, "note": "HEAD"})
        );
        let node = |name: &str| {
            channel["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap().clone()
        };
        assert_eq!(node("p.v2.2.0")["skippedBy"], "p.v2.3.0");
        assert_eq!(node("p.v1.9.0")["classic"], "p.v2.3.0", "by the range");
        assert_eq!(node("p.v1.9.0")["deprecated"], true);
        assert_eq!(node("p.v0.9.0")["entry"], false);
    }

    #[test]
    fn channel_that_classic_cannot_use_has_an_error() {
        let package = fixture::graph_from_lines("2.0.0\n1.0.0");
        let value = graph_json(&package, &select_channels(&package, None));
        assert!(value["channels"][0]["error"].as_str().unwrap().contains("2 heads"));
    }
}
