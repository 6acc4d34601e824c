//! A bundle to be added to catalogs, with the data that the edit needs.

use super::{
    propose::{self, Placement},
    read::{at, items, text},
    registry::{Bundle, BundleFault, CSV_KIND},
    render::{ImageTemplate, Options, RenderedBundle, render},
    tree::Tree,
};
use crate::catalog::{
    BundleName, Catalog, ChannelName, Member, Node, PackageName, Span, Value,
    blob::{BundleBlob, EntrySpec},
    details::bundle_object,
    text::{canonical::RenderFormat, emit},
};

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
    pub described: propose::Package,
    /// Channels of its annotations; empty for a rendered blob, which does not have annotations.
    pub channels: Vec<ChannelName>,
    /// Entry that its CSV requests, if any.
    pub own: Option<EntrySpec>,
}

/// Reason why a bundle cannot be added.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotAdded {
    /// opm rejects its directory.
    #[error("opm rejects the bundle: {0}")]
    Rejected(#[from] BundleFault),
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

impl NotAdded {
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
    pub fn of_directory(tree: &Tree, image: &str) -> Result<Self, NotAdded> {
        let bundle = Bundle::read(tree)?;
        let placement = Placement::of(&bundle.contents).unwrap_or_default();
        if placement.package.is_empty() {
            return Err(NotAdded::NoPackage);
        }
        let image = (!image.is_empty()).then(|| ImageTemplate::literal(image));
        let mut rendered = render(&bundle, &Options { image, migrate: false })?;
        let image = rendered.image.clone();
        let yaml = |rendered: &RenderedBundle| rendered.text(RenderFormat::Yaml);
        let with_objects = yaml(&rendered);
        let (blob, with_objects) = match rendered.migrate(&bundle) {
            Ok(()) => (yaml(&rendered), Some(with_objects)),
            Err(_) => (with_objects, None),
        };
        let channels = propose::channels(std::slice::from_ref(&placement), propose::UpdateGraph::Replaces);
        let described =
            propose::package(std::slice::from_ref(&placement), &channels).described_by(bundle.csv().node());
        let own = spec(&placement.entry);
        Ok(Self {
            name: placement.name.as_str().into(),
            package: placement.package.as_str().into(),
            version: placement.version,
            image,
            blob,
            with_objects,
            described,
            channels: placement.channels.iter().map(|channel| channel.as_str().into()).collect(),
            own: (own != EntrySpec::default()).then_some(own),
        })
    }

    /// Reads a bundle rendered by `opm render`, given as a catalog. `image` is used if it does not have an
    /// image.
    ///
    /// # Errors
    ///
    /// If there is not exactly one bundle, or it has another image.
    pub fn of_rendered(catalog: &Catalog, image: &str) -> Result<Self, NotAdded> {
        let bundles: Vec<&BundleBlob> =
            catalog.packages().flat_map(|package| &package.bundles).map(AsRef::as_ref).collect();
        let not_one = || NotAdded::NotOne { bundles: bundles.len() };
        let [bundle] = bundles.as_slice() else { return Err(not_one()) };
        if bundle.package.value.as_str().is_empty() {
            return Err(NotAdded::NoPackage);
        }
        let Some(Ok(tree)) = catalog.tree(bundle.doc) else { return Err(not_one()) };
        let there = bundle.image.as_ref().map(|image| image.value.clone()).unwrap_or_default();
        let blob = match (there.as_str(), image) {
            (_, "") => emit::json(&tree),
            ("", new) => with_image(&tree, new),
            (same, new) if same == new => emit::json(&tree),
            (other, _) => return Err(NotAdded::OtherImage(other.to_owned())),
        };
        let values = |kind: &'static str| {
            let of_kind =
                items(&tree, &["properties"]).iter().filter(move |one| text(one, &["type"]) == kind);
            of_kind.filter_map(|one| at(one, &["value"]))
        };
        let csv =
            values("olm.bundle.object").filter_map(bundle_object).find(|o| text(o, &["kind"]) == CSV_KIND);
        let described =
            propose::Package { name: bundle.package.value.to_string(), ..propose::Package::default() };
        let described = match (&csv, values("olm.csv.metadata").next()) {
            (Some(csv), _) => described.described_by(csv),
            (None, metadata) => {
                let description = metadata.map(|value| text(value, &["description"]).into_owned());
                propose::Package { description: description.unwrap_or_default(), ..described }
            }
        };
        let own = csv.as_ref().map(|csv| spec(&propose::Entry::of_csv(csv)));
        Ok(Self {
            name: bundle.name.value.clone(),
            package: bundle.package.value.clone(),
            version: bundle.version.as_ref().map(ToString::to_string).unwrap_or_default(),
            image: if there.is_empty() { image.to_owned() } else { there },
            blob,
            with_objects: None,
            described,
            channels: Vec::new(),
            own: own.filter(|own| *own != EntrySpec::default()),
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

    /// Returns true if its image is referenced by a tag, which may move.
    pub fn is_by_tag(&self) -> bool {
        !self.image.is_empty() && !self.image.contains('@')
    }
}

/// Converts an entry to the form of a catalog.
fn spec(entry: &propose::Entry) -> EntrySpec {
    EntrySpec {
        replaces: entry.replaces.as_deref().map(Into::into),
        skips: entry.skips.iter().map(|name| name.as_str().into()).collect(),
        skip_range: entry.skip_range.clone(),
    }
}

/// Returns a rendered bundle with an image, which is also one of its related images, as in opm.
fn with_image(tree: &Node, image: &str) -> String {
    let string = |text: &str| Node::new(Value::String(text.to_owned().into()), Span::default());
    let member = |key: &'static str, value| Member { key: key.into(), key_span: Span::default(), value };
    let mut members = tree.members().to_vec();
    let mut put =
        |key: &'static str, value: Node<'static>| match members.iter_mut().find(|old| old.key == key) {
            Some(old) => old.value = value,
            None => members.push(member(key, value)),
        };
    put("image", string(image));
    let mut related: Vec<Node> = items(tree, &["relatedImages"]).iter().map(Node::detached).collect();
    if !related.iter().any(|one| text(one, &["image"]) == image) {
        let at = related.partition_point(|one| *text(one, &["image"]) < *image);
        let members = vec![member("name", string("")), member("image", string(image))];
        related.insert(at, Node::new(Value::Map(members), Span::default()));
        put("relatedImages", Node::new(Value::List(related), Span::default()));
    }
    emit::json(&Node::new(Value::Map(members), tree.span))
}
