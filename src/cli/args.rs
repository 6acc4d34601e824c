//! Options of all commands, messages before a command runs, and hints for users of opm.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::{
    env,
    ffi::OsString,
    fmt::Write as _,
    panic,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::ValueEnum;

use super::{Failure, Out, out::print_error, output::named_parser};
use crate::tui::ThemeName;
use olmap_report::escape;

/// Options of every command.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Global {
    /// Configuration file, instead of the default; none for no configuration.
    #[arg(long, global = true, value_name = "PATH")]
    pub config: Option<PathBuf>,
    /// When to use colours; auto: on a terminal, unless `NO_COLOR` is set.
    #[arg(long, global = true, value_name = "WHEN")]
    pub color: Option<ColorWhen>,
    /// Theme of the explorer; auto: dark or light, by the terminal's background.
    #[arg(long, global = true, value_name = "NAME", value_parser = named_parser(&ThemeName::ALL, ThemeName::name))]
    pub theme: Option<ThemeName>,
    /// Print on standard error what is read, fetched and skipped. Twice for each file and request.
    #[arg(long = "verbose", short = 'v', global = true, action = clap::ArgAction::Count)]
    pub verbosity: u8,
    /// Draw with ASCII characters only.
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Open the explorer read-only.
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Do not watch files for changes; r reloads them.
    #[arg(long, global = true)]
    pub no_watch: bool,
}

/// Condition for colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ColorWhen {
    Auto,
    Always,
    Never,
}

/// Result of a run without an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No findings.
    Fine,
    /// Findings, or expectations that are not met.
    Findings,
    /// Ended by a signal.
    Signal(i32),
}

impl From<bool> for Outcome {
    fn from(has_findings: bool) -> Self {
        if has_findings { Self::Findings } else { Self::Fine }
    }
}

/// Prints a message of clap, and returns the exit code. `parse` returns the message about other arguments.
pub fn print_clap_message(
    error: &clap::Error,
    parse: impl Fn(Vec<OsString>) -> Option<clap::Error>,
) -> ExitCode {
    // The arguments are escaped and parsed again. clap embeds them between its own color sequences, which
    // cannot be separated later.
    let harmless =
        |argument: OsString| OsString::from(escape::escape_line(&argument.to_string_lossy()).into_owned());
    let again = parse(env::args_os().map(harmless).collect()).filter(|again| again.kind() == error.kind());
    let mut out = Out::new(&Global::default());
    let style = if error.use_stderr() { *out.error_style() } else { out.style };
    let text = match &again {
        Some(again) if style.color => again.render().ansi().to_string(),
        Some(again) => again.render().to_string(),
        None => error.render().to_string(),
    };
    if error.use_stderr() {
        out.print_stderr(&text);
    } else {
        // Failure to print cannot be reported.
        let _ = out.print(&text);
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Installs a panic hook that prints like the default one, but escapes the message, which may contain
/// arbitrary text.
pub fn install_panic_hook() {
    panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let backtrace = match backtrace.status() {
            BacktraceStatus::Captured => backtrace.to_string(),
            _ => "note: run with RUST_BACKTRACE=1 for a backtrace".to_owned(),
        };
        print_error(&format!("olmap {panic}\n{backtrace}\n"), false);
    }));
}

/// Returns the equivalent of a command of opm; `None` if it is not one, or if it is a file.
pub fn suggest_equivalent(words: &[OsString]) -> Option<Failure> {
    let words: Vec<&str> = words.iter().map_while(|word| word.to_str()).collect();
    let (&first, rest) = words.split_first()?;
    if Path::new(first).exists() {
        return None;
    }
    // `alpha` is a group of commands.
    let (name, rest) = match (first, rest.split_first()) {
        ("alpha", Some((&second, rest))) => (second, rest),
        ("generate" | "init" | "list" | "render" | "serve" | "validate", _) => return None,
        _ => (first, rest),
    };
    let is_alpha = first == "alpha";
    let of_sqlite = "olmap opens SQLite indexes: olmap INDEX.db; olmap IMAGE opens an index image";
    let hint = match (is_alpha, name) {
        (true, "list") => list_equivalent(rest),
        (true, "diff") => "olmap diff OLD NEW".to_owned(),
        (true, "render-graph") => "olmap graph -o mermaid PATH".to_owned(),
        (true, "render-template" | "render-veneer" | "convert-template") => {
            "olmap template render, with the bundles of a catalog in place of images; olmap template convert"
                .to_owned()
        }
        (true, "bundle") if rest.first() == Some(&"generate") => {
            "olmap generate bundle -d DIR -p PACKAGE -c CHANNELS".to_owned()
        }
        (true, "bundle") if rest.first() == Some(&"validate") => "olmap bundle validate DIR|IMAGE".to_owned(),
        (true, "bundle") if rest.first() == Some(&"build") => {
            "olmap image build --tag NAME DIR builds the image of a bundle directory".to_owned()
        }
        (true, "generate") if rest.first() == Some(&"dockerfile") => {
            "olmap generate dockerfile DIR".to_owned()
        }
        (true, "alpha" | "bundle" | "generate") => {
            "use opm for that; olmap --help lists the commands of olmap".to_owned()
        }
        (false, "alpha") => "use olmap list, diff, graph for opm alpha list, diff, render-graph".to_owned(),
        (false, "index" | "registry") if rest.first() == Some(&"prune") => {
            format!("olmap extract PACKAGE... CATALOG --to DIR takes a part of a catalog; {of_sqlite}")
        }
        (false, "index" | "registry") => of_sqlite.to_owned(),
        (false, "migrate") => {
            "olmap render turns an index into a catalog in YAML: olmap render INDEX.db -o yaml".to_owned()
        }
        (false, "version") => "olmap --version".to_owned(),
        (false, "completion") => format!("olmap completions {}", rest.first().unwrap_or(&"SHELL")),
        _ => return None,
    };
    let command = if is_alpha { format!("alpha {name}") } else { name.to_owned() };
    Some(Failure::new(format!("{command} is an opm command, not an olmap command")).with_hint(hint))
}

/// Returns the equivalent of `opm alpha list channels CATALOG PACKAGE`.
fn list_equivalent(words: &[&str]) -> String {
    let mut names = words.iter().filter(|word| !word.starts_with('-'));
    let mut line = format!("olmap list {}", names.next().unwrap_or(&"packages|channels|bundles"));
    if let Some(path) = names.next() {
        let _ = write!(line, " {}", shell_words::quote(path));
    }
    if let Some(package) = names.next() {
        let _ = write!(line, " -p {}", shell_words::quote(package));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opm_commands_get_hints_and_olmap_commands_do_not() {
        let asked = |line: &str| suggest_equivalent(&line.split(' ').map(Into::into).collect::<Vec<_>>());
        for line in ["alpha list channels cat ship", "alpha", "index add", "migrate a b", "registry serve"] {
            assert!(asked(line).is_some(), "{line}");
        }
        for line in [
            "generate dockerfile cat",
            "init x",
            "list channels cat",
            "render -o yaml",
            "generate bundle -d x",
            "serve cat",
            "validate",
            "alphabet",
            "--help",
            "src",
            "cat alpha",
        ] {
            assert!(asked(line).is_none(), "{line}");
        }
    }
}
