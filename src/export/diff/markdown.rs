//! A difference as a comment on a pull request: a sentence that a human can act on, what is bad about it, the rest folded
//! package by package, with the changed part of each graph.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{
    Compared, count,
    lines::{self, Head, Line},
    mermaid, words,
};
use crate::{
    catalog::{BundleName, PackageName},
    export::{
        markdown::{MAX_BYTES, quote},
        moved, plan,
    },
    review::{
        FreshChange, Moved,
        diff::{Fate, Fortune, Gate, PackageDiff, Violation},
    },
    upgrade::Engine,
    validate::Severity,
};

/// Lines of a package that are shown before the rest is only counted.
const MAX_LINES: usize = 120;

/// Violations of one gate that are told of.
const MAX_TOLD: usize = 5;

/// Lines of what is bad that are shown.
const MAX_BAD: usize = 20;

/// The comment.
pub fn comment(compared: &Compared<'_>) -> String {
    part(compared, 1).full
}

/// What a comment on several catalogs says of one of them.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it comes to, and what is bad about it.
    head: String,
    /// The same, and the rest as far as there is room.
    full: String,
}

/// A comment on several catalogs: each with all that it has room for, or what it comes to, or, where there is no room for that,
/// counted.
pub fn comment_of(parts: &[Part], rest: &str) -> String {
    let mut out = String::new();
    let mut left: usize = parts.iter().map(|part| part.head.len() + 1).sum();
    let mut missing = 0;
    for part in parts {
        let gap = if out.is_empty() { "" } else { "\n" };
        left = left.saturating_sub(part.head.len() + 1);
        let room = MAX_BYTES.saturating_sub(out.len() + rest.len());
        let line = part.head.split_inclusive('\n').next().unwrap_or_default();
        let fits = [(part.full.as_str(), left), (part.head.as_str(), 0), (line, 0)];
        match fits.into_iter().find(|(text, left)| text.len() + left < room) {
            Some((text, _)) => out.extend([gap, text]),
            None => missing += 1,
        }
    }
    out.push_str(rest);
    if missing > 0 {
        let what = count(missing, "catalog has", "catalogs have");
        let _ = writeln!(out, "\n{what} no room here: see `olmap diff` for all.");
    }
    out
}

/// What is said of one of so many catalogs.
pub fn part(compared: &Compared<'_>, of: usize) -> Part {
    let most = MAX_BYTES / of.max(1);
    let mut out = sentence(compared);
    bad(compared, &mut out);
    let head = out.clone();
    let mut left_out = 0;
    for package in compared.difference.packages.iter().filter(|p| !p.means_the_same() || compared.formatting)
    {
        let section = section(compared, package);
        if out.len() + section.len() > most {
            left_out += 1;
        } else {
            out.push_str(&section);
        }
    }
    let others: Vec<Line> = compared.difference.others.iter().map(lines::other).collect();
    folded(&mut out, most, "Objects without a package", &others);
    folded(&mut out, most, "Findings outside the differences", &lines::findings(compared, None));
    if let Some(update) = &compared.update {
        let comment = plan::comment_on_everyone(&update.over, &update.everyone);
        if out.len() + comment.len() <= most {
            let _ = write!(out, "\n### Cluster update\n\n{comment}");
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let what = count(left_out, "package has", "packages have");
        let _ = writeln!(out, "\n{what} no room here: see `olmap diff` for all.");
    }
    Part { head, full: out }
}

/// What it comes to.
fn sentence(compared: &Compared<'_>) -> String {
    let between = format!("from {} to {}", quote(compared.old_label), quote(compared.new_label));
    if compared.difference.is_empty() {
        return match not_compared(compared) {
            None => format!("**No difference in meaning** {between}.\n"),
            Some(but) => format!("{but}No difference in meaning in the rest, {between}.\n"),
        };
    }
    let but = not_compared(compared);
    let users = words::users(compared);
    let errors = errors(compared);
    let (bad, rest): (Vec<_>, Vec<_>) = users
        .into_iter()
        .partition(|(fortune, _)| matches!(fortune, Fortune::Stranded | Fortune::Downgraded));
    let words = |users: Vec<(Fortune, String)>| users.into_iter().map(|(_, words)| words).collect::<Vec<_>>();
    let (mut reasons, rest) = (words(bad), words(rest));
    reasons.extend(blocking(compared));
    if errors > 0 {
        reasons.push(format!("{} that opm rejects", count(errors, "new error", "new errors")));
    }
    let differing = count(compared.differing(), "package differs", "packages differ");
    if reasons.is_empty() && !compared.violations.is_empty() {
        reasons.push(count(compared.violations.len(), "failed check", "failed checks"));
    }
    let listed = rest.join(", ");
    let verdict = match but {
        _ if !reasons.is_empty() => {
            let besides = if rest.is_empty() { String::new() } else { format!("; besides, {listed}") };
            format!("**Check before you release:** {}{besides}", reasons.join(", "))
        }
        None if rest.is_empty() => "**No users are stranded:** no upgrade changes".to_owned(),
        Some(_) if rest.is_empty() => "No users are stranded in the rest: no upgrade changes".to_owned(),
        None => format!("**No users are stranded:** {listed}"),
        Some(_) => format!("No users are stranded in the rest: {listed}"),
    };
    format!("{}{verdict}; {differing} {between}.\n", but.unwrap_or_default())
}

/// Deprecations that leave somebody without a way on.
fn blocking(compared: &Compared<'_>) -> Vec<String> {
    let all = &compared.difference.consequences.deprecations;
    let lost: BTreeSet<_> =
        all.iter().flat_map(|of| of.lost.iter().map(|lost| (&of.package, &lost.installed))).collect();
    let stopped: usize = all.iter().map(|of| of.stopped.len()).sum();
    let mut words = Vec::new();
    if !lost.is_empty() {
        let versions = count(lost.len(), "deprecated version", "deprecated versions");
        let verb = if lost.len() == 1 { "loses its" } else { "lose their" };
        words.push(format!("{versions} {verb} upgrade path to a supported bundle"));
    }
    if stopped > 0 {
        let versions = count(stopped, "version", "versions");
        words.push(format!("v1 stops on {versions}, because the next upgrade is deprecated"));
    }
    words
}

/// What nothing can be said of, in front of what can be said.
fn not_compared(compared: &Compared<'_>) -> Option<String> {
    let sentences: Vec<String> =
        compared.left_out.iter().map(|left_out| quote(&left_out.sentence())).collect();
    (!sentences.is_empty())
        .then(|| format!("**Not everything could be compared:** {}.\n\n", sentences.join("; ")))
}

fn errors(compared: &Compared<'_>) -> usize {
    let new = &compared.difference.consequences.new_findings;
    new.iter().filter(|finding| finding.severity() == Severity::Error).count()
}

/// What is bad about it, unfolded.
fn bad(compared: &Compared<'_>, out: &mut String) {
    let consequences = &compared.difference.consequences;
    let is_bad = |moved: &&Moved| {
        matches!(Fortune::of(moved, compared.old, compared.new), Fortune::Stranded | Fortune::Downgraded)
    };
    let moved: Vec<Moved> = consequences.moved.iter().filter(is_bad).cloned().collect();
    let mut items: Vec<String> = Vec::new();
    for package in &compared.difference.packages {
        if package.fate == Fate::Removed {
            let versions = count(package.bundles.len(), "version", "versions");
            let name = quote(package.name.as_str());
            items.push(format!("{name} is removed: users of its {versions} get no more upgrades"));
            continue;
        }
        let of: Vec<Moved> = moved.iter().filter(|moved| moved.package == package.name).cloned().collect();
        let label = |package: &PackageName, name: &BundleName| words::label(compared, package, name);
        let is_bad = |change: &&FreshChange| {
            change.package == package.name
                && matches!(
                    Fortune::of_fresh(change, compared.old, compared.new),
                    Fortune::Stranded | Fortune::Downgraded
                )
        };
        let fresh: Vec<FreshChange> = consequences.fresh.iter().filter(is_bad).cloned().collect();
        let sentences = moved::sentences(&of, label).into_iter().map(|of| (of.engine, of.words));
        let fresh = moved::fresh::sentences(&fresh, label).into_iter().map(|of| (of.engine, of.words));
        for (of, words) in sentences.chain(fresh) {
            items.push(format!("{}, {}: {}", quote(package.name.as_str()), engine(of), quote(&words)));
        }
        let blocked = lines::effects(compared, &package.name).into_iter();
        let blocked = blocked.filter(|line| line.head == Head::Deprecated(Fortune::Stranded));
        items
            .extend(blocked.map(|line| {
                format!("{}, deprecation: {}", quote(package.name.as_str()), quote(&line.words))
            }));
    }
    for finding in consequences.new_findings.iter().filter(|f| f.severity() == Severity::Error) {
        items.push(format!("new error {}: {}", finding.rule.id, quote(&finding.message)));
    }
    items.extend(Gate::ALL.into_iter().filter_map(|gate| failure(compared, gate)));
    if items.is_empty() {
        return;
    }
    out.push('\n');
    for item in items.iter().take(MAX_BAD) {
        let _ = writeln!(out, "- {item}");
    }
    if items.len() > MAX_BAD {
        let _ = writeln!(out, "- and {} more", items.len() - MAX_BAD);
    }
}

/// How a difference does not pass a gate. What stands above already is only counted.
fn failure(compared: &Compared<'_>, gate: Gate) -> Option<String> {
    let of: Vec<_> = compared.violations.iter().filter(|violation| violation.gate == gate).collect();
    let name = gate.name();
    match gate {
        _ if of.is_empty() => None,
        Gate::NewErrors | Gate::NewDeadEnds | Gate::Downgrades | Gate::BrokenDependencies => {
            Some(format!("fails `{name}`, {}", count(of.len(), "time", "times")))
        }
        Gate::RemovedEntries | Gate::DefaultChannel | Gate::ChangedBundles => {
            let words = |violation: &&Violation| {
                let package = violation.package.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
                quote(&format!("{package}{}", violation.what))
            };
            let told: Vec<String> = of.iter().take(MAX_TOLD).map(words).collect();
            let more = of.len().checked_sub(MAX_TOLD + 1).map(|n| format!("; and {} more", n + 1));
            Some(format!("fails `{name}`: {}{}", told.join("; "), more.unwrap_or_default()))
        }
    }
}

/// A package, folded: its lines, then the changed part of each channel's graph.
fn section(compared: &Compared<'_>, package: &PackageDiff) -> String {
    let mut out = String::new();
    let title = format!("{} {}", quote(package.name.as_str()), lines::heading(package));
    let mut body = String::new();
    list(&mut body, &lines::package(compared, package));
    for (names, flowchart) in flowcharts(compared, package) {
        let channels = if names.len() == 1 { "channel" } else { "channels" };
        let names = names.join(", ");
        let _ = write!(body, "\nWhat changes in {channels} {names}:\n\n```mermaid\n{flowchart}```\n");
    }
    let _ = write!(out, "\n<details><summary>{title}</summary>\n\n{body}\n</details>\n");
    out
}

/// The changed part of each graph, once for all channels in which the same changes.
fn flowcharts(compared: &Compared<'_>, package: &PackageDiff) -> Vec<(Vec<String>, String)> {
    let mut all: Vec<(Vec<String>, String)> = Vec::new();
    for channel in package.channels.iter().filter(|channel| channel.fate == Fate::Changed) {
        let Some(flowchart) = mermaid::flowchart(compared, &package.name, channel) else { continue };
        let name = quote(channel.name.as_str());
        match all.iter_mut().find(|(_, known)| *known == flowchart) {
            Some((names, _)) => names.push(name),
            None => all.push((vec![name], flowchart)),
        }
    }
    all
}

fn folded(out: &mut String, most: usize, title: &str, lines: &[Line]) {
    if lines.is_empty() {
        return;
    }
    let mut body = String::new();
    list(&mut body, lines);
    if out.len() + body.len() <= most {
        let _ = write!(out, "\n<details><summary>{title}</summary>\n\n{body}\n</details>\n");
    }
}

fn list(out: &mut String, lines: &[Line]) {
    for line in lines.iter().take(MAX_LINES) {
        let head = match line.head {
            Head::Fate(fate) => format!("**{}** ", fate.as_str()),
            Head::More => String::new(),
            Head::Users(of, _) | Head::Ends(of) => format!("{}: ", engine(of)),
            Head::Deprecated(Fortune::Stranded) => "**deprecation**: ".to_owned(),
            Head::Deprecated(_) => "deprecation: ".to_owned(),
            Head::Left => "**left without**: ".to_owned(),
            Head::Finding(_, Fate::Removed) => "finding fixed: ".to_owned(),
            Head::Finding(..) => "**new finding**: ".to_owned(),
        };
        let _ = writeln!(out, "{:indent$}- {head}{}", "", quote(&line.words), indent = 2 * line.depth);
    }
    if lines.len() > MAX_LINES {
        let _ = writeln!(out, "- and {} more lines", lines.len() - MAX_LINES);
    }
}

fn engine(engine: Engine) -> &'static str {
    match engine {
        Engine::Classic => "Classic",
        Engine::V1 => "v1",
    }
}
