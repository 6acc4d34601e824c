//! Difference of catalogs for people, on the command line.

use std::fmt::Write as _;

use super::{
    Compared, count,
    lines::{self, Head, Line},
};
use crate::export::{
    plain::{self, wrap},
    plan,
    style::{Ink, Style},
};

/// Renders a headline, the differences and affected users of each package, and the violated release
/// rules.
pub fn text(compared: &Compared<'_>, style: &Style) -> String {
    let mut page = Page { out: String::new(), style };
    for line in wrap::wrapped(&headline(compared), "", style.width).lines() {
        let _ = writeln!(page.out, "{}", style.paint(Ink::Bold, line));
    }
    for left_out in &compared.left_out {
        page.paragraph("not compared:", 0, &left_out.sentence(), Ink::Warning);
    }
    for package in &compared.difference.packages {
        if package.means_the_same() && !compared.formatting {
            continue;
        }
        let title = format!("{}  {}", package.name, lines::heading(package));
        page.section(&title, &lines::package(compared, package));
    }
    let others: Vec<Line> = compared.difference.others.iter().map(lines::other).collect();
    page.section("objects without a package", &others);
    page.section("findings outside the differences", &lines::findings(compared, None));
    if let Some(update) = &compared.update {
        page.title("cluster update");
        page.out.push_str(&plan::text_of_everyone(&update.over, &update.everyone, style));
    }
    let violations = compared.violations;
    if !violations.is_empty() {
        page.title(&count(violations.len(), "failed check", "failed checks"));
    }
    for violation in violations {
        let package = violation.package.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
        page.paragraph(violation.gate.name(), 2, &format!("{package}{}", violation.what), Ink::Error);
    }
    page.out
}

/// Returns the number of differing packages and the worst outcome.
fn headline(compared: &Compared<'_>) -> String {
    let between = format!("{} => {}", compared.old_label, compared.new_label);
    if compared.difference.is_empty() {
        return format!("{between}: {}.", compared.praise("no difference in meaning"));
    }
    let differing = compared.differing();
    let mut words = match differing {
        0 => format!("{between}: {}.", compared.praise("no package differs")),
        n => format!("{between}: {}.", count(n, "package differs", "packages differ")),
    };
    let users = compared.fortunes();
    for (_, fate) in &users {
        let _ = write!(words, " {fate}.");
    }
    if users.is_empty() && differing > 0 {
        let _ = write!(words, " {}.", sentence(&compared.praise("no upgrade changes")));
    }
    words
}

/// Capitalizes the first letter.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

struct Page<'a> {
    out: String,
    style: &'a Style,
}

impl Page<'_> {
    fn title(&mut self, title: &str) {
        let _ = writeln!(self.out, "\n{}", self.style.paint(Ink::Bold, title));
    }

    /// Writes lines below a title; writes nothing if there are no lines.
    fn section(&mut self, title: &str, lines: &[Line]) {
        if lines.is_empty() {
            return;
        }
        self.title(title);
        for line in lines {
            self.paragraph(&head(line.head), 2 + 4 * line.depth, &line.words, line.head.ink());
        }
    }

    /// Writes words wrapped behind a head.
    fn paragraph(&mut self, head: &str, indent: usize, words: &str, ink: Ink) {
        let first = format!("{:indent$}{head} ", "");
        let rest = " ".repeat(plain::columns(&first));
        let folded = wrap::hanging(words, &first, &rest, self.style.width);
        for line in folded.lines() {
            let (head, words) = line.split_at_checked(first.len().min(line.len())).unwrap_or((line, ""));
            let _ = writeln!(self.out, "{}{words}", self.style.paint(ink, head));
        }
    }
}

/// Returns the head of a line, padded so that the words align.
fn head(head: Head) -> String {
    match head {
        Head::Fate(_) => head.label().to_owned(),
        Head::More => " ".to_owned(),
        _ => format!("{:<7}", head.label()),
    }
}
