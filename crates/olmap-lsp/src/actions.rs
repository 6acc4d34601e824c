//! Fixes of findings as code actions.

use std::path::Path;

use gen_lsp_types::{CodeAction, CodeActionKind, Diagnostic as Shown, Range, TextEdit};

use super::{
    Encoding, address,
    changes::{self, Client},
    findings::{self, FindingSubject},
};
use olm_bundle::Tree;
use olm_check::{Finding, bundles::BundleFix};
use olm_edit::apply_edit;

/// Returns the fixes of findings in a range of a file. Skips fixes that cannot be applied.
pub fn code_actions<'f>(
    about: FindingSubject<'_>,
    findings: impl Iterator<Item = &'f Finding>,
    (path, asked): (&Path, Range),
    encoding: Encoding,
    client: &Client,
) -> Vec<CodeAction> {
    let mut actions: Vec<CodeAction> = Vec::new();
    for finding in findings.filter(|finding| finding.fix.is_some() || finding.bundle_fix.is_some()) {
        let Some((file, range)) =
            finding.at.as_ref().and_then(|at| findings::location_range(about, at, encoding))
        else {
            continue;
        };
        if file != path || !ranges_touch(range, asked) {
            continue;
        }
        let made = match (about, &finding.fix, finding.bundle_fix.as_deref()) {
            (FindingSubject::Catalog(catalog), Some(edit), _) => apply_edit(catalog, edit)
                .ok()
                .and_then(|after| changes::diff_catalogs(catalog, &after, encoding, client).ok())
                .map(|change| (edit.title(), change)),
            (FindingSubject::Bundle(tree, root), _, Some(fix)) => {
                bundle_text_edits(tree, root, fix, encoding).map(|file| {
                    (finding.rule.help.to_owned(), changes::build_workspace_edit(vec![file], client))
                })
            }
            _ => None,
        };
        let Some((title, edit)) = made else { continue };
        let title = format!("Fix {}: {title}", finding.rule.id);
        let diagnostic = published_diagnostic(about, finding, encoding, path);
        actions.push(CodeAction {
            title: olm_catalog::escape::escape_line(&title).into_owned(),
            kind: Some(CodeActionKind::QuickFix),
            diagnostics: diagnostic.map(|diagnostic| vec![diagnostic]),
            is_preferred: Some(true),
            edit: Some(edit),
            ..CodeAction::default()
        });
    }
    actions
}

/// Returns a finding as it was published.
fn published_diagnostic(
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
