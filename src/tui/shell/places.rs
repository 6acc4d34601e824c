//! Screens, places, catalogs, and quitting.

use crate::tui::{
    dialogs::{
        catalog_list::CatalogList,
        prompt::{Prompt, PromptPurpose},
        quit_confirmation::{self, QuitConfirmation},
    },
    keys::{ActionId, Screen, spec::Enabled},
    parts::theme_settings::{ColorDepth, ThemeName},
    screens::packages::table::explain_absent_package,
    session::{
        jobs::base_comparison::{self, find_changed_catalog},
        navigation::Selection,
        recovery,
        wait_state::{BlockingWork, Stage},
        what_if,
    },
    shell::model::Model,
    work::{Effect, ScreenEvent, Source, outcome::LoadProgress},
};

/// Shows a screen. The graph of one channel shows a channel that has the selected bundle. Screens about a
/// package show that of the selected row, in another catalog if the current catalog lacks it.
pub(in crate::tui) fn show_screen(model: &mut Model, screen: Screen) -> Vec<Effect> {
    if model.session.navigation.screen == screen {
        return Vec::new();
    }
    let is_about_row = matches!(screen, Screen::Graph | Screen::Upgrades | Screen::Resolve);
    let table = model.screens.packages.table();
    let missing = table.visible_missing_package(&model.session).filter(|_| is_about_row);
    let elsewhere = missing.and_then(|_| table.package_elsewhere(&model.session));
    if let Some(package) = missing
        && elsewhere.is_none()
    {
        let words = explain_absent_package(package);
        model.notices.report_refusal(words);
        return Vec::new();
    }
    let short_name = |model: &Model| {
        let open = model.session.current_catalog();
        open.map(|open| model.session.catalogs.short_source_name(&open.source)).unwrap_or_default()
    };
    let left = short_name(model);
    let mut moved = None;
    let changed = find_changed_catalog(&model.session).filter(|_| screen == Screen::Changes);
    model.session.jump_with(|session| {
        if let Some(catalog) = changed {
            session.catalogs.set_current(catalog);
            session.correct_all_selections();
        }
        if let Some((catalog, package)) = &elsewhere {
            session.catalogs.set_current(*catalog);
            session.select_package(package.clone());
        }
        session.navigation.screen = screen;
        moved = session.select_channel_with_bundle();
    });
    if let Some((_, package)) = &elsewhere {
        moved = Some(format!("{package} is not in {left}: {} has it", short_name(model)));
    }
    if changed.is_some() {
        moved = Some(format!("{left} does not differ: these are the changes of {}", short_name(model)));
    }
    if let Some(words) = moved {
        model.notices.report_done(words);
    }
    model.with_screen(|screen, cx| screen.handle_event(ScreenEvent::Shown, cx)).1
}

pub(in crate::tui) fn has_place_back(model: &Model) -> Enabled {
    if model.session.navigation.place_history.has_back() {
        Ok(())
    } else {
        Err("no previous place".to_owned())
    }
}

pub(in crate::tui) fn has_place_forward(model: &Model) -> Enabled {
    if model.session.navigation.place_history.has_forward() {
        Ok(())
    } else {
        Err("no next place".to_owned())
    }
}

pub(in crate::tui) fn go_to_previous_place(model: &mut Model) -> Vec<Effect> {
    let now = model.session.current_place();
    if let Some(place) = model.session.navigation.place_history.go_back(now) {
        model.session.go_to_place(place);
    }
    Vec::new()
}

pub(in crate::tui) fn go_to_next_place(model: &mut Model) -> Vec<Effect> {
    let now = model.session.current_place();
    if let Some(place) = model.session.navigation.place_history.go_forward(now) {
        model.session.go_to_place(place);
    }
    Vec::new()
}

pub(in crate::tui) fn has_several_catalogs(model: &Model) -> Enabled {
    if model.session.catalogs.all().len() > 1 { Ok(()) } else { Err("only one catalog is open".to_owned()) }
}

pub(in crate::tui) fn next_catalog(model: &mut Model) -> Vec<Effect> {
    switch_catalog_by(model, 1)
}

pub(in crate::tui) fn previous_catalog(model: &mut Model) -> Vec<Effect> {
    switch_catalog_by(model, model.session.catalogs.all().len().saturating_sub(1))
}

pub(in crate::tui) fn pick_catalog(model: &mut Model) -> Vec<Effect> {
    model.open_dialog(Box::new(CatalogList::new(&model.view())));
    Vec::new()
}

/// Switches to the catalog that is some columns of Packages to the right. The first one follows the last one.
fn switch_catalog_by(model: &mut Model, by: usize) -> Vec<Effect> {
    let (order, current) = (model.session.catalog_order(), model.session.catalogs.current_index());
    let column = order.iter().position(|catalog| *catalog == current).unwrap_or_default();
    let next = order.get((column + by) % order.len().max(1));
    switch_to_catalog(model, next.copied().unwrap_or(current))
}

/// Switches to another catalog and keeps the selection if it exists there, so that catalogs can be
/// compared.
pub(super) fn switch_to_catalog(model: &mut Model, next: usize) -> Vec<Effect> {
    // The highlighted package of the table may be missing in the current catalog.
    let selection = match model.screens.packages.table().visible_missing_package(&model.session) {
        Some(package) => Selection { package: Some(package.clone()), ..Selection::default() },
        None => model.session.selection().clone(),
    };
    model.session.jump_with(|session| {
        session.catalogs.set_current(next);
        let there = selection
            .package
            .as_ref()
            .is_some_and(|package| session.snapshot().is_some_and(|s| s.package(package.as_str()).is_some()));
        if there && let Some(open) = session.catalogs.current_mut() {
            open.selection = selection;
        }
        session.correct_selection();
    });
    Vec::new()
}

pub(in crate::tui) fn can_reload(model: &Model) -> Enabled {
    if !model.session.catalogs.all().iter().all(recovery::can_rebase) {
        return Err("saved edits were undone: first save again or redo them".to_owned());
    }
    if model.session.catalogs.all().iter().any(|open| open.what_if.is_some()) {
        return Err(what_if::block_reason(&model.view()));
    }
    if model.session.catalogs.sources().iter().all(|s| !matches!(s, Source::Path(_))) {
        return Err("this is not on disk".to_owned());
    }
    Ok(())
}

pub(in crate::tui) fn reload(model: &mut Model) -> Vec<Effect> {
    model.session.waiting.busy = Some(BlockingWork::Reading);
    let show = model.session.catalogs.all().is_empty();
    if show {
        model.session.waiting.stage = Stage::Loading(LoadProgress::default());
    }
    let mut effects = model.with_context(base_comparison::reread_bases);
    let sources = model.session.catalogs.sources().to_vec();
    effects.push(model.session.jobs.request_load(sources, show));
    effects
}

pub(in crate::tui) fn is_idle(model: &Model) -> Enabled {
    model.session.waiting.busy.map_or(Ok(()), |busy| Err(busy.block_reason().to_owned()))
}

pub(in crate::tui) fn ask_for_catalog(model: &mut Model) -> Vec<Effect> {
    let title = "Open a directory, a file, an image or an address";
    let prompt = Prompt::new(title, PromptPurpose::Source, String::new(), &model.view());
    model.open_dialog(Box::new(prompt));
    Vec::new()
}

pub(in crate::tui) fn quit_or_ask(model: &mut Model) -> Vec<Effect> {
    if model.session.catalogs.unsaved_count() > 0 {
        if model.dialogs.last().is_none_or(|dialog| dialog.id() != quit_confirmation::DIALOG) {
            model.open_dialog(Box::new(QuitConfirmation));
        }
        return Vec::new();
    }
    model.is_quitting = true;
    vec![Effect::Quit]
}

/// Returns an error if colors are off, because themes would have no effect.
pub(in crate::tui) fn has_colors(model: &Model) -> Enabled {
    if model.settings.theme_settings.color_depth == ColorDepth::None {
        return Err("colours are off (NO_COLOR, --color never or TERM=dumb)".to_owned());
    }
    Ok(())
}

/// Switches to a theme, and says how to keep it.
pub(in crate::tui) fn set_theme(model: &mut Model, theme: ThemeName) -> Vec<Effect> {
    model.settings.theme_settings.theme = theme;
    let name = theme.name();
    model.notices.report_done(format!("theme {name}; to keep it: theme = \"{name}\" in config.toml"));
    Vec::new()
}

/// Returns an error if the catalog is not a semver template.
pub(in crate::tui) fn has_semver_lists(model: &Model) -> Enabled {
    let snapshot = model.session.snapshot();
    let template = snapshot.and_then(|snapshot| snapshot.catalog.template());
    match template.and_then(|template| template.semver()) {
        Some(_) => Ok(()),
        None => Err("this is not an olm.semver template".to_owned()),
    }
}

/// Returns an error if no package is selected.
pub(in crate::tui) fn has_package(model: &Model) -> Enabled {
    model.session.selected_package().map(|_| ()).ok_or_else(|| "no package is selected".to_owned())
}

/// Returns an error unless catalogs of several OpenShift versions are open.
pub(in crate::tui) fn has_several_versions(model: &Model) -> Enabled {
    if model.session.catalogs.openshift_version_count() > 1 {
        return Ok(());
    }
    let key = model.key_label(ActionId::OpenCatalog);
    Err(format!("a plan needs catalogs of two OpenShift versions: {key} opens one more"))
}
