//! Bundles of a package that a range matches.

use super::{Dialect, ParsedRange, Verdict, render_range_readings};
use crate::{
    style::{Ink, Style},
    table::{Cell, Table},
};
use olm_catalog::{BundleName, package::Package};
use olm_version::Version;

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
