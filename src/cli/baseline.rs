//! `olmap validate --baseline` and `--write-baseline`: file of accepted findings.

use std::{collections::BTreeSet, fs, path::Path};

use super::{failure::Failure, out::Out};
use crate::{runtime, tui::UserError};
use olm_catalog::load::{quotable, regular_file};
use olm_check::{
    Finding, FindingKey,
    review::{
        Snapshot,
        accepted::{AcceptedFinding, AcceptedFindings},
    },
};
use olm_edit::save::{self, DirectoryLock, Overwrite};
use olmap_report::escape;

/// Maximum size of the file; larger than all findings of a vendor's index.
const MAX_SIZE: u64 = 64 << 20;

/// Reads a file that must exist.
pub fn load_baseline(path: &Path) -> anyhow::Result<AcceptedFindings> {
    let bytes = regular_file::read_regular(path, MAX_SIZE).map_err(|error| {
        let failure = Failure::new(format!("cannot read {}: {error}", path.display()));
        failure.with_hint(format!("create it with olmap validate --write-baseline {}", path.display()))
    })?;
    Ok(AcceptedFindings::parse_file(path.to_owned(), &bytes).map_err(|mistake| {
        let line = mistake.line;
        let failure = Failure::new(format!("{}:{line}: {}", path.display(), mistake.message));
        Failure::in_file(path, Some((line, None)), failure.with_optional_hint(mistake.hint))
    })?)
}

/// Writes all findings. Keeps existing rows of findings outside of the request, and all reasons.
pub fn write_baseline(
    path: &Path,
    snapshots: &[Snapshot],
    shows: impl Fn(&Finding) -> bool,
    is_asked: impl Fn(&FindingKey) -> bool,
    out: &mut Out,
) -> anyhow::Result<()> {
    for snapshot in snapshots {
        if let Err(UserError { message, hint }) =
            runtime::check_outside_catalog(&snapshot.catalog.origin, path)
        {
            return Err(Failure::new(message).with_optional_hint(hint).into());
        }
    }
    let before =
        if fs::symlink_metadata(path).is_ok() { load_baseline(path)? } else { AcceptedFindings::default() };
    let found =
        snapshots.iter().map(|s| (&*s.catalog, s.findings().filter(|finding| shows(finding)).collect()));
    let mut rows = before.rows_accepting_all(found);
    let known: BTreeSet<&FindingKey> = before.rows.iter().map(|row| &row.identity).collect();
    let new = rows.iter().filter(|row| !known.contains(&row.identity)).count();
    let found: BTreeSet<&FindingKey> = rows.iter().map(|row| &row.identity).collect();
    let gone = known.iter().filter(|identity| is_asked(identity) && !found.contains(*identity)).count();
    let rest: Vec<AcceptedFinding> =
        before.rows.iter().filter(|row| !is_asked(&row.identity)).cloned().collect();
    rows.extend(rest);
    save::save_as(
        path,
        AcceptedFindings::format_file(&rows).as_bytes(),
        Overwrite::Allowed,
        &mut DirectoryLock::with_default_state(),
    )
    .map_err(|error| Failure::new(error.to_string()).with_hint(error.hint()))?
    .ignore_warning();
    let s = if rows.len() == 1 { "" } else { "s" };
    let path = path.display().to_string();
    out.print(&format!(
        "{}: {} finding{s} accepted, {new} of them new; {gone} obsolete and removed\n",
        escape::escape_line(&path),
        rows.len()
    ))
}

/// Describes the number of accepted findings, and the rows without a finding.
pub fn describe_accepted(file: &AcceptedFindings, accepted: usize, gone: &[&AcceptedFinding]) -> String {
    let path = file.path.display().to_string();
    let path = escape::escape_line(&path);
    let (findings, are) = if accepted == 1 { ("finding", "is") } else { ("findings", "are") };
    let mut text = format!("{accepted} {findings} {are} accepted by {path}\n");
    if !gone.is_empty() {
        let (rows, is) =
            if gone.len() == 1 { ("row", "its finding is") } else { ("rows", "their findings are") };
        let shown: &[&AcceptedFinding] =
            if quotable::check_quotable(&file.path).is_ok() { gone } else { &[] };
        let end = if shown.is_empty() { "" } else { ":" };
        text.push_str(&format!("{} {rows} of {path} can be removed, {is} gone{end}\n", gone.len()));
        for row in shown {
            text.push_str(&format!("  {}\n", escape::escape_line(&row.identity.to_string())));
        }
    }
    text
}
