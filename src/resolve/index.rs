//! A catalog as the resolver looks things up in it. Made once a catalog; what is in it is worked out when somebody first
//! asks, so that questions about a large catalog can be asked at every key.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use super::{
    constraint::Predicate,
    entry::{Facts, Seen},
};
use crate::{
    catalog::{
        BundleName, Catalog,
        blob::{BundleBlob, Entry, Gvk},
        package::Package,
    },
    upgrade::{ChannelGraph, PackageGraph, ResolveError},
};

/// A bundle of a catalog, by the places of its package and itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BundleAt {
    /// The place of the package in [`CatalogIndex::packages`].
    pub package: usize,
    /// The place of the bundle in its package.
    pub bundle: usize,
}

/// A bundle in a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InChannel {
    /// The bundle.
    pub at: BundleAt,
    /// The place of the channel in its package.
    pub channel: usize,
}

/// A catalog with what is looked up in it.
#[derive(Debug)]
pub struct CatalogIndex {
    /// The catalog.
    pub catalog: Catalog,
    packages: Vec<Arc<PackageIndex>>,
    providers: OnceLock<Arc<HashMap<Gvk, Vec<BundleAt>>>>,
    /// The packages of which `providers` says what they were before edits.
    edited: Vec<usize>,
    /// By [`Predicate::key`]: what was asked for before. Versions of one package mostly ask for the same.
    asked: Mutex<Kept>,
}

/// What was asked for before.
#[derive(Debug, Default)]
struct Kept {
    answers: HashMap<String, Candidates>,
    /// How many candidates they have together.
    candidates: usize,
}

impl Kept {
    fn keep(&mut self, key: String, candidates: &Candidates) {
        let count = 1 + candidates.as_ref().as_ref().map_or(0, Vec::len);
        if self.candidates + count > KEPT {
            *self = Self::default();
        }
        self.candidates += count;
        self.answers.insert(key, Arc::clone(candidates));
    }
}

/// The candidates for a predicate, or the package and its channel that has no single chain.
pub type Candidates = Arc<Result<Vec<InChannel>, (usize, ResolveError)>>;

/// How many packages may have been edited before all providers are put together anew.
const EDITED: usize = 8;

/// How many candidates are kept in all answers together.
const KEPT: usize = 1_000_000;

/// A package with what is looked up in it.
#[derive(Debug)]
pub struct PackageIndex {
    /// The package.
    pub package: Arc<Package>,
    graph: OnceLock<Arc<PackageGraph>>,
    chains: OnceLock<Vec<Result<Vec<usize>, ResolveError>>>,
    places: OnceLock<HashMap<BundleName, usize>>,
    facts: Box<[OnceLock<Facts>]>,
}

impl PackageIndex {
    fn new(package: &Arc<Package>) -> Self {
        let facts = package.bundles.iter().map(|_| OnceLock::new()).collect();
        Self {
            package: Arc::clone(package),
            graph: OnceLock::new(),
            chains: OnceLock::new(),
            places: OnceLock::new(),
            facts,
        }
    }

    /// Its graphs, made once for all who look at them.
    pub fn graph(&self) -> &Arc<PackageGraph> {
        self.graph.get_or_init(|| Arc::new(PackageGraph::new(&self.package)))
    }

    /// The place of a bundle, the first of several of one name.
    pub fn place(&self, bundle: &str) -> Option<usize> {
        let places = self.places.get_or_init(|| {
            let mut places = HashMap::new();
            for (at, bundle) in self.package.bundles.iter().enumerate() {
                places.entry(bundle.name.value.clone()).or_insert(at);
            }
            places
        });
        places.get(bundle).copied()
    }

    /// The graph of a channel.
    pub fn channel(&self, at: usize) -> Option<&ChannelGraph> {
        self.graph().channels().get(at).map(|channel| &channel.graph)
    }

    /// The places of the bundles of Classic's chain through a channel, head first.
    ///
    /// # Errors
    ///
    /// Where the channel has no single chain.
    pub fn chain(&self, channel: usize) -> Result<&[usize], ResolveError> {
        let chains = self.chains.get_or_init(|| {
            let of = |channel: &crate::upgrade::package::ChannelUpgrades| {
                let order = &channel.chain.as_ref().map_err(Clone::clone)?.order;
                let names = order.iter().filter_map(|node| channel.graph.node(*node));
                Ok(names.filter_map(|node| self.place(node.name.as_str())).collect())
            };
            self.graph().channels().iter().map(of).collect()
        });
        match chains.get(channel) {
            Some(Ok(chain)) => Ok(chain),
            Some(Err(error)) => Err(error.clone()),
            None => Ok(&[]),
        }
    }

    /// The places of its channels as OLM prefers them: the default channel first, then by name.
    pub fn channels_in_order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.package.channels.len()).collect();
        places.sort_by_key(|at| self.rank(*at));
        places
    }

    fn rank(&self, channel: usize) -> (bool, &str) {
        let name = self.channel_name(channel);
        let is_default = self.package.default_channel().is_some_and(|default| *default == *name);
        (!is_default, name)
    }

    /// The name of a channel.
    pub fn channel_name(&self, at: usize) -> &str {
        self.package.channels.get(at).map(|channel| channel.name.value.as_str()).unwrap_or_default()
    }

    /// The entry of a bundle in a channel.
    pub fn entry(&self, channel: usize, bundle: usize) -> Option<&Entry> {
        let name = &self.package.bundles.get(bundle)?.name.value;
        self.channel(channel)?.entry_named(name.as_str())
    }
}

impl CatalogIndex {
    /// Nothing is looked up yet.
    pub fn new(catalog: &Catalog) -> Self {
        let packages = catalog.packages().map(|package| Arc::new(PackageIndex::new(package))).collect();
        Self {
            catalog: catalog.clone(),
            packages,
            providers: OnceLock::new(),
            edited: Vec::new(),
            asked: Mutex::default(),
        }
    }

    /// The catalog that an edit led to, with what is known of packages that are the same.
    #[must_use]
    pub fn after(&self, catalog: &Catalog) -> Self {
        let known = |package: &Arc<Package>| {
            let own = self.packages.get(self.place(package.name.as_str())?)?;
            Arc::ptr_eq(&own.package, package).then(|| Arc::clone(own))
        };
        let packages: Vec<Arc<PackageIndex>> = catalog
            .packages()
            .map(|package| known(package).unwrap_or_else(|| Arc::new(PackageIndex::new(package))))
            .collect();
        let edited = self.edited_in(&packages);
        let providers = self.providers.get().filter(|_| edited.is_some()).cloned();
        Self {
            catalog: catalog.clone(),
            packages,
            providers: providers.map(OnceLock::from).unwrap_or_default(),
            edited: edited.unwrap_or_default(),
            asked: Mutex::default(),
        }
    }

    /// The packages of which what is known of providers is not right any more; `None` where they are many, or where places are others.
    fn edited_in(&self, packages: &[Arc<PackageIndex>]) -> Option<Vec<usize>> {
        self.providers.get()?;
        let mut edited = self.edited.clone();
        if self.packages.len() != packages.len() {
            return None;
        }
        for (at, (was, is)) in self.packages.iter().zip(packages).enumerate() {
            if was.package.name != is.package.name {
                return None;
            }
            if !Arc::ptr_eq(was, is) && !edited.contains(&at) {
                edited.push(at);
            }
            if edited.len() > EDITED {
                return None;
            }
        }
        Some(edited)
    }

    /// The packages by name.
    pub fn packages(&self) -> &[Arc<PackageIndex>] {
        &self.packages
    }

    /// The graphs of a package of the catalog.
    pub fn graph(&self, package: &Arc<Package>) -> Arc<PackageGraph> {
        let own = self.place(package.name.as_str()).and_then(|at| self.packages.get(at));
        match own.filter(|own| Arc::ptr_eq(&own.package, package)) {
            Some(own) => Arc::clone(own.graph()),
            None => Arc::new(PackageGraph::new(package)),
        }
    }

    /// The place of a package.
    pub fn place(&self, package: &str) -> Option<usize> {
        self.packages.binary_search_by(|known| known.package.name.as_str().cmp(package)).ok()
    }

    /// A bundle.
    pub fn bundle(&self, at: BundleAt) -> Option<&Arc<BundleBlob>> {
        self.packages.get(at.package)?.package.bundles.get(at.bundle)
    }

    /// What a bundle offers and asks for.
    pub fn seen(&self, at: BundleAt) -> Option<Seen<'_>> {
        let package = self.packages.get(at.package)?;
        let bundle = package.package.bundles.get(at.bundle)?;
        let facts = package.facts.get(at.bundle)?.get_or_init(|| Facts::of_bundle(&self.catalog, bundle));
        Some(Seen { facts, home: Some((&self.catalog, bundle)) })
    }

    /// The first bundle of a name, by package.
    pub fn bundle_named(&self, name: &str) -> Option<BundleAt> {
        let mut packages = self.packages.iter().enumerate();
        packages.find_map(|(package, index)| Some(BundleAt { package, bundle: index.place(name)? }))
    }

    /// The bundles that provide an API, in order.
    fn providers(&self, gvk: &Gvk) -> Vec<BundleAt> {
        let known = self.providers.get_or_init(|| Arc::new(self.all_providers())).get(gvk);
        let known = known.map(Vec::as_slice).unwrap_or_default();
        let is_right = |at: &&BundleAt| !self.edited.contains(&at.package);
        let mut providers: Vec<BundleAt> = known.iter().filter(is_right).copied().collect();
        for &package in &self.edited {
            let bundles = self.packages.get(package).map(|index| index.package.bundles.iter().enumerate());
            let providing = bundles.into_iter().flatten().filter(|(_, blob)| blob.provides.contains(gvk));
            providers.extend(providing.map(|(bundle, _)| BundleAt { package, bundle }));
        }
        if !self.edited.is_empty() {
            providers.sort_unstable();
        }
        providers
    }

    fn all_providers(&self) -> HashMap<Gvk, Vec<BundleAt>> {
        let mut providers: HashMap<Gvk, Vec<BundleAt>> = HashMap::new();
        for (package, index) in self.packages.iter().enumerate() {
            for (bundle, blob) in index.package.bundles.iter().enumerate() {
                for gvk in &blob.provides {
                    let at = BundleAt { package, bundle };
                    let known = match providers.get_mut(gvk) {
                        Some(known) => known,
                        None => providers.entry(gvk.clone()).or_default(),
                    };
                    if known.last() != Some(&at) {
                        known.push(at);
                    }
                }
            }
        }
        providers
    }

    /// The bundles that a predicate may be true of, where that is fewer than all; none where nothing is left of `steps`.
    fn few(&self, predicate: &Predicate, steps: &mut u64) -> Option<Vec<BundleAt>> {
        match predicate {
            Predicate::Gvk(gvk) => {
                let providers = self.providers(gvk);
                *steps = steps.saturating_sub(providers.len() as u64);
                Some(if *steps == 0 { Vec::new() } else { providers })
            }
            Predicate::Package { name, .. } => {
                let Some(package) = self.place(name) else { return Some(Vec::new()) };
                let count = self.packages.get(package).map_or(0, |index| index.package.bundles.len());
                *steps = steps.saturating_sub(count as u64);
                let count = if *steps == 0 { 0 } else { count };
                Some((0..count).map(|bundle| BundleAt { package, bundle }).collect())
            }
            Predicate::All(inner) => {
                inner.iter().filter_map(|inner| self.few(inner, steps)).min_by_key(Vec::len)
            }
            Predicate::Any(inner) => {
                let all: Option<Vec<_>> = inner.iter().map(|inner| self.few(inner, steps)).collect();
                let all: BTreeSet<_> = all?.into_iter().flatten().collect();
                Some(all.into_iter().collect())
            }
            Predicate::Label(_) | Predicate::Not(_) | Predicate::Cel { .. } => None,
        }
    }

    /// The bundles that a predicate is true of, in any channel or none. Takes from `steps`.
    pub fn matching(&self, predicate: &Predicate, steps: &mut u64) -> Vec<BundleAt> {
        let all = || {
            let packages = self.packages.iter().enumerate();
            packages.flat_map(|(package, index)| {
                (0..index.package.bundles.len()).map(move |bundle| BundleAt { package, bundle })
            })
        };
        let few = self.few(predicate, steps).unwrap_or_else(|| all().collect());
        let mut holds =
            |at: &BundleAt| *steps > 0 && self.seen(*at).is_some_and(|seen| predicate.holds(seen, steps));
        few.into_iter().filter(|at| holds(at)).collect()
    }

    /// The candidates for a predicate in the order in which OLM prefers them: channels with a match, default channels first,
    /// then by package and name; in each the chain, of which those count that match.
    pub fn candidates(&self, predicate: &Predicate, steps: &mut u64) -> Candidates {
        let key = predicate.key();
        let asked = || self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = asked().answers.get(&key).cloned() {
            return known;
        }
        let candidates = Arc::new(self.look_for(predicate, steps));
        // What was cut short by the budget is no answer.
        if *steps > 0 {
            asked().keep(key, &candidates);
        }
        candidates
    }

    fn look_for(
        &self,
        predicate: &Predicate,
        steps: &mut u64,
    ) -> Result<Vec<InChannel>, (usize, ResolveError)> {
        let matching: BTreeSet<BundleAt> = self.matching(predicate, steps).into_iter().collect();
        let mut channels: BTreeSet<(bool, &str, &str, usize, usize)> = BTreeSet::new();
        for at in &matching {
            let Some(index) = self.packages.get(at.package) else { continue };
            let Some(bundle) = index.package.bundles.get(at.bundle) else { continue };
            for &channel in index.package.places_with(&bundle.name.value) {
                let (is_other, name) = index.rank(channel);
                channels.insert((is_other, index.package.name.as_str(), name, at.package, channel));
            }
        }
        let mut candidates = Vec::new();
        for (_, _, _, package, channel) in channels {
            let Some(index) = self.packages.get(package) else { continue };
            let chain = index.chain(channel).map_err(|error| (package, error))?;
            let places = chain.iter().map(|&bundle| BundleAt { package, bundle });
            candidates.extend(places.filter(|at| matching.contains(at)).map(|at| InChannel { at, channel }));
        }
        Ok(candidates)
    }
}
