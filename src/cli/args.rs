//! Complete command line: arguments, messages before a command runs, hints for users of opm, and shell
//! completions. This module names every command, and no command module names it.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::{env, ffi::OsString, fmt::Write as _, panic, path::Path, process::ExitCode};

use clap::{Arg, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;

use super::{
    Failure, Global, Out, Outcome, apis, blockers, bundle, cel, cluster, compose, configuration, crds,
    deprecations, diagnostics, diff, edit, examples, expect, explore, extract, findings, generate, graph,
    history, list, man, mirror, out::print_error, path, plan, range, releases, render, report, resolve,
    resources, servers, successors, template, validate,
};
use olmap_report::escape;

/// Explore, check and edit catalogs of Kubernetes operators (OLM file-based catalogs).
#[derive(Debug, Parser)]
#[command(
    name = "olmap",
    version,
    override_usage = USAGE,
    after_help = examples::OLMAP
)]
pub struct Cli {
    #[command(flatten)]
    pub explore: explore::Args,
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

const USAGE: &str = "olmap [OPTIONS] [PATH]...\n       olmap [OPTIONS] COMMAND ...";

/// Name of the program as a plugin of kubectl.
const PLUGIN_NAME: &str = "kubectl olmap";

/// Options that only the explorer uses.
const EXPLORER_OPTIONS: [&str; 3] = ["theme", "read_only", "no_watch"];

/// Option that only these commands use.
const CONFIG_OPTION: (&str, [&str; 3]) = ("config", ["keys", "config", "doctor"]);

/// Command that reports the settings of the explorer.
const DOCTOR: &str = "doctor";

impl Cli {
    /// Returns the command line. Commands accept the options of the explorer, because a user may have them in
    /// an alias. Their help does not show these options.
    pub fn definition() -> clap::Command {
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
    pub fn from_arguments<T: Into<OsString> + Clone>(
        arguments: impl IntoIterator<Item = T>,
    ) -> Result<Self, clap::Error> {
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        let mut command = Self::definition();
        if arguments.first().is_some_and(is_plugin) {
            command = command.bin_name(PLUGIN_NAME).override_usage(USAGE.replace("olmap", PLUGIN_NAME));
        }
        let matches = command.try_get_matches_from_mut(arguments)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check catalogs for what opm rejects and what affects users.
    #[command(after_help = examples::VALIDATE)]
    Validate(validate::Args),
    /// Show, compare and check bundles.
    #[command(after_help = examples::BUNDLE)]
    Bundle(bundle::Args),
    /// Check whether OLM can upgrade CRDs, what breaks, and what to do instead.
    #[command(after_help = examples::CRDS)]
    Crds(crds::Args),
    /// Explain a rule: reason, example and fix. Without RULE, list all rules.
    #[command(after_help = examples::EXPLAIN)]
    Explain(findings::ExplainArgs),
    /// List packages, channels, bundles, images, catalogs or a repository.
    #[command(after_help = examples::LIST)]
    List(list::Args),
    /// Show providers and dependents of APIs and packages, and missing ones.
    #[command(after_help = examples::APIS)]
    Apis(apis::Args),
    /// Show the upgrade targets of OLM Classic and OLM v1, with reasons.
    #[command(after_help = examples::SUCCESSORS)]
    Successors(successors::Args),
    /// Show stuck versions, the reason, and the edit that frees them.
    #[command(after_help = examples::STUCK)]
    Stuck(blockers::StuckArgs),
    /// Resolve dependencies in a namespace as OLM Classic does.
    #[command(after_help = examples::RESOLVE)]
    Resolve(resolve::Args),
    /// Show installed operators from files of kubectl, compared with catalogs.
    #[command(after_help = examples::CLUSTER)]
    Cluster(cluster::Args),
    /// Print the custom resources that install a version.
    #[command(after_help = examples::RESOURCES)]
    Resources(resources::Args),
    /// Check a CEL rule of an olm.constraint.
    #[command(after_help = examples::CEL)]
    Cel(cel::Args),
    /// Show which packages OLM v1 can take over from OLM Classic.
    #[command(after_help = examples::READINESS)]
    Readiness(blockers::ReadinessArgs),
    /// Show the upgrade path between two versions, or why there is none.
    #[command(after_help = examples::PATH)]
    Path(path::Args),
    /// Compare heads and problems of packages across OpenShift versions.
    #[command(after_help = examples::OVERVIEW)]
    Overview(releases::OverviewArgs),
    /// Write an HTML report.
    #[command(after_help = examples::REPORT)]
    Report(report::Args),
    /// Plan a cluster update over several OpenShift versions.
    #[command(after_help = examples::PLAN)]
    Plan(plan::Args),
    /// Check upgrades against expectations in a YAML file.
    #[command(after_help = examples::EXPECT)]
    Expect(expect::Args),
    /// Draw the upgrade graph of channels.
    #[command(after_help = examples::GRAPH)]
    Graph(graph::Args),
    /// Show which versions a range matches, in both range dialects of OLM.
    #[command(after_help = examples::RANGE)]
    Range(range::Args),
    /// Check deprecations before a release.
    #[command(after_help = examples::DEPRECATIONS)]
    Deprecations(deprecations::Args),
    /// Print catalogs in the format of opm render.
    #[command(after_help = examples::RENDER)]
    Render(render::Args),
    /// Combine the catalogs that a file lists into one catalog.
    #[command(after_help = examples::COMPOSE)]
    Compose(compose::Args),
    /// Extract a valid subset of a catalog.
    #[command(
        override_usage = "olmap extract [OPTIONS] PACKAGE[:CHANNEL[:RANGE]]... [CATALOG]",
        after_help = examples::EXTRACT
    )]
    Extract(extract::Args),
    /// Serve a catalog on this machine as catalogd does in a cluster.
    #[command(after_help = examples::SERVE)]
    Serve(servers::ServeArgs),
    /// Start the language server for catalogs.
    #[command(after_help = examples::LSP)]
    Lsp(servers::LspArgs),
    /// Write the Dockerfile of a catalog, or the files of a bundle image.
    #[command(after_help = examples::GENERATE)]
    Generate(generate::Args),
    /// Build catalog images and push images, without a container engine.
    #[cfg(feature = "images")]
    #[command(after_help = examples::IMAGE)]
    Image(super::image::CommandArgs),
    /// Print the olm.package of a new catalog, as opm init does.
    #[command(after_help = examples::INIT)]
    Init(generate::InitArgs),
    /// Render, convert and check templates without pulling images.
    #[command(after_help = examples::TEMPLATE)]
    Template(template::Args),
    /// Edit one or several catalogs, and keep all other bytes.
    #[command(after_help = examples::EDIT)]
    Edit(edit::Args),
    /// Compare two catalogs, and show whose upgrades change.
    #[command(after_help = examples::DIFF)]
    Diff(diff::Args),
    /// Show what each git commit changed for a package and its users.
    #[command(after_help = examples::HISTORY)]
    History(history::Args),
    /// Show what oc-mirror keeps of a catalog, and which upgrades break.
    #[command(after_help = examples::MIRROR)]
    Mirror(mirror::Args),
    /// List the keys of the explorer, as configured.
    #[command(after_help = examples::KEYS)]
    Keys(configuration::KeysArgs),
    /// Print or check the configuration.
    #[command(after_help = examples::CONFIG)]
    Config(configuration::ConfigArgs),
    /// Print a shell completion script.
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print the manual page, with all keys.
    #[command(after_help = examples::MAN)]
    Man(man::Args),
    /// Show or clear the cache of images and upgrade checks.
    #[command(after_help = examples::CACHE)]
    Cache(diagnostics::CacheArgs),
    /// Print information for a bug report: program, terminal, settings.
    #[command(after_help = examples::DOCTOR)]
    Doctor(diagnostics::DoctorArgs),
}

#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// Shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Returns true if kubectl started the program as a plugin.
fn is_plugin(program: &OsString) -> bool {
    Path::new(program).file_stem().is_some_and(|name| name == "kubectl-olmap")
}

/// Prints a message of clap, and returns the exit code.
pub fn print_clap_message(error: &clap::Error) -> ExitCode {
    // The arguments are escaped and parsed again. clap embeds them between its own color sequences, which
    // cannot be separated later.
    let harmless =
        |argument: OsString| OsString::from(escape::escape_line(&argument.to_string_lossy()).into_owned());
    let again =
        Cli::from_arguments(env::args_os().map(harmless)).err().filter(|again| again.kind() == error.kind());
    let mut out = Out::new(&Global::default());
    let style = if error.use_stderr() { *out.error_style() } else { out.style };
    let text = match &again {
        Some(again) if style.color => again.render().ansi().to_string(),
        Some(again) => again.render().to_string(),
        None => error.render().to_string(),
    };
    if error.use_stderr() {
        out.print_stderr(&text);
    } else {
        // Failure to print cannot be reported.
        let _ = out.print(&text);
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Installs a panic hook that prints like the default one, but escapes the message, which may contain
/// arbitrary text.
pub fn install_panic_hook() {
    panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let backtrace = match backtrace.status() {
            BacktraceStatus::Captured => backtrace.to_string(),
            _ => "note: run with RUST_BACKTRACE=1 for a backtrace".to_owned(),
        };
        print_error(&format!("olmap {panic}\n{backtrace}\n"), false);
    }));
}

/// Returns the equivalent of a command of opm; `None` if it is not one, or if it is a file.
pub fn suggest_equivalent(words: &[OsString]) -> Option<Failure> {
    let words: Vec<&str> = words.iter().map_while(|word| word.to_str()).collect();
    let (&first, rest) = words.split_first()?;
    if Path::new(first).exists() {
        return None;
    }
    // `alpha` is a group of commands.
    let (name, rest) = match (first, rest.split_first()) {
        ("alpha", Some((&second, rest))) => (second, rest),
        ("generate" | "init" | "list" | "render" | "serve" | "validate", _) => return None,
        _ => (first, rest),
    };
    let is_alpha = first == "alpha";
    let of_sqlite = "olmap opens SQLite indexes: olmap INDEX.db; olmap IMAGE opens an index image";
    let hint = match (is_alpha, name) {
        (true, "list") => list_equivalent(rest),
        (true, "diff") => "olmap diff OLD NEW".to_owned(),
        (true, "render-graph") => "olmap graph -o mermaid PATH".to_owned(),
        (true, "render-template" | "render-veneer" | "convert-template") => {
            "olmap template render, with the bundles of a catalog in place of images; olmap template convert"
                .to_owned()
        }
        (true, "bundle") if rest.first() == Some(&"generate") => {
            "olmap generate bundle -d DIR -p PACKAGE -c CHANNELS".to_owned()
        }
        (true, "alpha" | "bundle" | "generate") => {
            "use opm for that; olmap --help lists the commands of olmap".to_owned()
        }
        (false, "alpha") => "use olmap list, diff, graph for opm alpha list, diff, render-graph".to_owned(),
        (false, "index" | "registry") => of_sqlite.to_owned(),
        (false, "migrate") => {
            "opm migrate turns an index image into a catalog; olmap opens the catalog".to_owned()
        }
        (false, "version") => "olmap --version".to_owned(),
        (false, "completion") => format!("olmap completions {}", rest.first().unwrap_or(&"SHELL")),
        _ => return None,
    };
    let command = if is_alpha { format!("alpha {name}") } else { name.to_owned() };
    Some(Failure::new(format!("{command} is an opm command, not an olmap command")).with_hint(hint))
}

/// Returns the equivalent of `opm alpha list channels CATALOG PACKAGE`.
fn list_equivalent(words: &[&str]) -> String {
    let mut names = words.iter().filter(|word| !word.starts_with('-'));
    let mut line = format!("olmap list {}", names.next().unwrap_or(&"packages|channels|bundles"));
    if let Some(path) = names.next() {
        let _ = write!(line, " {}", shell_words::quote(path));
    }
    if let Some(package) = names.next() {
        let _ = write!(line, " -p {}", shell_words::quote(package));
    }
    line
}

/// Prints a script that completes commands, options and their values.
pub fn run_completions(
    args: &CompletionsArgs,
    mut command: clap::Command,
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "olmap", &mut script);
    out.print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Fine)
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
                for (letter, long) in letters {
                    if option.get_short() == Some(letter) {
                        assert_eq!(option.get_long(), Some(long), "{name} -{letter}");
                    }
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

    #[test]
    fn opm_commands_get_hints_and_olmap_commands_do_not() {
        let asked = |line: &str| suggest_equivalent(&line.split(' ').map(Into::into).collect::<Vec<_>>());
        for line in ["alpha list channels cat ship", "alpha", "index add", "migrate a b", "registry serve"] {
            assert!(asked(line).is_some(), "{line}");
        }
        for line in [
            "generate dockerfile cat",
            "init x",
            "list channels cat",
            "render -o yaml",
            "generate bundle -d x",
            "serve cat",
            "validate",
            "alphabet",
            "--help",
            "src",
            "cat alpha",
        ] {
            assert!(asked(line).is_none(), "{line}");
        }
    }
}
