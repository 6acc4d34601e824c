//! Findings about the files of an operator.

use olm_catalog::Location;

/// Severity of a finding about the files of an operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ConfigSeverity {
    /// The pipelines reject the file or stop.
    Error,
    /// The file probably has another effect than expected.
    Warning,
    /// Information.
    Note,
}

impl ConfigSeverity {
    /// Returns the word used in output.
    pub fn severity_word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// Mistake in the files of an operator, or bundle that its catalogs do not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatorFinding {
    /// Location, with a path relative to the repository.
    pub at: Location,
    /// Severity of the finding.
    pub severity: ConfigSeverity,
    /// Kind of the finding.
    pub kind: OperatorFindingKind,
}

/// Kind of a finding about the files of an operator. Its text is the message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OperatorFindingKind {
    /// A value of another type.
    #[error("`{field}` must be {expected}")]
    WrongType {
        /// Name of the field.
        field: String,
        /// Expected type.
        expected: &'static str,
    },
    /// A number in a list of strings.
    #[error("`{text}` in `{field}` is a number")]
    UnquotedNumber {
        /// Name of the list.
        field: &'static str,
        /// Number as written.
        text: String,
    },
    /// An absent field that must be there.
    #[error("`{0}` is missing")]
    MissingField(&'static str),
    /// A list without items.
    #[error("`{0}` is empty")]
    EmptyList(&'static str),
    /// A key that the pipelines do not read.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// Key as written.
        key: String,
        /// Similar known key.
        suggestion: Option<String>,
    },
    /// `catalogs_names`, which vendors' documentation has instead of `catalog_names`.
    #[error("`catalogs_names` is ignored: the pipelines read `catalog_names`")]
    OtherSpelling,
    /// A value that is not allowed.
    #[error("`{field}` cannot be `{value}`: it is one of {}", .allowed.join(", "))]
    UnknownValue {
        /// Name of the field.
        field: &'static str,
        /// Value as written.
        value: String,
        /// Allowed values.
        allowed: &'static [&'static str],
        /// Similar allowed value.
        suggestion: Option<String>,
    },
    /// An item that its list has twice, such as a catalog.
    #[error("`{field}` has {value} twice")]
    Repeated {
        /// Name of the list.
        field: &'static str,
        /// Repeated item.
        value: String,
    },
    /// A catalog that two mappings generate.
    #[error("catalog {catalog} is mapped to two templates: {first} and {second}")]
    TwoTemplates {
        /// Name of the catalog.
        catalog: String,
        /// Template of the first mapping.
        first: String,
        /// Template of the second mapping.
        second: String,
    },
    /// A template with two mappings; the pipelines use the first.
    #[error("template {0} has two mappings: the pipelines add bundles only to the catalogs of the first")]
    TwoMappings(String),
    /// A catalog whose name is not a version of OpenShift.
    #[error("catalog `{name}` is not a version of OpenShift such as v4.18")]
    CatalogName {
        /// Name as written.
        name: String,
        /// Probable name.
        suggestion: Option<String>,
    },
    /// A mapped catalog that every bundle excludes.
    #[error(
        "catalog {catalog} does not exist, and com.redhat.openshift.versions of every bundle excludes it ({ranges})"
    )]
    CatalogWithoutBundles {
        /// Name of the catalog.
        catalog: String,
        /// Ranges of the bundles.
        ranges: String,
    },
    /// A mapped template that does not exist.
    #[error("template {template} does not exist")]
    MissingTemplate {
        /// Name of the template.
        template: String,
        /// Similar existing template.
        suggestion: Option<String>,
    },
    /// A `type` that differs from the schema of the template.
    #[error("`type` is `{named}`, but the schema of {template} is `{schema}`")]
    OtherType {
        /// Name of the template.
        template: String,
        /// Type in `ci.yaml`.
        named: String,
        /// Schema of the template.
        schema: String,
    },
    /// Mappings of an operator that does not use file-based catalogs.
    #[error("`fbc.enabled` is not true: the pipelines do not use the mappings")]
    NotEnabled,
    /// A release of a bundle whose operator does not use file-based catalogs.
    #[error("`fbc.enabled` is not true in ci.yaml: the pipelines reject release-config.yaml")]
    ReleaseNotEnabled,
    /// A template of a release that no mapping names.
    #[error("template {template} has no mapping in ci.yaml")]
    NoMapping {
        /// Name of the template.
        template: String,
        /// Similar mapped template.
        suggestion: Option<String>,
    },
    /// A channel that does not exist yet.
    #[error("channel {channel} does not exist in {template} and will be created")]
    NewChannel {
        /// Name of the channel.
        channel: String,
        /// Name of the template.
        template: String,
        /// Similar existing channel.
        suggestion: Option<String>,
    },
    /// A list of a semver template that does not exist yet.
    #[error("{template} has no list {list}; the pipelines create it")]
    NewList {
        /// Name of the list.
        list: String,
        /// Name of the template.
        template: String,
    },
    /// A list that the template writes in another case.
    #[error(
        "{template} has `{written}`: the pipelines add another list `{list}`, and opm reads only one of them"
    )]
    ListSpelling {
        /// Name of the list in the release.
        list: String,
        /// Name in the template.
        written: String,
        /// Name of the template.
        template: String,
    },
    /// A list whose bundles the pipelines do not find.
    #[error("list {list} of {template} has no `Bundles`, only `{written}`: the pipelines stop")]
    BundlesSpelling {
        /// Name of the list.
        list: String,
        /// Key in the template.
        written: String,
        /// Name of the template.
        template: String,
    },
    /// A bundle that neither the template nor a bundle directory has.
    #[error("`{field}` names {bundle}, which is not in {template} and has no bundle directory")]
    UnknownBundle {
        /// `replaces` or `skips`.
        field: &'static str,
        /// Name of the bundle.
        bundle: String,
        /// Name of the template.
        template: String,
        /// Similar known bundle.
        suggestion: Option<String>,
    },
    /// An edge of a semver template, which generates its edges.
    #[error("`{field}` is ignored: the edges of {template} are generated")]
    IgnoredEdge {
        /// Name of the field.
        field: &'static str,
        /// Name of the template.
        template: String,
    },
    /// A default channel that the release does not list.
    #[error("`defaultChannel` is {0}, which is not one of `channels`: the pipelines stop")]
    DefaultChannel(String),
    /// A range that opm rejects.
    #[error("`skipRange` is invalid: {0}")]
    BadRange(String),
    /// Releases of bundles that their templates already have.
    #[error("the templates already have {}: their release-config.yaml has no further effect", list_names(.0))]
    AlreadyReleased(Vec<String>),
    /// Templates that a release of a published bundle names, and that no mapping names any more.
    #[error("no mapping in ci.yaml for {}; the file was read when the bundle was merged", list_names(.0))]
    FormerTemplates(Vec<String>),
    /// A bundle that no template and no catalog has.
    #[error("{bundle} is in no template and no catalog of the operator{}", describe_release(.release.as_deref(), .excluded.as_ref(), .unknown_images.to_owned()))]
    BundleInNoCatalog {
        /// Name of the bundle.
        bundle: String,
        /// Templates that its `release-config.yaml` names, if there is one.
        release: Option<Vec<String>>,
        /// Value of `com.redhat.openshift.versions` and the catalogs that it excludes.
        excluded: Option<(String, Vec<String>)>,
        /// Number of images in templates that no catalog has.
        unknown_images: usize,
    },
    /// Bundles in no template and no catalog that are older than every published bundle, or pre-releases below the
    /// highest published bundle.
    #[error("older bundles and pre-releases in no template and no catalog: {}", list_names(.0))]
    OlderBundles(Vec<String>),
    /// Part of the operator that cannot be read, so that bundles are not compared with it.
    #[error("not checked if every bundle is in a catalog: {0} cannot be read")]
    BundlesNotChecked(String),
}

impl OperatorFindingKind {
    /// Returns the identifier for programs.
    pub fn id(&self) -> &'static str {
        match self {
            Self::WrongType { .. } => "field-type",
            Self::UnquotedNumber { .. } => "unquoted-number",
            Self::MissingField(_) => "missing-field",
            Self::EmptyList(_) => "no-items",
            Self::UnknownKey { .. } => "unknown-field",
            Self::OtherSpelling => "catalogs-names",
            Self::UnknownValue { .. } => "unknown-value",
            Self::Repeated { .. } => "repeated",
            Self::TwoTemplates { .. } => "two-templates",
            Self::TwoMappings(_) => "two-mappings",
            Self::CatalogName { .. } => "catalog-name",
            Self::CatalogWithoutBundles { .. } => "catalog-without-bundles",
            Self::MissingTemplate { .. } => "missing-template",
            Self::OtherType { .. } => "other-type",
            Self::NotEnabled => "not-enabled",
            Self::ReleaseNotEnabled => "release-not-enabled",
            Self::NoMapping { .. } => "no-mapping",
            Self::NewChannel { .. } => "new-channel",
            Self::NewList { .. } => "new-list",
            Self::ListSpelling { .. } => "list-spelling",
            Self::BundlesSpelling { .. } => "bundles-spelling",
            Self::UnknownBundle { .. } => "unknown-edge",
            Self::IgnoredEdge { .. } => "ignored-edge",
            Self::DefaultChannel(_) => "release-default-channel",
            Self::BadRange(_) => "bad-range",
            Self::AlreadyReleased(_) => "already-released",
            Self::FormerTemplates(_) => "former-templates",
            Self::BundleInNoCatalog { .. } => "bundle-in-no-catalog",
            Self::OlderBundles(_) => "older-bundles",
            Self::BundlesNotChecked(_) => "bundles-not-checked",
        }
    }

    /// Returns a suggestion how to correct it, if there is one.
    pub fn correction(&self) -> Option<String> {
        let similar = |name: Option<&String>| name.map(|name| format!("did you mean {name}?"));
        match self {
            Self::UnquotedNumber { text, .. } => Some(format!("write \"v{text}\"")),
            Self::OtherSpelling => Some("rename the key to catalog_names".to_owned()),
            Self::UnknownKey { suggestion, .. }
            | Self::UnknownValue { suggestion, .. }
            | Self::MissingTemplate { suggestion, .. }
            | Self::NewChannel { suggestion, .. }
            | Self::UnknownBundle { suggestion, .. } => similar(suggestion.as_ref()),
            Self::CatalogName { suggestion, .. } => {
                suggestion.as_ref().map(|name| format!("write \"{name}\""))
            }
            Self::NoMapping { suggestion, .. } => Some(
                similar(suggestion.as_ref())
                    .unwrap_or_else(|| "add it to fbc.catalog_mapping of ci.yaml".to_owned()),
            ),
            Self::Repeated { .. } | Self::TwoTemplates { .. } => Some("remove one of them".to_owned()),
            Self::TwoMappings(_) => Some("merge the two mappings".to_owned()),
            Self::NotEnabled | Self::ReleaseNotEnabled => {
                Some("set `enabled: true` below `fbc` in ci.yaml".to_owned())
            }
            Self::OtherType { schema, .. } => Some(format!("write `type: {schema}`")),
            Self::ListSpelling { list, .. } => Some(format!("write `{list}` in the template")),
            Self::BundlesSpelling { .. } => {
                Some("write `Bundles`, with `Image` in each item, in the template".to_owned())
            }
            Self::IgnoredEdge { .. } => Some("remove it".to_owned()),
            Self::BundleInNoCatalog { release: Some(_), .. } => Some(
                "the pipelines read release-config.yaml only when the bundle is merged; afterwards, add the \
                 bundle to the template"
                    .to_owned(),
            ),
            Self::BundleInNoCatalog { .. } => Some(
                "add it to a template and render the catalogs, or delete the directory of a withdrawn bundle"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

/// Maximum number of names in a message.
const MAX_NAMES: usize = 5;

/// Lists the last names, and the number of the others.
fn list_names(names: &[String]) -> String {
    let others = names.len().saturating_sub(MAX_NAMES);
    let shown = names.get(others..).unwrap_or_default().join(", ");
    if others == 0 { shown } else { format!("{shown} and {others} more") }
}

/// Describes where a bundle without a catalog will go, and which catalogs it excludes.
fn describe_release(
    release: Option<&[String]>,
    excluded: Option<&(String, Vec<String>)>,
    unknown_images: usize,
) -> String {
    let release = release.map(|templates| {
        format!("; release-config.yaml adds it to {} when it is merged", list_names(templates))
    });
    let excluded = excluded.map(|(range, catalogs)| {
        format!("; com.redhat.openshift.versions `{range}` excludes {}", list_names(catalogs))
    });
    let unknown = match unknown_images {
        0 => String::new(),
        1 => "; it may be the image in its templates that no catalog has".to_owned(),
        all => format!("; it may be one of {all} images in its templates that no catalog has"),
    };
    release.unwrap_or_default() + &excluded.unwrap_or_default() + &unknown
}
