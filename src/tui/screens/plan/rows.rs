//! Rows of the Plan screen: packages, and the installed versions of one of them.

use std::cmp::Reverse;

use crate::tui::{
    parts::list::passes_filter,
    session::jobs::upgrade_plans::{PlanCounts, Plans},
};
use olm_catalog::PackageName;
use olm_plan::planner::{PackagePlans, VersionPlan};
use olm_upgrade::openshift::OpenShift;
use olm_version::VersionRelease;

/// Row of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackageRow {
    /// The package.
    pub package: PackageName,
    /// Numbers of its plans.
    pub counts: PlanCounts,
}

/// Cell of a plan for one OpenShift version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanCell {
    /// The cluster does not reach this version.
    NotReached,
    /// State when the cluster leaves the version, or at the end.
    Reached {
        /// Short name of the installed bundle.
        version: String,
        /// Number of upgrades at this version.
        upgrades: usize,
        /// Whether the channel changes at this version.
        changes: bool,
        /// Whether the plan is blocked at this version.
        blocked: bool,
    },
}

/// Returns the packages that pass the filter, most blocked plans first, then most stuck ones. Packages
/// without plans are omitted.
pub(super) fn filter_package_rows(plans: &Plans, filter: &str) -> Vec<PackageRow> {
    let rows = plans.everyone.packages.iter().zip(&plans.counts).filter(|(_, counts)| counts.total > 0);
    let rows = rows.filter(|(plans, _)| passes_filter(filter, plans.package.as_str()));
    let mut rows: Vec<PackageRow> =
        rows.map(|(plans, counts)| PackageRow { package: plans.package.clone(), counts: *counts }).collect();
    rows.sort_by_key(|row| Reverse((row.counts.blocked, row.counts.stuck)));
    rows
}

/// Returns the indexes of a package's plans that pass the filter, blocked ones first.
pub(super) fn filter_plans(plans: &PackagePlans, filter: &str) -> Vec<usize> {
    let words = |plan: VersionPlan<'_>| {
        let first = plan.first_state();
        let bundle = first.map(|state| state.bundle.as_str()).unwrap_or_default();
        let channel = first.and_then(|state| state.channel).map(AsRef::<str>::as_ref).unwrap_or_default();
        format!("{bundle} {channel}")
    };
    let passes = |plan: VersionPlan<'_>| filter.is_empty() || passes_filter(filter, &words(plan));
    let rows = plans.plans.iter().enumerate().filter(|(_, plan)| passes(*plan));
    let mut rows: Vec<(bool, Option<&VersionRelease>, usize)> = rows
        .map(|(at, plan)| (plan.arrives(), plan.first_state().and_then(|state| state.version), at))
        .collect();
    rows.sort_by(|a, b| {
        let versions = match (a.1, b.1) {
            (Some(a), Some(b)) => a.cmp_precedence(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        a.0.cmp(&b.0).then(versions).then(a.2.cmp(&b.2))
    });
    rows.into_iter().map(|(.., at)| at).collect()
}

/// Returns the cells of a plan for all versions.
pub fn plan_cells(plan: VersionPlan<'_>, versions: &[OpenShift]) -> Vec<PlanCell> {
    let mut parts = plan.version_parts().peekable();
    let of = |version: &OpenShift| {
        let Some(part) = parts.next_if(|part| part.last.openshift == *version) else {
            return PlanCell::NotReached;
        };
        let name = part.last.bundle.as_str();
        PlanCell::Reached {
            version: part.last.version.map_or_else(|| name.to_owned(), ToString::to_string),
            upgrades: part.upgrades,
            changes: part.changes_channel,
            blocked: plan.blocked().is_some_and(|block| block.openshift == *version),
        }
    };
    versions.iter().map(of).collect()
}
