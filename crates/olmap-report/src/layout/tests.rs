//! Tests of pictures as text, and their invariants.

use std::collections::BTreeSet;

use petgraph::visit::EdgeRef;
use proptest::prelude::*;

use super::{fixture, glyph_decoder::decode_edges, *};
use olm_upgrade::{EdgeKind, PackageGraph, table::UpgradeTable, v1::Query};

/// Draws channel `c`: cells, version and note.
fn draw_channel(package: &PackageGraph, options: &Options, glyph: fn(Glyph) -> &'static str) -> String {
    let picture = draw_layout(package, &package.channels()[0], options);
    let mut out = String::from("\n");
    for row in &picture.rows {
        let cells: String = row.cells.iter().map(|c| glyph(c.glyph)).collect();
        let hidden = if row.hidden.total() > 0 { format!(" +{}", row.hidden.total()) } else { String::new() };
        let line = format!("{cells}{hidden}  {}  {}", row.version, row.note);
        out += line.trim_end();
        out.push('\n');
    }
    out
}

fn draw_ascii(lines: &str) -> String {
    draw_channel(&fixture::graph_from_lines(lines), &Options::default(), Glyph::ascii)
}

/// Channel with all three kinds of edges, a dead end and a dangling name.
const SKETCH: &str = "2.5.4 replaces=2.5.1 skips=2.5.3,2.5.2 range=>=2.4.0_<2.5.4
2.5.3 skips=2.3.7
2.5.2
2.5.1 replaces=2.4.9
2.4.9 replaces=2.3.6
2.3.7";

#[test]
fn three_kinds_of_edges_differ_in_shape() {
    let expected = "
  .>o-. <.  2.5.4  HEAD
.>+-x | -:  2.5.3  SKIPPED by 2.5.4: Classic no longer installs it
| '-x | -:  2.5.2  SKIPPED by 2.5.4
|   o-+ -:  2.5.1
|   o-+ -'  2.4.9
'X  # |     2.3.7  STUCK on Classic: 2.5.3 would upgrade it, but is skipped; v1: 2.5.3
    ?-'     2.3.6  not in this channel; 2.4.9 replaces it
";
    assert_eq!(draw_ascii(SKETCH), expected);
}

#[test]
fn unicode_has_same_arms_as_ascii() {
    let expected = "
  ╭▸●─╮ ◂╮  2.5.4  HEAD
╭▸├─○ │ ╌┊  2.5.3  SKIPPED by 2.5.4: Classic no longer installs it
│ ╰─○ │ ╌┊  2.5.2  SKIPPED by 2.5.4
│   ●─┤ ╌┊  2.5.1
│   ●─┤ ╌╯  2.4.9
╰✗  ■ │     2.3.7  STUCK on Classic: 2.5.3 would upgrade it, but is skipped; v1: 2.5.3
    ◌─╯     2.3.6  not in this channel; 2.4.9 replaces it
";
    assert_eq!(
        draw_channel(&fixture::graph_from_lines(SKETCH), &Options::default(), Glyph::unicode),
        expected
    );
}

#[test]
fn draws_chain_as_one_spine() {
    let expected = "
o-.  3.0.0  HEAD
o-+  2.0.0
o-+  1.1.0
o-'  1.0.0
";
    assert_eq!(
        draw_ascii("3.0.0 replaces=2.0.0\n2.0.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0"),
        expected
    );
}

#[test]
fn adjacent_rows_without_an_edge_are_not_joined() {
    let expected = "
.>o-.  3.0.0  HEAD
+-x |  2.2.0  SKIPPED by 3.0.0: Classic no longer installs it
'-x |  2.1.0  SKIPPED by 3.0.0
  o-'  2.0.0
";
    assert_eq!(draw_ascii("3.0.0 replaces=2.0.0 skips=2.2.0,2.1.0\n2.2.0\n2.1.0\n2.0.0"), expected);
}

#[test]
fn replaces_of_skipped_entry_ends_in_cross() {
    let expected = "
.>o-.    3.0.0  HEAD
'-x-|-.  2.1.0  SKIPPED by 3.0.0: Classic no longer installs it
  o-+X'  2.0.0
  o-'    1.0.0
";
    assert_eq!(
        draw_ascii("3.0.0 replaces=2.0.0 skips=2.1.0\n2.1.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0"),
        expected
    );
}

#[test]
fn entries_with_equal_skips_share_a_comb() {
    let expected = "
.>o-.  3.0.0  HEAD
+>o-+  2.0.0
| o-+  1.1.0
+>o-'  1.0.0
+-?    0.9.0  not in this channel; 3.0.0 and 2 more skip it
'-?    0.8.0  not in this channel; 3.0.0 and 2 more skip it
";
    assert_eq!(
        draw_ascii(
            "3.0.0 replaces=2.0.0 skips=0.9.0,0.8.0\n2.0.0 replaces=1.1.0 skips=0.8.0,0.9.0\n1.1.0 replaces=1.0.0\n\
             1.0.0 skips=0.9.0,0.8.0"
        ),
        expected
    );
}

#[test]
fn nested_skips_of_skipped_entries_share_a_comb() {
    let expected = "
  .>o  4.0.0  HEAD
.>+-x  3.0.0  SKIPPED by 4.0.0: Classic no longer installs it
+>+-x  2.0.0  SKIPPED by 4.0.0
+>+-x  1.1.0  SKIPPED by 4.0.0
'X'-x  1.0.0  SKIPPED by 4.0.0
";
    assert_eq!(
        draw_ascii(
            "4.0.0 skips=3.0.0,2.0.0,1.1.0,1.0.0\n3.0.0 skips=2.0.0,1.1.0,1.0.0\n2.0.0 skips=1.1.0,1.0.0\n1.1.0 skips=1.0.0\n1.0.0"
        ),
        expected
    );
}

#[test]
fn only_nested_ranges_share_a_bracket() {
    let expected = "
o-. <.    4.0.0  HEAD
o-+ <:    3.0.0
o-+ -:<.  2.1.0
o-+ -'-:  2.0.0
o-+   -:  1.1.0
o-'   -'  1.0.0
";
    assert_eq!(
        draw_ascii(
            "4.0.0 replaces=3.0.0 range=>=2.0.0_<4.0.0\n3.0.0 replaces=2.1.0 range=>=2.0.0_<3.0.0\n\
             2.1.0 replaces=2.0.0 range=<2.1.0\n2.0.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0"
        ),
        expected
    );
}

#[test]
fn edges_without_a_lane_are_counted_at_their_entry() {
    let lines = "6.0.0 replaces=5.0.0 range=>=2.0.0_!=3.0.0\n5.0.0 replaces=4.0.0 range=<5.0.0_!=2.0.0\n\
                 4.0.0 replaces=3.0.0 range=<4.0.0_!=1.0.0\n3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0";
    let one = Options { max_range_lanes: 1, ..Options::default() };
    let expected = "
o-. <.  6.0.0  HEAD
o-+ -: +1  5.0.0
o-+ -: +1  4.0.0
o-+  :  3.0.0
o-+ -'  2.0.0
o-'     1.0.0
";
    let package = fixture::graph_from_lines(lines);
    assert_eq!(draw_channel(&package, &one, Glyph::ascii), expected);
    // The selected bundle takes precedence.
    let selected = package.channels()[0].graph.find_node("p.v4.0.0");
    let expected = "
o-.    +1  6.0.0  HEAD
o-+    +1  5.0.0
o-+ <.  4.0.0
o-+ -:  3.0.0
o-+ -'  2.0.0
o-'     1.0.0
";
    assert_eq!(draw_channel(&package, &one.with_selected(selected), Glyph::ascii), expected);
}

#[test]
fn unused_lanes_go_to_kinds_that_need_more() {
    let lines = "6.0.0 range=>=2.0.0_!=3.0.0\n5.0.0 range=<5.0.0_!=2.0.0\n4.0.0 range=<4.0.0_!=1.0.0\n\
                 3.0.0 range=<3.0.0_!=1.0.0\n2.0.0 replaces=1.0.0\n1.0.0";
    let package = fixture::graph_from_lines(lines);
    let hidden = |width: usize, shared| {
        let options = Options { share_lanes: shared, ..Options::for_width(width) };
        draw_layout(&package, &package.channels()[0], &options).hidden.total()
    };
    assert!(hidden(14, false) > 0, "ranges have two lanes of their own");
    assert_eq!(hidden(14, true), 0, "nothing here skips, and one spine is enough");
    assert!(hidden(8, true) > 0, "where all lanes are taken it is said");
    // If all kinds need more lanes, each keeps its share.
    assert_eq!(draw_layout(&package, &package.channels()[0], &Options::for_page_width(42)).hidden.total(), 0);
}

#[test]
fn draws_heads_and_branches_in_separate_spines() {
    let expected = "
o-.    3.0.0  HEAD, one of 2: Classic needs exactly one
o-|-.  2.5.0  HEAD, one of 2: Classic needs exactly one
o-+ |  2.0.0
o-+-'  1.0.0
o-'    0.9.0
";
    assert_eq!(
        draw_ascii(
            "3.0.0 replaces=2.0.0\n2.5.0 replaces=1.0.0\n2.0.0 replaces=1.0.0\n1.0.0 replaces=0.9.0\n0.9.0"
        ),
        expected
    );
}

#[test]
fn downward_upgrade_has_a_tip() {
    let expected = "
o-.    4.0.0  HEAD
o-+-.  3.0.0  STUCK on Classic: cycle; CYCLE of replaces
o-+ |  2.0.0  STUCK on Classic: cycle; CYCLE of replaces
o-'<'  1.0.0  STUCK on Classic: cycle; CYCLE of replaces; DOWNGRADE: replaces the higher 3.0.0
";
    let drawn =
        draw_ascii("4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0 replaces=3.0.0");
    assert_eq!(drawn, expected);
}

#[test]
fn note_reports_downgrade() {
    let expected = "
.>o-.  1.9.0  HEAD; DOWNGRADE: skips the higher 2.0.0
'-x |  2.0.0  SKIPPED by 1.9.0: Classic no longer installs it
  o-'  1.8.0
";
    assert_eq!(draw_ascii("1.9.0 replaces=1.8.0 skips=2.0.0\n2.0.0\n1.8.0"), expected);
}

#[test]
fn entry_that_replaces_itself_is_counted_but_not_drawn() {
    let drawn = draw_ascii("2.0.0 replaces=1.0.0\n1.0.0 replaces=1.0.0 skips=1.0.0");
    assert!(drawn.contains("+2  1.0.0"), "{drawn}");
    assert!(drawn.contains("replaces itself; skips itself"), "{drawn}");
}

#[test]
fn note_reports_deprecation_and_missing_bundle() {
    let package = fixture::graph_from_lines("2.0.0 replaces=1.0.0\n1.0.0 deprecated");
    let picture = draw_layout(&package, &package.channels()[0], &Options::default());
    assert_eq!(picture.rows[1].note, "deprecated");
    assert!(picture.rows[1].marks.deprecated && picture.rows[1].marks.tail);
}

#[test]
fn dead_end_note_reports_v1_upgrade_to_another_channel() {
    let package = fixture::graph_from_channels(&[
        ("c", "3.0.0 skips=2.0.0\n2.0.0 skips=1.0.0\n1.0.0"),
        ("fast", "9.0.0 range=<9.0.0"),
    ]);
    let picture = draw_layout(&package, &package.channels()[0], &Options::default());
    assert_eq!(
        picture.rows[2].note,
        "Classic stays: 2.0.0 would upgrade it, but is skipped; v1: p.v9.0.0 in fast"
    );
    assert_eq!(picture.count_dead_ends(), 1);
}

#[test]
fn reach_has_edges_to_and_from_selected_bundle() {
    let package = fixture::graph_from_lines(
        "3.0.0 replaces=2.0.0 skips=2.5.0 range=>=1.5.0_<3.0.0\n2.5.0 replaces=2.0.0 range=<2.0.0\n\
         2.0.0 replaces=1.5.0\n1.5.0 replaces=1.0.0\n1.0.0",
    );
    let graph = &package.channels()[0].graph;
    let marks = |name: &str| {
        let options = Options::default().with_selected(graph.find_node(name));
        let picture = draw_layout(&package, &package.channels()[0], &options);
        picture.rows.iter().map(|r| r.relation.edge_mark().trim_end()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(marks("p.v3.0.0"), "@ s r ~ ");
    assert_eq!(marks("p.v2.5.0"), ">s @ rX ~X ~X");
    assert_eq!(marks("p.v1.0.0"), " >~  >r @");
}

#[test]
fn highlights_edges_of_a_bundle() {
    let package = fixture::graph_from_lines("3.0.0 replaces=1.0.0 skips=2.2.0,2.1.0\n2.2.0\n2.1.0\n1.0.0");
    let graph = &package.channels()[0].graph;
    let picture = draw_layout(&package, &package.channels()[0], &Options::default());
    let lit = |name: &str| {
        let at = graph.find_node(name).unwrap();
        let at = (picture.row_of_node(at).unwrap(), at);
        let rows = 0..picture.rows.len();
        let row = |row| {
            (0..picture.width()).map(|c| if picture.shows_edge_of(row, c, at) { '#' } else { '.' }).collect()
        };
        rows.map(row).collect::<Vec<String>>()
    };
    // .>o-.  3.0.0
    // +-x |  2.2.0
    // '-x |  2.1.0
    //   o-'  1.0.0
    assert_eq!(lit("p.v2.2.0"), ["##...", "##...", ".....", "....."]);
    assert_eq!(lit("p.v2.1.0"), ["##...", "#....", "##...", "....."]);
    assert_eq!(lit("p.v3.0.0"), ["##.##", "##..#", "##..#", "...##"]);
    let edges: Vec<_> = picture.edges_at(1, 0).into_iter().map(|e| (e.from, e.kind)).collect();
    let skips = |name: &str| (graph.find_node(name).unwrap(), EdgeKind::Skips);
    assert_eq!(edges, [skips("p.v2.2.0"), skips("p.v2.1.0")]);
    assert_eq!(picture.edges_at(1, 1).len(), 1, "a tooth is of one edge");
    assert_eq!(picture.edges_at(1, 4)[0].kind, EdgeKind::Replaces);
    assert!(picture.edges_at(0, 2).is_empty() && picture.edges_at(99, 99).is_empty());
}

#[test]
fn options_for_a_width_fit() {
    for width in 2..200 {
        let Options { max_skip_lanes, max_spine_lanes, max_range_lanes, .. } = Options::for_width(width);
        assert!(2 + 2 * (max_skip_lanes + max_spine_lanes + max_range_lanes) <= width, "{width}");
    }
    assert!(Options::for_width(8).max_spine_lanes > 0);
}

#[test]
fn dead_ends_match_the_upgrade_table() {
    let mut dead_ends = 0;
    for (_, path) in olmap_testing::published_catalogs() {
        let catalog = olm_catalog::load::open_catalog(path).unwrap();
        for package in catalog.packages() {
            let package = PackageGraph::new(package);
            for channel in package.channels() {
                let table = UpgradeTable::new(&package, channel.graph.name(), &Query::default());
                let picture = draw_layout(&package, channel, &Options::default());
                for row in picture.rows.iter().filter(|row| !row.marks.dangling && !row.marks.missing_bundle)
                {
                    let expected = table.find_row(&row.name).unwrap();
                    assert_eq!(
                        row.marks.dead_end,
                        expected.dead_end,
                        "{} {}",
                        channel.graph.name(),
                        row.name
                    );
                    let classic = expected.classic.target().filter(|&to| to != &row.name);
                    assert_eq!(row.classic_target.as_ref(), classic, "{} {}", channel.graph.name(), row.name);
                }
                dead_ends += picture.count_dead_ends();
                check_layout(&package, &Options::default());
            }
        }
    }
    println!("{dead_ends} dead ends");
}

/// Checks the invariants of the pictures of all channels of a package.
fn check_layout(package: &PackageGraph, options: &Options) {
    for channel in package.channels() {
        let graph = &channel.graph;
        let picture = draw_layout(package, channel, options);
        // The width is bounded and all rows have the same width.
        let lanes = options.max_skip_lanes + options.max_spine_lanes + options.max_range_lanes;
        assert!(picture.width() <= 2 + 2 * lanes || options.labels, "{} columns", picture.width());
        assert!(picture.rows.iter().all(|row| row.cells.len() == picture.width()));
        // The glyphs decode to exactly the edges of the strands.
        let mut drawn = BTreeSet::new();
        for strand in &picture.strands {
            assert!(!strand.owners.is_empty() && !strand.ends.is_empty());
            for (from, to) in strand.edges() {
                assert!(drawn.insert((from.0, to.0, strand.kind, strand.ignored)), "drawn twice");
            }
        }
        assert_eq!(decode_edges(&picture), drawn, "{}", draw_channel(package, options, Glyph::ascii));
        // Every edge is drawn or counted.
        let (mut named, mut ranges) = (BTreeSet::new(), BTreeSet::new());
        for edge in graph.graph().edge_references() {
            named.insert((edge.source(), edge.target(), *edge.weight()));
        }
        for to in graph.entry_nodes() {
            for from in graph.graph().node_indices().filter(|&from| from != to) {
                let version = graph.node(from).and_then(|n| n.version.as_ref());
                if version.is_some_and(|v| graph.entry(to).unwrap().range_matches(&v.version)) {
                    ranges.insert((from, to));
                }
            }
        }
        let count = |kind| named.iter().filter(|e| e.2 == kind).count();
        let shown = |kind| drawn.iter().filter(|e| e.2 == kind).count();
        assert_eq!(count(EdgeKind::Replaces), shown(EdgeKind::Replaces) + picture.hidden.replaces);
        assert_eq!(count(EdgeKind::Skips), shown(EdgeKind::Skips) + picture.hidden.skips);
        for &(from, to, kind, _) in &drawn {
            let (from, to) = (picture.rows[from].at, picture.rows[to].at);
            match kind {
                EdgeKind::SkipRange => assert!(ranges.contains(&(from, to))),
                kind => assert!(named.contains(&(from, to, kind))),
            }
        }
        for row in &picture.rows {
            let held = ranges.iter().filter(|r| r.1 == row.at).count();
            let shown = drawn.iter().filter(|e| e.2 == EdgeKind::SkipRange && picture.rows[e.1].at == row.at);
            let shown = shown.count();
            assert!(
                shown == held && row.hidden.ranges == 0
                    || shown == 0 && row.hidden.ranges == usize::from(held > 0)
            );
        }
        // Cells know their edges.
        for (y, row) in picture.rows.iter().enumerate() {
            for (x, cell) in row.cells.iter().enumerate() {
                let is_line = !matches!(cell.glyph, Glyph::Blank | Glyph::Node(_));
                let edges = picture.edges_at(y, x);
                assert_eq!(is_line, !edges.is_empty(), "{x} {y}");
                // Only small channels are checked for every bundle.
                let places = picture.rows.iter().enumerate().filter(|_| picture.rows.len() < 30);
                for (row, at) in places.map(|(row, of)| (row, of.at)) {
                    let expected = edges.iter().any(|edge| edge.from == at || edge.to == at);
                    assert_eq!(picture.shows_edge_of(y, x, (row, at)), expected, "{x} {y} {row}");
                }
            }
        }
    }
}

/// Creates unusual channels: cycles, several heads, missing names, downgrades.
pub(super) fn odd_channel() -> impl Strategy<Value = String> {
    let version = || 0..14_usize;
    let entry = (
        proptest::option::weighted(0.6, version()),
        proptest::collection::vec(version(), 0..4),
        proptest::option::weighted(0.4, (version(), version(), proptest::option::of(version()))),
    );
    proptest::collection::vec(entry, 1..12).prop_map(|entries| {
        let mut lines = String::new();
        for (n, (replaces, skips, range)) in entries.into_iter().enumerate() {
            lines += &format!("1.{n}.0");
            if let Some(n) = replaces {
                lines += &format!(" replaces=1.{n}.0");
            }
            if !skips.is_empty() {
                let skips: Vec<String> = skips.into_iter().map(|n| format!("1.{n}.0")).collect();
                lines += &format!(" skips={}", skips.join(","));
            }
            if let Some((from, to, except)) = range {
                let except = except.map(|n| format!("_!=1.{n}.0")).unwrap_or_default();
                lines += &format!(" range=>=1.{from}.0_<=1.{to}.0{except}");
            }
            lines.push('\n');
        }
        lines
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_edge_is_drawn_once_or_counted_and_decodes_from_glyphs(
        lines in odd_channel(),
        lanes in (0..5_usize, 0..5_usize, 0..5_usize),
        selected in proptest::option::of(0..12_u32),
        labels: bool,
        shared: bool,
    ) {
        let package = fixture::graph_from_lines(&lines);
        let options = Options {
            max_skip_lanes: lanes.0,
            max_spine_lanes: lanes.1,
            max_range_lanes: lanes.2,
            share_lanes: shared,
            labels,
            selected: selected.map(petgraph::graph::NodeIndex::from),
            ..Options::default()
        };
        check_layout(&package, &options);
    }
}
