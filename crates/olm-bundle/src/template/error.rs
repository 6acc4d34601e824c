//! Errors of templates, with their locations.

use thiserror::Error;

use olm_catalog::{
    MetaErrorKind, ReadErrorKind, Span, TemplateKind,
    problem::ProblemKind,
    template::{
        semver::{self, DocumentErrorKind},
        substitution::SubstitutionError,
    },
};

/// All errors of a template; never empty.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("{}", self.0.first().map_or_else(String::new, |fault| fault.kind.to_string()))]
pub struct TemplateErrors(pub Vec<TemplateError>);

impl From<TemplateError> for TemplateErrors {
    fn from(fault: TemplateError) -> Self {
        Self(vec![fault])
    }
}

/// An error with its location in the template file.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("{kind}")]
pub struct TemplateError {
    /// Location in bytes of the file.
    pub at: Span,
    /// Related locations.
    pub related: Vec<Span>,
    /// Kind of the error.
    pub kind: Box<TemplateErrorKind>,
}

/// Kind of an error.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum TemplateErrorKind {
    /// The text is neither valid YAML nor valid JSON for opm.
    #[error("{0}")]
    Text(ReadErrorKind),
    /// The document before the first `---` is empty, or the whole text is.
    #[error("the first document is empty")]
    Empty,
    /// The document does not have a schema.
    #[error("the template has no `schema`")]
    NoSchema,
    /// The schema is not that of a template.
    #[error("`{0}` is not the schema of a template")]
    UnknownSchema(String),
    /// The template is not of the requested kind.
    #[error("the schema is `{found}`, not `{}`", expected.schema())]
    OtherKind {
        /// Actual schema.
        found: String,
        /// Requested kind.
        expected: TemplateKind,
    },
    /// A value has a wrong type.
    #[error("`{field}` must be {expected}")]
    WrongType {
        /// Name of the field.
        field: String,
        /// Expected type.
        expected: &'static str,
    },
    /// An item of `entries` is not an object of a catalog.
    #[error("{0}")]
    Meta(MetaErrorKind),
    /// An item of `entries` does not match its schema.
    #[error("{0}")]
    Entry(ProblemKind),
    /// A bundle of a basic template does not consist of exactly its image.
    #[error("a bundle in a basic template has `schema` and `image` only, but this one has {0}")]
    BundleFields(&'static str),
    /// No bundle with the image is known.
    #[error("no bundle is known with the image {}", if .0.is_empty() { "\"\"" } else { .0.as_str() })]
    UnknownImage(String),
    /// The known bundle cannot be used.
    #[error("bundle of {image}: {reason}")]
    Bundle {
        /// Image of the bundle.
        image: String,
        /// Reason.
        reason: String,
    },
    /// Bundles are repeated too often.
    #[error("the same bundles are listed so often that the catalog would be too large")]
    TooLarge,
    /// opm cannot read the semver template.
    #[error("{0}")]
    Semver(DocumentErrorKind),
    /// opm cannot make channels from the lists.
    #[error("{0}")]
    Generate(semver::GenerateError),
    /// A substitution is not possible.
    #[error("{0}")]
    Substitution(SubstitutionError),
    /// The entries are not a valid catalog, originally or after a substitution.
    #[error("{}: {}", match after { Some(name) => format!("not a valid catalog after {name}"), None => "the entries are not a valid catalog".to_owned() }, reasons.join("; "))]
    Invalid {
        /// Substitution after which the catalog is invalid.
        after: Option<String>,
        /// Reasons in words.
        reasons: Vec<String>,
    },
}

impl TemplateErrorKind {
    /// Creates an error of this kind at a location.
    pub(super) fn at_span(self, at: Span) -> TemplateError {
        TemplateError { at, related: Vec::new(), kind: Box::new(self) }
    }

    /// Returns a suggestion, if the message alone is not enough.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Empty => "remove what stands before the first `---`, comments too",
            Self::NoSchema | Self::UnknownSchema(_) => {
                "it must be olm.template.basic, olm.semver or olm.template.substitutes"
            }
            Self::UnknownImage(_) => {
                "give catalogs that have the bundles: --bundles CATALOG; images are compared letter by letter"
            }
            Self::BundleFields(_) => "olmap template convert basic makes a template of a catalog",
            Self::Invalid { .. } => "olmap validate explains each of them",
            Self::Generate(semver::GenerateError::SameVersion { .. }) => "leave one of them out of the list",
            Self::Generate(semver::GenerateError::TwoImages { .. }) => "use the same image in all lists",
            _ => return None,
        })
    }
}
