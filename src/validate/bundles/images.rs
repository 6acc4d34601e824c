//! Rules about images: those that a mirror of the bundle contains, and those that the operator uses.

use std::collections::{BTreeMap, HashSet};

use super::Inside;
use crate::{
    bundle::{
        inside::{in_argument, in_environment},
        read::{at, items},
        registry::Csv,
    },
    catalog::{Node, Span, image_ref},
    validate::{Diagnostic, Severity, findings::Findings, rules, words::list},
};

/// Image reference in a `ClusterServiceVersion`.
struct Named<'n> {
    image: &'n str,
    span: Span,
    whence: Whence<'n>,
}

/// Part of the CSV that names an image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whence<'n> {
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
pub(super) struct Claim<'n> {
    pub annotation: &'static str,
    pub node: &'n Node<'n>,
}

const NEW: &str = "features.operators.openshift.io/disconnected";
const OLD: &str = "operators.openshift.io/infrastructure-features";

/// Returns the annotation with the claim, in its new or its old form.
pub(super) fn claim<'n>(csv: Csv<'n, '_>) -> Option<Claim<'n>> {
    let annotations = at(csv.node(), &["metadata", "annotations"])?;
    if let Some(node) = annotations.get(NEW) {
        let is_true = node.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"));
        return is_true.then_some(Claim { annotation: NEW, node });
    }
    let node = annotations.get(OLD)?;
    let list = crate::catalog::text::json::parse(node.as_str()?.as_bytes()).ok()?;
    let claims = |item: &Node| item.as_str().is_some_and(|text| text.eq_ignore_ascii_case("disconnected"));
    list.items().iter().any(claims).then_some(Claim { annotation: OLD, node })
}

/// Returns the containers and init containers of all deployments.
pub(super) fn containers<'n>(csv: Csv<'n, '_>) -> impl Iterator<Item = &'n Node<'n>> {
    items(csv.node(), &["spec", "install", "spec", "deployments"]).iter().flat_map(|deployment| {
        let of = |list| items(deployment, &["spec", "template", "spec", list]);
        of("initContainers").iter().chain(of("containers"))
    })
}

fn named<'n>(csv: Csv<'n, '_>) -> Vec<Named<'n>> {
    let mut all = Vec::new();
    let mut add = |node: Option<&'n Node<'n>>, whence: Whence<'n>| {
        let Some((text, node)) = node.and_then(|node| Some((node.as_str()?, node))) else { return };
        let images = match whence {
            Whence::Listed | Whence::Container => vec![text],
            Whence::Variable(name) => in_environment(name, text),
            Whence::Argument => in_argument(text),
        };
        let images = images.into_iter().filter(|image| !image.is_empty());
        all.extend(images.map(|image| Named { image, span: node.span, whence }));
    };
    for container in containers(csv) {
        add(container.get("image"), Whence::Container);
        for variable in items(container, &["env"]) {
            let name = variable.get("name").and_then(Node::as_str).unwrap_or_default();
            add(variable.get("value"), Whence::Variable(name));
        }
        for argument in items(container, &["command"]).iter().chain(items(container, &["args"])) {
            add(Some(argument), Whence::Argument);
        }
    }
    for listed in items(csv.node(), &["spec", "relatedImages"]) {
        add(listed.get("image"), Whence::Listed);
    }
    all
}

fn is_tag(image: &str) -> bool {
    image_ref::check(image).is_ok_and(|reference| !reference.is_digest())
}

pub(in crate::validate) fn tag_in_disconnected(s: &Inside<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let Some(claim) = claim(csv) else { return };
    let all = named(csv);
    let mut places: BTreeMap<&str, Vec<&Named<'_>>> = BTreeMap::new();
    for named in all.iter().filter(|named| is_tag(named.image)) {
        places.entry(named.image).or_default().push(named);
    }
    let mut named = places.values().flatten();
    let Some(first) = named.next() else { return };
    let message = match places.len() {
        1 => format!("{} has no digest, but the bundle claims to work disconnected", first.image),
        images => format!(
            "{images} images have no digest, but the bundle claims to work disconnected: {}",
            list(places.keys())
        ),
    };
    let mut finding = Diagnostic::new(&rules::TAG_IN_DISCONNECTED, message)
        .place(s.at(csv.object, first.span))
        .related_at(format!("claimed by {}", claim.annotation), s.at(csv.object, claim.node.span));
    for other in named {
        let what = if other.image == first.image {
            "named here too".to_owned()
        } else {
            format!("{} has no digest", other.image)
        };
        finding = finding.related_at(what, s.at(csv.object, other.span));
    }
    found.push(finding);
}

pub(in crate::validate) fn unlisted_image(s: &Inside<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let all = named(csv);
    // opm itself adds the images of containers to the related images.
    let is_listed = |named: &&Named<'_>| matches!(named.whence, Whence::Listed | Whence::Container);
    let listed: HashSet<&str> = all.iter().filter(is_listed).map(|named| named.image).collect();
    let claims = claim(csv).is_some();
    let mut seen = HashSet::new();
    for named in all.iter().filter(|named| !listed.contains(named.image)) {
        let whence = match named.whence {
            Whence::Variable(name) => format!("the environment variable {name}"),
            _ => "an argument".to_owned(),
        };
        if !seen.insert((named.image, whence.clone())) {
            continue;
        }
        let message = format!("{} of {whence} is not in relatedImages", named.image);
        let mut finding =
            Diagnostic::new(&rules::UNLISTED_IMAGE, message).place(s.at(csv.object, named.span));
        if !claims {
            finding.severity = Severity::Note;
        }
        found.push(finding);
    }
}
