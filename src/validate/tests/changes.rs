//! How `cases.txt` and `bundles.txt` are written: each case changes a text, and says what is found in it then. The comparison
//! with opm takes the same cases, so this file names nothing of the library.

#![allow(
    dead_code,
    clippy::panic,
    clippy::unwrap_used,
    reason = "each program takes its part, and all of them are tests"
)]

/// A case.
pub struct Case {
    pub title: String,
    pub changes: Vec<Change>,
    /// The lines that are no change.
    pub expected: String,
}

/// Lines that are taken out of a file, and lines that come in their place; at its end where none are taken out.
pub struct Change {
    /// The file that the case names; none: the usual one.
    pub file: Option<String>,
    old: String,
    new: String,
}

/// All cases of a text.
pub fn cases(text: &str) -> Vec<Case> {
    text.split("\n### ").skip(1).map(case).collect()
}

fn case(text: &str) -> Case {
    let mut lines = text.lines().filter(|line| !line.is_empty()).peekable();
    let title = lines.next().unwrap().to_owned();
    let (mut changes, mut expected, mut file) = (Vec::new(), String::new(), None);
    while let Some(line) = lines.peek() {
        if let Some(path) = line.strip_prefix("@ ") {
            file = Some(path.to_owned());
            lines.next();
        } else if line.starts_with(['-', '+']) {
            let mut take = |sign: char| {
                let mut taken = String::new();
                while let Some(line) = lines.next_if(|line| line.starts_with(sign)) {
                    taken.push_str(line.get(2..).unwrap_or_default());
                    taken.push('\n');
                }
                taken
            };
            let (old, new) = (take('-'), take('+'));
            changes.push(Change { file: file.clone(), old, new });
        } else {
            expected.push_str(line);
            expected.push('\n');
            lines.next();
        }
    }
    Case { title, changes, expected }
}

impl Change {
    /// Makes the change in `text`; what is taken out must be once in `base`.
    pub fn make(&self, text: &mut String, base: &str, title: &str) {
        if self.old.is_empty() {
            text.push_str(&self.new);
        } else {
            assert_eq!(base.matches(&self.old).count(), 1, "{title}: is not there once:\n{}", self.old);
            *text = text.replacen(&self.old, &self.new, 1);
        }
    }
}
