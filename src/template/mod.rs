//! Rendering templates: the catalog that opm 1.73 makes of one, and templates made of catalogs.
//!
//! opm pulls the image of every bundle. Here whoever asks hands in the bundles that are known by image: [`Bundles`].
//! What is not known is named, all of it. Everything is pure; a verdict on a catalog, which the rules of `validate` give,
//! is handed in too ([`Judge`]), for this room stands left of them.
//!
//! - `document`: which kind of template a text is, and its first document.
//! - `bundles`: bundles by image, and what of them is used.
//! - `basic`, `semver`, `substitutes`: one kind each.
//! - `convert`: a template made of a catalog; `infer`: the semver template that makes one.

mod basic;
mod bundles;
mod convert;
mod document;
mod fault;
mod infer;
mod semver;
mod substitutes;
mod tree;

pub use bundles::{Bundles, CatalogBundles};
pub use convert::{ConvertTo, convert};
pub use document::TemplateDocument;
pub use fault::{Fault, FaultKind, Faults};
pub use infer::{Difference, Inferred, NotInferred, infer};

use crate::catalog::{
    Catalog, Node, TemplateKind, Value,
    text::canonical::{self, RenderFormat},
};

/// Why opm would reject a catalog, in words; empty where it accepts it.
pub type Judge<'j> = &'j dyn Fn(&Catalog) -> Vec<String>;

/// How to render.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Turn the `olm.bundle.object`s of a bundle into one `olm.csv.metadata`: `--migrate-level
    /// bundle-object-to-csv-metadata`.
    pub migrate: bool,
}

/// What a template makes.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The objects, as opm holds them.
    pub docs: Vec<Node<'static>>,
    /// What is worth saying about them.
    pub notes: Vec<Note>,
}

/// Something that opm does without a word, and that surprises.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Note {
    /// The default channel is empty: no version is above 0.0.0.
    #[error("the default channel is empty: all bundles are pre-releases of 0.0.0 in `candidate`")]
    NoDefaultChannel,
    /// The package gets no description and icon, for what is known of the bundle lacks them.
    #[error(
        "the package gets no description and no icon: opm takes them from the manifests of {0}, and what is known of the bundle is \
         olm.csv.metadata without them"
    )]
    NothingFilledIn(String),
}

impl Note {
    /// What to do about it, where something can be done.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoDefaultChannel => None,
            Self::NothingFilledIn(_) => {
                Some("--keep-description keeps those that the package has in the catalog")
            }
        }
    }
}

impl Rendered {
    /// The text, as opm writes it.
    pub fn text(&self, format: RenderFormat) -> String {
        canonical::write(&self.docs, format)
    }

    /// Whether the package lacks a description and an icon for the only reason that the manifests are not at hand.
    pub fn lacks_description(&self) -> bool {
        self.notes.iter().any(|note| matches!(note, Note::NothingFilledIn(_)))
    }

    /// Gives the package the description and the icon that it has in another catalog, where it lacks them for the only
    /// reason that the manifests are not at hand. Whether it did.
    pub fn keep_description(&mut self, of: &Catalog) -> bool {
        let is_package = |doc: &&mut Node| doc.get("schema").and_then(Node::as_str) == Some("olm.package");
        let package = self.lacks_description().then(|| self.docs.iter_mut().find(is_package)).flatten();
        let Some(package) = package else { return false };
        let name = package.get("name").and_then(Node::as_str).unwrap_or_default();
        let definition = of.package(name).and_then(|package| Some(package.definition()?.doc));
        let Some(Ok(definition)) = definition.and_then(|doc| of.tree(doc)) else { return false };
        let kept = canonical::normalise(&definition).detached();
        let mut members = package.members().to_vec();
        let known = |key: &str| package.get(key).is_some();
        let fresh =
            kept.members().iter().filter(|member| ["icon", "description"].contains(&member.key.as_ref()));
        members.extend(fresh.filter(|member| !known(&member.key)).cloned());
        *package = canonical::normalise(&Node::new(Value::Map(members), package.span)).detached();
        self.notes.retain(|note| !matches!(note, Note::NothingFilledIn(_)));
        true
    }
}

/// Renders a template.
///
/// # Errors
///
/// Everything for which opm refuses the template, and every image that is not known.
pub fn render(
    template: &TemplateDocument,
    bundles: &dyn Bundles,
    options: Options,
    judge: Judge,
) -> Result<Rendered, Faults> {
    match template.kind {
        TemplateKind::Basic => basic::render(template, bundles, options),
        TemplateKind::Semver => semver::render(template, bundles, options),
        TemplateKind::Substitutes => substitutes::render(template, bundles, options, judge),
    }
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod tests;
