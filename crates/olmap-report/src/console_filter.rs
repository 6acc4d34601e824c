//! Filters by the fields of consoles: `olmap list --where KEY=VALUE`.

use std::{collections::HashSet, str::FromStr};

use rayon::prelude::*;

use olm_catalog::{
    Catalog,
    blob::BundleBlob,
    console_fields::{ConsoleFields, features_with_name},
    file::DocId,
    similar_names::suggest_closest,
};

/// Field of a filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FilterKey {
    Arch,
    Capability,
    Category,
    Feature,
    Keyword,
    Name,
    Os,
    Provider,
    Subscription,
}

/// Names of the fields.
const KEYS: [(&str, FilterKey); 9] = [
    ("arch", FilterKey::Arch),
    ("capability", FilterKey::Capability),
    ("category", FilterKey::Category),
    ("feature", FilterKey::Feature),
    ("keyword", FilterKey::Keyword),
    ("name", FilterKey::Name),
    ("os", FilterKey::Os),
    ("provider", FilterKey::Provider),
    ("subscription", FilterKey::Subscription),
];

/// Filter `KEY=VALUE`. Case does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConsoleFilter {
    key: FilterKey,
    value: String,
}

/// Reason why a filter is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// No `=`, or nothing after it.
    #[error("write KEY=VALUE, with a key of {}", list_keys())]
    NoValue,
    /// Unknown key.
    #[error("no key {0}{1}; keys: {keys}", keys = list_keys())]
    UnknownKey(String, String),
}

fn list_keys() -> String {
    KEYS.map(|(name, _)| name).join(", ")
}

impl FromStr for ConsoleFilter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let (name, value) = text.split_once('=').ok_or(FilterError::NoValue)?;
        let (name, value) = (name.trim(), value.trim());
        if value.is_empty() {
            return Err(FilterError::NoValue);
        }
        let Some((_, key)) = KEYS.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)) else {
            let closest = suggest_closest(name, KEYS.iter().map(|(key, _)| *key));
            let closest = closest.map(|key| format!(" (did you mean {key}?)")).unwrap_or_default();
            return Err(FilterError::UnknownKey(name.to_owned(), closest));
        };
        Ok(Self { key: *key, value: value.to_lowercase() })
    }
}

impl ConsoleFilter {
    /// Returns true if an operator matches. The value is a part of a name, or the whole of another field.
    fn matches_fields(&self, package: &str, fields: &ConsoleFields) -> bool {
        let contains = |text: &str| text.to_lowercase().contains(&self.value);
        let is_any = |values: &[String]| values.iter().any(|value| value.to_lowercase() == self.value);
        match self.key {
            FilterKey::Arch => is_any(&fields.architectures),
            FilterKey::Capability => fields.capability.to_lowercase() == self.value,
            FilterKey::Category => is_any(&fields.categories),
            FilterKey::Feature => {
                let requested = features_with_name(&self.value);
                fields.features.iter().any(|feature| requested.contains(feature))
            }
            FilterKey::Keyword => is_any(&fields.keywords),
            FilterKey::Name => contains(&fields.display_name) || contains(package),
            FilterKey::Os => is_any(&fields.operating_systems),
            FilterKey::Provider => contains(&fields.provider),
            FilterKey::Subscription => is_any(&fields.subscriptions),
        }
    }
}

/// Returns true if an operator matches filters: as in consoles, one of those with the same key, and all keys.
fn matches_filters(filters: &[ConsoleFilter], package: &str, fields: &ConsoleFields) -> bool {
    filters.iter().all(|filter| {
        let mut same_key = filters.iter().filter(|other| other.key == filter.key);
        same_key.any(|other| other.matches_fields(package, fields))
    })
}

/// Bundles that match filters.
#[derive(Clone, Debug, Default)]
pub struct MatchingBundles {
    documents: HashSet<DocId>,
    /// Number of bundles without a ClusterServiceVersion, which match nothing.
    pub without_fields: usize,
}

impl MatchingBundles {
    /// Reads bundles on all cores and keeps those that match.
    pub fn from_bundles(catalog: &Catalog, bundles: &[&BundleBlob], filters: &[ConsoleFilter]) -> Self {
        let check = |bundle: &&&BundleBlob| {
            let tree = catalog.parse_document(bundle.doc)?.ok()?;
            let fields = ConsoleFields::from_bundle(&tree)?;
            Some(matches_filters(filters, bundle.package.value.as_str(), &fields))
        };
        let results: Vec<_> = bundles.par_iter().map(|bundle| (bundle.doc, check(&bundle))).collect();
        let documents = results.iter().filter(|(_, matches)| *matches == Some(true)).map(|(doc, _)| *doc);
        Self {
            documents: documents.collect(),
            without_fields: results.iter().filter(|(_, matches)| matches.is_none()).count(),
        }
    }

    /// Returns true if a bundle matches.
    pub fn contains(&self, bundle: &BundleBlob) -> bool {
        self.documents.contains(&bundle.doc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::load;

    const CATALOG: &str = "\
schema: olm.bundle
package: kiln
name: kiln.v1.0.0
properties:
- type: olm.csv.metadata
  value:
    displayName: Kiln Operator
    provider: {name: Potters Guild}
    keywords: [clay]
    annotations:
      capabilities: Auto Pilot
      categories: Database, Storage
      features.operators.openshift.io/fips-compliant: 'true'
---
schema: olm.bundle
package: wheel
name: wheel.v1.0.0
";

    /// Returns the names of the bundles that match filters.
    fn matching_names(filters: &[&str]) -> Vec<String> {
        let catalog = load::from_bytes(CATALOG.as_bytes().to_vec());
        let packages = catalog.packages();
        let bundles: Vec<&BundleBlob> =
            packages.flat_map(|package| &package.bundles).map(|bundle| &**bundle).collect();
        let filters: Vec<ConsoleFilter> = filters.iter().map(|text| text.parse().unwrap()).collect();
        let matching = MatchingBundles::from_bundles(&catalog, &bundles, &filters);
        assert_eq!(matching.without_fields, 1);
        let names = bundles.iter().filter(|bundle| matching.contains(bundle));
        names.map(|bundle| bundle.name.value.to_string()).collect()
    }

    #[test]
    fn filters_match_any_value_of_a_key_and_all_keys() {
        for matching in [
            ["name=kiln op", "NAME = kiln"],
            ["provider=guild", "keyword=CLAY"],
            ["capability=auto pilot", "category=storage"],
            ["feature=fips", "feature=fips-compliant"],
            ["arch=amd64", "os=linux"],
            ["arch=s390x", "arch=amd64"],
        ] {
            assert_eq!(matching_names(&matching), ["kiln.v1.0.0"], "{matching:?}");
        }
        for other in [
            ["keyword=cla", "name=kiln"],
            ["capability=auto", "name=kiln"],
            ["feature=disconnected", "name=kiln"],
            ["feature=nothing", "name=kiln"],
            ["subscription=any", "name=kiln"],
            ["name=wheel", "arch=amd64"],
        ] {
            assert_eq!(matching_names(&other), [""; 0], "{other:?}");
        }
    }

    #[test]
    fn unknown_key_is_refused_with_the_known_keys() {
        let error = |text: &str| text.parse::<ConsoleFilter>().unwrap_err().to_string();
        assert_eq!(
            error("archs=amd64"),
            "no key archs (did you mean arch?); keys: arch, capability, category, feature, keyword, name, os, provider, \
             subscription"
        );
        for text in ["arch", "arch=", ""] {
            assert!(error(text).starts_with("write KEY=VALUE, with a key of arch,"), "{text}");
        }
    }
}
