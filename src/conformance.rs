//! Where tests find real catalogs and the real programs' answers, which are no part of the repository. `docs/conformance.md`
//! says what is there and how to make more.
//!
//! Programs of `tests/` take this file too.

#![allow(
    dead_code,
    clippy::panic,
    clippy::unwrap_used,
    reason = "each program takes its part, and all of them are tests"
)]

use std::{
    collections::BTreeSet,
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use serde_json::Value as Json;

/// What was said already.
static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Says that something is not tested, once, and so that it is seen when all tests pass: what is printed is kept back then.
pub fn skip(why: &str) {
    if SAID.lock().is_ok_and(|mut said| said.insert(why.to_owned())) {
        say(&format!("skipped: {why}"));
    }
}

/// Writes a line where it is seen, at once, so that tests beside it do not write into it.
pub fn say(line: &str) {
    let _ = std::io::stderr().lock().write_all(format!("{}\n", line.trim_end()).as_bytes());
}

/// The directory that `OLMAP_CONFORMANCE` names, or the one beside the repository; says so where there is none.
pub fn data() -> Option<PathBuf> {
    if let Some(named) = env::var_os("OLMAP_CONFORMANCE").filter(|named| !named.is_empty()) {
        let named = Path::new(env!("CARGO_MANIFEST_DIR")).join(named);
        assert!(named.is_dir(), "OLMAP_CONFORMANCE names no directory: {}", named.display());
        return Some(named);
    }
    let beside = ["../shared/conformance", "../../shared/conformance"];
    let found = beside.map(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let found = found.into_iter().find(|path| path.is_dir());
    if found.is_none() {
        skip("no conformance data");
    }
    found
}

/// A file or directory of the data, which may have some topics only; says so where it has not this one.
pub fn part(path: &str) -> Option<PathBuf> {
    let part = data()?.join(path);
    let is_there = part.exists();
    if !is_there {
        skip(&format!("the conformance data has no {path}"));
    }
    is_there.then_some(part)
}

/// The text of a file of the data.
pub fn text(path: &str) -> Option<String> {
    let file = part(path)?;
    Some(fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())))
}

/// The answers in a file of JSON lines. A file without any would show nothing.
pub fn rows(path: &str) -> Option<Vec<Json>> {
    let text = text(path)?;
    let row = |(number, line)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}:{}: {error}", number + 1))
    };
    let rows: Vec<Json> = text.lines().enumerate().map(row).collect();
    assert!(!rows.is_empty(), "{path} has no rows");
    Some(rows)
}

/// What stands in a directory of the data and ends as is said, by the rest of its name.
pub fn names(path: &str, end: &str) -> Vec<String> {
    let Some(folder) = part(path) else { return Vec::new() };
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(end)?.to_owned())).collect();
    names.sort();
    if names.is_empty() {
        skip(&format!("the conformance data has no {path}/*{end}"));
    }
    names
}

/// The bundle directories: as they are, or as `tar` unpacks them into `folder`.
pub fn bundles(folder: &Path) -> Option<PathBuf> {
    cases("bundles", folder)
}

/// Returns the directory with the cases of a topic: as it is, or as `tar` unpacks it into `folder`.
pub fn cases(topic: &str, folder: &Path) -> Option<PathBuf> {
    let cases = data()?.join(topic).join("cases");
    if cases.is_dir() {
        return Some(cases);
    }
    let archive = part(&format!("{topic}/cases.tar.xz"))?;
    let unpacked = Command::new("tar").arg("xf").arg(archive).current_dir(folder).status();
    let is_unpacked = unpacked.is_ok_and(|status| status.success());
    if !is_unpacked {
        skip(&format!("tar cannot unpack the cases of {topic}"));
    }
    is_unpacked.then(|| folder.to_owned())
}

/// The text of a file that may be packed by `xz`.
pub fn text_or_packed(path: &str) -> Option<String> {
    if data()?.join(path).is_file() {
        return text(path);
    }
    let unpacked = Command::new("xz").arg("-dc").arg(part(&format!("{path}.xz"))?).output();
    let unpacked = unpacked.ok().filter(|output| output.status.success());
    if unpacked.is_none() {
        skip(&format!("xz cannot unpack {path}.xz"));
    }
    unpacked.map(|output| String::from_utf8(output.stdout).unwrap())
}

/// The catalogs of the repository in the data, with their names.
pub fn catalogs() -> Vec<(String, PathBuf)> {
    let path = |name: String| Some((name.clone(), part("repo/catalogs")?.join(name)));
    names("repo/catalogs", "").into_iter().filter_map(path).collect()
}

/// The rows in the repository: of every shape, about catalogs of our own, and answered by olmap. They show how rows look and
/// that tests compare them, and say nothing of other programs.
const SHAPES: &str = "tests/fixtures/conformance";

/// Fails unless a test of this program passes on the rows in the repository, and fails once one answer is another: what is at
/// `pointer` in a row (from 0) of JSON lines, or in a file that is one value.
pub fn can_fail(test: &str, file: &str, row: usize, pointer: &str, other: &Json) {
    let shapes = Path::new(env!("CARGO_MANIFEST_DIR")).join(SHAPES);
    let (is_passed, said) = run(test, &shapes);
    assert!(is_passed && !said.contains("skipped:"), "{test} on {SHAPES}:\n{said}");
    let folder = tempfile::tempdir().unwrap();
    copy(&shapes, folder.path());
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    let is_lines = path.extension().is_some_and(|end| end == "jsonl");
    let mut values: Vec<String> =
        if is_lines { text.lines().map(str::to_owned).collect() } else { vec![text] };
    let mut value: Json = serde_json::from_str(&values[row]).unwrap();
    let place = value.pointer_mut(pointer).unwrap_or_else(|| panic!("{file}, row {row}: no {pointer}"));
    assert_ne!(place, other, "{file}, row {row}: {pointer}");
    *place = other.clone();
    values[row] = value.to_string();
    fs::write(path, values.join("\n")).unwrap();
    let (is_passed, said) = run(test, folder.path());
    assert!(!is_passed, "{test} does not see that {pointer} of row {row} in {file} is another:\n{said}");
}

/// Whether a test of this program passes on some data, and what it says.
fn run(test: &str, data: &Path) -> (bool, String) {
    let mut command = Command::new(env::current_exe().unwrap());
    let output = command.args([test, "--exact"]).env("OLMAP_CONFORMANCE", data).output().unwrap();
    let said =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    assert!(said.contains("running 1 test"), "there is no test {test}:\n{said}");
    (output.status.success(), said)
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let there = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &there);
        } else {
            fs::copy(entry.path(), there).unwrap();
        }
    }
}
