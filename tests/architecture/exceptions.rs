//! Where today's files break the order inside `app` and `ui`: a list that may only shrink. Once it is empty, it and
//! this file go, and the test takes any finding for a failure.

use std::{collections::BTreeSet, fs, path::Path};

use crate::inner::Finding;

/// One line for each arrow or file that is found today.
const LIST: &str = "tests/architecture/exceptions.txt";

/// What is found and not listed, each arrow where it is first drawn, and what is listed and not found.
fn differences(findings: &[Finding], listed: &str) -> Vec<String> {
    let listed: BTreeSet<_> = listed.lines().collect();
    let found: BTreeSet<_> = findings.iter().map(|f| f.arrow.as_str()).collect();
    let mut known = listed.clone();
    let new = findings.iter().filter(|f| known.insert(&f.arrow)).map(|f| f.text.clone());
    let gone =
        listed.difference(&found).map(|line| format!("{LIST}: `{line}` is no more; take it off the list"));
    new.chain(gone).collect()
}

/// The list as it would be right for what is found.
fn right(findings: &[Finding]) -> String {
    let lines: BTreeSet<_> = findings.iter().map(|f| f.arrow.clone() + "\n").collect();
    lines.into_iter().collect()
}

/// Fails unless what is found is what is listed, and then says what the list should be.
pub fn assert_listed(findings: &[Finding]) {
    let listed = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(LIST)).unwrap();
    let (differences, right) = (differences(findings, &listed), right(findings));
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exceptions.txt");
    fs::write(&copy, &right).unwrap();
    assert!(
        differences.is_empty(),
        "{} difference(s) to the list of exceptions:\n{}\n\nThe list that would be right now:\n\n{right}\n\
         To take it: cp {} {LIST}",
        differences.len(),
        differences.join("\n"),
        copy.display(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(arrows: &[&str]) -> Vec<Finding> {
        let finding = |arrow: &&str| Finding { arrow: (*arrow).into(), text: format!("{arrow} on line 7") };
        arrows.iter().map(finding).collect()
    }

    #[test]
    fn the_list_names_what_is_found_and_nothing_else() {
        assert!(differences(&found(&["a -> c", "b -> c", "a -> c"]), "a -> c\nb -> c\n").is_empty());
        assert_eq!(differences(&found(&["a -> c", "b -> c", "b -> c"]), "a -> c\n"), ["b -> c on line 7"]);
        let gone = differences(&found(&["a -> c"]), "a -> c\nb -> c\n");
        assert_eq!(gone, ["tests/architecture/exceptions.txt: `b -> c` is no more; take it off the list"]);
        assert!(differences(&[], "").is_empty());
    }

    #[test]
    fn the_list_that_would_be_right_is_right() {
        let findings = found(&["b -> c", "a: stands in no room of app", "b -> c"]);
        assert_eq!(right(&findings), "a: stands in no room of app\nb -> c\n");
        assert!(differences(&findings, &right(&findings)).is_empty());
    }
}
