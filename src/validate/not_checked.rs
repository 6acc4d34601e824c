//! Findings about unreadable input, and about questions that a limit of olmap left undecided. A
//! check with such a finding has not passed.

use std::path::Path;

use super::{
    dependencies::own_limits, diagnostic::Diagnostic, findings::Findings, rules, subject::Subject,
    words::bare,
};
use crate::{
    catalog::package::Package,
    upgrade::safety::{NotChecked, PackageSafety},
};

const HELP_DECIDE: &str = "simplify the dependencies of the package, or check it on a cluster";
const HELP_READ: &str = "make it readable; what depends on it was not checked";

/// Reports questions about a package that a limit of olmap left undecided.
pub(super) fn undecided(s: &Subject<'_>, found: &mut Findings) {
    let unread: Vec<_> = own_limits(s).into_iter().map(|finding| finding.help(HELP_DECIDE)).collect();
    // An unread constraint leaves its channels undecided; report the cause, not each channel.
    let channels = if unread.is_empty() { s.standings.channels.as_slice() } else { &[] };
    found.extend(unread);
    for standing in channels {
        let Some(reason) = &standing.undecided else { continue };
        let message = format!("{} not checked: {reason}", bare("channel", &standing.channel));
        let finding = Diagnostic::new(&rules::NOT_CHECKED, message).help(HELP_DECIDE);
        let finding = finding.channel(&standing.channel).bundle(&standing.head);
        let channel = s.package.channel(standing.channel.as_str());
        found.push(match channel {
            Some(channel) => finding.at(channel.doc, channel.name.span),
            None => finding,
        });
    }
    if s.standings.skipped > 0 {
        let message = format!(
            "not checked: what OLM Classic installs from {} further channels of {}",
            s.standings.skipped, s.package.name
        );
        found.push(at_package(s.package, Diagnostic::new(&rules::NOT_CHECKED, message).help(HELP_DECIDE)));
    }
}

/// Reports unreadable bundles, whose upgrade steps were therefore not checked.
pub fn unread_bundles(package: &Package, safety: &PackageSafety) -> Vec<Diagnostic> {
    let failures = safety.not_checked().into_iter().filter(|(reason, _)| reason.is_failure);
    failures
        .map(|(NotChecked { bundle, reason, .. }, steps)| {
            let steps = if steps == 1 {
                "1 upgrade step was".to_owned()
            } else {
                format!("{steps} upgrade steps were")
            };
            let message = format!("{reason}; {steps} not checked");
            let finding = Diagnostic::new(&rules::NOT_CHECKED, message).help(HELP_READ).bundle(bundle);
            match package.bundle(bundle.as_str()) {
                Some(blob) => finding.package(&package.name).at(blob.doc, blob.name.span),
                None => at_package(package, finding),
            }
        })
        .collect()
}

/// Reports that the template of a package cannot be read.
pub fn unread_template(package: &Package, template: &Path, reason: &str) -> Diagnostic {
    let message =
        format!("{} not compared with {}, which cannot be read: {reason}", package.name, template.display());
    at_package(package, Diagnostic::new(&rules::NOT_CHECKED, message).help(HELP_READ))
}

fn at_package(package: &Package, finding: Diagnostic) -> Diagnostic {
    let finding = finding.package(&package.name);
    match package.definition() {
        Some(definition) => finding.at(definition.doc, definition.name.span),
        None => finding,
    }
}

impl Diagnostic {
    /// Returns true if the finding is about unreadable input or an undecided question.
    pub fn is_not_checked(&self) -> bool {
        *self.rule == rules::NOT_CHECKED
    }
}
