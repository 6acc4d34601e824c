use proptest::prelude::*;

use super::{
    ChannelKind, DocumentErrorKind, GenerateError, Generated, Item, List, ListPosition, Lists,
    PreferenceError, Settings, generate, parse_semver_template,
};
use crate::text::yaml;
use olm_version::Version;

/// Bundles of a package by version: `p.v1.0.0`.
struct Bundles(Vec<(String, String, Version)>);

impl Bundles {
    fn with_versions(versions: &[&str]) -> Self {
        let one = |version: &&str| {
            let name = format!("p.v{version}");
            (format!("example.com/{name}"), name, Version::parse(version).unwrap())
        };
        Self(versions.iter().map(one).collect())
    }

    fn as_items(&self) -> Vec<Item<'_>> {
        let item = |(image, name, version)| Item { image, package: "p", name, version };
        self.0.iter().map(|(image, name, version)| item((image.as_str(), name.as_str(), version))).collect()
    }
}

const BOTH: Settings = Settings { major: true, minor: true, preference: ChannelKind::Minor };
const MAJOR: Settings = Settings { major: true, minor: false, preference: ChannelKind::Major };

/// Formats channels as `channel: entry<replaced-skipped-skipped entry ...`, with the names shortened to
/// versions.
fn format_channels(made: &Generated) -> Vec<String> {
    let short = |name: &str| name.trim_start_matches("p.v").to_owned();
    let channel = |channel: &super::Channel| {
        let entries = channel.entries.iter().map(|entry| {
            let replaces = entry.replaces.map(|name| format!("<{}", short(name))).unwrap_or_default();
            let skips =
                entry.skips.iter().map(|name| format!("-{}", short(name))).collect::<Vec<_>>().concat();
            format!("{}{replaces}{skips}", short(entry.name))
        });
        format!("{}: {}", channel.name, entries.collect::<Vec<_>>().join(" "))
    };
    made.channels.iter().map(channel).collect()
}

fn stable_channels(versions: &[&str], settings: Settings) -> Vec<String> {
    let made = Bundles::with_versions(versions);
    format_channels(&generate(&Lists { stable: made.as_items(), ..Lists::default() }, settings).unwrap())
}

#[test]
fn only_last_bundle_of_minor_version_has_edges_and_skips_all_before() {
    assert_eq!(
        stable_channels(&["1.0.0", "1.0.1", "1.1.0", "1.1.1", "1.3.0", "2.0.0"], MAJOR),
        [
            "stable-v1: 1.0.0 1.0.1-1.0.0 1.1.0 1.1.1<1.0.1-1.0.0-1.1.0 1.3.0<1.1.1-1.0.0-1.0.1-1.1.0",
            "stable-v2: 2.0.0",
        ]
    );
}

#[test]
fn minor_channels_have_edges_of_major_channel() {
    assert_eq!(
        stable_channels(&["1.0.0", "1.1.0", "1.1.1"], BOTH),
        [
            "stable-v1: 1.0.0 1.1.0 1.1.1<1.0.0-1.1.0",
            "stable-v1.0: 1.0.0",
            "stable-v1.1: 1.1.0 1.1.1<1.0.0-1.1.0",
        ]
    );
}

#[test]
fn versions_sort_as_versions_and_skips_as_bytes() {
    assert_eq!(
        stable_channels(&["1.10.0", "1.2.0", "1.9.0-rc.1", "1.9.0", "1.11.0"], MAJOR),
        [
            "stable-v1: 1.2.0 1.9.0-rc.1 1.9.0<1.2.0-1.9.0-rc.1 1.10.0<1.9.0-1.2.0-1.9.0-rc.1 1.11.0<1.10.0-1.2.0-1.9.0-1.9.0-rc.1"
        ]
    );
}

/// Returns the default channel for lists of versions.
fn default_channel(candidate: &[&str], fast: &[&str], stable: &[&str], settings: Settings) -> String {
    let made = [candidate, fast, stable].map(Bundles::with_versions);
    let [candidate, fast, stable] = made.each_ref().map(Bundles::as_items);
    generate(&Lists { candidate, fast, stable }, settings).unwrap().default_name().to_owned()
}

#[test]
fn default_channel_is_of_best_list_and_highest_first_version() {
    assert_eq!(default_channel(&["2.0.0"], &["1.0.0"], &[], MAJOR), "fast-v1");
    assert_eq!(default_channel(&["2.0.0"], &["3.0.0"], &["1.0.0"], MAJOR), "stable-v1");
    assert_eq!(default_channel(&[], &[], &["1.0.0", "2.0.0"], BOTH), "stable-v2.0");
    // The preference decides only between channels that begin with the same bundle.
    let prefers_major = Settings { preference: ChannelKind::Major, ..BOTH };
    assert_eq!(default_channel(&[], &[], &["1.0.0"], prefers_major), "stable-v1");
    assert_eq!(default_channel(&[], &[], &["1.0.0", "1.2.0"], prefers_major), "stable-v1.2");
}

#[test]
fn prereleases_of_0_0_0_in_candidate_are_not_default() {
    assert_eq!(default_channel(&["0.0.0-alpha"], &[], &[], MAJOR), "");
    assert_eq!(default_channel(&["0.0.0"], &[], &[], MAJOR), "candidate-v0");
    assert_eq!(default_channel(&[], &["0.0.0-alpha"], &[], MAJOR), "fast-v0");
}

#[test]
fn faults_name_items_that_cause_them() {
    let spot = |list, index| ListPosition { list, index };
    let faults = |lists: &Lists| generate(lists, BOTH).unwrap_err();
    assert_eq!(faults(&Lists::default()), [GenerateError::Empty]);

    let made = Bundles::with_versions(&["1.0.0+1", "1.1.0", "1.0.0+2", "1.1.0"]);
    let lists = Lists { fast: made.as_items(), ..Lists::default() };
    let found = faults(&lists);
    assert!(matches!(&found[0], GenerateError::SameName { name, .. } if name == "p.v1.1.0"), "{found:?}");
    assert_eq!(found[0].positions(), [spot(List::Fast, 3), spot(List::Fast, 1)]);
    assert!(matches!(&found[1], GenerateError::SameVersion { .. }), "{found:?}");
    assert_eq!(found[1].positions(), [spot(List::Fast, 2), spot(List::Fast, 0)]);
    assert_eq!(found.len(), 2);

    let mut other = made.as_items();
    other.truncate(2);
    other[1].package = "q";
    let found = faults(&Lists { candidate: other[..1].to_vec(), stable: other, ..Lists::default() });
    assert!(matches!(&found[0], GenerateError::OtherPackage { package, .. } if package == "q"), "{found:?}");
    assert_eq!(found[0].positions(), [spot(List::Stable, 1), spot(List::Candidate, 0)]);

    let mut again = made.as_items();
    again.truncate(1);
    again[0].image = "example.com/elsewhere";
    let found =
        faults(&Lists { candidate: made.as_items()[..1].to_vec(), stable: again, ..Lists::default() });
    assert!(matches!(&found[0], GenerateError::TwoImages { .. }), "{found:?}");
}

#[test]
fn versions_that_differ_in_build_metadata_may_be_in_two_lists() {
    let (one, two) = (Bundles::with_versions(&["1.0.0+1"]), Bundles::with_versions(&["1.0.0+2"]));
    let made =
        generate(&Lists { fast: one.as_items(), stable: two.as_items(), ..Lists::default() }, MAJOR).unwrap();
    assert_eq!(format_channels(&made), ["fast-v1: 1.0.0+1", "stable-v1: 1.0.0+2"]);
}

#[test]
fn rejects_too_many_skips_before_generating_them() {
    let versions: Vec<String> = (0..1500).map(|minor| format!("1.{minor}.0")).collect();
    let made = Bundles::with_versions(&versions.iter().map(String::as_str).collect::<Vec<_>>());
    let faults = generate(&Lists { fast: made.as_items(), ..Lists::default() }, MAJOR).unwrap_err();
    assert_eq!(faults, [GenerateError::TooManySkips { list: List::Fast }]);
    // One minor version may have any number of bundles.
    let versions: Vec<String> = (0..1500).map(|patch| format!("1.0.{patch}")).collect();
    let made = Bundles::with_versions(&versions.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(generate(&Lists { fast: made.as_items(), ..Lists::default() }, MAJOR).is_ok());
}

#[test]
fn resolves_settings_like_opm() {
    let settings = |major, minor, preference: &str| Settings::new(major, minor, preference);
    assert_eq!(settings(false, false, ""), settings(false, true, "minor"));
    assert_eq!(settings(true, false, "").unwrap().preference, ChannelKind::Major);
    assert_eq!(settings(true, true, "").unwrap().preference, ChannelKind::Minor);
    assert_eq!(settings(false, true, "major"), Err(PreferenceError::NotGenerated(ChannelKind::Major)));
    assert_eq!(settings(true, false, "minor"), Err(PreferenceError::NotGenerated(ChannelKind::Minor)));
    assert_eq!(settings(true, true, "Minor"), Err(PreferenceError::Unknown("Minor".to_owned())));
}

#[test]
fn every_part_of_document_has_a_span() {
    let text = "schema: olm.semver\nGenerateMajorChannels: on\ndefaultChannelTypePreference: major\n\
                Stable:\n  Bundles:\n  - Image: example.com/a\n  - {}\n  - image: 1.10\ncandidate: ~\n";
    let document = parse_semver_template(&yaml::parse_yaml(text.as_bytes()).unwrap()).unwrap();
    assert_eq!(document.schema.value, "olm.semver");
    let settings = document.settings().unwrap();
    assert_eq!((settings.major, settings.minor, settings.preference), (true, false, ChannelKind::Major));
    let images: Vec<(&str, &str)> = document
        .images(List::Stable)
        .iter()
        .map(|image| (image.image.value.as_str(), &text[image.image.span.range()]))
        .collect();
    assert_eq!(images, [("example.com/a", "example.com/a"), ("", "{}"), ("1.1", "1.10")]);
    assert_eq!(document.key_span(List::Stable).map(|span| &text[span.range()]), Some("Stable"));
    assert!(document.key_span(List::Candidate).is_some() && document.images(List::Candidate).is_empty());
}

#[test]
fn later_spelling_of_key_extends_earlier_one() {
    let read = |text: &str| parse_semver_template(&yaml::parse_yaml(text.as_bytes()).unwrap()).unwrap();
    let images = |text: &str| -> Vec<String> {
        read(text).images(List::Stable).iter().map(|image| image.image.value.clone()).collect()
    };
    assert_eq!(images("stable: {bundles: [{image: b}]}\nStable: {bundles: [{image: a}]}\n"), ["b"]);
    assert_eq!(images("stable: {}\nStable: {bundles: [{image: a}]}\n"), ["a"]);
    assert_eq!(
        images("stable: {bundles: [{image: b}]}\nStable: {bundles: [{image: a}, {image: c}]}\n"),
        ["b"]
    );
    assert_eq!(images("stable: {bundles: ~}\nStable: {bundles: [{image: a}]}\n"), [""; 0]);
}

#[test]
fn rejects_what_opm_rejects_at_its_span() {
    let cases = [
        ("stable: {bundles: [{image: a, image: b}]}", "image", "duplicate key `image`"),
        ("stable: {bundles: []}\nstable: {}", "stable", "duplicate key `stable`"),
        ("stable: {image: a}", "image", "unknown key `image`"),
        ("Beta: {}", "Beta", "unknown key `Beta`"),
        ("stable: []", "[]", "`stable` must be a map"),
        ("stable: {bundles: {}}", "{}", "`stable.bundles` must be a list"),
        ("stable: {bundles: [a]}", "a", "`stable.bundles[0]` must be a map"),
        ("stable: {bundles: [{image: [x]}]}", "[x]", "`image` must be a string"),
        ("generateMajorChannels: 'true'", "'true'", "`generateMajorChannels` must be true or false"),
        ("generateMinorChannels: 1", "1", "`generateMinorChannels` must be true or false"),
        ("defaultChannelTypePreference: patch", "patch", "defaultChannelTypePreference is `patch`"),
    ];
    for (text, place, message) in cases {
        let node = yaml::parse_yaml(text.as_bytes()).unwrap();
        let fault = parse_semver_template(&node).and_then(|document| document.settings()).unwrap_err();
        assert_eq!(&text[fault.span.range()], place, "{text}");
        assert!(fault.to_string().starts_with(message), "{fault}");
    }
    let merged = "fast: &a {bundles: [{image: x}]}\nstable: {<<: *a, bundles: []}\n";
    let fault = parse_semver_template(&yaml::parse_yaml(merged.as_bytes()).unwrap()).unwrap_err();
    assert_eq!(fault.kind, DocumentErrorKind::DuplicateKey("bundles".to_owned()));
}

fn any_versions() -> impl Strategy<Value = Vec<(u64, u64, u64)>> {
    prop::collection::btree_set((0_u64..3, 0_u64..4, 0_u64..4), 1..14)
        .prop_map(|set| set.into_iter().collect())
}

proptest! {
    #[test]
    fn order_of_file_does_not_matter(versions in any_versions().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))) {
        let (sorted, shuffled) = versions;
        let made = |versions: &[(u64, u64, u64)]| {
            let texts: Vec<String> = versions.iter().map(|(a, b, c)| format!("{a}.{b}.{c}")).collect();
            stable_channels(&texts.iter().map(String::as_str).collect::<Vec<_>>(), BOTH)
        };
        prop_assert_eq!(made(&sorted), made(&shuffled));
    }

    #[test]
    fn every_bundle_reaches_last_of_its_major_version(versions in any_versions()) {
        let texts: Vec<String> = versions.iter().map(|(a, b, c)| format!("{a}.{b}.{c}")).collect();
        let made = Bundles::with_versions(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let items = made.as_items();
        let made = generate(&Lists { stable: items.clone(), ..Lists::default() }, BOTH).unwrap();
        for channel in &made.channels {
            let head = channel.entries.last().unwrap();
            for entry in &channel.entries {
                prop_assert_eq!(items[entry.item].name, entry.name);
                let leads = head.skips.contains(&entry.name) || head.replaces == Some(entry.name);
                prop_assert!(leads || entry.name == head.name, "{} in {}", entry.name, channel.name);
                prop_assert!(entry.replaces.is_none_or(|replaced| !entry.skips.contains(&replaced)));
                prop_assert!(entry.skips.is_sorted());
            }
        }
    }
}
