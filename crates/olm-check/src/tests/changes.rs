//! Parser for `cases.txt` and `bundles.txt`: each case changes a text and lists the expected
//! findings. The comparison with opm includes this file, so it does not use the library.

#![allow(
    dead_code,
    clippy::panic,
    clippy::unwrap_used,
    reason = "each program takes its part, and all of them are tests"
)]

/// Test case.
pub struct Case {
    pub title: String,
    pub changes: Vec<Change>,
    /// Lines that are not a change.
    pub expected: String,
}

/// Replacement of lines in a file; appends lines if none are removed.
pub struct Change {
    /// File that the case names; `None` for the default file.
    pub file: Option<String>,
    old: String,
    new: String,
}

/// Parses all cases of a text.
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
    /// Applies the change to `text`; removed lines must occur exactly once in `base`.
    pub fn make(&self, text: &mut String, base: &str, title: &str) {
        if self.old.is_empty() {
            text.push_str(&self.new);
        } else {
            assert_eq!(base.matches(&self.old).count(), 1, "{title}: is not there once:\n{}", self.old);
            *text = text.replacen(&self.old, &self.new, 1);
        }
    }
}
