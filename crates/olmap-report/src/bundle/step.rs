//! Judgement of a step between two bundles, as text, JSON and Markdown.

use serde_json::{Value as Json, json};

use crate::{
    Ink,
    document::{Piece, piece},
    markdown::escape_markdown,
};
use olm_bundle::{
    crd::CrdLocation,
    step::{Judgement, OlmJudgement, Reason, StepVerdict},
};

/// Returns the color of a verdict.
fn step_verdict_ink(verdict: StepVerdict) -> Ink {
    match verdict {
        StepVerdict::Safe => Ink::Good,
        StepVerdict::NeedsLook => Ink::Note,
        StepVerdict::NotChecked => Ink::Warning,
        StepVerdict::Refused => Ink::Error,
    }
}

/// Returns the verdicts of both OLMs in one sentence.
pub fn summarize_step(step: &Judgement) -> String {
    let [(classic, a), (v1, b)] = step.by_olm();
    match (a.verdict(), b.verdict()) {
        (one, other) if one == other => format!("upgrade with {classic} and {v1}: {}", one.label()),
        (one, other) => format!("upgrade with {classic}: {}; with {v1}: {}", one.label(), other.label()),
    }
}

/// Returns the verdicts and all reasons, refusals first.
pub fn step_judgement_lines(step: &Judgement) -> Vec<Piece> {
    let mut lines = vec![piece(summarize_step(step), step_verdict_ink(step.worst_verdict()))];
    for is_refusal in [true, false] {
        let verb = if is_refusal { ("refuses", "refuse", Ink::Error) } else { ("look", "look", Ink::Note) };
        let reasons = |olm: &OlmJudgement| -> Vec<Reason> {
            olm.reasons.iter().filter(|reason| reason.is_refusal == is_refusal).cloned().collect()
        };
        let (classic, v1) = (reasons(&step.classic), reasons(&step.v1));
        let has = |list: &[Reason], reason: &Reason| list.iter().any(|one| one.is_same_problem(reason));
        let both = v1.iter().filter(|reason| has(&classic, reason)).map(|reason| (None, reason));
        let only_v1 =
            v1.iter().filter(|reason| !has(&classic, reason)).map(|reason| (Some("OLM v1"), reason));
        let only_classic = classic.iter().filter(|reason| !has(&v1, reason));
        let only_classic = only_classic.map(|reason| (Some("OLM Classic"), reason));
        for (olm, reason) in both.chain(only_v1).chain(only_classic) {
            let who = match (olm, is_refusal) {
                (None, true) => format!("both {}", verb.1),
                (None, false) => verb.1.to_owned(),
                (Some(olm), true) => format!("{olm} {}", verb.0),
                (Some(olm), false) => format!("{} ({olm})", verb.0),
            };
            let Reason { more, others, .. } = reason;
            // A judgement from an older cache only has the number.
            let is_listed = !others.is_empty();
            let words = if is_listed { reason.describe_problem() } else { reason.to_string() };
            lines.push(piece(format!("{who}: {words}"), verb.2));
            lines.extend(others.iter().map(|other| piece(format!("also: {other}"), verb.2)));
            if is_listed && *more > others.len() {
                lines.push(piece(format!("and {} more", more - others.len()), verb.2));
            }
        }
    }
    let [(classic_name, classic), (v1_name, v1)] = step.by_olm();
    for reason in &classic.not_checked {
        let who = if v1.not_checked.contains(reason) { "" } else { &format!(" ({classic_name})") };
        lines.push(piece(format!("not checked{who}: {reason}"), Ink::Warning));
    }
    for reason in v1.not_checked.iter().filter(|reason| !classic.not_checked.contains(reason)) {
        lines.push(piece(format!("not checked ({v1_name}): {reason}"), Ink::Warning));
    }
    lines
}

/// Returns the judgement for programs: `{"classic": {"verdict", "reasons", "notChecked"?}, "v1":
/// {...}}`.
pub fn step_judgement_json(step: &Judgement) -> Json {
    json!({ "classic": olm_judgement_json(&step.classic), "v1": olm_judgement_json(&step.v1) })
}

fn olm_judgement_json(olm: &OlmJudgement) -> Json {
    let mut value = json!({
        "verdict": olm.verdict().id(),
        "reasons": olm.reasons.iter().map(step_reason_json).collect::<Vec<_>>(),
    });
    if let (Some(members), false) = (value.as_object_mut(), olm.not_checked.is_empty()) {
        members.insert("notChecked".to_owned(), json!(olm.not_checked));
    }
    value
}

/// Returns a reason for programs.
pub fn step_reason_json(reason: &Reason) -> Json {
    let mut value = json!({
        "kind": reason.kind.id(),
        "verdict": if reason.is_refusal { "refused" } else { "look" },
        "object": reason.object,
        "what": reason.words,
        "instead": reason.advice,
    });
    if let Some(members) = value.as_object_mut() {
        if !reason.field.is_empty() {
            members.insert("field".to_owned(), json!(reason.field));
        }
        if reason.more > 0 {
            members.insert("more".to_owned(), json!(reason.more));
        }
        if !reason.others.is_empty() {
            members.insert("others".to_owned(), json!(reason.others));
        }
        if !reason.breaks.is_empty() {
            members.insert("breaks".to_owned(), json!(reason.breaks));
        }
        if let Some(CrdLocation { file, line, .. }) = &reason.place {
            members.insert("file".to_owned(), json!(&**file));
            members.insert("line".to_owned(), json!(line));
        }
    }
    value
}

/// Returns the judgement as a Markdown list.
pub fn render_step_list(step: &Judgement) -> String {
    let mut lines = step_judgement_lines(step).into_iter();
    let mut out = String::new();
    if let Some(summary) = lines.next() {
        out.push_str(&format!("**{}**\n", escape_markdown(&summary.text)));
    }
    if lines.len() > 0 {
        out.push('\n');
    }
    for Piece { text, ink } in lines {
        let words = escape_markdown(&text);
        let words = if ink == Ink::Error { format!("**{words}**") } else { words };
        out.push_str(&format!("- {words}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_bundle::step::ReasonKind;

    #[test]
    fn further_problems_are_listed_up_to_the_limit() {
        let object = "CustomResourceDefinition/kettles.example.com";
        let reason = Reason::refusal(ReasonKind::CrdUnsafe, object, "spec.lid is removed");
        let judge = |others: usize| {
            let others = (1..=others).map(|nth| format!("spec.f{nth} is removed"));
            let reasons = vec![reason.clone().with_others(others)];
            let step =
                Judgement { v1: OlmJudgement { reasons, ..OlmJudgement::default() }, ..Judgement::default() };
            step_judgement_lines(&step).into_iter().map(|line| line.text).collect::<Vec<_>>()
        };
        let refusal = "OLM v1 refuses: kettles.example.com: spec.lid is removed";
        assert_eq!(judge(0)[1..], [refusal]);
        assert_eq!(judge(2)[1..], [refusal, "also: spec.f1 is removed", "also: spec.f2 is removed"]);
        let many = judge(Reason::MAX_OTHERS + 3);
        assert_eq!((many.len(), many.last().unwrap().as_str()), (2 + Reason::MAX_OTHERS + 1, "and 3 more"));
    }
}
