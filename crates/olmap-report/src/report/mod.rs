//! Report for people who do not use a terminal: a self-contained HTML file with the answers of the
//! commands.
//!
//! Only the page's own script is active; it sorts, filters and folds content that is complete
//! without it. Markup is ours and text is escaped (`changes::Html`). The policy of the page allows
//! only the style and the script whose hashes it names ([`render_page`]). The same input yields the same
//! bytes.

mod changes;
mod findings;
mod page;
mod stuck;
#[cfg(test)]
mod tests;
mod upgrades;
mod verdict;

use std::collections::BTreeMap;

use super::{
    diff::{CatalogComparison, Update},
    finding::CatalogFindings,
    omissions::OmittedPart,
    overview::{Column, SortedOverview},
    stuck::StuckPackage,
};
use crate::{
    graph::{InlineSvg, draw_inline, select_channels},
    layout::legend::SIGNS,
    overview::mark_ink,
    plan as export,
    plan::stranded_rows,
    style::Ink,
};
use changes::{Html, count_noun};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::Snapshot;
use olm_plan::{
    overview::{Change, Overview, OverviewRow, nonzero_marks},
    planner::{CatalogFix, PackagePlans, Plan, PlanCatalogs, PlanSettings},
    series::{Release, column_titles},
};
use olm_upgrade::{Engine, package::ChannelUpgrades};
use stuck::{Grade, column};

/// Contents of a page.
#[derive(Debug)]
pub struct Report<'a> {
    /// Catalogs in the order of their OpenShift versions.
    pub releases: &'a [Release<Snapshot>],
    /// Packages of the report; empty for all.
    pub packages: &'a [PackageName],
    /// Findings of each catalog, open and accepted.
    pub findings: Vec<CatalogFindings<'a>>,
    /// Stuck versions of each catalog.
    pub stuck: Vec<Vec<StuckPackage>>,
    /// Comparison of each catalog, in order; empty if nothing is compared.
    pub compared: Vec<CatalogComparison<'a>>,
    /// Upgrade plans from the first to the last catalog, if there are several with known versions.
    pub update_plans: Option<UpdatePlans>,
}

/// Upgrade plans from the first to the last catalog.
#[derive(Clone, Debug)]
pub struct UpdatePlans {
    /// Catalogs and plans.
    pub update: Update,
    /// Edit that opens an upgrade path for each stranded installation, by package as in
    /// [`UpdatePlans::update`].
    pub opens: Vec<Vec<Option<CatalogFix>>>,
}

impl UpdatePlans {
    /// Computes the plans and the edits.
    pub fn new(world: &PlanCatalogs, over: super::plan::PlanRange) -> Self {
        let questions = [PlanSettings::new(Engine::Classic), PlanSettings::new(Engine::V1)];
        let everyone = olm_plan::planner::AllPlans::new(world, &questions);
        let opens = |of: &PackagePlans| {
            let legs = world.find_package(of.package.as_str());
            let question = questions.iter().find(|question| question.engine == of.engine);
            legs.zip(question).map(|(legs, question)| of.find_fixes(legs, question)).unwrap_or_default()
        };
        let opens = everyone.packages.iter().map(opens).collect();
        Self { update: Update { over, everyone }, opens }
    }

    /// Returns true if an installation does not arrive.
    pub fn has_stranded(&self) -> bool {
        self.update.everyone.count_stranded().0 > 0
    }
}

/// Rendered page with its verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// Complete file.
    pub html: String,
    /// First line of the page as text.
    pub verdict: String,
}

/// Renders the page.
pub fn render_page(report: &Report<'_>) -> Page {
    let view = View::new(report);
    let state = verdict::ReportVerdict::from_view(&view);
    let html = page::render_page_html(&view, &state);
    Page { html, verdict: state.verdict_line() }
}

/// Report with data that several sections need.
struct View<'a> {
    report: &'a Report<'a>,
    /// Display name of each catalog.
    titles: Vec<String>,
    overview: SortedOverview,
    left_out: Vec<OmittedPart>,
}

impl<'a> View<'a> {
    fn new(report: &'a Report<'a>) -> Self {
        let catalogs: Vec<_> =
            report.releases.iter().map(|release| (release.openshift, &release.catalog)).collect();
        let is_wanted = |name: &PackageName| report.includes_package(name);
        let mut overview = Overview::new(&catalogs, is_wanted);
        overview.rows.sort_by_key(|row| std::cmp::Reverse(row.trouble()));
        let of_releases = report.releases.iter().map(|release| &release.catalog.catalog);
        let mut left_out: Vec<OmittedPart> =
            of_releases.filter_map(|catalog| OmittedPart::unread_in_packages(catalog, is_wanted)).collect();
        let others = report.compared.iter().flat_map(|compared| compared.left_out.iter().cloned());
        for other in others {
            if !left_out.contains(&other) {
                left_out.push(other);
            }
        }
        Self {
            report,
            titles: column_titles(report.releases),
            overview: SortedOverview { columns: Column::for_releases(report.releases), overview },
            left_out,
        }
    }

    /// Returns true if there are several catalogs, so that each item names its catalog.
    fn has_several(&self) -> bool {
        self.report.releases.len() > 1
    }

    /// Returns the display name of a catalog.
    fn catalog_title(&self, nth: usize) -> &str {
        self.titles.get(nth).map(String::as_str).unwrap_or_default()
    }

    /// Lists the display names of catalogs.
    fn join_titles(&self, catalogs: &[usize]) -> String {
        catalogs.iter().map(|nth| self.catalog_title(*nth)).collect::<Vec<_>>().join(", ")
    }
}

impl Report<'_> {
    /// Returns true if the report includes a package.
    fn includes_package(&self, name: &PackageName) -> bool {
        self.packages.is_empty() || self.packages.contains(name)
    }
}

/// Maximum number of rows.
const MAX_ROWS: usize = 1000;

/// Renders the table.
fn render_overview_section(view: &View<'_>, anchors: &Anchors) -> Html {
    let mut html = Html::default();
    let sorted = &view.overview;
    if sorted.overview.rows.is_empty() {
        return html;
    }
    html.push_markup("<p class=\"about\">The head of each package's default channel, and what is wrong, in installed versions of that channel. Packages with most trouble come first. ");
    html.push_text(&crate::overview::summarize_overview(sorted)).push_markup("</p>\n");
    html.push_markup("<div class=\"scroll\" role=\"region\" aria-label=\"Overview\" tabindex=\"0\"><table id=\"overview-table\"><caption>Heads</caption>\n<thead><tr><th scope=\"col\" class=\"package\">Package</th>");
    for column in &sorted.columns {
        html.push_markup("<th scope=\"col\"")
            .push_attribute("title", &column.label)
            .push_markup(">")
            .push_text(&column.title)
            .push_markup("</th>");
    }
    html.push_markup("</tr></thead>\n<tbody>\n");
    for row in sorted.overview.rows.iter().take(MAX_ROWS) {
        stuck::open_row(&mut html, package_grade(row));
        html.push_markup("<th scope=\"row\" class=\"package\">");
        match anchors.get(&row.package) {
            Some(anchor) => html
                .push_markup("<a")
                .push_attribute("href", &format!("#{anchor}"))
                .push_markup(">")
                .push_text(row.package.as_str())
                .push_markup("</a>"),
            None => html.push_text(row.package.as_str()),
        };
        html.push_markup("</th>");
        for nth in 0..sorted.columns.len() {
            write_overview_cell(&mut html, row, nth);
        }
        stuck::close_row(&mut html);
    }
    stuck::close_table(&mut html);
    html.push_markup("</div>\n");
    if let Some(more) = sorted.overview.rows.len().checked_sub(MAX_ROWS).filter(|more| *more > 0) {
        html.push_markup("<p class=\"cut\">")
            .push_text(&format!(
                "{more} more packages, with less trouble, are not shown here: olmap overview shows all."
            ))
            .push_markup("</p>\n");
    }
    html
}

fn package_grade(row: &OverviewRow) -> Grade {
    match row.trouble() {
        trouble if trouble.severe > 0 => Grade::Bad,
        trouble if trouble.minor > 0 => Grade::Warn,
        _ => Grade::Good,
    }
}

fn write_overview_cell(html: &mut Html, row: &OverviewRow, nth: usize) {
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        if row.is_removed(nth) {
            html.push_markup("<td data-key=\"9999999\"><span class=\"tag bad\">gone</span></td>");
        } else {
            html.push_markup("<td data-key=\"-1\"><span class=\"none\">not in it</span></td>");
        }
        return;
    };
    let trouble = cell.trouble();
    html.push_markup("<td")
        .push_attribute("data-key", &(trouble.severe * 1000 + trouble.minor).to_string())
        .push_markup(">");
    match cell.head() {
        Some(head) => html
            .push_markup("<b")
            .push_attribute("title", head.bundle.as_str())
            .push_markup(">")
            .push_text(&head.short_name)
            .push_markup("</b>"),
        None => html.push_markup("<span class=\"tag bad\">no head</span>"),
    };
    match cell.change {
        Some(Change::Lower) => {
            html.push_markup(" <span class=\"tag bad\">lower than before</span>");
        }
        Some(Change::New) => {
            html.push_markup(" <span class=\"tag good\">new</span>");
        }
        None => {}
    }
    for (mark, count) in nonzero_marks(|mark| cell.count_marked(mark)) {
        let class = match mark_ink(mark) {
            Ink::Error => "tag bad",
            Ink::Warning => "tag warn",
            _ => "tag",
        };
        html.push_markup(" <span")
            .push_attribute("class", class)
            .push_attribute("title", mark.meaning())
            .push_markup(">")
            .push_text(&mark.format_count(count))
            .push_markup("</span>");
    }
    html.push_markup("</td>");
}

/// Maximum size of the images in bytes.
const MAX_BYTES: usize = 1_500_000;

/// Addresses of the graphs on the page, by package.
#[derive(Debug, Default)]
struct Anchors(BTreeMap<PackageName, String>);

impl Anchors {
    /// Returns the address of a package's graphs, if it has any.
    pub fn get(&self, package: &PackageName) -> Option<&str> {
        self.0.get(package).map(String::as_str)
    }
}

/// Image of a channel, with the catalogs that share it.
struct ChannelGraph {
    channel: String,
    catalogs: Vec<usize>,
    words: String,
    drawn: InlineSvg,
}

/// Renders the images, and returns their addresses.
fn render_graphs(view: &View<'_>) -> (Html, Anchors) {
    let mut html = Html::default();
    let mut anchors = Anchors::default();
    let (mut undrawn, mut first) = (0, None);
    for (nth, row) in view.overview.overview.rows.iter().enumerate() {
        let channels = package_channels(view, row);
        if html.len() > MAX_BYTES {
            undrawn += channels.len();
            first.get_or_insert(&row.package);
            continue;
        }
        let pictures = draw_channel_graphs(&channels);
        if pictures.is_empty() {
            continue;
        }
        let anchor = format!("graph-{nth}");
        html.push_markup("<details class=\"graphs\"")
            .push_attribute("id", &anchor)
            .push_markup("><summary><b>")
            .push_text(row.package.as_str());
        html.push_markup("</b> <small>")
            .push_text(&count_noun(pictures.len(), "graph", "graphs"))
            .push_markup("</small></summary>\n");
        for picture in &pictures {
            let of = if view.has_several() {
                format!(" in {}", view.join_titles(&picture.catalogs))
            } else {
                String::new()
            };
            html.push_markup("<h4>").push_text(&picture.channel).push_markup(" <small>");
            html.push_text(&format!("{}{of}", picture.words)).push_markup("</small></h4>\n");
            write_figure(&mut html, &picture.drawn);
        }
        html.push_markup("</details>\n");
        anchors.0.insert(row.package.clone(), anchor);
    }
    if html.is_empty() {
        return (html, anchors);
    }
    let mut page = Html::default();
    page.push_markup("<p class=\"about\">A line for each version, the newest on top; the lines show what upgrades what. Runs of versions without remarks are one line.</p>\n");
    write_sign_legend(&mut page);
    page.push(&html);
    if undrawn > 0 {
        let words = format!(
            "{} more are not drawn here, so that the page stays small. --package NAME makes a page about one package, olmap graph draws any.",
            count_noun(undrawn, "graph", "graphs")
        );
        page.push_markup("<p class=\"cut\">").push_text(&words).push_markup("</p>\n");
    }
    (page, anchors)
}

/// Writes an image that may be wider than the page.
fn write_figure(html: &mut Html, picture: &InlineSvg) {
    html.push_markup("<div class=\"scroll\" role=\"region\" aria-label=\"Graph\" tabindex=\"0\">")
        .push_svg(picture)
        .push_markup("</div>\n");
}

/// Writes the legend.
fn write_sign_legend(html: &mut Html) {
    html.push_markup("<details><summary>What the signs mean</summary>\n<dl class=\"legend\">");
    for sign in SIGNS {
        html.push_markup("<dt>")
            .push_text(sign.unicode)
            .push_markup("</dt><dd>")
            .push_text(sign.meaning)
            .push_markup("</dd>");
    }
    html.push_markup("</dl></details>\n");
}

/// Channel of a catalog, with the graphs of its package.
type GraphChannel<'a> = (usize, &'a olm_upgrade::PackageGraph, &'a ChannelUpgrades);

/// Returns the channels of a package, newest catalog first, and in each the default channel first.
fn package_channels<'a>(view: &View<'a>, row: &OverviewRow) -> Vec<GraphChannel<'a>> {
    let releases = view.report.releases.iter().enumerate().rev();
    let of = |(nth, release): (usize, &'a olm_plan::series::Release<olm_check::review::Snapshot>)| {
        let judged = release.catalog.package(row.package.as_str());
        let graph = judged.map(|judged| &*judged.graph);
        let channels = graph.map(|graph| select_channels(graph, None)).unwrap_or_default();
        channels.into_iter().filter_map(|channel| Some((nth, graph?, channel))).collect::<Vec<_>>()
    };
    releases.flat_map(of).collect()
}

/// Returns the images of channels. Equal images in several catalogs are merged.
fn draw_channel_graphs(channels: &[GraphChannel<'_>]) -> Vec<ChannelGraph> {
    let mut pictures: Vec<ChannelGraph> = Vec::new();
    for (nth, graph, channel) in channels {
        let drawn = draw_inline(graph, channel, None);
        let name = channel.graph.name().to_string();
        if let Some(known) = pictures.iter_mut().find(|known| known.channel == name && known.drawn == drawn) {
            known.catalogs.insert(0, *nth);
            continue;
        }
        let entries = count_noun(channel.graph.entry_nodes().count(), "entry", "entries");
        let error = channel.chain.as_ref().err().map(|error| format!("; Classic: {error}"));
        let words = format!("{entries}{}", error.unwrap_or_default());
        pictures.push(ChannelGraph { channel: name, catalogs: vec![*nth], words, drawn });
    }
    pictures
}

/// Maximum number of groups of stranded versions per package.
const MAX_GROUPS: usize = 12;

/// Maximum number of versions listed per group.
const MAX_NAMES: usize = 8;

/// Maximum number of packages whose stranded versions are explained.
const MAX_PACKAGES: usize = 200;

/// Stranded versions with the same reason and the same remedy.
struct Group<'a> {
    olm: &'static str,
    reason: &'a str,
    opens: Option<&'a CatalogFix>,
    installed: Vec<&'a BundleName>,
}

/// Renders the table of stranded installations, and returns the number of packages.
fn render_plan_section(journey: &UpdatePlans) -> (Html, String) {
    let UpdatePlans { update, opens } = journey;
    let mut html = Html::default();
    let packages = write_stranded_table(&mut html, update, "plan-table");
    if packages == 0 {
        return (html, String::new());
    }
    html.push_markup("<h3>Why, and what helps</h3>\n");
    let all: Vec<(&PackagePlans, &Vec<Option<CatalogFix>>)> =
        update.everyone.packages.iter().zip(opens).collect();
    let mut told = 0;
    for pair in all.chunk_by(|a, b| a.0.package == b.0.package) {
        let groups = group_stranded(pair);
        let Some((first, _)) = pair.first().filter(|_| !groups.is_empty()) else { continue };
        told += 1;
        if told > MAX_PACKAGES {
            continue;
        }
        html.push_markup("<details><summary><b>")
            .push_text(first.package.as_str())
            .push_markup("</b></summary>\n<ul>");
        for Group { olm, reason, opens, installed } in groups.iter().take(MAX_GROUPS) {
            let named: Vec<&str> = installed.iter().take(MAX_NAMES).map(|name| name.as_str()).collect();
            let more = installed.len().checked_sub(MAX_NAMES).filter(|more| *more > 0);
            let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
            html.push_markup("<li>")
                .push_text(olm)
                .push_markup(": ")
                .push_text(reason)
                .push_markup(". <small>");
            html.push_text(&format!(
                "{}: {}{more}",
                count_noun(installed.len(), "version", "versions"),
                named.join(", ")
            ));
            html.push_markup("</small>");
            if let Some(opens) = opens {
                html.push_markup(" <span class=\"edit\">")
                    .push_text(&export::describe_path_fix(opens))
                    .push_markup("</span>");
            }
            html.push_markup("</li>\n");
        }
        html.push_markup("</ul>\n");
        if let Some(more) = groups.len().checked_sub(MAX_GROUPS).filter(|more| *more > 0) {
            html.push_markup("<p class=\"cut\">")
                .push_text(&format!("and {more} more reasons: olmap plan --all shows them"))
                .push_markup("</p>\n");
        }
        html.push_markup("</details>\n");
    }
    if told > MAX_PACKAGES {
        let words = format!("{} more packages: olmap plan --all shows all.", told - MAX_PACKAGES);
        html.push_markup("<p class=\"cut\">").push_text(&words).push_markup("</p>\n");
    }
    (html, count_noun(packages, "package", "packages"))
}

/// Writes one row per package with stranded installations, and returns the number of rows.
fn write_stranded_table(html: &mut Html, update: &Update, id: &'static str) -> usize {
    html.push_markup("<p class=\"about\">")
        .push_text(&export::summarize_stranded(&update.over, &update.everyone));
    if let Some(sentence) = update.over.describe_assumption() {
        html.push_markup(" ").push_text(&sentence);
    }
    html.push_markup("</p>\n");
    let rows = stranded_rows(&update.everyone);
    if rows.is_empty() {
        return 0;
    }
    let columns = [
        column("package", "Package"),
        column("olm", "OLM"),
        column("number", "Stranded"),
        column("of", "Of"),
        column("head", "To the head"),
        column("what", "Where, why, how many"),
    ];
    stuck::open_table(html, id, &format!("Who does not get from {}", update.over.version_range()), &columns);
    for row in &rows {
        stuck::open_row(html, Grade::Bad);
        stuck::write_cell(html, "package", row.plans.package.as_str());
        stuck::write_cell(html, "olm", row.olm);
        stuck::write_cell(html, "number", &row.plans.count_stranded().to_string());
        stuck::write_cell(html, "of", &row.plans.plans.len().to_string());
        stuck::write_cell(html, "head", &row.plans.count_at_head().to_string());
        stuck::write_cell(html, "what", &row.places);
        stuck::close_row(html);
    }
    stuck::close_table(html);
    rows.len()
}

fn group_stranded<'a>(of: &[(&'a PackagePlans, &'a Vec<Option<CatalogFix>>)]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (plans, opens) in of {
        for (plan, opens) in plans.plans.iter().zip(opens.iter()) {
            let Some(block) = &plan.blocked else { continue };
            let opens = opens.as_ref();
            let is_same = |group: &&mut Group<'_>| {
                (group.olm, group.reason, group.opens) == (plan.engine.label(), block.text.as_str(), opens)
            };
            let Some(installed) = installed_bundle(plan) else { continue };
            match groups.iter_mut().find(is_same) {
                Some(group) if !group.installed.contains(&installed) => group.installed.push(installed),
                Some(_) => {}
                None => groups.push(Group {
                    olm: plan.engine.label(),
                    reason: &block.text,
                    opens,
                    installed: vec![installed],
                }),
            }
        }
    }
    let mut merged: Vec<Group<'a>> = Vec::new();
    for group in groups {
        // A group that is the same for both OLMs is written once.
        let is_same = |known: &&mut Group<'_>| {
            (known.reason, known.opens, &known.installed) == (group.reason, group.opens, &group.installed)
        };
        match merged.iter_mut().find(is_same) {
            Some(known) => known.olm = "Both",
            None => merged.push(group),
        }
    }
    merged.sort_by_key(|group| std::cmp::Reverse(group.installed.len()));
    merged
}

/// Returns the bundle that is installed at the start.
fn installed_bundle(plan: &Plan) -> Option<&BundleName> {
    plan.stops.first().map(|stop| &stop.bundle)
}
