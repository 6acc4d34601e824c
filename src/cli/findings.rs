//! Findings on the command line: rules that select them, `olmap explain`, the file of accepted findings
//! (`olmap validate --baseline` and `--write-baseline`), and output formats.

use std::collections::{BTreeSet, HashMap};
use std::{fs, path::Path};

use super::{Failure, FindingsFormat, Out, Outcome, TextOrJson, comment_links, escape_path, output};
use crate::runtime;
use olm_catalog::load::{quotable, regular_file};
use olm_catalog::similar_names;
use olm_check::review::accepted::{AcceptedFinding, AcceptedFindings};
use olm_check::{Finding, FindingKey, Rule, Severity, review::Snapshot, rules};
use olmap_report::finding::{self, CatalogFindings};
use olmap_report::github::{Commands, MAX_SHOWN};
use olmap_report::{concise, escape, gitlab, json, junit, markdown, rdjson, rule, sarif, scope::Scope};

/// End of the help of `olmap explain`: examples and exit codes.
pub const EXPLAIN_HELP: &str = "\
Examples:
  olmap explain                                 all rules, one per line
  olmap explain dead-end                        one rule in detail
  olmap explain -o json                         all rules with their texts

Exit code: 0 ok, 2 the rule does not exist.";

#[derive(Debug, clap::Args)]
pub struct ChosenRules {
    /// Only findings of this rule. Can be repeated.
    #[arg(long = "rule", value_name = "RULE")]
    pub rules: Vec<String>,
    /// Ignore a rule, or all warnings or notes. Can be repeated.
    #[arg(long = "allow", value_name = "RULE")]
    pub allowed: Vec<String>,
    /// Also exit with 1 on a rule, or on all warnings or notes. Can be repeated.
    #[arg(long = "deny", value_name = "RULE")]
    pub denied: Vec<String>,
}

/// Names that mean all rules of a severity.
const SEVERITIES: [&str; 3] = ["errors", "warnings", "notes"];

impl ChosenRules {
    /// Refuses unknown rule names. `--allow` and `--deny` accept severities too.
    pub fn check_names(&self) -> Result<(), Failure> {
        let is_severity = |name: &str| SEVERITIES.contains(&name);
        let listed = self.allowed.iter().chain(&self.denied).filter(|name| !is_severity(name));
        let unknown = self.rules.iter().chain(listed).find(|name| rules::by_id(name).is_none());
        unknown.map_or(Ok(()), |name| Err(no_rule_failure(name)))
    }

    /// Returns true if a finding is shown. Considers only its own rule, not the findings that it
    /// combines.
    pub fn shows(&self, finding: &Finding) -> bool {
        let is_named = |rule: &Rule| self.rules.iter().any(|name| rule.has_id(name));
        let is_chosen = self.rules.is_empty() || is_named(finding.rule) || finding.is_not_checked();
        is_chosen && !self.allows(finding)
    }

    /// Returns true if a finding is ignored.
    pub fn allows(&self, finding: &Finding) -> bool {
        matches_list(&self.allowed, finding.rule, finding.severity())
    }

    /// Returns true if findings of a rule are ignored.
    pub fn allows_rule(&self, rule: &Rule) -> bool {
        matches_list(&self.allowed, rule, rule.severity)
    }

    /// Returns true if a shown finding, or one that it combines, sets exit code 1. Findings about
    /// what was not checked set exit code 2 instead.
    pub fn fails(&self, finding: &Finding) -> bool {
        let fails = |part: &Finding| {
            !part.is_not_checked()
                && (part.severity() == Severity::Error
                    || matches_list(&self.denied, part.rule, part.severity()))
        };
        finding.all_parts().into_iter().any(fails)
    }

    /// Returns true if a rule is denied by its name.
    pub fn denies(&self, rule: &Rule) -> bool {
        self.denied.iter().any(|name| rule.has_id(name))
    }
}

/// Findings that combine others and are shown only in part.
#[derive(Default)]
pub struct PartialFindings(HashMap<*const Finding, Vec<Finding>>);

impl PartialFindings {
    /// Selects the shown parts of findings that combine others.
    pub fn new<'a>(
        findings: impl IntoIterator<Item = &'a Finding>,
        shows: impl Fn(&Finding) -> bool,
    ) -> Self {
        let composite = findings.into_iter().filter(|finding| !finding.merged.is_empty());
        let partly = composite.filter(|finding| !finding.all_parts().into_iter().all(&shows));
        Self(partly.map(|finding| (std::ptr::from_ref(finding), finding.select_parts(&shows))).collect())
    }

    /// Returns the shown parts of a finding; empty if it is hidden.
    pub fn shown_parts<'a>(
        &'a self,
        finding: &'a Finding,
        shows: impl Fn(&Finding) -> bool,
    ) -> Vec<&'a Finding> {
        match self.0.get(&std::ptr::from_ref(finding)) {
            Some(parts) => parts.iter().collect(),
            None if shows(finding) => vec![finding],
            None => Vec::new(),
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// Rule. Default: list all rules.
    #[arg(value_name = "RULE")]
    rule: Option<String>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
}

/// Maximum size of the file; larger than all findings of a vendor's index.
const MAX_SIZE: u64 = 64 << 20;

/// Returns true if a list of rules and severities (`warnings`, `notes`) matches a finding.
fn matches_list(list: &[String], rule: &Rule, severity: Severity) -> bool {
    list.iter()
        .any(|item| rule.has_id(item) || item.strip_suffix('s').is_some_and(|word| word == severity.as_str()))
}

pub fn run_explain(args: &ExplainArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let known = |id: &String| rules::by_id(id).ok_or_else(|| no_rule_failure(id));
    let rule = args.rule.as_ref().map(known).transpose()?;
    let text = match (rule, args.format) {
        (None, TextOrJson::Text) => rule::render_rule_list(&out.style),
        (Some(rule), TextOrJson::Text) => rule::render_rule_story(rule, &out.style),
        (None, format) => {
            let rows: Vec<_> = rules::ALL.iter().map(|rule| rule::RuleRow::from_rule(rule)).collect();
            output::encode_json(format, json::to_pretty_json(&rows))
        }
        (Some(rule), format) => {
            output::encode_json(format, json::to_pretty_json(&rule::RuleRow::from_rule(rule)))
        }
    };
    out.print(&text)?;
    Ok(Outcome::Fine)
}

/// Renders findings in a format. `fails` returns true if a finding makes the run fail, `text` renders those for people. Workflow commands have a type of their own, so
/// the caller prints them.
pub fn render_findings(
    format: FindingsFormat,
    all: &[CatalogFindings<'_>],
    scope: Option<&Scope>,
    fails: &dyn Fn(&Finding) -> bool,
    text: impl FnOnce() -> String,
) -> String {
    match format {
        FindingsFormat::Text => text(),
        FindingsFormat::Json | FindingsFormat::Yaml => {
            let rows: Vec<_> = all.iter().flat_map(finding::Row::rows_for_catalog).collect();
            output::encode_json(format, json::to_pretty_json(&rows))
        }
        FindingsFormat::Sarif => {
            let log = sarif::Log::from_catalog_findings(all);
            json::to_pretty_json(&match std::env::current_dir() {
                Ok(folder) => log.with_working_directory(&folder),
                Err(_) => log,
            })
        }
        FindingsFormat::Gitlab => json::to_pretty_json(&gitlab::code_quality_issues(all)),
        FindingsFormat::Markdown => {
            markdown::render_findings_comment(all, scope, &comment_links::links_from_environment())
        }
        FindingsFormat::Concise => concise::render_concise(all),
        FindingsFormat::Junit => junit::render_junit(all, fails),
        FindingsFormat::Rdjson => json::to_pretty_json(&rdjson::DiagnosticResult::from_catalog_findings(all)),
        FindingsFormat::Github => String::new(),
    }
}

/// Prints annotations for GitHub Actions, and a note if GitHub does not show all of them.
pub fn print_annotations(commands: &Commands, out: &mut Out) -> anyhow::Result<()> {
    out.print_commands(commands)?;
    let hidden = commands.hidden_counts();
    if !hidden.is_empty() {
        let hidden: Vec<String> =
            hidden.iter().map(|(kind, count)| format!("{count} of kind {kind}")).collect();
        let words = format!(
            "GitHub shows {MAX_SHOWN} annotations of each kind in a step, so {} are only in the log",
            hidden.join(" and ")
        );
        out.print_note_with_hint(&words, "use -o sarif with code scanning, or -o markdown for a comment");
    }
    Ok(())
}

/// Returns the error for an unknown rule.
pub fn no_rule_failure(id: &str) -> Failure {
    let failure = Failure::new(format!("no rule {id}"));
    match rules::suggest_id(id) {
        Some(meant) => failure.with_hint(format!("did you mean {meant}?")),
        None => failure.with_hint("olmap explain lists all rules"),
    }
}

/// Reads a file that must exist.
pub fn load_baseline(path: &Path) -> anyhow::Result<AcceptedFindings> {
    let bytes = regular_file::read_regular(path, MAX_SIZE).map_err(|error| {
        let failure = Failure::new(format!("cannot read {}: {error}", path.display()));
        failure.with_hint(format!("create it with olmap validate --write-baseline {}", path.display()))
    })?;
    Ok(AcceptedFindings::parse_file(path.to_owned(), &bytes).map_err(|mistake| {
        let line = mistake.line;
        let failure = Failure::new(format!("{}:{line}: {}", path.display(), mistake.message));
        Failure::in_file(path, Some((line, None)), failure.with_optional_hint(mistake.hint))
    })?)
}

/// Writes all findings. Keeps existing rows of findings outside of the request, and all reasons.
pub fn write_baseline(
    path: &Path,
    snapshots: &[Snapshot],
    shows: impl Fn(&Finding) -> bool,
    is_asked: impl Fn(&FindingKey) -> bool,
    out: &mut Out,
) -> anyhow::Result<()> {
    for snapshot in snapshots {
        runtime::check_outside_catalog(&snapshot.catalog.origin, path).map_err(Failure::from)?;
    }
    let before =
        if fs::symlink_metadata(path).is_ok() { load_baseline(path)? } else { AcceptedFindings::default() };
    let found =
        snapshots.iter().map(|s| (&*s.catalog, s.findings().filter(|finding| shows(finding)).collect()));
    let mut rows = before.rows_accepting_all(found);
    let known: BTreeSet<&FindingKey> = before.rows.iter().map(|row| &row.identity).collect();
    let new = rows.iter().filter(|row| !known.contains(&row.identity)).count();
    let found: BTreeSet<&FindingKey> = rows.iter().map(|row| &row.identity).collect();
    let gone = known.iter().filter(|identity| is_asked(identity) && !found.contains(*identity)).count();
    let rest: Vec<AcceptedFinding> =
        before.rows.iter().filter(|row| !is_asked(&row.identity)).cloned().collect();
    rows.extend(rest);
    output::overwrite_file(path, &AcceptedFindings::format_file(&rows))?;
    let s = if rows.len() == 1 { "" } else { "s" };
    out.print(&format!(
        "{}: {} finding{s} accepted, {new} of them new; {gone} obsolete and removed\n",
        escape_path(path),
        rows.len()
    ))
}

/// Describes the number of accepted findings, and the rows without a finding. `packages` are those of the checked catalogs.
pub fn describe_accepted(
    file: &AcceptedFindings,
    accepted: usize,
    gone: &[&AcceptedFinding],
    packages: &BTreeSet<&str>,
) -> String {
    let path = escape_path(&file.path);
    let (findings, are) = if accepted == 1 { ("finding", "is") } else { ("findings", "are") };
    let mut text = format!("{accepted} {findings} {are} accepted by {path}\n");
    if !gone.is_empty() {
        let (rows, is) =
            if gone.len() == 1 { ("row", "its finding is") } else { ("rows", "their findings are") };
        let shown: &[&AcceptedFinding] =
            if quotable::check_quotable(&file.path).is_ok() { gone } else { &[] };
        let end = if shown.is_empty() { "" } else { ":" };
        text.push_str(&format!("{} {rows} of {path} can be removed, {is} gone{end}\n", gone.len()));
        for row in shown {
            let identity = escape::escape_line(&row.identity.to_string()).into_owned();
            let unknown = describe_unknown_rule(&row.identity.rule)
                .or_else(|| describe_unknown_package(row.identity.package.as_deref()?, packages));
            text.push_str(&format!("  {identity}{}\n", unknown.unwrap_or_default()));
        }
    }
    text
}

/// Returns a remark about a row whose rule does not exist, as the end of its line.
fn describe_unknown_rule(id: &str) -> Option<String> {
    match (rules::by_id(id), rules::suggest_id(id)) {
        (Some(_), _) => None,
        (None, Some(meant)) => Some(format!(": no such rule; did you mean {meant}?")),
        (None, None) => Some(": no such rule".to_owned()),
    }
}

/// Returns a remark about a row whose package is in no catalog, as the end of its line.
fn describe_unknown_package(package: &str, packages: &BTreeSet<&str>) -> Option<String> {
    if packages.contains(package) {
        return None;
    }
    let meant = similar_names::suggest_closest(package, packages.iter().copied());
    let meant = meant.map(|meant| format!("; did you mean {}?", escape::escape_line(meant)));
    Some(format!(": no checked catalog has the package{}", meant.unwrap_or_default()))
}
