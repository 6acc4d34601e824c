//! `olmap report`: HTML report about catalogs.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{ValueEnum, builder::PossibleValue};

use super::comparison::{self, ExemptChannels};
use super::output::{self, Output};
use super::{Failure, Out, Outcome, comment_links, escape_path, findings, image, out, releases, source};
use crate::runtime;
use olm_catalog::{Catalog, Origin, PackageName, load::git::Repository};
use olm_check::review::diff::{Gate, Violation, gate};
use olm_check::review::{Difference, Snapshot};
use olm_check::{Finding, Severity, review::accepted::AcceptedFindings};
use olm_plan::{planner::PlanCatalogs, series::Release};
use olmap_report::omissions::{OmissionReason, OmittedPart};
use olmap_report::report::{CatalogCommit, PageOrigin, Report, UpdatePlans};
use olmap_report::{
    diff::CatalogComparison, escape, finding::CatalogFindings, plan::PlanRange, report as export,
    stuck::StuckPackage,
};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
The report is one HTML file for readers without a terminal.

Examples:
  olmap report catalog --to report.html         a page about a catalog
  olmap report catalog --against git:main --to report.html
  olmap report catalogs/v4.18 catalogs/v4.20 --to report.html
  olmap report catalog -p tide --baseline baseline.yaml --to tide.html
  olmap report . --against git:main --fail-on new-stuck,errors --to report.html

Exit code: 0 ok, 1 the report has a problem that --fail-on names, 2 failed, or something could not be checked.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs in any order. The OpenShift version is the v4.NN in the path or image, or given:
    /// 4.18=CATALOG. A repository root means the catalogs in its catalogs/. Default: all catalogs
    /// found here.
    #[arg(value_name = "[4.NN=]CATALOG")]
    catalogs: Vec<String>,
    /// Catalog to compare with, or a repository with a catalog for each OpenShift version; or
    /// git:REV, for each catalog in that revision.
    #[arg(long, value_name = "BASE")]
    against: Option<String>,
    /// Only this package. Can be repeated.
    #[arg(long = "package", short = 'p', value_name = "NAME")]
    packages: Vec<String>,
    /// Fold the findings that FILE accepts.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Exit with 1 on one of these, after writing the page. All but errors and stranded need
    /// --against. Can be repeated, or separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    #[command(flatten)]
    excepted: ExemptChannels,
    /// File to write; - for standard output [default: -].
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Output format [default: html].
    #[arg(long, short = 'o', value_name = "FORMAT", value_parser = output::output_parser::<Format>())]
    output: Option<Output<Format>>,
    #[command(flatten)]
    images: image::Args,
}

/// Output formats of `report`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// HTML page.
    Html,
}

/// Condition that makes a run fail: a gate of `diff`, or errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FailOn {
    Errors,
    Diff(comparison::FailOn),
}

impl ValueEnum for FailOn {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<FailOn>> = LazyLock::new(|| {
            let of_diff = comparison::FailOn::value_variants().iter().map(|of| FailOn::Diff(*of));
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
struct ComparedPair {
    /// Old catalog.
    old: Snapshot,
    old_label: String,
    /// New catalog. Ignores files beside it, so that both sides are checked in the same way.
    new: Snapshot,
}

pub fn run_report(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    output::check_output_path(args.output.as_ref(), args.to.is_some(), out)?;
    let file = args.baseline.as_deref().map(findings::load_baseline).transpose()?;
    let releases = releases::open_or_discover(&args.catalogs, &args.images, out)?;
    check_gates(args, &releases)?;
    releases::check_packages(&releases, &args.packages)?;
    let old = args.against.as_deref().map(|base| open_bases(base, &releases, args, out)).transpose()?;
    let openshift: Vec<_> = releases.iter().filter_map(|release| release.openshift).collect();
    let judged: Vec<Release<Snapshot>> = releases
        .into_iter()
        .map(|release| release.map(|catalog| runtime::check_catalog(catalog, &openshift)))
        .collect();
    let pairs: Vec<ComparedPair> = old.unwrap_or_default().into_iter().zip(&judged).map(build_pair).collect();
    let packages: Vec<PackageName> = args.packages.iter().map(|name| name.as_str().into()).collect();
    let matters = |name: &PackageName| source::is_requested(&args.packages, name);
    let releases: Vec<Release<Snapshot>> = judged
        .into_iter()
        .map(|release| release.map(|snapshot| runtime::with_local_checks(snapshot, &matters)))
        .collect();
    let differences: Vec<(Difference, Vec<Violation>)> =
        pairs.iter().map(|pair| compare_pair(args, pair, matters)).collect();
    let compared: Vec<CatalogComparison<'_>> = pairs
        .iter()
        .zip(&differences)
        .zip(&releases)
        .map(|((pair, (difference, violations)), release)| CatalogComparison {
            old_label: &pair.old_label,
            new_label: &release.label,
            difference,
            violations,
            left_out: comparison::list_omitted_parts(&pair.old, &pair.new, matters),
            formatting: false,
            update: comparison::plan_update(&pair.old, &pair.new, matters),
        })
        .collect();
    let report = Report {
        releases: &releases,
        packages: &packages,
        findings: releases
            .iter()
            .map(|release| select_findings(&release.catalog, file.as_ref(), matters))
            .collect(),
        stuck: releases
            .iter()
            .map(|release| StuckPackage::find_in_catalog(&release.catalog, None, matters))
            .collect(),
        compared,
        update_plans: plan_journey(&releases, matters),
        origin: PageOrigin {
            date: Some(page_date()),
            commits: releases.iter().map(|release| catalog_commit(&release.catalog.catalog)).collect(),
        },
        links: comment_links::links_from_environment(),
    };
    let page = export::render_page(&report);
    let to = output::target_path(args.output.as_ref(), args.to.as_deref());
    write_page(&page, &releases, to.unwrap_or(Path::new(source::STDIN)), out)?;
    Ok(report_outcome(args, &report, out))
}

/// Variable with the time of a build that can be reproduced, in seconds since 1970. It replaces the
/// current time.
const EPOCH_VARIABLE: &str = "SOURCE_DATE_EPOCH";

/// Returns the date and time of the page.
fn page_date() -> String {
    let given = std::env::var(EPOCH_VARIABLE).ok().and_then(|text| text.parse::<u64>().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    olmap_report::report::format_utc_time(given.unwrap_or_else(now))
}

/// Returns the commit of a catalog on disk. `None` outside of a repository.
fn catalog_commit(catalog: &Catalog) -> Option<CatalogCommit> {
    let (Origin::Directory(path) | Origin::File(path)) = &catalog.origin else { return None };
    let repository = Repository::discover(path).ok()?;
    let commit = repository.resolve_revision("HEAD").ok()?;
    let is_modified = repository.is_modified(path).ok()?;
    Some(CatalogCommit { name: commit.as_str().to_owned(), is_modified })
}

/// Refuses values of `--fail-on` that need `--against` or several catalogs.
fn check_gates(args: &Args, releases: &[Release<Catalog>]) -> Result<(), Failure> {
    if args.against.is_some() {
        return Ok(());
    }
    for what in &args.fail_on {
        let FailOn::Diff(of) = what else { continue };
        let name = of.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        match of {
            comparison::FailOn::All => {}
            comparison::FailOn::Stranded if releases.len() > 1 => {}
            comparison::FailOn::Stranded => {
                return Err(Failure::new("--fail-on stranded needs catalogs of several OpenShift versions"));
            }
            _ => {
                return Err(Failure::new(format!("--fail-on {name} needs --against"))
                    .with_hint("--against git:main compares with that branch"));
            }
        }
    }
    Ok(())
}

/// Opens the base of comparison of each catalog, in the order of the catalogs.
fn open_bases(
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
            comparison::open_base(Path::new(base), &release.catalog, &args.images).map(named)
        };
        return releases.iter().map(open).collect();
    }
    let mut others = releases::open_releases(&[base.to_owned()], &args.images, out)?;
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
                .with_hint(
                    "catalogs are compared by their OpenShift versions; git:REV compares each with itself",
                )
                .into());
        };
        found.push(named(others.swap_remove(at).catalog));
    }
    Ok(found)
}

fn build_pair(((old, old_label), new): ((Catalog, String), &Release<Snapshot>)) -> ComparedPair {
    ComparedPair { old: runtime::check_catalog(old, &[]), old_label, new: new.catalog.clone() }
}

/// Compares a pair, and returns the differences and the violated gates.
fn compare_pair(
    args: &Args,
    ComparedPair { old, new, .. }: &ComparedPair,
    matters: impl Fn(&PackageName) -> bool,
) -> (Difference, Vec<Violation>) {
    let mut difference = Difference::compare_catalogs(old, new);
    if !args.packages.is_empty() {
        difference.retain_packages(matters);
    }
    let gates = args.fail_on.iter().flat_map(|what| match what {
        FailOn::Errors => &[],
        FailOn::Diff(of) => of.gates(),
    });
    let gates: Vec<Gate> = gates.copied().collect();
    let violations = gate::find_violations(&difference, &gates, &args.excepted.patterns_or_default());
    (difference, violations)
}

/// Returns the findings about selected packages. Accepted findings are listed separately.
fn select_findings<'a>(
    snapshot: &'a Snapshot,
    file: Option<&'a AcceptedFindings>,
    matters: impl Fn(&PackageName) -> bool,
) -> CatalogFindings<'a> {
    let of_package = |finding: &Finding| finding.package.as_ref().is_none_or(&matters);
    let catalog = &*snapshot.catalog;
    let rows = match file {
        Some(file) => file.match_findings(catalog, snapshot.findings()),
        None => vec![None; snapshot.findings().count()],
    };
    let (mut findings, mut accepted) = (Vec::new(), Vec::new());
    for (finding, row) in snapshot.findings().zip(rows).filter(|(finding, _)| of_package(finding)) {
        match row.and_then(|at| file?.rows.get(at)) {
            Some(row) => accepted.push((finding, row.reason.as_str())),
            None => findings.push(finding),
        }
    }
    CatalogFindings { catalog, findings, accepted }
}

/// Plans the upgrades of all versions. `None` unless there are several catalogs with different
/// OpenShift versions.
fn plan_journey(
    releases: &[Release<Snapshot>],
    matters: impl Fn(&PackageName) -> bool,
) -> Option<UpdatePlans> {
    if releases.len() < 2 || releases::check_versions(releases).is_err() {
        return None;
    }
    let catalogs: Vec<_> =
        releases.iter().filter_map(|release| Some((release.openshift?, &release.catalog))).collect();
    let world = PlanCatalogs::from_snapshots(&catalogs, matters);
    let labels = releases.iter().filter_map(|release| Some((release.openshift?, release.label.clone())));
    let over = PlanRange { catalogs: labels.collect(), missing: world.missing_versions() };
    Some(UpdatePlans::new(&world, over))
}

fn write_page(
    page: &export::Page,
    releases: &[Release<Snapshot>],
    path: &Path,
    out: &mut Out,
) -> anyhow::Result<()> {
    if source::is_stdin(path) {
        return out.print(&page.html);
    }
    for release in releases {
        runtime::check_outside_catalog(&release.catalog.catalog.origin, path).map_err(Failure::from)?;
    }
    output::overwrite_file(path, &page.html)?;
    out.print(&format!("{}\nwrote {}\n", escape::escape_line(&page.verdict), escape_path(path)))
}

/// Returns the outcome for `--fail-on`, and reports the parts that were not checked.
fn report_outcome(args: &Args, report: &Report<'_>, out: &Out) -> Outcome {
    let asks = |what: FailOn| {
        args.fail_on.contains(&what) || args.fail_on.contains(&FailOn::Diff(comparison::FailOn::All))
    };
    let has_errors = || {
        let findings = report.findings.iter().flat_map(|judged| &judged.findings);
        findings.into_iter().any(|finding| finding.severity() == Severity::Error && !finding.is_not_checked())
    };
    let strands = || {
        let updates = report.compared.iter().filter_map(|compared| compared.update.as_ref());
        report.update_plans.as_ref().is_some_and(UpdatePlans::has_stranded)
            || updates.into_iter().any(|update| update.everyone.count_stranded().0 > 0)
    };
    let fails = report.compared.iter().any(|compared| !compared.violations.is_empty())
        || (asks(FailOn::Errors) && has_errors())
        || (asks(FailOn::Diff(comparison::FailOn::Stranded)) && strands());
    let matters = |name: &PackageName| report.packages.is_empty() || report.packages.contains(name);
    let of_comparisons = report.compared.iter().flat_map(|compared| compared.left_out.iter().cloned());
    let of_catalogs = report.releases.iter().flat_map(|release| {
        let snapshot = &release.catalog;
        [
            OmittedPart::unread_in_packages(&snapshot.catalog, matters),
            OmittedPart::unchecked_in_packages(snapshot, matters),
        ]
    });
    for left_out in of_catalogs.flatten().chain(of_comparisons) {
        if !args.fail_on.is_empty() || left_out.kind == OmissionReason::NotChecked {
            out::report_left_out(&left_out, out);
        }
    }
    fails.into()
}
