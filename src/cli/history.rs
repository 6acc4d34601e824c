//! `olmap history`: changes of each commit to a package and its users.

use std::path::PathBuf;

use super::{Failure, Out, Outcome, ReportFormat, join_names, output, source, with_progress};
use crate::runtime;
use olm_catalog::{BundleName, PackageName, similar_names};
use olm_check::review::history::History;
use olmap_report::history::{self, HistoryReport};
use olmap_report::json;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
olmap follows the first parent of each commit, so a merge is one step. It does not list commits that change only \
other packages in a shared file. It writes and fetches nothing.

Examples:
  olmap history tide catalog                    all commits, newest first
  olmap history tide catalog --since v1.0 --limit 10
  olmap history tide catalog --of 1.2.0         who added and removed the bundle, and when

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Package.
    package: String,
    /// Catalog in a git repository: directory or file, which may be deleted.
    path: Option<PathBuf>,
    /// Only changes of this bundle (name or version): when it was added, changed and removed, and
    /// by whom.
    #[arg(long, value_name = "BUNDLE")]
    of: Option<String>,
    /// Only commits after this branch, tag or commit.
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Maximum number of commits, newest first.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
}

pub fn run_history(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let path = source::catalog_path_on_disk(args.path.as_deref())?;
    let package = PackageName::from(args.package.as_str());
    let limit = args.limit.and_then(|limit| usize::try_from(limit).ok());
    // The limit counts only commits about the bundle, if `--of` is given.
    let most = limit.filter(|_| args.of.is_none());
    let read = with_progress(|progress| {
        runtime::load_history(&path, &package, args.since.as_deref(), most, progress)
    });
    let all = read.map_err(Failure::from)?;
    let label = path.display().to_string();
    if all.steps.is_empty() && args.since.is_none() {
        let hint = "uncommitted changes are no history: see olmap diff git:HEAD PATH";
        return Err(Failure::new(format!("no commit has package {package} in {label}"))
            .with_hint(hint)
            .into());
    }
    let bundle = args.of.as_deref().map(|of| resolve_bundle(&all, of)).transpose()?;
    let narrowed = bundle.as_ref().map(|bundle| all.for_bundle(bundle));
    let mut told = narrowed.unwrap_or(all);
    if let Some(limit) = limit.filter(|limit| *limit < told.steps.len()) {
        told.steps.truncate(limit);
        told.is_cut = true;
    }
    let told = HistoryReport { history: &told, catalog: &label, bundle: bundle.as_ref() };
    match args.format {
        ReportFormat::Text => out.print(&history::render_history(&told, &out.style))?,
        ReportFormat::Json | ReportFormat::Yaml => {
            out.print(&output::encode_json(
                args.format,
                json::to_pretty_json(&history::history_json(&told)),
            ))?;
        }
        ReportFormat::Markdown => out.print(&history::render_history_comment(&told))?,
    }
    Ok(Outcome::Fine)
}

/// Returns the bundle with a name, or with a version at the end of its name.
fn resolve_bundle(history: &History, of: &str) -> Result<BundleName, Failure> {
    let known = history.all_bundles();
    let is_version = |name: &&BundleName| {
        let rest = name.as_str().strip_suffix(of);
        rest.is_some_and(|rest| rest.trim_end_matches('v').ends_with(['.', '-']))
    };
    let found = known.iter().copied().find(|name| name.as_str() == of);
    let ending: Vec<&BundleName> = known.iter().copied().filter(is_version).collect();
    match (found, ending.as_slice()) {
        (Some(name), _) => Ok(name.clone()),
        (None, [name]) => Ok((*name).clone()),
        (None, []) => {
            let failure = Failure::new(format!("no commit is about a bundle {of}"));
            let near = similar_names::suggest_closest(of, known.iter().map(|name| name.as_str()));
            Err(failure.with_optional_hint(near.map(|near| format!("did you mean {near}?"))))
        }
        (None, several) => Err(Failure::new(format!("several bundles end in {of}"))
            .with_hint(format!("choose one: {}", join_names(several.iter().map(|name| name.as_str()))))),
    }
}
