//! Command line: one module for each command, or for commands of one topic. Each loads, queries and exports. This module
//! maps arguments to an exit code. It names every command, and no command module names it.

mod apis;
mod args;
mod bundle;
mod cache;
mod cel;
mod changed_catalogs;
mod cluster;
mod cluster_catalogs;
mod cluster_successors;
mod comment_links;
mod comparison;
mod completion;
mod compose;
mod configuration;
mod crds;
mod deprecations;
mod diff;
mod doctor;
mod edit;
mod examples;
mod expect;
mod explore;
mod extract;
mod failure;
mod findings;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod generate;
mod git;
mod graph;
mod history;
#[cfg(feature = "images")]
mod image;
#[cfg(not(feature = "images"))]
#[path = "no_image.rs"]
mod image;
mod list;
mod locate;
mod logging;
mod man;
mod mirror;
mod out;
mod output;
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
mod schema;
mod servers;
mod source;
mod stuck;
mod successors;
mod template;
mod validate;

use std::{env, ffi::OsString, fmt::Write as _, path::Path, process::ExitCode, time::Instant};

use clap::{Arg, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, error::ErrorKind};
use strum::{EnumDiscriminants, IntoStaticStr, VariantArray};

use args::{ColorWhen, Global, Outcome};
use failure::{Failure, hidden_content_message, join_names, list_reasons};
use out::{Out, escape_path};
use output::{FindingsFormat, ReportFormat, TextOrJson};
use progress::with_progress;

/// Explore, check and edit catalogs of Kubernetes operators (OLM file-based catalogs).
#[derive(Debug, Parser)]
#[command(
    name = "olmap",
    version,
    override_usage = USAGE,
    after_help = examples::OLMAP
)]
struct Cli {
    #[command(flatten)]
    explore: explore::Args,
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

const USAGE: &str = "olmap [OPTIONS] [PATH]...\n       olmap [OPTIONS] COMMAND ...";
/// Name of the program as a plugin of kubectl.
const PLUGIN_NAME: &str = "kubectl olmap";

/// Returns true if kubectl started the program as a plugin.
fn is_plugin(program: &OsString) -> bool {
    Path::new(program).file_stem().is_some_and(|name| name == "kubectl-olmap")
}

/// Options that only the explorer uses.
const EXPLORER_OPTIONS: [&str; 3] = ["theme", "read_only", "no_watch"];
/// Option that only these commands use.
const CONFIG_OPTION: (&str, [&str; 3]) = ("config", ["keys", "config", "doctor"]);
/// Command that reports the settings of the explorer.
const DOCTOR: &str = "doctor";

impl Cli {
    /// Returns the command line. Commands accept the options of the explorer, because a user may have them in
    /// an alias. Their help does not show these options.
    fn definition() -> clap::Command {
        let mut whole = Self::command();
        let options: Vec<Arg> = whole.get_arguments().cloned().collect();
        let names: Vec<String> =
            whole.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        for name in names {
            let is_silent_of = |option: &&Arg| {
                let id = option.get_id().as_str();
                (EXPLORER_OPTIONS.contains(&id) && name != DOCTOR)
                    || (id == CONFIG_OPTION.0 && !CONFIG_OPTION.1.contains(&name.as_str()))
            };
            let hidden: Vec<Arg> =
                options.iter().filter(is_silent_of).map(|option| option.clone().hide(true)).collect();
            whole = whole.mut_subcommand(name, |command| command.args(hidden));
        }
        whole
    }

    /// Parses arguments; the first is the name of the program.
    fn from_arguments<T: Into<OsString> + Clone>(
        arguments: impl IntoIterator<Item = T>,
    ) -> Result<Self, clap::Error> {
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        let mut command = Self::definition();
        if arguments.first().is_some_and(is_plugin) {
            command = command.bin_name(PLUGIN_NAME).override_usage(USAGE.replace("olmap", PLUGIN_NAME));
        }
        let matches = match command.try_get_matches_from_mut(arguments.clone()) {
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {
                command = group_commands(command);
                command.try_get_matches_from_mut(arguments)?
            }
            matches => matches?,
        };
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

/// Returns the command line with a help that lists the commands by subject instead of in one list.
fn group_commands(whole: clap::Command) -> clap::Command {
    let (header, literal) = (*whole.get_styles().get_header(), *whole.get_styles().get_literal());
    let mut groups = String::new();
    for (subject, commands) in SUBJECTS {
        // Writing to a string cannot fail.
        let _ = writeln!(groups, "{header}{subject}:{header:#}");
        // Few people need it, and the manual lists it.
        let listed = commands.iter().filter(|command| **command != CommandName::Cel);
        for name in listed.map(|command| <&str>::from(*command)) {
            if let Some(command) = whole.find_subcommand(name) {
                let about = command.get_about().map(ToString::to_string).unwrap_or_default();
                let _ = writeln!(groups, "  {literal}{name:<13}{literal:#} {about}");
            }
        }
        groups.push('\n');
    }
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{{all-args}}{{after-help}}"
    );
    whole.mut_subcommands(|command| command.hide(true)).help_template(template)
}

#[derive(Debug, Subcommand, EnumDiscriminants)]
#[strum_discriminants(
    name(CommandName),
    derive(VariantArray, IntoStaticStr),
    strum(serialize_all = "kebab-case")
)]
enum Command {
    /// Check catalogs for what opm rejects and what affects users.
    #[command(after_help = validate::HELP)]
    Validate(validate::Args),
    /// Show, compare and check bundles.
    #[command(after_help = bundle::HELP)]
    Bundle(bundle::Args),
    /// Check whether OLM can upgrade CRDs, what breaks, and what to do instead.
    #[command(after_help = crds::HELP)]
    Crds(crds::Args),
    /// Explain a rule: reason, example and fix. Without RULE, list all rules.
    #[command(after_help = findings::EXPLAIN_HELP)]
    Explain(findings::ExplainArgs),
    /// List packages, channels, bundles, images, catalogs or a repository.
    #[command(alias = "ls", after_help = list::HELP)]
    List(list::Args),
    /// Show where the files of a catalog define and use a name.
    #[command(after_help = locate::HELP)]
    Locate(locate::Args),
    /// Show providers and dependents of APIs and packages, and missing ones.
    #[command(after_help = apis::HELP)]
    Apis(apis::Args),
    /// Show the upgrade targets of OLM Classic and OLM v1, with reasons.
    #[command(after_help = successors::HELP)]
    Successors(successors::Args),
    /// Show stuck versions, the reason, and the edit that frees them.
    #[command(after_help = stuck::HELP)]
    Stuck(stuck::Args),
    /// Resolve dependencies in a namespace as OLM Classic does.
    #[command(after_help = resolve::HELP)]
    Resolve(resolve::Args),
    /// Show installed operators from files of kubectl, compared with catalogs.
    #[command(after_help = cluster::HELP)]
    Cluster(cluster::Args),
    /// Print the custom resources that install a version.
    #[command(after_help = resources::HELP)]
    Resources(resources::Args),
    /// Check a CEL rule of an olm.constraint.
    #[command(after_help = cel::HELP)]
    Cel(cel::Args),
    /// Show which packages OLM v1 can take over from OLM Classic.
    #[command(after_help = readiness::HELP)]
    Readiness(readiness::Args),
    /// Show the upgrade path between two versions, or why there is none.
    #[command(after_help = path::HELP)]
    Path(path::Args),
    /// Compare heads and problems of packages across OpenShift versions.
    #[command(after_help = releases::OVERVIEW_HELP)]
    Overview(releases::OverviewArgs),
    /// Write an HTML report.
    #[command(after_help = report::HELP)]
    Report(report::Args),
    /// Plan a cluster update over several OpenShift versions.
    #[command(after_help = plan::HELP)]
    Plan(plan::Args),
    /// Check upgrades against expectations in a YAML file.
    #[command(after_help = expect::HELP)]
    Expect(expect::Args),
    /// Draw the upgrade graph of channels.
    #[command(after_help = graph::HELP)]
    Graph(graph::Args),
    /// Show which versions a range matches, in both range dialects of OLM.
    #[command(after_help = range::HELP)]
    Range(range::Args),
    /// Check deprecations before a release.
    #[command(after_help = deprecations::HELP)]
    Deprecations(deprecations::Args),
    /// Print catalogs in the format of opm render.
    #[command(after_help = render::HELP)]
    Render(render::Args),
    /// Combine the catalogs that a file lists into one catalog.
    #[command(after_help = compose::HELP)]
    Compose(compose::Args),
    /// Extract a valid subset of a catalog.
    #[command(
        override_usage = "olmap extract [OPTIONS] PACKAGE[:CHANNEL[:RANGE]]... [CATALOG]",
        after_help = extract::HELP
    )]
    Extract(extract::Args),
    /// Serve a catalog on this machine as catalogd does in a cluster.
    #[command(after_help = servers::SERVE_HELP)]
    Serve(servers::ServeArgs),
    /// Start the language server for catalogs.
    #[command(after_help = servers::LSP_HELP)]
    Lsp(servers::LspArgs),
    /// Write the Dockerfile of a catalog, or the files of a bundle image.
    #[command(after_help = generate::HELP)]
    Generate(generate::Args),
    /// Build catalog images and push images, without a container engine.
    #[cfg(feature = "images")]
    #[command(after_help = image::HELP)]
    Image(image::CommandArgs),
    /// Print the olm.package of a new catalog, as opm init does.
    #[command(after_help = generate::INIT_HELP)]
    Init(generate::InitArgs),
    /// Render, convert and check templates without pulling images.
    #[command(after_help = template::HELP)]
    Template(template::Args),
    /// Edit one or several catalogs, and keep all other bytes.
    #[command(after_help = edit::HELP)]
    Edit(edit::Args),
    /// Compare two catalogs, and show whose upgrades change.
    #[command(after_help = diff::HELP)]
    Diff(diff::Args),
    /// Show what each git commit changed for a package and its users.
    #[command(after_help = history::HELP)]
    History(history::Args),
    /// Merge and show catalogs for git, as a merge driver and a diff driver.
    #[command(after_help = git::HELP)]
    Git(git::Args),
    /// Show what oc-mirror keeps of a catalog, and which upgrades break.
    #[command(after_help = mirror::HELP)]
    Mirror(mirror::Args),
    /// List the keys of the explorer, as configured.
    #[command(after_help = configuration::KEYS_HELP)]
    Keys(configuration::KeysArgs),
    /// Print or check the configuration.
    #[command(after_help = configuration::CONFIG_HELP)]
    Config(configuration::ConfigArgs),
    /// Print JSON Schemas of files and of JSON output.
    #[command(after_help = schema::HELP)]
    Schema(schema::Args),
    /// Print a shell completion script.
    #[command(after_help = completion::HELP)]
    Completions(completion::Args),
    /// Print the manual page, with all keys.
    #[command(after_help = man::HELP)]
    Man(man::Args),
    /// Show or clear the cache of images and upgrade checks.
    #[command(after_help = cache::HELP)]
    Cache(cache::Args),
    /// Print information for a bug report: program, terminal, settings.
    #[command(after_help = doctor::HELP)]
    Doctor(doctor::Args),
}

/// Subjects of the help and the manual, each with its commands.
const SUBJECTS: &[man::Subject<CommandName>] = &[
    (
        "Explore",
        &[
            CommandName::List,
            CommandName::Graph,
            CommandName::Successors,
            CommandName::Path,
            CommandName::Stuck,
            CommandName::History,
            CommandName::Apis,
            CommandName::Locate,
            CommandName::Range,
        ],
    ),
    (
        "Check",
        &[
            CommandName::Validate,
            CommandName::Bundle,
            CommandName::Crds,
            CommandName::Deprecations,
            CommandName::Expect,
            CommandName::Readiness,
            CommandName::Explain,
            CommandName::Cel,
        ],
    ),
    (
        "Edit",
        &[
            CommandName::Edit,
            CommandName::Template,
            CommandName::Extract,
            CommandName::Render,
            CommandName::Git,
        ],
    ),
    ("Compare", &[CommandName::Diff, CommandName::Overview, CommandName::Report]),
    (
        "Clusters",
        &[
            CommandName::Plan,
            CommandName::Resolve,
            CommandName::Cluster,
            CommandName::Resources,
            CommandName::Mirror,
        ],
    ),
    (
        "Build",
        &[
            CommandName::Compose,
            CommandName::Generate,
            CommandName::Init,
            #[cfg(feature = "images")]
            CommandName::Image,
            CommandName::Serve,
        ],
    ),
    (
        "Program",
        &[
            CommandName::Lsp,
            CommandName::Keys,
            CommandName::Config,
            CommandName::Schema,
            CommandName::Completions,
            CommandName::Man,
            CommandName::Cache,
            CommandName::Doctor,
        ],
    ),
];

// The manual would omit a command without a subject.
const _: () = {
    let mut at = 0;
    while at < CommandName::VARIANTS.len() {
        assert!(count_subjects(CommandName::VARIANTS[at]) == 1, "each command needs one subject in SUBJECTS");
        at += 1;
    }
};

const fn count_subjects(command: CommandName) -> usize {
    let (mut count, mut subject) = (0, 0);
    while subject < SUBJECTS.len() {
        let mut at = 0;
        while at < SUBJECTS[subject].1.len() {
            count += (SUBJECTS[subject].1[at] as usize == command as usize) as usize;
            at += 1;
        }
        subject += 1;
    }
    count
}

/// Runs the program with the process arguments. Exit code 0: success; 1: findings; 2: the command failed, or
/// part of the input could not be read or decided.
pub fn main() -> ExitCode {
    args::install_panic_hook();
    if let Some(code) = completion::answer_shell(Cli::definition) {
        return code;
    }
    let words: Vec<_> = env::args_os().skip(1).collect();
    if let Some(failure) = args::suggest_equivalent(&words) {
        Failure::print(&failure.into(), &Out::new(&Global::default()));
        return ExitCode::from(2);
    }
    let cli = match Cli::from_arguments(env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            let is_option = error.kind() == ErrorKind::UnknownArgument;
            if let Some(failure) = explore::misspelled_command_failure(&words).filter(|_| is_option) {
                Failure::print(&failure.into(), &Out::new(&Global::default()));
                return ExitCode::from(2);
            }
            return args::print_clap_message(&error, |arguments| Cli::from_arguments(arguments).err());
        }
    };
    let mut out = Out::new(&cli.global);
    if let Err(failure) = logging::start_log(cli.global.verbosity) {
        Failure::print(&failure.into(), &out);
        return ExitCode::from(2);
    }
    let started = Instant::now();
    let result = run_command(cli, &mut out);
    ::log::info!("finished after {:.1?}", started.elapsed());
    match result {
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
        Some(Command::Locate(args)) => locate::run_locate(&args, out),
        Some(Command::Git(args)) => git::run_git(&args, out),
        Some(Command::Schema(args)) => schema::run_schema(&args, out),
        Some(Command::Apis(args)) => apis::run_apis(&args, out),
        Some(Command::Successors(args)) => successors::run_successors(&args, out),
        Some(Command::Resolve(args)) => resolve::run_resolve(&args, out),
        Some(Command::Cluster(args)) => cluster::run_cluster(&args, out),
        Some(Command::Resources(args)) => resources::run_resources(&args, out),
        Some(Command::Cel(args)) => cel::run_cel(&args, out),
        Some(Command::Readiness(args)) => readiness::run_readiness(&args, out),
        Some(Command::Stuck(args)) => stuck::run_stuck(&args, out),
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
        Some(Command::Completions(args)) => completion::run_completions(&args, out),
        Some(Command::Man(args)) => man::run_man(&args, Cli::definition(), SUBJECTS, out),
        Some(Command::Cache(args)) => cache::run_cache(&args, out),
        Some(Command::Doctor(args)) => doctor::run_doctor(&args, &cli.global, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects every command that has no subcommands, with its name.
    fn collect_leaves(command: &clap::Command, name: &str, all: &mut Vec<(String, clap::Command)>) {
        let below: Vec<_> = command.get_subcommands().filter(|below| below.get_name() != "help").collect();
        if below.is_empty() {
            all.push((name.to_owned(), command.clone()));
        }
        for below in below {
            collect_leaves(below, &format!("{name} {}", below.get_name()), all);
        }
    }

    fn all_leaves() -> Vec<(String, clap::Command)> {
        let mut all = Vec::new();
        collect_leaves(&Cli::definition(), "olmap", &mut all);
        all
    }

    #[test]
    fn no_option_conflicts_with_another() {
        Cli::definition().debug_assert();
    }

    #[test]
    fn every_option_has_the_same_letter_in_every_command() {
        let letters = [
            ("output", 'o', 30),
            ("package", 'p', 20),
            ("channel", 'c', 5),
            ("dry-run", 'n', 10),
            ("file", 'f', 2),
        ];
        for (long, letter, least) in letters {
            let mut count = 0;
            for (name, command) in all_leaves() {
                for option in command.get_arguments() {
                    if option.get_long() == Some(long) {
                        assert_eq!(option.get_short(), Some(letter), "{name} --{long}");
                        count += 1;
                    }
                }
            }
            assert!(count >= least, "{count} commands have --{long}");
        }
    }

    #[test]
    fn every_letter_means_the_same_option_except_in_commands_of_opm() {
        let letters = [('o', "output"), ('p', "package"), ('c', "channel"), ('n', "dry-run"), ('f', "file")];
        for (name, command) in all_leaves() {
            if name == "olmap init" || name.starts_with("olmap generate") {
                continue;
            }
            for option in command.get_arguments() {
                for (letter, long) in letters.iter().filter(|(letter, _)| option.get_short() == Some(*letter))
                {
                    assert_eq!(option.get_long(), Some(*long), "{name} -{letter}");
                }
            }
        }
    }

    #[test]
    fn every_format_is_selected_with_output_or_its_alias_format() {
        let is_of_format = |option: &&Arg| {
            option.get_value_names().is_some_and(|names| names.iter().any(|name| name == "FORMAT"))
        };
        let takes = |option: &Arg, long: &str| {
            option.get_long() == Some(long) || option.get_all_aliases().unwrap_or_default().contains(&long)
        };
        let mut count = 0;
        for (name, command) in all_leaves() {
            let options: Vec<_> = command.get_arguments().filter(is_of_format).collect();
            if options.is_empty() {
                continue;
            }
            count += 1;
            assert!(options.iter().any(|option| takes(option, "output")), "{name} has no --output");
            let is_new = ["olmap report", "olmap image build"].contains(&name.as_str());
            assert!(is_new || options.iter().any(|option| takes(option, "format")), "{name} has no --format");
        }
        assert!(count > 30, "{count}");
    }
}
