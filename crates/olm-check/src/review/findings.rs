//! Comparison of findings: which are new, and which disappeared.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::{Finding, FindingKey, Severity, rules};
use olm_catalog::{Catalog, PackageName};

/// Findings with their catalog.
#[derive(Clone, Copy)]
pub(super) struct FindingList<'a> {
    pub catalog: &'a Catalog,
    pub findings: &'a [Finding],
}

/// Returns the new findings and those that disappeared.
///
/// If a rule has more findings than are listed, they cannot be compared one by one. If they
/// changed, a single new finding reports that.
pub(super) fn compare_findings(old: FindingList<'_>, now: FindingList<'_>) -> (Vec<Finding>, Vec<Finding>) {
    let (before, after) = (old.findings, now.findings);
    let crowds: BTreeSet<&str> = [before, after]
        .into_iter()
        .flatten()
        .filter(|finding| finding.unlisted.is_some())
        .map(|finding| finding.rule.id)
        .filter(|rule| {
            RuleSummary::summarize_rule(rule, before).count > 0
                && RuleSummary::summarize_rule(rule, after).count > 0
        })
        .collect();
    let is_told = |finding: &&Finding| !crowds.contains(finding.rule.id);
    let mut new = find_missing(after.iter().filter(is_told), now.catalog, old, NameMatch::All);
    let mut gone = find_missing(before.iter().filter(is_told), old.catalog, now, NameMatch::Any);
    drop_regrouped_stuck(&mut new, &mut gone, before, after);
    drop_reworded(&mut new, &mut gone, before, after);
    for rule in &crowds {
        let (was, is) = (RuleSummary::summarize_rule(rule, before), RuleSummary::summarize_rule(rule, after));
        let first = after.iter().find(|finding| finding.rule.id == *rule);
        if let Some(first) = first.filter(|_| was != is) {
            let message = format!(
                "{} findings of this rule, {} before: too many to tell which are new",
                is.count, was.count
            );
            let finding = Finding::new(first.rule, message);
            new.push(Finding { package: first.package.clone(), at: first.at.clone(), ..finding });
        }
    }
    (new, gone)
}

/// Returns the findings that were parts of other findings before, and are findings of their own now.
pub(super) fn find_remaining(old: FindingList<'_>, now: FindingList<'_>) -> Vec<Finding> {
    let key = |finding: &Finding| comparison_key(old.catalog, finding);
    let listed: HashSet<FindingKey> = old.findings.iter().map(key).collect();
    let parts = old.findings.iter().flat_map(|finding| &finding.merged).flat_map(Finding::all_parts);
    let parts: HashSet<FindingKey> = parts.map(key).filter(|key| !listed.contains(key)).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let is_remaining = |finding: &&Finding| parts.contains(&comparison_key(now.catalog, finding));
    now.findings.iter().filter(is_remaining).cloned().collect()
}

/// Finding with another severity than before, for example because of a deprecation.
#[derive(Clone, Debug, PartialEq)]
pub struct SeverityChange {
    /// The finding.
    pub finding: Finding,
    /// Its severity before.
    pub before: Severity,
}

impl SeverityChange {
    /// Returns the finding and its severity before, in one line.
    pub fn format_line(&self) -> String {
        format!("{} (before: {})", self.finding, self.before.as_str())
    }
}

/// Returns the findings that both states have with different severities.
pub(super) fn find_severity_changes(old: FindingList<'_>, now: FindingList<'_>) -> Vec<SeverityChange> {
    // Findings about two engines may have the same key.
    let mut before: HashMap<FindingKey, Vec<Severity>> = HashMap::new();
    for finding in old.findings {
        before.entry(comparison_key(old.catalog, finding)).or_default().push(finding.severity());
    }
    let change = |finding: &Finding| {
        let before = before.get(&comparison_key(now.catalog, finding))?;
        let worst = before.iter().min().filter(|_| !before.contains(&finding.severity()))?;
        Some(SeverityChange { finding: finding.clone(), before: *worst })
    };
    now.findings.iter().filter_map(change).collect()
}

/// Summary of all findings of a rule.
#[derive(PartialEq)]
struct RuleSummary {
    count: usize,
    hash: u64,
}

impl RuleSummary {
    fn summarize_rule(rule: &str, findings: &[Finding]) -> Self {
        let of_rule = || findings.iter().filter(|finding| finding.rule.id == rule);
        Self {
            count: of_rule().map(Finding::finding_count).sum(),
            hash: of_rule().fold(0, |sum, finding| sum.wrapping_add(finding.content_hash())),
        }
    }
}

fn comparison_key(catalog: &Catalog, finding: &Finding) -> FindingKey {
    FindingKey::from_finding(catalog, finding).without_file()
}

/// Names of a finding that a known finding must have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameMatch {
    /// All: a finding with additional names is new.
    All,
    /// At least one: a finding that only became smaller did not disappear.
    Any,
}

/// Returns the findings that are not known, neither directly nor as parts. For known findings,
/// returns the parts that are not known.
fn find_missing<'a>(
    found: impl Iterator<Item = &'a Finding>,
    catalog: &Catalog,
    known: FindingList<'_>,
    name_match: NameMatch,
) -> Vec<Finding> {
    let mut names: HashMap<FindingKey, HashSet<&str>> = HashMap::new();
    for part in known.findings.iter().flat_map(Finding::all_parts) {
        let known = names.entry(comparison_key(known.catalog, part)).or_default();
        known.extend(part.names.iter().map(String::as_str));
    }
    let is_missing = |finding: &Finding| {
        let known = names.get(&comparison_key(catalog, finding));
        let is_name_known = |known: &HashSet<&str>, name: &String| known.contains(name.as_str());
        !known.is_some_and(|known| match name_match {
            NameMatch::Any if !finding.names.is_empty() => {
                finding.names.iter().any(|name| is_name_known(known, name))
            }
            NameMatch::Any | NameMatch::All => finding.names.iter().all(|name| is_name_known(known, name)),
        })
    };
    let mut missing = Vec::new();
    for finding in found {
        if is_missing(finding) {
            missing.push(finding.clone());
        } else {
            let parts = finding.merged.iter().flat_map(Finding::all_parts).filter(|part| is_missing(part));
            missing.extend(parts.map(|part| Finding { merged: Vec::new(), ..part.clone() }));
        }
    }
    missing
}

/// Removes findings about stuck versions whose groups only changed. A finding is new if a version
/// was not stuck before. It disappeared if none of its versions is stuck now.
fn drop_regrouped_stuck(
    new: &mut Vec<Finding>,
    gone: &mut Vec<Finding>,
    before: &[Finding],
    after: &[Finding],
) {
    fn stuck_names(findings: &[Finding]) -> HashSet<(Option<&PackageName>, &str)> {
        let stuck = findings.iter().filter(|finding| *finding.rule == rules::STUCK);
        stuck.flat_map(|f| f.names.iter().map(move |name| (f.package.as_ref(), name.as_str()))).collect()
    }
    let (old, now) = (stuck_names(before), stuck_names(after));
    let is_among = |known: &HashSet<_>, finding: &Finding, name: &String| {
        known.contains(&(finding.package.as_ref(), name.as_str()))
    };
    new.retain(|f| *f.rule != rules::STUCK || f.names.iter().any(|name| !is_among(&old, f, name)));
    gone.retain(|f| *f.rule != rules::STUCK || !f.names.iter().any(|name| is_among(&now, f, name)));
}

/// Removes reworded findings: an old and a new finding with the same subject. Keeps the new finding
/// only if it has more names. If several findings have the same subject, they cannot be matched.
fn drop_reworded(new: &mut Vec<Finding>, gone: &mut Vec<Finding>, before: &[Finding], after: &[Finding]) {
    if new.is_empty() || gone.is_empty() {
        return;
    }
    let (olds, news) = (index_by_subject(before), index_by_subject(after));
    let retold: Vec<bool> = gone.iter().map(|old| is_unique(&olds, old) && is_unique(&news, old)).collect();
    new.retain(|new| {
        let known =
            olds.get(&FindingKey::subject_of(new)).copied().flatten().filter(|_| is_unique(&news, new));
        known.is_none_or(|old| new.names.iter().any(|name| !old.names.contains(name)))
    });
    let mut retold = retold.into_iter();
    gone.retain(|_| !retold.next().unwrap_or_default());
}

/// Returns the finding per subject; `None` if there are several.
fn index_by_subject(findings: &[Finding]) -> HashMap<FindingKey, Option<&Finding>> {
    let mut only = HashMap::new();
    for finding in findings.iter().flat_map(Finding::all_parts) {
        only.entry(FindingKey::subject_of(finding))
            .and_modify(|known| *known = None)
            .or_insert(Some(finding));
    }
    only
}

fn is_unique(only: &HashMap<FindingKey, Option<&Finding>>, finding: &Finding) -> bool {
    only.get(&FindingKey::subject_of(finding)).is_some_and(Option::is_some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_finding(rule: &'static crate::Rule, message: &str, bundle: &str, names: &[&str]) -> Finding {
        Finding::new(rule, message)
            .with_package(&"p".into())
            .with_channel(&"c".into())
            .with_bundle(&bundle.into())
            .with_names(names)
    }

    fn compare_messages(before: &[Finding], after: &[Finding]) -> [Vec<String>; 2] {
        let catalog = &olm_catalog::load::from_bytes(Vec::new());
        let [before, after] = [before, after].map(|findings| FindingList { catalog, findings });
        let (new, gone) = compare_findings(before, after);
        [new, gone].map(|found| found.into_iter().map(|finding| finding.message).collect())
    }

    #[test]
    fn finding_with_other_wording_is_neither_new_nor_fixed() {
        let before = [new_finding(&rules::DEAD_END, "a, head x", "a", &["a"])];
        let after = [new_finding(&rules::DEAD_END, "a, head y", "a", &["a"])];
        assert_eq!(compare_messages(&before, &after), [vec![], Vec::<String>::new()]);
        let before = [new_finding(&rules::V1_DEPENDENCIES, "refuses x", "x", &["c"])];
        let after = [new_finding(&rules::V1_DEPENDENCIES, "refuses y", "y", &["c"])];
        assert_eq!(compare_messages(&before, &after), [vec![], Vec::<String>::new()]);
    }

    #[test]
    fn finding_with_more_names_is_new_and_one_with_fewer_is_ignored() {
        let few = [new_finding(&rules::DEAD_END, "a", "a", &["a"])];
        let more = [new_finding(&rules::DEAD_END, "a, b", "b", &["b", "a"])];
        assert_eq!(compare_messages(&few, &more), [vec!["a, b".to_owned()], vec![]]);
        assert_eq!(compare_messages(&more, &few), [vec![], Vec::<String>::new()]);
    }

    #[test]
    fn part_of_a_finding_is_neither_new_nor_gone_if_it_was_a_finding_before() {
        let part = new_finding(&rules::UNMET_DEPENDENCY, "needs x", "a", &["x"]);
        let leader = || new_finding(&rules::DEPENDENCY_UNSATISFIABLE, "installs nothing", "a", &["c"]);
        let with_part = Finding { merged: vec![part.clone()], ..leader() };
        let (alone, together) = ([part], [with_part]);
        assert_eq!(compare_messages(&alone, &together), [vec!["installs nothing".to_owned()], vec![]]);
        assert_eq!(compare_messages(&together, &alone), [vec![], vec!["installs nothing".to_owned()]]);
        let without = [leader()];
        assert_eq!(compare_messages(&without, &together), [vec!["needs x".to_owned()], vec![]]);
        assert_eq!(compare_messages(&together, &without), [vec![], vec!["needs x".to_owned()]]);
    }

    #[test]
    fn part_of_a_fixed_finding_is_remaining_if_it_remains() {
        let part = new_finding(&rules::DEAD_END, "never upgrades", "a", &["a"]);
        let stuck = || new_finding(&rules::STUCK, "a is stuck", "a", &["a"]);
        let together = [Finding { merged: vec![part.clone()], ..stuck() }];
        let catalog = &olm_catalog::load::from_bytes(Vec::new());
        let remaining = |before: &[Finding], after: &[Finding]| -> Vec<&'static str> {
            let [before, after] = [before, after].map(|findings| FindingList { catalog, findings });
            find_remaining(before, after).iter().map(|finding| finding.rule.id).collect()
        };
        let alone = [part.clone()];
        assert_eq!(remaining(&together, &alone), ["dead-end"]);
        assert!(remaining(&together, &together).is_empty() && remaining(&together, &[]).is_empty());
        assert!(remaining(&[stuck()], &alone).is_empty(), "it is new");
        assert!(remaining(&[together[0].clone(), part], &alone).is_empty(), "it was listed");
    }

    #[test]
    fn finding_with_other_subject_is_new() {
        let before = [new_finding(&rules::BAD_IMAGE, "of a", "a", &[])];
        let after = [new_finding(&rules::BAD_IMAGE, "of b", "b", &[])];
        assert_eq!(compare_messages(&before, &after), [vec!["of b".to_owned()], vec!["of a".to_owned()]]);
        // Several findings with the same subject cannot be matched.
        let finding = |image: &str| new_finding(&rules::BAD_IMAGE, image, "a", &[]).with_detail(image);
        let (before, after) = ([finding("x"), finding("y")], [finding("y"), finding("z")]);
        assert_eq!(compare_messages(&before, &after), [vec!["z".to_owned()], vec!["x".to_owned()]]);
    }

    #[test]
    fn stuck_versions_that_change_their_group_are_neither_new_nor_fixed() {
        let group =
            |end: &str, names: &[&str]| new_finding(&rules::STUCK, &format!("end at {end}"), end, names);
        let before = [group("b", &["a", "b"]), group("d", &["c", "d"])];
        let joined = [group("d", &["a", "b", "c", "d"])];
        assert_eq!(compare_messages(&before, &joined), [vec![], Vec::<String>::new()]);
        let more = [group("e", &["a", "b", "c", "d", "e"])];
        assert_eq!(compare_messages(&before, &more), [vec!["end at e".to_owned()], vec![]]);
        let fewer = [group("d", &["c", "d"])];
        assert_eq!(compare_messages(&before, &fewer), [vec![], vec!["end at b".to_owned()]]);
        assert_eq!(compare_messages(&before, &[group("b", &["a"])]), [vec![], vec!["end at d".to_owned()]]);
    }

    #[test]
    fn finding_that_was_part_of_another_one_is_not_new() {
        let dead_end = new_finding(&rules::DEAD_END, "a", "a", &["a"]);
        let mut stuck = new_finding(&rules::STUCK, "a is stuck", "a", &["a"]);
        stuck.merged.push(dead_end.clone());
        assert_eq!(
            compare_messages(std::slice::from_ref(&stuck), std::slice::from_ref(&dead_end)),
            [vec![], vec!["a is stuck".to_owned()]]
        );
        assert_eq!(compare_messages(&[dead_end], &[stuck]), [vec!["a is stuck".to_owned()], vec![]]);
    }
}
