//! Errors that are about no package, such as syntax errors, in files of packages. Objects of the package may be missing
//! because of them.

use std::collections::{HashMap, HashSet};

use crate::tui::session::Session;
use olm_catalog::{FileId, PackageName, package::Package};
use olm_check::{Finding, FindingLocation, Severity, review::Snapshot};

/// The first such error of each file.
type FileErrors<'s> = HashMap<FileId, &'s Finding>;

impl Session {
    /// Returns the first such error in the files of a package.
    pub fn find_file_error(&self, package: &PackageName) -> Option<&Finding> {
        find_error(self.snapshot()?, package)
    }

    /// Returns the packages with such an error.
    pub fn packages_with_file_errors(&self) -> HashSet<PackageName> {
        let Some(snapshot) = self.snapshot() else { return HashSet::new() };
        let errors = file_errors(snapshot);
        snapshot
            .packages()
            .filter(|(_, state)| find_in_package(&errors, state.package()).is_some())
            .map(|(name, _)| name.clone())
            .collect()
    }
}

/// Returns the warning that the effects of an edit of a package are not known completely. `None` if its files were read
/// completely.
pub fn describe_unchecked_part(after: &Snapshot, package: &PackageName) -> Option<String> {
    find_error(after, package)?;
    Some(format!("{package} could not be read completely: effects on its missing objects are not checked."))
}

fn find_error<'s>(snapshot: &'s Snapshot, package: &PackageName) -> Option<&'s Finding> {
    find_in_package(&file_errors(snapshot), snapshot.package(package.as_str())?.package())
}

fn file_errors(snapshot: &Snapshot) -> FileErrors<'_> {
    let mut errors = FileErrors::new();
    for finding in snapshot.outside_findings() {
        if let Some(FindingLocation::Document(doc, _)) = &finding.at
            && finding.severity() == Severity::Error
        {
            errors.entry(doc.file).or_insert(finding);
        }
    }
    errors
}

fn find_in_package<'s>(errors: &FileErrors<'s>, package: &Package) -> Option<&'s Finding> {
    if errors.is_empty() {
        return None;
    }
    let docs = package.definition().map(|definition| definition.doc).into_iter();
    let docs = docs.chain(package.channels.iter().map(|channel| channel.doc));
    let mut docs = docs.chain(package.bundles.iter().map(|bundle| bundle.doc));
    docs.find_map(|doc| errors.get(&doc.file)).copied()
}
