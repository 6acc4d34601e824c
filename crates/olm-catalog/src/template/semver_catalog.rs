//! Catalog of an `olm.semver`: the objects that opm generates from its lists, each with the span of its cause.
//!
//! A channel has the span of its list's key; an entry and a bundle have the span of the image. The default
//! channel has the span of the setting that chooses it. Unknown bundles are reported and omitted, which changes
//! the channels.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use super::{
    KnownBundle, KnownBundles, rejected_document,
    semver::{self, Document, GenerateError, Item, List, Lists, Settings, generate, package_and_version},
};
use crate::{
    blob::{Blob, BundleBlob, ChannelBlob, Entry, PackageBlob, PackageProperty, Property, RelatedImage},
    decode::DecodedDocument,
    file::DocId,
    names::{BundleName, ChannelName, PackageName},
    node::Node,
    problem::Problems,
    span::{Span, Spanned},
};
use olm_version::{Version, VersionRelease};

/// An `olm.semver` as read, for editing.
#[derive(Clone, Debug, Default)]
pub struct Semver {
    /// Parsed document.
    pub document: Document,
    /// Resolved settings, if valid.
    pub settings: Option<Settings>,
    /// Data of each image of each list, in the order of [`List::ALL`].
    known_bundles: [Vec<Option<KnownBundle>>; 3],
}

impl Semver {
    /// Returns the data of the image at an index of a list.
    pub fn known_bundle(&self, list: List, index: usize) -> Option<&KnownBundle> {
        self.known_bundles.get(list as usize)?.get(index)?.as_ref()
    }

    /// Returns the index of an image in a list.
    pub fn position(&self, list: List, image: &str) -> Option<usize> {
        self.document.images(list).iter().position(|own| own.image.value == image)
    }

    /// Returns the image of a bundle in a list. `None` if the list does not have it, or if its image is unknown.
    pub fn find_image(&self, list: List, bundle: &str) -> Option<&str> {
        let images = self.document.images(list).iter().enumerate();
        let is_it = |index: usize| self.known_bundle(list, index).is_some_and(|known| known.name == bundle);
        { images }.find(|(index, _)| is_it(*index)).map(|(_, image)| image.image.value.as_str())
    }

    /// Returns the lists that contain the release before a version: the bundle with the next lower version. Releases
    /// ignore pre-releases. Empty if no known bundle has a lower version.
    pub fn lists_of_previous(&self, version: &VersionRelease) -> Vec<List> {
        let own = &version.version;
        let lower = |list: List| {
            let versions = self.known_bundles.get(list as usize).into_iter().flatten().flatten();
            versions
                .filter_map(|known| known.version.as_ref())
                .filter(|other| other.cmp_precedence(version).is_lt())
                .filter(|other| own.is_prerelease() || !other.version.is_prerelease())
                .max_by(|a, b| a.cmp_precedence(b))
        };
        let highest = List::ALL.into_iter().filter_map(lower).max_by(|a, b| a.cmp_precedence(b));
        let Some(previous) = highest else { return Vec::new() };
        let has_it = |list: &List| lower(*list).is_some_and(|own| own.cmp_precedence(previous).is_eq());
        List::ALL.into_iter().filter(has_it).collect()
    }

    /// Returns the number of unknown images and the number of all.
    pub fn count_unknown(&self) -> (usize, usize) {
        let all: usize = self.known_bundles.iter().map(Vec::len).sum();
        (self.known_bundles.iter().flatten().filter(|fact| fact.is_none()).count(), all)
    }
}

/// Reads the template, and generates its catalog.
pub(super) fn read_semver(doc: DocId, node: &Node, known: &KnownBundles) -> (Semver, Vec<DecodedDocument>) {
    let (mut semver, mut made) = (Semver::default(), Builder { doc, decoded: Vec::new() });
    match semver::parse_semver_template(node) {
        Err(fault) => made.report_problem(fault.span, fault.kind.to_string()),
        Ok(document) => {
            semver.known_bundles = List::ALL.map(|list| {
                document
                    .images(list)
                    .iter()
                    .map(|image| known.by_image(&image.image.value).cloned())
                    .collect()
            });
            semver.document = document;
            match semver.document.settings() {
                Err(fault) => made.report_problem(fault.span, fault.kind.to_string()),
                Ok(settings) => {
                    semver.settings = Some(settings);
                    made.add_channels(&semver, settings);
                }
            }
            made.add_bundles(&semver);
        }
    }
    (semver, made.decoded)
}

/// An image with the data to generate channels.
struct UsableImage<'s> {
    list: List,
    index: usize,
    fact: &'s KnownBundle,
    /// `packageName` of its `olm.package` property.
    package: &'s str,
    version: Cow<'s, Version>,
}

/// Generated objects, and problems that prevent generating others.
struct Builder {
    doc: DocId,
    decoded: Vec<DecodedDocument>,
}

impl Builder {
    fn report_problem(&mut self, span: Span, text: String) {
        self.decoded.push(rejected_document(self.doc, span, text));
    }

    fn add_blob(&mut self, blob: Blob) {
        self.decoded.push(DecodedDocument { blob: Some(blob), problems: Problems::default() });
    }

    /// Returns the images with the data to generate channels. Reports bundles that opm cannot use.
    fn usable_images<'s>(&mut self, semver: &'s Semver) -> Vec<UsableImage<'s>> {
        let mut usable = Vec::new();
        for list in List::ALL {
            for (index, image) in semver.document.images(list).iter().enumerate() {
                let Some(fact) = semver.known_bundle(list, index) else { continue };
                let Some(blob) = &fact.blob else { continue };
                match package_and_version(blob) {
                    Ok((package, version)) => {
                        usable.push(UsableImage { list, index, fact, package, version });
                    }
                    Err(reason) => {
                        let text = format!("bundle of {}: {reason}", image.image.value);
                        self.report_problem(image.image.span, text);
                    }
                }
            }
        }
        usable
    }

    fn add_channels(&mut self, semver: &Semver, settings: Settings) {
        // Indexes of the generator's items in the lists of the template.
        let mut places: [Vec<usize>; 3] = Default::default();
        let mut lists = Lists::default();
        let usable = self.usable_images(semver);
        for UsableImage { list, index, fact, package, version } in &usable {
            let Some(image) = semver.document.images(*list).get(*index) else { continue };
            if let Some(places) = places.get_mut(*list as usize) {
                places.push(*index);
            }
            let (image, name) = (image.image.value.as_str(), fact.name.as_str());
            lists.get_mut(*list).push(Item { image, package, name, version });
        }
        let span_of = |list: List, item: usize| -> Span {
            let index = places.get(list as usize).and_then(|places| places.get(item));
            let image = index.and_then(|index| semver.document.images(list).get(*index));
            image.map(|image| image.image.span).unwrap_or_default()
        };
        let generated = match generate(&lists, settings) {
            Ok(generated) => generated,
            Err(faults) => {
                for fault in faults {
                    // Unknown images are already reported; an empty template is an error.
                    if matches!(fault, GenerateError::Empty) && semver.count_unknown().1 > 0 {
                        continue;
                    }
                    let spot = fault.positions().first().copied();
                    let span =
                        spot.map_or(semver.document.schema.span, |spot| span_of(spot.list, spot.index));
                    self.report_problem(span, fault.to_string());
                }
                return;
            }
        };
        let doc = self.doc;
        let at_schema = semver.document.schema.span;
        let package = Spanned::new(PackageName::from(generated.package), at_schema);
        let preference = semver.document.settings_as_written.preference.as_ref().map(|word| word.span);
        let default_channel = generated.default_channel().map(|channel| {
            let span = preference.or_else(|| semver.document.key_span(channel.list)).unwrap_or(at_schema);
            Spanned::new(ChannelName::from(channel.name.as_str()), span)
        });
        self.add_blob(Blob::Package(PackageBlob {
            doc,
            name: package.clone(),
            default_channel,
            description: None,
            icon: None,
        }));
        // Each name is stored once, however often it is skipped.
        let names: HashMap<&str, &BundleName> =
            usable.iter().map(|usable| (usable.fact.name.as_str(), &usable.fact.name)).collect();
        for channel in &generated.channels {
            let entries = channel.entries.iter().map(|entry| {
                let span = span_of(channel.list, entry.item);
                let named = |name: &str| {
                    let known = names.get(name).map(|known| BundleName::clone(known));
                    Spanned::new(known.unwrap_or_else(|| BundleName::from(name)), span)
                };
                Entry {
                    position: entry.item,
                    span,
                    name: named(entry.name),
                    replaces: entry.replaces.filter(|name| !name.is_empty()).map(named),
                    skips: entry.skips.iter().map(|name| named(name)).collect(),
                    skip_range: None,
                    unknown: Vec::new(),
                }
            });
            let key = semver.document.key_span(channel.list).unwrap_or(at_schema);
            let blob = ChannelBlob {
                doc,
                package: package.clone(),
                name: Spanned::new(ChannelName::from(channel.name.as_str()), key),
                entries: entries.collect(),
            };
            self.add_blob(Blob::Channel(blob));
        }
    }

    /// Adds each bundle once, at its first occurrence.
    fn add_bundles(&mut self, semver: &Semver) {
        let mut seen = HashSet::new();
        for list in List::ALL {
            for (index, image) in semver.document.images(list).iter().enumerate() {
                let Some(fact) = semver.known_bundle(list, index) else { continue };
                if seen.insert(&fact.name) {
                    let bundle = bundle_at(self.doc, fact, &image.image);
                    self.add_blob(Blob::Bundle(Box::new(bundle)));
                }
            }
        }
    }
}

/// Returns a bundle of another catalog with the span of its image in the template.
pub(super) fn bundle_at(doc: DocId, fact: &KnownBundle, image: &Spanned<String>) -> BundleBlob {
    let span = image.span;
    let Some(blob) = &fact.blob else {
        let (package, name) = (fact.package.clone(), fact.name.clone());
        let mut blob = BundleBlob::new(doc, Spanned::new(package, span), Spanned::new(name, span));
        blob.image = Some(image.clone());
        blob.version.clone_from(&fact.version);
        return blob;
    };
    let here = |text: &Spanned<String>| Spanned::new(text.value.clone(), span);
    // opm uses the package of the property if the bundle does not name one.
    let package = match blob.package_properties.first() {
        Some(property) if fact.package.as_str().is_empty() => property.package_name.value.as_str().into(),
        _ => fact.package.clone(),
    };
    let mut csv = blob.csv.clone();
    if let Some(csv) = &mut csv {
        csv.span = span;
    }
    BundleBlob {
        doc,
        package: Spanned::new(package, span),
        name: Spanned::new(fact.name.clone(), span),
        image: Some(image.clone()),
        related_images: blob
            .related_images
            .iter()
            .map(|related| RelatedImage { name: related.name.clone(), image: here(&related.image) })
            .collect(),
        properties: blob
            .properties
            .iter()
            .map(|property| Property { kind: here(&property.kind), value: span })
            .collect(),
        package_properties: blob
            .package_properties
            .iter()
            .map(|property| PackageProperty {
                position: property.position,
                span,
                package_name: here(&property.package_name),
                version: here(&property.version),
                release: property.release.as_ref().map(here),
                parsed: property.parsed.clone(),
            })
            .collect(),
        version: blob.version.clone(),
        requires: blob.requires.clone(),
        provides: blob.provides.clone(),
        max_openshift: blob.max_openshift.as_ref().map(here),
        csv,
        has_objects: false,
    }
}

/// Returns the message about a template before its catalog is shown: text, suggested action, listed items.
pub(super) fn semver_note(semver: &Semver) -> (String, &'static str, Vec<(String, Span)>) {
    let mut lists = Vec::new();
    for list in List::ALL {
        let images = semver.document.images(list);
        let Some(key) = semver.document.key_span(list) else { continue };
        let words = match images {
            [] => format!("{} lists no bundle", list.name()),
            [only] => format!("{} lists one bundle: {}", list.name(), only.image.value),
            images => format!("{} lists {} bundles", list.name(), images.len()),
        };
        lists.push((words, key));
    }
    match semver.count_unknown() {
        (0, _) => {
            let text = "the channels are generated from an olm.semver template";
            (text.to_owned(), "edit the lists on the Template screen, or with olmap edit template", lists)
        }
        (unknown, all) => {
            let text = match all {
                1 => {
                    "the only bundle image of this olm.semver template is not known: no channel can be shown"
                        .to_owned()
                }
                all if unknown == all => {
                    format!(
                        "none of the {all} bundle images of this olm.semver template is known: no channel can be shown"
                    )
                }
                all => format!(
                    "{unknown} of {all} bundle images are not known: the channels are shown without them"
                ),
            };
            (text, "also open a catalog generated from it: olmap TEMPLATE CATALOG", lists)
        }
    }
}
