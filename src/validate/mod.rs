//! Findings: problems that `opm validate` rejects, and problems that harm users although opm
//! accepts them.
//!
//! Each rule is one function with a stable id in the table [`rules::ALL`]. [`package`] checks one
//! package, so that an edit only repeats the check of its package. [`outside_packages`] checks
//! the rest. The order of the findings depends only on the catalog: first by location, then by
//! rule.
//!
//! If one cause makes opm report several errors, olmap reports it once. The content of an
//! unreadable document does not count as missing.

mod bundle;
mod bundle_rules;
pub mod bundles;
mod channel;
mod dependencies;
mod deprecation;
pub mod diagnostic;
mod entry;
mod findings;
mod loading;
mod looks;
mod lookup;
pub mod not_checked;
mod package;
mod packaging;
mod ranges;
mod readiness;
pub mod repetition;
mod resolution;
pub mod rule;
pub mod rules;
mod selection;
pub mod steps;
pub mod story;
mod stuck;
mod subject;
mod surroundings;
mod table;
mod templates;
mod upgrades;
mod walk;
mod way_out;
mod words;

#[cfg(test)]
mod tests;

pub use channel::invalid_channels;
pub use diagnostic::{Diagnostic, Location, Related, Unlisted};
pub use rule::{Rule, Severity};
pub use story::Story;
pub use surroundings::Surroundings;

use findings::Findings;
use rule::Check;
use subject::Subject;

use std::sync::Arc;

use crate::{
    catalog::{Catalog, DocId, PackageName, Span},
    resolve::Standings,
    upgrade::PackageGraph,
};

/// Rules that do not apply to templates: the image provides this data when the template is
/// rendered.
const IN_THE_IMAGE: [&str; 5] = [
    rules::MISSING_PACKAGE_PROPERTY.id,
    rules::MISSING_PACKAGE.id,
    rules::MISSING_IMAGE.id,
    rules::UNMET_DEPENDENCY.id,
    rules::OUTDATED_DEPENDENCY.id,
];

/// Returns the findings of one package. `standings` is the result of [`Surroundings::standings`].
pub fn package(around: &Surroundings<'_>, graph: &PackageGraph, standings: &Standings) -> Vec<Diagnostic> {
    let catalog = around.catalog;
    let subject = Subject::new(around, graph, standings);
    let mut found = Findings::default();
    loading::of_package(catalog, &graph.package, &mut found);
    let in_template = catalog.template().is_some();
    for rule in rules::ALL {
        if in_template && IN_THE_IMAGE.contains(&rule.id) {
            continue;
        }
        if let Check::Package(check) = rule.check {
            check(&subject, &mut found);
        }
    }
    let mut found = found.finish();
    let name = &graph.package.name;
    if !name.as_str().is_empty() {
        for finding in &mut found {
            finding.set_package(name);
        }
    }
    sort(catalog, &mut found);
    found
}

/// Returns true if an unchanged package has the same findings in two states of a catalog.
/// Findings about requirements may differ ([`Surroundings::wants`], [`Surroundings::standings`]).
/// Other findings depend on the package, on the defined packages and on unreadable input.
pub fn same_surroundings(before: &Catalog, after: &Catalog) -> bool {
    fn defined(catalog: &Catalog) -> impl Iterator<Item = &PackageName> {
        catalog.packages().filter(|package| !package.definitions.is_empty()).map(|package| &package.name)
    }
    let texts = |catalog: &Catalog| {
        let mut documents: Vec<DocId> = catalog.problems().in_documents().map(|(_, doc, _)| doc).collect();
        documents.dedup();
        documents
    };
    let unread = || {
        let (old, new) = (texts(before), texts(after));
        let texts = old.iter().zip(&new).all(|(old, new)| before.text(*old) == after.text(*new));
        texts && before.problems() == after.problems()
    };
    let nameless = |catalog: &Catalog| catalog.package("").map(Arc::as_ptr);
    defined(before).eq(defined(after)) && nameless(before) == nameless(after) && unread()
}

/// Returns the findings outside of packages: unreadable files and documents, objects without a
/// package, and packages that look alike.
pub fn outside_packages(catalog: &Catalog) -> Vec<Diagnostic> {
    let mut found = Findings::default();
    loading::outside(catalog, &mut found);
    looks::packages(catalog, &mut found);
    templates::findings(catalog, &mut found);
    let mut found = found.finish();
    sort(catalog, &mut found);
    found
}

/// Returns the reasons why `opm validate` rejects a catalog; empty if it accepts it.
pub fn rejections(catalog: &Catalog) -> Vec<String> {
    rejecting(catalog).into_iter().map(|finding| finding.message).collect()
}

/// Returns the reasons why `opm render` refuses a converted SQLite index; empty if it accepts it.
pub fn rejections_of_index(catalog: &Catalog) -> Vec<String> {
    let is_checked =
        |finding: &Diagnostic| !bundle::FILE_BASED_ONLY.iter().any(|rule| rule.id == finding.rule.id);
    rejecting(catalog).into_iter().filter(is_checked).map(|finding| finding.message).collect()
}

/// Returns the findings for which `opm validate` rejects a catalog.
pub fn rejecting(catalog: &Catalog) -> Vec<Diagnostic> {
    let around = Surroundings::of(catalog);
    let standings = Standings::default();
    let of_packages = catalog.packages();
    let of_packages = of_packages.flat_map(|graph| package(&around, &PackageGraph::new(graph), &standings));
    let found = outside_packages(catalog).into_iter().chain(of_packages);
    found.filter(|finding| finding.rule.parity).collect()
}

/// Returns true if `opm validate` accepts a catalog with these findings.
pub fn accepted<'a>(findings: impl IntoIterator<Item = &'a Diagnostic>) -> bool {
    !findings.into_iter().any(|finding| finding.rule.parity)
}

fn sort(catalog: &Catalog, findings: &mut [Diagnostic]) {
    findings.sort_by_cached_key(|finding| {
        let place = finding.at.as_ref().map(|at| match at {
            Location::File(path) => (path.clone(), 0, Span::default()),
            Location::InBundle(spot) => (spot.path.clone(), 0, spot.span),
            Location::Document(doc, span) => {
                let file = catalog.file(doc.file);
                let path = file.map(|file| file.shown.clone()).unwrap_or_default();
                (path, file.and_then(|file| file.position(doc.serial)).unwrap_or_default(), *span)
            }
        });
        (place, finding.rule.id, finding.message.clone())
    });
}
