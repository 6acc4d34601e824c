//! Arbitrary files as a bundle directory: nothing panics, the rendered result of a valid bundle is a single
//! bundle, and every location is inside its file.
//!
//! The input is files separated by zero bytes; the first byte of each selects its name.
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use olm_bundle::{
    NewBundle, Tree, TreeFile, classic,
    compare::Comparison,
    outline::{Outline, Part},
    placement::{Placement, UpdateGraph, propose_channels, propose_package},
    registry::{Bundle, BundleLocation, DirectoryContents},
    render::{Options, render_olm_bundle},
    suites::{self, Settings, Suite},
    v1,
};
use olm_catalog::{load, text::canonical::RenderFormat};
use olmap_report::{
    Style,
    bundle::{
        contents,
        outline::{self, SectionFilter},
        outline_markdown,
    },
};

/// File names.
const PATHS: &[&str] = &[
    "manifests/a.clusterserviceversion.yaml",
    "metadata/annotations.yaml",
    "manifests/a.crd.yaml",
    "manifests/b.crd.yaml",
    "manifests/other.yaml",
    "manifests/.hidden.yaml",
    "manifests/below/deep.yaml",
    "metadata/dependencies.yaml",
    "metadata/properties.yaml",
    "tests/scorecard/config.yaml",
    "bundle.Dockerfile",
];

fn tree(bytes: &[u8]) -> Tree {
    let parts = bytes.split(|byte| *byte == 0).take(PATHS.len());
    let mut files: Vec<TreeFile> = Vec::new();
    for part in parts {
        let Some((name, content)) = part.split_first() else { continue };
        let path = PATHS[usize::from(*name) % PATHS.len()];
        if files.iter().all(|file| file.path != path) {
            files.push(TreeFile { path: path.to_owned(), content: Ok(content.into()) });
        }
    }
    let folders = ["manifests", "manifests/below", "metadata", "tests", "tests/scorecard"];
    Tree::new(files, folders.map(str::to_owned).to_vec())
}

fn is_inside(tree: &Tree, place: &BundleLocation) -> bool {
    let Some(at) = tree.file_index(&place.file) else { return true };
    place.span.end as usize <= tree.files[at].content_or_empty().len()
}

/// Style of output that is discarded.
const STYLE: Style = Style { color: false, ascii: false, width: 80, cuts_cells: false };

fuzz_target!(|bytes: &[u8]| {
    let tree = tree(bytes);
    let contents = DirectoryContents::from_tree(&tree);
    for verdict in suites::run_suites(&tree, Suite::ALL.as_slice(), &Settings::default())
        .into_iter()
        .chain(classic::check_contents(&contents))
        .chain(v1::check_tree(&tree))
    {
        assert!(verdict.location.as_ref().is_none_or(|place| is_inside(&tree, place)), "{verdict:?}");
    }
    let inside = Outline::from_directory(&contents, &tree);
    let wanted = SectionFilter(Part::ALL.to_vec());
    let _ = outline::render_outline(&inside, &wanted, &STYLE);
    let _ = (
        outline_markdown::render_outline_comment(&inside, &wanted),
        contents::render_directory_bundle(&contents, None, &inside, &wanted),
    );
    for section in &inside.sections {
        let keys: HashSet<&str> = section.rows.iter().map(|row| row.key.as_str()).collect();
        assert_eq!(keys.len(), section.rows.len(), "{:?}", section.part);
    }
    assert!(Comparison::compare_outlines(&inside, &inside).is_empty());
    if let Some(placement) = Placement::from_contents(&contents) {
        for mode in [UpdateGraph::Replaces, UpdateGraph::Semver, UpdateGraph::SemverSkipPatch] {
            let channels = propose_channels(std::slice::from_ref(&placement), mode);
            let text = propose_package(std::slice::from_ref(&placement), &channels).to_document();
            load::from_bytes(text.into_bytes());
        }
    }
    let _ = NewBundle::from_directory(&tree, "example.com/a@sha256:0");
    if let Ok(bundle) = Bundle::from_tree(&tree)
        && let Ok(rendered) = render_olm_bundle(&bundle, &Options::default())
    {
        let yaml = rendered.to_text(RenderFormat::Yaml);
        let bundles: usize =
            load::from_bytes(yaml.clone().into_bytes()).packages().map(|package| package.bundles.len()).sum();
        assert_eq!(bundles, usize::from(!rendered.package.is_empty()), "{yaml}");
    }
});
