//! `olmap bundle`: contents of a bundle directory, and checks of it.

mod diff;
mod show;
mod validate;

use std::{collections::BTreeMap, path::PathBuf};

use super::{out::Out, outcome::Outcome};
use crate::cli::{edit::save_failure, failure::Failure, source};
use olm_bundle::Tree;
use olm_check::{
    Finding,
    bundles::BundleFix,
    review::{ChangeReport, FileDiff},
};
use olm_edit::save::{self, DirectoryLock, FileChange, StateDirectory};
use olmap_report::edit::render_unified_diff;
use validate::CheckedBundle;

pub(super) use show::find_bundle;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap bundle show operators/tide/1.3.0
  olmap bundle diff operators/tide/1.2.0 operators/tide/1.3.0
  olmap bundle diff --catalog catalogs/v4.22 1.2.0 1.3.0
  olmap bundle validate operators/tide/1.3.0
  olmap bundle validate operators/tide/* --deny warnings -o github
  olmap bundle validate git:main:operators/tide/1.3.0
  olmap bundle validate --fix -n operators/tide/1.3.0
  olmap bundle validate --suite good-practices --suite operatorhubv2 operators/tide/1.3.0
  olmap bundle validate --target v1 operators/tide/1.3.0

Exit code: 0 ok, 1 validate found errors, or diff found what --fail-on names, 2 failed, or something could not be checked.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show the contents: APIs, deployments, permissions, webhooks, images.
    Show(show::Args),
    /// Compare two bundles, most important differences first.
    Diff(diff::Args),
    /// Check bundles with the suites of opm and operator-sdk, or as a cluster does.
    Validate(validate::Args),
}

pub fn run_bundle(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Show(args) => show::run_bundle_show(args, out),
        Command::Diff(args) => diff::run_bundle_diff(args, out),
        Command::Validate(args) => validate::run_bundle_validate(args, out),
    }
}

/// File with applied fixes.
struct FixedFile {
    path: PathBuf,
    before: Vec<u8>,
    after: Vec<u8>,
    findings: usize,
}

/// Applies the fixes of all findings, file by file.
fn apply_fixes(all: &[CheckedBundle]) -> Vec<FixedFile> {
    let mut files = Vec::new();
    for judgement in all {
        let mut fixes: BTreeMap<&str, (BundleFix, usize)> = BTreeMap::new();
        for fix in judgement.findings.iter().filter_map(|finding: &Finding| finding.bundle_fix.as_deref()) {
            let (whole, count) = fixes.entry(&fix.file).or_default();
            whole.file.clone_from(&fix.file);
            *count += usize::from(whole.merge(fix));
        }
        for (file, (fix, findings)) in fixes {
            let in_tree =
                |tree: &'_ Tree| Some(tree.files.get(tree.file_index(file)?)?.content_or_empty().to_vec());
            let Some(before) = judgement.tree.as_ref().and_then(in_tree) else { continue };
            if let Some(after) = fix.apply(&before) {
                files.push(FixedFile { path: judgement.path.join(file), before, after, findings });
            }
        }
    }
    files
}

/// Shows the changes without writing them.
fn print_fixes(all: &[CheckedBundle], out: &mut Out) -> anyhow::Result<()> {
    let files = apply_fixes(all);
    if files.is_empty() {
        return Err(no_fix_failure().into());
    }
    let files = files.into_iter().map(|file| FileDiff::from_texts(file.path, &file.before, &file.after));
    out.print_exact(&render_unified_diff(&ChangeReport { files: files.collect(), ..ChangeReport::default() }))
}

/// Writes the changes, all files or none.
fn write_fixes(all: &[CheckedBundle], lock: &mut DirectoryLock, out: &mut Out) -> anyhow::Result<()> {
    let files = apply_fixes(all);
    if files.is_empty() {
        return Err(no_fix_failure().into());
    }
    let mut changes = Vec::new();
    for FixedFile { path, before, after, .. } in &files {
        changes.push(FileChange { path, before: Some(before), after: Some(after) });
    }
    for loss in
        save::find_losses(changes.iter().map(|change| change.path), &StateDirectory::default_location())
    {
        source::print_warning(&loss.to_string(), None, out);
    }
    let saved = save::save_files(&changes, lock).map_err(|error| save_failure(&error))?;
    if saved.warning().is_some() {
        source::print_warning(&saved.to_string(), None, out);
    }
    for file in &files {
        let findings = if file.findings == 1 { "finding" } else { "findings" };
        let words = format!("fixed: {}: {} {findings}", file.path.display(), file.findings);
        out.print_stderr(&format!("{}\n", olmap_report::escape::escape_line(&words)));
    }
    Ok(())
}

fn no_fix_failure() -> Failure {
    Failure::new("no finding can be fixed automatically").with_hint("olmap explain says how to fix each one")
}
