//! Release check for people.

use std::fmt::Write as _;

use super::{
    EffectSeverity, ReleaseCheck, deprecation_target_name, describe_classic_output, describe_deprecation,
    describe_deprecation_start, describe_v1_conditions,
};
use crate::{
    escape::{self, wrap},
    finding::plural_suffix,
    omissions::READ_PART_PREFIX,
    style::{Ink, Style},
};
use olm_check::{
    FindingLocation,
    review::deprecations::{DeprecationReport, Suggestion},
};
use olm_upgrade::v1::Query;

/// Renders the check: deprecations, suggestions and the verdict.
pub fn render_deprecation_check(check: &ReleaseCheck<'_>, style: &Style) -> String {
    let mut out = String::new();
    for one in &check.deprecated {
        write_deprecation(&mut out, check, one, style);
        out.push('\n');
    }
    if !check.suggested.is_empty() {
        let _ = writeln!(out, "{}", style.paint(Ink::Bold, "Could be deprecated"));
        check.suggested.iter().for_each(|it| write_suggestion(&mut out, check, it, style));
        out.push('\n');
    }
    out.push_str(&render_deprecation_verdict(check, style));
    out
}

fn write_deprecation(out: &mut String, check: &ReleaseCheck<'_>, one: &DeprecationReport, style: &Style) {
    let judged = check.package_state(&one.package);
    let what = match (&one.target, judged) {
        (Some(target), Some(judged)) => deprecation_target_name(judged.package(), target),
        _ => one.reference.clone(),
    };
    let mark = if check.blocks(one) { style.paint(Ink::Error, "  BLOCKS") } else { String::new() };
    let head = format!("{}: {what} is deprecated", one.package);
    let _ = writeln!(out, "{}{mark}", style.paint(Ink::Bold, &head));
    let place = FindingLocation::Document(one.doc, one.span).resolve(&check.snapshot.catalog);
    if let Some(place) = place {
        let place = place.path_and_line();
        let since = check
            .since(one)
            .map(|since| format!("  {}", describe_deprecation_start(since)))
            .unwrap_or_default();
        let _ = writeln!(
            out,
            "  {}{}",
            style.paint(Ink::Dim, &escape::escape_line(&place)),
            style.paint(Ink::Dim, &since)
        );
    }
    for line in escape::escape_lines(one.message.trim()) {
        out.push_str(&wrap::wrap_sentence(&line, "  | ", style.width));
    }
    let count = one.concerned.len();
    if one.is_package() {
        let words = format!(
            "{count} version{} can be installed, and no supported bundle of the package is left",
            plural_suffix(count)
        );
        out.push_str(&style.paint_labeled("ends", Ink::Text, &words));
    } else if one.target.is_none() {
        let words = "OLM does not know this reference; see olmap validate";
        out.push_str(&style.paint_labeled("no effect", Ink::Warning, words));
    } else if count == 0 {
        out.push_str(&style.paint_labeled("no effect", Ink::Dim, "no bundle of the package is affected"));
    }
    let label = |name: &_| check.bundle_label(&one.package, name);
    for sentence in describe_deprecation(one, label) {
        let ink = effect_severity_ink(sentence.fate);
        out.push_str(&style.paint_labeled(sentence.engine.label(), ink, &sentence.words));
    }
    if let Some(words) = judged.and_then(|judged| describe_classic_output(judged, one)) {
        out.push_str(&style.paint_labeled("shows", Ink::Dim, &words));
    }
    if let Some(words) = judged.and_then(|judged| describe_v1_conditions(judged, &Query::default(), one)) {
        out.push_str(&style.paint_labeled("v1 shows", Ink::Dim, &words));
    }
}

/// Returns the color of an outcome.
pub fn effect_severity_ink(fate: EffectSeverity) -> Ink {
    match fate {
        EffectSeverity::Blocked => Ink::Error,
        EffectSeverity::ByHand | EffectSeverity::Unknown => Ink::Warning,
        EffectSeverity::Fine => Ink::Text,
    }
}

fn write_suggestion(out: &mut String, check: &ReleaseCheck<'_>, suggestion: &Suggestion, style: &Style) {
    let names: Vec<String> = match check.package_state(&suggestion.package) {
        Some(judged) => suggestion
            .targets
            .iter()
            .map(|target| deprecation_target_name(judged.package(), target))
            .collect(),
        None => Vec::new(),
    };
    let reason = suggestion.describe_reason(|name| check.bundle_label(&suggestion.package, name));
    let words = format!("{}: {}: {reason}", suggestion.package, names.join(" "));
    out.push_str(&wrap::wrap_hanging(&words, "  ", "    ", style.width));
}

/// Returns the last line, with the totals and the number of blocking deprecations.
fn render_deprecation_verdict(check: &ReleaseCheck<'_>, style: &Style) -> String {
    let label = escape::escape_line(&check.snapshot.catalog.origin.label()).into_owned();
    let (all, blocking) = (check.deprecated.len(), check.blocking().count());
    let rest = if check.left_out.is_some() { READ_PART_PREFIX } else { "" };
    let found = match (all, blocking) {
        (0, _) if check.base.is_some() => style.paint(Ink::Good, &format!("{rest}no new deprecation")),
        (0, _) => style.paint(Ink::Good, &format!("{rest}nothing is deprecated")),
        (_, 0) => {
            style.paint(Ink::Good, &format!("{rest}{all} deprecation{}, none blocks", plural_suffix(all)))
        }
        _ => style.paint(
            Ink::Error,
            &format!(
                "{blocking} of {all} deprecation{} {}",
                plural_suffix(all),
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
    let since =
        check.base.as_ref().map(|base| format!(" since {}", escape::escape_line(base))).unwrap_or_default();
    let but = check
        .left_out
        .as_ref()
        .map(|left_out| wrap::wrap_sentence(&left_out.describe_omission(), "", style.width));
    format!(
        "{label}{since}, as of {}: {found}{accepted}{suggested}\n{}",
        check.today,
        but.unwrap_or_default()
    )
}
