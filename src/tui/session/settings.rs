//! Settings of the user.

use std::{path::PathBuf, sync::Arc};

use crate::{
    config::{Clipboard, Problem},
    tui::{keys::Keymap, parts::theme_settings::ThemeSettings, work::Base},
};
use olm_catalog::lifecycle::Date;
use olm_plan::cluster::Cluster;
use olm_source::{ManifestSearchPath, OpenOptions};

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
