//! Installed bundles that take part in the resolution. With the fail-forward upgrade strategy,
//! bundles whose last replacement failed are dropped.

use std::collections::{HashMap, HashSet};

use super::{
    answer::Failure,
    question::{InstalledCsv, Question},
};
use olm_catalog::BundleName;

/// Phase of a CSV that another CSV replaces.
const REPLACING: &str = "Replacing";
/// Phase of a CSV whose installation failed.
const FAILED: &str = "Failed";

/// Returns the indexes of the installed bundles that take part in the resolution.
///
/// # Errors
///
/// With fail-forward, if a bundle in a chain of replacements is not in the phase for it.
pub(super) fn find_relevant(question: &Question) -> Result<Vec<usize>, Failure> {
    let all = 0..question.installed.len();
    if !question.fails_forward {
        return Ok(all.collect());
    }
    let replaced_by: HashMap<&BundleName, &InstalledCsv> =
        question.installed.iter().filter_map(|csv| Some((csv.replaces.as_ref()?, csv))).collect();
    let mut kept = Vec::new();
    for at in all {
        let Some(csv) = question.installed.get(at) else { continue };
        if !(last_replacement(csv, &replaced_by)?.phase == FAILED && csv.phase == REPLACING) {
            kept.push(at);
        }
    }
    Ok(kept)
}

/// Follows the chain of replacements of an installed bundle to its end.
fn last_replacement<'a>(
    csv: &'a InstalledCsv,
    replaced_by: &HashMap<&BundleName, &'a InstalledCsv>,
) -> Result<&'a InstalledCsv, Failure> {
    let mut seen = HashSet::new();
    let mut current = csv;
    while let Some(next) = replaced_by.get(&current.name) {
        if !seen.insert(&current.name) {
            return Err(Failure::Existing(format!("the installed {} replaces itself in the end", csv.name)));
        }
        if current.phase != REPLACING {
            return Err(Failure::Existing(format!(
                "{} is in phase {} though {} replaces it; with fail-forward it must be {REPLACING}",
                current.name, current.phase, next.name
            )));
        }
        current = next;
    }
    Ok(current)
}
