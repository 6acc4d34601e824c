//! Rendering of templates to the catalog that opm 1.73 makes, and conversion of catalogs to templates.
//!
//! opm pulls the image of each bundle; here the caller provides bundles by image with [`BundleProvider`]. All unknown
//! images are reported. Everything is pure. The caller also provides a function that checks a
//! catalog, because this crate does not depend on `olm-check`.
//!
//! - `document`: kind and first document of a template.
//! - `bundles`: bundles by image.
//! - `basic`, `semver`, `substitutes`: the three kinds.
//! - `convert`: conversion of a catalog to a template; `infer`: the semver template that produces a catalog.

mod basic;
mod bundles;
mod convert;
mod document;
mod error;
mod infer;
mod semver;
mod substitutes;
mod tree_builder;

pub use bundles::{BundleProvider, CatalogBundles};
pub use convert::{ConvertTo, convert_catalog};
pub use document::TemplateDocument;
pub use error::{TemplateError, TemplateErrorKind, TemplateErrors};
pub use infer::{Difference, InferError, Inferred, infer_template};

use olm_catalog::{
    Catalog, Node, TemplateKind, Value,
    text::canonical::{self, RenderFormat},
};

/// Function that returns the reasons why opm would reject a catalog; empty if it accepts it.
pub type CatalogCheck<'j> = &'j dyn Fn(&Catalog) -> Vec<String>;

/// Options for rendering.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Replaces the `olm.bundle.object`s of a bundle by one `olm.csv.metadata`, like
    /// `--migrate-level bundle-object-to-csv-metadata`.
    pub migrate: bool,
}

/// Result of rendering a template.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// Objects as opm represents them.
    pub docs: Vec<Node<'static>>,
    /// Surprising properties of the result.
    pub notes: Vec<Note>,
}

/// A surprising result that opm does not report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Note {
    /// The default channel is empty, because no version is above 0.0.0.
    #[error("the default channel is empty: all bundles are pre-releases of 0.0.0 in `candidate`")]
    NoDefaultChannel,
    /// The package gets no description and icon, because the known bundle lacks them.
    #[error(
        "the package gets no description and no icon: opm takes them from the manifests of {0}, and what is known of the bundle is \
         olm.csv.metadata without them"
    )]
    DescriptionUnavailable(String),
}

impl Note {
    /// Returns a suggestion, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoDefaultChannel => None,
            Self::DescriptionUnavailable(_) => {
                Some("--keep-description keeps those that the package has in the catalog")
            }
        }
    }
}

impl Rendered {
    /// Formats the result as opm does.
    pub fn to_text(&self, format: RenderFormat) -> String {
        canonical::write_documents(&self.docs, format)
    }

    /// Returns true if the package does not have a description and an icon, and the only reason is
    /// that manifests are not available. opm takes them from the manifests.
    pub fn lacks_only_description(&self) -> bool {
        self.notes.iter().any(|note| matches!(note, Note::DescriptionUnavailable(_)))
    }

    /// Copies the description and icon of the package from another catalog, if only missing manifests are the
    /// reason for their absence. Returns true if it did.
    pub fn copy_description(&mut self, catalog: &Catalog) -> bool {
        let is_package = |doc: &&mut Node| doc.get("schema").and_then(Node::as_str) == Some("olm.package");
        let package = self.lacks_only_description().then(|| self.docs.iter_mut().find(is_package)).flatten();
        let Some(package) = package else { return false };
        let name = package.get("name").and_then(Node::as_str).unwrap_or_default();
        let definition = catalog.package(name).and_then(|package| Some(package.definition()?.doc));
        let Some(Ok(definition)) = definition.and_then(|doc| catalog.parse_document(doc)) else {
            return false;
        };
        let kept = canonical::normalize(&definition).detached();
        let mut members = package.members().to_vec();
        let known = |key: &str| package.get(key).is_some();
        let fresh =
            kept.members().iter().filter(|member| ["icon", "description"].contains(&member.key.as_ref()));
        members.extend(fresh.filter(|member| !known(&member.key)).cloned());
        *package = canonical::normalize(&Node::new(Value::Map(members), package.span)).detached();
        self.notes.retain(|note| !matches!(note, Note::DescriptionUnavailable(_)));
        true
    }
}

/// Renders a template.
///
/// # Errors
///
/// If opm refuses the template, or if images are unknown.
pub fn render_template(
    template: &TemplateDocument,
    bundles: &dyn BundleProvider,
    options: Options,
    judge: CatalogCheck,
) -> Result<Rendered, TemplateErrors> {
    match template.kind {
        TemplateKind::Basic => basic::render_basic(template, bundles, options),
        TemplateKind::Semver => semver::render_semver(template, bundles, options),
        TemplateKind::Substitutes => substitutes::render_substitutes(template, bundles, options, judge),
    }
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod tests;
