//! `olmap report`: HTML report about catalogs.

use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
};

use clap::{ValueEnum, builder::PossibleValue};

use super::{
    baseline,
    compare::{self, Excepted},
    failure::Failure,
    image, not_checked,
    out::Out,
    outcome::Outcome,
    output::{self, Output},
    releases, source,
};
use crate::{
    app::Refusal,
    catalog::{Catalog, Origin, PackageName},
    edit::save::{self, Lock, Overwrite},
    export::{
        diff::Compared,
        finding::Judged,
        left_out::{LeftOut, LeftOutKind},
        plain,
        plan::Over,
        report::{self as export, Journey, Report},
        stuck::StuckPackage,
    },
    plan::{planner::World, series::Release},
    review::{
        Difference, Snapshot,
        accepted::Accepted,
        diff::{Gate, Violation, gate},
    },
    runtime,
    validate::{Diagnostic, Severity},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalogs, in any order. The OpenShift version of one is the v4.NN in its path or image, or is said: 4.18=CATALOG.
    /// The root of a repository stands for the catalogs in its catalogs/. Default: all catalogs found here.
    #[arg(value_name = "[4.NN=]CATALOG")]
    catalogs: Vec<String>,
    /// What to compare with: a catalog, or a repository with one for each OpenShift version; or git:REV, for each catalog as
    /// it is in that revision.
    #[arg(long, value_name = "BASE")]
    against: Option<String>,
    /// Only this package. May be given several times.
    #[arg(long = "package", short = 'p', value_name = "NAME")]
    packages: Vec<String>,
    /// Fold findings away that FILE accepts.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Exit with 1 on one of these, once the page is written. May be given several times, or separated by commas. But for errors
    /// and stranded they need --against.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    #[command(flatten)]
    excepted: Excepted,
    /// The file to write; - for standard output [default: -].
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Output format [default: html].
    #[arg(long, short = 'o', value_name = "FORMAT", value_parser = output::parser::<Format>())]
    output: Option<Output<Format>>,
    #[command(flatten)]
    images: image::Args,
}

/// Output formats of `report`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// One HTML page.
    Html,
}

/// Condition that makes a run fail: a gate of `diff`, or errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FailOn {
    Errors,
    Diff(compare::FailOn),
}

impl ValueEnum for FailOn {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<FailOn>> = LazyLock::new(|| {
            let of_diff = compare::FailOn::value_variants().iter().map(|of| FailOn::Diff(*of));
            std::iter::once(FailOn::Errors).chain(of_diff).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Errors => {
                Some(PossibleValue::new("errors").help("A catalog has errors that no baseline accepts"))
            }
            Self::Diff(of) => of.to_possible_value(),
        }
    }
}

/// Catalog and its base of comparison.
struct Pair {
    /// Old catalog.
    old: Snapshot,
    old_label: String,
    /// New catalog. Ignores files beside it, so that both sides are checked in the same way.
    new: Snapshot,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    output::check(args.output.as_ref(), args.to.is_some(), out)?;
    let file = args.baseline.as_deref().map(baseline::read).transpose()?;
    let releases = releases::open_or_here(&args.catalogs, &args.images, out)?;
    check(args, &releases)?;
    releases::check_packages(&releases, &args.packages)?;
    let old = args.against.as_deref().map(|base| bases(base, &releases, args, out)).transpose()?;
    let openshift: Vec<_> = releases.iter().filter_map(|release| release.openshift).collect();
    let judged: Vec<Release<Snapshot>> = releases
        .into_iter()
        .map(|release| release.map(|catalog| runtime::judged(catalog, &openshift)))
        .collect();
    let pairs: Vec<Pair> = old.unwrap_or_default().into_iter().zip(&judged).map(pair).collect();
    let releases: Vec<Release<Snapshot>> =
        judged.into_iter().map(|release| release.map(runtime::with_own_manifests)).collect();
    let packages: Vec<PackageName> = args.packages.iter().map(|name| name.as_str().into()).collect();
    let matters = |name: &PackageName| packages.is_empty() || packages.contains(name);
    let differences: Vec<(Difference, Vec<Violation>)> =
        pairs.iter().map(|pair| difference(args, pair, matters)).collect();
    let compared: Vec<Compared<'_>> = pairs
        .iter()
        .zip(&differences)
        .zip(&releases)
        .map(|((pair, (difference, violations)), release)| Compared {
            old_label: &pair.old_label,
            new_label: &release.label,
            old: &pair.old,
            new: &pair.new,
            difference,
            violations,
            left_out: compare::left_out(&pair.old, &pair.new, matters),
            formatting: false,
            update: compare::update(&pair.old, &pair.new, matters),
        })
        .collect();
    let report = Report {
        releases: &releases,
        packages: &packages,
        findings: releases.iter().map(|release| findings(&release.catalog, file.as_ref(), matters)).collect(),
        stuck: releases.iter().map(|release| StuckPackage::all(&release.catalog, None, matters)).collect(),
        compared,
        journey: journey(&releases, matters),
    };
    let page = export::page(&report);
    let to = output::place(args.output.as_ref(), args.to.as_deref());
    write(&page, &releases, to.unwrap_or(Path::new(source::STDIN)), out)?;
    Ok(outcome(args, &report, out))
}

/// Refuses values of `--fail-on` that need `--against` or several catalogs.
fn check(args: &Args, releases: &[Release<Catalog>]) -> Result<(), Failure> {
    if args.against.is_some() {
        return Ok(());
    }
    for what in &args.fail_on {
        let FailOn::Diff(of) = what else { continue };
        let name = of.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        match of {
            compare::FailOn::All => {}
            compare::FailOn::Stranded if releases.len() > 1 => {}
            compare::FailOn::Stranded => {
                return Err(Failure::new("--fail-on stranded needs catalogs of several OpenShift versions"));
            }
            _ => {
                return Err(Failure::new(format!("--fail-on {name} needs --against"))
                    .hint("--against git:main compares with that branch"));
            }
        }
    }
    Ok(())
}

/// Opens the base of comparison of each catalog, in the order of the catalogs.
fn bases(
    base: &str,
    releases: &[Release<Catalog>],
    args: &Args,
    out: &Out,
) -> anyhow::Result<Vec<(Catalog, String)>> {
    let named = |catalog: Catalog| {
        let label = catalog.origin.label();
        (catalog, label)
    };
    if base.starts_with("git:") {
        let open = |release: &Release<Catalog>| {
            let path = match &release.catalog.origin {
                Origin::Stdin => PathBuf::from(source::STDIN),
                origin => PathBuf::from(origin.label()),
            };
            compare::open(Path::new(base), &path, &args.images).map(named)
        };
        return releases.iter().map(open).collect();
    }
    let mut others = releases::open(&[base.to_owned()], &args.images, out)?;
    if let ([_], [_]) = (releases, others.as_slice()) {
        return Ok(others.into_iter().map(|other| named(other.catalog)).collect());
    }
    let mut found = Vec::with_capacity(releases.len());
    for release in releases {
        let is_same = |other: &Release<Catalog>| {
            release.openshift.zip(other.openshift).is_some_and(|(own, other)| own.is_same(other))
        };
        let Some(at) = others.iter().position(is_same) else {
            return Err(Failure::new(format!("nothing in {base} to compare {} with", release.label))
                .hint("catalogs are compared by their OpenShift versions; git:REV compares each with itself")
                .into());
        };
        found.push(named(others.swap_remove(at).catalog));
    }
    Ok(found)
}

fn pair(((old, old_label), new): ((Catalog, String), &Release<Snapshot>)) -> Pair {
    Pair { old: runtime::judged(old, &[]), old_label, new: new.catalog.clone() }
}

/// Compares a pair, and returns the differences and the violated gates.
fn difference(
    args: &Args,
    Pair { old, new, .. }: &Pair,
    matters: impl Fn(&PackageName) -> bool,
) -> (Difference, Vec<Violation>) {
    let mut difference = Difference::between(old, new);
    if !args.packages.is_empty() {
        difference.keep(matters);
    }
    let gates = args.fail_on.iter().flat_map(|what| match what {
        FailOn::Errors => &[],
        FailOn::Diff(of) => of.gates(),
    });
    let gates: Vec<Gate> = gates.copied().collect();
    let violations = gate::violations(&difference, (old, new), &gates, &args.excepted.globs());
    (difference, violations)
}

/// Returns the findings about selected packages. Accepted findings are listed separately.
fn findings<'a>(
    snapshot: &'a Snapshot,
    file: Option<&'a Accepted>,
    matters: impl Fn(&PackageName) -> bool,
) -> Judged<'a> {
    let of_package = |finding: &Diagnostic| finding.package.as_ref().is_none_or(&matters);
    let catalog = &*snapshot.catalog;
    let rows = match file {
        Some(file) => file.of(catalog, snapshot.findings()),
        None => vec![None; snapshot.findings().count()],
    };
    let (mut findings, mut accepted) = (Vec::new(), Vec::new());
    for (finding, row) in snapshot.findings().zip(rows).filter(|(finding, _)| of_package(finding)) {
        match row.and_then(|at| file?.rows.get(at)) {
            Some(row) => accepted.push((finding, row.reason.as_str())),
            None => findings.push(finding),
        }
    }
    Judged { catalog, findings, accepted }
}

/// Plans the upgrades of all versions. `None` unless there are several catalogs with different
/// OpenShift versions.
fn journey(releases: &[Release<Snapshot>], matters: impl Fn(&PackageName) -> bool) -> Option<Journey> {
    if releases.len() < 2 || releases::check_versions(releases).is_err() {
        return None;
    }
    let catalogs: Vec<_> =
        releases.iter().filter_map(|release| Some((release.openshift?, &release.catalog))).collect();
    let world = World::of_judged(&catalogs, matters);
    let labels = releases.iter().filter_map(|release| Some((release.openshift?, release.label.clone())));
    let over = Over { catalogs: labels.collect(), missing: world.missing() };
    Some(Journey::new(&world, over))
}

fn write(
    page: &export::Page,
    releases: &[Release<Snapshot>],
    path: &Path,
    out: &mut Out,
) -> anyhow::Result<()> {
    if path.as_os_str() == source::STDIN {
        return out.print(&page.html);
    }
    for release in releases {
        if let Err(Refusal { message, hint }) = runtime::outside(&release.catalog.catalog.origin, path) {
            return Err(Failure::new(message).maybe_hint(hint).into());
        }
    }
    save::save_as(path, page.html.as_bytes(), Overwrite::Allowed, &mut Lock::usual())
        .map_err(|error| Failure::new(error.to_string()).hint(error.hint()))?;
    let path = path.display().to_string();
    out.print(&format!("{}\nwrote {}\n", plain::line(&page.verdict), plain::line(&path)))
}

/// Returns the outcome for `--fail-on`, and reports the parts that were not checked.
fn outcome(args: &Args, report: &Report<'_>, out: &Out) -> Outcome {
    let asks = |what: FailOn| {
        args.fail_on.contains(&what) || args.fail_on.contains(&FailOn::Diff(compare::FailOn::All))
    };
    let has_errors = || {
        let findings = report.findings.iter().flat_map(|judged| &judged.findings);
        findings.into_iter().any(|finding| finding.severity() == Severity::Error && !finding.is_not_checked())
    };
    let strands = || {
        let updates = report.compared.iter().filter_map(|compared| compared.update.as_ref());
        report.journey.as_ref().is_some_and(Journey::strands)
            || updates.into_iter().any(|update| update.everyone.stranded().0 > 0)
    };
    let fails = report.compared.iter().any(|compared| !compared.violations.is_empty())
        || (asks(FailOn::Errors) && has_errors())
        || (asks(FailOn::Diff(compare::FailOn::Stranded)) && strands());
    let matters = |name: &PackageName| report.packages.is_empty() || report.packages.contains(name);
    let of_comparisons = report.compared.iter().flat_map(|compared| compared.left_out.iter().cloned());
    let of_catalogs = report.releases.iter().flat_map(|release| {
        let snapshot = &release.catalog;
        [LeftOut::of(&snapshot.catalog, matters), LeftOut::not_checked(snapshot, matters)]
    });
    for left_out in of_catalogs.flatten().chain(of_comparisons) {
        if !args.fail_on.is_empty() || left_out.kind == LeftOutKind::NotChecked {
            not_checked::report_left_out(&left_out, out);
        }
    }
    fails.into()
}
