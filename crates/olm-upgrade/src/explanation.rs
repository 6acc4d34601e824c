//! Explanation of a resolver's answer: every candidate in order, for the screen and for the command line.

use std::cmp::Ordering;

use super::{
    answer::{Admission, Answer, Candidate, Engine, Refusal, Verdict},
    graph::EdgeKind,
};
use olm_catalog::BundleName;
use olm_version::{
    Version,
    blang::{Alternative, Operator, Range},
};

/// Outcome of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// Picked by the resolver.
    Picked,
    /// Admitted, but the resolver prefers another candidate.
    Possible,
    /// Not admitted: no edge leads to it, or the query excludes it.
    Excluded,
}

impl Outcome {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Picked => "picked",
            Self::Possible => "possible",
            Self::Excluded => "excluded",
        }
    }
}

/// Line of the explanation.
#[derive(Clone, Debug)]
pub struct ExplanationLine<'a> {
    /// Outcome of the candidates.
    pub outcome: Outcome,
    /// First candidate of the line.
    pub first: &'a Candidate,
    /// Last candidate of the line; `None` if there is only one.
    pub last: Option<&'a Candidate>,
    /// Number of candidates in the line.
    pub count: usize,
    /// Reason in words.
    pub reason: String,
}

/// Describes in one sentence how a resolver picks.
pub fn describe_rule(answer: &Answer) -> &'static str {
    let free = |candidate: &Candidate| candidate.verdict == Verdict::Admitted(Admission::SelfCertified);
    match (answer.engine, &answer.installed) {
        (Engine::Classic, None) => "nothing is installed: Classic installs the head, or startingCSV",
        (Engine::Classic, Some(_)) => {
            "Classic walks the replaces chain from the head and picks the first with an edge from the \
             installed bundle"
        }
        (Engine::V1, None) => "nothing is installed: v1 picks the highest version, deprecated bundles last",
        (Engine::V1, Some(_)) if answer.candidates.iter().any(free) => {
            "SelfCertified: v1 picks the highest version without checking edges, deprecated bundles last"
        }
        (Engine::V1, Some(_)) => "v1 picks the highest version with an edge, deprecated bundles last",
    }
}

/// Explains every candidate in the resolver's order of preference. Long runs with the same reason are one line.
pub fn explain_answer(answer: &Answer) -> Vec<ExplanationLine<'_>> {
    let mut lines = Vec::new();
    let mut rest = answer.candidates.as_slice();
    let winner = answer.winner();
    while let Some(first) = rest.first() {
        let dull = shared_reason(answer.engine, winner, first);
        let run = rest
            .iter()
            .take_while(|c| dull.is_some() && shared_reason(answer.engine, winner, c) == dull)
            .count();
        let run = count_descending(rest.get(..run).unwrap_or_default());
        let (these, others) = rest.split_at(run.max(1));
        rest = others;
        // Show the newest candidate if it has a range: users ask why it is not the answer.
        let shown = match (dull, these.len()) {
            (Some(SharedReason::NoEdge), 3..) => usize::from(has_range(first)),
            // The first candidate that loses shows which one wins.
            (Some(SharedReason::Outranked(_)), 4..) => 1,
            (Some(SharedReason::Outranked(_)), all) => all,
            (Some(_), 3..) => 0,
            (_, all) => all,
        };
        let (shown, folded) = these.split_at(shown.min(these.len()));
        lines.extend(shown.iter().map(|candidate| ExplanationLine {
            outcome: candidate_outcome(winner, candidate),
            first: candidate,
            last: None,
            count: 1,
            reason: answer.explain_candidate(candidate),
        }));
        if let (Some(dull), [first, .., last]) = (dull, folded) {
            lines.push(ExplanationLine {
                outcome: candidate_outcome(winner, first),
                first,
                last: Some(last),
                count: folded.len(),
                reason: explain_run(answer, dull, folded),
            });
        }
    }
    lines
}

/// Returns the number of candidates up to the first one with a higher version than the one before it. Deprecated
/// candidates of v1 come last, whatever their version: a range from the first to the last would not be true.
fn count_descending(candidates: &[Candidate]) -> usize {
    let is_higher = |pair: &[Candidate]| match pair {
        [before, after] => match (&before.version, &after.version) {
            (Some(before), Some(after)) => before.cmp_precedence(after).is_lt(),
            _ => false,
        },
        _ => false,
    };
    candidates.windows(2).position(is_higher).map_or(candidates.len(), |at| at + 1)
}

impl Answer {
    /// Explains why a candidate is, or is not, the answer.
    pub fn explain_candidate(&self, candidate: &Candidate) -> String {
        match &candidate.verdict {
            Verdict::Admitted(admission) => match self.winner() {
                Some(winner) if !std::ptr::eq(winner, candidate) => {
                    format!(
                        "{}, but {}",
                        describe_admission(admission),
                        explain_loss(self.engine, winner, candidate)
                    )
                }
                // The installed bundle is also a pick; "no upgrade available" alone would read like a refusal.
                _ if *admission == Admission::Installed => {
                    "it is installed, and no upgrade is available".to_owned()
                }
                _ => admission.to_string(),
            },
            Verdict::Refused(Refusal::NoEdge { ranges }) if !ranges.is_empty() => {
                let version = self.installed.as_ref().and_then(|i| i.version.as_ref()).map(|v| &v.version);
                format!("no edge leads to it: {}", explain_range_mismatch(ranges, version))
            }
            Verdict::Refused(refusal) => refusal.to_string(),
        }
    }
}

fn candidate_outcome(winner: Option<&Candidate>, candidate: &Candidate) -> Outcome {
    match &candidate.verdict {
        Verdict::Admitted(_) if winner.is_some_and(|winner| std::ptr::eq(winner, candidate)) => {
            Outcome::Picked
        }
        Verdict::Admitted(_) => Outcome::Possible,
        Verdict::Refused(_) => Outcome::Excluded,
    }
}

/// Describes the admission of a candidate that did not win.
fn describe_admission(admission: &Admission) -> String {
    match admission {
        Admission::Installed => "it is installed".to_owned(),
        Admission::FreshInstall => "nothing is installed".to_owned(),
        Admission::SelfCertified => "SelfCertified ignores edges".to_owned(),
        other => other.to_string(),
    }
}

/// Explains why another candidate wins.
fn explain_loss(engine: Engine, winner: &Candidate, candidate: &Candidate) -> String {
    if engine == Engine::Classic {
        return format!("{} is closer to the head", winner.name);
    }
    let order = winner.version.as_ref().zip(candidate.version.as_ref()).map(|(a, b)| a.cmp_precedence(b));
    match order {
        Some(Ordering::Greater) => format!("{} is higher", winner.name),
        // Only a deprecation places a higher version later.
        Some(Ordering::Less) => format!("it is deprecated, and {} is not", winner.name),
        _ => format!("{} comes first", winner.name),
    }
}

/// Reason that many consecutive candidates share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SharedReason {
    NoEdge,
    NotInChannels,
    Constraint,
    NoVersion,
    /// Edges do not matter and a higher version wins.
    Lower,
    /// The candidate has an edge of this kind, but the resolver prefers another candidate.
    Outranked(EdgeKind),
}

fn shared_reason(engine: Engine, winner: Option<&Candidate>, candidate: &Candidate) -> Option<SharedReason> {
    match &candidate.verdict {
        Verdict::Refused(Refusal::NoEdge { .. }) => Some(SharedReason::NoEdge),
        Verdict::Refused(Refusal::NotInChannels) => Some(SharedReason::NotInChannels),
        Verdict::Refused(Refusal::Constraint { .. }) => Some(SharedReason::Constraint),
        Verdict::Refused(Refusal::NoVersion) => Some(SharedReason::NoVersion),
        Verdict::Admitted(admission) => {
            let winner = winner.filter(|winner| !std::ptr::eq(*winner, candidate))?;
            let dull = match admission.edge() {
                Some(kind) if engine == Engine::Classic => return Some(SharedReason::Outranked(kind)),
                Some(kind) => SharedReason::Outranked(kind),
                None if matches!(admission, Admission::FreshInstall | Admission::SelfCertified) => {
                    SharedReason::Lower
                }
                None => return None,
            };
            let (winner, this) = (winner.version.as_ref()?, candidate.version.as_ref()?);
            winner.cmp_precedence(this).is_gt().then_some(dull)
        }
        Verdict::Refused(_) => None,
    }
}

fn has_range(candidate: &Candidate) -> bool {
    matches!(&candidate.verdict, Verdict::Refused(Refusal::NoEdge { ranges }) if !ranges.is_empty())
}

fn explain_run(answer: &Answer, dull: SharedReason, these: &[Candidate]) -> String {
    let version = || {
        let version = answer.installed.as_ref().and_then(|i| i.version.as_ref());
        version.map_or_else(|| "an unknown version".to_owned(), |v| v.version.to_string())
    };
    match dull {
        SharedReason::NoEdge => {
            let ranges = these.iter().filter(|c| has_range(c)).count();
            let version = version();
            match ranges {
                0 => "no edge leads to them".to_owned(),
                1 => format!("no edge leads to them; the skipRange of one excludes {version}"),
                n => format!("no edge leads to them; the skipRanges of {n} exclude {version}"),
            }
        }
        SharedReason::Lower => "lower versions".to_owned(),
        SharedReason::Outranked(kind) => {
            let installed = answer.installed.as_ref().map(|i| i.name.to_string()).unwrap_or_default();
            let edge = match kind {
                EdgeKind::Replaces => format!("replace {installed}"),
                EdgeKind::Skips => format!("skip {installed}"),
                EdgeKind::SkipRange => format!("have a skipRange that includes {}", version()),
            };
            let winner = answer.winner().zip(these.first());
            let behind = winner.map(|(winner, first)| explain_loss(answer.engine, winner, first));
            format!("{edge} too, but {}", behind.unwrap_or_default())
        }
        SharedReason::NotInChannels | SharedReason::Constraint | SharedReason::NoVersion => {
            these.first().map(|c| answer.explain_candidate(c)).unwrap_or_default()
        }
    }
}

/// Describes the position of the installed version relative to skipRanges that exclude it.
fn explain_range_mismatch(ranges: &[String], version: Option<&Version>) -> String {
    let (own, list) = match ranges {
        [one] => ("its skipRange", one.clone()),
        several => ("its skipRanges", several.join(", ")),
    };
    let Some(version) = version else {
        return format!("{own} {list} cannot match: the installed version is unknown");
    };
    let mut sides =
        ranges.iter().map(|range| Range::parse(range).ok().map(|range| side_of_range(&range, version)));
    let first = sides.next().flatten();
    let same = first.filter(|first| sides.all(|side| side == Some(*first)));
    match same {
        Some(Side::Below) => format!("{version} is below {own} {list}"),
        Some(Side::Above) => format!("{version} is above {own} {list}"),
        _ if ranges.len() == 1 && first.is_none() => format!("{own} {list} is invalid"),
        _ if ranges.len() == 1 => format!("{own} {list} excludes {version}"),
        _ => format!("{own} {list} exclude {version}"),
    }
}

/// Position of a version relative to a range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
    Between,
}

fn side_of_range(range: &Range, version: &Version) -> Side {
    let mut sides = range.alternatives().iter().map(|alternative| side_of_alternative(alternative, version));
    let Some(first) = sides.next() else { return Side::Between };
    if sides.all(|side| side == first) { first } else { Side::Between }
}

fn side_of_alternative(alternative: &Alternative, version: &Version) -> Side {
    let mut failed =
        alternative.comparators().iter().filter(|c| !c.matches(version)).map(|c| match c.operator {
            Operator::Greater | Operator::GreaterOrEqual => Side::Below,
            Operator::Less | Operator::LessOrEqual => Side::Above,
            Operator::Equal if version.cmp_precedence(&c.version).is_lt() => Side::Below,
            Operator::Equal => Side::Above,
            Operator::NotEqual => Side::Between,
        });
    let Some(first) = failed.next() else { return Side::Between };
    if failed.all(|side| side == first) { first } else { Side::Between }
}

/// Returns the subject of a line: `3.1.1` or `3.1.1 to 2.0.0 (12)`. `label` formats bundle names.
pub fn line_subject(line: &ExplanationLine<'_>, label: impl Fn(&BundleName) -> String) -> String {
    match line.last {
        None => label(&line.first.name),
        Some(last) => format!("{} to {} ({})", label(&line.first.name), label(&last.name), line.count),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::{
        Installed, PackageGraph,
        fixture::{graph_from_channels, graph_from_lines},
        v1::{Policy, Query},
    };

    fn installed_version(graph: &PackageGraph, version: &str) -> Installed {
        Installed::from_package(&graph.package, &format!("p.v{version}").into())
    }

    fn render_explanation(graph: &PackageGraph, answer: &Answer) -> String {
        let lines = explain_answer(answer);
        assert_eq!(lines.iter().map(|line| line.count).sum::<usize>(), answer.candidates.len());
        let mut out = String::new();
        for line in &lines {
            let subject = line_subject(line, |name| graph.package.short_name(name));
            let _ = writeln!(out, "{} {subject}: {}", line.outcome.as_str(), line.reason);
        }
        out
    }

    #[test]
    fn explains_range_with_installed_version() {
        let graph = graph_from_lines("3.0.0 replaces=2.0.0 range=>=2.0.0_<3.0.0\n2.0.0 range=<1.0.0");
        let gone = Installed { name: "p.v1.0.0".into(), version: Some(Version::new(1, 0, 0).into()) };
        let answer = graph.resolve_classic("c", Some(&gone));
        assert_eq!(
            render_explanation(&graph, &answer),
            "excluded 3.0.0: no edge leads to it: 1.0.0 is below its skipRange >=2.0.0 <3.0.0\n\
             excluded 2.0.0: no edge leads to it: 1.0.0 is above its skipRange <1.0.0\n"
        );
        for (range, version, words) in [
            ("<1.0.0 || >2.0.0", "1.5.0", "its skipRange <1.0.0 || >2.0.0 excludes 1.5.0"),
            ("!=1.5.0", "1.5.0", "its skipRange !=1.5.0 excludes 1.5.0"),
            ("1.0.0", "1.5.0", "1.5.0 is above its skipRange 1.0.0"),
            ("~1", "1.5.0", "its skipRange ~1 is invalid"),
        ] {
            assert_eq!(
                explain_range_mismatch(&[range.to_owned()], Some(&Version::parse(version).unwrap())),
                words
            );
        }
        let two = ["<1.0.0".to_owned(), "<1.2.0".to_owned()];
        assert_eq!(
            explain_range_mismatch(&two, Some(&Version::new(1, 5, 0))),
            "1.5.0 is above its skipRanges <1.0.0, <1.2.0"
        );
    }

    #[test]
    fn long_run_with_same_reason_is_one_line() {
        let mut lines = String::from("9.0.0 replaces=8.0.0 range=>=8.0.0_<9.0.0\n");
        for n in (2..9).rev() {
            lines += &format!("{n}.0.0 replaces={}.0.0\n", n - 1);
        }
        let graph = graph_from_lines(&(lines + "1.0.0"));
        let answer = graph.resolve_classic("c", Some(&installed_version(&graph, "4.0.0")));
        assert_eq!(
            render_explanation(&graph, &answer),
            "excluded 9.0.0: no edge leads to it: 4.0.0 is below its skipRange >=8.0.0 <9.0.0\n\
             excluded 8.0.0 to 6.0.0 (3): no edge leads to them\n\
             picked 5.0.0: replaces p.v4.0.0 in c\n\
             excluded 4.0.0 to 1.0.0 (4): no edge leads to them\n"
        );
        let free = Query { policy: Policy::SelfCertified, ..Query::default() };
        let answer = graph.resolve_v1(&free, Some(&installed_version(&graph, "4.0.0")));
        assert_eq!(
            render_explanation(&graph, &answer),
            "picked 9.0.0: highest version, SelfCertified ignores edges\n\
             possible 8.0.0 to 1.0.0 (8): lower versions\n"
        );
    }

    #[test]
    fn run_of_losing_ranges_is_one_line_after_the_first() {
        let mut lines = String::new();
        for n in (2..8).rev() {
            lines += &format!("{n}.0.0 replaces={}.0.0 range=<{n}.0.0\n", n - 1);
        }
        let graph = graph_from_lines(&(lines + "1.0.0"));
        let answer = graph.resolve_classic("c", Some(&installed_version(&graph, "1.0.0")));
        assert_eq!(
            render_explanation(&graph, &answer),
            "picked 7.0.0: skipRange <7.0.0 in c includes 1.0.0\n\
             possible 6.0.0: skipRange <6.0.0 in c includes 1.0.0, but p.v7.0.0 is closer to the head\n\
             possible 5.0.0 to 3.0.0 (3): have a skipRange that includes 1.0.0 too, but p.v7.0.0 is closer to the head\n\
             possible 2.0.0: replaces p.v1.0.0 in c, but p.v7.0.0 is closer to the head\n\
             excluded 1.0.0: no edge leads to it\n"
        );
        let answer = graph.resolve_v1(&Query::default(), Some(&installed_version(&graph, "1.0.0")));
        assert_eq!(
            render_explanation(&graph, &answer).lines().nth(2),
            Some(
                "possible 5.0.0 to 3.0.0 (3): have a skipRange that includes 1.0.0 too, but p.v7.0.0 is higher"
            )
        );
    }

    #[test]
    fn candidates_excluded_by_query_are_sorted_by_reason_and_version() {
        let graph = graph_from_channels(&[
            ("c", "5.0.0 replaces=1.0.0\n1.0.0"),
            ("d", "4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0"),
        ]);
        let query = Query { channels: vec!["c".into()], version: "<2".into(), ..Query::default() };
        let answer = graph.resolve_v1(&query, Some(&installed_version(&graph, "1.0.0")));
        assert_eq!(
            render_explanation(&graph, &answer),
            "picked 1.0.0: it is installed, and no upgrade is available\n\
             excluded 4.0.0 to 2.0.0 (3): not in the given channels\n\
             excluded 5.0.0: excluded by the version constraint <2\n"
        );
    }

    #[test]
    fn rule_depends_on_engine_and_query() {
        let graph = graph_from_lines("2.0.0 replaces=1.0.0\n1.0.0");
        let one = installed_version(&graph, "1.0.0");
        let free = Query { policy: Policy::SelfCertified, ..Query::default() };
        let rules = [
            graph.resolve_classic("c", None),
            graph.resolve_v1(&Query::default(), None),
            graph.resolve_classic("c", Some(&one)),
            graph.resolve_v1(&Query::default(), Some(&one)),
            graph.resolve_v1(&free, Some(&one)),
        ];
        assert_eq!(
            rules.map(|answer| describe_rule(&answer)),
            [
                "nothing is installed: Classic installs the head, or startingCSV",
                "nothing is installed: v1 picks the highest version, deprecated bundles last",
                "Classic walks the replaces chain from the head and picks the first with an edge from the \
                 installed bundle",
                "v1 picks the highest version with an edge, deprecated bundles last",
                "SelfCertified: v1 picks the highest version without checking edges, deprecated bundles last",
            ]
        );
    }

    #[test]
    fn losing_candidate_has_a_reason() {
        let graph = graph_from_lines("3.0.0 replaces=1.0.0 deprecated\n2.0.0 replaces=1.0.0\n1.0.0");
        let answer = graph.resolve_v1(&Query::default(), Some(&installed_version(&graph, "1.0.0")));
        assert_eq!(
            render_explanation(&graph, &answer),
            "picked 2.0.0: replaces p.v1.0.0 in c\n\
             possible 1.0.0: it is installed, but p.v2.0.0 is higher\n\
             possible 3.0.0: replaces p.v1.0.0 in c, but it is deprecated, and p.v2.0.0 is not\n"
        );
        let graph = graph_from_lines("3.0.0 replaces=2.0.0 range=<3.0.0\n2.0.0 replaces=1.0.0\n1.0.0");
        let answer = graph.resolve_classic("c", Some(&installed_version(&graph, "1.0.0")));
        assert_eq!(
            render_explanation(&graph, &answer).lines().nth(1),
            Some("possible 2.0.0: replaces p.v1.0.0 in c, but p.v3.0.0 is closer to the head")
        );
    }

    /// Deprecated candidates of v1 come last. A range of names must not include versions in between.
    #[test]
    fn folded_candidates_are_in_descending_order() {
        let graph = graph_from_lines(
            "9.0.0 replaces=8.0.0\n8.0.0\n7.0.0 deprecated\n6.0.0 deprecated\n5.0.0 deprecated\n4.0.0\n3.0.0\n2.0.0\n1.0.0",
        );
        let answer = graph.resolve_v1(&Query::default(), Some(&installed_version(&graph, "8.0.0")));
        let explained = render_explanation(&graph, &answer);
        assert!(explained.contains("excluded 4.0.0 to 1.0.0 (4)"), "{explained}");
        assert!(explained.contains("excluded 7.0.0 to 5.0.0 (3)"), "{explained}");
    }
}
