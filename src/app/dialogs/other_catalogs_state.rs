//! The last edit, made in the other open catalogs as well.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::app::{
    keys::ActionId,
    session::open::Open,
    shell::model::Model,
    work::{
        Source,
        preview::{Outcome, Preview},
    },
};
use crate::{
    edit::{Conflict, Recorded},
    review::{Consequences, Snapshot},
    validate::Severity,
};

/// See [`Overlay::Elsewhere`](crate::app::dialogs::state::Overlay::Elsewhere).
#[derive(Debug)]
pub struct Elsewhere {
    /// The edit, and what it was made over.
    pub edit: Arc<Recorded>,
    /// The other catalogs.
    pub rows: Vec<There>,
    /// The row.
    pub cursor: usize,
}

/// What the edit would do in another catalog.
#[derive(Clone, Debug)]
pub struct There {
    /// The catalog.
    pub catalog: usize,
    /// What it is called, as far as that tells it from the others.
    pub label: String,
    /// What it would lead to there, or why it cannot be made.
    pub outcome: Preview,
    /// Whether it is to be made there.
    pub chosen: bool,
}

impl There {
    /// How many errors it would bring.
    pub fn new_errors(&self) -> usize {
        let findings = self.outcome.as_ref().map(|outcome| outcome.consequences.new_findings.as_slice());
        findings.unwrap_or_default().iter().filter(|f| f.severity() == Severity::Error).count()
    }
}

impl Elsewhere {
    /// Tries the last edit of the catalog that is looked at in the others. Those that take it without a new error are chosen.
    pub(in crate::app) fn of(model: &Model) -> Option<Self> {
        let edit = model.session.catalog()?.history.last_edit()?.clone();
        let labels = labels(&model.session.open);
        let others = model
            .session
            .open
            .iter()
            .zip(labels)
            .enumerate()
            .filter(|(catalog, _)| *catalog != model.session.current);
        let rows = others.map(|(catalog, (open, label))| {
            let mut there = There { catalog, label, outcome: tried(model, open, &edit), chosen: false };
            there.chosen = there.outcome.is_ok() && there.new_errors() == 0;
            there
        });
        Some(Self { rows: rows.collect(), edit, cursor: 0 })
    }

    /// Makes the edit in the chosen catalogs, one step of undo in each. How many there were.
    pub(in crate::app) fn make(self, model: &mut Model) -> usize {
        let mut made = 0;
        for there in self.rows.into_iter().filter(|there| there.chosen) {
            if let (Ok(outcome), Some(open)) = (there.outcome, model.session.open.get_mut(there.catalog)) {
                open.history.push(outcome.after.clone(), outcome.edit.clone());
                made += 1;
            }
        }
        model.session.settle_all();
        made
    }
}

fn tried(model: &Model, open: &Open, edit: &Recorded) -> Preview {
    if open.what_if.is_some() {
        let (keep, drop) = (model.key(ActionId::WhatIfKeep), model.key(ActionId::WhatIfDrop));
        return Err(format!("something is supposed of it: {keep} keeps that there, {drop} drops it"));
    }
    let before = open.history.now();
    let catalog = edit.replay(&before.catalog).map_err(|conflict| words(&conflict))?;
    let changed = catalog.files_changed_since(&before.catalog);
    if changed.is_empty() {
        return Err("it is so there already".to_owned());
    }
    let protected = changed.iter().filter_map(|changed| changed.before).find(|file| !file.writable);
    if let Some(file) = protected {
        return Err(format!("{} is write-protected", file.shown().display()));
    }
    let after: Arc<Snapshot> = Arc::new(before.after(catalog));
    let consequences = Consequences::between(before, &after);
    Ok(Arc::new(Outcome { edit: edit.edit.clone(), after, consequences }))
}

/// A conflict with another catalog is nobody's change.
fn words(conflict: &Conflict) -> String {
    let said = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
    match conflict {
        Conflict::Changed { was, now } => format!("differs: there {}, here it was {}", said(now), said(was)),
        Conflict::Refused(error) => error.to_string(),
    }
}

/// What catalogs are called: the last part of their paths where that tells them apart, otherwise without the folders that
/// all of them have in common.
pub fn labels(open: &[Open]) -> Vec<String> {
    let paths: Vec<Option<&Path>> = open
        .iter()
        .map(|open| match &open.source {
            Source::Path(path) => Some(path.as_path()),
            Source::Demo | Source::Stdin(_) => None,
        })
        .collect();
    let named: Vec<&Path> = paths.iter().copied().flatten().collect();
    let mut short = short(&named).into_iter();
    let label = |(open, path): (&Open, Option<&Path>)| {
        let short = path.and_then(|_| short.next());
        short.map_or_else(|| open.source.label(), |short| short.display().to_string())
    };
    open.iter().zip(paths.iter().copied()).map(label).collect()
}

/// What tells paths apart.
fn short(paths: &[&Path]) -> Vec<PathBuf> {
    let last: Vec<PathBuf> = paths.iter().filter_map(|path| path.file_name()).map(PathBuf::from).collect();
    let different: HashSet<&PathBuf> = last.iter().collect();
    if different.len() == paths.len() {
        return last;
    }
    let shared = shared_folders(paths);
    paths.iter().map(|path| path.components().skip(shared).collect()).collect()
}

/// How many folders at their beginning paths have in common; each keeps one part at least.
fn shared_folders(paths: &[&Path]) -> usize {
    let Some((first, others)) = paths.split_first() else { return 0 };
    let shared = others.iter().map(|other| {
        let same = first.components().zip(other.components()).take_while(|(a, b)| a == b).count();
        let shortest = first.components().count().min(other.components().count());
        same.min(shortest.saturating_sub(1))
    });
    shared.min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalogs_are_called_by_what_tells_them_apart() {
        let cases: [(&[&str], &[&str]); 5] = [
            (&["/a/catalogs/v4.18", "/a/catalogs/v4.20", "/o/basic.yaml"], &["v4.18", "v4.20", "basic.yaml"]),
            (
                &["/a/v4.18/ship", "/a/v4.20/ship", "/a/o/basic.yaml"],
                &["v4.18/ship", "v4.20/ship", "o/basic.yaml"],
            ),
            (&["a/b", "a/b"], &["b", "b"]),
            (&["a/.."], &["a/.."]),
            (&[], &[]),
        ];
        for (paths, expected) in cases {
            let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
            let expected: Vec<&Path> = expected.iter().map(Path::new).collect();
            assert_eq!(short(&paths), expected, "{paths:?}");
        }
    }
}
