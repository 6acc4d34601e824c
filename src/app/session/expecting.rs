//! Upgrade expectations beside a catalog: which file they are in, whether they are met, and one more from what is on the
//! screen.

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

/// What a file of expectations is called.
const NAME: &str = "expectations.yaml";

/// Where the expectations of a catalog are, or would be.
pub(in crate::app) fn path(see: &See<'_>, open: &Open) -> Option<PathBuf> {
    let known = open.expectations.as_ref().map(|file| file.path.clone());
    known
        .or_else(|| see.settings.expectations.clone())
        .or_else(|| beside(&open.baseline.catalog.origin, NAME))
}

/// Asks for the files of expectations of all catalogs.
pub(in crate::app) fn look(cx: &mut Cx<'_>) {
    each(cx, |see, open| {
        Some(Effect::ReadExpectations { source: open.source.clone(), path: path(see, open)? })
    });
}

/// A file was read: `None` where there is none.
pub(in crate::app) fn found(
    cx: &mut Cx<'_>,
    source: &Source,
    path: PathBuf,
    outcome: Result<Option<Vec<u8>>, Refusal>,
) {
    let bytes = match outcome {
        Ok(Some(bytes)) => Some(bytes),
        // One that is named begins with the first row.
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

/// Rows were added. What to say of it.
pub(in crate::app) fn added(session: &mut Session, source: &Source, grown: Grown) -> String {
    let Grown { path, bytes, added } = grown;
    let shown = path.display().to_string();
    let file = Arc::new(Expectations::read(path, bytes));
    // Who looks at the same file from several catalogs sees the row in all.
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

/// The effect that adds what happens to the selected row.
pub(in crate::app) fn add(session: &Session, path: PathBuf) -> Option<Effect> {
    let open = session.catalog()?;
    let origin = open.baseline.catalog.origin.clone();
    Some(Effect::AddExpectations { source: open.source.clone(), path, rows: rows(session), origin })
}

/// What [`add`] would put into a file, as far as it is known what is in that: the rows as they would stand there. None where
/// it has them already.
///
/// # Errors
///
/// Where no row can be added to the file.
pub(in crate::app) fn preview(session: &Session, path: &Path) -> Result<(usize, String), NotAdded> {
    let known = session.expectations().filter(|file| file.path == path).map(Arc::clone);
    let file = known.unwrap_or_else(|| Arc::new(Expectations::read(path.to_owned(), Vec::new())));
    let new: Vec<Row> = rows(session).into_iter().filter(|row| !row.is_in(&file)).collect();
    if new.is_empty() {
        return Ok((0, String::new()));
    }
    Added::new(&file, &new).map(|added| (new.len(), added.text))
}

/// What happens to the selected row of the upgrade table, as rows: Classic in the subscribed channel, v1 as it is asked.
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
    // Of what is no entry, Classic is worth a row where it moves.
    let classic = (row.in_channel || row.classic.target().is_some())
        .then(|| expects(Traveller::Classic(table.channel.clone()), &row.classic));
    classic.into_iter().chain([expects(Traveller::V1(table.query.clone()), &row.v1)]).collect()
}

type Key = (Same<Snapshot>, Same<Expectations>);

/// Whether expectations are met.
#[derive(Debug, Default)]
pub(in crate::app) struct Expected {
    report: Memo<Key, Option<Report>>,
    before: Memo<Key, Vec<usize>>,
}

impl Expected {
    /// Holds them against the state that is looked at, and on the Changes screen against what is on disk.
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

    /// What became of them; `None` where there are none.
    pub fn report(&self) -> Option<&Report> {
        self.report.value.as_ref()
    }

    /// The rows that fail now and did not on disk.
    pub fn broken(&self) -> Vec<usize> {
        let now = self.report().map(Report::failing).unwrap_or_default();
        now.into_iter().filter(|row| !self.before.value.contains(row)).collect()
    }
}

impl Session {
    /// The expectations of the catalog that is looked at.
    pub fn expectations(&self) -> Option<&Arc<Expectations>> {
        self.catalog()?.expectations.as_ref()
    }

    /// What is not as expected of the selected package.
    pub fn unexpected(&self) -> impl Iterator<Item = &Case> {
        let package = self.selection().package.as_ref();
        let unmet = self.answers.expected().into_iter().flat_map(Report::unmet);
        unmet.filter(move |case| Some(&case.package) == package)
    }
}
