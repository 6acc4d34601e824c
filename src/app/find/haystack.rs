//! Everything that can be found, gathered once and not at every letter.

use std::{borrow::Cow, sync::Arc};

use super::super::{
    model::Model,
    overlay::Found,
    place::{Place, Screen, Selection},
};
use crate::review::Judged;

/// What can be found in the open catalogs.
#[derive(Debug, Default)]
pub(in crate::app) struct Haystack {
    /// Packages, each with the number of its catalog.
    packages: Vec<(usize, Arc<Judged>)>,
    items: Vec<Item>,
}

/// Something that can be found: the place of its package in the haystack, and what it is there.
#[derive(Clone, Copy, Debug)]
struct Item {
    package: usize,
    what: What,
}

/// Something of a package, by its place in it.
#[derive(Clone, Copy, Debug)]
enum What {
    Package,
    Channel(usize),
    Bundle(usize),
    /// The image of a bundle.
    Image(usize),
    /// An API, by the bundle that provides it and its place there.
    Api(usize, usize),
}

impl Haystack {
    /// Gathers what is there.
    pub fn new(model: &Model) -> Self {
        let mut all = Self::default();
        for (catalog, open) in model.open.iter().enumerate() {
            for (_, judged) in open.now().packages() {
                all.packages.push((catalog, Arc::clone(judged)));
                let package = all.packages.len() - 1;
                all.items.extend(things(judged).map(|what| Item { package, what }));
            }
        }
        all
    }

    /// How many things can be found.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// The text by which something is found.
    pub fn text(&self, at: usize) -> Cow<'_, str> {
        let Some((_, judged, what)) = self.item(at) else { return Cow::default() };
        let package = judged.package();
        let text = match what {
            What::Package => Some(Cow::Borrowed(package.name.as_str())),
            What::Channel(n) => {
                package.channels.get(n).map(|c| format!("{} {}", package.name, c.name.value).into())
            }
            What::Bundle(n) => package.bundles.get(n).map(|b| Cow::Borrowed(b.name.value.as_str())),
            What::Image(n) => {
                package.bundles.get(n).and_then(|b| Some(Cow::Borrowed(b.image.as_ref()?.value.as_str())))
            }
            What::Api(n, nth) => package
                .bundles
                .get(n)
                .and_then(|b| b.provides.get(nth))
                .map(|api| format!("{} {}/{}", api.kind, api.group, api.version).into()),
        };
        text.unwrap_or_default()
    }

    /// Something, as it is listed.
    pub fn found(&self, at: usize, matched: Vec<usize>) -> Option<Found> {
        let (catalog, judged, what) = self.item(at)?;
        let package = judged.package();
        let bundle = |n: usize| package.bundles.get(n).map(|bundle| bundle.name.value.clone());
        let mut selection = Selection { package: Some(package.name.clone()), ..Selection::default() };
        let (kind, note) = match what {
            What::Package => ("package", format!("{} bundles", package.bundles.len())),
            What::Channel(n) => {
                selection.channel = package.channels.get(n).map(|channel| channel.name.value.clone());
                ("channel", String::new())
            }
            What::Bundle(n) => {
                selection.bundle = bundle(n);
                ("bundle", package.name.to_string())
            }
            What::Image(n) => {
                selection.bundle = bundle(n);
                ("image", bundle(n)?.to_string())
            }
            What::Api(n, _) => {
                selection.bundle = bundle(n);
                ("api", package.name.to_string())
            }
        };
        let place = Place { catalog, screen: Screen::Catalog, selection };
        Some(Found { kind, text: self.text(at).into_owned(), note, matched, place })
    }

    fn item(&self, at: usize) -> Option<(usize, &Judged, What)> {
        let item = self.items.get(at)?;
        let (catalog, judged) = self.packages.get(item.package)?;
        Some((*catalog, judged, item.what))
    }
}

/// What a package has that can be found; of several bundles that provide an API, the last.
fn things(judged: &Judged) -> impl Iterator<Item = What> {
    let package = judged.package();
    let bundles = package.bundles.iter().enumerate().flat_map(|(n, bundle)| {
        [Some(What::Bundle(n)), bundle.image.as_ref().map(|_| What::Image(n))].into_iter().flatten()
    });
    let provided = package.bundles.iter().enumerate().rev().flat_map(|(n, bundle)| {
        bundle.provides.iter().enumerate().map(move |(nth, api)| (api, What::Api(n, nth)))
    });
    let mut provided: Vec<_> = provided.collect();
    provided.sort_by_key(|(api, _)| *api);
    provided.dedup_by(|(a, _), (b, _)| a == b);
    let channels = (0..package.channels.len()).map(What::Channel);
    let apis = provided.into_iter().map(|(_, what)| what);
    std::iter::once(What::Package).chain(channels).chain(bundles).chain(apis)
}
