//! Packages for tests, from channels in a short notation.

#![allow(clippy::unwrap_used, clippy::panic, clippy::format_push_string, reason = "only tests use it")]

use std::fmt::Write as _;

use proptest::prelude::*;

use super::PackageGraph;
use olm_catalog::{Catalog, load};

/// Creates a package `p` with one channel `c` from lines of `VERSION [replaces=V] [skips=V,V]
/// [range=R] [max=M] [requires=P] [kube=V] [deprecated]`. A `_` in a range is a blank. `max`
/// (repeatable) is `olm.maxOpenShiftVersion`, `requires` a package, `kube` the `minKubeVersion`.
pub fn graph_from_lines(lines: &str) -> PackageGraph {
    graph_from_channels(&[("c", lines)])
}

/// Creates a package `p` with several channels; a bundle may be in more than one.
pub fn graph_from_channels(channels: &[(&str, &str)]) -> PackageGraph {
    graph_from_catalog(&catalog_from_channels(channels))
}

/// Returns the graphs of the package `p`.
pub fn graph_from_catalog(catalog: &Catalog) -> PackageGraph {
    PackageGraph::new(catalog.package("p").unwrap())
}

/// Creates a catalog with the package `p`, in the notation of [`graph_from_lines`].
pub fn catalog_from_channels(channels: &[(&str, &str)]) -> Catalog {
    // YAML reads a plain 4.18 as a number.
    let quote = |name: &str| {
        if name.starts_with(|c: char| c.is_ascii_digit()) { format!("'{name}'") } else { name.to_owned() }
    };
    let default = quote(channels.first().map_or("c", |c| c.0));
    let mut yaml = format!("---\nschema: olm.package\nname: p\ndefaultChannel: {default}\n");
    let mut bundles = std::collections::BTreeMap::<&str, String>::new();
    let mut deprecations = String::new();
    for (channel, lines) in channels {
        let channel = quote(channel);
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

/// Versions, lowest first. Some have the same precedence, some only in one OLM, and some deviate from their number.
pub(crate) const VERSIONS: [&str; 12] = [
    "1.0.0",
    "1.1.0-rc.1",
    "1.1.0",
    "1.1.0+1",
    "1.1.0+2",
    "1.1.0+again",
    "1.2.0",
    "2.0.0-0",
    "2.0.0",
    "2.0.1",
    "3.0.0",
    "10.0.0",
];

/// Ranges: nested, overlapping, with exceptions, empty and invalid. The last one crashes v1 for some versions.
const RANGES: [&str; 9] = [
    ">=1.0.0_<2.0.0",
    "<3.0.0",
    ">=1.1.0_<1.2.0",
    "=1.1.0",
    ">1.0.0_!=1.2.0",
    "<1.1.0_||_>2.0.0",
    ">=99.0.0",
    "what",
    "<1.1.0_||_||_>2.0.0",
];

/// Generates the lines of a channel. Most channels have a chain, so that Classic can walk it.
pub fn any_channel_lines() -> impl Strategy<Value = String> {
    let version = 0..VERSIONS.len();
    let entry = (
        prop::bool::weighted(0.8),
        prop::option::weighted(0.7, version.clone()),
        prop::collection::btree_set(version, 0..4),
        // Ranges that crash are rare, since they end the test early.
        prop::option::weighted(0.4, prop_oneof![30 => 0..RANGES.len() - 1, 1 => Just(RANGES.len() - 1)]),
        prop::bool::weighted(0.2),
    );
    (prop::collection::vec(entry, VERSIONS.len()), prop::bool::weighted(0.8)).prop_map(|(entries, chain)| {
        let mut lines = String::new();
        let mut below = None;
        for (index, (there, replaces, skips, range, deprecated)) in entries.into_iter().enumerate() {
            if !there && index > 0 {
                continue;
            }
            let mut line = VERSIONS[index].to_owned();
            let replaces = if chain { below.replace(index) } else { replaces };
            if let Some(n) = replaces {
                write!(line, " replaces={}", VERSIONS[n]).unwrap();
            }
            let skips: Vec<_> =
                skips.into_iter().filter(|&n| !chain || n < index).map(|n| VERSIONS[n]).collect();
            if !skips.is_empty() {
                write!(line, " skips={}", skips.join(",")).unwrap();
            }
            if let Some(n) = range {
                write!(line, " range={}", RANGES[n]).unwrap();
            }
            line += if deprecated { " deprecated\n" } else { "\n" };
            lines.insert_str(0, &line);
        }
        lines
    })
}
