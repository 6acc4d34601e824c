//! Fixes of findings as code actions.

use std::path::Path;

use gen_lsp_types::{CodeAction, CodeActionKind, Diagnostic as Shown, Range, TextEdit};

use super::{
    Encoding, address,
    changes::{self, Client},
    findings::{self, About},
};
use crate::{
    bundle::Tree,
    edit::apply,
    validate::{Diagnostic, bundles::BundleFix},
};

/// Returns the fixes of findings in a range of a file. Skips fixes that cannot be applied.
pub fn fixes<'f>(
    about: About<'_>,
    findings: impl Iterator<Item = &'f Diagnostic>,
    (path, asked): (&Path, Range),
    encoding: Encoding,
    client: &Client,
) -> Vec<CodeAction> {
    let mut actions: Vec<CodeAction> = Vec::new();
    for finding in findings.filter(|finding| finding.fix.is_some() || finding.bundle_fix.is_some()) {
        let Some((file, range)) = finding.at.as_ref().and_then(|at| findings::place_of(about, at, encoding))
        else {
            continue;
        };
        if file != path || !touches(range, asked) {
            continue;
        }
        let made = match (about, &finding.fix, finding.bundle_fix.as_deref()) {
            (About::Catalog(catalog), Some(edit), _) => apply(catalog, edit)
                .ok()
                .and_then(|after| changes::between(catalog, &after, encoding, client).ok())
                .map(|change| (edit.title(), change)),
            (About::Bundle(tree, root), _, Some(fix)) => of_bundle(tree, root, fix, encoding)
                .map(|file| (finding.rule.help.to_owned(), changes::of_files(vec![file], client))),
            _ => None,
        };
        let Some((title, edit)) = made else { continue };
        let title = format!("Fix {}: {title}", finding.rule.id);
        let diagnostic = one(about, finding, encoding, path);
        actions.push(CodeAction {
            title: crate::catalog::plain::line(&title).into_owned(),
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
fn one(about: About<'_>, finding: &Diagnostic, encoding: Encoding, path: &Path) -> Option<Shown> {
    findings::by_file(about, std::iter::once(finding), encoding, path).into_values().flatten().next()
}

/// Returns the text edits of a fix in a bundle directory.
fn of_bundle(
    tree: &Tree,
    root: &Path,
    fix: &BundleFix,
    encoding: Encoding,
) -> Option<(std::path::PathBuf, Vec<TextEdit>)> {
    let text = tree.files.get(tree.position(&fix.file)?)?.bytes();
    let at = |byte: u32| encoding.position(text, byte as usize);
    let edits = fix.splices.iter().map(|(span, new)| {
        let range = Range { start: at(span.start), end: at(span.end) };
        TextEdit { range, new_text: new.clone() }
    });
    Some((address::tidy(&root.join(&fix.file)), edits.collect()))
}

/// Returns true if two ranges overlap or are adjacent.
fn touches(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}
