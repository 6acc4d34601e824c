//! Report for people who do not use a terminal: a self-contained HTML file with the answers of the
//! commands.
//!
//! Only the page's own script is active; it sorts, filters and folds content that is complete
//! without it. Markup is ours and text is escaped (`html::Html`). The policy of the page allows
//! only the style and the script whose hashes it names ([`render_page`]). The same input yields the same
//! bytes.

mod changes;
mod deprecations;
mod findings;
mod html;
mod overview;
mod packages;
mod page;
mod plan;
mod stuck;
mod table;
#[cfg(test)]
mod tests;
mod upgrades;
mod verdict;

use std::collections::BTreeMap;

use olm_catalog::PackageName;
use olm_check::review::Snapshot;
use olm_plan::{
    overview::Overview,
    planner::{CatalogFix, PackagePlans, PlanCatalogs, PlanSettings},
    series::{Release, column_titles},
};
use olm_upgrade::Engine;

use super::{
    diff::{CatalogComparison, Update},
    finding::CatalogFindings,
    links::CommentLinks,
    omissions::OmittedPart,
    overview::{Column, SortedOverview},
    stuck::StuckPackage,
};

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
    /// Origin of the page.
    pub origin: PageOrigin,
    /// Addresses of the repository and the rules.
    pub links: CommentLinks,
}

/// Origin of a page: when and of which commits it was made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PageOrigin {
    /// Date and time; `None` if unknown. The caller chooses it, so that pages can be reproduced.
    pub date: Option<String>,
    /// Commit of each catalog, in order; `None` if it is not in a repository.
    pub commits: Vec<Option<CatalogCommit>>,
}

/// Commit of a catalog on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogCommit {
    /// Full name of the commit that is checked out.
    pub name: String,
    /// True if the files of the catalog differ from the commit.
    pub is_modified: bool,
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

/// Formats a time as date and minutes in UTC. `seconds` are those since 1970.
pub fn format_utc_time(seconds: u64) -> String {
    let (days, minutes) = (seconds / 86_400, seconds / 60 % 1440);
    // Days are counted from March of the year 0, so that leap days are at the end of a year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
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
    /// Position of each package in the overview.
    positions: BTreeMap<String, String>,
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
        let rows = overview.rows.iter().enumerate();
        let positions = rows.map(|(nth, row)| (row.package.to_string(), packages::package_anchor(nth)));
        Self {
            report,
            positions: positions.collect(),
            titles: column_titles(report.releases),
            overview: SortedOverview { columns: Column::for_releases(report.releases), overview },
            left_out,
        }
    }

    /// Returns true if there are several catalogs, so that each item names its catalog.
    fn has_several(&self) -> bool {
        self.report.releases.len() > 1
    }

    /// Returns the address of a package on the page.
    fn package_anchor(&self, package: &str) -> Option<&str> {
        self.positions.get(package).map(String::as_str)
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
