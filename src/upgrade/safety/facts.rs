//! What is kept of a bundle while its steps are judged.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use super::{NotChecked, Step};
use crate::{
    bundle::{
        crd::CrdSet,
        inside::Inside,
        manifests::Found,
        registry::Contents,
        render::{Style, compact},
        unread_part,
    },
    catalog::{BundleName, blob::BundleBlob, image_ref},
};

/// A bundle whose manifests are in sight.
pub(super) struct Facts {
    pub found: Found,
    pub inside: Inside,
    /// Its CRDs by name.
    pub crds: BTreeMap<String, CrdFacts>,
    /// Registry and repository of the bundle's image; empty where it has none.
    pub repository: String,
    /// The registries that its images come from.
    pub registries: BTreeSet<String>,
}

impl Facts {
    /// Its CRDs.
    pub fn crd_set(&self) -> CrdSet<'_> {
        crd_set(&self.found)
    }
}

fn crd_set(found: &Found) -> CrdSet<'_> {
    CrdSet::of_tree(found.shown.as_deref().unwrap_or_default(), &found.tree)
}

/// A CRD of a bundle.
pub(super) struct CrdFacts {
    /// Tells its content from another's.
    pub content: u64,
    /// The versions that objects may be stored in.
    pub stored: Vec<String>,
    /// All its versions.
    pub versions: Vec<String>,
}

impl Facts {
    /// Reads what steps are judged by.
    ///
    /// # Errors
    ///
    /// The first part of the bundle that cannot be read.
    pub fn of(found: Found, bundle: &BundleBlob) -> Result<Self, NotChecked> {
        let set = crd_set(&found);
        let contents = Contents::read(&found.tree);
        if let Some(part) = unread_part(&found.tree, &set, &contents, found.shown.as_deref()) {
            let reason = format!("{}: {part}", bundle.name.value);
            return Err(NotChecked { bundle: bundle.name.value.clone(), reason, is_failure: true });
        }
        let mut crds = BTreeMap::new();
        for crd in &set.crds {
            let facts = || CrdFacts {
                content: {
                    let mut hasher = DefaultHasher::new();
                    compact(crd.node(), Style::Kept).hash(&mut hasher);
                    hasher.finish()
                },
                stored: crd.stored_versions(),
                versions: crd.versions().into_iter().map(|version| version.name.into_owned()).collect(),
            };
            // Of one name the first counts.
            crds.entry(crd.name().into_owned()).or_insert_with(facts);
        }
        drop(set);
        let inside = Inside::of_directory(&contents, &found.tree);
        drop(contents);
        let image = bundle.image.as_ref().map(|image| image.value.as_str()).unwrap_or_default();
        let related = bundle.related_images.iter().map(|image| image.image.value.as_str());
        let repository = image_ref::check(image).map(|image| image.repository().to_owned());
        let registry = |image: &str| Some(image_ref::check(image).ok()?.host().to_owned());
        Ok(Self {
            crds,
            inside,
            repository: repository.unwrap_or_default(),
            registries: related.chain([image]).filter_map(registry).filter(|host| !host.is_empty()).collect(),
            found,
        })
    }
}

/// Versions that a CRD's objects may be stored in on a cluster with a bundle, by CRD; each with the bundle that brought it.
pub(super) type StoredSince = BTreeMap<String, BTreeMap<String, BundleName>>;

/// What may be stored on a cluster with each bundle: a version that was once the storage version of a bundle that led here
/// stays in `status.storedVersions` until somebody prunes it.
pub(super) fn stored_since<'s>(
    steps: &'s [Step],
    facts: &HashMap<&BundleName, Result<Facts, NotChecked>>,
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
                facts.crds.iter().map(|(crd, facts)| (crd.clone(), of(facts))).collect()
            });
        }
    }
    // Each pass hands on what is new; a version is handed on once to each bundle, so that it ends.
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
                // A CRD that the next bundle lacks is deleted or stays; what comes back later is not followed.
                let (Some(known), Some(crd)) = (there.get_mut(crd), next.crds.get(crd)) else { continue };
                // Who came as far as a bundle without the version has pruned it.
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
