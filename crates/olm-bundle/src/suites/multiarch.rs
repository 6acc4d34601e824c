//! Suite `multiarch`: labels about architectures and operating systems, compared with the platforms of images.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/multiarch.go`. The reference program pulls
//! images; here the caller provides their platforms.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use super::{Report, Settings, VALIDATION_FAILED, loaded::LoadedBundle};
use crate::field_access::{items_at, node_at, text_at, texts_at};
use olm_catalog::Node;

/// Prefix of `ClusterServiceVersion` labels about architectures.
const ARCH: &str = "operatorframework.io/arch.";
/// Prefix of `ClusterServiceVersion` labels about operating systems.
const OS: &str = "operatorframework.io/os.";
/// Valid names of image programs.
const TOOLS: [&str; 4] = ["", "none", "docker", "podman"];
/// Architecture and operating system of an image that cannot be inspected.
const ERROR: &str = "error";

/// A platform: operating system and architecture.
type Platform = (String, String);

/// Platforms of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImagePlatforms {
    /// Platforms of its index.
    Listed(Vec<(String, String)>),
    /// The image does not have an index, so the check does not see platforms.
    Plain,
    /// The image cannot be inspected.
    Unknown,
}

impl ImagePlatforms {
    fn known_platforms(&self) -> BTreeSet<Platform> {
        match self {
            Self::Listed(all) => all
                .iter()
                .filter(|(os, arch)| [os, arch].iter().all(|part| !part.is_empty() && *part != "unknown"))
                .cloned()
                .collect(),
            Self::Plain => BTreeSet::new(),
            Self::Unknown => BTreeSet::from([(ERROR.to_owned(), ERROR.to_owned())]),
        }
    }
}

/// Images of containers, with the platforms of their node affinity.
type Images = BTreeMap<String, BTreeSet<Platform>>;

pub(super) fn check_multiarch(bundle: &LoadedBundle, settings: &Settings, out: &mut Report) {
    let tool = settings.container_tool.as_deref().unwrap_or_default().to_lowercase();
    if !TOOLS.contains(&tool.as_str()) {
        let message = format!("container-tools `{tool}` is not docker, podman or none");
        return out.set_kind(VALIDATION_FAILED).add_error(message, None);
    }
    // The check requires the platforms of images.
    let Some(known) = &settings.platforms else { return };
    let checked = PlatformCheck::new(bundle, known);
    checked.check_unknown_images(out);
    checked.check_labels(out);
    checked.check_missing_labels(ARCH, "amd64", |(_, arch)| arch, out);
    checked.check_missing_labels(OS, "linux", |(os, _)| os, out);
    checked.check_lacking_images(out);
    checked.check_affinity(out);
}

/// Data of the comparison.
struct PlatformCheck<'b> {
    bundle: &'b LoadedBundle<'b>,
    managers: Images,
    others: Images,
    related: BTreeSet<String>,
    platforms: BTreeMap<String, ImagePlatforms>,
    archs: BTreeMap<String, String>,
    systems: BTreeMap<String, String>,
}

impl<'b> PlatformCheck<'b> {
    fn new(bundle: &'b LoadedBundle<'b>, known: &BTreeMap<String, ImagePlatforms>) -> Self {
        let (managers, others) = split_images(bundle.deployments());
        let related = items_at(bundle.csv_node(), &["spec", "relatedImages"]).iter();
        let related: BTreeSet<String> =
            related.map(|image| text_at(image, &["image"]).into_owned()).collect();
        let all = managers.keys().chain(others.keys()).chain(&related);
        let platforms =
            all.map(|image| (image.clone(), known.get(image).cloned().unwrap_or(ImagePlatforms::Unknown)));
        let platforms = platforms.collect();
        let (archs, systems) =
            (supported_labels(bundle.csv_node(), ARCH), supported_labels(bundle.csv_node(), OS));
        Self { bundle, managers, others, related, platforms, archs, systems }
    }

    fn image_platforms(&self, image: &str) -> BTreeSet<Platform> {
        self.platforms.get(image).map(ImagePlatforms::known_platforms).unwrap_or_default()
    }

    fn is_unknown_image(&self, image: &str) -> bool {
        self.platforms.get(image) == Some(&ImagePlatforms::Unknown)
    }

    fn check_unknown_images(&self, out: &mut Report) {
        for image in self.platforms.keys().filter(|image| self.is_unknown_image(image)) {
            out.set_kind(VALIDATION_FAILED)
                .add_warning(format!("unable to inspect the image ({image})"), None);
        }
    }

    /// Returns the names in labels, or the default without labels.
    fn labels_or_default<'s>(names: &'s BTreeMap<String, String>, usual: &'s str) -> BTreeSet<&'s str> {
        if names.is_empty() { BTreeSet::from([usual]) } else { names.keys().map(String::as_str).collect() }
    }

    /// Returns the names in labels and those of manager images.
    fn supported_names(&self, key: &str, usual: &str, part: fn(&Platform) -> &String) -> BTreeSet<String> {
        let names = if key == ARCH { &self.archs } else { &self.systems };
        let of_images = self.managers.keys().flat_map(|image| self.image_platforms(image));
        let of_images = of_images.map(|platform| part(&platform).clone());
        Self::labels_or_default(names, usual).into_iter().map(str::to_owned).chain(of_images).collect()
    }

    fn check_labels(&self, out: &mut Report) {
        for arch in Self::labels_or_default(&self.archs, "amd64") {
            for system in Self::labels_or_default(&self.systems, "linux") {
                let wanted = (system.to_owned(), arch.to_owned());
                let all = self.managers.keys().chain(self.others.keys()).chain(&self.related);
                let mut lacking: Vec<&str> = all
                    .filter(|image| {
                        !self.is_unknown_image(image) && !self.image_platforms(image).contains(&wanted)
                    })
                    .map(String::as_str)
                    .collect();
                lacking.sort_unstable();
                if !lacking.is_empty() {
                    let message = format!(
                        "labels say that {system}/{arch} is supported, but these images are not for it: {}",
                        lacking.join(", ")
                    );
                    out.set_kind(VALIDATION_FAILED)
                        .add_error(message, self.bundle.csv_location(&["metadata", "labels"]));
                }
            }
        }
    }

    fn check_missing_labels(&self, key: &str, usual: &str, part: fn(&Platform) -> &String, out: &mut Report) {
        let supported = self.supported_names(key, usual, part);
        if supported.len() == 1 && supported.contains(usual) {
            return;
        }
        let names = if key == ARCH { &self.archs } else { &self.systems };
        let is_labelled = |name: &&String| names.values().any(|label| label.contains(name.as_str()));
        let missing: Vec<&str> = supported
            .iter()
            .filter(|name| *name != ERROR && !is_labelled(name))
            .map(String::as_str)
            .collect();
        if !missing.is_empty() {
            let message =
                format!("no label {key}NAME for {}, which manager images support", missing.join(", "));
            out.set_kind(VALIDATION_FAILED)
                .add_warning(message, self.bundle.csv_location(&["metadata", "labels"]));
        }
    }

    fn check_lacking_images(&self, out: &mut Report) {
        let archs = self.supported_names(ARCH, "amd64", |(_, arch)| arch);
        let systems = self.supported_names(OS, "linux", |(os, _)| os);
        let others: BTreeSet<&String> = self.others.keys().chain(&self.related).collect();
        for image in others.into_iter().filter(|image| !self.is_unknown_image(image)) {
            let own = self.image_platforms(image);
            let own_archs: BTreeSet<&String> = own.iter().map(|(_, arch)| arch).collect();
            let own_systems: BTreeSet<&String> = own.iter().map(|(os, _)| os).collect();
            for (supported, own) in [(&archs, own_archs), (&systems, own_systems)] {
                let lacking: Vec<&str> = supported
                    .iter()
                    .filter(|name| *name != ERROR && !own.contains(name))
                    .map(String::as_str)
                    .collect();
                if !lacking.is_empty() {
                    let message = format!("the image {image} is not for {}", lacking.join(", "));
                    out.set_kind(VALIDATION_FAILED)
                        .add_warning(message, self.bundle.csv_location(&["spec", "relatedImages"]));
                }
            }
        }
    }

    fn check_affinity(&self, out: &mut Report) {
        for (image, affinity) in self.managers.iter().chain(&self.others) {
            let place = || self.bundle.csv_location(&["spec", "install", "spec", "deployments"]);
            let own = self.image_platforms(image);
            if affinity.is_empty() {
                let count = if self.is_unknown_image(image) { 2 } else { 1 };
                for _ in 0..count {
                    let message = format!(
                        "no node affinity for the image {image}, which is for {}",
                        format_platforms(&own)
                    );
                    out.set_kind(VALIDATION_FAILED).add_warning(message, place());
                }
                continue;
            }
            let (more, fewer): (BTreeSet<_>, BTreeSet<_>) =
                (affinity.difference(&own).cloned().collect(), own.difference(affinity).cloned().collect());
            if !more.is_empty() {
                let message = format!(
                    "node affinity of the image {image} has {}, the image has not",
                    format_platforms(&more)
                );
                out.set_kind(VALIDATION_FAILED).add_warning(message, place());
            }
            if !fewer.is_empty() {
                let message = format!(
                    "the image {image} is for {}, its node affinity is not",
                    format_platforms(&fewer)
                );
                out.set_kind(VALIDATION_FAILED).add_warning(message, place());
            }
        }
    }
}

/// Returns the names of `supported` labels with a prefix, with the whole label.
fn supported_labels(csv: &Node, prefix: &str) -> BTreeMap<String, String> {
    let members = node_at(csv, &["metadata", "labels"]).map(Node::members).unwrap_or_default();
    members
        .iter()
        .filter(|member| member.key.contains(prefix) && member.value.as_str() == Some("supported"))
        .map(|member| (member.key.replace(prefix, ""), member.key.to_string()))
        .collect()
}

/// Splits the images into manager images and others, like the reference program.
fn split_images(deployments: &[Node]) -> (Images, Images) {
    const PROXY: &str = "kube-rbac-proxy";
    let containers = |deployment| -> Vec<(String, String)> {
        let containers = items_at(deployment, &["spec", "template", "spec", "containers"]).iter();
        containers
            .map(|container| {
                (text_at(container, &["name"]).into_owned(), text_at(container, &["image"]).into_owned())
            })
            .collect()
    };
    let mut managers = Images::new();
    for deployment in deployments {
        let (all, affinity) = (containers(deployment), affinity_platforms(deployment));
        let is_new = |managers: &Images, image: &String| !managers.contains_key(image);
        let mut has_manager = false;
        for (_, image) in all.iter().filter(|(name, _)| name == "manager") {
            if is_new(&managers, image) {
                managers.insert(image.clone(), affinity.clone());
                has_manager = true;
            }
        }
        if has_manager {
            continue;
        }
        for (_, image) in all.iter().filter(|(name, _)| name != PROXY) {
            if is_new(&managers, image) {
                managers.insert(image.clone(), affinity.clone());
            }
        }
    }
    let mut others = Images::new();
    for deployment in deployments {
        for (_, image) in containers(deployment) {
            if !managers.contains_key(&image) {
                others.entry(image).or_insert_with(|| affinity_platforms(deployment));
            }
        }
    }
    (managers, others)
}

/// Returns the platforms that the node affinity of a deployment requires: those of each term with architectures
/// and operating systems.
fn affinity_platforms(deployment: &Node) -> BTreeSet<Platform> {
    let path = ["spec", "template", "spec", "affinity", "nodeAffinity"];
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let terms = items_at(deployment, &[&path[..], &[required, "nodeSelectorTerms"]].concat());
    let mut platforms = BTreeSet::new();
    for term in terms {
        let values = |key: &str| -> Vec<String> {
            let expressions = items_at(term, &["matchExpressions"]).iter();
            let of_key = expressions
                .rev()
                .find(|one| text_at(one, &["key"]) == key && text_at(one, &["operator"]) == "In");
            of_key.map(|one| texts_at(one, &["values"]).map(Cow::into_owned).collect()).unwrap_or_default()
        };
        for system in values("kubernetes.io/os") {
            platforms.extend(values("kubernetes.io/arch").into_iter().map(|arch| (system.clone(), arch)));
        }
    }
    platforms
}

/// Formats platforms: `linux/amd64, linux/arm64`.
fn format_platforms(platforms: &BTreeSet<Platform>) -> String {
    if platforms.is_empty() {
        return "no platform".to_owned();
    }
    platforms.iter().map(|(os, arch)| format!("{os}/{arch}")).collect::<Vec<_>>().join(", ")
}
