//! Prints the upgrade of an installed version with both OLMs, and the reasons.
//!
//!     cargo run --example successors -- demo/catalog granary-operator 2.6.4

use std::{error::Error, fmt::Write as _};

use olm_catalog::{escape::escape_line, load};
use olm_upgrade::{Installed, PackageGraph, v1::Query};

/// Returns the answers of OLM Classic in the default channel and of OLM v1 over all channels.
pub fn run(args: &[String]) -> Result<String, Box<dyn Error>> {
    let [path, name, installed] = args else { return Err("usage: successors CATALOG PACKAGE BUNDLE".into()) };
    let catalog = load::open_catalog(path)?;
    let package = catalog.package(name).ok_or("the catalog has no such package")?;
    // A version, a bundle name, or NAME@VERSION for a bundle that left the catalog.
    let installed = Installed::parse(package, installed)?;
    let channel = package.default_channel().ok_or("the package has no default channel")?;
    let graph = PackageGraph::new(package);
    let classic = graph.resolve_classic(channel.as_str(), Some(&installed));
    let mut out = String::new();
    for answer in [classic, graph.resolve_v1(&Query::default(), Some(&installed))] {
        writeln!(out, "{} {}", answer.engine, escape_line(&answer.to_string()))?;
        for candidate in &answer.candidates {
            let reason = format!("{}: {}", candidate.name, answer.explain_candidate(candidate));
            writeln!(out, "  {}", escape_line(&reason))?;
        }
    }
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run(&std::env::args().skip(1).collect::<Vec<_>>())?);
    Ok(())
}
