//! Filtering, searching and sorting lists, and dialogs with actions.

use crate::tui::{
    dialogs::{
        api_list::{ApiList, jump_to_group},
        configuration::ConfigurationProblems,
        filter::ListFilter,
        finder::Finder,
        notice_log::NoticeLog,
        palette::CommandPalette,
    },
    keys::{ActionId, Scope, Screen, spec::Enabled},
    parts::list::{ListId, ListOrder},
    shell::{
        action_table, command,
        model::Model,
        tour::{self, Tour},
    },
    work::{Command, Effect, ProgramChoice},
};
use olm_bundle::outline::Part;
use olm_catalog::blob::DependencyTarget;
use olm_upgrade::apis::{DependencyIndex, Side};
use olmap_report::escape;

pub(in crate::tui) fn can_filter(model: &Model) -> Enabled {
    match model.screen_list() {
        ListId::SideBySide => {
            Err(format!("no filter here; find a bundle with {}", model.key_label(ActionId::Find)))
        }
        ListId::Details
        | ListId::Reasons
        | ListId::Changes
        | ListId::Finding
        | ListId::Preview
        | ListId::Dialog(_) => Err("no list to filter here".to_owned()),
        list if model.row_count(list) == 0 && model.session.lists.filter(list).is_empty() => {
            Err("nothing to filter here".to_owned())
        }
        _ => Ok(()),
    }
}

pub(in crate::tui) fn open_filter(model: &mut Model) -> Vec<Effect> {
    let list = model.screen_list();
    if matches!(list, ListId::Packages | ListId::PackageTable) {
        model.session.jobs.console_fields.start();
    }
    model.open_dialog(Box::new(ListFilter::new(list, &model.view())));
    Vec::new()
}

pub(in crate::tui) fn can_sort(model: &Model) -> Enabled {
    if let Some(own) = model.visible_screen().can_sort(&model.view()) {
        return own;
    }
    let list = match model.screen_list() {
        list if ListOrder::for_list(list).is_empty() => return Err("no list to sort here".to_owned()),
        list => list,
    };
    if model.row_count(list) == 0 { Err("nothing to sort here".to_owned()) } else { Ok(()) }
}

pub(in crate::tui) fn sort_focused_list(model: &mut Model) -> Vec<Effect> {
    sort_list(model, model.screen_list())
}

/// Sorts a list by its next order. Lists that select by name keep their selection.
pub(in crate::tui) fn sort_list(model: &mut Model, list: ListId) -> Vec<Effect> {
    let (has_own, effects) = model.with_screen(|screen, cx| screen.sort_by_next_order(cx));
    if has_own {
        return effects;
    }
    model.session.lists.select_next_order(list);
    if let Some(order) = model.session.lists.order_of(list) {
        model.notices.report_done(format!("sorted {}", order.short_description()));
    }
    if matches!(list, ListId::Problems | ListId::Deprecations) {
        model.derive();
        if model.row_count(list) > 0 {
            return model.select_row(list, 0);
        }
    }
    Vec::new()
}

pub(in crate::tui) fn open_finder(model: &mut Model) -> Vec<Effect> {
    model.session.jobs.console_fields.start();
    model.open_dialog(Box::new(Finder::new(&model.session)));
    Vec::new()
}

/// Shows all APIs and packages, or for an API of the Bundle screen the other side of it. If the
/// other side is a single package, goes there.
pub(in crate::tui) fn show_apis(model: &mut Model) -> Vec<Effect> {
    let of = selected_api(model);
    let index = || {
        DependencyIndex::from_catalogs(
            model.session.catalogs.all().iter().map(|open| &*open.visible_state().catalog),
        )
    };
    let only = of.as_ref().and_then(|(thing, side)| {
        let index = index();
        match index.usage(thing)?.side(*side) {
            [only] => jump_to_group(only),
            _ => None,
        }
    });
    if let Some(jump) = only {
        return command::execute_commands(model, vec![Command::Go(jump)]);
    }
    model.open_dialog(Box::new(ApiList::new(of, &model.view())));
    Vec::new()
}

/// Returns the API or package of the selected row of the Bundle screen, with its other side.
fn selected_api(model: &Model) -> Option<(DependencyTarget, Side)> {
    if model.session.navigation.screen != Screen::Bundle {
        return None;
    }
    let (section, row) = model.screens.bundle.selected_section_and_row()?;
    let side = if section.part == Part::Owned { Side::Required } else { Side::Provided };
    Some((row?.dependency_target.clone()?, side))
}

pub(in crate::tui) fn can_tour(model: &Model) -> Enabled {
    tour::check_available(model)
}

pub(in crate::tui) fn toggle_tour(model: &mut Model) -> Vec<Effect> {
    model.tour = match model.tour {
        Some(_) => None,
        None => Some(Tour::default()),
    };
    Vec::new()
}

pub(in crate::tui) fn has_log(model: &Model) -> Enabled {
    if model.notices.log.is_empty() { Err("no messages yet".to_owned()) } else { Ok(()) }
}

/// Shows the log and hides the current notice, because the log contains it.
pub(in crate::tui) fn open_log(model: &mut Model) -> Vec<Effect> {
    model.notices.dismiss_persistent();
    model.open_dialog(Box::new(NoticeLog::new(&model.view())));
    Vec::new()
}

pub(in crate::tui) fn open_palette(model: &mut Model) -> Vec<Effect> {
    open_commands(model, None)
}

pub(in crate::tui) fn open_help(model: &mut Model) -> Vec<Effect> {
    open_commands(model, Some(Scope::Screen(model.session.navigation.screen)))
}

pub(in crate::tui) fn has_configuration_problems(model: &Model) -> Enabled {
    let configuration = &model.settings.configuration;
    match (&configuration.path, configuration.problems.is_empty()) {
        (_, false) => Ok(()),
        (Some(path), true) => {
            Err(format!("no errors in {}", escape::escape_line(&path.display().to_string())))
        }
        (None, true) => Err("no configuration file, using defaults".to_owned()),
    }
}

pub(in crate::tui) fn show_configuration(model: &mut Model) -> Vec<Effect> {
    model.open_dialog(Box::new(ConfigurationProblems::new(&model.settings)));
    Vec::new()
}

/// Opens the list of a scope's keys, or of all actions.
pub(in crate::tui) fn open_commands(model: &mut Model, scope: Option<Scope>) -> Vec<Effect> {
    let is_allowed = |spec: &_| action_table::check_permitted(model, spec).is_ok();
    let palette = CommandPalette::new(scope, &model.view(), &is_allowed);
    model.open_dialog(Box::new(palette));
    Vec::new()
}

pub(in crate::tui) fn toggle_mouse(model: &mut Model) -> Vec<Effect> {
    model.frame.captures_mouse = !model.frame.captures_mouse;
    if model.frame.captures_mouse {
        model.notices.report_done("mouse on");
    } else {
        let key = model.program_keys(ProgramChoice::Mouse);
        let words = format!("mouse off: select text with it; {key} turns it on");
        model.notices.report_done(words);
    }
    vec![Effect::CaptureMouse(model.frame.captures_mouse)]
}

pub(in crate::tui) fn has_catalog(model: &Model) -> Enabled {
    model.session.current_catalog().map(|_| ()).ok_or_else(|| "no catalog is open".to_owned())
}
