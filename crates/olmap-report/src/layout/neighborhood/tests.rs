//! Tests of neighborhoods as text, and their invariants.

use std::collections::BTreeSet;

use petgraph::visit::EdgeRef;
use proptest::prelude::*;

use super::{line_decoder::decode_upgrades, *};
use crate::layout::{fixture, glyph::Arms, tests::odd_channel};

/// Draws the neighborhood of a version in channel `c`.
fn neighborhood_of(package: &PackageGraph, centre: &str, (width, height): (usize, usize)) -> Neighborhood {
    let channel = &package.channels()[0];
    let centre = channel.graph.find_node(&format!("p.v{centre}")).unwrap();
    draw_neighborhood(package, channel, centre, &Options { width, height, ..Options::default() })
}

fn draw_text(
    lines: &str,
    centre: &str,
    size: (usize, usize),
    glyph: fn(CellGlyph) -> &'static str,
) -> String {
    render_text(&neighborhood_of(&fixture::graph_from_lines(lines), centre, size), glyph)
}

fn draw_unicode(lines: &str, centre: &str) -> String {
    draw_text(lines, centre, (100, 20), CellGlyph::unicode)
}

/// Formats the picture with the text of its boxes and its counts.
fn render_text(picture: &Neighborhood, glyph: fn(CellGlyph) -> &'static str) -> String {
    let mut rows: Vec<Vec<String>> =
        picture.cells.iter().map(|row| row.iter().map(|c| glyph(c.glyph).to_owned()).collect()).collect();
    for one in &picture.boxes {
        for (y, line) in (one.room.y..).zip(std::iter::once(&one.title).chain(&one.notes)) {
            for (x, c) in (one.room.x..one.room.x + one.room.width).zip(line.chars()) {
                rows[y][x] = c.to_string();
            }
        }
    }
    let mut out = String::from("\n");
    for row in rows {
        out += row.concat().trim_end();
        out.push('\n');
    }
    for (count, what) in
        [(picture.hidden, "not drawn"), (picture.inside, "inside boxes"), (picture.beyond, "beyond")]
    {
        if count > 0 {
            out += &format!("{count} {what}\n");
        }
    }
    out
}

const CHAIN: &str =
    "5.0.0 replaces=4.0.0\n4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0";

const SKIPS: &str =
    "3.0.0 replaces=2.0.0 skips=2.3.0,2.2.0,2.1.0\n2.3.0\n2.2.0\n2.1.0\n2.0.0 replaces=1.0.0\n1.0.0";

const SKETCH: &str = "2.5.4 replaces=2.5.1 skips=2.5.3,2.5.2 range=>=2.4.0_<2.5.4
2.5.3 skips=2.3.7
2.5.2
2.5.1 replaces=2.4.9
2.4.9 replaces=2.3.6
2.3.7";

/// Creates a channel where every entry replaces the next and its range includes all below it.
fn wide_range_channel(entries: usize) -> String {
    let mut lines = String::new();
    for n in (1..entries).rev() {
        lines += &format!("1.{n}.0 replaces=1.{}.0 range=<1.{n}.0\n", n - 1);
    }
    lines + "1.0.0"
}

const DOWN: &str = "1.9.0 replaces=1.8.0 skips=2.0.0\n2.0.0\n1.8.0 replaces=1.7.0\n1.7.0";

const BRANCHES: &str =
    "3.0.0 replaces=2.0.0\n2.5.0 replaces=1.0.0\n2.0.0 replaces=1.0.0\n1.0.0 replaces=0.9.0\n0.9.0";

const CYCLE: &str = "4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0 replaces=3.0.0";

#[test]
fn draws_chain_in_one_row_from_old_to_new() {
    let expected = "
╭─────╮      ╭─────╮      ┏━━━━━┓      ╭─────────────────╮      ╭─────╮
│1.0.0├────r▸│2.0.0├────r▸┃3.0.0┠────r▸│4.0.0            ├────r▸│5.0.0│
╰─────╯      ╰─────╯      ┗━━━━━┛      │Classic + v1 pick│      │HEAD │
                                       ╰─────────────────╯      ╰─────╯
";
    assert_eq!(draw_unicode(CHAIN, "3.0.0"), expected);
}

#[test]
fn ascii_has_same_arms_as_unicode() {
    let expected = "
+-----------------------+       +----------------+         +=====+
|2.3.7                  |       |2.5.1           +-------r>|2.5.4|
|STUCK, SKIPPED by 2.5.3|X=.    +----------------+   .~~~~>|HEAD |
+-----------------------+  |    +----------------+  .:===s>|     |
+-----------------------+  '==s>|2.5.3           +==+:     +=====+
|2.3.6                  |       |SKIPPED by 2.5.4+~~|+
|not in this channel    +--.    +----------------+  |:
+-----------------------+  |    +----------------+  |:
                           |    |2.5.2           +==':
                           |    |SKIPPED by 2.5.4+~~~+
                           |    +----------------+   :
                           |    +----------------+   :
                           '--r>|2.4.9           +~~~'
                                +----------------+
2 not drawn
";
    assert_eq!(draw_text(SKETCH, "2.5.4", (80, 14), CellGlyph::ascii), expected);
}

#[test]
fn skips_of_same_entry_join() {
    let expected = "
╭─────╮      ╭────────────────╮       ┏━━━━━┓
│1.0.0├────r▸│2.0.0           ├─────r▸┃3.0.0┃
╰─────╯      ╰────────────────╯  ╔══s▸┃HEAD ┃
             ╭────────────────╮  ║    ┗━━━━━┛
             │2.3.0           ├══╣
             │SKIPPED by 3.0.0│  ║
             ╰────────────────╯  ║
             ╭────────────────╮  ║
             │2.2.0           ├══╣
             │SKIPPED by 3.0.0│  ║
             ╰────────────────╯  ║
             ╭────────────────╮  ║
             │2.1.0           ├══╝
             │SKIPPED by 3.0.0│
             ╰────────────────╯
";
    assert_eq!(draw_unicode(SKIPS, "3.0.0"), expected);
}

#[test]
fn skipped_bundles_share_a_box_if_space_is_short() {
    let expected = "
╭─────╮      ╭────────────────────────────────╮      ┏━━━━━┓
│1.0.0├────r▸│2.0.0                           ├────r▸┃3.0.0┃
╰─────╯      ╰────────────────────────────────╯  ╔═s▸┃HEAD ┃
             ╭────────────────────────────────╮  ║   ┗━━━━━┛
             │3 versions                      ├══╝
             │2.1.0 .. 2.3.0, SKIPPED by 3.0.0│
             ╰────────────────────────────────╯
";
    assert_eq!(draw_text(SKIPS, "3.0.0", (60, 8), CellGlyph::unicode), expected);
}

#[test]
fn edge_that_classic_ignores_starts_with_a_cross() {
    let expected = "
┏━━━━━━━━━━━━━━━━━━━━━━━┓      ╭─────────────────────────╮       ╭─────╮
┃2.3.7                  ┃✗═══s▸│2.5.3                    ├═════s▸│2.5.4│
┃STUCK, SKIPPED by 2.5.3┃      │v1 pick, SKIPPED by 2.5.4├╌╌╌╌╌~▸│HEAD │
┗━━━━━━━━━━━━━━━━━━━━━━━┛      ╰─────────────────────────╯       ╰─────╯
";
    assert_eq!(draw_unicode(SKETCH, "2.3.7"), expected);
}

#[test]
fn three_kinds_differ_in_shape_and_letter() {
    let expected = "
╭───────────────────────╮       ╭────────────────╮         ┏━━━━━┓
│2.3.7                  │       │2.5.1           ├───────r▸┃2.5.4┃
│STUCK, SKIPPED by 2.5.3│✗══╗   │                ├╌╌╌┬╌╌╌~▸┃HEAD ┃
╰───────────────────────╯   ║   │                │  ╔┊═══s▸┃     ┃
╭───────────────────────╮   ║   ╰────────────────╯  ║┊     ┗━━━━━┛
│2.3.6                  │   ║   ╭────────────────╮  ║┊
│not in this channel    ├──╮╚═s▸│2.5.3           ├══╣┊
╰───────────────────────╯  │    │SKIPPED by 2.5.4├╌╌║┤
                           │    ╰────────────────╯  ║┊
                           │    ╭────────────────╮  ║┊
                           │    │2.5.2           ├══╝┊
                           │    │SKIPPED by 2.5.4├╌╌╌┤
                           │    ╰────────────────╯   ┊
                           │    ╭────────────────╮   ┊
                           ╰──r▸│2.4.9           ├╌╌╌╯
                                │                │
                                ╰────────────────╯
1 not drawn
";
    assert_eq!(draw_unicode(SKETCH, "2.5.4"), expected);
}

#[test]
fn wide_range_is_a_line_to_a_box_of_many_bundles() {
    let expected = "
╭─────────────────────╮        ┏━━━━━━┓       ╭───────────────────────╮
│1.9.0                ├──────r▸┃1.10.0┠╌╌╌╌┬~▸│1.20.0                 │
│                     ├╌╌┬╌╌╌~▸┃      ┠──╮ ┊  │Classic + v1 pick, HEAD│◂r╮
│                     │◂r┊╮    ┗━━━━━━┛  │ ┊  ╰───────────────────────╯  │
╰─────────────────────╯  ┊│              │ ┊  ╭───────────────────────╮  │
╭─────────────────────╮  ┊│              ╰─┊r▸│1.11.0                 │  │
│9 versions           ├╌╌╯│                ├~▸│                       ├──│╮
│1.0.0 .. 1.8.0, range├───╯                ┊  ╰───────────────────────╯  ││
╰─────────────────────╯                    ┊  ╭───────────────────────╮  ││
                                           ╰~▸│8 versions             ├──╯│
                                              │1.12.0 .. 1.19.0, range│◂r─╯
                                              ╰───────────────────────╯
126 not drawn
79 inside boxes
";
    assert_eq!(draw_unicode(&wide_range_channel(21), "1.10.0"), expected);
}

#[test]
fn five_hundred_entries_are_two_boxes() {
    let expected = "
╭───────────────────────╮        ┏━━━━━━━┓
│1.498.0                ├──────r▸┃1.499.0┃
╰───────────────────────╯  ╭╌╌╌~▸┃HEAD   ┃
╭───────────────────────╮  ┊     ┗━━━━━━━┛
│498 versions           ├╌╌╯
│1.0.0 .. 1.497.0, range│
╰───────────────────────╯
500 not drawn
124250 inside boxes
";
    assert_eq!(draw_text(&wide_range_channel(500), "1.499.0", (50, 7), CellGlyph::unicode), expected);
}

#[test]
fn edges_without_space_are_counted_in_a_box() {
    let expected = "
│1.9.0       ├───r▸┃1.10.0┠╌┬╌~▸│1.20.0      │
│            ├╌╌┬~▸┃      ┠─┊╮  │Classic + v1│
│            │  ┊           ┊│  │pick, HEAD  │◂r╮
                ┊           ┊│                  │
│9 versions  ├╌╌╯           ┊╰r▸│1.11.0      │  │
│1.0.0 ..    │              ┊                   │
│1.8.0, range│              ╰╌~▸│+8 more     ├──╯
129 not drawn
79 inside boxes
";
    assert_eq!(draw_text(&wide_range_channel(21), "1.10.0", (50, 7), CellGlyph::unicode), expected);
}

#[test]
fn note_reports_downgrade() {
    let expected = "
╭─────╮      ╭────────────────╮       ┏━━━━━━━━━━━━━━━┓
│1.7.0├────r▸│1.8.0           ├─────r▸┃1.9.0          ┃
╰─────╯      ╰────────────────╯  ╔══s▸┃HEAD, goes DOWN┃
             ╭────────────────╮  ║    ┗━━━━━━━━━━━━━━━┛
             │2.0.0           ├══╝
             │SKIPPED by 1.9.0│
             ╰────────────────╯
";
    assert_eq!(draw_unicode(DOWN, "1.9.0"), expected);
}

#[test]
fn draws_branches_separately() {
    let expected = "
╭─────╮      ┏━━━━━┓      ╭───────────────────────╮      ╭──────────────╮
│0.9.0├────r▸┃1.0.0┠───┬r▸│2.5.0                  │      │3.0.0         │
╰─────╯      ┗━━━━━┛   │  │v1 pick, HEAD, one of 2│  ╭─r▸│HEAD, one of 2│
                       │  ╰───────────────────────╯  │   ╰──────────────╯
                       │  ╭───────────────────────╮  │
                       ╰r▸│2.0.0                  ├──╯
                          ╰───────────────────────╯
";
    assert_eq!(draw_unicode(BRANCHES, "1.0.0"), expected);
}

#[test]
fn draws_cycle_below_the_boxes() {
    let expected = "
╭───────────────────────╮      ┏━━━━━━━━━━━━━━━━━━━━━━━━┓     ╭────────────────────────╮     ╭─────╮
│1.0.0                  ├────r▸┃2.0.0                   ┠───r▸│3.0.0                   ├───r▸│4.0.0│
│STUCK, goes DOWN, CYCLE│      ┃STUCK, CYCLE of replaces┃     │v1 pick, STUCK, CYCLE of│     │HEAD │
│of replaces            │◂r╮   ┗━━━━━━━━━━━━━━━━━━━━━━━━┛     │replaces                ├──╮  ╰─────╯
╰───────────────────────╯  │                                  ╰────────────────────────╯  │
                           ╰──────────────────────────────────────────────────────────────╯
";
    assert_eq!(draw_unicode(CYCLE, "2.0.0"), expected);
}

#[test]
fn draws_dead_end_in_narrow_picture() {
    let expected = "
┏━━━━━━━━━┓     ╭──────────╮     ╭─────╮
┃2.3.7    ┃✗══s▸│2.5.3     ├═══s▸│2.5.4│
┃STUCK,   ┃     │v1 pick,  ├╌╌╌~▸│HEAD │
┃SKIPPED b┃     │SKIPPED by│     ╰─────╯
┗━━━━━━━━━┛     ╰──────────╯
";
    assert_eq!(draw_text(SKETCH, "2.3.7", (40, 5), CellGlyph::unicode), expected);
}

/// Checks the invariants of a picture.
fn check_neighborhood(
    package: &PackageGraph,
    channel: &ChannelUpgrades,
    centre: NodeIndex,
    (width, height): (usize, usize),
) {
    let graph = &channel.graph;
    let picture =
        draw_neighborhood(package, channel, centre, &Options { width, height, ..Options::default() });
    let drawn = || render_text(&picture, CellGlyph::unicode);
    // The size is within its bounds.
    assert!(picture.width() <= width && picture.height() <= height, "{}", drawn());
    assert!(picture.cells.iter().all(|row| row.len() == picture.width()));
    // Boxes are inside the picture, do not overlap, and contain each bundle once.
    let mut taken = BTreeSet::new();
    let mut members = BTreeSet::new();
    for one in &picture.boxes {
        let Area { x, y, width, height } = one.area;
        for at in (y..y + height).flat_map(|y| (x..x + width).map(move |x| (y, x))) {
            assert!(at.0 < picture.height() && at.1 < picture.width(), "{}", drawn());
            assert!(taken.insert(at), "boxes overlap{}", drawn());
        }
        assert!(one.room.x + one.room.width <= x + width && one.room.y + one.room.height <= y + height);
        assert!(one.notes.len() < one.room.height, "no room for the words{}", drawn());
        for &at in &one.members {
            assert!(members.insert(at), "a bundle stands twice{}", drawn());
        }
    }
    // Every bundle within two hops is shown or counted.
    assert_eq!(picture.boxes.is_empty(), width < 3 || height == 0);
    assert_eq!(
        members.len() + picture.beyond,
        1 + picture.older + picture.newer - usize::from(picture.boxes.is_empty())
    );
    // Every edge between these bundles is drawn, inside a box, or counted.
    let mut edges = 0;
    let holder = |at: NodeIndex| picture.box_of_node(at);
    let mut linked = BTreeSet::new();
    let mut seen = |from, to, kind| {
        if members.contains(&from) && members.contains(&to) {
            edges += 1;
            linked.insert((holder(from).unwrap(), holder(to).unwrap(), kind));
        }
    };
    for edge in graph.graph().edge_references() {
        seen(edge.source(), edge.target(), *edge.weight());
    }
    for to in graph.entry_nodes() {
        for from in graph.graph().node_indices().filter(|&from| from != to) {
            let version = graph.node(from).and_then(|n| n.version.as_ref());
            if version.is_some_and(|v| graph.entry(to).unwrap().range_matches(&v.version)) {
                seen(from, to, EdgeKind::SkipRange);
            }
        }
    }
    let on_lines: usize = picture.strands.iter().map(|s| s.edges).sum();
    assert_eq!(edges, on_lines + picture.inside + picture.hidden, "{}", drawn());
    // The glyphs show exactly the upgrades of the strands, each once, and all of them exist.
    let mut claimed = BTreeSet::new();
    for strand in &picture.strands {
        for (&from, &to) in strand.from.iter().flat_map(|from| strand.to.iter().map(move |to| (from, to))) {
            assert!(claimed.insert((from, to, strand.kind, strand.ignored)), "drawn twice{}", drawn());
            assert!(linked.contains(&(from, to, strand.kind)), "no such edge{}", drawn());
            let skipped = picture.boxes[to].members.iter().filter(|&&at| graph.is_skipped(at)).count();
            assert!(if strand.ignored { skipped > 0 } else { skipped < picture.boxes[to].members.len() });
        }
    }
    assert_eq!(decode_upgrades(&picture), claimed, "{}", drawn());
    // Cells know their lines; only crossing lines share a cell.
    for (y, x) in (0..picture.height()).flat_map(|y| (0..picture.width()).map(move |x| (y, x))) {
        let cell = &picture.cells[y][x];
        let most = match cell.glyph {
            CellGlyph::Blank | CellGlyph::Frame(_) | CellGlyph::CenterFrame(_) => 0,
            CellGlyph::Line(_, Arms::VERTICAL) => 2,
            _ => 1,
        };
        assert!(cell.strands.len() <= most && (most == 0 || !cell.strands.is_empty()), "{y} {x}{}", drawn());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_upgrade_is_drawn_once_or_counted_and_decodes_from_glyphs(
        lines in odd_channel(),
        centre in 0..14_usize,
        width in 0..130_usize,
        height in 0..40_usize,
    ) {
        let package = fixture::graph_from_lines(&lines);
        let channel = &package.channels()[0];
        let nodes = channel.graph.graph().node_count();
        check_neighborhood(&package, channel, NodeIndex::new(centre % nodes), (width, height));
    }
}

#[test]
fn published_catalogs_satisfy_the_invariants() {
    let mut pictures = 0;
    // The two newest catalogs are enough.
    for (_, path) in olmap_testing::published_catalogs().into_iter().rev().take(2) {
        let catalog = olm_catalog::load::open_catalog(path).unwrap();
        for package in catalog.packages() {
            let package = PackageGraph::new(package);
            for channel in package.channels() {
                for at in channel.graph.graph().node_indices().step_by(7) {
                    for size in [(118, 26), (78, 13), (48, 7)] {
                        check_neighborhood(&package, channel, at, size);
                        pictures += 1;
                    }
                }
            }
        }
    }
    println!("{pictures} pictures");
}

#[test]
fn every_size_gives_a_valid_or_empty_picture() {
    let package = fixture::graph_from_lines(SKETCH);
    let channel = &package.channels()[0];
    for at in channel.graph.graph().node_indices() {
        for size in (0..30).flat_map(|width| (0..9).map(move |height| (width, height))) {
            check_neighborhood(&package, channel, at, size);
        }
    }
    let none = neighborhood_of(&package, "2.5.4", (1, 1));
    assert_eq!((none.width(), none.height(), none.beyond), (0, 0, none.older + none.newer));
}

#[test]
fn first_neighbour_is_the_pick_or_the_replaced_bundle() {
    let package = fixture::graph_from_lines(SKETCH);
    let graph = &package.channels()[0].graph;
    let first = |centre: &str, side| {
        // The result does not depend on the size of the picture.
        let at = neighborhood_of(&package, centre, (0, 0)).first_neighbor(side);
        at.and_then(|at| graph.node(at)).map(|node| node.name.to_string()).unwrap_or_default()
    };
    assert_eq!(first("2.4.9", Side::Newer), "p.v2.5.4", "the pick, before 2.5.1, which replaces it");
    assert_eq!(first("2.5.4", Side::Older), "p.v2.5.1");
    assert_eq!(first("2.5.4", Side::Newer), "");
    assert_eq!(first("2.3.6", Side::Older), "");
}

#[test]
fn kinds_are_those_that_are_drawn() {
    let package = fixture::graph_from_lines(SKETCH);
    assert_eq!(
        neighborhood_of(&package, "2.3.7", (100, 20)).drawn_kinds(),
        (vec![EdgeKind::Skips, EdgeKind::SkipRange], true)
    );
    assert_eq!(neighborhood_of(&package, "2.3.6", (20, 20)).drawn_kinds(), (vec![], false));
}

#[test]
fn note_reports_pick_in_another_channel() {
    let package =
        fixture::graph_from_channels(&[("c", "2.0.0 replaces=1.0.0\n1.0.0"), ("fast", "9.0.0 range=<9.0.0")]);
    let picture = neighborhood_of(&package, "1.0.0", (60, 9));
    assert_eq!(picture.boxes[0].notes.join(" "), "v1 leaves this channel");
}
