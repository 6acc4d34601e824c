//! Opens a catalog and lists its packages with their channels and heads.
//!
//!     cargo run --example load -- demo/catalog

use std::{error::Error, fmt::Write as _};

use olm_catalog::{escape::escape_line, load};
use olm_upgrade::PackageGraph;

/// Returns the contents of the catalog, one line per channel.
pub fn run(args: &[String]) -> Result<String, Box<dyn Error>> {
    let [path] = args else { return Err("usage: load CATALOG".into()) };
    let catalog = load::open_catalog(path)?;
    let mut out = String::new();
    for package in catalog.packages() {
        // Catalog text is untrusted: `escape_line` shows control characters instead of sending them.
        writeln!(out, "{}: {} bundles", escape_line(package.name.as_str()), package.bundles.len())?;
        for channel in PackageGraph::new(package).channels() {
            let name = escape_line(channel.graph.name().as_str());
            let head = channel.graph.head().map_or("no head", |head| head.name.as_str());
            writeln!(out, "  {name}: {}", escape_line(head))?;
        }
    }
    // Reading does not stop at mistakes. A report about a catalog must say if parts could not be read.
    if catalog.has_unread_parts() {
        writeln!(out, "some documents cannot be read")?;
    }
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run(&std::env::args().skip(1).collect::<Vec<_>>())?);
    Ok(())
}
