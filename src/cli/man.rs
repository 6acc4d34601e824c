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
        let mut page = Vec::new();
        Man::new(command.clone()).title(&name).render(&mut page)?;
        write(dir, &name, &String::from_utf8_lossy(&page))?;
        commands(command, &name, dir)?;
    }
    Ok(())
}

fn write(dir: &Path, name: &str, page: &str) -> anyhow::Result<()> {
    let path = dir.join(format!("{name}.1"));
    fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))
}

/// The page of the program.
fn page(command: &clap::Command) -> anyhow::Result<String> {
    let man = Man::new(command.clone());
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
    let mut shown = Roff::new();
    shown.control("SH", ["EXAMPLES"]);
    for (words, line) in examples::lines(examples::OLMAP) {
        shown.control("TP", []).text([bold(line)]).text([roman(words)]);
    }
    shown.to_writer(&mut page)?;
    man.render_version_section(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
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
