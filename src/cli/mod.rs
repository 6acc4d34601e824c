//! Command line: one module per subcommand, each of which loads, queries and exports. This module maps
//! arguments to an exit code.

mod apis;
mod args;
mod blockers;
mod bundle;
mod cel;
mod changed_catalogs;
mod cluster;
mod comparison;
mod compose;
mod configuration;
mod crds;
mod deprecations;
mod diagnostics;
mod diff;
mod edit;
mod examples;
mod expect;
mod explore;
mod extract;
mod failure;
mod findings;
#[cfg(fuzzing)]
pub mod fuzzing;
mod generate;
mod graph;
mod history;
#[cfg(feature = "images")]
mod image;
#[cfg(not(feature = "images"))]
#[path = "no_image.rs"]
mod image;
mod list;
mod man;
mod mirror;
mod out;
mod output;
mod path;
mod plan;
mod query;
mod range;
mod releases;
mod render;
mod report;
mod repository;
mod resolve;
mod resources;
mod revision;
mod safety;
mod servers;
mod source;
mod successors;
mod template;
mod validate;

use std::{env, path::PathBuf, process::ExitCode};

use clap::ValueEnum;

use crate::tui::ThemeName;
use args::{Cli, Command};
use failure::{Failure, hidden_content_message, join_names, list_reasons};
use out::{Out, escape_path, with_progress};
use output::{FindingsFormat, ReportFormat, TextOrJson};

/// Options of every command.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Global {
    /// Configuration file, instead of the default; none for no configuration.
    #[arg(long, global = true, value_name = "PATH")]
    pub config: Option<PathBuf>,
    /// When to use colours; auto: on a terminal, unless `NO_COLOR` is set.
    #[arg(long, global = true, value_name = "WHEN")]
    pub color: Option<ColorWhen>,
    /// Theme of the explorer; auto: dark or light, by the terminal's background.
    #[arg(long, global = true, value_name = "NAME", value_parser = output::named_parser(&ThemeName::ALL, ThemeName::name))]
    pub theme: Option<ThemeName>,
    /// Draw with ASCII characters only.
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Open the explorer read-only.
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Do not watch files for changes; r reloads them.
    #[arg(long, global = true)]
    pub no_watch: bool,
}

/// Condition for colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ColorWhen {
    Auto,
    Always,
    Never,
}

/// Result of a run without an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No findings.
    Fine,
    /// Findings, or expectations that are not met.
    Findings,
    /// Ended by a signal.
    Signal(i32),
}

impl From<bool> for Outcome {
    fn from(has_findings: bool) -> Self {
        if has_findings { Self::Findings } else { Self::Fine }
    }
}

/// Runs the program with the process arguments. Exit code 0: success; 1: findings; 2: the command failed, or
/// part of the input could not be read or decided.
pub fn main() -> ExitCode {
    args::install_panic_hook();
    let words: Vec<_> = env::args_os().skip(1).collect();
    if let Some(failure) = args::suggest_equivalent(&words) {
        Failure::print(&failure.into(), &Out::new(&Global::default()));
        return ExitCode::from(2);
    }
    let cli = match Cli::from_arguments(env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return args::print_clap_message(&error),
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
        Some(Command::Explain(args)) => findings::run_explain(&args, out),
        Some(Command::List(args)) => list::run_list(&args, out),
        Some(Command::Apis(args)) => apis::run_apis(&args, out),
        Some(Command::Successors(args)) => successors::run_successors(&args, out),
        Some(Command::Resolve(args)) => resolve::run_resolve(&args, out),
        Some(Command::Cluster(args)) => cluster::run_cluster(&args, out),
        Some(Command::Resources(args)) => resources::run_resources(&args, out),
        Some(Command::Cel(args)) => cel::run_cel(&args, out),
        Some(Command::Readiness(args)) => blockers::run_readiness(&args, out),
        Some(Command::Stuck(args)) => blockers::run_stuck(&args, out),
        Some(Command::Path(args)) => path::run_path(&args, out),
        Some(Command::Overview(args)) => releases::run_overview(&args, out),
        Some(Command::Plan(args)) => plan::run_plan(&args, out),
        Some(Command::Report(args)) => report::run_report(&args, out),
        Some(Command::Expect(args)) => expect::run_expect(&args, out),
        Some(Command::Graph(args)) => graph::run_graph(&args, out),
        Some(Command::Range(args)) => range::run_range(&args, out),
        Some(Command::Deprecations(args)) => deprecations::run_deprecations(&args, out),
        Some(Command::Render(args)) => render::run_render(&args, out),
        Some(Command::Compose(args)) => compose::run_compose(&args, out),
        Some(Command::Extract(args)) => extract::run_extract(&args, out),
        Some(Command::Serve(args)) => servers::run_serve(&args, out),
        Some(Command::Lsp(args)) => servers::run_lsp(&args, out),
        Some(Command::Generate(args)) => generate::run_generate(&args, out),
        #[cfg(feature = "images")]
        Some(Command::Image(args)) => image::run_image(&args, out),
        Some(Command::Init(args)) => generate::run_init(&args, out),
        Some(Command::Template(args)) => template::run_template(&args, out),
        Some(Command::Mirror(args)) => mirror::run_mirror(&args, out),
        Some(Command::Diff(args)) => diff::run_diff(&args, out),
        Some(Command::History(args)) => history::run_history(&args, out),
        Some(Command::Edit(args)) => edit::run_edit(&args, out),
        Some(Command::Keys(args)) => configuration::run_keys(&args, cli.global.config.as_deref(), out),
        Some(Command::Config(args)) => configuration::run_config(&args, cli.global.config.as_deref(), out),
        Some(Command::Completions(args)) => args::run_completions(&args, Cli::definition(), out),
        Some(Command::Man(args)) => man::run_man(&args, Cli::definition(), out),
        Some(Command::Cache(args)) => diagnostics::run_cache(&args, out),
        Some(Command::Doctor(args)) => diagnostics::run_doctor(&args, &cli.global, out),
    }
}
