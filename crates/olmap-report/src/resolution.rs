//! Result of a full dependency resolution, for people and for programs.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    escape::wrap,
    style::{Ink, Style},
};
use olm_upgrade::resolve::{Answer, NewSubscription, Pick};

/// Answer as `olmap resolve -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    install: Vec<PickRow<'a>>,
    subscriptions: Vec<SubscriptionRow<'a>>,
    error: Option<String>,
    why: Vec<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unknown: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unstable: bool,
}

#[derive(Debug, Serialize)]
struct PickRow<'a> {
    package: &'a str,
    channel: &'a str,
    bundle: &'a str,
    catalog: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct SubscriptionRow<'a> {
    name: &'a str,
    package: &'a str,
    channel: &'a str,
    catalog: &'a str,
    #[serde(rename = "startingCSV")]
    starting_csv: &'a str,
}

impl<'a> Row<'a> {
    /// Returns the row of a query that cannot be answered, with the reason.
    pub fn from_error(error: String) -> Self {
        let (install, subscriptions) = (Vec::new(), Vec::new());
        Self { install, subscriptions, error: Some(error), why: Vec::new(), unknown: false, unstable: false }
    }

    /// Returns the row of an answer.
    pub fn from_resolution(answer: &'a Answer) -> Self {
        let pick = |pick: &'a Pick| PickRow {
            package: pick.package.as_str(),
            channel: pick.channel.as_str(),
            bundle: pick.bundle.as_str(),
            catalog: &pick.catalog.name,
            replaces: pick.replaces.as_ref().map(AsRef::as_ref),
        };
        let subscription = |new: &'a NewSubscription| SubscriptionRow {
            name: &new.name,
            package: new.package.as_str(),
            channel: new.channel.as_str(),
            catalog: &new.catalog.name,
            starting_csv: new.starting_csv.as_str(),
        };
        Self {
            install: answer.picks().iter().map(pick).collect(),
            subscriptions: answer.subscriptions.iter().map(subscription).collect(),
            error: answer.error_message(),
            why: answer.dependency_reasons.iter().chain(&answer.why).map(String::as_str).collect(),
            unknown: !answer.is_known(),
            unstable: answer.is_unstable,
        }
    }
}

/// Renders the answer for people.
pub fn render_resolution(answer: &Answer, style: &Style) -> String {
    let mut out = String::new();
    if let Some(error) = answer.error_message() {
        let (label, ink) = if answer.is_known() {
            ("nothing is installed", Ink::Error)
        } else {
            ("not known", Ink::Warning)
        };
        let room = style.width.saturating_sub(label.len() + 2);
        let label = style.paint(ink, label);
        let _ = write!(out, "{label}: {}", wrap::wrap_hanging(&error, "", "    ", room));
    } else if answer.picks().is_empty() {
        out.push_str("nothing changes\n");
    }
    for pick in answer.picks() {
        let is_added = answer.new_subscription(pick).is_some();
        let (verb, ink) = match (pick.is_upgrade, is_added) {
            (true, _) => ("upgrades", Ink::Good),
            (false, false) => ("installs", Ink::Good),
            (false, true) => ("adds", Ink::Note),
        };
        let from = match &pick.replaces {
            Some(from) if pick.is_upgrade => format!("{from} to "),
            _ => String::new(),
        };
        let place = format!("from channel {} of {}", pick.channel, pick.catalog);
        let _ = writeln!(
            out,
            "{} {}{} {}",
            style.paint(ink, &format!("{verb:8}")),
            style.paint(Ink::Text, &from),
            style.paint(Ink::Bold, pick.bundle.as_str()),
            style.paint(Ink::Dim, &place)
        );
    }
    for new in &answer.subscriptions {
        let words = format!("new subscription {}: from now on it upgrades by itself", new.name);
        out.push_str(&wrap::wrap_sentence(&words, "    ", style.width));
    }
    let mut why = answer.dependency_reasons.iter().chain(&answer.why).peekable();
    if why.peek().is_some() {
        out.push_str("\nwhy:\n");
        for line in why {
            let inner = line.trim_start();
            let indent = format!("{}  ", " ".repeat(line.len() - inner.len()));
            out.push_str(&wrap::wrap_hanging(inner, &indent, &format!("{indent}    "), style.width));
        }
    }
    if answer.is_unstable {
        let words = "OLM may answer otherwise another time: its search does not take the same way each time";
        let _ = write!(
            out,
            "\n{}: {}",
            style.paint(Ink::Warning, "unstable"),
            wrap::wrap_hanging(words, "", "    ", style.width)
        );
    }
    out
}
