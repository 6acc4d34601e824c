//! Tests of withdrawn releases. Random channels are in `tests/edit_laws`.

use super::{
    bundle::{channel_yaml, entries_after},
    parse_catalog,
};
use crate::{Edit, EditError, TemplateChange, Withdrawal, apply_edit};
use olm_catalog::{ChannelName, template::semver::List};

fn plan_in(text: &str, bundle: &str, channels: &[&str]) -> Result<Withdrawal, EditError> {
    let catalog = parse_catalog(text);
    let channels: Vec<ChannelName> = channels.iter().map(|name| ChannelName::from(*name)).collect();
    Withdrawal::plan(catalog.package("p").unwrap(), &bundle.into(), &channels)
}

/// Returns the entries of channel `c` after a withdrawal, and true if installations of the bundle stay.
fn withdraw(lines: &[&str], bundle: &str) -> (Vec<String>, bool) {
    let text = channel_yaml(lines);
    let withdrawal = plan_in(&text, bundle, &[]).unwrap();
    (entries_after(&text, &withdrawal.edit), !withdrawal.stays_in.is_empty())
}

fn entries(lines: &[&str]) -> Vec<String> {
    lines.iter().map(ToString::to_string).collect()
}

#[test]
fn replacing_entry_takes_over_the_edges_and_skips_the_bundle() {
    let chain = ["a14 > a13", "a13 > a11 - a12", "a12 > a11", "a11 > a10", "a10"];
    let after = ["a14 > a11 - a13 - a12", "a12 > a11", "a11 > a10", "a10"];
    assert_eq!(withdraw(&chain, "a13"), (entries(&after), false));
    let after = ["a14 > a13", "a13 > a11 - a12", "a12 > a11", "a11 - a10"];
    assert_eq!(withdraw(&chain, "a10"), (entries(&after), false));
}

#[test]
fn skipping_entry_takes_over_skips_and_lower_entries() {
    let fork = ["a13 > a10 - a12", "a12 > a11", "a11 > a10", "a10"];
    assert_eq!(withdraw(&fork, "a12"), (entries(&["a13 > a10 - a12 - a11", "a11 > a10", "a10"]), false));
    let skips = ["a14 > a10 - a13", "a13 > a10 - a11 - a12", "a12 > a11", "a11 > a10", "a10"];
    let after = ["a14 > a10 - a13 - a11 - a12", "a12 > a11", "a11 > a10", "a10"];
    assert_eq!(withdraw(&skips, "a13"), (entries(&after), false));
}

#[test]
fn entry_below_a_withdrawn_head_becomes_the_head() {
    assert_eq!(withdraw(&["a12 > a11", "a11 > a10", "a10"], "a12"), (entries(&["a11 > a10", "a10"]), true));
    // Channels that keep one version of a minor on the chain skip the others.
    let skips = ["a12 > a09 - a11 - a10", "a11 > a09 - a10", "a10 > a09", "a09"];
    assert_eq!(withdraw(&skips, "a12"), (entries(&["a11 > a09 - a10", "a10 > a09", "a09"]), true));
    let bare = ["a12 > a09 - a11 - a10", "a11", "a10", "a09 > a08", "a08"];
    let after = ["a11 > a09 - a10", "a10", "a09 > a08", "a08"];
    assert_eq!(
        withdraw(&bare, "a12"),
        (entries(&after), true),
        "there is one head, and all versions reach it"
    );
}

#[test]
fn ranges_keep_the_upgrades_of_versions_outside_of_the_catalog() {
    let text = channel_yaml(&["a14 > a13", "a13 > a12", "a12"]);
    let with_ranges = |ranges: &[(&str, &str)]| {
        ranges.iter().fold(text.clone(), |text, (name, range)| {
            text.replacen(
                &format!("- name: {name}\n"),
                &format!("- name: {name}\n  skipRange: '{range}'\n"),
                1,
            )
        })
    };
    let after = |ranges: &[(&str, &str)], bundle: &str| {
        let text = with_ranges(ranges);
        let edit = plan_in(&text, bundle, &[]).unwrap().edit;
        let after = apply_edit(&parse_catalog(&text), &edit).unwrap();
        let channel = after.package("p").unwrap().channel("c").unwrap();
        let head = &channel.entries[0].to_spec();
        (head.skips.len(), head.skip_range.clone())
    };
    let all = [("a14", ">=1.0.0 <1.4.0"), ("a13", ">=1.0.0 <1.3.0")];
    assert_eq!(after(&all, "a13"), (0, Some(">=1.0.0 <1.4.0".to_owned())), "the range covers both");
    let only = [("a13", ">=1.0.0 <1.3.0")];
    assert_eq!(after(&only, "a13"), (1, Some(">=1.0.0 <1.3.0".to_owned())));
    let minor = [("a14", ">=1.3.0 <1.4.0"), ("a13", ">=1.0.0 <1.3.0"), ("a12", ">=1.0.0 <1.2.0")];
    assert_eq!(after(&minor, "a13"), (0, Some(">=1.3.0 <1.4.0 || >=1.2.0 <1.3.0".to_owned())));
    let head = [("a14", ">=1.0.0 <1.4.0")];
    assert_eq!(after(&head, "a14"), (0, Some(">=1.0.0 <1.3.0".to_owned())), "of the new head");
}

#[test]
fn bundle_stays_while_a_channel_has_it() {
    let other = "---\nschema: olm.channel\npackage: p\nname: other\nentries:\n- name: a11\n- name: a10\n  replaces: a09\n  skips: [a11]\n";
    let said = "---\nschema: olm.deprecations\npackage: p\nentries:\n- {message: Bad., reference: {schema: olm.bundle, name: a11}}\n";
    let text = format!("{}{other}{said}", channel_yaml(&["a12 > a11", "a11 > a10", "a10"]));
    let bundle_count = |channels: &[&str]| {
        let withdrawal = plan_in(&text, "a11", channels).unwrap();
        let after = apply_edit(&parse_catalog(&text), &withdrawal.edit).unwrap();
        let package = after.package("p").unwrap();
        let deprecation = package.bundle_deprecation(&"a11".into()).is_some();
        (withdrawal.edit.title(), package.bundle("a11").is_some(), deprecation)
    };
    assert_eq!(bundle_count(&["c"]), ("withdraw a11 from c".to_owned(), true, true));
    assert_eq!(bundle_count(&[]), ("withdraw a11".to_owned(), false, false));
    assert_eq!(bundle_count(&["c", "other"]), ("withdraw a11".to_owned(), false, false));
}

#[test]
fn refuses_to_empty_a_channel_and_unknown_names() {
    let text = channel_yaml(&["a12"]);
    let error = |bundle: &str, channels: &[&str]| plan_in(&text, bundle, channels).unwrap_err();
    assert!(matches!(error("a12", &[]), EditError::EmptyChannel(channel) if channel == "c"));
    assert!(matches!(error("a13", &[]), EditError::NoBundle(_)));
    assert!(matches!(error("a12", &["d"]), EditError::NoChannel(_)));
    assert!(matches!(error("a11", &["c"]), EditError::NoBundle(_)));
}

#[test]
fn template_loses_the_image_of_the_bundle() {
    let semver = "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n  - image: example.com/a11\n  - image: example.com/a12\nfast:\n  bundles:\n  - image: example.com/a12\n";
    let known = parse_catalog(&channel_yaml(&["a12 > a11", "a11"]));
    let catalog = parse_catalog(semver).with_known_bundles_of(&known);
    let template = catalog.template().and_then(|template| template.semver()).unwrap();
    let package = catalog.packages().next().unwrap();
    let plan = |channels: &[&str]| {
        let channels: Vec<ChannelName> = channels.iter().map(|name| ChannelName::from(*name)).collect();
        Withdrawal::plan_for_template(template, package, &"a12".into(), &channels)
    };
    let removal = |list| Edit::Template {
        change: TemplateChange::RemoveImage { list, image: "example.com/a12".to_owned() },
    };
    let all = plan(&[]).unwrap();
    let edits = vec![removal(List::Fast), removal(List::Stable)];
    assert_eq!(all.edit, Edit::Several { title: "withdraw a12 from fast, stable".to_owned(), edits });
    assert_eq!(all.stays_in, ["fast-v1", "stable-v1"]);
    let stable = plan(&["stable-v1"]).unwrap();
    let after = apply_edit(&catalog, &stable.edit).unwrap();
    let text = String::from_utf8(after.files()[0].current_bytes()).unwrap();
    assert_eq!(text, semver.replacen("  - image: example.com/a12\n", "", 1));
    assert!(matches!(plan(&["candidate-v1"]), Err(EditError::NoChannel(_))));
}
