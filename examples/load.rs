//! Opens a catalog and lists its packages with their channels and heads.
//!
//!     cargo run --example load -- demo/catalog

use std::{error::Error, fmt::Write as _, path::Path};

use olm_catalog::{escape, load};
use olm_upgrade::PackageGraph;
use olmap_report::omissions::OmittedPart;

/// Returns the contents of the catalog, one line per channel.
pub fn run(path: &Path) -> Result<String, Box<dyn Error>> {
    let catalog = load::open_catalog(path)?;
    let mut out = String::new();
    for package in catalog.packages() {
        // Catalog text is untrusted: `escape_line` shows control characters instead of sending them.
        writeln!(out, "{}: {} bundles", escape::escape_line(package.name.as_str()), package.bundles.len())?;
        for channel in PackageGraph::new(package).channels() {
            let graph = &channel.graph;
            let head =
                graph.head().and_then(|at| graph.node(at)).map_or("no head", |node| node.name.as_str());
            let mark = if package.default_channel() == Some(graph.name()) { " (default)" } else { "" };
            writeln!(
                out,
                "  {}{mark}: {}",
                escape::escape_line(graph.name().as_str()),
                escape::escape_line(head)
            )?;
        }
    }
    // Reading does not stop at mistakes. A report about a catalog must name the parts that could not be read.
    if let Some(left_out) = OmittedPart::unread_in_catalog(&catalog) {
        writeln!(out, "{}", escape::escape_line(&left_out.describe_omission()))?;
    }
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: load CATALOG")?;
    print!("{}", run(Path::new(&path))?);
    Ok(())
}
