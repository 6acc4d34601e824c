//! Deprecations, the affected installations, and their upgrade paths; deprecations without an
//! upgrade path come first.

use std::collections::HashMap;

use super::{
    View,
    html::{Html, count_noun},
    table::{self, Grade, column},
};
use crate::deprecations::{
    DeprecationSentence, EffectSeverity, deprecation_target_name, describe_deprecation,
};
use olm_catalog::PackageName;
use olm_check::review::deprecations::{DeprecationVerdict, list_deprecations};

/// Maximum number of rows, unless more deprecations leave users without an upgrade path.
const MAX_ROWS: usize = 500;

/// Deprecation, with the catalogs in which its consequences are the same.
#[derive(Debug)]
struct Row {
    catalogs: Vec<usize>,
    about: DeprecationDescription,
}

/// Description of a deprecation and its consequences.
#[derive(Clone, PartialEq, Eq, Debug)]
struct DeprecationDescription {
    package: PackageName,
    what: String,
    message: String,
    grade: Grade,
    follows: Vec<DeprecationSentence>,
    more: String,
}

/// Renders the table, and returns the number of deprecations.
pub(super) fn render_deprecations(view: &View<'_>) -> (Html, String) {
    let rows = deprecation_rows(view);
    let mut html = Html::default();
    if rows.is_empty() {
        return (html, String::new());
    }
    let blocking = rows.iter().filter(|row| row.about.grade == Grade::Bad).count();
    let caption = match blocking {
        0 => format!(
            "{}, all with an upgrade path to a supported bundle",
            count_noun(rows.len(), "deprecation", "deprecations")
        ),
        n => format!(
            "{}, {n} of which leave users without an upgrade path or stop v1",
            count_noun(rows.len(), "deprecation", "deprecations")
        ),
    };
    let mut columns = vec![
        column("package", "Package"),
        column("what", "Deprecated"),
        column("message", "What users are told"),
        column("follows", "Who is affected, and their upgrade path"),
    ];
    if view.has_several() {
        columns.insert(0, column("catalog", "Catalog"));
    }
    table::open_table(&mut html, "deprecations-table", &caption, &columns);
    let shown = blocking.max(MAX_ROWS.min(rows.len()));
    for row in rows.iter().take(shown) {
        let DeprecationDescription { package, what, message, grade, follows, more } = &row.about;
        table::open_row(&mut html, *grade);
        if view.has_several() {
            table::write_cell(&mut html, "catalog", &view.join_titles(&row.catalogs));
        }
        table::write_package_cell(&mut html, view, package.as_str());
        table::write_cell(&mut html, "what", what);
        html.push_markup("<td class=\"message\">")
            .push_text_lines(message.trim())
            .push_markup("</td><td class=\"follows\"><ul>");
        for sentence in follows {
            let class = match sentence.fate {
                EffectSeverity::Blocked => "bad",
                EffectSeverity::ByHand | EffectSeverity::Unknown => "warn",
                EffectSeverity::Fine => "good",
            };
            html.push_markup("<li")
                .push_attribute("class", class)
                .push_markup(">")
                .push_text(sentence.engine.label())
                .push_markup(": ");
            html.push_text(&sentence.words).push_markup("</li>");
        }
        if !more.is_empty() {
            html.push_markup("<li>").push_text(more).push_markup("</li>");
        }
        html.push_markup("</ul></td>");
        table::close_row(&mut html);
    }
    table::close_table(&mut html);
    if let Some(more) = rows.len().checked_sub(shown).filter(|more| *more > 0) {
        let words = format!("{more} more are not shown here.");
        html.push_markup("<p class=\"cut\">").push_text(&words).push_markup("</p>\n");
    }
    (html, rows.len().to_string())
}

fn deprecation_rows(view: &View<'_>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut known: HashMap<(PackageName, String), Vec<usize>> = HashMap::new();
    for (nth, release) in view.report.releases.iter().enumerate() {
        for (name, judged) in
            release.catalog.packages().filter(|(name, _)| view.report.includes_package(name))
        {
            let package = judged.package();
            for one in list_deprecations(judged) {
                let what = one
                    .target
                    .as_ref()
                    .map_or_else(|| one.reference.clone(), |target| deprecation_target_name(package, target));
                let versions = count_noun(one.concerned.len(), "version", "versions");
                let more = match one.most_severe() {
                    DeprecationVerdict::Ends => {
                        format!("{versions} can be installed; no supported bundle of the package is left")
                    }
                    DeprecationVerdict::Unaffected => "no bundle of the package is affected".to_owned(),
                    _ => String::new(),
                };
                let grade = match one.most_severe() {
                    DeprecationVerdict::NoWayOut | DeprecationVerdict::StopsV1 => Grade::Bad,
                    DeprecationVerdict::Ends | DeprecationVerdict::Manual => Grade::Warn,
                    DeprecationVerdict::HasWayOut | DeprecationVerdict::Unaffected => Grade::Good,
                };
                let about = DeprecationDescription {
                    package: name.clone(),
                    message: one.message.clone(),
                    follows: describe_deprecation(&one, |bundle| package.short_name(bundle)),
                    what,
                    grade,
                    more,
                };
                let places = known.entry((name.clone(), about.what.clone())).or_default();
                let same = places.iter().find(|at| rows.get(**at).is_some_and(|row| row.about == about));
                if let Some(row) = same.and_then(|at| rows.get_mut(*at)) {
                    row.catalogs.push(nth);
                } else {
                    places.push(rows.len());
                    rows.push(Row { catalogs: vec![nth], about });
                }
            }
        }
    }
    rows.sort_by_key(|row| row.about.grade);
    rows
}
