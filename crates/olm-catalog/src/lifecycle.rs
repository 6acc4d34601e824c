//! Lifecycle of a package's versions: the end of support of each, if the catalog has it.
//!
//! A blob of the schema [`SCHEMA`] has `package` and `versions`, a list of `{name, phases: [{name, startDate,
//! endDate}], platformCompatibility: [{name, versions}]}`. `name` is a minor version such as `1.3`, and days
//! have the form `YYYY-MM-DD`. `release-engineering/fbc-update-planner` (`pkg/fbc`) writes the blobs. The
//! OpenShift console reads them and looks for the full version before the minor one.

use std::fmt;

use super::{file::DocId, model::Catalog, node::Node, package::Package, span::Span};
use olm_version::Version;

/// Schema of lifecycle blobs.
pub const SCHEMA: &str = "io.openshift.operators.lifecycles.v1alpha1";

/// Versions of a package's lifecycle blobs, in their order.
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    /// Versions in order of the blobs.
    pub versions: Vec<VersionSupport>,
}

/// A version and its phases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionSupport {
    /// Name as written, such as `1.3`.
    pub name: String,
    /// Phases in order of the blob.
    pub phases: Vec<Phase>,
    /// Document with the version.
    pub doc: DocId,
    /// Span in the document.
    pub span: Span,
}

/// A phase of support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Name, such as `Maintenance support`.
    pub name: String,
    /// First day; `None` if absent or invalid.
    pub start: Option<Date>,
    /// Last day; `None` if absent or invalid, so that the end is unknown.
    pub end: Option<Date>,
}

impl VersionSupport {
    /// Returns the last day of the last phase; `None` if there are no phases or one of them does not have an
    /// end.
    pub fn end_of_support(&self) -> Option<Date> {
        let ends: Option<Vec<Date>> = self.phases.iter().map(|phase| phase.end).collect();
        ends?.into_iter().max()
    }

    /// Returns true if the last day of the last phase is before `today`.
    pub fn has_ended(&self, today: Date) -> bool {
        self.end_of_support().is_some_and(|end| end < today)
    }

    /// Returns the phase on a day. Between two phases and before the first, returns the next phase to end.
    pub fn phase_on(&self, today: Date) -> Option<&Phase> {
        let open = self.phases.iter().filter(|phase| phase.end.is_none_or(|end| end >= today));
        open.min_by_key(|phase| (phase.end.is_none(), phase.end))
    }

    /// Returns the major and minor version.
    fn minor_version(&self) -> Option<(u64, u64)> {
        let (major, minor) = self.name.split_once('.')?;
        Some((parse_number(major)?, parse_number(minor)?))
    }
}

/// Parses a number that consists of digits only.
fn parse_number(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

impl Lifecycle {
    /// Decodes the lifecycle blobs of a package. Invalid parts are ignored because the catalog works without
    /// them.
    pub fn from_package(catalog: &Catalog, package: &Package) -> Self {
        let blobs = package.others.iter().filter(|blob| &*blob.schema == SCHEMA);
        let versions = blobs.flat_map(|blob| {
            let tree = catalog.parse_document(blob.doc).and_then(Result::ok);
            tree.as_ref().map(|tree| decode_versions(tree, blob.doc)).unwrap_or_default()
        });
        Self { versions: versions.collect() }
    }

    /// Returns the entry of a version: by its full name, otherwise by its minor version.
    pub fn support_for(&self, version: &Version) -> Option<&VersionSupport> {
        let whole = version.to_string();
        let minor = Some((version.major(), version.minor()));
        let named = self.versions.iter().find(|known| known.name == whole);
        named.or_else(|| self.versions.iter().find(|known| known.minor_version() == minor))
    }

    /// Returns the oldest version of the blobs as written; `None` if one of them is not a minor version.
    pub fn oldest_version(&self) -> Option<&str> {
        let minors: Option<Vec<_>> =
            self.versions.iter().map(|v| Some((v.minor_version()?, &v.name))).collect();
        minors?.into_iter().min().map(|(_, name)| name.as_str())
    }

    /// Returns true if a version is older than all versions of the blobs.
    pub fn is_before_all(&self, version: &Version) -> bool {
        let minors: Option<Vec<(u64, u64)>> =
            self.versions.iter().map(VersionSupport::minor_version).collect();
        minors
            .and_then(|minors| minors.into_iter().min())
            .is_some_and(|oldest| (version.major(), version.minor()) < oldest)
    }
}

fn decode_versions(tree: &Node<'_>, doc: DocId) -> Vec<VersionSupport> {
    let text = |node: &Node<'_>, key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let date = |node: &Node<'_>, key: &str| Date::parse(node.get(key)?.as_str()?).ok();
    let phase = |node: &Node<'_>| Phase {
        name: text(node, "name").unwrap_or_default(),
        start: date(node, "startDate"),
        end: date(node, "endDate"),
    };
    let items = tree.get("versions").map(Node::items).unwrap_or_default();
    let supported = items.iter().filter_map(|node| {
        let phases = node.get("phases").map(Node::items).unwrap_or_default();
        let phases = phases.iter().map(phase).collect();
        Some(VersionSupport { name: text(node, "name")?, phases, doc, span: node.span })
    });
    supported.collect()
}

/// A day, as in lifecycle blobs. Days are only compared, so no arithmetic is provided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// Error of a text that is not a date.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0} is not a date: write YYYY-MM-DD, such as 2026-06-30")]
pub struct DateError(String);

impl Date {
    /// Last supported date, for times beyond it.
    pub const LAST: Self = Self { year: 9999, month: 12, day: 31 };

    /// Parses `YYYY-MM-DD`, optionally followed by a time of day (`2026-06-30T00:00:00Z`).
    ///
    /// # Errors
    ///
    /// If the text is not a date of the calendar.
    pub fn parse(text: &str) -> Result<Self, DateError> {
        Self::parse_day(text).ok_or_else(|| DateError(text.to_owned()))
    }

    fn parse_day(text: &str) -> Option<Self> {
        let text = text.trim();
        let day = text.split_once(['T', 't']).map_or(text, |(day, _)| day);
        let mut parts = day.split('-');
        let mut next = |digits: usize| {
            let part = parts.next()?;
            let is_number = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| part.parse::<u16>().ok()).flatten()
        };
        let (year, month, day) = (next(4)?, u8::try_from(next(2)?).ok()?, u8::try_from(next(2)?).ok()?);
        if parts.next().is_some() || day == 0 || day > days_in_month(year, month)? {
            return None;
        }
        Some(Self { year, month, day })
    }

    /// Returns the day (UTC) of a time in seconds since 1970; the last day of 9999 for later times.
    pub fn from_unix_time(seconds: u64) -> Self {
        const LAST: Date = Date { year: 9999, month: 12, day: 31 };
        let mut left = seconds / 86_400;
        for year in 1970..=LAST.year {
            let in_year = if is_leap(year) { 366 } else { 365 };
            if left >= in_year {
                left -= in_year;
                continue;
            }
            for month in 1..=12 {
                let in_month = u64::from(days_in_month(year, month).unwrap_or(31));
                if left < in_month {
                    let day = u8::try_from(left + 1).unwrap_or(1);
                    return Self { year, month, day };
                }
                left -= in_month;
            }
        }
        LAST
    }
}

/// Returns the number of days of a month; `None` if the month does not exist.
fn days_in_month(year: u16, month: u8) -> Option<u8> {
    match month {
        2 if is_leap(year) => Some(29),
        2 => Some(28),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    const BLOB: &str = r#"---
schema: olm.package
name: p
defaultChannel: c
---
schema: io.openshift.operators.lifecycles.v1alpha1
package: p
versions:
- name: "1.3"
  phases:
  - {name: Maintenance, startDate: "2025-10-20", endDate: "2026-06-30"}
  - {name: Full, startDate: "2025-03-17", endDate: "2025-10-19"}
- name: "1.4.1"
  phases:
  - {name: Full, startDate: "2025-03-17", endDate: never}
- name: "1.4"
  phases: []
- phases: 7
- seven
"#;

    fn parse_lifecycle(text: &str) -> Lifecycle {
        let catalog = load::from_bytes(text.as_bytes().to_vec());
        Lifecycle::from_package(&catalog, catalog.package("p").unwrap())
    }

    fn parse_date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    #[test]
    fn ignores_entries_that_are_not_versions() {
        let names: Vec<_> = parse_lifecycle(BLOB).versions.into_iter().map(|v| v.name).collect();
        assert_eq!(names, ["1.3", "1.4.1", "1.4"]);
        assert!(parse_lifecycle("---\nschema: olm.package\nname: p\n").versions.is_empty());
    }

    #[test]
    fn support_ends_after_last_day_of_last_phase() {
        let lifecycle = parse_lifecycle(BLOB);
        let [old, open, empty] = lifecycle.versions.as_slice() else { panic!() };
        assert_eq!(old.end_of_support(), Some(parse_date("2026-06-30")));
        assert!(!old.has_ended(parse_date("2026-06-30")));
        assert!(old.has_ended(parse_date("2026-07-01")));
        for phase in [
            (old, "2024-01-01", Some("Full")),
            (old, "2025-10-20", Some("Maintenance")),
            (old, "2027-01-01", None),
        ] {
            let (version, today, name) = phase;
            assert_eq!(version.phase_on(parse_date(today)).map(|p| p.name.as_str()), name, "{today}");
        }
        assert!(!open.has_ended(parse_date("2099-01-01")), "an end that is no day is not known");
        assert_eq!(open.phase_on(parse_date("2099-01-01")).unwrap().name, "Full");
        assert!(!empty.has_ended(parse_date("2099-01-01")));
    }

    #[test]
    fn finds_version_by_full_name_or_minor_version() {
        let lifecycle = parse_lifecycle(BLOB);
        let found =
            |version: &str| lifecycle.support_for(&Version::parse(version).unwrap()).map(|v| v.name.clone());
        assert_eq!(found("1.3.7-rc.1").as_deref(), Some("1.3"));
        assert_eq!(found("1.4.1").as_deref(), Some("1.4.1"));
        assert_eq!(found("1.4.2").as_deref(), Some("1.4"));
        assert_eq!(found("1.2.0"), None);
    }

    #[test]
    fn version_before_all_entries_differs_from_gap() {
        let listed = |names: &str| {
            let text = format!(
                "---\nschema: olm.package\nname: p\n---\nschema: {SCHEMA}\npackage: p\nversions: [{names}]\n"
            );
            parse_lifecycle(&text)
        };
        let is_before =
            |names: &str, version: &str| listed(names).is_before_all(&Version::parse(version).unwrap());
        assert!(is_before("{name: '1.3'}, {name: '1.5'}", "1.2.9"));
        assert!(!is_before("{name: '1.3'}, {name: '1.5'}", "1.4.0"));
        assert!(!is_before("", "1.0.0"), "where nothing is listed, nothing is older");
        assert!(!is_before("{name: '1.3'}, {name: latest}", "1.0.0"), "nobody knows what latest is");
    }

    mod date {
        use proptest::prelude::*;

        use super::super::*;

        #[test]
        fn accepts_only_days_of_calendar() {
            for good in ["2026-06-30", "2024-02-29", "2000-02-29", "9999-12-31"] {
                assert_eq!(Date::parse(good).unwrap().to_string(), good);
            }
            assert_eq!(Date::parse(" 2026-06-30T23:59:59Z ").unwrap().to_string(), "2026-06-30");
            for bad in [
                "",
                "2026",
                "2026-6-30",
                "2026-02-29",
                "1900-02-29",
                "2026-13-01",
                "2026-06-31",
                "2026-00-01",
            ] {
                assert!(Date::parse(bad).is_err(), "{bad}");
            }
            for bad in ["2026-06-00", "2026-06-30-1", "+026-06-30", "30.06.2026", "２０２６-06-30", "T"] {
                assert!(Date::parse(bad).is_err(), "{bad}");
            }
        }

        #[test]
        fn converts_seconds_since_1970() {
            // From `date -u -d DAY +%s`.
            for (seconds, day) in [
                (0, "1970-01-01"),
                (951_782_399, "2000-02-28"),
                (951_782_400, "2000-02-29"),
                (951_868_800, "2000-03-01"),
                (1_782_777_600, "2026-06-30"),
                (1_798_761_599, "2026-12-31"),
                (u64::MAX, "9999-12-31"),
            ] {
                assert_eq!(Date::from_unix_time(seconds).to_string(), day, "{seconds}");
            }
        }

        proptest! {
            #[test]
            fn each_day_follows_previous_day(day in 0..80_000_u64) {
                let (today, tomorrow) = (Date::from_unix_time(day * 86_400), Date::from_unix_time((day + 1) * 86_400));
                prop_assert!(today < tomorrow);
                prop_assert_eq!(Date::parse(&today.to_string()).unwrap(), today);
            }

            #[test]
            fn formatted_date_parses_back(text in "[0-9T:Z-]{0,14}|.{0,12}") {
                if let Ok(date) = Date::parse(&text) {
                    prop_assert_eq!(Date::parse(&date.to_string()), Ok(date));
                }
            }
        }
    }
}
