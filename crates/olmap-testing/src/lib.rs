//! Access to the conformance data of tests: published catalogs and recorded answers of other programs. The data
//! is not in the repository; `docs/conformance.md` describes it and how to extend it.
//!
//! Tests in `tests/` include this file too.

#![allow(
    dead_code,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "each program takes its part, and all of them are tests"
)]

pub mod sha256;

use std::{
    collections::BTreeSet,
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use serde_json::Value as Json;

/// Returns the path of a file in the repository.
pub fn repository_path(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Messages that were already printed.
static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Reports once that a test is skipped. Bypasses the capture of test output, so that the message is visible
/// even if all tests pass.
pub fn report_skip(why: &str) {
    if PRINTED.lock().is_ok_and(|mut said| said.insert(why.to_owned())) {
        write_stderr_line(&format!("skipped: {why}"));
    }
}

/// Writes a line at once, so that parallel tests do not mix their output.
pub fn write_stderr_line(line: &str) {
    let _ = std::io::stderr().lock().write_all(format!("{}\n", line.trim_end()).as_bytes());
}

/// Returns the directory in `OLMAP_CONFORMANCE`, or the one next to the repository. Reports if there is none.
pub fn data_dir() -> Option<PathBuf> {
    if let Some(named) = env::var_os("OLMAP_CONFORMANCE").filter(|named| !named.is_empty()) {
        let named = repository_path(&named);
        assert!(named.is_dir(), "OLMAP_CONFORMANCE names no directory: {}", named.display());
        return Some(named);
    }
    let beside = ["../shared/conformance", "../../shared/conformance"];
    let found = beside.map(repository_path);
    let found = found.into_iter().find(|path| path.is_dir());
    if found.is_none() {
        report_skip("no conformance data");
    }
    found
}

/// Returns a file or directory of the data, and reports if it is missing. The data may contain only some topics.
pub fn find_data(path: &str) -> Option<PathBuf> {
    let part = data_dir()?.join(path);
    let is_there = part.exists();
    if !is_there {
        report_skip(&format!("the conformance data has no {path}"));
    }
    is_there.then_some(part)
}

/// Returns the text of a data file.
pub fn read_data_file(path: &str) -> Option<String> {
    let file = find_data(path)?;
    Some(fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())))
}

/// Returns the rows of a file with JSON lines. Fails if it is empty, since the test would check nothing.
pub fn load_json_lines(path: &str) -> Option<Vec<Json>> {
    let text = read_data_file(path)?;
    let row = |(number, line)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}:{}: {error}", number + 1))
    };
    let rows: Vec<Json> = text.lines().enumerate().map(row).collect();
    assert!(!rows.is_empty(), "{path} has no rows");
    Some(rows)
}

/// Returns the names in a data directory that have a suffix, without the suffix.
pub fn list_names_with_suffix(path: &str, end: &str) -> Vec<String> {
    let Some(folder) = find_data(path) else { return Vec::new() };
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(end)?.to_owned())).collect();
    names.sort();
    if names.is_empty() {
        report_skip(&format!("the conformance data has no {path}/*{end}"));
    }
    names
}

/// Returns the bundle directories; unpacks them into `folder` with `tar` if necessary.
pub fn unpack_bundles(folder: &Path) -> Option<PathBuf> {
    unpack_cases("bundles", folder)
}

/// Returns the directory with the cases of a topic; unpacks it into `folder` with `tar` if necessary.
pub fn unpack_cases(topic: &str, folder: &Path) -> Option<PathBuf> {
    let cases = data_dir()?.join(topic).join("cases");
    if cases.is_dir() {
        return Some(cases);
    }
    let archive = find_data(&format!("{topic}/cases.tar.xz"))?;
    let unpacked = Command::new("tar").arg("xf").arg(archive).current_dir(folder).status();
    let is_unpacked = unpacked.is_ok_and(|status| status.success());
    if !is_unpacked {
        report_skip(&format!("tar cannot unpack the cases of {topic}"));
    }
    is_unpacked.then(|| folder.to_owned())
}

/// Returns the text of a file that may be compressed by `xz`.
pub fn read_maybe_packed(path: &str) -> Option<String> {
    if data_dir()?.join(path).is_file() {
        return read_data_file(path);
    }
    let unpacked = Command::new("xz").arg("-dc").arg(find_data(&format!("{path}.xz"))?).output();
    let unpacked = unpacked.ok().filter(|output| output.status.success());
    if unpacked.is_none() {
        report_skip(&format!("xz cannot unpack {path}.xz"));
    }
    unpacked.map(|output| String::from_utf8(output.stdout).unwrap())
}

/// Returns the published catalogs of the data, with their names.
pub fn published_catalogs() -> Vec<(String, PathBuf)> {
    let path = |name: String| Some((name.clone(), find_data("repo/catalogs")?.join(name)));
    list_names_with_suffix("repo/catalogs", "").into_iter().filter_map(path).collect()
}

/// Example rows in the repository: one of every shape, about test catalogs, with answers of olmap. They show the
/// format and that tests compare the rows; they do not verify other programs.
const SHAPES: &str = "tests/fixtures/conformance";

/// Checks that a test can fail: it must pass on the rows in the repository, and fail after one answer changes.
/// `pointer` selects the answer in a row (from 0) of JSON lines, or in a file with one value.
pub fn assert_can_fail(test: &str, file: &str, row: usize, pointer: &str, other: &Json) {
    let shapes = repository_path(SHAPES);
    let (is_passed, said) = run_test(test, &shapes);
    assert!(is_passed && !said.contains("skipped:"), "{test} on {SHAPES}:\n{said}");
    let folder = tempfile::tempdir().unwrap();
    copy_dir(&shapes, folder.path());
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
    let (is_passed, said) = run_test(test, folder.path());
    assert!(!is_passed, "{test} does not see that {pointer} of row {row} in {file} is another:\n{said}");
}

/// Runs a test of this program on some data. Returns true if it passes, and its output.
fn run_test(test: &str, data: &Path) -> (bool, String) {
    let mut command = Command::new(env::current_exe().unwrap());
    let output = command.args([test, "--exact"]).env("OLMAP_CONFORMANCE", data).output().unwrap();
    let said =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    assert!(said.contains("running 1 test"), "there is no test {test}:\n{said}");
    (output.status.success(), said)
}

/// Copies a directory recursively.
pub fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let there = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_dir(&entry.path(), &there);
        } else {
            fs::copy(entry.path(), there).unwrap();
        }
    }
}
