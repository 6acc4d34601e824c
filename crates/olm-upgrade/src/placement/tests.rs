//! Tests of placements, in the notation of [`crate::fixture`].

use super::*;
use crate::fixture;

/// Returns the places of `version` in the channel `c`.
fn find_places(lines: &str, version: &str) -> Result<ChannelPlacements, PlacementError> {
    find_places_in("c", lines, version, None)
}

fn find_places_in(
    channel: &str,
    lines: &str,
    version: &str,
    csv: Option<&EntrySpec>,
) -> Result<ChannelPlacements, PlacementError> {
    let graph = fixture::graph_from_channels(&[(channel, lines), ("other", version)]);
    let bundle = BundleName::from(format!("p.v{version}"));
    ChannelPlacements::find_placements(&graph, &channel.into(), &bundle, csv)
}

/// Writes an entry as `replaces=V skips=V,V range=R`.
fn describe_spec(spec: &EntrySpec) -> String {
    let short = |name: &BundleName| name.as_str().trim_start_matches("p.v").to_owned();
    let mut words: Vec<String> = Vec::new();
    words.extend(spec.replaces.as_ref().map(|name| format!("replaces={}", short(name))));
    if !spec.skips.is_empty() {
        words.push(format!("skips={}", spec.skips.iter().map(short).collect::<Vec<_>>().join(",")));
    }
    words.extend(spec.skip_range.as_ref().map(|range| format!("range={}", range.replace(' ', "_"))));
    words.join(" ")
}

/// Writes a proposal: its preferred edges, then the changed entries.
fn describe_proposal(proposal: &PlacementProposal) -> String {
    let mut words = vec![format!("{}: {}", proposal.placement.id(), describe_spec(&proposal.forms[0].1))];
    words.extend(proposal.changes.iter().map(|(name, spec)| format!("{name} {}", describe_spec(spec))));
    words.join(" | ")
}

fn describe_places(lines: &str, version: &str) -> Vec<String> {
    find_places(lines, version).unwrap().proposals.iter().map(describe_proposal).collect()
}

#[test]
fn fix_of_an_older_minor_version_goes_below_the_head() {
    assert_eq!(
        describe_places("1.2.3\n1.3.0 replaces=1.2.3", "1.2.4"),
        [
            "skipped: replaces=1.2.3 | p.v1.3.0 replaces=1.2.3 skips=1.2.4",
            "step: replaces=1.2.3 | p.v1.3.0 replaces=1.2.4 range=>=1.2.3_<1.3.0",
            "downgrade: replaces=1.3.0",
        ]
    );
}

#[test]
fn higher_version_becomes_head_and_nothing_else_changes() {
    assert_eq!(describe_places("1.2.3\n1.3.0 replaces=1.2.3", "1.4.0"), ["head: replaces=1.3.0"]);
}

#[test]
fn step_between_releases_of_one_version_gets_no_empty_range() {
    let lines = "1.2.3\n1.3.0+1 replaces=1.2.3\n1.3.0+3 replaces=1.3.0+1";
    let places = find_places(lines, "1.3.0+2").unwrap();
    let step = places.proposal(Placement::Step).map(describe_proposal);
    assert_eq!(step.as_deref(), Some("step: replaces=1.3.0+1 | p.v1.3.0+3 replaces=1.3.0+2"));
    let places = find_places("1.2.3\n1.3.0+3 replaces=1.2.3", "1.2.9").unwrap();
    let step = places.proposal(Placement::Step).map(describe_proposal);
    let expected = "step: replaces=1.2.3 | p.v1.3.0+3 replaces=1.2.9 range=>=1.2.3_<1.3.0+3";
    assert_eq!(step.as_deref(), Some(expected), "the release is not read as a pre-release");
}

#[test]
fn skipped_entries_are_not_neighbors() {
    // 1.2.5 is skipped, so the entry above 1.2.4 is 1.3.0. 1.2.2 is skipped, so the one below is 1.2.0.
    let lines =
        "1.2.0\n1.2.2 replaces=1.2.0\n1.2.5 replaces=1.2.0 skips=1.2.2\n1.3.0 replaces=1.2.0 skips=1.2.5";
    assert_eq!(
        describe_places(lines, "1.2.4")[0],
        "skipped: replaces=1.2.0 | p.v1.3.0 replaces=1.2.0 skips=1.2.4,1.2.5"
    );
}

#[test]
fn version_below_all_entries_is_not_placed_by_default() {
    let places = find_places("1.2.3\n1.3.0 replaces=1.2.3", "1.0.0").unwrap();
    assert_eq!(places.reservation, Some(Reservation::OlderThanChannel));
    let described: Vec<_> = places.proposals.iter().map(describe_proposal).collect();
    assert_eq!(
        described,
        ["skipped:  | p.v1.2.3 skips=1.0.0", "step:  | p.v1.2.3 replaces=1.0.0", "downgrade: replaces=1.3.0"]
    );
}

#[test]
fn step_is_not_offered_if_the_chain_does_not_follow_the_versions() {
    let lines = "1.0.0\n1.3.0 replaces=1.0.0\n1.2.0 replaces=1.3.0\n1.4.0 replaces=1.2.0";
    let places = find_places(lines, "1.2.5").unwrap();
    assert!(places.proposal(Placement::Step).is_none(), "{places:?}");
}

#[test]
fn named_bundle_gets_only_its_entry() {
    assert_eq!(
        describe_places("1.2.3\n1.3.0 replaces=1.2.3 skips=1.2.4", "1.2.4"),
        ["entry: replaces=1.2.3"]
    );
    assert_eq!(
        describe_places("1.2.3\n1.3.0 replaces=1.2.3 skips=2.0.0", "2.0.0"),
        ["entry: "],
        "an edge from it would close a circle"
    );
}

#[test]
fn empty_channel_gets_its_first_entry() {
    let graph = fixture::graph_from_lines("1.0.0");
    let places = ChannelPlacements::find_placements(&graph, &"new".into(), &"p.v1.0.0".into(), None).unwrap();
    assert_eq!(places.proposals.iter().map(describe_proposal).collect::<Vec<_>>(), ["first: "]);
}

#[test]
fn prerelease_is_not_placed_among_releases_by_default() {
    let reservation =
        |channel: &str, lines: &str| find_places_in(channel, lines, "1.4.0-rc.1", None).unwrap().reservation;
    assert_eq!(reservation("stable", "1.3.0"), Some(Reservation::Prerelease));
    assert_eq!(reservation("candidate", "1.3.0"), None);
    assert_eq!(reservation("stable", "1.3.0-rc.2"), None);
}

#[test]
fn unordered_versions_and_invalid_channels_have_no_place() {
    let same = find_places("1.2.3\n1.3.0 replaces=1.2.3", "1.3.0+01").unwrap_err();
    assert_eq!(same, PlacementError::SameVersion("p.v1.3.0".into()));
    assert_eq!(describe_places("1.3.0", "1.3.0+2"), ["head: replaces=1.3.0"], "a release orders them");
    assert!(matches!(find_places("1.0.0\n1.1.0", "1.2.0"), Err(PlacementError::InvalidChannel(_))));
    assert_eq!(find_places("1.0.0", "1.0.0"), Err(PlacementError::AlreadyThere));
}

#[test]
fn new_head_follows_the_ranges_of_the_channel() {
    for (case, lines, version, expected) in [
        (
            "fixed lower bound",
            "1.0.0 range=>=0.5.0_<1.0.0\n1.1.0 replaces=1.0.0 range=>=0.5.0_<1.1.0",
            "1.2.0",
            "head: replaces=1.1.0 range=>=0.5.0_<1.2.0",
        ),
        (
            "lower bound at the start of the previous minor version",
            "1.1.3 range=>=1.0.0_<1.1.3\n1.2.2 replaces=1.1.3 range=>=1.1.0_<1.2.2",
            "1.3.0",
            "head: replaces=1.2.2 range=>=1.2.0_<1.3.0",
        ),
        (
            "lower bound at the start of the minor version",
            "1.1.3 range=>=1.1.0_<1.1.3\n1.1.4 replaces=1.1.3 range=>=1.1.0_<1.1.4",
            "1.1.5",
            "head: replaces=1.1.4 range=>=1.1.0_<1.1.5",
        ),
        (
            "lower bound at the replaced version",
            "1.1.3\n1.2.2 replaces=1.1.3 range=>=1.1.3_<1.2.2",
            "1.3.0",
            "head: replaces=1.2.2 range=>=1.2.2_<1.3.0",
        ),
        ("no lower bound", "1.1.0 range=<1.1.0", "1.2.0", "head: replaces=1.1.0 range=<1.2.0"),
        ("another range", "1.1.0 range=<1.0.5", "1.2.0", "head: replaces=1.1.0"),
    ] {
        assert_eq!(describe_places(lines, version), [expected], "{case}");
    }
}

#[test]
fn new_head_skips_the_old_one_if_the_channel_does_so() {
    let lines = "1.0.0\n1.0.1 replaces=1.0.0\n1.0.2 replaces=1.0.0 skips=1.0.1";
    assert_eq!(describe_places(lines, "1.0.3"), ["head: replaces=1.0.0 skips=1.0.1,1.0.2"]);
    // The range of the head cannot be extended, so skipping the head would lose its users.
    let lines = "1.0.0\n1.0.1 replaces=1.0.0\n1.0.2 replaces=1.0.0 skips=1.0.1 range=<=1.0.1";
    assert_eq!(describe_places(lines, "1.0.3"), ["head: replaces=1.0.2"]);
}

#[test]
fn forms_are_listed_once_with_the_convention_first() {
    let csv = EntrySpec { skip_range: Some("<1.2.0".to_owned()), ..EntrySpec::default() };
    let places = find_places_in("c", "1.1.0 range=>=1.0.0_<1.1.0", "1.2.0", Some(&csv)).unwrap();
    let forms: Vec<_> = places.proposals[0].forms.iter().map(|(form, _)| form.clone()).collect();
    assert_eq!(forms, [EdgeForm::Like("p.v1.1.0".into()), EdgeForm::Replaces, EdgeForm::Csv]);
    let same = EntrySpec { replaces: Some("p.v1.1.0".into()), ..EntrySpec::default() };
    let places = find_places_in("c", "1.1.0", "1.2.0", Some(&same)).unwrap();
    assert_eq!(places.proposals[0].forms.len(), 1);
}

/// Writes the chosen place as [`describe_proposal`] does, or the error.
fn describe_choice(lines: &str, version: &str, choice: PlacementChoice) -> String {
    match find_places(lines, version).unwrap().choose_placement(choice) {
        Ok(chosen) => format!("{}: {}", chosen.placement.id(), describe_spec(&chosen.place.spec)),
        Err(error) => error.to_string(),
    }
}

#[test]
fn choice_of_a_place_counts_only_below_the_head() {
    let chosen = |version: &str, place: WantedPlace| {
        let choice = PlacementChoice { place: Some(place), ..PlacementChoice::default() };
        describe_choice("1.2.3\n1.3.0 replaces=1.2.3", version, choice)
    };
    for place in [WantedPlace::Head, WantedPlace::Skipped, WantedPlace::Step] {
        assert_eq!(chosen("1.4.0", place), "head: replaces=1.3.0");
    }
    assert_eq!(chosen("1.2.4", WantedPlace::Skipped), "skipped: replaces=1.2.3");
    assert_eq!(chosen("1.2.4", WantedPlace::Step), "step: replaces=1.2.3");
    assert_eq!(
        chosen("1.2.4", WantedPlace::Head),
        "is older than the head p.v1.3.0: as the head it downgrades users"
    );
}

#[test]
fn downgrade_needs_permission() {
    let choice =
        |allow_downgrade| PlacementChoice { place: Some(WantedPlace::Head), edges: None, allow_downgrade };
    let lines = "1.2.3\n1.3.0 replaces=1.2.3";
    assert_eq!(describe_choice(lines, "1.2.4", choice(true)), "downgrade: replaces=1.3.0");
    assert!(describe_choice(lines, "1.2.4", choice(false)).contains("downgrades users"));
}

#[test]
fn refuses_step_if_the_chain_does_not_follow_the_versions() {
    let choice = PlacementChoice { place: Some(WantedPlace::Step), ..PlacementChoice::default() };
    let lines = "1.0.0\n1.2.0 replaces=1.0.0\n1.5.0 replaces=1.0.0 skips=1.2.0";
    assert!(describe_choice(lines, "1.1.0", choice).starts_with("step: "));
    let lines = "1.2.0\n1.0.0 replaces=1.2.0\n1.5.0 replaces=1.0.0";
    assert!(describe_choice(lines, "1.3.0", choice).starts_with("cannot be a step"));
}

#[test]
fn choice_of_edges_takes_the_wanted_form() {
    let lines = "1.0.0\n1.1.0 replaces=1.0.0 range=>=1.0.0_<1.1.0";
    let csv = EntrySpec { replaces: Some("p.v1.0.0".into()), ..EntrySpec::default() };
    let places = find_places_in("c", lines, "1.2.0", Some(&csv)).unwrap();
    let chosen = |edges: WantedEdges| {
        let choice = PlacementChoice { edges: Some(edges), ..PlacementChoice::default() };
        describe_spec(&places.choose_placement(choice).unwrap().place.spec)
    };
    assert_eq!(chosen(WantedEdges::Like), "replaces=1.1.0 range=>=1.1.0_<1.2.0");
    assert_eq!(chosen(WantedEdges::Replaces), "replaces=1.1.0");
    assert_eq!(chosen(WantedEdges::Csv), "replaces=1.0.0");
    let without = find_places_in("c", lines, "1.2.0", None).unwrap();
    let choice = PlacementChoice { edges: Some(WantedEdges::Csv), ..PlacementChoice::default() };
    assert_eq!(without.choose_placement(choice), Err(PlacementError::NoCsvEdges));
}

#[test]
fn new_channel_has_the_range_of_the_one_of_the_previous_version() {
    let first = |old: (&str, &str), channel: &str, version: &str| {
        let graph = fixture::graph_from_channels(&[old, ("other", version)]);
        let bundle = BundleName::from(format!("p.v{version}"));
        let places = ChannelPlacements::find_placements(&graph, &channel.into(), &bundle, None).unwrap();
        describe_proposal(&places.proposals[0])
    };
    let minors = "1.2.0 range=>=1.1.0_<1.2.0\n1.2.1 replaces=1.2.0 range=>=1.1.0_<1.2.1";
    assert_eq!(first(("stable-1.2", minors), "stable-1.3", "1.3.0"), "first: range=>=1.2.0_<1.3.0");
    let fixed = "1.2.0 range=>=0.9.0_<1.2.0";
    assert_eq!(first(("stable-1.2", fixed), "stable-1.3", "1.3.0"), "first: range=>=0.9.0_<1.3.0");
    // A range from the start of the own minor version is empty for its first version.
    let own = "1.2.3 range=>=1.2.0_<1.2.3";
    assert_eq!(first(("stable-1.2", own), "stable-1.3", "1.3.0"), "first: ");
    assert_eq!(first(("stable-1.2", own), "stable-1.3", "1.3.1"), "first: range=>=1.3.0_<1.3.1");
    assert_eq!(first(("stable-1.2", minors), "fast", "1.3.0"), "first: ");
    assert_eq!(first(("stable-1.2", "1.2.0"), "stable-1.3", "1.3.0"), "first: ");
}

#[test]
fn bundle_must_be_in_the_package() {
    let graph = fixture::graph_from_lines("1.0.0");
    let unknown = ChannelPlacements::find_placements(&graph, &"new".into(), &"nosuch".into(), None);
    assert_eq!(unknown, Err(PlacementError::NoBundle));
}

/// Returns the previous release of `version`, its channels, and the channels of other minor versions.
fn describe_previous(channels: &[(&str, &str)], version: &str) -> Option<String> {
    let graph = fixture::graph_from_channels(channels);
    let bundle = BundleName::from(format!("p.v{version}"));
    let previous = PreviousRelease::find_previous(&graph.package, &bundle)?;
    let channels: Vec<&str> = previous.channels.iter().map(ChannelName::as_str).collect();
    let renamed = previous.other_version.iter().map(|(old, new)| format!("{old} -> {new}"));
    let renamed: Vec<String> = renamed.collect();
    Some(format!("{}: {} [{}]", previous.bundle, channels.join(" "), renamed.join(" ")))
}

#[test]
fn previous_release_names_its_channels() {
    let channels = [
        ("stable", "1.2.3\n1.3.0 replaces=1.2.3"),
        ("candidate", "1.2.3\n1.3.0 replaces=1.2.3\n1.4.0-rc1 replaces=1.3.0"),
        ("stable-1.2", "1.2.3"),
        ("stable-v1.3", "1.3.0"),
        ("new", "1.2.4"),
        ("newer", "1.4.0"),
        ("newest", "1.4.0-rc2"),
        ("oldest", "0.9.0"),
    ];
    let previous = |version: &str| describe_previous(&channels, version);
    assert_eq!(previous("1.2.4").unwrap(), "p.v1.2.3: stable candidate stable-1.2 []");
    assert_eq!(previous("1.4.0").unwrap(), "p.v1.3.0: stable candidate [stable-v1.3 -> stable-v1.4]");
    assert_eq!(previous("1.4.0-rc2").unwrap(), "p.v1.4.0-rc1: candidate []");
    assert_eq!(previous("0.9.0"), None);
}

#[test]
fn channel_is_for_another_version_only_if_it_is_named_after_the_previous_one() {
    let renamed = |channel: &str, before: &str, version: &str| {
        describe_previous(&[(channel, before), ("new", version)], version).unwrap()
    };
    assert_eq!(renamed("v1.29", "1.29.3", "1.30.0"), "p.v1.29.3:  [v1.29 -> v1.30]");
    assert_eq!(renamed("2.8.1", "2.8.1", "2.8.2"), "p.v2.8.1:  [2.8.1 -> 2.8.2]");
    assert_eq!(renamed("release-1.29", "1.29.3", "1.29.4"), "p.v1.29.3: release-1.29 []");
    // A version of OpenShift is not the version of the bundle.
    assert_eq!(renamed("4.18", "0.8.0", "0.9.0"), "p.v0.8.0: 4.18 []");
    assert_eq!(renamed("stable-v1", "1.29.3", "2.0.0"), "p.v1.29.3: stable-v1 []");
}

#[test]
fn reports_edges_of_the_csv_that_the_entry_does_not_get() {
    let spec = |replaces: Option<&str>, skips: &[&str], range: Option<&str>| EntrySpec {
        replaces: replaces.map(Into::into),
        skips: skips.iter().map(|name| (*name).into()).collect(),
        skip_range: range.map(str::to_owned),
    };
    let conflict = |csv: &EntrySpec, entry: &EntrySpec| {
        CsvConflict::find_conflict(csv, entry).map(|conflict| conflict.to_string())
    };
    let csv = spec(Some("a"), &["b"], Some("<1.0.0"));
    assert_eq!(conflict(&csv, &csv), None);
    assert_eq!(conflict(&csv, &spec(Some("c"), &[], None)).unwrap(), "the CSV replaces a, the entry c");
    assert_eq!(conflict(&csv, &spec(None, &[], None)).unwrap(), "the CSV replaces a, the entry nothing");
    assert_eq!(
        conflict(&csv, &spec(Some("a"), &[], None)).unwrap(),
        "the CSV also asks for skips and skipRange"
    );
    assert_eq!(conflict(&EntrySpec::default(), &csv), None);
}

#[test]
fn step_is_preferred_if_the_range_of_the_next_entry_covers_it() {
    let lines = "1.2.3 range=>=1.0.0_<1.2.3\n1.3.0 replaces=1.2.3 range=>=1.0.0_<1.3.0";
    assert_eq!(
        describe_places(lines, "1.2.4"),
        [
            "step: replaces=1.2.3 range=>=1.0.0_<1.2.4 | p.v1.3.0 replaces=1.2.4 range=>=1.0.0_<1.3.0",
            "skipped: replaces=1.2.3 range=>=1.0.0_<1.2.4 | p.v1.3.0 replaces=1.2.3 skips=1.2.4 range=>=1.0.0_<1.3.0",
            "downgrade: replaces=1.3.0",
        ]
    );
    // The users of 1.2.3 would need two upgrades, or the channel already skips by name.
    for lines in [
        "1.2.3\n1.3.0 replaces=1.2.3 range=>=1.2.4_<1.3.0",
        "1.2.3\n1.2.2 \n1.3.0 replaces=1.2.3 skips=1.2.2 range=>=1.0.0_<1.3.0",
    ] {
        assert!(describe_places(lines, "1.2.4")[0].starts_with("skipped: "), "{lines}");
    }
}

#[test]
fn only_version_below_all_entries_is_older_than_the_channel() {
    let lines = "1.0.0\n1.1.0\n1.3.0 skips=1.0.0,1.1.0";
    let reservation = |version: &str| find_places(lines, version).unwrap().reservation;
    assert_eq!(reservation("1.2.0"), None);
    assert_eq!(reservation("0.9.0"), Some(Reservation::OlderThanChannel));
    assert_eq!(describe_places(lines, "1.2.0")[0], "skipped:  | p.v1.3.0 skips=1.0.0,1.1.0,1.2.0");
}
