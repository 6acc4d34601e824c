//! `olmap validate`: the findings.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{explain, failure::Failure, out::Out, outcome::Outcome, source};
use crate::{
    catalog::PackageName,
    export::{
        finding::{self, Judged},
        github, json,
        left_out::LeftOut,
        markdown, sarif,
    },
    review::Snapshot,
    validate::{Diagnostic, Severity, rules},
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
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs; the shape is in docs/cli.md.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// For a comment on a pull request.
    Markdown,
    /// Workflow commands of GitHub Actions.
    Github,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    args.check_rules()?;
    let mut snapshots = Vec::new();
    for catalog in source::all(&args.paths)? {
        snapshots.push(Snapshot::new(catalog));
    }
    if let Some(name) = args.packages.iter().find(|name| snapshots.iter().all(|s| s.package(name).is_none()))
    {
        let known = snapshots.iter().map(|s| source::no_package(&s.catalog, name)).next();
        return Err(known.unwrap_or_else(|| Failure::new(format!("no package {name}"))).into());
    }
    let all: Vec<Judged<'_>> = snapshots
        .iter()
        .map(|snapshot| Judged {
            catalog: &snapshot.catalog,
            findings: snapshot.findings().filter(|f| args.shows(f)).collect(),
        })
        .collect();
    let is_bad = all.iter().flat_map(|judged| &judged.findings).any(|f| args.fails(f));
    match args.format {
        Format::Text => {
            for judged in &all {
                let mut text = String::new();
                for finding in &judged.findings {
                    text.push_str(&finding::text(judged.catalog, finding, &out.style));
                    text.push('\n');
                }
                text.push_str(&finding::summary(judged.catalog, &judged.findings, &out.style));
                out.print(&text)?;
            }
        }
        Format::Json => {
            let rows = all.iter().flat_map(|j| j.findings.iter().map(|f| finding::Row::of(j.catalog, f)));
            out.print(&json::pretty(&rows.collect::<Vec<_>>()))?;
        }
        Format::Sarif => out.print(&json::pretty(&sarif::Log::of(&all)))?,
        Format::Markdown => out.print(&markdown::comment(&all))?,
        Format::Github => out.print_commands(&github::commands(&all))?,
    }
    if is_bad {
        return Ok(Outcome::Findings);
    }
    for snapshot in &snapshots {
        // Asked for one thing, one is not told that it could not be read.
        let unseen = snapshot.findings().any(|finding| args.leaves_in_the_dark(finding));
        if let Some(left_out) = LeftOut::of_all(&snapshot.catalog).filter(|_| unseen) {
            return Err(source::half_read(&left_out).into());
        }
    }
    Ok(Outcome::Fine)
}

impl Args {
    /// Refuses names that are neither a rule nor, where those are meant too, a severity.
    fn check_rules(&self) -> Result<(), Failure> {
        let is_severity = |name: &str| SEVERITIES.contains(&name);
        let listed = self.allowed.iter().chain(&self.denied).filter(|name| !is_severity(name));
        let unknown = self.rules.iter().chain(listed).find(|name| rules::by_id(name).is_none());
        unknown.map_or(Ok(()), |name| Err(explain::no_rule(name)))
    }

    fn shows(&self, finding: &Diagnostic) -> bool {
        let named = |names: &[String], name: &str| names.iter().any(|n| n == name);
        let package = finding.package.as_ref().map(PackageName::as_str);
        (!self.parity || finding.rule.parity)
            && (self.packages.is_empty() || package.is_some_and(|name| named(&self.packages, name)))
            && (self.rules.is_empty() || named(&self.rules, finding.rule.id))
            && !meant(&self.allowed, finding)
    }

    /// Whether a finding that was not asked for says that what was asked for could not all be read.
    fn leaves_in_the_dark(&self, finding: &Diagnostic) -> bool {
        let elsewhere = finding.package.as_ref().is_some_and(|name| {
            !self.packages.is_empty() && self.packages.iter().all(|asked| name != asked.as_str())
        });
        finding.rule.hides_something() && !elsewhere && !self.shows(finding) && !meant(&self.allowed, finding)
    }

    /// Whether a finding that is shown makes the run fail.
    fn fails(&self, finding: &Diagnostic) -> bool {
        self.parity || finding.severity() == Severity::Error || meant(&self.denied, finding)
    }
}

/// What may stand for all rules of a severity.
const SEVERITIES: [&str; 3] = ["errors", "warnings", "notes"];

/// Whether a list of rules and severities (`warnings`, `notes`) means a finding.
fn meant(list: &[String], finding: &Diagnostic) -> bool {
    list.iter().any(|item| {
        item == finding.rule.id
            || item.strip_suffix('s').is_some_and(|severity| severity == finding.severity().as_str())
    })
}
