//! Rows of the Plan screen: packages, and the installed versions of one of them.

use std::cmp::Reverse;

use crate::tui::{
    parts::list::{ListId, passes_filter},
    session::Session,
};
use olm_catalog::PackageName;
use olm_plan::planner::{PackagePlans, Plan, StopCause};
use olm_upgrade::openshift::OpenShift;

/// Row of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackageRow {
    /// The package.
    pub package: PackageName,
    /// Number of installed versions that do not arrive.
    pub stranded: usize,
    /// Number of all installed versions.
    pub total: usize,
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

/// Returns the packages that pass the filter, most stranded versions first. Packages without plans
/// are omitted.
pub(super) fn filter_package_rows(session: &Session) -> Vec<PackageRow> {
    let Some((_, plans)) = session.jobs.upgrade_plans.plans() else { return Vec::new() };
    let filter = session.lists.filter(ListId::Planned);
    let of = |plans: &PackagePlans| PackageRow {
        package: plans.package.clone(),
        stranded: plans.count_stranded(),
        total: plans.plans.len(),
    };
    let rows = plans.everyone.packages.iter().filter(|plans| !plans.plans.is_empty()).map(of);
    let mut rows: Vec<PackageRow> = rows.filter(|row| passes_filter(filter, row.package.as_str())).collect();
    rows.sort_by_key(|row| Reverse(row.stranded));
    rows
}

/// Returns the indexes of a package's plans that pass the filter, blocked ones first.
pub(super) fn filter_plans(session: &Session, package: Option<&PackageName>) -> Vec<usize> {
    let plans = session.jobs.upgrade_plans.plans().zip(package);
    let Some(plans) = plans.and_then(|((_, plans), package)| plans.package_plans(package)) else {
        return Vec::new();
    };
    let filter = session.lists.filter(ListId::Lanes);
    let words = |plan: &Plan| {
        let first = plan.stops.first();
        let bundle = first.map(|stop| stop.bundle.as_str()).unwrap_or_default();
        let channel =
            first.and_then(|stop| stop.channel.as_ref()).map(AsRef::<str>::as_ref).unwrap_or_default();
        format!("{bundle} {channel}")
    };
    let mut rows: Vec<usize> = (0..plans.plans.len()).collect();
    rows.retain(|at| plans.plans.get(*at).is_some_and(|plan| passes_filter(filter, &words(plan))));
    rows.sort_by_key(|at| plans.plans.get(*at).is_some_and(Plan::arrives));
    rows
}

/// Returns the cells of a plan for all versions.
pub fn plan_cells(plan: &Plan, versions: &[OpenShift]) -> Vec<PlanCell> {
    let of = |version: &OpenShift| {
        let stops = || plan.stops.iter().filter(|stop| stop.openshift == *version);
        let Some(last) = stops().next_back() else { return PlanCell::NotReached };
        let name = last.bundle.as_str();
        PlanCell::Reached {
            version: last.version.as_ref().map_or_else(|| name.to_owned(), ToString::to_string),
            upgrades: stops().filter(|stop| matches!(stop.cause, StopCause::Pick(_))).count(),
            changes: stops().any(|stop| stop.cause == StopCause::Channel),
            blocked: plan.blocked.as_ref().is_some_and(|block| block.openshift == *version),
        }
    };
    versions.iter().map(of).collect()
}
