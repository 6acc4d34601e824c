//! The demo catalog, embedded in the program.

use std::path::PathBuf;

use olm_catalog::{Catalog, Origin, load};

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        /// Files of `demo/catalog/` by relative path.
        const FILES: &[(&str, &[u8])] =
            &[$(($path, include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/demo/catalog/", $path)))),*];
    };
}

files! {
    "ballast-operator/catalog.yaml",
    "folio-operator/catalog.json",
    "granary-operator/catalog.yaml",
    "kotatsu-operator/catalog.yaml",
    "orrery-operator/catalog.yaml",
    "quill-operator/catalog.yaml",
    "tidewater-operator/catalog.yaml",
    "tinsel-operator/catalog.yaml",
}

/// Opens the demo catalog.
pub fn demo() -> Catalog {
    load::from_texts(Origin::Demo, FILES.iter().map(|(path, bytes)| (PathBuf::from(path), bytes.to_vec())))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::*;

    #[test]
    fn embeds_every_file_of_demo() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/catalog");
        let on_disk = load::open_catalog(root).unwrap();
        let there: BTreeSet<_> = on_disk.files().iter().map(|f| f.display_path().to_owned()).collect();
        let built_in: BTreeSet<_> = FILES.iter().map(|(path, _)| PathBuf::from(path)).collect();
        assert_eq!(there, built_in);
    }

    #[test]
    fn demo_has_no_problems() {
        let catalog = demo();
        assert!(!catalog.has_unread_parts());
        assert!(catalog.packages().len() >= 4);
    }
}
