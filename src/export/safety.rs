//! Verdicts on upgrade steps, as text and JSON.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::{Ink, Style, bundle::step, plain::wrap::hanging};
use crate::{
    bundle::{
        crd::Place,
        step::{OlmJudgement, Reason},
    },
    catalog::{BundleName, PackageName},
    upgrade::{
        Engine, UpgradeRow, UpgradeTable,
        safety::{Look, NotChecked, PackageSafety, Safety, Step, Verdict},
    },
};

/// Returns the color of a verdict.
pub fn ink(verdict: Verdict) -> Ink {
    match verdict {
        Verdict::Safe => Ink::Good,
        Verdict::NeedsALook => Ink::Note,
        Verdict::Unknown => Ink::Dim,
        Verdict::RefusedByClassic | Verdict::RefusedByV1 | Verdict::RefusedByBoth => Ink::Error,
    }
}

/// Counts the steps by verdict: `12 steps: 8 safe, 3 v1 refuses, 1 unknown`.
pub fn counts(counts: &[usize; Verdict::ALL.len()]) -> String {
    let all: usize = counts.iter().sum();
    let told = counts.iter().zip(Verdict::ALL).filter(|(count, _)| **count > 0);
    let told: Vec<String> = told.map(|(count, verdict)| format!("{count} {}", verdict.words())).collect();
    match all {
        0 => "no steps".to_owned(),
        1 => format!("1 step: {}", told.join(", ")),
        all => format!("{all} steps: {}", told.join(", ")),
    }
}

/// Renders the steps for which `is_shown` returns true, and the number of all steps by verdict.
pub fn text(
    package: &PackageName,
    safety: &PackageSafety,
    is_shown: impl Fn(&Safety) -> bool,
    style: &Style,
) -> String {
    let mut out = String::new();
    let heading = format!("{package}: {}", counts(&safety.counts()));
    let _ = writeln!(out, "{}", style.paint(Ink::Bold, &heading));
    let unknown = safety.steps.iter().find_map(|(_, safety)| match safety {
        Safety::Unknown(reason) if !is_shown(safety) => Some(reason),
        _ => None,
    });
    if let Some(NotChecked { reason, is_failure, .. }) = unknown {
        let way = if *is_failure { "" } else { "; --bundles DIR says where bundle directories are" };
        let words = format!("unknown: {reason}{way}");
        for line in hanging(&words, "  ", "    ", style.width).lines() {
            let _ = writeln!(out, "{}", style.paint(Ink::Dim, line));
        }
    }
    for (step, safety) in &safety.steps {
        if is_shown(safety) {
            step_text(&mut out, step, safety, style);
        }
    }
    out
}

fn step_text(out: &mut String, step: &Step, safety: &Safety, style: &Style) {
    let verdict = safety.verdict();
    let ways: Vec<String> = step.ways.iter().map(ToString::to_string).collect();
    let head = format!("{} {} -> {}: {}", verdict.mark(), step.from, step.to, verdict.words());
    let _ = writeln!(
        out,
        "{}  {}",
        style.paint(ink(verdict), &head),
        style.paint(Ink::Dim, &format!("({})", ways.join(", ")))
    );
    told(out, safety, &[Engine::V1, Engine::Classic], style);
}

fn told(out: &mut String, safety: &Safety, engines: &[Engine], style: &Style) {
    for (verdict, words, place) in safety.lines_for(engines) {
        let at = place.map(|place| format!("  {}:{}", place.file, place.line)).unwrap_or_default();
        for line in hanging(&words, "    ", "      ", style.width).lines() {
            let _ = writeln!(
                out,
                "{}",
                style.paint(if verdict.is_refused() { Ink::Text } else { Ink::Dim }, line)
            );
        }
        if !at.is_empty() {
            let _ = writeln!(out, "    {}", style.paint(Ink::Dim, &at));
        }
    }
}

/// Renders the safety of a step that one OLM takes. Empty if the step was not checked.
pub fn lines(safety: Option<&Safety>, engine: Engine, style: &Style) -> String {
    let Some(safety) = safety else { return String::new() };
    let verdict = safety.verdict_for(engine);
    let mut out = format!("  {}\n", style.paint(ink(verdict), &format!("step: {}", verdict.words())));
    told(&mut out, safety, &[engine], style);
    out
}

/// Renders the next steps of a table that are not safe. `with_counts` adds a line that counts all
/// next steps.
pub fn of_table(
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
            let Some(known) = safety.of(&row.installed.name, &to) else { continue };
            let verdict = known.verdict();
            for (count, of) in all.iter_mut().zip(Verdict::ALL) {
                *count += usize::from(of == verdict);
            }
            if !matches!(verdict, Verdict::Safe | Verdict::Unknown) {
                let line =
                    format!("{} {} -> {to}: {}", verdict.mark(), row.installed.name, known.brief(engines));
                let _ = writeln!(out, "{}", style.paint(ink(verdict), &line));
            }
        }
    }
    if with_counts { format!("{}\n{out}", counts(&all)) } else { out }
}

/// Returns the safety of a step for programs: `{verdict, step, v1: [...], classic: [...], looks:
/// [...], unknown?}`.
pub fn json_of(safety: &Safety) -> Json {
    let mut object = json!({ "verdict": safety.verdict().id() });
    let Some(members) = object.as_object_mut() else { return object };
    if let Some(NotChecked { reason, is_failure, .. }) = safety.not_checked().first() {
        members.insert("unknown".to_owned(), reason.as_str().into());
        if *is_failure {
            members.insert("failed".to_owned(), true.into());
        }
    }
    if let Safety::Known(findings) = safety {
        let refusals = |olm: &OlmJudgement| olm.refusals().map(refusal).collect::<Json>();
        members.insert("step".to_owned(), step::json(&findings.step));
        members.insert("v1".to_owned(), refusals(&findings.step.v1));
        members.insert("classic".to_owned(), refusals(&findings.step.classic));
        members.insert("looks".to_owned(), findings.looks.iter().map(look).collect());
    }
    object
}

/// Returns a step of a package for programs.
pub fn json_of_step(package: &PackageName, step: &Step, safety: &Safety) -> Json {
    let ways: Vec<String> = step.ways.iter().map(ToString::to_string).collect();
    json!({ "package": package, "from": step.from, "to": step.to, "ways": ways, "safety": json_of(safety) })
}

fn refusal(reason: &Reason) -> Json {
    let mut object = step::reason(reason);
    let crd = reason.object.strip_prefix("CustomResourceDefinition/");
    if let (Some(members), Some(crd)) = (object.as_object_mut(), crd) {
        members.insert("crd".to_owned(), crd.into());
    }
    object
}

fn look(look: &Look) -> Json {
    let mut object = json!({ "kind": look.kind.id(), "what": look.to_string() });
    put_place(&mut object, look.place.as_ref());
    object
}

fn put_place(object: &mut Json, place: Option<&Place>) {
    if let (Some(place), Some(members)) = (place, object.as_object_mut()) {
        members.insert("file".to_owned(), place.file.as_ref().into());
        members.insert("line".to_owned(), place.line.into());
    }
}
