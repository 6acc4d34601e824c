//! Checks a catalog: content that opm rejects, and content that harms users although opm accepts it.
//!
//!     cargo run --example validate -- demo/catalog

use std::{error::Error, fmt::Write as _, path::Path};

use olm_catalog::{escape, load};
use olm_check::review::Snapshot;

/// Returns every finding with its location and help, followed by the verdict of opm.
pub fn run(path: &Path) -> Result<String, Box<dyn Error>> {
    let catalog = load::open_catalog(path, &load::Progress::default())?;
    // A snapshot is a catalog with all derived data: graphs, dependencies, findings.
    let snapshot = Snapshot::new(catalog);
    let mut out = String::new();
    for finding in snapshot.findings() {
        if let Some(place) = finding.at.as_ref().and_then(|at| at.resolve(&snapshot.catalog)) {
            let path = place.path.file_name().unwrap_or_default().to_string_lossy();
            write!(out, "{}:{}: ", escape::escape_line(&path), place.line)?;
        }
        let message = escape::escape_line(&finding.message);
        writeln!(out, "{} [{}] {message}", finding.severity().as_str(), finding.rule.id)?;
        writeln!(out, "  help: {}", escape::escape_line(finding.advice()))?;
    }
    let verdict = if olm_check::is_accepted(snapshot.findings()) { "accepts" } else { "rejects" };
    writeln!(out, "opm validate {verdict} it")?;
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: validate CATALOG")?;
    print!("{}", run(Path::new(&path))?);
    Ok(())
}
