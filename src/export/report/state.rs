//! The first line of the page: is it good? And the reasons, catalog by catalog.

use super::{View, html::count, table::Grade};
use crate::{
    plan::overview::Mark,
    review::deprecations::deprecated,
    validate::{Diagnostic, Severity},
};

/// What it all comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    /// How bad the worst is.
    pub grade: Grade,
    /// What it comes to.
    pub lead: String,
    /// Why.
    pub words: String,
    /// A sentence for each catalog and comparison, with how bad it is.
    pub facts: Vec<(Grade, String)>,
}

/// What is to be said of one catalog, the worst first.
struct Facts {
    name: String,
    /// That opm rejects it.
    rejected: Option<String>,
    /// Who gets no further, and what else is wrong.
    wrong: Vec<String>,
    /// What is worth a look.
    besides: Vec<String>,
}

impl State {
    /// Looks at everything.
    pub fn of(view: &View<'_>) -> Self {
        let report = view.report;
        let catalogs: Vec<Facts> = (0..report.releases.len()).map(|nth| Facts::of(view, nth)).collect();
        let mut facts: Vec<(Grade, String)> = Vec::new();
        for (nth, compared) in report.compared.iter().enumerate() {
            let verdict = compared.verdict();
            let grade = if verdict.is_bad { Grade::Bad } else { Grade::Good };
            let words = if verdict.words.is_empty() { String::new() } else { format!(" {}", verdict.words) };
            let name = if view.has_several() { format!("{}: ", view.title(nth)) } else { String::new() };
            let sentence = format!(
                "{name}{}{words}, from {} to {}.",
                verdict.lead.trim_end_matches(','),
                compared.old_label,
                compared.new_label
            );
            facts.push((grade, sentence));
        }
        facts.extend(catalogs.iter().map(Facts::sentence));
        if let Some(journey) = report.journey.as_ref().filter(|journey| journey.strands()) {
            let update = &journey.update;
            facts.push((Grade::Warn, crate::export::plan::summary(&update.over, &update.everyone)));
        }
        let compared = report.compared.iter().map(|compared| (compared, compared.verdict()));
        let worst = compared.max_by_key(|(_, verdict)| verdict.is_bad);
        if let Some((_, verdict)) = worst {
            let several = report.compared.len() > 1;
            let words = if several { of_several(view) } else { verdict.words };
            let rejected = catalogs.iter().any(|facts| facts.rejected.is_some());
            let grade = if verdict.is_bad || rejected { Grade::Bad } else { Grade::Good };
            let lead = if rejected && !verdict.is_bad {
                "opm rejects it:".to_owned()
            } else {
                verdict.lead.trim_end_matches(',').to_owned()
            };
            return Self { grade, lead, words, facts }.doubted(view);
        }
        Self::of_catalogs(&catalogs, facts).doubted(view)
    }

    /// What it comes to where nothing is compared.
    fn of_catalogs(catalogs: &[Facts], facts: Vec<(Grade, String)>) -> Self {
        let named = |of: &dyn Fn(&Facts) -> bool| -> Vec<&str> {
            catalogs.iter().filter(|facts| of(facts)).map(|facts| facts.name.as_str()).collect()
        };
        let rejected = named(&|facts| facts.rejected.is_some());
        let wrong = named(&|facts| !facts.wrong.is_empty());
        let strands = facts.iter().any(|(grade, _)| *grade <= Grade::Warn);
        let (grade, lead, words) = match (rejected.as_slice(), wrong.as_slice()) {
            ([_, ..], _) => {
                let words = format!("OLM Classic cannot serve {}", rejected.join(", "));
                (Grade::Bad, "opm rejects it:", words)
            }
            ([], [_, ..]) => {
                let of = |facts: &Facts| format!("{}: {}", facts.name, facts.wrong.join(", "));
                let all = catalogs.iter().filter(|facts| !facts.wrong.is_empty());
                let words = match catalogs {
                    [only] => only.wrong.join(", "),
                    _ => all.map(of).collect::<Vec<_>>().join("; "),
                };
                (Grade::Warn, "Some users get stuck:", words)
            }
            ([], []) if strands => {
                let words = "each catalog is good by itself, but not all installed versions get from the first to the last";
                (Grade::Warn, "Some users get stuck:", words.to_owned())
            }
            ([], []) => {
                let words = "opm accepts it, every version of a default channel gets to the head, and nobody is left on something deprecated";
                (Grade::Good, "Nobody gets stuck:", words.to_owned())
            }
        };
        Self { grade, lead: lead.to_owned(), words, facts }
    }

    /// No praise for what was not read.
    fn doubted(mut self, view: &View<'_>) -> Self {
        if !view.left_out.is_empty() && self.grade == Grade::Good {
            self.grade = Grade::Warn;
            self.lead = format!("Not everything could be read. {}", self.lead);
            self.words = format!("{}; that is true only of the part that could be read", self.words);
        }
        self
    }

    /// The line as text.
    pub fn sentence(&self) -> String {
        let words = if self.words.is_empty() { String::new() } else { format!(" {}", self.words) };
        format!("{}{words}.", self.lead)
    }
}

/// The comparisons of several catalogs, in a few words.
fn of_several(view: &View<'_>) -> String {
    let compared = &view.report.compared;
    let bad: Vec<&str> = (0..compared.len())
        .filter(|nth| compared.get(*nth).is_some_and(|compared| compared.verdict().is_bad))
        .map(|nth| view.title(nth))
        .collect();
    let differing = compared.iter().filter(|compared| !compared.difference.is_empty()).count();
    let all = compared.len();
    match bad.as_slice() {
        [] => format!("{differing} of {} differ", count(all, "catalog", "catalogs")),
        bad => format!("somebody gets hurt in {}; {differing} of {all} catalogs differ", bad.join(", ")),
    }
}

impl Facts {
    fn of(view: &View<'_>, nth: usize) -> Self {
        let report = view.report;
        let found = report.findings.get(nth);
        let findings = || found.iter().flat_map(|judged| judged.findings.iter().copied());
        let counted = |is: &dyn Fn(&Diagnostic) -> bool| -> usize {
            findings().filter(|finding| is(finding)).map(|finding| finding.count()).sum()
        };
        let errors = counted(&|finding| finding.severity() == Severity::Error);
        let snapshot = report.releases.get(nth).map(|release| &release.catalog);
        let parity: usize = snapshot
            .into_iter()
            .flat_map(|snapshot| snapshot.findings())
            .filter(|finding| finding.rule.parity)
            .map(|finding| finding.count())
            .sum();
        let cells = || view.overview.overview.rows.iter().filter_map(|row| row.cells.get(nth)?.as_ref());
        let sum = |mark: Mark| -> (usize, usize) {
            let counts = cells().map(|cell| cell.count(mark)).filter(|n| *n > 0);
            counts.fold((0, 0), |(all, packages), n| (all + n, packages + 1))
        };
        let mut wrong = Vec::new();
        if errors > 0 {
            wrong.push(count(errors, "error", "errors"));
        }
        for (mark, one, many) in [
            (Mark::Stranded, "installed version never gets", "installed versions never get"),
            (Mark::Unanswered, "installed version gets", "installed versions get"),
        ] {
            let (all, packages) = sum(mark);
            let end = match mark {
                Mark::Stranded => "to the head of the default channel",
                _ => "no answer from a resolver",
            };
            if all > 0 {
                wrong.push(format!(
                    "{} {end}, in {}",
                    count(all, one, many),
                    count(packages, "package", "packages")
                ));
            }
        }
        let wanted = snapshot.into_iter().flat_map(|snapshot| snapshot.packages());
        let wanted = wanted.filter(|(name, _)| report.wants(name));
        let blocking: usize =
            wanted.map(|(_, judged)| deprecated(judged).iter().filter(|one| one.blocks()).count()).sum();
        if blocking > 0 {
            let what = count(blocking, "deprecation leaves", "deprecations leave");
            wrong.push(format!("{what} users without an upgrade path, or stop v1"));
        }
        let mut besides = Vec::new();
        for (mark, words) in [
            (Mark::Stuck, "block the next OpenShift version and have no upgrade that does not"),
            (Mark::Escaping, "are upgraded by v1 to another channel"),
        ] {
            let (all, _) = sum(mark);
            if all > 0 {
                besides.push(format!("{} {words}", count(all, "version", "versions")));
            }
        }
        let warnings = counted(&|finding| finding.severity() == Severity::Warning);
        if warnings > 0 {
            besides.push(count(warnings, "warning", "warnings"));
        }
        let accepted: usize =
            found.iter().flat_map(|judged| &judged.accepted).map(|(finding, _)| finding.count()).sum();
        if accepted > 0 {
            besides.push(count(accepted, "accepted finding", "accepted findings"));
        }
        Self {
            name: view.title(nth).to_owned(),
            rejected: (parity > 0).then(|| format!("opm rejects it ({})", count(parity, "error", "errors"))),
            wrong,
            besides,
        }
    }

    fn sentence(&self) -> (Grade, String) {
        let grade = match (&self.rejected, self.wrong.as_slice()) {
            (Some(_), _) => Grade::Bad,
            (None, [_, ..]) => Grade::Warn,
            (None, []) => Grade::Good,
        };
        let accepts = self.rejected.clone().unwrap_or_else(|| "opm accepts it".to_owned());
        let parts: Vec<&str> =
            std::iter::once(&accepts).chain(&self.wrong).chain(&self.besides).map(String::as_str).collect();
        (grade, format!("{}: {}.", self.name, parts.join("; ")))
    }
}
