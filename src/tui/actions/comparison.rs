//! Actions that compare the catalog with another state, compare two bundles, and show the Git history of
//! a package.

use std::sync::Arc;

use crate::tui::{
    actions::{edits::CATALOG_SCREENS, has_bundle, selected_bundle, selected_package},
    dialogs::{
        bundle_choice::BundleChoice, bundle_difference, comparison_choice::ComparisonChoice,
        history::HistoryList,
    },
    keys::{
        ActionId,
        spec::{Enabled, Reason},
    },
    session::{
        action::{Action, Target, action},
        context::{Context, ViewContext},
        jobs::{base_comparison::RepositoryRequest, git_history},
    },
    work::Source,
};
use olm_catalog::{BundleName, package::Package};

pub(in crate::tui) fn can_compare(view_cx: &ViewContext<'_>) -> Enabled {
    if view_cx.session.current_catalog().is_none() {
        return Err("no catalog is open".to_owned());
    }
    if view_cx.session.waiting.is_loading_visibly() {
        return Err("the files are being read".to_owned());
    }
    if view_cx.session.catalogs.unread().is_some() {
        return Err("only a part of this catalog was read".to_owned());
    }
    Ok(())
}

/// Opens the comparison dialog and requests the repositories of the catalogs. The lookup runs each
/// time because a repository may have been created in the meantime.
pub(in crate::tui) fn open_comparison_choice(cx: &mut Context<'_>) {
    cx.open_dialog(ComparisonChoice::new(cx.session));
    let sources: Vec<Source> = cx.session.catalogs.all().iter().map(|open| open.source.clone()).collect();
    for (catalog, source) in sources.into_iter().enumerate() {
        if let Source::Path(path) = source {
            cx.run_job(Arc::new(RepositoryRequest { catalog, path }));
        }
    }
}

pub(in crate::tui) fn is_comparing(view_cx: &ViewContext<'_>) -> Enabled {
    let is_asked =
        view_cx.session.current_catalog().is_some_and(|open| open.base_comparison.pending_base().is_some());
    if view_cx.session.catalogs.base().is_some() || is_asked {
        Ok(())
    } else {
        Err("no comparison is active".to_owned())
    }
}

/// Returns the selected bundle, and the older one to compare it with: the marked bundle, or without a
/// mark the bundle that the selected one replaces. `None` if the user has to choose.
fn select_bundles<'a>(
    target: &'a Target,
    view_cx: &ViewContext<'a>,
) -> Result<(&'a Package, &'a BundleName, Option<&'a BundleName>), Reason> {
    has_bundle(target, view_cx)?;
    let name = selected_bundle(target)?;
    let package = selected_package(target, view_cx)?.package();
    let there = |name: &BundleName| package.bundle(name.as_str()).map(|bundle| &bundle.name.value);
    there(name).ok_or_else(|| format!("{name} has no bundle in this catalog"))?;
    let marked = view_cx
        .session
        .navigation
        .marked_bundle
        .as_ref()
        .filter(|(of, mark)| *of == package.name && mark != name);
    if let Some((_, mark)) = marked {
        let old = there(mark).ok_or_else(|| format!("{mark} has no bundle in this catalog"))?;
        return Ok((package, name, Some(old)));
    }
    // Prefer the edges of the selected channel.
    let own = target.channel.as_ref().and_then(|channel| package.channel(channel.as_str()));
    let channels = own.into_iter().chain(&package.channels);
    let entries = channels.flat_map(|channel| &channel.entries).filter(|entry| entry.name.value == *name);
    let mut replaced = entries.filter_map(|entry| there(&entry.replaces.as_ref()?.value));
    let old = replaced.next();
    if old.is_none() && package.bundles.iter().all(|bundle| bundle.name.value == *name) {
        return Err(format!("{} has no other bundle to compare with", package.name));
    }
    Ok((package, name, old))
}

pub(super) fn can_compare_bundles(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    select_bundles(target, view_cx).map(drop)
}

pub(super) fn compare_bundles(target: &mut Target, cx: &mut Context<'_>) {
    let Ok((package, name, old)) = select_bundles(target, &cx.view()) else { return };
    let Some(old) = old.cloned() else {
        let choice = BundleChoice::for_bundle(package, name.clone());
        return cx.open_dialog(choice);
    };
    let (package, name) = (package.name.clone(), name.clone());
    bundle_difference::compare_bundles(cx, &package, [&old, &name]);
}

pub(super) fn can_show_history(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    selected_package(target, view_cx)?;
    let open = view_cx.session.current_catalog().ok_or("no catalog is open")?;
    match &open.source {
        Source::Path(path) if !olm_source::is_image_reference(path) => Ok(()),
        _ => Err("only a catalog on disk has a history".to_owned()),
    }
}

/// Opens the history dialog and requests its commits.
pub(super) fn show_history(target: &mut Target, cx: &mut Context<'_>) {
    if let Some(package) = target.package.clone() {
        git_history::request_history(cx, &package);
        cx.open_dialog(HistoryList::new(package));
    }
}

pub(in crate::tui) static COMPARISON_ACTIONS: &[Action<Target>] = &[
    action(
        ActionId::ShowHistory,
        CATALOG_SCREENS,
        &["ctrl-l"],
        "history",
        "The commits that changed the package, what each did, and the catalog as of then",
        show_history,
    )
    .with_search_terms(&["git", "past", "log", "blame", "revisions", "years", "who"])
    .enabled_when(can_show_history),
    action(
        ActionId::CompareBundles,
        CATALOG_SCREENS,
        &["V"],
        "compare bundles",
        "What differs between the bundle and the one it replaces, or the marked one",
        compare_bundles,
    )
    .with_search_terms(&["versions", "permissions"])
    .enabled_when(can_compare_bundles),
];
