//! Selection of findings by rule. A finding may contain merged findings of other rules; each is
//! selected separately.

use super::{finding::Finding, rule::Rule};
use olm_catalog::PackageName;

impl Finding {
    /// Returns the finding and all of its merged findings.
    pub fn all_parts(&self) -> Vec<&Self> {
        let mut parts = vec![self];
        parts.extend(self.merged.iter().flat_map(Self::all_parts));
        parts
    }

    /// Returns the rules that report the finding, each once; the rule of the finding is first.
    pub fn reporting_rules(&self) -> Vec<&'static Rule> {
        rules_of(self.all_parts())
    }

    /// Returns the rules that report the same problem, each once; the rule of the finding is
    /// first.
    pub fn duplicate_rules(&self) -> Vec<&'static Rule> {
        let mut same = vec![self];
        let mut at = 0;
        while let Some(finding) = same.get(at) {
            same.extend(finding.merged.iter().filter(|part| !part.is_consequence));
            at += 1;
        }
        rules_of(same)
    }

    /// Returns the consequences of this finding, without their duplicates.
    pub fn consequences(&self) -> Vec<&Self> {
        let mut found = Vec::new();
        for part in &self.merged {
            found.extend(part.is_consequence.then_some(part));
            found.extend(part.consequences());
        }
        found
    }

    /// Adds consequences of this finding.
    pub(super) fn add_consequences(&mut self, consequences: Vec<Self>) {
        let as_consequence = |finding: Self| Self { is_consequence: true, ..finding };
        self.merged.extend(consequences.into_iter().map(as_consequence));
    }

    /// Returns the ids of the rules that report the finding, separated by spaces, for text
    /// searches.
    pub fn rule_ids(&self) -> String {
        let ids: Vec<&str> = self.reporting_rules().iter().map(|rule| rule.id).collect();
        ids.join(" ")
    }

    /// Keeps the selected parts of the finding. A merged finding is listed separately if its
    /// leader is not selected.
    #[must_use]
    pub fn select_parts(&self, is_chosen: &impl Fn(&Self) -> bool) -> Vec<Self> {
        let stands_for: Vec<Self> =
            self.merged.iter().flat_map(|part| part.select_parts(is_chosen)).collect();
        if is_chosen(self) {
            return vec![Self { merged: stands_for, ..self.clone() }];
        }
        // A consequence without its cause becomes a normal finding.
        stands_for.into_iter().map(|part| Self { is_consequence: false, ..part }).collect()
    }

    /// Sets the package of the finding and of its merged findings, unless they have one.
    pub(super) fn set_package(&mut self, name: &PackageName) {
        self.package.get_or_insert_with(|| name.clone());
        for part in &mut self.merged {
            part.set_package(name);
        }
    }

    /// Adds a duplicate after the existing duplicates.
    pub(super) fn add_duplicate(&mut self, same: Self) {
        match self.merged.iter_mut().find(|part| !part.is_consequence) {
            Some(first) => first.add_duplicate(same),
            None => self.merged.push(same),
        }
    }
}

fn rules_of(findings: Vec<&Finding>) -> Vec<&'static Rule> {
    let mut rules: Vec<&'static Rule> = Vec::new();
    for finding in findings {
        if !rules.contains(&finding.rule) {
            rules.push(finding.rule);
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    fn merged_finding() -> Finding {
        let mut finding = Finding::new(&rules::SUITE_CSV, "a");
        finding.add_duplicate(Finding::new(&rules::SUITE_CONTENT, "b"));
        finding.add_duplicate(Finding::new(&rules::CONVERSION_WEBHOOK, "c"));
        finding
    }

    fn select_messages(is_chosen: impl Fn(&Finding) -> bool) -> Vec<(String, Vec<&'static str>)> {
        let of = |finding: Finding| {
            let rules = finding.reporting_rules().iter().map(|rule| rule.id).collect();
            (finding.message, rules)
        };
        merged_finding().select_parts(&is_chosen).into_iter().map(of).collect()
    }

    #[test]
    fn finding_is_listed_while_any_of_its_rules_is_selected() {
        let all = vec!["suite-csv", "suite-content", "conversion-webhook"];
        assert_eq!(select_messages(|_| true), [("a".to_owned(), all.clone())]);
        assert_eq!(select_messages(|f| f.rule.id != "suite-csv"), [("b".to_owned(), all[1..].to_vec())]);
        let outer = vec!["suite-csv", "conversion-webhook"];
        assert_eq!(select_messages(|f| f.rule.id != "suite-content"), [("a".to_owned(), outer)]);
        assert_eq!(
            select_messages(|f| f.rule.id == "conversion-webhook"),
            [("c".to_owned(), all[2..].to_vec())]
        );
        assert_eq!(select_messages(|_| false), []);
    }
}
