//! Findings as workflow commands of GitHub Actions, which show them next to the changed lines.

use super::{
    escape,
    finding::{CatalogFindings, describe_repeated, group_repeated},
    log,
};
use olm_check::{Finding, Severity};

/// Number of annotations of one kind that GitHub shows for a step.
pub const MAX_SHOWN: usize = 10;

/// Workflow commands: the only output that a runner may act on. The type prevents printing anything
/// else without escaping.
#[derive(Debug, Default)]
pub struct Commands(String);

impl Commands {
    /// Returns the complete lines.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the kinds of annotations of which GitHub does not show all, with the number of hidden ones.
    pub fn hidden_counts(&self) -> Vec<(&'static str, usize)> {
        let count =
            |kind: &str| self.0.lines().filter(|line| line.starts_with(&format!("::{kind} "))).count();
        let kinds = ["error", "warning", "notice"].into_iter();
        kinds
            .map(|kind| (kind, count(kind).saturating_sub(MAX_SHOWN)))
            .filter(|(_, hidden)| *hidden > 0)
            .collect()
    }

    /// Adds a command: its name, its properties, and a message of several lines.
    pub(super) fn push(&mut self, name: &str, properties: &[(&str, String)], message: &[&str]) {
        let properties: Vec<String> =
            properties.iter().map(|(name, value)| format!("{name}={}", escape_property(value))).collect();
        let message: Vec<String> = message.iter().map(|line| escape_message(line)).collect();
        self.0 += &format!("::{name} {}::{}\n", properties.join(","), message.join("%0A"));
    }
}

/// Returns one command per finding, errors first, because GitHub shows only the first ones. Repeated findings share one
/// command.
pub fn finding_commands<'a>(all: impl IntoIterator<Item = &'a CatalogFindings<'a>>) -> Commands {
    let mut groups = Vec::new();
    for judged in all {
        groups.extend(group_repeated(&judged.findings).into_iter().map(|group| (judged, group)));
    }
    groups.sort_by_key(|(_, (finding, _))| match finding.severity() {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Note => 2,
    });
    let mut commands = Commands::default();
    for (judged, (finding, rest)) in groups {
        push_finding_command(&mut commands, judged, finding, &describe_repeated(judged.catalog, &rest));
    }
    commands
}

fn push_finding_command(
    commands: &mut Commands,
    judged: &CatalogFindings<'_>,
    finding: &Finding,
    more: &str,
) {
    let name = match finding.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = Vec::new();
    if let Some(spot) = finding.at.as_ref().and_then(|at| judged.file_location(at)) {
        properties.push(("file", spot.path));
        if let Some(region) = &spot.region {
            properties.push(("line", region.start.0.to_string()));
            properties.push(("endLine", region.end.0.to_string()));
            // Columns are only valid if the region starts and ends on one line.
            if region.start.0 == region.end.0 {
                properties.push(("col", region.start.1.to_string()));
                properties.push(("endColumn", region.end.1.to_string()));
            }
        }
    }
    properties.push(("title", finding.rule.id.to_owned()));
    let help = format!("help: {}", finding.advice());
    let help = if finding.advice().is_empty() { "" } else { &help };
    let lines: Vec<&str> =
        [&*finding.message, help, more].into_iter().filter(|line| !line.is_empty()).collect();
    commands.push(name, &properties, &lines);
}

/// Escapes a message line as the runner expects.
fn escape_message(text: &str) -> String {
    log::escape_log_text(&escape::escape_line(text), false).replace('%', "%25")
}

/// Escapes a property as the runner expects.
fn escape_property(text: &str) -> String {
    escape_message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_annotations_that_github_does_not_show() {
        let mut commands = Commands::default();
        for _ in 0..12 {
            commands.push("error", &[], &["a"]);
        }
        commands.push("warning", &[], &["::error x"]);
        assert_eq!(commands.hidden_counts(), [("error", 2)]);
    }

    #[test]
    fn characters_that_end_a_command_are_escaped_or_shown() {
        let mut commands = Commands::default();
        commands.push(
            "error",
            &[("title", "a,b::c\n".to_owned())],
            &["100%\r\n::error::x", "##[group]\u{202e}"],
        );
        assert_eq!(commands.as_str(), {
            "::error title=a%2Cb%3A%3Ac\u{240a}::100%25\u{240d}\u{240a}::error::x%0A## [group]<U+202E>\n"
        });
    }
}
