//! Walks the upgrade graph of a channel edge by edge.
//!
//!     cargo run --example graph -- demo/catalog granary-operator stable

use std::{error::Error, fmt::Write as _, path::Path};

use olm_catalog::{escape, load};
use olm_upgrade::{EdgeKind, PackageGraph};
use olmap_report::graph::{Format, render_graph};

/// Returns the edges of a channel, from an installed entry to its upgrade. A Mermaid flowchart of the channel
/// follows.
pub fn run(path: &Path, package: &str, channel: &str) -> Result<String, Box<dyn Error>> {
    let catalog = load::open_catalog(path)?;
    let package = catalog.package(package).ok_or("the catalog has no such package")?;
    let package = PackageGraph::new(package);
    let graph = &package.channel(channel).ok_or("the package has no such channel")?.graph;
    let mut out = String::new();
    let name = |at| graph.node(at).map_or("", |node| node.name.as_str());
    for from in graph.entry_nodes() {
        let mut edge = |to, kind: EdgeKind| {
            let (from, to) = (escape::escape_line(name(from)), escape::escape_line(name(to)));
            writeln!(out, "{from} -> {to} by {}", kind.as_str())
        };
        for kind in [EdgeKind::Replaces, EdgeKind::Skips] {
            for to in graph.successors(from, kind) {
                edge(to, kind)?;
            }
        }
        // A range matches versions, not names, so it is evaluated; the graph does not have an edge for each
        // match.
        let version = graph.node(from).and_then(|node| node.version.as_ref());
        for to in version.into_iter().flat_map(|version| graph.range_successors(version)) {
            edge(to, EdgeKind::SkipRange)?;
        }
        if graph.is_skipped(from) {
            writeln!(out, "{} is skipped: Classic never installs it", escape::escape_line(name(from)))?;
        }
    }
    let drawn = render_graph(&package, Some(channel), Format::Mermaid, false);
    out.push_str(&drawn.text);
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(package), Some(channel)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: graph CATALOG PACKAGE CHANNEL".into());
    };
    print!("{}", run(Path::new(&path), &package, &channel)?);
    Ok(())
}
