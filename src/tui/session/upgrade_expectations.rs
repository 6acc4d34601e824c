//! Upgrade expectations of open catalogs.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::tui::{
    keys::Screen,
    parts::{
        memo::{Memo, SharedRef},
        notice::NoticeTopic,
    },
    session::{
        Session,
        catalogs::Catalogs,
        context::{Context, ViewContext},
        jobs::StoredQuestion,
        open_catalog::{OpenCatalog, companion_path, request_for_each_catalog},
    },
    work::{Effect, JobEnvironment, Question, Source, UserError, outcome::AddedRows},
};
use olm_check::review::{
    Snapshot,
    expect::{AddError, Case, ExpectationReport, Expectations, ExtendedFile, NewRow, expect_same_answer},
};
use olm_upgrade::{path::UpgradeContext, table::NextUpgrade};

/// Name of a file of expectations.
const FILE_NAME: &str = "expectations.yaml";

/// Returns the path of the expectations file of a catalog, which may not exist yet.
pub(in crate::tui) fn expectations_path(view_cx: &ViewContext<'_>, open: &OpenCatalog) -> Option<PathBuf> {
    let known = open.expectations.as_ref().map(|file| file.path.clone());
    known
        .or_else(|| view_cx.settings.expectations.clone())
        .or_else(|| companion_path(&open.baseline.catalog.origin, FILE_NAME))
}

/// Requests the expectation files of all open catalogs.
pub(in crate::tui) fn request_expectations(cx: &mut Context<'_>) {
    request_for_each_catalog(cx, |view_cx, open| {
        let path = expectations_path(view_cx, open)?;
        Some(Effect::run(Arc::new(ExpectationsRequest { source: open.source.clone(), path })))
    });
}

/// File of upgrade expectations of a catalog, which may not exist.
#[derive(PartialEq, Debug)]
pub struct ExpectationsRequest {
    /// The catalog.
    pub source: Source,
    /// The file.
    pub path: PathBuf,
}

impl Question for ExpectationsRequest {
    /// Content of the file. `None` if the file does not exist.
    type Answer = Result<Option<Vec<u8>>, UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.load_companion_file(&self.path));
    }
}

impl StoredQuestion for ExpectationsRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        store_expectations(cx, &question.source, question.path.clone(), answer);
    }
}

/// Stores the content of a file. `None` if the file does not exist.
fn store_expectations(
    cx: &mut Context<'_>,
    source: &Source,
    path: PathBuf,
    outcome: Result<Option<Vec<u8>>, UserError>,
) {
    let bytes = match outcome {
        Ok(Some(bytes)) => Some(bytes),
        // A file of the settings is created with its first row.
        Ok(None) => (cx.settings.expectations.as_ref() == Some(&path)).then(Vec::new),
        Err(UserError { message, .. }) => {
            cx.notices.report_failure(NoticeTopic::Load, format!("{}: {message}", path.display()));
            return;
        }
    };
    let file = bytes.map(|bytes| Arc::new(Expectations::parse_file(path, bytes)));
    if let Some(open) = cx.session.catalogs.find_mut(source) {
        open.expectations = file;
    }
}

/// Returns the effect that adds the upgrades of the selected row.
pub(in crate::tui) fn add_selected_row(session: &Session, path: PathBuf) -> Option<Effect> {
    let open = session.current_catalog()?;
    let origin = open.baseline.catalog.origin.clone();
    Some(Effect::AddExpectations {
        source: open.source.clone(),
        path,
        rows: expectation_rows(session),
        origin,
    })
}

/// Returns the number and text of the rows that [`add_selected_row`] would write. Returns 0 if the file already
/// has them.
///
/// # Errors
///
/// The reason, if no row can be added to the file.
pub(in crate::tui) fn preview_added_rows(
    session: &Session,
    path: &Path,
) -> Result<(usize, String), AddError> {
    let known = session.catalogs.expectations().filter(|file| file.path == path).map(Arc::clone);
    let file = known.unwrap_or_else(|| Arc::new(Expectations::parse_file(path.to_owned(), Vec::new())));
    let new: Vec<NewRow> =
        expectation_rows(session).into_iter().filter(|row| !row.is_in_file(&file)).collect();
    if new.is_empty() {
        return Ok((0, String::new()));
    }
    ExtendedFile::new(&file, &new).map(|added| (new.len(), added.text))
}

/// Returns the upgrades of the selected bundle as expectation rows: Classic in the subscribed
/// channel, v1 with the current query.
pub(in crate::tui) fn expectation_rows(session: &Session) -> Vec<NewRow> {
    let wanted = || {
        Some((
            session.selection().package.as_ref()?,
            // An expectation is checked against one catalog.
            session.derived.catalog_table()?,
            session.selection().bundle.as_ref()?,
        ))
    };
    let Some((package, table, bundle)) = wanted() else { return Vec::new() };
    let Some(row) = table.find_row(bundle) else { return Vec::new() };
    let expects = |traveller: UpgradeContext, next: &NextUpgrade| NewRow {
        package: package.clone(),
        traveller,
        installed: vec![bundle.clone()],
        expect: expect_same_answer(next),
    };
    // For a bundle that is not an entry, Classic gets a row only if it upgrades.
    let classic = (row.in_channel || row.classic.target().is_some())
        .then(|| expects(UpgradeContext::Classic(table.channel.clone()), &row.classic));
    classic.into_iter().chain([expects(UpgradeContext::V1(table.query.clone()), &row.v1)]).collect()
}

type Key = (SharedRef<Snapshot>, SharedRef<Expectations>);

/// Cache of the report on expectations.
#[derive(Debug, Default)]
pub(in crate::tui) struct ExpectationReports {
    report: Memo<Key, Option<ExpectationReport>>,
    before: Memo<Key, Vec<usize>>,
}

impl ExpectationReports {
    /// Updates the report for the current state and, on the Changes screen, for the state on disk.
    pub fn update(&mut self, screen: Screen, open: Option<&OpenCatalog>) {
        if !matches!(screen, Screen::Upgrades | Screen::Changes) {
            return;
        }
        let file = open.and_then(|open| open.expectations.as_ref());
        let (now, baseline) = (open.map(OpenCatalog::visible_state), open.map(|open| &open.baseline));
        self.report.update((SharedRef::from_shared(now), SharedRef::from_shared(file)), |_| {
            Some(ExpectationReport::new(file?, now?))
        });
        if screen == Screen::Changes {
            self.before.update((SharedRef::from_shared(baseline), SharedRef::from_shared(file)), |_| {
                file.zip(baseline)
                    .map(|(file, baseline)| ExpectationReport::new(file, baseline).failing_rows())
                    .unwrap_or_default()
            });
        }
    }

    /// Returns the report. `None` if there are no expectations.
    pub fn report(&self) -> Option<&ExpectationReport> {
        self.report.value.as_ref()
    }

    /// Returns the rows that fail now and did not fail on disk.
    pub fn newly_failing_rows(&self) -> Vec<usize> {
        let now = self.report().map(ExpectationReport::failing_rows).unwrap_or_default();
        now.into_iter().filter(|row| !self.before.value.contains(row)).collect()
    }
}

impl Catalogs {
    /// Returns the expectations of the current catalog.
    pub fn expectations(&self) -> Option<&Arc<Expectations>> {
        self.current()?.expectations.as_ref()
    }

    /// Stores the content of a file after rows were added. Returns the notice.
    pub(in crate::tui) fn store_added_rows(&mut self, source: &Source, grown: AddedRows) -> String {
        let AddedRows { path, bytes, added } = grown;
        let shown = path.display().to_string();
        let file = Arc::new(Expectations::parse_file(path, bytes));
        // Several catalogs may use the same file.
        for open in self.all_mut() {
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
}

impl Session {
    /// Returns the unmet expectations of the selected package.
    pub fn unmet_expectations(&self) -> impl Iterator<Item = &Case> {
        let package = self.selection().package.as_ref();
        let unmet = self.derived.expectation_report().into_iter().flat_map(ExpectationReport::unmet_cases);
        unmet.filter(move |case| Some(&case.package) == package)
    }
}
