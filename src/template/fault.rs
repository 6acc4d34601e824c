//! Why a template cannot be rendered, and where.

use thiserror::Error;

use crate::catalog::{
    MetaErrorKind, ReadErrorKind, Span, TemplateKind,
    problem::ProblemKind,
    template::{
        semver::{self, DocumentFaultKind},
        substitution::SubstitutionFault,
    },
};

/// Everything that is wrong with a template: never empty.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("{}", self.0.first().map_or_else(String::new, |fault| fault.kind.to_string()))]
pub struct Faults(pub Vec<Fault>);

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

/// One thing that is wrong, and its place in the file of the template.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("{kind}")]
pub struct Fault {
    /// Where it is, in bytes of the file.
    pub at: Span,
    /// Other places that belong to it.
    pub also: Vec<Span>,
    /// What it is.
    pub kind: Box<FaultKind>,
}

/// What can be wrong.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The text is neither YAML nor JSON as opm reads them.
    #[error("{0}")]
    Text(ReadErrorKind),
    /// Nothing stands before the first `---` after the beginning, or anywhere.
    #[error("the first document is empty")]
    Empty,
    /// The document has no schema.
    #[error("the template has no `schema`")]
    NoSchema,
    /// The schema is none of a template.
    #[error("`{0}` is not the schema of a template")]
    UnknownSchema(String),
    /// The template is of another kind than was asked for.
    #[error("the schema is `{found}`, not `{}`", expected.schema())]
    OtherKind {
        /// The schema it has.
        found: String,
        /// The kind that was asked for.
        expected: TemplateKind,
    },
    /// A value of another type.
    #[error("`{field}` must be {expected}")]
    WrongType {
        /// The field.
        field: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// An item of `entries` is no object of a catalog.
    #[error("{0}")]
    Meta(MetaErrorKind),
    /// An item of `entries` is not what its schema says.
    #[error("{0}")]
    Entry(ProblemKind),
    /// A bundle of a basic template has more than its image, or none.
    #[error("a bundle in a basic template has `schema` and `image` only, but this one has {0}")]
    BundleFields(&'static str),
    /// No bundle with an image is known.
    #[error("no bundle is known with the image {}", if .0.is_empty() { "\"\"" } else { .0.as_str() })]
    UnknownImage(String),
    /// What is known of a bundle cannot be used.
    #[error("bundle of {image}: {reason}")]
    Bundle {
        /// The image.
        image: String,
        /// Why not.
        reason: String,
    },
    /// The same bundles again and again.
    #[error("the same bundles are listed so often that the catalog would be too large")]
    TooLarge,
    /// A semver template that opm does not read.
    #[error("{0}")]
    Semver(DocumentFaultKind),
    /// Lists of which opm makes no channels.
    #[error("{0}")]
    Generate(semver::Fault),
    /// A substitution that cannot be made.
    #[error("{0}")]
    Substitution(SubstitutionFault),
    /// The entries are no valid catalog, or are none after a substitution.
    #[error("{}: {}", match after { Some(name) => format!("not a valid catalog after {name}"), None => "the entries are not a valid catalog".to_owned() }, reasons.join("; "))]
    Invalid {
        /// The substitution after which they are none.
        after: Option<String>,
        /// Why, in words.
        reasons: Vec<String>,
    },
}

impl FaultKind {
    /// This at a place.
    pub(super) fn at(self, at: Span) -> Fault {
        Fault { at, also: Vec::new(), kind: Box::new(self) }
    }

    /// What to do, where that is not plain from the message.
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
            Self::Generate(semver::Fault::SameVersion { .. }) => "leave one of them out of the list",
            Self::Generate(semver::Fault::TwoImages { .. }) => "use the same image in all lists",
            _ => return None,
        })
    }
}
