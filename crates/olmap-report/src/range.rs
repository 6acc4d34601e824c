//! Text and JSON about a version range: its meaning, and the versions that it matches.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    document::{Piece, piece},
    escape::{self, wrap},
    excerpt::Excerpt,
    style::{Ink, Style},
    table::{Cell, Table},
};
use olm_catalog::{BundleName, package::Package};
use olm_version::{
    RangeError, Version, VersionError,
    blang::{self, Quirk, QuirkKind},
    masterminds,
};

/// Dialect of version ranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Dialect of `skipRange` and `olm.package.required`.
    Blang,
    /// Dialect of `spec.source.catalog.version` in OLM v1.
    Masterminds,
}

impl Dialect {
    /// Returns the name on the command line and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blang => "blang",
            Self::Masterminds => "masterminds",
        }
    }

    /// Returns the fields that use the dialect.
    const fn consumer(self) -> &'static str {
        match self {
            Self::Blang => "skipRange and olm.package.required",
            Self::Masterminds => "the version of a ClusterExtension (OLM v1)",
        }
    }
}

/// Range as one dialect parses it.
#[derive(Clone, Debug)]
pub struct ParsedRange {
    /// Dialect that the range is parsed as.
    pub dialect: Dialect,
    /// Range as written.
    pub range: String,
    parsed: Result<Parsed, RangeError>,
}

#[derive(Clone, Debug)]
enum Parsed {
    Blang(blang::Range),
    Masterminds(masterminds::Constraint),
}

/// Result of matching a version against a range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The version is in the range.
    Yes,
    /// The version is not in the range.
    No,
    /// OLM crashes on the comparison.
    Crashes,
    /// The version is invalid.
    NoVersion(VersionError),
}

impl ParsedRange {
    /// Parses a range.
    pub fn new(dialect: Dialect, range: &str) -> Self {
        let parsed = match dialect {
            Dialect::Blang => blang::Range::parse(range).map(Parsed::Blang),
            Dialect::Masterminds => masterminds::Constraint::parse(range).map(Parsed::Masterminds),
        };
        Self { dialect, range: range.to_owned(), parsed }
    }

    /// Returns the parse error, if any.
    pub fn error(&self) -> Option<&RangeError> {
        self.parsed.as_ref().err()
    }

    /// Describes the quirks of a valid range, each with its column.
    pub fn describe_surprises(&self) -> Vec<(String, usize)> {
        let Ok(Parsed::Blang(range)) = &self.parsed else { return Vec::new() };
        range.quirks().iter().map(|Quirk { kind, column }| (describe_quirk(kind).text, *column)).collect()
    }

    /// Returns the verdict for a version; `None` if the range is invalid.
    pub fn match_version(&self, version: &Version) -> Option<Verdict> {
        let matches = match self.parsed.as_ref().ok()? {
            Parsed::Blang(range) if range.crashes_on(version) => return Some(Verdict::Crashes),
            Parsed::Blang(range) => range.matches(version),
            Parsed::Masterminds(constraint) => constraint.matches(version),
        };
        Some(if matches { Verdict::Yes } else { Verdict::No })
    }

    fn match_version_text(&self, version: &str) -> Option<Verdict> {
        match Version::parse(version) {
            Ok(version) => self.match_version(&version),
            Err(_) if self.error().is_some() => None,
            Err(error) => Some(Verdict::NoVersion(error)),
        }
    }
}

/// Answer as `olmap range -o json` and `--batch` print it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row {
    range: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    dialect: &'static str,
    valid: bool,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    matches: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Row {
    /// Returns the row for a version; without a version, the row tells if the range is valid.
    pub fn from_reading(reading: &ParsedRange, version: Option<&str>) -> Self {
        let mut row = Self {
            range: reading.range.clone(),
            bundle: None,
            version: version.map(str::to_owned),
            dialect: reading.dialect.as_str(),
            valid: reading.error().is_none(),
            matches: version.map(|_| false),
            error: None,
            column: None,
            hint: None,
        };
        if let Some(error) = reading.error() {
            row.error = Some(error.message.clone());
            row.column = Some(error.column);
            row.hint.clone_from(&error.hint);
            return row;
        }
        match version.and_then(|version| reading.match_version_text(version)) {
            Some(Verdict::Yes) => row.matches = Some(true),
            Some(Verdict::Crashes) => row.error = Some(CRASH.to_owned()),
            Some(Verdict::NoVersion(error)) => {
                row.error = Some(format!("not a version: {error}"));
                row.hint = error.suggestion;
            }
            Some(Verdict::No) | None => {}
        }
        row
    }
}

impl Row {
    /// Returns the row for the version of a bundle.
    pub fn for_bundle(reading: &ParsedRange, bundle: &str, version: &Version) -> Self {
        Self { bundle: Some(bundle.to_owned()), ..Self::from_reading(reading, Some(&version.to_string())) }
    }
}

const CRASH: &str = "OLM crashes on this range for this version";

/// Renders the meaning of each reading as text, with its quirks or its parse error. Adds a table
/// of the versions that match.
pub fn render_range_readings(readings: &[ParsedRange], versions: &[String], style: &Style) -> String {
    let mut out = String::new();
    let valid: Vec<&ParsedRange> = readings.iter().filter(|r| r.error().is_none()).collect();
    for reading in &valid {
        let _ = writeln!(
            out,
            "{}: {}",
            style.paint(Ink::Bold, reading.dialect.as_str()),
            describe_meaning(reading)
        );
        out.push_str(&render_oddities(reading, style));
    }
    for reading in readings {
        if let Some(error) = reading.error() {
            let name = style.paint(Ink::Bold, reading.dialect.as_str());
            let _ = writeln!(out, "{name}: {}", escape::escape_line(&describe_parse_error(reading, error)));
            out.push_str(&mark_column(reading, error.column, Ink::Error, style));
            if let Some(hint) = &error.hint {
                out.push_str(&wrap::wrap_hanging(hint, "  hint: ", "        ", style.width));
            }
        }
    }
    if !versions.is_empty() && !valid.is_empty() {
        out.push('\n');
        out.push_str(&render_version_matches(&valid, versions, style));
    }
    out
}

/// Describes a parse error in one sentence.
pub fn describe_parse_error(reading: &ParsedRange, error: &RangeError) -> String {
    format!("not a range for {}: {}", reading.dialect.consumer(), error.message)
}

/// Renders the range, and below it a mark at `column`, which counts from 1.
pub fn mark_column(reading: &ParsedRange, column: usize, ink: Ink, style: &Style) -> String {
    let at = |nth: usize| reading.range.char_indices().nth(nth).map_or(reading.range.len(), |(at, _)| at);
    let nth = column.saturating_sub(1);
    let excerpt = Excerpt::from_range(reading.range.as_bytes(), at(nth)..at(nth + 1));
    let (line, mark) = excerpt.render_marked_line(style, ink, style.width.saturating_sub(4));
    let bar = style.paint(Ink::Dim, "|");
    format!("  {bar} {line}\n  {bar} {mark}\n")
}

fn describe_meaning(reading: &ParsedRange) -> String {
    let range = escape::escape_line(&reading.range).into_owned();
    match &reading.parsed {
        Ok(Parsed::Blang(parsed)) if parsed.to_string() != reading.range => {
            format!("{range} means {}", escape::escape_line(&parsed.to_string()))
        }
        Ok(Parsed::Masterminds(constraint)) if constraint.admits_prereleases() => {
            format!("{range} (pre-releases too)")
        }
        Ok(Parsed::Masterminds(_)) => format!("{range} (no pre-releases)"),
        _ => range,
    }
}

/// Renders the quirks of a range as warnings and errors, each with a mark at its column.
fn render_oddities(reading: &ParsedRange, style: &Style) -> String {
    let Ok(Parsed::Blang(range)) = &reading.parsed else { return String::new() };
    let mut out = String::new();
    for Quirk { kind, column } in range.quirks() {
        let Piece { text, ink } = describe_quirk(kind);
        let label = match ink {
            Ink::Error => "error",
            _ => "warning",
        };
        let _ = write!(out, "{}: {}", style.paint(ink, label), wrap::wrap_sentence(&text, "", style.width));
        out.push_str(&mark_column(reading, *column, ink, style));
    }
    out
}

fn describe_quirk(kind: &QuirkKind) -> Piece {
    match kind {
        QuirkKind::Ignored(c) => piece(format!("`{c}` without an operator is ignored"), Ink::Warning),
        QuirkKind::OperatorDropped { operator, becomes } => piece(
            format!("`{operator}` is not supported before a version with x; it is read as {becomes}"),
            Ink::Warning,
        ),
        QuirkKind::MinorIsFixed => piece("with two wildcards only the patch version varies", Ink::Warning),
        QuirkKind::Placeholder { becomes } => {
            piece(format!("`x` is read as 0, so this is `{becomes}`"), Ink::Warning)
        }
        QuirkKind::NeverMatches => piece("no version matches this", Ink::Warning),
        QuirkKind::EmptyAlternative => piece("nothing before this `||`: OLM crashes here", Ink::Error),
    }
}

fn render_version_matches(readings: &[&ParsedRange], versions: &[String], style: &Style) -> String {
    let mut titles = vec!["VERSION"];
    titles.extend(readings.iter().map(|r| match r.dialect {
        Dialect::Blang => "BLANG",
        Dialect::Masterminds => "MASTERMINDS",
    }));
    titles.push("NOTE");
    let mut table = Table::new(&titles);
    for version in versions {
        let mut cells = vec![Cell::new(version)];
        let mut note = String::new();
        for reading in readings {
            cells.push(match reading.match_version_text(version) {
                Some(Verdict::Yes) => Cell::with_ink(Ink::Good, "yes"),
                Some(Verdict::Crashes) => {
                    CRASH.clone_into(&mut note);
                    Cell::with_ink(Ink::Error, "crash")
                }
                Some(Verdict::NoVersion(error)) => {
                    note = format!("not a version: {error}");
                    if let Some(suggestion) = &error.suggestion {
                        let _ = write!(note, "; did you mean {suggestion}?");
                    }
                    Cell::with_ink(Ink::Error, "-")
                }
                Some(Verdict::No) | None => Cell::with_ink(Ink::Dim, "no"),
            });
        }
        cells.push(Cell::with_ink(Ink::Error, &note));
        table.push_row(cells);
    }
    table.render(style)
}

/// Bundle that at least one reading matches or crashes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matched {
    /// Name of the bundle.
    pub bundle: BundleName,
    /// Version of the bundle.
    pub version: Version,
    /// Verdict of each reading; `None` if the range is invalid in that dialect.
    pub verdicts: Vec<Option<Verdict>>,
}

impl Matched {
    /// Returns true if the reading at position `reading` matches the bundle.
    pub fn matches_in(&self, reading: usize) -> bool {
        self.verdicts.get(reading).is_some_and(|verdict| *verdict == Some(Verdict::Yes))
    }

    /// Returns true if the valid readings disagree.
    pub fn differs(&self) -> bool {
        let mut said = self.verdicts.iter().flatten();
        said.next().is_some_and(|first| said.any(|other| other != first))
    }
}

/// Returns the bundles that a range matches in at least one dialect, highest version first.
pub fn matching_bundles(readings: &[ParsedRange], package: &Package) -> Vec<Matched> {
    let bundles = package.bundles.iter().filter_map(|bundle| Some((bundle, bundle.version.as_ref()?)));
    let mut matched: Vec<_> = bundles
        .map(|(bundle, version)| {
            let verdicts = readings.iter().map(|reading| reading.match_version(&version.version)).collect();
            let matched =
                Matched { bundle: bundle.name.value.clone(), version: version.version.clone(), verdicts };
            (version, matched)
        })
        .filter(|(_, matched)| {
            let speaks = |verdict: &Verdict| matches!(verdict, Verdict::Yes | Verdict::Crashes);
            matched.verdicts.iter().flatten().any(speaks)
        })
        .collect();
    matched.sort_by(|(a, _), (b, _)| b.cmp_precedence(a));
    matched.into_iter().map(|(_, matched)| matched).collect()
}

/// Renders the readings and the matched bundles side by side for people.
pub fn render_bundle_matches(readings: &[ParsedRange], package: &Package, style: &Style) -> String {
    let mut out = render_range_readings(readings, &[], style);
    let valid: Vec<(usize, &ParsedRange)> =
        readings.iter().enumerate().filter(|(_, reading)| reading.error().is_none()).collect();
    if valid.is_empty() {
        return out;
    }
    let matched = matching_bundles(readings, package);
    let counts: Vec<String> = valid
        .iter()
        .map(|(at, reading)| {
            let count = matched.iter().filter(|row| row.matches_in(*at)).count();
            format!("{} matches {count} of {}", reading.dialect.as_str(), package.bundles.len())
        })
        .collect();
    out.push_str(&format!("\n{}\n", counts.join(", ")));
    if matched.is_empty() {
        return out;
    }
    let mut titles = vec!["BUNDLE", "VERSION"];
    titles.extend(valid.iter().map(|(_, reading)| match reading.dialect {
        Dialect::Blang => "BLANG",
        Dialect::Masterminds => "MASTERMINDS",
    }));
    titles.push("NOTE");
    let mut table = Table::new(&titles);
    for row in &matched {
        let mut cells = vec![Cell::new(row.bundle.as_str()), Cell::new(&row.version.to_string())];
        cells.extend(valid.iter().map(|(at, _)| match row.verdicts.get(*at).and_then(Option::as_ref) {
            Some(Verdict::Yes) => Cell::with_ink(Ink::Good, "yes"),
            Some(Verdict::Crashes) => Cell::with_ink(Ink::Error, "crash"),
            _ => Cell::with_ink(Ink::Dim, "no"),
        }));
        cells.push(Cell::with_ink(Ink::Warning, if row.differs() { "they differ" } else { "" }));
        table.push_row(cells);
    }
    out.push_str(&table.render(style));
    out
}
