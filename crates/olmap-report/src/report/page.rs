//! Page around the sections: the template, and the policy that keeps catalog content inactive.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use olm_catalog::{
    Origin,
    model::{RevisionOrigin, abbreviate_commit},
};
use sha2::{Digest as _, Sha256};

use super::{
    View, changes, deprecations, findings, html::Html, overview, packages, plan, stuck, upgrades,
    verdict::ReportVerdict,
};

const TEMPLATE: &str = include_str!("../../assets/report/page.html");
pub(super) const STYLE: &str = include_str!("../../assets/report/style.css");
pub(super) const SCRIPT: &str = include_str!("../../assets/report/script.js");

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
pub(super) fn render_page_html(view: &View<'_>, state: &ReportVerdict) -> String {
    let mut title = Html::default();
    title.push_text(&page_title(view));
    let body = render_body(view, state);
    let policy = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        policy_hash(STYLE),
        policy_hash(SCRIPT)
    );
    let slot = |name: &str| match name {
        "policy" => policy.as_str(),
        "title" => title.as_str(),
        "style" => STYLE,
        "script" => SCRIPT,
        "body" => body.as_str(),
        _ => "",
    };
    fill_template(slot)
}

/// Fills the slots of the template. Inserted text is not searched for slots.
fn fill_template<'a>(slot: impl Fn(&str) -> &'a str) -> String {
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
fn policy_hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// Returns the title of the page.
fn page_title(view: &View<'_>) -> String {
    let names = view.titles.join(", ");
    match view.report.packages {
        [] => format!("Catalog report: {names}"),
        packages => {
            let packages: Vec<&str> = packages.iter().map(AsRef::as_ref).collect();
            format!("Catalog report: {} in {names}", packages.join(", "))
        }
    }
}

fn render_body(view: &View<'_>, state: &ReportVerdict) -> Html {
    let mut html = Html::default();
    write_header(&mut html, view);
    html.push_markup("<main>\n");
    write_report_verdict(&mut html, view, state);
    let sections = page_sections(view);
    html.push_markup("<nav aria-label=\"Sections\"><ul>");
    for Section { id, title, number, .. } in &sections {
        html.push_markup("<li><a")
            .push_attribute("href", &format!("#{id}"))
            .push_markup(">")
            .push_markup(title);
        if !number.is_empty() {
            html.push_markup(" <span class=\"count\">").push_text(number).push_markup("</span>");
        }
        html.push_markup("</a></li>");
    }
    html.push_markup("</ul></nav>\n");
    for Section { id, title, html: part, .. } in &sections {
        html.push_markup("<section")
            .push_attribute("id", id)
            .push_markup("><h2>")
            .push_markup(title)
            .push_markup("</h2>\n");
        html.push(part).push_markup("</section>\n");
    }
    html.push_markup("</main>\n<footer><p>");
    write_origin(&mut html, view);
    html.push_markup("</p>\n<p><b>Classic</b> is OLM v0, with Subscriptions; <b>v1</b> is OLM v1, with ClusterExtensions. The <b>head</b> of a channel is the version that nothing in it replaces or skips. A version is <b>stuck</b> if no upgrades lead from it to the head of the default channel or a higher version.</p></footer>\n");
    html
}

/// Writes the program, the date, and the commits of all catalogs.
fn write_origin(html: &mut Html, view: &View<'_>) {
    let origin = &view.report.origin;
    html.push_markup("Made by olmap ").push_text(env!("CARGO_PKG_VERSION"));
    if let Some(date) = &origin.date {
        html.push_markup(" on ").push_text(date);
    }
    html.push_markup(".");
    for (nth, release) in view.report.releases.iter().enumerate() {
        let Some(Some(commit)) = origin.commits.get(nth) else { continue };
        let differs = if commit.is_modified { ", with changes that are not committed" } else { "" };
        html.push_markup(" ").push_text(&release.label).push_markup(": commit ");
        write_commit(html, view, &commit.name);
        html.push_markup(differs).push_markup(".");
    }
    for compared in &view.report.compared {
        if let Origin::Revision(RevisionOrigin { commit: Some(commit), .. }) =
            &compared.difference.before().catalog.origin
        {
            html.push_markup(" ").push_text(compared.old_label).push_markup(": commit ");
            write_commit(html, view, commit);
            html.push_markup(".");
        }
    }
}

/// Writes the abbreviated name of a commit, with a link if the repository is known.
fn write_commit(html: &mut Html, view: &View<'_>, commit: &str) {
    let short = abbreviate_commit(commit);
    match view.report.links.commit_address(commit) {
        Some(address) => html.push_web_link(&address, short),
        None => html.push_text(short),
    };
}

fn write_header(html: &mut Html, view: &View<'_>) {
    html.push_markup("<header><h1>").push_text(&page_title(view)).push_markup("</h1>\n<p class=\"about\">");
    let labels = view.report.releases.iter().map(|release| release.label.as_str());
    html.push_text(&labels.collect::<Vec<_>>().join(", "));
    let mut against: Vec<&str> = view.report.compared.iter().map(|compared| compared.old_label).collect();
    against.dedup();
    if !against.is_empty() {
        html.push_markup(", against ").push_text(&against.join(", "));
    }
    html.push_markup("</p></header>\n");
}

/// Writes the verdict and its reasons.
fn write_report_verdict(html: &mut Html, view: &View<'_>, state: &ReportVerdict) {
    html.push_markup("<div id=\"verdict\"")
        .push_attribute("class", &format!("verdict {}", state.grade.as_str()))
        .push_markup("><p class=\"lead\"><strong>");
    html.push_text(&state.lead).push_markup("</strong>");
    if !state.words.is_empty() {
        html.push_markup(" ").push_text(&state.words).push_markup(".");
    }
    html.push_markup("</p>\n<ul>");
    for (grade, words) in &state.facts {
        html.push_markup("<li")
            .push_attribute("class", grade.as_str())
            .push_markup(">")
            .push_text(words)
            .push_markup("</li>\n");
    }
    for left_out in &view.left_out {
        html.push_markup("<li class=\"bad\">")
            .push_text(&left_out.describe_omission())
            .push_markup(".</li>\n");
    }
    html.push_markup("</ul></div>\n");
}

/// Returns the nonempty sections in order.
fn page_sections(view: &View<'_>) -> Vec<Section> {
    let section = |id, title, (html, number): (Html, String)| Section { id, title, number, html };
    let is_compared = !view.report.compared.is_empty();
    let mut all = Vec::new();
    if is_compared {
        all.push(section("changes", "What changes, and for whom", changes::render_changes(view)));
    }
    all.push(section("stuck", "Stuck versions", stuck::render_stuck_section(view)));
    all.push(section("overview", "Overview", (overview::render_overview_section(view), String::new())));
    all.push(section("upgrades", "Upgrades", upgrades::render_upgrades(view)));
    if let Some(journey) = &view.report.update_plans {
        all.push(section("plan", "Cluster update", plan::render_plan_section(journey)));
    }
    all.push(section("findings", "Findings", findings::render_findings_section(view)));
    all.push(section("deprecations", "Deprecations", deprecations::render_deprecations(view)));
    all.push(section("packages", "Packages", packages::render_packages(view)));
    all.push(section("rules", "Why the rules matter", findings::render_rule_texts(view)));
    all.retain(|section| !section.html.is_empty());
    all
}
