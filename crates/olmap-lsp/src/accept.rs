//! Code actions that accept findings: rows of the file of accepted findings beside a catalog.

use std::path::{Path, PathBuf};

use gen_lsp_types::{CodeAction, CodeActionKind, Range};

use super::{
    Encoding,
    actions::{is_in_range, published_diagnostic},
    changes::{self, Client},
    findings::FindingSubject,
};
use olm_catalog::{Catalog, escape};
use olm_check::{
    Finding,
    review::accepted::{AcceptedFinding, AcceptedFindings},
};

/// Maximum number of findings at a position that can be accepted.
const MAX_ACCEPTED: usize = 4;

/// File of accepted findings, with its current text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptanceFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Text of the file; `None` if it does not exist.
    pub text: Option<Vec<u8>>,
}

/// Returns an action for each finding in a range that accepts it. A file that does not exist is created if the client
/// can do that. Nothing is offered if the file has a mistake.
pub fn accept_actions<'f>(
    catalog: &Catalog,
    findings: impl Iterator<Item = &'f Finding>,
    (path, asked): (&Path, Range),
    file: &AcceptanceFile,
    (encoding, client): (Encoding, &Client),
) -> Vec<CodeAction> {
    let about = FindingSubject::Catalog(catalog);
    let known = file.text.as_deref().unwrap_or_default();
    let Ok(accepted) = AcceptedFindings::parse_file(file.path.clone(), known) else { return Vec::new() };
    let here = findings
        .filter(|finding| !finding.is_not_checked() && is_in_range(about, finding, (path, asked), encoding));
    let to_action = |finding: &Finding| {
        let text = text_accepting(&accepted, known, catalog, finding)?;
        let edit = match &file.text {
            Some(before) => changes::edit_text(&file.path, before, text.as_bytes(), (encoding, client))?,
            None if client.creates_files => changes::create_file(&file.path, text),
            None => return None,
        };
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let subject = [
            finding.bundle.as_ref().map(ToString::to_string),
            finding.channel.as_ref().map(ToString::to_string),
            finding.package.as_ref().map(ToString::to_string),
        ];
        let subject = subject.into_iter().flatten().next();
        let title = match subject {
            Some(subject) => format!("Accept {} of {subject} in {name}", finding.rule.id),
            None => format!("Accept {} in {name}", finding.rule.id),
        };
        Some(CodeAction {
            title: escape::escape_line(&title).into_owned(),
            kind: Some(CodeActionKind::QuickFix),
            diagnostics: published_diagnostic(about, finding, encoding, path).map(|shown| vec![shown]),
            edit: Some(edit),
            ..CodeAction::default()
        })
    };
    here.filter_map(to_action).take(MAX_ACCEPTED).collect()
}

/// Returns the text of the file after a finding is accepted. `None` if the text cannot be changed without losing
/// comments.
fn text_accepting(
    accepted: &AcceptedFindings,
    known: &[u8],
    catalog: &Catalog,
    finding: &Finding,
) -> Option<String> {
    let new = AcceptedFindings::default().rows_accepting_all(std::iter::once((catalog, vec![finding])));
    let [new] = new.as_slice() else { return None };
    let is_generated = known.is_empty() || AcceptedFindings::format_file(&accepted.rows).as_bytes() == known;
    if is_generated {
        let mut rows = accepted.rows.clone();
        match rows.iter_mut().find(|row| row.identity == new.identity) {
            Some(row) => row.count += new.count,
            None => rows.push(new.clone()),
        }
        return Some(AcceptedFindings::format_file(&rows));
    }
    // The file has comments or another layout. A new row goes to its end.
    if accepted.rows.is_empty() || accepted.rows.iter().any(|row| row.identity == new.identity) {
        return None;
    }
    let mut text = String::from_utf8(known.to_vec()).ok()?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&row_line(new)?);
    let is_valid = AcceptedFindings::parse_file(accepted.path.clone(), text.as_bytes())
        .is_ok_and(|after| after.rows.len() == accepted.rows.len() + 1);
    is_valid.then_some(text)
}

/// Returns the line of a row.
fn row_line(row: &AcceptedFinding) -> Option<String> {
    let text = AcceptedFindings::format_file(std::slice::from_ref(row));
    Some(format!("{}\n", text.lines().last().filter(|line| line.starts_with("- "))?))
}
