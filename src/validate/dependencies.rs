//! Rules about requirements that nothing of the catalog meets, or nothing that is still offered first.

use super::{diagnostic::Diagnostic, findings::Findings, rule::Rule, rules, subject::Subject, words::list};
use crate::upgrade::apis::{Want, Why};

pub(super) fn unmet(s: &Subject<'_>, found: &mut Findings) {
    for want in s.around.wants(&s.package.name).iter().filter(|want| want.why == Why::Missing) {
        let message =
            format!("no bundle of this catalog provides {}: required by {}", want.what, required_by(s, want));
        found.extend(finding(s, &rules::UNMET_DEPENDENCY, want, message));
    }
}

pub(super) fn dropped(s: &Subject<'_>, found: &mut Findings) {
    for want in s.around.wants(&s.package.name) {
        let Why::Dropped(by) = &want.why else { continue };
        let message = format!(
            "no head provides {}, only older bundles of {}: required by {}",
            want.what,
            list(by),
            required_by(s, want)
        );
        found.extend(finding(s, &rules::OUTDATED_DEPENDENCY, want, message));
    }
}

/// `beacon-operator 0.3.0 to 0.5.0 (3 bundles)`
fn required_by(s: &Subject<'_>, want: &Want) -> String {
    format!("{} {}", s.package.name, want.by)
}

/// The finding, at the requirement of the highest bundle that has it.
fn finding(s: &Subject<'_>, rule: &'static Rule, want: &Want, message: String) -> Option<Diagnostic> {
    let bundle = s.package.bundles.get(want.bundle)?;
    let requirement = bundle.requires.get(want.requirement)?;
    let finding = Diagnostic::new(rule, message).bundle(&bundle.name.value).names([&want.what]);
    Some(finding.at(bundle.doc, requirement.span()))
}
