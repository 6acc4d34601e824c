//! Requests to both programs for each catalog, bundle directory and index, and requests that are
//! sent
//! once.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::run::root;
use crate::{
    comparison::{ComparisonKind, List},
    conformance::copy_dir,
    corpus::{Corpus, NamedDirectory},
    images,
    session::{Request, Session},
};

/// Compared commands of opm, by which requests are counted.
pub const COMMANDS: [&str; 15] = [
    "validate",
    "render",
    "render --migrate-level",
    "render BUNDLE",
    "render BUNDLE --migrate-level",
    "alpha list",
    "alpha render-graph",
    "alpha convert-template",
    "alpha render-template",
    "generate dockerfile",
    "init",
    "alpha bundle generate",
    "render INDEX",
    "render IMAGE",
    "alpha render-template with images",
];

/// Commands that are not compared, with reasons.
const NOT_COMPARED: [&str; 4] = [
    "alpha bundle validate, alpha bundle extract, migrate: opm pulls an image for them, of the last two olmap has nothing",
    "index, registry: they change SQLite indexes, which olmap only reads",
    "serve: it answers by gRPC; olmap serve speaks the API of catalogd",
    "the words of a refusal: olmap says in its own words what opm refuses",
];

const MIGRATE: [&str; 2] = ["--migrate-level", "bundle-object-to-csv-metadata"];
const IMAGE: [&str; 2] =
    ["--alpha-image-ref-template", "registry.example.com/{{.Package}}/{{.Name}}:v{{.Version}}"];

/// Unit of work of a thread.
pub enum Job<'c> {
    Catalog(&'c NamedDirectory),
    Bundle(&'c NamedDirectory),
    Index(&'c NamedDirectory),
    Template(usize),
    Files,
    Images,
}

/// Returns the jobs for a corpus.
pub fn list_jobs(corpus: &Corpus) -> Vec<Job<'_>> {
    let templates = (0..TEMPLATES.len().min(corpus.templates)).map(Job::Template);
    let images = corpus.images.then_some(Job::Images);
    let bundles = corpus.bundles.iter().map(Job::Bundle);
    let indexes = corpus.indexes.iter().map(Job::Index);
    let catalogs = corpus.catalogs.iter().map(Job::Catalog);
    catalogs.chain(bundles).chain(indexes).chain(templates).chain([Job::Files]).chain(images).collect()
}

impl Job<'_> {
    pub fn run_job(&self, session: &Session) {
        match self {
            Self::Catalog(place) => compare_catalog(session, place),
            Self::Bundle(place) => compare_bundle(session, place),
            Self::Index(place) => drop(compare_render(session, place, "render INDEX", &[])),
            Self::Template(at) => compare_template(session, *at),
            Self::Images => images::compare_images(session),
            Self::Files => {
                compare_dockerfiles(session);
                compare_new_packages(session);
                compare_metadata(session);
                for what in NOT_COMPARED {
                    session.record_omission(what.to_owned());
                }
            }
        }
    }
}

/// Returns the arguments of a command line.
pub fn to_arguments(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns a path as typed in the root of the repository.
pub fn repository_path(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Sends the same arguments to both programs.
fn compare_same_arguments(
    session: &Session,
    kind: &'static str,
    about: &str,
    asked: &[&str],
) -> Option<Vec<u8>> {
    let asked = to_arguments(asked);
    session.compare_request(&Request {
        kind,
        about,
        opm: asked.clone(),
        olmap: asked,
        same: ComparisonKind::Bytes,
        pulls: false,
    })
}

/// Runs `opm render` in both formats; returns the YAML.
fn compare_render(
    session: &Session,
    place: &NamedDirectory,
    kind: &'static str,
    flags: &[&str],
) -> Option<Vec<u8>> {
    let path = repository_path(&place.path);
    let ask = |format| {
        compare_same_arguments(
            session,
            kind,
            &place.name,
            &[&["render", &path, "-o", format], flags].concat(),
        )
    };
    ask("json");
    ask("yaml")
}

fn compare_catalog(session: &Session, place: &NamedDirectory) {
    let path = repository_path(&place.path);
    let verdict = Request {
        kind: "validate",
        about: &place.name,
        opm: to_arguments(&["validate", &path]),
        olmap: to_arguments(&["validate", "--parity", "--format", "json", &path]),
        same: ComparisonKind::Packages,
        pulls: false,
    };
    let is_valid = session.compare_request(&verdict).is_some();
    let Some(yaml) = compare_render(session, place, "render", &[]) else { return };
    compare_render(session, place, "render --migrate-level", &MIGRATE);
    let input = session.new_folder("input");
    let file = |name: &str, text: &[u8]| {
        fs::write(input.join(name), text).unwrap();
        repository_path(&input.join(name))
    };
    let rendered = file("catalog.yaml", &yaml);
    let convert = |to, format| {
        let question = Request {
            kind: "alpha convert-template",
            about: &place.name,
            opm: to_arguments(&["alpha", "convert-template", to, &rendered, "-o", format]),
            olmap: to_arguments(&["template", "convert", to, &rendered, "--format", format]),
            same: ComparisonKind::Bytes,
            pulls: false,
        };
        session.compare_request(&question)
    };
    convert("basic", "yaml");
    convert("substitutes", "json");
    if let Some(basic) = convert("basic", "json") {
        let template = file("basic.json", &without_bundles(&basic));
        for format in ["yaml", "json"] {
            compare_render_template(session, &place.name, Some("basic"), &template, format);
        }
    }
    let substitutes = convert("substitutes", "yaml").map(|text| file("substitutes.yaml", &text));
    if let Some(template) = &substitutes {
        compare_render_template(session, &place.name, None, template, "yaml");
        compare_render_template(session, &place.name, Some("substitutes"), template, "json");
    }
    if !is_valid {
        return;
    }
    for (list, name) in
        [(List::Packages, "packages"), (List::Channels, "channels"), (List::Bundles, "bundles")]
    {
        session.compare_request(&Request {
            kind: "alpha list",
            about: &place.name,
            opm: to_arguments(&["alpha", "list", name, &path]),
            olmap: to_arguments(&["list", name, &path, "--format", "json"]),
            same: ComparisonKind::Rows(list),
            pulls: false,
        });
    }
    // olmap draws the graph that opm draws from the result of a template; this creates the catalog.
    if let Some(template) = &substitutes {
        session.compare_request(&Request {
            kind: "alpha render-graph",
            about: &place.name,
            opm: to_arguments(&["alpha", "render-graph", &path]),
            olmap: to_arguments(&["template", "render", "substitutes", template, "--format", "mermaid"]),
            same: ComparisonKind::Bytes,
            pulls: false,
        });
    }
}

/// Returns a basic template without bundles, whose images opm would pull.
fn without_bundles(template: &[u8]) -> Vec<u8> {
    let mut template: Value = serde_json::from_slice(template).unwrap();
    if let Some(entries) = template["entries"].as_array_mut() {
        entries.retain(|entry| entry["schema"] != json!("olm.bundle"));
    }
    serde_json::to_vec_pretty(&template).unwrap()
}

fn compare_render_template(session: &Session, about: &str, of: Option<&str>, file: &str, format: &str) {
    let rest: Vec<&str> = of.into_iter().chain([file, "-o", format]).collect();
    session.compare_request(&Request {
        kind: "alpha render-template",
        about,
        opm: to_arguments(&[&["alpha", "render-template"], &rest[..]].concat()),
        olmap: to_arguments(&[&["template", "render"], &rest[..]].concat()),
        same: ComparisonKind::Bytes,
        pulls: false,
    });
}

fn compare_bundle(session: &Session, place: &NamedDirectory) {
    compare_render(session, place, "render BUNDLE", &[]);
    compare_render(session, place, "render BUNDLE", &IMAGE);
    compare_render(session, place, "render BUNDLE --migrate-level", &[IMAGE, MIGRATE].concat());
}

/// Templates without images, or refused before an image is pulled.
const TEMPLATES: [(&str, &str); 16] = [
    ("basic: no entries", "schema: olm.template.basic\nentries: []\n"),
    ("basic: an unknown key", "schema: olm.template.basic\nentries: []\nauthor: me\n"),
    ("basic: a package", "Schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: kiln\n"),
    (
        "basic: other objects",
        "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: kiln\n- schema: example.com/note\n  package: kiln\n  b: 1\n  a: [x]\n",
    ),
    (
        "basic: a bundle with properties",
        "schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: registry.example.com/kiln:v1\n  properties: [{type: a, value: b}]\n",
    ),
    (
        "basic: a bundle without an image",
        "schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  name: kiln.v1\n",
    ),
    ("basic: no schema", "entries: []\n"),
    ("basic: a schema that nobody knows", "schema: olm.template.raw\nentries: []\n"),
    ("semver: no lists", "schema: olm.semver\n"),
    ("semver: an empty list", "schema: olm.semver\nstable: {bundles: []}\n"),
    ("semver: an unknown key", "schema: olm.semver\nstable: {bundles: []}\nauthor: me\n"),
    ("semver: a key twice", "schema: olm.semver\nstable: {bundles: []}\nstable: {bundles: []}\n"),
    (
        "semver: a truth in quotes",
        "schema: olm.semver\ngenerateMajorChannels: 'true'\nstable: {bundles: []}\n",
    ),
    (
        "semver: no such preference",
        "schema: olm.semver\ndefaultChannelTypePreference: patch\nstable: {bundles: []}\n",
    ),
    ("substitutes: no entries", "schema: olm.template.substitutes\nentries: []\nsubstitutions: []\n"),
    (
        "substitutes: an entry that is no catalog",
        "schema: olm.template.substitutes\nentries:\n- schema: olm.channel\n  package: kiln\n  name: stable\nsubstitutions: []\n",
    ),
];

fn compare_template(session: &Session, at: usize) {
    let (title, text) = TEMPLATES[at];
    let file = session.new_folder("template").join("template.yaml");
    fs::write(&file, text).unwrap();
    for format in ["yaml", "json", "mermaid"] {
        compare_render_template(
            session,
            &format!("template, {title}"),
            None,
            &repository_path(&file),
            format,
        );
    }
}

fn compare_dockerfiles(session: &Session) {
    let folder = session.new_folder("dockerfile");
    copy_dir(&root().join("demo/catalog/granary-operator"), &folder.join("granary"));
    fs::write(folder.join("taken.Dockerfile"), "FROM scratch\n").unwrap();
    fs::create_dir(folder.join("taken")).unwrap();
    let arguments: [&[&str]; 8] = [
        &["granary"],
        &["granary/"],
        &["granary", "-i", "registry.example.com/base:v1", "-b", "registry.example.com/builder:v1"],
        &["granary", "-i", "scratch"],
        &["granary", "-l", "b=2,a=x y", "-l", "b=3"],
        &["granary", "-l", "nothing"],
        &["taken"],
        &["gone"],
    ];
    for arguments in arguments {
        let asked = to_arguments(&[&["generate", "dockerfile"], arguments].concat());
        let about = format!("demo/catalog/granary-operator, {}", arguments.join(" "));
        let question = Request {
            kind: "generate dockerfile",
            about: &about,
            opm: asked.clone(),
            olmap: asked,
            same: ComparisonKind::Verdict,
            pulls: false,
        };
        session.compare_written_files(&question, &folder);
    }
}

fn compare_new_packages(session: &Session) {
    let folder = session.new_folder("init");
    let file = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).unwrap();
        repository_path(&folder.join(name))
    };
    let readme = file("README.md", "# Granary\n\nKeeps  grain; \u{fc}ber <all>.\n".as_bytes());
    let png = file("icon.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let svg = file("icon.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    let arguments: [&[&str]; 5] = [
        &["granary"],
        &["granary", "-c", "stable"],
        &["granary", "-c", "stable", "-d", &readme, "-i", &png],
        &["granary", "-i", &svg],
        &["granary", "-d", "gone.md"],
    ];
    for arguments in arguments {
        for format in ["yaml", "json"] {
            let asked = [&["init"], arguments, &["-o", format]].concat();
            compare_same_arguments(session, "init", &format!("package {}", arguments.join(" ")), &asked);
        }
    }
}

fn compare_metadata(session: &Session) {
    let folder = session.new_folder("bundle");
    copy_dir(&root().join("tests/fixtures/cli/bundle/manifests"), &folder.join("beacon/manifests"));
    let arguments: [&[&str]; 3] = [
        &["-d", "beacon/manifests", "-p", "beacon", "-c", "stable"],
        &["-d", "beacon/manifests/", "-p", "beacon", "-c", "stable,fast", "-e", "stable"],
        &["-d", "beacon/manifests", "-p", "beacon", "-c", "stable", "-u", "out"],
    ];
    for arguments in arguments {
        let about = format!("tests/fixtures/cli/bundle, {}", arguments.join(" "));
        let question = Request {
            kind: "alpha bundle generate",
            about: &about,
            opm: to_arguments(&[&["alpha", "bundle", "generate"], arguments].concat()),
            olmap: to_arguments(&[&["generate", "bundle"], arguments].concat()),
            same: ComparisonKind::Verdict,
            pulls: false,
        };
        session.compare_written_files(&question, &folder);
    }
}
