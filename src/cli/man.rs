//! Manual pages, from the command line itself and the action table.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};

use super::{configuration::VARIABLE, examples, out::Out, outcome::Outcome};
use crate::app::{keymap, shell::describe};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write this page and one per command into a directory instead of printing it.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the page, or writes all pages.
pub fn run(args: &Args, mut command: clap::Command, out: &mut Out) -> anyhow::Result<Outcome> {
    command.build();
    match &args.dir {
        None => out.print(&page(&command)?)?,
        Some(dir) => {
            fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
            write(dir, "olmap", &page(&command)?)?;
            commands(&command, "olmap", dir)?;
        }
    }
    Ok(Outcome::Fine)
}

/// The pages of the commands of a command.
fn commands(parent: &clap::Command, name: &str, dir: &Path) -> anyhow::Result<()> {
    for command in parent.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = format!("{name}-{}", command.get_name());
        write(dir, &name, &page_of_command(command, &name)?)?;
        commands(command, &name, dir)?;
    }
    Ok(())
}

fn write(dir: &Path, name: &str, page: &str) -> anyhow::Result<()> {
    let path = dir.join(format!("{name}.1"));
    fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))
}

/// Title and footer of a page.
fn man(command: &clap::Command, name: &str) -> Man {
    Man::new(command.clone()).title(name).source(concat!("olmap ", env!("CARGO_PKG_VERSION"))).manual("olmap")
}

/// The page of the program.
fn page(command: &clap::Command) -> anyhow::Result<String> {
    let man = man(command, "olmap");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_subcommands_section(&mut page)?;
    keys().to_writer(&mut page)?;
    tagged("FILES", FILES).to_writer(&mut page)?;
    tagged("ENVIRONMENT", ENVIRONMENT).to_writer(&mut page)?;
    tagged("EXIT STATUS", EXIT_STATUS).to_writer(&mut page)?;
    shown(examples::OLMAP).to_writer(&mut page)?;
    man.render_version_section(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// The page of a command. What stands below its help gets sections of its own.
fn page_of_command(command: &clap::Command, name: &str) -> anyhow::Result<String> {
    let man = man(command, name);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (mut notes, mut status) = (Roff::new(), Roff::new());
    for paragraph in help.split("\n\n").map(str::trim_end).filter(|paragraph| !paragraph.is_empty()) {
        match paragraph.strip_prefix(EXIT_CODE) {
            Some(rest) => status.control("SH", ["EXIT STATUS"]).text([roman(rest.trim())]),
            None if paragraph.starts_with(EXAMPLES) => &mut status,
            None => notes.control("PP", []).text([roman(paragraph)]),
        };
    }
    notes.to_writer(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    status.to_writer(&mut page)?;
    shown(&help).to_writer(&mut page)?;
    let mut others = Roff::new();
    others.control("SH", ["SEE ALSO"]).text([bold("olmap"), roman("(1)")]);
    others.to_writer(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// What begins the paragraphs below a help text.
const EXAMPLES: &str = "Examples:";
const EXIT_CODE: &str = "Exit code:";

/// The examples of a help text; nothing where it has none.
fn shown(help: &str) -> Roff {
    let mut roff = Roff::new();
    for (nth, (words, line)) in examples::lines(help).enumerate() {
        if nth == 0 {
            roff.control("SH", ["EXAMPLES"]);
        }
        roff.control("TP", []).text([bold(line)]).text([roman(words)]);
    }
    roff
}

/// The keys that the table has.
fn keys() -> Roff {
    let keymap = keymap();
    let mut roff = Roff::new();
    roff.control("SH", ["KEYS"]);
    let words = "Every key can be changed in the configuration; olmap keys lists the current ones.";
    roff.text([roman(words)]);
    for group in describe::groups() {
        roff.control("SS", [group.title.as_str()]);
        for spec in group.actions {
            let keys = keymap.keys(spec.id).join(", ");
            let keys = if keys.is_empty() { format!(":{}", spec.id.name()) } else { keys };
            roff.control("TP", []).text([bold(keys)]).text([roman(format!("{}.", spec.doc))]);
        }
    }
    roff
}

fn tagged(title: &str, rows: &[(&str, &str)]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for (term, words) in rows {
        roff.control("TP", []).text([bold(*term)]).text([roman(*words)]);
    }
    roff
}

const FILES: &[(&str, &str)] = &[
    ("~/.config/olmap/config.toml", "The configuration; olmap config --print shows every option."),
    ("~/.local/state/olmap/", "Unsaved edits, kept for recovery until they are saved or discarded."),
    (".indexignore", "In a catalog: files that do not belong to it."),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    (VARIABLE, "The configuration file, instead of the default; none or empty for no configuration."),
    (
        "XDG_CONFIG_HOME, XDG_STATE_HOME",
        "Where configuration and state are, instead of ~/.config and ~/.local/state.",
    ),
    ("VISUAL, EDITOR", "The editor for opening files."),
    ("NO_COLOR", "No colours, if set and not empty."),
    ("TERM", "If dumb, no colours."),
];

const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "Fine."),
    ("1", "The command found what it checks for."),
    ("2", "The command failed; standard error says why."),
    ("128 + n", "Signal n ended the explorer."),
];
