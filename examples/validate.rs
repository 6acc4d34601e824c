//! Checks a catalog: content that opm rejects, and content that harms users although opm accepts it.
//!
//!     cargo run --example validate -- demo/catalog

use std::{error::Error, fmt::Write as _, path::Path};

use olm_catalog::{escape::escape_line, load};
use olm_check::Checker;

/// Returns every finding with its location and help, followed by the verdict of opm.
pub fn run(path: &Path) -> Result<String, Box<dyn Error>> {
    let catalog = load::open_catalog(path)?;
    let report = Checker::standard().check(&catalog);
    let mut out = String::new();
    for finding in report.findings() {
        // Text of a catalog may contain control characters.
        writeln!(out, "{}", escape_line(&finding.to_string()))?;
        if let Some(location) = finding.locate(&catalog) {
            writeln!(out, "  at {}", escape_line(&location.to_string()))?;
        }
        writeln!(out, "  help: {}", escape_line(finding.advice()))?;
    }
    let verdict = if report.is_accepted_by_opm() { "accepts" } else { "rejects" };
    writeln!(out, "opm validate {verdict} it")?;
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: validate CATALOG")?;
    print!("{}", run(Path::new(&path))?);
    Ok(())
}
