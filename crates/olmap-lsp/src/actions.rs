//! Code actions about findings: their fixes.

use std::{collections::HashSet, path::Path};

use gen_lsp_types::{CodeAction, CodeActionKind, Diagnostic as Shown, Range, TextEdit, WorkspaceEdit};

use super::{
    Encoding, address,
    changes::{self, Client},
    findings::{self, FindingSubject},
};
use olm_bundle::Tree;
use olm_catalog::Catalog;
use olm_check::{Finding, bundles::BundleFix, review::fixes, rules};
use olm_edit::{Edit, apply_edit};

/// Returns the fixes of findings in a range of a file. Skips fixes that cannot be applied. If a finding has several
/// right answers, each is a fix.
pub fn code_actions<'f>(
    about: FindingSubject<'_>,
    findings: impl Iterator<Item = &'f Finding>,
    (path, asked): (&Path, Range),
    encoding: Encoding,
    client: &Client,
) -> Vec<CodeAction> {
    let mut actions: Vec<CodeAction> = Vec::new();
    for finding in findings {
        if !is_in_range(about, finding, (path, asked), encoding) {
            continue;
        }
        let edit_of = |catalog: &Catalog, edit: &Edit| {
            let after = apply_edit(catalog, edit).ok()?;
            changes::diff_catalogs(catalog, &after, encoding, client).ok()
        };
        let made: Vec<(String, WorkspaceEdit)> = match (about, &finding.fix, finding.bundle_fix.as_deref()) {
            (FindingSubject::Catalog(catalog), Some(edit), _) => {
                edit_of(catalog, edit).map(|change| (edit.title(), change)).into_iter().collect()
            }
            (FindingSubject::Catalog(catalog), None, _) => {
                let choices = fixes::alternative_fixes(catalog, finding);
                let to_change =
                    |(title, edit): (String, Edit)| edit_of(catalog, &edit).map(|change| (title, change));
                choices.into_iter().filter_map(to_change).collect()
            }
            (FindingSubject::Bundle(tree, root), _, Some(fix)) => {
                let edits = bundle_text_edits(tree, root, fix, encoding).map(|file| {
                    (finding.rule.help.to_owned(), changes::build_workspace_edit(vec![file], client))
                });
                edits.into_iter().collect()
            }
            _ => Vec::new(),
        };
        if made.is_empty() {
            continue;
        }
        let diagnostic = published_diagnostic(about, finding, encoding, path);
        let is_only = made.len() == 1;
        let to_action = |(title, edit): (String, WorkspaceEdit)| {
            let title = format!("Fix {}: {title}", finding.rule.id);
            CodeAction {
                title: olm_catalog::escape::escape_line(&title).into_owned(),
                kind: Some(CodeActionKind::QuickFix),
                diagnostics: diagnostic.clone().map(|diagnostic| vec![diagnostic]),
                is_preferred: is_only.then_some(true),
                edit: Some(edit),
                ..CodeAction::default()
            }
        };
        actions.extend(made.into_iter().map(to_action));
    }
    actions
}

/// Kind of the action that applies all spelling fixes.
pub const FIX_ALL_KIND: &str = "source.fixAll.olmap";

/// Returns the action that fixes all spelling mistakes of a file: misspelled keys, empty names in `skips`, and ranges in
/// another dialect. Each has a single right answer, which is what the author wrote. Fixes that choose an upgrade path
/// are left out, because an editor may run this action on each save.
pub fn fix_all_action<'f>(
    catalog: &Catalog,
    findings: impl Iterator<Item = &'f Finding>,
    path: &Path,
    encoding: Encoding,
    client: &Client,
) -> Option<CodeAction> {
    let about = FindingSubject::Catalog(catalog);
    let mut after: Option<Catalog> = None;
    // An edit replaces all edges of its entry. A second fix of an entry would undo the first.
    let mut changed = HashSet::new();
    for finding in findings.filter(|finding| SPELLING_RULES.contains(&finding.rule.id)) {
        let at = finding.at.as_ref().and_then(|at| findings::location_range(about, at, encoding));
        let subject = (&finding.package, &finding.channel, &finding.bundle);
        if let Some(edit) = &finding.fix
            && at.is_some_and(|(file, _)| file == path)
            && !changed.contains(&subject)
            && let Ok(next) = apply_edit(after.as_ref().unwrap_or(catalog), edit)
        {
            changed.insert(subject);
            after = Some(next);
        }
    }
    let edit = changes::diff_catalogs(catalog, &after?, encoding, client).ok()?;
    Some(CodeAction {
        title: "Fix all spelling mistakes".to_owned(),
        kind: Some(CodeActionKind::from(FIX_ALL_KIND)),
        edit: Some(edit),
        ..CodeAction::default()
    })
}

/// Rules whose fixes are [`fix_all_action`].
const SPELLING_RULES: [&str; 3] = [rules::UNKNOWN_KEY.id, rules::EMPTY_SKIP.id, rules::RANGE_DIALECT.id];

/// Returns true if a finding is in a range of a file.
pub(super) fn is_in_range(
    about: FindingSubject<'_>,
    finding: &Finding,
    (path, asked): (&Path, Range),
    encoding: Encoding,
) -> bool {
    let at = finding.at.as_ref().and_then(|at| findings::location_range(about, at, encoding));
    at.is_some_and(|(file, range)| file == path && ranges_touch(range, asked))
}

/// Returns a finding as it was published.
pub(super) fn published_diagnostic(
    about: FindingSubject<'_>,
    finding: &Finding,
    encoding: Encoding,
    path: &Path,
) -> Option<Shown> {
    findings::diagnostics_by_file(about, std::iter::once(finding), encoding, path)
        .into_values()
        .flatten()
        .next()
}

/// Returns the text edits of a fix in a bundle directory.
fn bundle_text_edits(
    tree: &Tree,
    root: &Path,
    fix: &BundleFix,
    encoding: Encoding,
) -> Option<(std::path::PathBuf, Vec<TextEdit>)> {
    let text = tree.files.get(tree.file_index(&fix.file)?)?.content_or_empty();
    let at = |byte: u32| encoding.position(text, byte as usize);
    let edits = fix.splices.iter().map(|(span, new)| {
        let range = Range { start: at(span.start), end: at(span.end) };
        TextEdit { range, new_text: new.clone() }
    });
    Some((address::normalize_dots(&root.join(&fix.file)), edits.collect()))
}

/// Returns true if two ranges overlap or are adjacent.
fn ranges_touch(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}
