//! Page around the sections: the template, and the policy that keeps catalog content inactive.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use super::{
    View, changes, deprecations, findings, graphs, html::Html, overview, plan, state::State, stuck, upgrades,
};

const TEMPLATE: &str = include_str!("../../../assets/report/page.html");
pub(super) const STYLE: &str = include_str!("../../../assets/report/style.css");
pub(super) const SCRIPT: &str = include_str!("../../../assets/report/script.js");

/// Delimiters of a slot name in the template.
const SLOT: [&str; 2] = ["{{", "}}"];

/// Section of the page.
struct Section {
    id: &'static str,
    title: &'static str,
    /// Size of the section, for its link.
    number: String,
    html: Html,
}

/// Renders the file.
pub(super) fn html(view: &View<'_>, state: &State) -> String {
    let mut title = Html::default();
    title.text(&heading(view));
    let body = body(view, state);
    let policy = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let slot = |name: &str| match name {
        "policy" => policy.as_str(),
        "title" => title.as_str(),
        "style" => STYLE,
        "script" => SCRIPT,
        "body" => body.as_str(),
        _ => "",
    };
    fill(slot)
}

/// Fills the slots of the template. Inserted text is not searched for slots.
fn fill<'a>(slot: impl Fn(&str) -> &'a str) -> String {
    let [before, behind] = SLOT;
    let mut out = String::new();
    let mut pieces = TEMPLATE.split(before);
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (name, rest) = piece.split_once(behind).unwrap_or((piece, ""));
        out.push_str(slot(name));
        out.push_str(rest);
    }
    out
}

/// Returns the hash of a text in the syntax of the policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// Returns the title of the page.
fn heading(view: &View<'_>) -> String {
    let names = view.titles.join(", ");
    match view.report.packages {
        [] => format!("Catalog report: {names}"),
        packages => {
            let packages: Vec<&str> = packages.iter().map(AsRef::as_ref).collect();
            format!("Catalog report: {} in {names}", packages.join(", "))
        }
    }
}

fn body(view: &View<'_>, state: &State) -> Html {
    let mut html = Html::default();
    header(&mut html, view);
    html.raw("<main>\n");
    verdict(&mut html, view, state);
    let sections = sections(view);
    html.raw("<nav aria-label=\"Sections\"><ul>");
    for Section { id, title, number, .. } in &sections {
        html.raw("<li><a").attr("href", &format!("#{id}")).raw(">").raw(title);
        if !number.is_empty() {
            html.raw(" <span class=\"count\">").text(number).raw("</span>");
        }
        html.raw("</a></li>");
    }
    html.raw("</ul></nav>\n");
    for Section { id, title, html: part, .. } in &sections {
        html.raw("<section").attr("id", id).raw("><h2>").raw(title).raw("</h2>\n");
        html.push(part).raw("</section>\n");
    }
    html.raw("</main>\n<footer><p>Made by olmap ").text(env!("CARGO_PKG_VERSION"));
    html.raw(". <b>Classic</b> is OLM v0, with Subscriptions; <b>v1</b> is OLM v1, with ClusterExtensions. The <b>head</b> of a channel is the version that nothing in it replaces or skips. A version is <b>stuck</b> if no upgrades lead from it to the head of the default channel.</p></footer>\n");
    html
}

fn header(html: &mut Html, view: &View<'_>) {
    html.raw("<header><h1>").text(&heading(view)).raw("</h1>\n<p class=\"about\">");
    let labels = view.report.releases.iter().map(|release| release.label.as_str());
    html.text(&labels.collect::<Vec<_>>().join(", "));
    let mut against: Vec<&str> = view.report.compared.iter().map(|compared| compared.old_label).collect();
    against.dedup();
    if !against.is_empty() {
        html.raw(", against ").text(&against.join(", "));
    }
    html.raw("</p></header>\n");
}

/// Writes the verdict and its reasons.
fn verdict(html: &mut Html, view: &View<'_>, state: &State) {
    html.raw("<div id=\"verdict\"")
        .attr("class", &format!("verdict {}", state.grade.as_str()))
        .raw("><p class=\"lead\"><strong>");
    html.text(&state.lead).raw("</strong>");
    if !state.words.is_empty() {
        html.raw(" ").text(&state.words).raw(".");
    }
    html.raw("</p>\n<ul>");
    for (grade, words) in &state.facts {
        html.raw("<li").attr("class", grade.as_str()).raw(">").text(words).raw("</li>\n");
    }
    for left_out in &view.left_out {
        html.raw("<li class=\"bad\">").text(&left_out.sentence()).raw(".</li>\n");
    }
    html.raw("</ul></div>\n");
}

/// Returns the nonempty sections in order.
fn sections(view: &View<'_>) -> Vec<Section> {
    let section = |id, title, (html, number): (Html, String)| Section { id, title, number, html };
    let is_compared = !view.report.compared.is_empty();
    // A comparison contains the graphs that changed.
    let (pictures, anchors) =
        if is_compared { (Html::default(), graphs::Anchors::default()) } else { graphs::html(view) };
    let mut all = Vec::new();
    if is_compared {
        all.push(section("changes", "What changes, and for whom", changes::html(view)));
    }
    all.push(section("stuck", "Stuck versions", stuck::html(view)));
    all.push(section("overview", "Overview", (overview::html(view, &anchors), String::new())));
    all.push(section("upgrades", "Upgrades", upgrades::html(view)));
    if let Some(journey) = &view.report.journey {
        all.push(section("plan", "Cluster update", plan::html(journey)));
    }
    all.push(section("findings", "Findings", findings::html(view)));
    all.push(section("deprecations", "Deprecations", deprecations::html(view)));
    all.push(section("graphs", "Graphs", (pictures, String::new())));
    all.retain(|section| !section.html.is_empty());
    all
}
