//! Tests that compare plans with an independent search, and tests for each kind of problem.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proptest::prelude::*;

use super::{
    Approval, BlockKind, CatalogFix, Legs, PackagePlans, Plan, PlanNote, PlanSettings, PlanStart, Preference,
    SharedPlans, StopCause, UpdateTiming, VersionPlan, leg::Leg, leg::find_missing_versions, list_starts,
    plan_notes, plan_operator,
};
use olm_catalog::{BundleName, ChannelName};
use olm_upgrade::{
    Engine, Installed,
    fixture::{self, any_channel_lines},
    openshift::{OpenShift, OpenShiftLimit},
    v1::Query,
};

fn openshift_at(text: &str) -> OpenShift {
    OpenShift::parse(text).unwrap()
}

/// Creates a package on 4.18, 4.20 and 4.22. An empty channel list means that the catalog does not
/// have the package.
fn sample_legs(catalogs: &[&[(&str, &str)]]) -> Legs {
    let leg = |(index, channels): (usize, &&[(&str, &str)])| Leg {
        openshift: OpenShift { major: 4, minor: 18 + 2 * index as u64 },
        graph: (!channels.is_empty()).then(|| fixture::graph_from_channels(channels)),
    };
    Legs { package: "p".into(), legs: catalogs.iter().enumerate().map(leg).collect() }
}

fn start_at(version: &str, channel: Option<&str>) -> PlanStart {
    let version_read = olm_version::VersionRelease::parse(version, "").ok();
    let installed = Installed { name: format!("p.v{version}").into(), version: version_read };
    PlanStart { package: "p".into(), installed, channel: channel.map(ChannelName::from), limit: None }
}

/// Formats a plan, for example `4.18 c 1.0.0, 4.20, pick 1.1.0 replaces`.
fn format_plan(plan: &Plan) -> String {
    let mut text = String::new();
    for stop in &plan.stops {
        let version = stop.bundle.as_str().strip_prefix("p.v").unwrap_or_default();
        text += &match stop.cause {
            StopCause::Installed => format!("{} {version}", stop.openshift),
            StopCause::Pick(kind) => {
                format!(", {version} {}", kind.map_or("same", olm_upgrade::EdgeKind::as_str))
            }
            StopCause::Channel => format!(", to {}", stop.channel.as_ref().unwrap()),
            StopCause::Cluster => format!(", {}", stop.openshift),
        };
    }
    if let Some(block) = &plan.blocked {
        text += &format!(" !{}", block.kind.as_str());
    }
    text
}

fn classic_settings() -> PlanSettings {
    PlanSettings::new(Engine::Classic)
}

#[test]
fn updates_are_latest_or_earliest() {
    let channel = [("c", "1.2.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0")];
    let legs = sample_legs(&[&channel, &channel, &channel]);
    let start = start_at("1.0.0", Some("c"));
    assert_eq!(
        format_plan(&plan_operator(&legs, &start, &classic_settings())),
        "4.18 1.0.0, 4.20, 4.22, 1.1.0 replaces, 1.2.0 replaces"
    );
    let early = PlanSettings { updates: UpdateTiming::Earliest, ..classic_settings() };
    assert_eq!(
        format_plan(&plan_operator(&legs, &start, &early)),
        "4.18 1.0.0, 1.1.0 replaces, 1.2.0 replaces, 4.20, 4.22"
    );
    let fewest = PlanSettings { prefer: Preference::Fewest, ..classic_settings() };
    assert_eq!(format_plan(&plan_operator(&legs, &start, &fewest)), "4.18 1.0.0, 4.20, 4.22");
    let automatic = PlanSettings { approval: Approval::Automatic, ..classic_settings() };
    assert_eq!(
        format_plan(&plan_operator(&legs, &start, &automatic)),
        format_plan(&plan_operator(&legs, &start, &early))
    );
}

#[test]
fn operator_upgrades_past_its_limit_before_cluster_update() {
    let old = [("c", "1.1.0 replaces=1.0.0 max=4.21\n1.0.0 max=4.18")];
    let new = [("c", "1.2.0 replaces=1.1.0\n1.1.0 max=4.21")];
    let legs = sample_legs(&[&old, &new, &new]);
    let start = start_at("1.0.0", Some("c"));
    assert_eq!(
        format_plan(&plan_operator(&legs, &start, &classic_settings())),
        "4.18 1.0.0, 1.1.0 replaces, 4.20, 1.2.0 replaces, 4.22"
    );
}

#[test]
fn v1_pins_version_if_highest_version_is_blocked() {
    let old = [("c", "2.0.0 skips=1.0.0 max=4.18\n1.1.0 replaces=1.0.0\n1.0.0 max=4.18")];
    let new = [("c", "1.2.0 replaces=1.1.0\n1.1.0")];
    let legs = sample_legs(&[&old, &new]);
    let start = start_at("1.0.0", None);
    let v1 = PlanSettings::new(Engine::V1);
    assert_eq!(
        format_plan(&plan_operator(&legs, &start, &v1)),
        "4.18 1.0.0, 1.1.0 replaces, 4.20, 1.2.0 replaces"
    );
    let automatic = PlanSettings { approval: Approval::Automatic, ..v1 };
    assert_eq!(
        format_plan(&plan_operator(&legs, &start, &automatic)),
        "4.18 1.0.0, 2.0.0 skips !max-openshift"
    );
}

#[test]
fn channel_changes_only_if_nothing_else_helps() {
    let old = [("c", "1.0.0 max=4.18"), ("d", "1.1.0 replaces=1.0.0\n1.0.0")];
    let new = [("c", "1.2.0 replaces=1.1.0\n1.1.0"), ("d", "1.1.0")];
    let legs = sample_legs(&[&old, &new]);
    let start = start_at("1.0.0", Some("c"));
    assert_eq!(
        format_plan(&plan_operator(&legs, &start, &classic_settings())),
        "4.18 1.0.0, to d, 1.1.0 replaces, 4.20"
    );
    let kept = PlanSettings { may_change_channel: false, ..classic_settings() };
    assert_eq!(format_plan(&plan_operator(&legs, &start, &kept)), "4.18 1.0.0 !max-openshift");
}

#[test]
fn removed_channel_is_changed() {
    let old = [("c", "1.0.0")];
    let new = [("d", "1.1.0 replaces=1.0.0\n1.0.0")];
    let plan = plan_operator(&sample_legs(&[&old, &new]), &start_at("1.0.0", Some("c")), &classic_settings());
    assert_eq!(format_plan(&plan), "4.18 1.0.0, 4.20, to d, 1.1.0 replaces");
}

#[test]
fn each_problem_has_its_block_kind() {
    let old: &[(&str, &str)] = &[("c", "1.0.0")];
    let limited: &[(&str, &str)] = &[("c", "1.0.0 max=4.18")];
    let unreadable: &[(&str, &str)] = &[("c", "1.0.0 max=what")];
    let other: &[(&str, &str)] = &[("c", "2.0.0")];
    let two_heads: &[(&str, &str)] = &[("c", "2.0.0\n2.1.0")];
    let too_new: &[(&str, &str)] = &[("c", "2.0.0 replaces=1.0.0 kube=1.40.0")];
    let cases = [
        (
            limited,
            old,
            "p.v1.0.0 supports OpenShift up to 4.18, and nothing in channel c of 4.18 upgrades it",
        ),
        (
            unreadable,
            old,
            "p.v1.0.0 has an invalid olm.maxOpenShiftVersion (`what`), and nothing in channel c of 4.18 upgrades it",
        ),
        (old, &[], "4.20 has no package p"),
        (old, other, "p.v1.0.0 is not in the catalog of 4.20, and nothing in channel c upgrades it"),
        (
            old,
            two_heads,
            "in the catalog of 4.20 OLM reports: channel c has 2 heads (p.v2.0.0, p.v2.1.0): Classic needs exactly one",
        ),
        (
            old,
            too_new,
            "p.v2.0.0 comes next and needs Kubernetes 1.40.0: OpenShift 4.20 has 1.33, so its CSV stays Pending",
        ),
    ];
    let kinds = [
        BlockKind::MaxOpenShift,
        BlockKind::MaxOpenShift,
        BlockKind::PackageGone,
        BlockKind::EntryGone,
        BlockKind::Error,
        BlockKind::MinKube,
    ];
    for ((old, new, text), kind) in cases.into_iter().zip(kinds) {
        let plan =
            plan_operator(&sample_legs(&[old, new]), &start_at("1.0.0", Some("c")), &classic_settings());
        let block = plan.blocked.unwrap();
        assert_eq!((block.text.as_str(), block.kind), (text, kind));
    }
}

#[test]
fn automatic_upgrade_cycle_is_stuck() {
    let old = [("c", "1.0.0")];
    let new = [("c", "2.0.0 replaces=1.0.0 range=<2.0.0\n1.0.0 range=>=2.0.0")];
    let automatic = PlanSettings { approval: Approval::Automatic, ..classic_settings() };
    let plan = plan_operator(&sample_legs(&[&old, &new]), &start_at("1.0.0", Some("c")), &automatic);
    assert_eq!(plan.blocked.map(|block| block.kind), Some(BlockKind::Stuck), "{:?}", plan.stops);
}

#[test]
fn suggested_fix_edits_blocking_catalog() {
    let old = [("c", "1.1.0\n1.0.0 max=4.18\n")];
    let new = [("c", "1.1.0")];
    let gone = [("c", "1.1.0 replaces=0.9.0")];
    // The 4.18 catalog has two heads: olmap suggests no edits for a broken catalog.
    let start = start_at("1.0.0", Some("c"));
    let of = |catalogs: &[&[(&str, &str)]]| {
        let legs = sample_legs(catalogs);
        let plan = plan_operator(&legs, &start, &classic_settings());
        CatalogFix::find_catalog_fix(&legs, &start, &classic_settings(), &plan)
            .map(|opens| (opens.openshift.to_string(), opens.fix.entry.to_string(), opens.fix.kind))
    };
    assert_eq!(of(&[&old, &new]), None);
    let v1 = PlanSettings::new(Engine::V1);
    let legs_gone = sample_legs(&[&[("c", "1.0.0")], &gone]);
    let lost = plan_operator(&legs_gone, &start, &v1);
    let opens = CatalogFix::find_catalog_fix(&legs_gone, &start, &v1, &lost);
    assert_eq!(opens.map(|opens| opens.fix.entry.to_string()).as_deref(), Some("p.v1.1.0"), "v1 too");
    let skips = olm_upgrade::path::PathFixKind::Skips;
    let dead_end = [("c", "1.1.0 replaces=0.9.0\n0.9.0 skips=1.0.0\n1.0.0 max=4.18")];
    assert!(of(&[&dead_end, &new]).is_none_or(|(openshift, ..)| openshift == "4.18"));
    assert_eq!(of(&[&[("c", "1.0.0")], &gone]), Some(("4.20".to_owned(), "p.v1.1.0".to_owned(), skips)));
}

#[test]
fn remarks_report_gaps_on_the_way() {
    let legs = sample_legs(&[
        &[("c", "1.0.0 deprecated")],
        &[],
        &[("c", "1.2.0\n1.1.0 replaces=1.0.0 skips=1.2.0")],
    ]);
    let plan = plan_operator(&legs, &start_at("1.0.0", Some("c")), &classic_settings());
    assert_eq!(format_plan(&plan), "4.18 1.0.0, 4.20, 4.22, 1.1.0 replaces");
    let remarks = plan_notes(&legs, &plan, |_| None);
    let expected = [
        PlanNote::Deprecated { openshift: openshift_at("4.18"), bundle: "p.v1.0.0".into() },
        PlanNote::PackageGone { openshift: openshift_at("4.20") },
    ];
    assert_eq!(remarks, expected);
}

#[test]
fn plan_that_ends_on_a_stuck_version_says_so() {
    let legs =
        sample_legs(&[&[("c", "1.0.0")], &[("c", "2.0.0\n"), ("old", "1.1.0 replaces=1.0.0\n1.0.0\n")]]);
    let words = |channel: &str, version: &str| -> Vec<String> {
        let plan = plan_operator(&legs, &start_at(version, Some(channel)), &classic_settings());
        plan_notes(&legs, &plan, |_| None).iter().map(|remark| remark.format_note(plan.engine)).collect()
    };
    let of_c = words("c", "1.0.0");
    let expected = "it is stuck in 4.20: upgrades end at p.v1.1.0: it is the head of its channel, and no other channel upgrades from it";
    assert!(of_c.iter().any(|words| words == expected), "{of_c:?}");
}

#[test]
fn version_that_another_channel_upgrades_is_not_stuck_at_the_end() {
    let channels =
        [("c", "2.0.0 replaces=1.0.0"), ("old", "1.2.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0\n")];
    let legs = sample_legs(&[&channels, &channels]);
    let plan = plan_operator(&legs, &start_at("1.0.0", Some("old")), &classic_settings());
    assert_eq!(format_plan(&plan), "4.18 1.0.0, 4.20, 1.1.0 replaces, 1.2.0 replaces");
    let notes = plan_notes(&legs, &plan, |_| None);
    let (last, first) = ("p.v1.2.0".into(), "p.v1.0.0".into());
    let expected = PlanNote::StuckInChannel { openshift: openshift_at("4.20"), last, first };
    assert!(notes.contains(&expected), "{notes:?}");
    let plans = PackagePlans::new(&legs, &classic_settings());
    // 1.1.0 and 1.2.0 are stuck in any channel.
    assert_eq!((plans.plans.count_plans(), plans.count_stuck(&legs)), (4, 2));
}

/// Creates a chain of entries, highest first.
fn chain_lines(entries: usize) -> String {
    let line = |at: usize| {
        if at == 0 { "1.0.0\n".to_owned() } else { format!("1.{at}.0 replaces=1.{}.0\n", at - 1) }
    };
    (0..entries).rev().map(line).collect()
}

#[test]
fn plans_share_their_states() {
    let states = |entries: usize| {
        let lines = chain_lines(entries);
        let (channel, gone) = ([("c", lines.as_str())], [("c", "9.0.0\n")]);
        let count = |catalogs: &[&[(&str, &str)]]| {
            let legs = sample_legs(catalogs);
            let plans = SharedPlans::from_starts(&legs, &list_starts(&legs), &classic_settings());
            let short: usize = plans.to_plans_without_repeats().iter().map(|plan| plan.stops.len()).sum();
            assert!(short <= plans.count_states() + plans.count_plans(), "{short}");
            (plans.count_states(), plans.iter().map(|plan| plan.to_plan().stops.len()).sum::<usize>())
        };
        (count(&[&channel, &channel]), count(&[&channel, &gone]))
    };
    let ((states, stops), (blocked_states, blocked_stops)) = states(60);
    // Each plan visits every entry above its own, but an entry is a state once per OpenShift version.
    assert!(stops > 60 * 60 / 2 && blocked_stops >= 2 * 60, "{stops} {blocked_stops}");
    assert_eq!(states, 2 * 60);
    // A blocked plan also has the states of the graph with channel changes.
    assert_eq!(blocked_states, 4 * 60);
}

/// Checks that the answers without stops are those of the stops.
fn check_summary(plan: VersionPlan<'_>, stops: &Plan) -> Result<(), TestCaseError> {
    prop_assert_eq!(plan.to_plan(), stops.clone());
    prop_assert_eq!(plan.arrives(), stops.arrives());
    prop_assert_eq!(plan.first_state(), stops.first_state());
    prop_assert_eq!(plan.last_state(), stops.stops.last().map(super::Stop::operator_state));
    let parts: Vec<_> = plan.version_parts().collect();
    let versions: Vec<OpenShift> = parts.iter().map(|part| part.last.openshift).collect();
    let mut visited: Vec<OpenShift> = stops.stops.iter().map(|stop| stop.openshift).collect();
    visited.dedup();
    prop_assert_eq!(versions, visited);
    for part in parts {
        let there = || stops.stops.iter().filter(|stop| stop.openshift == part.last.openshift);
        prop_assert_eq!(Some(part.last), there().next_back().map(super::Stop::operator_state));
        prop_assert_eq!(
            part.upgrades,
            there().filter(|stop| matches!(stop.cause, StopCause::Pick(_))).count()
        );
        prop_assert_eq!(part.changes_channel, there().any(|stop| stop.cause == StopCause::Channel));
    }
    Ok(())
}

#[test]
fn missing_minor_versions_are_listed() {
    let missing = |versions: &[&str]| {
        let versions: Vec<_> = versions.iter().map(|text| openshift_at(text)).collect();
        find_missing_versions(&versions).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(missing(&["4.18", "4.20", "4.21"]), ["4.19"]);
    assert_eq!(missing(&["4.22", "5.2"]), ["4.23", "5.1"]);
    assert_eq!(missing(&["4.22"]), Vec::<String>::new());
    assert_eq!(missing(&["4.22", "5.0"]), Vec::<String>::new(), "5.0 is 4.23");
    assert_eq!(missing(&["4.1", "5.9999999"]).len(), 64);
}

/// A state of the independent search: leg, channel, bundle, and the leg from whose catalog the
/// bundle was installed.
type SearchState = (usize, Option<ChannelName>, BundleName, usize);

/// Returns all moves from a state according to the resolver answers. The second value of a move is
/// true for a channel change.
fn allowed_moves(legs: &Legs, question: PlanSettings, place: &SearchState) -> Vec<(SearchState, bool)> {
    let (leg_at, channel, name, made_in) = place;
    let leg = &legs.legs[*leg_at];
    let own = legs.legs[*made_in].graph.as_ref().unwrap();
    let installed = Installed::from_package(&own.package, name);
    let limit = OpenShiftLimit::from_bundle(own.package.bundle(name.as_str()).unwrap());
    let picks = |channel: &Option<ChannelName>| -> Vec<BundleName> {
        let Some(graph) = &leg.graph else { return Vec::new() };
        let mut picks: Vec<BundleName> = match (question.engine, channel) {
            (Engine::Classic, channel) => {
                let channel = channel.as_ref().unwrap();
                graph.resolve_classic(channel.as_str(), Some(&installed)).pick.into_iter().collect()
            }
            (Engine::V1, channel) => {
                let channels: Vec<ChannelName> = channel.iter().cloned().collect();
                let pins: BTreeSet<String> = match question.approval {
                    Approval::Automatic => [String::new()].into(),
                    Approval::Manual => {
                        let versions =
                            graph.package.bundles.iter().filter_map(|bundle| bundle.version.as_ref());
                        versions.map(|version| format!("={}", version.version.without_build())).collect()
                    }
                };
                let ask = |version: String| {
                    let query = Query { channels: channels.clone(), version, ..Query::default() };
                    graph.resolve_v1(&query, Some(&installed)).pick
                };
                pins.into_iter().filter_map(ask).collect()
            }
        };
        picks.retain(|pick| pick != name);
        picks
    };
    let here = picks(channel);
    let mut found: Vec<(SearchState, bool)> =
        here.iter().map(|pick| ((*leg_at, channel.clone(), pick.clone(), *leg_at), false)).collect();
    if question.approval == Approval::Automatic && !here.is_empty() {
        return found;
    }
    if let Some(next) = legs.legs.get(leg_at + 1)
        && !limit.blocks(next.openshift)
    {
        found.push(((leg_at + 1, channel.clone(), name.clone(), *made_in), false));
    }
    if let (Some(_), true, Some(graph)) = (channel, question.may_change_channel, &leg.graph) {
        for other in graph.channels() {
            let has_it = leg_at + 1 == legs.legs.len() && other.graph.entry_named(name.as_str()).is_some();
            let other = Some(other.graph.name().clone());
            if other != *channel && (has_it || !picks(&other).is_empty()) {
                found.push(((*leg_at, other, name.clone(), *made_in), true));
            }
        }
    }
    found
}

/// Returns the fewest channel changes to arrive, or `None` if the plan cannot arrive. Also returns the last
/// reachable leg.
fn exhaustive_search(legs: &Legs, question: PlanSettings, from: SearchState) -> (Option<usize>, usize) {
    let mut seen: BTreeMap<SearchState, usize> = BTreeMap::from([(from.clone(), 0)]);
    let mut open = VecDeque::from([from]);
    while let Some(place) = open.pop_front() {
        let changes = seen[&place];
        for (next, is_change) in allowed_moves(legs, question, &place) {
            let new = changes + usize::from(is_change);
            if seen.get(&next).is_none_or(|&known| new < known) {
                seen.insert(next.clone(), new);
                open.push_back(next);
            }
        }
    }
    let last = legs.legs.len() - 1;
    let is_goal = |place: &SearchState| {
        let (leg, channel, name, _) = place;
        let rests = || {
            let own = allowed_moves(legs, question, place);
            !own.iter().any(|((leg_to, to, bundle, _), _)| leg_to == leg && to == channel && bundle != name)
        };
        let graph = legs.legs[*leg].graph.as_ref();
        *leg == last
            && graph.is_some_and(|graph| {
                graph.channels_with(name).next().is_some()
                    && channel.as_ref().is_none_or(|channel| graph.channel(channel.as_str()).is_some())
            })
            && (question.approval == Approval::Manual || rests())
    };
    let best = seen.iter().filter(|(place, _)| is_goal(place)).map(|(_, changes)| *changes).min();
    (best, seen.keys().map(|(leg, ..)| *leg).max().unwrap())
}

/// Checks that the independent search allows each move of a plan.
fn check_moves(legs: &Legs, question: PlanSettings, plan: &Plan) -> Result<(), TestCaseError> {
    let mut made_in = 0;
    for pair in plan.stops.windows(2) {
        let leg =
            |stop: &super::Stop| legs.legs.iter().position(|leg| leg.openshift == stop.openshift).unwrap();
        let from = (leg(&pair[0]), pair[0].channel.clone(), pair[0].bundle.clone(), made_in);
        if matches!(pair[1].cause, StopCause::Pick(_)) {
            made_in = leg(&pair[1]);
        }
        let to = (leg(&pair[1]), pair[1].channel.clone(), pair[1].bundle.clone(), made_in);
        let known = allowed_moves(legs, question, &from).into_iter().any(|(next, _)| next == to);
        prop_assert!(known, "{:?} -> {:?}", pair[0], pair[1]);
        let by = match pair[1].cause {
            StopCause::Cluster => from.0 + 1 == to.0 && from.1 == to.1 && from.2 == to.2,
            StopCause::Channel => from.0 == to.0 && from.1 != to.1 && from.2 == to.2,
            StopCause::Pick(_) => from.0 == to.0 && from.1 == to.1 && from.2 != to.2,
            StopCause::Installed => false,
        };
        prop_assert!(by, "{:?}", pair[1]);
    }
    Ok(())
}

/// Generates channels with bundles that do not support later OpenShift versions.
fn any_limited_channel() -> impl Strategy<Value = String> {
    (any_channel_lines(), prop::collection::vec(0..6_usize, 12)).prop_map(|(lines, limits)| {
        let limit = |(line, limit): (&str, usize)| match limit {
            0 => format!("{line} max=4.18\n"),
            1 => format!("{line} max=4.21\n"),
            _ => format!("{line}\n"),
        };
        lines.lines().zip(limits).map(limit).collect()
    })
}

proptest! {
    // Each case searches all plans, so half of the usual number is run.
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn plans_match_exhaustive_search(
        catalogs in prop::collection::vec((any_limited_channel(), any_channel_lines()), 1..4),
        gone in 0..8_usize,
        (engine, approval, may_change_channel, any_channel) in any::<(bool, bool, bool, bool)>(),
        (prefer, updates) in any::<(bool, bool)>(),
    ) {
        let catalogs: Vec<[(&str, &str); 2]> =
            catalogs.iter().map(|(c, d)| [("c", c.as_str()), ("d", d.as_str())]).collect();
        let catalogs: Vec<&[(&str, &str)]> = catalogs
            .iter()
            .enumerate()
            .map(|(index, channels)| if index > 0 && index == gone { &channels[..0] } else { &channels[..] })
            .collect();
        let legs = sample_legs(&catalogs);
        let question = PlanSettings {
            engine: if engine { Engine::Classic } else { Engine::V1 },
            approval: if approval { Approval::Manual } else { Approval::Automatic },
            prefer: if prefer { Preference::Furthest } else { Preference::Fewest },
            updates: if updates { UpdateTiming::Latest } else { UpdateTiming::Earliest },
            may_change_channel,
        };
        let channel = (question.engine == Engine::Classic || !any_channel).then(|| ChannelName::from("c"));
        let first = legs.legs[0].graph.clone().unwrap();
        let starts: Vec<PlanStart> = first.package.bundles.iter().take(6).map(|bundle| PlanStart {
            package: "p".into(),
            installed: Installed::from_package(&first.package, &bundle.name.value),
            channel: channel.clone(),
            limit: None,
        }).collect();
        let shared = SharedPlans::from_starts(&legs, &starts, &question);
        let together = super::plan_operators(&legs, &starts, &question);
        let moves = |plans: &[Plan]| -> BTreeSet<String> {
            let pairs = plans.iter().flat_map(|plan| plan.stops.windows(2).map(|pair| format!("{:?} {:?}", pair[0].operator_state(), pair[1])));
            pairs.chain(plans.iter().map(|plan| format!("{:?}", plan.stops.first()))).collect()
        };
        prop_assert_eq!(moves(&shared.to_plans_without_repeats()), moves(&together));
        for ((start, plan), summary) in starts.iter().zip(&together).zip(shared.iter()) {
            check_summary(summary, plan)?;
            let from = (0, channel.clone(), start.installed.name.clone(), 0);
            let (changes, reached) = exhaustive_search(&legs, question, from);
            prop_assert_eq!(plan.arrives(), changes.is_some(), "{} {:?}", format_plan(plan), question);
            prop_assert_eq!(plan.blocked.is_none(), changes.is_some());
            if let Some(changes) = changes {
                prop_assert_eq!(plan.count_channel_changes(), changes, "{}", format_plan(plan));
            }
            prop_assert_eq!(plan.reached_version(), Some(legs.legs[reached].openshift), "{}", format_plan(plan));
            check_moves(&legs, question, plan)?;
            prop_assert_eq!(&super::plan_operator(&legs, start, &question), plan, "alone as with the others");
            if let Some(opens) = CatalogFix::find_catalog_fix(&legs, start, &question, plan) {
                prop_assert_eq!(Some(opens.openshift), plan.reached_version());
            }
        }
    }
}
