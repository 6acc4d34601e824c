//! Findings as workflow commands of GitHub Actions, which show them beside the lines of a change.

use std::{borrow::Cow, fmt::Write as _};

use super::{finding::Judged, plain};
use crate::validate::{Diagnostic, Severity};

/// One command a finding.
pub fn commands(judged: &Judged<'_>) -> String {
    judged.findings.iter().map(|finding| command(judged, finding)).collect()
}

fn command(judged: &Judged<'_>, finding: &Diagnostic) -> String {
    let kind = match finding.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut out = format!("::{kind} ");
    if let Some(spot) = finding.at.as_ref().and_then(|at| judged.spot(at)) {
        let _ = write!(out, "file={},", property(&plain::line(&spot.path)));
        if let Some(region) = &spot.region {
            let _ = write!(out, "line={},endLine={},", region.start.0, region.end.0);
            // Columns count only where the lines are the same.
            if region.start.0 == region.end.0 {
                let _ = write!(out, "col={},endColumn={},", region.start.1, region.end.1);
            }
        }
    }
    let _ = write!(out, "title={}::{}", property(finding.rule.id), data(&plain::line(&finding.message)));
    if !finding.advice().is_empty() {
        let _ = write!(out, "{}", data(&format!("\nhelp: {}", plain::line(finding.advice()))));
    }
    out.push('\n');
    out
}

/// Escapes a message as the runner undoes it.
pub(super) fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property as the runner undoes it.
pub(super) fn property(text: &str) -> String {
    let text: Cow<'_, str> = data(text).into();
    text.replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(data("100%\r\n::error::x"), "100%25%0D%0A::error::x");
        assert_eq!(property("a,b::c\n"), "a%2Cb%3A%3Ac%0A");
    }
}
