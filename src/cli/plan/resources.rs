//! Custom resources of plans, grouped by OpenShift version.

use std::fmt::Write as _;

use crate::cli::failure::Failure;
use olm_catalog::Catalog;
use olm_plan::{
    cluster::{Cluster, Operator},
    planner::{Approval, ClusterPlan, OperatorPlan, Plan, PlanCatalogs, StopCause},
    resources::{BundleInformation, InstallTarget, ResourceOptions, install_steps},
    series::Release,
};
use olm_upgrade::{Engine, openshift::OpenShift};
use olmap_report::resources as export;

/// Renders the steps as comments, each with the resources to apply.
pub fn render_resources(
    releases: &[Release<Catalog>],
    world: &PlanCatalogs,
    whole: &ClusterPlan,
    cluster: Option<&Cluster>,
) -> Result<String, Failure> {
    let mut out = String::new();
    let reaches = whole.reached_version();
    for openshift in whole.versions.iter().take_while(|version| Some(**version) <= reaches) {
        if whole.versions.first() != Some(openshift) {
            let _ = writeln!(out, "\n# Update the cluster to {openshift}.");
        }
        for planned in whole.operators_in_order(*openshift) {
            let steps = render_steps(releases, world, planned, *openshift, cluster)?;
            if !steps.is_empty() {
                let _ = write!(out, "\n# {} on OpenShift {openshift}\n{steps}", planned.plan.package);
            }
        }
    }
    Ok(out.trim_start().to_owned())
}

/// Renders the steps of an operator on one OpenShift version.
fn render_steps(
    releases: &[Release<Catalog>],
    world: &PlanCatalogs,
    planned: &OperatorPlan,
    openshift: OpenShift,
    cluster: Option<&Cluster>,
) -> Result<String, Failure> {
    let plan = &planned.plan;
    let stop = |stop: &olm_plan::planner::Stop| InstallTarget {
        engine: plan.engine,
        package: plan.package.clone(),
        channel: stop.channel.clone(),
        bundle: stop.bundle.clone(),
        version: stop.version.clone(),
    };
    let here = plan.stops.iter().enumerate().filter(|(_, of)| of.openshift == openshift);
    let deeds: Vec<usize> = here
        .filter(|(_, of)| matches!(of.cause, StopCause::Pick(_) | StopCause::Channel))
        .map(|(at, _)| at)
        .collect();
    let Some(before) = deeds.first().and_then(|at| at.checked_sub(1)).and_then(|at| plan.stops.get(at))
    else {
        return Ok(String::new());
    };
    let stops: Vec<InstallTarget> =
        std::iter::once(before).chain(deeds.iter().filter_map(|at| plan.stops.get(*at))).map(stop).collect();
    let graph = world.find_package(plan.package.as_str()).and_then(|legs| legs.graph(openshift));
    let modes = |bundle: &str| {
        let release = releases.iter().find(|release| release.openshift == Some(openshift))?;
        let bundle = release.catalog.package(plan.package.as_str())?.bundle(bundle)?;
        bundle.csv.as_ref().map(|csv| csv.install_modes.as_slice())
    };
    let known = |stop: &InstallTarget| {
        graph.map(|graph| BundleInformation {
            graph,
            install_modes: modes(stop.bundle.as_str()).unwrap_or_default(),
        })
    };
    let operator = cluster.and_then(|cluster| find_operator(cluster, plan));
    let made = install_steps(&stops, true, known, |_| cluster_choices(operator));
    let made = made.map_err(|refused| {
        Failure::new(format!("{} on {openshift}: {refused}", plan.package)).with_optional_hint(refused.hint())
    })?;
    let is_automatic = plan.engine == Engine::Classic && plan.approval == Approval::Automatic;
    let note = if is_automatic {
        "# Its approval becomes Manual, so that nothing comes before its turn.\n"
    } else {
        ""
    };
    Ok(format!("{note}{}", export::render_plan_steps(&made)))
}

/// Returns the operator of a cluster that a plan is for.
fn find_operator<'c>(cluster: &'c Cluster, plan: &'c Plan) -> Option<&'c Operator> {
    cluster.operators_of(&plan.package).find(|operator| operator.engine() == plan.engine)
}

/// Returns the choices that match the cluster.
fn cluster_choices(operator: Option<&Operator>) -> ResourceOptions {
    let Some(operator) = operator else { return ResourceOptions::default() };
    ResourceOptions {
        name: Some(operator.name.clone()),
        namespace: Some(operator.namespace.clone()),
        has_group: true,
        source: operator.subscription().map(|asks| asks.source.clone()),
        ..ResourceOptions::default()
    }
}
