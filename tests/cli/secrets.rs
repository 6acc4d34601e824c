//! Passwords in references and queries of web addresses are neither printed nor stored.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    path::Path,
    thread,
};

use super::{
    hostile::commands::all_lines,
    registry::user::User,
    run::{Run, olmap, run_with_input},
};

/// Secret that no output may contain.
const SECRET: &str = "hunter2pass";
/// Names in the served catalog.
const WORDS: [(&str, &str); 6] = [
    ("{H}", "x"),
    ("{package}", "tide"),
    ("{channel}", "stable"),
    ("{a}", "tide.v1.0.0"),
    ("{b}", "tide.v1.1.0"),
    ("{c}", "tide.v1.1.0"),
];
const CATALOG: &str = r#"{"schema":"olm.package","name":"tide","defaultChannel":"stable"}
{"schema":"olm.channel","package":"tide","name":"stable","entries":[{"name":"tide.v1.0.0"},{"name":"tide.v1.1.0","replaces":"tide.v1.0.0"}]}
{"schema":"olm.bundle","package":"tide","name":"tide.v1.0.0","image":"127.0.0.1:1/t/t:v1","properties":[{"type":"olm.package","value":{"packageName":"tide","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"tide","name":"tide.v1.1.0","image":"127.0.0.1:1/t/t:v2","properties":[{"type":"olm.package","value":{"packageName":"tide","version":"1.1.0"}}]}
"#;

/// Serves the catalog to clients with the signature until the tests end. Returns the address.
fn start_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            if reader.read_line(&mut line).is_err() {
                continue;
            }
            let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
            while reader.read_line(&mut line).is_ok_and(|count| count > 2) {}
            let is_signed = path == format!("/cat.json?sig={SECRET}");
            let (status, body) = if is_signed { (200, CATALOG) } else { (403, "") };
            let length = body.len();
            let mut stream = stream;
            let _ = write!(
                stream,
                "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
            );
        }
    });
    host
}

/// Returns references with a secret. Only the last reference can be opened.
fn secret_references(host: &str) -> [String; 6] {
    [
        format!("docker://keeper:{SECRET}@127.0.0.1:1/ns/cat:v1"),
        format!("keeper:{SECRET}@127.0.0.1:1/ns/cat:v1"),
        format!("keeper:{SECRET}@127.0.0.1:1/ns/cat"),
        format!("docker://keeper:{SECRET}@127.0.0.1:1/ns/cat@sha256:{}", "0".repeat(64)),
        format!("http://keeper:{SECRET}@{host}/cat.json"),
        format!("http://{host}/cat.json?sig={SECRET}"),
    ]
}

/// Reports files below a folder with the secret in their content, or in their name if `by_name` is
/// set.
fn check_files(folder: &Path, by_name: bool, wrong: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if by_name && path.file_name().is_some_and(|name| name.to_string_lossy().contains(SECRET)) {
            wrong.push(format!("{} is there", path.display()));
        }
        if path.is_dir() {
            check_files(&path, by_name, wrong);
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(SECRET) {
            wrong.push(format!("{} has it", path.display()));
        }
    }
}

struct SecretsHome {
    user: User,
    folder: tempfile::TempDir,
}

impl SecretsHome {
    fn new() -> Self {
        Self { user: User::new(), folder: tempfile::tempdir().unwrap() }
    }

    fn runs(&self, words: &[String]) -> Run {
        run_with_input(self.user.command().current_dir(self.folder.path()).args(words), b"")
    }

    /// Runs a command, and reports output that contains the secret.
    fn check_output(&self, words: &[String], wrong: &mut Vec<String>) -> Run {
        let run = self.runs(words);
        for (name, text) in [("standard output", &run.out), ("standard error", &run.err)] {
            if let Some(line) = text.lines().find(|line| line.contains(SECRET)) {
                wrong.push(format!("{}: {name}: {line}", words.join(" ")));
            }
        }
        run
    }

    fn check_all_files(&self, wrong: &mut Vec<String>) {
        check_files(&self.user.home_path(""), true, wrong);
        // An output path is used as given, even if it looks like a reference.
        check_files(self.folder.path(), false, wrong);
    }
}

/// Returns the words of a command line with the reference; `None` if the line does not accept one.
fn command_words(line: &str, reference: &str) -> Option<Vec<String>> {
    // `serve` would not end.
    if line.starts_with("serve ") {
        return None;
    }
    let mut line = line.to_owned();
    for (name, word) in WORDS {
        line = line.replace(name, word);
    }
    let is_catalog = ["{cat}", "{old}", "{broken}", "{template}"].iter().any(|name| line.contains(name));
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    for word in &mut words {
        for name in ["{cat}", "{old}", "{broken}", "{template}"] {
            *word = word.replace(name, reference);
        }
    }
    let is_whole = words.iter().all(|word| !word.contains('{') || word.contains("{\""));
    (is_catalog && is_whole).then_some(words)
}

/// Returns the command of a line: `list packages`, `validate`.
fn command_name(words: &[String], reference: &str) -> String {
    let is_name = |word: &&String| {
        !word.contains(reference) && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
    };
    words.iter().take(2).take_while(is_name).cloned().collect::<Vec<_>>().join(" ")
}

#[test]
fn secret_of_a_reference_is_shown_by_no_command() {
    let (setting, host) = (SecretsHome::new(), start_server());
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    let references = secret_references(&host);
    let [.., signed] = &references;
    let mut opened = 0;
    for (line, _) in &all_lines() {
        let Some(list) = command_words(line, signed) else { continue };
        let run = setting.check_output(&list, &mut wrong);
        opened += usize::from(run.out.contains("?***"));
        if !seen.insert(command_name(&list, signed)) {
            continue;
        }
        for reference in references.iter().take(references.len() - 1) {
            if let Some(list) = command_words(line, reference) {
                setting.check_output(&list, &mut wrong);
            }
        }
    }
    assert!(seen.len() > 25, "{seen:?}");
    assert!(opened > 10, "the address is opened and shown without its query: {opened}");
    setting.check_all_files(&mut wrong);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn secret_of_a_reference_is_shown_by_no_other_command() {
    let (setting, host) = (SecretsHome::new(), start_server());
    let mut wrong = Vec::new();
    let demo = super::run::root().join("demo/catalog").display().to_string();
    let archive = setting.user.home_path("demo.tar").display().to_string();
    olmap(&[
        "image",
        "build",
        &demo,
        "-t",
        "example.com/ns/cat:v1",
        "--to",
        &format!("oci-archive:{archive}"),
    ])
    .exits(0);
    for reference in &secret_references(&host) {
        let composition = setting.folder.path().join("composition.yaml");
        let imageset = setting.folder.path().join("imageset.yaml");
        let (composition, imageset) = (composition.display().to_string(), imageset.display().to_string());
        fs::write(&composition, format!("name: x\nreferences:\n- name: a\n  image: \"{reference}\"\n"))
            .unwrap();
        let config = format!(
            "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: \"{reference}\"\n"
        );
        fs::write(&imageset, config).unwrap();
        for line in [
            format!("image push oci-archive:{archive} {reference} --use-http"),
            format!("image push {reference} example.com/ns/cat:v1 --offline"),
            format!("image build {demo} -t {reference} --to oci-archive:{archive}.new"),
            format!(
                "image build {demo} -t example.com/ns/cat:v1 --to oci-archive:{archive}.new --from-layout {reference}"
            ),
            format!("image build {demo} -t example.com/ns/cat:v1 --to {reference}"),
            format!("image build {reference} -t example.com/ns/cat:v1 --to oci-archive:{archive}.new"),
            format!("compose {composition} out"),
            format!("compose {reference} out"),
            format!("mirror check {imageset} {demo}"),
            format!("mirror filter {reference} --config {imageset}"),
            format!("bundle validate {reference}"),
            format!("bundle show {reference}"),
            format!("bundle diff {reference} {reference}"),
            format!("crds diff {reference} {reference}"),
            format!("plan --all 4.18={reference} 4.20={demo}"),
            format!("report main={reference} --against {reference}"),
            format!("diff {demo} {reference} -o json"),
            format!("diff {reference} {reference} --fail-on all"),
            format!("validate {reference} -o sarif"),
            format!("validate {reference} -o github"),
            format!("validate {reference} --offline"),
            format!("render {reference} --no-such-option={reference}"),
            format!("no-such-command {reference}"),
            format!("cluster {demo} --catalog 4.18={reference}"),
            format!("doctor {reference}"),
            format!("serve {reference} --port nothing"),
            format!("add-bundle {reference} {demo}"),
            format!("safety {reference} --fetch-bundles --use-http"),
            format!("readiness {reference} --fetch-bundles --use-http"),
            format!("template render basic {reference}"),
            format!("edit default-channel --package tide stable {reference}"),
            reference.clone(),
            format!("--against {reference} {demo}"),
            format!("--cluster {reference} {demo}"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            setting.check_output(&words, &mut wrong);
        }
        fs::remove_file(composition).unwrap();
        fs::remove_file(imageset).unwrap();
    }
    setting.check_all_files(&mut wrong);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
