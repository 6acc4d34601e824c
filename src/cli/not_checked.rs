//! Reports what a run could not read or decide. Such a run ends with exit code 2: see [`Out::is_incomplete`].

use std::path::Path;

use super::out::Out;
use olm_bundle::Tree;
use olm_catalog::{Catalog, PackageName};
use olm_check::{Finding, review::readiness::Readiness};
use olm_source::unread_part_of;
use olm_upgrade::{
    resolve::Answer,
    safety::{NotChecked, PackageSafety},
};
use olmap_report::omissions::OmittedPart;

/// Maximum number of reasons that are listed.
const MAX_LISTED: usize = 8;

/// Reports the part of a catalog that a check leaves out.
pub fn report_left_out(left_out: &OmittedPart, out: &Out) {
    let reason = format!("not everything could be checked: {}", left_out.describe_omission());
    out.report_not_checked(&reason, Some(&left_out.user_hint()));
}

/// Reports the part of a catalog that could not be read, if it may matter to some packages.
pub fn report_unread(catalog: &Catalog, matters: impl Fn(&PackageName) -> bool, out: &Out) {
    if let Some(left_out) = OmittedPart::unread_in_packages(catalog, matters) {
        report_left_out(&left_out, out);
    }
}

/// Reports the findings that say that something was not checked; ignores all others.
pub fn report_findings<'f>(findings: impl IntoIterator<Item = &'f Finding>, out: &Out) {
    let findings: Vec<&Finding> = findings.into_iter().filter(|f| f.is_not_checked()).collect();
    let of_package = |finding: &&Finding| match &finding.package {
        Some(package) => format!("{package}: {}", finding.message),
        None => finding.message.clone(),
    };
    report_reasons(&findings.iter().map(of_package).collect::<Vec<_>>(), out);
}

/// Reports the upgrade steps that were not judged because manifests cannot be read.
pub fn report_steps(safety: &PackageSafety, out: &Out) {
    let failures = safety.not_checked().into_keys().filter(|reason| reason.is_failure);
    report(&failures.map(|NotChecked { reason, .. }| reason.clone()).collect::<Vec<_>>(), out);
}

/// Reports the first part of a bundle directory that cannot be read.
pub fn report_bundle(path: &Path, tree: &Tree, out: &Out) {
    report(&unread_part_of(path, tree).into_iter().collect::<Vec<_>>(), out);
}

/// Reports the number of queries that were not decided because of a limit of olmap.
pub fn report_count(queries: usize, out: &Out) {
    let s = if queries == 1 { "y" } else { "ies" };
    let reason = format!("{queries} quer{s}, because of a limit of olmap; the answers say so");
    report(&(queries > 0).then_some(reason).into_iter().collect::<Vec<_>>(), out);
}

/// Reports files or queries, each as a text with its name and the reason.
pub fn report_files(reasons: impl IntoIterator<Item = String>, out: &Out) {
    report(&reasons.into_iter().collect::<Vec<_>>(), out);
}

/// Reports the packages whose manifests cannot be read.
pub fn report_readiness(all: &[Readiness], out: &Out) {
    let failures = all.iter().filter_map(|ready| {
        let not_checked = ready.not_checked.as_ref().filter(|not_checked| not_checked.is_failure)?;
        Some(format!("{}: {}", ready.package, not_checked.reason))
    });
    report(&failures.collect::<Vec<_>>(), out);
}

/// Reports the part of a resolution that was not decided because of a limit of olmap.
pub fn report_answer(answer: &Answer, out: &Out) {
    report(&answer.undecided_part().into_iter().collect::<Vec<_>>(), out);
}

fn report(reasons: &[String], out: &Out) {
    report_reasons(&reasons.iter().map(|reason| format!("not checked: {reason}")).collect::<Vec<_>>(), out);
}

fn report_reasons(reasons: &[String], out: &Out) {
    for reason in reasons.iter().take(MAX_LISTED) {
        out.report_not_checked(reason, None);
    }
    if let Some(more) = reasons.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        out.report_not_checked(&format!("not checked: {more} more"), None);
    }
}
