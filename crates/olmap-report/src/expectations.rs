//! Results of upgrade expectations, for people, programs, pull requests and GitHub Actions.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    escape::{self, wrap},
    excerpt::Excerpt,
    github::Commands,
    markdown::{self, escape_markdown},
    omissions::OmittedPart,
    style::{Ink, Style},
};
use olm_catalog::Location;
use olm_check::review::expect::{
    ActualResult, Case, Expectation, ExpectationReport, Expectations, ExpectedResult, Mistake,
};
use olm_upgrade::{
    path::{PathOutcome, PickedPath, UpgradeContext},
    table::NextUpgrade,
    v1::Policy,
};

/// File of expectations with its results.
#[derive(Clone, Copy, Debug)]
pub struct CheckedExpectations<'a> {
    /// Checked file.
    pub file: &'a Expectations,
    /// Results of its rows.
    pub report: &'a ExpectationReport,
    /// Parts of the catalog that could not be read.
    pub left_out: Option<&'a OmittedPart>,
}

/// Result as `olmap expect -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row {
    file: String,
    line: usize,
    column: usize,
    package: String,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    installed: Option<String>,
    expect: String,
    met: bool,
    got: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Row {
    /// Returns the row of a result.
    pub fn from_case(checked: CheckedExpectations<'_>, case: &Case) -> Option<Self> {
        let row = checked.expectation_for_case(case)?;
        let Location { path, line, column, .. } = checked.file.location_of(row.span);
        let (channel, query) = match &case.context {
            UpgradeContext::Classic(channel) => (Some(channel.to_string()), None),
            UpgradeContext::V1(query) => (None, Some(query)),
        };
        let channels = query.map(|query| &query.channels).filter(|channels| !channels.is_empty());
        Some(Self {
            file: path.display().to_string(),
            line,
            column,
            package: case.package.to_string(),
            engine: case.context.engine().as_str(),
            channel,
            channels: channels.map(|channels| channels.iter().map(ToString::to_string).collect()),
            version: query.map(|query| query.version.clone()).filter(|version| !version.is_empty()),
            policy: query.map(|query| query.policy).filter(|p| *p != Policy::default()).map(Policy::as_str),
            installed: case.installed.as_ref().map(|installed| installed.name.to_string()),
            expect: row.expect.value.to_string(),
            met: case.met,
            got: describe_actual(&row.expect.value, case),
            reason: explain_failure(&row.expect.value, case),
        })
    }
}

impl<'a> CheckedExpectations<'a> {
    fn expectation_for_case(self, case: &Case) -> Option<&'a Expectation> {
        self.file.rows.get(case.row)
    }

    /// Returns the results that are not met, each with its row.
    fn unmet_results(self) -> impl Iterator<Item = (&'a Case, &'a Expectation)> {
        self.report.unmet_cases().filter_map(move |case| Some((case, self.expectation_for_case(case)?)))
    }

    /// Returns a summary: `2 of 12 expectations are not met (3 of 40 answers)`. `by` is inserted
    /// after "met" and may name the catalog.
    fn summarize_results(self, by: &str) -> String {
        let (rows, answers) = (self.file.rows.len(), self.report.cases.len());
        let (failing, unmet) = (self.report.failing_rows().len(), self.report.unmet_cases().count());
        let s = |n: usize| if n == 1 { "" } else { "s" };
        match failing {
            0 => format!("{rows} expectation{} met{by} ({answers} answer{})", s(rows), s(answers)),
            n => format!(
                "{n} of {rows} expectation{} {} not met{by} ({unmet} of {answers} answer{})",
                s(rows),
                if n == 1 { "is" } else { "are" },
                s(answers)
            ),
        }
    }
}

/// Describes the query of a case, without a final period.
pub fn describe_case_query(case: &Case) -> String {
    let who = case.context.to_string();
    match &case.installed {
        Some(installed) => format!("{who}, with {} installed", installed.name),
        None => format!("{who}, fresh install of {}", case.package),
    }
}

/// Returns the expectation as written, with the bundle name if it differs.
pub fn describe_expected(expect: &ExpectedResult, case: &Case) -> String {
    match (expect, &case.goal) {
        (ExpectedResult::Pick(text) | ExpectedResult::Reaches { to: text, .. }, Some(name))
            if name != text.as_str() =>
        {
            format!("{expect} ({name})")
        }
        _ => expect.to_string(),
    }
}

/// Describes the actual outcome.
pub fn describe_actual(expect: &ExpectedResult, case: &Case) -> String {
    match &case.got {
        ActualResult::Next { next: NextUpgrade::To(name), .. } => format!("pick {name}"),
        ActualResult::Next { next: NextUpgrade::Stays, .. } if case.installed.is_none() => {
            "nothing to install".to_owned()
        }
        ActualResult::Next { next: NextUpgrade::Stays, .. } => "stays".to_owned(),
        ActualResult::Next { next: NextUpgrade::Error(_), .. } => "error".to_owned(),
        ActualResult::Way { path, lands, .. } => {
            let landing = lands.and_then(|hops| path.hops.get(hops.checked_sub(1)?)).map(|hop| &hop.to);
            match (expect, lands, landing) {
                (ExpectedResult::NeverLands(_), Some(hops), Some(at)) => {
                    format!("lands on {at} in hop {hops}")
                }
                (ExpectedResult::NeverLands(_), ..) => describe_path_end(path),
                (_, Some(hops), _) => {
                    format!(
                        "reaches {} in {}",
                        case.goal.as_ref().unwrap_or(path.last_bundle()),
                        format_hop_count(*hops)
                    )
                }
                (_, None, _) => describe_path_end(path),
            }
        }
    }
}

/// Describes the end of an upgrade path.
fn describe_path_end(path: &PickedPath) -> String {
    let (hops, last) = (path.hops.len(), path.last_bundle());
    match &path.outcome {
        PathOutcome::Error { at, .. } => format!("error on {at}"),
        PathOutcome::Cycle { at } => format!("has a cycle at {at}"),
        _ if hops == 0 => "stays".to_owned(),
        _ => format!("ends at {last} after {}", format_hop_count(hops)),
    }
}

fn format_hop_count(hops: usize) -> String {
    format!("{hops} hop{}", if hops == 1 { "" } else { "s" })
}

/// Returns the reason of an outcome that is not as expected.
pub fn explain_failure(expect: &ExpectedResult, case: &Case) -> Option<String> {
    if case.met {
        return None;
    }
    Some(match &case.got {
        ActualResult::Next { answer, .. } => {
            let reason = answer.as_ref().map(|answer| answer.reason()).unwrap_or_default();
            let pick = answer.as_ref().and_then(|answer| answer.upgrade_target());
            match (case.goal.as_ref().filter(|_| case.is_absent), pick) {
                (Some(goal), Some(pick)) => format!("{goal} is not in the catalog; for {pick}: {reason}"),
                (Some(goal), None) => format!("{goal} is not in the catalog; {reason}"),
                (None, _) => reason,
            }
        }
        ActualResult::Way { lands: None, .. } if case.is_absent => {
            format!("{} is not in the catalog", case.goal.clone().unwrap_or_default())
        }
        ActualResult::Way { path, lands: None, missed } => {
            match missed.as_ref().and_then(|missed| missed.reason()) {
                Some(why) => why.trim_end_matches('.').to_owned(),
                None => describe_path_end(path),
            }
        }
        ActualResult::Way { path, lands: Some(hops), .. } => {
            let landing = path.hops.get(hops.saturating_sub(1));
            if let (ExpectedResult::NeverLands(channel), Some(hop)) = (expect, landing) {
                format!("only in {channel}; from {}: {}", hop.from, hop.describe_rule())
            } else {
                let names = path.hops.iter().take(*hops).map(|hop| hop.to.as_str());
                format!("path: {}", names.collect::<Vec<_>>().join(", "))
            }
        }
    })
}

/// Renders the failures and the summary for people.
pub fn render_expectation_results(checked: CheckedExpectations<'_>, style: &Style) -> String {
    let mut out = String::new();
    for (case, row) in checked.unmet_results() {
        let at = style.paint(Ink::Bold, &format_file_location(&checked.file.location_of(row.span)));
        let label = style.paint(Ink::Error, "not met");
        let _ = writeln!(out, "{at}: {label}: {}", escape::escape_line(&describe_case_query(case)));
        let expect = &row.expect.value;
        let lines = [
            ("expected", Some(describe_expected(expect, case))),
            ("got", Some(describe_actual(expect, case))),
            ("why", explain_failure(expect, case)),
        ];
        for (label, words) in lines {
            let Some(words) = words else { continue };
            let words = wrap::wrap_sentence(&words, INDENT, style.width);
            let words = words.trim_start();
            let _ = write!(out, "  {}{words}", style.paint(Ink::Dim, &format!("{label:10}")));
        }
        out.push('\n');
    }
    let ink = if checked.report.failing_rows().is_empty() { Ink::Good } else { Ink::Error };
    let path = checked.file.path.display().to_string();
    let _ =
        writeln!(out, "{}: {}", escape::escape_line(&path), style.paint(ink, &checked.summarize_results("")));
    if let Some(left_out) = checked.left_out {
        out.push_str(&style.paint_wrapped(Ink::Warning, &left_out.describe_omission(), "", ""));
    }
    out
}

/// Indentation of the text of a failure.
const INDENT: &str = "            ";

/// Formats a location: `file:line:column`.
fn format_file_location(place: &Location) -> String {
    format!("{}:{}:{}", place.path.display(), place.line, place.column)
}

/// Renders all mistakes in a file for people.
pub fn render_mistakes(file: &Expectations, mistakes: &[Mistake], may_quote: bool, style: &Style) -> String {
    let mut out = String::new();
    for mistake in mistakes {
        let at = file.location_of(mistake.span);
        let path = style.paint(Ink::Bold, &format_file_location(&at));
        let _ = writeln!(out, "{path}: {}", escape::escape_line(&mistake.message));
        if may_quote {
            let excerpt = Excerpt::from_range(file.bytes(), at.bytes);
            let (line, mark) = excerpt.render_marked_line(style, Ink::Error, style.width.saturating_sub(4));
            let _ = writeln!(out, "{}", format!("    {line}").trim_end());
            let _ = writeln!(out, "    {mark}");
        }
        if let Some(hint) = &mistake.hint {
            let hint = wrap::wrap_sentence(hint, "          ", style.width);
            let _ = write!(out, "    {}: {}", style.paint(Ink::Note, "hint"), hint.trim_start());
        }
    }
    out
}

/// Describes a failure in one sentence.
pub fn describe_failure(case: &Case, row: &Expectation) -> String {
    let expect = &row.expect.value;
    let why = explain_failure(expect, case).map(|why| format!(": {why}")).unwrap_or_default();
    format!(
        "{}: expected {}, got {}{why}",
        describe_case_query(case),
        describe_expected(expect, case),
        describe_actual(expect, case)
    )
}

/// Returns workflow commands of GitHub Actions, which show failures and mistakes next to their
/// rows.
pub fn github_commands(checked: CheckedExpectations<'_>, mistakes: &[Mistake]) -> Commands {
    let mut commands = Commands::default();
    let mut push = |at: &Location, title: &str, words: &str| {
        let properties = [
            ("file", at.path.display().to_string()),
            ("line", at.line.to_string()),
            ("col", at.column.to_string()),
            ("title", title.to_owned()),
        ];
        commands.push("error", &properties, &[words]);
    };
    for (case, row) in checked.unmet_results() {
        push(&checked.file.location_of(row.span), "expectation not met", &describe_failure(case, row));
    }
    for mistake in mistakes {
        let hint = mistake.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        let words = format!("{}{hint}", mistake.message);
        push(&checked.file.location_of(mistake.span), "not an expectation", &words);
    }
    commands
}

/// Renders a comment on a pull request: a summary, and a row for each failure.
pub fn render_expectation_comment(checked: CheckedExpectations<'_>, label: &str) -> String {
    let mut out =
        format!("**olmap**: {}.\n", escape_markdown(&checked.summarize_results(&format!(" by {label}"))));
    if let Some(left_out) = checked.left_out {
        let _ = writeln!(
            out,
            "\n**Not everything could be checked:** {}.",
            escape_markdown(&left_out.describe_omission())
        );
    }
    let unmet: Vec<_> = checked.unmet_results().collect();
    if unmet.is_empty() {
        return out;
    }
    out.push_str("\n| where | who | expected | got |\n|---|---|---|---|\n");
    for (n, (case, row)) in unmet.iter().enumerate() {
        let expect = &row.expect.value;
        let why = explain_failure(expect, case)
            .map(|why| format!("<br>{}", escape_markdown(&why)))
            .unwrap_or_default();
        let line = format!(
            "| {} | {} | {} | {}{why} |\n",
            escape_markdown(&format_file_location(&checked.file.location_of(row.span))),
            escape_markdown(&describe_case_query(case)),
            escape_markdown(&describe_expected(expect, case)),
            escape_markdown(&describe_actual(expect, case)),
        );
        if out.len() + line.len() > markdown::MAX_BYTES {
            let _ = writeln!(out, "\nAnd {} more: `olmap expect` shows them all.", unmet.len() - n);
            break;
        }
        out.push_str(&line);
    }
    out
}
