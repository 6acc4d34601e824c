//! The suites that the ecosystem checks bundles with, with the verdicts of the real programs.
//!
//! `format` and `content` are opm's (`opm alpha bundle validate`, `pkg/lib/bundle/validate.go`); the others are those of the api
//! library (`operator-framework/api`, `pkg/validation`), which `operator-sdk bundle validate` runs. Their verdicts are kept, what
//! they call wrong is told in our own words.

mod bundle;
mod community;
mod constraint;
mod content;
mod crd;
mod csv;
mod csv_fields;
pub(super) mod format;
mod hub;
mod loaded;
mod mail;
mod multiarch;
mod names;
mod objects;
mod openshift;
mod practices;
mod removed;
mod url;

pub use loaded::{LoadFault, Loaded};
pub use multiarch::ImagePlatforms;
pub use openshift::LabelSource;

pub(super) use crd::faults_of as crd_faults;
pub(super) use names::is_subdomain;

use std::{collections::BTreeMap, fmt};

use super::{document::Readings, read::text, registry::BundlePlace, tree::Tree};
use crate::{catalog::Node, version::Version};

/// A suite.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Suite {
    /// opm's judgement of `metadata/`.
    Format,
    /// opm's judgement of `manifests/`.
    Content,
    /// ClusterServiceVersion.
    Csv,
    /// Custom resource definitions, as Kubernetes judges them.
    Crd,
    /// What the parts of a bundle say of each other.
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
    /// Community operators' rules.
    Community,
    /// APIs that Kubernetes has removed.
    AlphaDeprecatedApis,
    /// What is recommended.
    GoodPractices,
    /// Architectures and operating systems of images.
    Multiarch,
    /// APIs that Kubernetes has removed, and the OpenShift versions of the bundle.
    OpenShift,
}

impl Suite {
    /// All suites, in the order in which they are run.
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

    /// Its name on the command line.
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

/// How bad a verdict is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// The suite fails.
    Error,
    /// The suite says so and passes.
    Warning,
}

/// One thing that a suite says of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Who says it: the name of a suite, or `load`.
    pub validator: &'static str,
    /// How bad it is.
    pub level: Level,
    /// The type of the error as the program has it; empty where it has none.
    pub kind: &'static str,
    /// The field it is about, where there is one.
    pub field: String,
    /// What is there, where that is what is wrong.
    pub value: String,
    /// What is wrong.
    pub message: String,
    /// Where it is.
    pub place: Option<BundlePlace>,
    /// Why it is said, where several suites say it of one thing, or one suite of many.
    pub cause: Option<Cause>,
}

/// What verdicts have in common that have different words.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// The name of an owned CRD is not `plural.group`: this.
    OwnedName(String),
    /// No CRD of the bundle is the one that is owned.
    OwnedCrd {
        /// The name that the ClusterServiceVersion gives.
        name: String,
        /// Its version.
        version: String,
        /// Its kind.
        kind: String,
    },
    /// Of an owned API there is no example: `group/version kind`.
    NoExample(String),
    /// A conversion webhook needs the install mode `AllNamespaces` alone.
    ConversionInstallModes,
    /// No file of the bundle holds a ClusterServiceVersion.
    NoCsv,
    /// The annotation of the media type does not fit manifests without a ClusterServiceVersion.
    MediaTypeWithoutCsv,
}

impl Cause {
    /// An owned CRD, as the ClusterServiceVersion has it.
    fn owned_crd(owned: &Node) -> Self {
        let field = |key| text(owned, &[key]).into_owned();
        Self::OwnedCrd { name: field("name"), version: field("version"), kind: field("kind") }
    }
}

impl Verdict {
    /// An error about no field in particular.
    pub(crate) fn error(
        validator: &'static str,
        message: impl Into<String>,
        place: Option<BundlePlace>,
    ) -> Self {
        let (field, value, message) = (String::new(), String::new(), message.into());
        Self { validator, level: Level::Error, kind: "", field, value, message, place, cause: None }
    }

    /// Sets the cause.
    #[must_use]
    pub(crate) fn because(self, cause: Cause) -> Self {
        Self { cause: Some(cause), ..self }
    }
}

/// What a check is told besides the bundle.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The Kubernetes version that removed APIs are judged for: `k8s-version`.
    pub kubernetes: Option<String>,
    /// Categories to use in place of the standard ones.
    pub categories: Option<Vec<String>>,
    /// The program that looks images up: `container-tools`. It is only checked.
    pub container_tool: Option<String>,
    /// Platforms of images: `image-platforms`. `None` if nobody looked them up.
    pub platforms: Option<BTreeMap<String, ImagePlatforms>>,
    /// Where the OpenShift versions of the bundle are: `file` or `range`.
    pub openshift: Option<LabelSource>,
}

/// Runs suites on a bundle. Where the api library's loader refuses the bundle, its suites say nothing but that.
pub fn run(tree: &Tree, suites: &[Suite], settings: &Settings) -> Vec<Verdict> {
    run_once(tree, &Readings::default(), suites, settings)
}

/// The same, with what was read of the bundle already.
pub fn run_once<'t>(
    tree: &'t Tree,
    readings: &Readings<'t>,
    suites: &[Suite],
    settings: &Settings,
) -> Vec<Verdict> {
    let mut out = Report::default();
    let of_opm = |suite: &&Suite| matches!(suite, Suite::Format | Suite::Content);
    for suite in suites.iter().filter(of_opm) {
        out.verdicts.extend(if *suite == Suite::Format {
            format::check(tree, readings)
        } else {
            content::check(tree, readings)
        });
    }
    let others: Vec<Suite> = suites.iter().filter(|suite| !of_opm(suite)).copied().collect();
    if others.is_empty() {
        return out.verdicts;
    }
    match Loaded::read(tree, readings) {
        Ok(loaded) => others.into_iter().for_each(|suite| run_one(suite, &loaded, settings, &mut out)),
        Err(faults) => out.verdicts.extend(faults.into_iter().map(LoadFault::into_verdict)),
    }
    out.verdicts
}

fn run_one(suite: Suite, loaded: &Loaded, settings: &Settings, out: &mut Report) {
    out.validator = suite.name();
    out.usual_kind = match suite {
        Suite::Format | Suite::Content | Suite::Crd => "",
        Suite::Bundle => "BundleNotValid",
        Suite::BundleObjects => "ObjectFailedValidation",
        Suite::AlphaDeprecatedApis | Suite::GoodPractices | Suite::Multiarch => FAILED,
        _ => "CSVFileNotValid",
    };
    match suite {
        // They read the bundle in their own way.
        Suite::Format | Suite::Content => {}
        Suite::Csv => csv::check(loaded, out),
        Suite::Crd => crd::check(loaded, out),
        Suite::Bundle => bundle::check(loaded, out),
        Suite::OperatorHub => hub::check_deprecated(loaded, settings, out),
        Suite::OperatorHubV2 => hub::check(loaded, settings, out),
        Suite::StandardCapabilities => hub::capabilities(loaded, out),
        Suite::StandardCategories => hub::categories(loaded, settings, out),
        Suite::BundleObjects => objects::check(loaded, out),
        Suite::Community => community::check(loaded, out),
        Suite::AlphaDeprecatedApis => removed::check(loaded, settings, out),
        Suite::GoodPractices => practices::check(loaded, out),
        Suite::Multiarch => multiarch::check(loaded, settings, out),
        Suite::OpenShift => openshift::check(loaded, settings, out),
    }
}

/// The type of what a check of the library finds that has no type of its own.
const FAILED: &str = "ValidationFailed";

/// Collects verdicts.
#[derive(Default)]
struct Report {
    verdicts: Vec<Verdict>,
    validator: &'static str,
    /// The type of the next one alone.
    kind: Option<&'static str>,
    /// The type of all others.
    usual_kind: &'static str,
    /// Why the next one is said.
    cause: Option<Cause>,
}

impl Report {
    /// The type of the next verdict.
    fn of(&mut self, kind: &'static str) -> &mut Self {
        self.kind = Some(kind);
        self
    }

    /// Why the next verdict is said.
    fn because(&mut self, cause: Cause) -> &mut Self {
        self.cause = Some(cause);
        self
    }

    fn add(
        &mut self,
        level: Level,
        field: impl Into<String>,
        message: impl Into<String>,
        place: Option<BundlePlace>,
    ) {
        let (field, message, value) = (field.into(), message.into(), String::new());
        let (validator, kind) = (self.validator, self.kind.take().unwrap_or(self.usual_kind));
        let cause = self.cause.take();
        self.verdicts.push(Verdict { validator, level, kind, field, value, message, place, cause });
    }

    fn error(&mut self, message: impl Into<String>, place: Option<BundlePlace>) {
        self.add(Level::Error, "", message, place);
    }

    fn warning(&mut self, message: impl Into<String>, place: Option<BundlePlace>) {
        self.add(Level::Warning, "", message, place);
    }
}

/// A Kubernetes version as these checks read it: tolerantly, `1.25` is one.
fn kubernetes_version(text: &str) -> Option<Version> {
    Version::parse_tolerant(text).ok()
}
