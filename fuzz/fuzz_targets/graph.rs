//! Graphs, resolvers, drawings and exports of small packages: nothing panics, and their guarantees hold.
#![no_main]

mod channels;

use std::collections::HashSet;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use olm_catalog::{BundleName, ChannelName, load};
use olm_upgrade::{
    EdgeKind, PackageGraph, UpgradeTable,
    package::ChannelUpgrades,
    path::{UpgradeContext, follow_path},
    v1::{Policy, Query},
};
use olm_version::masterminds::Constraint;
use olmap_report::{
    graph::{self, Format},
    layout::{self, Options},
};

/// Query to v1.
#[derive(Arbitrary, Debug)]
struct Question {
    channels: Vec<u8>,
    version: u8,
    of: u8,
    self_certified: bool,
}

impl Question {
    fn query(&self) -> Query {
        let version = channels::version(self.of);
        let version = match self.version % 6 {
            0 => String::new(),
            1 => version,
            2 => format!("^{version}"),
            3 => format!(">={version}-0"),
            4 => "1.x, !=1.2.0 || <1.1".to_owned(),
            _ => "next".to_owned(),
        };
        Query {
            channels: self.channels.iter().take(3).map(|c| format!("c{}", c % 4).into()).collect(),
            version,
            policy: if self.self_certified { Policy::SelfCertified } else { Policy::CatalogProvided },
        }
    }
}

/// Drawing options of a channel.
#[derive(Arbitrary, Debug)]
struct Drawing {
    selected: u8,
    within: Option<u8>,
    lanes: (u8, u8, u8),
    labels: bool,
}

impl Drawing {
    fn options(&self, upgrades: &ChannelUpgrades, query: &Query) -> Options {
        let selected = upgrades.graph.find_node(&channels::name(self.selected));
        let options = match self.within {
            Some(width) => Options::for_width(width.into()),
            None => Options {
                max_skip_lanes: (self.lanes.0 % 16).into(),
                max_spine_lanes: (self.lanes.1 % 16).into(),
                max_range_lanes: (self.lanes.2 % 16).into(),
                ..Options::default()
            },
        };
        Options { query: query.clone(), labels: self.labels, ..options }.with_selected(selected)
    }
}

/// Asserts that a v1 pick satisfies the query.
fn admitted(package: &PackageGraph, query: &Query, pick: &BundleName) {
    let package = &package.package;
    if !query.channels.is_empty() {
        let mut listed = package.channels_with(pick).map(|c| &c.name.value);
        assert!(
            listed.any(|c: &ChannelName| query.channels.contains(c)),
            "{pick} is in no channel of {query:?}"
        );
    }
    if !query.version.is_empty() {
        let constraint = Constraint::parse(&query.version).expect("a pick despite a broken constraint");
        let version = &package.bundle_version(pick.as_str()).expect("a pick without a version").version;
        assert!(constraint.matches(version), "{pick} breaks {}", query.version);
    }
}

fn table(package_graph: &PackageGraph, upgrades: &ChannelUpgrades, query: &Query) {
    let package = &package_graph.package;
    let table = UpgradeTable::new(package_graph, upgrades.graph.name(), query);
    assert_eq!(table.rows.len(), package.bundles.len());
    for row in &table.rows {
        if let Some(pick) = row.classic.target() {
            let chain = upgrades.chain.as_ref().expect("a pick without a chain");
            let at = upgrades.graph.find_node(pick.as_str()).expect("a pick is in the channel");
            assert!(chain.order.contains(&at), "Classic lands on the chain only");
            assert!(!upgrades.graph.is_skipped(at), "and never on what is skipped");
        }
        if let Some(pick) = row.v1.target() {
            admitted(package_graph, query, pick);
        }
        let answer = package_graph.resolve_classic(upgrades.graph.name().as_str(), Some(&row.installed));
        assert_eq!(answer.upgrade_target(), row.classic.target(), "the table and the answer agree");
        let _reason = answer.reason();
        let answer = package_graph.resolve_v1(query, Some(&row.installed));
        assert_eq!(answer.upgrade_target(), row.v1.target(), "the table and the answer agree");
        let _reason = answer.reason();
        let classic = UpgradeContext::Classic(upgrades.graph.name().clone());
        let steps = follow_path(package_graph, &classic, &row.installed, None);
        assert!(steps.hops.len() <= package.bundles.len());
        if steps.arrives() {
            assert_eq!(steps.last_bundle(), &row.classic_end.name);
            assert_eq!(steps.hops.len(), row.classic_end.hops);
        }
    }
    let _summary = table.summarize_channel();
    let fresh = package_graph.resolve_v1(query, None);
    if let Some(pick) = &fresh.pick {
        admitted(package_graph, query, pick);
    }
    let fresh = package_graph.resolve_classic(upgrades.graph.name().as_str(), None);
    let head = upgrades.graph.head().map(|node| &node.name);
    assert!(fresh.pick.is_none() || fresh.pick.as_ref() == head, "a fresh install gets the head");
}

fn picture(package: &PackageGraph, upgrades: &ChannelUpgrades, options: &Options) {
    let picture = layout::draw_layout(package, upgrades, options);
    let graph = upgrades.graph.graph();
    let rows: HashSet<_> = picture.rows.iter().map(|row| row.at).collect();
    assert_eq!(rows.len(), picture.rows.len(), "no bundle has two rows");
    assert_eq!(rows.len(), graph.node_count(), "every bundle has one");
    let mut drawn = HashSet::new();
    for (index, row) in picture.rows.iter().enumerate() {
        assert_eq!(row.cells.len(), picture.width());
        for column in 0..picture.width() {
            drawn.extend(picture.edges_at(index, column));
            let _carries = picture.shows_edge_of(index, column, (index, row.at));
        }
    }
    for edge in drawn.iter().filter(|edge| edge.kind != EdgeKind::SkipRange) {
        let there = graph.edges_connecting(edge.from, edge.to).any(|e| *e.weight() == edge.kind);
        assert!(there, "{edge:?} is drawn but not there");
    }
}

fuzz_target!(|input: (channels::Package, Question, Drawing)| {
    let (package, question, drawing) = input;
    let catalog = load::from_bytes(channels::catalog(&package).into_bytes());
    let package = catalog.package("p").expect("the package");
    assert!(!catalog.has_unread_parts(), "what is made can be read");
    let package_graph = PackageGraph::new(package);
    let query = question.query();
    for upgrades in package_graph.channels() {
        table(&package_graph, upgrades, &query);
        picture(&package_graph, upgrades, &drawing.options(upgrades, &query));
    }
    for format in [
        Format::Text,
        Format::SideBySide,
        Format::Mermaid,
        Format::Markdown,
        Format::Dot,
        Format::Svg,
        Format::Json,
        Format::Jsonl,
    ] {
        let exported = graph::render_graph(&package_graph, None, format, drawing.labels);
        let is_none = format == Format::Jsonl && exported.text.is_empty();
        assert!(is_none || exported.text.ends_with('\n'), "{format:?} ends its last line");
    }
});
