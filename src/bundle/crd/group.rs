//! Findings folded for people: thousands of lines below one removed field or in every version are one thing to look at.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};

use super::{
    finding::{Check, Finding},
    place::Place,
    validation::Validation,
};

/// Findings that are one thing to look at: the same is refused, of the same fields, in one or several versions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group<'f> {
    /// One of the findings, which stands for all.
    pub first: &'f Finding,
    /// The versions, or pairs of served versions, in which it is refused.
    pub versions: Vec<&'f str>,
    /// The fields.
    pub fields: Vec<Field<'f>>,
    /// How many findings are folded.
    pub count: usize,
}

/// A field, with what went with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field<'f> {
    /// Its path: `^.spec.size`.
    pub path: &'f str,
    /// How many fields below it are removed with it.
    pub below: usize,
    /// Where it was, in the first of the versions.
    pub old: Option<&'f Place>,
    /// Where it is.
    pub new: Option<&'f Place>,
}

impl Field<'_> {
    /// The path as people write it; the root has no name.
    pub fn name(&self) -> &str {
        match self.path.strip_prefix("^.") {
            Some(rest) => rest,
            None if self.path.is_empty() => "",
            None => "the resource itself",
        }
    }
}

impl Group<'_> {
    /// The order of groups: the worst first, what could harm nobody last.
    fn rank(&self) -> (bool, bool, Validation) {
        let Finding { check, validation, is_harmless, .. } = self.first;
        (*is_harmless, *check == Check::Served, *validation)
    }
}

/// A path and how many fields go with it.
type Part<'f> = (&'f str, usize);

/// What makes findings the same thing at different fields. The words of what is removed are those of the field.
type Words<'f> = (Check, Validation, &'f str, bool);

/// Lists by key, in the order in which the keys came.
struct Lists<K, V>(Vec<(K, Vec<V>)>, HashMap<K, usize>);

impl<K: Clone + Eq + Hash, V> Lists<K, V> {
    fn new() -> Self {
        Self(Vec::new(), HashMap::new())
    }

    fn add(&mut self, key: K, value: V) {
        let next = self.0.len();
        let at = *self.1.entry(key.clone()).or_insert(next);
        match self.0.get_mut(at) {
            Some((_, list)) => list.push(value),
            None => self.0.push((key, vec![value])),
        }
    }
}

/// Folds findings, the worst first.
pub fn groups(findings: &[Finding]) -> Vec<Group<'_>> {
    let below = removed_below(findings);
    let removed: HashSet<_> = removals(findings).map(place_of).collect();
    // First the same field in several versions, then the same of several fields.
    let mut by_field: Lists<(Words, Part), &Finding> = Lists::new();
    for finding in findings {
        let is_removal = finding.validation == Validation::ExistingFieldRemoval;
        let place = place_of(finding);
        // That a field which is gone lost its type too goes without saying.
        if finding.check == Check::Same && removed.contains(&place)
            || is_removal && !below.contains_key(&place)
        {
            continue;
        }
        let message = if is_removal { "" } else { finding.message.as_str() };
        let words = (finding.check, finding.validation, message, finding.is_harmless);
        let part = (place.1, below.get(&place).copied().unwrap_or_default());
        by_field.add((words, part), finding);
    }
    let mut by_words = Lists::new();
    for ((words, part), list) in by_field.0 {
        let versions: Vec<&str> = list.iter().filter_map(|finding| finding.version.as_deref()).collect();
        by_words.add((words, versions), (part, list));
    }
    let mut groups: Vec<Group> =
        by_words.0.into_iter().filter_map(|((_, versions), list)| group(versions, list)).collect();
    groups.sort_by_key(Group::rank);
    groups
}

/// Findings with the same words in the same versions, by field.
fn group<'f>(versions: Vec<&'f str>, list: Vec<(Part<'f>, Vec<&'f Finding>)>) -> Option<Group<'f>> {
    let first: &Finding = list.first()?.1.first()?;
    let below: usize = list.iter().map(|((_, below), findings)| below * findings.len()).sum();
    let count = list.iter().map(|(_, findings)| findings.len()).sum::<usize>() + below;
    let field = |((path, below), findings): (Part<'f>, Vec<&'f Finding>)| {
        let first = findings.first()?;
        Some(Field { path, below, old: first.old.as_ref(), new: first.new.as_ref() })
    };
    let fields = list.into_iter().filter_map(field).collect();
    Some(Group { first, versions, fields, count })
}

fn removals(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(|finding| finding.validation == Validation::ExistingFieldRemoval)
}

/// The version and the path.
fn place_of(finding: &Finding) -> (&str, &str) {
    (finding.version.as_deref().unwrap_or_default(), finding.path.as_deref().unwrap_or_default())
}

/// The removed fields above which none is removed, with the number of removed fields below each. A field comes before those
/// below it, and these right behind it.
fn removed_below(findings: &[Finding]) -> HashMap<(&str, &str), usize> {
    let mut below = HashMap::new();
    let mut root: Option<(&str, &str)> = None;
    for finding in removals(findings) {
        let (version, path) = place_of(finding);
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
