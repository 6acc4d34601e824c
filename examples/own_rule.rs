//! Checks a catalog with a rule of its own, besides those of olmap, and prints SARIF.
//!
//!     cargo run --example own_rule -- demo/catalog

use std::{error::Error, path::Path};

use olm_catalog::load;
use olm_check::{Checker, Finding, Findings, PackageSubject, Rule, Severity};
use olmap_report::{finding::CatalogFindings, json, sarif::Log};

static PACKAGE_ICON: Rule =
    Rule::for_packages("package-icon", Severity::Note, "A package without an icon", report_missing_icon)
        .with_help("add an icon");

fn report_missing_icon(subject: &PackageSubject<'_>, findings: &mut Findings) {
    for package in subject.package().definitions.iter().filter(|package| package.icon.is_none()) {
        let message = format!("package {} has no icon", package.name.value);
        findings.push(Finding::new(&PACKAGE_ICON, message).at_span(package.doc, package.name.span));
    }
}

/// Returns the findings of all rules as SARIF.
pub fn run(path: &Path) -> Result<String, Box<dyn Error>> {
    let catalog = load::open_catalog(path)?;
    let report = Checker::standard().with_rule(&PACKAGE_ICON)?.check(&catalog);
    Ok(json::to_pretty_json(&Log::from_catalog_findings(&[CatalogFindings::from(&report)])))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: own_rule CATALOG")?;
    print!("{}", run(Path::new(&path))?);
    Ok(())
}
