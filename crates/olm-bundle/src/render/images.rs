//! Related images of a rendered bundle.

use std::collections::{BTreeSet, HashSet};

use super::sort::sort_as_go;
use crate::{
    registry::{BundleError, Csv},
    typed::find_field,
};
use olm_catalog::Node;

/// Returns the images of `spec.relatedImages`, the bundle image, and further images of the deployments, sorted
/// by image.
pub(crate) fn related_images(csv: Csv, image: &str) -> Result<Vec<(String, String)>, BundleError> {
    let text = |node: &Node, key| find_field(node, key).and_then(Node::as_str).unwrap_or_default().to_owned();
    let mut images: Vec<(String, String)> = Vec::new();
    if let Some(spec) = csv.spec() {
        csv.check_type(spec, "RelatedImages")?;
        csv.check_type(spec, "Install")?;
        let listed = find_field(spec, "relatedImages").map(Node::items).unwrap_or_default();
        images.extend(listed.iter().map(|image| (text(image, "name"), text(image, "image"))));
    }
    let mut known: HashSet<String> = images.iter().map(|(_, image)| image.clone()).collect();
    if !image.is_empty() && known.insert(image.to_owned()) {
        images.push((String::new(), image.to_owned()));
    }
    let used = container_images(csv);
    images
        .extend(used.into_iter().filter(|image| !known.contains(image)).map(|image| (String::new(), image)));
    sort_as_go(&mut images, |a, b| a.1 < b.1);
    Ok(images)
}

/// Returns the images of the deployments' containers; a container without one gives an empty string.
fn container_images(csv: Csv) -> BTreeSet<String> {
    let install = csv.spec_field("install");
    let is_deployment =
        install.and_then(|i| find_field(i, "strategy")).and_then(Node::as_str) == Some("deployment");
    let strategy = install.filter(|_| is_deployment).and_then(|install| find_field(install, "spec"));
    let deployments =
        strategy.and_then(|s| find_field(s, "deployments")).map(Node::items).unwrap_or_default();
    let pods = deployments.iter().filter_map(|deployment| {
        ["spec", "template", "spec"].into_iter().try_fold(deployment, |node, key| find_field(node, key))
    });
    let containers = pods.flat_map(|pod| {
        let lists = ["containers", "initContainers"].into_iter().filter_map(|key| find_field(pod, key));
        lists.flat_map(Node::items)
    });
    containers.map(|c| find_field(c, "image").and_then(Node::as_str).unwrap_or_default().to_owned()).collect()
}
