//! Benchmarks of a repository of bundle directories: listing, opening and checking.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use olm_bundle::FilePool;
use olm_catalog::load::Progress;
use olm_check::{
    bundles::{BundleChecks, LoadedBundle, check_bundle as check_directory},
    review::Snapshot,
};
use olm_source::{bundles, read_bundle_directory};
use rayon::prelude::*;

use super::{
    BenchContext,
    measure::{Times, format_mb, format_ms, format_ratio, measure_runs},
    reference_times,
    shapes::Shape,
    table::Table,
};

const RUNS: usize = 5;
/// Number of generated directories.
const COUNT: usize = 3_000;

pub fn bundles_section(ground: &BenchContext) -> String {
    generate_operators(ground.folder.path(), COUNT);
    let root = ground.folder.path().join("operators");
    let files = reference_times::list_files(&root);
    let found = bundles::find_bundle_folder(&root).unwrap();
    let cat = reference_times::time_cat(&files, RUNS);
    let mut table = Table::new(&["what", "ms", "of `cat`"]);
    let mut row = |what: &str, times: Times| {
        table.add_row([what.to_owned(), format_ms(times.median()), format_ratio(times.median(), cat)]);
    };
    row("`cat` over the files", Times::from_durations([cat]));
    row("found, by the names of folders", measure_runs(RUNS, |_| drop(bundles::find_bundle_folder(&root))));
    row("first bundles shown", Times::from_durations((0..RUNS).map(|_| time_to_first_bundle(&root))));
    row("opened: read, rendered, channels proposed", measure_runs(RUNS, |_| drop(open_catalog(&root))));
    row("opened and judged as a catalog", measure_runs(RUNS, |_| drop(Snapshot::new(open_catalog(&root)))));
    row("all checked: suites, OLM Classic, our own rules", {
        measure_runs(RUNS, |_| {
            let files = FilePool::default();
            let directories = found.directories.par_iter();
            let checked: usize = directories.map(|path| count_findings(&root, path, &files)).sum();
            assert!(checked > 0);
        })
    });
    let (directories, count) = (found.directories.len(), files.len());
    let size = format_mb(reference_times::total_size(&files));
    fs::remove_dir_all(&root).unwrap();
    format!("{directories} bundle directories, {count} files, {size} MB.\n\n{}", table.into_markdown())
}

fn open_catalog(root: &Path) -> olm_catalog::Catalog {
    olm_source::open_path(root, &olm_source::OpenOptions::default(), &Progress::default()).unwrap()
}

/// Measures the time until the first bundle is available.
fn time_to_first_bundle(root: &Path) -> Duration {
    let start = Instant::now();
    let mut first = None;
    let found = bundles::find_bundle_folder(root).unwrap();
    let mut show = |_| {
        first.get_or_insert_with(|| start.elapsed());
    };
    bundles::open_bundles(root, &found, None, &Progress::default(), &mut show).unwrap();
    first.unwrap_or_else(|| start.elapsed())
}

/// Returns the number of findings of a directory.
fn count_findings(root: &Path, path: &Path, files: &FilePool) -> usize {
    let tree = files.share_files(read_bundle_directory(&root.join(path)).unwrap());
    let directory =
        LoadedBundle { tree: &tree, display_path: path, name: None, dockerfile: None, labels: None };
    check_directory(&directory, &BundleChecks::default()).len()
}

/// Generates operators with ten versions each, in the size of published bundles: a CSV with a description,
/// permissions and examples, two CRDs with schemas, a Service.
fn generate_operators(root: &Path, count: usize) {
    (0..count).into_par_iter().for_each(|number| {
        let (operator, version) = (number / 10, number % 10);
        let name = format!("made-{operator:04}");
        write_bundle(&root.join("operators"), &name, version, 150).unwrap();
    });
}

/// Returns the shape of one operator whose versions have equal CRDs of about 300 kB.
pub fn equal_crds_shape() -> Shape {
    Shape {
        name: "equal CRDs",
        unit: "bundle directories",
        max_size: 400,
        write: |to, count| (0..count).try_for_each(|version| write_bundle(to, "made", version, 1_200)),
    }
}

/// Writes the directory of a version, with CRDs of a number of fields.
fn write_bundle(operators: &Path, name: &str, version: usize, fields: usize) -> std::io::Result<()> {
    let folder = operators.join(name).join(format!("1.{version}.0"));
    let write = |path: &str, text: String| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        fs::write(path, text)
    };
    write("metadata/annotations.yaml", annotations_yaml(name))?;
    write("manifests/csv.clusterserviceversion.yaml", csv_yaml(name, version))?;
    for kind in ["Pier", "Crane"] {
        write(&format!("manifests/{}.crd.yaml", kind.to_lowercase()), crd_yaml(name, kind, fields))?;
    }
    write(
        "manifests/metrics.service.yaml",
        format!(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: {name}-metrics\nspec:\n  ports:\n  - port: 8443\n"
        ),
    )
}

fn annotations_yaml(name: &str) -> String {
    let key = "  operators.operatorframework.io.bundle.";
    format!(
        "annotations:\n{key}mediatype.v1: registry+v1\n{key}manifests.v1: manifests/\n{key}metadata.v1: metadata/\n\
         {key}package.v1: {name}\n{key}channels.v1: stable\n{key}channel.default.v1: stable\n"
    )
}

fn csv_yaml(name: &str, version: usize) -> String {
    let digest = format!("{version:064}");
    let mut text = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: {name}.v1.{version}.0\n  \
         annotations:\n    capabilities: Basic Install\n    alm-examples: |-\n      [{{\"apiVersion\": \"{name}.example.com/v1\", \"kind\": \
         \"Pier\", \"metadata\": {{\"name\": \"one\"}}, \"spec\": {{\"field0\": \"a\"}}}}]\nspec:\n  displayName: Made {name}\n  version: 1.{version}.0\n  \
         minKubeVersion: 1.27.0\n  description: |\n"
    );
    for line in 0..60 {
        let _ =
            writeln!(text, "    Line {line} of what the operator does, in words that nobody reads twice.");
    }
    if version > 0 {
        let _ = writeln!(text, "  replaces: {name}.v1.{}.0", version - 1);
    }
    text += "  installModes:\n";
    for mode in ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"] {
        let _ = writeln!(text, "  - type: {mode}\n    supported: {}", mode != "MultiNamespace");
    }
    text += "  customresourcedefinitions:\n    owned:\n";
    for kind in ["Pier", "Crane"] {
        let plural = format!("{}s", kind.to_lowercase());
        let _ =
            writeln!(text, "    - name: {plural}.{name}.example.com\n      version: v1\n      kind: {kind}");
    }
    let _ = write!(
        text,
        "  install:\n    strategy: deployment\n    spec:\n      deployments:\n      - name: {name}\n        spec:\n          selector:\n            \
         matchLabels: {{app: {name}}}\n          template:\n            metadata:\n              labels: {{app: {name}}}\n            spec:\n              \
         serviceAccountName: {name}\n              containers:\n              - name: manager\n                image: \
         registry.example.com/{name}/manager@sha256:{digest}\n      clusterPermissions:\n      - serviceAccountName: {name}\n        rules:\n"
    );
    for rule in 0..30 {
        let _ = write!(
            text,
            "        - apiGroups:\n          - group{rule}.example.com\n          resources:\n          - things\n          - things/status\n          \
             verbs:\n          - get\n          - list\n          - watch\n"
        );
    }
    let _ = writeln!(
        text,
        "  relatedImages:\n  - name: manager\n    image: registry.example.com/{name}/manager@sha256:{digest}"
    );
    text
}

fn crd_yaml(name: &str, kind: &str, fields: usize) -> String {
    let singular = kind.to_lowercase();
    let mut text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {singular}s.{name}.example.com\nspec:\n  \
         group: {name}.example.com\n  names:\n    kind: {kind}\n    listKind: {kind}List\n    plural: {singular}s\n    singular: {singular}\n  \
         scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
         properties:\n          spec:\n            type: object\n            properties:\n"
    );
    for field in 0..fields {
        let _ = write!(
            text,
            "              field{field}:\n                description: What field {field} of the {kind} says, and when to leave it out.\n                \
             type: string\n"
        );
    }
    text
}
