//! `olmap validate`: findings about catalogs.

use std::{
    collections::{BTreeSet, HashSet},
    mem::ManuallyDrop,
    path::PathBuf,
};

use clap::ValueEnum;

use super::changed_catalogs::{self, Change, ChangedCatalog};
use super::findings::{self, ChosenRules, PartialFindings};
use super::output::{self, ExtraOutput};
use super::safety::{BundlesArgs, no_bundles_failure};
use super::{Failure, FindingsFormat, Out, Outcome, image, out, source, with_progress};
use crate::runtime;
use olm_catalog::{Catalog, PackageName};
use olm_check::review::accepted::{AcceptedFinding, AcceptedFindings};
use olm_check::review::{Snapshot, Touched, touched};
use olm_check::{Finding, FindingKey, Rule, Severity, rule::RuleSubject, rules};
use olm_upgrade::{openshift::OpenShift, resolve::Source};
use olmap_report::finding::{self, CatalogFindings};
use olmap_report::scope::{CheckedCatalogPart, Scope};
use olmap_report::{Style, github, omissions::OmittedPart};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap validate catalog                        errors, warnings and notes
  olmap validate --parity catalog               what opm validate says
  olmap validate --deny warnings --allow dead-end catalog
  olmap validate -o sarif catalog               for code scanning
  olmap validate --changed-since main... 'catalogs/v4.*'
                                                changes of this branch
  olmap validate --suite console catalogs/*     also what users see in a console
  olmap validate docker://quay.io/ns/catalog:v1  an image; docker:// is optional
  olmap validate https://catalogd.example/catalogs/ns

Exit code: 0 ok, 1 errors, or findings that --deny names, 2 failed, or something could not be checked.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs, each checked separately: directories, files, images, or - for standard input.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only what opm validate rejects, with the exit code of opm.
    #[arg(long)]
    parity: bool,
    /// Only findings about this package. Can be repeated.
    #[arg(long = "package", short = 'p', value_name = "NAME")]
    packages: Vec<String>,
    /// Only changes since a git revision: catalogs and packages that differ, and new findings
    /// elsewhere. REV... is the commit at which the current branch left REV.
    #[arg(long, value_name = "REV", conflicts_with_all = ["parity", "packages", "write_baseline"])]
    changed_since: Option<String>,
    /// Only the packages in these files. Without PATH, check the catalogs that contain the
    /// files. - reads file names from standard input, separated by line breaks or NUL.
    #[arg(long, value_name = "FILE", num_args = 0.., conflicts_with_all = ["parity", "packages", "write_baseline"])]
    files: Option<Vec<PathBuf>>,
    /// Also run a suite of rules: what users see of the catalogs in a console. Can be repeated.
    #[arg(long = "suite", value_name = "NAME", conflicts_with = "parity")]
    suites: Vec<CatalogSuite>,
    #[command(flatten)]
    chosen: ChosenRules,
    /// Ignore findings that FILE accepts, and report its obsolete rows.
    #[arg(long, value_name = "FILE", conflicts_with = "parity")]
    baseline: Option<PathBuf>,
    /// Write all findings to FILE as accepted, and keep the reasons already in it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["parity", "baseline", "format"])]
    write_baseline: Option<PathBuf>,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: FindingsFormat,
    /// Also write the findings to FILE, in another format. Can be repeated.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = output::parse_extra_output::<FindingsFormat>, conflicts_with = "write_baseline")]
    also: Vec<ExtraOutput<FindingsFormat>>,
    #[command(flatten)]
    images: image::Args,
}

/// Suite of rules about catalogs that runs only on request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum CatalogSuite {
    /// Rules about what consoles show.
    Console,
}

pub fn run_validate(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    args.chosen.check_names()?;
    args.check_suite_of_rules()?;
    // Read first, so that an invalid baseline does not waste the check of a large catalog.
    let file = args.baseline.as_deref().map(findings::load_baseline).transpose()?;
    // The process ends after the command, which frees the memory faster.
    let looking = ManuallyDrop::new(load_checked_catalogs(args)?);
    let snapshots = &looking.snapshots;
    for (also, snapshot) in args.also.iter().flat_map(|also| snapshots.iter().map(move |s| (also, s))) {
        also.check_target(&snapshot.catalog.origin)?;
    }
    if let Some(name) = args.packages.iter().find(|name| snapshots.iter().all(|s| s.package(name).is_none()))
    {
        let known = snapshots.iter().map(|s| source::no_package_failure(&s.catalog, name)).next();
        return Err(known.unwrap_or_else(|| Failure::new(format!("no package {name}"))).into());
    }
    args.report_unjudged_steps(snapshots, out);
    if let Some(path) = &args.write_baseline {
        let is_asked =
            |of: &FindingKey| args.would_show(of) && !is_unchecked(snapshots, of.package.as_deref());
        let shows = |finding: &Finding| finding.all_parts().into_iter().any(|part| args.shows(part));
        findings::write_baseline(path, snapshots, shows, is_asked, out)?;
        report_unread(args, &looking, &HashSet::new(), out);
        out::report_findings(snapshots.iter().flat_map(Snapshot::findings), out);
        return Ok(Outcome::Fine);
    }
    let mut met: HashSet<usize> = HashSet::new();
    let partly = PartialFindings::new(snapshots.iter().flat_map(Snapshot::findings), |f| args.shows(f));
    let mut all: Vec<CatalogFindings<'_>> = snapshots
        .iter()
        .map(|snapshot| split_accepted(args, snapshot, &partly, file.as_ref(), &mut met))
        .collect();
    let scope = looking.keep_caused_findings(&mut all);
    let is_bad = all.iter().flat_map(|judged| &judged.findings).any(|f| args.fails(f));
    let remark = file.as_ref().map(|file| {
        let accepted =
            all.iter().flat_map(|judged| &judged.accepted).map(|(finding, _)| finding.finding_count()).sum();
        let gone = file
            .rows
            .iter()
            .enumerate()
            .filter(|(at, row)| !met.contains(at) && args.would_show(&row.identity));
        // The findings of these rows may exist in parts that were not checked.
        let gone = gone
            .filter(|(_, row)| scope.is_none() && !is_unchecked(snapshots, row.identity.package.as_deref()));
        findings::describe_accepted(
            file,
            accepted,
            &gone.map(|(_, row)| row).collect::<Vec<&AcceptedFinding>>(),
            &package_names(snapshots),
        )
    });
    // The lines of findings need the text of files, which may have changed.
    for judged in &all {
        let accepted = judged.accepted.iter().map(|(finding, _)| finding);
        for finding in judged.findings.iter().chain(accepted) {
            finding.at.as_ref().and_then(|at| at.resolve_in_catalog(judged.catalog));
        }
        source::check_texts(judged.catalog)?;
    }
    let fails = |finding: &Finding| args.fails(finding);
    let answer = CheckReport { all: &all, scope: scope.as_ref(), remark: remark.as_deref(), fails: &fails };
    for also in &args.also {
        answer.write_extra_output(also)?;
    }
    answer.print(args.format, out)?;
    if all.iter().all(|judged| judged.findings.is_empty()) {
        args.report_unchecked_crds(snapshots, out);
    }
    let accepted = all.iter().flat_map(|judged| &judged.accepted);
    report_unread(args, &looking, &accepted.map(|(finding, _)| std::ptr::from_ref(*finding)).collect(), out);
    out::report_findings(all.iter().flat_map(|judged| judged.findings.iter().copied()), out);
    // The formats need further texts, for example those of related places.
    snapshots.iter().try_for_each(|snapshot| source::check_texts(&snapshot.catalog))?;
    Ok(is_bad.into())
}

/// Returns the names of the packages of all catalogs.
fn package_names(snapshots: &[Snapshot]) -> BTreeSet<&str> {
    let packages = snapshots.iter().flat_map(|snapshot| source::named_packages(&snapshot.catalog));
    packages.map(|package| package.name.as_str()).collect()
}

/// Returns true if part of a package, or of a catalog as a whole, was not checked.
fn is_unchecked(snapshots: &[Snapshot], package: Option<&str>) -> bool {
    let of_package = |finding: &Finding| finding.package.as_ref().map(PackageName::as_str) == package;
    let findings = snapshots.iter().flat_map(Snapshot::findings).filter(|finding| finding.is_not_checked());
    let mut findings = findings.filter(|finding| finding.package.is_none() || of_package(finding));
    findings.next().is_some()
}

/// Returns the shown findings of a catalog; accepted ones are listed separately. Adds the used rows
/// of the baseline to `met`.
fn split_accepted<'a>(
    args: &Args,
    snapshot: &'a Snapshot,
    partly: &'a PartialFindings,
    file: Option<&'a AcceptedFindings>,
    met: &mut HashSet<usize>,
) -> CatalogFindings<'a> {
    let catalog = &*snapshot.catalog;
    let shown = |finding: &'a Finding| partly.shown_parts(finding, |finding| args.shows(finding));
    let Some(file) = file else {
        let findings = snapshot.findings().flat_map(shown).collect();
        return CatalogFindings { catalog, findings, accepted: Vec::new() };
    };
    let rows = file.match_findings(catalog, snapshot.findings());
    met.extend(rows.iter().flatten());
    let (mut findings, mut accepted) = (Vec::new(), Vec::new());
    for (finding, row) in snapshot.findings().zip(rows) {
        match row.and_then(|at| file.rows.get(at)) {
            Some(row) => accepted.extend(shown(finding).into_iter().map(|f| (f, row.reason.as_str()))),
            None => findings.extend(shown(finding)),
        }
    }
    CatalogFindings { catalog, findings, accepted }
}

/// Reports unreadable parts of catalogs, unless a shown finding reports them.
fn report_unread(args: &Args, looking: &CheckedCatalogs, accepted: &HashSet<*const Finding>, out: &Out) {
    for (at, snapshot) in looking.snapshots.iter().enumerate() {
        let is_asked = |finding: &Finding| looking.touched(at).is_none_or(|of| of.includes_finding(finding));
        let is_hidden = snapshot.findings().any(|finding| {
            is_asked(finding)
                && args.hides_unreadable_content(finding)
                && !accepted.contains(&std::ptr::from_ref(finding))
        });
        if let Some(left_out) = OmittedPart::unread_in_catalog(&snapshot.catalog).filter(|_| is_hidden) {
            out::report_left_out(&left_out, out);
        }
    }
}

impl Args {
    fn shows(&self, finding: &Finding) -> bool {
        (!self.parity || finding.rule.parity)
            && self.is_requested_package(finding.package.as_ref().map(PackageName::as_str))
            && self.chosen.shows(finding)
    }

    /// Returns true if the rules about consoles are requested.
    fn has_console_rules(&self) -> bool {
        self.suites.contains(&CatalogSuite::Console)
    }

    /// Refuses to select rules of a suite that is not requested, because they would find nothing.
    fn check_suite_of_rules(&self) -> Result<(), Failure> {
        let selected = self.chosen.rules.iter().chain(&self.chosen.denied);
        let mut selected = selected.filter_map(|name| rules::by_id(name));
        let rule = selected.find(|rule| rule.subject() == RuleSubject::Console && !self.has_console_rules());
        rule.map_or(Ok(()), |rule| {
            let reason = format!("the rule {} is in the suite console", rule.id);
            Err(Failure::new(reason).with_hint("add --suite console"))
        })
    }

    /// Returns true if a finding with this identity would be shown.
    fn would_show(&self, of: &FindingKey) -> bool {
        let package = of.package.as_ref();
        let rule = rules::by_id(&of.rule);
        let is_rule = |name: &str| name == of.rule || rule.is_some_and(|rule| rule.has_id(name));
        (self.packages.is_empty() || package.is_some_and(|name| self.packages.contains(name)))
            && (self.chosen.rules.is_empty() || self.chosen.rules.iter().any(|name| is_rule(name)))
            && rule.is_none_or(|rule| !self.chosen.allows_rule(rule))
            && rule.is_none_or(|rule| rule.subject() != RuleSubject::Console || self.has_console_rules())
    }

    /// Returns true if a finding that is not shown reports unreadable content of the requested
    /// packages.
    fn hides_unreadable_content(&self, finding: &Finding) -> bool {
        let elsewhere = finding.package.as_ref().is_some_and(|name| {
            !self.packages.is_empty() && self.packages.iter().all(|asked| name != asked.as_str())
        });
        // opm reads less of such a file, and accepts it.
        let is_accepted = self.parity && finding.rule.id == rules::LOST_DOCUMENTS.id;
        finding.rule.hides_content()
            && !is_accepted
            && !elsewhere
            && !self.shows(finding)
            && !self.chosen.allows(finding)
    }

    /// Returns true if findings of a rule would be shown.
    fn chooses_rule(&self, rule: &Rule) -> bool {
        (self.chosen.rules.is_empty() || self.chosen.rules.iter().any(|name| rule.has_id(name)))
            && !self.chosen.allows_rule(rule)
    }

    /// Returns true if a difference between a package and its template would be shown.
    fn compares_with_template(&self, package: &PackageName) -> bool {
        self.is_requested_package(Some(package.as_str())) && self.chooses_rule(&rules::TEMPLATE_DIFFERS)
    }

    /// Returns true if a shown finding makes the run fail.
    fn fails(&self, finding: &Finding) -> bool {
        self.parity || self.chosen.fails(finding)
    }

    /// Reports upgrade steps that were not judged because their manifests are not available. With
    /// `--deny not-checked`, the run then ends with exit code 2; otherwise prints a note.
    fn report_unjudged_steps(&self, snapshots: &[Snapshot], out: &Out) {
        let is_denied = self.chosen.denies(&rules::NOT_CHECKED);
        if !is_denied && !self.bundles.has_source() {
            return;
        }
        for snapshot in snapshots {
            let packages =
                snapshot.packages().filter(|(name, _)| self.is_requested_package(Some(name.as_str())));
            let (missing, all) = packages
                .map(|(_, judged)| judged.unjudged_steps())
                .fold((0, 0), |(missing, all), (more_missing, more)| (missing + more_missing, all + more));
            if missing == 0 {
                continue;
            }
            let reason = format!(
                "{}: {missing} of {all} upgrade steps not checked: the manifests of their bundles are not here",
                snapshot.catalog.origin.label()
            );
            let hint =
                "--bundles DIR names a folder of bundle directories, --fetch-bundles fetches their images";
            if is_denied {
                out.report_not_checked(&reason, Some(hint));
            } else {
                out.print_note(&reason);
            }
        }
    }

    /// Reports that no manifests are available to check whether the upgrades are safe. Without it, `no findings` would
    /// say too much.
    fn report_unchecked_crds(&self, snapshots: &[Snapshot], out: &Out) {
        if self.parity || self.bundles.has_source() || !self.chooses_rule(&rules::CRD_UPGRADE_UNSAFE_V1) {
            return;
        }
        let packages = snapshots.iter().flat_map(Snapshot::packages);
        let mut requested = packages.filter(|(name, _)| self.is_requested_package(Some(name.as_str())));
        if requested.any(|(_, state)| state.has_unjudged_steps()) {
            out.print_note("CRD safety of the upgrades: not checked (--bundles DIR or --fetch-bundles)");
        }
    }

    /// Returns true if findings about a package are requested.
    fn is_requested_package(&self, package: Option<&str>) -> bool {
        self.packages.is_empty() || package.is_some_and(|name| self.packages.iter().any(|own| own == name))
    }
}

/// Result of a check.
struct CheckReport<'a> {
    pub all: &'a [CatalogFindings<'a>],
    /// Scope of the check, if it is limited.
    pub scope: Option<&'a Scope>,
    /// Remark about the baseline.
    pub remark: Option<&'a str>,
    /// Returns true if a finding makes the run fail.
    pub fails: &'a dyn Fn(&Finding) -> bool,
}

impl CheckReport<'_> {
    pub fn print(&self, format: FindingsFormat, out: &mut Out) -> anyhow::Result<()> {
        match format {
            FindingsFormat::Github => findings::print_annotations(&github::finding_commands(self.all), out)?,
            _ => out.print(&self.render_format(format, &out.style))?,
        }
        let is_text = format == FindingsFormat::Text;
        output::print_remark(self.remark.filter(|_| !is_text), out);
        let has_place = is_text || format == FindingsFormat::Markdown;
        output::print_remark(self.scope.filter(|_| !has_place).map(Scope::render_scope).as_deref(), out);
        Ok(())
    }

    fn write_extra_output(&self, also: &ExtraOutput<FindingsFormat>) -> Result<(), Failure> {
        match also.format {
            FindingsFormat::Github => also.write_commands(&github::finding_commands(self.all)),
            format => also.write_text(&self.render_format(format, &Style::PLAIN)),
        }
    }

    fn render_format(&self, format: FindingsFormat, style: &Style) -> String {
        findings::render_findings(format, self.all, self.scope, self.fails, || self.render_text(style))
    }

    fn render_text(&self, style: &Style) -> String {
        let mut text = String::new();
        for judged in self.all {
            text.push_str(&finding::render_findings(judged, style));
            text.push_str(&finding::summarize_catalog_findings(judged.catalog, &judged.findings, style));
        }
        text.push_str(&self.scope.map(Scope::render_scope).unwrap_or_default());
        text.push_str(self.remark.unwrap_or_default());
        text
    }
}

/// Catalogs of a check.
struct CheckedCatalogs {
    /// Reported catalogs.
    pub snapshots: Vec<Snapshot>,
    /// Change of each catalog; empty if no change is given.
    changes: Vec<CatalogChange>,
    /// Unchanged catalogs that may provide unmet requirements of changed ones. Not reported.
    providers: Vec<Snapshot>,
    scope: Option<Scope>,
}

struct CatalogChange {
    path: PathBuf,
    touched: Touched,
    old: Option<Catalog>,
    is_new: bool,
}

fn load_checked_catalogs(args: &Args) -> anyhow::Result<CheckedCatalogs> {
    let Some(change) = load_change(args)? else {
        let openshift = runtime::openshift_versions(&args.paths);
        let catalogs = if args.parity {
            source::open_for_findings(&args.paths, &args.images)?
        } else {
            source::open_catalogs(&args.paths, &args.images)?
        };
        let snapshots = catalogs.into_iter().map(|catalog| load_snapshot(args, catalog, &openshift));
        let mut snapshots = resolve_between_catalogs(snapshots.collect::<anyhow::Result<_>>()?);
        if args.has_console_rules() {
            snapshots = compare_on_consoles(&snapshots, snapshots.len());
        }
        return Ok(CheckedCatalogs { snapshots, changes: Vec::new(), providers: Vec::new(), scope: None });
    };
    let scope = Some(change.scope());
    let paths: Vec<PathBuf> = change.catalogs.iter().map(|changed| changed.path.clone()).collect();
    let openshift = runtime::openshift_versions(&paths);
    let has_base = change.base.is_some();
    let (touched, same): (Vec<ChangedCatalog>, Vec<ChangedCatalog>) =
        change.catalogs.into_iter().partition(ChangedCatalog::is_touched);
    let (mut snapshots, mut changes) = (Vec::new(), Vec::new());
    for ChangedCatalog { path, old, new, touched } in touched {
        let Some(new) = new else { continue };
        snapshots.push(load_snapshot(args, new, &openshift)?);
        changes.push(CatalogChange { path, touched, is_new: has_base && old.is_none(), old });
    }
    let count = snapshots.len();
    // An unchanged catalog is only checked if it may provide what others require, or to compare consoles.
    if args.has_console_rules() || !snapshots.iter().all(Snapshot::is_independent) {
        for new in same.into_iter().filter_map(|changed| changed.new) {
            snapshots.push(load_snapshot(args, new, &openshift)?);
        }
    }
    let mut snapshots = resolve_between_catalogs(snapshots);
    if args.has_console_rules() {
        let checked = compare_on_consoles(&snapshots, count);
        snapshots.splice(..count, checked);
    }
    let beside = snapshots.split_off(count);
    Ok(CheckedCatalogs { snapshots, changes, providers: beside, scope })
}

fn load_change(args: &Args) -> anyhow::Result<Option<Change>> {
    let since = args.changed_since.as_deref();
    match (&args.files, since) {
        (Some(files), _) => {
            let files = changed_catalogs::expand_file_names(files)?;
            changed_catalogs::find_catalogs_of_files(&files, since, &args.paths, &args.images).map(Some)
        }
        (None, Some(since)) => {
            changed_catalogs::compare_with_revision(since, &args.paths, &args.images).map(Some)
        }
        (None, None) => Ok(None),
    }
}

fn load_snapshot(args: &Args, catalog: Catalog, openshift: &[OpenShift]) -> anyhow::Result<Snapshot> {
    if args.parity {
        return Ok(Snapshot::with_rejecting_rules(catalog));
    }
    let uses_cache = catalog.is_rendered_from_bundles() || args.bundles.has_source();
    let snapshot = runtime::check_catalog(catalog, openshift);
    let compared = |package: &PackageName| args.compares_with_template(package);
    let is_compared =
        |(name, _): (&PackageName, _)| compared(name) && snapshot.catalog.template_source(name).is_some();
    if snapshot.packages().any(is_compared) {
        log::info!("--allow {} omits the comparison with templates", rules::TEMPLATE_DIFFERS.id);
    }
    if !uses_cache {
        return Ok(runtime::with_local_checks(snapshot, &compared));
    }
    let sight = args.bundles.search_path(&args.images.access());
    Ok(with_progress(|progress| runtime::with_deferred_checks(snapshot, &sight, &compared, progress))
        .map_err(|path| no_bundles_failure(&path))?)
}

/// Resolves unmet requirements of each catalog with the other catalogs.
fn resolve_between_catalogs(snapshots: Vec<Snapshot>) -> Vec<Snapshot> {
    if snapshots.len() < 2 || snapshots.iter().all(Snapshot::is_independent) {
        return snapshots;
    }
    let told = |(at, snapshot): (usize, &Snapshot)| {
        if snapshot.is_independent() {
            snapshot.clone()
        } else {
            snapshot.with_other_catalogs(provider_sources(&snapshots, &[], at))
        }
    };
    snapshots.iter().enumerate().map(told).collect()
}

/// Checks the first `count` catalogs also with the rules about consoles, which compare each with all others.
fn compare_on_consoles(snapshots: &[Snapshot], count: usize) -> Vec<Snapshot> {
    let source = |other: &Snapshot| Source::new(&other.catalog.origin.label(), other.index());
    let check = |(at, snapshot): (usize, &Snapshot)| {
        let others = snapshots.iter().enumerate().filter(|(other, _)| *other != at);
        snapshot.with_console_rules(others.map(|(_, other)| source(other)).collect())
    };
    snapshots.iter().enumerate().take(count).map(check).collect()
}

/// Returns the catalogs that may provide requirements of the one at position `at`. Omits templates
/// and rejected catalogs.
fn provider_sources(snapshots: &[Snapshot], more: &[Snapshot], at: usize) -> Vec<Source> {
    let others = snapshots.iter().chain(more).enumerate().filter(|(other, snapshot)| {
        *other != at && snapshot.catalog.template().is_none() && snapshot.first_rejection().is_none()
    });
    others.map(|(_, snapshot)| Source::new(&snapshot.catalog.origin.label(), snapshot.index())).collect()
}

impl CheckedCatalogs {
    /// Returns the changed parts of a catalog, if a change is given.
    pub fn touched(&self, at: usize) -> Option<&Touched> {
        self.changes.get(at).map(|change| &change.touched)
    }

    /// Keeps only the findings that the change is responsible for, and returns the scope of the check.
    fn keep_caused_findings(&self, all: &mut [CatalogFindings<'_>]) -> Option<Scope> {
        let mut scope = self.scope.clone()?;
        for (at, (judged, change)) in all.iter_mut().zip(&self.changes).enumerate() {
            let others = || provider_sources(&self.snapshots, &self.providers, at);
            let findings = std::mem::take(&mut judged.findings);
            let shared = touched::split_findings(
                &change.touched,
                findings,
                judged.catalog,
                change.old.as_ref(),
                others,
            );
            judged.findings = shared.responsible;
            let errors = shared.unrelated.iter().filter(|finding| finding.severity() == Severity::Error);
            scope.checked.push(CheckedCatalogPart {
                catalog: change.path.display().to_string(),
                is_new: change.is_new,
                packages: change.touched.packages().map(ToString::to_string).collect(),
                other_findings: shared.unrelated.iter().map(|finding| finding.finding_count()).sum(),
                other_errors: errors.map(|finding: &&Finding| finding.finding_count()).sum(),
            });
        }
        Some(scope)
    }
}
