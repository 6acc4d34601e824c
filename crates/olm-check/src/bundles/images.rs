//! Rules about images: those that a mirror of the bundle contains, and those that the operator uses.

use std::collections::{BTreeMap, HashSet};

use super::BundleSubject;
use crate::{Finding, Severity, findings::Findings, format::format_list, rules};
use olm_bundle::{
    console_annotations::{INFRASTRUCTURE_FEATURES, InfrastructureFeature, parse_string_list},
    field_access::{items_at, node_at},
    outline::{images_in_argument, images_in_variable},
    registry::Csv,
};
use olm_catalog::{Node, Span, image_ref};

/// Image reference in a `ClusterServiceVersion`.
struct NamedImage<'n> {
    image: &'n str,
    span: Span,
    field: ImageField<'n>,
}

/// Part of the CSV that names an image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ImageField<'n> {
    /// `relatedImages`.
    Listed,
    /// Image of a container.
    Container,
    /// Environment variable.
    Variable(&'n str),
    /// Argument of a container.
    Argument,
}

/// Annotation that declares support for disconnected clusters.
pub(super) struct DisconnectedClaim<'n> {
    pub annotation: &'static str,
    pub node: &'n Node<'n>,
}

const NEW_ANNOTATION: &str = "features.operators.openshift.io/disconnected";
const OLD_ANNOTATION: &str = INFRASTRUCTURE_FEATURES;

/// Returns the annotation with the claim, in its new or its old form.
pub(super) fn disconnected_claim<'n>(csv: Csv<'n, '_>) -> Option<DisconnectedClaim<'n>> {
    let annotations = node_at(csv.node(), &["metadata", "annotations"])?;
    if let Some(node) = annotations.get(NEW_ANNOTATION) {
        let is_true = node.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"));
        return is_true.then_some(DisconnectedClaim { annotation: NEW_ANNOTATION, node });
    }
    let node = annotations.get(OLD_ANNOTATION)?;
    let list = parse_string_list(node.as_str()?)?;
    let claims = |item: &Node| {
        let feature = item.as_str().map(InfrastructureFeature::from_value);
        feature.and_then(InfrastructureFeature::documented_name) == Some("disconnected")
    };
    list.items().iter().any(claims).then_some(DisconnectedClaim { annotation: OLD_ANNOTATION, node })
}

/// Returns the containers and init containers of all deployments.
pub(super) fn containers<'n>(csv: Csv<'n, '_>) -> impl Iterator<Item = &'n Node<'n>> {
    items_at(csv.node(), &["spec", "install", "spec", "deployments"]).iter().flat_map(|deployment| {
        let of = |list| items_at(deployment, &["spec", "template", "spec", list]);
        of("initContainers").iter().chain(of("containers"))
    })
}

fn named_images<'n>(csv: Csv<'n, '_>) -> Vec<NamedImage<'n>> {
    let mut all = Vec::new();
    let mut add = |node: Option<&'n Node<'n>>, whence: ImageField<'n>| {
        let Some((text, node)) = node.and_then(|node| Some((node.as_str()?, node))) else { return };
        let images = match whence {
            ImageField::Listed | ImageField::Container => vec![text],
            ImageField::Variable(name) => images_in_variable(name, text),
            ImageField::Argument => images_in_argument(text),
        };
        let images = images.into_iter().filter(|image| !image.is_empty());
        all.extend(images.map(|image| NamedImage { image, span: node.span, field: whence }));
    };
    for container in containers(csv) {
        add(container.get("image"), ImageField::Container);
        for variable in items_at(container, &["env"]) {
            let name = variable.get("name").and_then(Node::as_str).unwrap_or_default();
            add(variable.get("value"), ImageField::Variable(name));
        }
        for argument in items_at(container, &["command"]).iter().chain(items_at(container, &["args"])) {
            add(Some(argument), ImageField::Argument);
        }
    }
    for listed in items_at(csv.node(), &["spec", "relatedImages"]) {
        add(listed.get("image"), ImageField::Listed);
    }
    all
}

fn is_tag(image: &str) -> bool {
    image_ref::parse_image_ref(image).is_ok_and(|reference| !reference.is_pinned())
}

pub(crate) fn tag_in_disconnected(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let Some(claim) = disconnected_claim(csv) else { return };
    let all = named_images(csv);
    let mut places: BTreeMap<&str, Vec<&NamedImage<'_>>> = BTreeMap::new();
    for named in all.iter().filter(|named| is_tag(named.image)) {
        places.entry(named.image).or_default().push(named);
    }
    let mut named = places.values().flatten();
    let Some(first) = named.next() else { return };
    let message = match places.len() {
        1 => format!("{} has no digest, but the bundle claims to work disconnected", first.image),
        images => format!(
            "{images} images have no digest, but the bundle claims to work disconnected: {}",
            format_list(places.keys())
        ),
    };
    let mut finding = Finding::new(&rules::TAG_IN_DISCONNECTED, message)
        .at_location(s.location_in_object(csv.object, first.span))
        .with_related_location(
            format!("claimed by {}", claim.annotation),
            s.location_in_object(csv.object, claim.node.span),
        );
    for other in named {
        let what = if other.image == first.image {
            "named here too".to_owned()
        } else {
            format!("{} has no digest", other.image)
        };
        finding = finding.with_related_location(what, s.location_in_object(csv.object, other.span));
    }
    found.push(finding);
}

pub(crate) fn unlisted_image(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let all = named_images(csv);
    // opm itself adds the images of containers to the related images.
    let is_listed =
        |named: &&NamedImage<'_>| matches!(named.field, ImageField::Listed | ImageField::Container);
    let listed: HashSet<&str> = all.iter().filter(is_listed).map(|named| named.image).collect();
    let claims = disconnected_claim(csv).is_some();
    let mut seen = HashSet::new();
    for named in all.iter().filter(|named| !listed.contains(named.image)) {
        let whence = match named.field {
            ImageField::Variable(name) => format!("the environment variable {name}"),
            _ => "an argument".to_owned(),
        };
        if !seen.insert((named.image, whence.clone())) {
            continue;
        }
        let message = format!("{} of {whence} is not in relatedImages", named.image);
        let mut finding = Finding::new(&rules::UNLISTED_IMAGE, message)
            .with_detail(named.image)
            .with_detail(whence)
            .at_location(s.location_in_object(csv.object, named.span));
        if !claims {
            finding.severity = Severity::Note;
        }
        found.push(finding);
    }
}
