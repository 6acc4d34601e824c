//! Rows of the Template screen: one per bundle image, with its lists and channels.

use crate::tui::parts::list::passes_filter;
use olm_catalog::{BundleName, ChannelName, PackageName, Semver, template::semver::List};
use olm_check::review::Snapshot;
use olm_version::VersionRelease;

/// Bundle image in at least one list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageRow {
    /// The image.
    pub image: String,
    /// Package, bundle and version, if known.
    pub bundle_info: Option<(PackageName, BundleName, Option<VersionRelease>)>,
    /// The lists with the image.
    pub lists: Vec<List>,
    /// The channels with the bundle.
    pub channels: Vec<ChannelName>,
}

impl ImageRow {
    /// Returns the bundle, if known.
    pub fn bundle(&self) -> Option<&BundleName> {
        self.bundle_info.as_ref().map(|(_, bundle, _)| bundle)
    }

    /// Returns the version, if known.
    pub fn version(&self) -> Option<&VersionRelease> {
        self.bundle_info.as_ref()?.2.as_ref()
    }

    /// Returns the bundle name if known, otherwise the last part of the image.
    pub fn display_name(&self) -> &str {
        let image = self.image.rsplit_once('/').map_or(self.image.as_str(), |(_, last)| last);
        self.bundle().map_or(image, BundleName::as_str)
    }

    /// Returns true if a list has the image.
    pub fn is_in(&self, list: List) -> bool {
        self.lists.contains(&list)
    }
}

/// Returns the rows of a template: unknown images first, then by version, highest first.
pub(super) fn filter_image_rows(snapshot: &Snapshot, semver: &Semver, filter: &str) -> Vec<ImageRow> {
    let mut rows: Vec<ImageRow> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for list in List::ALL {
        for (index, image) in semver.document.images(list).iter().enumerate() {
            let at = *places.entry(image.image.value.as_str()).or_insert_with(|| {
                let fact = semver.known_bundle(list, index);
                let known = fact.map(|fact| (fact.package.clone(), fact.name.clone(), fact.version.clone()));
                let image = image.image.value.clone();
                rows.push(ImageRow { image, bundle_info: known, lists: Vec::new(), channels: Vec::new() });
                rows.len() - 1
            });
            if let Some(row) = rows.get_mut(at).filter(|row| !row.lists.contains(&list)) {
                row.lists.push(list);
            }
        }
    }
    for row in &mut rows {
        let Some((package, bundle, _)) = &row.bundle_info else { continue };
        let Some(package_state) = snapshot.package(package.as_str()) else { continue };
        let channels = package_state.package().channels.iter();
        let having =
            channels.filter(|channel| channel.entries.iter().any(|entry| entry.name.value == *bundle));
        row.channels = having.map(|channel| channel.name.value.clone()).collect();
    }
    rows.retain(|row| passes_filter(filter, &format!("{} {}", row.display_name(), row.image)));
    rows.sort_by(|a, b| match (a.version(), b.version()) {
        (Some(a), Some(b)) => b.version.cmp_precedence(&a.version),
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    rows
}
