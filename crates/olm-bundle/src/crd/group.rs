//! Groups findings for display: thousands of lines below one removed field or in every version are one group.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};

use super::{Check, CrdFinding, CrdLocation, validation::Validation};

/// Findings with the same message for the same fields, in one or several versions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group<'f> {
    /// Representative finding.
    pub first: &'f CrdFinding,
    /// Versions, or pairs of served versions, with the finding.
    pub versions: Vec<&'f str>,
    /// Fields with the finding.
    pub fields: Vec<Field<'f>>,
    /// Number of findings in the group.
    pub count: usize,
}

/// A field, with the number of fields below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field<'f> {
    /// Path, such as `^.spec.size`.
    pub path: &'f str,
    /// Number of fields below it that are removed with it.
    pub below: usize,
    /// Location in the old CRD, in the first of the versions.
    pub old: Option<&'f CrdLocation>,
    /// Location in the new CRD.
    pub new: Option<&'f CrdLocation>,
}

impl Field<'_> {
    /// Returns the path in the usual notation; the root does not have a name.
    pub fn display_name(&self) -> &str {
        match self.path.strip_prefix("^.") {
            Some(rest) => rest,
            None if self.path.is_empty() => "",
            None => "the resource itself",
        }
    }
}

impl Group<'_> {
    /// Returns the sort key of groups: the worst first, harmless ones last.
    fn rank(&self) -> (bool, bool, Validation) {
        let CrdFinding { check, validation, is_harmless, .. } = self.first;
        (*is_harmless, *check == Check::Served, *validation)
    }
}

/// A path with the number of fields below it.
type FieldPart<'f> = (&'f str, usize);

/// Key of findings that are the same for different fields. The message of a removal contains the field.
type MessageKey<'f> = (Check, Validation, &'f str, bool);

/// Lists by key, in the order of first occurrence of the keys.
struct GroupedLists<K, V>(Vec<(K, Vec<V>)>, HashMap<K, usize>);

impl<K: Clone + Eq + Hash, V> GroupedLists<K, V> {
    fn new() -> Self {
        Self(Vec::new(), HashMap::new())
    }

    fn add_to_group(&mut self, key: K, value: V) {
        let next = self.0.len();
        let at = *self.1.entry(key.clone()).or_insert(next);
        match self.0.get_mut(at) {
            Some((_, list)) => list.push(value),
            None => self.0.push((key, vec![value])),
        }
    }
}

/// Groups findings, the worst first.
pub fn group_findings(findings: &[CrdFinding]) -> Vec<Group<'_>> {
    let below = count_removed_below(findings);
    let removed: HashSet<_> = removed_field_findings(findings).map(version_and_path).collect();
    // First groups the same field in several versions, then the same finding of several fields.
    let mut by_field: GroupedLists<(MessageKey, FieldPart), &CrdFinding> = GroupedLists::new();
    for finding in findings {
        let is_removal = finding.validation == Validation::ExistingFieldRemoval;
        let place = version_and_path(finding);
        // A removed field obviously also loses its type.
        if finding.check == Check::Same && removed.contains(&place)
            || is_removal && !below.contains_key(&place)
        {
            continue;
        }
        let message = if is_removal { "" } else { finding.message.as_str() };
        let words = (finding.check, finding.validation, message, finding.is_harmless);
        let part = (place.1, below.get(&place).copied().unwrap_or_default());
        by_field.add_to_group((words, part), finding);
    }
    let mut by_words = GroupedLists::new();
    for ((words, part), list) in by_field.0 {
        let versions: Vec<&str> = list.iter().filter_map(|finding| finding.version.as_deref()).collect();
        by_words.add_to_group((words, versions), (part, list));
    }
    let mut groups: Vec<Group> =
        by_words.0.into_iter().filter_map(|((_, versions), list)| build_group(versions, list)).collect();
    groups.sort_by_key(Group::rank);
    groups
}

/// Groups findings with the same message in the same versions, by field.
fn build_group<'f>(
    versions: Vec<&'f str>,
    list: Vec<(FieldPart<'f>, Vec<&'f CrdFinding>)>,
) -> Option<Group<'f>> {
    let first: &CrdFinding = list.first()?.1.first()?;
    let below: usize = list.iter().map(|((_, below), findings)| below * findings.len()).sum();
    let count = list.iter().map(|(_, findings)| findings.len()).sum::<usize>() + below;
    let field = |((path, below), findings): (FieldPart<'f>, Vec<&'f CrdFinding>)| {
        let first = findings.first()?;
        Some(Field { path, below, old: first.old.as_ref(), new: first.new.as_ref() })
    };
    let fields = list.into_iter().filter_map(field).collect();
    Some(Group { first, versions, fields, count })
}

fn removed_field_findings(findings: &[CrdFinding]) -> impl Iterator<Item = &CrdFinding> {
    findings.iter().filter(|finding| finding.validation == Validation::ExistingFieldRemoval)
}

/// Returns the version and the path.
fn version_and_path(finding: &CrdFinding) -> (&str, &str) {
    (finding.version.as_deref().unwrap_or_default(), finding.path.as_deref().unwrap_or_default())
}

/// Returns the topmost removed fields, with the number of removed fields below each. A field directly precedes
/// those below it.
fn count_removed_below(findings: &[CrdFinding]) -> HashMap<(&str, &str), usize> {
    let mut below = HashMap::new();
    let mut root: Option<(&str, &str)> = None;
    for finding in removed_field_findings(findings) {
        let (version, path) = version_and_path(finding);
        let is_below = root.is_some_and(|(of, above)| {
            of == version && path.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'))
        });
        if let Some(root) = root.filter(|_| is_below) {
            *below.entry(root).or_insert(0) += 1;
        } else {
            root = Some((version, path));
            below.insert((version, path), 0);
        }
    }
    below
}
