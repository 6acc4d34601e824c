//! Stuck versions: the numbers of `olmap stuck`, with the reason and the remedy of each group.

use super::{
    View,
    html::Html,
    table::{self, Grade, column},
};
use crate::export::stuck::{self, StuckPackage};

/// Maximum number of rows.
const MAX_ROWS: usize = 1000;

/// Returns the number of stuck versions of a catalog in a sentence. `None` if there are none.
pub(super) fn sentence(packages: &[StuckPackage]) -> Option<String> {
    let with = packages.iter().filter(|package| package.stuck.count_any() > 0).count();
    let unknown = packages.iter().filter(|package| package.stuck.answer.is_none()).count();
    let plural = |count: usize| if count == 1 { "package" } else { "packages" };
    let mut parts = Vec::new();
    if with > 0 {
        let numbers = stuck::total(packages.iter().map(|package| &package.stuck));
        parts.push(format!("{numbers} stuck, in {with} {}", plural(with)));
    }
    if unknown > 0 {
        parts.push(format!("which versions are stuck is not known of {unknown} {}", plural(unknown)));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Renders the table, most stuck versions first, and returns the total.
pub(super) fn html(view: &View<'_>) -> (Html, String) {
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
    let total = stuck::total(packages.iter().map(|(_, package)| &package.stuck));
    html.raw("<p class=\"about\">Versions from which upgrades never lead to the head of the default channel, by the version at which they end. OLM Classic may change its channel, OLM v1 uses all channels. olmap stuck shows the same.</p>\n");
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
    table::open(&mut html, "stuck-table", &format!("{total} stuck"), &columns);
    let mut rows = 0;
    for (nth, package) in packages.iter().take(MAX_ROWS) {
        if rows >= MAX_ROWS {
            break;
        }
        rows += write(&mut html, view, *nth, package);
    }
    table::close(&mut html);
    let shown: usize = packages.iter().map(|(_, package)| stuck::groups(package).len().max(1)).sum();
    if let Some(more) = shown.checked_sub(rows).filter(|more| *more > 0) {
        let words = format!("{more} more groups are not shown here: olmap stuck shows all.");
        html.raw("<p class=\"cut\">").text(&words).raw("</p>\n");
    }
    (html, total)
}

/// Writes a row for each group of a package, and returns their number.
fn write(html: &mut Html, view: &View<'_>, nth: usize, package: &StuckPackage) -> usize {
    let begin = |html: &mut Html, grade: Grade| {
        table::row(html, grade);
        if view.has_several() {
            table::cell(html, "catalog", view.title(nth));
        }
        table::cell(html, "package", package.stuck.package.as_str());
    };
    if package.stuck.answer.is_none() {
        begin(html, Grade::Warn);
        table::cell(html, "number", "unknown");
        table::cell(html, "of", &package.stuck.versions.to_string());
        table::cell(html, "what", "");
        table::cell(html, "message", "the default channel has no single head with a bundle");
        table::cell(html, "follows", "");
        table::end_row(html);
        return 1;
    }
    let groups = stuck::groups(package);
    for group in &groups {
        begin(html, if group.is_prerelease { Grade::Note } else { Grade::Bad });
        table::cell(html, "number", &stuck::numbers(&package.stuck));
        table::cell(html, "of", &package.stuck.versions.to_string());
        html.raw("<td class=\"what\">").text(&group.ends).raw(" <small>");
        html.text(&group.versions).raw("</small></td>");
        table::cell(html, "message", &group.reason);
        let template = stuck::template_words(package).map(|words| format!("; {words}")).unwrap_or_default();
        table::cell(html, "follows", &format!("{}{template}", group.remedy));
        table::end_row(html);
    }
    groups.len()
}
