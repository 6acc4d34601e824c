//! Errors that are about no package, such as syntax errors, in files of packages. Objects of the package may be missing
//! because of them.

use std::collections::{HashMap, HashSet};

use super::Snapshot;
use crate::{Finding, FindingLocation, Severity};
use olm_catalog::{FileId, PackageName, package::Package};

/// The first such error of each file.
type FileErrors<'s> = HashMap<FileId, &'s Finding>;

impl Snapshot {
    /// Returns the first such error in the files of a package.
    pub fn find_file_error(&self, package: &PackageName) -> Option<&Finding> {
        find_in_package(&self.file_errors(), self.package(package.as_str())?.package())
    }

    /// Returns the packages with such an error.
    pub fn packages_with_file_errors(&self) -> HashSet<PackageName> {
        let errors = self.file_errors();
        let incomplete =
            self.packages().filter(|(_, state)| find_in_package(&errors, state.package()).is_some());
        incomplete.map(|(name, _)| name.clone()).collect()
    }

    fn file_errors(&self) -> FileErrors<'_> {
        let mut errors = FileErrors::new();
        for finding in self.outside_findings() {
            if let Some(FindingLocation::Document(doc, _)) = &finding.at
                && finding.severity() == Severity::Error
            {
                errors.entry(doc.file).or_insert(finding);
            }
        }
        errors
    }
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
