//! Next upgrade of each installed version on OLM Classic and v1, with the reasons; problems first.

use std::collections::{BTreeSet, HashMap};

use rayon::prelude::*;

use super::{
    View,
    html::{Html, count_noun},
    table::{self, Grade, column},
};
use crate::stuck_sentences;
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::review::PackageState;
use olm_upgrade::{
    Installed, UpgradeTable,
    row_notes::{RowNote, RowNoteKind},
    stuck::StuckEnds,
    table::{NextUpgrade, UpgradeRow},
    v1::Query,
};

/// Maximum number of rows without problems. Rows with problems are never left out.
const MAX_ROWS: usize = 1500;

/// Minimum number of versions with the same problem that share a row.
const MIN_GROUPED_ROWS: usize = 3;

/// Maximum number of channels that a shared row names.
const MAX_CHANNELS: usize = 3;

/// Version in a channel, with the catalogs in which its upgrades are the same.
#[derive(Debug)]
struct Row {
    catalogs: Vec<usize>,
    package: PackageName,
    channel: ChannelName,
    is_default: bool,
    installed: Installed,
    label: String,
    classic: NextUpgrade,
    v1: NextUpgrade,
    /// Notes, worst first.
    notes: Vec<String>,
    /// Notes about problems, without the names of single versions.
    facts: Vec<String>,
    grade: Grade,
}

/// Key by which rows of several catalogs are merged.
type Key<'a> = (&'a PackageName, &'a ChannelName, &'a str, &'a NextUpgrade, &'a NextUpgrade, &'a [String]);

impl Row {
    fn new(
        nth: usize,
        judged: &PackageState,
        ends: Option<&StuckEnds<'_>>,
        table: &UpgradeTable,
        row: &UpgradeRow,
    ) -> Self {
        let package = judged.package();
        let remarks = table.row_notes(package, row);
        let grade = remarks.iter().map(remark_grade).min().unwrap_or(Grade::Good);
        let mut facts: Vec<String> =
            remarks.iter().filter(|remark| remark_grade(remark) <= Grade::Warn).map(describe_fact).collect();
        let mut notes: Vec<String> = remarks.into_iter().map(|remark| remark.text).collect();
        let label = |bundle: &BundleName| package.short_name(bundle);
        let stuck =
            ends.and_then(|ends| stuck_sentences::describe_stuck_version(ends, &row.installed.name, label));
        let is_stuck = stuck.is_some();
        facts.splice(0..0, stuck.clone());
        notes.splice(0..0, stuck);
        Self {
            catalogs: vec![nth],
            package: package.name.clone(),
            channel: table.channel.clone(),
            is_default: package.default_channel() == Some(&table.channel),
            label: package.short_name(&row.installed.name),
            installed: row.installed.clone(),
            classic: row.classic.clone(),
            v1: row.v1.clone(),
            notes,
            facts,
            grade: if is_stuck { Grade::Bad } else { grade },
        }
    }

    fn merge_key(&self) -> Key<'_> {
        let Self { package, channel, installed, classic, v1, notes, .. } = self;
        (package, channel, installed.name.as_str(), classic, v1, notes)
    }
}

/// Returns a remark without the version that it is about, so that equal facts have equal texts.
fn describe_fact(remark: &RowNote) -> String {
    const REFUSES: &str = " REFUSES ";
    let parts = remark.text.split_once(REFUSES).zip(remark.text.rfind(" ("));
    match parts.filter(|_| remark.kind == RowNoteKind::Refused) {
        Some(((engine, _), reason)) => {
            let reason = remark.text.get(reason..).unwrap_or_default();
            format!("{engine}{REFUSES}the next version{reason}")
        }
        None => remark.text.clone(),
    }
}

/// Groups rows with problems: rows of a package with the same problem share one. Smaller groups are
/// split into single rows.
fn group_rows(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut known: HashMap<(&[usize], &PackageName, &[String]), usize> = HashMap::new();
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        let key = (row.catalogs.as_slice(), &row.package, row.facts.as_slice());
        let place = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let (mut groups, small): (Vec<_>, Vec<_>) =
        groups.into_iter().partition(|group| group.len() >= MIN_GROUPED_ROWS);
    groups.extend(small.into_iter().flatten().map(|row| vec![row]));
    groups.sort_by_key(|group| group.first().map(|row| (row.grade, !row.is_default)));
    groups
}

/// Returns the severity of a remark.
fn remark_grade(remark: &RowNote) -> Grade {
    match remark.kind {
        RowNoteKind::Error | RowNoteKind::DeadEnd | RowNoteKind::Circle => Grade::Bad,
        RowNoteKind::Refused | RowNoteKind::LeavesChannel | RowNoteKind::ToDeprecated => Grade::Warn,
        RowNoteKind::Differs | RowNoteKind::Skipped | RowNoteKind::Deprecated | RowNoteKind::Outside => {
            Grade::Note
        }
    }
}

/// Renders the table, and returns the number of versions with problems.
pub(super) fn render_upgrades(view: &View<'_>) -> (Html, String) {
    let mut rows = merge_rows(upgrade_rows(view));
    rows.sort_by_cached_key(|row| (row.grade, !row.is_default, row.package.clone(), row.channel.clone()));
    let bad = rows.iter().filter(|row| row.grade <= Grade::Warn).count();
    let mut html = Html::default();
    if rows.is_empty() {
        return (html, String::new());
    }
    let all = count_noun(rows.len(), "version in a channel", "versions in channels");
    let caption = format!("{all}, {bad} worth a look");
    html.push_markup("<p class=\"about\">What comes next for who has a version installed. <b>Classic</b> is subscribed to the channel; <b>v1</b> may use every channel of the package. \"Stays\" is fine for the head, and trouble below it. Versions with the same trouble share a row.</p>\n");
    let mut columns = vec![column("package", "Package"), column("channel", "Channel")];
    columns.extend([
        column("installed", "Installed"),
        column("classic", "Classic goes to"),
        column("v1", "v1 goes to"),
        column("notes", "Worth knowing"),
    ]);
    if view.has_several() {
        columns.insert(0, column("catalog", "Catalog"));
    }
    table::open_table(&mut html, "upgrades-table", &caption, &columns);
    let (trouble, fine) = rows.split_at(bad);
    let groups = group_rows(trouble);
    let shown: Vec<&Row> = fine.iter().take(MAX_ROWS.saturating_sub(groups.len())).collect();
    let singles = groups.iter().filter_map(|group| match group.as_slice() {
        [row] => Some(*row),
        _ => None,
    });
    let singles: Vec<&Row> = singles.chain(shown.iter().copied()).collect();
    let mut reasons =
        singles.par_iter().map(|row| upgrade_reasons(view, row)).collect::<Vec<[String; 2]>>().into_iter();
    for group in &groups {
        match group.as_slice() {
            [row] => write_upgrade_row(&mut html, view, row, &reasons.next().unwrap_or_default()),
            rows => write_group_row(&mut html, view, rows),
        }
    }
    for row in &shown {
        write_upgrade_row(&mut html, view, row, &reasons.next().unwrap_or_default());
    }
    table::close_table(&mut html);
    let rest = fine.len() - shown.len();
    if rest > 0 {
        let words = format!(
            "{rest} more are not shown here, none of them worth a look. A report about one package has all of its versions."
        );
        html.push_markup("<p class=\"cut\">").push_text(&words).push_markup("</p>\n");
    }
    (html, if bad == 0 { String::new() } else { format!("{bad} worth a look") })
}

/// Returns the rows of all channels of all catalogs, highest version first.
fn upgrade_rows(view: &View<'_>) -> Vec<Row> {
    let catalogs = view.report.releases.iter().enumerate();
    let wanted: Vec<(usize, &PackageState)> = catalogs
        .flat_map(|(nth, release)| release.catalog.packages().map(move |(name, judged)| (nth, name, judged)))
        .filter(|(_, name, _)| view.report.includes_package(name))
        .map(|(nth, _, judged)| (nth, &**judged))
        .collect();
    let of = |(nth, judged): &(usize, &PackageState)| {
        let names: BTreeSet<&ChannelName> =
            judged.graph.channels().iter().map(|channel| channel.graph.name()).collect();
        let ends = StuckEnds::new(&judged.graph);
        let rows = |name: &ChannelName| {
            let table = UpgradeTable::new(&judged.graph, name, &Query::default());
            let own = table.rows.iter().filter(|row| row.in_channel);
            own.map(|row| Row::new(*nth, judged, ends.as_ref(), &table, row)).collect::<Vec<_>>()
        };
        names.into_iter().flat_map(rows).collect::<Vec<_>>()
    };
    wanted.par_iter().flat_map_iter(of).collect()
}

/// Merges rows of several catalogs with the same upgrades.
fn merge_rows(rows: Vec<Row>) -> Vec<Row> {
    let mut known: HashMap<Key<'_>, usize> = HashMap::new();
    let mut merged: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if let Some((_, catalogs)) = known.get(&row.merge_key()).and_then(|place| merged.get_mut(*place)) {
            catalogs.extend(&row.catalogs);
        } else {
            known.insert(row.merge_key(), merged.len());
            merged.push((at, row.catalogs.clone()));
        }
    }
    drop(known);
    let mut rows: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
    let take = |(at, catalogs): (usize, Vec<usize>)| {
        let row = rows.get_mut(at)?.take()?;
        Some(Row { catalogs, ..row })
    };
    merged.into_iter().filter_map(take).collect()
}

/// Returns the reasons of Classic and v1. If they differ between catalogs, each is named with its
/// reason.
fn upgrade_reasons(view: &View<'_>, row: &Row) -> [String; 2] {
    let mut told: [Vec<(usize, String)>; 2] = [Vec::new(), Vec::new()];
    for nth in &row.catalogs {
        let judged = view.report.releases.get(*nth).map(|release| &release.catalog);
        let Some(judged) = judged.and_then(|snapshot| snapshot.package(row.package.as_str())) else {
            continue;
        };
        let classic = judged.graph.classic_reason(row.channel.as_str(), &row.installed);
        let v1 = judged.graph.v1_reason(&Query::default(), &row.installed);
        for (all, reason) in told.iter_mut().zip([classic, v1]) {
            if all.iter().all(|(_, known)| *known != reason) {
                all.push((*nth, reason));
            }
        }
    }
    told.map(|all| match all.as_slice() {
        [(_, only)] => only.clone(),
        all => {
            let parts = all.iter().map(|(nth, reason)| format!("{}: {reason}", view.catalog_title(*nth)));
            parts.collect::<Vec<_>>().join("; ")
        }
    })
}

/// Writes a row for several versions of a package with the same problem.
fn write_group_row(html: &mut Html, view: &View<'_>, rows: &[&Row]) {
    let ([first, ..], [.., last]) = (rows, rows) else { return };
    let label = |name: &BundleName| {
        let nth = first.catalogs.first().copied().unwrap_or_default();
        let release = view.report.releases.get(nth);
        let judged = release.and_then(|release| release.catalog.package(first.package.as_str()));
        judged.map_or_else(|| name.to_string(), |judged| judged.package().short_name(name))
    };
    let next = |next: &NextUpgrade| match next {
        NextUpgrade::To(name) => label(name),
        NextUpgrade::Stays => "stays".to_owned(),
        NextUpgrade::Error(_) => "error".to_owned(),
    };
    let mut channels: Vec<&ChannelName> = Vec::new();
    for row in rows {
        if !channels.contains(&&row.channel) {
            channels.push(&row.channel);
        }
    }
    table::open_row(html, first.grade);
    if view.has_several() {
        table::write_cell(html, "catalog", &view.join_titles(&first.catalogs));
    }
    table::write_package_cell(html, view, first.package.as_str());
    let named: Vec<&str> = channels.iter().take(MAX_CHANNELS).map(|name| name.as_str()).collect();
    let more = channels.len().saturating_sub(MAX_CHANNELS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    table::write_cell(html, "channel", &format!("{}{more}", named.join(", ")));
    let count = count_noun(rows.len(), "version", "versions");
    html.push_markup("<td class=\"installed\"><b>");
    match channels.as_slice() {
        [_] => html
            .push_text(&format!("{} to {}", last.label, first.label))
            .push_markup("</b> <small>")
            .push_text(&count)
            .push_markup("</small></td>"),
        // Versions of several channels are not in order.
        _ => html.push_text(&count).push_markup("</b></td>"),
    };
    let mut write_column = |class, engine: fn(&Row) -> &NextUpgrade| {
        let is_same = rows.iter().all(|row| engine(row) == engine(first));
        let words = if is_same { next(engine(first)) } else { "see the list".to_owned() };
        table::write_cell(html, class, &words);
    };
    write_column("classic", |row| &row.classic);
    write_column("v1", |row| &row.v1);
    html.push_markup("<td class=\"notes\">");
    for (at, fact) in first.facts.iter().enumerate() {
        if at > 0 {
            html.push_markup("<br/>");
        }
        html.push_text(fact);
    }
    html.push_markup("<details><summary>Each version</summary><ul>");
    for row in rows {
        let place = if channels.len() > 1 { format!(" in {}", row.channel) } else { String::new() };
        let words = format!("{}{place}: Classic {}, v1 {}", row.label, next(&row.classic), next(&row.v1));
        html.push_markup("<li>").push_text(&words).push_markup("</li>\n");
    }
    html.push_markup("</ul></details></td>");
    table::close_row(html);
}

fn write_upgrade_row(html: &mut Html, view: &View<'_>, row: &Row, [classic, v1]: &[String; 2]) {
    let nth = row.catalogs.first().copied().unwrap_or_default();
    let judged = view.report.releases.get(nth);
    let judged = judged.and_then(|release| release.catalog.package(row.package.as_str()));
    table::open_row(html, row.grade);
    if view.has_several() {
        table::write_cell(html, "catalog", &view.join_titles(&row.catalogs));
    }
    table::write_package_cell(html, view, row.package.as_str());
    html.push_markup("<td class=\"channel\">").push_text(row.channel.as_str());
    if row.is_default {
        html.push_markup(" <span class=\"none\">default</span>");
    }
    html.push_markup("</td><td class=\"installed\"><b")
        .push_attribute("title", row.installed.name.as_str())
        .push_markup(">")
        .push_text(&row.label)
        .push_markup("</b></td>");
    for (class, next, why) in [("classic", &row.classic, classic), ("v1", &row.v1, v1)] {
        html.push_markup("<td").push_attribute("class", class).push_markup(">");
        match next {
            NextUpgrade::To(name) => {
                let label =
                    judged.map_or_else(|| name.to_string(), |judged| judged.package().short_name(name));
                html.push_markup("<b>").push_text(&label).push_markup("</b>")
            }
            NextUpgrade::Stays => html.push_markup("stays"),
            NextUpgrade::Error(_) => html.push_markup("<span class=\"tag bad\">error</span>"),
        };
        html.push_markup(" <small>").push_text(why).push_markup("</small></td>");
    }
    html.push_markup("<td class=\"notes\">");
    for (at, note) in row.notes.iter().enumerate() {
        if at > 0 {
            html.push_markup("<br/>");
        }
        html.push_text(note);
    }
    html.push_markup("</td>");
    table::close_row(html);
}
