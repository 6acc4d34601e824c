//! Tests of rules about templates, each with a small template.

use std::sync::Arc;

use crate::{Finding, check_outside_packages, rule::RuleSubject, rules};
use olm_catalog::{Catalog, KnownBundles, load};

fn known_bundles() -> Arc<KnownBundles> {
    let bundle = |version: &str, image: &str| {
        format!(
            "schema: olm.bundle\npackage: p\nname: p.v{version}\nimage: {image}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n---\n"
        )
    };
    let digest = |digit: char| format!("r.example/p@sha256:{}", digit.to_string().repeat(64));
    let tagged = format!("r.example/p:1.3.0@sha256:{}", "9".repeat(64));
    let text = bundle("1.0.0", &digest('1'))
        + &bundle("1.1.0", &digest('2'))
        + &bundle("1.2.0-rc.1", &digest('3'))
        + &bundle("1.3.0", &tagged);
    Arc::new(KnownBundles::from_catalogs([&load::from_bytes(text.into_bytes())]))
}

/// Creates a template from short notation: `stable: 12` lists images 1 and 2.
fn template_from_notation(text: &str) -> Catalog {
    let mut yaml = "schema: olm.semver\n".to_owned();
    for line in text.lines() {
        match line.split_once(": ") {
            Some((list @ ("candidate" | "fast" | "stable"), images)) => {
                let items =
                    images.trim().chars().filter(char::is_ascii_digit).map(|digit| {
                        format!("{{image: r.example/p@sha256:{}}}", digit.to_string().repeat(64))
                    });
                yaml += &format!("{list}: {{bundles: [{}]}}\n", items.collect::<Vec<_>>().join(", "));
            }
            _ => yaml += &format!("{line}\n"),
        }
    }
    load::from_bytes(yaml.into_bytes()).with_known_bundles(known_bundles())
}

/// Returns rule id and message of the findings about templates.
fn template_findings(catalog: &Catalog) -> Vec<(&'static str, String)> {
    let all = check_outside_packages(catalog).into_iter();
    let own = all.filter(|finding: &Finding| finding.rule.subject() == RuleSubject::Template);
    own.map(|finding| (finding.rule.id, finding.message)).collect()
}

#[test]
fn reports_unintended_templates_but_not_valid_ones() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("stable: 12", &[]),
        ("candidate: 12\nstable: 1", &[]),
        (
            "candidate: -\nstable: 1",
            &[("empty-list", "list candidate is empty: no channel is generated from it")],
        ),
        ("candidate: 1\nstable: 12", &[("not-in-candidate", "p.v1.1.0 is in stable and not in candidate")]),
        ("candidate: 3\nstable: 12", &[]),
        ("stable: 21", &[("version-goes-down", "list stable: p.v1.0.0 stands after p.v1.1.0")]),
        (
            "generateMajorChannels: true\ngenerateMinorChannels: true\ndefaultChannelTypePreference: major\nstable: 12",
            &[(
                "overruled-preference",
                "the preference is major, but the default channel is stable-v1.1: the channel whose first version is highest \
                 wins",
            )],
        ),
        (
            "generateMajorChannels: true\ngenerateMinorChannels: true\ndefaultChannelTypePreference: major\nstable: 1",
            &[],
        ),
    ];
    for (text, expected) in cases {
        let found = template_findings(&template_from_notation(text));
        let found: Vec<(&str, &str)> = found.iter().map(|(id, words)| (*id, words.as_str())).collect();
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn reports_images_by_tag_or_changed_digest() {
    let read = |text: &str| load::from_bytes(text.as_bytes().to_vec()).with_known_bundles(known_bundles());
    let tag = read("schema: olm.semver\nstable: {bundles: [{image: r.example/p:1}]}\n");
    assert_eq!(
        template_findings(&tag),
        [("template-image-by-tag", "image r.example/p:1 is given by tag".to_owned())]
    );
    let other = format!("r.example/p:1.3.0@sha256:{}", "8".repeat(64));
    let moved = read(&format!("schema: olm.semver\nstable: {{bundles: [{{image: '{other}'}}]}}\n"));
    let told = template_findings(&moved);
    let [("image-known-otherwise", words)] = told.as_slice() else { panic!("{told:?}") };
    assert!(words.starts_with(&format!("image {other} is r.example/p:1.3.0@sha256:9")), "{words}");
}

/// Each example breaks its rule, and its corrected version breaks none.
#[test]
fn every_example_of_a_template_breaks_its_rule() {
    let about = rules::ALL.iter().filter(|rule| rule.subject() == RuleSubject::Template);
    let mut examples = 0;
    for rule in about {
        let Some(example) = rule.story().example else { continue };
        examples += 1;
        let ids = |text: &str| -> Vec<&str> {
            let catalog = load::from_bytes(text.as_bytes().to_vec());
            template_findings(&catalog).into_iter().map(|(id, _)| id).collect()
        };
        assert!(ids(example.bad).contains(&rule.id), "{}: {:?}", rule.id, ids(example.bad));
        assert_eq!(ids(example.good), [""; 0], "{}", rule.id);
    }
    assert!(examples >= 3);
}
