//! Compares two CRDs like the preflight of OLM v1.
//!
//! Source: operator-controller, `crdupgradesafety`, over `sigs.k8s.io/crdify`.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap, HashSet},
};

use super::{
    Check, Crd, CrdFinding, CrdLocation, CrdVersion,
    schema_nodes::{Flat, FlatNode, Paths, ShapeInterner, is_deeper},
    validation::{Change, Validation, go_quote, refused_changes},
};
use olm_catalog::Span;

/// Maximum nesting of lists and maps in a CRD: several times the depth of published ones, and safe for any
/// stack.
pub const MAX_DEPTH: usize = 400;

/// Reason why two CRDs cannot be compared.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Incomparable {
    /// A CRD is nested too deeply.
    #[error("{name} nests deeper than {MAX_DEPTH} levels")]
    TooDeep {
        /// Name of the CRD.
        name: String,
        /// Location of the CRD.
        location: Option<CrdLocation>,
    },
}

/// Result of the preflight for a new CRD that replaces an old one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// Rejected changes: those of the whole CRD, then by version.
    pub findings: Vec<CrdFinding>,
    /// Changes that are accepted here but rejected at random on a cluster: new `required` names between two
    /// served versions that the old CRD also had. The preflight compares texts that print them in random order.
    pub random_findings: Vec<CrdFinding>,
}

impl Comparison {
    /// Returns true if no change is rejected.
    pub fn is_safe(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Compares two CRDs. Objects may be stored in the versions that the old CRD states.
///
/// # Errors
///
/// If a CRD is nested too deeply.
pub fn compare_crds(old: &Crd, new: &Crd) -> Result<Comparison, Incomparable> {
    compare_crds_with_stored(old, new, &old.stored_versions())
}

/// Compares two CRDs if objects may also be stored in other versions, of earlier CRDs.
///
/// # Errors
///
/// If a CRD is nested too deeply.
pub fn compare_crds_with_stored(old: &Crd, new: &Crd, stored: &[String]) -> Result<Comparison, Incomparable> {
    for crd in [old, new] {
        if is_deeper(crd.node(), MAX_DEPTH) {
            return Err(Incomparable::TooDeep { name: crd.name().into_owned(), location: crd.location() });
        }
    }
    let mut comparison = Comparison::default();
    compare_whole(old, new, stored, &mut comparison.findings);
    let (old_versions, new_versions) = (old.versions(), new.versions());
    // Equal CRDs are not split, unless two served versions could be rejected at random.
    if old.has_same_content(new)
        && (new.converts_by_webhook() || new_versions.iter().filter(|version| version.is_served).count() < 2)
    {
        return Ok(comparison);
    }
    let mut versions = Versions::default();
    let old_flat = versions.flatten(&old_versions);
    let new_flat = versions.flatten(&new_versions);
    let context = Context { versions, sides: [old, new] };
    context.find_removed_fields(&old_flat, &new_flat, &mut comparison.findings);
    context.compare_same_versions(&old_flat, &new_flat, &mut comparison.findings);
    if !new.converts_by_webhook() {
        context.compare_served_versions(&old_flat, &new_flat, &mut comparison);
    }
    Ok(comparison)
}

/// Compares two CRDs as a whole, except for their fields.
fn compare_whole(old: &Crd, new: &Crd, stored: &[String], findings: &mut Vec<CrdFinding>) {
    let mut add = |validation, message, old, new| {
        findings.push(CrdFinding {
            check: Check::Crd,
            version: None,
            path: None,
            validation,
            message,
            names: BTreeSet::new(),
            old,
            new,
            is_harmless: false,
        });
    };
    let (before, after) = (old.scope(), new.scope());
    if before != after {
        let message = format!("scope changed : {} -> {}", go_quote(&before), go_quote(&after));
        let path = ["spec", "scope"];
        add(Validation::Scope, message, old.location_at(&path), new.location_at(&path));
    }
    let versions = new.versions();
    let known: HashSet<&str> = versions.iter().map(|version| version.name.as_ref()).collect();
    let gone: Vec<&str> = stored.iter().map(String::as_str).filter(|name| !known.contains(name)).collect();
    if let Some(first) = gone.first() {
        let message = format!("stored versions removed : [{}]", gone.join(" "));
        let span = old.versions().iter().find(|version| version.name == *first).map(|version| version.span);
        let was = span.map_or_else(|| old.location(), |span| old.location_of(span));
        add(Validation::StoredVersionRemoval, message, was, new.location_at(&["spec", "versions"]));
    }
}

/// A version with its schema split into nodes.
struct FlatVersion<'v, 'n> {
    version: &'v CrdVersion<'n>,
    flat: Flat<'n>,
}

/// Interned shapes and paths of all versions of both CRDs.
#[derive(Default)]
struct Versions<'n> {
    shapes: ShapeInterner<'n>,
    paths: Paths<'n>,
}

impl<'n> Versions<'n> {
    fn flatten<'v>(&mut self, versions: &'v [CrdVersion<'n>]) -> Vec<FlatVersion<'v, 'n>> {
        let flat = |version: &'v CrdVersion<'n>| FlatVersion {
            version,
            flat: Flat::new(version.schema, &mut self.shapes, &mut self.paths),
        };
        versions.iter().map(flat).collect()
    }
}

struct Context<'c, 'n> {
    versions: Versions<'n>,
    /// Old and new CRD.
    sides: [&'c Crd<'c>; 2],
}

/// Changes by path of the node.
type Changes = Vec<(String, Vec<Change>)>;

impl<'n> Context<'_, 'n> {
    fn location(&self, side: usize, span: Span) -> Option<CrdLocation> {
        self.sides.get(side)?.location_of(span)
    }

    /// Returns the versions that both have, in the order of the old one.
    fn common_versions<'f, 'v>(
        old: &'f [FlatVersion<'v, 'n>],
        new: &'f [FlatVersion<'v, 'n>],
    ) -> Vec<[&'f FlatVersion<'v, 'n>; 2]> {
        let mut by_name: HashMap<&str, &FlatVersion> = HashMap::new();
        for version in new {
            by_name.entry(version.version.name.as_ref()).or_insert(version);
        }
        let pair =
            |old: &'f FlatVersion<'v, 'n>| Some([old, by_name.get(old.version.name.as_ref()).copied()?]);
        old.iter().filter_map(pair).collect()
    }

    fn find_removed_fields(
        &self,
        old: &[FlatVersion<'_, 'n>],
        new: &[FlatVersion<'_, 'n>],
        findings: &mut Vec<CrdFinding>,
    ) {
        for [old, new] in Self::common_versions(old, new) {
            let name = &old.version.name;
            for node in old.flat.nodes().filter(|node| new.flat.node_at(node.path).is_none()) {
                let path = self.versions.paths.format_path(node.path);
                findings.push(CrdFinding {
                    check: Check::Crd,
                    version: Some(name.clone().into_owned()),
                    validation: Validation::ExistingFieldRemoval,
                    message: format!("removed field : {name}.{path}"),
                    path: Some(path),
                    names: BTreeSet::new(),
                    old: self.location(0, node.span),
                    new: None,
                    is_harmless: false,
                });
            }
        }
    }

    fn compare_same_versions(
        &self,
        old: &[FlatVersion<'_, 'n>],
        new: &[FlatVersion<'_, 'n>],
        findings: &mut Vec<CrdFinding>,
    ) {
        for [old, new] in Self::common_versions(old, new) {
            for (path, changes) in self.schema_changes(&old.flat, &new.flat) {
                let found = changes
                    .into_iter()
                    .map(|change| self.new_finding(Check::Same, &old.version.name, &path, change, [0, 1]));
                findings.extend(found);
            }
        }
    }

    /// Compares every pair of served versions of the new CRD, and omits findings that the old CRD also has.
    fn compare_served_versions(
        &self,
        old: &[FlatVersion<'_, 'n>],
        new: &[FlatVersion<'_, 'n>],
        comparison: &mut Comparison,
    ) {
        let had: HashMap<String, Changes> = self.served_version_pairs(old).collect();
        for (name, changes) in self.served_version_pairs(new) {
            let had: HashMap<&str, &[Change]> = had
                .get(&name)
                .map(|list| list.iter().map(|(path, changes)| (path.as_str(), changes.as_slice())).collect())
                .unwrap_or_default();
            for (path, changes) in changes {
                let known = had.get(path.as_str()).copied().unwrap_or_default();
                for change in changes {
                    let is_known = known.iter().any(|other| {
                        other.validation == change.validation
                            && other.message == change.message
                            && other.full == change.full
                    });
                    let many = change.names.len() > 1;
                    let finding = || self.new_finding(Check::Served, &name, &path, change, [1, 1]);
                    match (is_known, many) {
                        (false, _) => comparison.findings.push(finding()),
                        (true, true) => comparison.random_findings.push(finding()),
                        (true, false) => {}
                    }
                }
            }
        }
    }

    /// Returns the pairs of served versions: their names and changes.
    fn served_version_pairs<'f>(
        &self,
        versions: &'f [FlatVersion<'f, 'n>],
    ) -> impl Iterator<Item = (String, Changes)> {
        let mut served: Vec<_> = versions.iter().filter(|version| version.version.is_served).collect();
        served.sort_by(|a, b| compare_kube_versions(&a.version.name, &b.version.name));
        let mut pairs = Vec::new();
        let mut rest = served.as_slice();
        while let [low, higher @ ..] = rest {
            pairs.extend(higher.iter().map(|high| (*low, *high)));
            rest = higher;
        }
        pairs.into_iter().map(|(low, high)| {
            let name = format!("{} -> {}", low.version.name, high.version.name);
            (name, self.schema_changes(&low.flat, &high.flat))
        })
    }

    /// Returns the changes from one schema to another by node.
    fn schema_changes(&self, old: &Flat<'n>, new: &Flat<'n>) -> Changes {
        if old.whole == new.whole {
            return Vec::new();
        }
        let of = |node: &FlatNode<'n>| {
            let changes = refused_changes(node, new.node_at(node.path), &self.versions.shapes);
            (!changes.is_empty()).then(|| (self.versions.paths.format_path(node.path), changes))
        };
        old.nodes().filter_map(of).collect()
    }

    fn new_finding(
        &self,
        check: Check,
        version: &str,
        path: &str,
        change: Change,
        sides: [usize; 2],
    ) -> CrdFinding {
        CrdFinding {
            check,
            version: Some(version.to_owned()),
            path: Some(path.to_owned()),
            validation: change.validation,
            message: change.message,
            names: change.names,
            old: self.location(sides[0], change.old),
            new: change.new.and_then(|new| self.location(sides[1], new)),
            is_harmless: change.is_harmless,
        }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Alpha,
    Beta,
    Stable,
}

/// Compares two version names in Kubernetes' order: `v10` > `v2` > `v1` > `v2beta1` > `v1beta2` > `v3alpha1`,
/// and below them all other names (`k8s.io/apimachinery`, `pkg/version/helpers.go`).
pub(super) fn compare_kube_versions(a: &str, b: &str) -> Ordering {
    match (parse_kube_version(a), parse_kube_version(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        // Reversed, so that lists begin with `a`.
        (None, None) => b.cmp(a),
    }
}

fn parse_kube_version(name: &str) -> Option<(Stage, u64, u64)> {
    let rest = name.strip_prefix('v')?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u64>().ok().filter(|number| is_number && i64::try_from(*number).is_ok())
    };
    for (word, stage) in [("alpha", Stage::Alpha), ("beta", Stage::Beta)] {
        if let Some((major, minor)) = rest.split_once(word) {
            return Some((stage, number(major)?, number(minor)?));
        }
    }
    Some((Stage::Stable, number(rest)?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_sort_like_in_kubernetes() {
        // From its documentation, the highest first.
        let sorted =
            ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
        let mut names = sorted;
        names.sort_unstable();
        names.sort_by(|a, b| compare_kube_versions(b, a));
        assert_eq!(names, sorted);
        assert_eq!(compare_kube_versions("v1alpha", "v1alpha1"), Ordering::Less, "no number, no version");
        assert_eq!(
            compare_kube_versions("v99999999999999999999", "v1alpha1"),
            Ordering::Less,
            "too large for Go"
        );
    }
}
