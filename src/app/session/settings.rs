//! What the user of the program chose.

use std::{path::PathBuf, sync::Arc};

use crate::{
    app::{keys::Keymap, parts::look::Look, work::Base},
    catalog::lifecycle::Date,
    config::{Clipboard, Problem},
    plan::cluster::Cluster,
    source::{How, Sight},
};

/// What the user of the program chose, at its start or since.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Settings {
    /// Draw with ASCII only.
    pub ascii: bool,
    /// The theme, and what the terminal makes of it.
    pub look: Look,
    /// Why nothing may be changed, where nothing may.
    pub read_only: Option<String>,
    /// The mouse is the terminal's at the start, to select text with.
    pub no_mouse: bool,
    /// How text gets into the clipboard.
    pub clipboard: Option<Clipboard>,
    /// The day it is, for what has ended; `None` where nobody knows.
    pub today: Option<Date>,
    /// The editor to open files in, in place of that of the environment: a command with its arguments.
    pub editor: Option<String>,
    /// Why the terminal cannot be handed to a shell, where it cannot.
    pub no_shell: Option<&'static str>,
    /// Do not look whether other programs write to open catalogs.
    pub no_watch: bool,
    /// The file of upgrade expectations, in place of one beside each catalog.
    pub expectations: Option<PathBuf>,
    /// The file of accepted findings, in place of one beside each catalog.
    pub accepted: Option<PathBuf>,
    /// Where manifests of bundles are looked for, besides what catalogs themselves say.
    pub sight: Sight,
    /// How paths are opened.
    pub how: How,
    /// What a cluster has installed.
    pub cluster: Option<Arc<Cluster>>,
    /// What every catalog is compared with once one looks at it.
    pub against: Option<Base>,
    /// Whether to begin with the tour of the demo.
    pub tour: bool,
    /// What is said first: what was opened where nothing was named, and why.
    pub greeting: Option<String>,
    /// What keys do, where the configuration says; else what they do by themselves.
    pub keymap: Option<Arc<Keymap>>,
    /// The configuration, and what is wrong with it.
    pub configuration: Arc<Configuration>,
}

/// The file of the configuration, and what in it does not count.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Configuration {
    /// The file; `None` where none is wanted.
    pub path: Option<PathBuf>,
    /// What does not count, in the order of the file.
    pub problems: Vec<Problem>,
}
