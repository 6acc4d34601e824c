//! Rules for people: their explanations, the list of all rules, and `docs/rules.md`.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    escape::{self, wrap},
    finding::severity_ink,
    style::{Ink, Style},
};
use olm_check::{Rule, bundles::VerdictProgram, rule::RuleSubject, rules, story::Example};

/// Width of the longest rule ID plus a gap, in columns.
const ID_COLUMNS: usize = 30;
/// Width of the longest severity plus a gap, in columns.
const SEVERITY_COLUMNS: usize = 9;

/// Rule as `olmap explain -o json` prints it.
#[derive(Debug, Serialize)]
pub struct RuleRow {
    rule: &'static str,
    severity: &'static str,
    /// Input of the rule.
    subject: &'static str,
    /// True if `opm validate` rejects it too.
    opm: bool,
    title: &'static str,
    why: &'static str,
    help: &'static str,
    /// Ids of the rule in earlier versions.
    #[serde(rename = "formerIds", skip_serializing_if = "Vec::is_empty")]
    former_ids: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<ExampleRow>,
}

/// Example of a rule.
#[derive(Debug, Serialize)]
struct ExampleRow {
    language: &'static str,
    wrong: &'static str,
    right: &'static str,
}

impl RuleRow {
    /// Returns the row of a rule.
    pub fn from_rule(rule: &Rule) -> Self {
        let story = rule.story();
        let example = story.example;
        Self {
            rule: rule.id,
            severity: rule.severity.as_str(),
            subject: match rule.subject() {
                RuleSubject::Catalog => "catalog",
                RuleSubject::Console => "console",
                RuleSubject::Bundle => "bundle",
                RuleSubject::Step => "step",
                RuleSubject::Template => "template",
                RuleSubject::Verdict(..) => "verdict",
            },
            opm: rule.parity,
            title: rule.title,
            why: story.why,
            help: rule.help,
            former_ids: rule.former_ids().collect(),
            example: example.map(|Example { language, bad, good }| ExampleRow {
                language,
                wrong: bad,
                right: good,
            }),
        }
    }
}

/// Renders the explanation of a rule as `olmap explain` prints it.
pub fn render_rule_story(rule: &Rule, style: &Style) -> String {
    let label = format!("{}[{}]", rule.severity.as_str(), rule.id);
    let story = rule.story();
    let mut out = format!(
        "{}: {}\n\n",
        style.paint(severity_ink(rule.severity), &label),
        style.paint(Ink::Bold, rule.title)
    );
    for paragraph in story.why.split("\n\n") {
        out.push_str(&wrap::wrap_sentence(paragraph, "", style.width));
        out.push('\n');
    }
    if let Some(excuse) = story.excuse {
        let _ = writeln!(out, "{}", wrap::wrap_sentence(&format!("No example: {excuse}"), "", style.width));
    }
    if let Some(Example { bad, good, .. }) = story.example {
        for (head, ink, text) in [("Wrong:", Ink::Error, bad), ("Right:", Ink::Good, good)] {
            let _ = writeln!(out, "{}\n", style.paint(ink, head));
            for line in escape::escape_lines(text.trim_end()) {
                let _ = writeln!(out, "{}", format!("    {line}").trim_end());
            }
            out.push('\n');
        }
    }
    let label = style.paint(Ink::Bold, "help");
    let _ = write!(out, "{label}: {}", wrap::wrap_sentence(rule.help, "      ", style.width).trim_start());
    if let Some(command) = rule.single_rule_command() {
        let _ = writeln!(out, "{}: {command}", style.paint(Ink::Bold, "run"));
    } else {
        let _ = writeln!(out, "{}: {}", style.paint(Ink::Bold, "opm"), describe_rule_verdict(rule));
    }
    out
}

/// Describes the verdict of opm, or the program that reports the rule for bundles.
fn describe_rule_verdict(rule: &Rule) -> String {
    match rule.subject() {
        RuleSubject::Catalog if rule.parity => "opm validate rejects it".to_owned(),
        RuleSubject::Catalog => "opm validate accepts it".to_owned(),
        RuleSubject::Bundle | RuleSubject::Step | RuleSubject::Template => {
            "no other program says so".to_owned()
        }
        RuleSubject::Console => "checked only with `--suite console`".to_owned(),
        RuleSubject::Verdict(by, name) => format!("said by {}", judge_name(by, name)),
    }
}

/// Returns the display name of the program.
fn judge_name(by: VerdictProgram, name: &str) -> &'static str {
    match (by, name) {
        (VerdictProgram::Suite, "format" | "content") => "opm",
        (VerdictProgram::Suite, _) => "the api library",
        (VerdictProgram::Classic, _) => "OLM Classic",
        (VerdictProgram::V1, _) => "OLM v1",
    }
}

/// Lists all rules, one per line.
pub fn render_rule_list(style: &Style) -> String {
    let mut out = String::new();
    let rest = " ".repeat(ID_COLUMNS + SEVERITY_COLUMNS);
    for rule in rules::ALL {
        let severity = rule.severity.as_str();
        let gap = |columns: usize, word: &str| " ".repeat(columns.saturating_sub(word.len()));
        let title = wrap::wrap_sentence(rule.title, &rest, style.width);
        let _ = write!(
            out,
            "{}{}{}{}{}",
            style.paint(Ink::Bold, rule.id),
            gap(ID_COLUMNS, rule.id),
            style.paint(severity_ink(rule.severity), severity),
            gap(SEVERITY_COLUMNS, severity),
            title.trim_start(),
        );
    }
    out
}

/// Renders the reason for a rule and its fix as Markdown.
pub fn render_rule_help(rule: &Rule) -> String {
    let story = rule.story();
    let mut out = format!("{}\n", story.why);
    if let Some(excuse) = story.excuse {
        let _ = write!(out, "\nNo example: {excuse}\n");
    }
    if let Some(Example { language, bad, good }) = story.example {
        let _ = write!(out, "\nWrong:\n\n```{language}\n{bad}```\n\nRight:\n\n```{language}\n{good}```\n");
    }
    if !rule.help.is_empty() {
        let _ = writeln!(out, "\nWhat to do: {}.", escape_html_tags(rule.help));
    }
    if let Some(command) = rule.single_rule_command() {
        let _ = writeln!(out, "\nTo check for it: `{command} DIR`.");
    }
    out
}

/// Escapes HTML tags in Markdown, except within backticks.
fn escape_html_tags(words: &str) -> String {
    let mut out = String::new();
    let (mut is_code, mut letters) = (false, words.chars().peekable());
    while let Some(c) = letters.next() {
        is_code ^= c == '`';
        let begins_a_tag =
            letters.peek().is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(*next));
        if c == '<' && !is_code && begins_a_tag {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Renders `docs/rules.md`.
pub fn render_rules_document() -> String {
    let mut out = String::from(
        "# Rules\n\n\
         <!-- Written by `OLMAP_UPDATE=1 cargo test --test documents`; the texts are in crates/olm-check/src/. -->\n\n\
         What `olmap validate` checks. An **error** is what opm or OLM rejects or fails on, a **warning** affects users although\n\
         opm accepts it, a **note** is worth knowing. `--parity` checks only what `opm validate` rejects. `olmap explain RULE`\n\
         shows one of these in the terminal. Examples omit everything that does not matter for the rule.\n\n\
         ## Catalogs\n\n\
         | rule | severity | opm | what it checks |\n|---|---|---|---|\n",
    );
    let of_catalogs: fn(RuleSubject) -> bool = |about| about == RuleSubject::Catalog;
    let of_consoles: fn(RuleSubject) -> bool = |about| about == RuleSubject::Console;
    let of_bundles: fn(RuleSubject) -> bool =
        |about| !matches!(about, RuleSubject::Catalog | RuleSubject::Console);
    let of =
        |is_wanted: fn(RuleSubject) -> bool| rules::ALL.iter().filter(move |rule| is_wanted(rule.subject()));
    for rule in of(of_catalogs) {
        let opm = if rule.parity { "rejects" } else { "accepts" };
        let (id, severity, title) = (rule.id, rule.severity.as_str(), escape_html_tags(rule.title));
        let _ = writeln!(out, "| [{id}](#{id}) | {severity} | {opm} | {title} |");
    }
    out += "\n## Consoles\n\n\
            What `olmap validate --suite console` checks in addition: what users see of a catalog in a console such as that of OpenShift.\n\n\
            | rule | severity | what it checks |\n|---|---|---|\n";
    for rule in of(of_consoles) {
        let (id, severity, title) = (rule.id, rule.severity.as_str(), escape_html_tags(rule.title));
        let _ = writeln!(out, "| [{id}](#{id}) | {severity} | {title} |");
    }
    out += "\n## Bundles\n\n\
            What `olmap bundle validate` checks: rules of olmap, which no other program has, and the verdicts of real programs, \
            which\n`--parity` is limited to. Those of steps are checked by `olmap validate` if the manifests of the bundles are available: in \
            folders of bundle\ndirectories, and with `--bundles DIR`. A verdict is as severe as its program has it; the table says how most of them are.\n\n\
            | rule | severity | said by | what it checks |\n|---|---|---|---|\n";
    for rule in of(of_bundles) {
        let says = match rule.subject() {
            RuleSubject::Verdict(by, name) => judge_name(by, name),
            RuleSubject::Step => "olmap, of steps",
            RuleSubject::Template => "olmap, of templates",
            RuleSubject::Catalog | RuleSubject::Console | RuleSubject::Bundle => "olmap",
        };
        let (id, severity, title) = (rule.id, rule.severity.as_str(), escape_html_tags(rule.title));
        let _ = writeln!(out, "| [{id}](#{id}) | {severity} | {says} | {title} |");
    }
    for (heading, is_wanted) in [
        ("Catalogs, rule by rule", of_catalogs),
        ("Consoles, rule by rule", of_consoles),
        ("Bundles, rule by rule", of_bundles),
    ] {
        let _ = write!(out, "\n## {heading}\n");
        for rule in of(is_wanted) {
            let (id, severity, title) = (rule.id, rule.severity.as_str(), escape_html_tags(rule.title));
            let _ = write!(out, "\n### {id}\n\n");
            for former in rule.former_ids() {
                let _ = write!(out, "<a id=\"{former}\"></a>In earlier versions: `{former}`.\n\n");
            }
            let _ = write!(
                out,
                "**{title}** ({severity}; {})\n\n{}",
                describe_rule_verdict(rule),
                render_rule_help(rule)
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_has_every_rule_and_fits_80_columns() {
        let text = render_rule_list(&Style::PLAIN);
        for rule in rules::ALL {
            assert!(text.lines().any(|line| line.starts_with(&format!("{} ", rule.id))), "{}", rule.id);
        }
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }

    #[test]
    fn html_tags_are_escaped_except_in_code() {
        assert_eq!(
            escape_html_tags("name it <package>, as `<this>` </p>"),
            "name it \\<package>, as `<this>` \\</p>"
        );
        assert_eq!(escape_html_tags(">=1.0 <2.0 a < b <"), ">=1.0 <2.0 a < b <");
    }

    #[test]
    fn wrapped_titles_fill_their_lines() {
        for width in [80, 100] {
            let text = render_rule_list(&Style { width, ..Style::PLAIN });
            for pair in text.lines().collect::<Vec<_>>().windows(2) {
                let [line, next] = pair else { continue };
                let folded = next.strip_prefix(&" ".repeat(ID_COLUMNS + SEVERITY_COLUMNS));
                let Some(word) = folded.and_then(|rest| rest.split(' ').next()) else { continue };
                assert!(line.len() + 1 + word.len() > width, "{word} has room in {line:?}");
            }
        }
    }

    #[test]
    fn explanations_fit_80_columns() {
        for rule in rules::ALL {
            let text = render_rule_story(rule, &Style::PLAIN);
            assert!(text.lines().skip(1).filter(|l| !l.starts_with("    ")).all(|l| l.len() <= 80), "{text}");
        }
    }
}
