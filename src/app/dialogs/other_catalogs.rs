//! Dialog that repeats the last edit in other open catalogs.

use std::sync::Arc;

use super::dialog::{DialogState, Rows, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::{
        Session,
        cx::{Cx, See},
        open::{Open, labels},
    },
    work::preview::{Outcome, Preview},
};
use crate::{
    catalog::Catalog,
    edit::{self, Conflict, Edit, Recorded},
    review::{Consequences, Snapshot},
    validate::Severity,
};

/// State of the dialog.
#[derive(Debug)]
pub struct OtherCatalogs {
    /// Edit to repeat, with the contents it replaced.
    pub edit: Arc<Recorded>,
    /// Other open catalogs.
    pub rows: Vec<There>,
    /// Index of the selected catalog.
    pub cursor: usize,
}

/// Effect of the edit in another catalog.
#[derive(Clone, Debug)]
pub struct There {
    /// Index of the catalog.
    pub catalog: usize,
    /// Unique short name of the catalog.
    pub label: String,
    /// Outcome of the edit there, or the reason why it is refused.
    pub outcome: Preview,
    /// True if the edit will be repeated there.
    pub chosen: bool,
}

impl There {
    /// Returns the number of new errors.
    pub fn new_errors(&self) -> usize {
        let findings = self.outcome.as_ref().map(|outcome| outcome.consequences.new_findings.as_slice());
        findings.unwrap_or_default().iter().filter(|f| f.severity() == Severity::Error).count()
    }
}

impl OtherCatalogs {
    /// Tries the last edit of the current catalog in the others. Catalogs without new errors are
    /// chosen.
    pub(in crate::app) fn of(see: &See<'_>) -> Option<Self> {
        let session = see.session;
        let edit = session.catalog()?.history.last_edit()?.clone();
        let labels = labels(&session.open);
        let others = session.open.iter().zip(labels).enumerate();
        let rows =
            others.filter(|(catalog, _)| *catalog != session.current).map(|(catalog, (open, label))| {
                let mut there = There { catalog, label, outcome: tried(see, open, &edit), chosen: false };
                there.chosen = there.outcome.is_ok() && there.new_errors() == 0;
                there
            });
        Some(Self { rows: rows.collect(), edit, cursor: 0 })
    }

    /// Applies the edit in the chosen catalogs as a single undo step. Returns their number.
    fn make(&self, session: &mut Session) -> usize {
        let chosen = self.rows.iter().filter(|there| there.chosen);
        let others: Vec<_> =
            chosen.filter_map(|there| Some((there.catalog, there.outcome.clone().ok()?))).collect();
        let made = session.keep_elsewhere(&others);
        session.settle_all();
        made
    }
}

fn tried(see: &See<'_>, open: &Open, edit: &Recorded) -> Preview {
    if open.what_if.is_some() {
        let (keep, drop) = (see.key(ActionId::WhatIfKeep), see.key(ActionId::WhatIfDrop));
        return Err(format!("a what-if is active there: {keep} applies it there, {drop} drops it"));
    }
    let before = open.history.now();
    let here = see.session.snapshot().map(|here| &*here.catalog);
    let (catalog, edit) = made_there(here, &before.catalog, edit)?;
    let changed = catalog.files_changed_since(&before.catalog);
    if changed.is_empty() {
        return Err("already the same there".to_owned());
    }
    let protected = changed.iter().filter_map(|changed| changed.before).find(|file| !file.writable);
    if let Some(file) = protected {
        return Err(format!("{} is write-protected", file.shown().display()));
    }
    let after: Arc<Snapshot> = Arc::new(before.after(catalog));
    let consequences = Consequences::between(before, &after);
    Ok(Arc::new(Outcome { edit, after, consequences }))
}

/// Applies the edit to the other catalog. Between a catalog and a semver template, edits of entries
/// become edits of lists and vice versa.
fn made_there(here: Option<&Catalog>, there: &Catalog, edit: &Recorded) -> Result<(Catalog, Edit), String> {
    let is_semver =
        |catalog: &Catalog| catalog.template().is_some_and(|template| template.semver().is_some());
    let Some(here) = here.filter(|here| is_semver(here) != is_semver(there)) else {
        let catalog = edit.replay(there).map_err(|conflict| words(&conflict))?;
        return Ok((catalog, edit.edit.clone()));
    };
    let transferred = edit::transferred(&edit.edit, here, there).map_err(|error| error.to_string())?;
    // The bundle may be unknown in the template.
    let knowing = if is_semver(there) { there.with_more_known(here) } else { there.clone() };
    let catalog = edit::apply(&knowing, &transferred).map_err(|error| error.to_string())?;
    Ok((catalog, transferred))
}

/// Describes a conflict with another catalog. Unlike other conflicts, no later edit caused it.
fn words(conflict: &Conflict) -> String {
    let said = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
    match conflict {
        Conflict::Changed { now: None, .. } => "does not exist there".to_owned(),
        Conflict::Changed { was, now } => format!("there {}, here it was {}", said(now), said(was)),
        Conflict::Refused(error) => error.to_string(),
    }
}

impl DialogState for OtherCatalogs {
    fn id(&self) -> Dialog {
        Dialog::OtherCatalogs
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        let last = self.rows.len().saturating_sub(1);
        match press {
            Press::Action(ActionId::Accept) if self.rows.iter().any(|there| there.chosen) => {
                let title = self.edit.edit.title();
                let made = self.make(cx.session);
                let catalogs =
                    if made == 1 { "1 other catalog".to_owned() } else { format!("{made} other catalogs") };
                let save = cx.key(ActionId::Review);
                let words = format!("also in {catalogs}: {title}   ({save} saves all)");
                cx.notices.done(words);
                return Step::Close;
            }
            Press::Action(ActionId::Accept) => {
                let choose = cx.keys.label(Dialog::OtherCatalogs, ActionId::Choose);
                cx.notices.refused(format!("no catalog selected: select one with {choose}"));
            }
            Press::Action(ActionId::Choose) => {
                if let Some(there) = self.rows.get_mut(self.cursor) {
                    match &there.outcome {
                        Ok(_) => there.chosen = !there.chosen,
                        Err(reason) => cx.notices.refused(format!("{}: {reason}", there.label)),
                    }
                }
                self.cursor = (self.cursor + 1).min(last);
            }
            _ => {}
        }
        Step::Stay
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.rows.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
