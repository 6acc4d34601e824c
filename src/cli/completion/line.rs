//! Parts of an incomplete command line that decide which names are candidates.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use super::values::{self, ValueKind};

/// Replacement of the completed word. Arguments of a process cannot contain it.
const PLACEHOLDER: &str = "\0";

/// Values on a command line, without the completed word.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommandLine {
    /// Catalogs, as given.
    pub catalogs: Vec<PathBuf>,
    /// Packages.
    pub packages: Vec<String>,
    /// Channels.
    pub channels: Vec<String>,
}

impl CommandLine {
    /// Reads the words of a command line. The completed word has the number `index`. Errors are ignored.
    pub fn from_words(definition: clap::Command, words: &[OsString], index: usize) -> Self {
        let mut words = words.to_vec();
        if let Some(word) = words.get_mut(index) {
            *word = OsString::from(PLACEHOLDER);
        }
        let command = accept_any_value(definition).ignore_errors(true);
        let Ok(matches) = command.clone().try_get_matches_from(words) else { return Self::default() };
        let (mut command, mut matches) = (&command, &matches);
        let mut path = String::new();
        while let Some((name, below)) = matches.subcommand() {
            let Some(next) = command.find_subcommand(name) else { break };
            path = if path.is_empty() { name.to_owned() } else { format!("{path} {name}") };
            (command, matches) = (next, below);
        }
        let mut line = Self::default();
        for argument in command.get_arguments() {
            let Some(kind) = values::value_kind(&path, argument) else { continue };
            let id = argument.get_id().as_str();
            let given = matches.try_get_raw(id).ok().flatten().into_iter().flatten();
            for value in given.filter(|value| *value != PLACEHOLDER) {
                line.add_value(kind, value);
            }
        }
        line
    }

    fn add_value(&mut self, kind: ValueKind, value: &OsStr) {
        let text = value.to_string_lossy();
        match kind {
            ValueKind::Catalog => self.catalogs.push(PathBuf::from(value)),
            ValueKind::NamedCatalog => {
                let (_, path) = split_catalog_name(&text);
                let path = path.split(',').next().unwrap_or_default();
                self.catalogs.push(PathBuf::from(path));
            }
            ValueKind::Package => self.packages.push(text.into_owned()),
            ValueKind::PackageAndChannel => {
                self.packages.extend(text.split(':').next().map(str::to_owned));
            }
            ValueKind::Api if Path::new(value).exists() => self.catalogs.push(PathBuf::from(value)),
            ValueKind::Channel => self.channels.push(text.into_owned()),
            _ => {}
        }
    }
}

/// Splits `NAME=PATH`. The name, with its `=`, is empty if there is none.
pub fn split_catalog_name(text: &str) -> (&str, &str) {
    match text.find('=') {
        Some(at) if !text[..at].contains(['/', ',']) => text.split_at(at + 1),
        _ => ("", text),
    }
}

/// Makes a command and its subcommands accept any text as a value, so that an invalid value does not hide the rest
/// of the line.
fn accept_any_value(command: clap::Command) -> clap::Command {
    let takes_value = |argument: &clap::Arg| argument.get_action().takes_values();
    let command = command.mut_args(|argument| {
        if takes_value(&argument) {
            argument.value_parser(clap::value_parser!(OsString)).required(false)
        } else {
            argument
        }
    });
    command.mut_subcommands(accept_any_value)
}

#[cfg(test)]
mod tests {
    use super::{super::super::Cli, *};

    fn read(words: &[&str], index: usize) -> CommandLine {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        CommandLine::from_words(Cli::definition(), &words, index)
    }

    #[test]
    fn catalogs_and_packages_are_read_around_the_completed_word() {
        let line = read(&["olmap", "graph", "-p", "tide", "-c", "", "cat"], 5);
        assert_eq!(line.catalogs, [PathBuf::from("cat")]);
        assert_eq!((line.packages, line.channels), (vec!["tide".to_owned()], Vec::new()));
        let line = read(&["olmap", "edit", "promote", "1.2.0", "--channel", "x", "one", "two", "-p", ""], 9);
        assert_eq!(line.catalogs, ["one", "two"].map(PathBuf::from));
        assert!(line.packages.is_empty());
    }

    #[test]
    fn invalid_value_hides_nothing() {
        let line = read(&["olmap", "graph", "-o", "nonsense", "cat", "--package", ""], 6);
        assert_eq!(line.catalogs, [PathBuf::from("cat")]);
    }

    #[test]
    fn name_and_options_of_a_catalog_are_not_part_of_its_path() {
        let line = read(&["olmap", "successors", "--catalog", "main=dir/cat,priority=3", "-p", ""], 5);
        assert_eq!(line.catalogs, [PathBuf::from("dir/cat")]);
        assert_eq!(split_catalog_name("./a=b"), ("", "./a=b"));
        assert_eq!(split_catalog_name("4.20=b"), ("4.20=", "b"));
    }
}
