//! What a change touches in a catalog, and for which of its findings the change answers.
//!
//! A package is touched if its documents are not byte for byte what they were, wherever they stand: moving one to another file
//! touches nothing. What cannot be told apart counts as touched.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter::once,
    path::{Path, PathBuf},
};

use super::{Snapshot, accepted::Accepted};
use crate::{
    catalog::{Catalog, DocId, Origin, PackageName, file::SourceFile, package::Package, problem::Problems},
    resolve::Source,
    validate::{Diagnostic, rule::About, rules},
};

/// What a change touches in a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    packages: BTreeSet<PackageName>,
    /// Whether its files differ in any way.
    files: bool,
}

impl Touched {
    /// What differs between two states of a catalog; one that is not there has nothing.
    pub fn between(old: Option<&Catalog>, new: Option<&Catalog>) -> Self {
        if old.map(files) == new.map(files) {
            return Self::default();
        }
        let (old, new) = (old.map(texts).unwrap_or_default(), new.map(texts).unwrap_or_default());
        let differs = |name: &&&PackageName| old.get(**name) != new.get(**name);
        let packages = old.keys().chain(new.keys()).filter(differs).map(|name| (*name).clone()).collect();
        Self { packages, files: true }
    }

    /// The packages that have something in some files.
    pub fn in_files(catalog: &Catalog, is_meant: impl Fn(&SourceFile) -> bool) -> Self {
        let meant: Vec<bool> = catalog.files().iter().map(|file| is_meant(file)).collect();
        let is_meant = |file: u32| meant.get(file as usize).copied().unwrap_or_default();
        let speaks = catalog.packages().filter(|package| {
            package.documents().any(|doc| is_meant(doc.file.0))
                || documents(&package.problems).any(|doc| is_meant(doc.file.0))
        });
        let packages = speaks.map(|package| package.name.clone()).collect();
        Self { packages, files: meant.contains(&true) }
    }

    /// The same, and more packages.
    pub fn extend(&mut self, packages: impl IntoIterator<Item = PackageName>) {
        self.packages.extend(packages);
    }

    /// All that either touches.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.packages.extend(other.packages);
        self.files |= other.files;
        self
    }

    /// The packages; those that are gone, too.
    pub fn packages(&self) -> impl ExactSizeIterator<Item = &PackageName> {
        self.packages.iter()
    }

    /// Whether the catalog is what it was.
    pub fn is_nothing(&self) -> bool {
        self.packages.is_empty() && !self.files
    }

    /// Whether a finding is about what is touched. One that is about no package is always: it may hide anything.
    pub fn concerns(&self, finding: &Diagnostic) -> bool {
        finding.package.as_ref().is_none_or(|package| self.packages.contains(package))
    }
}

/// The findings of a catalog, for which a change answers and for which it does not.
#[derive(Debug, Default)]
pub struct Shared<'f> {
    /// About what is touched, or new.
    pub answered: Vec<&'f Diagnostic>,
    /// About what is not touched, and known: the catalog had them before, or nobody can tell.
    pub aside: Vec<&'f Diagnostic>,
}

/// Shares out findings. A change may bring a finding about a package that it does not touch: one needs what another one provided. So
/// those are looked for in the catalog as it was, where that is known, beside the same `others`.
pub fn share<'f>(
    touched: &Touched,
    findings: Vec<&'f Diagnostic>,
    now: &Catalog,
    old: Option<&Catalog>,
    others: impl Fn() -> Vec<Source>,
) -> Shared<'f> {
    let (mut answered, aside): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| touched.concerns(finding));
    let Some(old) = old.filter(|_| !aside.is_empty()) else { return Shared { answered, aside } };
    let old = Snapshot::new(old.clone());
    let old = if old.is_met() { old } else { old.beside(others()) };
    let known = known_before(&old, now, &aside);
    let (aside, new): (Vec<_>, Vec<_>) = aside.into_iter().zip(known).partition(|(_, known)| *known);
    answered.extend(new.into_iter().map(|(finding, _)| finding));
    Shared { answered, aside: aside.into_iter().map(|(finding, _)| finding).collect() }
}

/// Of some findings of a catalog those that its old state had, too. What that could not have, for it is found in files beside a
/// catalog, counts as known.
fn known_before(old: &Snapshot, now: &Catalog, findings: &[&Diagnostic]) -> Vec<bool> {
    let known = once((&*old.catalog, old.findings().collect()));
    let known = Accepted { rows: Accepted::default().accepting(known), ..Accepted::default() };
    let rows = known.of(now, findings.iter().copied());
    let is_beside = |finding: &Diagnostic| {
        finding.rule.about() != About::Catalog || *finding.rule == rules::TEMPLATE_DIFFERS
    };
    rows.iter().zip(findings).map(|(row, finding)| row.is_some() || is_beside(finding)).collect()
}

/// The files of a catalog by their names in it, and how many things are wrong outside of packages: a file that cannot be read is
/// not among them.
fn files(catalog: &Catalog) -> (BTreeMap<PathBuf, Vec<&[u8]>>, usize) {
    let named = catalog.files().iter().map(|file| {
        let bytes = file.segments().iter().map(|segment| segment.text.bytes()).collect();
        (inside(catalog, file.disk.as_deref().unwrap_or(&file.shown)), bytes)
    });
    (named.collect(), catalog.problems().count(|_| true))
}

/// How a file is called within its catalog.
fn inside(catalog: &Catalog, path: &Path) -> PathBuf {
    match &catalog.origin {
        Origin::Directory(root) => path.strip_prefix(root).unwrap_or(path).to_owned(),
        Origin::Revision(at) if !at.is_file => path.strip_prefix(&at.path).unwrap_or(path).to_owned(),
        // The only file there is.
        _ => PathBuf::new(),
    }
}

/// Of each package the texts of its documents, in no order.
fn texts(catalog: &Catalog) -> BTreeMap<&PackageName, Vec<&[u8]>> {
    let of_package = |package: &'_ Package| {
        let documents: BTreeSet<_> = package.documents().chain(documents(&package.problems)).collect();
        let mut texts: Vec<&[u8]> =
            documents.into_iter().filter_map(|doc| catalog.text(doc)).map(without_separator).collect();
        texts.sort_unstable();
        texts
    };
    catalog.packages().map(|package| (&package.name, of_package(package))).collect()
}

fn documents(problems: &Problems) -> impl Iterator<Item = DocId> {
    problems.in_documents().map(|(_, doc, _)| doc)
}

/// Where a document stands in its file is no matter.
fn without_separator(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"---").unwrap_or(text);
    text.strip_prefix(b"\n").unwrap_or(text)
}
