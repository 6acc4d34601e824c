//! `olmap config`: prints and checks the configuration.

use std::path::Path;

use super::{configuration, failure::Failure, out::Out, outcome::Outcome};
use crate::tui::{Configuration, shell::describe};
use olmap_report::{Ink, escape, json};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
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

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag, and clap lets one be given at most")]
pub struct Args {
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

/// Runs the command. Without a flag, prints the configuration in use.
pub fn run_config(args: &Args, config: Option<&Path>, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.schema {
        out.print(&json::to_pretty_json(&describe::configuration_schema()))?;
        return Ok(Outcome::Fine);
    }
    if args.path {
        let Some(path) = configuration::config_path(config) else {
            return Err(Failure::new("configuration is disabled")
                .with_hint("omit --config and OLMAP_CONFIG")
                .into());
        };
        out.print(&format!("{}\n", escape::escape_line(&path.display().to_string())))?;
        return Ok(Outcome::Fine);
    }
    let configured = configuration::load(config)?;
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
    let label = out.error_style().paint(Ink::Warning, "warning");
    let (name, problems) = (displayed_path(file), file.problems.len());
    out.print_stderr(&format!("{label}: {name} has errors ({problems}): see olmap config --check\n"));
}

fn displayed_path(file: &Configuration) -> String {
    let path = file.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    escape::escape_line(&path).into_owned()
}
