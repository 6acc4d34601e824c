//! Packages that a change touches, and the findings that it is responsible for.
//!
//! A package is touched if the bytes of its documents change. Moving a document to another file
//! does not touch its package. If a difference is uncertain, the package counts as touched.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter::once,
    path::{Path, PathBuf},
};

use super::{Snapshot, accepted::AcceptedFindings};
use crate::{Finding, FindingLocation, rule::RuleSubject, rules};
use olm_catalog::{
    Catalog, DocId, Origin, PackageName, file::SourceFile, package::Package, problem::Problems,
};
use olm_upgrade::resolve::Source;

/// Packages and files of a catalog that a change touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    packages: BTreeSet<PackageName>,
    /// True if its files differ in any way.
    files: bool,
}

impl Touched {
    /// Compares two states of a catalog; a missing catalog is empty.
    pub fn compare_catalogs(old: Option<&Catalog>, new: Option<&Catalog>) -> Self {
        if old.map(files_by_path) == new.map(files_by_path) {
            return Self::default();
        }
        let (old, new) =
            (old.map(package_texts).unwrap_or_default(), new.map(package_texts).unwrap_or_default());
        let differs = |name: &&&PackageName| old.get(**name) != new.get(**name);
        let packages = old.keys().chain(new.keys()).filter(differs).map(|name| (*name).clone()).collect();
        Self { packages, files: true }
    }

    /// Returns the packages with documents in some files.
    pub fn in_files(catalog: &Catalog, is_meant: impl Fn(&SourceFile) -> bool) -> Self {
        let meant: Vec<bool> = catalog.files().iter().map(|file| is_meant(file)).collect();
        let is_meant = |file: u32| meant.get(file as usize).copied().unwrap_or_default();
        let speaks = catalog.packages().filter(|package| {
            package.documents().any(|doc| is_meant(doc.file.0))
                || problem_documents(&package.problems).any(|doc| is_meant(doc.file.0))
        });
        let packages = speaks.map(|package| package.name.clone()).collect();
        Self { packages, files: meant.contains(&true) }
    }

    /// Adds more packages.
    pub fn add_packages(&mut self, packages: impl IntoIterator<Item = PackageName>) {
        self.packages.extend(packages);
    }

    /// Returns the union with another change.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        self.packages.extend(other.packages);
        self.files |= other.files;
        self
    }

    /// Returns the touched packages, including removed ones.
    pub fn packages(&self) -> impl ExactSizeIterator<Item = &PackageName> {
        self.packages.iter()
    }

    /// Returns true if the catalog is unchanged.
    pub fn is_unchanged(&self) -> bool {
        self.packages.is_empty() && !self.files
    }

    /// Returns true if a finding is about a touched package. Also true for findings without a package, since they may hide
    /// anything.
    pub fn includes_finding(&self, finding: &Finding) -> bool {
        finding.package.as_ref().is_none_or(|package| self.packages.contains(package))
    }
}

/// Findings of a catalog, split by responsibility of a change.
#[derive(Debug, Default)]
pub struct FindingSplit<'f> {
    /// New findings, and findings about touched packages.
    pub responsible: Vec<&'f Finding>,
    /// Other findings: they existed before, or their origin is unknown.
    pub unrelated: Vec<&'f Finding>,
}

/// Splits findings. A change may cause a finding about an untouched package, for example if it removes a required bundle. So
/// findings about untouched packages are searched in the old catalog, if available, with the same `others`.
pub fn split_findings<'f>(
    touched: &Touched,
    findings: Vec<&'f Finding>,
    now: &Catalog,
    old: Option<&Catalog>,
    others: impl Fn() -> Vec<Source>,
) -> FindingSplit<'f> {
    let (mut answered, aside): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| touched.includes_finding(finding));
    let Some(old) = old.filter(|_| !aside.is_empty()) else {
        return FindingSplit { responsible: answered, unrelated: aside };
    };
    let old = Snapshot::new(old.clone());
    let old = if old.is_independent() { old } else { old.with_other_catalogs(others()) };
    let known = find_known(&old, now, &aside);
    let (aside, new): (Vec<_>, Vec<_>) = aside.into_iter().zip(known).partition(|(_, known)| *known);
    answered.extend(new.into_iter().map(|(finding, _)| finding));
    FindingSplit { responsible: answered, unrelated: aside.into_iter().map(|(finding, _)| finding).collect() }
}

/// Returns, per finding, true if the old state had it too. Findings from files outside of the catalog count as old.
fn find_known(old: &Snapshot, now: &Catalog, findings: &[&Finding]) -> Vec<bool> {
    let known = once((&*old.catalog, old.findings().collect()));
    let known = AcceptedFindings {
        rows: AcceptedFindings::default().rows_accepting_all(known),
        ..AcceptedFindings::default()
    };
    let rows = known.match_findings(now, findings.iter().copied());
    let is_beside = |finding: &Finding| {
        finding.rule.subject() != RuleSubject::Catalog
            || *finding.rule == rules::TEMPLATE_DIFFERS
            || matches!(finding.at, Some(FindingLocation::InBundle(_)))
    };
    rows.iter().zip(findings).map(|(row, finding)| row.is_some() || is_beside(finding)).collect()
}

/// Returns the files of a catalog by relative path, and the number of problems outside of packages. Unreadable files occur
/// only in that number.
fn files_by_path(catalog: &Catalog) -> (BTreeMap<PathBuf, Vec<&[u8]>>, usize) {
    let named = catalog.files().iter().map(|file| {
        let bytes = file.segments().iter().map(|segment| segment.text.as_bytes()).collect();
        (relative_path(catalog, file.disk.as_deref().unwrap_or(&file.display_path)), bytes)
    });
    (named.collect(), catalog.problems().count_kinds(|_| true))
}

/// Returns the path of a file in its catalog.
fn relative_path(catalog: &Catalog, path: &Path) -> PathBuf {
    match &catalog.origin {
        Origin::Directory(root) => path.strip_prefix(root).unwrap_or(path).to_owned(),
        Origin::Revision(at) if !at.is_file => path.strip_prefix(&at.path).unwrap_or(path).to_owned(),
        // The catalog is a single file.
        _ => PathBuf::new(),
    }
}

/// Returns the texts of each package's documents, sorted.
fn package_texts(catalog: &Catalog) -> BTreeMap<&PackageName, Vec<&[u8]>> {
    let of_package = |package: &'_ Package| {
        let documents: BTreeSet<_> =
            package.documents().chain(problem_documents(&package.problems)).collect();
        let mut texts: Vec<&[u8]> = documents
            .into_iter()
            .filter_map(|doc| catalog.document_text(doc))
            .map(without_separator)
            .collect();
        texts.sort_unstable();
        texts
    };
    catalog.packages().map(|package| (&package.name, of_package(package))).collect()
}

fn problem_documents(problems: &Problems) -> impl Iterator<Item = DocId> {
    problems.in_documents().map(|(_, doc, _)| doc)
}

/// Removes the separator before a document, which depends only on its position in the file.
fn without_separator(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"---").unwrap_or(text);
    text.strip_prefix(b"\n").unwrap_or(text)
}
