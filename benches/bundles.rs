//! A repository of bundle directories: how long until it is listed, opened and checked, next to `cat` over its files in the
//! same run, and how much memory it takes next to their size.
//!
//! `cargo bench --bench bundles` makes 3,000 directories of its own (`OLMAP_BENCH_BUNDLES=N` for another number); a path in
//! `OLMAP_BENCH_PATH` is measured instead. Each figure is the median of a few runs; take the ratios, not the seconds.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::{
    env,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use olmap::{
    catalog::load::Progress,
    review::Snapshot,
    source::{bundles, read_bundle_directory},
    validate::bundles::{Directory, Questions, check as check_directory},
};
use peak_alloc::PeakAlloc;
use rayon::prelude::*;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const RUNS: usize = 5;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = if let Some(path) = env::var_os("OLMAP_BENCH_PATH") {
        PathBuf::from(path)
    } else {
        let count = env::var("OLMAP_BENCH_BUNDLES").map_or(3000, |count| count.parse().unwrap());
        make(folder.path(), count);
        folder.path().join("operators")
    };
    let files = files(&root);
    let bytes: u64 = files.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    let found = bundles::find(&root).unwrap();
    println!("{} bundle directories, {} files, {:.1} MB", found.directories.len(), files.len(), mb(bytes));

    let cat = median(|| cat(&files));
    println!("{:<34} {:>9.1} ms", "cat over the files", ms(cat));
    let row = |what: &str, time: Duration| {
        println!("{what:<34} {:>9.1} ms   {:>5.2} of cat", ms(time), time.as_secs_f64() / cat.as_secs_f64());
    };
    row("found, by names", median(|| drop(bundles::find(&root))));
    let mut firsts: Vec<Duration> = (0..RUNS).map(|_| first(&root)).collect();
    firsts.sort();
    row("first bundles shown", firsts[RUNS / 2]);
    row("opened", median(|| drop(open(&root))));
    row("opened and judged as a catalog", median(|| drop(Snapshot::new(open(&root)))));
    row(
        "all checked",
        median(|| {
            let checked: usize = found.directories.par_iter().map(|path| check(&root, path)).sum();
            assert!(checked > 0);
        }),
    );
    MEMORY.reset_peak_usage();
    let held = MEMORY.current_usage();
    let snapshot = Snapshot::new(open(&root));
    let (peak, kept) = (MEMORY.peak_usage() - held, MEMORY.current_usage() - held);
    drop(snapshot);
    let of = |part: usize| (mb(part as u64), part as f64 / bytes as f64);
    println!(
        "memory to open: {:.1} MB at most, {:.2} of the files; {:.1} MB kept, {:.2}",
        of(peak).0,
        of(peak).1,
        of(kept).0,
        of(kept).1
    );
    MEMORY.reset_peak_usage();
    let held = MEMORY.current_usage();
    let _checked: usize = found.directories.par_iter().map(|path| check(&root, path)).sum();
    let peak = MEMORY.peak_usage() - held;
    println!("memory to check: {:.1} MB at most, {:.2} of the files", of(peak).0, of(peak).1);
}

fn open(root: &Path) -> olmap::catalog::Catalog {
    olmap::source::open(root, &olmap::source::How::default(), &Progress::default()).unwrap()
}

/// How long until something can be looked at.
fn first(root: &Path) -> Duration {
    let start = Instant::now();
    let mut first = None;
    let found = bundles::find(root).unwrap();
    let mut show = |_| {
        first.get_or_insert_with(|| start.elapsed());
    };
    bundles::open(root, &found, None, &Progress::default(), &mut show).unwrap();
    first.unwrap_or_else(|| start.elapsed())
}

/// The findings of a directory.
fn check(root: &Path, path: &Path) -> usize {
    let tree = read_bundle_directory(&root.join(path)).unwrap();
    let directory = Directory { tree: &tree, shown: path, folder: None, dockerfile: None };
    check_directory(&directory, &Questions::default()).len()
}

/// What a pipe to nowhere takes.
fn cat(files: &[PathBuf]) {
    let mut child = Command::new("xargs")
        .args(["-0", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut names = child.stdin.take().unwrap();
    for file in files {
        names.write_all(file.as_os_str().as_encoded_bytes()).unwrap();
        names.write_all(b"\0").unwrap();
    }
    drop(names);
    assert!(child.wait().unwrap().success());
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Operators with ten versions each, of the size that published bundles have: a CSV with a description, permissions and
/// examples, two CRDs with schemas, a Service.
fn make(root: &Path, count: usize) {
    (0..count).into_par_iter().for_each(|number| {
        let (operator, version) = (number / 10, number % 10);
        let name = format!("made-{operator:04}");
        let folder = root.join("operators").join(&name).join(format!("1.{version}.0"));
        let write = |path: &str, text: String| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("metadata/annotations.yaml", annotations(&name));
        write("manifests/csv.clusterserviceversion.yaml", csv(&name, version));
        for kind in ["Pier", "Crane"] {
            write(&format!("manifests/{}.crd.yaml", kind.to_lowercase()), crd(&name, kind));
        }
        write(
            "manifests/metrics.service.yaml",
            format!("apiVersion: v1\nkind: Service\nmetadata:\n  name: {name}-metrics\nspec:\n  ports:\n  - port: 8443\n"),
        );
    });
}

fn annotations(name: &str) -> String {
    let key = "  operators.operatorframework.io.bundle.";
    format!(
        "annotations:\n{key}mediatype.v1: registry+v1\n{key}manifests.v1: manifests/\n{key}metadata.v1: metadata/\n\
         {key}package.v1: {name}\n{key}channels.v1: stable\n{key}channel.default.v1: stable\n"
    )
}

fn csv(name: &str, version: usize) -> String {
    let digest = format!("{version}").repeat(64);
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

fn crd(name: &str, kind: &str) -> String {
    let singular = kind.to_lowercase();
    let mut text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {singular}s.{name}.example.com\nspec:\n  \
         group: {name}.example.com\n  names:\n    kind: {kind}\n    listKind: {kind}List\n    plural: {singular}s\n    singular: {singular}\n  \
         scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
         properties:\n          spec:\n            type: object\n            properties:\n"
    );
    for field in 0..150 {
        let _ = write!(
            text,
            "              field{field}:\n                description: What field {field} of the {kind} says, and when to leave it out.\n                \
             type: string\n"
        );
    }
    text
}
