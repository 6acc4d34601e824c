//! Accepted findings of open catalogs.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use crate::tui::{
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
    work::{Effect, JobEnvironment, Question, Source, UserError},
};
use olm_catalog::PackageName;
use olm_check::{
    Finding, Severity,
    review::{
        Snapshot,
        accepted::{AcceptedFinding, AcceptedFindings},
    },
};

/// Name of a file of accepted findings.
pub const FILE_NAME: &str = "baseline.yaml";

fn accepted_path(view_cx: &ViewContext<'_>, open: &OpenCatalog) -> Option<PathBuf> {
    view_cx.settings.accepted.clone().or_else(|| companion_path(&open.baseline.catalog.origin, FILE_NAME))
}

/// Requests the files of accepted findings of all open catalogs.
pub(in crate::tui) fn request_accepted_findings(cx: &mut Context<'_>) {
    request_for_each_catalog(cx, |view_cx, open| {
        let path = accepted_path(view_cx, open)?;
        Some(Effect::run(Arc::new(AcceptedRequest { source: open.source.clone(), path })))
    });
}

/// File of accepted findings of a catalog, which may not exist.
#[derive(PartialEq, Debug)]
pub struct AcceptedRequest {
    /// The catalog.
    pub source: Source,
    /// The file.
    pub path: PathBuf,
}

impl Question for AcceptedRequest {
    /// Content of the file. `None` if the file does not exist.
    type Answer = Result<Option<Vec<u8>>, UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.load_companion_file(&self.path));
    }
}

impl StoredQuestion for AcceptedRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        store_accepted_findings(cx, &question.source, question.path.clone(), answer);
    }
}

/// Stores the content of a file. `None` if the file does not exist.
fn store_accepted_findings(
    cx: &mut Context<'_>,
    source: &Source,
    path: PathBuf,
    outcome: Result<Option<Vec<u8>>, UserError>,
) {
    let is_named = cx.settings.accepted.as_ref() == Some(&path);
    let shown = path.display().to_string();
    let file = match outcome {
        Ok(None) if is_named => Err(format!("{shown}: no such file, so no findings are accepted")),
        Ok(None) => Ok(None),
        Ok(Some(bytes)) => {
            AcceptedFindings::parse_file(path, &bytes).map(|file| Some(Arc::new(file))).map_err(|mistake| {
                format!("{shown}:{}: {}, so no findings are accepted", mistake.line, mistake.message)
            })
        }
        Err(UserError { message, .. }) => Err(format!("{shown}: {message}")),
    };
    let file = file.unwrap_or_else(|message| {
        cx.notices.report_failure(NoticeTopic::Load, message);
        None
    });
    if let Some(open) = cx.session.catalogs.find_mut(source) {
        open.accepted = file;
    }
}

/// State of a catalog and its file of accepted findings.
type Key = (SharedRef<Snapshot>, SharedRef<AcceptedFindings>);

/// Cache of the accepted findings of the current state.
#[derive(Debug, Default)]
pub(in crate::tui) struct AcceptanceCache(Memo<Key, AcceptanceIndex>);

#[derive(Debug, Default)]
struct AcceptanceIndex {
    /// Row of the file that accepts a finding, for each finding of the snapshot in order. Empty if
    /// there is no file.
    rows: Vec<Option<usize>>,
    counts: BTreeMap<Severity, usize>,
    /// Worst severity of the findings of each package that are not accepted, if there is a file.
    worst: BTreeMap<PackageName, Severity>,
    /// Index of the first finding of each package.
    starts: BTreeMap<PackageName, usize>,
}

impl AcceptanceIndex {
    fn from_snapshot(now: &Snapshot, file: &AcceptedFindings) -> Self {
        let rows = file.match_findings(&now.catalog, now.findings());
        let mut known = Self::default();
        for (finding, _) in now.findings().zip(&rows).filter(|(_, row)| row.is_some()) {
            *known.counts.entry(finding.severity()).or_default() += finding.finding_count();
        }
        let counting = now.findings().zip(&rows).filter(|(_, row)| row.is_none());
        for (package, finding) in
            counting.filter_map(|(finding, _)| Some((finding.package.as_ref()?, finding)))
        {
            let worst = known.worst.entry(package.clone()).or_insert(finding.severity());
            *worst = finding.severity().min(*worst);
        }
        let mut start = now.outside_findings().len();
        for (name, package_state) in now.packages() {
            known.starts.insert(name.clone(), start);
            start += package_state.findings.len();
        }
        known.rows = rows;
        known
    }
}

/// Cache of the numbers of findings that are not accepted, for each open catalog.
#[derive(Debug, Default)]
pub(in crate::tui) struct OpenFindingCounts(Memo<Vec<Key>, Vec<BTreeMap<Severity, usize>>>);

impl OpenFindingCounts {
    pub fn update(&mut self, open: &[OpenCatalog]) {
        let key = |open: &OpenCatalog| {
            (
                SharedRef::from_shared(Some(open.visible_state())),
                SharedRef::from_shared(open.accepted.as_ref()),
            )
        };
        self.0.update(open.iter().map(key).collect(), |_| open.iter().map(count_open_findings).collect());
    }

    pub fn open_count(&self, catalog: usize, severity: Severity) -> usize {
        self.0.value.get(catalog).and_then(|counts| counts.get(&severity)).copied().unwrap_or_default()
    }
}

fn count_open_findings(open: &OpenCatalog) -> BTreeMap<Severity, usize> {
    let now = open.visible_state();
    let accepted = open
        .accepted
        .as_ref()
        .map(|file| AcceptanceIndex::from_snapshot(now, file).counts)
        .unwrap_or_default();
    let accepted = |severity| accepted.get(&severity).copied().unwrap_or_default();
    let counting = |severity| now.count_by_severity(severity).saturating_sub(accepted(severity));
    [Severity::Error, Severity::Warning].map(|severity| (severity, counting(severity))).into()
}

impl AcceptanceCache {
    pub fn update(&mut self, open: Option<&OpenCatalog>) {
        let (now, file) =
            (open.map(OpenCatalog::visible_state), open.and_then(|open| open.accepted.as_ref()));
        self.0.update((SharedRef::from_shared(now), SharedRef::from_shared(file)), |_| {
            now.zip(file).map(|(now, file)| AcceptanceIndex::from_snapshot(now, file)).unwrap_or_default()
        });
    }

    /// Returns the row that accepts a finding, by its index in [`Snapshot::findings`].
    fn accepting_row(&self, at: usize) -> Option<usize> {
        self.0.value.rows.get(at).copied().flatten()
    }
}

impl Catalogs {
    /// Returns the accepted findings of the current catalog.
    pub fn accepted(&self) -> Option<&Arc<AcceptedFindings>> {
        self.current()?.accepted.as_ref()
    }
}

impl Session {
    /// Returns the number of findings of a severity that are not accepted.
    pub fn open_finding_count(&self, severity: Severity) -> usize {
        let all = self.snapshot().map_or(0, |snapshot| snapshot.count_by_severity(severity));
        all.saturating_sub(
            self.derived.acceptance().0.value.counts.get(&severity).copied().unwrap_or_default(),
        )
    }

    /// Returns the worst severity of a package's findings that are not accepted.
    pub fn worst_open_severity(&self, package: &PackageName) -> Option<Severity> {
        let accepted = &self.derived.acceptance().0.value;
        match self.catalogs.accepted() {
            Some(_) => accepted.worst.get(package).copied(),
            None => self.snapshot()?.package(package.as_str())?.worst_severity(),
        }
    }

    /// Returns the findings of a package that are not accepted.
    pub fn open_findings_of(&self, package: &PackageName) -> impl Iterator<Item = &Finding> {
        let package_state = self.snapshot().and_then(|now| now.package(package.as_str()));
        let (accepted, file) = (self.derived.acceptance(), self.catalogs.accepted().is_some());
        let start = accepted.0.value.starts.get(package).copied().filter(|_| file);
        let findings =
            package_state.into_iter().flat_map(|package_state| &package_state.findings).enumerate();
        findings
            .filter(move |(at, _)| start.and_then(|start| accepted.accepting_row(start + at)).is_none())
            .map(|(_, finding)| finding)
    }

    /// Returns the findings of the current state, each with the row that accepts it.
    pub(in crate::tui) fn findings_with_acceptance(
        &self,
    ) -> impl Iterator<Item = (&Finding, Option<&AcceptedFinding>)> {
        let (accepted, file) = (self.derived.acceptance(), self.catalogs.accepted());
        let findings = self.snapshot().into_iter().flat_map(|snapshot| snapshot.findings());
        findings.enumerate().map(move |(at, finding)| {
            (finding, file.zip(accepted.accepting_row(at)).and_then(|(f, row)| f.rows.get(row)))
        })
    }
}
