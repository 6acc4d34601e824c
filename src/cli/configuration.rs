//! Which file the configuration is, and what it says.

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

/// Names the file in place of the usual one.
pub const VARIABLE: &str = "OLMAP_CONFIG";

/// In place of a file: no configuration file, using defaults.
const NONE: &str = "none";

/// The configuration, judged.
pub struct Configured {
    /// What it says.
    pub config: Config,
    /// The keys in force.
    pub keymap: Keymap,
    /// The file and all that is wrong with it.
    pub file: Configuration,
}

/// Where the configuration is.
enum File {
    /// Nowhere: none is wanted, or there is no home.
    Nowhere,
    /// Where it usually is, if it is.
    Usual(PathBuf),
    /// Where somebody says it is.
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

/// `$XDG_CONFIG_HOME/olmap/config.toml`, or what the system has instead.
fn usual() -> Option<PathBuf> {
    use etcetera::BaseStrategy as _;
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("olmap").join("config.toml"))
}

/// Where the configuration is or would be; `None` where none is wanted.
pub fn path(asked: Option<&Path>) -> Option<PathBuf> {
    match file(asked) {
        File::Nowhere => None,
        File::Usual(path) | File::Named(path) => Some(path),
    }
}

/// Reads the configuration. One that is not there is empty, unless somebody says where it is.
///
/// # Errors
///
/// When a file that is named is not there.
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

/// Reads it. One that is named may come through a pipe.
fn read(path: &Path, is_named: bool) -> Result<String, Unread> {
    let because = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Unread::NotThere,
        _ => Unread::Because(format!("cannot read it: {error}")),
    };
    let file = if is_named { fs::File::open(path) } else { regular::open(path) };
    let bytes = regular::at_most(file.map_err(because)?, regular::MOST_BY_HAND).map_err(because)?;
    String::from_utf8(bytes).map_err(|_| Unread::Because("it is not UTF-8".to_owned()))
}
