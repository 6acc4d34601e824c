//! Notice about the result of a comparison.

use super::BaseComparison;
use crate::tui::{
    keys::{ActionId, Screen},
    session::{Session, context::Context, open_catalog::OpenCatalog},
    work::comparison::Comparison,
};
use olmap_report::document::count_noun;

/// Maximum number of impacts in the notice about a comparison.
const MAX_REPORTED_IMPACTS: usize = 2;

/// Reports the first comparisons with the base of the current catalog, once all are ready. The user sees the only one on
/// Changes. Several are shown there from the first catalog that differs.
pub(super) fn report_comparisons(cx: &mut Context<'_>) {
    let session = &*cx.session;
    let is_waiting = |open: &OpenCatalog| {
        let BaseComparison { active_base, base_job, .. } = &open.base_comparison;
        base_job.is_waiting() || active_base.as_ref().is_some_and(|against| against.comparison.is_none())
    };
    if session.catalogs.all().iter().any(is_waiting) {
        return;
    }
    let Some(base) = session.catalogs.base().cloned() else { return };
    let mut results: Vec<(String, Vec<String>)> = Vec::new();
    for (open, label) in session.catalogs.all().iter().zip(session.catalogs.labels()) {
        let against = open.base_comparison.active_base.as_ref();
        let against = against.filter(|against| against.base == base && !against.is_reported);
        let Some(comparison) = against.and_then(|against| against.comparison.as_ref()) else { continue };
        let words = describe_comparison(comparison);
        match results.iter_mut().find(|(known, _)| *known == words) {
            Some((_, labels)) => labels.push(label),
            None => results.push((words, vec![label])),
        }
    }
    let compared: usize = results.iter().map(|(_, labels)| labels.len()).sum();
    let is_visible = session.navigation.screen == Screen::Changes && compared == 1;
    let name = session.catalogs.short_base_name(&base);
    let show = cx.key_label(ActionId::ShowChanges).to_owned();
    for open in cx.session.catalogs.all_mut() {
        if let Some(against) = open.base_comparison.active_base.as_mut().filter(|it| it.base == base) {
            against.is_reported = true;
        }
    }
    if compared == 0 {
        return;
    }
    // A single comparison is that of a catalog which the user has just visited.
    let is_shown = cx.session.navigation.screen == Screen::Changes && compared > 1;
    if let Some(catalog) = find_changed_catalog(cx.session).filter(|_| is_shown) {
        cx.session.catalogs.set_current(catalog);
        cx.session.correct_all_selections();
    }
    if is_visible {
        return;
    }
    let words = results.into_iter().map(|(words, labels)| match compared {
        1 => words,
        _ => format!("{}: {words}", labels.join(", ")),
    });
    let words = words.collect::<Vec<_>>().join("; ");
    let next = match compared {
        1 => String::new(),
        _ => format!(", {} shows the next catalog", cx.key_label(ActionId::NextCatalog)),
    };
    cx.notices.report_done(format!("compared with {name}: {words}   ({show} shows the changes{next})"));
}

/// Returns the first catalog that differs from the base of the current catalog. `None` if the current catalog differs, or
/// nothing is compared.
pub(in crate::tui) fn find_changed_catalog(session: &Session) -> Option<usize> {
    if !session.shows_comparison() {
        return None;
    }
    let differs = |open: &OpenCatalog| {
        open.base_comparison.comparison().is_some_and(|comparison| !comparison.difference.is_empty())
    };
    let current = session.current_catalog()?;
    let is_same = !differs(current);
    current.base_comparison.comparison().filter(|comparison| is_same && comparison.left_out.is_empty())?;
    let base = current.base_comparison.base();
    session.catalogs.all().iter().position(|open| open.base_comparison.base() == base && differs(open))
}

/// Returns the number of changed packages and the worst impacts.
fn describe_comparison(comparison: &Comparison) -> String {
    let packages = match comparison.changed_packages {
        0 => "no package differs".to_owned(),
        count => count_noun(count, "package differs", "packages differ"),
    };
    let impacts = comparison.impacts.iter().take(MAX_REPORTED_IMPACTS).map(|(_, words)| words.clone());
    std::iter::once(packages).chain(impacts).collect::<Vec<_>>().join(", ")
}
