//! Images that the upgrade plans need in a mirror.

use super::{Args, Format};
use crate::{
    catalog::{Catalog, Origin},
    cli::{out::Out, source},
    export::{imageset as export, plan::Over},
    plan::{
        imageset::{self, Broken, ImageSet},
        planner::Plan,
        series::Release,
    },
};

/// Renders an image set configuration, or the list of images.
pub fn text(
    args: &Args,
    over: &Over,
    releases: &[Release<Catalog>],
    plans: &[&Plan],
    out: &Out,
) -> anyhow::Result<String> {
    if args.format == Format::Images {
        return Ok(export::images(&imageset::images(releases, plans)));
    }
    let mut comments = vec![format!("Every stop of the plans from OpenShift {}.", over.ends())];
    if plans.iter().any(|plan| !plan.arrives()) {
        comments.push("Some plans are blocked: of those, what they come to is held.".to_owned());
    }
    let set = ImageSet::new(releases, plans, |release| reference(release, args.index.as_deref()));
    if args.index.is_none() {
        for release in releases.iter().filter(|release| !matches!(release.catalog.origin, Origin::Image(_))) {
            let reference = reference(release, None);
            comments.push(format!("Write the image of {} in place of {reference}.", release.label));
        }
    }
    for Broken { openshift, bundle } in &set.broken {
        let words = format!("no configuration holds {bundle} on {openshift}: oc-mirror cuts it off");
        source::warn(&words, None, out);
    }
    Ok(export::yaml(&set, &comments)?)
}

/// Returns the reference from which oc-mirror pulls a catalog.
fn reference(release: &Release<Catalog>, index: Option<&str>) -> String {
    let version = release.openshift.map_or_else(String::new, |version| version.to_string());
    match (index, &release.catalog.origin) {
        (Some(index), _) => format!("{index}:v{version}"),
        (None, Origin::Image(at)) => at.label.clone(),
        (None, _) => format!("example.com/catalog:v{version}"),
    }
}
