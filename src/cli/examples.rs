//! End of the help of the program: examples and exit codes. Each command has its own. Tests parse every
//! line of them.

/// Help of the program without a command.
pub const OLMAP: &str = "\
Without a command olmap opens the explorer. Each PATH is a catalog: a directory, a file, an image, or - for \
standard input. Without PATH it opens the catalog you are in, or the nearest below or above in the repository; \
otherwise a demo. In the explorer ? shows the keys.

Examples:
  olmap                                        the catalog you are in, or the nearest
  olmap catalogs/v4.20 catalogs/v4.21           two catalogs; > and < switch
  olmap --read-only --theme light catalog.yaml  no edits, light background
  olmap git:v1.0:catalogs/v4.20                 a catalog as it was at a revision, read-only
  olmap -                                       a catalog from a pipe: opm render IMAGE | olmap -
  olmap validate --deny warnings catalog        what opm rejects, and what affects users
  olmap successors --installed 1.2.0 catalog    the upgrade targets of both OLMs, and why
  olmap keys                                    all keys, as configured
  olmap demo                                    a demo catalog, with a tour

Exit code: 0 ok, 1 the check failed (validate: errors, or findings that --deny names), 2 failed, or something could not be read or decided, 128 + n: ended by signal n.";

/// Returns the examples of a help text: the description and the command line of each.
pub fn parse_examples(help: &str) -> impl Iterator<Item = (&str, &str)> {
    help.lines().filter_map(|line| {
        let line = line.strip_prefix("  ").filter(|line| line.starts_with("olmap"))?;
        let (line, words) = line.split_once("  ").unwrap_or((line, ""));
        Some((words.trim(), line.trim_end()))
    })
}

#[cfg(test)]
mod tests {
    use super::{super::Cli, parse_examples};

    /// Collects the names of a command and its subcommands, each with the end of its help.
    fn collect_commands(command: &clap::Command, name: &str, all: &mut Vec<(String, String)>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        all.push((name.to_owned(), help));
        // The operations of edit share its examples.
        for below in command.get_subcommands().filter(|c| name == "olmap" && c.get_name() != "help") {
            collect_commands(below, &format!("{name} {}", below.get_name()), all);
        }
    }

    #[test]
    fn every_command_has_valid_examples_and_exit_codes() {
        let mut all = Vec::new();
        collect_commands(&Cli::definition(), "olmap", &mut all);
        assert!(all.len() > 12, "{all:?}");
        for (name, help) in all {
            assert!(help.contains("Exit code: 0"), "{name} tells of its exit codes");
            let mut found = 0;
            for (_, line) in parse_examples(&help) {
                found += 1;
                let words = shell_words::split(line).unwrap();
                // A command line is separated from its description by two spaces.
                assert!(!words.iter().any(|word| word.ends_with([',', ';'])), "{line}");
                let parsed = Cli::from_arguments(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
                let command = name.strip_prefix("olmap").unwrap().trim();
                assert!(line.contains(command), "{line} is an example of {name}");
                assert!(command.is_empty() || parsed.command.is_some(), "{line}");
            }
            assert!(found > 0, "{name} has examples");
        }
    }

    #[test]
    fn commands_accept_options_of_the_explorer_but_hide_them_in_help() {
        let mut whole = Cli::definition();
        whole.build();
        let help = |name: &str| whole.find_subcommand(name).unwrap().clone().render_long_help().to_string();
        for option in ["--theme", "--read-only", "--no-watch"] {
            assert!(!help("validate").contains(option), "{option}");
            assert!(help("doctor").contains(option), "{option}");
        }
        assert!(help("validate").contains("--ascii") && !help("validate").contains("--config"));
        assert!(help("keys").contains("--config"));
        let cli = Cli::from_arguments(["olmap", "edit", "fix", "--read-only", "--theme", "dark", "catalog"])
            .unwrap();
        assert!(cli.global.read_only && cli.global.theme.is_some());
    }

    #[test]
    fn options_are_accepted_before_the_command() {
        let graph = Cli::from_arguments(["olmap", "--ascii", "graph", "catalog"]).unwrap();
        assert!(graph.command.is_some() && graph.explore.paths.is_empty() && graph.global.ascii);
        let two = Cli::from_arguments(["olmap", "one", "graph"]).unwrap();
        assert!(two.command.is_none() && two.explore.paths.len() == 2);
    }
}
