//! Suites of bundle checks in the ecosystem, with the verdicts of the real programs.
//!
//! `format` and `content` are opm's (`opm alpha bundle validate`, `pkg/lib/bundle/validate.go`). The others are
//! those of the api library (`operator-framework/api`, `pkg/validation`), which `operator-sdk bundle validate`
//! runs. The verdicts are the same; the messages are olmap's.

mod bundle;
mod content;
mod crd;
mod csv;
pub(super) mod format;
mod hub;
mod loaded;
mod multiarch;
mod openshift;
mod removed;
pub use loaded::{LoadError, LoadedBundle};
pub use multiarch::ImagePlatforms;
pub use openshift::LabelSource;

pub(super) use crd::crd_errors_of_node as crd_faults;
pub(super) use crd::is_subdomain;

use std::{collections::BTreeMap, fmt};

use super::{document::DocumentCache, field_access::text_at, registry::BundleLocation, tree::Tree};
use crate::{
    field_access::{annotation_value, items_at, node_at, texts_at},
    typed::{DecoderKind, write_as_go},
};
use olm_catalog::{Node, Span, Value, text::json};
use olm_version::Version;

/// A suite of checks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Suite {
    /// opm's checks of `metadata/`.
    Format,
    /// opm's checks of `manifests/`.
    Content,
    /// ClusterServiceVersion.
    Csv,
    /// Custom resource definitions, by Kubernetes' rules.
    Crd,
    /// Consistency of the parts of a bundle.
    Bundle,
    /// OperatorHub's rules, in their deprecated form.
    OperatorHub,
    /// OperatorHub's rules.
    OperatorHubV2,
    /// The annotation `capabilities`.
    StandardCapabilities,
    /// The annotation `categories`.
    StandardCategories,
    /// Objects that endanger a cluster.
    BundleObjects,
    /// Rules of community operators.
    Community,
    /// APIs that Kubernetes has removed.
    AlphaDeprecatedApis,
    /// Recommendations.
    GoodPractices,
    /// Architectures and operating systems of images.
    Multiarch,
    /// APIs that Kubernetes has removed, and the OpenShift versions of the bundle.
    OpenShift,
}

impl Suite {
    /// All suites in execution order.
    pub const ALL: [Self; 15] = [
        Self::Format,
        Self::Content,
        Self::Csv,
        Self::Crd,
        Self::Bundle,
        Self::OperatorHub,
        Self::OperatorHubV2,
        Self::StandardCapabilities,
        Self::StandardCategories,
        Self::BundleObjects,
        Self::Community,
        Self::AlphaDeprecatedApis,
        Self::GoodPractices,
        Self::Multiarch,
        Self::OpenShift,
    ];

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Format => format::NAME,
            Self::Content => content::NAME,
            Self::Csv => "csv",
            Self::Crd => "crd",
            Self::Bundle => "bundle",
            Self::OperatorHub => "operatorhub",
            Self::OperatorHubV2 => "operatorhubv2",
            Self::StandardCapabilities => "standardcapabilities",
            Self::StandardCategories => "standardcategories",
            Self::BundleObjects => "bundle-objects",
            Self::Community => "community",
            Self::AlphaDeprecatedApis => "alpha-deprecated-apis",
            Self::GoodPractices => "good-practices",
            Self::Multiarch => "multiarch",
            Self::OpenShift => "openshift",
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Severity of a verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// The suite fails.
    Error,
    /// The suite passes with a warning.
    Warning,
}

/// A result of a suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Name of the suite, or `load`.
    pub validator: &'static str,
    /// Severity.
    pub level: Level,
    /// Type of the error in the reference program; empty if it does not have one.
    pub kind: &'static str,
    /// Field of the verdict, if any.
    pub field: String,
    /// Invalid value, if any.
    pub value: String,
    /// Message.
    pub message: String,
    /// Location in the bundle.
    pub location: Option<BundleLocation>,
    /// Cause, if several verdicts may have the same one.
    pub cause: Option<Cause>,
}

/// Common cause of verdicts with different messages.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// The name of an owned CRD is not `plural.group`.
    OwnedName(String),
    /// The bundle does not have an owned CRD.
    OwnedCrd {
        /// Name in the ClusterServiceVersion.
        name: String,
        /// Version of the CRD.
        version: String,
        /// Kind of the CRD.
        kind: String,
    },
    /// An owned API does not have an example: `group/version kind`.
    NoExample(String),
    /// A conversion webhook requires `AllNamespaces` as the only install mode.
    ConversionInstallModes,
    /// No file of the bundle holds a ClusterServiceVersion.
    NoCsv,
    /// The annotation of the media type does not fit manifests without a ClusterServiceVersion.
    MediaTypeWithoutCsv,
}

impl Cause {
    /// Creates the cause for an owned CRD of the ClusterServiceVersion.
    fn owned_crd(owned: &Node) -> Self {
        let field = |key| text_at(owned, &[key]).into_owned();
        Self::OwnedCrd { name: field("name"), version: field("version"), kind: field("kind") }
    }
}

impl Verdict {
    /// Creates an error without a field.
    pub fn error(validator: &'static str, message: impl Into<String>, place: Option<BundleLocation>) -> Self {
        let (field, value, message) = (String::new(), String::new(), message.into());
        Self { validator, level: Level::Error, kind: "", field, value, message, location: place, cause: None }
    }

    /// Sets the cause.
    #[must_use]
    pub(crate) fn with_cause(self, cause: Cause) -> Self {
        Self { cause: Some(cause), ..self }
    }
}

/// Settings of the checks.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Kubernetes version for the check of removed APIs: `k8s-version`.
    pub kubernetes: Option<String>,
    /// Categories that replace the standard ones.
    pub categories: Option<Vec<String>>,
    /// Program that inspects images: `container-tools`. It is only validated.
    pub container_tool: Option<String>,
    /// Platforms of images: `image-platforms`. `None` if they were not looked up.
    pub platforms: Option<BTreeMap<String, ImagePlatforms>>,
    /// Source of the OpenShift versions of the bundle: `file` or `range`.
    pub openshift: Option<LabelSource>,
}

/// Runs suites on a bundle. If the loader of the api library rejects the bundle, its suites report only that.
pub fn run_suites(tree: &Tree, suites: &[Suite], settings: &Settings) -> Vec<Verdict> {
    run_suites_with_cache(tree, &DocumentCache::default(), suites, settings)
}

/// Runs suites on a bundle with a cache of its documents.
pub fn run_suites_with_cache<'t>(
    tree: &'t Tree,
    readings: &DocumentCache<'t>,
    suites: &[Suite],
    settings: &Settings,
) -> Vec<Verdict> {
    let mut out = Report::default();
    let of_opm = |suite: &&Suite| matches!(suite, Suite::Format | Suite::Content);
    for suite in suites.iter().filter(of_opm) {
        out.verdicts.extend(if *suite == Suite::Format {
            format::check_format(tree, readings)
        } else {
            content::check_content(tree, readings)
        });
    }
    let others: Vec<Suite> = suites.iter().filter(|suite| !of_opm(suite)).copied().collect();
    if others.is_empty() {
        return out.verdicts;
    }
    match LoadedBundle::load_tree(tree, readings) {
        Ok(loaded) => others.into_iter().for_each(|suite| run_suite(suite, &loaded, settings, &mut out)),
        Err(faults) => out.verdicts.extend(faults.into_iter().map(LoadError::into_verdict)),
    }
    out.verdicts
}

fn run_suite(suite: Suite, loaded: &LoadedBundle, settings: &Settings, out: &mut Report) {
    out.validator = suite.name();
    out.default_kind = match suite {
        Suite::Format | Suite::Content | Suite::Crd => "",
        Suite::Bundle => "BundleNotValid",
        Suite::BundleObjects => "ObjectFailedValidation",
        Suite::AlphaDeprecatedApis | Suite::GoodPractices | Suite::Multiarch => VALIDATION_FAILED,
        _ => "CSVFileNotValid",
    };
    match suite {
        // These suites read the bundle themselves.
        Suite::Format | Suite::Content => {}
        Suite::Csv => csv::check_csv(loaded, out),
        Suite::Crd => crd::check_crds(loaded, out),
        Suite::Bundle => bundle::check_consistency(loaded, out),
        Suite::OperatorHub => hub::check_deprecated_operatorhub(loaded, settings, out),
        Suite::OperatorHubV2 => hub::check_operatorhub(loaded, settings, out),
        Suite::StandardCapabilities => hub::check_capabilities(loaded, out),
        Suite::StandardCategories => hub::check_categories(loaded, settings, out),
        Suite::BundleObjects => loaded::check_objects(loaded, out),
        Suite::Community => check_community(loaded, out),
        Suite::AlphaDeprecatedApis => removed::check_removed_apis(loaded, settings, out),
        Suite::GoodPractices => check_good_practices(loaded, out),
        Suite::Multiarch => multiarch::check_multiarch(loaded, settings, out),
        Suite::OpenShift => openshift::check_openshift(loaded, settings, out),
    }
}

/// Error type of suites of the api library that do not have their own.
const VALIDATION_FAILED: &str = "ValidationFailed";

/// Collector of verdicts.
#[derive(Default)]
struct Report {
    verdicts: Vec<Verdict>,
    validator: &'static str,
    /// Type of the next verdict only.
    kind: Option<&'static str>,
    /// Type of other verdicts.
    default_kind: &'static str,
    /// Cause of the next verdict.
    cause: Option<Cause>,
}

impl Report {
    /// Sets the type of the next verdict.
    fn set_kind(&mut self, kind: &'static str) -> &mut Self {
        self.kind = Some(kind);
        self
    }

    /// Sets the cause of the next verdict.
    fn set_cause(&mut self, cause: Cause) -> &mut Self {
        self.cause = Some(cause);
        self
    }

    fn add_verdict(
        &mut self,
        level: Level,
        field: impl Into<String>,
        message: impl Into<String>,
        place: Option<BundleLocation>,
    ) {
        let (field, message, value) = (field.into(), message.into(), String::new());
        let (validator, kind) = (self.validator, self.kind.take().unwrap_or(self.default_kind));
        let cause = self.cause.take();
        self.verdicts.push(Verdict { validator, level, kind, field, value, message, location: place, cause });
    }

    fn add_error(&mut self, message: impl Into<String>, place: Option<BundleLocation>) {
        self.add_verdict(Level::Error, "", message, place);
    }

    fn add_warning(&mut self, message: impl Into<String>, place: Option<BundleLocation>) {
        self.add_verdict(Level::Warning, "", message, place);
    }
}

/// Parses a Kubernetes version tolerantly: `1.25` is valid.
fn parse_kubernetes_version(text: &str) -> Option<Version> {
    Version::parse_tolerant(text).ok()
}

// Suite `community`: requirements of OpenShift's community catalog for bundles with APIs that Kubernetes 1.22
// removed.
//
// Source: `operator-framework/api`, `pkg/validation/internal/community.go`; list D of the data's README.

/// Property that prevents a cluster from updating.
const PROPERTY: &str = "olm.maxOpenShiftVersion";

/// First OpenShift version with Kubernetes 1.22.
const LIMIT: (u64, u64) = (4, 9);

fn check_community(bundle: &LoadedBundle, out: &mut Report) {
    let names = removed::removed_by_1_22(bundle);
    if names.is_empty() {
        return;
    }
    out.add_warning("nothing says for which OpenShift versions the index is: give it as `index-path`", None);
    if let Some(reason) = find_annotation_fault(bundle) {
        let message = format!(
            "{reason}; the bundle uses APIs that Kubernetes 1.22 removed: {}",
            removed::format_names(&names)
        );
        let place = || bundle.csv_location(&["metadata", "annotations", "olm.properties"]);
        out.add_error(message.clone(), place());
        // The reference program repeats every error as a warning.
        out.add_warning(message, place());
    }
}

/// Returns the error of the annotation that limits the OpenShift version.
fn find_annotation_fault(bundle: &LoadedBundle) -> Option<String> {
    let Some(properties) = annotation_value(bundle.csv_node(), "olm.properties") else {
        return Some(format!("the annotation `olm.properties` with {PROPERTY} is missing"));
    };
    let Some(list) = json::parse_json(properties.as_bytes()).ok().and_then(|list| type_value_pairs(&list))
    else {
        return Some("the annotation `olm.properties` must be a list of {type, value} with texts".to_owned());
    };
    let Some((_, limit)) = list.iter().find(|(kind, _)| kind == PROPERTY) else {
        return Some(format!("the annotation `olm.properties` has no {PROPERTY}"));
    };
    let Ok(version) = Version::parse_tolerant(limit) else {
        return Some(format!("{PROPERTY} `{limit}` is no version"));
    };
    // The reference program ignores a version with a patch part.
    if !openshift::is_minor_version(&version) {
        return None;
    }
    let is_below = (version.major(), version.minor()) < LIMIT;
    (!is_below).then(|| format!("{PROPERTY} `{limit}` must be below {}.{}", LIMIT.0, LIMIT.1))
}

fn type_value_pairs(list: &Node) -> Option<Vec<(String, String)>> {
    let Value::List(items) = &list.value else { return None };
    let text = |item: &Node, key| match item.get(key) {
        None => Some(String::new()),
        Some(value) => value.as_str().map(str::to_owned),
    };
    items.iter().map(|item| Some((text(item, "type")?, text(item, "value")?))).collect()
}

fn check_required_fields(bundle: &LoadedBundle, out: &mut Report) {
    let csv = bundle.csv_node();
    let mut missing = |field: &str, path: &[&str]| {
        out.set_kind("FieldNotFound").add_verdict(
            Level::Error,
            field,
            format!("{field} is missing"),
            bundle.csv_location(path),
        );
    };
    if is_zero_value(node_at(csv, &["metadata"]), "ObjectMeta") {
        missing("ObjectMeta", &[]);
    }
    if is_zero_value(node_at(csv, &["spec"]), "ClusterServiceVersionSpec") {
        missing("Spec", &[]);
        return;
    }
    let install = node_at(csv, &["spec", "install"]);
    if is_zero_value(install, "NamedInstallStrategy") {
        missing("Spec.InstallStrategy", &["spec"]);
    } else {
        if text_at(csv, &["spec", "install", "strategy"]).is_empty() {
            missing("Spec.InstallStrategy.StrategyName", &["spec", "install"]);
        }
        if node_at(csv, &["spec", "install", "spec", "deployments"]).is_none() {
            missing("Spec.InstallStrategy.StrategySpec.DeploymentSpecs", &["spec", "install"]);
        }
    }
    if text_at(csv, &["spec", "displayName"]).is_empty() {
        missing("Spec.DisplayName", &["spec"]);
    }
}

/// Returns true if Go's value of a struct is its zero value: it does not have known fields. An empty list
/// counts as a value.
fn is_zero_value(node: Option<&Node>, type_name: &str) -> bool {
    let Some(node) = node else { return true };
    let written = Node::new(write_as_go(node, type_name, DecoderKind::Yaml), Span::default());
    is_null_or_empty(&written) && !contains_list(node)
}

fn is_null_or_empty(node: &Node) -> bool {
    match &node.value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::String(text) => text.is_empty() || text == "0.0.0",
        Value::Number(number) => number.0 == "0",
        Value::List(items) => items.is_empty(),
        Value::Map(members) => members.iter().all(|member| is_null_or_empty(&member.value)),
    }
}

/// Returns true if a tree contains a list. Uses an explicit stack, because unknown fields may be nested 10,000
/// levels deep.
fn contains_list(node: &Node) -> bool {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        if matches!(node.value, Value::List(_)) {
            return true;
        }
        left.extend(node.members().iter().map(|member| &member.value));
    }
    false
}

// Suite `good-practices`.
//
// Source: `operator-framework/api`, `pkg/validation/internal/good_practices.go`.

/// Prefixes of the recommended channels.
const CHANNELS: [&str; 3] = ["candidate", "fast", "stable"];

fn check_good_practices(bundle: &LoadedBundle, out: &mut Report) {
    check_resource_requests(bundle, out);
    check_permissions(bundle, out);
    check_channel_names(bundle, out);
    check_csv_name(bundle, out);
    check_crd_descriptions(bundle, out);
}

fn check_resource_requests(bundle: &LoadedBundle, out: &mut Report) {
    // An empty list passes: the reference program checks only whether it exists.
    if node_at(bundle.csv_node(), &["spec", "install", "spec", "deployments"]).is_none() {
        out.add_error("the CSV installs no deployment", bundle.csv_location(&["spec", "install"]));
        return;
    }
    for deployment in bundle.deployments() {
        for container in items_at(deployment, &["spec", "template", "spec", "containers"]) {
            if node_at(container, &["resources", "requests"]).is_none() {
                let message =
                    format!("the container `{}` requests no CPU and memory", text_at(container, &["name"]));
                out.add_warning(message, Some(bundle.csv().location(container.span)));
            }
        }
    }
}

fn check_permissions(bundle: &LoadedBundle, out: &mut Report) {
    let rules = ["permissions", "clusterPermissions"].into_iter().flat_map(|list| {
        let permissions = items_at(bundle.csv_node(), &["spec", "install", "spec", list]).iter();
        permissions.flat_map(|permission| items_at(permission, &["rules"]))
    });
    let creates = |rule: &&olm_catalog::Node| {
        let has =
            |key: &str, wanted: &[&str]| texts_at(rule, &[key]).any(|text| wanted.contains(&text.as_ref()));
        has("apiGroups", &["apiextensions.k8s.io"])
            && has("resources", &["*", "[*]", "customresourcedefinitions"])
            && has("verbs", &["*", "[*]", "create", "patch"])
    };
    if let Some(rule) = rules.into_iter().find(creates) {
        let message = "permissions to create CRDs: OLM manages operators and their CRDs";
        out.add_warning(message, Some(bundle.csv().location(rule.span)));
    }
}

fn check_channel_names(bundle: &LoadedBundle, out: &mut Report) {
    let named = bundle.channels.iter();
    let others: Vec<&str> = named
        .map(String::as_str)
        .filter(|channel| !CHANNELS.iter().any(|name| channel.starts_with(name)))
        .collect();
    if !others.is_empty() {
        let message = format!("channels are best named candidate, fast or stable: {}", others.join(", "));
        out.add_warning(message, None);
    }
}

/// Checks that the name consists of a package, one `.v` and a semantic version: `memo.v1.0.0`.
fn check_csv_name(bundle: &LoadedBundle, out: &mut Report) {
    let name = bundle.csv_name();
    let place = || bundle.csv_location(&["metadata", "name"]);
    let parts: Vec<&str> = name.split(".v").collect();
    if parts.len() != 2 {
        out.add_warning(format!("the CSV's name `{name}` should be NAME.vVERSION"), place());
    }
    let is_versioned = match parts.as_slice() {
        [_, .., version] => Version::parse(version).is_ok(),
        _ => ends_in_version(&name),
    };
    if !is_versioned {
        out.add_warning(format!("the CSV's name `{name}` should end in a semantic version"), place());
    }
}

/// Returns true if a name ends in a semantic version without build metadata, and without a digit before it.
fn ends_in_version(name: &str) -> bool {
    let begins = name.char_indices().filter(|(at, c)| {
        let before = name.get(..*at).and_then(|before| before.chars().next_back());
        c.is_ascii_digit() && !before.is_some_and(|c| c.is_ascii_digit())
    });
    let mut tails = begins.filter_map(|(at, _)| name.get(at..));
    tails.any(|tail| !tail.contains('+') && Version::parse(tail).is_ok())
}

fn check_crd_descriptions(bundle: &LoadedBundle, out: &mut Report) {
    for list in ["owned", "required"] {
        for crd in items_at(bundle.csv_node(), &["spec", "customresourcedefinitions", list]) {
            if text_at(crd, &["description"]).is_empty() {
                let message = format!("the {list} CRD `{}` has no description", text_at(crd, &["name"]));
                out.add_warning(message, Some(bundle.csv().location(crd.span)));
            }
        }
    }
}
