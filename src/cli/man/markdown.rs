//! Reference of all commands in Markdown.

use std::fmt::Write as _;

use super::{
    doc_model::{CommandDoc, Note, Parameter},
    subjects::SUBJECTS,
};

/// Options of every command, documented once.
const SHARED_OPTIONS: [&str; 4] = ["color", "ascii", "help", "version"];

/// Returns the content of `docs/commands.md`.
pub fn render_reference(olmap: &CommandDoc) -> String {
    let mut out = String::from(
        "# Commands\n\n\
         <!-- Written by `olmap man -o markdown`, by OLMAP_UPDATE=1 cargo test --test documents too. -->\n\n\
         Help texts of all commands. `olmap man --dir DIR` writes them as manual pages. [The command line](cli.md) describes paths,\n\
         output and JSON.\n",
    );
    let of = |word: &str| olmap.commands.iter().find(|command| command.last_word() == word);
    for (subject, words) in SUBJECTS {
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
    for told in SUBJECTS.iter().flat_map(|(_, words)| *words).filter_map(|word| of(word)) {
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

#[cfg(test)]
mod tests {
    use super::escape_text;

    #[test]
    fn text_is_escaped_and_options_are_code() {
        assert_eq!(escape_text("git:REV[:PATH], or *all* of <X>"), "git:REV\\[:PATH], or \\*all\\* of \\<X>");
        assert_eq!(
            escape_text("with --format json, unless `NO_COLOR` (or --color) - is set"),
            "with `--format` json, unless `NO_COLOR` (or `--color`) - is set"
        );
    }
}
