//! Contents of a catalog, as tables for people and as arrays for programs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::Serialize;

use super::console_filter::{ConsoleFilter, MatchingBundles};
use super::escape;
use super::style::Ink;
use super::table::{Cell, Table};
use olm_catalog::{
    BundleName, Catalog, ChannelName,
    blob::{BundleBlob, ChannelBlob, DeprecationTarget},
    file::DocId,
    package::Package,
    span::Span,
};
use olm_check::FindingLocation;
use olm_upgrade::ChannelGraph;

/// Listed part of a catalog.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Package to list; `None` for all.
    pub package: Option<String>,
    /// Channel name to list; `None` for all.
    pub channel: Option<String>,
    /// Bundles to list, and those whose packages and channels are listed; `None` for all.
    pub matching: Option<MatchingBundles>,
}

/// Bundles that decide which rows match filters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FilteredBundles {
    /// Heads of default channels, which consoles show.
    DefaultHeads,
    /// Heads of all channels.
    Heads,
    /// All bundles.
    All,
}

impl Selection {
    fn selected_packages<'a>(&'a self, catalog: &'a Catalog) -> impl Iterator<Item = &'a Package> {
        let wanted = move |p: &&Package| self.package.as_ref().is_none_or(|name| p.name == name.as_str());
        // Blobs without a package name are not a package; `validate` reports them.
        catalog.packages().map(AsRef::as_ref).filter(|p| !p.name.as_str().is_empty()).filter(wanted)
    }

    fn selected_channels<'a>(&'a self, package: &'a Package) -> impl Iterator<Item = &'a Arc<ChannelBlob>> {
        let wanted =
            |c: &&Arc<ChannelBlob>| self.channel.as_ref().is_none_or(|name| c.name.value == name.as_str());
        package.channels.iter().filter(wanted)
    }

    /// Adds filters, which are applied to some of the bundles.
    #[must_use]
    pub fn with_filters(
        self,
        catalog: &Catalog,
        filters: &[ConsoleFilter],
        filtered: FilteredBundles,
    ) -> Self {
        let mut bundles: Vec<&BundleBlob> = Vec::new();
        for package in self.selected_packages(catalog) {
            let channels = self.selected_channels(package);
            match filtered {
                FilteredBundles::DefaultHeads => bundles.extend(default_head(package)),
                FilteredBundles::Heads => {
                    bundles.extend(channels.filter_map(|channel| head_bundle(package, channel)));
                }
                FilteredBundles::All => {
                    bundles.extend(self.selected_bundles(package).into_iter().map(|(bundle, _)| bundle));
                }
            }
        }
        bundles.sort_by_key(|bundle| bundle.doc);
        bundles.dedup_by_key(|bundle| bundle.doc);
        Self { matching: Some(MatchingBundles::from_bundles(catalog, &bundles, filters)), ..self }
    }

    /// Returns true if a bundle matches the filters, if there are any.
    fn is_matching(&self, bundle: Option<&BundleBlob>) -> bool {
        self.matching.as_ref().is_none_or(|matching| bundle.is_some_and(|bundle| matching.contains(bundle)))
    }

    /// Returns the bundles of a package, highest version first, with their selected channels.
    fn selected_bundles<'a>(&'a self, package: &'a Package) -> Vec<(&'a BundleBlob, Vec<&'a ChannelName>)> {
        let mut channels: BTreeMap<&str, Vec<&ChannelName>> = BTreeMap::new();
        for channel in self.selected_channels(package) {
            for entry in &channel.entries {
                channels.entry(entry.name.value.as_str()).or_default().push(&channel.name.value);
            }
        }
        let mut bundles: Vec<_> = package
            .bundles
            .iter()
            .map(|b| (b.as_ref(), channels.get(b.name.value.as_str()).cloned().unwrap_or_default()))
            .filter(|(_, channels)| self.channel.is_none() || !channels.is_empty())
            .filter(|(bundle, _)| self.is_matching(Some(bundle)))
            .collect();
        bundles.sort_by(|(a, _), (b, _)| match (&a.version, &b.version) {
            (Some(x), Some(y)) => y.cmp_precedence(x),
            (x, y) => y.is_some().cmp(&x.is_some()),
        });
        bundles
    }
}

/// Package as `olmap list packages -o json` prints it.
#[derive(Debug, Serialize)]
pub struct PackageRow {
    package: String,
    #[serde(rename = "defaultChannel", skip_serializing_if = "Option::is_none")]
    default_channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    channels: usize,
    bundles: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<String>,
}

/// Channel as `olmap list channels -o json` prints it.
#[derive(Debug, Serialize)]
pub struct ChannelRow {
    package: String,
    channel: String,
    default: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    entries: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<String>,
}

/// Bundle as `olmap list bundles -o json` prints it.
#[derive(Debug, Serialize)]
pub struct BundleRow {
    package: String,
    bundle: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<String>,
    channels: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<String>,
}

/// Image as `olmap list images -o json` prints it.
#[derive(Debug, Serialize)]
pub struct ImageRow {
    image: String,
    /// Bundles with this bundle image.
    bundles: Vec<String>,
    /// Bundles with this related image.
    related: Vec<String>,
}

/// Row of a table of named objects.
pub trait NamedRow {
    /// Returns the name of the object.
    fn object_name(&self) -> &str;
}

impl NamedRow for PackageRow {
    fn object_name(&self) -> &str {
        &self.package
    }
}

impl NamedRow for ChannelRow {
    fn object_name(&self) -> &str {
        &self.channel
    }
}

impl NamedRow for BundleRow {
    fn object_name(&self) -> &str {
        &self.bundle
    }
}

impl NamedRow for ImageRow {
    fn object_name(&self) -> &str {
        &self.image
    }
}

/// Lists the packages.
pub fn list_packages(catalog: &Catalog, selection: &Selection) -> Vec<PackageRow> {
    let row = |package: &Package| {
        let default = package.default_channel().and_then(|name| package.channel(name.as_str()));
        let (head, version) = default.map_or((None, None), |channel| head_and_version(package, channel));
        PackageRow {
            package: package.name.to_string(),
            default_channel: package.default_channel().map(ToString::to_string),
            head,
            version,
            channels: package.channels.len(),
            bundles: package.bundles.len(),
            deprecated: package.deprecation(&DeprecationTarget::Package).map(|d| d.message.value.clone()),
        }
    };
    let packages = selection.selected_packages(catalog);
    packages.filter(|package| selection.is_matching(default_head(package))).map(row).collect()
}

/// Lists the channels.
pub fn list_channels(catalog: &Catalog, selection: &Selection) -> Vec<ChannelRow> {
    let mut rows = Vec::new();
    for package in selection.selected_packages(catalog) {
        let channels = selection.selected_channels(package);
        for channel in channels.filter(|channel| selection.is_matching(head_bundle(package, channel))) {
            let (head, version) = head_and_version(package, channel);
            rows.push(ChannelRow {
                package: package.name.to_string(),
                channel: channel.name.value.to_string(),
                default: package.default_channel() == Some(&channel.name.value),
                head,
                version,
                entries: channel.entries.len(),
                deprecated: package.channel_deprecation(&channel.name.value).map(|d| d.message.value.clone()),
            });
        }
    }
    rows
}

/// Lists the bundles, highest version first.
pub fn list_bundles(catalog: &Catalog, selection: &Selection) -> Vec<BundleRow> {
    let mut rows = Vec::new();
    for package in selection.selected_packages(catalog) {
        for (bundle, channels) in selection.selected_bundles(package) {
            rows.push(BundleRow {
                package: package.name.to_string(),
                bundle: bundle.name.value.to_string(),
                version: bundle.version.as_ref().map(|v| v.version.to_string()),
                release: bundle.version.as_ref().and_then(|v| v.release.as_ref()).map(ToString::to_string),
                channels: channels.into_iter().map(ToString::to_string).collect(),
                image: bundle.image.as_ref().map(|i| i.value.clone()),
                deprecated: package.bundle_deprecation(&bundle.name.value).map(|d| d.message.value.clone()),
            });
        }
    }
    rows
}

/// Lists the images that a mirror needs, each once, in alphabetical order.
pub fn list_images(catalog: &Catalog, selection: &Selection) -> Vec<ImageRow> {
    type Users<'a> = (BTreeSet<&'a str>, BTreeSet<&'a str>);
    let mut images: BTreeMap<&str, Users<'_>> = BTreeMap::new();
    for package in selection.selected_packages(catalog) {
        for (bundle, _) in selection.selected_bundles(package) {
            let name = bundle.name.value.as_str();
            if let Some(image) = &bundle.image {
                images.entry(&image.value).or_default().0.insert(name);
            }
            for related in bundle.related_images.iter().filter(|r| !r.image.value.is_empty()) {
                images.entry(&related.image.value).or_default().1.insert(name);
            }
        }
    }
    let strings = |names: BTreeSet<&str>| names.into_iter().map(str::to_owned).collect();
    let row = |(image, (bundles, related)): (&str, Users<'_>)| ImageRow {
        image: image.to_owned(),
        bundles: strings(bundles),
        related: strings(related),
    };
    images.into_iter().map(row).collect()
}

/// Returns the bundle of the only head of a channel.
fn head_bundle<'a>(package: &'a Package, channel: &Arc<ChannelBlob>) -> Option<&'a BundleBlob> {
    let graph = ChannelGraph::new(package, channel);
    package.bundle(graph.head()?.name.as_str()).map(AsRef::as_ref)
}

/// Returns the head of the default channel.
fn default_head(package: &Package) -> Option<&BundleBlob> {
    head_bundle(package, package.channel(package.default_channel()?.as_str())?)
}

/// Returns the head of a channel and its version; `None` unless it has exactly one head.
fn head_and_version(package: &Package, channel: &Arc<ChannelBlob>) -> (Option<String>, Option<String>) {
    let graph = ChannelGraph::new(package, channel);
    match graph.head() {
        Some(head) => (Some(head.name.to_string()), head.version.as_ref().map(ToString::to_string)),
        None => (None, None),
    }
}

/// Renders packages as a table.
pub fn package_table(rows: &[PackageRow]) -> Table {
    let mut table = Table::new(&["PACKAGE", "DEFAULT", "HEAD", "#CHANNELS", "#BUNDLES", "NOTE"]);
    for row in rows {
        table.push_row([
            Cell::new(&row.package),
            optional_cell(row.default_channel.as_ref()),
            optional_cell(row.version.as_ref().or(row.head.as_ref())),
            row.channels.into(),
            row.bundles.into(),
            deprecation_cell(row.deprecated.as_ref()),
        ]);
    }
    table
}

/// Renders channels as a table; a star marks the default channel.
pub fn channel_table(rows: &[ChannelRow]) -> Table {
    let mut table = Table::new(&["PACKAGE", "CHANNEL", "", "HEAD", "#ENTRIES", "NOTE"]);
    for row in rows {
        table.push_row([
            Cell::new(&row.package),
            Cell::new(&row.channel),
            Cell::new(if row.default { "*" } else { "" }),
            optional_cell(row.version.as_ref().or(row.head.as_ref())),
            row.entries.into(),
            deprecation_cell(row.deprecated.as_ref()),
        ]);
    }
    table
}

/// Renders bundles as a table.
pub fn bundle_table(rows: &[BundleRow]) -> Table {
    let mut table = Table::new(&["BUNDLE", "VERSION", "RELEASE", "CHANNELS", "NOTE"]);
    for row in rows {
        table.push_row([
            Cell::new(&row.bundle),
            optional_cell(row.version.as_ref()),
            Cell::new(row.release.as_deref().unwrap_or_default()),
            Cell::new(&row.channels.join(",")),
            deprecation_cell(row.deprecated.as_ref()),
        ]);
    }
    table
}

/// Renders images as a table. The image is the last column because it is long.
pub fn image_table(rows: &[ImageRow]) -> Table {
    let mut table = Table::new(&["#BUNDLE", "#RELATED", "IMAGE"]);
    for row in rows {
        table.push_row([row.bundles.len().into(), row.related.len().into(), Cell::new(&row.image)]);
    }
    table
}

fn optional_cell(text: Option<&String>) -> Cell {
    Cell::new(text.map_or("-", String::as_str))
}

fn deprecation_cell(message: Option<&String>) -> Cell {
    match message {
        Some(message) => {
            let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
            Cell::with_ink(Ink::Warning, &format!("deprecated: {line}"))
        }
        None => Cell::new(""),
    }
}

/// Catalog as `olmap list catalogs` prints it.
#[derive(Debug, Serialize)]
pub struct CatalogRow {
    /// Path of the catalog.
    pub path: String,
    /// Change since a revision: `changed`, `added` or `removed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fate: Option<&'static str>,
    /// Packages that differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packages: Option<Vec<String>>,
}

/// Lists the paths of catalogs, one per line, without removed ones.
pub fn render_catalog_paths(rows: &[CatalogRow]) -> String {
    let there = rows.iter().filter(|row| row.fate != Some("removed"));
    there.map(|row| format!("{}\n", escape::escape_line(&row.path))).collect::<Vec<_>>().concat()
}

/// Occurrence of a name as `olmap locate -o json` prints it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct OccurrenceRow {
    path: String,
    line: usize,
    column: usize,
    package: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
}

/// Lists where the files of a catalog define and use the name of a package, channel or bundle, in the
/// order of files and lines.
pub fn list_occurrences(catalog: &Catalog, selection: &Selection, name: &str) -> Vec<OccurrenceRow> {
    let mut rows = Vec::new();
    for package in selection.selected_packages(catalog) {
        let mut add = |kind: &'static str,
                       doc: DocId,
                       is_it: bool,
                       span: Span,
                       channel: Option<&ChannelName>,
                       entry: Option<&BundleName>| {
            let at = FindingLocation::Document(doc, span);
            let Some(at) = is_it.then(|| at.resolve(catalog)).flatten() else { return };
            rows.push(OccurrenceRow {
                path: at.path.display().to_string(),
                line: at.line,
                column: at.column,
                package: package.name.to_string(),
                kind,
                channel: channel.map(ToString::to_string),
                entry: entry.map(ToString::to_string),
            });
        };
        for blob in &package.definitions {
            add("package", blob.doc, blob.name.value.as_str() == name, blob.name.span, None, None);
            if let Some(default) = &blob.default_channel {
                let is_it = default.value.as_str() == name;
                add("default channel", blob.doc, is_it, default.span, None, None);
            }
        }
        for blob in &package.channels {
            let channel = &blob.name;
            add("channel", blob.doc, channel.value.as_str() == name, channel.span, None, None);
            for entry in &blob.entries {
                let edges = entry.replaces.iter().map(|edge| ("replaces", edge));
                let edges = edges.chain(entry.skips.iter().map(|edge| ("skips", edge)));
                for (kind, bundle) in std::iter::once(("entry", &entry.name)).chain(edges) {
                    let of = (kind != "entry").then_some(&entry.name.value);
                    let is_it = bundle.value.as_str() == name;
                    add(kind, blob.doc, is_it, bundle.span, Some(&channel.value), of);
                }
            }
        }
        for blob in &package.bundles {
            add("bundle", blob.doc, blob.name.value.as_str() == name, blob.name.span, None, None);
        }
        for blob in &package.deprecations {
            for target in blob.entries.iter().filter_map(|entry| entry.name.as_ref()) {
                add("deprecation", blob.doc, target.value == name, target.span, None, None);
            }
        }
    }
    rows.sort();
    rows
}

/// Renders occurrences, one per line, with the location first, as editors and terminals expect it.
pub fn render_occurrences(rows: &[OccurrenceRow]) -> String {
    let line = |OccurrenceRow { path, line, column, package, kind, channel, entry }: &OccurrenceRow| {
        let of = entry.as_ref().map(|entry| format!(" of {entry}")).unwrap_or_default();
        let home = channel.as_ref().map(|channel| format!(", channel {channel}")).unwrap_or_default();
        let text = format!("{path}:{line}:{column}: {kind}{of} (package {package}{home})");
        format!("{}\n", escape::escape_line(&text))
    };
    rows.iter().map(line).collect::<Vec<_>>().concat()
}
