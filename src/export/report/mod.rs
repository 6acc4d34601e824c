//! A page for people who open no terminal: one HTML file with everything in it, from the same answers as the commands.
//!
//! Nothing on it acts but its own script, which sorts, filters and folds what is there without it: markup is ours, text is
//! escaped (`html::Html`), and its policy lets a browser load nothing and run nothing but the style and the script whose
//! hashes it names ([`page`]). The same input gives the same bytes.

mod changes;
mod deprecations;
mod findings;
mod graphs;
mod html;
mod overview;
mod page;
mod plan;
mod state;
mod stuck;
mod table;
#[cfg(test)]
mod tests;
mod upgrades;

use crate::{
    catalog::PackageName,
    plan::{
        overview::Overview,
        planner::{Opens, PackagePlans, Question, World},
        series::{Release, titles},
    },
    review::Snapshot,
    upgrade::Engine,
};

use super::{
    diff::{Compared, Update},
    finding::Judged,
    left_out::LeftOut,
    overview::{Column, Sorted},
    stuck::StuckPackage,
};

/// Everything that a page tells of.
#[derive(Debug)]
pub struct Report<'a> {
    /// The catalogs, in the order of their OpenShift versions.
    pub releases: &'a [Release<Snapshot>],
    /// The only packages that are told of; all where there are none.
    pub packages: &'a [PackageName],
    /// The findings of each catalog, those that are accepted apart.
    pub findings: Vec<Judged<'a>>,
    /// The stuck versions of each catalog.
    pub stuck: Vec<Vec<StuckPackage>>,
    /// Each catalog against what it is compared with, in their order; empty where nothing is compared.
    pub compared: Vec<Compared<'a>>,
    /// How everybody gets from the first catalog to the last, where there are several whose versions are known.
    pub journey: Option<Journey>,
}

/// How everybody gets from the first catalog to the last.
#[derive(Clone, Debug)]
pub struct Journey {
    /// The catalogs, and what becomes of everybody.
    pub update: Update,
    /// The one edit that opens the way of each who does not arrive, package by package as in [`Journey::update`].
    pub opens: Vec<Vec<Option<Opens>>>,
}

impl Journey {
    /// Plans for everybody, and looks for the edits.
    pub fn new(world: &World, over: super::plan::Over) -> Self {
        let questions = [Question::new(Engine::Classic), Question::new(Engine::V1)];
        let everyone = crate::plan::planner::Everyone::new(world, &questions);
        let opens = |of: &PackagePlans| {
            let legs = world.package(of.package.as_str());
            let question = questions.iter().find(|question| question.engine == of.engine);
            legs.zip(question).map(|(legs, question)| of.opens(legs, question)).unwrap_or_default()
        };
        let opens = everyone.packages.iter().map(opens).collect();
        Self { update: Update { over, everyone }, opens }
    }

    /// Whether somebody does not arrive.
    pub fn strands(&self) -> bool {
        self.update.everyone.stranded().0 > 0
    }
}

/// A page, and what it comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// The whole file.
    pub html: String,
    /// Its first line, as text: whether it is good.
    pub verdict: String,
}

/// Makes the page.
pub fn page(report: &Report<'_>) -> Page {
    let view = View::new(report);
    let state = state::State::of(&view);
    let html = page::html(&view, &state);
    Page { html, verdict: state.sentence() }
}

/// A report with what several parts of its page need.
struct View<'a> {
    report: &'a Report<'a>,
    /// What each catalog is called.
    titles: Vec<String>,
    overview: Sorted,
    left_out: Vec<LeftOut>,
}

impl<'a> View<'a> {
    fn new(report: &'a Report<'a>) -> Self {
        let catalogs: Vec<_> =
            report.releases.iter().map(|release| (release.openshift, &release.catalog)).collect();
        let is_wanted = |name: &PackageName| report.wants(name);
        let mut overview = Overview::new(&catalogs, is_wanted);
        overview.rows.sort_by_key(|row| std::cmp::Reverse(row.trouble()));
        let of_releases = report.releases.iter().map(|release| &release.catalog.catalog);
        let mut left_out: Vec<LeftOut> =
            of_releases.filter_map(|catalog| LeftOut::of(catalog, is_wanted)).collect();
        let others = report.compared.iter().flat_map(|compared| compared.left_out.iter().cloned());
        for other in others {
            if !left_out.contains(&other) {
                left_out.push(other);
            }
        }
        Self {
            report,
            titles: titles(report.releases),
            overview: Sorted { columns: Column::all(report.releases), overview },
            left_out,
        }
    }

    /// Whether there is more than one catalog, so that each thing says whose it is.
    fn has_several(&self) -> bool {
        self.report.releases.len() > 1
    }

    /// What a catalog is called.
    fn title(&self, nth: usize) -> &str {
        self.titles.get(nth).map(String::as_str).unwrap_or_default()
    }

    /// What some catalogs are called.
    fn titles_of(&self, catalogs: &[usize]) -> String {
        catalogs.iter().map(|nth| self.title(*nth)).collect::<Vec<_>>().join(", ")
    }
}

impl Report<'_> {
    /// Whether a package is told of.
    fn wants(&self, name: &PackageName) -> bool {
        self.packages.is_empty() || self.packages.contains(name)
    }
}
