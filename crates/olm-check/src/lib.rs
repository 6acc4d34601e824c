//! Rules for file-based catalogs of Operator Lifecycle Manager (OLM), and comparisons of two catalogs.
//!
//! A rule reports findings: what `opm validate` rejects, and what harms users although opm accepts it. Comparisons
//! show what a change does to users: new findings, changed upgrades, stuck versions. Start with
//! [`review::Snapshot::new`], which has a catalog with everything derived from it.
//!
//! | to | use |
//! |---|---|
//! | check a catalog, also with rules of your own | [`Checker`], [`Rule::for_packages`] |
//! | keep a catalog with everything derived from it | [`review::Snapshot::new`], [`review::Snapshot::findings`] |
//! | print the location of a finding | [`Finding::locate`] |
//! | recognize a finding again | [`FindingKey`] |
//! | get the verdict of `opm validate` | [`is_accepted`], [`rejection_messages`] |
//! | check a bundle directory | [`bundles::check_bundle`] |
//! | list the rules, or read about one | [`rules::ALL`], [`Rule::story`] |
//! | find the consequences of an edit for users | [`review::Consequences`] |
//! | compare two catalogs by meaning | [`review::Difference`] |
//! | fail on changes that harm users | [`review::diff::gate`] |
//! | check that upgrades stay as recorded | [`review::expect::Expectations`] |
//! | accept known findings | [`review::accepted::AcceptedFindings`] |
//! | find edits that free stuck versions | [`review::stuck::find_remedies`] |
//! | list deprecations and the users they affect | [`review::deprecations::list_deprecations`] |
//!
//! ```
//! use olm_catalog::load;
//! use olm_check::review::Snapshot;
//!
//! let text = "\
//! schema: olm.package
//! name: ship
//! defaultChannel: stable
//! ---
//! schema: olm.channel
//! package: ship
//! name: stable
//! entries:
//! - name: ship.v1.0.0
//! - name: ship.v1.1.0
//! ";
//! let snapshot = Snapshot::new(load::from_bytes(text.as_bytes().to_vec()));
//! let finding = snapshot.findings().find(|finding| finding.rule.id == "multiple-heads");
//! let finding = finding.ok_or("no such finding")?;
//!
//! // Both entries are heads of the channel, so opm rejects the catalog.
//! assert!(finding.rule.parity && finding.message.contains("ship.v1.0.0"));
//! assert!(!olm_check::is_accepted(snapshot.findings()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **The verdict is that of `opm validate`.** A rule says if opm rejects the same input ([`Rule::parity`]).
//! - **Rules have stable ids.** Those of this crate are in [`rules::ALL`]. A [`Checker`] refuses another rule with such an id.
//! - **The order of findings depends only on the catalog**: first by location, then by rule.
//! - **One cause is one finding.** If opm reports several errors for it, this crate reports it once. The content of
//!   an unreadable document does not count as missing.
//! - **A finding is fixed only if its rule was evaluated again.** Input that cannot be read is a finding too.
//! - **An edit checks only the packages it touches** ([`review::Snapshot::after_change`]).
//! - No input causes a panic. There is no unsafe code and no I/O.

mod bundle;
mod bundle_rules;
pub mod bundles;
mod cache_names;
mod catalog_context;
mod channel;
mod checker;
#[cfg(test)]
mod conformance_mutations;
mod confusables;
mod console;
mod console_comparison;
mod console_rules;
mod dependencies;
mod deprecation;
mod entry;
pub mod finding;
mod finding_key;
mod findings;
mod format;
mod loading;
mod package;
mod packaging;
mod ranges;
mod readiness;
pub mod repetition;
mod resolution;
pub mod review;
pub mod rule;
pub mod rules;
mod schemas;
mod selection;
mod skipped_ranges;
pub mod steps;
pub mod story;
mod stuck;
mod subject;
mod table;
mod templates;
pub mod unchecked;
mod upgrades;
mod walk;
mod way_out;

#[cfg(test)]
mod tests;

pub use catalog_context::CatalogContext;
pub use channel::invalid_channels;
pub use checker::{CheckReport, Checker, RuleError};
pub use finding::{Finding, FindingLocation, Related, Unlisted};
pub use finding_key::FindingKey;
pub use findings::Findings;
pub use rule::{Rule, RuleProperty, Severity};
pub use story::Story;
pub use subject::PackageSubject;

use rule::Check;

use std::sync::Arc;

use olm_catalog::{Catalog, DocId, Span, model::ChangedPackage, package::Package};
use olm_upgrade::{PackageGraph, resolve::PackageResolution};

/// Checks one package and returns its findings. The last argument is the result of
/// [`CatalogContext::resolve_package`].
pub fn check_package(
    context: &CatalogContext<'_>,
    graph: &PackageGraph,
    resolution: &PackageResolution,
) -> Vec<Finding> {
    check_rules(context, graph, resolution, |_| true)
}

/// Checks one package with the rules for which opm rejects it, and lists what could not be read.
pub(crate) fn check_package_for_opm(context: &CatalogContext<'_>, graph: &PackageGraph) -> Vec<Finding> {
    check_rules(context, graph, &PackageResolution::default(), |rule| rule.parity)
}

/// Checks one package with some of the rules.
fn check_rules(
    context: &CatalogContext<'_>,
    graph: &PackageGraph,
    resolution: &PackageResolution,
    is_wanted: impl Fn(&Rule) -> bool,
) -> Vec<Finding> {
    let catalog = context.catalog;
    let subject = PackageSubject::new(context, graph, resolution);
    let mut found = Findings::default();
    loading::report_package_problems(catalog, &graph.package, &mut found);
    let in_template = catalog.template().is_some();
    for rule in rules::ALL.iter().chain(context.own_rules).filter(|rule| is_wanted(rule)) {
        if in_template && rule.has(RuleProperty::NeedsImages) {
            continue;
        }
        match rule.check {
            Check::Package(check) => check(&subject, &mut found),
            Check::Console(check) if context.compared_catalogs.is_some() && !in_template => {
                check(&subject, &mut found);
            }
            _ => {}
        }
    }
    let mut found = found.into_vec();
    let name = &graph.package.name;
    if !name.as_str().is_empty() {
        for finding in &mut found {
            finding.set_package(name);
        }
    }
    sort_findings(catalog, &mut found);
    found
}

/// Returns true if the findings of a package that an edit does not touch stay the same.
///
/// Compares the defined packages and the unreadable input of two states of a catalog. Findings
/// about requirements also depend on other packages. For these, the caller compares
/// [`CatalogContext::requirements_of`] and [`CatalogContext::resolve_package`].
pub fn has_same_context(before: &Catalog, after: &Catalog) -> bool {
    let is_defined = |package: &Arc<Package>| !package.definitions.is_empty();
    let has_same_definition = |changed: ChangedPackage<'_>| {
        changed.before.is_some_and(is_defined) == changed.after.is_some_and(is_defined)
    };
    let texts = |catalog: &Catalog| {
        let mut documents: Vec<DocId> = catalog.problems().in_documents().map(|(_, doc, _)| doc).collect();
        documents.dedup();
        documents
    };
    let unread = || {
        let (old, new) = (texts(before), texts(after));
        let texts =
            old.iter().zip(&new).all(|(old, new)| before.document_text(*old) == after.document_text(*new));
        texts && before.problems() == after.problems()
    };
    let nameless = |catalog: &Catalog| catalog.package("").map(Arc::as_ptr);
    after.packages_changed_since(before).all(has_same_definition)
        && nameless(before) == nameless(after)
        && unread()
}

/// Returns the findings outside of packages: unreadable files and documents, objects without a
/// package, and packages that look alike.
pub fn check_outside_packages(catalog: &Catalog) -> Vec<Finding> {
    let mut found = Findings::default();
    confusables::report_similar_packages(catalog, &mut found);
    add_findings_outside_packages(catalog, found)
}

/// Returns the findings outside of packages, except those about names that look alike.
pub(crate) fn check_outside_packages_except_names(catalog: &Catalog) -> Vec<Finding> {
    add_findings_outside_packages(catalog, Findings::default())
}

fn add_findings_outside_packages(catalog: &Catalog, mut found: Findings) -> Vec<Finding> {
    loading::report_outside_packages(catalog, &mut found);
    schemas::report_outside_packages(catalog, &mut found);
    cache_names::report_other_objects(catalog, catalog.others(), &mut found);
    templates::check_templates(catalog, &mut found);
    let mut found = found.into_vec();
    sort_findings(catalog, &mut found);
    found
}

/// Returns the reasons why `opm validate` rejects a catalog; empty if it accepts it.
pub fn rejection_messages(catalog: &Catalog) -> Vec<String> {
    rejecting_findings(catalog).into_iter().map(|finding| finding.message).collect()
}

/// Returns the reasons why `opm render` refuses a converted SQLite index; empty if it accepts it.
pub fn index_rejection_messages(catalog: &Catalog) -> Vec<String> {
    let is_checked = |finding: &Finding| !finding.rule.has(RuleProperty::OnlyFileBased);
    rejecting_findings(catalog).into_iter().filter(is_checked).map(|finding| finding.message).collect()
}

/// Returns the findings for which `opm validate` rejects a catalog.
pub fn rejecting_findings(catalog: &Catalog) -> Vec<Finding> {
    let around = CatalogContext::from_catalog(catalog);
    // The other rules take most of the time.
    let of_packages =
        catalog.packages().flat_map(|package| check_package_for_opm(&around, &PackageGraph::new(package)));
    let found = check_outside_packages_except_names(catalog).into_iter().chain(of_packages);
    found.filter(|finding| finding.rule.parity).collect()
}

/// Returns true if `opm validate` accepts a catalog with these findings.
pub fn is_accepted<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> bool {
    !findings.into_iter().any(|finding| finding.rule.parity)
}

fn sort_findings(catalog: &Catalog, findings: &mut [Finding]) {
    findings.sort_by_cached_key(|finding| {
        let place = finding.at.as_ref().map(|at| match at {
            FindingLocation::File(path) => (path.clone(), 0, Span::default()),
            FindingLocation::InBundle(spot) => (spot.path.clone(), 0, spot.span),
            FindingLocation::Document(doc, span) => {
                let file = catalog.file(doc.file);
                let path = file.map(|file| file.display_path.clone()).unwrap_or_default();
                (path, file.and_then(|file| file.position(doc.serial)).unwrap_or_default(), *span)
            }
        });
        (place, finding.rule.id, finding.message.clone())
    });
}
