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
mod objects;
mod openshift;
mod practices;
mod removed_apis;
mod text_formats;

pub use loaded::{LoadError, LoadedBundle};
pub use multiarch::ImagePlatforms;
pub use openshift::LabelSource;

pub(super) use crd::crd_errors_of_node as crd_faults;
pub(super) use text_formats::{is_dns1123_label, is_subdomain};

use std::{collections::BTreeMap, fmt};

use crate::{document::DocumentCache, field_access::text_at, manifests::Tree, registry::BundleLocation};
use olm_catalog::Node;
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
    /// `metadata/` lacks a required annotation.
    MissingAnnotation(String),
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
        Suite::BundleObjects => objects::check_objects(loaded, out),
        Suite::Community => removed_apis::check_community(loaded, out),
        Suite::AlphaDeprecatedApis => removed_apis::check_removed_apis(loaded, settings, out),
        Suite::GoodPractices => practices::check_good_practices(loaded, out),
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
