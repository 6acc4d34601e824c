//! Location and content of the configuration file; `olmap config` and `olmap keys`.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use clap::ValueEnum;

use super::{Failure, Out, Outcome, escape_path, hidden_content_message, output};
use crate::config::{Config, Location, Problem};
use crate::tui::shell::describe;
use crate::tui::{Configuration, Keymap};
use olm_catalog::load::regular_file;
use olmap_report::{Ink, escape, json};

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

enum ConfigReadError {
    NotThere,
    Because(String),
}

/// End of the help of `olmap config`: examples and exit codes.
pub const CONFIG_HELP: &str = "\
The configuration file is ~/.config/olmap/config.toml (XDG rules), or the file in OLMAP_CONFIG or --config. The
explorer, olmap keys, olmap config and olmap doctor read it. Other commands only use options and environment
variables.

Examples:
  olmap config --print                          current values, to copy into the file
  olmap config --path                           path of the file
  olmap config --check                          all errors of the file
  olmap --config work.toml config --check       check another file
  olmap config --schema                         schema for completion in an editor

Exit code: 0 ok, 1 --check found errors, 2 failed.";

/// End of the help of `olmap keys`: examples and exit codes.
pub const KEYS_HELP: &str = "\
Examples:
  olmap keys                                    a star marks changed keys
  olmap --config none keys -o markdown          the text of docs/keys.md

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag, and clap lets one be given at most")]
pub struct ConfigArgs {
    /// Print the current configuration with all options and actions; defaults are comments.
    #[arg(long)]
    print: bool,
    /// Check the configuration, and exit with 1 if it has errors.
    #[arg(long)]
    check: bool,
    /// Print a JSON Schema of the configuration, for editors.
    #[arg(long)]
    schema: bool,
    /// Print the path of the configuration file.
    #[arg(long)]
    path: bool,
}

#[derive(Debug, clap::Args)]
pub struct KeysArgs {
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_enum, value_name = "FORMAT", default_value_t = KeysFormat::Text, hide_default_value = true)]
    format: KeysFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum KeysFormat {
    /// Human-readable text; a star marks changed keys.
    Text,
    /// Text of docs/keys.md.
    Markdown,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
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
fn config_path(asked: Option<&Path>) -> Option<PathBuf> {
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
    if let Some(words) = path.as_deref().and_then(hidden_content_message) {
        for problem in &mut problems {
            (problem.message, problem.hint) = (words.clone(), None);
        }
    }
    Configured { config, keymap, file: Configuration { path, problems } }
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

/// Runs the command. Without a flag, prints the configuration in use.
pub fn run_config(args: &ConfigArgs, config: Option<&Path>, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.schema {
        out.print(&json::to_pretty_json(&describe::configuration_schema()))?;
        return Ok(Outcome::Fine);
    }
    if args.path {
        let Some(path) = config_path(config) else {
            return Err(Failure::new("configuration is disabled")
                .with_hint("omit --config and OLMAP_CONFIG")
                .into());
        };
        out.print(&format!("{}\n", escape_path(&path)))?;
        return Ok(Outcome::Fine);
    }
    let configured = load(config)?;
    if args.check {
        return print_problems(&configured.file, out);
    }
    out.print(&describe::render_configuration(&configured.config, &configured.keymap))?;
    warn_of_problems(&configured.file, out);
    Ok(Outcome::Fine)
}

fn print_problems(file: &Configuration, out: &mut Out) -> anyhow::Result<Outcome> {
    let name = displayed_path(file);
    for problem in &file.problems {
        let place = out.style.paint(Ink::Bold, &format!("{name}:{}", problem.at));
        let hint = problem.hint.as_ref();
        let hint = hint.map(|hint| format!("  hint: {}\n", escape::escape_line(hint))).unwrap_or_default();
        let line = format!("{place}: {}\n{hint}", escape::escape_line(&problem.message));
        out.print(&line)?;
    }
    let words = match (&file.path, file.problems.len()) {
        (None, _) => "no configuration file, using defaults".to_owned(),
        (Some(path), 0) if !path.exists() => format!("no {name}, using defaults"),
        (Some(_), 0) => format!("{name}: no errors"),
        (Some(_), 1) => "1 problem; invalid settings are ignored".to_owned(),
        (Some(_), n) => format!("{n} problems; invalid settings are ignored"),
    };
    out.print(&format!("{words}\n"))?;
    Ok((!file.problems.is_empty()).into())
}

/// Warns on standard error that part of the configuration is ignored.
pub fn warn_of_problems(file: &Configuration, out: &Out) {
    if file.problems.is_empty() {
        return;
    }
    let (name, problems) = (displayed_path(file), file.problems.len());
    out.print_warning(&format!("{name} has errors ({problems}): see olmap config --check"), None);
}

fn displayed_path(file: &Configuration) -> String {
    file.path.as_deref().map(escape_path).unwrap_or_default()
}

/// Prints the keys, including configured ones.
pub fn run_keys(args: &KeysArgs, config: Option<&Path>, out: &mut Out) -> anyhow::Result<Outcome> {
    let configured = load(config)?;
    let keymap = &configured.keymap;
    let text = match args.format {
        KeysFormat::Text => describe::render_keys_text(keymap),
        KeysFormat::Markdown => describe::render_keys_document(keymap),
        KeysFormat::Json | KeysFormat::Yaml => {
            output::encode_json(args.format, json::to_pretty_json(&describe::keys_json(keymap)))
        }
    };
    out.print(&text)?;
    warn_of_problems(&configured.file, out);
    Ok(Outcome::Fine)
}
