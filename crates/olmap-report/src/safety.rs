//! Verdicts on upgrade steps, as text and JSON.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::{Ink, Style, bundle::step};
use olm_bundle::{
    crd::CrdLocation,
    step::{OlmJudgement, Reason},
};
use olm_catalog::{BundleName, PackageName};
use olm_upgrade::{
    Engine, UpgradeRow, UpgradeTable,
    safety::{Advisory, NotChecked, PackageSafety, Safety, Step, Verdict},
};

/// Returns the color of a verdict.
pub fn verdict_ink(verdict: Verdict) -> Ink {
    match verdict {
        Verdict::Safe => Ink::Good,
        Verdict::NeedsALook => Ink::Note,
        Verdict::Unknown => Ink::Dim,
        Verdict::RefusedByClassic | Verdict::RefusedByV1 | Verdict::RefusedByBoth => Ink::Error,
    }
}

/// Counts the steps by verdict: `12 steps: 8 safe, 3 v1 refuses, 1 not checked`.
pub fn format_verdict_counts(counts: &[usize; Verdict::ALL.len()]) -> String {
    match counts.iter().sum() {
        0 => "no steps".to_owned(),
        1 => format!("1 step: {}", list_verdicts(counts)),
        all => format!("{all} steps: {}", list_verdicts(counts)),
    }
}

/// Lists the numbers of steps by verdict: `8 safe, 3 v1 refuses, 1 not checked`.
pub fn list_verdicts(counts: &[usize; Verdict::ALL.len()]) -> String {
    let known = counts.iter().zip(Verdict::ALL).filter(|(count, _)| **count > 0);
    known.map(|(count, verdict)| format!("{count} {}", verdict.short_text())).collect::<Vec<_>>().join(", ")
}

/// Renders the steps for which `is_shown` returns true, and the number of all steps by verdict.
pub fn render_package_safety(
    package: &PackageName,
    safety: &PackageSafety,
    is_shown: impl Fn(&Safety) -> bool,
    style: &Style,
) -> String {
    let mut out = String::new();
    let heading = format!("{package}: {}", format_verdict_counts(&safety.count_verdicts()));
    let _ = writeln!(out, "{}", style.paint(Ink::Bold, &heading));
    let unknown = safety.steps.iter().find_map(|(_, safety)| match safety {
        Safety::Unknown(reason) if !is_shown(safety) => Some(reason),
        _ => None,
    });
    if let Some(NotChecked { reason, is_failure, .. }) = unknown {
        let way = if *is_failure { "" } else { "; --bundles DIR says where bundle directories are" };
        let words = format!("not checked: {reason}{way}");
        out.push_str(&style.paint_wrapped(Ink::Dim, &words, "  ", "    "));
    }
    for (step, safety) in &safety.steps {
        if is_shown(safety) {
            write_step(&mut out, step, safety, style);
        }
    }
    out
}

fn write_step(out: &mut String, step: &Step, safety: &Safety, style: &Style) {
    let verdict = safety.overall_verdict();
    let ways: Vec<String> = step.reasons.iter().map(ToString::to_string).collect();
    let head = format!("{} {} -> {}: {}", verdict.list_mark(), step.from, step.to, verdict.short_text());
    let _ = writeln!(
        out,
        "{}  {}",
        style.paint(verdict_ink(verdict), &head),
        style.paint(Ink::Dim, &format!("({})", ways.join(", ")))
    );
    write_safety_lines(out, safety, &[Engine::V1, Engine::Classic], style);
}

fn write_safety_lines(out: &mut String, safety: &Safety, engines: &[Engine], style: &Style) {
    for (verdict, words, place) in safety.lines_for(engines) {
        let at = place.map(|place| format!("  {}:{}", place.file, place.line)).unwrap_or_default();
        let ink = if verdict.is_refused() { Ink::Text } else { Ink::Dim };
        out.push_str(&style.paint_wrapped(ink, &words, "    ", "      "));
        if !at.is_empty() {
            let _ = writeln!(out, "    {}", style.paint(Ink::Dim, &at));
        }
    }
}

/// Renders the safety of a step that one OLM takes. Empty if the step was not checked.
pub fn render_step_safety(safety: Option<&Safety>, engine: Engine, style: &Style) -> String {
    let Some(safety) = safety else { return String::new() };
    let verdict = safety.verdict_for(engine);
    let mut out =
        format!("  {}\n", style.paint(verdict_ink(verdict), &format!("step: {}", verdict.short_text())));
    write_safety_lines(&mut out, safety, &[engine], style);
    out
}

/// Renders the next steps of a table that are not safe. `with_counts` adds a line that counts all
/// next steps.
pub fn render_table_safety(
    safety: &PackageSafety,
    table: &UpgradeTable,
    engines: &[Engine],
    with_counts: bool,
    style: &Style,
) -> String {
    let targets = |row: &'_ UpgradeRow| {
        let classic = row.classic.target().filter(|_| engines.contains(&Engine::Classic)).cloned();
        let v1 = row.v1.target().filter(|_| engines.contains(&Engine::V1)).cloned();
        let mut targets: Vec<BundleName> = classic.into_iter().chain(v1).collect();
        targets.dedup();
        targets
    };
    let (mut all, mut out) = ([0; Verdict::ALL.len()], String::new());
    for row in &table.rows {
        for to in targets(row) {
            let Some(known) = safety.find_step(&row.installed.name, &to) else { continue };
            let verdict = known.overall_verdict();
            for (count, of) in all.iter_mut().zip(Verdict::ALL) {
                *count += usize::from(of == verdict);
            }
            if !matches!(verdict, Verdict::Safe | Verdict::Unknown) {
                let line = format!(
                    "{} {} -> {to}: {}",
                    verdict.list_mark(),
                    row.installed.name,
                    known.brief(engines)
                );
                let _ = writeln!(out, "{}", style.paint(verdict_ink(verdict), &line));
            }
        }
    }
    if with_counts { format!("{}\n{out}", format_verdict_counts(&all)) } else { out }
}

/// Returns the safety of a step for programs: `{verdict, step, v1: [...], classic: [...], looks:
/// [...], unknown?}`.
pub fn safety_json(safety: &Safety) -> Json {
    let mut object = json!({ "verdict": safety.overall_verdict().id() });
    let Some(members) = object.as_object_mut() else { return object };
    if let Some(NotChecked { reason, is_failure, .. }) = safety.not_checked().first() {
        members.insert("unknown".to_owned(), reason.as_str().into());
        if *is_failure {
            members.insert("failed".to_owned(), true.into());
        }
    }
    if let Safety::Known(findings) = safety {
        let refusals = |olm: &OlmJudgement| olm.refusals().map(refusal_json).collect::<Json>();
        members.insert("step".to_owned(), step::step_judgement_json(&findings.step));
        members.insert("v1".to_owned(), refusals(&findings.step.v1));
        members.insert("classic".to_owned(), refusals(&findings.step.classic));
        members.insert("looks".to_owned(), findings.looks.iter().map(look_json).collect());
    }
    object
}

/// Returns a step of a package for programs.
pub fn step_safety_json(package: &PackageName, step: &Step, safety: &Safety) -> Json {
    let ways: Vec<String> = step.reasons.iter().map(ToString::to_string).collect();
    json!({ "package": package, "from": step.from, "to": step.to, "ways": ways, "safety": safety_json(safety) })
}

fn refusal_json(reason: &Reason) -> Json {
    let mut object = step::step_reason_json(reason);
    let crd = reason.object.strip_prefix("CustomResourceDefinition/");
    if let (Some(members), Some(crd)) = (object.as_object_mut(), crd) {
        members.insert("crd".to_owned(), crd.into());
    }
    object
}

fn look_json(look: &Advisory) -> Json {
    let mut object = json!({ "kind": look.kind.id(), "what": look.to_string() });
    insert_crd_location(&mut object, look.place.as_ref());
    object
}

fn insert_crd_location(object: &mut Json, place: Option<&CrdLocation>) {
    if let (Some(place), Some(members)) = (place, object.as_object_mut()) {
        members.insert("file".to_owned(), place.file.as_ref().into());
        members.insert("line".to_owned(), place.line.into());
    }
}
