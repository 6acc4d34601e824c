//! Inputs of the comparison: every fixture of this repository, the demo, and inputs named by the
//! user.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    changes::{self, Case},
    conformance::copy_dir,
    run::root,
};

/// Directory with its name in messages.
#[derive(Clone)]
pub struct NamedDirectory {
    pub name: String,
    pub path: PathBuf,
}

/// All inputs of the comparison.
#[derive(Default)]
pub struct Corpus {
    pub catalogs: Vec<NamedDirectory>,
    pub bundles: Vec<NamedDirectory>,
    /// SQLite indexes.
    pub indexes: Vec<NamedDirectory>,
    /// Number of templates that are generated here.
    pub templates: usize,
    /// True if images are compared too, provided that there is a registry.
    pub images: bool,
    /// Inputs that are not compared, with reasons.
    pub left_out: Vec<String>,
}

/// Demo catalog with a dead end.
pub const GRANARY: &str = "demo/catalog/granary-operator";
const RULES: &str = "crates/olm-check/src/tests";

impl Corpus {
    /// Returns all inputs of this repository. Generated inputs are written to `work`.
    pub fn load_all(work: &Path) -> Self {
        let mut corpus = Self { templates: usize::MAX, images: true, ..Self::default() };
        corpus.indexes.push(unpack_index(work));
        for folder in ["demo", "tests/fixtures", "crates/olm-check/src/tests/bundle"] {
            corpus.add_folder(&root().join(folder), folder);
        }
        for folder in ["fuzz/seeds/catalogs", "fuzz/seeds/loader"] {
            for file in list_folder(&root().join(folder)) {
                let name = format!("{folder}/{}", display_name(&file));
                corpus.add_catalog(work, &name, &fs::read(&file).unwrap());
            }
        }
        let base = read_fixture("base.yaml");
        for case in changes::cases(&read_fixture("cases.txt")) {
            let mut text = base.clone();
            for change in &case.changes {
                change.make(&mut text, &base, &case.title);
            }
            corpus.add_catalog(work, &format!("{RULES}/cases.txt: {}", case.title), text.as_bytes());
        }
        for file in list_folder(&root().join("crates/olm-check/assets/rules")) {
            let text = fs::read_to_string(&file).unwrap();
            for (number, example) in text.split("\n```yaml ").skip(1).enumerate() {
                let (_, example) = example.split_once('\n').unwrap();
                let example = example.split("\n```").next().unwrap();
                let name =
                    format!("crates/olm-check/assets/rules/{}, example {}", display_name(&file), number + 1);
                corpus.add_catalog(work, &name, format!("{example}\n").as_bytes());
            }
        }
        for case in changes::cases(&read_fixture("bundles.txt")) {
            corpus.add_bundle(work, &case);
        }
        corpus
    }

    /// Returns one input of each kind.
    pub fn load_small(work: &Path) -> Self {
        let place = |path: &str| NamedDirectory { name: path.to_owned(), path: root().join(path) };
        Self {
            catalogs: vec![place(GRANARY)],
            bundles: vec![place("demo/operators/tidewater-operator/2.4.2")],
            indexes: vec![unpack_index(work)],
            templates: 3,
            ..Self::default()
        }
    }

    /// Keeps every n-th catalog and bundle.
    pub fn sample(mut self, every: usize) -> Self {
        for places in [&mut self.catalogs, &mut self.bundles] {
            *places = places.iter().step_by(every).cloned().collect();
        }
        self
    }

    /// Adds an input named by the user: a catalog, a bundle directory or an SQLite index.
    pub fn add_path(&mut self, path: &Path, work: &Path) {
        let name = path.display().to_string();
        if path.is_dir() {
            let mut found = Self::default();
            found.add_folder(path, &name);
            if found.bundles.is_empty() && found.left_out.is_empty() {
                // A catalog named by the user is compared as a whole, not package by package.
                found.catalogs = vec![NamedDirectory { name, path: path.to_owned() }];
            }
            self.catalogs.append(&mut found.catalogs);
            self.bundles.append(&mut found.bundles);
            self.left_out.append(&mut found.left_out);
        } else {
            let bytes = fs::read(path).unwrap_or_else(|error| panic!("OLMAP_OPM_CATALOGS: {name}: {error}"));
            if bytes.starts_with(b"SQLite format 3\0") {
                self.indexes.push(NamedDirectory { name, path: path.to_owned() });
            } else {
                // opm does not read a single file, except for an index.
                self.add_catalog(work, &name, &bytes);
            }
        }
    }

    /// Adds a folder and its subfolders. Each is a catalog for opm, except for bundle directories.
    fn add_folder(&mut self, folder: &Path, name: &str) -> FolderContents {
        let below: Vec<PathBuf> = list_folder(folder);
        let has = |part: &str| folder.join(part).is_dir();
        if has("manifests") && has("metadata") {
            self.bundles.push(NamedDirectory { name: name.to_owned(), path: folder.to_owned() });
            return FolderContents { files: true, bundles: true };
        }
        let mut found = FolderContents { files: below.iter().any(|path| path.is_file()), bundles: false };
        // Recorded answers are not a catalog.
        let is_asked = |path: &&PathBuf| path.is_dir() && !path.ends_with("tests/fixtures/conformance");
        for folder in below.iter().filter(is_asked) {
            let inside = self.add_folder(folder, &format!("{name}/{}", display_name(folder)));
            found.files |= inside.files;
            found.bundles |= inside.bundles;
        }
        if found.bundles {
            self.left_out.push(format!(
                "{name}: holds bundle directories; olmap opens them as a catalog, opm reads them as one that is broken"
            ));
        } else if are_openshift_versions(&below)
            || has("catalogs") && are_openshift_versions(&list_folder(&folder.join("catalogs")))
        {
            self.left_out
                .push(format!("{name}: holds a catalog for each OpenShift version, which opm reads as one"));
        } else if found.files {
            self.catalogs.push(NamedDirectory { name: name.to_owned(), path: folder.to_owned() });
        }
        found
    }

    /// Writes a catalog of one file.
    fn add_catalog(&mut self, work: &Path, name: &str, bytes: &[u8]) {
        let path = work.join(format!("catalog-{:03}", self.catalogs.len()));
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("catalog.yaml"), bytes).unwrap();
        self.catalogs.push(NamedDirectory { name: name.to_owned(), path });
    }

    /// Writes the test bundle of the rules with changes.
    fn add_bundle(&mut self, work: &Path, case: &Case) {
        let path = work.join(format!("bundle-{:03}", self.bundles.len()));
        copy_dir(&root().join(RULES).join("bundle"), &path);
        let csv = "manifests/kiln.clusterserviceversion.yaml";
        for change in &case.changes {
            let file = path.join(change.file.as_deref().unwrap_or(csv));
            let before = fs::read_to_string(&file).unwrap_or_default();
            let mut text = before.clone();
            change.make(&mut text, &before, &case.title);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        self.bundles.push(NamedDirectory { name: format!("{RULES}/bundles.txt: {}", case.title), path });
    }
}

/// Contents below a folder.
struct FolderContents {
    files: bool,
    bundles: bool,
}

/// Unpacks an SQLite index.
fn unpack_index(work: &Path) -> NamedDirectory {
    let name = "tests/fixtures/conformance/legacy/db/kiln.db.gz";
    let path = work.join("kiln.db");
    let mut packed = flate2::read::GzDecoder::new(fs::File::open(root().join(name)).unwrap());
    std::io::copy(&mut packed, &mut fs::File::create(&path).unwrap()).unwrap();
    NamedDirectory { name: name.to_owned(), path }
}

fn read_fixture(name: &str) -> String {
    fs::read_to_string(root().join(RULES).join(name)).unwrap()
}

/// Returns the paths in a folder, sorted by name.
pub fn list_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn display_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns true if there is one folder for each of several OpenShift versions.
fn are_openshift_versions(paths: &[PathBuf]) -> bool {
    let is_version = |name: &str| {
        let numbers = name.strip_prefix('v').and_then(|numbers| numbers.split_once('.'));
        numbers
            .is_some_and(|(major, minor)| [major, minor].iter().all(|number| number.parse::<u32>().is_ok()))
    };
    paths.iter().any(|path| path.is_dir() && is_version(&display_name(path)))
}
