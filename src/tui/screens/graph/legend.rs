//! Legend of the graph: the lines and marks that are on screen, with their meanings.

use crate::tui::{
    dialogs::legend::{Legend, LegendItem},
    parts::list::ListId,
    screens::graph::{Graph, options::GraphMode},
    session::context::ViewContext,
    widgets::what_if,
};
use olm_check::{RuleProperty, Severity};
use olmap_report::layout::{
    FoldLine, Layout, PathStop, Row,
    legend::{SIGNS, Sign, SignId, VisibleSigns},
};

/// Returns the legend of the visible picture.
pub(super) fn graph_legend(graph: &Graph, view_cx: &ViewContext<'_>) -> Legend {
    let mut legend = match graph.layout().filter(|_| graph.view.mode != GraphMode::SideBySide) {
        Some(layout) => channel_legend(graph, layout, view_cx),
        None => strips_legend(),
    };
    if view_cx.session.mark_comparison().is_some() {
        let words =
            format!("entry added, removed (struck), changed: compared with {}", what_if::base_label(view_cx));
        legend.items.push(LegendItem::with_sign("+ - ~", words));
    }
    legend
}

fn sign_item(sign: &Sign) -> LegendItem {
    LegendItem { unicode: sign.unicode, ascii: sign.ascii, meaning: sign.meaning.to_owned() }
}

/// Mark beside the graph or in the ruler, with the condition that it is on screen.
struct Mark {
    unicode: &'static str,
    ascii: &'static str,
    meaning: &'static str,
    is_visible: bool,
}

impl Mark {
    const fn visible_if(is_visible: bool, sign: &'static str, meaning: &'static str) -> Self {
        Self { unicode: sign, ascii: sign, meaning, is_visible }
    }

    const fn with_ascii(self, ascii: &'static str) -> Self {
        Self { ascii, ..self }
    }
}

/// Returns the items of the visible marks.
fn visible_items(marks: impl IntoIterator<Item = Mark>) -> Vec<LegendItem> {
    let visible = marks.into_iter().filter(|mark| mark.is_visible);
    visible
        .map(|mark| LegendItem { unicode: mark.unicode, ascii: mark.ascii, meaning: mark.meaning.to_owned() })
        .collect()
}

fn channel_legend(graph: &Graph, layout: &Layout, view_cx: &ViewContext<'_>) -> Legend {
    let mut signs = VisibleSigns::default();
    signs.add_picture(layout);
    let mut items: Vec<LegendItem> = signs.signs().map(sign_item).collect();
    let any = |is: &dyn Fn(&Row) -> bool| layout.rows.iter().any(is);
    let stops = |stop: PathStop| any(&|row| row.stops.classic == Some(stop) || row.stops.v1 == Some(stop));
    let edges = |is: &dyn Fn(&str) -> bool| any(&|row| is(row.relation.edge_mark()));
    let session = view_cx.session;
    let package = session.selection().package.as_ref();
    let has_finding = package.is_some_and(|package| {
        session.open_findings_of(package).any(|finding| {
            finding.severity() != Severity::Note && !finding.rule.has(RuleProperty::ShownInGraph)
        })
    });
    let marked = session.navigation.marked_bundle.as_ref();
    let has_mark = marked.is_some_and(|(_, name)| any(&|row| row.name == *name));
    let has_refusal = session
        .catalogs
        .safety()
        .is_some_and(|safety| safety.steps.iter().any(|(_, step)| step.overall_verdict().is_refused()));
    let is_changed = session.mark_comparison().is_some();
    items.extend(visible_items([
        Mark::visible_if(true, "@", "the selected bundle; all other marks refer to it"),
        Mark::visible_if(stops(PathStop::Passes), "│", "upgrades on Classic (left) or v1 (right) pass here")
            .with_ascii("|"),
        Mark::visible_if(stops(PathStop::Lands), "c v", "an upgrade on Classic or v1 goes through here"),
        Mark::visible_if(stops(PathStop::Ends), "C V", "upgrades on Classic or v1 end here"),
        Mark::visible_if(stops(PathStop::Leaves), "^", "v1 leaves the channel"),
        Mark::visible_if(
            edges(&|mark| mark.starts_with(['r', 's', '~'])),
            "r s ~",
            "edge from here to the selected bundle: replaces, skips, skipRange",
        ),
        Mark::visible_if(
            edges(&|mark| mark.starts_with('>')),
            ">r >s >~",
            "edge from the selected bundle to here",
        ),
        Mark::visible_if(edges(&|mark| mark.ends_with('X')), "rX", "an edge that Classic ignores"),
        Mark::visible_if(has_mark, "m", "the mark: start of the path shown below"),
        Mark::visible_if(has_refusal, "━", "upgrades that OLM v1 or Classic refuses").with_ascii("!"),
        Mark::visible_if(has_finding, "E !", "an error, a warning: see Problems"),
        Mark::visible_if(
            graph
                .graph_lines()
                .lines
                .iter()
                .any(|line| !matches!(line, FoldLine::Row(_) | FoldLine::Removed { .. })),
            "⋮",
            "folded rows",
        )
        .with_ascii("."),
        Mark::visible_if(is_changed, "≠", "another upgrade, or another end").with_ascii("#"),
    ]));
    // The ruler is drawn if not all rows are visible.
    let drawn = view_cx.frame.hits.drawn_list(ListId::Graph);
    let has_ruler = drawn.is_some_and(|drawn| drawn.rows > usize::from(drawn.area.height));
    let ruler_items = visible_items([
        Mark::visible_if(!graph.graph_lines().matches.is_empty(), "/", "search match"),
        Mark::visible_if(any(&|row| row.marks.dead_end), "■", "Classic never upgrades it").with_ascii("#"),
        Mark::visible_if(
            any(&|row| row.marks.missing_bundle || row.marks.on_cycle),
            "E",
            "no bundle, or a cycle",
        ),
        Mark::visible_if(any(&|row| row.marks.downgrade), "!", "a downgrade"),
        Mark::visible_if(true, "@", "selected bundle"),
        Mark::visible_if(stops(PathStop::Ends), "C V", "its path on Classic, its end on v1"),
        Mark::visible_if(any(&|row| row.marks.deprecated), "D", "deprecated"),
        Mark::visible_if(any(&|row| row.marks.head), "●", "the head").with_ascii("o"),
        Mark::visible_if(is_changed, "-", "gone"),
    ]);
    let ruler_items = if has_ruler { ruler_items } else { Vec::new() };
    Legend { title: "The graph on screen: any key closes", items, ruler_items }
}

/// Returns the legend of all channels side by side.
fn strips_legend() -> Legend {
    let mut items: Vec<LegendItem> =
        SIGNS.iter().filter(|sign| STRIP_SIGNS.contains(&sign.id)).map(sign_item).collect();
    items.extend(visible_items([
        Mark::visible_if(true, "[ ]", "the selected channel in the selected row"),
        Mark::visible_if(true, "* D !", "above a channel: default, deprecated, Classic cannot use it"),
        Mark::visible_if(true, "stuck", "how many of its entries are stuck"),
        Mark::visible_if(true, "in", "number of channels with the bundle"),
        Mark::visible_if(true, "m", "the mark: start of the path shown below"),
    ]));
    let ruler_items = visible_items([
        Mark::visible_if(true, "@", "the selected row"),
        Mark::visible_if(true, "●", "the head of the selected channel").with_ascii("o"),
        Mark::visible_if(true, "■", "Classic never upgrades it").with_ascii("#"),
        Mark::visible_if(true, "D", "deprecated"),
        Mark::visible_if(true, "?", "in no channel"),
    ]);
    Legend { title: "All channels: any key closes", items, ruler_items }
}

/// Signs that the strips have.
const STRIP_SIGNS: [SignId; 7] = [
    SignId::Entry,
    SignId::Skipped,
    SignId::DeadEnd,
    SignId::Dangling,
    SignId::Replaces,
    SignId::Ignored,
    SignId::Hidden,
];
