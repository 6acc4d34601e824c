//! Formatter for files of accepted findings.

use super::AcceptedFinding;
use olm_catalog::text::emit::write_inline_scalar;

const HEADING: &str = "\
# Accepted findings, which olmap ignores. Say why with `reason`. Rows whose finding is fixed can be removed.
# Read by olmap validate --baseline FILE, updated by --write-baseline FILE, which keeps the reasons.
";

pub(super) fn format_rows(rows: &[AcceptedFinding]) -> String {
    let mut rows: Vec<&AcceptedFinding> = rows.iter().collect();
    rows.sort_by_key(|row| &row.identity);
    let mut text = HEADING.to_owned();
    for row in rows {
        let identity = &row.identity;
        let mut members = vec![format!("rule: {}", write_inline_scalar(&identity.rule))];
        let named = [
            ("package", &identity.package),
            ("channel", &identity.channel),
            ("bundle", &identity.bundle),
            ("file", &identity.file),
        ];
        let named = named.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        members.extend(named.map(|(key, value)| format!("{key}: {}", write_inline_scalar(value))));
        if !identity.about.is_empty() {
            let about: Vec<String> = identity.about.iter().map(|text| write_inline_scalar(text)).collect();
            members.push(format!("about: [{}]", about.join(", ")));
        }
        if row.count > 1 {
            members.push(format!("count: {}", row.count));
        }
        members.push(format!("reason: {}", write_inline_scalar(&row.reason)));
        text.push_str(&format!("- {{{}}}\n", members.join(", ")));
    }
    if has_no_rows(&text) {
        text.push_str("[]\n");
    }
    text
}

/// Returns true if there are no rows. Some YAML parsers reject a file with only comments.
fn has_no_rows(text: &str) -> bool {
    text.len() == HEADING.len()
}
