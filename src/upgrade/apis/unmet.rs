//! Requirements that a catalog does not meet, or meets only with bundles that are no longer heads. Computed after every
//! edit, so it must be cheap.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    group::{Group, heads},
    has_version_in,
};
use crate::{
    catalog::{
        BundleName, Catalog, PackageName,
        blob::{BundleBlob, Dependency, Gvk},
        package::Package,
    },
    version::blang,
};

/// Unmet requirement of bundles of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    /// Description of the requirement: `sea.example.com/v1 Ship`, `package tide >=1.0.0`.
    pub what: String,
    /// Reason to report it.
    pub why: Why,
    /// Bundles that require it: `1.0.0 to 2.3.1 (12 bundles)`.
    pub by: String,
    /// Index in its package of the highest of these bundles.
    pub bundle: usize,
    /// Index of the requirement in that bundle.
    pub requirement: usize,
}

/// Reason to report a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// No bundle of the catalog provides it.
    Missing,
    /// Heads require it but no head provides it; only older bundles of these packages do.
    Dropped(Vec<PackageName>),
}

/// Unmet requirements of a catalog, by package.
#[derive(Debug, Default)]
pub struct Unmet {
    by_package: BTreeMap<PackageName, Vec<Want>>,
}

/// Required API or package.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Asked<'a> {
    Api(&'a Gvk),
    Package(&'a str, &'a str),
}

impl<'a> Asked<'a> {
    fn of(dependency: &'a Dependency) -> Option<Self> {
        match dependency {
            Dependency::Gvk { gvk, .. } => Some(Self::Api(gvk)),
            Dependency::Package { package, range, .. } => Some(Self::Package(package, range)),
            Dependency::Constraint { .. } => None,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Api(gvk) => gvk.to_string(),
            Self::Package(name, range) => format!("package {name} {range}").trim_end().to_owned(),
        }
    }
}

/// Bundles of a package that require something: index of the bundle and of its requirement.
type Askers = Vec<(usize, usize)>;

impl Unmet {
    /// Finds the unmet requirements of a catalog.
    pub fn of(catalog: &Catalog) -> Self {
        let asking: Vec<(&PackageName, &Package, BTreeMap<Asked<'_>, Askers>)> = catalog
            .packages()
            .filter(|package| package.bundles.iter().any(|bundle| !bundle.requires.is_empty()))
            .map(|package| (&package.name, package.as_ref(), asked_by(package)))
            .collect();
        if asking.is_empty() {
            return Self::default();
        }
        let providers = Providers::of(catalog, asking.iter().flat_map(|(_, _, asked)| asked.keys().copied()));
        let by_package = asking.into_iter().map(|(name, package, asked)| {
            let mut heads_of_package = None;
            let wants = asked.into_iter().filter_map(|(asked, askers)| {
                let (why, askers) = match providers.standing(asked) {
                    Standing::Missing => (Why::Missing, askers),
                    Standing::Dropped(by) => {
                        let heads = heads_of_package.get_or_insert_with(|| head_names(package));
                        let is_head = |(at, _): &(usize, usize)| {
                            package.bundles.get(*at).is_some_and(|b| heads.contains(&b.name.value))
                        };
                        (Why::Dropped(by), askers.into_iter().filter(is_head).collect())
                    }
                    Standing::Met => return None,
                };
                want(catalog, package, asked, why, &askers)
            });
            (name.clone(), wants.collect::<Vec<_>>())
        });
        Self { by_package: by_package.filter(|(_, wants)| !wants.is_empty()).collect() }
    }

    /// Returns the unmet requirements of a package.
    pub fn package(&self, name: &PackageName) -> &[Want] {
        self.by_package.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

fn asked_by(package: &Package) -> BTreeMap<Asked<'_>, Askers> {
    let mut asked: BTreeMap<Asked<'_>, Askers> = BTreeMap::new();
    for (at, bundle) in package.bundles.iter().enumerate() {
        for (nth, dependency) in bundle.requires.iter().enumerate() {
            for one in dependency.asks().iter().filter_map(Asked::of) {
                let askers = asked.entry(one).or_default();
                if askers.last().is_none_or(|(last, _)| *last != at) {
                    askers.push((at, nth));
                }
            }
        }
    }
    asked
}

fn want(catalog: &Catalog, package: &Package, asked: Asked<'_>, why: Why, askers: &Askers) -> Option<Want> {
    let shared = catalog.package(package.name.as_str())?;
    let group = Group::new(0, shared, "", askers.iter().map(|(at, _)| *at).collect());
    let bundle = *group.places().last()?;
    let requirement = askers.iter().find(|(at, _)| *at == bundle)?.1;
    Some(Want { what: asked.words(), why, by: group.words(), bundle, requirement })
}

fn head_names(package: &Package) -> HashSet<&BundleName> {
    heads(package).map(|(_, head)| head).collect()
}

/// Providers of the required APIs and packages.
struct Providers<'a> {
    catalog: &'a Catalog,
    /// For each required API, its packages, and true if a head provides it.
    apis: HashMap<&'a Gvk, (Vec<&'a Package>, bool)>,
    /// Number of ranges that are required of each package.
    ranges: HashMap<&'a str, usize>,
}

enum Standing {
    Met,
    Missing,
    Dropped(Vec<PackageName>),
}

/// Maximum number of required ranges of a package; packages with more are not checked. A comparison of each range with each
/// bundle would be too slow after every edit. Published catalogs have only a handful.
const MOST_RANGES: usize = 1000;

impl<'a> Providers<'a> {
    fn of(catalog: &'a Catalog, asked: impl Iterator<Item = Asked<'a>>) -> Self {
        let (mut apis, mut ranges) = (HashMap::new(), HashMap::new());
        for asked in asked {
            match asked {
                Asked::Api(gvk) => drop(apis.entry(gvk).or_insert_with(|| (Vec::new(), false))),
                Asked::Package(name, _) => *ranges.entry(name).or_default() += 1,
            }
        }
        // Most kinds are not required, and a kind is shorter to look up than an API.
        let kinds: HashSet<&str> = apis.keys().map(|gvk: &&Gvk| gvk.kind.as_str()).collect();
        for package in catalog.packages() {
            let mut heads_of_package = None;
            for bundle in &package.bundles {
                for gvk in bundle.provides.iter().filter(|gvk| kinds.contains(gvk.kind.as_str())) {
                    let Some((packages, by_head)) = apis.get_mut(gvk) else { continue };
                    if packages.last().is_none_or(|last: &&Package| !std::ptr::eq(*last, package.as_ref())) {
                        packages.push(package);
                    }
                    let heads = heads_of_package.get_or_insert_with(|| head_names(package));
                    *by_head |= heads.contains(&bundle.name.value);
                }
            }
        }
        Self { catalog, apis, ranges }
    }

    fn standing(&self, asked: Asked<'_>) -> Standing {
        match asked {
            Asked::Api(gvk) => match self.apis.get(gvk) {
                Some((_, true)) => Standing::Met,
                Some((packages, false)) if !packages.is_empty() => {
                    Standing::Dropped(packages.iter().map(|package| package.name.clone()).collect())
                }
                _ => Standing::Missing,
            },
            Asked::Package(name, _) if self.ranges.get(name).is_some_and(|count| *count > MOST_RANGES) => {
                Standing::Met
            }
            Asked::Package(name, range) => self.standing_of_package(name, range),
        }
    }

    fn standing_of_package(&self, name: &str, range: &str) -> Standing {
        let Some(package) = self.catalog.package(name) else { return Standing::Missing };
        if !has_version_in(package, range) {
            return Standing::Missing;
        }
        let range = blang::Range::parse(range).ok();
        let is_in_range = |bundle: &BundleBlob| {
            range.as_ref().zip(bundle.version.as_ref()).is_some_and(|(r, v)| r.matches(&v.version))
        };
        let mut heads = heads(package).filter_map(|(_, head)| package.bundle(head.as_str()));
        if heads.any(|bundle| is_in_range(bundle)) {
            Standing::Met
        } else {
            Standing::Dropped(vec![package.name.clone()])
        }
    }
}
