//! Subjects that group the commands.

/// Subjects with their commands, without `olmap`.
pub const SUBJECTS: [(&str, &[&str]); 8] = [
    ("Check catalogs", &["validate", "explain", "expect", "diff", "history", "report"]),
    (
        "Show upgrades",
        &["successors", "path", "stuck", "graph", "range", "deprecations", "resolve", "apis", "cel", "list"],
    ),
    ("Edit catalogs", &["edit", "template"]),
    (
        "Several catalogs, OpenShift versions, clusters",
        &["overview", "plan", "cluster", "resources", "readiness", "mirror"],
    ),
    ("Bundles", &["bundle", "crds"]),
    ("Build and publish catalogs", &["render", "compose", "extract", "init", "generate", "image", "serve"]),
    ("Editors", &["lsp"]),
    ("Explorer and program", &["keys", "config", "completions", "man", "cache", "doctor"]),
];

/// Returns the subject of a command, with all of its commands.
pub fn find_subject(word: &str) -> Option<&'static (&'static str, &'static [&'static str])> {
    SUBJECTS.iter().find(|(_, commands)| commands.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn every_command_has_one_subject() {
        for command in Cli::definition().get_subcommands() {
            let name = command.get_name();
            let found = SUBJECTS.iter().filter(|(_, commands)| commands.contains(&name)).count();
            assert_eq!(found, 1, "{name} is in SUBJECTS");
        }
    }
}
