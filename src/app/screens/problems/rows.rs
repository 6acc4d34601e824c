//! The findings that the Problems screen lists, in their order.

use crate::{
    app::parts::{list::passes, orders::Order},
    catalog::{PackageName, file::Place},
    review::Snapshot,
    validate::Diagnostic,
};

/// A finding as the Problems screen lists it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The finding.
    pub finding: Diagnostic,
    /// Where it stands now.
    pub place: Option<Place>,
}

/// The findings that pass a filter.
pub(super) fn problems(snapshot: &Snapshot, filter: &str, order: Option<Order>) -> Vec<Problem> {
    let mut problems: Vec<Problem> = snapshot
        .findings()
        .filter(|f| {
            let package = f.package.as_ref().map(PackageName::as_str).unwrap_or_default();
            filter.is_empty()
                || passes(filter, &format!("{} {} {package} {}", f.severity().as_str(), f.rule.id, f.message))
        })
        .map(|finding| Problem {
            place: finding.at.as_ref().and_then(|at| at.place(&snapshot.catalog)),
            finding: finding.clone(),
        })
        .collect();
    problems.sort_by(|a, b| {
        let severity = || a.finding.severity().cmp(&b.finding.severity());
        let package = || a.finding.package.cmp(&b.finding.package);
        let place = || a.place.as_ref().map(Place::order).cmp(&b.place.as_ref().map(Place::order));
        let rule = || a.finding.rule.id.cmp(b.finding.rule.id);
        match order {
            Some(Order::FindingPackages) => package().then_with(severity).then_with(place).then_with(rule),
            Some(Order::FindingRules) => rule().then_with(package).then_with(place),
            Some(Order::FindingPlaces) => place().then_with(severity).then_with(rule),
            _ => severity().then_with(package).then_with(place).then_with(rule),
        }
    });
    problems
}
