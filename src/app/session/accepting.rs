//! Accepted findings of open catalogs.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use crate::{
    app::{
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
        work::{Effect, Refusal, Source},
    },
    catalog::PackageName,
    review::{
        Snapshot,
        accepted::{Accepted, Row},
    },
    validate::{Diagnostic, Severity},
};

/// Name of a file of accepted findings.
pub const NAME: &str = "baseline.yaml";

fn path(see: &See<'_>, open: &Open) -> Option<PathBuf> {
    see.settings.accepted.clone().or_else(|| beside(&open.baseline.catalog.origin, NAME))
}

/// Requests the files of accepted findings of all open catalogs.
pub(in crate::app) fn look(cx: &mut Cx<'_>) {
    each(cx, |see, open| Some(Effect::ReadAccepted { source: open.source.clone(), path: path(see, open)? }));
}

/// Stores the content of a file. `None` if the file does not exist.
pub(in crate::app) fn found(
    cx: &mut Cx<'_>,
    source: &Source,
    path: PathBuf,
    outcome: Result<Option<Vec<u8>>, Refusal>,
) {
    let is_named = cx.settings.accepted.as_ref() == Some(&path);
    let shown = path.display().to_string();
    let file = match outcome {
        Ok(None) if is_named => Err(format!("{shown}: no such file, so no findings are accepted")),
        Ok(None) => Ok(None),
        Ok(Some(bytes)) => Accepted::read(path, &bytes).map(|file| Some(Arc::new(file))).map_err(|mistake| {
            format!("{shown}:{}: {}, so no findings are accepted", mistake.line, mistake.message)
        }),
        Err(Refusal { message, .. }) => Err(format!("{shown}: {message}")),
    };
    let file = file.unwrap_or_else(|message| {
        cx.notices.failed(About::Reading, message);
        None
    });
    if let Some(open) = cx.session.open.iter_mut().find(|open| open.source == *source) {
        open.accepted = file;
    }
}

/// State of a catalog and its file of accepted findings.
type Key = (Same<Snapshot>, Same<Accepted>);

/// Cache of the accepted findings of the current state.
#[derive(Debug, Default)]
pub(in crate::app) struct Acceptance(Memo<Key, Known>);

#[derive(Debug, Default)]
struct Known {
    /// Row of the file that accepts a finding, for each finding of the snapshot in order. Empty if
    /// there is no file.
    rows: Vec<Option<usize>>,
    counts: BTreeMap<Severity, usize>,
    /// Worst severity of the findings of each package that are not accepted, if there is a file.
    worst: BTreeMap<PackageName, Severity>,
    /// Index of the first finding of each package.
    starts: BTreeMap<PackageName, usize>,
}

impl Known {
    fn of(now: &Snapshot, file: &Accepted) -> Self {
        let rows = file.of(&now.catalog, now.findings());
        let mut known = Self::default();
        for (finding, _) in now.findings().zip(&rows).filter(|(_, row)| row.is_some()) {
            *known.counts.entry(finding.severity()).or_default() += finding.count();
        }
        let counting = now.findings().zip(&rows).filter(|(_, row)| row.is_none());
        for (package, finding) in
            counting.filter_map(|(finding, _)| Some((finding.package.as_ref()?, finding)))
        {
            let worst = known.worst.entry(package.clone()).or_insert(finding.severity());
            *worst = finding.severity().min(*worst);
        }
        let mut start = now.outside().len();
        for (name, judged) in now.packages() {
            known.starts.insert(name.clone(), start);
            start += judged.findings.len();
        }
        known.rows = rows;
        known
    }
}

/// Cache of the numbers of findings that are not accepted, for each open catalog.
#[derive(Debug, Default)]
pub(in crate::app) struct Counts(Memo<Vec<Key>, Vec<BTreeMap<Severity, usize>>>);

impl Counts {
    pub fn update(&mut self, open: &[Open]) {
        let key = |open: &Open| (Same::of(Some(open.now())), Same::of(open.accepted.as_ref()));
        self.0.update(open.iter().map(key).collect(), |_| open.iter().map(counts).collect());
    }

    pub fn of(&self, catalog: usize, severity: Severity) -> usize {
        self.0.value.get(catalog).and_then(|counts| counts.get(&severity)).copied().unwrap_or_default()
    }
}

fn counts(open: &Open) -> BTreeMap<Severity, usize> {
    let now = open.now();
    let accepted = open.accepted.as_ref().map(|file| Known::of(now, file).counts).unwrap_or_default();
    let accepted = |severity| accepted.get(&severity).copied().unwrap_or_default();
    let counting = |severity| now.count(severity).saturating_sub(accepted(severity));
    [Severity::Error, Severity::Warning].map(|severity| (severity, counting(severity))).into()
}

impl Acceptance {
    pub fn update(&mut self, open: Option<&Open>) {
        let (now, file) = (open.map(Open::now), open.and_then(|open| open.accepted.as_ref()));
        self.0.update((Same::of(now), Same::of(file)), |_| {
            now.zip(file).map(|(now, file)| Known::of(now, file)).unwrap_or_default()
        });
    }

    /// Returns the row that accepts a finding, by its index in [`Snapshot::findings`].
    fn row(&self, at: usize) -> Option<usize> {
        self.0.value.rows.get(at).copied().flatten()
    }
}

impl Session {
    /// Returns the accepted findings of the current catalog.
    pub fn accepted(&self) -> Option<&Arc<Accepted>> {
        self.catalog()?.accepted.as_ref()
    }

    /// Returns the number of findings of a severity that are not accepted.
    pub fn counting(&self, severity: Severity) -> usize {
        let all = self.snapshot().map_or(0, |snapshot| snapshot.count(severity));
        all.saturating_sub(self.answers.accepted().0.value.counts.get(&severity).copied().unwrap_or_default())
    }

    /// Returns the worst severity of a package's findings that are not accepted.
    pub fn worst(&self, package: &PackageName) -> Option<Severity> {
        let accepted = &self.answers.accepted().0.value;
        match self.accepted() {
            Some(_) => accepted.worst.get(package).copied(),
            None => self.snapshot()?.package(package.as_str())?.worst(),
        }
    }

    /// Returns the findings of a package that are not accepted.
    pub fn counting_of(&self, package: &PackageName) -> impl Iterator<Item = &Diagnostic> {
        let judged = self.snapshot().and_then(|now| now.package(package.as_str()));
        let (accepted, file) = (self.answers.accepted(), self.accepted().is_some());
        let start = accepted.0.value.starts.get(package).copied().filter(|_| file);
        let findings = judged.into_iter().flat_map(|judged| &judged.findings).enumerate();
        findings
            .filter(move |(at, _)| start.and_then(|start| accepted.row(start + at)).is_none())
            .map(|(_, finding)| finding)
    }

    /// Returns the findings of the current state, each with the row that accepts it.
    pub(in crate::app) fn findings(&self) -> impl Iterator<Item = (&Diagnostic, Option<&Row>)> {
        let (accepted, file) = (self.answers.accepted(), self.accepted());
        let findings = self.snapshot().into_iter().flat_map(|snapshot| snapshot.findings());
        findings.enumerate().map(move |(at, finding)| {
            (finding, file.zip(accepted.row(at)).and_then(|(f, row)| f.rows.get(row)))
        })
    }
}
