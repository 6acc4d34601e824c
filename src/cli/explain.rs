//! `olmap explain`: explanation of a rule.

use super::{failure::Failure, out::Out, outcome::Outcome};
use crate::{export::rule, validate::rules};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The rule; without one, all rules are listed.
    #[arg(value_name = "RULE")]
    rule: Option<String>,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let text = match &args.rule {
        None => rule::list(&out.style),
        Some(id) => rule::story(rules::by_id(id).ok_or_else(|| no_rule(id))?, &out.style),
    };
    out.print(&text)?;
    Ok(Outcome::Fine)
}

/// Returns the error for an unknown rule.
pub fn no_rule(id: &str) -> Failure {
    let failure = Failure::new(format!("no rule {id}"));
    match rules::nearest(id) {
        Some(meant) => failure.hint(format!("did you mean {meant}?")),
        None => failure.hint("olmap explain lists all rules"),
    }
}
