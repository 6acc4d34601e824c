//! Tests of pictures as text, and their invariants.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::visit::EdgeRef;
use proptest::prelude::*;

use super::*;
use crate::layout::{Glyph, fixture, glyph_decoder};
use olm_upgrade::EdgeKind;

fn render_picture(picture: &SideBySide, glyph: fn(Glyph) -> &'static str) -> String {
    let mut out = String::from("\n");
    let names: Vec<&str> =
        picture.strips.iter().map(|strip| picture.channels[strip.channel].name.as_str()).collect();
    let counts = (picture.hidden_left(), picture.hidden_right());
    if counts != (0, 0) {
        out += &format!("{} left, {} right; ", counts.0, counts.1);
    }
    out += &format!("{}\n", names.join(" "));
    for (index, row) in picture.rows.iter().enumerate() {
        let mut line = format!("{:6}", row.version);
        for strip in &picture.strips {
            strip.cells[index].iter().for_each(|cell| line += glyph(cell.glyph));
            line += &" ".repeat(picture.pitch - Strip::WIDTH);
        }
        let hidden: usize =
            picture.strips.iter().filter_map(|strip| Some(strip.node_in_row(index)?.hidden.replaces)).sum();
        if hidden > 0 {
            line += &format!(" +{hidden}");
        }
        line += &format!(" {} {}", row.channels, row.note);
        out += line.trim_end();
        out.push('\n');
    }
    out
}

fn draw_ascii(channels: &[(&str, &str)]) -> String {
    render_picture(
        &draw_side_by_side(&fixture::graph_from_channels(channels), &Options::default()),
        Glyph::ascii,
    )
}

#[test]
fn bundle_has_same_row_in_all_channels() {
    let expected = "
stable fast
3.1.0     o-.  1 HEAD of fast
3.0.0 o-. o-+  2 HEAD of stable
2.1.0   | o-+  1
2.0.0 o-+ o-'  2
1.0.0 o-'      1
";
    let drawn = draw_ascii(&[
        ("stable", "3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0"),
        ("fast", "3.1.0 replaces=3.0.0\n3.0.0 replaces=2.1.0\n2.1.0 replaces=2.0.0\n2.0.0"),
    ]);
    assert_eq!(drawn, expected);
}

#[test]
fn edges_without_a_lane_are_counted_and_classic_edges_come_first() {
    let expected = "
c d
4.0.0 o-. o-.  2 HEAD of c and d
3.0.0 x | o-'  +1 2
2.0.0 o-+      1
1.0.0 o-'      1
";
    // In `c`, 3.0.0 replaces 2.0.0, which Classic ignores; the lane is taken.
    let drawn = draw_ascii(&[
        ("c", "4.0.0 replaces=2.0.0 skips=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0"),
        ("d", "4.0.0 replaces=3.0.0\n3.0.0"),
    ]);
    assert_eq!(drawn, expected);
}

#[test]
fn edge_that_classic_ignores_ends_in_cross_if_there_is_space() {
    let expected = "
c
3.0.0 o    1 HEAD of c
2.0.0 x-.  1
1.0.0 #X'  1 STUCK on Classic: blocked by skips; Classic never upgrades it in its only channel
";
    assert_eq!(draw_ascii(&[("c", "3.0.0 skips=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0")]), expected);
}

#[test]
fn counts_dead_ends_of_all_channels() {
    let expected = "
c b a
3.0.0 o   o   o-.  3 HEAD of c and 2 more
2.0.0 x   x     |  2
1.0.0 #   #   o-'  3 Classic never upgrades it in 2 of 3 channels
";
    let stuck = "3.0.0 skips=2.0.0\n2.0.0 skips=1.0.0\n1.0.0";
    assert_eq!(draw_ascii(&[("c", stuck), ("b", stuck), ("a", "3.0.0 replaces=1.0.0\n1.0.0")]), expected);
    let all = draw_ascii(&[("c", stuck), ("b", stuck)]);
    assert!(all.contains("Classic never upgrades it in all its 2 channels"), "{all}");
}

#[test]
fn contradicting_channels_are_sorted_by_version() {
    let expected = "
a b
2.0.0 o-. o-.  2 HEAD of a; no order fits the edges of all channels
1.0.0 o-' o<'  2 HEAD of b; no order fits the edges of all channels
";
    let drawn = draw_ascii(&[("a", "2.0.0 replaces=1.0.0\n1.0.0"), ("b", "1.0.0 replaces=2.0.0\n2.0.0")]);
    assert_eq!(drawn, expected);
}

#[test]
fn finds_order_for_all_channels_even_against_the_versions() {
    let expected = "
b a
1.9.1 o-.      1 HEAD of b
2.0.0 o-' o-.  2 HEAD of a
1.0.0     o-'  1
";
    let drawn = draw_ascii(&[("b", "1.9.1 replaces=2.0.0\n2.0.0"), ("a", "2.0.0 replaces=1.0.0\n1.0.0")]);
    assert_eq!(drawn, expected);
}

#[test]
fn dangling_name_differs_from_entry_of_another_channel() {
    let expected = "
stable beta
2.0.0 o-.      1 HEAD of stable
1.0.0 ?-' o-.  1 HEAD of beta
0.9.0     ?-'  0 in no channel; beta replaces or skips it
";
    assert_eq!(draw_ascii(&[("stable", "2.0.0 replaces=1.0.0"), ("beta", "1.0.0 replaces=0.9.0")]), expected);
}

#[test]
fn notes_report_deprecations_and_bundles_in_no_channel() {
    let yaml = "---\nschema: olm.package\nname: p\ndefaultChannel: c\n\
        ---\nschema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v2.0.0\n\
        ---\nschema: olm.channel\npackage: p\nname: old\nentries:\n- name: p.v1.0.0\n\
        ---\nschema: olm.bundle\npackage: p\nname: p.v3.0.0\nproperties:\n\
        - {type: olm.package, value: {packageName: p, version: 3.0.0}}\n\
        ---\nschema: olm.bundle\npackage: p\nname: p.v2.0.0\nproperties:\n\
        - {type: olm.package, value: {packageName: p, version: 2.0.0}}\n\
        ---\nschema: olm.deprecations\npackage: p\nentries:\n\
        - reference: {schema: olm.channel, name: old}\n  message: gone\n\
        - reference: {schema: olm.bundle, name: p.v3.0.0}\n  message: gone\n";
    let catalog = olm_catalog::load::from_bytes(yaml.as_bytes().to_vec());
    let picture = draw_side_by_side(&PackageGraph::new(catalog.package("p").unwrap()), &Options::default());
    let expected = "
c old
3.0.0          0 in no channel; deprecated
2.0.0 o        1 HEAD of c
1.0.0     o    1 HEAD of old; only in old, which is deprecated; no such bundle in the package
";
    assert_eq!(render_picture(&picture, Glyph::ascii), expected);
    assert!(picture.channels[1].deprecated && picture.channels[0].is_default);
}

#[test]
fn hidden_channels_are_counted_and_selected_one_is_visible() {
    let names: Vec<String> = (1..=6).map(|n| format!("v{n}")).collect();
    let channels: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1.0.0")).collect();
    let package = fixture::graph_from_channels(&channels);
    let at = |room, selected: &str, first| {
        let selected = Some(ChannelName::from(selected));
        let options = Options { columns: room, selected, first, ..Options::default() };
        render_picture(&draw_side_by_side(&package, &options), Glyph::unicode)
    };
    let expected = "
2 left, 1 right; v5 v4 v3
1.0.0 ●   ●   ●    6 HEAD of v1 and 5 more
";
    assert_eq!(at(11, "v3", 0), expected);
    assert!(at(11, "v1", 5).contains("\n0 left, 3 right; v1 v6 v5\n"));
    assert!(at(11, "v4", 2).contains("\n2 left, 1 right; v5 v4 v3\n"), "it stays where it can");
    assert!(at(0, "v2", 0).contains("\n5 left, 0 right; v2\n"), "one is always drawn");
    assert!(at(23, "v2", 0).contains("\nv1 v6 v5 v4 v3 v2\n"));
}

#[test]
fn pitch_depends_on_names_and_number_of_channels() {
    let package = fixture::graph_from_channels(&[("a", "1.0.0"), ("b", "1.0.0"), ("c", "1.0.0")]);
    let pitch = |room, widest| {
        let picture =
            draw_side_by_side(&package, &Options { columns: room, max_pitch: widest, ..Options::default() });
        (picture.pitch, picture.strips.len(), picture.width())
    };
    assert_eq!(pitch(80, 12), (12, 3, 27));
    assert_eq!(pitch(20, 12), (7, 3, 17));
    assert_eq!(pitch(10, 12), (4, 2, 7));
    assert_eq!(pitch(11, 0), (4, 3, 11));
}

#[test]
fn cells_know_their_edges() {
    let package = fixture::graph_from_channels(&[
        ("c", "3.0.0 replaces=1.0.0\n1.0.0"),
        ("d", "2.0.0 replaces=1.0.0\n1.0.0"),
    ]);
    let picture = draw_side_by_side(&package, &Options::default());
    let strip = &picture.strips[0];
    let [edge] = strip.edges_at(1, 2)[..] else { panic!("the spine passes 2.0.0") };
    assert_eq!(
        (Some(edge.to), Some(edge.from)),
        (strip.node_in_row(0).map(|p| p.node), strip.node_in_row(2).map(|p| p.node))
    );
    assert!(strip.node_in_row(1).is_none() && strip.edges_at(1, 0).is_empty());
}

/// Checks the invariants of a picture.
fn check_side_by_side(package: &PackageGraph, options: &Options) {
    let picture = draw_side_by_side(package, options);
    // Each name of a channel and each bundle has exactly one row.
    let graphs: Vec<_> =
        picture.channels.iter().map(|c| &package.channel(c.name.as_str()).unwrap().graph).collect();
    let mut names: BTreeSet<&str> = package.package.bundles.iter().map(|b| b.name.value.as_str()).collect();
    for graph in &graphs {
        names.extend(graph.graph().node_weights().map(|node| node.name.as_str()));
    }
    let rows: BTreeMap<&str, usize> =
        picture.rows.iter().enumerate().map(|(index, row)| (row.name.as_str(), index)).collect();
    assert_eq!((rows.len(), names.len()), (picture.rows.len(), rows.len()));
    assert!(names.iter().all(|name| rows.contains_key(name)));
    // An edge points down only if the edges of all channels form a cycle.
    let mut edges = BTreeSet::new();
    for graph in &graphs {
        for edge in graph.graph().edge_references() {
            let row = |at| rows[graph.node(at).unwrap().name.as_str()];
            edges.insert((row(edge.source()), row(edge.target())));
        }
    }
    for &(older, newer) in edges.iter().filter(|(older, newer)| older < newer) {
        let mut reached = BTreeSet::from([newer]);
        while let Some(next) =
            edges.iter().find(|e| reached.contains(&e.0) && !reached.contains(&e.1)).map(|e| e.1)
        {
            reached.insert(next);
        }
        assert!(reached.contains(&older), "{}", render_picture(&picture, Glyph::ascii));
    }
    // The window is bounded, complete, and contains the selected channel.
    assert!(picture.width() <= options.columns.max(Strip::WIDTH));
    assert_eq!(picture.hidden_left() + picture.strips.len() + picture.hidden_right(), picture.channels.len());
    assert!(!picture.strips.is_empty());
    if let Some(selected) = options.selected.as_ref().and_then(|name| picture.channel_index(name.as_str())) {
        assert!(picture.strips.iter().any(|strip| strip.channel == selected));
    }
    for strip in &picture.strips {
        let graph = graphs[strip.channel];
        assert!(strip.cells.iter().all(|cells| cells.len() == Strip::WIDTH));
        assert_eq!(strip.cells.len(), picture.rows.len());
        for (row, place) in strip.nodes.iter().enumerate() {
            let name = place.as_ref().and_then(|place| graph.node(place.node)).map(|node| &node.name);
            assert_eq!(name.is_some(), graph.find_node(picture.rows[row].name.as_str()).is_some());
            assert!(name.is_none_or(|name| *name == picture.rows[row].name));
            assert_eq!(name.is_some(), matches!(strip.cells[row][0].glyph, Glyph::Node(_)));
        }
        // Every `replaces` edge is drawn once or counted, and the drawn ones decode from the
        // glyphs.
        let mut drawn = BTreeSet::new();
        for strand in &strip.strands {
            for (from, to) in strand.edges() {
                assert!(drawn.insert((from.0, to.0, strand.kind, strand.ignored)), "drawn twice");
            }
        }
        let kinds = graph.graph().edge_weights().filter(|kind| **kind == EdgeKind::Replaces);
        assert_eq!(kinds.count(), drawn.len() + strip.hidden);
        let counted: usize = strip.nodes.iter().flatten().map(|place| place.hidden.replaces).sum();
        assert_eq!(counted, strip.hidden);
        let glyphs: Vec<Vec<&str>> =
            strip.cells.iter().map(|cells| cells.iter().map(|cell| cell.glyph.unicode()).collect()).collect();
        let mut seen = BTreeSet::new();
        glyph_decoder::decode_spine(&glyphs, 2, &mut seen);
        assert_eq!(seen, drawn, "{}", render_picture(&picture, Glyph::unicode));
        // ASCII has the same vertical arms as Unicode; cells know their edges.
        for (row, cells) in strip.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let arms = cell.glyph.arms();
                if arms.up || arms.down {
                    let expected = match (arms.up, arms.down, arms.left || arms.right) {
                        (true, true, true) => "+",
                        (true, true, false) => "|",
                        (true, false, _) => "'",
                        (false, ..) => ".",
                    };
                    assert_eq!(cell.glyph.ascii(), expected);
                }
                let is_line = !matches!(cell.glyph, Glyph::Blank | Glyph::Node(_));
                assert_eq!(is_line, !strip.edges_at(row, column).is_empty());
            }
        }
    }
    // The totals over channels and over rows are equal.
    let entries: usize = picture.channels.iter().map(|c| c.entries).sum();
    assert_eq!(entries, picture.rows.iter().map(|row| row.channels).sum::<usize>());
}

/// Creates an unusual channel over versions that other channels also have.
fn odd_channel() -> impl Strategy<Value = String> {
    let version = || 0..9_usize;
    let entry = (
        version(),
        proptest::option::weighted(0.7, version()),
        proptest::collection::vec(version(), 0..3),
        proptest::option::weighted(0.2, version()),
    );
    proptest::collection::vec(entry, 1..9).prop_map(|entries| {
        let mut lines = String::new();
        let mut seen = BTreeSet::new();
        for (n, replaces, skips, range) in entries.into_iter().filter(|e| seen.insert(e.0)) {
            lines += &format!("1.{n}.0");
            lines += &replaces.map(|n| format!(" replaces=1.{n}.0")).unwrap_or_default();
            if !skips.is_empty() {
                let skips: Vec<String> = skips.into_iter().map(|n| format!("1.{n}.0")).collect();
                lines += &format!(" skips={}", skips.join(","));
            }
            lines += &range.map(|n| format!(" range=<1.{n}.0")).unwrap_or_default();
            lines.push('\n');
        }
        lines
    })
}

/// Checks that a page has the same content in its rows as the picture.
fn check_pages(package: &PackageGraph, options: &Options) {
    let ground = PreparedChannels::new(package);
    let strips: Vec<Strip> = (0..ground.channels().len())
        .map(|number| {
            let one = Options { columns: 0, first: number, ..Options::default() };
            (*ground.draw_window(&one).strips[0]).clone()
        })
        .collect();
    let same = |mine: &Strip, mine_at: usize, whole_at: usize| {
        let whole = &strips[mine.channel];
        let place = |strip: &Strip, row| strip.node_in_row(row).map(|p| (p.node, p.marks.clone(), p.hidden));
        assert_eq!(mine.cells[mine_at], whole.cells[whole_at]);
        assert_eq!(format!("{:?}", place(mine, mine_at)), format!("{:?}", place(whole, whole_at)));
    };
    let (mut first, mut shown) = (0, BTreeSet::new());
    while first < strips.len() {
        let page = ground.draw_page(first, options);
        for strip in &page.strips {
            let whole = &strips[strip.channel];
            assert_eq!((strip.channel, strip.hidden), (first, whole.hidden));
            page.rows.iter().for_each(|&(row, place)| same(strip, place, row));
            let missing = (0..ground.rows().len()).filter(|row| !page.rows.iter().any(|(r, _)| r == row));
            assert!(missing.into_iter().all(|row| whole.node_in_row(row).is_none()));
            assert_eq!(ground.draw_alone(strip.channel).unwrap().hidden, whole.hidden);
            first += 1;
        }
        shown.extend(page.rows.iter().map(|(row, _)| *row));
    }
    assert_eq!(
        shown.len(),
        if strips.is_empty() { 0 } else { ground.rows().len() },
        "every row is on a page"
    );
}

#[test]
fn line_that_reserves_two_rows_finds_them_on_a_page() {
    let package = fixture::graph_from_channels(&[
        ("c0", "1.2.0 skips=1.3.0\n1.3.0 replaces=1.2.0\n1.4.0 skips=1.5.0\n1.0.0"),
        ("c1", "1.7.0 replaces=1.0.0\n1.5.0 replaces=1.2.0"),
        ("c2", "1.3.0 replaces=1.4.0\n1.7.0 replaces=1.6.0 skips=1.7.0\n1.2.0 skips=1.3.0"),
    ]);
    check_pages(&package, &Options { columns: 0, ..Options::default() });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_picture_satisfies_the_invariants(
        lines in proptest::collection::vec(odd_channel(), 1..6),
        room in 0..40_usize,
        widest in 0..14_usize,
        selected in proptest::option::of(0..6_usize),
        first in 0..7_usize,
    ) {
        let names: Vec<String> = (0..lines.len()).map(|n| format!("c{n}")).collect();
        let channels: Vec<(&str, &str)> =
            names.iter().zip(&lines).map(|(name, lines)| (name.as_str(), lines.as_str())).collect();
        let package = fixture::graph_from_channels(&channels);
        let selected = selected.map(|n| ChannelName::from(format!("c{n}")));
        let options = Options { columns: room, max_pitch: widest, selected, first };
        check_side_by_side(&package, &options);
        check_pages(&package, &options);
    }
}
