//! Property tests of edits in any notation: the result is the requested change, and no other byte
//! changes.
//!
//! `PROPTEST_CASES` sets the number of random catalogs. Real catalogs are sampled; `OLMAP_ALL=1`
//! selects every package.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use olmap_testing as conformance;
mod laws;
mod model;
mod notation;
mod parts;
mod placements;
mod random;
mod real;
mod removals;
mod semver;
mod templates;
mod value_tree;
mod withdrawals;

use std::sync::Arc;

use laws::{catalog_files, check_notation, comment_lines, may_add_files, only_adds};
use olm_check::review::Snapshot;
use olmap::tui::session::editing::History;
use proptest::prelude::*;
use random::{generated_catalog, random_edit};

fn test_config(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(usual), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(test_config(300))]

    #[test]
    fn every_edit_makes_only_the_requested_change(made in generated_catalog(), deeds in prop::collection::vec(random_edit(), 1..6)) {
        let start = made.load_catalog();
        let styles: Vec<_> = made.to_files().into_iter().map(|(path, style, _)| (path, style)).collect();
        let mut history = History::new(Arc::new(Snapshot::new(start.clone())));
        let mut states = vec![catalog_files(&start)];
        for deed in &deeds {
            let now = history.now().clone();
            let Some(edit) = deed.to_edit(&now.catalog) else { continue };
            let told = || format!("{edit:?}\n{}", format_catalog(&now.catalog));
            let after = match laws::apply_and_check(&now.catalog, &edit) {
                Ok(laws::EditResult::Done(after)) => *after,
                Ok(laws::EditResult::Refused) => continue,
                Ok(laws::EditResult::Unsure(error)) => return Err(TestCaseError::fail(format!("{error}\n{}", told()))),
                Err(wrong) => return Err(TestCaseError::fail(format!("{wrong}\n{}", told()))),
            };
            let both = || format!("{}\nbecame\n{}", told(), format_catalog(&after));
            for (path, bytes) in catalog_files(&after) {
                let format = styles.iter().find(|(other, _)| *other == path).and_then(|(_, style)| style.canonical_format());
                if let Some(format) = format {
                    let rendered = notation::render_canonical(&bytes, format);
                    prop_assert!(rendered.as_bytes() == bytes, "{}", both());
                }
            }
            if let Err(wrong) = check_notation(&now.catalog, &after) {
                return Err(TestCaseError::fail(format!("{wrong}\n{}", both())));
            }
            if only_adds(&edit) {
                prop_assert_eq!(comment_lines(&now.catalog), comment_lines(&after), "{}", both());
            }
            prop_assert!(may_add_files(&start) || after.files().len() == 1);
            history.push(Arc::new(now.after_change(after)), edit);
            states.push(catalog_files(&history.now().catalog));
        }
        for state in states.iter().rev().skip(1) {
            history.undo();
            prop_assert_eq!(&catalog_files(&history.now().catalog), state);
        }
        for state in states.iter().skip(1) {
            history.redo();
            prop_assert_eq!(&catalog_files(&history.now().catalog), state);
        }
    }
}

fn format_catalog(catalog: &olm_catalog::Catalog) -> String {
    let files = catalog_files(catalog).into_iter();
    let files = files
        .map(|(path, bytes)| format!("== {path}\n{}", String::from_utf8_lossy(&bytes).replace('\r', "␍")));
    files.collect()
}
