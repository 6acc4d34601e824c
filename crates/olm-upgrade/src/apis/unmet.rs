//! Requirements that a catalog does not meet, or meets only with bundles that are no longer heads.
//! They are computed after every edit, so this must be cheap.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use super::{DependencyGroup, channel_heads, has_version_in};
use crate::resolve::{CatalogIndex, channel_resolution::has_own_requirements};
use olm_catalog::{
    BundleName, PackageName,
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
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Requirement {
    Api(Gvk),
    Package { name: String, range: String },
}

impl Requirement {
    fn from_dependency(dependency: &Dependency) -> Option<Self> {
        match dependency {
            Dependency::Gvk { gvk, .. } => Some(Self::Api(gvk.clone())),
            Dependency::Package { package, range, .. } => {
                Some(Self::Package { name: package.clone(), range: range.clone() })
            }
            Dependency::Constraint { .. } => None,
        }
    }

    fn to_text(&self) -> String {
        match self {
            Self::Api(gvk) => gvk.to_string(),
            Self::Package { name, range } => format!("package {name} {range}").trim_end().to_owned(),
        }
    }
}

/// Bundle that has a requirement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RequiringBundle {
    /// Index of the bundle in its package.
    bundle: usize,
    /// Index of the requirement in the bundle.
    requirement: usize,
    /// True if the bundle is the head of a channel.
    is_head: bool,
}

/// APIs and packages that the bundles of a package provide and require. Computed once per package,
/// because edits change few packages.
#[derive(Debug, Default)]
pub(crate) struct PackageDependencies {
    /// Requirements, each with the bundles that have it.
    required: BTreeMap<Requirement, Vec<RequiringBundle>>,
    /// Provided APIs, each with true if a head provides it.
    provided: HashMap<Gvk, bool>,
    /// True if a bundle has requirements, also those that are not in `required`.
    pub(crate) has_requirements: bool,
}

impl PackageDependencies {
    /// Collects the APIs of a package. `None` if it provides and requires nothing.
    pub(crate) fn from_package(package: &Package) -> Option<Box<Self>> {
        let mut apis = Self::default();
        let mut heads_of_package = None;
        for (bundle, blob) in package.bundles.iter().enumerate() {
            apis.has_requirements |= has_own_requirements(blob);
            if blob.requires.is_empty() && blob.provides.is_empty() {
                continue;
            }
            let heads = heads_of_package.get_or_insert_with(|| head_names(package));
            let is_head = heads.contains(&blob.name.value);
            for (requirement, dependency) in blob.requires.iter().enumerate() {
                for one in dependency.requirements().iter().filter_map(Requirement::from_dependency) {
                    let bundles = apis.required.entry(one).or_default();
                    if bundles.last().is_none_or(|last| last.bundle != bundle) {
                        bundles.push(RequiringBundle { bundle, requirement, is_head });
                    }
                }
            }
            for gvk in &blob.provides {
                match apis.provided.get_mut(gvk) {
                    Some(by_head) => *by_head |= is_head,
                    None => drop(apis.provided.insert(gvk.clone(), is_head)),
                }
            }
        }
        (apis.has_requirements || !apis.provided.is_empty()).then(|| Box::new(apis))
    }
}

impl UnmetRequirements {
    /// Finds the unmet requirements of a catalog.
    pub fn from_index(index: &CatalogIndex) -> Self {
        let asking = || {
            let all = index.packages().iter().filter_map(|known| Some((known, known.dependencies()?)));
            all.filter(|(_, apis)| !apis.required.is_empty())
        };
        if asking().next().is_none() {
            return Self::default();
        }
        let providers =
            Providers::from_requirements(index, asking().flat_map(|(_, apis)| apis.required.keys()));
        let by_package = asking().map(|(known, apis)| {
            let unmet = apis.required.iter().filter_map(|(requirement, requiring)| {
                let (reason, bundles) = match providers.check_requirement(requirement) {
                    RequirementState::Missing => (UnmetReason::Missing, requiring.clone()),
                    RequirementState::Dropped(by) => {
                        let heads = requiring.iter().copied().filter(|bundle| bundle.is_head);
                        (UnmetReason::Dropped(by), heads.collect())
                    }
                    RequirementState::Met => return None,
                };
                unmet_requirement(&known.package, requirement, reason, &bundles)
            });
            (known.package.name.clone(), unmet.collect::<Vec<_>>())
        });
        Self { by_package: by_package.filter(|(_, unmet)| !unmet.is_empty()).collect() }
    }

    /// Returns the unmet requirements of a package.
    pub fn for_package(&self, name: &PackageName) -> &[UnmetRequirement] {
        self.by_package.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

fn unmet_requirement(
    package: &Arc<Package>,
    requirement: &Requirement,
    reason: UnmetReason,
    bundles: &[RequiringBundle],
) -> Option<UnmetRequirement> {
    let text = requirement.to_text();
    let group = DependencyGroup::new(0, package, "", bundles.iter().map(|it| it.bundle).collect());
    let bundle = *group.bundle_indices().last()?;
    let requirement = bundles.iter().find(|it| it.bundle == bundle)?.requirement;
    Some(UnmetRequirement { text, reason, required_by: group.format_versions(), bundle, requirement })
}

fn head_names(package: &Package) -> HashSet<&BundleName> {
    channel_heads(package).map(|(_, head)| head).collect()
}

/// Providers of the required APIs and packages.
struct Providers<'a> {
    index: &'a CatalogIndex,
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
    fn from_requirements(
        index: &'a CatalogIndex,
        requirements: impl Iterator<Item = &'a Requirement>,
    ) -> Self {
        let (mut apis, mut ranges) = (HashMap::new(), HashMap::new());
        for requirement in requirements {
            match requirement {
                Requirement::Api(gvk) => drop(apis.entry(gvk).or_insert_with(|| (Vec::new(), false))),
                Requirement::Package { name, .. } => *ranges.entry(name.as_str()).or_default() += 1,
            }
        }
        for known in index.packages() {
            for (gvk, is_by_head) in known.dependencies().into_iter().flat_map(|apis| &apis.provided) {
                let Some((packages, by_head)) = apis.get_mut(gvk) else { continue };
                packages.push(known.package.as_ref());
                *by_head |= *is_by_head;
            }
        }
        Self { index, apis, ranges }
    }

    fn check_requirement(&self, requirement: &Requirement) -> RequirementState {
        match requirement {
            Requirement::Api(gvk) => match self.apis.get(gvk) {
                Some((_, true)) => RequirementState::Met,
                Some((packages, false)) if !packages.is_empty() => {
                    RequirementState::Dropped(packages.iter().map(|package| package.name.clone()).collect())
                }
                _ => RequirementState::Missing,
            },
            Requirement::Package { name, .. }
                if self.ranges.get(name.as_str()).is_some_and(|count| *count > MAX_RANGES) =>
            {
                RequirementState::Met
            }
            Requirement::Package { name, range } => self.check_package(name, range),
        }
    }

    fn check_package(&self, name: &str, range: &str) -> RequirementState {
        let Some(package) = self.index.catalog.package(name) else { return RequirementState::Missing };
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
