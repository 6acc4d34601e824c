//! Scope of a check: the catalogs and packages that were checked, and those that were not. A report
//! states it, so that the reader does not assume that everything was checked.

use super::{escape, finding::plural_suffix, markdown::escape_markdown};

/// Maximum number of names in a list.
const MAX_NAMES: usize = 8;

/// Scope of a check of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Base of the comparison, such as `git:main`; `None` if only files are given.
    pub base: Option<String>,
    /// True if files are given on the command line.
    pub files: bool,
    /// Catalogs that differ.
    pub checked: Vec<CheckedCatalogPart>,
    /// Catalogs that do not differ.
    pub unchanged: Vec<String>,
    /// Catalogs that were removed.
    pub removed: Vec<String>,
    /// Given files that are not in a catalog.
    pub outside: Vec<String>,
}

/// Checked part of a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedCatalogPart {
    /// Display name of the catalog.
    pub catalog: String,
    /// True if the catalog does not exist in the base.
    pub is_new: bool,
    /// Packages that differ.
    pub packages: Vec<String>,
    /// Number of findings in other packages, which are not reported because they are not new.
    pub other_findings: usize,
    /// Number of errors among them.
    pub other_errors: usize,
}

impl Scope {
    /// Returns the sentences about a check. Names in them are not escaped yet.
    fn scope_sentences(&self) -> Vec<String> {
        self.checked
            .iter()
            .map(|looked| self.describe_checked_part(looked))
            .chain(self.unchecked_sentences("checked"))
            .collect()
    }

    /// Returns the sentences about catalogs that were not checked. `done` is the participle of the
    /// action: `checked` or `compared`.
    fn unchecked_sentences(&self, done: &str) -> Vec<String> {
        let mut all = Vec::new();
        if !self.removed.is_empty() {
            all.push(format!("{} removed since {}", names_with_verb(&self.removed), self.base_label()));
        }
        let is_nothing = self.checked.is_empty() && self.removed.is_empty();
        match (self.unchanged.is_empty(), is_nothing) {
            (true, true) => all.push(format!("nothing was {done}: no file is in a catalog")),
            (true, false) => {}
            (false, true) => {
                all.push(format!("nothing was {done}: {}", self.describe_unchanged(&self.unchanged)));
            }
            (false, false) => all.push(format!("not {done}: {}", self.describe_unchanged(&self.unchanged))),
        }
        if !self.outside.is_empty() && !self.checked.is_empty() {
            all.push(format!("{} in no catalog that was {done}", names_with_verb(&self.outside)));
        }
        all
    }

    /// Returns the sentences about new and unchecked catalogs. The output of a comparison already
    /// describes the other catalogs.
    fn comparison_sentences(&self) -> Vec<String> {
        let new: Vec<String> =
            self.checked.iter().filter(|looked| looked.is_new).map(|looked| looked.catalog.clone()).collect();
        let new =
            (!new.is_empty()).then(|| format!("{} new since {}", names_with_verb(&new), self.base_label()));
        new.into_iter().chain(self.unchecked_sentences("compared")).collect()
    }

    /// Renders the scope of a comparison as Markdown, for a comment on a pull request.
    pub fn render_comparison_markdown(&self) -> String {
        markdown(&self.comparison_sentences())
    }

    /// Renders the scope of a comparison as text.
    pub fn render_comparison_text(&self) -> String {
        render_plain_sentences(&self.comparison_sentences())
    }

    fn describe_checked_part(&self, looked: &CheckedCatalogPart) -> String {
        let CheckedCatalogPart {
            catalog,
            is_new,
            packages,
            other_findings: aside,
            other_errors: aside_errors,
        } = looked;
        let mut words = match (packages.as_slice(), is_new) {
            ([], true) => format!("{catalog} is new since {}: all of it was checked", self.base_label()),
            (names, true) => {
                let s = plural_suffix(names.len());
                let base = self.base_label();
                format!(
                    "{catalog} is new since {base}: all of it was checked, package{s} {}",
                    join_first_names(names)
                )
            }
            ([], _) => format!("{catalog}: files differ from {}, no package does", self.base_label()),
            (names, _) => {
                let s = plural_suffix(names.len());
                format!(
                    "{catalog}: checked package{s} {}, which {}",
                    join_first_names(names),
                    self.describe_selection(names.len())
                )
            }
        };
        if *aside > 0 {
            let errors = match aside_errors {
                0 => String::new(),
                n => format!(", {n} error{} among them", plural_suffix(*n)),
            };
            let known = if self.base.is_some() { " that it had before" } else { "" };
            words += &format!(
                "; {aside} finding{} of other packages{known}{errors}: see olmap validate {catalog}",
                plural_suffix(*aside)
            );
        }
        words
    }

    /// Renders the scope of a check as Markdown, for a comment on a pull request.
    pub fn render_markdown(&self) -> String {
        markdown(&self.scope_sentences())
    }

    /// Renders the scope of a check as text.
    pub fn render_scope(&self) -> String {
        render_plain_sentences(&self.scope_sentences())
    }

    /// Describes why packages were checked: `differ from git:main or are in the named files`.
    fn describe_selection(&self, count: usize) -> String {
        let (differ, are) = if count == 1 { ("differs", "is") } else { ("differ", "are") };
        let base = self.base.as_ref().map(|base| format!("{differ} from {base}"));
        let files = self.files.then(|| format!("{are} in the named files"));
        base.into_iter().chain(files).collect::<Vec<_>>().join(" or ")
    }

    fn describe_unchanged(&self, catalogs: &[String]) -> String {
        let listed = join_first_names(catalogs);
        match (&self.base, catalogs.len()) {
            (Some(base), 1) => format!("{listed} is what it is in {base}{}", self.no_file_suffix()),
            (Some(base), _) => format!("{listed} are what they are in {base}{}", self.no_file_suffix()),
            (None, _) => format!("no named file is in {listed}"),
        }
    }

    fn no_file_suffix(&self) -> &'static str {
        if self.files { ", and no named file is in it" } else { "" }
    }

    fn base_label(&self) -> &str {
        self.base.as_deref().unwrap_or("the named files")
    }
}

/// Joins names and adds `is` or `are`.
fn names_with_verb(names: &[String]) -> String {
    format!("{} {}", join_first_names(names), if names.len() == 1 { "is" } else { "are" })
}

fn join_first_names(names: &[String]) -> String {
    let told: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
    match names.len().checked_sub(MAX_NAMES) {
        None | Some(0) => told.join(", "),
        Some(more) => format!("{} and {more} more", told.join(", ")),
    }
}

fn markdown(sentences: &[String]) -> String {
    sentences
        .iter()
        .map(|sentence| format!("\n{}.\n", escape_markdown(&capitalize_sentence(sentence))))
        .collect::<Vec<_>>()
        .concat()
}

fn render_plain_sentences(sentences: &[String]) -> String {
    sentences
        .iter()
        .map(|sentence| format!("{}\n", escape::escape_line(sentence)))
        .collect::<Vec<_>>()
        .concat()
}

/// Capitalizes a sentence, unless it begins with the name of a catalog or a file.
fn capitalize_sentence(sentence: &str) -> String {
    match sentence.split_once(' ') {
        Some(("nothing", rest)) => format!("Nothing {rest}"),
        Some(("not", rest)) => format!("Not {rest}"),
        _ => sentence.to_owned(),
    }
}
