//! First line of the HTML report: the verdict, with the reasons for each catalog.

use super::{View, html::count_noun, table::Grade};
use crate::diff::{CatalogComparison, verdict::Verdict};
use olm_check::{
    Finding, Severity,
    review::{Snapshot, deprecations::list_deprecations},
};
use olm_plan::overview::ProblemMark;

/// First words about a catalog that opm rejects.
const REJECTED: &str = "opm rejects it:";

/// Verdict on the whole report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ReportVerdict {
    /// Severity of the worst problem.
    pub grade: Grade,
    /// First words of the verdict.
    pub lead: String,
    /// Reasons of the verdict.
    pub words: String,
    /// Sentence about each catalog and comparison, with its severity.
    pub facts: Vec<(Grade, String)>,
}

/// Facts about one catalog; fields in the order of severity.
struct CatalogFacts {
    name: String,
    /// Description of the rejection, if opm rejects the catalog.
    rejected: Option<String>,
    /// Problems that weaken the verdict, such as stuck users.
    problems: Vec<String>,
    /// Minor problems, which do not affect the verdict.
    minor_problems: Vec<String>,
}

impl ReportVerdict {
    /// Computes the verdict.
    pub fn from_view(view: &View<'_>) -> Self {
        let report = view.report;
        let catalogs: Vec<CatalogFacts> =
            (0..report.releases.len()).map(|nth| CatalogFacts::for_catalog(view, nth)).collect();
        let mut facts: Vec<(Grade, String)> = Vec::new();
        // The first line already has the verdict of a single comparison.
        let several = report.compared.iter().enumerate().filter(|_| report.compared.len() > 1);
        for (nth, compared) in several {
            let verdict = compared.verdict();
            let grade = if verdict.is_bad { Grade::Bad } else { Grade::Good };
            let words = if verdict.words.is_empty() { String::new() } else { format!(" {}", verdict.words) };
            let lead = verdict.lead.trim_end_matches(',');
            facts.push((grade, format!("{}: {lead}{words}.", view.catalog_title(nth))));
        }
        let is_said = view.report.compared.is_empty() && !view.has_several();
        facts.extend(catalogs.iter().map(|catalog| catalog.describe_catalog(!is_said)));
        if let Some(journey) = report.update_plans.as_ref().filter(|journey| journey.has_stranded()) {
            let update = &journey.update;
            facts.push((Grade::Warn, crate::plan::summarize_stranded(&update.over, &update.everyone)));
        }
        if let Some(worst) =
            report.compared.iter().map(CatalogComparison::verdict).max_by_key(|verdict| verdict.is_bad)
        {
            return Self::from_comparison(view, &worst, &catalogs, facts).weakened_by_omissions(view);
        }
        Self::from_catalogs(&catalogs, facts).weakened_by_omissions(view)
    }

    /// Returns the verdict if catalogs are compared; `worst` is the worst verdict of a comparison.
    fn from_comparison(
        view: &View<'_>,
        worst: &Verdict,
        catalogs: &[CatalogFacts],
        facts: Vec<(Grade, String)>,
    ) -> Self {
        let lead = worst.lead.trim_end_matches(',').to_owned();
        let words = if catalogs.len() > 1 { summarize_comparisons(view) } else { worst.words.clone() };
        let rejected = rejected_catalogs(catalogs);
        if rejected.is_empty() || worst.is_bad {
            let grade = if worst.is_bad { Grade::Bad } else { Grade::Good };
            return Self { grade, lead, words, facts };
        }
        let of_change = format!("{lead} {words}");
        let words = format!(
            "OLM Classic cannot serve {}. Of the change: {}",
            rejected.join(", "),
            of_change.trim_end()
        );
        Self { grade: Grade::Bad, lead: REJECTED.to_owned(), words, facts }
    }

    /// Returns the verdict if nothing is compared.
    fn from_catalogs(catalogs: &[CatalogFacts], facts: Vec<(Grade, String)>) -> Self {
        let rejected = rejected_catalogs(catalogs);
        let wrong = catalogs.iter().filter(|facts| !facts.problems.is_empty());
        let wrong: Vec<&str> = wrong.map(|facts| facts.name.as_str()).collect();
        let strands = facts.iter().any(|(grade, _)| *grade <= Grade::Warn);
        let (grade, lead, words) = match (rejected.as_slice(), wrong.as_slice()) {
            ([_, ..], _) => {
                let words = format!("OLM Classic cannot serve {}", rejected.join(", "));
                (Grade::Bad, REJECTED, words)
            }
            ([], [_, ..]) => {
                let words = match catalogs {
                    [only] => only.problems.join("; "),
                    all if all.len() == wrong.len() => format!("in each of {} catalogs", all.len()),
                    all => format!("in {} ({} of {} catalogs)", wrong.join(", "), wrong.len(), all.len()),
                };
                (Grade::Warn, "Some users get stuck:", words)
            }
            ([], []) if strands => {
                let words = "each catalog is good by itself, but not all installed versions get from the first to the last";
                (Grade::Warn, "Some users get stuck:", words.to_owned())
            }
            ([], []) => {
                let words = "opm accepts it, upgrades lead from every version to the head of its default channel, and no deprecation leaves users without an upgrade path";
                (Grade::Good, "No version is stuck:", words.to_owned())
            }
        };
        Self { grade, lead: lead.to_owned(), words, facts }
    }

    /// Changes a good verdict to a warning if parts of the input could not be read.
    fn weakened_by_omissions(self, view: &View<'_>) -> Self {
        if view.left_out.is_empty() || self.grade != Grade::Good {
            return self;
        }
        let Self { lead, words, facts, .. } = self;
        let of_rest = format!("{} {words}", lead.replace(" in the rest", ""));
        let words = format!("In the rest: {}", of_rest.trim_end());
        Self { grade: Grade::Warn, lead: "Not everything could be read.".to_owned(), words, facts }
    }

    /// Returns the verdict as one line of text.
    pub fn verdict_line(&self) -> String {
        let words = if self.words.is_empty() { String::new() } else { format!(" {}", self.words) };
        format!("{}{words}.", self.lead)
    }
}

/// Returns the names of catalogs that opm rejects.
fn rejected_catalogs(catalogs: &[CatalogFacts]) -> Vec<&str> {
    catalogs.iter().filter(|facts| facts.rejected.is_some()).map(|facts| facts.name.as_str()).collect()
}

/// Summarizes the comparisons of several catalogs.
fn summarize_comparisons(view: &View<'_>) -> String {
    let compared = &view.report.compared;
    let bad: Vec<&str> = (0..compared.len())
        .filter(|nth| compared.get(*nth).is_some_and(|compared| compared.verdict().is_bad))
        .map(|nth| view.catalog_title(nth))
        .collect();
    let differing = compared.iter().filter(|compared| !compared.difference.is_empty()).count();
    let all = compared.len();
    match bad.as_slice() {
        [] => format!("{differing} of {} differ", count_noun(all, "catalog", "catalogs")),
        bad => format!("users are worse off in {}; {differing} of {all} catalogs differ", bad.join(", ")),
    }
}

impl CatalogFacts {
    /// Collects the facts about the catalog at position `nth` of the report.
    fn for_catalog(view: &View<'_>, nth: usize) -> Self {
        let report = view.report;
        let found = report.findings.get(nth);
        let findings = || found.iter().flat_map(|judged| judged.findings.iter().copied());
        let counted = |is: &dyn Fn(&Finding) -> bool| -> usize {
            findings().filter(|finding| is(finding)).map(Finding::finding_count).sum()
        };
        // Errors that opm reports are counted separately.
        let errors = counted(&|finding| finding.severity() == Severity::Error && !finding.rule.parity);
        let snapshot = report.releases.get(nth).map(|release| &release.catalog);
        let parity: usize = snapshot
            .into_iter()
            .flat_map(Snapshot::findings)
            .filter(|finding| finding.rule.parity)
            .map(Finding::finding_count)
            .sum();
        let cells = || view.overview.overview.rows.iter().filter_map(|row| row.cells.get(nth)?.as_ref());
        let sum = |mark: ProblemMark| -> (usize, usize) {
            let counts = cells().map(|cell| cell.count_marked(mark)).filter(|n| *n > 0);
            counts.fold((0, 0), |(all, packages), n| (all + n, packages + 1))
        };
        let mut wrong = Vec::new();
        if errors > 0 {
            wrong.push(count_noun(errors, "error", "errors"));
        }
        wrong.extend(super::stuck::describe_stuck_packages(report.stuck.get(nth).map_or(&[], Vec::as_slice)));
        let (unanswered, packages) = sum(ProblemMark::Unanswered);
        if unanswered > 0 {
            wrong.push(format!(
                "{} no answer from a resolver, in {}",
                count_noun(unanswered, "installed version gets", "installed versions get"),
                count_noun(packages, "package", "packages")
            ));
        }
        let wanted = snapshot.into_iter().flat_map(Snapshot::packages);
        let wanted = wanted.filter(|(name, _)| report.includes_package(name));
        let blocking: usize = wanted
            .map(|(_, judged)| list_deprecations(judged).iter().filter(|one| one.blocks()).count())
            .sum();
        if blocking > 0 {
            let what = count_noun(blocking, "deprecation leaves", "deprecations leave");
            wrong.push(format!("{what} users without an upgrade path, or stop v1"));
        }
        let mut besides = Vec::new();
        let (blocked, _) = sum(ProblemMark::BlocksPermanently);
        if blocked > 0 {
            besides.push(count_noun(
                blocked,
                "version blocks the next OpenShift version and has no upgrade that does not",
                "versions block the next OpenShift version and have no upgrade that does not",
            ));
        }
        let warnings = counted(&|finding| finding.severity() == Severity::Warning);
        if warnings > 0 {
            besides.push(count_noun(warnings, "warning", "warnings"));
        }
        let accepted: usize = found
            .iter()
            .flat_map(|judged| &judged.accepted)
            .map(|(finding, _)| finding.finding_count())
            .sum();
        if accepted > 0 {
            besides.push(count_noun(accepted, "accepted finding", "accepted findings"));
        }
        Self {
            name: view.catalog_title(nth).to_owned(),
            rejected: (parity > 0)
                .then(|| format!("opm rejects it ({})", count_noun(parity, "error", "errors"))),
            problems: wrong,
            minor_problems: besides,
        }
    }

    /// Describes the catalog. `whole` adds the problems; the caller omits them if the verdict
    /// already names them.
    fn describe_catalog(&self, whole: bool) -> (Grade, String) {
        let grade = match (&self.rejected, self.problems.as_slice()) {
            (Some(_), _) => Grade::Bad,
            (None, [_, ..]) => Grade::Warn,
            (None, []) => Grade::Good,
        };
        let accepts = self.rejected.clone().unwrap_or_else(|| "opm accepts it".to_owned());
        let wrong = if whole { self.problems.as_slice() } else { &[] };
        let parts: Vec<&str> =
            std::iter::once(&accepts).chain(wrong).chain(&self.minor_problems).map(String::as_str).collect();
        (grade, format!("{}: {}.", self.name, parts.join("; ")))
    }
}
