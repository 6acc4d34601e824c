//! Scope of a check, so that no report claims to cover more.

use super::{finding::plural, markdown::quote, plain};

/// Maximum number of names in a list.
const MOST: usize = 8;

/// Scope of a check of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Base of the comparison, such as `git:main`; `None` if only files are given.
    pub base: Option<String>,
    /// True if files are given on the command line.
    pub files: bool,
    /// Catalogs that differ.
    pub looked: Vec<Looked>,
    /// Catalogs that do not differ.
    pub same: Vec<String>,
    /// Catalogs that were removed.
    pub gone: Vec<String>,
    /// Given files that are not in a catalog.
    pub stray: Vec<String>,
}

/// Checked part of a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Display name of the catalog.
    pub catalog: String,
    /// True if the catalog does not exist in the base.
    pub is_new: bool,
    /// Packages that differ.
    pub packages: Vec<String>,
    /// Number of findings in other packages, which are not reported because they are not new.
    pub aside: usize,
    /// Number of errors among them.
    pub aside_errors: usize,
}

impl Scope {
    /// Returns the sentences about a check, one per line. Names of catalogs are not escaped.
    fn sentences(&self) -> Vec<String> {
        self.looked.iter().map(|looked| self.looked(looked)).chain(self.others("checked")).collect()
    }

    /// Returns the sentences about catalogs that were not checked.
    fn others(&self, done: &str) -> Vec<String> {
        let mut all = Vec::new();
        if !self.gone.is_empty() {
            all.push(format!("{} removed since {}", are(&self.gone), self.than()));
        }
        let is_nothing = self.looked.is_empty() && self.gone.is_empty();
        match (self.same.is_empty(), is_nothing) {
            (true, true) => all.push(format!("nothing was {done}: no file is in a catalog")),
            (true, false) => {}
            (false, true) => all.push(format!("nothing was {done}: {}", self.unlike(&self.same))),
            (false, false) => all.push(format!("not {done}: {}", self.unlike(&self.same))),
        }
        if !self.stray.is_empty() && !self.looked.is_empty() {
            all.push(format!("{} in no catalog that was {done}", are(&self.stray)));
        }
        all
    }

    /// Returns the sentences about a comparison, which describes each compared catalog itself.
    fn beside(&self) -> Vec<String> {
        let new: Vec<String> =
            self.looked.iter().filter(|looked| looked.is_new).map(|looked| looked.catalog.clone()).collect();
        let new = (!new.is_empty()).then(|| format!("{} new since {}", are(&new), self.than()));
        new.into_iter().chain(self.others("compared")).collect()
    }

    /// Renders the sentences that a comparison needs for a comment.
    pub fn markdown_beside(&self) -> String {
        markdown(&self.beside())
    }

    /// Renders the sentences that a comparison needs for a terminal.
    pub fn text_beside(&self) -> String {
        text(&self.beside())
    }

    fn looked(&self, looked: &Looked) -> String {
        let Looked { catalog, is_new, packages, aside, aside_errors } = looked;
        let mut words = match (packages.as_slice(), is_new) {
            (_, true) => format!("{catalog} is new since {}: all of it was checked", self.than()),
            ([], _) => format!("{catalog}: files differ from {}, no package does", self.than()),
            (names, _) => {
                let s = plural(names.len());
                format!("{catalog}: checked package{s} {}, which {}", listed(names), self.meant(names.len()))
            }
        };
        if *aside > 0 {
            let errors = match aside_errors {
                0 => String::new(),
                n => format!(", {n} error{} among them", plural(*n)),
            };
            let known = if self.base.is_some() { " that it had before" } else { "" };
            words += &format!(
                "; {aside} finding{} of other packages{known}{errors}: see olmap validate {catalog}",
                plural(*aside)
            );
        }
        words
    }

    /// Renders the scope for a comment.
    pub fn markdown(&self) -> String {
        markdown(&self.sentences())
    }

    /// Renders the scope for a terminal.
    pub fn text(&self) -> String {
        text(&self.sentences())
    }

    /// Describes the selection of packages: `differ from git:main or are in the named files`.
    fn meant(&self, count: usize) -> String {
        let (differ, are) = if count == 1 { ("differs", "is") } else { ("differ", "are") };
        let base = self.base.as_ref().map(|base| format!("{differ} from {base}"));
        let files = self.files.then(|| format!("{are} in the named files"));
        base.into_iter().chain(files).collect::<Vec<_>>().join(" or ")
    }

    fn unlike(&self, catalogs: &[String]) -> String {
        let listed = listed(catalogs);
        match (&self.base, catalogs.len()) {
            (Some(base), 1) => format!("{listed} is what it is in {base}{}", self.no_file()),
            (Some(base), _) => format!("{listed} are what they are in {base}{}", self.no_file()),
            (None, _) => format!("no named file is in {listed}"),
        }
    }

    fn no_file(&self) -> &'static str {
        if self.files { ", and no named file is in it" } else { "" }
    }

    fn than(&self) -> &str {
        self.base.as_deref().unwrap_or("the named files")
    }
}

fn are(names: &[String]) -> String {
    format!("{} {}", listed(names), if names.len() == 1 { "is" } else { "are" })
}

fn listed(names: &[String]) -> String {
    let told: Vec<&str> = names.iter().take(MOST).map(String::as_str).collect();
    match names.len().checked_sub(MOST) {
        None | Some(0) => told.join(", "),
        Some(more) => format!("{} and {more} more", told.join(", ")),
    }
}

fn markdown(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| format!("\n{}.\n", quote(&upper(sentence)))).collect::<Vec<_>>().concat()
}

fn text(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| format!("{}\n", plain::line(sentence))).collect::<Vec<_>>().concat()
}

/// Capitalizes a sentence that does not begin with a name.
fn upper(sentence: &str) -> String {
    match sentence.split_once(' ') {
        Some(("nothing", rest)) => format!("Nothing {rest}"),
        Some(("not", rest)) => format!("Not {rest}"),
        _ => sentence.to_owned(),
    }
}
