//! Images that the upgrade plans need in a mirror.

use super::{Args, Format};
use crate::cli::{out::Out, source};
use olm_catalog::{Catalog, Origin};
use olm_plan::{
    image_set::{self, ImageSet, UnreachableBundle},
    planner::Plan,
    series::Release,
};
use olmap_report::{imageset as export, plan::PlanRange};

/// Renders an image set configuration, or the list of images.
pub fn render_image_set(
    args: &Args,
    over: &PlanRange,
    releases: &[Release<Catalog>],
    plans: &[&Plan],
    out: &Out,
) -> anyhow::Result<String> {
    if args.format == Format::Images {
        return Ok(export::list_needed_images(&image_set::required_images(releases, plans)));
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
        source::print_warning(&words, None, out);
    }
    Ok(export::render_image_set(&set, &comments)?)
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
