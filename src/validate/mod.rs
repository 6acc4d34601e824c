//! Findings: what `opm validate` rejects, and what hurts users though opm accepts it.
//!
//! One rule, one function, one stable id, all in the table [`rules::ALL`]. [`package`] judges one package, so that an
//! edit costs no more than its package; [`outside_packages`] the rest. The findings come in an order that depends on
//! nothing but the catalog: by place, then by rule.
//!
//! Where one cause makes opm report several errors, it is reported once: what a document says that could not be read
//! does not count as missing.

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

/// What a template need not say of a bundle: it is in the image, and is there once the catalog is rendered.
const IN_THE_IMAGE: [&str; 5] = [
    rules::MISSING_PACKAGE_PROPERTY.id,
    rules::MISSING_PACKAGE.id,
    rules::MISSING_IMAGE.id,
    rules::UNMET_DEPENDENCY.id,
    rules::OUTDATED_DEPENDENCY.id,
];

/// The findings of one package in a catalog, which stands among the others as [`Surroundings::standings`] says.
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

/// Whether packages that are the same in two states of a catalog have the same findings, but for those about what they
/// require ([`Surroundings::wants`], [`Surroundings::standings`]): what they are judged by besides themselves is which packages are defined, and what
/// cannot be read.
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

/// The findings that no package has by itself: unreadable files and documents, objects without a package, packages that look
/// alike.
pub fn outside_packages(catalog: &Catalog) -> Vec<Diagnostic> {
    let mut found = Findings::default();
    loading::outside(catalog, &mut found);
    looks::packages(catalog, &mut found);
    templates::findings(catalog, &mut found);
    let mut found = found.finish();
    sort(catalog, &mut found);
    found
}

/// Why `opm validate` would reject a catalog, in words; empty where it accepts it.
pub fn rejections(catalog: &Catalog) -> Vec<String> {
    rejecting(catalog).into_iter().map(|finding| finding.message).collect()
}

/// Returns why `opm render` would refuse what it makes of an SQLite index; empty if it accepts it.
pub fn rejections_of_index(catalog: &Catalog) -> Vec<String> {
    let is_checked =
        |finding: &Diagnostic| !bundle::FILE_BASED_ONLY.iter().any(|rule| rule.id == finding.rule.id);
    rejecting(catalog).into_iter().filter(is_checked).map(|finding| finding.message).collect()
}

/// The findings for which `opm validate` would reject a catalog.
pub fn rejecting(catalog: &Catalog) -> Vec<Diagnostic> {
    let around = Surroundings::of(catalog);
    let standings = Standings::default();
    let of_packages = catalog.packages();
    let of_packages = of_packages.flat_map(|graph| package(&around, &PackageGraph::new(graph), &standings));
    let found = outside_packages(catalog).into_iter().chain(of_packages);
    found.filter(|finding| finding.rule.parity).collect()
}

/// Whether `opm validate` accepts a catalog with these findings.
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
