//! Upgrade expectations of open catalogs.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    app::{
        keys::Screen,
        parts::{
            memo::{Memo, Same},
            notice::About,
        },
        session::{
            Session,
            beside::{beside, each},
            cx::{Cx, See},
            open::Open,
        },
        work::{Effect, Refusal, Source, outcome::Grown},
    },
    review::{
        Snapshot,
        expect::{Added, Case, Expectations, NotAdded, Report, Row, answered},
    },
    upgrade::{path::Traveller, table::Next},
};

/// Name of a file of expectations.
const NAME: &str = "expectations.yaml";

/// Returns the path of the expectations file of a catalog, which may not exist yet.
pub(in crate::app) fn path(see: &See<'_>, open: &Open) -> Option<PathBuf> {
    let known = open.expectations.as_ref().map(|file| file.path.clone());
    known
        .or_else(|| see.settings.expectations.clone())
        .or_else(|| beside(&open.baseline.catalog.origin, NAME))
}

/// Requests the expectation files of all open catalogs.
pub(in crate::app) fn look(cx: &mut Cx<'_>) {
    each(cx, |see, open| {
        Some(Effect::ReadExpectations { source: open.source.clone(), path: path(see, open)? })
    });
}

/// Stores the content of a file. `None` if the file does not exist.
pub(in crate::app) fn found(
    cx: &mut Cx<'_>,
    source: &Source,
    path: PathBuf,
    outcome: Result<Option<Vec<u8>>, Refusal>,
) {
    let bytes = match outcome {
        Ok(Some(bytes)) => Some(bytes),
        // A file of the settings is created with its first row.
        Ok(None) => (cx.settings.expectations.as_ref() == Some(&path)).then(Vec::new),
        Err(Refusal { message, .. }) => {
            cx.notices.failed(About::Reading, format!("{}: {message}", path.display()));
            return;
        }
    };
    let file = bytes.map(|bytes| Arc::new(Expectations::read(path, bytes)));
    if let Some(open) = cx.session.open.iter_mut().find(|open| open.source == *source) {
        open.expectations = file;
    }
}

/// Stores the content of a file after rows were added. Returns the notice.
pub(in crate::app) fn added(session: &mut Session, source: &Source, grown: Grown) -> String {
    let Grown { path, bytes, added } = grown;
    let shown = path.display().to_string();
    let file = Arc::new(Expectations::read(path, bytes));
    // Several catalogs may use the same file.
    for open in &mut session.open {
        let is_same = open.expectations.as_ref().is_some_and(|known| known.path == file.path);
        if open.source == *source || is_same {
            open.expectations = Some(Arc::clone(&file));
        }
    }
    match added {
        0 => format!("{shown} already has this expectation"),
        1 => format!("1 expectation added to {shown}"),
        n => format!("{n} expectations added to {shown}"),
    }
}

/// Returns the effect that adds the upgrades of the selected row.
pub(in crate::app) fn add(session: &Session, path: PathBuf) -> Option<Effect> {
    let open = session.catalog()?;
    let origin = open.baseline.catalog.origin.clone();
    Some(Effect::AddExpectations { source: open.source.clone(), path, rows: rows(session), origin })
}

/// Returns the number and text of the rows that [`add`] would write. Returns 0 if the file already
/// has them.
///
/// # Errors
///
/// The reason, if no row can be added to the file.
pub(in crate::app) fn preview(session: &Session, path: &Path) -> Result<(usize, String), NotAdded> {
    let known = session.expectations().filter(|file| file.path == path).map(Arc::clone);
    let file = known.unwrap_or_else(|| Arc::new(Expectations::read(path.to_owned(), Vec::new())));
    let new: Vec<Row> = rows(session).into_iter().filter(|row| !row.is_in(&file)).collect();
    if new.is_empty() {
        return Ok((0, String::new()));
    }
    Added::new(&file, &new).map(|added| (new.len(), added.text))
}

/// Returns the upgrades of the selected bundle as expectation rows: Classic in the subscribed
/// channel, v1 with the current query.
pub(in crate::app) fn rows(session: &Session) -> Vec<Row> {
    let wanted = || {
        Some((
            session.selection().package.as_ref()?,
            session.answers.table()?,
            session.selection().bundle.as_ref()?,
        ))
    };
    let Some((package, table, bundle)) = wanted() else { return Vec::new() };
    let Some(row) = table.row(bundle) else { return Vec::new() };
    let expects = |traveller: Traveller, next: &Next| Row {
        package: package.clone(),
        traveller,
        installed: vec![bundle.clone()],
        expect: answered(next),
    };
    // For a bundle that is not an entry, Classic gets a row only if it upgrades.
    let classic = (row.in_channel || row.classic.target().is_some())
        .then(|| expects(Traveller::Classic(table.channel.clone()), &row.classic));
    classic.into_iter().chain([expects(Traveller::V1(table.query.clone()), &row.v1)]).collect()
}

type Key = (Same<Snapshot>, Same<Expectations>);

/// Cache of the report on expectations.
#[derive(Debug, Default)]
pub(in crate::app) struct Expected {
    report: Memo<Key, Option<Report>>,
    before: Memo<Key, Vec<usize>>,
}

impl Expected {
    /// Updates the report for the current state and, on the Changes screen, for the state on disk.
    pub fn update(&mut self, screen: Screen, open: Option<&Open>) {
        if !matches!(screen, Screen::Upgrades | Screen::Changes) {
            return;
        }
        let file = open.and_then(|open| open.expectations.as_ref());
        let (now, baseline) = (open.map(Open::now), open.map(|open| &open.baseline));
        self.report.update((Same::of(now), Same::of(file)), |_| Some(Report::new(file?, now?)));
        if screen == Screen::Changes {
            self.before.update((Same::of(baseline), Same::of(file)), |_| {
                file.zip(baseline)
                    .map(|(file, baseline)| Report::new(file, baseline).failing())
                    .unwrap_or_default()
            });
        }
    }

    /// Returns the report. `None` if there are no expectations.
    pub fn report(&self) -> Option<&Report> {
        self.report.value.as_ref()
    }

    /// Returns the rows that fail now and did not fail on disk.
    pub fn broken(&self) -> Vec<usize> {
        let now = self.report().map(Report::failing).unwrap_or_default();
        now.into_iter().filter(|row| !self.before.value.contains(row)).collect()
    }
}

impl Session {
    /// Returns the expectations of the current catalog.
    pub fn expectations(&self) -> Option<&Arc<Expectations>> {
        self.catalog()?.expectations.as_ref()
    }

    /// Returns the unmet expectations of the selected package.
    pub fn unexpected(&self) -> impl Iterator<Item = &Case> {
        let package = self.selection().package.as_ref();
        let unmet = self.answers.expected().into_iter().flat_map(Report::unmet);
        unmet.filter(move |case| Some(&case.package) == package)
    }
}
