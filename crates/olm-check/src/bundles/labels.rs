//! Rules about labels and annotations: unknown keys, contradictions between two places, channels,
//! directories and OpenShift versions.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

use super::{BundleSubject, dockerfile};
use crate::{Finding, FindingLocation, Severity, findings::Findings, format::format_list, rules};
use olm_bundle::{
    TreeFile,
    document::{self, Document},
    field_access::node_at,
    registry::BundleLocation,
    typed::{self, DecoderKind, field_text},
};
use olm_catalog::{Member, Node, Span, openshift::OpenShiftRange, similar_names};

/// Prefix of all annotations of a bundle image.
const PREFIX: &str = "operators.operatorframework.io.";
/// Annotations that opm, OLM or operator-sdk read or write.
const ANNOTATIONS: [&str; 12] = [
    "operators.operatorframework.io.bundle.mediatype.v1",
    "operators.operatorframework.io.bundle.manifests.v1",
    "operators.operatorframework.io.bundle.metadata.v1",
    "operators.operatorframework.io.bundle.package.v1",
    "operators.operatorframework.io.bundle.channels.v1",
    "operators.operatorframework.io.bundle.channel.default.v1",
    "operators.operatorframework.io.metrics.mediatype.v1",
    "operators.operatorframework.io.metrics.builder",
    "operators.operatorframework.io.metrics.project_layout",
    "operators.operatorframework.io.test.mediatype.v1",
    "operators.operatorframework.io.test.config.v1",
    "operators.operatorframework.io.index.configs.v1",
];
/// Labels that operator-sdk and opm write to a bundle image.
const LABELS: [&str; 6] = [
    "operators.operatorframework.io.bundle.mediatype.v1",
    "operators.operatorframework.io.bundle.manifests.v1",
    "operators.operatorframework.io.bundle.metadata.v1",
    "operators.operatorframework.io.bundle.package.v1",
    "operators.operatorframework.io.bundle.channels.v1",
    "operators.operatorframework.io.bundle.channel.default.v1",
];
/// Annotations with the name of a directory, and the name.
const FOLDERS: [(&str, &str); 2] = [
    ("operators.operatorframework.io.bundle.manifests.v1", "manifests"),
    ("operators.operatorframework.io.bundle.metadata.v1", "metadata"),
];
const DEFAULT_CHANNEL: &str = "operators.operatorframework.io.bundle.channel.default.v1";
/// Prefix of annotations of a `ClusterServiceVersion` that OLM reads.
const OLM_PREFIX: &str = "olm.";
/// Annotations that OLM and opm read, or that OLM writes.
const OLM_ANNOTATIONS: [&str; 9] = [
    "olm.copiedFrom",
    "olm.examples",
    "olm.operatorGroup",
    "olm.operatorNamespace",
    "olm.properties",
    "olm.providedAPIs",
    "olm.skipRange",
    "olm.substitutesFor",
    "olm.targetNamespaces",
];
/// Property that is often written as an annotation.
const MAX_OPENSHIFT: &str = "olm.maxOpenShiftVersion";
/// Prefix of labels for architectures and operating systems.
const PLATFORM: &str = "operatorframework.io/";
const PLATFORMS: [&str; 6] = ["arch.amd64", "arch.arm64", "arch.ppc64le", "arch.s390x", "os.linux", "os.zos"];
/// Common names of architectures that differ from Go's names.
const ARCHITECTURE_ALIASES: [(&str, &str); 4] = [
    ("arch.x86_64", "arch.amd64"),
    ("arch.x86-64", "arch.amd64"),
    ("arch.aarch64", "arch.arm64"),
    ("arch.ppc64", "arch.ppc64le"),
];
/// Annotations of a `ClusterServiceVersion` that consoles and catalogs read.
const CSV_ANNOTATIONS: [&str; 18] = [
    "operatorframework.io/suggested-namespace",
    "operatorframework.io/suggested-namespace-template",
    "operatorframework.io/initialization-resource",
    "operatorframework.io/cluster-monitoring",
    "operators.operatorframework.io/internal-objects",
    "operators.operatorframework.io/operator-type",
    "operators.openshift.io/infrastructure-features",
    "operators.openshift.io/valid-subscription",
    "features.operators.openshift.io/disconnected",
    "features.operators.openshift.io/fips-compliant",
    "features.operators.openshift.io/proxy-aware",
    "features.operators.openshift.io/tls-profiles",
    "features.operators.openshift.io/token-auth-aws",
    "features.operators.openshift.io/token-auth-azure",
    "features.operators.openshift.io/token-auth-gcp",
    "features.operators.openshift.io/cnf",
    "features.operators.openshift.io/cni",
    "features.operators.openshift.io/csi",
];
/// Label by which Red Hat's pipelines select catalogs.
const OPENSHIFT_LABEL: &str = "com.redhat.openshift.versions";

/// Annotations in `metadata/` with their positions.
struct LocatedAnnotations<'a> {
    file: &'a str,
    document: Document<'a>,
}

impl<'a> LocatedAnnotations<'a> {
    fn from_bundle(s: &BundleSubject<'a>) -> Option<Self> {
        let name = &s.contents().metadata.annotations.as_ref()?.file;
        let file = s.directory.tree.files.get(s.directory.tree.file_index(name)?)?;
        Some(Self { file: &file.path, document: document::parse_first(file.content_or_empty()).ok()? })
    }

    fn annotation_members(&self) -> &[Member<'a>] {
        node_at(&self.document.node, &["annotations"]).map(Node::members).unwrap_or_default()
    }

    /// Returns the last of several annotations with the same key, which counts.
    fn effective_member(&self, key: &str) -> Option<&Member<'a>> {
        self.annotation_members().iter().rfind(|member| member.key == key)
    }

    fn location_of(&self, s: &BundleSubject<'_>, span: Span) -> FindingLocation {
        let start = self.document.start;
        let span = Span::new(span.start as usize + start, span.end as usize + start);
        s.location(&BundleLocation { file: self.file.to_owned(), span })
    }
}

/// Returns a scalar as text, including numbers and booleans.
fn scalar_text<'n>(node: &'n Node<'_>) -> Cow<'n, str> {
    field_text(node, DecoderKind::Yaml).unwrap_or_default()
}

pub(crate) fn unread_label(s: &BundleSubject<'_>, found: &mut Findings) {
    let mut report = |message: String, meant: Option<String>, place: FindingLocation| {
        let mut finding = Finding::new(&rules::UNREAD_LABEL, message).at_location(place);
        match meant {
            Some(meant) => finding = finding.with_help(meant),
            None => finding.severity = Severity::Note,
        }
        found.push(finding);
    };
    let meant_is = |meant: &str| format!("did you mean {meant}?");
    if let Some(annotations) = LocatedAnnotations::from_bundle(s) {
        for member in annotations.annotation_members() {
            let key = member.key.as_ref();
            if key.starts_with(PREFIX) && !ANNOTATIONS.contains(&key) {
                let meant = similar_names::suggest_closest(key, ANNOTATIONS.into_iter()).map(meant_is);
                report(
                    format!("nothing reads the annotation {key}"),
                    meant,
                    annotations.location_of(s, member.key_span),
                );
            }
        }
    }
    let Some(csv) = s.csv() else { return };
    let members = |key: &str| node_at(csv.node(), &["metadata", key]).map(Node::members).unwrap_or_default();
    for member in members("labels") {
        let Some(name) = member.key.strip_prefix(PLATFORM) else { continue };
        if !PLATFORMS.contains(&name) {
            let other =
                ARCHITECTURE_ALIASES.into_iter().find(|(other, _)| *other == name).map(|(_, proper)| proper);
            let meant = other.or_else(|| similar_names::suggest_closest(name, PLATFORMS.into_iter()));
            let meant = meant.map(|meant| meant_is(&format!("{PLATFORM}{meant}")));
            let place = s.location_in_object(csv.object, member.key_span);
            report(format!("nothing reads the label {PLATFORM}{name}"), meant, place);
        } else if scalar_text(&member.value) != "supported" {
            let message = format!(
                "{PLATFORM}{name} is `{}`: only `supported` says that it is",
                scalar_text(&member.value)
            );
            let help = "write `supported`, or remove the label".to_owned();
            report(message, Some(help), s.location_in_object(csv.object, member.value.span));
        }
    }
    for member in members("annotations") {
        let key = member.key.as_ref();
        if is_known_annotation(key) {
            continue;
        }
        let help = annotation_help(key);
        // Other programs may read an annotation with another prefix.
        if help.is_some() || key.starts_with(OLM_PREFIX) {
            let place = s.location_in_object(csv.object, member.key_span);
            report(format!("nothing reads the annotation {key}"), help, place);
        }
    }
    for member in csv.spec().map(Node::members).unwrap_or_default() {
        let key = member.key.as_ref();
        let known = || typed::field_names("ClusterServiceVersionSpec");
        // opm ignores the case of keys.
        if known().any(|name| name.eq_ignore_ascii_case(key)) {
            continue;
        }
        if let Some(meant) = similar_names::suggest_closest(key, known()) {
            let place = s.location_in_object(csv.object, member.key_span);
            report(format!("nothing reads the field spec.{key}"), Some(meant_is(meant)), place);
        }
    }
}

/// Returns true if OLM or consoles read an annotation. The suite csv reports keys that differ only in
/// case.
fn is_known_annotation(key: &str) -> bool {
    CSV_ANNOTATIONS.contains(&key) || OLM_ANNOTATIONS.into_iter().any(|known| known.eq_ignore_ascii_case(key))
}

/// Returns the help for an unknown annotation; `None` if it is similar to no known one.
fn annotation_help(key: &str) -> Option<String> {
    if key.eq_ignore_ascii_case(MAX_OPENSHIFT) {
        return Some(format!("it is a property: write {MAX_OPENSHIFT} in the annotation olm.properties"));
    }
    // `alm-examples` is similar to `olm.examples`, but an annotation of its own.
    let meant = if key.starts_with(OLM_PREFIX) {
        similar_names::suggest_closest(key, OLM_ANNOTATIONS.into_iter())
    } else {
        similar_names::suggest_closest(key, CSV_ANNOTATIONS.into_iter())
    };
    meant.map(|meant| format!("did you mean {meant}?"))
}

/// Reports annotations that name other directories than those that programs read.
pub(crate) fn folder_annotation(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(annotations) = LocatedAnnotations::from_bundle(s) else { return };
    for (key, folder) in FOLDERS {
        // The suite format reports a missing annotation.
        let Some(member) = annotations.effective_member(key) else { continue };
        let value = scalar_text(&member.value);
        if value.strip_suffix('/').unwrap_or(&value) == folder {
            continue;
        }
        let message = format!("the annotation {key} is `{value}`, but programs read the directory {folder}/");
        found.push(
            Finding::new(&rules::FOLDER_ANNOTATION, message)
                .with_help(format!("write {folder}/"))
                .at_location(annotations.location_of(s, member.value.span)),
        );
    }
}

/// Reports a default channel that is not a channel of the bundle.
pub(crate) fn default_channel_listed(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(annotations) = LocatedAnnotations::from_bundle(s) else { return };
    let Some(read) = s.contents().metadata.annotations.as_ref() else { return };
    let default = read.default_channel.as_str();
    // The suite format reports an empty default channel and missing channels.
    if default.is_empty()
        || read.channel_list().next().is_none()
        || read.channel_list().any(|name| name == default)
    {
        return;
    }
    let Some(member) = annotations.effective_member(DEFAULT_CHANNEL) else { return };
    let message = format!(
        "default channel {default} is not a channel of the bundle, which is in {}",
        format_list(read.channel_list())
    );
    let help = match similar_names::suggest_closest(default, read.channel_list()) {
        Some(meant) => {
            format!("did you mean {meant}? Keep it if an earlier bundle of the package has the channel")
        }
        None => "correct it, unless an earlier bundle of the package has the channel".to_owned(),
    };
    found.push(
        Finding::new(&rules::DEFAULT_NOT_LISTED, message)
            .with_channel(&default.into())
            .with_help(help)
            .at_location(annotations.location_of(s, member.value.span)),
    );
}

/// Returns the Dockerfiles of a bundle: those in its directory and the one next to it. Ignores
/// the latter if it belongs to another bundle.
fn dockerfiles<'a>(s: &BundleSubject<'a>) -> impl Iterator<Item = &'a TreeFile> {
    let (tree, folder) = (s.directory.tree, s.directory.name);
    let is_its = |file: &&TreeFile| {
        folder.is_some_and(|folder| dockerfile::copies_from(file.content_or_empty(), folder))
    };
    let beside = s.directory.dockerfile.filter(is_its);
    tree.files_in("").filter(|file| file.file_name().ends_with("Dockerfile")).chain(beside)
}

pub(crate) fn dockerfile_labels(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(annotations) = LocatedAnnotations::from_bundle(s) else { return };
    // The last of several annotations with the same key counts.
    let annotated: HashMap<&str, &Member<'_>> =
        annotations.annotation_members().iter().map(|member| (member.key.as_ref(), member)).collect();
    if let Some(labels) = s.directory.labels {
        compare_image_labels(s, labels, &annotations, &annotated, found);
    }
    for file in dockerfiles(s) {
        for label in dockerfile::labels(file.content_or_empty()) {
            // A build argument sets this value, so it is unknown.
            if label.value.contains('$') {
                continue;
            }
            let Some(member) = annotated.get(label.key.as_str()) else { continue };
            let annotated = scalar_text(&member.value);
            if annotated != label.value {
                let message =
                    format!("the label {} is `{}`, the annotation `{annotated}`", label.key, label.value);
                let place = BundleLocation { file: file.path.clone(), span: label.span };
                let finding = Finding::new(&rules::DOCKERFILE_LABELS, message)
                    .at_location(s.location(&place))
                    .with_related_location("the annotation", annotations.location_of(s, member.value.span));
                found.push(finding);
            }
        }
    }
}

/// Compares the labels of the image with the annotations. Catalog builds read the labels,
/// clusters read the annotations.
fn compare_image_labels(
    s: &BundleSubject<'_>,
    labels: &BTreeMap<String, String>,
    annotations: &LocatedAnnotations<'_>,
    annotated: &HashMap<&str, &Member<'_>>,
    found: &mut Findings,
) {
    let mut members: Vec<&&Member<'_>> = annotated.values().collect();
    members.sort_by_key(|member| member.key_span.start);
    for member in members {
        let (key, annotation) = (member.key.as_ref(), scalar_text(&member.value));
        let message = match labels.get(key) {
            Some(label) if *label == annotation => continue,
            Some(label) => {
                format!("the label {key} of the image is `{label}`, the annotation `{annotation}`")
            }
            None if LABELS.contains(&key) => {
                format!("the image has no label {key}, the annotation is `{annotation}`")
            }
            None => continue,
        };
        let place = annotations.location_of(s, member.value.span);
        found.push(Finding::new(&rules::DOCKERFILE_LABELS, message).at_location(place));
    }
    for (key, label) in labels {
        if LABELS.contains(&key.as_str()) && !annotated.contains_key(key.as_str()) {
            let message = format!("the label {key} of the image is `{label}`, and no annotation says so");
            let place = FindingLocation::File(s.directory.display_path_of(annotations.file));
            found.push(Finding::new(&rules::DOCKERFILE_LABELS, message).at_location(place));
        }
    }
}

/// Returns the OpenShift versions as text, with their location. The annotation takes precedence
/// over labels of the image and of Dockerfiles.
fn openshift_text(s: &BundleSubject<'_>) -> Option<(String, FindingLocation)> {
    let annotations = LocatedAnnotations::from_bundle(s);
    let annotated = annotations.as_ref().and_then(|annotations| {
        let member = annotations.effective_member(OPENSHIFT_LABEL)?;
        Some((scalar_text(&member.value).into_owned(), annotations.location_of(s, member.value.span)))
    });
    let labelled = || {
        let text = s.directory.labels?.get(OPENSHIFT_LABEL)?.clone();
        Some((text, FindingLocation::File(s.directory.display_path.to_owned())))
    };
    annotated.or_else(labelled).or_else(|| {
        dockerfiles(s).find_map(|file| {
            let is_it =
                |label: &dockerfile::Label| label.key == OPENSHIFT_LABEL && !label.value.contains('$');
            let label = dockerfile::labels(file.content_or_empty()).into_iter().find(is_it)?;
            let place = BundleLocation { file: file.path.clone(), span: label.span };
            Some((label.value, s.location(&place)))
        })
    })
}

pub(crate) fn openshift_versions(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some((text, place)) = openshift_text(s) else { return };
    let report = |message: String| {
        found.push(Finding::new(&rules::OPENSHIFT_VERSIONS, message).at_location(place));
    };
    let Some(versions) = OpenShiftRange::parse_label(&text) else {
        return report(format!("`{text}` is no range of OpenShift versions"));
    };
    if versions.last.is_some_and(|last| last < versions.first) {
        return report(format!("`{text}` ends before it begins: it is in no catalog"));
    }
    let open = &s.options.openshift;
    if !open.is_empty() && !open.iter().any(|version| versions.contains(*version)) {
        let catalogs = format_list(open);
        report(format!("`{text}` has none of the versions that open catalogs are for: {catalogs}"));
    }
}
