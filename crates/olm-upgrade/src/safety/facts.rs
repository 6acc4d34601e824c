//! Data about a bundle that is needed to judge its upgrade steps.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{NotChecked, Step};
use olm_bundle::{
    manifests::BundleManifests,
    step::{CrdFacts, StepBundle},
};
use olm_catalog::{BundleName, blob::BundleBlob, image_ref};

/// Bundle whose manifests were read.
pub(super) struct BundleFacts {
    /// Objects of the bundle.
    pub bundle: StepBundle,
    /// Registry and repository of the bundle's image; empty if it does not have one.
    pub repository: String,
    /// Registries of its images.
    pub registries: BTreeSet<String>,
}

impl BundleFacts {
    /// Reads the data of a bundle.
    ///
    /// # Errors
    ///
    /// Fails with the first part of the bundle that cannot be read.
    pub fn from_manifests(found: BundleManifests, bundle: &BundleBlob) -> Result<Self, NotChecked> {
        let own = StepBundle::from_manifests(found).map_err(|part| NotChecked {
            bundle: bundle.name.value.clone(),
            reason: format!("{}: {part}", bundle.name.value),
            is_failure: true,
        })?;
        let image = bundle.image.as_ref().map(|image| image.value.as_str()).unwrap_or_default();
        let related = bundle.related_images.iter().map(|image| image.image.value.as_str());
        let repository = image_ref::parse_image_ref(image).map(|image| image.repository().to_owned());
        let registry = |image: &str| Some(image_ref::parse_image_ref(image).ok()?.host().to_owned());
        Ok(Self {
            bundle: own,
            repository: repository.unwrap_or_default(),
            registries: related.chain([image]).filter_map(registry).filter(|host| !host.is_empty()).collect(),
        })
    }

    /// Returns the CRDs by name.
    pub fn crds(&self) -> &BTreeMap<String, CrdFacts> {
        &self.bundle.crds
    }
}

/// Possible storage versions of each CRD on a cluster, with the bundle that introduced them.
pub(super) type StoredSince = BTreeMap<String, BTreeMap<String, BundleName>>;

/// Computes the versions that may be stored on a cluster with each bundle. The storage version of an earlier bundle on the
/// path stays in `status.storedVersions` until it is pruned.
pub(super) fn find_stored_versions<'s>(
    steps: &'s [Step],
    facts: &HashMap<&BundleName, Result<BundleFacts, NotChecked>>,
) -> HashMap<&'s BundleName, StoredSince> {
    let mut next: HashMap<&BundleName, Vec<&BundleName>> = HashMap::new();
    let mut stored: HashMap<&BundleName, StoredSince> = HashMap::new();
    for step in steps {
        next.entry(&step.from).or_default().push(&step.to);
        for name in [&step.from, &step.to] {
            let Some(Ok(facts)) = facts.get(name) else { continue };
            stored.entry(name).or_insert_with(|| {
                let of = |crd: &CrdFacts| {
                    crd.stored.iter().map(|version| (version.clone(), name.clone())).collect()
                };
                facts.crds().iter().map(|(crd, facts)| (crd.clone(), of(facts))).collect()
            });
        }
    }
    // Each pass propagates new versions. A version reaches each bundle once, so the loop terminates.
    let mut work: Vec<&BundleName> = stored.keys().copied().collect();
    work.sort_unstable();
    let mut waits: HashSet<&BundleName> = work.iter().copied().collect();
    while let Some(from) = work.pop() {
        waits.remove(from);
        let Some(here) = stored.get(from).cloned() else { continue };
        for to in next.get(from).into_iter().flatten() {
            let (Some(there), Some(Ok(next))) = (stored.get_mut(to), facts.get(to)) else { continue };
            let mut is_new = false;
            for (crd, versions) in &here {
                // If the next bundle lacks a CRD, the CRD is deleted or stays; a later return is not tracked.
                let (Some(known), Some(crd)) = (there.get_mut(crd), next.crds().get(crd)) else { continue };
                // A cluster that reached a bundle without the version has pruned it.
                for (version, since) in versions.iter().filter(|(version, _)| crd.versions.contains(version))
                {
                    if !known.contains_key(version) {
                        known.insert(version.clone(), since.clone());
                        is_new = true;
                    }
                }
            }
            if is_new && waits.insert(to) {
                work.push(to);
            }
        }
    }
    stored
}
