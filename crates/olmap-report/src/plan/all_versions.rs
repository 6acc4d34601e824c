//! Upgrade plans of all installed versions of all packages, for people and pull requests.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::PlanRange;
use crate::{
    escape::wrap,
    markdown::{Comment, escape_markdown},
    style::{Ink, Style},
    table::{Cell, Table},
};
use olm_plan::planner::{AllPlans, BlockKind, PackagePlans};
use olm_upgrade::{Engine, openshift::OpenShift};

/// Lists where installations strand: `4.18 maxOpenShiftVersion 7, 4.20 package gone 2`.
fn describe_stranding_places(of: &PackagePlans) -> String {
    let places = of.blocked_counts();
    let words =
        places.iter().map(|((openshift, kind), count)| format!("{openshift} {} {count}", kind.brief()));
    words.collect::<Vec<_>>().join(", ")
}

/// Row of the table: a package with one OLM, or with both if they have the same result.
pub(crate) struct StrandedRow<'a> {
    pub plans: &'a PackagePlans,
    pub olm: &'static str,
    pub places: String,
}

impl StrandedRow<'_> {
    /// Returns the cells: package, OLM, numbers of stranded installations, of all, and of those at the head, places.
    pub fn cells(&self) -> [String; 6] {
        let of = self.plans;
        let numbers = [of.count_stranded(), of.plans.count_plans(), of.count_at_head()];
        let [stranded, all, at_head] = numbers.map(|number| number.to_string());
        [of.package.to_string(), self.olm.to_owned(), stranded, all, at_head, self.places.clone()]
    }
}

/// Returns the packages with stranded installations, most first.
pub(crate) fn stranded_rows(everyone: &AllPlans) -> Vec<StrandedRow<'_>> {
    let mut rows: Vec<StrandedRow<'_>> = Vec::new();
    for of in everyone.packages.iter().filter(|package| package.count_stranded() > 0) {
        let row = StrandedRow { plans: of, olm: of.engine.label(), places: describe_stranding_places(of) };
        let counts = |of: &PackagePlans| (of.count_stranded(), of.plans.count_plans(), of.count_at_head());
        match rows.last_mut() {
            Some(last)
                if last.plans.package == of.package
                    && last.places == row.places
                    && counts(last.plans) == counts(of) =>
            {
                last.olm = "both";
            }
            _ => rows.push(row),
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.plans.count_stranded()));
    rows
}

pub(crate) fn summarize_stranded(over: &PlanRange, everyone: &AllPlans) -> String {
    let of = |olm: Engine| {
        let packages = everyone
            .packages
            .iter()
            .filter(|package| package.engine == olm && package.plans.count_plans() > 0);
        let counts = packages.map(|package| {
            (package.count_stranded(), package.plans.count_plans(), usize::from(package.count_stranded() > 0))
        });
        let sum = counts.fold([0; 4], |[stranded, all, troubled, packages], (some, of, is_troubled)| {
            [stranded + some, all + of, troubled + is_troubled, packages + 1]
        });
        let [stranded, all, troubled, packages] = sum;
        format!(
            "with {} {stranded} of {all} installed versions strand, in {troubled} of {packages} packages",
            olm.label()
        )
    };
    let mut engines: Vec<Engine> = everyone.packages.iter().map(|package| package.engine).collect();
    engines.sort_unstable();
    engines.dedup();
    let parts: Vec<String> = engines.into_iter().map(of).collect();
    if parts.is_empty() {
        return format!("OpenShift {}: no packages.", over.version_range());
    }
    format!("OpenShift {}: {}.", over.version_range(), parts.join("; "))
}

/// Renders a table of the packages with stranded installations, followed by the totals.
pub fn render_stranded_table(over: &PlanRange, everyone: &AllPlans, style: &Style) -> String {
    let mut table = Table::new(&["PACKAGE", "OLM", "#STRANDED", "#OF", "#TO HEAD", "WHERE, WHY, HOW MANY"])
        .wrap_last_column();
    let inks = [Ink::Bold, Ink::Text, Ink::Error, Ink::Text, Ink::Text, Ink::Text];
    for row in stranded_rows(everyone) {
        table.push_row(inks.iter().zip(row.cells()).map(|(ink, cell)| Cell::with_ink(*ink, &cell)));
    }
    let mut out = String::new();
    if !table.is_empty() {
        out.push_str(&table.render(style));
        out.push('\n');
    }
    out.push_str(&wrap::wrap_sentence(&summarize_stranded(over, everyone), "", style.width));
    if let Some(sentence) = over.describe_assumption() {
        out.push_str(&wrap::wrap_sentence(&sentence, "", style.width));
    }
    if !table.is_empty() {
        let hint = "olmap plan --installed NAME@CHANNEL shows why, and the edit that adds an upgrade path.";
        out.push_str(&wrap::wrap_sentence(hint, "", style.width));
    }
    out
}

/// Returns the stranded installations for programs (`docs/cli.md`).
pub fn stranded_json(over: &PlanRange, everyone: &AllPlans) -> Value {
    let place = |((openshift, kind), count): (&(OpenShift, BlockKind), &usize)| json!({"openshift": openshift.to_string(), "kind": kind.as_str(), "count": count});
    let package = |of: &PackagePlans| {
        json!({
            "package": of.package,
            "engine": of.engine.as_str(),
            "stranded": of.count_stranded(),
            "of": of.plans.count_plans(),
            "places": of.blocked_counts().iter().map(place).collect::<Vec<_>>(),
        })
    };
    let troubled = everyone.packages.iter().filter(|of| of.count_stranded() > 0);
    json!({
        "from": over.catalogs.first().map(|(version, _)| version.to_string()),
        "to": over.catalogs.last().map(|(version, _)| version.to_string()),
        "missing": over.missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "stranded": troubled.map(package).collect::<Vec<_>>(),
    })
}

/// Renders the table for a pull request.
pub fn render_stranded_comment(over: &PlanRange, everyone: &AllPlans) -> String {
    let mut out = summarize_stranded(over, everyone);
    if let Some(sentence) = over.describe_assumption() {
        let _ = write!(out, " {sentence}");
    }
    out.push('\n');
    let troubled = stranded_rows(everyone);
    if troubled.is_empty() {
        return out;
    }
    let mut comment = Comment::from(out);
    comment.push_table_head(["package", "OLM", "stranded", "of", "to the head", "where"]);
    for row in troubled {
        comment.push_row(&row.cells().map(|cell| escape_markdown(&cell)));
    }
    comment.finish("olmap plan --all")
}
