//! Arbitrary bytes as the ClusterServiceVersion of an otherwise valid bundle: no reader of CSVs panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_bundle::{
    NewBundle, Tree, TreeFile,
    outline::{Outline, Part},
    registry::DirectoryContents,
    suites::{self, Settings, Suite},
    v1,
    view::console_view,
};
use olmap_report::{
    Style,
    bundle::{
        contents,
        outline::{self, SectionFilter},
        outline_markdown,
    },
};

const ANNOTATIONS: &str = "\
annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: p
  operators.operatorframework.io.bundle.channels.v1: stable,fast
";

/// Style of output that is discarded.
const STYLE: Style = Style { color: false, ascii: false, width: 80, cuts_cells: false };

fuzz_target!(|bytes: &[u8]| {
    let file = |path: &str, content: &[u8]| TreeFile { path: path.to_owned(), content: Ok(content.into()) };
    let files = vec![
        file("manifests/a.clusterserviceversion.yaml", bytes),
        file("metadata/annotations.yaml", ANNOTATIONS.as_bytes()),
    ];
    let tree = Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()]);
    let contents = DirectoryContents::from_tree(&tree);
    if let Some(csv) = contents.any_csv() {
        let _ = console_view(csv);
    }
    let inside = Outline::from_directory(&contents, &tree);
    let wanted = SectionFilter(Part::ALL.to_vec());
    let _ = outline::render_outline(&inside, &wanted, &STYLE);
    let _ = (
        outline_markdown::render_outline_comment(&inside, &wanted),
        contents::render_directory_bundle(&contents, None, &inside, &wanted),
    );
    let _ = suites::run_suites(&tree, Suite::ALL.as_slice(), &Settings::default());
    let _ = v1::check_tree(&tree);
    let _ = NewBundle::from_directory(&tree, "");
});
