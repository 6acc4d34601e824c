//! Index of all items that the finder can find. Built once, not at every key.

use std::{borrow::Cow, sync::Arc};

use super::FinderMatch;
use crate::tui::{
    keys::Screen,
    parts::text::format_count,
    session::{
        Session,
        jobs::console_fields::FieldValue,
        navigation::{Selection, VisitedPlace},
    },
};
use olm_catalog::{BundleName, ChannelName, PackageName, blob::BundleBlob};
use olm_check::{
    Finding,
    review::{PackageState, Snapshot},
};

/// Searchable items of the open catalogs.
#[derive(Debug, Default)]
pub(in crate::tui) struct SearchIndex {
    /// Packages, each with the index of its catalog.
    packages: Vec<(usize, Arc<PackageState>)>,
    /// Snapshots of the catalogs, for findings without a package, with catalog indexes.
    snapshots: Vec<(usize, Arc<Snapshot>)>,
    /// Labels of the catalogs by index; empty for a single catalog.
    catalog_labels: Vec<String>,
    items: Vec<Item>,
    /// Fields that consoles show, by the index of the package. Empty if they are not read yet.
    fields: Vec<Option<Arc<[FieldValue]>>>,
}

/// Searchable item. Items of packages refer to the index of the package.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// Item of a package.
    InPackage(usize, PackageItem),
    /// Finding without a package, by the indexes of snapshot and finding.
    CatalogFinding(usize, usize),
    /// Open catalog, by its index.
    Catalog(usize),
}

/// Item of a package, by its index in the package.
#[derive(Clone, Copy, Debug)]
enum PackageItem {
    Package,
    Channel(usize),
    Bundle(usize),
    /// Version of a bundle that is not part of its name.
    Version(usize),
    /// Image of a bundle.
    Image(usize),
    /// API, by the indexes of the bundle and of the API in its list.
    Api(usize, usize),
    /// Field that consoles show, by its index in the fields of the package.
    Field(usize),
    Finding(usize),
}

/// Kinds of items, as the finder lists them.
const KINDS: [&str; 8] = ["catalog", "package", "channel", "bundle", "version", "image", "api", "finding"];

/// Word of the search text.
#[derive(Clone, Debug)]
pub(in crate::tui) struct Word<'t> {
    /// The word as typed.
    pub typed: &'t str,
    lowercase: String,
}

impl<'t> Word<'t> {
    pub fn from_typed(typed: &'t str) -> Self {
        Self { typed, lowercase: typed.to_lowercase() }
    }

    /// Returns true if a text contains the word, in any case.
    fn is_in_any_case(&self, text: &str) -> bool {
        if !self.lowercase.is_ascii() || !text.is_ascii() {
            return text.to_lowercase().contains(&self.lowercase);
        }
        let mut parts = text.as_bytes().windows(self.lowercase.len());
        parts.any(|part| part.eq_ignore_ascii_case(self.lowercase.as_bytes()))
    }
}

impl SearchIndex {
    /// Builds the index of all open catalogs.
    pub fn new(session: &Session) -> Self {
        let mut all = Self::default();
        let known = session.jobs.console_fields.index();
        if session.catalogs.all().len() > 1 {
            all.catalog_labels = session.catalogs.labels();
            all.items.extend((0..all.catalog_labels.len()).map(Item::Catalog));
        }
        for (catalog, open) in session.catalogs.all().iter().enumerate() {
            for (_, package_state) in open.visible_state().packages() {
                all.packages.push((catalog, Arc::clone(package_state)));
                let package = all.packages.len() - 1;
                all.items.extend(package_items(package_state).map(|what| Item::InPackage(package, what)));
                let fields = known.and_then(|index| index.find_values(package_state.package())).cloned();
                let count = fields.as_ref().map_or(0, |fields| fields.len());
                all.items.extend((0..count).map(|nth| Item::InPackage(package, PackageItem::Field(nth))));
                all.fields.push(fields);
            }
            let snapshot = open.visible_state();
            all.snapshots.push((catalog, Arc::clone(snapshot)));
            let outside = all.snapshots.len() - 1;
            all.items
                .extend((0..snapshot.outside_findings().len()).map(|nth| Item::CatalogFinding(outside, nth)));
        }
        all
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the searchable text of an item.
    pub fn search_text(&self, at: usize) -> Cow<'_, str> {
        let Some(item) = self.items.get(at) else { return Cow::default() };
        if let Item::Catalog(n) = *item {
            return self.catalog_labels.get(n).map(|name| Cow::Borrowed(name.as_str())).unwrap_or_default();
        }
        let Some((_, package_state, what)) = self.package_item(item) else {
            return self
                .catalog_finding(item)
                .map(|(_, finding)| finding_search_text(finding))
                .unwrap_or_default()
                .into();
        };
        let package = package_state.package();
        let text = match what {
            PackageItem::Package => Some(Cow::Borrowed(package.name.as_str())),
            PackageItem::Channel(n) => {
                package.channels.get(n).map(|c| format!("{} {}", package.name, c.name.value).into())
            }
            PackageItem::Bundle(n) => package.bundles.get(n).map(|b| Cow::Borrowed(b.name.value.as_str())),
            PackageItem::Version(n) => package
                .bundles
                .get(n)
                .and_then(|b| Some(format!("{} {}", package.name, b.version.as_ref()?).into())),
            PackageItem::Finding(nth) => {
                package_state.findings.get(nth).map(|finding| finding_search_text(finding).into())
            }
            PackageItem::Image(n) => {
                package.bundles.get(n).and_then(|b| Some(Cow::Borrowed(b.image.as_ref()?.value.as_str())))
            }
            PackageItem::Api(n, nth) => package
                .bundles
                .get(n)
                .and_then(|b| b.provides.get(nth))
                .map(|api| format!("{} {}/{}", api.kind, api.group, api.version).into()),
            PackageItem::Field(_) => self.field_value(item).map(|field| Cow::Borrowed(field.text.as_str())),
        };
        text.unwrap_or_default()
    }

    /// Returns the index of an item's catalog.
    pub fn catalog_index(&self, at: usize) -> usize {
        match self.items.get(at) {
            Some(Item::Catalog(catalog)) => *catalog,
            Some(item) => match self.package_item(item) {
                Some((catalog, ..)) => catalog,
                None => self.catalog_finding(item).map_or(0, |(catalog, _)| catalog),
            },
            None => 0,
        }
    }

    /// Removes those of several words that match the label of an item's catalog, or that are the item's kind.
    pub fn drop_context_words<'w, 't>(&self, at: usize, words: &'w [Word<'t>]) -> Cow<'w, [Word<'t>]> {
        let label = self.catalog_labels.get(self.catalog_index(at));
        let kind = self.item_kind(at);
        let is_context = |word: &Word<'_>| {
            label.is_some_and(|label| label.contains(word.typed)) || Some(word.lowercase.as_str()) == kind
        };
        if words.len() > 1 && words.iter().any(is_context) {
            words.iter().filter(|word| !is_context(word)).cloned().collect()
        } else {
            Cow::Borrowed(words)
        }
    }

    /// Returns the words that are a kind of items or the whole label of a catalog.
    pub fn context_words<'t>(&self, words: &[Word<'t>]) -> Vec<&'t str> {
        let is_kind = |word: &Word<'_>| KINDS.contains(&word.lowercase.as_str());
        let context = words.iter().filter(|word| is_kind(word) || self.is_label(word));
        context.map(|word| word.typed).collect()
    }

    fn is_label(&self, word: &Word<'_>) -> bool {
        self.catalog_labels.iter().any(|label| label == word.typed)
    }

    /// Returns true if one of several words is the whole label of another catalog, and not a part of the item's text.
    pub fn is_in_other_catalog(&self, at: usize, words: &[Word<'_>]) -> bool {
        let own = self.catalog_labels.get(self.catalog_index(at)).map(String::as_str);
        let is_other = |word: &&Word<'_>| self.is_label(word) && own != Some(word.typed);
        let other = words.iter().filter(|_| words.len() > 1).find(is_other);
        other.is_some_and(|word| !word.is_in_any_case(&self.search_text(at)))
    }

    /// Returns the kind of an item; one of [`KINDS`].
    fn item_kind(&self, at: usize) -> Option<&'static str> {
        let item = self.items.get(at)?;
        Some(match item {
            Item::Catalog(_) => "catalog",
            Item::CatalogFinding(..) | Item::InPackage(_, PackageItem::Finding(_)) => "finding",
            Item::InPackage(_, PackageItem::Package) => "package",
            Item::InPackage(_, PackageItem::Channel(_)) => "channel",
            Item::InPackage(_, PackageItem::Bundle(_)) => "bundle",
            Item::InPackage(_, PackageItem::Version(_)) => "version",
            Item::InPackage(_, PackageItem::Image(_)) => "image",
            Item::InPackage(_, PackageItem::Api(..)) => "api",
            Item::InPackage(_, PackageItem::Field(_)) => {
                if self.field_value(item)?.is_shown {
                    "package"
                } else {
                    "bundle"
                }
            }
        })
    }

    /// Returns false if an item cannot match, whatever its score. The letters of a short word are almost always
    /// somewhere in a digest or in the fields of an operator, so images and fields must contain the whole words, in
    /// any case. Without words, fields are not listed.
    pub fn may_match(&self, at: usize, words: &[Word<'_>]) -> bool {
        match self.items.get(at) {
            Some(Item::InPackage(_, PackageItem::Image(_))) => {
                words.is_empty() || {
                    let text = self.search_text(at);
                    words.iter().all(|word| word.is_in_any_case(&text))
                }
            }
            Some(item @ Item::InPackage(_, PackageItem::Field(_))) => {
                let field = self.field_value(item).filter(|_| !words.is_empty());
                field.is_some_and(|field| words.iter().all(|word| field.lowercase.contains(&word.lowercase)))
            }
            _ => true,
        }
    }

    /// Returns the field of an item.
    fn field_value(&self, item: &Item) -> Option<&FieldValue> {
        let Item::InPackage(package, PackageItem::Field(nth)) = *item else { return None };
        self.fields.get(package)?.as_ref()?.get(nth)
    }

    /// Returns the score penalty of an item's kind. Images rank low: they repeat names and versions
    /// of their bundles, and digests match many short texts.
    pub fn penalty(&self, at: usize) -> i64 {
        match self.items.get(at) {
            None | Some(Item::InPackage(_, PackageItem::Package) | Item::Catalog(_)) => 0,
            Some(Item::InPackage(_, PackageItem::Channel(_))) => 10,
            Some(Item::InPackage(_, PackageItem::Bundle(_) | PackageItem::Version(_))) => 30,
            Some(
                Item::InPackage(_, PackageItem::Api(..) | PackageItem::Finding(_)) | Item::CatalogFinding(..),
            ) => 35,
            Some(Item::InPackage(_, PackageItem::Field(_))) => 40,
            Some(Item::InPackage(_, PackageItem::Image(_))) => 60,
        }
    }

    /// Returns the tie breaker between equal scores: the length of the text. Items of bundles use
    /// the length of the package name, so that they keep their order.
    pub fn tie_breaker(&self, at: usize) -> usize {
        match self.items.get(at) {
            Some(&Item::InPackage(
                package,
                PackageItem::Bundle(_)
                | PackageItem::Version(_)
                | PackageItem::Image(_)
                | PackageItem::Field(_),
            )) => self
                .packages
                .get(package)
                .map_or(0, |(_, package_state)| package_state.package().name.as_str().len()),
            _ => self.search_text(at).len(),
        }
    }

    /// Returns the row of an item.
    pub fn build_match(&self, at: usize, matched: Vec<usize>) -> Option<FinderMatch> {
        let item = self.items.get(at)?;
        if let Item::Catalog(catalog) = *item {
            return self.build_catalog_match(catalog, matched);
        }
        let Some((catalog, package_state, what)) = self.package_item(item) else {
            let (catalog, finding) = self.catalog_finding(item)?;
            let Item::CatalogFinding(_, nth) = *item else { return None };
            let place = VisitedPlace { catalog, screen: Screen::Problems, selection: Selection::default() };
            let note = finding.message.clone();
            return Some(FinderMatch {
                kind: "finding",
                text: finding_search_text(finding),
                note,
                matched_chars: matched,
                location: place,
                finding: Some(nth),
            });
        };
        let mut finding = None;
        let mut screen = Screen::Packages;
        let package = package_state.package();
        let bundle = |n: usize| package.bundles.get(n).map(|bundle| bundle.name.value.clone());
        let mut selection = Selection { package: Some(package.name.clone()), ..Selection::default() };
        let note = match what {
            PackageItem::Package => format!("{} bundles", package.bundles.len()),
            PackageItem::Channel(n) => {
                selection.channel = package.channels.get(n).map(|channel| channel.name.value.clone());
                String::new()
            }
            PackageItem::Bundle(n) => {
                selection.bundle = bundle(n);
                package.name.to_string()
            }
            PackageItem::Version(n) => {
                selection.bundle = bundle(n);
                bundle(n)?.to_string()
            }
            PackageItem::Image(n) => {
                selection.bundle = bundle(n);
                bundle(n)?.to_string()
            }
            PackageItem::Field(_) => {
                let field = self.field_value(item)?;
                if field.is_shown {
                    package.name.to_string()
                } else {
                    selection.bundle = Some(field.bundle.clone());
                    field.bundle.to_string()
                }
            }
            PackageItem::Finding(nth) => {
                let it = package_state.findings.get(nth)?;
                selection.channel.clone_from(&it.channel);
                selection.bundle.clone_from(&it.bundle);
                finding = Some(nth);
                screen = Screen::Problems;
                it.message.clone()
            }
            PackageItem::Api(n, _) => {
                selection.bundle = bundle(n);
                package.name.to_string()
            }
        };
        let place = VisitedPlace { catalog, screen, selection };
        Some(FinderMatch {
            kind: self.item_kind(at)?,
            text: self.search_text(at).into_owned(),
            note,
            matched_chars: matched,
            location: place,
            finding,
        })
    }

    /// Returns the row of an open catalog.
    fn build_catalog_match(&self, catalog: usize, matched: Vec<usize>) -> Option<FinderMatch> {
        let (_, snapshot) = self.snapshots.get(catalog)?;
        Some(FinderMatch {
            kind: "catalog",
            text: self.catalog_labels.get(catalog)?.clone(),
            note: format_count(snapshot.packages().count(), "package"),
            matched_chars: matched,
            location: VisitedPlace { catalog, screen: Screen::Packages, selection: Selection::default() },
            finding: None,
        })
    }

    /// Returns the catalog index, the package and the kind of a package item.
    fn package_item(&self, item: &Item) -> Option<(usize, &PackageState, PackageItem)> {
        let Item::InPackage(package, what) = *item else { return None };
        let (catalog, package_state) = self.packages.get(package)?;
        Some((*catalog, package_state, what))
    }

    /// Returns a finding without a package, with its catalog index.
    fn catalog_finding(&self, item: &Item) -> Option<(usize, &Finding)> {
        let Item::CatalogFinding(at, nth) = *item else { return None };
        let (catalog, snapshot) = self.snapshots.get(at)?;
        Some((*catalog, snapshot.outside_findings().get(nth)?))
    }
}

/// Returns the searchable text of a finding: its rule and the names it refers to.
fn finding_search_text(finding: &Finding) -> String {
    let mut text = finding.rule_ids();
    let about = [
        finding.package.as_ref().map(PackageName::as_str),
        finding.channel.as_ref().map(ChannelName::as_str),
        finding.bundle.as_ref().map(BundleName::as_str),
    ];
    for name in about.into_iter().flatten() {
        text.push(' ');
        text.push_str(name);
    }
    text
}

/// Returns true if the name of the bundle contains its version.
fn contains_version(bundle: &BundleBlob) -> bool {
    bundle.version.as_ref().is_none_or(|version| bundle.name.value.as_str().contains(&version.to_string()))
}

/// Returns the items of a package. For APIs, only the newest providing bundle is included.
fn package_items(package_state: &PackageState) -> impl Iterator<Item = PackageItem> {
    let package = package_state.package();
    // Newest first: users rarely search for the oldest bundle.
    let mut newest: Vec<(usize, &BundleBlob)> =
        package.bundles.iter().map(|bundle| &**bundle).enumerate().collect();
    newest.sort_by(|(_, a), (_, b)| match (&a.version, &b.version) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    let provided = newest.iter().flat_map(|&(n, bundle)| {
        bundle.provides.iter().enumerate().map(move |(nth, api)| (api, PackageItem::Api(n, nth)))
    });
    let mut provided: Vec<_> = provided.collect();
    provided.sort_by_key(|(api, _)| *api);
    provided.dedup_by(|(a, _), (b, _)| a == b);
    let bundles = newest.into_iter().flat_map(|(n, bundle)| {
        let version = (!contains_version(bundle)).then_some(PackageItem::Version(n));
        let image = bundle.image.as_ref().map(|_| PackageItem::Image(n));
        [Some(PackageItem::Bundle(n)), version, image].into_iter().flatten()
    });
    let channels = (0..package.channels.len()).map(PackageItem::Channel);
    let apis = provided.into_iter().map(|(_, what)| what);
    let findings = (0..package_state.findings.len()).map(PackageItem::Finding);
    std::iter::once(PackageItem::Package).chain(channels).chain(bundles).chain(apis).chain(findings)
}
