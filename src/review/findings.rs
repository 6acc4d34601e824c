//! Findings that come and go.

use std::collections::{BTreeSet, HashSet};

use crate::validate::{Diagnostic, diagnostic::Identity};

/// The findings that are new, and those that are gone.
///
/// Of a rule of which there are so many that not all are listed, nobody can tell which they are. Where they are others than
/// before, one new finding says so.
pub(super) fn compare(before: &[Diagnostic], after: &[Diagnostic]) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let crowds: BTreeSet<&str> = [before, after]
        .into_iter()
        .flatten()
        .filter(|finding| finding.unlisted.is_some())
        .map(|finding| finding.rule.id)
        .filter(|rule| Crowd::of(rule, before).count > 0 && Crowd::of(rule, after).count > 0)
        .collect();
    let is_told = |finding: &&Diagnostic| !crowds.contains(finding.rule.id);
    let mut new = missing_from(after.iter().filter(is_told), before);
    let gone = missing_from(before.iter().filter(is_told), after);
    for rule in &crowds {
        let (old, now) = (Crowd::of(rule, before), Crowd::of(rule, after));
        let first = after.iter().find(|finding| finding.rule.id == *rule);
        if let Some(first) = first.filter(|_| old != now) {
            let message = format!(
                "{} findings of this rule, {} before: too many to tell which are new",
                now.count, old.count
            );
            let finding = Diagnostic::new(first.rule, message);
            new.push(Diagnostic { package: first.package.clone(), at: first.at.clone(), ..finding });
        }
    }
    (new, gone)
}

/// All findings of a rule.
#[derive(PartialEq)]
struct Crowd {
    count: usize,
    hash: u64,
}

impl Crowd {
    fn of(rule: &str, findings: &[Diagnostic]) -> Self {
        let of_rule = || findings.iter().filter(|finding| finding.rule.id == rule);
        Self {
            count: of_rule().map(Diagnostic::count).sum(),
            hash: of_rule().fold(0, |sum, finding| sum.wrapping_add(finding.hash())),
        }
    }
}

/// Those of some findings that are not among others.
fn missing_from<'a>(found: impl Iterator<Item = &'a Diagnostic>, known: &[Diagnostic]) -> Vec<Diagnostic> {
    let identities: HashSet<Identity<'_>> = known.iter().map(Diagnostic::identity).collect();
    found.filter(|finding| !identities.contains(&finding.identity())).cloned().collect()
}
