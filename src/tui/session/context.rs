//! Contexts of screens, dialogs and actions, with the settings of the user.

use std::{path::PathBuf, sync::Arc};

use crate::{
    config::{Clipboard, Problem},
    tui::{
        keys::{ActionId, Keymap, Scope, Screen},
        parts::{frame::Frame, notice::Notices, theme_settings::ThemeSettings},
        session::{Session, cluster_members::ClusterMember},
        work::{
            Base, Effect, Question,
            command::{Command, EditPurpose, Jump, NewDialog, ProgramChoice, ScreenEvent},
            preview::EditOutcome,
        },
    },
};
use olm_catalog::lifecycle::Date;
use olm_edit::Edit;
use olm_plan::cluster::Cluster;
use olm_source::{ManifestSearchPath, OpenOptions};

/// Read-only context.
#[derive(Clone, Copy, Debug)]
pub struct ViewContext<'a> {
    /// The open catalogs and the selection.
    pub session: &'a Session,
    /// Settings of the user.
    pub settings: &'a Settings,
    /// The keymap.
    pub keys: &'a Keymap,
    /// The last frame.
    pub frame: &'a Frame,
    /// The notices.
    pub notices: &'a Notices,
}

/// Mutable context. Commands are collected as data for the shell.
#[derive(Debug)]
pub struct Context<'a> {
    /// The open catalogs and the selection.
    pub session: &'a mut Session,
    /// The notices.
    pub notices: &'a mut Notices,
    /// Settings of the user.
    pub settings: &'a Settings,
    /// The keymap.
    pub keys: &'a Keymap,
    /// The last frame.
    pub frame: &'a Frame,
    /// Whether a dialog is open.
    pub in_dialog: bool,
    /// The collected commands.
    pub commands: &'a mut Vec<Command>,
}

impl ViewContext<'_> {
    /// Returns the label of an action's key, on the current screen or else on any other. Returns
    /// the action's name if it has no key.
    pub fn key_label(&self, id: ActionId) -> &str {
        key_label(self.keys, self.session.navigation.screen, id)
    }
}

/// See [`ViewContext::key_label`].
pub fn key_label(keymap: &Keymap, screen: Screen, id: ActionId) -> &str {
    key_labels(keymap, screen, id).first().copied().unwrap_or(id.name())
}

/// Returns the labels of all keys of an action, on a screen or else on any other.
pub fn key_labels(keymap: &Keymap, screen: Screen, id: ActionId) -> Vec<&str> {
    let scopes = [Scope::Screen(screen)].into_iter().chain(keymap.table().scopes());
    let labels = scopes.map(|scope| keymap.display_keys(scope, id).collect::<Vec<_>>());
    labels.into_iter().find(|labels| !labels.is_empty()).unwrap_or_default()
}

impl Context<'_> {
    /// Returns the read-only context.
    pub fn view(&self) -> ViewContext<'_> {
        ViewContext {
            session: self.session,
            settings: self.settings,
            keys: self.keys,
            frame: self.frame,
            notices: self.notices,
        }
    }

    /// See [`ViewContext::key_label`].
    pub fn key_label(&self, id: ActionId) -> &str {
        key_label(self.keys, self.session.navigation.screen, id)
    }

    /// Requests an effect.
    pub fn request(&mut self, effect: Effect) {
        self.commands.push(Command::Effect(effect));
    }

    /// Requests the answer to a question.
    pub fn run_job<Q: Question>(&mut self, question: Arc<Q>) {
        self.request(Effect::run(question));
    }

    /// Opens a dialog.
    pub fn open_dialog(&mut self, dialog: impl Into<NewDialog>) {
        self.commands.push(Command::Open(dialog.into()));
    }

    /// Requests navigation.
    pub fn go_to(&mut self, jump: Jump) {
        self.commands.push(Command::Go(jump));
    }

    /// Requests an action as its key would.
    pub fn run_action(&mut self, id: ActionId) {
        self.commands.push(Command::Run(id));
    }

    /// Requests a choice of the program menu.
    pub fn run_program_choice(&mut self, choice: ProgramChoice) {
        self.commands.push(Command::RunProgramChoice(choice));
    }

    /// Requests going back to the previous place. Returns false if there is none.
    pub fn go_back(&mut self) -> bool {
        let has_place = self.session.navigation.place_history.has_back();
        if has_place {
            self.run_action(ActionId::PlaceBack);
        }
        has_place
    }

    /// Requests to apply the result of an edit, or to add it to the what-if.
    pub fn apply_outcome(&mut self, purpose: EditPurpose, outcome: Arc<EditOutcome>) {
        self.commands.push(Command::ApplyOutcome(purpose, outcome));
    }

    /// Like [`Context::apply_outcome`], and selects a channel that the edit adds.
    pub fn apply_outcome_and_select(&mut self, purpose: EditPurpose, outcome: &Arc<EditOutcome>) {
        self.apply_outcome(purpose, Arc::clone(outcome));
        if let Edit::AddChannel { channel, .. } = &outcome.edit {
            self.commands.push(Command::SelectChannel(channel.clone()));
        }
    }

    /// Sends an event to the visible screen.
    pub fn notify_screen(&mut self, answer: ScreenEvent) {
        self.commands.push(Command::NotifyScreen(answer));
    }
}

/// Settings of the user, from the command line, the configuration and the session.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Settings {
    /// Whether to draw with ASCII only.
    pub ascii: bool,
    /// Theme and colors.
    pub theme_settings: ThemeSettings,
    /// Reason why nothing may be changed. `None` if changes are allowed.
    pub read_only: Option<String>,
    /// Whether the terminal keeps the mouse at the start, so that the user can select text.
    pub no_mouse: bool,
    /// Clipboard mechanism.
    pub clipboard: Option<Clipboard>,
    /// Current date, for lifecycle checks. `None` if it is not known.
    pub today: Option<Date>,
    /// Editor command with arguments. `None` to use the one of the environment.
    pub editor: Option<String>,
    /// Reason why the program cannot be suspended. `None` if it can.
    pub no_shell: Option<&'static str>,
    /// Whether to ignore changes on disk.
    pub no_watch: bool,
    /// File of upgrade expectations. `None` for one next to each catalog.
    pub expectations: Option<PathBuf>,
    /// File of accepted findings. `None` for one next to each catalog.
    pub accepted: Option<PathBuf>,
    /// Search path for bundle manifests, in addition to the catalogs' own paths.
    pub search_path: ManifestSearchPath,
    /// Options for opening paths.
    pub open_options: OpenOptions,
    /// Catalogs of one cluster, between which OLM v1 chooses.
    pub cluster_members: Vec<ClusterMember>,
    /// Installed operators of a cluster.
    pub installed_operators: Option<Arc<Cluster>>,
    /// Base to which each catalog is compared when it is first shown.
    pub base: Option<Base>,
    /// Whether to start the tour of the demo.
    pub tour: bool,
    /// Initial notice, for example about catalogs that were found automatically.
    pub greeting: Option<String>,
    /// Keymap of the configuration. `None` for the defaults.
    pub keymap: Option<Arc<Keymap>>,
    /// Configuration file with its problems.
    pub configuration: Arc<Configuration>,
}

/// Configuration file with its problems.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Configuration {
    /// Path of the file. `None` if the configuration is disabled.
    pub path: Option<PathBuf>,
    /// Problems in the order of the file. Each ignores one setting.
    pub problems: Vec<Problem>,
}
