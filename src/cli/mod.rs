//! Command line: one module per subcommand, each of which loads, queries and exports. This module maps
//! arguments to an exit code.

mod also;
mod apis;
mod args;
mod ask;
mod baseline;
mod batch;
mod bundle;
mod cache;
mod cel;
mod changed;
mod chosen;
mod cluster;
mod compare;
mod completions;
mod compose;
mod config;
mod configuration;
mod crds;
mod deprecations;
mod diff;
mod discovered;
mod doctor;
mod edit;
mod examples;
mod expect;
mod explain;
mod explore;
mod extract;
mod failure;
mod format;
#[cfg(fuzzing)]
pub mod fuzzing;
mod generate;
mod global;
mod graph;
mod history;
#[cfg(feature = "images")]
mod image;
#[cfg(not(feature = "images"))]
#[path = "no_image.rs"]
mod image;
#[cfg(feature = "images")]
mod images;
mod init;
mod keys;
mod labels;
mod list;
mod lsp;
mod man;
mod mirror;
mod not_checked;
mod opm;
mod out;
mod outcome;
mod output;
mod overview;
mod path;
mod plan;
mod progress;
mod query;
mod range;
mod readiness;
mod releases;
mod render;
mod report;
mod repository;
mod resolve;
mod resources;
mod revision;
mod safety;
mod serve;
mod source;
mod stuck;
mod successors;
mod template;
mod usage;
mod validate;
mod wanted;
mod workspace;

use std::{env, process::ExitCode};

use args::{Cli, Command};
use failure::Failure;
use global::Global;
use out::Out;
use outcome::Outcome;

/// Runs the program with the process arguments. Exit code 0: success; 1: findings; 2: the command failed, or
/// part of the input could not be read or decided.
pub fn main() -> ExitCode {
    usage::tell_panics();
    let words: Vec<_> = env::args_os().skip(1).collect();
    if let Some(failure) = opm::answer(&words) {
        Failure::print(&failure.into(), &Out::new(&Global::default()));
        return ExitCode::from(2);
    }
    let cli = match usage::parse(env::args_os().collect()) {
        Ok(cli) => cli,
        Err(error) => return usage::say(&error),
    };
    let mut out = Out::new(&cli.global);
    match run(cli, &mut out) {
        Ok(Outcome::Fine | Outcome::Findings) if out.is_incomplete() => ExitCode::from(2),
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        // Exit code that a shell reports for a program ended by a signal.
        Ok(Outcome::Signal(signal)) => ExitCode::from(u8::try_from(signal.saturating_add(128)).unwrap_or(2)),
        Err(error) => {
            Failure::print(&error, &out);
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli, out: &mut Out) -> anyhow::Result<Outcome> {
    match cli.command {
        Some(_) if cli.explore.against.is_some() => {
            Err(Failure::new("--against is only for the explorer").into())
        }
        None => explore::run(cli.explore, &cli.global),
        Some(Command::Validate(args)) => validate::run(&args, out),
        Some(Command::Bundle(args)) => bundle::run(&args, out),
        Some(Command::Crds(args)) => crds::run(&args, out),
        Some(Command::Explain(args)) => explain::run(&args, out),
        Some(Command::List(args)) => list::run(&args, out),
        Some(Command::Apis(args)) => apis::run(&args, out),
        Some(Command::Successors(args)) => successors::run(&args, out),
        Some(Command::Resolve(args)) => resolve::run(&args, out),
        Some(Command::Cluster(args)) => cluster::run(&args, out),
        Some(Command::Resources(args)) => resources::run(&args, out),
        Some(Command::Cel(args)) => cel::run(&args, out),
        Some(Command::Readiness(args)) => readiness::run(&args, out),
        Some(Command::Stuck(args)) => stuck::run(&args, out),
        Some(Command::Path(args)) => path::run(&args, out),
        Some(Command::Overview(args)) => overview::run(&args, out),
        Some(Command::Plan(args)) => plan::run(&args, out),
        Some(Command::Report(args)) => report::run(&args, out),
        Some(Command::Expect(args)) => expect::run(&args, out),
        Some(Command::Graph(args)) => graph::run(&args, out),
        Some(Command::Range(args)) => range::run(&args, out),
        Some(Command::Deprecations(args)) => deprecations::run(&args, out),
        Some(Command::Render(args)) => render::run(&args, out),
        Some(Command::Compose(args)) => compose::run(&args, out),
        Some(Command::Extract(args)) => extract::run(&args, out),
        Some(Command::Serve(args)) => serve::run(&args, out),
        Some(Command::Lsp(args)) => lsp::run(&args, out),
        Some(Command::Generate(args)) => generate::run(&args, out),
        #[cfg(feature = "images")]
        Some(Command::Image(args)) => images::run(&args, out),
        Some(Command::Init(args)) => init::run(&args, out),
        Some(Command::Template(args)) => template::run(&args, out),
        Some(Command::Mirror(args)) => mirror::run(&args, out),
        Some(Command::Diff(args)) => diff::run(&args, out),
        Some(Command::History(args)) => history::run(&args, out),
        Some(Command::Edit(args)) => edit::run(&args, out),
        Some(Command::Keys(args)) => keys::run(&args, cli.global.config.as_deref(), out),
        Some(Command::Config(args)) => config::run(&args, cli.global.config.as_deref(), out),
        Some(Command::Completions(args)) => completions::run(&args, Cli::described(), out),
        Some(Command::Man(args)) => man::run(&args, Cli::described(), out),
        Some(Command::Cache(args)) => cache::run(&args, out),
        Some(Command::Doctor(args)) => doctor::run(&args, &cli.global, out),
    }
}
