//! Release check for people.

use std::fmt::Write as _;

use super::{Check, Fate, called, sentences, shown_by_v1, since_words};
use crate::{
    export::{
        finding::{self, plural},
        left_out::OF_THE_REST,
        plain::{self, wrap},
        style::{Ink, Style},
    },
    review::deprecations::{Deprecated, Suggestion},
    upgrade::v1::Query,
    validate::Location,
};

/// Renders the check: deprecations, suggestions and the verdict.
pub fn text(check: &Check<'_>, style: &Style) -> String {
    let mut out = String::new();
    for one in &check.deprecated {
        deprecation(&mut out, check, one, style);
        out.push('\n');
    }
    if !check.suggested.is_empty() {
        let _ = writeln!(out, "{}", style.paint(Ink::Bold, "Could be deprecated"));
        check.suggested.iter().for_each(|it| suggestion(&mut out, check, it, style));
        out.push('\n');
    }
    out.push_str(&verdict(check, style));
    out
}

/// Writes a head in its own column and wrapped words to the right of it.
fn beside(out: &mut String, head: &str, ink: Ink, words: &str, style: &Style) {
    let folded = wrap::wrapped(words, "", style.width.saturating_sub(11));
    for (index, line) in folded.lines().enumerate() {
        let head = if index == 0 { head } else { "" };
        let _ = writeln!(out, "  {head:<8} {}", style.paint(ink, line));
    }
}

fn deprecation(out: &mut String, check: &Check<'_>, one: &Deprecated, style: &Style) {
    let judged = check.judged(&one.package);
    let what = match (&one.target, judged) {
        (Some(target), Some(judged)) => called(judged.package(), target),
        _ => one.reference.clone(),
    };
    let mark = if check.blocks(one) { style.paint(Ink::Error, "  BLOCKS") } else { String::new() };
    let head = format!("{}: {what} is deprecated", one.package);
    let _ = writeln!(out, "{}{mark}", style.paint(Ink::Bold, &head));
    let place = finding::place(&check.snapshot.catalog, &Location::Document(one.doc, one.span));
    if let Some(place) = place {
        let place = place.path_and_line();
        let since = check.since(one).map(|since| format!("  {}", since_words(since))).unwrap_or_default();
        let _ = writeln!(
            out,
            "  {}{}",
            style.paint(Ink::Dim, &plain::line(&place)),
            style.paint(Ink::Dim, &since)
        );
    }
    for line in plain::lines(one.message.trim()) {
        out.push_str(&wrap::wrapped(&line, "  | ", style.width));
    }
    let count = one.concerned.len();
    if one.is_package() {
        let words = format!(
            "{count} version{} can be installed, and no supported bundle of the package is left",
            plural(count)
        );
        beside(out, "ends", Ink::Text, &words, style);
    } else if one.target.is_none() {
        let words = "OLM does not know this reference; see olmap validate";
        beside(out, "nobody", Ink::Warning, words, style);
    } else if count == 0 {
        beside(out, "nobody", Ink::Dim, "no bundle of the package is affected", style);
    }
    let label = |name: &_| check.label(&one.package, name);
    for sentence in sentences(one, label) {
        beside(out, sentence.engine.label(), ink(sentence.fate), &sentence.words, style);
    }
    if let Some(words) = judged.and_then(|judged| shown_by_v1(judged, &Query::default(), one)) {
        beside(out, "v1 shows", Ink::Dim, &words, style);
    }
}

/// Returns the color of an outcome.
pub fn ink(fate: Fate) -> Ink {
    match fate {
        Fate::Blocked => Ink::Error,
        Fate::ByHand | Fate::Unknown => Ink::Warning,
        Fate::Fine => Ink::Text,
    }
}

fn suggestion(out: &mut String, check: &Check<'_>, suggestion: &Suggestion, style: &Style) {
    let names: Vec<String> = match check.judged(&suggestion.package) {
        Some(judged) => suggestion.targets.iter().map(|target| called(judged.package(), target)).collect(),
        None => Vec::new(),
    };
    let reason = suggestion.reason(|name| check.label(&suggestion.package, name));
    let words = format!("{}: {}: {reason}", suggestion.package, names.join(" "));
    out.push_str(&wrap::hanging(&words, "  ", "    ", style.width));
}

/// Returns the last line, with the totals and the number of blocking deprecations.
fn verdict(check: &Check<'_>, style: &Style) -> String {
    let label = plain::line(&check.snapshot.catalog.origin.label()).into_owned();
    let (all, blocking) = (check.deprecated.len(), check.blocking().count());
    let rest = if check.left_out.is_some() { OF_THE_REST } else { "" };
    let found = match (all, blocking) {
        (0, _) if check.base.is_some() => style.paint(Ink::Good, &format!("{rest}no new deprecation")),
        (0, _) => style.paint(Ink::Good, &format!("{rest}nothing is deprecated")),
        (_, 0) => style.paint(Ink::Good, &format!("{rest}{all} deprecation{}, none blocks", plural(all))),
        _ => style.paint(
            Ink::Error,
            &format!(
                "{blocking} of {all} deprecation{} {}",
                plural(all),
                if blocking == 1 { "blocks" } else { "block" }
            ),
        ),
    };
    let suggested = match check.suggested.len() {
        0 => String::new(),
        n => format!(", {n} suggested"),
    };
    let accepted = match check.accepted {
        0 => String::new(),
        n => format!(", {n} accepted"),
    };
    let since = check.base.as_ref().map(|base| format!(" since {}", plain::line(base))).unwrap_or_default();
    let but = check.left_out.as_ref().map(|left_out| wrap::wrapped(&left_out.sentence(), "", style.width));
    format!(
        "{label}{since}, as of {}: {found}{accepted}{suggested}\n{}",
        check.today,
        but.unwrap_or_default()
    )
}
