//! Result of oc-mirror for an open catalog.

use std::{path::Path, sync::Arc};

use crate::{
    app::{
        Refusal,
        work::{outcome::Mirrored, preview},
    },
    catalog::load::{quotable, regular},
    plan::mirror::{self, Check, Question, Section},
    review::Snapshot,
    upgrade::Engine,
};

/// Maximum number of names in a line.
const MOST: usize = 3;

/// Loads a configuration and applies it to the catalog.
pub(super) fn mirrored(snapshot: &Snapshot, asked: &Path) -> Result<Box<Mirrored>, Refusal> {
    let (file, number) = numbered(asked);
    let said = |error: std::io::Error| Refusal::new(format!("cannot read {}: {error}", file.display()));
    let bytes = regular::read(&file, regular::MOST_BY_HAND).map_err(said)?;
    let sections = mirror::read(&bytes).map_err(|broken| match quotable::check(&file) {
        Ok(()) => Refusal { message: broken.to_string(), hint: broken.kind.hint().map(str::to_owned) },
        Err(why) => Refusal::new(format!("line {} is wrong; it is not shown: {why}", broken.line)),
    })?;
    let section = meant(sections, number)?;
    let catalog = &snapshot.catalog;
    let refused = |fault: mirror::Fault| Refusal {
        message: format!("oc-mirror refuses it: {fault}"),
        hint: fault.hint(),
    };
    let filtered = mirror::filter(catalog, &section).map_err(refused)?;
    let question = Question { engines: vec![Engine::Classic, Engine::V1], installed: Vec::new() };
    let check = mirror::check(catalog, &section, &question).map_err(refused)?;
    let outcome = preview::of(snapshot, mirror::kept(catalog, &filtered), &[]).map_err(Refusal::new)?;
    let count =
        |of: &crate::catalog::Catalog| of.packages().map(|package| package.bundles.len()).sum::<usize>();
    let words =
        format!("oc-mirror: {} of {} bundles mirrored, {}", count(&filtered), count(catalog), worse(&check));
    let fails = check.failing().next().is_some();
    Ok(Box::new(Mirrored { outcome: Arc::clone(&outcome), words, fails }))
}

/// Splits `FILE#2`, which selects the second catalog of a file.
fn numbered(asked: &Path) -> (std::path::PathBuf, Option<usize>) {
    let text = asked.to_string_lossy();
    let split = text.rsplit_once('#').and_then(|(file, number)| Some((file, number.parse().ok()?)));
    match split {
        Some((file, number)) if !asked.exists() => (super::place::at_home(file.into()), Some(number)),
        _ => (super::place::at_home(asked.to_owned()), None),
    }
}

/// Returns the catalog of a configuration with a number, or the only one.
fn meant(sections: Vec<Section>, number: Option<usize>) -> Result<Section, Refusal> {
    let all = sections.len();
    let at = match number {
        None if all > 1 => {
            let names: Vec<&str> = sections.iter().map(|section| section.catalog.as_str()).collect();
            return Err(Refusal {
                message: format!("it mirrors {all} catalogs: {}", names.join(", ")),
                hint: Some("put #1, #2 ... behind the path".to_owned()),
            });
        }
        None => Some(0),
        Some(number) => number.checked_sub(1),
    };
    let found = at.and_then(|at| sections.into_iter().nth(at));
    found.ok_or_else(|| {
        Refusal::new(if all == 0 { "it mirrors no catalog".to_owned() } else { format!("it mirrors {all}") })
    })
}

/// Lists the installed versions that lose upgrades.
fn worse(check: &Check) -> String {
    let mut who: Vec<String> = Vec::new();
    for position in check.failing() {
        let words = format!("{} ({})", position.installed, position.fate.as_str());
        if !who.contains(&words) {
            who.push(words);
        }
    }
    let rejected = if check.rejections.is_empty() { "" } else { ", and opm rejects what is mirrored" };
    let words = match who.len() {
        0 => "all installed versions can be upgraded".to_owned(),
        1 => format!("1 installed version cannot be upgraded as before: {}", who.concat()),
        n => {
            let more = n.checked_sub(MOST).filter(|more| *more > 0).map(|more| format!(" and {more} more"));
            let told = who.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
            format!("{n} installed versions cannot be upgraded as before: {told}{}", more.unwrap_or_default())
        }
    };
    format!("{words}{rejected}")
}
