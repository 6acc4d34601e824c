//! `olmap history`: changes of each commit to a package and its users.

use std::path::PathBuf;

use super::{
    failure::{self, Failure},
    format::ReportFormat,
    out::Out,
    outcome::Outcome,
    progress, source,
};
use crate::{
    catalog::{BundleName, PackageName, near},
    export::{
        history::{self, Told},
        json,
    },
    review::history::History,
    runtime,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The package.
    package: String,
    /// The catalog in a git repository: a directory or a file, which need not be there any more.
    path: Option<PathBuf>,
    /// Only what is about this bundle, by its name or its version: when it came, changed and went, and by whom.
    #[arg(long, value_name = "BUNDLE")]
    of: Option<String>,
    /// Only commits after this one: a branch, a tag, a commit.
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// At most so many commits, the newest.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let path = source::on_disk(args.path.as_deref())?;
    let package = PackageName::from(args.package.as_str());
    let limit = args.limit.and_then(|limit| usize::try_from(limit).ok());
    // The limit counts only commits about the bundle, if `--of` is given.
    let most = limit.filter(|_| args.of.is_none());
    let read = progress::watched(|progress| {
        runtime::history(&path, &package, args.since.as_deref(), most, progress)
    });
    let all = read.map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))?;
    let label = path.display().to_string();
    if all.steps.is_empty() && args.since.is_none() {
        let hint = "uncommitted changes are no history: see olmap diff git:HEAD PATH";
        return Err(Failure::new(format!("no commit has package {package} in {label}")).hint(hint).into());
    }
    let bundle = args.of.as_deref().map(|of| meant(&all, of)).transpose()?;
    let narrowed = bundle.as_ref().map(|bundle| all.of(bundle));
    let mut told = narrowed.unwrap_or(all);
    if let Some(limit) = limit.filter(|limit| *limit < told.steps.len()) {
        told.steps.truncate(limit);
        told.is_cut = true;
    }
    let told = Told { history: &told, catalog: &label, bundle: bundle.as_ref() };
    match args.format {
        ReportFormat::Text => out.print(&history::text(&told, &out.style))?,
        ReportFormat::Json => out.print(&json::pretty(&history::value(&told)))?,
        ReportFormat::Markdown => out.print(&history::comment(&told))?,
    }
    Ok(Outcome::Fine)
}

/// Returns the bundle with a name, or with a version at the end of its name.
fn meant(history: &History, of: &str) -> Result<BundleName, Failure> {
    let known = history.bundles();
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
            let near = near::meant(of, known.iter().map(|name| name.as_str()));
            Err(failure.maybe_hint(near.map(|near| format!("did you mean {near}?"))))
        }
        (None, several) => Err(Failure::new(format!("several bundles end in {of}"))
            .hint(format!("choose one: {}", failure::some_of(several.iter().map(|name| name.as_str()))))),
    }
}
