//! Index of a catalog for the resolver. It is created once per catalog and computed lazily, so that questions
//! about a large catalog are fast enough for every keystroke.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use super::{
    constraint::Predicate,
    entry::{EntryView, Facts},
};
use crate::{ChannelGraph, PackageGraph, ResolveError, apis::PackageDependencies};
use olm_catalog::{
    BundleName, Catalog,
    blob::{BundleBlob, Entry, Gvk},
    package::Package,
};

/// Indexes of a bundle and its package.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BundlePosition {
    /// Index of the package in [`CatalogIndex::packages`].
    pub package: usize,
    /// Index of the bundle in its package.
    pub bundle: usize,
}

/// A bundle in a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChannelBundle {
    /// The bundle.
    pub at: BundlePosition,
    /// Index of the channel in its package.
    pub channel: usize,
}

/// A catalog with lazily computed lookups.
#[derive(Debug)]
pub struct CatalogIndex {
    /// The catalog.
    pub catalog: Catalog,
    packages: Vec<Arc<PackageIndex>>,
    providers: OnceLock<Arc<HashMap<Gvk, Vec<BundlePosition>>>>,
    /// Packages whose content in `providers` is outdated after an edit.
    edited: Vec<usize>,
    /// Earlier answers by [`Predicate::cache_key`]. Versions of one package usually have the same requirements.
    answers: Mutex<AnswerCache>,
}

/// Cache of earlier answers.
#[derive(Debug, Default)]
struct AnswerCache {
    answers: HashMap<String, Candidates>,
    /// Number of candidates in all answers.
    candidates: usize,
}

impl AnswerCache {
    fn store_candidates(&mut self, key: String, candidates: &Candidates) {
        let count = 1 + candidates.as_ref().as_ref().map_or(0, Vec::len);
        if self.candidates + count > MAX_CACHED {
            *self = Self::default();
        }
        self.candidates += count;
        self.answers.insert(key, Arc::clone(candidates));
    }
}

/// Candidates for a predicate, or the package with a channel without a single chain.
pub type Candidates = Arc<Result<Vec<ChannelBundle>, (usize, ResolveError)>>;

/// Maximum number of edited packages before all providers are computed again.
const MAX_EDITED: usize = 8;

/// Maximum number of candidates in the cache.
const MAX_CACHED: usize = 1_000_000;

/// A package with lazily computed lookups.
#[derive(Debug)]
pub struct PackageIndex {
    /// The package.
    pub package: Arc<Package>,
    graph: OnceLock<Arc<PackageGraph>>,
    chains: OnceLock<Vec<Result<Vec<usize>, ResolveError>>>,
    positions: OnceLock<HashMap<BundleName, usize>>,
    facts: Box<[OnceLock<Facts>]>,
    dependencies: OnceLock<Option<Box<PackageDependencies>>>,
}

impl PackageIndex {
    fn new(package: &Arc<Package>) -> Self {
        let facts = package.bundles.iter().map(|_| OnceLock::new()).collect();
        Self {
            package: Arc::clone(package),
            graph: OnceLock::new(),
            chains: OnceLock::new(),
            positions: OnceLock::new(),
            facts,
            dependencies: OnceLock::new(),
        }
    }

    /// Returns the graphs, which are computed once.
    pub fn graph(&self) -> &Arc<PackageGraph> {
        self.graph.get_or_init(|| Arc::new(PackageGraph::new(&self.package)))
    }

    /// Returns what the package provides and requires; `None` if that is nothing.
    pub(crate) fn dependencies(&self) -> Option<&PackageDependencies> {
        self.dependencies.get_or_init(|| PackageDependencies::from_package(&self.package)).as_deref()
    }

    /// Returns true if a bundle has requirements.
    pub fn has_requirements(&self) -> bool {
        self.dependencies().is_some_and(|dependencies| dependencies.has_requirements)
    }

    /// Returns the index of a bundle, or of the first if several have the name.
    pub fn bundle_position(&self, bundle: &str) -> Option<usize> {
        let places = self.positions.get_or_init(|| {
            let mut places = HashMap::new();
            for (at, bundle) in self.package.bundles.iter().enumerate() {
                places.entry(bundle.name.value.clone()).or_insert(at);
            }
            places
        });
        places.get(bundle).copied()
    }

    /// Returns the graph of a channel.
    pub fn channel_graph(&self, at: usize) -> Option<&ChannelGraph> {
        self.graph().channels().get(at).map(|channel| &channel.graph)
    }

    /// Returns the bundle indexes of Classic's chain through a channel, head first.
    ///
    /// # Errors
    ///
    /// If the channel does not have a single chain.
    pub fn chain(&self, channel: usize) -> Result<&[usize], ResolveError> {
        let chains = self.chains.get_or_init(|| {
            let of = |channel: &crate::package::ChannelUpgrades| {
                let order = &channel.chain.as_ref().map_err(Clone::clone)?.order;
                let names = order.iter().filter_map(|node| channel.graph.node(*node));
                Ok(names.filter_map(|node| self.bundle_position(node.name.as_str())).collect())
            };
            self.graph().channels().iter().map(of).collect()
        });
        match chains.get(channel) {
            Some(Ok(chain)) => Ok(chain),
            Some(Err(error)) => Err(error.clone()),
            None => Ok(&[]),
        }
    }

    /// Returns the channel indexes in OLM's order: the default channel first, then by name.
    pub fn channels_in_order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.package.channels.len()).collect();
        places.sort_by_key(|at| self.channel_rank(*at));
        places
    }

    fn channel_rank(&self, channel: usize) -> (bool, &str) {
        let name = self.channel_name(channel);
        let is_default = self.package.default_channel().is_some_and(|default| *default == *name);
        (!is_default, name)
    }

    /// Returns the name of a channel.
    pub fn channel_name(&self, at: usize) -> &str {
        self.package.channels.get(at).map(|channel| channel.name.value.as_str()).unwrap_or_default()
    }

    /// Returns the entry of a bundle in a channel.
    pub fn channel_entry(&self, channel: usize, bundle: usize) -> Option<&Entry> {
        let name = &self.package.bundles.get(bundle)?.name.value;
        self.channel_graph(channel)?.entry_named(name.as_str())
    }
}

impl CatalogIndex {
    /// Creates an index without computing anything.
    pub fn new(catalog: &Catalog) -> Self {
        let packages = catalog.packages().map(|package| Arc::new(PackageIndex::new(package))).collect();
        Self {
            catalog: catalog.clone(),
            packages,
            providers: OnceLock::new(),
            edited: Vec::new(),
            answers: Mutex::default(),
        }
    }

    /// Returns the index of the catalog after an edit, with the results of unchanged packages.
    #[must_use]
    pub fn updated_for(&self, catalog: &Catalog) -> Self {
        // Both lists are sorted by name.
        let mut own = self.packages.iter().peekable();
        let mut known = |package: &Arc<Package>| {
            // Most packages are shared, and comparing pointers is faster than comparing names.
            if let Some(same) = own.next_if(|known| Arc::ptr_eq(&known.package, package)) {
                return Some(Arc::clone(same));
            }
            while own.next_if(|known| known.package.name < package.name).is_some() {}
            own.next_if(|known| Arc::ptr_eq(&known.package, package)).cloned()
        };
        let packages: Vec<Arc<PackageIndex>> = catalog
            .packages()
            .map(|package| known(package).unwrap_or_else(|| Arc::new(PackageIndex::new(package))))
            .collect();
        let edited = self.edited_packages(&packages);
        let providers = self.providers.get().filter(|_| edited.is_some()).cloned();
        Self {
            catalog: catalog.clone(),
            packages,
            providers: providers.map(OnceLock::from).unwrap_or_default(),
            edited: edited.unwrap_or_default(),
            answers: Mutex::default(),
        }
    }

    /// Returns the packages with outdated providers. `None` if there are too many, or if package indexes
    /// changed.
    fn edited_packages(&self, packages: &[Arc<PackageIndex>]) -> Option<Vec<usize>> {
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
            if edited.len() > MAX_EDITED {
                return None;
            }
        }
        Some(edited)
    }

    /// Returns the packages sorted by name.
    pub fn packages(&self) -> &[Arc<PackageIndex>] {
        &self.packages
    }

    /// Returns the graphs of a package of the catalog.
    pub fn graph(&self, package: &Arc<Package>) -> Arc<PackageGraph> {
        let own = self.package_position(package.name.as_str()).and_then(|at| self.packages.get(at));
        match own.filter(|own| Arc::ptr_eq(&own.package, package)) {
            Some(own) => Arc::clone(own.graph()),
            None => Arc::new(PackageGraph::new(package)),
        }
    }

    /// Returns the index of a package.
    pub fn package_position(&self, package: &str) -> Option<usize> {
        self.packages.binary_search_by(|known| known.package.name.as_str().cmp(package)).ok()
    }

    /// Returns a bundle.
    pub fn bundle(&self, at: BundlePosition) -> Option<&Arc<BundleBlob>> {
        self.packages.get(at.package)?.package.bundles.get(at.bundle)
    }

    /// Returns a bundle as an entry.
    pub fn entry_view(&self, at: BundlePosition) -> Option<EntryView<'_>> {
        let package = self.packages.get(at.package)?;
        let bundle = package.package.bundles.get(at.bundle)?;
        let facts = package.facts.get(at.bundle)?.get_or_init(|| Facts::from_bundle(&self.catalog, bundle));
        Some(EntryView { facts, catalog_bundle: Some((&self.catalog, bundle)) })
    }

    /// Returns the first bundle with a name, by package.
    pub fn find_bundle(&self, name: &str) -> Option<BundlePosition> {
        let mut packages = self.packages.iter().enumerate();
        packages.find_map(|(package, index)| {
            Some(BundlePosition { package, bundle: index.bundle_position(name)? })
        })
    }

    /// Returns the bundles that provide an API, in order.
    fn providers(&self, gvk: &Gvk) -> Vec<BundlePosition> {
        let known = self.providers.get_or_init(|| Arc::new(self.all_providers())).get(gvk);
        let known = known.map(Vec::as_slice).unwrap_or_default();
        let is_right = |at: &&BundlePosition| !self.edited.contains(&at.package);
        let mut providers: Vec<BundlePosition> = known.iter().filter(is_right).copied().collect();
        for &package in &self.edited {
            let bundles = self.packages.get(package).map(|index| index.package.bundles.iter().enumerate());
            let providing = bundles.into_iter().flatten().filter(|(_, blob)| blob.provides.contains(gvk));
            providers.extend(providing.map(|(bundle, _)| BundlePosition { package, bundle }));
        }
        if !self.edited.is_empty() {
            providers.sort_unstable();
        }
        providers
    }

    fn all_providers(&self) -> HashMap<Gvk, Vec<BundlePosition>> {
        let mut providers: HashMap<Gvk, Vec<BundlePosition>> = HashMap::new();
        for (package, index) in self.packages.iter().enumerate() {
            for (bundle, blob) in index.package.bundles.iter().enumerate() {
                for gvk in &blob.provides {
                    let at = BundlePosition { package, bundle };
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

    /// Returns a superset of the matching bundles if it is cheap to compute; empty if `steps` are used up.
    fn superset(&self, predicate: &Predicate, steps: &mut u64) -> Option<Vec<BundlePosition>> {
        match predicate {
            Predicate::Gvk(gvk) => {
                let providers = self.providers(gvk);
                *steps = steps.saturating_sub(providers.len() as u64);
                Some(if *steps == 0 { Vec::new() } else { providers })
            }
            Predicate::Package { name, .. } => {
                let Some(package) = self.package_position(name) else { return Some(Vec::new()) };
                let count = self.packages.get(package).map_or(0, |index| index.package.bundles.len());
                *steps = steps.saturating_sub(count as u64);
                let count = if *steps == 0 { 0 } else { count };
                Some((0..count).map(|bundle| BundlePosition { package, bundle }).collect())
            }
            Predicate::All(inner) => {
                inner.iter().filter_map(|inner| self.superset(inner, steps)).min_by_key(Vec::len)
            }
            Predicate::Any(inner) => {
                let all: Option<Vec<_>> = inner.iter().map(|inner| self.superset(inner, steps)).collect();
                let all: BTreeSet<_> = all?.into_iter().flatten().collect();
                Some(all.into_iter().collect())
            }
            Predicate::Label(_) | Predicate::Not(_) | Predicate::Cel { .. } => None,
        }
    }

    /// Returns the bundles that satisfy a predicate, in any channel or none. Takes from `steps`.
    pub fn matching_bundles(&self, predicate: &Predicate, steps: &mut u64) -> Vec<BundlePosition> {
        let all = || {
            let packages = self.packages.iter().enumerate();
            packages.flat_map(|(package, index)| {
                (0..index.package.bundles.len()).map(move |bundle| BundlePosition { package, bundle })
            })
        };
        let few = self.superset(predicate, steps).unwrap_or_else(|| all().collect());
        let mut holds = |at: &BundlePosition| {
            *steps > 0 && self.entry_view(*at).is_some_and(|seen| predicate.holds(seen, steps))
        };
        few.into_iter().filter(|at| holds(at)).collect()
    }

    /// Returns the candidates for a predicate in OLM's order: default channels with a match first, then by
    /// package and channel name. Within a channel, the matching entries of its chain.
    pub fn candidates(&self, predicate: &Predicate, steps: &mut u64) -> Candidates {
        let key = predicate.cache_key();
        let asked = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = asked().answers.get(&key).cloned() {
            return known;
        }
        let candidates = Arc::new(self.find_candidates(predicate, steps));
        // An answer after the budget ran out is incomplete.
        if *steps > 0 {
            asked().store_candidates(key, &candidates);
        }
        candidates
    }

    fn find_candidates(
        &self,
        predicate: &Predicate,
        steps: &mut u64,
    ) -> Result<Vec<ChannelBundle>, (usize, ResolveError)> {
        let matching: BTreeSet<BundlePosition> =
            self.matching_bundles(predicate, steps).into_iter().collect();
        let mut channels: BTreeSet<(bool, &str, &str, usize, usize)> = BTreeSet::new();
        for at in &matching {
            let Some(index) = self.packages.get(at.package) else { continue };
            let Some(bundle) = index.package.bundles.get(at.bundle) else { continue };
            for &channel in index.package.channel_positions_with(&bundle.name.value) {
                let (is_other, name) = index.channel_rank(channel);
                channels.insert((is_other, index.package.name.as_str(), name, at.package, channel));
            }
        }
        let mut candidates = Vec::new();
        for (_, _, _, package, channel) in channels {
            let Some(index) = self.packages.get(package) else { continue };
            let chain = index.chain(channel).map_err(|error| (package, error))?;
            let places = chain.iter().map(|&bundle| BundlePosition { package, bundle });
            candidates
                .extend(places.filter(|at| matching.contains(at)).map(|at| ChannelBundle { at, channel }));
        }
        Ok(candidates)
    }
}
