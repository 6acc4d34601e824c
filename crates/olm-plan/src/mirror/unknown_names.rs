//! Packages and channels of a configuration that its catalog does not have. oc-mirror ignores them.

use std::collections::BTreeMap;

use super::{PackageRule, Section};
use olm_catalog::{Catalog, ChannelName, PackageName, Span, similar_names};

/// Names of the packages and channels of a catalog.
#[derive(Clone, Debug)]
pub struct CatalogNames {
    label: String,
    packages: BTreeMap<PackageName, Vec<ChannelName>>,
}

/// Name in a configuration that the catalog of its section does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// Name of the package.
    pub package: PackageName,
    /// Name of the channel; `None` if the package is unknown.
    pub channel: Option<ChannelName>,
    /// Position of the item in the file.
    pub span: Span,
    /// Similar name in the catalog.
    pub suggestion: Option<String>,
    /// Channels of the package; empty if the package is unknown.
    pub known_channels: Vec<ChannelName>,
    /// Labels of the other given catalogs that have the name.
    pub other_catalogs: Vec<String>,
}

impl CatalogNames {
    /// Collects the names of a catalog. The label identifies the catalog in messages.
    pub fn from_catalog(catalog: &Catalog) -> Self {
        let packages = catalog.packages().map(|package| {
            let channels = package.channels.iter().map(|channel| channel.name.value.clone());
            (package.name.clone(), channels.collect())
        });
        Self { label: catalog.origin.label(), packages: packages.collect() }
    }

    fn has(&self, package: &PackageName, channel: Option<&ChannelName>) -> bool {
        let channels = self.packages.get(package);
        channels.is_some_and(|channels| channel.is_none_or(|channel| channels.contains(channel)))
    }
}

/// Returns the names of a section that its catalog does not have, in the order of the section.
/// `others` are the catalogs of the other sections. An unknown package hides its channels.
pub fn find_unknown_names(
    section: &Section,
    catalog: &CatalogNames,
    others: &[&CatalogNames],
) -> Vec<UnknownName> {
    let mut unknown = Vec::new();
    for rule in &section.packages {
        let Some(channels) = catalog.packages.get(&rule.name) else {
            unknown.push(unknown_package(rule, catalog, others));
            continue;
        };
        for selected in rule.channels.iter().filter(|selected| !channels.contains(&selected.name)) {
            let names = channels.iter().map(ChannelName::as_str);
            unknown.push(UnknownName {
                package: rule.name.clone(),
                channel: Some(selected.name.clone()),
                span: selected.span,
                suggestion: similar_names::suggest_closest(selected.name.as_str(), names).map(str::to_owned),
                known_channels: channels.clone(),
                other_catalogs: labels_with(others, &rule.name, Some(&selected.name)),
            });
        }
    }
    unknown
}

fn unknown_package(rule: &PackageRule, catalog: &CatalogNames, others: &[&CatalogNames]) -> UnknownName {
    let names = catalog.packages.keys().map(PackageName::as_str);
    UnknownName {
        package: rule.name.clone(),
        channel: None,
        span: rule.span,
        suggestion: similar_names::suggest_closest(rule.name.as_str(), names).map(str::to_owned),
        known_channels: Vec::new(),
        other_catalogs: labels_with(others, &rule.name, None),
    }
}

fn labels_with(
    others: &[&CatalogNames],
    package: &PackageName,
    channel: Option<&ChannelName>,
) -> Vec<String> {
    others.iter().filter(|other| other.has(package, channel)).map(|other| other.label.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mirror::parse_configuration;

    fn names(label: &str, packages: &[(&str, &[&str])]) -> CatalogNames {
        let channels = |names: &[&str]| -> Vec<ChannelName> {
            names.iter().map(|name| ChannelName::from(*name)).collect()
        };
        let packages = packages.iter().map(|(name, of)| (PackageName::from(*name), channels(of)));
        CatalogNames { label: label.to_owned(), packages: packages.collect() }
    }

    #[test]
    fn reports_unknown_packages_and_channels_with_similar_names_and_other_catalogs() {
        let text = "packages:\n- name: tide\n  channels:\n  - name: stabel\n  - name: fast\n- name: tidee\n  channels:\n  \
                    - name: stable\n- name: reef\n";
        let section = parse_configuration(text.as_bytes()).unwrap().remove(0);
        let own = names("one", &[("tide", &["stable", "fast"]), ("cliff", &["stable"])]);
        let other = names("two", &[("reef", &["stable"]), ("tide", &["stabel"])]);
        let unknown = find_unknown_names(&section, &own, &[&other]);
        let rows: Vec<_> = unknown
            .iter()
            .map(|it| {
                let line = 1 + text[..it.span.start as usize].matches('\n').count();
                let channel = it.channel.as_ref().map(ChannelName::as_str);
                (line, it.package.as_str(), channel, it.suggestion.as_deref(), it.other_catalogs.concat())
            })
            .collect();
        assert_eq!(
            rows,
            [
                (4, "tide", Some("stabel"), Some("stable"), "two".to_owned()),
                (6, "tidee", None, Some("tide"), String::new()),
                (9, "reef", None, None, "two".to_owned()),
            ]
        );
    }

    #[test]
    fn whole_catalog_has_no_unknown_names() {
        assert_eq!(find_unknown_names(&Section::default(), &names("one", &[]), &[]), []);
    }
}
