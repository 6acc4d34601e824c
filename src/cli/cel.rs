//! `olmap cel`: evaluation of a rule of an `olm.constraint` on properties.

use std::{cell::Cell, path::PathBuf};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::{Failure, Out, Outcome, out, query};
use olm_catalog::{Format as Written, text::split};
use olm_upgrade::resolve::cel::{MAX_STEPS, Rule, RuleError, Value, properties_value};
use olm_upgrade::{resolve::StepLimitExceeded, resolve::limit::NOT_OLM_LIMIT};
use olmap_report::json;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap cel 'properties.exists(p, p.type == \"tier\" && p.value == \"gold\")'
  olmap cel --batch rules.jsonl

Exit code: 0 ok, 2 the rule does not compile, olmap cannot read it, or failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Rule, quoted. olmap only checks whether it compiles.
    #[arg(required_unless_present = "batch")]
    rule: Option<String>,
    /// Answer queries from a file (- for standard input), one JSON object per line: {rule,
    /// properties}.
    #[arg(long, value_name = "FILE", conflicts_with = "rule")]
    batch: Option<PathBuf>,
    /// Output format [default: text, with --batch jsonl].
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT")]
    format: Option<Format>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Human-readable text.
    Text,
    /// JSON Lines: an answer per line.
    Jsonl,
}

/// Line of `--batch`.
#[derive(Debug, Deserialize)]
struct Question {
    rule: String,
    #[serde(default)]
    properties: Vec<Property>,
}

#[derive(Debug, Deserialize)]
struct Property {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    value: serde_json::Value,
}

#[derive(Debug, Serialize)]
struct Row {
    /// Null if olmap does not support a construct that OLM supports.
    valid: Option<bool>,
    /// Null if a limit of olmap stopped the evaluation.
    #[serde(rename = "match")]
    matches: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Row {
    /// Returns true if a limit of olmap prevented a decision.
    fn is_undecided(&self) -> bool {
        self.valid.is_none() || self.matches.is_none()
    }
}

pub fn run_cel(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if let Some(file) = &args.batch {
        if args.format == Some(Format::Text) {
            return Err(Failure::new("--batch needs -o jsonl").into());
        }
        let undecided = Cell::new(0);
        let outcome = query::run_batch(file, out, |question: Question| {
            let row = evaluate_rule(&question);
            undecided.set(undecided.get() + usize::from(row.is_undecided()));
            json::to_json_line(&row)
        });
        out::report_count(undecided.get(), out);
        return outcome;
    }
    let rule = args.rule.clone().unwrap_or_default();
    let row = evaluate_rule(&Question { rule, properties: Vec::new() });
    if row.is_undecided() {
        out::report_files(row.error.clone(), out);
    }
    match (args.format, row.error) {
        (Some(Format::Jsonl), error) => out.print(&json::to_json_line(&Row { error, ..row }))?,
        (_, Some(error)) => return Err(Failure::new(error).into()),
        (_, None) => out.print("compiles\n")?,
    }
    Ok(Outcome::Fine)
}

fn evaluate_rule(question: &Question) -> Row {
    let rule = match Rule::compile(&question.rule) {
        Ok(rule) => rule,
        Err(error @ (RuleError::TooLong(_) | RuleError::Unsupported(_))) => {
            let error = Some(format!("{error}; {NOT_OLM_LIMIT}"));
            return Row { valid: None, matches: None, error };
        }
        Err(error) => {
            return Row { valid: Some(false), matches: Some(false), error: Some(error.to_string()) };
        }
    };
    let values: Option<Vec<(String, Value)>> = question
        .properties
        .iter()
        .map(|property| {
            let text = property.value.to_string();
            let value = Value::from_node(&split::parse_chunk(Written::Json, text.as_bytes()).ok()?)?;
            Some((property.kind.clone(), value))
        })
        .collect();
    let mut steps = MAX_STEPS;
    let matches = values.map(|values| rule.holds(&properties_value(values), &mut steps));
    let (matches, error) = match matches {
        Some(_) if steps == 0 => (None, Some(StepLimitExceeded { steps: MAX_STEPS }.to_string())),
        Some(matches) => (Some(matches), None),
        None => (None, Some(format!("the properties are nested deeper than olmap reads; {NOT_OLM_LIMIT}"))),
    };
    Row { valid: Some(true), matches, error }
}
