//! Documentation of a command, extracted from its clap definition.

use clap::{Arg, Command};

use crate::cli::examples;

/// Term and its description.
pub type Row = (String, String);

/// Command with its subcommands.
#[derive(Debug)]
pub struct CommandDoc {
    /// Full name: `olmap edit promote`.
    pub name: String,
    /// Description in sentences.
    pub about: String,
    /// Usage lines.
    pub usage: Vec<String>,
    /// Additional notes.
    pub notes: Vec<Note>,
    /// Positional arguments.
    pub arguments: Vec<Parameter>,
    pub options: Vec<Parameter>,
    /// Example command lines with descriptions, which may be empty.
    pub examples: Vec<Row>,
    /// Exit codes with descriptions.
    pub exit_codes: Vec<Row>,
    /// Subcommands.
    pub commands: Vec<CommandDoc>,
}

/// Paragraph of the notes.
#[derive(Debug)]
pub enum Note {
    /// Sentences.
    Text(String),
    /// Command line.
    Code(String),
}

/// Argument or option.
#[derive(Debug)]
pub struct Parameter {
    /// Id within the command.
    pub id: String,
    /// Spellings such as `-o`, `--output`; empty for an argument.
    pub flags: Vec<String>,
    /// Value as in the usage: `NAME`, `[PATH]...`; `None` for a flag.
    pub value: Option<String>,
    /// Description in sentences.
    pub help: String,
    /// Possible values with descriptions, which may be empty.
    pub words: Vec<Row>,
    /// Default value.
    pub default: Option<String>,
    /// Heading of the group.
    pub heading: Option<String>,
}

impl CommandDoc {
    /// Extracts the documentation of a built command.
    pub fn new(command: &Command) -> Self {
        Self::with_parent(command, None)
    }

    /// Extracts a command. A command without examples and exit codes inherits those of its parent.
    fn with_parent(command: &Command, above: Option<&Self>) -> Self {
        let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let (notes, examples, exit_codes) = split_after_help(&after);
        let usage = command.clone().render_usage().to_string();
        let usage = usage.strip_prefix("Usage:").unwrap_or(&usage).lines();
        let shown = |arg: &&Arg| !arg.is_hide_set();
        let (arguments, options): (Vec<&Arg>, Vec<&Arg>) =
            command.get_arguments().filter(shown).partition(|arg| arg.is_positional());
        let mut told = Self {
            about: command.get_about().map(|about| to_sentences(&about.to_string())).unwrap_or_default(),
            usage: usage.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect(),
            notes,
            arguments: arguments.into_iter().map(Parameter::new).collect(),
            options: options.into_iter().map(Parameter::new).collect(),
            examples,
            exit_codes,
            commands: Vec::new(),
            name,
        };
        if let Some(above) = above {
            let is_of_it = |line: &str| {
                line.strip_prefix(&told.name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            };
            if told.examples.is_empty() {
                told.examples = above.examples.iter().filter(|(line, _)| is_of_it(line)).cloned().collect();
            }
            if told.exit_codes.is_empty() {
                told.exit_codes.clone_from(&above.exit_codes);
            }
        }
        let commands =
            command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set());
        let commands: Vec<Self> = commands.map(|below| Self::with_parent(below, Some(&told))).collect();
        Self { commands, ..told }
    }

    /// Returns the last word of the name.
    pub fn last_word(&self) -> &str {
        self.name.rsplit(' ').next().unwrap_or_default()
    }

    /// Returns the name of the manual page.
    pub fn page_name(&self) -> String {
        self.name.replace(' ', "-")
    }
}

impl Parameter {
    fn new(arg: &Arg) -> Self {
        let flags = arg.get_short().map(|short| format!("-{short}")).into_iter();
        let flags = flags.chain(arg.get_long().map(|long| format!("--{long}"))).collect();
        let takes = arg.is_positional() || arg.get_action().takes_values();
        let names = arg.get_value_names().unwrap_or_default();
        let names = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let value = takes.then(|| match (arg.is_positional(), arg.is_required_set()) {
            (false, _) => names,
            (true, is_required) => {
                let several = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
                let several = if several { "..." } else { "" };
                if is_required { format!("{names}{several}") } else { format!("[{names}]{several}") }
            }
        });
        let words =
            if takes && !arg.is_hide_possible_values_set() { arg.get_possible_values() } else { Vec::new() };
        let words = words.iter().filter(|word| !word.is_hide_set()).map(|word| {
            let help = word.get_help().map(|help| to_sentences(&help.to_string())).unwrap_or_default();
            (word.get_name().to_owned(), help)
        });
        let default = arg.get_default_values().first().filter(|_| takes && !arg.is_hide_default_value_set());
        let help = arg.get_long_help().or_else(|| arg.get_help());
        Self {
            id: arg.get_id().to_string(),
            flags,
            value,
            help: help.map(|help| to_sentences(&help.to_string())).unwrap_or_default(),
            words: words.collect(),
            default: default.map(|default| default.to_string_lossy().into_owned()),
            heading: arg.get_help_heading().map(str::to_owned),
        }
    }

    /// Formats the flags and the value.
    pub fn format_usage(&self) -> String {
        let flags = self.flags.join(", ");
        match &self.value {
            Some(value) if flags.is_empty() => value.clone(),
            Some(value) => format!("{flags} {value}"),
            None => flags,
        }
    }
}

/// Joins lines, and adds the final period that clap removes.
fn to_sentences(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.ends_with(['.', ':', '!', '?']) || text.is_empty() { text } else { text + "." }
}

/// Splits the end of a help text into notes, examples and exit codes.
fn split_after_help(after: &str) -> (Vec<Note>, Vec<Row>, Vec<Row>) {
    let (before, rest) = after.split_once("Examples:").unwrap_or((after, ""));
    let (before, codes) = before.split_once("Exit code:").unwrap_or((before, rest));
    let codes = codes.split_once("Exit code:").map_or("", |(_, codes)| codes);
    let mut notes = Vec::new();
    for paragraph in before.split("\n\n") {
        let (code, text): (Vec<&str>, Vec<&str>) = paragraph.lines().partition(|line| line.starts_with("  "));
        if text.iter().any(|line| !line.trim().is_empty()) {
            notes.push(Note::Text(text.join(" ").trim().to_owned()));
        }
        notes.extend(code.into_iter().map(|line| Note::Code(line.trim().to_owned())));
    }
    let examples =
        examples::parse_examples(after).map(|(words, line)| (line.to_owned(), words.to_owned())).collect();
    (notes, examples, parse_exit_codes(codes))
}

/// Parses `0 ok, 2 failed.` into pairs. Each code begins with a digit.
fn parse_exit_codes(text: &str) -> Vec<Row> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut codes: Vec<String> = Vec::new();
    for piece in text.split(", ") {
        match codes.last_mut() {
            Some(last) if !piece.starts_with(|c: char| c.is_ascii_digit()) => *last += &format!(", {piece}"),
            _ => codes.push(piece.to_owned()),
        }
    }
    let pairs = codes.iter().filter_map(|code| {
        code.split_once(": ").filter(|(code, _)| code.contains('+')).or_else(|| code.split_once(' '))
    });
    pairs.map(|(code, words)| (code.to_owned(), words.trim_end_matches('.').to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;

    fn for_each_command(told: &CommandDoc, each: &mut dyn FnMut(&CommandDoc)) {
        each(told);
        told.commands.iter().for_each(|below| for_each_command(below, each));
    }

    #[test]
    fn every_command_has_description_usage_and_exit_codes() {
        let mut command = Cli::definition();
        command.build();
        let mut commands = 0;
        for_each_command(&CommandDoc::new(&command), &mut |told| {
            commands += 1;
            let name = &told.name;
            assert!(told.about.ends_with('.') && !told.usage.is_empty(), "{name}");
            assert!(told.exit_codes.len() > 1, "{name}: {:?}", told.exit_codes);
            for (code, words) in &told.exit_codes {
                assert!(
                    code.starts_with(|c: char| c.is_ascii_digit()) && !words.is_empty(),
                    "{name}: {code} {words}"
                );
            }
            for parameter in told.arguments.iter().chain(&told.options) {
                assert!(!parameter.help.is_empty(), "{name} {}", parameter.format_usage());
            }
        });
        assert!(commands > 60, "{commands}");
    }

    #[test]
    fn exit_codes_are_split_at_the_next_digit() {
        let codes =
            parse_exit_codes(" 0 ok, 1 errors, or what\n--deny names, 2 failed, 128 + n: ended by signal n.");
        let codes: Vec<(&str, &str)> =
            codes.iter().map(|(code, words)| (code.as_str(), words.as_str())).collect();
        let wanted = [
            ("0", "ok"),
            ("1", "errors, or what --deny names"),
            ("2", "failed"),
            ("128 + n", "ended by signal n"),
        ];
        assert_eq!(codes, wanted);
    }
}
