//! Requests to both programs for each catalog, bundle directory and index, and requests that are
//! sent
//! once.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::run::root;
use crate::{
    conformance::copy,
    corpus::{Corpus, Place},
    images,
    same::{List, Same},
    session::{Question, Session},
};

/// Compared commands of opm, by which requests are counted.
pub const KINDS: [&str; 15] = [
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
const NOT_ASKED: [&str; 4] = [
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
    Catalog(&'c Place),
    Bundle(&'c Place),
    Index(&'c Place),
    Template(usize),
    Files,
    Images,
}

/// Returns the jobs for a corpus.
pub fn jobs(corpus: &Corpus) -> Vec<Job<'_>> {
    let templates = (0..TEMPLATES.len().min(corpus.templates)).map(Job::Template);
    let images = corpus.images.then_some(Job::Images);
    let bundles = corpus.bundles.iter().map(Job::Bundle);
    let indexes = corpus.indexes.iter().map(Job::Index);
    let catalogs = corpus.catalogs.iter().map(Job::Catalog);
    catalogs.chain(bundles).chain(indexes).chain(templates).chain([Job::Files]).chain(images).collect()
}

impl Job<'_> {
    pub fn run(&self, session: &Session) {
        match self {
            Self::Catalog(place) => catalog(session, place),
            Self::Bundle(place) => bundle(session, place),
            Self::Index(place) => drop(render(session, place, "render INDEX", &[])),
            Self::Template(at) => template(session, *at),
            Self::Images => images::ask(session),
            Self::Files => {
                dockerfiles(session);
                packages(session);
                metadata(session);
                for what in NOT_ASKED {
                    session.leave_out(what.to_owned());
                }
            }
        }
    }
}

/// Returns the arguments of a command line.
pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns a path as typed in the root of the repository.
pub fn typed(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Sends the same arguments to both programs.
fn alike(session: &Session, kind: &'static str, about: &str, asked: &[&str]) -> Option<Vec<u8>> {
    let asked = words(asked);
    session.ask(&Question { kind, about, opm: asked.clone(), olmap: asked, same: Same::Bytes, pulls: false })
}

/// Runs `opm render` in both formats; returns the YAML.
fn render(session: &Session, place: &Place, kind: &'static str, flags: &[&str]) -> Option<Vec<u8>> {
    let path = typed(&place.path);
    let ask = |format| alike(session, kind, &place.name, &[&["render", &path, "-o", format], flags].concat());
    ask("json");
    ask("yaml")
}

fn catalog(session: &Session, place: &Place) {
    let path = typed(&place.path);
    let verdict = Question {
        kind: "validate",
        about: &place.name,
        opm: words(&["validate", &path]),
        olmap: words(&["validate", "--parity", "--format", "json", &path]),
        same: Same::Packages,
        pulls: false,
    };
    let is_valid = session.ask(&verdict).is_some();
    let Some(yaml) = render(session, place, "render", &[]) else { return };
    render(session, place, "render --migrate-level", &MIGRATE);
    let input = session.folder("input");
    let file = |name: &str, text: &[u8]| {
        fs::write(input.join(name), text).unwrap();
        typed(&input.join(name))
    };
    let rendered = file("catalog.yaml", &yaml);
    let convert = |to, format| {
        let question = Question {
            kind: "alpha convert-template",
            about: &place.name,
            opm: words(&["alpha", "convert-template", to, &rendered, "-o", format]),
            olmap: words(&["template", "convert", to, &rendered, "--format", format]),
            same: Same::Bytes,
            pulls: false,
        };
        session.ask(&question)
    };
    convert("basic", "yaml");
    convert("substitutes", "json");
    if let Some(basic) = convert("basic", "json") {
        let template = file("basic.json", &without_bundles(&basic));
        for format in ["yaml", "json"] {
            render_template(session, &place.name, Some("basic"), &template, format);
        }
    }
    let substitutes = convert("substitutes", "yaml").map(|text| file("substitutes.yaml", &text));
    if let Some(template) = &substitutes {
        render_template(session, &place.name, None, template, "yaml");
        render_template(session, &place.name, Some("substitutes"), template, "json");
    }
    if !is_valid {
        return;
    }
    for (list, name) in
        [(List::Packages, "packages"), (List::Channels, "channels"), (List::Bundles, "bundles")]
    {
        session.ask(&Question {
            kind: "alpha list",
            about: &place.name,
            opm: words(&["alpha", "list", name, &path]),
            olmap: words(&["list", name, &path, "--format", "json"]),
            same: Same::Rows(list),
            pulls: false,
        });
    }
    // olmap draws the graph that opm draws from the result of a template; this creates the catalog.
    if let Some(template) = &substitutes {
        session.ask(&Question {
            kind: "alpha render-graph",
            about: &place.name,
            opm: words(&["alpha", "render-graph", &path]),
            olmap: words(&["template", "render", "substitutes", template, "--format", "mermaid"]),
            same: Same::Bytes,
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

fn render_template(session: &Session, about: &str, of: Option<&str>, file: &str, format: &str) {
    let rest: Vec<&str> = of.into_iter().chain([file, "-o", format]).collect();
    session.ask(&Question {
        kind: "alpha render-template",
        about,
        opm: words(&[&["alpha", "render-template"], &rest[..]].concat()),
        olmap: words(&[&["template", "render"], &rest[..]].concat()),
        same: Same::Bytes,
        pulls: false,
    });
}

fn bundle(session: &Session, place: &Place) {
    render(session, place, "render BUNDLE", &[]);
    render(session, place, "render BUNDLE", &IMAGE);
    render(session, place, "render BUNDLE --migrate-level", &[IMAGE, MIGRATE].concat());
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

fn template(session: &Session, at: usize) {
    let (title, text) = TEMPLATES[at];
    let file = session.folder("template").join("template.yaml");
    fs::write(&file, text).unwrap();
    for format in ["yaml", "json", "mermaid"] {
        render_template(session, &format!("template, {title}"), None, &typed(&file), format);
    }
}

fn dockerfiles(session: &Session) {
    let folder = session.folder("dockerfile");
    copy(&root().join("demo/catalog/granary-operator"), &folder.join("granary"));
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
        let asked = words(&[&["generate", "dockerfile"], arguments].concat());
        let about = format!("demo/catalog/granary-operator, {}", arguments.join(" "));
        let question = Question {
            kind: "generate dockerfile",
            about: &about,
            opm: asked.clone(),
            olmap: asked,
            same: Same::Verdict,
            pulls: false,
        };
        session.ask_to_write(&question, &folder);
    }
}

fn packages(session: &Session) {
    let folder = session.folder("init");
    let file = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).unwrap();
        typed(&folder.join(name))
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
            alike(session, "init", &format!("package {}", arguments.join(" ")), &asked);
        }
    }
}

fn metadata(session: &Session) {
    let folder = session.folder("bundle");
    copy(&root().join("tests/fixtures/cli/bundle/manifests"), &folder.join("beacon/manifests"));
    let arguments: [&[&str]; 3] = [
        &["-d", "beacon/manifests", "-p", "beacon", "-c", "stable"],
        &["-d", "beacon/manifests/", "-p", "beacon", "-c", "stable,fast", "-e", "stable"],
        &["-d", "beacon/manifests", "-p", "beacon", "-c", "stable", "-u", "out"],
    ];
    for arguments in arguments {
        let about = format!("tests/fixtures/cli/bundle, {}", arguments.join(" "));
        let question = Question {
            kind: "alpha bundle generate",
            about: &about,
            opm: words(&[&["alpha", "bundle", "generate"], arguments].concat()),
            olmap: words(&[&["generate", "bundle"], arguments].concat()),
            same: Same::Verdict,
            pulls: false,
        };
        session.ask_to_write(&question, &folder);
    }
}
