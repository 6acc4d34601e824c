//! The command line as a whole. It names every command, and no command names it.

use std::{ffi::OsString, path::PathBuf};

use clap::{Arg, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use super::{
    bundle, completions, config, deprecations, diff, doctor, edit, examples, expect, explain, global::Global, graph,
    keys, list, man, path, range, render, successors, validate,
};

/// Explore, check and edit catalogs of Kubernetes operators (OLM file-based catalogs).
#[derive(Debug, Parser)]
#[command(
    name = "olmap",
    version,
    override_usage = "olmap [OPTIONS] [PATH]...\n       olmap [OPTIONS] COMMAND ...",
    after_help = examples::OLMAP
)]
pub struct Cli {
    /// Catalogs to explore.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The explorer: the file of upgrade expectations, made with the first row; otherwise expectations.yaml beside the
    /// directory of each catalog, where there is one.
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
    /// The explorer: the file of accepted findings; otherwise baseline.yaml beside the directory of each catalog, where
    /// there is one.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Open the explorer comparing with a catalog, or with git:REV[:PATH].
    #[arg(long, value_name = "BASE")]
    pub against: Option<String>,
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options that only the explorer goes by.
const OF_THE_EXPLORER: [&str; 3] = ["theme", "read_only", "no_watch"];
/// The option that only few commands go by, and those.
const CONFIG: (&str, [&str; 3]) = ("config", ["keys", "config", "doctor"]);
/// The command that tells what the explorer makes of its options.
const DOCTOR: &str = "doctor";

impl Cli {
    /// The command line. Commands take the explorer's options, for whoever has them in an alias, but their help is silent
    /// about them.
    pub fn described() -> clap::Command {
        let mut whole = Self::command();
        let options: Vec<Arg> = whole.get_arguments().cloned().collect();
        let names: Vec<String> =
            whole.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        for name in names {
            let is_silent_of = |option: &&Arg| {
                let id = option.get_id().as_str();
                (OF_THE_EXPLORER.contains(&id) && name != DOCTOR)
                    || (id == CONFIG.0 && !CONFIG.1.contains(&name.as_str()))
            };
            let hidden: Vec<Arg> =
                options.iter().filter(is_silent_of).map(|option| option.clone().hide(true)).collect();
            whole = whole.mut_subcommand(name, |command| command.args(hidden));
        }
        whole
    }

    /// Reads arguments, the name of the program first.
    pub fn read<T: Into<OsString> + Clone>(
        arguments: impl IntoIterator<Item = T>,
    ) -> Result<Self, clap::Error> {
        let mut command = Self::described();
        let matches = command.try_get_matches_from_mut(arguments)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check catalogs: what opm rejects, and what hurts users though opm accepts it.
    #[command(after_help = examples::VALIDATE)]
    Validate(validate::Args),
    /// What is inside a bundle directory, and what is wrong with it.
    Bundle(bundle::Args),
    /// Tell the story of a rule: why it matters, an example, what to do. Without a rule: list them all.
    #[command(after_help = examples::EXPLAIN)]
    Explain(explain::Args),
    /// List packages, channels, bundles or images.
    #[command(after_help = examples::LIST)]
    List(list::Args),
    /// What OLM Classic and OLM v1 would upgrade to, and why.
    #[command(after_help = examples::SUCCESSORS)]
    Successors(successors::Args),
    /// How an installed version gets to another, hop by hop, or why it does not.
    #[command(after_help = examples::PATH)]
    Path(path::Args),
    /// Check that upgrades do what they are expected to: tests of a catalog, from a small YAML file.
    #[command(after_help = examples::EXPECT)]
    Expect(expect::Args),
    /// The upgrade graph of channels: a picture, Mermaid, DOT, JSON.
    #[command(after_help = examples::GRAPH)]
    Graph(graph::Args),
    /// Which versions a range matches, in the two dialects OLM uses.
    #[command(after_help = examples::RANGE)]
    Range(range::Args),
    /// The release check: what is deprecated, who has no way on, where OLM v1 stops, what could be deprecated.
    #[command(after_help = examples::DEPRECATIONS)]
    Deprecations(deprecations::Args),
    /// Write catalogs in the canonical form of opm render.
    #[command(after_help = examples::RENDER)]
    Render(render::Args),
    /// Make one edit in one or several catalogs: not one byte more than it takes.
    #[command(after_help = examples::EDIT)]
    Edit(edit::Args),
    /// What differs in meaning between two catalogs, and whom it moves, strands or frees.
    #[command(after_help = examples::DIFF)]
    Diff(diff::Args),
    /// The keys of the explorer, as they are configured.
    #[command(after_help = examples::KEYS)]
    Keys(keys::Args),
    /// The configuration: what is in force, what is wrong with it, what can be in it.
    #[command(after_help = examples::CONFIG)]
    Config(config::Args),
    /// A script that completes commands and options in a shell.
    #[command(after_help = examples::COMPLETIONS)]
    Completions(completions::Args),
    /// The manual page, with all keys.
    #[command(after_help = examples::MAN)]
    Man(man::Args),
    /// What a bug report needs: the program, the terminal, and what the explorer makes of them.
    #[command(after_help = examples::DOCTOR)]
    Doctor(doctor::Args),
}
