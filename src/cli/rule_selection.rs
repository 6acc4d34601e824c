//! Options that select the shown findings, and those that make a run fail. Shared by all commands
//! that print findings.

use std::collections::HashMap;

use super::{explain, failure::Failure};
use olm_check::{Finding, Rule, Severity, rules};

#[derive(Debug, clap::Args)]
pub struct ChosenRules {
    /// Only findings of this rule. Can be repeated.
    #[arg(long = "rule", value_name = "RULE")]
    pub rules: Vec<String>,
    /// Ignore a rule, or all warnings or notes. Can be repeated.
    #[arg(long = "allow", value_name = "RULE")]
    pub allowed: Vec<String>,
    /// Also exit with 1 on a rule, or on all warnings or notes. Can be repeated.
    #[arg(long = "deny", value_name = "RULE")]
    pub denied: Vec<String>,
}

/// Names that mean all rules of a severity.
const SEVERITIES: [&str; 3] = ["errors", "warnings", "notes"];

impl ChosenRules {
    /// Refuses unknown rule names. `--allow` and `--deny` accept severities too.
    pub fn check_names(&self) -> Result<(), Failure> {
        let is_severity = |name: &str| SEVERITIES.contains(&name);
        let listed = self.allowed.iter().chain(&self.denied).filter(|name| !is_severity(name));
        let unknown = self.rules.iter().chain(listed).find(|name| rules::by_id(name).is_none());
        unknown.map_or(Ok(()), |name| Err(explain::no_rule_failure(name)))
    }

    /// Returns true if a finding is shown. Considers only its own rule, not the findings that it
    /// combines.
    pub fn shows(&self, finding: &Finding) -> bool {
        let is_named = |rule: &Rule| self.rules.iter().any(|name| rule.has_id(name));
        let is_chosen = self.rules.is_empty() || is_named(finding.rule) || finding.is_not_checked();
        is_chosen && !self.allows(finding)
    }

    /// Returns true if a finding is ignored.
    pub fn allows(&self, finding: &Finding) -> bool {
        matches_list(&self.allowed, finding.rule, finding.severity())
    }

    /// Returns true if findings of a rule are ignored.
    pub fn allows_rule(&self, rule: &Rule) -> bool {
        matches_list(&self.allowed, rule, rule.severity)
    }

    /// Returns true if a shown finding, or one that it combines, sets exit code 1. Findings about
    /// what was not checked set exit code 2 instead.
    pub fn fails(&self, finding: &Finding) -> bool {
        let fails = |part: &Finding| {
            !part.is_not_checked()
                && (part.severity() == Severity::Error
                    || matches_list(&self.denied, part.rule, part.severity()))
        };
        finding.all_parts().into_iter().any(fails)
    }

    /// Returns true if a rule is denied by its name.
    pub fn denies(&self, rule: &Rule) -> bool {
        self.denied.iter().any(|name| rule.has_id(name))
    }
}

/// Findings that combine others and are shown only in part.
#[derive(Default)]
pub struct PartialFindings(HashMap<*const Finding, Vec<Finding>>);

impl PartialFindings {
    /// Selects the shown parts of findings that combine others.
    pub fn new<'a>(
        findings: impl IntoIterator<Item = &'a Finding>,
        shows: impl Fn(&Finding) -> bool,
    ) -> Self {
        let composite = findings.into_iter().filter(|finding| !finding.merged.is_empty());
        let partly = composite.filter(|finding| !finding.all_parts().into_iter().all(&shows));
        Self(partly.map(|finding| (std::ptr::from_ref(finding), finding.select_parts(&shows))).collect())
    }

    /// Returns the shown parts of a finding; empty if it is hidden.
    pub fn shown_parts<'a>(
        &'a self,
        finding: &'a Finding,
        shows: impl Fn(&Finding) -> bool,
    ) -> Vec<&'a Finding> {
        match self.0.get(&std::ptr::from_ref(finding)) {
            Some(parts) => parts.iter().collect(),
            None if shows(finding) => vec![finding],
            None => Vec::new(),
        }
    }
}

/// Returns true if a list of rules and severities (`warnings`, `notes`) matches a finding.
fn matches_list(list: &[String], rule: &Rule, severity: Severity) -> bool {
    list.iter()
        .any(|item| rule.has_id(item) || item.strip_suffix('s').is_some_and(|word| word == severity.as_str()))
}
