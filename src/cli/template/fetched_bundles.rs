//! Bundles of a template: of given catalogs, and of images that are fetched.

use std::{cell::RefCell, collections::BTreeMap};

use super::super::{Failure, image};
use olm_bundle::{
    registry::Bundle,
    render::{ImageTemplate, Options, render_olm_bundle},
    template::{BundleProvider, CatalogBundles},
};
use olm_catalog::{Format, Node, text::split};
use olm_source::Access;

/// Bundles by image. Remembers the images that it does not have.
pub struct TemplateBundles<'c> {
    catalogs: CatalogBundles<'c>,
    /// Rendered bundles as JSON, by image.
    fetched: BTreeMap<String, String>,
    missing: RefCell<Vec<String>>,
}

impl<'c> TemplateBundles<'c> {
    pub fn from_catalogs(catalogs: CatalogBundles<'c>) -> Self {
        Self { catalogs, fetched: BTreeMap::new(), missing: RefCell::default() }
    }

    /// Fetches the images that a render asked for and that are missing. Returns false if there are none.
    pub fn fetch_missing(&mut self, access: &Access) -> Result<bool, Failure> {
        let mut missing = self.missing.take();
        missing.sort();
        missing.dedup();
        missing.retain(|image| !image.is_empty());
        for image in &missing {
            let tree = image::load_bundle_tree(image, access)?;
            let options = Options { image: Some(ImageTemplate::literal(image)), migrate: false };
            let rendered = Bundle::from_tree(&tree).and_then(|bundle| render_olm_bundle(&bundle, &options));
            let rendered = rendered.map_err(|fault| {
                Failure::new(format!("nothing rendered: opm rejects the bundle in {image}"))
                    .with_detail(format!("  {fault}\n"))
            })?;
            self.fetched.insert(image.clone(), rendered.to_compact_json());
        }
        Ok(!missing.is_empty())
    }
}

impl BundleProvider for TemplateBundles<'_> {
    fn find_by_image(&self, image: &str) -> Option<Node<'_>> {
        if let Some(bundle) = self.catalogs.find_by_image(image) {
            return Some(bundle);
        }
        let text = self.fetched.get(image);
        if text.is_none() {
            self.missing.borrow_mut().push(image.to_owned());
        }
        split::parse_chunk(Format::Json, text?.as_bytes()).ok()
    }
}
