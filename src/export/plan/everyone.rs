//! Upgrade plans of all installed versions of all packages, for people and pull requests.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Over;
use crate::{
    export::{
        markdown::{MAX_BYTES, quote},
        plain::wrap,
        style::{Ink, Style},
        table::{Cell, Table},
    },
    plan::planner::{BlockKind, Everyone, PackagePlans},
    upgrade::{Engine, openshift::OpenShift},
};

/// Lists where installations strand: `4.18 maxOpenShiftVersion 7, 4.20 package gone 2`.
fn places(of: &PackagePlans) -> String {
    let places = of.places();
    let words =
        places.iter().map(|((openshift, kind), count)| format!("{openshift} {} {count}", kind.brief()));
    words.collect::<Vec<_>>().join(", ")
}

/// Row of the table: a package with one OLM, or with both if they have the same result.
pub(in crate::export) struct Trouble<'a> {
    pub of: &'a PackagePlans,
    pub olm: &'static str,
    pub places: String,
}

/// Returns the packages with stranded installations, most first.
pub(in crate::export) fn troubled(everyone: &Everyone) -> Vec<Trouble<'_>> {
    let mut rows: Vec<Trouble<'_>> = Vec::new();
    for of in everyone.packages.iter().filter(|package| package.stranded() > 0) {
        let row = Trouble { of, olm: of.engine.label(), places: places(of) };
        let counts = |of: &PackagePlans| (of.stranded(), of.plans.len(), of.at_head());
        match rows.last_mut() {
            Some(last)
                if last.of.package == of.package
                    && last.places == row.places
                    && counts(last.of) == counts(of) =>
            {
                last.olm = "both";
            }
            _ => rows.push(row),
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.of.stranded()));
    rows
}

pub(in crate::export) fn summary(over: &Over, everyone: &Everyone) -> String {
    let of = |olm: Engine| {
        let packages =
            everyone.packages.iter().filter(|package| package.engine == olm && !package.plans.is_empty());
        let counts = packages
            .map(|package| (package.stranded(), package.plans.len(), usize::from(package.stranded() > 0)));
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
        return format!("OpenShift {}: no packages.", over.ends());
    }
    format!("OpenShift {}: {}.", over.ends(), parts.join("; "))
}

/// Renders a table of the packages with stranded installations, followed by the totals.
pub fn text(over: &Over, everyone: &Everyone, style: &Style) -> String {
    let mut table =
        Table::new(&["PACKAGE", "OLM", "#STRANDED", "#OF", "#TO HEAD", "WHERE, WHY, HOW MANY"]).folding();
    for Trouble { of, olm, places } in troubled(everyone) {
        table.row([
            Cell::painted(Ink::Bold, of.package.as_str()),
            Cell::new(olm),
            Cell::painted(Ink::Error, &of.stranded().to_string()),
            Cell::from(of.plans.len()),
            Cell::from(of.at_head()),
            Cell::new(&places),
        ]);
    }
    let mut out = String::new();
    if !table.is_empty() {
        out.push_str(&table.render(style));
        out.push('\n');
    }
    out.push_str(&wrap::wrapped(&summary(over, everyone), "", style.width));
    if let Some(sentence) = over.assumption() {
        out.push_str(&wrap::wrapped(&sentence, "", style.width));
    }
    if !table.is_empty() {
        let hint = "olmap plan --installed NAME@CHANNEL shows why, and the edit that adds an upgrade path.";
        out.push_str(&wrap::wrapped(hint, "", style.width));
    }
    out
}

/// Returns the stranded installations for programs (`docs/cli.md`).
pub fn row(over: &Over, everyone: &Everyone) -> Value {
    let place = |((openshift, kind), count): (&(OpenShift, BlockKind), &usize)| json!({"openshift": openshift.to_string(), "kind": kind.as_str(), "count": count});
    let package = |of: &PackagePlans| {
        json!({
            "package": of.package,
            "engine": of.engine.as_str(),
            "stranded": of.stranded(),
            "of": of.plans.len(),
            "places": of.places().iter().map(place).collect::<Vec<_>>(),
        })
    };
    let troubled = everyone.packages.iter().filter(|of| of.stranded() > 0);
    json!({
        "from": over.catalogs.first().map(|(version, _)| version.to_string()),
        "to": over.catalogs.last().map(|(version, _)| version.to_string()),
        "missing": over.missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "stranded": troubled.map(package).collect::<Vec<_>>(),
    })
}

/// Renders the table for a pull request.
pub fn comment(over: &Over, everyone: &Everyone) -> String {
    let mut out = summary(over, everyone);
    if let Some(sentence) = over.assumption() {
        let _ = write!(out, " {sentence}");
    }
    out.push('\n');
    let troubled = troubled(everyone);
    if troubled.is_empty() {
        return out;
    }
    out.push_str("\n| package | OLM | stranded | of | to the head | where |\n|---|---|---|---|---|---|\n");
    let mut left = 0;
    for Trouble { of, olm, places } in troubled {
        let row = format!(
            "| {} | {olm} | {} | {} | {} | {} |\n",
            quote(of.package.as_str()),
            of.stranded(),
            of.plans.len(),
            of.at_head(),
            quote(&places),
        );
        if out.len() + row.len() > MAX_BYTES {
            left += 1;
        } else {
            out.push_str(&row);
        }
    }
    if left > 0 {
        let _ = writeln!(out, "\nAnd {left} more: `olmap plan --all` shows them all.");
    }
    out
}
