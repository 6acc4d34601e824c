//! State of the explorer. Only `update` changes it, and only `view` draws it.

use std::sync::Arc;

use crate::tui::{
    dialogs::{configuration::ConfigurationProblems, dialog::DialogState, filter, palette},
    keys::{ActionId, Dialog, Keymap, Screen, keymap::PendingKeys},
    parts::{frame::Frame, list::ListId, notice::Notices},
    screens::{ScreenState, Screens},
    session::{
        Session, cluster,
        context::{Context, Settings, ViewContext, key_label},
        navigation::SelectableBundles,
        wait_state::Stage,
    },
    shell::{action_table, command, tour::Tour},
    work::{Command, Effect, Source},
};

/// Keymap and pending keys.
#[derive(Debug)]
pub struct KeyState {
    /// The keymap.
    pub map: Arc<Keymap>,
    /// The first keys of a sequence.
    pub pending: Option<PendingKeys>,
}

/// State of the explorer.
#[derive(Debug)]
pub struct Model {
    /// The open catalogs and the selection.
    pub session: Session,
    /// The screens, one of which is visible.
    pub screens: Screens,
    /// The stack of open dialogs. The last one is on top and gets the keys.
    pub dialogs: Vec<Box<dyn DialogState>>,
    /// The last frame.
    pub frame: Frame,
    /// Keymap and pending keys.
    pub keys: KeyState,
    /// The notices.
    pub notices: Notices,
    /// Settings of the user.
    pub settings: Settings,
    /// Progress of the tour, if it is active.
    pub tour: Option<Tour>,
    /// True once the program is about to quit.
    pub is_quitting: bool,
}

/// Separate mutable parts of the model.
pub(super) struct ModelParts<'a> {
    /// The screens.
    pub screens: &'a mut Screens,
    /// The dialogs.
    pub dialogs: &'a mut Vec<Box<dyn DialogState>>,
    /// The context of all other state.
    pub cx: Context<'a>,
}

impl Model {
    /// Creates the model before anything is loaded.
    pub fn new(sources: Vec<Source>, settings: Settings, size: (u16, u16)) -> Self {
        let mut session = Session::new(sources);
        session.navigation.set_selectable_bundles(Screen::Upgrades, SelectableBundles::InPackage);
        session.installed_operators.cluster.clone_from(&settings.installed_operators);
        session.catalogs.set_members(settings.cluster_members.clone());
        session.upgrade_query.openshift =
            settings.installed_operators.as_ref().and_then(|cluster| cluster.openshift());
        let keymap = settings.keymap.clone().unwrap_or_else(|| Arc::new(action_table::default_keymap()));
        let mut model = Self {
            session,
            screens: Screens::default(),
            dialogs: Vec::new(),
            frame: Frame { size, captures_mouse: !settings.no_mouse, ..Frame::default() },
            keys: KeyState { map: keymap, pending: None },
            notices: Notices::default(),
            tour: settings.tour.then(Tour::default),
            settings,
            is_quitting: false,
        };
        if let Some(greeting) = model.settings.greeting.clone() {
            model.notices.report_done(greeting);
        }
        if let Some(cluster) = model.settings.installed_operators.clone() {
            let key =
                key_label(&model.keys.map, model.session.navigation.screen, ActionId::ShowResolve).to_owned();
            model.notices.report_done(cluster::cluster_notice(&cluster, &key));
        }
        // The user should see at once which settings are ignored.
        if !model.settings.configuration.problems.is_empty() {
            model.open_dialog(Box::new(ConfigurationProblems::new(&model.settings)));
        }
        model
    }

    /// Returns the read-only context.
    pub fn view(&self) -> ViewContext<'_> {
        ViewContext {
            session: &self.session,
            settings: &self.settings,
            keys: &self.keys.map,
            frame: &self.frame,
            notices: &self.notices,
        }
    }

    /// Splits the model into screens, dialogs and a context.
    pub(super) fn split<'a>(&'a mut self, then: &'a mut Vec<Command>) -> ModelParts<'a> {
        let in_dialog = !self.dialogs.is_empty();
        ModelParts {
            screens: &mut self.screens,
            dialogs: &mut self.dialogs,
            cx: Context {
                session: &mut self.session,
                notices: &mut self.notices,
                settings: &self.settings,
                keys: &self.keys.map,
                frame: &self.frame,
                in_dialog,
                commands: then,
            },
        }
    }

    /// Returns the visible screen.
    pub fn visible_screen(&self) -> &dyn ScreenState {
        self.screens.get(self.session.navigation.screen)
    }

    /// Calls a function with the visible screen and a context, and executes the resulting commands.
    pub(in crate::tui) fn with_screen<R>(
        &mut self,
        act: impl FnOnce(&mut dyn ScreenState, &mut Context<'_>) -> R,
    ) -> (R, Vec<Effect>) {
        let mut then = Vec::new();
        let ModelParts { screens, mut cx, .. } = self.split(&mut then);
        let result = act(screens.get_mut(cx.session.navigation.screen), &mut cx);
        (result, command::execute_commands(self, then))
    }

    /// Calls a function with a context, and executes the resulting commands.
    pub(in crate::tui) fn with_context(&mut self, act: impl FnOnce(&mut Context<'_>)) -> Vec<Effect> {
        self.with_screen(|_, cx| act(cx)).1
    }

    /// Recomputes derived state of the session and the visible screen; cheap if nothing changed.
    pub(in crate::tui) fn derive(&mut self) {
        self.session.derive();
        if self.session.navigation.screen == Screen::Packages
            && let Some(package) = self.screens.packages.table().added_package(&self.session)
        {
            self.session.select_package(package);
            self.session.derive();
        }
        let mut then = Vec::new();
        let ModelParts { screens, cx, .. } = self.split(&mut then);
        screens.get_mut(cx.session.navigation.screen).update_derived(&cx.view());
    }

    /// Opens a dialog on top of the others.
    pub(in crate::tui) fn open_dialog(&mut self, dialog: Box<dyn DialogState>) {
        self.dialogs.push(dialog);
        self.session.lists.set_first_row(self.dialog_list(), 0);
        self.session.lists.set_first_row(ListId::Preview, 0);
    }

    /// Returns the list of the top dialog.
    pub(in crate::tui) fn dialog_list(&self) -> ListId {
        ListId::Dialog(self.dialogs.len().saturating_sub(1))
    }

    /// Returns the list that the movement keys move in.
    pub fn focused_list(&self) -> ListId {
        if self.dialogs.last().is_some_and(|dialog| dialog.id() != filter::DIALOG) {
            return self.dialog_list();
        }
        self.screen_list()
    }

    /// Returns the focused list of the visible screen.
    pub fn screen_list(&self) -> ListId {
        self.visible_screen().focused_list(&self.view())
    }

    /// Returns the number of rows for the tour above the hint bar. 0 before a catalog is loaded.
    pub(in crate::tui) fn tour_rows(&self) -> u16 {
        let shows = self.tour.is_some() && self.session.waiting.stage == Stage::Ready;
        if shows { Tour::tour_rows(self.frame.size) } else { 0 }
    }

    /// Returns the reason why nothing may be changed. `None` if changes are allowed.
    pub fn read_only(&self) -> Option<&str> {
        self.settings.read_only.as_deref()
    }

    /// Returns the top dialog. Palette and help are skipped, because they describe the dialog
    /// below.
    pub fn top_dialog(&self) -> Option<Dialog> {
        self.dialogs.iter().rev().map(|dialog| dialog.id()).find(|dialog| *dialog != palette::DIALOG)
    }

    /// See [`ViewContext::key_label`].
    pub fn key_label(&self, id: ActionId) -> &str {
        key_label(&self.keys.map, self.session.navigation.screen, id)
    }
}
