//! Deprecations, the affected installations, and their upgrade paths; deprecations without an
//! upgrade path come first.

use std::collections::HashMap;

use super::{
    View,
    html::{Html, count},
    table::{self, Grade, column},
};
use crate::{
    catalog::PackageName,
    export::deprecations::{Fate, Sentence, called, sentences},
    review::deprecations::{Verdict, deprecated},
};

/// Maximum number of rows.
const MAX_ROWS: usize = 500;

/// Deprecation, with the catalogs in which its consequences are the same.
#[derive(Debug)]
struct Row {
    catalogs: Vec<usize>,
    about: About,
}

/// Description of a deprecation and its consequences.
#[derive(Clone, PartialEq, Eq, Debug)]
struct About {
    package: PackageName,
    what: String,
    message: String,
    grade: Grade,
    follows: Vec<Sentence>,
    more: String,
}

/// Renders the table, and returns the number of deprecations.
pub(super) fn html(view: &View<'_>) -> (Html, String) {
    let rows = rows(view);
    let mut html = Html::default();
    if rows.is_empty() {
        return (html, String::new());
    }
    let blocking = rows.iter().filter(|row| row.about.grade == Grade::Bad).count();
    let caption = match blocking {
        0 => format!(
            "{}, all with an upgrade path to a supported bundle",
            count(rows.len(), "deprecation", "deprecations")
        ),
        n => format!(
            "{}, {n} of which leave users without an upgrade path or stop v1",
            count(rows.len(), "deprecation", "deprecations")
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
    table::open(&mut html, "deprecations-table", &caption, &columns);
    for row in rows.iter().take(MAX_ROWS) {
        let About { package, what, message, grade, follows, more } = &row.about;
        table::row(&mut html, *grade);
        if view.has_several() {
            table::cell(&mut html, "catalog", &view.titles_of(&row.catalogs));
        }
        table::cell(&mut html, "package", package.as_str());
        table::cell(&mut html, "what", what);
        html.raw("<td class=\"message\">").lines(message.trim()).raw("</td><td class=\"follows\"><ul>");
        for sentence in follows {
            let class = match sentence.fate {
                Fate::Blocked => "bad",
                Fate::ByHand | Fate::Unknown => "warn",
                Fate::Fine => "good",
            };
            html.raw("<li").attr("class", class).raw(">").text(sentence.engine.label()).raw(": ");
            html.text(&sentence.words).raw("</li>");
        }
        if !more.is_empty() {
            html.raw("<li>").text(more).raw("</li>");
        }
        html.raw("</ul></td>");
        table::end_row(&mut html);
    }
    table::close(&mut html);
    if let Some(more) = rows.len().checked_sub(MAX_ROWS).filter(|more| *more > 0) {
        let words = format!("{more} more are not shown here: olmap deprecations shows all.");
        html.raw("<p class=\"cut\">").text(&words).raw("</p>\n");
    }
    (html, rows.len().to_string())
}

fn rows(view: &View<'_>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut known: HashMap<(PackageName, String), Vec<usize>> = HashMap::new();
    for (nth, release) in view.report.releases.iter().enumerate() {
        for (name, judged) in release.catalog.packages().filter(|(name, _)| view.report.wants(name)) {
            let package = judged.package();
            for one in deprecated(judged) {
                let what = one
                    .target
                    .as_ref()
                    .map_or_else(|| one.reference.clone(), |target| called(package, target));
                let versions = count(one.concerned.len(), "version", "versions");
                let more = match one.verdict() {
                    Verdict::Ends => {
                        format!("{versions} can be installed; no supported bundle of the package is left")
                    }
                    Verdict::Nobody => "no bundle of the package is affected".to_owned(),
                    _ => String::new(),
                };
                let grade = match one.verdict() {
                    Verdict::NoWayOut | Verdict::StopsV1 => Grade::Bad,
                    Verdict::Ends | Verdict::ByHand => Grade::Warn,
                    Verdict::WayOut | Verdict::Nobody => Grade::Good,
                };
                let about = About {
                    package: name.clone(),
                    message: one.message.clone(),
                    follows: sentences(&one, |bundle| package.short_name(bundle)),
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
