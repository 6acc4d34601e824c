//! Comment on a pull request with the release check: a sentence, blocking deprecations, the rest
//! folded.

use std::fmt::Write as _;

use super::{Check, called, sentences, since_words};
use crate::{
    catalog::blob::DeprecationTarget,
    export::{
        finding::{self, plural},
        left_out::OF_THE_REST,
        markdown::{MAX_BYTES, quote},
    },
    review::deprecations::Deprecated,
    validate::Location,
};

const HEAD: &str = "| what | message | effect |\n|---|---|---|\n";

/// Renders the comment on a release check.
pub fn comment(check: &Check<'_>) -> String {
    let mut out = sentence(check);
    if let Some(left_out) = &check.left_out {
        let _ = writeln!(out, "\n**Not everything could be checked:** {}.", quote(&left_out.sentence()));
    }
    let (blocking, others): (Vec<_>, Vec<_>) = check.deprecated.iter().partition(|one| check.blocks(one));
    if !blocking.is_empty() {
        out.push('\n');
        rows(&mut out, HEAD, blocking.iter().map(|one| row(check, one)).collect());
    }
    if !others.is_empty() {
        let count = others.len();
        let _ = writeln!(
            out,
            "\n<details><summary>{count} deprecation{} that do{} not block</summary>\n",
            plural(count),
            if count == 1 { "es" } else { "" }
        );
        rows(&mut out, HEAD, others.iter().map(|one| row(check, one)).collect());
        out.push_str("\n</details>\n");
    }
    if !check.suggested.is_empty() {
        let count = check.suggested.len();
        let _ = writeln!(out, "\n<details><summary>{count} suggestion{}</summary>\n", plural(count));
        rows(&mut out, "| could be deprecated | why |\n|---|---|\n", suggestions(check));
        out.push_str("\n</details>\n");
    }
    out
}

/// Summarizes the check in a sentence for reviewers.
fn sentence(check: &Check<'_>) -> String {
    let catalog = quote(&check.snapshot.catalog.origin.label());
    let all = check.deprecated.len();
    let blocking: Vec<&Deprecated> = check.blocking().collect();
    let names: Vec<String> = blocking.iter().take(3).map(|one| quote(&name(check, one))).collect();
    let more = match blocking.len().saturating_sub(names.len()) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let rest = if check.left_out.is_some() { OF_THE_REST } else { "" };
    if let Some(base) = check.base.as_ref().filter(|_| blocking.is_empty()) {
        let what = if all == 0 { "no" } else { "no blocking" };
        return format!("**olmap**: {rest}{what} new deprecation in {catalog} since {}.\n", quote(base));
    }
    match (all, blocking.len()) {
        (0, _) => format!("**olmap**: {rest}nothing is deprecated in {catalog}.\n"),
        (_, 0) => {
            format!(
                "**olmap**: {rest}{all} deprecation{} in {catalog}, all with an upgrade path to a \
                 supported bundle.\n",
                plural(all)
            )
        }
        (_, n) => format!(
            "**olmap**: {n} of {all} deprecation{} in {catalog} leave{} users without an upgrade path or \
             stop{} OLM v1: {}{more}.\n",
            plural(all),
            if n == 1 { "s" } else { "" },
            if n == 1 { "s" } else { "" },
            names.join(", ")
        ),
    }
}

fn name(check: &Check<'_>, one: &Deprecated) -> String {
    match (&one.target, check.judged(&one.package)) {
        (Some(DeprecationTarget::Package), _) => format!("package {}", one.package),
        (Some(target), Some(judged)) => format!("{} {}", one.package, called(judged.package(), target)),
        _ => format!("{} {}", one.package, one.reference),
    }
}

fn row(check: &Check<'_>, one: &Deprecated) -> String {
    let place = finding::place(&check.snapshot.catalog, &Location::Document(one.doc, one.span));
    let place = place.map(|place| format!("<br>{}", quote(&place.path_and_line())));
    let since = check.since(one).map(|since| format!("<br>{}", quote(&since_words(since))));
    let label = |name: &_| check.label(&one.package, name);
    let mut follows: Vec<String> = sentences(one, label)
        .into_iter()
        .map(|sentence| format!("{}: {}", sentence.engine.label(), quote(&sentence.words)))
        .collect();
    if one.is_package() {
        let count = one.concerned.len();
        follows
            .push(format!("{count} version{} can be installed; no supported bundle is left", plural(count)));
    } else if one.concerned.is_empty() {
        follows.push("no bundle is affected".to_owned());
    }
    format!(
        "| {}{}{} | {} | {} |\n",
        quote(&name(check, one)),
        place.unwrap_or_default(),
        since.unwrap_or_default(),
        one.message.trim().lines().map(quote).collect::<Vec<_>>().join("<br>"),
        follows.join("<br>")
    )
}

fn suggestions(check: &Check<'_>) -> Vec<String> {
    let row = |it: &crate::review::deprecations::Suggestion| {
        let judged = check.judged(&it.package);
        let names: Vec<String> = judged
            .map(|judged| it.targets.iter().map(|target| called(judged.package(), target)).collect())
            .unwrap_or_default();
        let what = quote(&format!("{} {}", it.package, names.join(" ")));
        format!("| {what} | {} |\n", quote(&it.reason(|name| check.label(&it.package, name))))
    };
    check.suggested.iter().map(row).collect()
}

/// Writes as many rows of a table as fit into a comment.
fn rows(out: &mut String, head: &str, rows: Vec<String>) {
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
