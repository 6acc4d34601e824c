//! `olmap explain`: explanation of a rule.

use super::{failure::Failure, out::Out, outcome::Outcome};
use olm_check::rules;
use olmap_report::rule;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap explain                                 all rules, one per line
  olmap explain dead-end                        one rule in detail

Exit code: 0 ok, 2 the rule does not exist.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Rule. Default: list all rules.
    #[arg(value_name = "RULE")]
    rule: Option<String>,
}

pub fn run_explain(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let text = match &args.rule {
        None => rule::render_rule_list(&out.style),
        Some(id) => rule::render_rule_story(rules::by_id(id).ok_or_else(|| no_rule_failure(id))?, &out.style),
    };
    out.print(&text)?;
    Ok(Outcome::Fine)
}

/// Returns the error for an unknown rule.
pub fn no_rule_failure(id: &str) -> Failure {
    let failure = Failure::new(format!("no rule {id}"));
    match rules::suggest_id(id) {
        Some(meant) => failure.with_hint(format!("did you mean {meant}?")),
        None => failure.with_hint("olmap explain lists all rules"),
    }
}
