//! Whether a published catalog is what its template makes.

use super::{Difference, Snapshot, diff::PackageDiff};
use crate::{
    catalog::{
        Catalog, Node, Origin, load,
        text::canonical::{self, RenderFormat},
    },
    template::{self, CatalogBundles, FaultKind, Faults, Options, TemplateDocument},
    validate,
};

/// What a template and a catalog that is made from it have to do with each other.
#[derive(Debug)]
pub enum Agreement {
    /// The catalog means what the template makes.
    Same,
    /// It does not.
    Differs(Box<Disagreement>),
    /// The template has images of which the catalog has no bundle: it was not rendered since. All of them.
    UnknownImages(Vec<String>),
    /// The template cannot be rendered.
    Refused(Faults),
}

/// What differs.
#[derive(Debug)]
pub struct Disagreement {
    /// The published catalog.
    pub published: Snapshot,
    /// What the template makes, with the bundles of the published one.
    pub rendered: Snapshot,
    /// From the one to the other.
    pub difference: Difference,
}

/// Renders a template with the bundles of a published catalog, and compares. Description and icon of the package count as
/// the same where opm would take them from manifests that are not at hand.
pub fn compare(template: &TemplateDocument, published: Catalog, options: Options) -> Agreement {
    let bundles = CatalogBundles::of([&published]);
    let mut rendered = match template::render(template, &bundles, options, &validate::rejections) {
        Ok(rendered) => rendered,
        Err(faults) => return refused(faults),
    };
    rendered.keep_description(&published);
    let text = rendered.text(RenderFormat::Yaml);
    let is_same = {
        let docs: Vec<Node> = published.documents().filter_map(|doc| published.tree(doc)?.ok()).collect();
        canonical::render(&docs, RenderFormat::Yaml) == text
    };
    if is_same {
        return Agreement::Same;
    }
    let made = load::from_texts(Origin::Stdin, [("rendered.yaml".into(), text.into_bytes())]);
    let (published, rendered) = (Snapshot::new(published), Snapshot::new(made));
    let difference = Difference::between(&published, &rendered);
    // The order of entries, and of objects, means nothing.
    if difference.packages.iter().all(PackageDiff::means_the_same) && difference.others.is_empty() {
        return Agreement::Same;
    }
    Agreement::Differs(Box::new(Disagreement { published, rendered, difference }))
}

/// Where nothing but images is missing, those.
fn refused(faults: Faults) -> Agreement {
    let image = |fault: &template::Fault| match &*fault.kind {
        FaultKind::UnknownImage(image) => Some(image.clone()),
        _ => None,
    };
    match faults.0.iter().map(image).collect::<Option<Vec<_>>>() {
        Some(images) if !images.is_empty() => Agreement::UnknownImages(images),
        _ => Agreement::Refused(faults),
    }
}
