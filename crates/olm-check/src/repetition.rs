//! Grouping of repeated findings: lists show the first finding in full, and only the locations of the others.

use std::collections::HashMap;

use super::{
    finding::Finding,
    rule::{RuleProperty, Severity},
};

/// Groups items whose findings repeat; each group takes the position of its first item. Errors
/// and findings about unchecked input are never grouped.
pub fn group_repeated<T>(
    items: impl IntoIterator<Item = T>,
    finding: impl Fn(&T) -> Option<&Finding>,
) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut known: HashMap<Shape, usize> = HashMap::new();
    for item in items {
        let shape = finding(&item).and_then(Shape::new);
        let at = shape.map(|shape| *known.entry(shape).or_insert(groups.len()));
        match at.and_then(|at| groups.get_mut(at)) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}

/// Properties that repeated findings share.
#[derive(PartialEq, Eq, Hash)]
struct Shape {
    rule: &'static str,
    severity: Severity,
    package: Option<String>,
    message: String,
    advice: String,
}

impl Shape {
    /// Returns `None` for a finding that is always shown in full.
    fn new(finding: &Finding) -> Option<Self> {
        let is_listed = finding.severity() == Severity::Error || finding.is_not_checked();
        if is_listed || finding.unlisted.is_some() {
            return None;
        }
        // Many packages of a catalog have such a note, and edits of the catalog cannot change it.
        if finding.severity() == Severity::Note && finding.rule.has(RuleProperty::OnPublishedBundles) {
            return Some(Self {
                rule: finding.rule.id,
                severity: finding.severity(),
                package: None,
                message: String::new(),
                advice: String::new(),
            });
        }
        let names = finding.names.iter().map(String::as_str);
        let bundle = finding.bundle.iter().map(AsRef::as_ref);
        let channel = finding.channel.iter().map(AsRef::as_ref);
        let names: Vec<&str> = names.chain(bundle).chain(channel).collect();
        Some(Self {
            rule: finding.rule.id,
            severity: finding.severity(),
            package: finding.package.as_ref().map(ToString::to_string),
            message: without_names(&finding.message, &names),
            advice: without_names(finding.advice(), &names),
        })
    }
}

/// Replaces names and numbers in a text by placeholders.
fn without_names(text: &str, names: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(' ') {
        let core = word.trim_matches(|c: char| c.is_ascii_punctuation());
        if names.contains(&core) && !core.is_empty() {
            out.push_str(&word.replacen(core, "*", 1));
        } else {
            let mut is_number = false;
            for c in word.chars() {
                match (c.is_ascii_digit(), is_number) {
                    (true, true) => {}
                    (true, false) => out.push('#'),
                    (false, _) => out.push(c),
                }
                is_number = c.is_ascii_digit();
            }
        }
        out.push(' ');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    fn test_finding(message: &str, channel: &str) -> Finding {
        Finding::new(&rules::V1_CHANNEL_NAME, message).with_channel(&channel.into())
    }

    fn group_sizes(findings: &[Finding]) -> Vec<usize> {
        group_repeated(findings, |finding| Some(finding)).iter().map(Vec::len).collect()
    }

    #[test]
    fn groups_findings_that_differ_in_names_and_numbers() {
        let all = [
            test_finding("OLM v1 cannot select channel Fast: not valid", "Fast"),
            test_finding("line 3 of channel Fast is odd", "Fast"),
            test_finding("OLM v1 cannot select channel Stable: not valid", "Stable"),
            test_finding("line 12 of channel A is odd", "A"),
        ];
        assert_eq!(group_sizes(&all), [2, 2]);
    }

    #[test]
    fn keeps_findings_apart_that_differ_in_other_words_package_or_advice() {
        let one = test_finding("channel Fast is odd", "Fast");
        assert_eq!(group_sizes(&[one.clone(), test_finding("channel Fast is even", "Fast")]), [1, 1]);
        assert_eq!(group_sizes(&[one.clone(), one.clone().with_package(&"kiln".into())]), [1, 1]);
        assert_eq!(group_sizes(&[one.clone(), one.clone().with_help("rename it")]), [1, 1]);
        assert_eq!(group_sizes(&[one.clone(), one]), [2]);
    }

    #[test]
    fn groups_notes_about_published_bundles_of_all_packages() {
        let of = |package: &str, message: &str| {
            Finding::new(&rules::V1_NO_ALL_NAMESPACES, message).with_package(&package.into())
        };
        let all = [of("kiln", "v1 refuses kiln.v1"), of("lamp", "v1 refuses lamp.v2: only OwnNamespace")];
        assert_eq!(group_sizes(&all), [2]);
        let mut warning = of("oven", "v1 refuses oven.v1");
        warning.severity = Severity::Warning;
        assert_eq!(group_sizes(&[all[0].clone(), warning]), [1, 1]);
    }

    #[test]
    fn never_groups_errors_and_unchecked_input() {
        let mut unchecked = Finding::new(&rules::NOT_CHECKED, "the bundle was not checked");
        unchecked.severity = Severity::Note;
        let error = Finding::new(&rules::MISSING_IMAGE, "it has no image");
        assert_eq!(group_sizes(&[unchecked.clone(), unchecked, error.clone(), error]), [1, 1, 1, 1]);
    }
}
