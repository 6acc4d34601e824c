//! Catalogs of several OpenShift versions, in update order.

use std::cmp::Ordering;

use olm_upgrade::openshift::OpenShift;

/// Catalog in any form, with its OpenShift version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release<C> {
    /// The version. `None` if it is neither given nor part of the catalog's path or image.
    pub openshift: Option<OpenShift>,
    /// The path or image of the catalog.
    pub label: String,
    /// The catalog.
    pub catalog: C,
}

impl<C> Release<C> {
    /// Creates a release with the version from its path or image.
    pub fn new(label: String, catalog: C) -> Self {
        Self { openshift: OpenShift::find_in_text(&label), label, catalog }
    }

    /// Creates a release of the same catalog for each version. Without versions, creates one
    /// release with the version from the path or image.
    pub fn for_versions(label: &str, versions: &[OpenShift], catalog: C) -> Vec<Self>
    where
        C: Clone,
    {
        if versions.is_empty() {
            return vec![Self::new(label.to_owned(), catalog)];
        }
        let release = |version: &OpenShift| Self {
            openshift: Some(*version),
            label: label.to_owned(),
            catalog: catalog.clone(),
        };
        versions.iter().map(release).collect()
    }

    /// Converts the catalog to another form.
    pub fn map<D>(self, form: impl FnOnce(C) -> D) -> Release<D> {
        let Self { openshift, label, catalog } = self;
        Release { openshift, label, catalog: form(catalog) }
    }
}

/// Sorts by version. Catalogs without version come last. The sort is stable.
pub fn sort_releases<C>(releases: &mut [Release<C>]) {
    releases.sort_by(|a, b| match (a.openshift, b.openshift) {
        (Some(a), Some(b)) => a.cmp(&b),
        (a, b) => match (a.is_none(), b.is_none()) {
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => Ordering::Equal,
        },
    });
}

/// Returns a unique column title for each release: its version or the end of its label. If that is
/// not unique, the title is the whole label.
pub fn column_titles<C>(releases: &[Release<C>]) -> Vec<String> {
    let short = |release: &Release<C>| match release.openshift {
        Some(version) => version.to_string(),
        None => release.label.rsplit('/').find(|part| !part.is_empty()).unwrap_or(&release.label).to_owned(),
    };
    let all: Vec<String> = releases.iter().map(short).collect();
    let is_only = |title: &String| all.iter().filter(|other| *other == title).count() == 1;
    let titles = all.iter().zip(releases);
    titles.map(|(title, release)| if is_only(title) { title } else { &release.label }.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_sorted_by_version_in_label() {
        let labels = ["catalogs/v4.20", "mine", "quay.io/example/index:v4.9", "catalogs/v4.18", "theirs"];
        let mut releases: Vec<_> = labels.iter().map(|label| Release::new((*label).to_owned(), ())).collect();
        sort_releases(&mut releases);
        assert_eq!(column_titles(&releases), ["4.9", "4.18", "4.20", "mine", "theirs"]);
    }

    #[test]
    fn releases_with_equal_titles_use_labels() {
        let labels = ["a/v4.20", "b/v4.20", "c/v4.22", "d/catalog", "e/catalog"];
        let releases: Vec<_> = labels.iter().map(|label| Release::new((*label).to_owned(), ())).collect();
        assert_eq!(column_titles(&releases), ["a/v4.20", "b/v4.20", "4.22", "d/catalog", "e/catalog"]);
    }
}
