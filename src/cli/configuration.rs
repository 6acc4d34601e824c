//! Location and content of the configuration file.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use super::failure::{self, Failure};
use crate::{
    config::{Config, Location, Problem},
    tui::{Configuration, Keymap},
};
use olm_catalog::load::regular_file;

/// Variable that overrides the path of the file.
pub const VARIABLE: &str = "OLMAP_CONFIG";

/// Value that disables the configuration file.
const DISABLED: &str = "none";

/// Configuration with its problems.
pub struct Configured {
    /// Settings of the file.
    pub config: Config,
    /// Effective keys.
    pub keymap: Keymap,
    /// File and its problems.
    pub file: Configuration,
}

/// Location of the configuration.
enum ConfigLocation {
    /// No file: it is disabled, or there is no home directory.
    Nowhere,
    /// Default path, if the file exists.
    Usual(PathBuf),
    /// Path given by the user.
    Named(PathBuf),
}

fn locate_config(asked: Option<&Path>) -> ConfigLocation {
    let named = asked.map(Path::to_owned).or_else(|| env::var_os(VARIABLE).map(PathBuf::from));
    match named {
        Some(path) if path.as_os_str() == DISABLED || path.as_os_str().is_empty() => ConfigLocation::Nowhere,
        Some(path) => ConfigLocation::Named(path),
        None => default_path().map_or(ConfigLocation::Nowhere, ConfigLocation::Usual),
    }
}

/// Returns `$XDG_CONFIG_HOME/olmap/config.toml`, or the equivalent of the system.
fn default_path() -> Option<PathBuf> {
    use etcetera::BaseStrategy as _;
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("olmap").join("config.toml"))
}

/// Returns the path of the configuration file, even if it does not exist; `None` if it is disabled.
pub fn config_path(asked: Option<&Path>) -> Option<PathBuf> {
    match locate_config(asked) {
        ConfigLocation::Nowhere => None,
        ConfigLocation::Usual(path) | ConfigLocation::Named(path) => Some(path),
    }
}

/// Reads the configuration. A missing file is empty, unless the user gave its path.
///
/// # Errors
///
/// Fails if a file given by the user does not exist.
pub fn load(asked: Option<&Path>) -> anyhow::Result<Configured> {
    let (path, is_named) = match locate_config(asked) {
        ConfigLocation::Nowhere => return Ok(check_config(None, Config::default())),
        ConfigLocation::Usual(path) => (path, false),
        ConfigLocation::Named(path) => (path, true),
    };
    let config = match read_config_file(&path, is_named) {
        Ok(text) => Config::parse(&text),
        Err(ConfigReadError::NotThere) if is_named => {
            let hint = format!(
                "use --config {DISABLED} for no configuration; {VARIABLE} and --config set the \
             file"
            );
            return Err(Failure::new(format!("no configuration file {}", path.display()))
                .with_hint(hint)
                .into());
        }
        Err(ConfigReadError::NotThere) => Config::default(),
        Err(ConfigReadError::Because(reason)) => {
            let problem = Problem { at: Location { line: 1, column: 1 }, message: reason, hint: None };
            Config { problems: vec![problem], ..Config::default() }
        }
    };
    Ok(check_config(Some(path), config))
}

fn check_config(path: Option<PathBuf>, config: Config) -> Configured {
    let (keymap, wrong) = Keymap::from_settings(crate::tui::action_table(), &config.keys);
    let mut problems = config.problems.clone();
    problems.extend(wrong);
    problems.sort();
    if let Some(words) = path.as_deref().and_then(failure::hidden_content_message) {
        for problem in &mut problems {
            (problem.message, problem.hint) = (words.clone(), None);
        }
    }
    Configured { config, keymap, file: Configuration { path, problems } }
}

enum ConfigReadError {
    NotThere,
    Because(String),
}

/// Reads the file. A file given by the user may be a pipe.
fn read_config_file(path: &Path, is_named: bool) -> Result<String, ConfigReadError> {
    let because = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => ConfigReadError::NotThere,
        _ => ConfigReadError::Because(format!("cannot read it: {error}")),
    };
    let file = if is_named { fs::File::open(path) } else { regular_file::open_regular(path) };
    let bytes = regular_file::read_limited(file.map_err(because)?, regular_file::MAX_HANDWRITTEN_SIZE)
        .map_err(because)?;
    String::from_utf8(bytes).map_err(|_| ConfigReadError::Because("it is not UTF-8".to_owned()))
}
