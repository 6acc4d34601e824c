//! Comment on a pull request with the findings: a sentence, the errors, and the rest folded.
//!
//! Catalog text is quoted so that it can neither break out of its cell nor become a link, a mention
//! or HTML.

use std::fmt::{Display, Write as _};

use super::{
    escape,
    finding::{CatalogFindings, describe_consequences, describe_repeated, group_repeated, plural_suffix},
    links::CommentLinks,
    scope::Scope,
};
use olm_catalog::Origin;
use olm_check::{Finding, Severity};

/// Maximum size of a comment in bytes. GitHub allows 65,536 characters, and others may add text.
pub(super) const MAX_BYTES: usize = 60_000;

/// Maximum length of a cell in characters, before escaping.
const MAX_CELL: usize = 600;

/// Comment with as many parts as fit.
#[derive(Debug)]
pub(super) struct Comment {
    /// Text so far.
    pub text: String,
    /// Number of parts that did not fit.
    pub omitted: usize,
}

/// Starts a comment.
impl From<String> for Comment {
    fn from(text: String) -> Self {
        Self { text, omitted: 0 }
    }
}

impl Comment {
    /// Appends a part, or counts it if it does not fit.
    pub fn push_if_fits(&mut self, part: &str) {
        if self.text.len() + part.len() > MAX_BYTES {
            self.omitted += 1;
        } else {
            self.text.push_str(part);
        }
    }

    /// Appends the head of a table.
    pub fn push_table_head(&mut self, titles: impl IntoIterator<Item = impl Display>) {
        let (mut head, mut rule) = (String::from("\n|"), String::from("|"));
        for title in titles {
            let _ = write!(head, " {title} |");
            rule.push_str("---|");
        }
        let _ = writeln!(self.text, "{head}\n{rule}");
    }

    /// Appends a row of a table if it fits. The cells are Markdown.
    pub fn push_row(&mut self, cells: &[String]) {
        self.push_if_fits(&format!("| {} |\n", cells.join(" | ")));
    }

    /// Returns the text, with the number of omitted parts and the command that prints them.
    pub fn finish(mut self, command: &str) -> String {
        if self.omitted > 0 {
            let _ = writeln!(self.text, "\nAnd {} more: `{command}` shows them all.", self.omitted);
        }
        self.text
    }
}

const HEAD: &str = "| rule | where | what |\n|---|---|---|\n";

/// Renders the comment on some catalogs. `scope` is the checked part; `None` if everything was
/// checked.
pub fn render_findings_comment(
    all: &[CatalogFindings<'_>],
    scope: Option<&Scope>,
    links: &CommentLinks,
) -> String {
    let mut out = if all.is_empty() { String::new() } else { summarize_finding_counts(all) };
    out.push_str(&scope.map(Scope::render_markdown).unwrap_or_default());
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let rows: Vec<(usize, String)> = all
            .iter()
            .flat_map(|judged| group_repeated(&judged.findings).into_iter().map(move |group| (judged, group)))
            .filter(|(_, (finding, _))| finding.severity() == severity)
            .map(|(judged, (finding, rest))| {
                (finding.finding_count() + rest.len(), render_finding_row(judged, finding, &rest, links))
            })
            .collect();
        if rows.is_empty() {
            continue;
        }
        let is_folded = severity != Severity::Error;
        let (count, word) = (rows.iter().map(|row| row.0).sum(), severity.as_str());
        if is_folded {
            let _ = write!(out, "\n<details><summary>{count} {word}{}</summary>\n", plural_suffix(count));
        }
        out.push('\n');
        out.push_str(HEAD);
        let mut shown = 0;
        for (findings, row) in &rows {
            if out.len() + row.len() > MAX_BYTES {
                break;
            }
            out.push_str(row);
            shown += findings;
        }
        if shown < count {
            let _ = writeln!(out, "\nAnd {} more: `olmap validate` shows them all.", count - shown);
        }
        if is_folded {
            out.push_str("\n</details>\n");
        }
    }
    out
}

fn summarize_finding_counts(all: &[CatalogFindings<'_>]) -> String {
    let count = |severity| -> usize {
        let findings = all.iter().flat_map(|j| &j.findings).filter(|f| f.severity() == severity);
        findings.map(|finding| finding.finding_count()).sum()
    };
    let counts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(|severity| match count(severity) {
            0 => None,
            n => Some(format!("{n} {}{}", severity.as_str(), plural_suffix(n))),
        })
        .collect();
    let found = match counts.as_slice() {
        [] => "nothing found".to_owned(),
        [one] => one.clone(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    };
    let labels: Vec<String> =
        all.iter().map(|judged| escape_markdown(&judged.catalog.origin.label())).collect();
    let accepted: usize =
        all.iter().flat_map(|j| &j.accepted).map(|(finding, _)| finding.finding_count()).sum();
    let accepted = match accepted {
        0 => String::new(),
        n => format!(" {n} accepted finding{} ignored.", if n == 1 { " is" } else { "s are" }),
    };
    format!(
        "**olmap** found {found} in {}.{accepted}\n",
        truncate_characters(&labels.join(", "), 2 * MAX_CELL)
    )
}

fn render_finding_row(
    judged: &CatalogFindings<'_>,
    finding: &Finding,
    rest: &[&Finding],
    links: &CommentLinks,
) -> String {
    let linked = finding.at.as_ref().filter(|_| links.repository.is_some()).and_then(|at| {
        let has_files = matches!(judged.catalog.origin, Origin::Directory(_) | Origin::File(_));
        at.resolve(judged.catalog).filter(|_| has_files).and_then(|location| links.line_markdown(&location))
    });
    let place = finding.at.as_ref().and_then(|at| judged.file_location(at)).map(|spot| match &spot.region {
        Some(region) => format!("{}:{}:{}", spot.path, region.start.0, region.start.1),
        None => spot.path.clone(),
    });
    let place = linked.unwrap_or_else(|| escape_markdown(&place.unwrap_or_default()));
    let advice = match finding.advice() {
        "" => String::new(),
        advice => format!("<br>{}", escape_markdown(advice)),
    };
    let more = match describe_repeated(judged.catalog, rest) {
        more if more.is_empty() => more,
        more => format!("<br>{}", escape_markdown(&more)),
    };
    let consequences = match describe_consequences(finding) {
        consequences if consequences.is_empty() => consequences,
        consequences => format!("<br>{}", escape_markdown(&consequences)),
    };
    format!(
        "| {} | {} | {}{advice}{consequences}{more} |\n",
        links.rule_markdown(finding.rule.id),
        place,
        escape_markdown(&finding.message)
    )
}

/// Renders lines as a code block. The fence is longer than any run of backticks in the lines, so
/// that catalog text cannot end the block.
pub(super) fn render_code_block(language: &str, lines: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in lines.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(3.max(longest + 1));
    let end = if lines.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{lines}{end}{fence}\n")
}

pub(super) fn truncate_characters(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}\u{2026}", &text[..at]),
        None => text.to_owned(),
    }
}

/// Escapes text so that neither Markdown nor GitHub interprets it.
pub(super) fn escape_markdown(text: &str) -> String {
    let text = truncate_characters(&escape::escape_line(text), MAX_CELL);
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        let behind = text.get(at + c.len_utf8()..).unwrap_or_default();
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' => out.push_str("&#124;"),
            // GitHub looks for mentions, references and addresses after unescaping; a comment
            // prevents that.
            '@' | '#' => {
                out.push('\\');
                out.push(c);
                out.push_str("<!-- -->");
            }
            ':' if opens_address_or_emoji(behind) => out.push_str(":<!-- -->"),
            // `GH-1` is a reference.
            '-' if ends_with_ignoring_case(&out, "gh")
                && behind.starts_with(|next: char| next.is_ascii_digit()) =>
            {
                out.push_str("<!-- -->-");
            }
            // `- `, `+ ` and `1. ` would begin a list within a list.
            '-' | '+' | '.' if is_list_number(&out) && (behind.is_empty() || behind.starts_with(' ')) => {
                out.push('\\');
                out.push(c);
            }
            'w' | 'W' if ends_with_ignoring_case(&out, "ww") => {
                out.push_str("<!-- -->");
                out.push(c);
            }
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '!' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

fn ends_with_ignoring_case(text: &str, word: &str) -> bool {
    let tail = text.len().checked_sub(word.len()).and_then(|at| text.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
}

/// Returns true if a text can be the number of a list item.
fn is_list_number(text: &str) -> bool {
    text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true if the text after a colon makes it part of an address or emoji: `//`, `smile:`,
/// `+1:`.
fn opens_address_or_emoji(behind: &str) -> bool {
    /// Upper limit for the length of an emoji name.
    const LONGEST: usize = 64;
    /// Emoji names without letters. Other numbers between colons are line numbers.
    const NUMBERS: [&str; 4] = ["+1", "-1", "100", "1234"];
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-');
    let length = behind.bytes().take(LONGEST).take_while(is_name).count();
    let (name, rest) = behind.split_at(length);
    let is_emoji = name.bytes().any(|byte| byte.is_ascii_alphabetic()) || NUMBERS.contains(&name);
    behind.starts_with('/') || (is_emoji && rest.starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalog_text_stays_text() {
        assert_eq!(escape_markdown("a|b\n</details>"), "a&#124;b\u{240a}&lt;/details&gt;");
        assert_eq!(escape_markdown("[x](https://e)"), "\\[x\\]\\(https:<!-- -->//e\\)");
        assert_eq!(escape_markdown("@all #1 `x`"), "\\@<!-- -->all \\#<!-- -->1 \\`x\\`");
        assert_eq!(escape_markdown("www.e"), "ww<!-- -->w.e");
        assert_eq!(escape_markdown("\\|"), "\\\\&#124;");
        assert_eq!(
            escape_markdown("gh-1 GH-x a:b c:d: :+1:"),
            "gh<!-- -->-1 GH-x a:b c:<!-- -->d: :<!-- -->+1:"
        );
        assert_eq!(
            escape_markdown("a.yaml:100:1 a.yaml:112:1"),
            "a.yaml:<!-- -->100:1 a.yaml:112:1",
            "one is an emoji"
        );
        assert_eq!(
            (escape_markdown("1. a"), escape_markdown("- b"), escape_markdown("1.0.0")),
            ("1\\. a".into(), "\\- b".into(), "1.0.0".into())
        );
    }

    #[test]
    fn catalog_text_does_not_end_a_code_block() {
        assert_eq!(render_code_block("diff", "a\n"), "```diff\na\n```\n");
        assert_eq!(render_code_block("diff", "a ````"), "`````diff\na ````\n`````\n");
    }

    #[test]
    fn comment_counts_parts_that_do_not_fit() {
        let mut comment = Comment::from("a\n".to_owned());
        comment.push_table_head(["x", "y"]);
        comment.push_if_fits(&"z".repeat(MAX_BYTES));
        comment.push_row(&["1".to_owned(), "2".to_owned()]);
        assert_eq!(
            comment.finish("olmap list"),
            "a\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\nAnd 1 more: `olmap list` shows them all.\n"
        );
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(escape_markdown(&"演".repeat(1000)).chars().count(), MAX_CELL + 1);
    }
}
