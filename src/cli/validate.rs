//! `olmap validate`: the findings.

use std::path::PathBuf;

use super::{Outcome, args::TextOrJson, failure::Failure, out::Out, source};
use crate::{
    catalog::PackageName,
    export::{finding, json},
    review::Snapshot,
    validate::{Diagnostic, Severity},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs, each judged by itself: directories, files, or - for standard input.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only what opm validate rejects; the exit code is opm's verdict.
    #[arg(long)]
    parity: bool,
    /// Only findings about this package. May be given several times.
    #[arg(long = "package", value_name = "NAME")]
    packages: Vec<String>,
    /// Only findings of this rule. May be given several times.
    #[arg(long = "rule", value_name = "RULE")]
    rules: Vec<String>,
    /// Leave out a rule, or all warnings or notes. May be given several times.
    #[arg(long = "allow", value_name = "RULE")]
    allowed: Vec<String>,
    /// Exit with 1 on a rule too, or on all warnings or notes. May be given several times.
    #[arg(long = "deny", value_name = "RULE")]
    denied: Vec<String>,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let mut snapshots = Vec::new();
    for catalog in source::all(&args.paths)? {
        snapshots.push(Snapshot::new(catalog));
    }
    if let Some(name) = args.packages.iter().find(|name| snapshots.iter().all(|s| s.package(name).is_none()))
    {
        let known = snapshots.iter().map(|s| source::no_package(&s.catalog, name)).next();
        return Err(known.unwrap_or_else(|| Failure::new(format!("no package {name}"))).into());
    }
    let mut rows = Vec::new();
    let mut is_bad = false;
    for snapshot in &snapshots {
        let findings: Vec<&Diagnostic> = snapshot.findings().filter(|f| args.shows(f)).collect();
        is_bad |= findings.iter().any(|f| args.fails(f));
        match args.format {
            TextOrJson::Json => rows.extend(findings.iter().map(|f| finding::Row::of(&snapshot.catalog, f))),
            TextOrJson::Text => {
                let mut text = String::new();
                for finding in &findings {
                    text.push_str(&finding::text(&snapshot.catalog, finding, &out.style));
                    text.push('\n');
                }
                text.push_str(&finding::summary(&snapshot.catalog, &findings, &out.style));
                out.print(&text)?;
            }
        }
    }
    if args.format == TextOrJson::Json {
        out.print(&json::pretty(&rows))?;
    }
    Ok(is_bad.into())
}

impl Args {
    fn shows(&self, finding: &Diagnostic) -> bool {
        let named = |names: &[String], name: &str| names.iter().any(|n| n == name);
        let package = finding.package.as_ref().map(PackageName::as_str);
        (!self.parity || finding.rule.parity)
            && (self.packages.is_empty() || package.is_some_and(|name| named(&self.packages, name)))
            && (self.rules.is_empty() || named(&self.rules, finding.rule.id))
            && !meant(&self.allowed, finding)
    }

    /// Whether a finding that is shown makes the run fail.
    fn fails(&self, finding: &Diagnostic) -> bool {
        self.parity || finding.severity() == Severity::Error || meant(&self.denied, finding)
    }
}

/// Whether a list of rules and severities (`warnings`, `notes`) means a finding.
fn meant(list: &[String], finding: &Diagnostic) -> bool {
    list.iter().any(|item| {
        item == finding.rule.id
            || item.strip_suffix('s').is_some_and(|severity| severity == finding.severity().as_str())
    })
}
