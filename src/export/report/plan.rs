//! Upgrade plans from the first catalog to the last: stranded installations, the reasons, and the
//! edit that helps.

use super::{
    Journey,
    html::{Html, count},
    table::{self, Grade, column},
};
use crate::{
    catalog::BundleName,
    export::plan::{self as export, troubled},
    plan::planner::{Opens, PackagePlans, Plan},
};

use crate::export::diff::Update;

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
    opens: Option<&'a Opens>,
    installed: Vec<&'a BundleName>,
}

/// Renders the table of stranded installations, and returns the number of packages.
pub(super) fn html(journey: &Journey) -> (Html, String) {
    let Journey { update, opens } = journey;
    let mut html = Html::default();
    let packages = summary(&mut html, update, "plan-table");
    if packages == 0 {
        return (html, String::new());
    }
    html.raw("<h3>Why, and what helps</h3>\n");
    let all: Vec<(&PackagePlans, &Vec<Option<Opens>>)> = update.everyone.packages.iter().zip(opens).collect();
    let mut told = 0;
    for pair in all.chunk_by(|a, b| a.0.package == b.0.package) {
        let groups = groups(pair);
        let Some((first, _)) = pair.first().filter(|_| !groups.is_empty()) else { continue };
        told += 1;
        if told > MAX_PACKAGES {
            continue;
        }
        html.raw("<details><summary><b>").text(first.package.as_str()).raw("</b></summary>\n<ul>");
        for Group { olm, reason, opens, installed } in groups.iter().take(MAX_GROUPS) {
            let named: Vec<&str> = installed.iter().take(MAX_NAMES).map(|name| name.as_str()).collect();
            let more = installed.len().checked_sub(MAX_NAMES).filter(|more| *more > 0);
            let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
            html.raw("<li>").text(olm).raw(": ").text(reason).raw(". <small>");
            html.text(&format!(
                "{}: {}{more}",
                count(installed.len(), "version", "versions"),
                named.join(", ")
            ));
            html.raw("</small>");
            if let Some(opens) = opens {
                html.raw(" <span class=\"edit\">").text(&export::opens(opens)).raw("</span>");
            }
            html.raw("</li>\n");
        }
        html.raw("</ul>\n");
        if let Some(more) = groups.len().checked_sub(MAX_GROUPS).filter(|more| *more > 0) {
            html.raw("<p class=\"cut\">")
                .text(&format!("and {more} more reasons: olmap plan --all shows them"))
                .raw("</p>\n");
        }
        html.raw("</details>\n");
    }
    if told > MAX_PACKAGES {
        let words = format!("{} more packages: olmap plan --all shows all.", told - MAX_PACKAGES);
        html.raw("<p class=\"cut\">").text(&words).raw("</p>\n");
    }
    (html, count(packages, "package", "packages"))
}

/// Writes one row per package with stranded installations, and returns the number of rows.
pub(super) fn summary(html: &mut Html, update: &Update, id: &'static str) -> usize {
    html.raw("<p class=\"about\">").text(&export::summary(&update.over, &update.everyone));
    if let Some(sentence) = update.over.assumption() {
        html.raw(" ").text(&sentence);
    }
    html.raw("</p>\n");
    let rows = troubled(&update.everyone);
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
    table::open(html, id, &format!("Who does not get from {}", update.over.ends()), &columns);
    for row in &rows {
        table::row(html, Grade::Bad);
        table::cell(html, "package", row.of.package.as_str());
        table::cell(html, "olm", row.olm);
        table::cell(html, "number", &row.of.stranded().to_string());
        table::cell(html, "of", &row.of.plans.len().to_string());
        table::cell(html, "head", &row.of.at_head().to_string());
        table::cell(html, "what", &row.places);
        table::end_row(html);
    }
    table::close(html);
    rows.len()
}

fn groups<'a>(of: &[(&'a PackagePlans, &'a Vec<Option<Opens>>)]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (plans, opens) in of {
        for (plan, opens) in plans.plans.iter().zip(opens.iter()) {
            let Some(block) = &plan.blocked else { continue };
            let opens = opens.as_ref();
            let is_same = |group: &&mut Group<'_>| {
                (group.olm, group.reason, group.opens) == (plan.engine.label(), block.text.as_str(), opens)
            };
            let Some(installed) = start(plan) else { continue };
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
fn start(plan: &Plan) -> Option<&BundleName> {
    plan.stops.first().map(|stop| &stop.bundle)
}
