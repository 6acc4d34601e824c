//! Lists the versions from which OLM Classic never reaches the head of the default channel, and the reasons.
//!
//!     cargo run --example unreachable -- demo/catalog

use std::{error::Error, fmt::Write as _};

use olm_catalog::{escape::escape_line, load};
use olm_upgrade::{Engine, PackageGraph};

/// Returns one line for each version. A version counts as reaching the head if any channel leads there.
pub fn run(args: &[String]) -> Result<String, Box<dyn Error>> {
    let [path] = args else { return Err("usage: unreachable CATALOG".into()) };
    let catalog = load::open_catalog(path)?;
    let mut out = String::new();
    for package in catalog.packages() {
        for group in PackageGraph::new(package).stuck().groups_on(Engine::Classic) {
            for version in &group.versions {
                let words = format!("{version}: upgrades end at {}: {}", group.end, group.reason);
                writeln!(out, "{}", escape_line(&words))?;
            }
        }
    }
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run(&std::env::args().skip(1).collect::<Vec<_>>())?);
    Ok(())
}
