//! Checks of catalogs with a chosen set of rules, which may include rules of the caller.

use std::sync::Arc;

use super::{finding::Finding, review::Snapshot, rule::Rule, rules};
use olm_catalog::Catalog;

/// Rules to check catalogs with.
///
/// A rule of the caller is a [`Rule`] in a `static`. Its findings are like those of other rules: they
/// are in every output format, in baselines, and in comparisons of two catalogs.
///
/// ```
/// use olm_check::{Checker, Finding, Findings, PackageSubject, Rule, Severity, rules};
///
/// static PACKAGE_ICON: Rule =
///     Rule::for_packages("package-icon", Severity::Warning, "A package without an icon", report_missing_icon)
///         .with_help("add an icon");
///
/// fn report_missing_icon(subject: &PackageSubject<'_>, findings: &mut Findings) {
///     for package in subject.package().definitions.iter().filter(|package| package.icon.is_none()) {
///         let message = format!("package {} has no icon", package.name.value);
///         findings.push(Finding::new(&PACKAGE_ICON, message).at_span(package.doc, package.name.span));
///     }
/// }
///
/// let catalog = olm_catalog::load::from_bytes(b"{schema: olm.package, name: ship}".to_vec());
/// let checker = Checker::standard().with_rule(&PACKAGE_ICON)?.without_rule(&rules::NO_CHANNELS);
/// let report = checker.check(&catalog);
/// assert!(report.findings().iter().any(|finding| finding.rule.id == "package-icon"));
/// assert!(!report.is_accepted_by_opm());
/// # Ok::<(), olm_check::RuleError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Checker {
    own_rules: Vec<&'static Rule>,
    excluded: Vec<&'static Rule>,
    has_console_rules: bool,
}

/// Reason why a rule cannot be added to a [`Checker`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// Invalid id.
    #[error("rule id {0:?} is not made of lower-case letters, digits and single hyphens")]
    InvalidId(&'static str),
    /// Id of another rule, or a former id of another rule.
    #[error("rule id {0:?} belongs to another rule")]
    DuplicateId(&'static str),
}

impl Checker {
    /// Creates a checker with the rules of [`rules::ALL`] about catalogs, without those about consoles.
    pub fn standard() -> Self {
        Self::default()
    }

    /// Adds a rule of the caller.
    ///
    /// # Errors
    ///
    /// Fails if another rule of the checker has the id, or had it in an earlier version. So an id
    /// means the same rule in every report, and no rule replaces another one. Also fails if the id
    /// is not made of lower-case letters, digits and single hyphens.
    pub fn with_rule(mut self, rule: &'static Rule) -> Result<Self, RuleError> {
        let is_valid = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        if rules::by_id(rule.id).is_some() || self.own_rules.contains(&rule) {
            return Err(RuleError::DuplicateId(rule.id));
        }
        if !rule.id.split('-').all(is_valid) {
            return Err(RuleError::InvalidId(rule.id));
        }
        self.own_rules.push(rule);
        Ok(self)
    }

    /// Adds the rules about consoles: what users see of the catalog in a console.
    #[must_use]
    pub fn with_console_rules(mut self) -> Self {
        self.has_console_rules = true;
        self
    }

    /// Leaves out the findings of a rule. Findings that were merged into them are then listed
    /// separately. The verdict of opm does not change.
    #[must_use]
    pub fn without_rule(mut self, rule: &'static Rule) -> Self {
        self.excluded.push(rule);
        self
    }

    /// Checks a catalog on all cores.
    pub fn check(&self, catalog: &Catalog) -> CheckReport {
        let snapshot = Snapshot::with_own_rules(catalog.clone(), Arc::from(self.own_rules.as_slice()));
        let snapshot =
            if self.has_console_rules { snapshot.with_console_rules(Vec::new()) } else { snapshot };
        let is_chosen = |finding: &Finding| !self.excluded.contains(&finding.rule);
        let findings = snapshot.findings().flat_map(|finding| finding.select_parts(&is_chosen)).collect();
        CheckReport { snapshot, findings }
    }
}

/// Findings of a catalog.
#[derive(Clone, Debug)]
pub struct CheckReport {
    snapshot: Snapshot,
    findings: Vec<Finding>,
}

impl CheckReport {
    /// Returns the findings of all rules that are not left out: those without a package first, then
    /// by package.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns true if `opm validate` accepts the catalog. Rules that are left out still count;
    /// rules of the caller do not, because opm does not know them.
    pub fn is_accepted_by_opm(&self) -> bool {
        super::is_accepted(self.snapshot.findings())
    }

    /// Returns the checked catalog.
    pub fn catalog(&self) -> &Catalog {
        &self.snapshot.catalog
    }

    /// Returns the catalog with everything derived from it, for comparisons. Its findings include
    /// those of rules that are left out.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
}
