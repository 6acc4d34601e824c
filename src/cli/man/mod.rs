//! Manual pages and the Markdown reference, generated from the command line definition, so that they match
//! `--help`.

mod page;
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::{Arg, Command, ValueEnum};

use super::{Failure, Out, Outcome};
use crate::cli::examples;
use olm_edit::save::check_links;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap man                                     view it with olmap man | man -l -
  olmap man --dir share/man/man1                this page and a page per command
  olmap man -o markdown                         the text of docs/commands.md

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write this page and a page for each command to a directory, instead of printing it.
    #[arg(long, value_name = "DIR", conflicts_with = "format")]
    dir: Option<PathBuf>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_enum, value_name = "FORMAT", default_value_t = Format::Roff, hide_default_value = true)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Roff for man.
    Roff,
    /// Text of docs/commands.md: all commands on one page.
    Markdown,
}

/// Prints the page, or writes all pages.
pub fn run_man<C: Copy + Into<&'static str>>(
    args: &Args,
    mut command: clap::Command,
    subjects: &[Subject<C>],
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    command.build();
    let mut olmap = CommandDoc::new(&command);
    let names = |commands: &[C]| commands.iter().map(|command| (*command).into()).collect();
    olmap.subjects = subjects.iter().map(|(subject, commands)| (*subject, names(commands))).collect();
    match (&args.dir, args.format) {
        (None, Format::Roff) => out.print(&page::render_page(&olmap, None, &olmap))?,
        (None, Format::Markdown) => out.print(&render_reference(&olmap))?,
        (Some(dir), _) => {
            fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
            let mut pages = vec![(olmap.page_name(), page::render_page(&olmap, None, &olmap))];
            collect_pages(&olmap, &olmap, &mut pages);
            for (name, text) in pages {
                let name = format!("{name}.1");
                check_links(dir, Path::new(&name))
                    .map_err(|error| Failure::new(error.to_string()).with_hint(error.hint()))?;
                let path = dir.join(name);
                fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
    }
    Ok(Outcome::Fine)
}

/// Adds the pages of all subcommands.
fn collect_pages(parent: &CommandDoc, olmap: &CommandDoc, pages: &mut Vec<(String, String)>) {
    for command in &parent.commands {
        pages.push((command.page_name(), page::render_page(command, Some(parent), olmap)));
        collect_pages(command, olmap, pages);
    }
}

/// Subject with its commands.
pub type Subject<C> = (&'static str, &'static [C]);

/// Options of every command, documented once.
const SHARED_OPTIONS: [&str; 4] = ["color", "ascii", "help", "version"];

/// Returns the content of `docs/commands.md`.
fn render_reference(olmap: &CommandDoc) -> String {
    let mut out = String::from(
        "# Commands\n\n\
         <!-- Written by `olmap man -o markdown`, by OLMAP_UPDATE=1 cargo test --test documents too. -->\n\n\
         Help texts of all commands. `olmap man --dir DIR` writes them as manual pages. [The command line](cli.md) describes paths,\n\
         output and JSON.\n",
    );
    let of = |word: &str| olmap.commands.iter().find(|command| command.last_word() == word);
    for (subject, words) in &olmap.subjects {
        let commands: Vec<&CommandDoc> = words.iter().filter_map(|word| of(word)).collect();
        if commands.is_empty() {
            continue;
        }
        let _ = write!(out, "\n**{subject}**\n\n");
        for told in commands {
            let _ = writeln!(out, "- [`{}`](#{}): {}", told.name, told.page_name(), escape_text(&told.about));
        }
    }
    write_command(&mut out, olmap, 2);
    for told in olmap.subjects.iter().flat_map(|(_, words)| words).filter_map(|word| of(word)) {
        write_command(&mut out, told, 2);
    }
    write_shared_options(&mut out, olmap);
    out
}

fn write_command(out: &mut String, told: &CommandDoc, level: usize) {
    let is_olmap = !told.name.contains(' ');
    let _ = write!(out, "\n{} {}\n\n{}\n", "#".repeat(level), told.name, escape_text(&told.about));
    let _ = write!(out, "\n```text\n{}\n```\n", told.usage.join("\n"));
    for note in &told.notes {
        let _ = match note {
            Note::Text(words) => write!(out, "\n{}\n", escape_text(words)),
            Note::Code(line) => write!(out, "\n```sh\n{line}\n```\n"),
        };
    }
    let of_its_own = |option: &&Parameter| {
        is_olmap || (option.heading.is_none() && !SHARED_OPTIONS.contains(&option.id.as_str()))
    };
    let options: Vec<&Parameter> =
        told.options.iter().filter(|option| option.heading.is_none()).filter(of_its_own).collect();
    if !told.arguments.is_empty() || !options.is_empty() {
        out.push('\n');
        told.arguments.iter().chain(options).for_each(|option| write_parameter(out, option));
    }
    let mut headings: Vec<&str> =
        told.options.iter().filter_map(|option| option.heading.as_deref()).collect();
    headings.dedup();
    for heading in headings {
        let _ = write!(out, "\nOptions for [{}](#{}).\n", lowercase_first(heading), heading_anchor(heading));
    }
    if !told.examples.is_empty() && level == 2 {
        out.push_str("\n```sh\n");
        let wide =
            told.examples.iter().filter(|(_, words)| !words.is_empty()).map(|(line, _)| line.chars().count());
        let wide = wide.max().unwrap_or_default();
        for (line, words) in &told.examples {
            let _ = if words.is_empty() {
                writeln!(out, "{line}")
            } else {
                writeln!(out, "{line:wide$}  # {words}")
            };
        }
        out.push_str("```\n");
    }
    if level == 2 {
        let codes: Vec<String> =
            told.exit_codes.iter().map(|(code, words)| format!("`{code}` {}", escape_text(words))).collect();
        let _ = write!(out, "\nExit code: {}.\n", codes.join(", "));
    }
    for below in &told.commands {
        if !is_olmap {
            write_command(out, below, level + 1);
        }
    }
    if level == 2 && !is_olmap {
        let word = told.last_word();
        let _ = write!(out, "\nOutput and JSON: [{word}](cli.md#{word}).\n");
    }
}

/// Writes the options that many commands share.
fn write_shared_options(out: &mut String, olmap: &CommandDoc) {
    out.push_str("\n## Options of every command\n\n");
    let everywhere = olmap.options.iter().filter(|option| SHARED_OPTIONS.contains(&option.id.as_str()));
    everywhere.for_each(|option| write_parameter(out, option));
    let mut headings: Vec<&str> =
        olmap.options.iter().filter_map(|option| option.heading.as_deref()).collect();
    headings.dedup();
    for heading in headings {
        let _ = write!(out, "\n## {heading}\n\n");
        let of_it = olmap.options.iter().filter(|option| option.heading.as_deref() == Some(heading));
        of_it.for_each(|option| write_parameter(out, option));
    }
}

fn write_parameter(out: &mut String, parameter: &Parameter) {
    let _ = write!(out, "- `{}`: {}", parameter.format_usage(), escape_text(&parameter.help));
    let are_plain = parameter.words.iter().all(|(_, help)| help.is_empty());
    if are_plain && !parameter.words.is_empty() {
        let names: Vec<String> = parameter.words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let _ = write!(out, " One of {}.", names.join(", "));
    }
    if let Some(default) = &parameter.default {
        let _ = write!(out, " Default: `{default}`.");
    }
    out.push('\n');
    for (word, help) in parameter.words.iter().filter(|(_, help)| !help.is_empty()) {
        let _ = writeln!(out, "  - `{word}`: {}", escape_text(help));
    }
}

/// Escapes text for Markdown. Text in backticks stays code, and options become code.
fn escape_text(words: &str) -> String {
    let piece = |(n, piece): (usize, &str)| {
        if n % 2 == 1 {
            return format!("`{piece}`");
        }
        piece.split(' ').map(escape_word).collect::<Vec<_>>().join(" ")
    };
    words.split('`').enumerate().map(piece).collect()
}

fn escape_word(word: &str) -> String {
    let option = word.trim_end_matches([',', '.', ';', ':', ')']);
    if option.starts_with("--") && option.len() > 2 {
        return format!("`{option}`{}", &word[option.len()..]);
    }
    let mut out = String::new();
    for c in word.chars() {
        if matches!(c, '*' | '_' | '<' | '[' | '|' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn lowercase_first(heading: &str) -> String {
    let mut letters = heading.chars();
    letters.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default() + letters.as_str()
}

fn heading_anchor(heading: &str) -> String {
    heading.to_lowercase().replace(' ', "-")
}

/// Term and its description.
type Row = (String, String);

/// Command with its subcommands.
#[derive(Debug)]
struct CommandDoc {
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
    /// Subjects with the names of their commands; only of the program itself.
    pub subjects: Vec<(&'static str, Vec<&'static str>)>,
}

/// Paragraph of the notes.
#[derive(Debug)]
enum Note {
    /// Sentences.
    Text(String),
    /// Command line.
    Code(String),
}

/// Argument or option.
#[derive(Debug)]
struct Parameter {
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
            subjects: Vec::new(),
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
    mod markdown {
        use super::super::escape_text;

        #[test]
        fn text_is_escaped_and_options_are_code() {
            assert_eq!(
                escape_text("git:REV[:PATH], or *all* of <X>"),
                "git:REV\\[:PATH], or \\*all\\* of \\<X>"
            );
            assert_eq!(
                escape_text("with --format json, unless `NO_COLOR` (or --color) - is set"),
                "with `--format` json, unless `NO_COLOR` (or `--color`) - is set"
            );
        }
    }

    mod doc_model {
        use super::super::*;
        use crate::cli::Cli;

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
            let codes = parse_exit_codes(
                " 0 ok, 1 errors, or what\n--deny names, 2 failed, 128 + n: ended by signal n.",
            );
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
}
