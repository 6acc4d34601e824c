//! Prints the upgrade of an installed version with both OLMs, and the reason.
//!
//!     cargo run --example successors -- demo/catalog granary-operator 2.6.4

use std::{error::Error, fmt::Write as _, path::Path};

use olm_catalog::{escape, load};
use olm_upgrade::{Answer, Installed, PackageGraph, explanation, v1::Query};

/// Returns the picks of OLM Classic in the default channel and of OLM v1 over all channels.
pub fn run(path: &Path, package: &str, installed: &str) -> Result<String, Box<dyn Error>> {
    let catalog = load::open_catalog(path)?;
    let package = catalog.package(package).ok_or("the catalog has no such package")?;
    // A version, a bundle name, or NAME@VERSION for a bundle that left the catalog.
    let installed = Installed::parse(package, installed)?;
    let graph = PackageGraph::new(package);
    let channel = package.default_channel().ok_or("the package has no default channel")?;
    let mut out = String::new();
    write_answer(&mut out, "Classic", &graph.resolve_classic(channel.as_str(), Some(&installed)))?;
    write_answer(&mut out, "v1", &graph.resolve_v1(&Query::default(), Some(&installed)))?;
    Ok(out)
}

/// Writes an answer with every considered bundle.
fn write_answer(out: &mut String, olm: &str, answer: &Answer) -> std::fmt::Result {
    let pick = answer.upgrade_target().map_or("stays", |name| name.as_str());
    writeln!(out, "{olm}: {} ({})", escape::escape_line(pick), escape::escape_line(&answer.reason()))?;
    for candidate in &answer.candidates {
        writeln!(
            out,
            "  {}: {}",
            escape::escape_line(candidate.name.as_str()),
            escape::escape_line(&explanation::explain_candidate(answer, candidate))
        )?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(package), Some(installed)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: successors CATALOG PACKAGE INSTALLED".into());
    };
    print!("{}", run(Path::new(&path), &package, &installed)?);
    Ok(())
}
