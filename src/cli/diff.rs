//! `olmap diff`: semantic differences between two catalogs, and their impact on users.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::changed_catalogs::{self, ChangedCatalog};
use super::comparison::{self, ComparedCatalogs, ExemptChannels, FailOn};
use super::output::{self, ExtraOutput};
use super::safety::{BundlesArgs, no_bundles_failure};
use super::{
    Failure, Out, Outcome, ReportFormat, comment_links, image, join_names, out, source, with_progress,
};
use crate::runtime;
use olm_catalog::{Catalog, PackageName};
use olm_check::review::diff::{Gate, gate};
use olm_check::review::{Difference, Snapshot};
use olmap_report::diff::{CatalogComparison, json, markdown, text};
use olmap_report::omissions::{OmissionReason, OmittedPart};
use olmap_report::{Style, json as print, scope::CheckedCatalogPart};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap diff git:main catalogs/v4.22            changes of the current branch
  olmap diff catalogs/v4.20 catalogs/v4.22
  olmap diff git:v1.0 git:v1.1:catalogs/v4.22   two revisions of a catalog
  olmap diff --fail-on all -o markdown git:origin/main catalog
  olmap diff --changed-since main...            all catalogs that this branch changes
  olmap diff catalog template.yaml              changes by rendering the template

Exit code: 0 ok, 1 a change that --fail-on names, 2 failed, or something could not be checked.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Old catalog: directory, file, image, - for standard input, or git:REV[:PATH] for a revision
    /// of the current git repository. Without :PATH it is the path of the other catalog. A template
    /// is rendered with the bundles of the other side.
    #[arg(required_unless_present = "changed_since")]
    old: Option<PathBuf>,
    /// New catalog, in the same form.
    #[arg(required_unless_present = "changed_since")]
    new: Option<PathBuf>,
    #[arg(hide = true)]
    more: Vec<PathBuf>,
    /// Compare the catalogs that follow, or all found here, with a git revision, including new and
    /// deleted catalogs. REV... is the commit at which the current branch left REV.
    #[arg(long, value_name = "REV", conflicts_with = "packages")]
    changed_since: Option<String>,
    /// Only this package. Can be repeated.
    #[arg(long = "package", short = 'p', value_name = "NAME")]
    packages: Vec<String>,
    /// Exit with 1 if the new catalog does one of these. Can be repeated, or separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    #[command(flatten)]
    excepted: ExemptChannels,
    /// Also report documents that differ only in formatting.
    #[arg(long)]
    formatting: bool,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// Also write the report to FILE, in another format. Can be repeated.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = output::parse_extra_output::<ReportFormat>)]
    also: Vec<ExtraOutput<ReportFormat>>,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_diff(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match (&args.changed_since, &args.old, &args.new, args.more.as_slice()) {
        (Some(revision), ..) => compare_changed(args, revision, out),
        (None, Some(old), Some(new), []) => compare_pair(args, old, new, out),
        _ => Err(Failure::new("diff compares two catalogs")
            .with_hint("to compare several with a revision, use --changed-since REV")
            .into()),
    }
}

/// Compares two catalogs.
fn compare_pair(args: &Args, old: &Path, new: &Path, out: &mut Out) -> anyhow::Result<Outcome> {
    source::check_stdin([old, new])?;
    let ComparedCatalogs { old, new, template_packages: made } =
        comparison::open_sides(old, new, &args.images)?;
    if let Some(name) = args.packages.iter().find(|n| old.package(n).is_none() && new.package(n).is_none()) {
        return Err(source::no_package_failure(&new, name).into());
    }
    for (also, side) in args.also.iter().flat_map(|also| [(also, &old), (also, &new)]) {
        also.check_target(&side.origin)?;
    }
    let style = out.style;
    let mut alsos = Vec::new();
    // A template is only compared with its own packages.
    let packages = made.filter(|_| args.packages.is_empty());
    if let Some(made) = &packages {
        let others =
            [&old, &new].into_iter().flat_map(Catalog::packages).map(|package| package.name.as_str());
        let others: BTreeSet<&str> = others.filter(|name| !made.iter().any(|made| made == name)).collect();
        if !others.is_empty() {
            let words =
                format!("not compared, since the template does not make them: {}", join_names(others));
            out.print_note(&words);
        }
    }
    let packages = packages.as_deref().unwrap_or(&args.packages);
    let (printed, verdict) = compare_and_report(args, packages, old, new, |compared| {
        let rendered = |format, style: &Style| match format {
            ReportFormat::Text => text::render_difference(compared, style),
            ReportFormat::Json | ReportFormat::Yaml => {
                output::encode_json(format, print::to_pretty_json(&json::difference_json(compared)))
            }
            ReportFormat::Markdown => {
                markdown::render_difference_comment(compared, &comment_links::links_from_environment())
            }
        };
        alsos = args.also.iter().map(|also| rendered(also.format, &Style::PLAIN)).collect();
        rendered(args.format, &style)
    })?;
    for (also, text) in args.also.iter().zip(alsos) {
        also.write_text(&text)?;
    }
    out.print(&printed)?;
    Ok(verdict.report(out))
}

/// Compares each changed catalog with its old state.
fn compare_changed(args: &Args, revision: &str, out: &mut Out) -> anyhow::Result<Outcome> {
    let given: Vec<PathBuf> = args.old.iter().chain(&args.new).chain(&args.more).cloned().collect();
    let change = changed_catalogs::compare_with_revision(revision, &given, &args.images)?;
    let mut scope = change.scope();
    let touched: Vec<ChangedCatalog> =
        change.catalogs.into_iter().filter(ChangedCatalog::is_touched).collect();
    let count = touched.len();
    let style = out.style;
    let (mut texts, mut plains, mut rows, mut parts) = (String::new(), String::new(), Vec::new(), Vec::new());
    let mut verdict = DiffResult::default();
    let links = comment_links::links_from_environment();
    for changed in touched {
        let catalog = changed.path.display().to_string();
        if changed.new.is_some() {
            scope.checked.push(CheckedCatalogPart {
                catalog: catalog.clone(),
                is_new: changed.old.is_none(),
                ..CheckedCatalogPart::default()
            });
        }
        let (old, new) = changed.into_sides();
        args.also.iter().try_for_each(|also| also.check_target(&new.origin))?;
        let ((), of) = compare_and_report(args, &args.packages, old, new, |compared| {
            for (texts, style) in [(&mut texts, &style), (&mut plains, &Style::PLAIN)] {
                if !texts.is_empty() {
                    texts.push('\n');
                }
                texts.push_str(&text::render_difference(compared, style));
            }
            rows.push(json::difference_json(compared));
            parts.push(markdown::render_comment_part(&catalog, compared, count, &links));
        })?;
        verdict = verdict.merge(of);
    }
    let rendered = |format, texts: &str| match format {
        ReportFormat::Text => format!("{texts}{}", scope.render_comparison_text()),
        ReportFormat::Json | ReportFormat::Yaml => output::encode_json(format, print::to_pretty_json(&rows)),
        ReportFormat::Markdown => {
            markdown::join_comment_parts(&parts, &scope.render_comparison_markdown(), &links)
        }
    };
    for also in &args.also {
        also.write_text(&rendered(also.format, &plains))?;
    }
    out.print(&rendered(args.format, &texts))?;
    output::print_remark(
        matches!(args.format, ReportFormat::Json | ReportFormat::Yaml)
            .then(|| scope.render_comparison_text())
            .as_deref(),
        out,
    );
    Ok(verdict.report(out))
}

/// Result of comparing catalogs.
#[derive(Default)]
struct DiffResult {
    /// True if a gate fails.
    fails: bool,
    /// Parts that were not compared although the user asked for it.
    left_out: Vec<OmittedPart>,
}

impl DiffResult {
    fn merge(mut self, other: Self) -> Self {
        self.left_out.extend(other.left_out);
        Self { fails: self.fails || other.fails, ..self }
    }

    fn report(self, out: &Out) -> Outcome {
        self.left_out.iter().for_each(|left_out| out::report_left_out(left_out, out));
        self.fails.into()
    }
}

/// Compares two catalogs, and passes the result to `tell`.
fn compare_and_report<R>(
    args: &Args,
    packages: &[String],
    old: Catalog,
    new: Catalog,
    tell: impl FnOnce(&CatalogComparison<'_>) -> R,
) -> anyhow::Result<(R, DiffResult)> {
    let (old_label, new_label) = (old.origin.label(), new.origin.label());
    let judged = |side| snapshot_with_safety(side, &args.bundles, &args.images);
    let (old, new) = (judged(old)?, judged(new)?);
    let mut difference = Difference::compare_catalogs(&old, &new);
    let gates: Vec<Gate> = args.fail_on.iter().flat_map(|what| what.gates()).copied().collect();
    let except = args.excepted.patterns_or_default();
    let matters = |name: &PackageName| source::is_requested(packages, name);
    if !packages.is_empty() {
        difference.retain_packages(matters);
    }
    let left_out = comparison::list_omitted_parts(&old, &new, matters);
    let violations = gate::find_violations(&difference, &gates, &except);
    let compared = CatalogComparison {
        old_label: &old_label,
        new_label: &new_label,
        difference: &difference,
        violations: &violations,
        left_out,
        formatting: args.formatting,
        update: comparison::plan_update(&old, &new, matters),
    };
    let is_gate = args.fail_on.iter().any(|what| matches!(what, FailOn::Stranded | FailOn::All));
    let strands = compared.update.as_ref().is_some_and(|update| update.everyone.count_stranded().0 > 0);
    let told = tell(&compared);
    let fails = !violations.is_empty() || (is_gate && strands);
    let mut left_out = compared.left_out;
    let dependencies = &difference.consequences.unmet;
    if let Some(stopped) = dependencies.stopped.filter(|_| gates.contains(&Gate::BrokenDependencies)) {
        left_out.push(OmittedPart {
            catalog: new_label.clone(),
            count: 1,
            first: format!("whether all bundles keep what they need is not known: {stopped}"),
            kind: OmissionReason::NotChecked,
        });
    }
    // An incomplete catalog can be compared, but does not pass a gate.
    left_out.retain(|one| !args.fail_on.is_empty() || one.kind == OmissionReason::NotChecked);
    Ok((told, DiffResult { fails, left_out }))
}

/// Builds the snapshot of a side. Includes the safety of upgrade steps if a source of manifests is given.
fn snapshot_with_safety(
    catalog: Catalog,
    from: &BundlesArgs,
    images: &image::Args,
) -> Result<Snapshot, Failure> {
    if !from.has_source() && !catalog.is_rendered_from_bundles() {
        return Ok(Snapshot::new(catalog));
    }
    let sight = from.search_path(&images.access());
    with_progress(|progress| {
        runtime::with_deferred_checks(Snapshot::new(catalog), &sight, &|_| true, progress)
    })
    .map_err(|path| no_bundles_failure(&path))
}
