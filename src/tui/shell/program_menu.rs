//! Menu of what concerns the program and not a catalog: About, messages, theme, mouse, pane sizes,
//! tour and configuration.

use super::{model::Model, panes, places, search};
use crate::tui::{
    dialogs::menu::{Menu, MenuChoice, MenuRow},
    keys::{ActionId, Screen, spec::Enabled},
    parts::theme_settings::ThemeName,
    session::action::Target,
    work::{Effect, ProgramChoice},
};

/// Opens the menu.
pub(in crate::tui) fn open_program_menu(model: &mut Model) -> Vec<Effect> {
    let row = |choice: ProgramChoice, doc: &str, enabled: Enabled| MenuRow {
        letter: choice.letter(),
        doc: doc.to_owned(),
        enabled,
        choice: MenuChoice::Program(choice),
    };
    let mouse = if model.frame.captures_mouse {
        "turn the mouse off, to select text in the terminal"
    } else {
        "turn the mouse on"
    };
    let tour = if model.tour.is_some() { "end the tour" } else { "start the tour in five steps" };
    let rows = vec![
        row(ProgramChoice::About, "about: version, terminal, settings, files and words", Ok(())),
        row(ProgramChoice::Messages, "all messages so far, newest first", search::has_log(model)),
        row(ProgramChoice::Themes, "choose a theme", places::has_colors(model)),
        row(ProgramChoice::Mouse, mouse, Ok(())),
        row(
            ProgramChoice::PaneSizes,
            "reset all panes to their default sizes",
            panes::has_moved_panes(model),
        ),
        row(ProgramChoice::Tour, tour, search::can_tour(model)),
        row(
            ProgramChoice::Configuration,
            "invalid settings in the configuration, which are ignored",
            search::has_configuration_problems(model),
        ),
    ];
    model.open_dialog(Box::new(Menu::from_rows("olmap", Target::for_page(), rows)));
    Vec::new()
}

/// Opens the menu of themes, with the cursor on the current one.
fn open_theme_menu(model: &mut Model) -> Vec<Effect> {
    let current = model.settings.theme_settings.theme;
    let rows = ThemeName::ALL.into_iter().map(|theme| MenuRow {
        letter: theme.letter(),
        doc: theme.doc().to_owned(),
        enabled: Ok(()),
        choice: MenuChoice::Program(ProgramChoice::Theme(theme)),
    });
    let menu = Menu::from_rows("Theme", Target::for_page(), rows.collect());
    let cursor = ThemeName::ALL.into_iter().position(|theme| theme == current).unwrap_or_default();
    model.open_dialog(Box::new(menu.with_cursor(cursor)));
    Vec::new()
}

/// Runs a choice of the menu.
pub(super) fn run_choice(model: &mut Model, choice: ProgramChoice) -> Vec<Effect> {
    match choice {
        ProgramChoice::About => places::show_screen(model, Screen::About),
        ProgramChoice::Messages => search::open_log(model),
        ProgramChoice::Themes => open_theme_menu(model),
        ProgramChoice::Theme(theme) => places::set_theme(model, theme),
        ProgramChoice::Mouse => search::toggle_mouse(model),
        ProgramChoice::PaneSizes => panes::reset_panes(model),
        ProgramChoice::Tour => search::toggle_tour(model),
        ProgramChoice::Configuration => search::show_configuration(model),
    }
}

impl Model {
    /// Returns the keys of a choice of the program menu: the key of the menu and the letter.
    pub fn program_keys(&self, choice: ProgramChoice) -> String {
        choice.keys(self.key_label(ActionId::ProgramMenu))
    }
}
