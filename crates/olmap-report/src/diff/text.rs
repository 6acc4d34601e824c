//! Difference of catalogs for people, on the command line.

use std::fmt::Write as _;

use super::{
    CatalogComparison, count_noun,
    lines::{self, DifferenceLine, LineKind},
};
use crate::{
    escape::{self, wrap},
    plan,
    style::{Ink, Style},
};

/// Renders a headline, the differences and affected users of each package, and the violated release
/// rules.
pub fn render_difference(compared: &CatalogComparison<'_>, style: &Style) -> String {
    let headline = style.paint_wrapped(Ink::Bold, &difference_headline(compared), "", "");
    let mut page = Page { out: headline, style };
    for left_out in &compared.left_out {
        page.write_paragraph("not compared:", 0, &left_out.describe_omission(), Ink::Warning);
    }
    for package in &compared.difference.packages {
        if package.has_same_meaning() && !compared.formatting {
            continue;
        }
        let title = format!("{}  {}", package.name, lines::package_heading(package));
        page.write_section(&title, &lines::package_lines(compared, package, lines::UserLines::Full));
    }
    let others: Vec<DifferenceLine> =
        compared.difference.others.iter().map(lines::other_object_line).collect();
    page.write_section("objects without a package", &others);
    page.write_section("findings outside the differences", &lines::finding_lines(compared, None));
    if let Some(update) = &compared.update {
        page.write_title("cluster update");
        page.out.push_str(&plan::text_of_everyone(&update.over, &update.everyone, style));
    }
    let violations = compared.violations;
    if !violations.is_empty() {
        page.write_title(&count_noun(violations.len(), "failed check", "failed checks"));
    }
    for (gate, words) in super::verdict::fold_violations(violations) {
        page.write_paragraph(gate.name(), 2, &words, Ink::Error);
    }
    page.out
}

/// Returns the number of differing packages and the worst outcome.
fn difference_headline(compared: &CatalogComparison<'_>) -> String {
    let between = format!("{} => {}", compared.old_label, compared.new_label);
    if compared.difference.is_empty() {
        return format!("{between}: {}.", compared.qualify_praise("no difference in meaning"));
    }
    let differing = compared.count_differing_packages();
    let mut words = match differing {
        0 => format!("{between}: {}.", compared.qualify_praise("no package differs")),
        n => format!("{between}: {}.", count_noun(n, "package differs", "packages differ")),
    };
    let users = compared.describe_impacts();
    for (_, fate) in &users {
        let _ = write!(words, " {fate}.");
    }
    if users.is_empty() && differing > 0 {
        let _ = write!(words, " {}.", capitalize_first(&compared.qualify_praise("no upgrade changes")));
    }
    words
}

/// Capitalizes the first letter.
fn capitalize_first(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

struct Page<'a> {
    out: String,
    style: &'a Style,
}

impl Page<'_> {
    fn write_title(&mut self, title: &str) {
        let _ = writeln!(self.out, "\n{}", self.style.paint(Ink::Bold, title));
    }

    /// Writes lines below a title; writes nothing if there are no lines.
    fn write_section(&mut self, title: &str, lines: &[DifferenceLine]) {
        if lines.is_empty() {
            return;
        }
        self.write_title(title);
        for line in lines {
            self.write_paragraph(&padded_label(line.head), 2 + 4 * line.depth, &line.words, line.head.ink());
        }
    }

    /// Writes words wrapped behind a head.
    fn write_paragraph(&mut self, head: &str, indent: usize, words: &str, ink: Ink) {
        let first = format!("{:indent$}{head} ", "");
        let rest = " ".repeat(escape::count_columns(&first));
        let folded = wrap::wrap_hanging(words, &first, &rest, self.style.width);
        for line in folded.lines() {
            let (head, words) = line.split_at_checked(first.len().min(line.len())).unwrap_or((line, ""));
            let _ = writeln!(self.out, "{}{words}", self.style.paint(ink, head));
        }
    }
}

/// Returns the head of a line, padded so that the words align.
fn padded_label(head: LineKind) -> String {
    match head {
        LineKind::Fate(_) => head.short_label().to_owned(),
        LineKind::More => " ".to_owned(),
        _ => format!("{:<7}", head.short_label()),
    }
}
