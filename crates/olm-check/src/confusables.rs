//! Rules about the appearance of names: invisible characters, and different names that look alike.
//!
//! Two names look alike if their Unicode skeletons (UTS 39) are equal without invisible
//! characters. They also look alike if olmap displays the first exactly as the second is written.
//! ASCII has look-alikes too (`l` and `1`, `O` and `0`, `rn` and `m`). Published catalogs do not
//! contain two names that differ only in these, so such names are reported too.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use unicode_security::confusable_detection;

use super::{finding::Finding, findings::Findings, format::format_list, rules, subject::PackageSubject};
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, Span,
    escape::{self, CodePoint},
    package::Package,
};

/// Name with its position.
struct Mention<'a> {
    what: NameKind,
    name: &'a str,
    doc: DocId,
    span: Span,
}

/// Kind of a name; kinds that define the name come first in each group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameKind {
    Package,
    PackageProperty,
    Channel,
    DefaultChannel,
    DeprecatedChannel,
    Bundle,
    Entry,
    Replaces,
    Skips,
    DeprecatedBundle,
}

impl NameKind {
    fn label(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::PackageProperty => "packageName",
            Self::Channel => "channel",
            Self::DefaultChannel => "default channel",
            Self::DeprecatedChannel => "the deprecated channel",
            Self::Bundle => "bundle",
            Self::Entry => "entry",
            Self::Replaces => "the replaced",
            Self::Skips => "the skipped",
            Self::DeprecatedBundle => "the deprecated bundle",
        }
    }
}

impl Mention<'_> {
    fn set_subject(&self, finding: Finding) -> Finding {
        match self.what {
            NameKind::Package => finding.with_package(&self.name.into()),
            NameKind::PackageProperty => finding,
            NameKind::Channel | NameKind::DefaultChannel | NameKind::DeprecatedChannel => {
                finding.with_channel(&ChannelName::from(self.name))
            }
            _ => finding.with_bundle(&BundleName::from(self.name)),
        }
        .at_span(self.doc, self.span)
    }
}

pub(super) fn invisible(s: &PackageSubject<'_>, found: &mut Findings) {
    let mentions = package_mention(s.package)
        .into_iter()
        .chain(channel_mentions(s.package))
        .chain(bundle_mentions(s.package));
    for mention in first_of_each(mentions) {
        let hidden = invisible_characters(mention.name);
        if !hidden.is_empty() {
            let (what, name) = (mention.what.label(), mention.name);
            let message =
                format!("{what} {name} has {} in its name, which is invisible", format_list(hidden));
            found.push(mention.set_subject(Finding::new(&rules::INVISIBLE_IN_NAME, message)));
        }
    }
}

/// Returns the invisible characters of a name, each once.
fn invisible_characters(name: &str) -> Vec<String> {
    let (mut hidden, mut seen) = (Vec::new(), HashSet::new());
    for c in name.chars().filter(|c| escape::is_harmful(*c) || (*c != ' ' && c.is_whitespace())) {
        if seen.insert(c) {
            hidden.push(CodePoint(c).to_string());
        }
    }
    if name.starts_with(' ') {
        hidden.push("a leading space".to_owned());
    }
    if name.ends_with(' ') {
        hidden.push("a trailing space".to_owned());
    }
    hidden
}

pub(super) fn look_alike(s: &PackageSubject<'_>, found: &mut Findings) {
    report_similar_names(package_mention(s.package).into_iter().chain(property_mentions(s.package)), found);
    report_similar_names(channel_mentions(s.package), found);
    report_similar_names(bundle_mentions(s.package), found);
}

/// Reports packages that look alike. This needs all packages.
pub(super) fn report_similar_packages(catalog: &Catalog, found: &mut Findings) {
    report_similar_names(catalog.packages().filter_map(|of| package_mention(of)), found);
}

/// Reports each name that looks like an earlier one.
fn report_similar_names<'a>(mentions: impl Iterator<Item = Mention<'a>>, found: &mut Findings) {
    let mut names = first_of_each(mentions.filter(|mention| !mention.name.is_empty()));
    // Definitions and ASCII names come first, as the intended spelling. The order of documents
    // does not matter.
    names.sort_by_key(|mention| (mention.what, !mention.name.is_ascii(), mention.name));
    let mut known: HashMap<String, Mention<'a>> = HashMap::with_capacity(names.len());
    for mention in names {
        match known.entry(skeleton(mention.name)) {
            Entry::Vacant(free) => {
                free.insert(mention);
            }
            Entry::Occupied(first) => found.push(similarity_finding(&mention, first.get())),
        }
    }
}

fn similarity_finding(mention: &Mention<'_>, other: &Mention<'_>) -> Finding {
    let (what, name) = (mention.what.label(), mention.name);
    let message = format!(
        "{what} {name} looks like {} {} but differs: it has {}",
        other.what.label(),
        other.name,
        describe_difference(name, other.name)
    );
    let finding = Finding::new(&rules::LOOK_ALIKE_NAMES, message);
    mention.set_subject(finding).with_related(format!("{} is here", other.name), other.doc, other.span)
}

/// Describes the part in which two names differ.
fn describe_difference(name: &str, other: &str) -> String {
    let (name, other): (Vec<char>, Vec<char>) = (name.chars().collect(), other.chars().collect());
    let before = name.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (name, other) = (&name[before..], &other[before..]);
    let behind = name.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let spelt = |part: &[char]| match part {
        [] => "nothing".to_owned(),
        part => format_list(part.iter().map(|c| match c {
            '!'..='~' => format!("{} `{c}`", CodePoint(*c)),
            c => CodePoint(*c).to_string(),
        })),
    };
    let [name, other] = [name, other].map(|part| spelt(&part[..part.len() - behind]));
    format!("{name} where that has {other}")
}

/// Returns a key that is equal for names that look alike.
fn skeleton(name: &str) -> String {
    let is_picture = |c: char| matches!(c, '\u{2400}'..='\u{241f}' | '\u{2421}');
    let mut seen = without_spelled_escapes(name);
    seen.retain(|c| !escape::is_harmful(c) && !is_picture(c));
    confusable_detection::skeleton(seen.trim()).collect()
}

/// Removes escapes such as `<U+200B>` from a name. olmap shows them for invisible characters, but
/// a name may also contain them literally.
fn without_spelled_escapes(name: &str) -> String {
    const LONGEST: usize = 6;
    let (mut out, mut rest) = (String::with_capacity(name.len()), name);
    while let Some((before, after)) = rest.split_once("<U+") {
        out.push_str(before);
        let length = after.bytes().take(LONGEST).take_while(u8::is_ascii_hexdigit).count();
        let (digits, behind) = after.split_at(length);
        let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        if c.is_some_and(escape::is_harmful) && behind.starts_with('>') {
            rest = &behind[1..];
        } else {
            out.push_str("<U+");
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// Returns the first mention of each name.
fn first_of_each<'a>(mentions: impl Iterator<Item = Mention<'a>>) -> Vec<Mention<'a>> {
    let mut seen = HashSet::new();
    mentions.filter(|mention| seen.insert(mention.name)).collect()
}

/// Returns the name of a package at its definition, or at the first object that belongs to it.
fn package_mention(package: &Package) -> Option<Mention<'_>> {
    let definitions = package.definitions.iter().map(|of| (of.doc, of.name.span));
    let channels = package.channels.iter().map(|of| (of.doc, of.package.span));
    let bundles = package.bundles.iter().map(|of| (of.doc, of.package.span));
    let deprecations = package.deprecations.iter().map(|of| (of.doc, of.package.span));
    let (doc, span) = definitions.chain(channels).chain(bundles).chain(deprecations).next()?;
    Some(Mention { what: NameKind::Package, name: package.name.as_str(), doc, span })
}

/// Returns the package names in the properties of bundles.
fn property_mentions(package: &Package) -> impl Iterator<Item = Mention<'_>> {
    let all =
        package.bundles.iter().flat_map(|of| of.package_properties.iter().map(|property| (of.doc, property)));
    all.map(|(doc, property)| Mention {
        what: NameKind::PackageProperty,
        name: &property.package_name.value,
        doc,
        span: property.package_name.span,
    })
}

/// Returns the names of channels; definitions come first.
fn channel_mentions(package: &Package) -> impl Iterator<Item = Mention<'_>> {
    let mention = |what, name, doc, span| Mention { what, name, doc, span };
    let channels = package.channels.iter();
    let channels =
        channels.map(move |of| mention(NameKind::Channel, of.name.value.as_str(), of.doc, of.name.span));
    let defaults = package.definitions.iter().filter_map(move |of| {
        let name = of.default_channel.as_ref()?;
        Some(mention(NameKind::DefaultChannel, name.value.as_str(), of.doc, name.span))
    });
    channels.chain(defaults).chain(deprecated_mentions(package, "olm.channel", NameKind::DeprecatedChannel))
}

/// Returns the names of bundles; definitions come first.
fn bundle_mentions(package: &Package) -> impl Iterator<Item = Mention<'_>> {
    let mention = |what, name, doc, span| Mention { what, name, doc, span };
    let bundles = package.bundles.iter();
    let bundles =
        bundles.map(move |of| mention(NameKind::Bundle, of.name.value.as_str(), of.doc, of.name.span));
    let entries = || package.channels.iter().flat_map(|of| of.entries.iter().map(|entry| (of.doc, entry)));
    let names = entries()
        .map(move |(doc, entry)| mention(NameKind::Entry, entry.name.value.as_str(), doc, entry.name.span));
    let replaced = entries().filter_map(move |(doc, entry)| {
        let name = entry.replaces.as_ref()?;
        Some(mention(NameKind::Replaces, name.value.as_str(), doc, name.span))
    });
    let skipped = entries().flat_map(move |(doc, entry)| {
        let skips = entry.skips.iter();
        skips.map(move |name| mention(NameKind::Skips, name.value.as_str(), doc, name.span))
    });
    let deprecated = deprecated_mentions(package, "olm.bundle", NameKind::DeprecatedBundle);
    bundles.chain(names).chain(replaced).chain(skipped).chain(deprecated)
}

fn deprecated_mentions<'a>(
    package: &'a Package,
    schema: &'static str,
    what: NameKind,
) -> impl Iterator<Item = Mention<'a>> {
    let all = package.deprecations.iter().flat_map(|of| of.entries.iter().map(|entry| (of.doc, entry)));
    all.filter(move |(_, entry)| entry.schema.value == schema).filter_map(move |(doc, entry)| {
        let name = entry.name.as_ref()?;
        Some(Mention { what, name: &name.value, doc, span: name.span })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_alike(a: &str, b: &str) -> bool {
        skeleton(a) == skeleton(b)
    }

    #[test]
    fn names_with_same_skeleton_look_alike() {
        for (a, b) in [
            ("stable", "st\u{430}ble"),
            ("stable", "stable\u{200b}"),
            ("stable", "\u{202e}stable"),
            ("stable", " stable\u{a0}"),
            ("stable", "stable\u{2800}"),
            ("stable\u{200b}", "stable<U+200B>"),
            ("a\u{1b}", "a\u{241b}"),
            ("\u{e9}", "e\u{301}"),
            ("v1.0.0", "vl.O.0"),
            ("kiln.v1", "ki1n.v1"),
            ("alarm", "alarrn"),
            ("\u{2764}", "\u{2764}\u{fe0f}"),
            ("stable", "\u{1d42c}table"),
        ] {
            assert!(are_alike(a, b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn names_with_different_skeletons_do_not_look_alike() {
        for (a, b) in [
            ("stable", "Stable"),
            ("stable-1.1", "stable-1.11"),
            ("v1.0.0", "v1.0.1"),
            ("kiln.v1.0.0", "kiln.v1.0.0-rc"),
            ("a b", "ab"),
            ("a-b", "a_b"),
            ("a<U+0041>", "aA"),
            ("\u{c6b4}", "\u{c601}"),
        ] {
            assert!(!are_alike(a, b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn difference_names_code_points() {
        assert_eq!(describe_difference("st\u{430}ble", "stable"), "U+0430 where that has U+0061 `a`");
        assert_eq!(describe_difference("stable\u{200b}", "stable"), "U+200B where that has nothing");
        assert_eq!(describe_difference("aa", "aaa"), "nothing where that has U+0061 `a`");
        assert_eq!(
            invisible_characters(" a\u{200b}\u{200b}\t "),
            ["U+200B", "U+0009", "a leading space", "a trailing space"]
        );
        assert!(invisible_characters("my channel-1.0").is_empty());
    }
}
