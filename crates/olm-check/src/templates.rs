//! Rules about templates that opm renders without an error but whose author probably intended something else.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    finding::Finding,
    findings::Findings,
    rule::{Check, Rule},
    rules,
};
use olm_catalog::{
    Catalog, DocId, Semver, Span, Spanned, Template,
    image_ref::{self, ImageRef},
    template::semver::{ChannelKind, List},
};
use olm_version::Version;

/// Template to check.
pub(super) struct TemplateSubject<'c> {
    catalog: &'c Catalog,
    template: &'c Template,
}

/// Adds the findings of all rules about templates.
pub(super) fn check_templates(catalog: &Catalog, found: &mut Findings) {
    let Some(template) = catalog.template() else { return };
    let subject = TemplateSubject { catalog, template };
    for rule in rules::ALL {
        if let Check::Template(check) = rule.check {
            check(&subject, found);
        }
    }
}

impl TemplateSubject<'_> {
    fn doc(&self) -> DocId {
        self.template.doc
    }

    fn semver(&self) -> Option<&Semver> {
        self.template.semver()
    }

    /// Returns the images of the template, each once.
    fn unique_images(&self) -> Vec<&Spanned<String>> {
        let mut seen = BTreeSet::new();
        let of_semver = self.semver().into_iter().flat_map(|semver| {
            List::ALL.into_iter().flat_map(|list| semver.document.images(list)).map(|image| &image.image)
        });
        let bundles = self.catalog.packages().flat_map(|package| &package.bundles);
        let of_basic = bundles.filter(|_| self.semver().is_none()).filter_map(|bundle| bundle.image.as_ref());
        let images = of_semver.chain(of_basic).filter(|image| !image.value.is_empty());
        images.filter(|image| seen.insert(image.value.as_str())).collect()
    }

    /// Creates one finding for several positions: the first is its location, the others are related.
    fn template_finding(&self, rule: &'static Rule, words: String, places: &[(String, Span)]) -> Finding {
        /// Maximum number of related positions.
        const MOST: usize = 3;
        let mut finding = Finding::new(rule, words);
        if let Some((_, span)) = places.first() {
            finding = finding.at_span(self.doc(), *span);
        }
        for (words, span) in places.iter().skip(1).take(MOST) {
            finding = finding.with_related(words.clone(), self.doc(), *span);
        }
        finding
    }
}

fn count_items(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// Reports lists that do not generate a channel.
pub(super) fn empty_list(s: &TemplateSubject<'_>, found: &mut Findings) {
    let Some(semver) = s.semver() else { return };
    if semver.count_unknown().1 == 0 {
        return; // opm refuses the template, and another rule reports that.
    }
    for list in List::ALL {
        if let Some(key) = semver.document.key_span(list).filter(|_| semver.document.images(list).is_empty())
        {
            let words = format!("list {} is empty: no channel is generated from it", list.name());
            found.push(Finding::new(&rules::EMPTY_LIST, words).at_span(s.doc(), key));
        }
    }
}

/// Reports a preference that versions overrule. It matters only for channels that begin with the same bundle.
pub(super) fn overruled_preference(s: &TemplateSubject<'_>, found: &mut Findings) {
    let Some((semver, preference)) = s
        .semver()
        .and_then(|semver| Some((semver, semver.document.settings_as_written.preference.as_ref()?)))
    else {
        return;
    };
    let Some(settings) = semver.settings.filter(|settings| settings.major && settings.minor) else { return };
    for package in s.catalog.packages() {
        let Some(default) = package.default_channel() else { continue };
        let kind = if default.as_str().contains('.') { ChannelKind::Minor } else { ChannelKind::Major };
        if kind != settings.preference && !preference.value.is_empty() {
            let words = format!(
                "the preference is {}, but the default channel is {default}: the channel whose first version is highest wins",
                settings.preference.name()
            );
            let finding = Finding::new(&rules::OVERRULED_PREFERENCE, words);
            found.push(finding.at_span(s.doc(), preference.span));
        }
    }
}

/// Reports released bundles that are not candidates.
pub(super) fn not_in_candidate(s: &TemplateSubject<'_>, found: &mut Findings) {
    let Some(semver) = s.semver() else { return };
    let is_release = |index: usize| {
        let version = semver.known_bundle(List::Candidate, index).and_then(|fact| fact.version.as_ref());
        version.is_none_or(|version| version.version.pre().is_empty())
    };
    if !(0..semver.document.images(List::Candidate).len()).any(is_release) {
        return; // Some operators do not have candidates, or only pre-releases.
    }
    let candidates: BTreeSet<&str> =
        semver.document.images(List::Candidate).iter().map(|image| image.image.value.as_str()).collect();
    for list in [List::Fast, List::Stable] {
        let images = semver.document.images(list).iter().enumerate();
        let missing = images.filter(|(_, image)| !candidates.contains(image.image.value.as_str()));
        let places: Vec<_> =
            missing.map(|(index, image)| (describe_list(semver, list, index), image.image.span)).collect();
        if let Some((first, _)) = places.first() {
            let words = match places.len() {
                1 => format!("{first} is in {} and not in candidate", list.name()),
                all => format!(
                    "{} of {} are not in candidate, the first: {first}",
                    count_items(all, "bundle"),
                    list.name()
                ),
            };
            found.push(s.template_finding(&rules::NOT_IN_CANDIDATE, words, &places));
        }
    }
}

fn describe_list(semver: &Semver, list: List, index: usize) -> String {
    match semver.known_bundle(list, index) {
        Some(fact) => fact.name.to_string(),
        None => {
            semver.document.images(list).get(index).map(|image| image.image.value.clone()).unwrap_or_default()
        }
    }
}

/// Reports images by tag, which may change.
pub(super) fn image_by_tag(s: &TemplateSubject<'_>, found: &mut Findings) {
    let is_tag = |image: &&&Spanned<String>| {
        image_ref::parse_image_ref(&image.value).is_ok_and(|image| !image.is_pinned())
    };
    let images = s.unique_images();
    let places: Vec<_> =
        images.iter().filter(is_tag).map(|image| (image.value.clone(), image.span)).collect();
    if let Some((first, _)) = places.first() {
        let words = match places.len() {
            1 => format!("image {first} is given by tag"),
            all => format!("{} are given by tag, the first: {first}", count_items(all, "image")),
        };
        found.push(s.template_finding(&rules::TEMPLATE_IMAGE_BY_TAG, words, &places));
    }
}

/// Reports versions after a higher version in the same list.
pub(super) fn version_goes_down(s: &TemplateSubject<'_>, found: &mut Findings) {
    let Some(semver) = s.semver() else { return };
    for list in List::ALL {
        let mut highest: Option<(&Version, String)> = None;
        let mut places = Vec::new();
        for (index, image) in semver.document.images(list).iter().enumerate() {
            let Some(version) = semver.known_bundle(list, index).and_then(|fact| fact.version.as_ref())
            else {
                continue;
            };
            match &highest {
                Some((above, name)) if version.version.cmp_precedence(above).is_lt() => {
                    let words = format!("{} stands after {name}", describe_list(semver, list, index));
                    places.push((words, image.image.span));
                }
                _ => highest = Some((&version.version, describe_list(semver, list, index))),
            }
        }
        if let Some((first, _)) = places.first() {
            let more =
                if places.len() > 1 { format!(", and {} more", places.len() - 1) } else { String::new() };
            let words = format!("list {}: {first}{more}", list.name());
            found.push(s.template_finding(&rules::VERSION_GOES_DOWN, words, &places));
        }
    }
}

/// Reports images that other catalogs list with the same tag but another digest.
pub(super) fn image_known_otherwise(s: &TemplateSubject<'_>, found: &mut Findings) {
    let mut known: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
    for image in s.catalog.known_images() {
        if let Some(tagged) = tagged_digest(image) {
            known.entry(tagged).or_default().insert(image);
        }
    }
    for image in s.unique_images() {
        if s.catalog.is_known_image(&image.value) {
            continue;
        }
        let others = tagged_digest(&image.value).and_then(|tagged| known.get(&tagged));
        if let Some(other) = others.and_then(BTreeSet::first) {
            let words = format!("image {} is {other} in the catalog: another digest", image.value);
            found.push(Finding::new(&rules::IMAGE_KNOWN_OTHERWISE, words).at_span(s.doc(), image.span));
        }
    }
}

/// Returns repository and tag of an image that also has a digest.
fn tagged_digest(image: &str) -> Option<(String, String)> {
    let parsed = image_ref::parse_image_ref(image).ok().filter(ImageRef::is_pinned)?;
    Some((parsed.repository().to_owned(), parsed.tag()?.to_owned()))
}
