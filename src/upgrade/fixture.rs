//! Packages for tests, from channels in a short notation.

#![allow(clippy::format_push_string)] // readable enough for tests

use super::PackageGraph;
use crate::catalog::{Catalog, load};

/// Creates a package `p` with one channel `c` from lines of `VERSION [replaces=V] [skips=V,V]
/// [range=R] [max=M] [requires=P] [kube=V] [deprecated]`. A `_` in a range is a blank. `max`
/// (repeatable) is `olm.maxOpenShiftVersion`, `requires` a package, `kube` the `minKubeVersion`.
pub(crate) fn graph_from_lines(lines: &str) -> PackageGraph {
    graph_from_channels(&[("c", lines)])
}

/// Creates a package `p` with several channels; a bundle may be in more than one.
pub(crate) fn graph_from_channels(channels: &[(&str, &str)]) -> PackageGraph {
    graph_from_catalog(&catalog_from_channels(channels))
}

/// Returns the graphs of the package `p`.
pub(crate) fn graph_from_catalog(catalog: &Catalog) -> PackageGraph {
    PackageGraph::new(catalog.package("p").unwrap())
}

/// Creates a catalog with the package `p`, in the notation of [`graph_from_lines`].
pub(crate) fn catalog_from_channels(channels: &[(&str, &str)]) -> Catalog {
    let default = channels.first().map_or("c", |c| c.0);
    let mut yaml = format!("---\nschema: olm.package\nname: p\ndefaultChannel: {default}\n");
    let mut bundles = std::collections::BTreeMap::<&str, String>::new();
    let mut deprecations = String::new();
    for (channel, lines) in channels {
        yaml += &format!("---\nschema: olm.channel\npackage: p\nname: {channel}\nentries:\n");
        for line in lines.trim().lines() {
            let mut words = line.split_whitespace();
            let version = words.next().unwrap();
            let limits = bundles.entry(version).or_default();
            yaml += &format!("- name: p.v{version}\n");
            for word in words {
                match word.split_once('=') {
                    Some(("replaces", value)) => yaml += &format!("  replaces: p.v{value}\n"),
                    Some(("skips", value)) => {
                        yaml += "  skips:\n";
                        value.split(',').for_each(|v| yaml += &format!("  - p.v{v}\n"));
                    }
                    Some(("range", value)) => {
                        yaml += &format!("  skipRange: '{}'\n", value.replace('_', " "));
                    }
                    Some(("max", value)) => {
                        *limits += &format!("- type: olm.maxOpenShiftVersion\n  value: {value}\n");
                    }
                    Some(("kube", value)) => {
                        *limits +=
                            &format!("- type: olm.csv.metadata\n  value: {{minKubeVersion: {value}}}\n");
                    }
                    Some(("requires", value)) => {
                        *limits += &format!(
                            "- type: olm.package.required\n  value: {{packageName: {value}, versionRange: '>=1.0.0'}}\n"
                        );
                    }
                    None if word == "deprecated" => {
                        deprecations += &format!(
                            "- reference: {{schema: olm.bundle, name: p.v{version}}}\n  message: old\n"
                        );
                    }
                    _ => panic!("{word}"),
                }
            }
        }
    }
    for (version, limits) in bundles {
        yaml += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {version}}}\n{limits}"
        );
    }
    if !deprecations.is_empty() {
        yaml += &format!("---\nschema: olm.deprecations\npackage: p\nentries:\n{deprecations}");
    }
    let catalog = load::from_bytes(yaml.into_bytes());
    assert!(!catalog.has_unread_parts(), "{:?}", catalog.problems());
    catalog
}
