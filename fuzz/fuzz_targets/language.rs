//! States of an edited document, separated by zero bytes: answers at positions all over it do not panic, and
//! the draft of the final text matches a fresh load.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use olm_catalog::{Catalog, FileId, Origin, SourceFile};
use olmap_lsp::{
    DraftCatalog, Encoding, TextDocument, changes::Client, complete, hover, inlay, links, navigate, outline,
    rename, selection, symbols,
};

/// Maximum number of states, and number of queried positions in each.
const MOST: usize = 6;
const PLACES: usize = 8;

const FILE: FileId = FileId(0);

fn catalog(bytes: &[u8]) -> Catalog {
    let path = std::path::PathBuf::from("/nowhere/catalog.yaml");
    let file = SourceFile::new(path.clone(), Some(path.clone()), bytes.to_vec());
    Catalog::new(Origin::File(path), vec![file], Vec::new())
}

/// Describes a catalog for comparison.
fn describe_catalog(catalog: &Catalog) -> String {
    let packages: Vec<_> = catalog
        .packages()
        .map(|package| (&package.name, package.channels.len(), package.bundles.len()))
        .collect();
    let problems: usize = catalog.all_problems().map(|found| found.count_kinds(|_| true)).sum();
    format!("{packages:?} {problems}")
}

fn ask(draft: &DraftCatalog, text: &str) {
    let paper = TextDocument::new(text);
    let here = (FILE, &paper);
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        for place in 0..PLACES {
            let at = paper.position(encoding, text.len() * place / PLACES);
            let _ = hover::hover_at(draft, here, at, (encoding, true));
            let _ = complete::completions_at(draft, here, at, (encoding, true));
            let _ = navigate::find_definition(draft, here, at, encoding);
            let _ = navigate::find_references(draft, here, at, encoding, true);
            let _ = navigate::document_highlights(draft, here, at, encoding);
            let _ = selection::selection_ranges(&paper, &[at], encoding);
            let _ = rename::prepare_rename(draft, here, at, encoding);
            let _ = rename::rename_at(draft, here, (at, "new"), encoding, &Client::default());
        }
        let _ = outline::document_symbols(draft, FILE, encoding);
        let _ = inlay::inlay_hints(draft, here, paper.range(encoding), encoding);
        let _ = symbols::workspace_symbols([draft], "a", encoding);
        let _ = links::document_links(draft, FILE, encoding);
    }
    let _ = outline::folding_ranges(text.as_bytes());
    let _ = outline::key_symbols(text.as_bytes(), Encoding::Utf16);
}

fuzz_target!(|bytes: &[u8]| {
    let mut states =
        bytes.split(|byte| *byte == 0).take(MOST).filter_map(|state| std::str::from_utf8(state).ok());
    let Some(first) = states.next() else { return };
    let mut draft = DraftCatalog::new(Arc::new(catalog(first.as_bytes())));
    ask(&draft, first);
    for state in states {
        draft.type_text(FILE, state.as_bytes());
        assert_eq!(describe_catalog(draft.current()), describe_catalog(&catalog(state.as_bytes())));
        ask(&draft, state);
    }
});
