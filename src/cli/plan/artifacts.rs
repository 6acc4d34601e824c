//! Artifacts of upgrade plans: images for a mirror, and custom resources by OpenShift version.

use std::fmt::Write as _;

use super::{Args, Format};
use crate::cli::{Failure, Out};
use olm_catalog::{Catalog, Origin};
use olm_plan::cluster::{Cluster, Operator};
use olm_plan::image_set::{self, ImageSet, UnreachableBundle};
use olm_plan::planner::{Approval, ClusterPlan, OperatorPlan, Plan, PlanCatalogs, StopCause};
use olm_plan::resources::{BundleInformation, InstallTarget, ResourceOptions, install_steps};
use olm_plan::series::Release;
use olm_upgrade::{Engine, openshift::OpenShift};
use olmap_report::{imageset, plan::PlanRange, resources as export};

/// Renders an image set configuration, or the list of images.
pub fn render_image_set(
    args: &Args,
    over: &PlanRange,
    releases: &[Release<Catalog>],
    plans: &[&Plan],
    out: &Out,
) -> anyhow::Result<String> {
    if args.format == Format::Images {
        return Ok(imageset::list_needed_images(&image_set::required_images(releases, plans)));
    }
    let mut comments = vec![format!("Every stop of the plans from OpenShift {}.", over.version_range())];
    if plans.iter().any(|plan| !plan.arrives()) {
        comments.push("Some plans are blocked: of those, what they come to is held.".to_owned());
    }
    let set = ImageSet::new(releases, plans, |release| catalog_reference(release, args.index.as_deref()));
    if args.index.is_none() {
        for release in releases.iter().filter(|release| !matches!(release.catalog.origin, Origin::Image(_))) {
            let reference = catalog_reference(release, None);
            comments.push(format!("Write the image of {} in place of {reference}.", release.label));
        }
    }
    for UnreachableBundle { openshift, bundle } in &set.unreachable {
        let words = format!("no configuration holds {bundle} on {openshift}: oc-mirror cuts it off");
        out.print_warning(&words, None);
    }
    Ok(imageset::render_image_set(&set, &comments)?)
}

/// Returns the reference from which oc-mirror pulls a catalog.
fn catalog_reference(release: &Release<Catalog>, index: Option<&str>) -> String {
    let version = release.openshift.map_or_else(String::new, |version| version.to_string());
    match (index, &release.catalog.origin) {
        (Some(index), _) => format!("{index}:v{version}"),
        (None, Origin::Image(at)) => at.label.clone(),
        (None, _) => format!("example.com/catalog:v{version}"),
    }
}

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
