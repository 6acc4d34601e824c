//! Rules about CRDs and their descriptions in the `ClusterServiceVersion`.

use std::collections::{HashMap, HashSet};

use super::BundleSubject;
use crate::{Finding, findings::Findings, rules};
use olm_bundle::{
    field_access::{is_true_at, items_at, node_at, text_at},
    registry::{CRD_KIND, Csv, Object},
    schema::{self, Budget, Schema, SchemaStep},
};
use olm_catalog::Node;

impl<'a> BundleSubject<'a> {
    /// Returns the CRDs of the bundle.
    pub(super) fn crds(&self) -> impl Iterator<Item = &Object<'a>> {
        self.contents().objects.iter().filter(|object| object.kind() == CRD_KIND)
    }

    /// Returns the descriptions of owned CRDs in the `ClusterServiceVersion`, each with its CRD.
    fn owned_descriptions(&self) -> impl Iterator<Item = (&Node<'a>, &Object<'a>)> {
        let csv = self.csv().map(Csv::node);
        let mut crds: HashMap<&str, &Object<'a>> = HashMap::new();
        for crd in self.crds() {
            // The first of several CRDs with the same name counts.
            crds.entry(crd.name()).or_insert(crd);
        }
        let owned = csv.map(|csv| items_at(csv, &["spec", "customresourcedefinitions", "owned"]));
        owned.unwrap_or_default().iter().filter_map(move |description| {
            let crd = crds.get(text_at(description, &["name"]).as_ref())?;
            Some((description, *crd))
        })
    }
}

pub(crate) fn stored_not_served(s: &BundleSubject<'_>, found: &mut Findings) {
    let mut seen = HashSet::new();
    for (_, crd) in s.owned_descriptions().filter(|(_, crd)| seen.insert(crd.name())) {
        for version in items_at(&crd.document.node, &["spec", "versions"]) {
            if is_true_at(version, &["storage"]) && !is_true_at(version, &["served"]) {
                let name = text_at(version, &["name"]);
                let message = format!("{} stores its objects as {name}, which it does not serve", crd.name());
                let span = node_at(version, &["served"]).unwrap_or(version).span;
                found.push(
                    Finding::new(&rules::STORED_NOT_SERVED, message)
                        .at_location(s.location_in_object(crd, span)),
                );
            }
        }
    }
}

pub(crate) fn descriptor_path(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let budget = Budget::default();
    for (description, crd) in s.owned_descriptions() {
        let version = text_at(description, &["version"]);
        let Some(of) = schema::version_schema(&crd.document.node, &version) else { continue };
        for (list, root) in [("specDescriptors", "spec"), ("statusDescriptors", "status")] {
            for descriptor in items_at(description, &[list]) {
                let Some(node) = descriptor.get("path") else { continue };
                let Some(path) = node.as_str().filter(|path| !path.is_empty()) else { continue };
                let Err(why) = follow_descriptor_path(of.schema, root, path, &budget) else { continue };
                let kind = text_at(description, &["kind"]);
                let message = format!("{kind} {version} has no {root}.{path}: {why}");
                found.push(
                    Finding::new(&rules::DESCRIPTOR_PATH, message)
                        .at_location(s.location_in_object(csv.object, node.span)),
                );
            }
        }
    }
}

/// Splits a descriptor path as the OpenShift console does: at dots and brackets. Quotes in
/// brackets protect dots.
fn split_descriptor_path(path: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = path;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '.' => parts.push(String::new()),
            '[' => {
                let (inside, after) = rest.split_once(']').unwrap_or((rest, ""));
                parts.push(inside.trim_matches(['"', '\'']).to_owned());
                // Empty brackets mean any element.
                if inside.is_empty()
                    && let Some(last) = parts.last_mut()
                {
                    last.push('*');
                }
                rest = after;
            }
            c => {
                if let Some(last) = parts.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Follows a path through a schema; the error says why the path does not exist.
fn follow_descriptor_path(schema: Schema<'_>, root: &str, path: &str, budget: &Budget) -> Result<(), String> {
    let mut here = match schema.step_into_field(root, budget) {
        SchemaStep::Part(here) => here,
        SchemaStep::Anything => return Ok(()),
        SchemaStep::Missing => return Err(format!("the schema has no {root}")),
    };
    let mut way = root.to_owned();
    for part in split_descriptor_path(path) {
        let is_element = part == "*" || part.bytes().all(|byte| byte.is_ascii_digit());
        let step = match here.step_into_field(&part, budget) {
            SchemaStep::Missing if is_element => here.step_into_element(),
            step => step,
        };
        here = match step {
            SchemaStep::Part(next) => next,
            SchemaStep::Anything => return Ok(()),
            SchemaStep::Missing => {
                return Err(match here.suggest_field(&part, budget) {
                    Some(meant) => format!("did you mean {meant}?"),
                    None if part == root && way == root => format!("paths begin below {root}"),
                    None => format!("{way} has no {part}"),
                });
            }
        };
        way = if is_element { format!("{way}[{part}]") } else { format!("{way}.{part}") };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_paths_at_dots_and_brackets() {
        for (path, expected) in [
            ("a.b", vec!["a", "b"]),
            ("a[0].b", vec!["a", "0", "b"]),
            ("a[*].b", vec!["a", "*", "b"]),
            ("a[].b", vec!["a", "*", "b"]),
            ("a.*.b", vec!["a", "*", "b"]),
            ("a[\"x.y\"]", vec!["a", "x.y"]),
            ("a['x.y'].z", vec!["a", "x.y", "z"]),
            (".a", vec!["a"]),
            ("a[", vec!["a", "*"]),
            ("", vec![]),
        ] {
            assert_eq!(split_descriptor_path(path), expected, "{path}");
        }
    }
}
