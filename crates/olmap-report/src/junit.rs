//! Findings as `JUnit` XML, which Prow, Jenkins and GitLab show as test results.
//!
//! Each catalog is a suite, each finding a test. A finding that makes the run fail is a failure, and one that says that
//! something was not checked is an error. All others are passed tests with the finding as output. A catalog without
//! findings has one passed test.

use std::fmt::Write as _;

use super::{
    concise::{concise_line, format_place},
    escape,
    finding::CatalogFindings,
};
use olm_check::Finding;

/// Result of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Passed,
    Failed,
    NotChecked,
}

/// Renders the open findings of some catalogs. `fails` returns true if a finding makes the run fail.
pub fn render_junit(all: &[CatalogFindings<'_>], fails: &dyn Fn(&Finding) -> bool) -> String {
    let verdict = |finding: &Finding| match finding {
        _ if finding.is_not_checked() => Verdict::NotChecked,
        _ if fails(finding) => Verdict::Failed,
        _ => Verdict::Passed,
    };
    let suites: String = all.iter().map(|judged| render_suite(judged, &verdict)).collect();
    let findings: Vec<&Finding> = all.iter().flat_map(|judged| judged.findings.iter().copied()).collect();
    let tests = all.iter().map(|judged| judged.findings.len().max(1)).sum();
    let counts = format_counts(tests, &findings, &verdict);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"olmap\"{counts}>\n{suites}</testsuites>\n"
    )
}

fn render_suite(judged: &CatalogFindings<'_>, verdict: &dyn Fn(&Finding) -> Verdict) -> String {
    let label = escape_attribute(&judged.catalog.origin.label());
    let counts = format_counts(judged.findings.len().max(1), &judged.findings, verdict);
    let mut text = format!("  <testsuite name=\"{label}\"{counts}>\n");
    if judged.findings.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    <testcase classname=\"{label}\" name=\"no findings\"/>");
    }
    for finding in &judged.findings {
        text.push_str(&render_case(judged, finding, verdict(finding), &label));
    }
    text.push_str("  </testsuite>\n");
    text
}

fn render_case(judged: &CatalogFindings<'_>, finding: &Finding, verdict: Verdict, label: &str) -> String {
    let class =
        finding.package.as_ref().map_or_else(|| label.to_owned(), |name| escape_attribute(name.as_str()));
    let place = format_place(judged, finding);
    let name = escape_attribute(&format!("{} at {place}", finding.rule.id));
    let message = escape_attribute(&finding.message);
    let mut body = escape_attribute(&concise_line(judged, finding));
    if !finding.advice().is_empty() {
        let _ = write!(body, "\nhelp: {}", escape_attribute(finding.advice()));
    }
    let kind = finding.rule.id;
    let content = match verdict {
        Verdict::Passed => format!("<system-out>{body}</system-out>"),
        Verdict::Failed => format!("<failure type=\"{kind}\" message=\"{message}\">{body}</failure>"),
        Verdict::NotChecked => format!("<error type=\"{kind}\" message=\"{message}\">{body}</error>"),
    };
    format!("    <testcase classname=\"{class}\" name=\"{name}\">\n      {content}\n    </testcase>\n")
}

fn format_counts(tests: usize, findings: &[&Finding], verdict: &dyn Fn(&Finding) -> Verdict) -> String {
    let count = |wanted| findings.iter().filter(|finding| verdict(finding) == wanted).count();
    let (failures, errors) = (count(Verdict::Failed), count(Verdict::NotChecked));
    format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\"")
}

/// Escapes text for XML, on one line. Control characters, which XML cannot contain, are shown as signs.
fn escape_attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape::escape_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // Not characters of XML, and not control characters either.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_is_well_formed_in_attributes_and_content() {
        let text: String = (0..0x300).chain(0xfff0..=0xffff).filter_map(char::from_u32).collect();
        let escaped = escape_attribute(&text);
        let xml = format!("<?xml version=\"1.0\"?><a b=\"{escaped}\">{escaped}</a>");
        let document = roxmltree::Document::parse(&xml).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("b"), root.text());
        assert!(root.text().unwrap().contains("<=>"));
    }
}
