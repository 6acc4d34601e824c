//! `olmap bundle validate --fix`: shows or writes fixes of findings.

use std::{collections::BTreeMap, path::PathBuf};

use super::validate::Judgement;
use crate::{
    bundle::Tree,
    cli::{edit::not_saved, failure::Failure, out::Out, source},
    edit::save::{self, FileChange, Lock, StateDirectory},
    export::edit::diff,
    review::{FileDiff, Report},
    validate::{Diagnostic, bundles::BundleFix},
};

/// File with applied fixes.
struct Mended {
    path: PathBuf,
    before: Vec<u8>,
    after: Vec<u8>,
    findings: usize,
}

/// Applies the fixes of all findings, file by file.
fn mended(all: &[Judgement]) -> Vec<Mended> {
    let mut files = Vec::new();
    for judgement in all {
        let mut fixes: BTreeMap<&str, (BundleFix, usize)> = BTreeMap::new();
        for fix in judgement.findings.iter().filter_map(|finding: &Diagnostic| finding.bundle_fix.as_deref())
        {
            let (whole, count) = fixes.entry(&fix.file).or_default();
            whole.file.clone_from(&fix.file);
            *count += usize::from(whole.add(fix));
        }
        for (file, (fix, findings)) in fixes {
            let in_tree = |tree: &'_ Tree| Some(tree.files.get(tree.position(file)?)?.bytes().to_vec());
            let Some(before) = judgement.tree.as_ref().and_then(in_tree) else { continue };
            if let Some(after) = fix.apply(&before) {
                files.push(Mended { path: judgement.path.join(file), before, after, findings });
            }
        }
    }
    files
}

/// Shows the changes without writing them.
pub(super) fn show(all: &[Judgement], out: &mut Out) -> anyhow::Result<()> {
    let files = mended(all);
    if files.is_empty() {
        return Err(nothing().into());
    }
    let files = files.into_iter().map(|file| FileDiff::of_texts(file.path, &file.before, &file.after));
    out.print_exact(&diff(&Report { files: files.collect(), ..Report::default() }))
}

/// Writes the changes, all files or none.
pub(super) fn write(all: &[Judgement], lock: &mut Lock, out: &mut Out) -> anyhow::Result<()> {
    let files = mended(all);
    if files.is_empty() {
        return Err(nothing().into());
    }
    let mut changes = Vec::new();
    for Mended { path, before, after, .. } in &files {
        changes.push(FileChange { path, before: Some(before), after: Some(after) });
    }
    for loss in save::losses(changes.iter().map(|change| change.path), &StateDirectory::usual()) {
        source::warn(&loss.to_string(), None, out);
    }
    let saved = save::save(&changes, lock).map_err(|error| not_saved(&error))?;
    if let Some(not_durable) = saved {
        source::warn(&format!("saved, but {not_durable}"), None, out);
    }
    for file in &files {
        let findings = if file.findings == 1 { "finding" } else { "findings" };
        let words = format!("fixed: {}: {} {findings}", file.path.display(), file.findings);
        out.error(&format!("{}\n", crate::export::plain::line(&words)));
    }
    Ok(())
}

fn nothing() -> Failure {
    Failure::new("no finding can be fixed automatically").hint("olmap explain says how to fix each one")
}
