//! `olmap validate --baseline` and `--write-baseline`: file of accepted findings.

use std::{collections::BTreeSet, fs, path::Path};

use super::{failure::Failure, out::Out};
use crate::{
    app::Refusal,
    catalog::load::{quotable, regular},
    edit::save::{self, Lock, Overwrite},
    export::plain,
    review::{
        Snapshot,
        accepted::{Accepted, Identity, Row},
    },
    runtime,
    validate::Diagnostic,
};

/// Maximum size of the file; larger than all findings of a vendor's index.
const MOST: u64 = 64 << 20;

/// Reads a file that must exist.
pub fn read(path: &Path) -> anyhow::Result<Accepted> {
    let bytes = regular::read(path, MOST).map_err(|error| {
        let failure = Failure::new(format!("cannot read {}: {error}", path.display()));
        failure.hint(format!("create it with olmap validate --write-baseline {}", path.display()))
    })?;
    Ok(Accepted::read(path.to_owned(), &bytes).map_err(|mistake| {
        let line = mistake.line;
        let failure = Failure::new(format!("{}:{line}: {}", path.display(), mistake.message));
        Failure::quoting(path, Some((line, None)), failure.maybe_hint(mistake.hint))
    })?)
}

/// Writes all findings. Keeps existing rows of findings outside of the request, and all reasons.
pub fn write(
    path: &Path,
    snapshots: &[Snapshot],
    shows: impl Fn(&Diagnostic) -> bool,
    is_asked: impl Fn(&Identity) -> bool,
    out: &mut Out,
) -> anyhow::Result<()> {
    for snapshot in snapshots {
        if let Err(Refusal { message, hint }) = runtime::outside(&snapshot.catalog.origin, path) {
            return Err(Failure::new(message).maybe_hint(hint).into());
        }
    }
    let before = if fs::symlink_metadata(path).is_ok() { read(path)? } else { Accepted::default() };
    let found =
        snapshots.iter().map(|s| (&*s.catalog, s.findings().filter(|finding| shows(finding)).collect()));
    let mut rows = before.accepting(found);
    let known: BTreeSet<&Identity> = before.rows.iter().map(|row| &row.identity).collect();
    let new = rows.iter().filter(|row| !known.contains(&row.identity)).count();
    let found: BTreeSet<&Identity> = rows.iter().map(|row| &row.identity).collect();
    let gone = known.iter().filter(|identity| is_asked(identity) && !found.contains(*identity)).count();
    let rest: Vec<Row> = before.rows.iter().filter(|row| !is_asked(&row.identity)).cloned().collect();
    rows.extend(rest);
    save::save_as(path, Accepted::text(&rows).as_bytes(), Overwrite::Allowed, &mut Lock::usual())
        .map_err(|error| Failure::new(error.to_string()).hint(error.hint()))?;
    let s = if rows.len() == 1 { "" } else { "s" };
    let path = path.display().to_string();
    out.print(&format!(
        "{}: {} finding{s} accepted, {new} of them new; {gone} obsolete and removed\n",
        plain::line(&path),
        rows.len()
    ))
}

/// Describes the number of accepted findings, and the rows without a finding.
pub fn remark(file: &Accepted, accepted: usize, gone: &[&Row]) -> String {
    let path = file.path.display().to_string();
    let path = plain::line(&path);
    let (findings, are) = if accepted == 1 { ("finding", "is") } else { ("findings", "are") };
    let mut text = format!("{accepted} {findings} {are} accepted by {path}\n");
    if !gone.is_empty() {
        let (rows, is) =
            if gone.len() == 1 { ("row", "its finding is") } else { ("rows", "their findings are") };
        let shown: &[&Row] = if quotable::check(&file.path).is_ok() { gone } else { &[] };
        let end = if shown.is_empty() { "" } else { ":" };
        text.push_str(&format!("{} {rows} of {path} can be removed, {is} gone{end}\n", gone.len()));
        for row in shown {
            text.push_str(&format!("  {}\n", plain::line(&row.identity.to_string())));
        }
    }
    text
}
