//! Findings about unreadable input, and about questions that a limit of olmap left undecided. A
//! check with such a finding has not passed.

use std::path::Path;

use super::{
    dependencies::constraints_over_limit, finding::Finding, findings::Findings, format::format_name, rules,
    subject::PackageSubject,
};
use olm_catalog::package::Package;
use olm_upgrade::safety::{NotChecked, PackageSafety};

const HELP_DECIDE: &str = "simplify the dependencies of the package, or check it on a cluster";
const HELP_READ: &str = "make it readable; what depends on it was not checked";

/// Reports questions about a package that a limit of olmap left undecided.
pub(super) fn undecided(s: &PackageSubject<'_>, found: &mut Findings) {
    let unread: Vec<_> =
        constraints_over_limit(s).into_iter().map(|finding| finding.with_help(HELP_DECIDE)).collect();
    // An unread constraint leaves its channels undecided; report the cause, not each channel.
    let channels = if unread.is_empty() { s.resolution.channels.as_slice() } else { &[] };
    found.extend(unread);
    for standing in channels {
        let Some(reason) = &standing.undecided else { continue };
        let message = format!("{} not checked: {reason}", format_name("channel", &standing.channel));
        let finding = Finding::new(&rules::NOT_CHECKED, message).with_help(HELP_DECIDE);
        let finding = finding.with_channel(&standing.channel).with_bundle(&standing.head);
        let channel = s.package.channel(standing.channel.as_str());
        found.push(match channel {
            Some(channel) => finding.at_span(channel.doc, channel.name.span),
            None => finding,
        });
    }
    if s.resolution.skipped > 0 {
        let message = format!(
            "not checked: what OLM Classic installs from {} further channels of {}",
            s.resolution.skipped, s.package.name
        );
        found.push(locate_at_package(
            s.package,
            Finding::new(&rules::NOT_CHECKED, message).with_help(HELP_DECIDE),
        ));
    }
}

/// Reports unreadable bundles, whose upgrade steps were therefore not checked.
pub fn unread_bundles(package: &Package, safety: &PackageSafety) -> Vec<Finding> {
    let failures = safety.not_checked().into_iter().filter(|(reason, _)| reason.is_failure);
    failures
        .map(|(NotChecked { bundle, reason, .. }, steps)| {
            let steps = if steps == 1 {
                "1 upgrade step was".to_owned()
            } else {
                format!("{steps} upgrade steps were")
            };
            let message = format!("{reason}; {steps} not checked");
            let finding = Finding::new(&rules::NOT_CHECKED, message).with_help(HELP_READ).with_bundle(bundle);
            match package.bundle(bundle.as_str()) {
                Some(blob) => finding.with_package(&package.name).at_span(blob.doc, blob.name.span),
                None => locate_at_package(package, finding),
            }
        })
        .collect()
}

/// Reports that the template of a package cannot be read.
pub fn unread_template(package: &Package, template: &Path, reason: &str) -> Finding {
    let message =
        format!("{} not compared with {}, which cannot be read: {reason}", package.name, template.display());
    locate_at_package(package, Finding::new(&rules::NOT_CHECKED, message).with_help(HELP_READ))
}

fn locate_at_package(package: &Package, finding: Finding) -> Finding {
    let finding = finding.with_package(&package.name);
    match package.definition() {
        Some(definition) => finding.at_span(definition.doc, definition.name.span),
        None => finding,
    }
}

impl Finding {
    /// Returns true if the finding is about unreadable input or an undecided question.
    pub fn is_not_checked(&self) -> bool {
        *self.rule == rules::NOT_CHECKED
    }
}
