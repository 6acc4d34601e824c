//! Tests of repository layouts.

use std::collections::{BTreeMap, BTreeSet};

use super::{index::FileIndex, *};

/// Returns the text of a complete catalog with one package.
fn catalog_text(package: &str) -> String {
    format!(
        "name: {package}\nschema: olm.package\n---\nentries:\n- name: {package}.v1\nname: stable\npackage: {package}\n\
         schema: olm.channel\n---\nimage: example.com/{package}@sha256:1\nname: {package}.v1\npackage: {package}\n\
         schema: olm.bundle\n"
    )
}

const TEMPLATE: &str = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: ship\n";
const CSV: &str = "kind: ClusterServiceVersion\nmetadata:\n  name: ship.v1\n";

/// Makes an index of files with the given texts.
fn test_index(files: &[(&str, &str)], has_git: bool) -> FileIndex {
    let texts: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let names: BTreeSet<String> = texts.keys().cloned().collect();
    let read = move |path: &str, limit: u64| {
        let bytes = texts.get(path)?.as_bytes();
        Some(bytes.get(..usize::try_from(limit).ok()?).unwrap_or(bytes).to_vec())
    };
    FileIndex::new(names, BTreeMap::new(), has_git, Box::new(read))
}

fn discover_files(files: &[(&str, &str)]) -> Discovery {
    discover_in(&mut test_index(files, true)).unwrap()
}

/// Returns the paths and versions of the catalogs.
fn describe_catalogs(found: &Discovery) -> Vec<String> {
    let row = |catalog: &FoundCatalog| {
        let versions: Vec<String> = catalog.openshift.iter().map(ToString::to_string).collect();
        format!("{} {}", catalog.path, versions.join(","))
    };
    found.catalogs.iter().map(row).collect()
}

fn bundle_paths(found: &Discovery) -> Vec<&str> {
    found.bundles.iter().map(|bundle| bundle.path.as_str()).collect()
}

fn template_catalogs(found: &Discovery) -> Vec<(&str, Vec<&str>)> {
    found
        .templates
        .iter()
        .map(|template| (template.path.as_str(), template.catalogs.iter().map(String::as_str).collect()))
        .collect()
}

#[test]
fn catalog_data_is_searched_in_a_directory_and_its_subfolders() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("template.yaml", TEMPLATE);
    write("ship/notes.txt", &catalog_text("ship"));
    assert!(!has_catalog_data(folder), "a template and a text file");
    write("ship/catalog.yaml", &catalog_text("ship"));
    assert!(has_catalog_data(folder), "in a subfolder");
    assert!(has_catalog_data(&folder.join("ship")), "directly in it");
}

#[test]
fn folder_that_a_dockerfile_copies_is_a_catalog() {
    let ship = catalog_text("ship");
    let found = discover_files(&[
        ("v4.18/Dockerfile", "FROM x\nADD catalog /configs\n"),
        ("v4.18/catalog/ship/catalog.yaml", &ship),
        ("v4.18/graph.yaml", TEMPLATE),
        ("v4.20/Dockerfile", "add catalog /configs"),
        ("v4.20/catalog/ship/catalog.yaml", &ship),
        ("README.md", "words"),
    ]);
    assert_eq!(describe_catalogs(&found), ["v4.18/catalog 4.18", "v4.20/catalog 4.20"]);
    assert_eq!(template_catalogs(&found), [("v4.18/graph.yaml", vec!["v4.18/catalog"])]);
    let evidence = CatalogEvidence::Copied { dockerfile: "v4.18/Dockerfile".to_owned(), line: 2 };
    assert_eq!(found.catalogs[0].evidence, evidence);
}

#[test]
fn build_argument_for_a_version_matches_catalogs_of_all_versions() {
    let ship = catalog_text("ship");
    let pipeline = "params:\n- name: build-args\n  value:\n  - DIR=catalog-4-18\n";
    let found = discover_files(&[
        ("catalog.Dockerfile", "ARG DIR\nCOPY ./${DIR}/ /configs/ship/"),
        (".tekton/ship-4-18-push.yaml", pipeline),
        ("catalog-4-16/package.yaml", &ship),
        ("catalog-4-18/package.yaml", &ship),
        ("other/package.yaml", &ship),
        ("catalog-template.yaml", TEMPLATE),
    ]);
    assert_eq!(describe_catalogs(&found), ["catalog-4-16 4.16", "catalog-4-18 4.18"]);
    assert_eq!(template_catalogs(&found), [("catalog-template.yaml", vec!["catalog-4-16", "catalog-4-18"])]);
    let found = discover_files(&[
        ("catalog.Dockerfile", "ARG OCP_VERSION=v4.18\nCOPY catalogs/${OCP_VERSION} /configs/"),
        ("catalogs/v4.16/ship.yaml", &ship),
        ("catalogs/v4.18/ship.yaml", &ship),
    ]);
    assert_eq!(describe_catalogs(&found), ["catalogs/v4.16 4.16", "catalogs/v4.18 4.18"]);
}

#[test]
fn name_of_the_dockerfile_is_the_version_if_the_path_has_none() {
    let ship = catalog_text("ship");
    let found = discover_files(&[
        ("Dockerfile-v4-14.catalog", "COPY catalog/ship /configs/ship"),
        ("Dockerfile-v4-13.catalog", "COPY catalog/ship /configs/ship"),
        ("catalog/ship/catalog.yaml", &ship),
    ]);
    assert_eq!(describe_catalogs(&found), ["catalog/ship 4.13,4.14"]);
}

#[test]
fn folder_that_opm_can_read_is_a_catalog() {
    let (ship, boat) = (catalog_text("ship"), catalog_text("boat"));
    let found =
        discover_files(&[("catalog/ship/a.yaml", &ship), ("catalog/boat/a.yaml", &boat), ("go.mod", "")]);
    assert_eq!(describe_catalogs(&found), ["catalog "]);
    let found = discover_files(&[("catalog/next/a.yaml", &ship), ("catalog/v4.18/a.yaml", &ship)]);
    assert_eq!(describe_catalogs(&found), ["catalog/next ", "catalog/v4.18 4.18"], "the same package twice");
    let found = discover_in(&mut test_index(
        &[(".indexignore", "*.md\n"), ("README.md", ""), ("a.yaml", &ship)],
        false,
    ));
    assert_eq!(describe_catalogs(&found.unwrap()), [". "]);
}

#[test]
fn ignores_parts_of_catalogs_and_catalogs_of_tests() {
    let ship = catalog_text("ship");
    let found = discover_files(&[
        ("catalog/preamble.yaml", "schema: olm.package\nname: ship\n"),
        (
            "catalog/channels/stable.yaml",
            "schema: olm.channel\npackage: ship\nname: a\nentries: [{name: ship.v1}]\n",
        ),
        ("testdata/catalog/catalog.yaml", &ship),
        ("vendor/example.com/catalog/catalog.yaml", &ship),
        ("catalog.yaml", "kind: CatalogSource\n"),
        ("index.yaml", "entries: {}\n"),
        (".indexignore", ""),
    ]);
    assert_eq!(found, Discovery::default());
    assert_eq!(found.open_kind(), OpenKind::Nothing);
}

#[test]
fn own_repository_of_an_operator_opens_its_bundle() {
    let found = discover_files(&[
        ("bundle/manifests/ship.clusterserviceversion.yaml", CSV),
        ("bundle/metadata/annotations.yaml", "annotations: {}\n"),
        ("bundles/1.0.0/manifests/csv.yaml", CSV),
        ("bundles/1.0.0/metadata/annotations.yaml", ""),
        ("bundles/1.1.0/manifests/csv.yaml", CSV),
        ("bundles/1.1.0/metadata/annotations.yaml", ""),
        ("chart/manifests/csv.yaml", "kind: ClusterServiceVersion\n{{ if .x }}\n"),
        ("chart/metadata/annotations.yaml", ""),
        ("config/manifests/bases/ship.clusterserviceversion.yaml", CSV),
        ("deploy/ship/ship.package.yaml", "packageName: ship\nchannels:\n- name: a\n"),
        ("deploy/ship/1.0.0/csv.yaml", CSV),
    ]);
    assert_eq!(bundle_paths(&found), ["bundle", "bundles", "deploy/ship"]);
    assert_eq!(found.open_kind(), OpenKind::Bundle);
}

#[test]
fn catalogs_next_to_operators_are_mapped_to_templates() {
    let (ship, boat) = (catalog_text("ship"), catalog_text("boat"));
    let found = discover_files(&[
        ("catalogs/v4.18/ship/catalog.yaml", &ship),
        ("catalogs/v4.20/boat/catalog.yaml", &boat),
        (
            "operators/ship/ci.yaml",
            "fbc:\n  catalog_mapping:\n  - {template_name: a.yaml, catalog_names: [v4.20]}\n",
        ),
        ("operators/ship/catalog-templates/a.yaml", TEMPLATE),
    ]);
    assert_eq!(describe_catalogs(&found), ["catalogs/v4.18 4.18", "catalogs/v4.20 4.20"]);
    assert_eq!(
        template_catalogs(&found),
        [("operators/ship/catalog-templates/a.yaml", vec!["catalogs/v4.20"])]
    );
    assert_eq!(found.templates[0].evidence, TemplateEvidence::Mapping("operators/ship/ci.yaml".to_owned()));
}

#[test]
fn file_alone_is_a_catalog_if_nothing_else_is_found() {
    let ship = catalog_text("ship");
    assert_eq!(
        describe_catalogs(&discover_files(&[("README.md", ""), ("ship.yaml", &ship)])),
        ["ship.yaml "]
    );
}

#[test]
fn stated_repository_beats_discovery() {
    let ship = catalog_text("ship");
    let files = |stated: &'static str| {
        [
            (".olmap.toml", stated),
            ("Dockerfile", "ADD catalog /configs"),
            ("catalog/catalog.yaml", ship.as_str()),
            ("made/catalog.yaml", ship.as_str()),
            ("t.yaml", TEMPLATE),
        ]
    };
    let stated = "catalogs = [{ path = 'made', openshift = ['4.18', '4.20'] }]\ntemplates = [{ path = 't.yaml', makes = ['made'] }]\n";
    let found = discover_files(&files(stated));
    assert_eq!(describe_catalogs(&found), ["made 4.18,4.20"]);
    assert_eq!(template_catalogs(&found), [("t.yaml", vec!["made"])]);
    let found = discover_files(&files("ignore = ['catalog', 'made', 't.yaml']"));
    assert_eq!(found.open_kind(), OpenKind::Nothing);
    let error = discover_in(&mut test_index(&files("\nignores = []"), true)).unwrap_err();
    assert_eq!(error.to_string(), ".olmap.toml:2: unknown key ignores; did you mean ignore?");
}

#[test]
fn catalog_that_cannot_be_parsed_is_found() {
    let ship = catalog_text("ship");
    let broken = format!("{ship}---\nschema: olm.channel\nentries: [\n");
    let found = discover_files(&[
        ("v4.18/Dockerfile", "ADD catalog /configs"),
        ("v4.18/catalog/ship.yaml", &ship),
        ("v4.20/Dockerfile", "ADD catalog /configs"),
        ("v4.20/catalog/ship.yaml", &broken),
    ]);
    assert_eq!(describe_catalogs(&found), ["v4.18/catalog 4.18", "v4.20/catalog 4.20"]);
    let found =
        discover_files(&[("catalogs/v4.20/ship/a.yaml", &ship), ("catalogs/v4.20/b.yaml", "schema: [\n")]);
    assert_eq!(describe_catalogs(&found), ["catalogs/v4.20 4.20"], "not a package of it alone");
    let only_broken = "schema: olm.package\nname: [ship\n";
    assert_eq!(describe_catalogs(&discover_files(&[("catalog/a.yaml", only_broken)])), ["catalog "]);
}

#[test]
fn statement_about_a_missing_path_is_a_mistake_with_its_line() {
    let ship = catalog_text("ship");
    let mistakes = |stated: &str| {
        let found = discover_files(&[
            (".olmap.toml", stated),
            ("catalog/catalog.yaml", &ship),
            ("t.yaml", TEMPLATE),
            ("other.yaml", "kind: Other\n"),
            ("bundle/manifests/csv.yaml", CSV),
            ("docs/t.yaml", TEMPLATE),
        ]);
        found.mistakes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for (stated, expected) in [
        ("catalogs = ['catalog']\ntemplates = ['t.yaml', 'docs/t.yaml']\nbundles = ['bundle']", &[][..]),
        ("\ncatalogs = ['cat']", &[".olmap.toml:2: cat does not exist"]),
        (
            "[[catalogs]]\npath = 'catalog'\n[[catalogs]]\npath = 'made'\n[[templates]]\npath = 'no.yaml'\nmakes = [\n'gone']",
            &[
                ".olmap.toml:4: made does not exist",
                ".olmap.toml:6: no.yaml does not exist",
                ".olmap.toml:8: gone does not exist",
            ],
        ),
        ("bundles = ['bundles']", &[".olmap.toml:1: bundles does not exist"]),
        ("templates = ['other.yaml']", &[".olmap.toml:1: other.yaml is not a template"]),
        (
            "ignore = ['catalog', 'no']\ncatalogs = ['catalog']",
            &[".olmap.toml:2: catalog is stated and ignored"],
        ),
    ] {
        assert_eq!(mistakes(stated), expected, "{stated}");
    }
}

#[test]
fn stated_template_is_found_in_any_folder() {
    let found = discover_files(&[(".olmap.toml", "templates = ['docs/t.yaml']"), ("docs/t.yaml", TEMPLATE)]);
    assert_eq!(template_catalogs(&found), [("docs/t.yaml", vec![])]);
}

#[test]
fn first_document_is_read_to_its_end() {
    let long = format!("icon: {}\n{}", "x".repeat(200_000), catalog_text("ship"));
    assert_eq!(describe_catalogs(&discover_files(&[("catalog/a.yaml", &long)])), ["catalog "]);
}
