//! Comment on a pull request with the release check: a sentence, blocking deprecations, the rest
//! folded.

use std::fmt::Write as _;

use super::{ReleaseCheck, deprecation_target_name, describe_deprecation, describe_deprecation_start};
use crate::{
    finding::plural_suffix,
    markdown::{MAX_BYTES, escape_markdown},
    omissions::READ_PART_PREFIX,
};
use olm_catalog::blob::DeprecationTarget;
use olm_check::{FindingLocation, review::deprecations::DeprecationReport};

const HEAD: &str = "| what | message | effect |\n|---|---|---|\n";

/// Renders the comment on a release check.
pub fn render_deprecation_comment(check: &ReleaseCheck<'_>) -> String {
    let mut out = summarize_deprecation_check(check);
    if let Some(left_out) = &check.left_out {
        let _ = writeln!(
            out,
            "\n**Not everything could be checked:** {}.",
            escape_markdown(&left_out.describe_omission())
        );
    }
    let (blocking, others): (Vec<_>, Vec<_>) = check.deprecated.iter().partition(|one| check.blocks(one));
    if !blocking.is_empty() {
        out.push('\n');
        write_table_rows(
            &mut out,
            HEAD,
            blocking.iter().map(|one| render_deprecation_row(check, one)).collect(),
        );
    }
    if !others.is_empty() {
        let count = others.len();
        let _ = writeln!(
            out,
            "\n<details><summary>{count} deprecation{} that do{} not block</summary>\n",
            plural_suffix(count),
            if count == 1 { "es" } else { "" }
        );
        write_table_rows(
            &mut out,
            HEAD,
            others.iter().map(|one| render_deprecation_row(check, one)).collect(),
        );
        out.push_str("\n</details>\n");
    }
    if !check.suggested.is_empty() {
        let count = check.suggested.len();
        let _ = writeln!(out, "\n<details><summary>{count} suggestion{}</summary>\n", plural_suffix(count));
        write_table_rows(&mut out, "| could be deprecated | why |\n|---|---|\n", suggestion_rows(check));
        out.push_str("\n</details>\n");
    }
    out
}

/// Summarizes the check in a sentence for reviewers.
fn summarize_deprecation_check(check: &ReleaseCheck<'_>) -> String {
    let catalog = escape_markdown(&check.snapshot.catalog.origin.label());
    let all = check.deprecated.len();
    let blocking: Vec<&DeprecationReport> = check.blocking().collect();
    let names: Vec<String> =
        blocking.iter().take(3).map(|one| escape_markdown(&deprecated_object_name(check, one))).collect();
    let more = match blocking.len().saturating_sub(names.len()) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let rest = if check.left_out.is_some() { READ_PART_PREFIX } else { "" };
    if let Some(base) = check.base.as_ref().filter(|_| blocking.is_empty()) {
        let what = if all == 0 { "no" } else { "no blocking" };
        return format!(
            "**olmap**: {rest}{what} new deprecation in {catalog} since {}.\n",
            escape_markdown(base)
        );
    }
    match (all, blocking.len()) {
        (0, _) => format!("**olmap**: {rest}nothing is deprecated in {catalog}.\n"),
        (_, 0) => {
            format!(
                "**olmap**: {rest}{all} deprecation{} in {catalog}, all with an upgrade path to a \
                 supported bundle.\n",
                plural_suffix(all)
            )
        }
        (_, n) => format!(
            "**olmap**: {n} of {all} deprecation{} in {catalog} leave{} users without an upgrade path or \
             stop{} OLM v1: {}{more}.\n",
            plural_suffix(all),
            if n == 1 { "s" } else { "" },
            if n == 1 { "s" } else { "" },
            names.join(", ")
        ),
    }
}

fn deprecated_object_name(check: &ReleaseCheck<'_>, one: &DeprecationReport) -> String {
    match (&one.target, check.package_state(&one.package)) {
        (Some(DeprecationTarget::Package), _) => format!("package {}", one.package),
        (Some(target), Some(judged)) => {
            format!("{} {}", one.package, deprecation_target_name(judged.package(), target))
        }
        _ => format!("{} {}", one.package, one.reference),
    }
}

fn render_deprecation_row(check: &ReleaseCheck<'_>, one: &DeprecationReport) -> String {
    let place = FindingLocation::Document(one.doc, one.span).resolve(&check.snapshot.catalog);
    let place = place.map(|place| format!("<br>{}", escape_markdown(&place.path_and_line())));
    let since =
        check.since(one).map(|since| format!("<br>{}", escape_markdown(&describe_deprecation_start(since))));
    let label = |name: &_| check.bundle_label(&one.package, name);
    let mut follows: Vec<String> = describe_deprecation(one, label)
        .into_iter()
        .map(|sentence| format!("{}: {}", sentence.engine.label(), escape_markdown(&sentence.words)))
        .collect();
    if one.is_package() {
        let count = one.concerned.len();
        follows.push(format!(
            "{count} version{} can be installed; no supported bundle is left",
            plural_suffix(count)
        ));
    } else if one.concerned.is_empty() {
        follows.push("no bundle is affected".to_owned());
    }
    format!(
        "| {}{}{} | {} | {} |\n",
        escape_markdown(&deprecated_object_name(check, one)),
        place.unwrap_or_default(),
        since.unwrap_or_default(),
        one.message.trim().lines().map(escape_markdown).collect::<Vec<_>>().join("<br>"),
        follows.join("<br>")
    )
}

fn suggestion_rows(check: &ReleaseCheck<'_>) -> Vec<String> {
    let row = |it: &olm_check::review::deprecations::Suggestion| {
        let judged = check.package_state(&it.package);
        let names: Vec<String> = judged
            .map(|judged| {
                it.targets.iter().map(|target| deprecation_target_name(judged.package(), target)).collect()
            })
            .unwrap_or_default();
        let what = escape_markdown(&format!("{} {}", it.package, names.join(" ")));
        format!(
            "| {what} | {} |\n",
            escape_markdown(&it.describe_reason(|name| check.bundle_label(&it.package, name)))
        )
    };
    check.suggested.iter().map(row).collect()
}

/// Writes as many rows of a table as fit into a comment.
fn write_table_rows(out: &mut String, head: &str, rows: Vec<String>) {
    out.push_str(head);
    let (all, mut shown) = (rows.len(), 0);
    for row in rows {
        if out.len() + row.len() > MAX_BYTES {
            break;
        }
        out.push_str(&row);
        shown += 1;
    }
    if shown < all {
        let _ = writeln!(out, "\nAnd {} more: `olmap deprecations` shows them all.", all - shown);
    }
}
