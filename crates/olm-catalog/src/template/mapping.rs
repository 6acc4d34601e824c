//! Mapping of templates to catalogs in a repository: `ci.yaml` of an operator in community-operators and the
//! certified operators.

use super::TemplateKind;
use crate::node::Node;

/// An item of `fbc.catalog_mapping`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Name of the template in the operator's `catalog-templates`.
    pub template: String,
    /// Kind; `None` if absent or unsupported.
    pub kind: Option<TemplateKind>,
    /// Catalogs generated from it, such as `v4.20`.
    pub catalogs: Vec<String>,
}

/// Returns the mappings of a `ci.yaml` in order. Mappings without a template name are omitted.
pub fn parse_mappings(ci: &Node) -> Vec<Mapping> {
    let items = ci.get("fbc").and_then(|fbc| fbc.get("catalog_mapping")).map(Node::items);
    items.unwrap_or_default().iter().filter_map(parse_mapping).collect()
}

/// Returns true if the pipelines render a catalog with `--migrate-level bundle-object-to-csv-metadata`: from
/// v4.17 on.
pub fn is_migrated_catalog(catalog: &str) -> bool {
    let numbers = catalog.strip_prefix('v').and_then(|version| version.split_once('.'));
    let numbers = numbers.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    numbers.is_some_and(|release: (u64, u64)| release >= (4, 17))
}

fn parse_mapping(item: &Node) -> Option<Mapping> {
    // Both spellings are in use: the one of the pipeline, and the one of vendors' documentation.
    let names = ["catalog_names", "catalogs_names"].into_iter().filter_map(|key| item.get(key));
    let names = names.flat_map(Node::items).filter_map(Node::as_str);
    Some(Mapping {
        template: item.get("template_name")?.as_str()?.to_owned(),
        kind: item.get("type").and_then(Node::as_str).and_then(TemplateKind::from_schema),
        catalogs: names.map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::yaml;

    fn mapping_summaries(text: &str) -> Vec<(String, usize)> {
        let node = yaml::parse_yaml(text.as_bytes()).unwrap();
        parse_mappings(&node).into_iter().map(|m| (m.template, m.catalogs.len())).collect()
    }

    #[test]
    fn catalogs_migrate_from_4_17_on() {
        for catalog in ["v4.17", "v4.20", "v5.0"] {
            assert!(is_migrated_catalog(catalog), "{catalog}");
        }
        for catalog in ["v4.16", "v4.9", "stable", "v4", "4.18", "v4.x"] {
            assert!(!is_migrated_catalog(catalog), "{catalog}");
        }
    }

    #[test]
    fn accepts_both_spellings_and_ignores_invalid_mappings() {
        let text = "fbc:\n  catalog_mapping:\n  - {template_name: a.yaml, type: olm.semver, catalog_names: [v4.17, 5]}\n  \
                    - {template_name: b.yaml, catalogs_names: [v4.18, v4.19]}\n  - {catalog_names: [v4.20]}\n  - 7\n";
        assert_eq!(mapping_summaries(text), [("a.yaml".to_owned(), 1), ("b.yaml".to_owned(), 2)]);
        for text in ["", "fbc: 5", "fbc: {catalog_mapping: {a: b}}"] {
            assert_eq!(mapping_summaries(text), [], "{text}");
        }
    }
}
