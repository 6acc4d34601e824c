//! Requirements that a catalog does not meet, or meets only with bundles that are no longer heads.
//! They are computed after every edit, so this must be cheap.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{DependencyGroup, channel_heads, has_version_in};
use olm_catalog::{
    BundleName, Catalog, PackageName,
    blob::{BundleBlob, Dependency, Gvk},
    package::Package,
};
use olm_version::blang;

/// Unmet requirement of bundles of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetRequirement {
    /// Description of the requirement: `sea.example.com/v1 Ship`, `package tide >=1.0.0`.
    pub text: String,
    /// Reason to report it.
    pub reason: UnmetReason,
    /// Bundles that require it: `1.0.0 to 2.3.1 (12 bundles)`.
    pub required_by: String,
    /// Index in its package of the highest of these bundles.
    pub bundle: usize,
    /// Index of the requirement in that bundle.
    pub requirement: usize,
}

/// Reason to report a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnmetReason {
    /// No bundle of the catalog provides it.
    Missing,
    /// Heads require it but no head provides it; only older bundles of these packages do.
    Dropped(Vec<PackageName>),
}

/// Unmet requirements of a catalog, by package.
#[derive(Debug, Default)]
pub struct UnmetRequirements {
    by_package: BTreeMap<PackageName, Vec<UnmetRequirement>>,
}

/// Required API, or required package with its version range.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Requirement<'a> {
    Api(&'a Gvk),
    Package(&'a str, &'a str),
}

impl<'a> Requirement<'a> {
    fn from_dependency(dependency: &'a Dependency) -> Option<Self> {
        match dependency {
            Dependency::Gvk { gvk, .. } => Some(Self::Api(gvk)),
            Dependency::Package { package, range, .. } => Some(Self::Package(package, range)),
            Dependency::Constraint { .. } => None,
        }
    }

    fn to_text(self) -> String {
        match self {
            Self::Api(gvk) => gvk.to_string(),
            Self::Package(name, range) => format!("package {name} {range}").trim_end().to_owned(),
        }
    }
}

/// Bundles that share a requirement: index of each bundle in its package, and of the requirement in
/// the bundle.
type RequiringBundles = Vec<(usize, usize)>;

impl UnmetRequirements {
    /// Finds the unmet requirements of a catalog.
    pub fn from_catalog(catalog: &Catalog) -> Self {
        let asking: Vec<(&PackageName, &Package, BTreeMap<Requirement<'_>, RequiringBundles>)> = catalog
            .packages()
            .filter(|package| package.bundles.iter().any(|bundle| !bundle.requires.is_empty()))
            .map(|package| (&package.name, package.as_ref(), collect_requirements(package)))
            .collect();
        if asking.is_empty() {
            return Self::default();
        }
        let providers = Providers::from_requirements(
            catalog,
            asking.iter().flat_map(|(_, _, asked)| asked.keys().copied()),
        );
        let by_package = asking.into_iter().map(|(name, package, asked)| {
            let mut heads_of_package = None;
            let wants = asked.into_iter().filter_map(|(asked, askers)| {
                let (why, askers) = match providers.check_requirement(asked) {
                    RequirementState::Missing => (UnmetReason::Missing, askers),
                    RequirementState::Dropped(by) => {
                        let heads = heads_of_package.get_or_insert_with(|| head_names(package));
                        let is_head = |(at, _): &(usize, usize)| {
                            package.bundles.get(*at).is_some_and(|b| heads.contains(&b.name.value))
                        };
                        (UnmetReason::Dropped(by), askers.into_iter().filter(is_head).collect())
                    }
                    RequirementState::Met => return None,
                };
                unmet_requirement(catalog, package, asked, why, &askers)
            });
            (name.clone(), wants.collect::<Vec<_>>())
        });
        Self { by_package: by_package.filter(|(_, wants)| !wants.is_empty()).collect() }
    }

    /// Returns the unmet requirements of a package.
    pub fn for_package(&self, name: &PackageName) -> &[UnmetRequirement] {
        self.by_package.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Returns the requirements of a package, each with the bundles that have it.
fn collect_requirements(package: &Package) -> BTreeMap<Requirement<'_>, RequiringBundles> {
    let mut asked: BTreeMap<Requirement<'_>, RequiringBundles> = BTreeMap::new();
    for (at, bundle) in package.bundles.iter().enumerate() {
        for (nth, dependency) in bundle.requires.iter().enumerate() {
            for one in dependency.requirements().iter().filter_map(Requirement::from_dependency) {
                let askers = asked.entry(one).or_default();
                if askers.last().is_none_or(|(last, _)| *last != at) {
                    askers.push((at, nth));
                }
            }
        }
    }
    asked
}

fn unmet_requirement(
    catalog: &Catalog,
    package: &Package,
    asked: Requirement<'_>,
    why: UnmetReason,
    askers: &RequiringBundles,
) -> Option<UnmetRequirement> {
    let shared = catalog.package(package.name.as_str())?;
    let group = DependencyGroup::new(0, shared, "", askers.iter().map(|(at, _)| *at).collect());
    let bundle = *group.bundle_indices().last()?;
    let requirement = askers.iter().find(|(at, _)| *at == bundle)?.1;
    Some(UnmetRequirement {
        text: asked.to_text(),
        reason: why,
        required_by: group.format_versions(),
        bundle,
        requirement,
    })
}

fn head_names(package: &Package) -> HashSet<&BundleName> {
    channel_heads(package).map(|(_, head)| head).collect()
}

/// Providers of the required APIs and packages.
struct Providers<'a> {
    catalog: &'a Catalog,
    /// For each required API, its packages, and true if a head provides it.
    apis: HashMap<&'a Gvk, (Vec<&'a Package>, bool)>,
    /// Number of ranges that are required of each package.
    ranges: HashMap<&'a str, usize>,
}

enum RequirementState {
    Met,
    Missing,
    Dropped(Vec<PackageName>),
}

/// Maximum number of ranges that are required of a package; requirements of a package with more are
/// not checked. A comparison of each range with each bundle would be too slow after every edit.
/// Published catalogs have only a handful.
const MAX_RANGES: usize = 1000;

impl<'a> Providers<'a> {
    fn from_requirements(catalog: &'a Catalog, asked: impl Iterator<Item = Requirement<'a>>) -> Self {
        let (mut apis, mut ranges) = (HashMap::new(), HashMap::new());
        for asked in asked {
            match asked {
                Requirement::Api(gvk) => drop(apis.entry(gvk).or_insert_with(|| (Vec::new(), false))),
                Requirement::Package(name, _) => *ranges.entry(name).or_default() += 1,
            }
        }
        // A lookup by kind is faster than by API, and rules out most APIs.
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

    fn check_requirement(&self, asked: Requirement<'_>) -> RequirementState {
        match asked {
            Requirement::Api(gvk) => match self.apis.get(gvk) {
                Some((_, true)) => RequirementState::Met,
                Some((packages, false)) if !packages.is_empty() => {
                    RequirementState::Dropped(packages.iter().map(|package| package.name.clone()).collect())
                }
                _ => RequirementState::Missing,
            },
            Requirement::Package(name, _)
                if self.ranges.get(name).is_some_and(|count| *count > MAX_RANGES) =>
            {
                RequirementState::Met
            }
            Requirement::Package(name, range) => self.check_package(name, range),
        }
    }

    fn check_package(&self, name: &str, range: &str) -> RequirementState {
        let Some(package) = self.catalog.package(name) else { return RequirementState::Missing };
        if !has_version_in(package, range) {
            return RequirementState::Missing;
        }
        let range = blang::Range::parse(range).ok();
        let is_in_range = |bundle: &BundleBlob| {
            range.as_ref().zip(bundle.version.as_ref()).is_some_and(|(r, v)| r.matches(&v.version))
        };
        let mut heads = channel_heads(package).filter_map(|(_, head)| package.bundle(head.as_str()));
        if heads.any(|bundle| is_in_range(bundle)) {
            RequirementState::Met
        } else {
            RequirementState::Dropped(vec![package.name.clone()])
        }
    }
}
