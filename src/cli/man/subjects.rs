//! Subjects that group the commands.

/// Subjects with their commands, without `olmap`.
pub const SUBJECTS: [(&str, &[&str]); 8] = [
    ("Checking a catalog", &["validate", "explain", "expect", "diff", "history", "report"]),
    (
        "Who upgrades where",
        &["successors", "path", "stuck", "graph", "range", "deprecations", "resolve", "apis", "cel", "list"],
    ),
    ("Changing a catalog", &["edit", "template"]),
    (
        "Several catalogs, OpenShift versions, clusters",
        &["overview", "plan", "cluster", "resources", "readiness", "mirror"],
    ),
    ("Bundles", &["bundle", "crds"]),
    (
        "Making and publishing catalogs",
        &["render", "compose", "extract", "init", "generate", "image", "serve"],
    ),
    ("Editors", &["lsp"]),
    ("The explorer and olmap itself", &["keys", "config", "completions", "man", "cache", "doctor"]),
];

/// Returns the subject of a command, with all of its commands.
pub fn subject(word: &str) -> Option<&'static (&'static str, &'static [&'static str])> {
    SUBJECTS.iter().find(|(_, commands)| commands.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn every_command_has_one_subject() {
        for command in Cli::described().get_subcommands() {
            let name = command.get_name();
            let found = SUBJECTS.iter().filter(|(_, commands)| commands.contains(&name)).count();
            assert_eq!(found, 1, "{name} stands in SUBJECTS");
        }
    }
}
