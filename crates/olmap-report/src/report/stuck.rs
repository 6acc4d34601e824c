//! Stuck versions: the numbers of `olmap stuck`, with the reason and the remedy of each group.

use super::{
    View,
    html::Html,
    table::{self, Grade, column},
};
use crate::stuck::{self, StuckPackage};

/// Returns the number of stuck versions of a catalog in a sentence. `None` if there are none.
pub(super) fn describe_stuck_packages(packages: &[StuckPackage]) -> Option<String> {
    let with = packages.iter().filter(|package| package.stuck.count_any() > 0).count();
    let unknown = packages.iter().filter(|package| package.stuck.answer.is_none()).count();
    let plural = |count: usize| if count == 1 { "package" } else { "packages" };
    let mut parts = Vec::new();
    if with > 0 {
        let numbers = stuck::format_stuck_total(packages.iter().map(|package| &package.stuck));
        parts.push(format!("{numbers} stuck, in {with} {}", plural(with)));
    }
    if unknown > 0 {
        parts.push(format!("which versions are stuck is not known of {unknown} {}", plural(unknown)));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Renders the table, most stuck versions first, and returns the total.
pub(super) fn render_stuck_section(view: &View<'_>) -> (Html, String) {
    let mut html = Html::default();
    let catalogs = view.report.stuck.iter().enumerate();
    let mut packages: Vec<(usize, &StuckPackage)> =
        catalogs.flat_map(|(nth, packages)| packages.iter().map(move |package| (nth, package))).collect();
    let is_told = |package: &StuckPackage| package.stuck.count_any() > 0 || package.stuck.answer.is_none();
    packages.retain(|(_, package)| is_told(package));
    if packages.is_empty() {
        return (html, String::new());
    }
    packages.sort_by_key(|(_, package)| std::cmp::Reverse(package.stuck.count_any()));
    let total = stuck::format_stuck_total(packages.iter().map(|(_, package)| &package.stuck));
    html.push_markup("<p class=\"about\">Versions from which upgrades never lead to the head of the default channel, by the version at which they end. OLM Classic may change its channel, OLM v1 uses all channels.</p>\n");
    let mut columns = vec![
        column("package", "Package"),
        column("number", "Stuck"),
        column("of", "Of"),
        column("what", "End"),
        column("message", "Reason"),
        column("follows", "Remedy"),
    ];
    if view.has_several() {
        columns.insert(0, column("catalog", "Catalog"));
    }
    table::open_table(&mut html, "stuck-table", &format!("{total} stuck"), &columns);
    for (nth, package) in &packages {
        write_stuck_rows(&mut html, view, *nth, package);
    }
    table::close_table(&mut html);
    (html, total)
}

/// Writes a row for each group of a package.
fn write_stuck_rows(html: &mut Html, view: &View<'_>, nth: usize, package: &StuckPackage) {
    let begin = |html: &mut Html, grade: Grade| {
        table::open_row(html, grade);
        if view.has_several() {
            table::write_cell(html, "catalog", view.catalog_title(nth));
        }
        table::write_package_cell(html, view, package.stuck.package.as_str());
    };
    if package.stuck.answer.is_none() {
        begin(html, Grade::Warn);
        table::write_cell(html, "number", "unknown");
        table::write_cell(html, "of", &package.stuck.versions.to_string());
        table::write_cell(html, "what", "");
        table::write_cell(html, "message", "the default channel has no single head with a bundle");
        table::write_cell(html, "follows", "");
        table::close_row(html);
        return;
    }
    let groups = stuck::describe_groups(package);
    for group in &groups {
        begin(html, if group.is_prerelease { Grade::Note } else { Grade::Bad });
        table::write_cell(html, "number", &stuck::format_stuck_numbers(&package.stuck));
        table::write_cell(html, "of", &package.stuck.versions.to_string());
        html.push_markup("<td class=\"what\">").push_text(&group.ends).push_markup(" <small>");
        html.push_text(&group.versions).push_markup("</small></td>");
        table::write_cell(html, "message", &group.reason);
        let template =
            stuck::describe_template_edit(package).map(|words| format!("; {words}")).unwrap_or_default();
        table::write_cell(html, "follows", &format!("{}{template}", group.remedy));
        table::close_row(html);
    }
}
