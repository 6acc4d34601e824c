//! The findings that the Problems screen lists, in their order.

use crate::{
    app::{
        parts::{list::passes, orders::Order},
        session::Session,
    },
    catalog::{PackageName, file::Place},
    validate::{Diagnostic, repetition},
};

/// A finding as the Problems screen lists it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The finding.
    pub finding: Diagnostic,
    /// Where it stands now.
    pub place: Option<Place>,
    /// Why it is accepted, and so does not count: empty where nobody said.
    pub accepted: Option<String>,
    /// Findings that repeat this one and have no row of their own.
    pub repeated: Vec<Self>,
}

/// What a row of the list is.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// A finding.
    Finding(&'a Problem),
    /// What stands for the accepted ones, above them where they are shown.
    Accepted {
        /// How many they are.
        count: usize,
        /// Whether they are shown.
        is_open: bool,
    },
}

/// The findings that pass a filter, those that are accepted last.
pub(super) fn problems(session: &Session, filter: &str, order: Option<Order>) -> Vec<Problem> {
    let Some(snapshot) = session.snapshot() else { return Vec::new() };
    let mut problems: Vec<Problem> = session
        .findings()
        .filter(|(f, _)| {
            let package = f.package.as_ref().map(PackageName::as_str).unwrap_or_default();
            filter.is_empty()
                || passes(
                    filter,
                    &format!("{} {} {package} {}", f.severity().as_str(), f.rule_ids(), f.message),
                )
        })
        .map(|(finding, row)| Problem {
            accepted: row.map(|row| row.reason.clone()),
            place: finding.at.as_ref().and_then(|at| at.place(&snapshot.catalog)),
            finding: finding.clone(),
            repeated: Vec::new(),
        })
        .collect();
    problems.sort_by(|a, b| {
        let severity = || a.finding.severity().cmp(&b.finding.severity());
        let package = || a.finding.package.cmp(&b.finding.package);
        let place = || a.place.as_ref().map(Place::order).cmp(&b.place.as_ref().map(Place::order));
        let rule = || a.finding.rule.id.cmp(b.finding.rule.id);
        a.accepted.is_some().cmp(&b.accepted.is_some()).then_with(|| match order {
            Some(Order::FindingPackages) => package().then_with(severity).then_with(place).then_with(rule),
            Some(Order::FindingRules) => rule().then_with(package).then_with(place),
            Some(Order::FindingPlaces) => place().then_with(severity).then_with(rule),
            _ => severity().then_with(package).then_with(place).then_with(rule),
        })
    });
    // A filter lists each of them.
    if filter.is_empty() { fold(problems) } else { problems }
}

/// Puts findings that repeat another one below it.
fn fold(problems: Vec<Problem>) -> Vec<Problem> {
    let groups =
        repetition::group(problems, |problem| problem.accepted.is_none().then_some(&problem.finding));
    let groups = groups.into_iter().filter_map(|group| {
        let mut group = group.into_iter();
        let first = group.next()?;
        Some(Problem { repeated: group.collect(), ..first })
    });
    groups.collect()
}
