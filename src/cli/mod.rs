//! Command line: one module per subcommand, each of which loads, queries and exports. This module maps
//! arguments to an exit code.

mod apis;
mod args;
mod baseline;
mod batch;
mod bundle;
mod cache;
mod cel;
mod changed_catalogs;
mod cluster;
mod comparison;
mod completions;
mod compose;
mod config;
mod configuration;
mod crds;
mod custom_resource;
mod deprecations;
mod diff;
mod discovered_repository;
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
mod query_runner;
mod range;
mod readiness;
mod releases;
mod render;
mod report;
mod repository;
mod resolve;
mod resources;
mod revision;
mod rule_selection;
mod safety;
mod serve;
mod source;
mod stuck;
mod successors;
mod tee;
mod template;
mod usage;
mod validate;
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
    usage::install_panic_hook();
    let words: Vec<_> = env::args_os().skip(1).collect();
    if let Some(failure) = opm::suggest_equivalent(&words) {
        Failure::print(&failure.into(), &Out::new(&Global::default()));
        return ExitCode::from(2);
    }
    let cli = match usage::parse_command_line(env::args_os().collect()) {
        Ok(cli) => cli,
        Err(error) => return usage::print_clap_message(&error),
    };
    let mut out = Out::new(&cli.global);
    match run_command(cli, &mut out) {
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

fn run_command(cli: Cli, out: &mut Out) -> anyhow::Result<Outcome> {
    match cli.command {
        Some(_) if cli.explore.against.is_some() => {
            Err(Failure::new("--against is only for the explorer").into())
        }
        None => explore::run_explorer(cli.explore, &cli.global),
        Some(Command::Validate(args)) => validate::run_validate(&args, out),
        Some(Command::Bundle(args)) => bundle::run_bundle(&args, out),
        Some(Command::Crds(args)) => crds::run_crds(&args, out),
        Some(Command::Explain(args)) => explain::run_explain(&args, out),
        Some(Command::List(args)) => list::run_list(&args, out),
        Some(Command::Apis(args)) => apis::run_apis(&args, out),
        Some(Command::Successors(args)) => successors::run_successors(&args, out),
        Some(Command::Resolve(args)) => resolve::run_resolve(&args, out),
        Some(Command::Cluster(args)) => cluster::run_cluster(&args, out),
        Some(Command::Resources(args)) => resources::run_resources(&args, out),
        Some(Command::Cel(args)) => cel::run_cel(&args, out),
        Some(Command::Readiness(args)) => readiness::run_readiness(&args, out),
        Some(Command::Stuck(args)) => stuck::run_stuck(&args, out),
        Some(Command::Path(args)) => path::run_path(&args, out),
        Some(Command::Overview(args)) => overview::run_overview(&args, out),
        Some(Command::Plan(args)) => plan::run_plan(&args, out),
        Some(Command::Report(args)) => report::run_report(&args, out),
        Some(Command::Expect(args)) => expect::run_expect(&args, out),
        Some(Command::Graph(args)) => graph::run_graph(&args, out),
        Some(Command::Range(args)) => range::run_range(&args, out),
        Some(Command::Deprecations(args)) => deprecations::run_deprecations(&args, out),
        Some(Command::Render(args)) => render::run_render(&args, out),
        Some(Command::Compose(args)) => compose::run_compose(&args, out),
        Some(Command::Extract(args)) => extract::run_extract(&args, out),
        Some(Command::Serve(args)) => serve::run_serve(&args, out),
        Some(Command::Lsp(args)) => lsp::run_lsp(&args, out),
        Some(Command::Generate(args)) => generate::run_generate(&args, out),
        #[cfg(feature = "images")]
        Some(Command::Image(args)) => images::run_image(&args, out),
        Some(Command::Init(args)) => init::run_init(&args, out),
        Some(Command::Template(args)) => template::run_template(&args, out),
        Some(Command::Mirror(args)) => mirror::run_mirror(&args, out),
        Some(Command::Diff(args)) => diff::run_diff(&args, out),
        Some(Command::History(args)) => history::run_history(&args, out),
        Some(Command::Edit(args)) => edit::run_edit(&args, out),
        Some(Command::Keys(args)) => keys::run_keys(&args, cli.global.config.as_deref(), out),
        Some(Command::Config(args)) => config::run_config(&args, cli.global.config.as_deref(), out),
        Some(Command::Completions(args)) => completions::run_completions(&args, Cli::definition(), out),
        Some(Command::Man(args)) => man::run_man(&args, Cli::definition(), out),
        Some(Command::Cache(args)) => cache::run_cache(&args, out),
        Some(Command::Doctor(args)) => doctor::run_doctor(&args, &cli.global, out),
    }
}
