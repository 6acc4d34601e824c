//! The lifecycle of a package's versions, where its catalog tells: until when each is supported.
//!
//! A blob of the schema [`SCHEMA`] has `package` and `versions`, a list of `{name, phases: [{name, startDate, endDate}],
//! platformCompatibility: [{name, versions}]}`. `name` is a minor version such as `1.3`, days are written `YYYY-MM-DD`
//! (`release-engineering/fbc-update-planner`, `pkg/fbc`, writes them; the console of OpenShift reads them, looking for the
//! whole version first and then for its minor one).

mod date;

pub use date::{Date, NoDate};

use super::{file::DocId, model::Catalog, node::Node, package::Package, span::Span};
use crate::version::Version;

/// The schema of lifecycle blobs.
pub const SCHEMA: &str = "io.openshift.operators.lifecycles.v1alpha1";

/// What a package's lifecycle blobs say, version by version, in their order.
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    /// The versions.
    pub versions: Vec<Supported>,
}

/// A version and its phases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supported {
    /// As written, such as `1.3`.
    pub name: String,
    /// Its phases in their order.
    pub phases: Vec<Phase>,
    /// The document that says so.
    pub doc: DocId,
    /// Where.
    pub span: Span,
}

/// A phase of support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Such as `Maintenance support`.
    pub name: String,
    /// Its first day; `None` where it is absent or no day.
    pub start: Option<Date>,
    /// Its last day; `None` where it is absent or no day: nobody knows when it ends.
    pub end: Option<Date>,
}

impl Supported {
    /// The last day of its last phase; `None` where it has no phase, or one of them has no end.
    pub fn end(&self) -> Option<Date> {
        let ends: Option<Vec<Date>> = self.phases.iter().map(|phase| phase.end).collect();
        ends?.into_iter().max()
    }

    /// Whether support has ended: the last day of its last phase is past.
    pub fn has_ended(&self, today: Date) -> bool {
        self.end().is_some_and(|end| end < today)
    }

    /// The phase of a day. Between two phases and before the first it is the next one that ends.
    pub fn phase(&self, today: Date) -> Option<&Phase> {
        let open = self.phases.iter().filter(|phase| phase.end.is_none_or(|end| end >= today));
        open.min_by_key(|phase| (phase.end.is_none(), phase.end))
    }

    /// The major and minor version it speaks of.
    fn minor(&self) -> Option<(u64, u64)> {
        let (major, minor) = self.name.split_once('.')?;
        Some((number(major)?, number(minor)?))
    }
}

/// Digits and nothing else.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

impl Lifecycle {
    /// Reads the lifecycle blobs of a package. What is not as the schema has it is left out: the catalog works without.
    pub fn of(catalog: &Catalog, package: &Package) -> Self {
        let blobs = package.others.iter().filter(|blob| &*blob.schema == SCHEMA);
        let versions = blobs.flat_map(|blob| {
            let tree = catalog.tree(blob.doc).and_then(Result::ok);
            tree.as_ref().map(|tree| versions(tree, blob.doc)).unwrap_or_default()
        });
        Self { versions: versions.collect() }
    }

    /// What is said of a version: under its whole name, otherwise under its minor version.
    pub fn version(&self, version: &Version) -> Option<&Supported> {
        let whole = version.to_string();
        let minor = Some((version.major(), version.minor()));
        let named = self.versions.iter().find(|known| known.name == whole);
        named.or_else(|| self.versions.iter().find(|known| known.minor() == minor))
    }

    /// The oldest version the blobs speak of, as written; `None` where one of them is no minor version.
    pub fn oldest(&self) -> Option<&str> {
        let minors: Option<Vec<_>> = self.versions.iter().map(|v| Some((v.minor()?, &v.name))).collect();
        minors?.into_iter().min().map(|(_, name)| name.as_str())
    }

    /// Whether a version is older than everything the blobs speak of.
    pub fn is_before_all(&self, version: &Version) -> bool {
        let minors: Option<Vec<(u64, u64)>> = self.versions.iter().map(Supported::minor).collect();
        minors
            .and_then(|minors| minors.into_iter().min())
            .is_some_and(|oldest| (version.major(), version.minor()) < oldest)
    }
}

fn versions(tree: &Node<'_>, doc: DocId) -> Vec<Supported> {
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
        Some(Supported { name: text(node, "name")?, phases, doc, span: node.span })
    });
    supported.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::load;

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

    fn lifecycle(text: &str) -> Lifecycle {
        let catalog = load::from_bytes(text.as_bytes().to_vec());
        Lifecycle::of(&catalog, catalog.package("p").unwrap())
    }

    fn day(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    #[test]
    fn what_is_no_version_is_left_out() {
        let names: Vec<_> = lifecycle(BLOB).versions.into_iter().map(|v| v.name).collect();
        assert_eq!(names, ["1.3", "1.4.1", "1.4"]);
        assert!(lifecycle("---\nschema: olm.package\nname: p\n").versions.is_empty());
    }

    #[test]
    fn support_ends_after_the_last_day_of_the_last_phase() {
        let lifecycle = lifecycle(BLOB);
        let [old, open, empty] = lifecycle.versions.as_slice() else { panic!() };
        assert_eq!(old.end(), Some(day("2026-06-30")));
        assert!(!old.has_ended(day("2026-06-30")));
        assert!(old.has_ended(day("2026-07-01")));
        for phase in [
            (old, "2024-01-01", Some("Full")),
            (old, "2025-10-20", Some("Maintenance")),
            (old, "2027-01-01", None),
        ] {
            let (version, today, name) = phase;
            assert_eq!(version.phase(day(today)).map(|p| p.name.as_str()), name, "{today}");
        }
        assert!(!open.has_ended(day("2099-01-01")), "an end that is no day is not known");
        assert_eq!(open.phase(day("2099-01-01")).unwrap().name, "Full");
        assert!(!empty.has_ended(day("2099-01-01")));
    }

    #[test]
    fn a_version_is_found_by_its_whole_name_and_by_its_minor_version() {
        let lifecycle = lifecycle(BLOB);
        let found =
            |version: &str| lifecycle.version(&Version::parse(version).unwrap()).map(|v| v.name.clone());
        assert_eq!(found("1.3.7-rc.1").as_deref(), Some("1.3"));
        assert_eq!(found("1.4.1").as_deref(), Some("1.4.1"));
        assert_eq!(found("1.4.2").as_deref(), Some("1.4"));
        assert_eq!(found("1.2.0"), None);
    }

    #[test]
    fn what_is_older_than_all_that_is_listed_is_told_apart_from_gaps() {
        let listed = |names: &str| {
            let text = format!(
                "---\nschema: olm.package\nname: p\n---\nschema: {SCHEMA}\npackage: p\nversions: [{names}]\n"
            );
            lifecycle(&text)
        };
        let is_before =
            |names: &str, version: &str| listed(names).is_before_all(&Version::parse(version).unwrap());
        assert!(is_before("{name: '1.3'}, {name: '1.5'}", "1.2.9"));
        assert!(!is_before("{name: '1.3'}, {name: '1.5'}", "1.4.0"));
        assert!(!is_before("", "1.0.0"), "where nothing is listed, nothing is older");
        assert!(!is_before("{name: '1.3'}, {name: latest}", "1.0.0"), "nobody knows what latest is");
    }
}
