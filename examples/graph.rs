//! Lists the edges of a channel, and draws its graph.
//!
//!     cargo run --example graph -- demo/catalog granary-operator stable

use std::{error::Error, fmt::Write as _};

use olm_catalog::{escape::escape_line, load};
use olm_upgrade::PackageGraph;
use olmap_report::graph::{Format, render_graph};

/// Returns the edges from installed entries to their upgrades, and a Mermaid flowchart of the channel.
pub fn run(args: &[String]) -> Result<String, Box<dyn Error>> {
    let [path, package, channel] = args else { return Err("usage: graph CATALOG PACKAGE CHANNEL".into()) };
    let catalog = load::open_catalog(path)?;
    let package = PackageGraph::new(catalog.package(package).ok_or("the catalog has no such package")?);
    let graph = &package.channel(channel).ok_or("the package has no such channel")?.graph;
    let mut out = String::new();
    for (installed, upgrade, kind) in graph.edges() {
        let (from, to) = (escape_line(installed.name.as_str()), escape_line(upgrade.name.as_str()));
        writeln!(out, "{from} -> {to} by {kind}")?;
    }
    for entry in graph.skipped_entries() {
        writeln!(out, "{} is skipped: Classic never installs it", escape_line(entry.name.as_str()))?;
    }
    Ok(out + &render_graph(&package, Some(channel), Format::Mermaid, false).text)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run(&std::env::args().skip(1).collect::<Vec<_>>())?);
    Ok(())
}
