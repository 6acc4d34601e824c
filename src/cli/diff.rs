//! `olmap diff`: semantic differences between two catalogs, and their impact on users.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{
    also::{self, Also},
    changed::{self, Changed},
    compare::{self, Excepted, FailOn, Pair},
    failure::{self, Failure},
    format::ReportFormat,
    image, not_checked,
    out::Out,
    outcome::Outcome,
    progress,
    safety::{BundlesArgs, no_bundles},
    source,
};
use crate::{
    catalog::{Catalog, PackageName},
    export::{
        Style,
        diff::{Compared, json, markdown, text},
        json as print,
        left_out::{LeftOut, LeftOutKind},
        scope::Looked,
    },
    review::{
        Difference, Snapshot,
        diff::{Gate, gate},
    },
    runtime,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The old catalog: a directory, a file, - for standard input, or git:REV[:PATH] for a revision of the current
    /// git repository. Without :PATH it is the path of the other catalog. A template is rendered with the bundles of the
    /// other side.
    #[arg(required_unless_present = "changed_since")]
    old: Option<PathBuf>,
    /// The new catalog, given in the same ways.
    #[arg(required_unless_present = "changed_since")]
    new: Option<PathBuf>,
    #[arg(hide = true)]
    more: Vec<PathBuf>,
    /// Compare each of the catalogs that follow, or all that are found here, with what a revision of the git repository has; also
    /// those that are new or gone. REV... is the commit at which the current branch left REV.
    #[arg(long, value_name = "REV", conflicts_with = "packages")]
    changed_since: Option<String>,
    /// Only this package. May be given several times.
    #[arg(long = "package", short = 'p', value_name = "NAME")]
    packages: Vec<String>,
    /// Exit with 1 if the new catalog does one of these. May be given several times, or separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    #[command(flatten)]
    excepted: Excepted,
    /// Also report documents that differ only in formatting.
    #[arg(long)]
    formatting: bool,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// Also write the report to FILE, in another format. May be given several times.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = also::parse::<ReportFormat>)]
    also: Vec<Also<ReportFormat>>,
    #[command(flatten)]
    images: image::Args,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match (&args.changed_since, &args.old, &args.new, args.more.as_slice()) {
        (Some(revision), ..) => changed(args, revision, out),
        (None, Some(old), Some(new), []) => pair(args, old, new, out),
        _ => Err(Failure::new("diff compares two catalogs")
            .hint("to compare several with a revision, use --changed-since REV")
            .into()),
    }
}

/// Compares two catalogs.
fn pair(args: &Args, old: &Path, new: &Path, out: &mut Out) -> anyhow::Result<Outcome> {
    source::check_stdin(&[old.to_owned(), new.to_owned()])?;
    let Pair { old, new, made } = compare::open_pair(old, new, &args.images)?;
    if let Some(name) = args.packages.iter().find(|n| old.package(n).is_none() && new.package(n).is_none()) {
        return Err(source::no_package(&new, name).into());
    }
    for (also, side) in args.also.iter().flat_map(|also| [(also, &old), (also, &new)]) {
        also.check(&side.origin)?;
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
                format!("not compared, since the template does not make them: {}", failure::some_of(others));
            source::note(&words, out);
        }
    }
    let packages = packages.as_deref().unwrap_or(&args.packages);
    let (printed, verdict) = compare_and_tell(args, packages, old, new, |compared| {
        let rendered = |format, style: &Style| match format {
            ReportFormat::Text => text::text(compared, style),
            ReportFormat::Json => print::pretty(&json::value(compared)),
            ReportFormat::Markdown => markdown::comment(compared),
        };
        alsos = args.also.iter().map(|also| rendered(also.format, &Style::PLAIN)).collect();
        rendered(args.format, &style)
    })?;
    for (also, text) in args.also.iter().zip(alsos) {
        also.write(&text)?;
    }
    out.print(&printed)?;
    Ok(verdict.report(out))
}

/// Compares each changed catalog with its old state.
fn changed(args: &Args, revision: &str, out: &mut Out) -> anyhow::Result<Outcome> {
    let given: Vec<PathBuf> = args.old.iter().chain(&args.new).chain(&args.more).cloned().collect();
    let change = changed::since(revision, &given, &args.images)?;
    let mut scope = change.scope();
    let touched: Vec<Changed> = change.catalogs.into_iter().filter(Changed::is_touched).collect();
    let count = touched.len();
    let style = out.style;
    let (mut texts, mut plains, mut rows, mut parts) = (String::new(), String::new(), Vec::new(), Vec::new());
    let mut verdict = Verdict::default();
    for changed in touched {
        if changed.new.is_some() {
            let catalog = changed.path.display().to_string();
            scope.looked.push(Looked { catalog, is_new: changed.old.is_none(), ..Looked::default() });
        }
        let (old, new) = changed.sides();
        args.also.iter().try_for_each(|also| also.check(&new.origin))?;
        let ((), of) = compare_and_tell(args, &args.packages, old, new, |compared| {
            texts += &text::text(compared, &style);
            plains += &text::text(compared, &Style::PLAIN);
            rows.push(json::value(compared));
            parts.push(markdown::part(compared, count));
        })?;
        verdict = verdict.and(of);
    }
    let rendered = |format, texts: &str| match format {
        ReportFormat::Text => format!("{texts}{}", scope.text_beside()),
        ReportFormat::Json => print::pretty(&rows),
        ReportFormat::Markdown => markdown::comment_of(&parts, &scope.markdown_beside()),
    };
    for also in &args.also {
        also.write(&rendered(also.format, &plains))?;
    }
    out.print(&rendered(args.format, &texts))?;
    also::remark((args.format == ReportFormat::Json).then(|| scope.text_beside()).as_deref(), out);
    Ok(verdict.report(out))
}

/// Result of comparing catalogs.
#[derive(Default)]
struct Verdict {
    /// True if a gate fails.
    fails: bool,
    /// Parts that were not compared although the user asked for it.
    left_out: Vec<LeftOut>,
}

impl Verdict {
    fn and(mut self, other: Self) -> Self {
        self.left_out.extend(other.left_out);
        Self { fails: self.fails || other.fails, ..self }
    }

    fn report(self, out: &Out) -> Outcome {
        self.left_out.iter().for_each(|left_out| not_checked::report_left_out(left_out, out));
        self.fails.into()
    }
}

/// Compares two catalogs, and passes the result to `tell`.
fn compare_and_tell<R>(
    args: &Args,
    packages: &[String],
    old: Catalog,
    new: Catalog,
    tell: impl FnOnce(&Compared<'_>) -> R,
) -> anyhow::Result<(R, Verdict)> {
    let (old_label, new_label) = (old.origin.label(), new.origin.label());
    let judged = |side| judged(side, &args.bundles, &args.images);
    let (old, new) = (judged(old)?, judged(new)?);
    let mut difference = Difference::between(&old, &new);
    if !packages.is_empty() {
        difference.keep(|package| packages.iter().any(|name| package == name.as_str()));
    }
    let gates: Vec<Gate> = args.fail_on.iter().flat_map(|what| what.gates()).copied().collect();
    let except = args.excepted.globs();
    let matters =
        |name: &PackageName| packages.is_empty() || packages.iter().any(|asked| name == asked.as_str());
    let left_out = compare::left_out(&old, &new, matters);
    let violations = gate::violations(&difference, (&old, &new), &gates, &except);
    let compared = Compared {
        old_label: &old_label,
        new_label: &new_label,
        old: &old,
        new: &new,
        difference: &difference,
        violations: &violations,
        left_out,
        formatting: args.formatting,
        update: compare::update(&old, &new, matters),
    };
    let is_gate = args.fail_on.iter().any(|what| matches!(what, FailOn::Stranded | FailOn::All));
    let strands = compared.update.as_ref().is_some_and(|update| update.everyone.stranded().0 > 0);
    let told = tell(&compared);
    let fails = !violations.is_empty() || (is_gate && strands);
    let mut left_out = compared.left_out;
    let dependencies = &difference.consequences.left;
    if let Some(stopped) = dependencies.stopped.filter(|_| gates.contains(&Gate::BrokenDependencies)) {
        left_out.push(LeftOut {
            catalog: new_label.clone(),
            count: 1,
            first: format!("whether all bundles keep what they need is not known: {stopped}"),
            kind: LeftOutKind::NotChecked,
        });
    }
    // An incomplete catalog can be compared, but does not pass a gate.
    left_out.retain(|one| !args.fail_on.is_empty() || one.kind == LeftOutKind::NotChecked);
    Ok((told, Verdict { fails, left_out }))
}

/// Builds the snapshot of a side. Includes the safety of upgrade steps if a source of manifests is given.
fn judged(catalog: Catalog, from: &BundlesArgs, images: &image::Args) -> Result<Snapshot, Failure> {
    if !from.says_where() && !catalog.is_proposed() {
        return Ok(Snapshot::new(catalog));
    }
    let sight = from.sight(&images.access());
    progress::watched(|progress| runtime::with_learned(Snapshot::new(catalog), &sight, progress))
        .map_err(|path| no_bundles(&path))
}
