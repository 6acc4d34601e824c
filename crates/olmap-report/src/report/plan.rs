//! Upgrade plans from the first catalog to the last: stranded installations, the reasons, and the
//! edit that helps.

use super::{
    UpdatePlans,
    html::{Html, count_noun},
    table::{self, Grade, column},
};
use olm_catalog::BundleName;
use olm_plan::planner::{CatalogFix, PackagePlans};

use crate::{
    diff::Update,
    plan::{self as export, stranded_rows},
};

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
pub(super) fn render_plan_section(journey: &UpdatePlans) -> (Html, String) {
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
                .push_text(&format!("and {more} more reasons"))
                .push_markup("</p>\n");
        }
        html.push_markup("</details>\n");
    }
    if told > MAX_PACKAGES {
        let words = format!("{} more packages.", told - MAX_PACKAGES);
        html.push_markup("<p class=\"cut\">").push_text(&words).push_markup("</p>\n");
    }
    (html, count_noun(packages, "package", "packages"))
}

/// Writes one row per package with stranded installations, and returns the number of rows.
pub(super) fn write_stranded_table(html: &mut Html, update: &Update, id: &'static str) -> usize {
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
    table::open_table(html, id, &format!("Who does not get from {}", update.over.version_range()), &columns);
    for row in &rows {
        table::open_row(html, Grade::Bad);
        for (column, cell) in columns.iter().zip(row.cells()) {
            table::write_cell(html, column.class, &cell);
        }
        table::close_row(html);
    }
    table::close_table(html);
    rows.len()
}

fn group_stranded<'a>(of: &[(&'a PackagePlans, &'a Vec<Option<CatalogFix>>)]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (plans, opens) in of {
        for (plan, opens) in plans.plans.iter().zip(opens.iter()) {
            let Some(block) = plan.blocked() else { continue };
            let opens = opens.as_ref();
            let is_same = |group: &&mut Group<'_>| {
                (group.olm, group.reason, group.opens) == (plan.engine().label(), block.text.as_str(), opens)
            };
            let Some(installed) = plan.first_state().map(|state| state.bundle) else { continue };
            match groups.iter_mut().find(is_same) {
                Some(group) if !group.installed.contains(&installed) => group.installed.push(installed),
                Some(_) => {}
                None => groups.push(Group {
                    olm: plan.engine().label(),
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
