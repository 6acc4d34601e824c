//! Results of upgrade expectations, for people, programs, pull requests and GitHub Actions.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    answer,
    excerpt::Excerpt,
    github::Commands,
    left_out::LeftOut,
    markdown::{self, quote},
    path,
    plain::{self, wrap},
    style::{Ink, Style},
};
use crate::{
    catalog::Place,
    review::expect::{Case, Expect, Expectation, Expectations, Got, Mistake, Report},
    upgrade::{
        path::{End, Path, Traveller},
        table::Next,
        v1::Policy,
    },
};

/// File of expectations with its results.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// Checked file.
    pub file: &'a Expectations,
    /// Results of its rows.
    pub report: &'a Report,
    /// Parts of the catalog that could not be read.
    pub left_out: Option<&'a LeftOut>,
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
    pub fn of(checked: Checked<'_>, case: &Case) -> Option<Self> {
        let row = checked.row(case)?;
        let Place { path, line, column, .. } = checked.file.place(row.span);
        let (channel, query) = match &case.traveller {
            Traveller::Classic(channel) => (Some(channel.to_string()), None),
            Traveller::V1(query) => (None, Some(query)),
        };
        let channels = query.map(|query| &query.channels).filter(|channels| !channels.is_empty());
        Some(Self {
            file: path.display().to_string(),
            line,
            column,
            package: case.package.to_string(),
            engine: case.traveller.engine().as_str(),
            channel,
            channels: channels.map(|channels| channels.iter().map(ToString::to_string).collect()),
            version: query.map(|query| query.version.clone()).filter(|version| !version.is_empty()),
            policy: query.map(|query| query.policy).filter(|p| *p != Policy::default()).map(Policy::as_str),
            installed: case.installed.as_ref().map(|installed| installed.name.to_string()),
            expect: row.expect.value.to_string(),
            met: case.met,
            got: got(&row.expect.value, case),
            reason: why(&row.expect.value, case),
        })
    }
}

impl<'a> Checked<'a> {
    fn row(self, case: &Case) -> Option<&'a Expectation> {
        self.file.rows.get(case.row)
    }

    /// Returns the results that are not met, each with its row.
    fn unmet(self) -> impl Iterator<Item = (&'a Case, &'a Expectation)> {
        self.report.unmet().filter_map(move |case| Some((case, self.row(case)?)))
    }

    /// Returns a summary: `2 of 12 expectations are not met (3 of 40 answers)`. `by` is inserted
    /// after "met" and may name the catalog.
    fn words(self, by: &str) -> String {
        let (rows, answers) = (self.file.rows.len(), self.report.cases.len());
        let (failing, unmet) = (self.report.failing().len(), self.report.unmet().count());
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
pub fn question(case: &Case) -> String {
    let who = answer::traveller(&case.traveller);
    match &case.installed {
        Some(installed) => format!("{who}, with {} installed", installed.name),
        None => format!("{who}, fresh install of {}", case.package),
    }
}

/// Returns the expectation as written, with the bundle name if it differs.
pub fn expected(expect: &Expect, case: &Case) -> String {
    match (expect, &case.goal) {
        (Expect::Pick(text) | Expect::Reaches { to: text, .. }, Some(name)) if name != text.as_str() => {
            format!("{expect} ({name})")
        }
        _ => expect.to_string(),
    }
}

/// Describes the actual outcome.
pub fn got(expect: &Expect, case: &Case) -> String {
    match &case.got {
        Got::Next { next: Next::To(name), .. } => format!("pick {name}"),
        Got::Next { next: Next::Stays, .. } if case.installed.is_none() => "nothing to install".to_owned(),
        Got::Next { next: Next::Stays, .. } => "stays".to_owned(),
        Got::Next { next: Next::Error(_), .. } => "error".to_owned(),
        Got::Way { path, lands, .. } => {
            let landing = lands.and_then(|hops| path.hops.get(hops.checked_sub(1)?)).map(|hop| &hop.to);
            match (expect, lands, landing) {
                (Expect::NeverLands(_), Some(hops), Some(at)) => format!("lands on {at} in hop {hops}"),
                (Expect::NeverLands(_), ..) => way(path),
                (_, Some(hops), _) => {
                    format!("reaches {} in {}", case.goal.as_ref().unwrap_or(path.last()), count(*hops))
                }
                (_, None, _) => way(path),
            }
        }
    }
}

/// Describes the end of an upgrade path.
fn way(path: &Path) -> String {
    let (hops, last) = (path.hops.len(), path.last());
    match &path.end {
        End::Error { at, .. } => format!("error on {at}"),
        End::Circle { at } => format!("has a cycle at {at}"),
        _ if hops == 0 => "stays".to_owned(),
        _ => format!("ends at {last} after {}", count(hops)),
    }
}

fn count(hops: usize) -> String {
    format!("{hops} hop{}", if hops == 1 { "" } else { "s" })
}

/// Returns the reason of an outcome that is not as expected.
pub fn why(expect: &Expect, case: &Case) -> Option<String> {
    if case.met {
        return None;
    }
    Some(match &case.got {
        Got::Next { answer, .. } => {
            let reason = answer.as_ref().map(|answer| answer.reason()).unwrap_or_default();
            let pick = answer.as_ref().and_then(|answer| answer.moves_to());
            match (case.goal.as_ref().filter(|_| case.is_absent), pick) {
                (Some(goal), Some(pick)) => format!("{goal} is not in the catalog; for {pick}: {reason}"),
                (Some(goal), None) => format!("{goal} is not in the catalog; {reason}"),
                (None, _) => reason,
            }
        }
        Got::Way { lands: None, .. } if case.is_absent => {
            format!("{} is not in the catalog", case.goal.clone().unwrap_or_default())
        }
        Got::Way { path, lands: None, missed } => {
            match missed.as_ref().and_then(|missed| path::why(missed)) {
                Some(why) => why.trim_end_matches('.').to_owned(),
                None => way(path),
            }
        }
        Got::Way { path, lands: Some(hops), .. } => {
            let landing = path.hops.get(hops.saturating_sub(1));
            if let (Expect::NeverLands(channel), Some(hop)) = (expect, landing) {
                format!("only in {channel}; from {}: {}", hop.from, hop.why())
            } else {
                let names = path.hops.iter().take(*hops).map(|hop| hop.to.as_str());
                format!("path: {}", names.collect::<Vec<_>>().join(", "))
            }
        }
    })
}

/// Renders the failures and the summary for people.
pub fn text(checked: Checked<'_>, style: &Style) -> String {
    let mut out = String::new();
    for (case, row) in checked.unmet() {
        let at = style.paint(Ink::Bold, &place(&checked.file.place(row.span)));
        let label = style.paint(Ink::Error, "not met");
        let _ = writeln!(out, "{at}: {label}: {}", plain::line(&question(case)));
        let expect = &row.expect.value;
        let lines = [
            ("expected", Some(expected(expect, case))),
            ("got", Some(got(expect, case))),
            ("why", why(expect, case)),
        ];
        for (label, words) in lines {
            let Some(words) = words else { continue };
            let words = wrap::wrapped(&words, INDENT, style.width);
            let words = words.trim_start();
            let _ = write!(out, "  {}{words}", style.paint(Ink::Dim, &format!("{label:10}")));
        }
        out.push('\n');
    }
    let ink = if checked.report.failing().is_empty() { Ink::Good } else { Ink::Error };
    let path = checked.file.path.display().to_string();
    let _ = writeln!(out, "{}: {}", plain::line(&path), style.paint(ink, &checked.words("")));
    if let Some(left_out) = checked.left_out {
        let words = wrap::wrapped(&left_out.sentence(), "", style.width);
        for line in words.lines() {
            let _ = writeln!(out, "{}", style.paint(Ink::Warning, line));
        }
    }
    out
}

/// Indentation of the text of a failure.
const INDENT: &str = "            ";

/// Formats a location: `file:line:column`.
fn place(place: &Place) -> String {
    format!("{}:{}:{}", place.path.display(), place.line, place.column)
}

/// Renders all mistakes in a file for people.
pub fn mistakes(file: &Expectations, mistakes: &[Mistake], may_quote: bool, style: &Style) -> String {
    let mut out = String::new();
    for mistake in mistakes {
        let at = file.place(mistake.span);
        let path = style.paint(Ink::Bold, &place(&at));
        let _ = writeln!(out, "{path}: {}", plain::line(&mistake.message));
        if may_quote {
            let excerpt = Excerpt::of(file.bytes(), at.bytes);
            let (line, mark) = excerpt.render(style, Ink::Error, style.width.saturating_sub(4));
            let _ = writeln!(out, "{}", format!("    {line}").trim_end());
            let _ = writeln!(out, "    {mark}");
        }
        if let Some(hint) = &mistake.hint {
            let hint = wrap::wrapped(hint, "          ", style.width);
            let _ = write!(out, "    {}: {}", style.paint(Ink::Note, "hint"), hint.trim_start());
        }
    }
    out
}

/// Describes a failure in one sentence.
pub fn sentence(case: &Case, row: &Expectation) -> String {
    let expect = &row.expect.value;
    let why = why(expect, case).map(|why| format!(": {why}")).unwrap_or_default();
    format!("{}: expected {}, got {}{why}", question(case), expected(expect, case), got(expect, case))
}

/// Returns workflow commands of GitHub Actions, which show failures and mistakes next to their
/// rows.
pub fn github(checked: Checked<'_>, mistakes: &[Mistake]) -> Commands {
    let mut commands = Commands::default();
    let mut push = |at: &Place, title: &str, words: &str| {
        let properties = [
            ("file", at.path.display().to_string()),
            ("line", at.line.to_string()),
            ("col", at.column.to_string()),
            ("title", title.to_owned()),
        ];
        commands.push("error", &properties, &[words]);
    };
    for (case, row) in checked.unmet() {
        push(&checked.file.place(row.span), "expectation not met", &sentence(case, row));
    }
    for mistake in mistakes {
        let hint = mistake.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        let words = format!("{}{hint}", mistake.message);
        push(&checked.file.place(mistake.span), "not an expectation", &words);
    }
    commands
}

/// Renders a comment on a pull request: a summary, and a row for each failure.
pub fn comment(checked: Checked<'_>, label: &str) -> String {
    let mut out = format!("**olmap**: {}.\n", quote(&checked.words(&format!(" by {label}"))));
    if let Some(left_out) = checked.left_out {
        let _ = writeln!(out, "\n**Not everything could be checked:** {}.", quote(&left_out.sentence()));
    }
    let unmet: Vec<_> = checked.unmet().collect();
    if unmet.is_empty() {
        return out;
    }
    out.push_str("\n| where | who | expected | got |\n|---|---|---|---|\n");
    for (n, (case, row)) in unmet.iter().enumerate() {
        let expect = &row.expect.value;
        let why = why(expect, case).map(|why| format!("<br>{}", quote(&why))).unwrap_or_default();
        let line = format!(
            "| {} | {} | {} | {}{why} |\n",
            quote(&place(&checked.file.place(row.span))),
            quote(&question(case)),
            quote(&expected(expect, case)),
            quote(&got(expect, case)),
        );
        if out.len() + line.len() > markdown::MAX_BYTES {
            let _ = writeln!(out, "\nAnd {} more: `olmap expect` shows them all.", unmet.len() - n);
            break;
        }
        out.push_str(&line);
    }
    out
}
