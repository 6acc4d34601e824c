//! A bundle to be added to catalogs, with the data that the edit needs.

use crate::{
    field_access::{items_at, property_values, text_at},
    manifests::Tree,
    placement::{self, Placement},
    registry::{Bundle, BundleError, CSV_KIND},
    render::{ImageTemplate, Options, RenderedBundle, render_olm_bundle},
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, Member, Node, PackageName, Span, Value,
    blob::{BundleBlob, EntrySpec},
    details::bundle_object,
    image_ref::parse_image_ref,
    load,
    text::{canonical::RenderFormat, emit},
};
use olm_version::VersionRelease;

/// A bundle that is not in a catalog yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewBundle {
    /// Name of the bundle.
    pub name: BundleName,
    /// Package of the bundle.
    pub package: PackageName,
    /// Version as written; empty if unknown.
    pub version: String,
    /// Image; empty if unknown.
    pub image: String,
    /// `olm.bundle` as one document.
    pub blob: String,
    /// `olm.bundle` with whole objects, for catalogs that use them.
    pub with_objects: Option<String>,
    /// Description of its package, for catalogs without the package.
    pub proposed_package: placement::Package,
    /// Channels of its annotations; empty for a rendered blob, which does not have annotations.
    pub channels: Vec<ChannelName>,
    /// Entry that its CSV requests, if any.
    pub own_entry: Option<EntrySpec>,
}

/// Reason why a bundle cannot be added.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddBundleError {
    /// opm rejects its directory.
    #[error("opm rejects the bundle: {0}")]
    Rejected(#[from] BundleError),
    /// Its annotations do not name a package.
    #[error("its annotations name no package")]
    NoPackage,
    /// The input is not exactly one `olm.bundle`.
    #[error("this has {bundles} olm.bundle objects, not one")]
    NotOne {
        /// Number of bundles.
        bundles: usize,
    },
    /// A rendered bundle has another image.
    #[error("the bundle has the image {0}")]
    OtherImage(String),
}

impl AddBundleError {
    /// Returns a hint for a solution.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Rejected(_) => "olmap bundle validate DIR shows where",
            Self::NoPackage => {
                "add operators.operatorframework.io.bundle.package.v1 to metadata/annotations.yaml"
            }
            Self::NotOne { .. } => "give a bundle directory, or what opm render IMAGE prints",
            Self::OtherImage(_) => "leave out --image, or give the bundle's directory",
        }
    }
}

impl NewBundle {
    /// Reads a bundle directory, with its image.
    ///
    /// # Errors
    ///
    /// If opm rejects it, or its package is unknown.
    pub fn from_directory(tree: &Tree, image: &str) -> Result<Self, AddBundleError> {
        let bundle = Bundle::from_tree(tree)?;
        let placement = Placement::from_contents(&bundle.contents).unwrap_or_default();
        if placement.package.is_empty() {
            return Err(AddBundleError::NoPackage);
        }
        let image = (!image.is_empty()).then(|| ImageTemplate::literal(image));
        let mut rendered = render_olm_bundle(&bundle, &Options { image, migrate: false })?;
        let image = rendered.image.clone();
        let yaml = |rendered: &RenderedBundle| rendered.to_text(RenderFormat::Yaml);
        let with_objects = yaml(&rendered);
        let (blob, with_objects) = match rendered.migrate_to_csv_metadata(&bundle) {
            Ok(()) => (yaml(&rendered), Some(with_objects)),
            Err(_) => (with_objects, None),
        };
        let channels =
            placement::propose_channels(std::slice::from_ref(&placement), placement::UpdateGraph::Replaces);
        let described = placement::propose_package(std::slice::from_ref(&placement), &channels)
            .with_description_from(bundle.csv().node());
        let own = to_entry_spec(&placement.entry);
        Ok(Self {
            name: placement.name.as_str().into(),
            package: placement.package.as_str().into(),
            version: placement.version,
            image,
            blob,
            with_objects,
            proposed_package: described,
            channels: placement.channels.iter().map(|channel| channel.as_str().into()).collect(),
            own_entry: (own != EntrySpec::default()).then_some(own),
        })
    }

    /// Reads a bundle rendered by `opm render`, given as a catalog. `image` is used if it does not have an
    /// image.
    ///
    /// # Errors
    ///
    /// If there is not exactly one bundle, or it has another image.
    pub fn from_rendered(catalog: &Catalog, image: &str) -> Result<Self, AddBundleError> {
        let bundles: Vec<&BundleBlob> =
            catalog.packages().flat_map(|package| &package.bundles).map(AsRef::as_ref).collect();
        let not_one = || AddBundleError::NotOne { bundles: bundles.len() };
        let [bundle] = bundles.as_slice() else { return Err(not_one()) };
        if bundle.package.value.as_str().is_empty() {
            return Err(AddBundleError::NoPackage);
        }
        let Some(Ok(tree)) = catalog.parse_document(bundle.doc) else { return Err(not_one()) };
        let there = bundle.image.as_ref().map(|image| image.value.clone()).unwrap_or_default();
        let blob = match (there.as_str(), image) {
            (_, "") => emit::write_json(&tree),
            ("", new) => add_image(&tree, new),
            (same, new) if same == new => emit::write_json(&tree),
            (other, _) => return Err(AddBundleError::OtherImage(other.to_owned())),
        };
        let values = |kind| property_values(&tree, kind);
        let csv =
            values("olm.bundle.object").filter_map(bundle_object).find(|o| text_at(o, &["kind"]) == CSV_KIND);
        let described =
            placement::Package { name: bundle.package.value.to_string(), ..placement::Package::default() };
        let described = match (&csv, values("olm.csv.metadata").next()) {
            (Some(csv), _) => described.with_description_from(csv),
            (None, metadata) => {
                let description = metadata.map(|value| text_at(value, &["description"]).into_owned());
                placement::Package { description: description.unwrap_or_default(), ..described }
            }
        };
        let own = csv.as_ref().map(|csv| to_entry_spec(&placement::Entry::from_csv(csv)));
        Ok(Self {
            name: bundle.name.value.clone(),
            package: bundle.package.value.clone(),
            version: bundle.version.as_ref().map(ToString::to_string).unwrap_or_default(),
            image: if there.is_empty() { image.to_owned() } else { there },
            blob,
            with_objects: None,
            proposed_package: described,
            channels: Vec::new(),
            own_entry: own.filter(|own| *own != EntrySpec::default()),
        })
    }

    /// Returns its `olm.bundle` for a catalog. It has whole objects if the bundles of the package, or otherwise
    /// of the catalog, have them.
    pub fn blob_for(&self, catalog: &Catalog) -> &str {
        let Some(with_objects) = &self.with_objects else { return &self.blob };
        let of_package = catalog.package(self.package.as_str()).into_iter();
        let all = catalog.packages();
        let mut bundles = of_package.chain(all).flat_map(|package| &package.bundles);
        let says = bundles.find(|bundle| bundle.has_objects || bundle.csv.is_some());
        let has_objects = says.is_some_and(|bundle| bundle.has_objects && bundle.csv.is_none());
        if has_objects { with_objects } else { &self.blob }
    }

    /// Returns a catalog with only this bundle.
    pub fn to_catalog(&self) -> Catalog {
        load::from_bytes(self.blob.clone().into_bytes())
    }

    /// Returns its version with its release. `None` if unknown.
    pub fn parsed_version(&self) -> Option<VersionRelease> {
        self.to_catalog().package(self.package.as_str())?.bundle_version(self.name.as_str()).cloned()
    }

    /// Returns true if its image is referenced by a tag, which may move.
    pub fn is_referenced_by_tag(&self) -> bool {
        parse_image_ref(&self.image).is_ok_and(|reference| !reference.is_pinned())
    }
}

/// Converts an entry to the form of a catalog.
fn to_entry_spec(entry: &placement::Entry) -> EntrySpec {
    EntrySpec {
        replaces: entry.replaces.as_deref().map(Into::into),
        skips: entry.skips.iter().map(|name| name.as_str().into()).collect(),
        skip_range: entry.skip_range.clone(),
    }
}

/// Returns a rendered bundle with an image, which is also one of its related images, as in opm.
fn add_image(tree: &Node, image: &str) -> String {
    let string = |text: &str| Node::new(Value::String(text.to_owned().into()), Span::default());
    let member = |key: &'static str, value| Member { key: key.into(), key_span: Span::default(), value };
    let mut members = tree.members().to_vec();
    let mut put =
        |key: &'static str, value: Node<'static>| match members.iter_mut().find(|old| old.key == key) {
            Some(old) => old.value = value,
            None => members.push(member(key, value)),
        };
    put("image", string(image));
    let mut related: Vec<Node> = items_at(tree, &["relatedImages"]).iter().map(Node::detached).collect();
    if !related.iter().any(|one| text_at(one, &["image"]) == image) {
        let at = related.partition_point(|one| *text_at(one, &["image"]) < *image);
        let members = vec![member("name", string("")), member("image", string(image))];
        related.insert(at, Node::new(Value::Map(members), Span::default()));
        put("relatedImages", Node::new(Value::List(related), Span::default()));
    }
    emit::write_json(&Node::new(Value::Map(members), tree.span))
}
