//! `olmap validate`: the findings.

use std::{collections::HashSet, path::PathBuf};

use super::{
    baseline,
    chosen::ChosenRules,
    failure::Failure,
    format::FindingsFormat,
    image,
    out::Out,
    outcome::Outcome,
    progress,
    safety::{BundlesArgs, no_bundles},
    source,
};
use crate::{
    catalog::PackageName,
    export::{
        finding::{self, Judged},
        github, json,
        left_out::LeftOut,
        markdown, sarif,
    },
    resolve::Source,
    review::{
        Snapshot,
        accepted::{Accepted, Identity, Row},
    },
    runtime,
    validate::{Diagnostic, rules},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs, each checked separately: directories, files, or - for standard input.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only what opm validate rejects, with the exit code of opm.
    #[arg(long)]
    parity: bool,
    /// Only findings about this package. May be given several times.
    #[arg(long = "package", value_name = "NAME")]
    packages: Vec<String>,
    #[command(flatten)]
    chosen: ChosenRules,
    /// Ignore findings that FILE accepts, and report its obsolete rows.
    #[arg(long, value_name = "FILE", conflicts_with = "parity")]
    baseline: Option<PathBuf>,
    /// Write all findings to FILE as accepted; reasons already in it are kept.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["parity", "baseline", "format"])]
    write_baseline: Option<PathBuf>,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Output format.
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "text")]
    format: FindingsFormat,
    #[command(flatten)]
    images: image::Args,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    args.chosen.check()?;
    // Before a large catalog is judged for nothing.
    let file = args.baseline.as_deref().map(baseline::read).transpose()?;
    let mut snapshots = Vec::new();
    let openshift = runtime::openshift_of(&args.paths);
    for catalog in source::all(&args.paths, &args.images)? {
        let snapshot = if args.parity {
            Snapshot::new(catalog)
        } else {
            let has_manifests = catalog.is_proposed() || args.bundles.says_where();
            let snapshot = runtime::judged(catalog, &openshift);
            if has_manifests {
                let sight = args.bundles.sight(&args.images.access());
                progress::watched(|progress| runtime::with_learned(snapshot, &sight, progress))
                    .map_err(|path| no_bundles(&path))?
            } else {
                runtime::with_templates(snapshot)
            }
        };
        snapshots.push(snapshot);
    }
    let snapshots = beside_each_other(snapshots);
    if let Some(name) = args.packages.iter().find(|name| snapshots.iter().all(|s| s.package(name).is_none()))
    {
        let known = snapshots.iter().map(|s| source::no_package(&s.catalog, name)).next();
        return Err(known.unwrap_or_else(|| Failure::new(format!("no package {name}"))).into());
    }
    if let Some(path) = &args.write_baseline {
        baseline::write(path, &snapshots, |f| args.shows(f), |of| args.asks(of), out)?;
        return check_whole(args, &snapshots, &HashSet::new());
    }
    let mut met: HashSet<usize> = HashSet::new();
    let all: Vec<Judged<'_>> =
        snapshots.iter().map(|snapshot| judged(args, snapshot, file.as_ref(), &mut met)).collect();
    let is_bad = all.iter().flat_map(|judged| &judged.findings).any(|f| args.fails(f));
    let remark = file.as_ref().map(|file| {
        let accepted =
            all.iter().flat_map(|judged| &judged.accepted).map(|(finding, _)| finding.count()).sum();
        let gone =
            file.rows.iter().enumerate().filter(|(at, row)| !met.contains(at) && args.asks(&row.identity));
        baseline::remark(file, accepted, &gone.map(|(_, row)| row).collect::<Vec<&Row>>())
    });
    match args.format {
        FindingsFormat::Text => {
            for judged in &all {
                let mut text = String::new();
                for finding in &judged.findings {
                    text.push_str(&finding::text(judged.catalog, finding, &out.style));
                    text.push('\n');
                }
                text.push_str(&finding::summary(judged.catalog, &judged.findings, &out.style));
                out.print(&text)?;
            }
            if let Some(remark) = &remark {
                out.print(remark)?;
            }
        }
        FindingsFormat::Json => {
            let rows = all.iter().flat_map(finding::Row::all);
            out.print(&json::pretty(&rows.collect::<Vec<_>>()))?;
        }
        FindingsFormat::Sarif => out.print(&json::pretty(&sarif::Log::of(&all)))?,
        FindingsFormat::Markdown => out.print(&markdown::comment(&all))?,
        FindingsFormat::Github => out.print_commands(&github::commands(&all))?,
    }
    if let Some(remark) = remark.filter(|_| args.format != FindingsFormat::Text) {
        out.error(&remark);
    }
    if is_bad {
        return Ok(Outcome::Findings);
    }
    let accepted = all.iter().flat_map(|judged| &judged.accepted);
    check_whole(args, &snapshots, &accepted.map(|(finding, _)| std::ptr::from_ref(*finding)).collect())
}

/// What one catalog needs, another may have.
fn beside_each_other(snapshots: Vec<Snapshot>) -> Vec<Snapshot> {
    if snapshots.len() < 2 || snapshots.iter().all(Snapshot::is_met) {
        return snapshots;
    }
    let others = |at: usize| {
        let all = snapshots.iter().enumerate();
        let others = all.filter(|(other, snapshot)| {
            *other != at && snapshot.catalog.template().is_none() && snapshot.rejected().is_none()
        });
        others.map(|(_, snapshot)| Source::new(&snapshot.catalog.origin.label(), snapshot.index())).collect()
    };
    let told = |(at, snapshot): (usize, &Snapshot)| {
        if snapshot.is_met() { snapshot.clone() } else { snapshot.beside(others(at)) }
    };
    snapshots.iter().enumerate().map(told).collect()
}

/// The findings of a catalog that are shown, those that a file accepts apart. Which rows of the file were met is
/// noted.
fn judged<'a>(
    args: &Args,
    snapshot: &'a Snapshot,
    file: Option<&'a Accepted>,
    met: &mut HashSet<usize>,
) -> Judged<'a> {
    let catalog = &*snapshot.catalog;
    let Some(file) = file else {
        let findings = snapshot.findings().filter(|f| args.shows(f)).collect();
        return Judged { catalog, findings, accepted: Vec::new() };
    };
    let rows = file.of(catalog, snapshot.findings());
    met.extend(rows.iter().flatten());
    let (mut findings, mut accepted) = (Vec::new(), Vec::new());
    for (finding, row) in snapshot.findings().zip(rows).filter(|(finding, _)| args.shows(finding)) {
        match row.and_then(|at| file.rows.get(at)) {
            Some(row) => accepted.push((finding, row.reason.as_str())),
            None => findings.push(finding),
        }
    }
    Judged { catalog, findings, accepted }
}

/// Asked for one thing, one is not told that it could not be read.
fn check_whole(
    args: &Args,
    snapshots: &[Snapshot],
    accepted: &HashSet<*const Diagnostic>,
) -> anyhow::Result<Outcome> {
    for snapshot in snapshots {
        let unseen = snapshot.findings().any(|finding| {
            args.leaves_in_the_dark(finding) && !accepted.contains(&std::ptr::from_ref(finding))
        });
        if let Some(left_out) = LeftOut::of_all(&snapshot.catalog).filter(|_| unseen) {
            return Err(source::half_read(&left_out).into());
        }
    }
    Ok(Outcome::Fine)
}

impl Args {
    fn shows(&self, finding: &Diagnostic) -> bool {
        let named = |names: &[String], name: &str| names.iter().any(|n| n == name);
        let package = finding.package.as_ref().map(PackageName::as_str);
        (!self.parity || finding.rule.parity)
            && (self.packages.is_empty() || package.is_some_and(|name| named(&self.packages, name)))
            && self.chosen.shows(finding)
    }

    /// Whether findings that are known by this are shown, where there are any.
    fn asks(&self, of: &Identity) -> bool {
        let package = of.package.as_ref();
        let rule = rules::by_id(&of.rule);
        (self.packages.is_empty() || package.is_some_and(|name| self.packages.contains(name)))
            && (self.chosen.rules.is_empty() || self.chosen.rules.contains(&of.rule))
            && rule.is_none_or(|rule| !self.chosen.allows_rule(rule))
    }

    /// Whether a finding that was not asked for says that what was asked for could not all be read.
    fn leaves_in_the_dark(&self, finding: &Diagnostic) -> bool {
        let elsewhere = finding.package.as_ref().is_some_and(|name| {
            !self.packages.is_empty() && self.packages.iter().all(|asked| name != asked.as_str())
        });
        finding.rule.hides_something() && !elsewhere && !self.shows(finding) && !self.chosen.allows(finding)
    }

    /// Whether a finding that is shown makes the run fail.
    fn fails(&self, finding: &Diagnostic) -> bool {
        self.parity || self.chosen.fails(finding)
    }
}
