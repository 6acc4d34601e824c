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
    /// Write the page, and one of every command, into a directory instead of printing it.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the page, or writes all pages.
pub fn run(args: &Args, mut command: clap::Command, out: &mut Out) -> anyhow::Result<Outcome> {
    command.build();
    match &args.dir {
        None => out.print(&page(&command)?)?,
        Some(dir) => {
            fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
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
    let words = "Every key can be changed in the configuration; olmap keys lists those in force.";
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
    ("~/.config/olmap/config.toml", "The configuration; olmap config --print shows all that can be in it."),
    ("~/.local/state/olmap/", "What survives a crash: unsaved edits, until they are saved or given up."),
    (".indexignore", "In a catalog: what does not belong to it."),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    (VARIABLE, "The configuration, in place of the usual file; none or empty goes without."),
    (
        "XDG_CONFIG_HOME, XDG_STATE_HOME",
        "Where configuration and state are, in place of ~/.config and ~/.local/state.",
    ),
    ("VISUAL, EDITOR", "The editor that files are opened in."),
    ("NO_COLOR", "No colours, whatever it is, as long as it is not empty."),
    ("TERM", "Where it is dumb there are no colours."),
];

const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "Fine."),
    ("1", "Findings: something is wrong with what was looked at."),
    ("2", "It could not be done; standard error says why."),
    ("128 + n", "Signal n ended the explorer."),
];
