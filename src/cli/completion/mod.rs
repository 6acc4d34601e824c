//! Completion in shells: `olmap completions SHELL` prints a script that asks olmap for candidates on each tab.
//!
//! The script runs `olmap -- WORDS` with the variable [`VARIABLE`]. The answer depends on the whole command line:
//! names come from the catalogs that it names, or from the discovered ones. An answer writes nothing, opens no
//! connection and prints nothing on standard error.

mod candidates;
mod line;
mod paths;
mod revisions;
mod scripts;
mod values;

use std::{
    env,
    ffi::{OsStr, OsString},
    path::Path,
    process::ExitCode,
    sync::Arc,
};

use clap::ValueEnum;
use clap_complete::engine::{self, ArgValueCompleter, CompletionCandidate};

use super::{Out, Outcome, out};
use line::CommandLine;
use values::ValueKind;

/// Variable with the name of the shell that asks for candidates.
const VARIABLE: &str = "OLMAP_COMPLETE";

/// Variables with the number of the completed word. The second is that of scripts of `clap_complete`.
const INDEX_VARIABLES: [&str; 2] = ["OLMAP_COMPLETE_INDEX", "_CLAP_COMPLETE_INDEX"];

/// Maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 80;

/// End of the help of `olmap completions`: examples and exit codes.
pub const HELP: &str = "\
The script asks olmap for candidates on each tab: commands, options, and the packages, channels, bundles, rules, \
catalogs and git revisions that fit. Names come from the catalogs on the command line, or from those found here.

Examples:
  olmap completions bash                        into ~/.local/share/bash-completion/completions/olmap
  olmap completions zsh                         into a directory of $fpath, as _olmap
  olmap completions fish                        into ~/.config/fish/completions/olmap.fish
  olmap completions kubectl                     into a directory of $PATH, as kubectl_complete-olmap

Or load it in the start file of the shell: source <(olmap completions bash), also with zsh; olmap completions fish |
source with fish.

Exit code: 0 ok, 2 the shell is not supported.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Shell, or kubectl for its plugin.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Program that asks for candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Kubectl,
    Powershell,
    Zsh,
}

impl Shell {
    /// Returns true if the shell shows descriptions of candidates.
    fn shows_descriptions(self) -> bool {
        !matches!(self, Self::Bash | Self::Elvish)
    }
}

/// Prints a script that completes commands, options and their values.
pub fn run_completions(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    out.print(&scripts::completion_script(args.shell)?)?;
    Ok(Outcome::Fine)
}

/// Answers a shell that asks for candidates, and returns the exit code; `None` for any other run.
pub fn answer_shell(definition: impl FnOnce() -> clap::Command) -> Option<ExitCode> {
    let shell = env::var(VARIABLE).ok()?;
    let mut arguments = env::args_os().skip(1);
    if arguments.next().is_none_or(|first| first != "--") {
        return None;
    }
    let Ok(shell) = Shell::from_str(&shell, true) else { return Some(ExitCode::from(2)) };
    let mut words: Vec<OsString> = arguments.collect();
    let index = INDEX_VARIABLES.iter().find_map(|name| env::var(name).ok()?.parse::<usize>().ok());
    let index = index.unwrap_or_else(|| words.len().saturating_sub(1));
    if index >= words.len() {
        words.resize(index + 1, OsString::new());
    }
    let candidates = find_candidates(definition(), words, index);
    // Failure to print cannot be reported.
    let _ = out::print_candidates(&format_candidates(&candidates, shell));
    Some(ExitCode::SUCCESS)
}

/// Returns the candidates for a word of a command line.
fn find_candidates(
    definition: clap::Command,
    words: Vec<OsString>,
    index: usize,
) -> Vec<CompletionCandidate> {
    let line = Arc::new(CommandLine::from_words(definition.clone(), &words, index));
    let mut command = with_completers(definition, "", &line);
    // The engine reads only the words before the completed one.
    let words: Vec<OsString> = words.into_iter().take(index + 1).collect();
    let is_option = |text: &OsStr| text.as_encoded_bytes().starts_with(b"-");
    let asks_for_options = words.last().is_some_and(|word| is_option(word));
    let mut found = engine::complete(&mut command, words, index, Some(Path::new("."))).unwrap_or_default();
    // Options would hide the values, so they follow only a dash, as in kubectl.
    if !asks_for_options && found.iter().any(|candidate| !is_option(candidate.get_value())) {
        found.retain(|candidate| !is_option(candidate.get_value()));
    }
    // A word that begins a command is not a path.
    let is_command =
        |candidate: &CompletionCandidate| candidate.get_id().is_some_and(|id| id.starts_with("command::"));
    if found.iter().any(|candidate| is_command(candidate) && !candidate.is_hide_set()) {
        found.retain(|candidate| is_command(candidate) || is_option(candidate.get_value()));
    }
    found
}

/// Adds the completers of values to a command and its subcommands. `path` is the name of the command without the
/// program.
fn with_completers(command: clap::Command, path: &str, line: &Arc<CommandLine>) -> clap::Command {
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let command = add_hidden_names(command).mut_args(|argument| {
        let kind = values::value_kind(path, &argument);
        match kind {
            None | Some(ValueKind::Choice) => argument,
            Some(kind) => {
                let line = Arc::clone(line);
                let completer = move |text: &OsStr| candidates::complete_value(kind, &line, text);
                argument.add(ArgValueCompleter::new(completer))
            }
        }
    });
    names.into_iter().fold(command, |command, name| {
        let below = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        command.mut_subcommand(name, |command| with_completers(command, &below, line))
    })
}

/// Adds hidden options for the hidden names of options, such as `--format`, whose values the engine would not
/// complete.
fn add_hidden_names(command: clap::Command) -> clap::Command {
    let mut hidden = Vec::new();
    for argument in command.get_arguments() {
        for alias in argument.get_aliases().unwrap_or_default() {
            let id = format!("{} as {alias}", argument.get_id());
            let copy = argument.clone().id(id).long(alias.to_owned()).short(None).alias(None).hide(true);
            hidden.push(copy);
        }
    }
    let visible = |argument: &clap::Arg| argument.get_visible_aliases().unwrap_or_default().len();
    let command = command.mut_args(|argument| match argument.get_aliases() {
        // `alias(None)` removes all names, so options with a visible one keep theirs.
        Some(aliases) if !aliases.is_empty() && visible(&argument) == 0 => argument.alias(None),
        _ => argument,
    });
    command.args(hidden)
}

/// Formats candidates for a shell: one per line, with a tab before the description.
fn format_candidates(candidates: &[CompletionCandidate], shell: Shell) -> String {
    let mut text = String::new();
    let mut is_open = false;
    for candidate in candidates {
        let Some(value) = candidate.get_value().to_str() else { continue };
        // A value with a line break would be two, and other control characters would reach the terminal.
        if value.is_empty() || value.chars().any(char::is_control) {
            continue;
        }
        is_open |= is_open_ended(value);
        text.push_str(value);
        let description = candidate.get_help().map(|help| describe(&help.to_string())).unwrap_or_default();
        if shell.shows_descriptions() && !description.is_empty() {
            text.push('\t');
            text.push_str(&description);
        }
        text.push('\n');
    }
    if shell == Shell::Kubectl {
        // Directives of cobra: 4 for no file names, and 2 for no space after the value.
        text.push_str(if is_open { ":6\n" } else { ":4\n" });
    }
    text
}

/// Returns true if more text follows a value, so that no space is added after it.
fn is_open_ended(value: &str) -> bool {
    value.ends_with(['/', ':', '='])
}

/// Returns the first sentence of a help text, without control characters.
fn describe(help: &str) -> String {
    let line = help.lines().next().unwrap_or_default();
    let line = olmap_report::escape::escape_line(line);
    let sentence = line.split(". ").next().unwrap_or_default().trim_end_matches('.');
    match sentence.char_indices().nth(MAX_DESCRIPTION) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Cli, *};

    fn complete(words: &[&str]) -> Vec<String> {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        let index = words.len() - 1;
        let found = find_candidates(Cli::definition(), words, index);
        found.iter().map(|candidate| candidate.get_value().to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn hidden_name_of_option_completes_its_values() {
        assert_eq!(complete(&["olmap", "graph", "--format", "me"]), ["mermaid"]);
        assert_eq!(complete(&["olmap", "graph", "--format=me"]), ["--format=mermaid"]);
        assert_eq!(complete(&["olmap", "graph", "--output=me"]), ["--output=mermaid"]);
        assert_eq!(complete(&["olmap", "graph", "-ome"]), ["-omermaid"]);
        assert!(!complete(&["olmap", "graph", "--"]).contains(&"--format".to_owned()));
    }

    #[test]
    fn rules_are_completed_with_severities_where_they_are_accepted() {
        assert_eq!(complete(&["olmap", "explain", "dead-e"]), ["dead-end"]);
        assert!(complete(&["olmap", "validate", "--deny", ""]).contains(&"warnings".to_owned()));
        assert!(!complete(&["olmap", "validate", "--rule", ""]).contains(&"warnings".to_owned()));
    }

    #[test]
    fn names_come_from_the_catalog_on_either_side_of_the_word() {
        let anvil = "tests/fixtures/cli/anvil";
        assert_eq!(complete(&["olmap", "graph", anvil, "--package", ""]), ["anvil"]);
        let words: Vec<OsString> =
            ["olmap", "graph", "--channel", "", anvil].into_iter().map(Into::into).collect();
        let found = find_candidates(Cli::definition(), words, 3);
        assert!(found.iter().any(|candidate| candidate.get_value() == "stable"), "{found:?}");
    }

    #[test]
    fn control_characters_never_reach_the_shell() {
        let candidates = [
            CompletionCandidate::new("a\nb"),
            CompletionCandidate::new("c\u{1b}[31m"),
            CompletionCandidate::new("d").help(Some("x\u{1b}[31m\ty. Second sentence.".into())),
        ];
        assert_eq!(format_candidates(&candidates, Shell::Bash), "d\n");
        let text = format_candidates(&candidates, Shell::Fish);
        assert!(text.starts_with("d\tx") && !text.contains('\u{1b}'), "{text:?}");
        assert_eq!(text.matches('\t').count(), 1, "{text:?}");
        assert!(!text.contains("Second"));
    }
}
