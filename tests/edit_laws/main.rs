//! Property tests of edits in any notation: the result is the requested change, and no other byte
//! changes.
//!
//! `PROPTEST_CASES` sets the number of random catalogs. Real catalogs are sampled; `OLMAP_ALL=1`
//! selects every package.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../../src/conformance.rs"]
mod conformance;
mod laws;
mod model;
mod plain;
mod random;
mod real;
mod semver;
mod taking_out;
mod templates;
mod write;

use std::sync::Arc;

use laws::{comments, files, is_tree, only_adds, same_manners};
use olmap::{app::session::history::History, review::Snapshot};
use proptest::prelude::*;
use random::{deed, made};

fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(usual), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn every_edit_does_what_it_says_and_no_more(made in made(), deeds in prop::collection::vec(deed(), 1..6)) {
        let start = made.catalog();
        let styles: Vec<_> = made.files().into_iter().map(|(path, style, _)| (path, style)).collect();
        let mut history = History::new(Arc::new(Snapshot::new(start.clone())));
        let mut states = vec![files(&start)];
        for deed in &deeds {
            let now = history.now().clone();
            let Some(edit) = deed.edit(&now.catalog) else { continue };
            let told = || format!("{edit:?}\n{}", shown(&now.catalog));
            let after = match laws::make(&now.catalog, &edit) {
                Ok(laws::Made::Done(after)) => *after,
                Ok(laws::Made::Refused) => continue,
                Ok(laws::Made::Unsure(error)) => return Err(TestCaseError::fail(format!("{error}\n{}", told()))),
                Err(wrong) => return Err(TestCaseError::fail(format!("{wrong}\n{}", told()))),
            };
            let both = || format!("{}\nbecame\n{}", told(), shown(&after));
            for (path, bytes) in files(&after) {
                let format = styles.iter().find(|(other, _)| *other == path).and_then(|(_, style)| style.rendered());
                if let Some(format) = format {
                    let rendered = write::rendered(&bytes, format);
                    prop_assert!(rendered.as_bytes() == bytes, "{}", both());
                }
            }
            if let Err(wrong) = same_manners(&now.catalog, &after) {
                return Err(TestCaseError::fail(format!("{wrong}\n{}", both())));
            }
            if only_adds(&edit) {
                prop_assert_eq!(comments(&now.catalog), comments(&after), "{}", both());
            }
            prop_assert!(is_tree(&start) || after.files().len() == 1);
            history.push(Arc::new(now.after(after)), edit);
            states.push(files(&history.now().catalog));
        }
        for state in states.iter().rev().skip(1) {
            history.undo();
            prop_assert_eq!(&files(&history.now().catalog), state);
        }
        for state in states.iter().skip(1) {
            history.redo();
            prop_assert_eq!(&files(&history.now().catalog), state);
        }
    }
}

fn shown(catalog: &olmap::catalog::Catalog) -> String {
    let files = files(catalog).into_iter();
    let files = files
        .map(|(path, bytes)| format!("== {path}\n{}", String::from_utf8_lossy(&bytes).replace('\r', "␍")));
    files.collect()
}
