//! Location and content of the configuration file.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use super::failure::{self, Failure};
use crate::{
    app::{Configuration, Keymap},
    catalog::load::regular,
    config::{Config, Place, Problem},
};

/// Variable that overrides the path of the file.
pub const VARIABLE: &str = "OLMAP_CONFIG";

/// Value that disables the configuration file.
const NONE: &str = "none";

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
enum File {
    /// No file: it is disabled, or there is no home directory.
    Nowhere,
    /// Default path, if the file exists.
    Usual(PathBuf),
    /// Path given by the user.
    Named(PathBuf),
}

fn file(asked: Option<&Path>) -> File {
    let named = asked.map(Path::to_owned).or_else(|| env::var_os(VARIABLE).map(PathBuf::from));
    match named {
        Some(path) if path.as_os_str() == NONE || path.as_os_str().is_empty() => File::Nowhere,
        Some(path) => File::Named(path),
        None => usual().map_or(File::Nowhere, File::Usual),
    }
}

/// Returns `$XDG_CONFIG_HOME/olmap/config.toml`, or the equivalent of the system.
fn usual() -> Option<PathBuf> {
    use etcetera::BaseStrategy as _;
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("olmap").join("config.toml"))
}

/// Returns the path of the configuration file, even if it does not exist; `None` if it is disabled.
pub fn path(asked: Option<&Path>) -> Option<PathBuf> {
    match file(asked) {
        File::Nowhere => None,
        File::Usual(path) | File::Named(path) => Some(path),
    }
}

/// Reads the configuration. A missing file is empty, unless the user gave its path.
///
/// # Errors
///
/// Fails if a file given by the user does not exist.
pub fn load(asked: Option<&Path>) -> anyhow::Result<Configured> {
    let (path, is_named) = match file(asked) {
        File::Nowhere => return Ok(judged(None, Config::default())),
        File::Usual(path) => (path, false),
        File::Named(path) => (path, true),
    };
    let config = match read(&path, is_named) {
        Ok(text) => Config::read(&text),
        Err(Unread::NotThere) if is_named => {
            let hint = format!(
                "use --config {NONE} for no configuration; {VARIABLE} and --config set the \
             file"
            );
            return Err(Failure::new(format!("no configuration file {}", path.display())).hint(hint).into());
        }
        Err(Unread::NotThere) => Config::default(),
        Err(Unread::Because(reason)) => {
            let problem = Problem { at: Place { line: 1, column: 1 }, message: reason, hint: None };
            Config { problems: vec![problem], ..Config::default() }
        }
    };
    Ok(judged(Some(path), config))
}

fn judged(path: Option<PathBuf>, config: Config) -> Configured {
    let (keymap, wrong) = Keymap::configured(crate::app::table(), &config.keys);
    let mut problems = config.problems.clone();
    problems.extend(wrong);
    problems.sort();
    if let Some(words) = path.as_deref().and_then(failure::unquoted) {
        for problem in &mut problems {
            (problem.message, problem.hint) = (words.clone(), None);
        }
    }
    Configured { config, keymap, file: Configuration { path, problems } }
}

enum Unread {
    NotThere,
    Because(String),
}

/// Reads the file. A file given by the user may be a pipe.
fn read(path: &Path, is_named: bool) -> Result<String, Unread> {
    let because = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Unread::NotThere,
        _ => Unread::Because(format!("cannot read it: {error}")),
    };
    let file = if is_named { fs::File::open(path) } else { regular::open(path) };
    let bytes = regular::at_most(file.map_err(because)?, regular::MOST_BY_HAND).map_err(because)?;
    String::from_utf8(bytes).map_err(|_| Unread::Because("it is not UTF-8".to_owned()))
}
