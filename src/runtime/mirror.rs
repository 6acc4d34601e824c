//! Result of oc-mirror for an open catalog.

use std::{path::Path, sync::Arc};

use crate::tui::{
    UserError,
    work::{outcome::MirrorPreview, preview},
};
use olm_catalog::load::{quotable, regular_file};
use olm_check::review::Snapshot;
use olm_plan::mirror::{self, CheckQuestion, MirrorCheck, Section};
use olm_upgrade::Engine;

/// Maximum number of names in a line.
const MAX_NAMES: usize = 3;

/// Loads a configuration and applies it to the catalog.
pub(super) fn apply_configuration(
    snapshot: &Snapshot,
    asked: &Path,
) -> Result<Box<MirrorPreview>, UserError> {
    let (file, number) = split_number(asked);
    let said = |error: std::io::Error| UserError::new(format!("cannot read {}: {error}", file.display()));
    let bytes = regular_file::read_regular(&file, regular_file::MAX_HANDWRITTEN_SIZE).map_err(said)?;
    let sections =
        mirror::parse_configuration(&bytes).map_err(|broken| match quotable::check_quotable(&file) {
            Ok(()) => UserError { message: broken.to_string(), hint: broken.kind.hint().map(str::to_owned) },
            Err(why) => UserError::new(format!("line {} is wrong; it is not shown: {why}", broken.line)),
        })?;
    let section = select_section(sections, number)?;
    let catalog = &snapshot.catalog;
    let refused = |fault: mirror::MirrorError| UserError {
        message: format!("oc-mirror refuses it: {fault}"),
        hint: fault.hint(),
    };
    let filtered = mirror::filter_catalog(catalog, &section).map_err(refused)?;
    let question = CheckQuestion { engines: vec![Engine::Classic, Engine::V1], installed: Vec::new() };
    let check = mirror::check_upgrades(catalog, &section, &question).map_err(refused)?;
    let outcome = preview::preview_edit(snapshot, mirror::build_filter_edit(catalog, &filtered), &[])
        .map_err(UserError::new)?;
    let count = |of: &olm_catalog::Catalog| of.packages().map(|package| package.bundles.len()).sum::<usize>();
    let words = format!(
        "oc-mirror: {} of {} bundles mirrored, {}",
        count(&filtered),
        count(catalog),
        describe_lost_upgrades(&check)
    );
    let fails = check.failures().next().is_some();
    Ok(Box::new(MirrorPreview { outcome: Arc::clone(&outcome), summary: words, has_worse_off_users: fails }))
}

/// Splits `FILE#2`, which selects the second catalog of a file.
fn split_number(asked: &Path) -> (std::path::PathBuf, Option<usize>) {
    let text = asked.to_string_lossy();
    let split = text.rsplit_once('#').and_then(|(file, number)| Some((file, number.parse().ok()?)));
    match split {
        Some((file, number)) if !asked.exists() => {
            (super::target_path::expand_home(file.into()), Some(number))
        }
        _ => (super::target_path::expand_home(asked.to_owned()), None),
    }
}

/// Returns the catalog of a configuration with a number, or the only one.
fn select_section(sections: Vec<Section>, number: Option<usize>) -> Result<Section, UserError> {
    let all = sections.len();
    let at = match number {
        None if all > 1 => {
            let names: Vec<&str> = sections.iter().map(|section| section.catalog.as_str()).collect();
            return Err(UserError {
                message: format!("it mirrors {all} catalogs: {}", names.join(", ")),
                hint: Some("put #1, #2 ... behind the path".to_owned()),
            });
        }
        None => Some(0),
        Some(number) => number.checked_sub(1),
    };
    let found = at.and_then(|at| sections.into_iter().nth(at));
    found.ok_or_else(|| {
        UserError::new(if all == 0 {
            "it mirrors no catalog".to_owned()
        } else {
            format!("it mirrors {all}")
        })
    })
}

/// Lists the installed versions that lose upgrades.
fn describe_lost_upgrades(check: &MirrorCheck) -> String {
    let mut who: Vec<String> = Vec::new();
    for position in check.failures() {
        let words = format!("{} ({})", position.installed, position.impact.as_str());
        if !who.contains(&words) {
            who.push(words);
        }
    }
    let rejected = if check.rejections.is_empty() { "" } else { ", and opm rejects what is mirrored" };
    let words = match who.len() {
        0 => "all installed versions can be upgraded".to_owned(),
        1 => format!("1 installed version cannot be upgraded as before: {}", who.concat()),
        n => {
            let more =
                n.checked_sub(MAX_NAMES).filter(|more| *more > 0).map(|more| format!(" and {more} more"));
            let told = who.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
            format!("{n} installed versions cannot be upgraded as before: {told}{}", more.unwrap_or_default())
        }
    };
    format!("{words}{rejected}")
}
